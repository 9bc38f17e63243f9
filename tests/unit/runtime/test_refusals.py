"""Input that a later level does not support is rejected, never ignored: edited tile programs, plan fields, aliased launches."""

from __future__ import annotations

import pytest
from xdsl.dialects.func import FuncOp

import ptir
from ptir.dialects.region import RegionKernelOp
from ptir.errors import PlanMismatch, PtirError, Unsupported
from ptir.planning.template import Request
from ptir.runtime.compile import keep_only
from ptir.text.verify import VerificationFailed
from ptir.transforms.plan_regions import plan_region

PROGRAM = """
func.func @f(%x: tensor<40x70xbf16>, %w: tensor<70x24xbf16>, %b: tensor<24xf32>) -> tensor<40x24xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
     : (tensor<40x70xbf16>, tensor<70x24xbf16>) -> tensor<40x24xf32>
  %1 = ptir.broadcast_to %b : tensor<24xf32> -> tensor<40x24xf32>
  %2 = ptir.add %0, %1 : tensor<40x24xf32>
  func.return %2 : tensor<40x24xf32>
}
"""
PLANNED = "ptir-to-tiny,form-regions,plan-regions{arch=sm80}"


def lowered(pipeline: str) -> str:
    return str(ptir.PassManager(pipeline).run(ptir.parse(PROGRAM)))


def edited(text: str, old: str, new: str) -> str:
    assert text.count(old) >= 1, old
    return text.replace(old, new, 1)


def line_with(text: str, piece: str) -> str:
    return next(line for line in text.splitlines() if piece in line) + "\n"


# --- tile programs ------------------------------------------------------------------------------


def tile_program() -> str:
    return lowered(PLANNED + ",region-to-pto")


def value_of(text: str, piece: str) -> str:
    """Returns the name of the value that the line with `piece` defines."""
    return line_with(text, piece).split("=")[0].strip()


def yields_the_old_accumulator(text: str) -> str:
    matmul = line_with(text, "matmul.acc")
    result, carried = value_of(text, "matmul.acc"), matmul.split("matmul.acc ")[1].split(",")[0]
    return edited(text, f"scf.yield {result} ", f"scf.yield {carried} ")


def accumulates_into_the_start(text: str) -> str:
    carried = line_with(text, "matmul.acc").split("matmul.acc ")[1].split(",")[0]
    return edited(text, f"matmul.acc {carried},", f"matmul.acc {value_of(text, 'pto.tile.expands 0.0')},")


def never_releases(text: str) -> str:
    return edited(text, line_with(text, "channel.release"), "")


def never_acquires(text: str) -> str:
    return edited(text, line_with(text, "channel.acquire"), "")


def reads_before_the_loop(text: str) -> str:
    result = line_with(text, "a2v").split("a2v ")[1].split(" ")[0]
    return edited(text, f"a2v {result} ", f"a2v {value_of(text, 'pto.tile.expands 0.0')} ")


def acquires_after_the_commit(text: str) -> str:
    acquire, commit = line_with(text, "channel.acquire"), line_with(text, "channel.commit")
    return edited(edited(text, acquire, ""), commit, commit + acquire)


@pytest.mark.parametrize(
    "edit",
    [
        yields_the_old_accumulator,
        accumulates_into_the_start,
        never_releases,
        never_acquires,
        reads_before_the_loop,
        acquires_after_the_commit,
    ],
)
def test_a_tile_program_with_another_data_flow_is_refused(edit) -> None:
    text = tile_program()
    ptir.PassManager("pto-to-nv").run(ptir.parse(text))
    with pytest.raises(Unsupported) as failure:
        ptir.PassManager("pto-to-nv").run(ptir.parse(edit(text)))
    assert failure.value.op is not None


# --- plans --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ('C_stride = "row"', 'C_stride = "column"', "layout_hints"),
        ("A_swizzle = true", "D_swizzle = true", "layout_hints"),
        ("A_swizzle = true", 'A_swizzle = "yes"', "layout_hints"),
        ('cache = [{tensor = "A"', 'cache = [{tensor = "Q"', "cache"),
        ("pingpong = true", "pingpong = false", "cache"),
        ('to = "add"', 'to = "relu"', "local_edges"),
        ('algo_choice = {matmul = "implicit_gemm"}', 'split = 9, algo_choice = {matmul = "splitk_serial"}', "split"),
        ('matmul = "implicit_gemm"', 'conv = "winograd_3x3"', "algo_choice"),
        ('n.i.o = "warp.x"', 'n.i.o = "warp.z"', "bind"),
        ('n.i.o = "warp.x"', 'n.i.o = "warp.x", z.o = "block.z"', "bind"),
        ('axis = "n.i.i"', 'axis = "m.i.i"', "vectorize"),
        ('"k.i.i"]', '"k.i.i", "z"]', "predicate_tail"),
        ('epilogue = ["add"]', 'epilogue = ["relu"]', "epilogue"),
    ],
)
def test_a_plan_that_asks_for_more_is_refused(old: str, new: str, field: str) -> None:
    text = lowered(PLANNED)
    with pytest.raises(PlanMismatch) as failure:
        ptir.PassManager("region-to-pto").run(ptir.parse(edited(text, old, new)))
    assert field in str(failure.value) or field in failure.value.help


@pytest.mark.parametrize("fallback", range(3))
def test_every_elementwise_plan_lowers(fallback: int) -> None:
    source = """
    func.func @f(%x: tensor<600x1600xf32>, %c: tensor<600x1xf32>) -> tensor<600x1600xf32> {
      %0 = ptir.broadcast_to %c : tensor<600x1xf32> -> tensor<600x1600xf32>
      %1 = ptir.add %x, %0 : tensor<600x1600xf32>
      func.return %1 : tensor<600x1600xf32>
    }"""
    module = ptir.PassManager("ptir-to-tiny,form-regions").run(ptir.parse(source))
    (kernel,) = [o for o in module.walk() if isinstance(o, RegionKernelOp)]
    plan_region(Request.of(kernel, "sm80"), fallback)
    ptir.PassManager("region-to-pto,pto-to-nv").run(module)


def test_a_negative_retreat_is_an_error() -> None:
    with pytest.raises(PtirError, match="fallback"):
        ptir.PassManager("ptir-to-tiny,form-regions,plan-regions{fallback=-1}").run(ptir.parse(PROGRAM))


# --- launches -----------------------------------------------------------------------------------

SQUARE = """
func.func @f(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = ptir.transpose %x [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  func.return %0 : tensor<8x8xf32>
}
"""


@pytest.mark.parametrize(
    ("pipeline", "old", "new"),
    [
        ("ptir-to-tiny,form-regions", "outs(%0 :", "outs(%x :"),
        (PLANNED + ",region-to-pto,pto-to-nv", "(%x, %0 :", "(%0, %0 :"),
    ],
)
def test_a_launch_that_reads_what_it_writes_does_not_verify(pipeline: str, old: str, new: str) -> None:
    text = str(ptir.PassManager(pipeline).run(ptir.parse(SQUARE)))
    with pytest.raises(VerificationFailed, match="writes a buffer that is also another of its operands"):
        ptir.PassManager([]).run(ptir.parse(edited(text, old, new)))


# --- calls --------------------------------------------------------------------------------------

CALLS = """
func.func @f(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.cond %p (%x) : (tensor<4xf32>) -> tensor<4xf32> then (%a) {
    %1 = func.call @g(%a) : (tensor<4xf32>) -> tensor<4xf32>
    ptir.yield %1 : tensor<4xf32>
  } else (%b) {
    ptir.yield %b : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> attributes {a = [{b = @k}]} {
  %0 = func.call @h(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @h(%x: tensor<4xf32>) -> tensor<4xf32> { func.return %x : tensor<4xf32> }
func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> { func.return %x : tensor<4xf32> }
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> { func.return %x : tensor<4xf32> }
"""


@pytest.mark.parametrize(("entry", "kept"), [("f", "fghk"), ("g", "ghk"), ("h", "h"), ("other", ["other"])])
def test_what_the_entry_reaches_is_kept(entry: str, kept: str):
    """Symbols are reached by calls, also in regions and from callees, and by attributes."""
    module = ptir.parse(CALLS)
    keep_only(module, entry)
    assert [o.sym_name.data for o in module.ops if isinstance(o, FuncOp)] == list(kept)
