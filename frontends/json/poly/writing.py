"""Writes a `poly.view` as JSON."""

from __future__ import annotations

from typing import Any, cast

import msgspec
from msgspec import UNSET
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation

from ....dialects import poly
from ....dialects.ptir.scalars import ScalarAttr
from ..common.errors import NotInTheForm
from ..common.layout import format_program
from ..common.writing import require_none
from ..tiny.values import write_number
from .bounds import bounds
from .view import Access, Block, Dependences, Edge, Pattern, PolyView, View

FORM = "Poly-View JSON"


def export_json(module: ModuleOp) -> str:
    """
    Returns the only `poly.view` of a verified module in JSON, with one line for each block and each edge.

    Raises `NotInTheForm` for a module with no view or several, and for a view that the form cannot express.
    """
    views = [op for op in module.ops if isinstance(op, poly.ViewOp)]
    if len(views) != 1:
        at = views[1] if views else module
        what = f"a module of {len(views)} views" if views else "a module without a view"
        raise _refused(at, what, "keep one function" if views else "run build-poly-view first")
    return format_program(PolyView(_view(views[0])), {"poly_view": {"blocks": {}, "edges": {}}})


def _view(view: poly.ViewOp) -> View:
    require_none(view, "the attribute", view.attributes, FORM)
    for op in view.body.block.ops:
        require_none(op, "the attribute", op.attributes, FORM)
    return View(view.function.data, [_block(op) for op in view.blocks.values()], [_edge(op) for op in view.edges])


def _block(op: poly.BlockOp) -> Block:
    import islpy as isl

    domain = op.domain.source.data
    try:
        found, is_all = bounds(domain)
    except isl.Error:
        raise _refused(op, f"the domain {domain}", "give each axis a lower and an upper bound") from None
    return Block(
        name=op.sym_name.data,
        kind=cast(Any, op.kind.data),
        domain=found,
        accesses=_accesses(op),
        attrs=UNSET if op.pattern is None else _pattern(op, op.pattern),
        reduces=UNSET if op.reduces is None else [axis.data for axis in op.reduces],
        set=UNSET if is_all else domain,
    )


def _accesses(op: poly.BlockOp) -> list[Access]:
    accesses = [Access(t.data, m.source.data) for t, m in zip(op.tensors, op.maps, strict=True)]
    for access, guard in zip(accesses, op.guards or (), strict=False):
        if not isinstance(guard, poly.GuardAttr):
            continue
        if not isinstance(guard.fill, ScalarAttr):
            raise _refused(op, f"the fill {guard.fill}", "a fill is a scalar")
        access.guard, access.fill = guard.source.data, write_number(guard.fill)
    return accesses


def _pattern(op: poly.BlockOp, pattern: DictionaryAttr) -> Pattern:
    fields: dict[str, Any] = {"affine_offsets": {}, **{name: _field(op, value) for name, value in pattern.data.items()}}
    try:
        return msgspec.convert(fields, Pattern)
    except msgspec.ValidationError as e:
        raise _refused(op, f"a pattern of another form ({e})", "run build-poly-view again") from None


def _field(op: Operation, value: Attribute) -> Any:
    match value:
        case StringAttr():
            return value.data
        case IntegerAttr():
            return value.value.data
        case poly.MapAttr():
            return value.source.data
        case ArrayAttr():
            return [_field(op, item) for item in value]
        case DictionaryAttr():
            return {name: _field(op, item) for name, item in value.data.items()}
        case _:
            raise _refused(op, f"{value} in a pattern", "a pattern has words, numbers and maps")


def _edge(op: poly.EdgeOp) -> Edge:
    return Edge(op.source.data, op.target.data, Dependences(**op.dependences()))


def _refused(op: Operation, what: str, help: str) -> NotInTheForm:
    return NotInTheForm(op, form=FORM, what=what, help=help)
