"""Files of plans: what the statements mean, and the place and the help of each error. `test_plan.py` has the round trips."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from ptir.dialects.plan.schedule import Schedule
from ptir.errors import SourceError
from ptir.frontends.plan_dsl import STATEMENTS, read_statements
from ptir.frontends.plan_files import read_plans
from tests.unit.builders.plan_statements import write_statements

SPECIFICATION = """
split m 128; split n 64; split k 64;
reorder m.o n.o k.o m.i.o n.i.o k.i.o m.i.i n.i.i k.i.i;
bind m.o block.y; bind n.o block.x; bind m.i.o warp.y; bind n.i.o warp.x;
pipeline k.i stages=2;
cache_read A smem at=k.i pingpong=true;
cache_read B smem at=k.i pingpong=true;
vectorize n.i.i 8;
predicate_tail m.i.i n.i.i k.i.i;
epilogue bias relu;
"""
"""The plan of tensor-compiler.ja §1.7."""


def test_the_plan_of_the_specification():
    (plan,) = read_plans(SPECIFICATION)
    assert plan.region == "" and plan.fields == {
        "tile": [128, 64, 64],
        "reorder": ["m.o", "n.o", "k.o", "m.i.o", "n.i.o", "k.i.o", "m.i.i", "n.i.i", "k.i.i"],
        "bind": {"m.o": "block.y", "n.o": "block.x", "m.i.o": "warp.y", "n.i.o": "warp.x"},
        "stages": 2,
        "cache": [{"tensor": tensor, "where": "smem", "at": "k.i", "pingpong": True} for tensor in "AB"],
        "vectorize": {"axis": "n.i.i", "width": 8},
        "predicate_tail": ["m.i.i", "n.i.i", "k.i.i"],
        "epilogue": ["bias", "relu"],
    }


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("fuse m.o n.o -> t", {"fuse": [{"axes": ["m.o", "n.o"], "into": "t"}]}),
        ("unroll k.o 2; unroll m.o 3", {"unroll": {"k.o": 2, "m.o": 3}}),
        ("cache_read A smem at=k.i", {"cache": [{"tensor": "A", "where": "smem", "at": "k.i"}]}),
        ("algo_choice matmul splitk_serial; split_k 4", {"algo_choice": {"matmul": "splitk_serial"}, "split": 4}),
        (
            "roles pingpong; cluster 2 1; order grouped_8",
            {"roles": "pingpong", "cluster": [2, 1], "order": "grouped_8"},
        ),
        ("accumulators 2", {"accumulators": 2}),
        ("epilogue_tile 64 16; multiprocessors 3", {"epilogue_tile": [64, 16], "multiprocessors": 3}),
        (
            "layout_hints A_swizzle=false; layout_hints C_stride=col",
            {"layout_hints": {"A_swizzle": False, "C_stride": "col"}},
        ),
        ('layout_hints x="true"', {"layout_hints": {"x": "true"}}),
        (
            "local_edges A -> sum smem_ring depth=3",
            {"local_edges": [{"from": "A", "to": "sum", "buffer": "smem_ring", "depth": 3}]},
        ),
        ('epilogue "a b" "\\u00e9"', {"epilogue": ["a b", "é"]}),
        ("epilogue", {"epilogue": []}),
        ("; // nothing\n;", {}),
        ("arch sm90 // a comment; arch sm80", {"arch": "sm90"}),
    ],
)
def test_a_statement(text: str, fields: dict[str, Any]):
    (plan,) = read_plans(text)
    assert plan.fields == fields
    assert read_plans(write_statements(fields))[0].fields == fields


def test_every_field_has_a_statement():
    written = {"split": "tile", "pipeline": "stages", "cache_read": "cache", "split_k": "split"}
    assert {written.get(name, name) for name in STATEMENTS} - {"region"} == {
        {"local_edges": "local_edges"}.get(name, name) for name in Schedule.__struct_fields__
    }


def test_regions():
    one, two = read_plans("region @f_0; arch sm80; region #0123456789ab; arch sm90")
    assert (one.region, two.region) == ("f_0", "#0123456789ab")
    one, two = read_plans('{"@f_0": {"arch": "sm80"}, "#0123456789ab": {}}')
    assert (one.region, two.region) == ("f_0", "#0123456789ab")
    assert read_plans('// -----// plan //----- //\n{"@f_0": {}}')[0].region == "f_0"
    assert read_plans('region "a b"; arch sm80')[0].region == "a b"
    assert read_plans(write_statements({"arch": "sm80"}, "a b"))[0].region == "a b"


ERRORS: list[tuple[str, str, str]] = [
    ("split m 128 split n 64", "1:13: .*expected ';' or the end, got 'split'", "split word INT"),
    ("arch sm80;\nsplt m 3", "2:1: .*expected a statement, got 'splt'", "did you mean 'split'"),
    ("split z 3", "1:7: .*'z' is no axis", "one of m, n, k"),
    ("split m 3", "1:1: .*no split of n", "add split m"),
    ("split m 3; split m 3", "1:12: .*split of m is given twice", "remove"),
    ("split m", "1:7: .*expected a number, got the end of the text", "split word INT"),
    ("split m 3.5", "1:10: .*expected ';'", ""),
    ("split m 99999999999999999999; split n 1", "1:9: .*is too large", "smaller"),
    ("split m -3; split n 4", "1:9: .*tile.0: expected 'int' >= 1", ""),
    ("pipeline k.o stages=2", "1:10: .*no ring is filled at k.o", "pipeline k.i"),
    ("pipeline k.i stage=2", "1:14: .*expected stages, got 'stage'", "stages = INT"),
    ("warp_tile 64", "1:11: .*expected sizes such as 64x32, got '64'", ""),
    ("vectorize n.i.i 3", "1:17: .*vectorize.width: unknown value 3", "one of 1, 2, 4, 8, 16"),
    ("cache_read A gmem at=k.i", "1:14: .*cache.0.where: unknown word 'gmem'", "smem"),
    ("local_edges a -> b smem", "1:20: .*local_edges.0.buffer: unknown word 'smem'", "smem_ring"),
    ("arch sm70", "1:6: .*arch: unknown word 'sm70'", "sm80, sm86"),
    ("epilogue a; epilogue b", "1:13: .*epilogue is given twice", "remove"),
    ("bind m.o block.x; bind m.o block.y", "1:24: .*bind.m.o is given twice", "remove"),
    ("arch sm80; region @f; arch sm80", "1:1: .*this statement is before the first region", "begin with region"),
    ('epilogue "a', "1:10: .*expected ';' or a word", ""),
    ('epilogue "\\q"', "1:10: .*this is no JSON string", ""),
    ("%", "1:1: .*expected a statement, got '%'", "one of split, reorder"),
    ('{"tile": [1, 2], "stagse": 3}', "1:18: .*unknown field 'stagse'", "did you mean 'stages'"),
    ('{"@f": {"arch": "sm80", "split": 0}}', "1:34: .*split: expected 'int' >= 1", ""),
    ('{"@f": {}, "tile": [1, 2]}', "1:12: .*'tile' is no region", "each key is a region"),
    ('{"@f": 3}', "1:8: .*expected the fields of a plan", ""),
    ('{"arch": "sm80", "arch": "sm80"}', "1:18: .*is defined twice", ""),
    ('// a\n  {"arch": 3}', "2:12: .*arch: expected 'str'", ""),
    ('{"arch": ', "1:8: .*the text ends too early", ""),
]


@pytest.mark.parametrize(("text", "problem", "help"), ERRORS, ids=[row[0][:40] for row in ERRORS])
def test_an_error_is_at_its_place(text: str, problem: str, help: str):
    with pytest.raises(SourceError) as error:
        read_plans(text, "p")
    assert re.match(f"p:{problem}", str(error.value)), str(error.value)
    assert help in error.value.help


def test_a_rule_between_fields_is_located():
    (plan,) = read_statements("arch sm80; split m 8; split n 8; vectorize n.i.i 1; pipeline k.i stages=3", "p")
    with pytest.raises(SourceError, match=r"^p:1:73: .*stages belongs to a plan with tile"):
        plan.schedule({})
    (plan,) = read_statements("split m 8; split n 8; vectorize n.i.i 1", "p")
    with pytest.raises(SourceError, match=r"^p:1:1: .*missing required field 'arch'"):
        plan.schedule({})
    assert plan.schedule({"arch": "sm80"}) == plan.schedule({"arch": "sm80", "vectorize": None})


FIELDS = '"arch": "sm80", "vectorize": {"axis": "n.i.i", "width": 4}'
MANY = json.dumps({f"a{n}": "" for n in range(20_000)})
HOSTILE = {
    "nested brackets": ('{"tile": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
    "nested braces": ('{"a":' * 20_000, "nested too deeply"),
    "a size of 400 digits": (f'{{{FIELDS}, "tile": [1{"0" * 400}, 8]}}', "tile.0: expected 'int' <= 2147483647"),
    "a size that no register holds": (f'{{{FIELDS}, "tile": [{2**31}, 8]}}', "tile.0: expected 'int' <= 2147483647"),
    "2^70 steps written out": (f'{{{FIELDS}, "tile": [8, 8], "unroll": {{"k.o": {2**70}}}}}', "unroll.*<= 64"),
    "a billion steps": ("arch sm80; split m 8; split n 8; vectorize n.i.i 4; unroll k.o 1000000000", "unroll.*<= 64"),
    "a long name": ("split " + "m" * 1_000_000 + " 8", "mmm…"),
    "many keys": (f'{{{FIELDS}, "tile": [8, 8], "algo_choice": {MANY}}}', "algo_choice has a0, .*…"),
    "a null byte": ("split m 8;\0", "expected a statement"),
    "a program": ("__import__('os').system('true')", "expected a statement"),
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_text_is_a_short_error_at_its_place(what: str):
    text, message = HOSTILE[what]
    with pytest.raises(SourceError, match=rf"(?s)^p:1:\d+: error\[PTIR\d+\]: .*{message}") as error:
        (plan,) = read_plans(text, "p")
        plan.schedule({})
    assert len(str(error.value)) < 10_000
