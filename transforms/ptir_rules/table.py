"""The table of all rules of `ptir-canonicalize`: the algebraic rows by name, and the structural rules of each op in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

from xdsl.ir import Operation, SSAValue

from ...dialects import ptir
from ...dialects.ptir.control import CondOp, ScanOp, WhileOp
from ...dialects.ptir.elementwise import CastOp, ClampOp, CompareOp, SelectOp
from ...dialects.ptir.functions import IsFiniteOp
from . import broadcasts, concats, control, elementwise, reductions, reshapes, slices
from .exact import EXACT
from .inexact import INEXACT
from .terms import Kind, Rule
from .write import Writer

ROWS: Mapping[str, Rule] = MappingProxyType({rule.name: rule for rule in (*EXACT, *INEXACT)})

Structural = Callable[[Any, Writer], SSAValue | Sequence[SSAValue] | str]
"""A function that returns the replacement of an op's results, or the reason why the rule does not fire."""

ELEMENTWISE: tuple[type[Operation], ...] = (
    ptir.UnaryOp,
    ptir.BinaryOp,
    CompareOp,
    SelectOp,
    ClampOp,
    CastOp,
    IsFiniteOp,
)

STRUCTURAL: Mapping[type[Operation], tuple[Structural, ...]] = MappingProxyType(
    {
        ptir.BroadcastToOp: (
            broadcasts.drop_broadcast,
            broadcasts.merge_broadcasts,
            broadcasts.broadcast_of_reshape,
            broadcasts.broadcast_as_reshape,
        ),
        ptir.ReshapeOp: (reshapes.drop_reshape, reshapes.merge_reshapes),
        ptir.TransposeOp: (
            reshapes.drop_transpose,
            reshapes.merge_transposes,
            reshapes.transpose_as_reshape,
            reshapes.transpose_of_broadcast,
            reshapes.transpose_of_iota,
        ),
        ptir.SliceOp: (
            slices.drop_slice,
            slices.merge_slices,
            slices.slice_of_broadcast,
            slices.slice_of_transpose,
            slices.slice_of_concat,
            slices.slice_of_pad,
            slices.slice_of_iota,
        ),
        ptir.ConcatOp: (concats.simplify_concat,),
        ptir.PadOp: (concats.drop_pad, concats.merge_pads),
        ptir.TileOp: (broadcasts.tile_as_broadcast, concats.merge_tiles),
        ptir.DimCastOp: (reshapes.drop_dim_cast, reshapes.merge_dim_casts),
        ptir.CastOp: (elementwise.drop_cast, elementwise.merge_casts),
        ptir.CompareOp: (elementwise.compare_of_casts,),
        ptir.ReduceOp: (
            reductions.reduce_nothing,
            reductions.drop_unit_axes,
            reductions.merge_reduces,
            reductions.reduce_of_transpose,
            reductions.reduce_of_reshape,
            reductions.reduce_of_broadcast,
        ),
        ptir.DotGeneralOp: (reductions.absorb_transposes,),
        CondOp: (control.cond_of_constant, control.cond_without_choice),
        WhileOp: (control.while_that_never_runs,),
        ScanOp: (control.scan_without_steps,),
        ptir.TupleElementOp: (control.tuple_element_of_tuple,),
    }
)
"""The rules that are tried on each op; the first that fires is taken. `structural_rules` adds those of elementwise ops."""


@cache
def structural_rules(op: type[Operation]) -> tuple[Structural, ...]:
    more: list[Structural] = []
    if issubclass(op, ptir.BinaryOp | CompareOp):
        more.append(elementwise.constant_right)
    if issubclass(op, ELEMENTWISE):
        more.append(broadcasts.sink_broadcast)
    return (*STRUCTURAL.get(op, ()), *more)


def render() -> str:
    """Returns the table as text for the documentation, with a section for each group of rules."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    width = max(map(len, ROWS))
    for title, rules in (("Exact rows", EXACT), ("Rows that are off unless asked for", INEXACT)):
        yield f"{title}\n"
        for rule in rules:
            on = " ".join(kind.value for kind in Kind if kind in rule.kinds)
            yield f"{rule.name:{width}}  {on:26}  {rule}"
        yield ""
    yield "Structural rules\n"
    for op in (*STRUCTURAL, ptir.BinaryOp):
        name = op.name if op in STRUCTURAL else "other elementwise ops"
        names = [rule.__name__.replace("_", "-") for rule in structural_rules(op)]
        yield f"{name:{width}}  {', '.join(names)}"
