"""
Builds the Poly-View of a function from its IndexBook: one block per value, one edge per pair of dependent values.

Spec: `tensor-compiler.ja §1.4` and `§3.4`. Blocks are named `v0, v1, …` in program order and arguments `arg0, arg1, …`, so
that the view of a re-parsed function is the same text. A value whose indices are not affine has no block: others read it
like an argument.
"""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects import poly, tiny
from ..index import affine
from ..index.book import index_book
from ..index.describe import value_names
from ..index.info import Access
from ..index.isl_text import map_text, parameters
from ..program.buffers import plan_buffers
from ..regions.contraction import find_pattern
from ..regions.contraction_pattern import ContractionPattern, Offset
from .dependences import dependences, is_statement, statements


def build_view(function: FuncOp, *, buffers: bool = False) -> poly.ViewOp:
    """
    Builds the `poly.view` of a function of tiny ops. With `buffers` it includes the anti and output dependences of ops
    that share memory according to `plan_buffers`.
    """
    return _View(function).build(buffers)


class _View:
    def __init__(self, function: FuncOp):
        self.function = function
        self.names = value_names(function)
        self.book = index_book(function)
        self.book.check()
        tensors = (value for value in self.names if isinstance(value.type, TensorType))
        symbols = (size for value in tensors for size in self.book[value].sizes)
        self.parameters = parameters(symbols)
        self.edges: dict[tuple[str, str], dict[str, list[str]]] = {}

    def build(self, buffers: bool) -> poly.ViewOp:
        blocks = [self.block(value, op) for value in statements(self.book) if isinstance(op := value.owner, Operation)]
        if buffers:
            for d in dependences(self.function, plan_buffers(self.function)):
                if d.kind != "true":
                    self.depend(d.kind, d.source, d.target, str(d.relation))
        for block in blocks:
            block.location = self.function.location
        edges = [poly.EdgeOp(*ends, **kinds) for ends, kinds in self.edges.items()]
        return poly.ViewOp(self.function.sym_name.data, [*blocks, *edges])

    def block(self, value: SSAValue, op: Operation) -> poly.BlockOp:
        """Builds the block of a value and records its dependences."""
        info, found = self.book[value], find_pattern(op, self.book)
        accesses = (found[0].lhs, found[0].rhs) if found else info.accesses
        for access in (a for a in accesses if is_statement(self.book, a.value)):
            self.depend("true", access.value, value, self.map(access.map, access.guard))
        return poly.BlockOp(
            self.names[value],
            "contraction_pattern" if found else _kind(op),
            self.set(info.domain),
            [(self.names[a.value], self.map(a.map)) for a in accesses],
            reduces=[a.name for a in info.reduced] if isinstance(op, tiny.ReduceOp) else None,
            guards=[self.guard(a) for a in accesses],
            pattern=self.pattern(found[1]) if found else None,
        )

    def depend(self, kind: str, source: SSAValue, target: SSAValue, relation: str) -> None:
        kinds = self.edges.setdefault((self.names[source], self.names[target]), {})
        if relation not in kinds.setdefault(kind, []):
            kinds[kind].append(relation)

    # --- isl text with the function's parameters ----------------------------------------------------

    def set(self, points: isl.Set) -> str:
        return str(points.align_params(self.space))

    def map(self, m: isl.MultiAff, guard: isl.Set | None = None) -> str:
        condition = "" if guard is None else f" : {affine.condition(guard)}"
        return f"{self.parameters}{{ {map_text(m)}{condition} }}"

    def guard(self, access: Access) -> poly.GuardAttr | None:
        if access.guard is None or access.fill is None:
            return None
        return poly.GuardAttr(self.set(access.guard), access.fill)

    @property
    def space(self) -> isl.Space:
        return isl.Set.read_from_str(affine.CONTEXT, f"{self.parameters}{{ : }}").get_space()

    # --- contractions -------------------------------------------------------------------------------

    def pattern(self, c: ContractionPattern) -> dict[str, Attribute]:
        """Returns the axes of the operands, the output and the reduction, and the windows of a conv, as in §12.3."""
        letter = "i" if c.digits is None else "d"

        def axes(of: Sequence[int]) -> ArrayAttr[StringAttr]:
            return poly.axis_names(f"{letter}{a}" for a in of)

        def offset(o: Offset) -> DictionaryAttr:
            numbers = {"axis": o.axis, "stride": o.stride, "dilation": o.dilation, "offset": o.offset}
            if o.unit != 1:
                numbers["unit"] = o.unit
            if o.base_dilation != 1:
                numbers["base_dilation"] = o.base_dilation
            ends = {"out": StringAttr(f"{letter}{o.out}"), "window": StringAttr(f"{letter}{o.window}")}
            return DictionaryAttr({**{name: poly.integer(n) for name, n in numbers.items()}, **ends})

        entries: dict[str, Attribute] = {
            "pattern": StringAttr(c.pattern),
            "lhs_idx": axes(c.lhs),
            "rhs_idx": axes(c.rhs),
            "out_idx": axes(c.out),
            "reduce_idx": axes(c.k),
        }
        if c.pattern == "conv":
            lhs, rhs = (ArrayAttr([offset(o) for o in side]) for side in c.offsets)
            entries["affine_offsets"] = DictionaryAttr({"lhs": lhs, "rhs": rhs})
            if c.groups is not None:
                entries["groups"] = poly.integer(c.groups)
        if c.digits is not None:
            entries["digits"] = poly.MapAttr(self.map(c.digits))
        return entries


def _kind(op: Operation) -> str:
    if isinstance(op, tiny.ReduceOp):
        return "reduce"
    return "movement_affine" if isinstance(op, tiny.MovementOp) else "ewise"
