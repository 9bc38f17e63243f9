"""
Builds the Poly-View of a function from its IndexBook: one block a value, one edge a use.

Spec: `tensor-compiler.ja §1.4` and `§3.4`. Blocks are named `v0, v1, …` in program order and arguments
`arg0, arg1, …`, so that the view of a re-parsed function is the same text.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from ..dialects import poly, tiny
from . import affine
from .contraction import Contraction, find_contraction
from .index_book import IndexBook, IndexInfo, value_names


def build_view(function: FuncOp) -> poly.ViewOp:
    """The `poly.view` of a function of tiny ops."""
    names = value_names(function)
    ops = list(function.body.block.ops)
    book = IndexBook(ops)
    blocks: list[poly.BlockOp] = []
    edges: list[poly.EdgeOp] = []
    for value in book:
        op = value.owner
        if not isinstance(op, Operation):
            continue
        info = book[value]
        contraction = find_contraction(op, book) if isinstance(op, tiny.ReduceOp) else None
        accesses = (contraction.lhs, contraction.rhs) if contraction else info.accesses
        blocks.append(
            poly.BlockOp(
                names[value],
                "contraction_pattern" if contraction else _kind(op),
                str(info.domain),
                [(names[a.value], affine.text(a.map)) for a in accesses],
                _pattern(contraction, info) if contraction else None,
            )
        )
        edges += [poly.EdgeOp(names[a.value], names[value], affine.text(a.map)) for a in accesses if a.value in book]
    for block in blocks:
        block.location = function.location
    return poly.ViewOp(function.sym_name.data, [*blocks, *edges])


def _kind(op: object) -> str:
    if isinstance(op, tiny.ReduceOp):
        return "reduce"
    return "movement_affine" if isinstance(op, tiny.MovementOp) else "ewise"


def _pattern(contraction: Contraction, info: IndexInfo) -> dict[str, Attribute]:
    """§12.3: the axes that each operand and the output read, by name. `conv` is the offset access `h + kh`."""

    def axes(*groups: tuple[int, ...]) -> ArrayAttr[StringAttr]:
        return ArrayAttr([StringAttr(f"i{a}") for group in groups for a in group])

    c = contraction
    return {
        "pattern": StringAttr("matmul"),
        "lhs_idx": axes(c.batch, c.m, c.k),
        "rhs_idx": axes(c.batch, c.n, c.k),
        "out_idx": axes(tuple(range(info.rank))),
        "reduce_idx": axes(c.k),
    }
