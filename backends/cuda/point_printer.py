"""Prints the ops of an epilogue's body that depend on the element's point."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation

from ...dialects import nv
from ...dialects.common.shapes import memref_of
from ...dialects.common.syntax import ints
from .address import condition_tree, syntax_tree
from .kernel_text import prints
from .scalar_printer import ScalarPrinter
from .scalars import DECLARED, NARROW


class PointPrinter(ScalarPrinter):
    """Prints the ops of `dialects/nv/points.py`; `point` is the row and column of the element being printed."""

    point: tuple[str, str]

    def uses_point(self, op: nv.ElementsOp) -> bool:
        """Returns whether an epilogue uses the row and column of its elements."""
        return bool(op.ins or op.outs or any(isinstance(o, nv.PointOp) for o in op.body.walk()))

    @prints
    def element_point(self, op: nv.PointOp) -> None:
        for result, text in zip(op.results, self.point, strict=True):
            if text.isidentifier():
                self.names[result] = text
            else:
                self.index(result, text, "int")

    @prints
    def inside(self, op: nv.InsideOp) -> None:
        points = {k: self.name(i) for k, i in enumerate(op.indices)}
        self.index(op.result, self.condition(op.where.source.data, points, ints(op.bounds), op), "bool")

    def condition(self, where: str, points: dict[int, str], bounds: Sequence[int], op: Operation) -> str:
        """Returns the C condition that a point of the box lies in a set."""
        text = self.expression(condition_tree(where, bounds, op), [points[k] for k in range(len(bounds))], bounds)
        return f"({text})" if "||" in text else text

    @prints
    def index_cast(self, op: arith.IndexCastOp) -> None:
        self.index(op.result, f"(int){self.name(op.input)}", "int")

    @prints
    def report(self, op: nv.ReportOp) -> None:
        self.names[op.result] = self.name(op.value)
        call = self.call("report", self.name(op.status), str(op.number.value.data))
        self.line(f"if ({self.name(op.failed)}) {call};")

    @prints
    def affine(self, op: nv.AffineOp) -> None:
        self.scalar(op, self.at_indices(op, op.map.source.data))

    @prints
    def load_element(self, op: nv.LdGlobalOp) -> None:
        dtype = self.ctype(memref_of(op.memref).element_type, op)
        element = f"{self.name(op.memref)}[{self.at_indices(op, op.at.source.data)}]"
        if op.predicate is not None:
            element = f"{self.name(op.predicate)} ? {element} : {dtype + '{}' if dtype in DECLARED else 0}"
        if dtype in NARROW:
            self.declare_raw(op.result, element, op)
        else:
            self.line(f"const {self.variable_type(op.result.type, op)} {self.name(op.result)} = {element};")

    def at_indices(self, op: nv.AffineOp | nv.LdGlobalOp, source: str) -> str:
        """Returns the expression of a map at the op's indices."""
        bounds = ints(op.bounds)
        return self.expression(syntax_tree(source, bounds, op), [self.name(i) for i in op.indices], bounds)
