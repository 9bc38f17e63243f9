"""The Schedule Plan: one thing in two spellings, the rules between its fields, and what `plan-regions` writes."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import DictionaryAttr, FloatAttr, ModuleOp, f32
from xdsl.utils.exceptions import VerifyException

from ptir.analysis.arch import ARCHS
from ptir.dialects import region
from ptir.dialects.plan import ScheduleAttr, from_attribute, to_attribute
from ptir.dialects.schedule import Cache, LocalEdge, Schedule, Vectorize
from ptir.errors import InvalidAttributeValue, NoPlanFits, PlanMismatch, PlanMissing
from ptir.passes.environment import make_context
from ptir.passes.manager import PassManager
from ptir.passes.parsing import parse_text
from ptir.transforms.plan_regions import CANDIDATES, registers, shared_bytes

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
    "algo_choice": {"matmul": "implicit_gemm"},
    "local_edges": [{"from": "sum", "to": "add", "buffer": "smem_ring", "depth": 2}],
}


def plan(**fields: Any) -> Schedule:
    """GOOD with other fields; None leaves a field out."""
    merged = {k: v for k, v in {**GOOD, **fields}.items() if v is not None}
    return msgspec.convert(merged, Schedule)


# --- two spellings ------------------------------------------------------------------------------


def test_json_gives_the_structure():
    read = Schedule.from_json(json.dumps(FULL))
    assert read.tile == (128, 64, 32) and read.stages == 3 and read.arch == "sm80"
    assert read.cache == (Cache(tensor="A"), Cache(tensor="B", pingpong=False))
    assert read.vectorize == Vectorize(axis="n.i.i", width=8)
    assert read.local_edges == (LocalEdge(source="sum", target="add", buffer="smem_ring", depth=2),)
    assert (read.warp, read.warps, read.threads) == ((64, 32), (2, 2), 128)


def test_json_uses_the_names_of_the_spec():
    assert json.loads(Schedule.from_json(json.dumps(FULL)).to_json())["local_edges"][0]["from"] == "sum"


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
        "cache": [{"tensor": t, "pingpong": draw(st.booleans())} for t in draw(st.lists(words, max_size=2))],
        "local_edges": draw(st.sampled_from([[], [{"from": "sum", "to": "x"}], FULL["local_edges"]])),
    }
    if draw(st.booleans()):
        fields |= {"tile": [draw(st.integers(1, 64)), draw(st.integers(1, 64))]}
    else:
        bk = draw(st.sampled_from([16, 32, 64]))
        fields |= {"tile": [wm * rows, wn * columns, bk], "warp_tile": f"{wm}x{wn}"}
        fields |= {"stages": draw(st.integers(2, 8))}
    return msgspec.convert(fields, Schedule)


@given(schedule=schedules())
def test_json_and_attribute_say_the_same(schedule: Schedule):
    assert Schedule.from_json(schedule.to_json()) == schedule
    attribute = ScheduleAttr(schedule)
    assert attribute.schedule() == schedule
    assert ScheduleAttr(attribute.schedule()) == attribute
    assert from_attribute(attribute.fields) == json.loads(schedule.to_json())


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
    with pytest.raises(VerifyException, match="has no place in a plan"):
        from_attribute(FloatAttr(0.5, f32))


# --- rules --------------------------------------------------------------------------------------

RULES: list[tuple[dict[str, Any], str]] = [
    ({"arch": None}, "missing required field `arch`"),
    ({"tile": None}, "missing required field `tile`"),
    ({"vectorize": None}, "missing required field `vectorize`"),
    ({"arch": "sm70"}, r"Invalid enum value 'sm70' - at `\$.arch`"),
    ({"tile": [128]}, r"Expected `array` of length >= 2 - at `\$.tile`"),
    ({"tile": [1, 2, 3, 4]}, r"Expected `array` of length <= 3 - at `\$.tile`"),
    ({"tile": [0, 64, 32]}, r"Expected `int` >= 1 - at `\$.tile\[0\]`"),
    ({"tile": ["a", 64, 32]}, "Expected `int`, got `str`"),
    ({"stages": 1}, r"Expected `int` >= 2 - at `\$.stages`"),
    ({"stages": 9}, r"Expected `int` <= 8 - at `\$.stages`"),
    ({"stages": None}, r"a plan with tile = \[BM, BN, BK\] needs stages and warp_tile"),
    ({"warp_tile": None}, r"a plan with tile = \[BM, BN, BK\] needs stages and warp_tile"),
    ({"warp_tile": "64"}, r"matching regex .* - at `\$.warp_tile`"),
    ({"warp_tile": "0x16"}, r"matching regex .* - at `\$.warp_tile`"),
    ({"warp_tile": "64x48"}, "warp_tile 64x48 does not divide tile 128x64"),
    ({"warp_tile": "128x128"}, "warp_tile 128x128 does not divide tile 128x64"),
    ({"warp_tile": "8x16"}, "warp_tile must be a multiple of 16x16 and BK of 16, got 8x16 and 32"),
    ({"warp_tile": "16x8"}, "warp_tile must be a multiple of 16x16 and BK of 16, got 16x8 and 32"),
    ({"tile": [128, 64, 8]}, "warp_tile must be a multiple of 16x16 and BK of 16, got 64x32 and 8"),
    ({"tile": [192, 64, 32]}, "BM must be a power of two for the shared-memory swizzle, got 192"),
    ({"tile": [128, 96, 32]}, "BN must be a power of two for the shared-memory swizzle, got 96"),
    ({"tile": [128, 64, 48]}, "BK must be a power of two for the shared-memory swizzle, got 48"),
    ({"tile": [256, 256, 32], "warp_tile": "16x16"}, "8192 threads a block; the limit is 1024: enlarge warp_tile"),
    ({"vectorize": {"axis": "n", "width": 3}}, r"Invalid enum value 3 - at `\$.vectorize.width`"),
    ({"vectorize": {"width": 4}}, r"missing required field `axis` - at `\$.vectorize`"),
    ({"vectorize": {"axis": "n", "width": 4, "unit": "byte"}}, r"unknown field `unit` - at `\$.vectorize`"),
    ({"cache": [{"tensor": "A", "where": "gmem"}]}, "Invalid enum value 'gmem'"),
    ({"local_edges": [{"from": "a", "to": "b", "buffer": "disk"}]}, "Invalid enum value 'disk'"),
    ({"local_edges": [{"from": "a", "to": "b", "depth": 1}]}, "Expected `int` >= 2"),
    ({"local_edges": [{"source": "a", "target": "b"}]}, "unknown field `source`"),
    ({"layout_hints": {"A_swizzle": 3}}, r"Expected `bool \| str`, got `int` - at `\$.layout_hints\[...\]`"),
    ({"unrol": 4}, "unknown field `unrol`"),
]


@pytest.mark.parametrize(("fields", "message"), RULES, ids=lambda x: str(x)[:48])
def test_every_rule_names_its_field(fields: dict[str, Any], message: str):
    merged = {k: v for k, v in {**GOOD, **fields}.items() if v is not None}
    with pytest.raises(msgspec.ValidationError, match=message):
        Schedule.from_json(json.dumps(merged))
    attribute = to_attribute(merged)
    assert isinstance(attribute, DictionaryAttr)
    with pytest.raises(VerifyException, match=message):
        ScheduleAttr(attribute).verify()


def test_the_rules_leave_the_good_ones_alone():
    assert plan() == Schedule.from_json(json.dumps(GOOD))
    assert plan(tile=[8, 1024], stages=None, warp_tile=None).threads == 128
    assert plan(tile=[16, 16, 16], warp_tile="16x16", stages=2).threads == 32


# --- plan-regions -------------------------------------------------------------------------------


def gemm(m: int, n: int, k: int, plan: str = "") -> str:
    a, b, c = f"{m}x{k}xbf16", f"{k}x{n}xbf16", f"{m}x{n}xf32"
    return f"""
func.func @f(%x: tensor<{a}>, %w: tensor<{b}>) -> tensor<{c}> {{
  %c = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<{a}>, tensor<{b}>) -> tensor<{c}>
  %d = ptir.tanh %c : tensor<{c}>
  func.return %d : tensor<{c}>
}}"""


def kernel(module: ModuleOp) -> region.RegionKernelOp:
    return next(o for o in module.ops if isinstance(o, region.RegionKernelOp))


def planned(m: int, n: int, k: int, options: str = "arch=sm80") -> Schedule:
    pipeline = f"ptir-to-tiny,form-regions,plan-regions{{{options}}}"
    attribute = kernel(PassManager(pipeline).run(parse_text(gemm(m, n, k), make_context()))).plan
    assert attribute is not None
    return attribute.schedule()


def replanned(fields: dict[str, Any], options: str = "arch=sm80", then: str = "") -> ModuleOp:
    """A 128×64×64 GEMM whose kernel gets this plan by hand before `plan-regions` sees it."""
    module = PassManager("ptir-to-tiny,form-regions").run(parse_text(gemm(128, 64, 64), make_context()))
    kernel(module).plan = ScheduleAttr(msgspec.convert({**GOOD, "epilogue": ["tanh"], **fields}, Schedule))
    return PassManager(f"plan-regions{{{options}}}{then}").run(module)


@pytest.mark.parametrize("m", [1, 17, 128, 1797, 100000])
@pytest.mark.parametrize("n", [1, 10, 256, 4096])
@pytest.mark.parametrize("k", [1, 64, 768])
def test_plans_fit_the_machine(m: int, n: int, k: int):
    schedule = planned(m, n, k)
    assert shared_bytes(schedule) <= ARCHS["sm80"].shared_per_block
    assert registers(schedule.tile, schedule.warp) <= 255
    assert schedule.epilogue == ("tanh",)
    tails = {"m.i.i": m % schedule.tile[0], "n.i.i": n % schedule.tile[1], "k.i.i": k % schedule.tile[2]}
    assert set(schedule.predicate_tail) == {axis for axis, rest in tails.items() if rest}


def test_large_problems_get_large_tiles_and_small_ones_do_not():
    assert planned(8192, 8192, 1024).tile[:2] == (128, 128)
    assert planned(16, 16, 64).tile[:2] == (16, 16)
    assert planned(16, 16, 1).tile[2] == 16


def test_retreat_goes_down_the_ladder_to_its_end():
    seen: list[Schedule] = []
    with pytest.raises(NoPlanFits, match=r"no plan of @f_0 fits sm80: all \d+ plans were tried"):
        for step in range(1000):
            seen.append(planned(512, 512, 512, f"arch=sm80 retreat={step}"))
    assert len(set(map(str, seen))) == len(seen) >= len(CANDIDATES)
    assert [s.stages for s in seen[:3]] == [4, 3, 2]


def test_a_plan_that_stands_there_is_kept():
    module = replanned({"tile": [64, 64, 32], "warp_tile": "32x32"})
    attribute = kernel(module).plan
    assert attribute is not None and attribute.schedule().tile == (64, 64, 32)


def test_a_plan_for_another_machine_is_refused():
    with pytest.raises(PlanMismatch, match="the plan of @f_0 does not fit it: it is for sm90"):
        replanned({"arch": "sm90"})


def test_a_plan_too_large_for_shared_memory_is_refused():
    with pytest.raises(NoPlanFits, match="its ring takes 262144 bytes of shared memory, the limit is 166912"):
        replanned({"tile": [128, 128, 128], "warp_tile": "64x64", "stages": 4})


@pytest.mark.parametrize("arch", ["sm86", "sm89"])
def test_plans_keep_within_the_shared_memory_of_their_machine(arch: str):
    limit = ARCHS[arch].shared_per_block
    assert limit < ARCHS["sm80"].shared_per_block
    taken = [shared_bytes(planned(8192, 8192, 8192, f"arch={arch} retreat={step}")) for step in range(len(CANDIDATES))]
    assert max(taken) <= limit < shared_bytes(planned(8192, 8192, 8192, "arch=sm80"))


def test_an_unknown_machine_is_refused():
    with pytest.raises(InvalidAttributeValue, match="'arch' is 'sm70'"):
        planned(16, 16, 16, "arch=sm70")


def test_region_to_pto_wants_a_plan():
    with pytest.raises(PlanMissing, match="@f_0 has no plan"):
        PassManager("ptir-to-tiny,form-regions,region-to-pto").run(parse_text(gemm(16, 16, 16), make_context()))


def test_region_to_pto_wants_a_tile_of_the_right_rank():
    with pytest.raises(PlanMismatch, match=r"tile is \[8, 64\]"):
        replanned({"tile": [8, 64]}, then=",region-to-pto")


def test_region_to_pto_wants_true_labels():
    with pytest.raises(PlanMismatch, match=r"it labels the epilogue \['relu'\], the region computes \['tanh'\]"):
        replanned({"epilogue": ["relu"]}, then=",region-to-pto")
