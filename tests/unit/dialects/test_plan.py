"""The Schedule Plan: its two textual forms, the rules between its fields, and the plans that `plan-regions` writes."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import DictionaryAttr, FloatAttr, f32

from ptir.dialects.plan import ScheduleAttr, from_attribute, to_attribute
from ptir.dialects.plan.schedule import Cache, LocalEdge, Schedule, Vectorize
from ptir.errors import InvalidPlan, SourceError
from ptir.frontends.plan_files import read_plans
from ptir.passes.environment import make_context
from ptir.text.parsing import parse_text
from tests.unit.builders.plan_statements import write_statements

GOOD: dict[str, Any] = {
    "arch": "sm80",
    "tile": [128, 64, 32],
    "stages": 3,
    "warp_tile": "64x32",
    "vectorize": {"axis": "n.i.i", "width": 8},
}

FULL: dict[str, Any] = {
    **GOOD,
    "bind": {"m.o": "block.y", "n.o": "block.x"},
    "cache": [{"tensor": "A"}, {"tensor": "B", "pingpong": False}],
    "predicate_tail": ["m.i.i"],
    "epilogue": ["add", "tanh"],
    "layout_hints": {"A_swizzle": True, "C_stride": "row"},
    "split": 2,
    "algo_choice": {"matmul": "splitk_parallel"},
    "local_edges": [{"from": "sum", "to": "add", "buffer": "smem_ring", "depth": 2}],
}


def plan(**fields: Any) -> Schedule:
    """Returns `GOOD` with some fields changed; None omits a field."""
    merged = {k: v for k, v in {**GOOD, **fields}.items() if v is not None}
    return msgspec.convert(merged, Schedule)


def read_plan(text: str) -> Schedule:
    """Returns the plan that JSON says for any region."""
    (given,) = read_plans(text)
    return given.schedule({})


# --- two spellings ------------------------------------------------------------------------------


def test_json_gives_the_structure():
    read = read_plan(json.dumps(FULL))
    assert read.tile == (128, 64, 32) and read.stages == 3 and read.arch == "sm80"
    assert read.cache == (Cache(tensor="A"), Cache(tensor="B", pingpong=False))
    assert read.vectorize == Vectorize(axis="n.i.i", width=8)
    assert read.local_edges == (LocalEdge(source="sum", target="add", buffer="smem_ring", depth=2),)
    assert (read.warp, read.warps, read.threads) == ((64, 32), (2, 2), 128)


def test_json_uses_the_names_of_the_spec():
    assert json.loads(read_plan(json.dumps(FULL)).to_json())["local_edges"][0]["from"] == "sum"


words = st.text(st.characters(codec="ascii", min_codepoint=33), min_size=1, max_size=6)


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    wm, wn = draw(st.sampled_from([(16, 16), (32, 16), (64, 32), (32, 64)]))
    rows, columns = draw(st.sampled_from([(1, 1), (2, 2), (4, 1), (1, 4)]))
    fields: dict[str, Any] = {
        "arch": draw(st.sampled_from(["sm80", "sm86", "sm89", "sm90"])),
        "vectorize": {"axis": draw(words), "width": draw(st.sampled_from([1, 2, 4, 8, 16]))},
        "bind": draw(st.dictionaries(words, words, max_size=3)),
        "predicate_tail": draw(st.lists(words, max_size=3)),
        "epilogue": draw(st.lists(words, max_size=3)),
        "layout_hints": draw(st.dictionaries(words, st.booleans() | words, max_size=3)),
        "reorder": draw(st.lists(words, max_size=3, unique=True)),
        "fuse": [{"axes": [draw(words), draw(words)], "into": draw(words)} for _ in range(draw(st.integers(0, 2)))],
        "unroll": draw(st.dictionaries(words, st.integers(1, 9), max_size=2)),
        "cache": [{"tensor": t, "pingpong": draw(st.booleans())} for t in draw(st.lists(words, max_size=2))],
        "local_edges": draw(st.sampled_from([[], [{"from": "sum", "to": "x"}], FULL["local_edges"]])),
    }
    if draw(st.booleans()):
        fields |= {"tile": [draw(st.integers(1, 64)), draw(st.integers(1, 64))]}
    elif draw(st.booleans()):
        columns, consumers = draw(st.integers(1, 16)) * 16, draw(st.integers(1, 3))
        tile, warp = (64 * consumers, columns), (64, columns)
        if draw(st.booleans()):
            tile, warp, fields["layout_hints"]["C_stride"] = tile[::-1], warp[::-1], "col"
        else:
            fields["layout_hints"].pop("C_stride", None)
        fields |= {
            "arch": "sm90",
            "tile": [*tile, 64],
            "warp_tile": f"{warp[0]}x{warp[1]}",
            "stages": draw(st.integers(2, 99)),
        }
        fields |= {"roles": "pingpong" if consumers == 1 and draw(st.booleans()) else "cooperative"}
        fields |= {"cluster": draw(st.sampled_from([[1, 1], [2, 1], [4, 2]])), "epilogue_tile": [64, 16]}
        fields |= {"order": draw(st.sampled_from(["row", "col", "grouped_16"]))}
        fields |= {"algo_choice": {"matmul": draw(st.sampled_from(["implicit_gemm", "stream_k"]))}}
    else:
        bk = draw(st.sampled_from([16, 32, 64]))
        fields |= {"tile": [wm * rows, wn * columns, bk], "warp_tile": f"{wm}x{wn}"}
        fields |= {"stages": draw(st.integers(2, 8)), "split": draw(st.integers(1, 64))}
        fields |= {"order": draw(st.sampled_from(["row", "col", "grouped_16"]))}
        matmul = ["splitk_serial", "splitk_parallel"] if fields["split"] > 1 else ["implicit_gemm"]
        fields |= {"algo_choice": {"matmul": draw(st.sampled_from(matmul))}}
    return msgspec.convert(fields, Schedule)


@given(schedule=schedules())
def test_json_and_attribute_say_the_same(schedule: Schedule):
    assert read_plan(schedule.to_json()) == schedule
    attribute = ScheduleAttr(schedule)
    assert attribute.schedule() == schedule
    assert ScheduleAttr(attribute.schedule()) == attribute
    assert from_attribute(attribute.fields) == json.loads(schedule.to_json())


@given(schedule=schedules())
def test_statements_say_the_same(schedule: Schedule):
    fields = json.loads(schedule.to_json())
    (read,) = read_plans(write_statements(fields, "f_0"), "p")
    assert read.fields == fields and read.region == "f_0"
    (again,) = read_plans(json.dumps({"@f_0": fields}), "p")
    assert again.fields == fields and again.region == "f_0" and again.schedule({}) == schedule


@given(schedule=schedules())
def test_the_attribute_survives_printing(schedule: Schedule):
    text = f'"builtin.module"() ({{}}) {{plan = {ScheduleAttr(schedule)}}} : () -> ()'
    read = parse_text(text, make_context()).attributes["plan"]
    assert isinstance(read, ScheduleAttr) and read.schedule() == schedule


@pytest.mark.parametrize("value", [True, False, 0, -7, "x", "", [], [1, [2]], {}, {"a": {"b": [True, 1, "s"]}}])
def test_json_values_survive_as_attributes(value: Any):
    back = from_attribute(to_attribute(value))
    assert back == value and type(back) is type(value)


def test_a_float_has_no_place_in_a_plan():
    with pytest.raises(InvalidPlan, match="has no place in a plan"):
        from_attribute(FloatAttr(0.5, f32))


# --- rules --------------------------------------------------------------------------------------

RULES: list[tuple[dict[str, Any], str]] = [
    ({"arch": None}, "missing required field 'arch'"),
    ({"tile": None}, "missing required field 'tile'"),
    ({"vectorize": None}, "missing required field 'vectorize'"),
    ({"arch": "sm70"}, r"unknown word 'sm70'"),
    ({"tile": [128]}, r"expected 'array' of length >= 2"),
    ({"tile": [1, 2, 3, 4]}, r"expected 'array' of length <= 3"),
    ({"tile": [0, 64, 32]}, r"expected 'int' >= 1"),
    ({"tile": ["a", 64, 32]}, "expected 'int', got 'str'"),
    ({"stages": 1}, "stages = 1 needs a cache without pingpong"),
    ({"stages": 9}, "without roles stages must be 2 to 8, got 9"),
    ({"stages": None}, r"a plan with tile = \[BM, BN, BK\] needs stages and warp_tile"),
    ({"warp_tile": None}, r"a plan with tile = \[BM, BN, BK\] needs stages and warp_tile"),
    ({"warp_tile": "64"}, "expected text such as '64x32'"),
    ({"warp_tile": "0x16"}, "expected text such as '64x32'"),
    ({"warp_tile": "64x48"}, "warp_tile 64x48 does not divide tile 128x64"),
    ({"warp_tile": "128x128"}, "warp_tile 128x128 does not divide tile 128x64"),
    ({"warp_tile": "4x32"}, "warp_tile must be a multiple of 8x8 and BK of 4, got 4x32 and 32"),
    ({"warp_tile": "64x4"}, "warp_tile must be a multiple of 8x8 and BK of 4, got 64x4 and 32"),
    ({"tile": [128, 64, 6]}, "warp_tile must be a multiple of 8x8 and BK of 4, got 64x32 and 6"),
    ({"tile": [8, 64]}, r"stages belongs to a plan with tile = \[BM, BN, BK\]"),
    ({"tile": [8, 64], "stages": None}, "warp_tile 64x32 does not divide tile 8x64"),
    ({"tile": [64, 1024], "stages": None, "warp_tile": "1x64"}, "a block has 32768 threads, but the limit is 1024"),
    (
        {"tile": [8, 64], "stages": None, "warp_tile": None, "split": 2, "algo_choice": {"matmul": "splitk_serial"}},
        r"split belongs to a plan with tile = \[BM, BN, BK\]",
    ),
    ({"split": 0}, r"expected 'int' >= 1"),
    ({"split": 65}, r"expected 'int' <= 64"),
    ({"split": 2}, "split = 2 contradicts algo_choice.matmul = 'implicit_gemm'"),
    ({"algo_choice": {"matmul": "splitk_serial"}}, "split = 1 contradicts algo_choice.matmul = 'splitk_serial'"),
    (
        {"algo_choice": {"matmul": "splitk"}},
        "algo_choice.matmul is one of implicit_gemm, splitk_serial, .*, got 'splitk'",
    ),
    (
        {"tile": [256, 256, 32], "warp_tile": "16x16"},
        "a block has 8192 threads, but the limit is 1024: enlarge warp_tile",
    ),
    (
        {"tile": [256, 256, 32], "warp_tile": "32x32"},
        "a block has 2048 threads, but the limit is 1024: enlarge warp_tile",
    ),
    ({"vectorize": {"axis": "n", "width": 3}}, r"unknown value 3"),
    ({"vectorize": {"width": 4}}, "missing required field 'axis'"),
    ({"vectorize": {"axis": "n", "width": 4, "unit": "byte"}}, "unknown field 'unit'"),
    ({"cache": [{"tensor": "A", "where": "gmem"}]}, "unknown word 'gmem'"),
    ({"local_edges": [{"from": "a", "to": "b", "buffer": "disk"}]}, "unknown word 'disk'"),
    ({"local_edges": [{"from": "a", "to": "b", "depth": 1}]}, "expected 'int' >= 2"),
    ({"local_edges": [{"source": "a", "target": "b"}]}, "unknown field 'source'"),
    ({"layout_hints": {"A_swizzle": 3}}, r"expected 'bool \| str', got 'int'"),
    ({"unrol": 4}, "unknown field 'unrol'"),
]


TWO: dict[str, Any] = {"arch": "sm90", "tile": [128, 256, 64], "warp_tile": "64x256", "roles": "cooperative"}
TURNS: dict[str, Any] = {"arch": "sm90", "tile": [64, 128, 64], "warp_tile": "64x128", "roles": "pingpong"}
COL: dict[str, Any] = {"layout_hints": {"C_stride": "col"}}
CLUSTERS = "cluster must be 1, 2 or 4 blocks along each of m and n, at most 8 in total"
WGMMA = "a multiple of 64 rows and 8 to 256 columns in steps of 8, and BK must be a multiple of 8"
STACKED = "1 to 3 cooperative warpgroups are stacked along the rows as computed: warp_tile must have all"
STAGED = "epilogue_tile must be 64 rows and a multiple of 16 columns, as computed, that divides the 256 of warp_tile"

RULES += [
    ({"roles": "cooperative"}, "roles need arch = sm90, got sm80"),
    ({**TWO, "roles": "solo"}, r"unknown word 'solo'"),
    (
        {"arch": "sm90", "cluster": [2, 1]},
        r'cluster = \[2, 1\] needs roles = "cooperative" or "pingpong"; .* is \[1, 1\]',
    ),
    (
        {"tile": [8, 64], "stages": None, "warp_tile": None, "order": "col"},
        r"order = 'col' belongs to a plan with tile = \[BM, BN, BK\]",
    ),
    ({"arch": "sm90", "epilogue_tile": [64, 32]}, "epilogue_tile needs roles"),
    ({"arch": "sm90", "algo_choice": {"matmul": "stream_k"}}, "algo_choice.matmul = 'stream_k' needs roles"),
    (
        {"arch": "sm90", "tile": [8, 64], "stages": None, "warp_tile": None, "roles": "pingpong"},
        r"roles belongs to a plan with tile = \[BM, BN, BK\]",
    ),
    (
        {**TWO, "split": 2, "algo_choice": {"matmul": "stream_k"}},
        "split = 2 contradicts algo_choice.matmul = 'stream_k'",
    ),
    ({**TWO, "cluster": [3, 1]}, rf"{CLUSTERS}, got \[3, 1\]"),
    ({**TWO, "cluster": [1, 8]}, rf"{CLUSTERS}, got \[1, 8\]"),
    ({**TWO, "cluster": [4, 4]}, rf"{CLUSTERS}, got \[4, 4\]"),
    ({**TWO, "cluster": [2]}, r"expected '(array|list)' of length 2.*"),
    ({**TWO, "order": "hilbert"}, "expected text such as .*grouped"),
    (
        {**TWO, "cluster": [2, 1], "order": "grouped_3"},
        "order = 'grouped_3' must group whole clusters: a multiple of 2 rows",
    ),
    ({**TWO, "order": "hilbert_3"}, "expected text such as .*hilbert"),
    ({**TWO, "order": "grouped_0"}, "expected text such as .*grouped"),
    ({**TWO, "stages": 1}, "stages = 1 needs a cache without pingpong"),
    (
        {**TWO, "tile": [96, 256, 64], "warp_tile": "32x256"},
        rf"warp_tile \(rows x columns\) must have {WGMMA}, got 32x256",
    ),
    ({**TWO, "tile": [128, 260, 64], "warp_tile": "64x260"}, f"{WGMMA}, got 64x260 and 64"),
    ({**TWO, "tile": [128, 264, 64], "warp_tile": "64x264"}, f"{WGMMA}, got 64x264 and 64"),
    ({**TWO, "tile": [128, 256, 12]}, f"{WGMMA}, got 64x256 and 12"),
    ({**TWO, **COL}, rf"warp_tile \(columns x rows, as C_stride is col\) must have {WGMMA}|{STACKED}"),
    ({**TWO, **COL, "tile": [96, 128, 64], "warp_tile": "96x32"}, r"warp_tile \(columns x rows, as C_stride is col\)"),
    ({**TWO, "warp_tile": "64x128"}, f"{STACKED} 256 columns and 128 rows or half or a third of them, got 64x128"),
    ({**TWO, "tile": [256, 64, 64], "warp_tile": "64x64"}, f"{STACKED} 64 columns and 256 rows .*, got 64x64"),
    ({**TURNS, "tile": [128, 128, 64]}, "pingpong warpgroups take whole tiles: warp_tile must be 128x128, got 64x128"),
    ({**TURNS, "tile": [64, 256, 64]}, "pingpong warpgroups take whole tiles: warp_tile must be 64x256, got 64x128"),
    ({**TWO, "epilogue_tile": [128, 64]}, rf"{STAGED}, got \[128, 64\]"),
    ({**TWO, "epilogue_tile": [64, 8]}, rf"{STAGED}, got \[64, 8\]"),
    ({**TWO, "epilogue_tile": [64, 48]}, rf"{STAGED}, got \[64, 48\]"),
    ({**TWO, "epilogue_tile": [64, 512]}, rf"{STAGED}, got \[64, 512\]"),
]


@pytest.mark.parametrize(("fields", "message"), RULES, ids=lambda x: str(x)[:48])
def test_every_rule_names_its_field(fields: dict[str, Any], message: str):
    """In JSON, in IR text, and in Python; where there is a text the field's value is underlined, or the key of no field."""
    merged = {k: v for k, v in {**GOOD, **fields}.items() if v is not None}
    with pytest.raises(SourceError, match=message) as in_json:
        read_plan(json.dumps(merged))
    attribute = to_attribute(merged)
    assert isinstance(attribute, DictionaryAttr)
    with pytest.raises(InvalidPlan, match=message) as in_python:
        ScheduleAttr(attribute).verify()
    printed = str(DictionaryAttr({"plan": attribute})).replace(" : i64", "")
    text = f'"test.op"() {{plan = #plan.schedule<{printed.removeprefix("{plan = ").removesuffix("}")}>}} : () -> ()'
    with pytest.raises(SourceError, match=message) as in_text:
        parse_text(text, make_context(allow_unregistered=True))
    assert in_text.value.code == in_python.value.code == "PTIR0483" and in_text.value.help == in_python.value.help
    where = [re.sub(r'"(\w+)"(: )?', r"\1 = ", e.value.span.text).replace(" = ", "") for e in (in_json, in_text)]
    assert sorted(where[0]) == sorted(where[1].replace("=", "").replace('"', "")) or "missing" in message
    assert "tile" not in where[0] or "tile" in message or "missing" in message, "not the whole plan"


def test_the_choices_are_listed_and_the_nearest_is_suggested():
    for fields, help in (
        ({"stage": 3}, r"did you mean 'stages'\? one of arch, tile, stages"),
        ({"arch": "sm60"}, r"one of sm80, sm86, sm89, sm90"),
        ({"vectorize": {"axis": "n", "width": 3}}, r"^one of 1, 2, 4, 8, 16"),
        ({"vectorize": {"axis": "n", "widht": 4}}, r"did you mean 'width'\? one of axis, width"),
        ({"vectorize": {"a": {}}}, r"^one of axis, width"),
    ):
        with pytest.raises(InvalidPlan) as failure:
            ScheduleAttr(cast(DictionaryAttr, to_attribute({**GOOD, **fields})))
        assert re.search(help, failure.value.help)


def test_the_rules_leave_the_good_ones_alone():
    assert plan() == read_plan(json.dumps(GOOD))
    assert plan(tile=[8, 1024], stages=None, warp_tile=None).threads == 128
    assert plan(tile=[16, 16, 16], warp_tile="16x16", stages=2).threads == 32
    assert plan(tile=[8, 8, 4], warp_tile="8x8").threads == 32
    assert plan(tile=[192, 96, 48], warp_tile="64x48").warps == (
        3,
        2,
    )  # whether rows can be swizzled depends on layouts


def test_roles_make_warpgroups_of_threads():
    for fields, consumers, threads in (
        (TWO, 2, 384),
        ({**TWO, "tile": [64, 256, 64]}, 1, 256),
        ({**TWO, "tile": [192, 128, 64], "warp_tile": "64x128"}, 3, 512),
        ({**TWO, "tile": [256, 128, 64], "warp_tile": "128x128"}, 2, 384),
        (TURNS, 2, 384),
        ({**TURNS, "tile": [128, 128, 64], "warp_tile": "128x128"}, 2, 384),
        ({**TWO, **COL, "tile": [256, 128, 64], "warp_tile": "256x64"}, 2, 384),
        ({**TWO, **COL, "tile": [8, 128, 64], "warp_tile": "8x64"}, 2, 384),
    ):
        got = plan(**fields)
        assert got.warp_specialized and (got.consumers, got.threads) == (consumers, threads), fields
    assert not plan().warp_specialized and plan().consumers == 0


def test_roles_take_what_rings_without_them_do_not():
    assert plan(**TWO, stages=24).stages == 24
    assert plan(**TWO, epilogue_tile=[64, 64]).epilogue_tile == (64, 64)
    assert plan(**TWO, algo_choice={"matmul": "stream_k"}).matmul == "stream_k"
    for cluster, blocks in (((1, 1), 1), ((2, 1), 2), ((1, 4), 4), ((2, 4), 8)):
        assert plan(**TWO, cluster=cluster).blocks_of_cluster == blocks


def test_the_order_is_a_number_of_rows_at_a_time():
    orders = {"row": 1, "col": None, "grouped_1": 1, "grouped_8": 8, "grouped_9999": 9999}
    assert {order: plan(**TWO, order=order).group for order in orders} == orders


def test_only_what_is_said_is_written():
    for said in (GOOD, {**GOOD, **TWO}, FULL):
        assert set(json.loads(read_plan(json.dumps(said)).to_json())) == set(said)


@pytest.mark.parametrize(
    ("bind", "along"),
    [
        ({}, "n"),
        ({"m.i.o": "warp.y", "n.i.o": "warp.x"}, "n"),
        ({"m.i.o": "warp.x", "n.i.o": "warp.y"}, "m"),
    ],
)
def test_consecutive_warps_lie_along_the_axis_on_warp_x(bind: dict[str, str], along: str):
    assert plan(bind=bind).warps_along == along


def test_fragments_are_double_buffered_where_edges_ask_for_it():
    sums = [{"from": "sum", "to": "add"}]
    assert not plan(local_edges=sums).double_buffered
    assert plan(local_edges=[{"from": x, "to": "sum", "depth": 2} for x in "AB"] + sums).double_buffered


def test_the_column_stride_decides_what_is_a_row():
    assert not plan().transposed and plan().oriented == ((128, 64), (64, 32))
    col = plan(layout_hints={"C_stride": "col"})
    assert col.transposed and col.oriented == ((64, 128), (32, 64))


@given(k=st.integers(1, 5000), bk=st.sampled_from([4, 16, 64]), split=st.integers(1, 64))
def test_parts_are_whole_steps_and_cover_k(k: int, bk: int, split: int):
    matmul = "splitk_serial" if split > 1 else "implicit_gemm"
    part = plan(tile=[128, 64, bk], split=split, algo_choice={"matmul": matmul}).part(k)
    assert part % bk == 0 and part * split >= k
    assert split * (part - bk) < -(-k // bk) * bk  # with one step less per part, they would not cover k
