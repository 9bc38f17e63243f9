"""Prints the ops of an epilogue's body that depend on the element's point."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr

from ...dialects import nv
from ...dialects.common.shapes import memref_of
from ...dialects.common.syntax import ints
from .address import syntax_tree
from .kernel_text import prints
from .scalar_printer import ScalarPrinter
from .scalars import DECLARED, NARROW


class PointPrinter(ScalarPrinter):
    """Prints the ops of `dialects/nv/points.py`; `point` is the row and column of the element being printed."""

    point: tuple[str, str]
    vectors: dict[nv.LdGlobalOp, str]
    """The registers of the vector of each load that moves several elements."""
    vector: tuple[str, int]
    """The column of the first element of the vector that is being printed, and the number of its elements."""

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

    def compared(self, op: arith.CmpiOp) -> str:
        """
        Returns the index that a comparison compares. If vectors divide the bound of a column, all elements of a vector are inside or
        none, which ptxas does not find out: the index is the column of the vector's first element.
        """
        point, bound = op.lhs.owner, op.rhs.owner
        if isinstance(point, nv.PointOp) and op.lhs is point.column and isinstance(bound, arith.ConstantOp):
            first, size = self.vector
            is_below = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data] == "ult"
            if is_below and isinstance(bound.value, IntegerAttr) and bound.value.value.data % size == 0:
                return first
        return self.name(op.lhs)

    @prints
    def exchange_rows(self, op: nv.ExchangeRowsOp) -> None:
        word = self.variable_type(op.result.type, op)
        self.line(
            f"const {word} {self.name(op.result)} = __shfl_xor_sync(0xffffffff, {self.name(op.value)}, {op.lanes});"
        )

    @prints
    def inside(self, op: nv.InsideOp) -> None:
        points = {k: self.name(i) for k, i in enumerate(op.indices)}
        self.index(op.result, self.condition(op.where.source.data, points, ints(op.bounds), op), "bool")

    @prints
    def index_cast(self, op: arith.IndexCastOp) -> None:
        word = self.variable_type(op.result.type, op)
        self.index(op.result, f"({word}){self.name(op.input)}", word)

    @prints
    def report(self, op: nv.ReportOp) -> None:
        self.names[op.result] = self.name(op.value)
        call = self.call("report", self.name(op.status), str(op.number.value.data))
        first = "" if op.width is None else f"v % {op.width.value.data} == 0 && "
        self.line(f"if ({first}{self.name(op.failed)}) {call};")

    @prints
    def update(self, op: nv.RedGlobalOp) -> None:
        dtype = self.ctype(memref_of(op.memref).element_type, op)
        word = (
            {"int": "s32", "long long": "s64"}.get(dtype, dtype)
            if op.kind.data != "add"
            else self.word(op.value.type, op)
        )
        function = f"red_{op.kind.data}_{word}" + "_combined" * (op.combined is not None)
        at = self.at_indices(op, op.at.source.data)
        call = self.call(function, f"{self.name(op.memref)}", at, self.name(op.value))
        self.line(f"if ({self.name(op.predicate)}) {call};" if op.predicate is not None else f"{call};")

    @prints
    def affine(self, op: nv.AffineOp) -> None:
        self.scalar(op, self.at_indices(op, op.map.source.data))

    def declare_vectors(self, op: nv.ElementsOp) -> None:
        """Declares the registers of the vectors that loads in the body fill, before the loop over the elements of a vector."""
        self.vectors = {}
        for load in op.body.block.ops:
            if isinstance(load, nv.LdGlobalOp) and load.width is not None:
                dtype, width = self.word(load.result.type, op), load.width.value.data
                name = self.vectors[load] = self.fresh(f"{self.name(load.memref)}_vector")
                self.line(f"__align__(16) {dtype} {name}[{width}];")

    def load_vector(self, op: nv.LdGlobalOp, width: int) -> None:
        """Prints the load of a vector, at its first element, and takes the current element."""
        held, dtype, bounds = self.vectors[op], self.word(op.result.type, op), ints(op.bounds)
        column = next(k for k, i in enumerate(op.indices) if isinstance(i.owner, nv.PointOp) and i is i.owner.column)
        self.require_contiguous(op.at.source.data, bounds, column, width)
        kind = self.vector_type(dtype, width)
        place = self.pointer(op.memref, op.at.source.data, dict(enumerate(map(self.name, op.indices))), bounds)
        element = f"*(const {kind}*)({place})"
        if op.predicate is not None:
            element = f"{self.name(op.predicate)} ? {element} : {kind}{{}}"
        self.line(f"if (v % {width} == 0) *({kind}*){held} = {element};")
        (self.raw if dtype in NARROW else self.names)[op.result] = f"{held}[v % {width}]"

    @prints
    def load_element(self, op: nv.LdGlobalOp) -> None:
        if op.width is not None:
            self.load_vector(op, op.width.value.data)
            return
        dtype = self.ctype(memref_of(op.memref).element_type, op)
        element = f"{self.name(op.memref)}[{self.at_indices(op, op.at.source.data)}]"
        if op.predicate is not None:
            element = f"{self.name(op.predicate)} ? {element} : {dtype + '{}' if dtype in DECLARED else 0}"
        if dtype in NARROW:
            self.declare_raw(op.result, element, op)
        else:
            self.line(f"const {self.variable_type(op.result.type, op)} {self.name(op.result)} = {element};")

    def at_indices(self, op: nv.AffineOp | nv.LdGlobalOp | nv.RedGlobalOp, source: str) -> str:
        """Returns the expression of a map at the op's indices."""
        bounds = ints(op.bounds)
        return self.expression(syntax_tree(source, bounds, op), [self.name(i) for i in op.indices], bounds)
