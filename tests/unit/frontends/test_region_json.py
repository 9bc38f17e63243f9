"""Region JSON: what networks become survives the round trip, and each contradiction is reported at its place."""

from __future__ import annotations

import pytest
from xdsl.dialects.func import FuncOp

from examples.models import network
from ptir.errors import SourceError
from ptir.frontends.json.region import export_json, import_json, json_schema
from ptir.passes.manager import PassManager
from ptir.text.verify import verify_module


def test_kernels_of_networks_survive():
    built = network("vit")
    module = PassManager("ptir-to-tiny,form-regions{arch=sm80}").run(built.build(built.CONFIGS["tiny"]))
    again = import_json(export_json(module))
    verify_module(again)
    for op in [o for o in module.ops if isinstance(o, FuncOp)]:
        op.detach()
    want, got = (list(map(str, m.ops)) for m in (module, again))
    assert len(want) > 5 and want == got


TEXT = """{"region": {
 "name": "f",
 "inputs": [{"name": "x", "memref": {"shape": [4, 8], "strides": [8, 1], "alignment": 16, "dtype": "fp32"}}],
 "outputs": [{"name": "y", "memref": {"shape": [4, 8], "strides": [8, 1], "alignment": 16, "dtype": "fp32"}, "materialize": "gmem"}],
 "body": [{"let": "v", "op": {"op": "Unary", "fn": "exp", "inputs": ["x"], "outputs": ["v"]}},
  {"yield": ["v -> y"]}]}}"""


def test_types_of_the_body_are_inferred():
    verify_module(import_json(TEXT))
    assert "region" in json_schema()["$defs"]["Document"]["properties"]


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ('"strides": [8, 1], "alignment": 16, "dtype": "fp32"}}],', '"strides": [1, 4], "alignment": 16, "dtype": "fp32"}}],', "3:66", "strides"),
        ('"fp32"}}],', '"fp32", "noalias": false}}],', "3:119", "do not alias"),
        ('"let": "v"', '"let": "w"', "5:19", "the op defines v"),
        ('"v -> y"', '"v"', "6:14", "is not 'value -> output'"),
        ('"v -> y"', '"v -> x"', "6:14", "x is not an output"),
        ('["v -> y"]', "[]", "6:13", "y is not stored"),
        ('"v -> y"', '"v -> y", "x -> y"', "6:24", "y is stored twice"),
        ('"v -> y"', '"u -> y"', "6:14", "value u is not defined"),
        ('{"yield": ["v -> y"]}', '{"let": "u"}', "6:3", "the last statement has 'yield'"),
        ('"inputs": ["x"]', '"inputs": ["z"]', "5:70", "value z is not defined"),
        ('{"region"', '{"regions": [], "region"', "1:1", "either 'region' or 'regions'"),
    ],
)  # fmt: skip
def test_contradictions(old: str, new: str, place: str, message: str):
    assert TEXT.count(old) == 1
    with pytest.raises(SourceError, match=message) as caught:
        import_json(TEXT.replace(old, new))
    span = caught.value.span
    before = span.input.content[: span.start]
    assert f"{before.count(chr(10)) + 1}:{span.start - before.rfind(chr(10))}" == place
