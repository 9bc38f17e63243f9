"""The passes over a row that streams it: which sums are computed online, and which wait for a pass of their own."""

from __future__ import annotations

import pytest

import ptir
from ptir.analysis.index.book import index_book
from ptir.analysis.regions.passes import passes_of
from ptir.dialects import tiny
from ptir.dialects.region import RegionKernelOp
from ptir.passes.manager import PassManager

PROGRAM = """
func.func @f(%x: tensor<4x8x{type}>, %g: tensor<4x8xf32>, %p: tensor<4x8xi1>) -> tensor<4xf32> {{
  %wide = ptir.cast %x : tensor<4x8x{type}> -> tensor<4x8xf32>
  %m = ptir.reduce {fn} %{of} axes [{axis}] keepdims : {ofs} -> {kept}
  %c = ptir.cast %m : {kept} -> {keptf}
  %ms = ptir.broadcast_to %c : {keptf} -> tensor<4x8xf32>
  %zero = ptir.constant dense<0.0> : tensor<4x8xf32>
  %d = ptir.sub %{a}, %ms : tensor<4x8xf32>
  %e = ptir.exp %d : tensor<4x8xf32>
  {summand}
  %s = ptir.reduce sum %t axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  func.return %s : tensor<4xf32>
}}"""
F = "tensor<4x8xf32>"


def passes(
    summand: str, *, fn: str = "max", of: str = "wide", a: str = "wide", type: str = "bf16"
) -> list[tuple[str, int, bool]]:
    """Returns the function, the pass and whether it is online of each reduction of the last kernel."""
    kept = f"tensor<4x1x{type}>" if of == "x" else "tensor<4x1xf32>"
    source = PROGRAM.format(
        type=type, fn=fn, of=of, a=a, axis=1, kept=kept, keptf="tensor<4x1xf32>",
        ofs=f"tensor<4x8x{type}>" if of == "x" else F, summand=summand,
    )  # fmt: skip
    module = PassManager("ptir-to-tiny,form-regions").run(ptir.parse(source))
    (kernel,) = (op for op in module.ops if isinstance(op, RegionKernelOp))
    found = passes_of(kernel, index_book(kernel))
    ops = [op for op in kernel.body.walk() if isinstance(op, tiny.ReduceOp)]
    return [(op.fn.data, found.of[op], op in found.online) for op in ops]


ONLINE = [("max", 0, False), ("sum", 0, True)]
LATER = [("max", 0, False), ("sum", 1, False)]


@pytest.mark.parametrize(
    "summand",
    [
        f"%t = ptir.mul %e, %g : {F}",
        f"%t = ptir.mul %g, %e : {F}",
        f"%t = ptir.div %e, %g : {F}",
        f"%n = ptir.neg %e : {F}\n  %t = ptir.mul %n, %wide : {F}",
        f"%t = ptir.select %p, %e, %zero : tensor<4x8xi1>, {F}",
    ],
)
def test_multiples_of_the_exponential_are_online(summand: str):
    assert passes(summand) == ONLINE


def test_exponentials_with_a_scale_are_online():
    source = PROGRAM.format(
        type="bf16", fn="max", of="wide", a="wide", axis=1, kept="tensor<4x1xf32>", keptf="tensor<4x1xf32>", ofs=F,
        summand=f"%t = ptir.mul %e, %g : {F}",
    )  # fmt: skip
    module = PassManager("ptir-to-tiny,tiny-fast-math,form-regions").run(ptir.parse(source))
    (kernel,) = (op for op in module.ops if isinstance(op, RegionKernelOp))
    (online,) = passes_of(kernel, index_book(kernel)).online.values()
    assert (online.exponential, round(online.scale, 4)) == ("exp2", 1.4427)


def test_a_maximum_of_the_narrower_type_is_the_same():
    assert passes(f"%t = ptir.mul %e, %g : {F}", of="x") == ONLINE


@pytest.mark.parametrize(
    "summand",
    [
        f"%t = ptir.add %e, %g : {F}",  # not a multiple
        f"%t = ptir.mul %e, %e : {F}",  # a square
        f"%t = ptir.mul %e, %d : {F}",  # the factor depends on the maximum
        f"%t = ptir.div %g, %e : {F}",  # an inverse
        f"%t = ptir.select %p, %e, %g : tensor<4x8xi1>, {F}",  # not zero elsewhere
        f"%q = ptir.compare lt %d, %g : {F} -> tensor<4x8xi1>\n  %t = ptir.select %q, %e, %zero : tensor<4x8xi1>, {F}",
        f"%t = ptir.mul %d, %g : {F}",  # no exponential
        f"%h = ptir.cast %e : {F} -> tensor<4x8xf16>\n  %t = ptir.cast %h : tensor<4x8xf16> -> {F}",  # rounded
    ],
)
def test_what_is_no_multiple_waits_for_the_maximum(summand: str):
    assert passes(summand) == LATER


def test_another_reduction_or_another_value_is_no_pivot():
    summand = f"%t = ptir.mul %e, %g : {F}"
    assert passes(summand, fn="sum") == [("sum", 0, False), ("sum", 1, False)]
    assert passes(summand, a="g") == LATER
