"""Each field of a plan either changes the kernel, but not its results, or is rejected with an error that names it."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ml_dtypes import bfloat16
from xdsl.dialects.builtin import ModuleOp

from ptir.backends.cuda.emit import emit_cuda
from ptir.dialects import pto
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Schedule
from ptir.dialects.region import RegionKernelOp
from ptir.errors import NoPlanFits, PlanMismatch, PtirError, Unsupported
from ptir.passes.environment import make_context
from ptir.passes.manager import PassManager
from ptir.planning.planner import Planner
from ptir.planning.template import Request
from ptir.semantics.interpreter import call
from ptir.text.parsing import parse_text

from ..builders.amount import examples
from .test_multistage import KINDS, gemm, kernel_of, planned, regions

M, N, K = 70, 64, 96
PROGRAM = f"""
func.func @f(%x: tensor<{M}x{K}xbf16>, %w: tensor<{K}x{N}xbf16>) -> tensor<{M}x{N}xf32> {{
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<{M}x{K}xbf16>, tensor<{K}x{N}xbf16>) -> tensor<{M}x{N}xf32>
  %1 = ptir.abs %0 : tensor<{M}x{N}xf32>
  func.return %1 : tensor<{M}x{N}xf32>
}}"""
EDGES = [{"from": x, "to": "sum", "depth": 2} for x in "AB"]
PLAN: dict[str, Any] = {
    "arch": "sm80",
    "tile": [32, 32, 32],
    "stages": 3,
    "warp_tile": "16x16",
    "cache": [{"tensor": "A"}, {"tensor": "B"}],
    "vectorize": {"axis": "n.i.i", "width": 4},
    "predicate_tail": ["m.i.i"],
    "epilogue": ["abs"],
}
REGION = regions(PROGRAM)


def with_plan(fields: dict[str, Any], module: ModuleOp = REGION) -> ModuleOp:
    """Returns a copy of the region with this plan. Raises `msgspec.ValidationError` if the schema rejects it."""
    copy = module.clone()
    kernel_of(copy).plan = ScheduleAttr(msgspec.convert(fields, Schedule))
    return copy


def tile_program(fields: dict[str, Any], module: ModuleOp = REGION) -> ModuleOp:
    return PassManager("region-to-pto").run(with_plan(fields, module))


def integers(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(sum(shape)).integers(-8, 9, shape).astype(bfloat16)


X, W = integers(M, K), integers(K, N)
WANT = np.abs(X.astype(np.float64) @ W.astype(np.float64)).astype(np.float32)


# --- honoured -----------------------------------------------------------------------------------

HONOURED: dict[str, dict[str, Any]] = {
    "tile, m": {"tile": [64, 32, 32]},
    "tile, n": {"tile": [32, 16, 32]},
    "tile, k": {"tile": [32, 32, 16]},
    "stages": {"stages": 5},
    "warp_tile": {"warp_tile": "16x32"},
    "warp_tile of one instruction": {"warp_tile": "16x8"},
    "split, serial": {"split": 3, "algo_choice": {"matmul": "splitk_serial"}},
    "split, parallel": {"split": 3, "algo_choice": {"matmul": "splitk_parallel"}},
    "split, more": {"split": 2, "algo_choice": {"matmul": "splitk_parallel"}},
    "blocks": {"bind": {"m.o": "block.x", "n.o": "block.y"}},
    "warps": {"bind": {"m.i.o": "warp.x", "n.i.o": "warp.y"}},
    "vectorize": {"vectorize": {"axis": "n.i.i", "width": 2}},
    "guard on n": {"predicate_tail": ["m.i.i", "n.i.i"]},
    "guard on k": {"predicate_tail": ["k.i.i", "m.i.i"]},
    "A_swizzle": {"layout_hints": {"A_swizzle": False}},
    "B_swizzle": {"layout_hints": {"B_swizzle": False}},
    "C_stride": {"layout_hints": {"C_stride": "col"}, "vectorize": {"axis": "m.i.i", "width": 4}},
    "local_edges": {"local_edges": EDGES},
}


def cuda(fields: dict[str, Any]) -> str:
    return emit_cuda(PassManager("pto-to-nv").run(tile_program(fields))).text


@pytest.fixture(scope="module")
def before() -> str:
    return cuda(PLAN)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("change", HONOURED.values(), ids=HONOURED)
def test_a_field_changes_the_kernel(change: dict[str, Any], before: str):
    assert cuda(PLAN | change) != before


@pytest.mark.parametrize("change", HONOURED.values(), ids=HONOURED)
def test_and_not_the_results(change: dict[str, Any]):
    (got,) = call(tile_program(PLAN | change), "f", X, W)
    np.testing.assert_array_equal(got, WANT)


SAME: dict[str, dict[str, Any]] = {
    "what is said by default": {
        "bind": {"m.o": "block.y", "n.o": "block.x", "m.i.o": "warp.y", "n.i.o": "warp.x"},
        "layout_hints": {"A_swizzle": True, "B_swizzle": True, "C_stride": "row"},
        "algo_choice": {"matmul": "implicit_gemm"},
        "local_edges": [{"from": "sum", "to": "abs"}],
    },
    "the order of a set": {"cache": [{"tensor": "B"}, {"tensor": "A"}]},
}


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_saying_the_default_changes_nothing(change: dict[str, Any], before: str):
    assert cuda(PLAN | change) == before


def test_all_fields_at_once():
    change = {
        "tile": [64, 16, 16],
        "warp_tile": "16x16",
        "stages": 4,
        "split": 6,
        "algo_choice": {"matmul": "splitk_parallel"},
        "bind": {"m.o": "block.x", "n.o": "block.y", "m.i.o": "warp.x", "n.i.o": "warp.y"},
        "predicate_tail": ["m.i.i", "n.i.i", "k.i.i"],
        "layout_hints": {"A_swizzle": False, "B_swizzle": False, "C_stride": "col"},
        "vectorize": {"axis": "m.i.i", "width": 1},
        "local_edges": [{"from": "sum", "to": "abs"}],
    }
    (got,) = call(tile_program(PLAN | change), "f", X, W)
    np.testing.assert_array_equal(got, WANT)


# --- refused ------------------------------------------------------------------------------------

REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"warp_tile": "8x16"}, "warp_tile 8x16 is not made of m16n8k16", "a multiple of 16x8"),
    (
        {"warp_tile": "16x8", "layout_hints": {"C_stride": "col"}, "vectorize": {"axis": "m.i.i", "width": 4}},
        "warp_tile 16x8 is not made of m16n8k16",
        "a multiple of 8x16, as C_stride is col",
    ),
    ({"tile": [32, 32, 8]}, "tile has BK = 8, but m16n8k16 takes 16", "a multiple of 16"),
    ({"tile": [32, 32, 48]}, "BK = 48, which makes rows of 96 bytes of A", "a power of two, and at least 8"),
    (
        {"tile": [32, 48, 32], "predicate_tail": ["m.i.i", "n.i.i"]},
        "BN = 48, which makes rows of 96 bytes of B",
        "a power of two, and at least 8",
    ),
    (
        {"split": 5, "algo_choice": {"matmul": "splitk_serial"}},
        "split is 5, but 3 steps of BK = 32 can fill only 3 equal parts",
        "split must be 3",
    ),
    ({"algo_choice": {"conv": "implicit_gemm"}}, "algo_choice has conv, but the region has none", "must not have conv"),
    (
        {"algo_choice": {"conv": "winograd_3x3"}},
        'algo_choice has conv = "winograd_3x3", which no kernel computes alone',
        "run tiny-choose-convolutions before form-regions",
    ),
    ({"cache": []}, "cache has a value", "A and B in smem"),
    ({"cache": [{"tensor": "A"}]}, "cache has a value", "A and B in smem"),
    ({"cache": [{"tensor": "A"}, {"tensor": "A"}]}, "cache has a value", "A and B in smem"),
    ({"cache": [{"tensor": "A"}, {"tensor": "B"}, {"tensor": "B"}]}, "cache has a value", "A and B in smem"),
    ({"cache": [{"tensor": "A"}, {"tensor": "B", "pingpong": False}]}, "cache has a value", "with pingpong"),
    ({"cache": [{"tensor": "A"}, {"tensor": "B", "at": "m.i"}]}, "cache has a value", "at k.i"),
    ({"vectorize": {"axis": "m.i.i", "width": 4}}, "vectorize has a value", 'axis = "n.i.i"'),
    ({"layout_hints": {"C_stride": "col"}}, "vectorize has a value", 'axis = "m.i.i"'),
    ({"predicate_tail": []}, "predicate_tail has a value", "and must have m.i.i, which"),
    ({"predicate_tail": ["n.i.i"]}, "predicate_tail has a value", "and must have m.i.i, which"),
    ({"predicate_tail": ["m.i.i", "z"]}, "predicate_tail has a value", "may have m.i.i, n.i.i, k.i.i"),
    ({"epilogue": ["relu"]}, r"epilogue \['relu'\], but the region computes \['abs'\]", "the region decides"),
    ({"layout_hints": {"C_stride": "column"}}, "layout_hints has a value", '"row" or "col"'),
    ({"layout_hints": {"C_stride": True}}, "layout_hints has a value", '"row" or "col"'),
    ({"layout_hints": {"A_swizzle": "yes"}}, "layout_hints has a value", "true or false"),
    ({"layout_hints": {"D_swizzle": True}}, "layout_hints has a value", "A_swizzle and B_swizzle"),
    ({"bind": {"m.o": "block.x"}}, "bind has a value", "one on each"),
    ({"bind": {"m.o": "block.z", "n.o": "block.x"}}, "bind has a value", "block.x and block.y"),
    ({"bind": {"m.i.o": "warp.x"}}, "bind has a value", "one on each"),
    ({"bind": {"n.i.o": "warp.z"}}, "bind has a value", "warp.x and warp.y"),
    ({"bind": {"z.o": "block.z"}}, "bind has a value", "m.o and n.o"),
    ({"local_edges": EDGES[:1]}, "local_edges has a value", "both or neither"),
    ({"local_edges": [{**e, "depth": 3} for e in EDGES]}, "local_edges has a value", "with depth 2"),
    ({"local_edges": [{**e, "buffer": "smem_ring"} for e in EDGES]}, "local_edges has a value", "in reg"),
    ({"local_edges": [*EDGES, EDGES[0]]}, "local_edges has a value", "both or neither"),
    ({"local_edges": EDGES, "tile": [32, 32, 16]}, "local_edges has a value", "BK = 16 is an odd number of steps"),
    ({"local_edges": [{"from": "sum", "to": "relu"}]}, "local_edges has a value", "from sum to abs in reg"),
    (
        {"local_edges": [{"from": "sum", "to": "abs", "buffer": "gmem"}]},
        "local_edges has a value",
        "from sum to abs in reg",
    ),
    ({"local_edges": [{"from": "sum", "to": "abs", "depth": 2}]}, "local_edges has a value", "from sum to abs in reg"),
]


@pytest.mark.parametrize(("change", "problem", "want"), REFUSED, ids=[str(r[0])[:60] for r in REFUSED])
@pytest.mark.parametrize("pipeline", ["plan-regions{arch=sm80}", "region-to-pto"])
def test_what_the_lowering_cannot_honour_is_refused_by_name(
    change: dict[str, Any], problem: str, want: str, pipeline: str
):
    with pytest.raises(PlanMismatch, match=problem) as failure:
        PassManager(pipeline).run(with_plan(PLAN | change))
    assert failure.value.code == "PTIR0302" and isinstance(failure.value.op, RegionKernelOp)
    assert re.search(want, failure.value.help), failure.value.help


def test_without_an_epilogue_there_is_no_edge_from_the_sum():
    module = regions(gemm(M, N, K, KINDS["i8"]))
    plan = PLAN | {"epilogue": [], "tile": [32, 32, 64]} | {"predicate_tail": ["m.i.i", "k.i.i"]}
    tile_program(plan, module)
    with pytest.raises(PlanMismatch) as failure:
        tile_program(plan | {"local_edges": [{"from": "sum", "to": "abs"}]}, module)
    assert "none from sum, as there is no epilogue," in failure.value.help


def test_a_row_of_shared_memory_holds_a_whole_chunk():
    module = regions(gemm(M, N, K, KINDS["i8"]))
    plan = PLAN | {"epilogue": [], "tile": [32, 8, 32], "warp_tile": "16x8"}
    with pytest.raises(PlanMismatch, match="tile has BN = 8, which makes rows of 8 bytes of B") as failure:
        tile_program(plan, module)
    assert "a power of two, and at least 16" in failure.value.help


ELEMENTWISE = """
func.func @f(%x: tensor<6x16xf32>, %c: tensor<6x1xf32>) -> tensor<6x16xf32> {
  %0 = ptir.broadcast_to %c : tensor<6x1xf32> -> tensor<6x16xf32>
  %1 = ptir.add %x, %0 : tensor<6x16xf32>
  func.return %1 : tensor<6x16xf32>
}"""
FLAT: dict[str, Any] = {
    "arch": "sm80",
    "tile": [2, 16],
    "vectorize": {"axis": "n.i.i", "width": 4},
    "epilogue": ["add"],
}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("algo_choice", {"matmul": "implicit_gemm"}),
        ("cache", [{"tensor": "A"}]),
        ("layout_hints", {"A_swizzle": True}),
        ("local_edges", [{"from": "sum", "to": "add"}]),
        ("bind", {"m.i.o": "warp.y"}),
        ("predicate_tail", ["k.i.i"]),
        ("tile", [4, 16]),
    ],
)
def test_a_plan_without_a_contraction_asks_for_nothing_of_one(field: str, value: Any):
    module = regions(ELEMENTWISE)
    tile_program(FLAT, module)
    with pytest.raises(PlanMismatch) as failure:
        tile_program(FLAT | {field: value}, module)
    assert (field if field != "tile" else "predicate_tail") in str(failure.value)


def test_a_plan_is_legal_in_its_own_space():
    """The results of a kernel of rows are one row of 60 elements: a tile of two rows has a tail, although it divides 60 rows."""
    reduce = "ptir.reduce sum %x axes [1] : tensor<60x64xf32> -> tensor<60xf32>"
    rows = f"func.func @f(%x: tensor<60x64xf32>) -> tensor<60xf32> {{ %0 = {reduce} func.return %0 : tensor<60xf32> }}"
    kernel = kernel_of(regions(rows))
    planner = Planner(Request.of(kernel, "sm80"))
    alone = {"arch": "sm80", "tile": [2, 60], "vectorize": {"axis": "n.i.i", "width": 1}}
    for tail in ([], ["m.i.i"]):
        plan = msgspec.convert({**alone, "predicate_tail": tail}, Schedule)
        assert planner.accepts(plan) == bool(tail)
        kernel.plan = ScheduleAttr(plan)
        assert Planner(Request.of(kernel, "sm80")).accepts(plan) == bool(tail)
        kernel.plan = None


def test_a_tile_of_three_axes_needs_a_contraction():
    with pytest.raises(PlanMismatch, match=r"tile is \[32, 32, 32\]") as failure:
        tile_program(PLAN, regions(ELEMENTWISE))
    assert failure.value.help == "this region has no contraction: it needs tile = [BM, BN]"


@pytest.mark.campaign
@pytest.mark.sampled(1)
def test_a_tile_of_two_axes_contracts_in_a_loop():
    flat = FLAT | {"tile": [4, 32], "epilogue": ["abs"], "predicate_tail": ["m.i.i"]}
    module = tile_program(flat)
    assert not any(isinstance(op, pto.MatmulAccOp | pto.ChannelOp) for op in module.walk())
    (got,) = call(module, "f", X, W)
    np.testing.assert_array_equal(got, WANT)
    with pytest.raises(PlanMismatch, match="predicate_tail has a value"):
        tile_program(flat | {"predicate_tail": ["m.i.i", "k.i.i"]})


def test_types_that_nothing_multiplies_take_a_tile_of_two_axes():
    text = """
func.func @f(%x: tensor<16x16xi16>, %w: tensor<16x16xi16>) -> tensor<16x16xi32> {
  %a = ptir.cast %x : tensor<16x16xi16> -> tensor<16x16xi32>
  %b = ptir.cast %w : tensor<16x16xi16> -> tensor<16x16xi32>
  %0 = ptir.dot_general %a, %b contract [1] x [0] accum i32 out i32 : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi32>
  func.return %0 : tensor<16x16xi32>
}"""
    module = regions(text)
    assert len(planned(text).tile) == 2
    with pytest.raises(Unsupported, match="a contraction of i16 and i16 into i32") as failure:
        tile_program(PLAN | {"epilogue": [], "predicate_tail": ["m.i.i", "n.i.i", "k.i.i"]}, module)
    assert failure.value.op is not None and failure.value.op.name == "tiny.reduce"


def test_rows_along_m_and_n_leave_bk_free():
    """x is stored k x m, so no row of shared memory lies along k: BK need not be a power of two."""
    text = (
        PROGRAM.replace(f"%x: tensor<{M}x{K}xbf16>", f"%x: tensor<{K}x{M}xbf16>")
        .replace("%0 = ptir.dot_general %x, %w contract [1] x [0]", "%0 = ptir.dot_general %x, %w contract [0] x [0]")
        .replace(f"(tensor<{M}x{K}xbf16>", f"(tensor<{K}x{M}xbf16>")
    )
    module = PassManager("ptir-to-tiny,form-regions").run(parse_text(text, make_context()))
    tile_program(PLAN | {"tile": [32, 32, 48]}, module)
    with pytest.raises(PlanMismatch, match="BM = 48, which makes rows of 96 bytes of A"):
        tile_program(PLAN | {"tile": [48, 32, 32]}, module)


# --- at random ----------------------------------------------------------------------------------

POOL: dict[str, list[Any]] = {
    "arch": ["sm80", "sm89"],
    "tile": [[a, b, c] for a in (8, 16, 32, 64, 256) for b in (8, 24, 64, 256) for c in (4, 16, 32, 64, 256)],
    "stages": [2, 4, 8],
    "warp_tile": ["8x8", "16x8", "16x24", "32x32", "64x64"],
    "split": [1, 2, 3, 6, 64],
    "bind": [{}, {"m.o": "block.x", "n.o": "block.y"}, {"m.i.o": "warp.x", "n.i.o": "warp.y"}, {"m.o": "block.z"}],
    "cache": [[], PLAN["cache"], PLAN["cache"][::-1], [{"tensor": "A", "pingpong": False}, {"tensor": "B"}]],
    "vectorize": [{"axis": a, "width": w} for a in ("m.i.i", "n.i.i", "x") for w in (1, 8, 16)],
    "predicate_tail": [[], ["m.i.i"], ["m.i.i", "n.i.i", "k.i.i"], ["n.i.i", "k.i.i"], ["z"]],
    "epilogue": [["abs"], [], ["abs", "abs"]],
    "layout_hints": [{}, {"C_stride": "col"}, {"A_swizzle": False, "B_swizzle": True}, {"C_stride": "diagonal"}],
    "algo_choice": [{}, {"matmul": "splitk_serial"}, {"matmul": "splitk_parallel"}, {"attention": "online_softmax"}],
    "local_edges": [[], EDGES, EDGES[:1], [{"from": "sum", "to": "abs"}], [*EDGES, {"from": "sum", "to": "abs"}]],
}


NUMBERS = {
    "arch": ("it is for sm89",),
    "tile": ("BK", "BM", "BN", "threads", "ring", "warp_tile"),
    "warp_tile": ("registers", "threads"),
    "stages": ("ring",),
    "layout_hints": ("C_stride",),
    "local_edges": ("registers",),
}
"""For each field, other names by which an error may refer to it."""


@settings(max_examples=examples(40))
@given(data=st.data())
def test_whatever_a_plan_says_is_honoured_or_refused_by_name(data: st.DataObject):
    fields = data.draw(st.lists(st.sampled_from(sorted(POOL)), max_size=5, unique=True))
    change = {field: data.draw(st.sampled_from(POOL[field])) for field in fields}
    tail = ["m.i.i", "n.i.i", "k.i.i"]
    merged = PLAN | {"predicate_tail": tail} | change
    try:
        module = with_plan(merged)
        PassManager("plan-regions{arch=sm80}").run(module)
    except (msgspec.ValidationError, PtirError) as refusal:
        said = f"{refusal} {getattr(refusal, 'help', '')}"
        assert isinstance(refusal, msgspec.ValidationError | PlanMismatch | NoPlanFits)
        assert any(word in said for field in fields for word in (field, *NUMBERS.get(field, ()))), said
        return
    (got,) = call(PassManager("region-to-pto").run(module), "f", X, W)
    np.testing.assert_array_equal(got, WANT)
