"""IntentIR's JSON: the round trip of every op, and texts that are not intents."""

from __future__ import annotations

import json
import random

import pytest

import ptir
from ptir.errors import PtirError
from ptir.frontends.json.intent import export_json, import_json, json_schema
from ptir.text.verify import verify_module

from ..builders.amount import WHOLE
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


def mutated(text: str, rng: random.Random) -> str:
    kind = rng.randrange(5)
    at, end = sorted((rng.randrange(len(text)), rng.randrange(len(text))))
    piece = rng.choice(
        ('"', "{", "]", "null", "-1", "1e999", '"M"', '"$x"', '"__import__(1)"', "[[]]", "9" * 40, "\\u0000", ",")
    )
    match kind:
        case 0:
            return text[:at] + piece + text[at:]
        case 1:
            return text[:at] + text[min(end, at + 20) :]
        case 2:
            words = text.split('"')
            i, j = rng.randrange(len(words)), rng.randrange(len(words))
            words[i], words[j] = words[j], words[i]
            return '"'.join(words)
        case 3:
            return text[:at] + text[at:end] * 2 + text[end:]
        case _:
            return text.replace(rng.choice(("f32", "M", "N", "x", "y", "op", "[", "1")), piece.strip('"'), 1)


def test_mutated_texts_are_read_or_refused():
    """`make campaign` reads 20,000 of them."""
    rng = random.Random(5)
    texts = [json.dumps(e.json()) for e in EXAMPLES]
    refused = 0
    for _ in range(20_000 if WHOLE else 400):
        text = mutated(rng.choice(texts), rng)
        try:
            ptir.intent.parse(text)
        except PtirError:
            refused += 1
    assert refused
