"""IntentIR's JSON: the round trip of every op, and texts that are not intents."""

from __future__ import annotations

import json

import pytest

import ptir
from ptir.frontends.json.intent import export_json, import_json, json_schema
from ptir.text.verify import verify_module

from ..builders.intents import EXAMPLES


@pytest.mark.parametrize("number", range(len(EXAMPLES)), ids=[e.name for e in EXAMPLES])
def test_round_trip(number: int):
    module = EXAMPLES[number].load().module
    text = export_json(module)
    again = import_json(text)
    verify_module(again)
    assert str(again) == str(module)
    assert export_json(again) == text


def test_metadata_keeps_its_types():
    meta = {"a b": [True, 1, 1.0, "x", None, {"": []}], "1": -(2**63)}
    source = ptir.intent.load(json.dumps({**EXAMPLES[0].json(), "meta": meta}))
    back = json.loads(export_json(source.module))["meta"]
    assert repr(back) == repr(meta)


def test_the_schema_names_the_fields():
    assert "parallel_axes" in json.dumps(json_schema())
