"""
Lowers expressions. A value becomes one value for each of its parts: a vector its components, a U64 one of 64 bits, a Bool an `i1`, a float
its bits.

Integers of the kernel are signless; the ops say which are signed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatchmethod
from typing import cast

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i1, i32, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ...dialects import nv, vyre
from ...dialects.vyre.floats import format_of, word_operation
from ...dialects.vyre.types import FLOATS, VECTORS, DataType, bf16, boolean, dtype_of, f16, u64, vec2u32
from ...dialects.vyre.types import i32 as signed
from ...errors import WrongLevel

Parts = Sequence[SSAValue]
SIMPLE: dict[str, type[Operation]] = {
    "add": arith.AddiOp,
    "sub": arith.SubiOp,
    "mul": arith.MuliOp,
    "min": arith.MinUIOp,
    "max": arith.MaxUIOp,
    "and": arith.AndIOp,
    "or": arith.OrIOp,
    "xor": arith.XOrIOp,
    "shl": arith.ShLIOp,
    "shr": arith.ShRUIOp,
    "div": nv.DivUIOp,
    "rem": nv.RemUIOp,
}
SIGNED: dict[str, type[Operation]] = {
    "min": arith.MinSIOp,
    "max": arith.MaxSIOp,
    "shr": arith.ShRSIOp,
    "div": nv.DivSIOp,
    "rem": nv.RemSIOp,
}
"""The ops that differ for I32."""


def part_types(t: DataType) -> list[Attribute]:
    """Returns the types of the parts of a value."""
    if t in VECTORS:
        return [i32] * t.words
    return [i64 if t == u64 else i1 if t == boolean else i32]


class Expressions:
    """Writes the expressions of a kernel at the end of a block."""

    def __init__(self, block: Block):
        self.builder = Builder(InsertPoint.at_end(block))
        self.parts: dict[SSAValue, Parts] = {}
        self.at: Operation | None = None

    def add(self, op: Operation, hint: str | None = None) -> SSAValue:
        """Inserts an op and returns its first result. Every value has a name: others are printed at each of their uses."""
        if self.at is not None:
            op.location = self.at.location
        self.builder.insert(op)
        for result in op.results:
            result.name_hint = hint or "t"
        return op.results[0]

    def number(self, value: int, t: Attribute = i32) -> SSAValue:
        return self.add(arith.ConstantOp(IntegerAttr(value, cast(IntegerType, t))))

    def binary(self, kind: type[Operation], a: SSAValue, b: SSAValue, hint: str | None = None) -> SSAValue:
        return self.add(kind(a, b), hint)  # pyright: ignore[reportCallIssue]

    def compare(self, predicate: str, a: SSAValue, b: SSAValue, hint: str | None = None) -> SSAValue:
        return self.add(arith.CmpiOp(a, b, predicate), hint)

    @singledispatchmethod
    def lower(self, op: Operation) -> Parts:
        """Writes an op and returns the parts of its result."""
        raise WrongLevel(op, name=op.name, stage="vyre-to-nv", need="write programs in the vyre dialect")

    @lower.register
    def _(self, op: vyre.ConstantOp) -> Parts:
        return [self.number(op.value.data, t) for t in part_types(dtype_of(op.result))]

    @lower.register
    def _(self, op: vyre.BinOp) -> Parts:
        of, hint = dtype_of(op.lhs), op.result.name_hint
        return [
            self.binop(op.fn.data, a, b, of == signed, hint)
            for a, b in zip(self.parts[op.lhs], self.parts[op.rhs], strict=True)
        ]

    def binop(self, fn: str, a: SSAValue, b: SSAValue, is_signed: bool, hint: str | None) -> SSAValue:
        kind = SIGNED.get(fn, SIMPLE[fn]) if is_signed else SIMPLE[fn]
        if fn in ("shl", "shr"):
            width = cast(IntegerType, a.type).width.data
            return self.binary(kind, a, self.binary(arith.AndIOp, b, self.number(width - 1, b.type)), hint)
        if fn not in ("div", "rem"):
            return self.binary(kind, a, b, hint)
        zero = self.number(0, b.type)
        return self.add(arith.SelectOp(self.compare("eq", b, zero), zero, self.binary(kind, a, b)), hint)

    @lower.register
    def _(self, op: vyre.UnOp) -> Parts:
        hint = op.result.name_hint
        if op.fn.data == "neg":
            return [self.binary(arith.SubiOp, self.number(0, p.type), p, hint) for p in self.parts[op.input]]
        ones = -1 if dtype_of(op.input) != boolean else 1
        return [self.binary(arith.XOrIOp, p, self.number(ones, p.type), hint) for p in self.parts[op.input]]

    @lower.register
    def _(self, op: vyre.CompareOp) -> Parts:
        fn = op.fn.data
        if (t := dtype_of(op.lhs)) in FLOATS:
            holds = self.float_word(f"{fn}_{format_of(t)}", op.operands)
            return [self.compare("ne", holds, self.number(0), op.result.name_hint)]
        sign = "" if fn in ("eq", "ne") else "s" if dtype_of(op.lhs) == signed else "u"
        (a,), (b,) = self.parts[op.lhs], self.parts[op.rhs]
        return [self.compare(sign + fn, a, b, op.result.name_hint)]

    def float_word(self, fn: str, operands: Sequence[SSAValue], hint: str | None = None) -> SSAValue:
        return self.add(nv.FloatWordOp(fn, *(self.parts[v][0] for v in operands)), hint)

    @lower.register
    def _(self, op: vyre.StrictOp | vyre.ApproximateOp) -> Parts:
        return [self.float_word(word_operation(op), op.arguments, op.result.name_hint)]

    @lower.register
    def _(self, op: vyre.BitcastOp) -> Parts:
        (value,) = self.parts[op.input]
        if op.result.type not in (f16, bf16):
            return [value]
        return [self.binary(arith.AndIOp, value, self.number(0xFFFF), op.result.name_hint)]

    @lower.register
    def _(self, op: vyre.SelectOp) -> Parts:
        (condition,) = self.parts[op.condition]
        pairs = zip(self.parts[op.on_true], self.parts[op.on_false], strict=True)
        return [self.add(arith.SelectOp(condition, a, b), op.result.name_hint) for a, b in pairs]

    @lower.register
    def _(self, op: vyre.VectorOp) -> Parts:
        return [part for value in op.components for part in self.parts[value]]

    @lower.register
    def _(self, op: vyre.ExtractOp) -> Parts:
        return [self.parts[op.vector][op.component.value.data]]

    @lower.register
    def _(self, op: vyre.CastOp) -> Parts:
        of, to, parts = dtype_of(op.input), dtype_of(op.result), self.parts[op.input]
        if of in FLOATS or to in FLOATS:
            return [self.float_word(f"{format_of(of)}_to_{format_of(to)}", [op.input], op.result.name_hint)]
        if to == vec2u32:
            return self.to_words(parts, of)
        if of == vec2u32:
            return self.from_words(parts, to)
        (value,) = parts
        if to == boolean:
            return [self.compare("ne", value, self.number(0, value.type), op.result.name_hint)]
        (t,) = part_types(to)
        if value.type == t:
            return parts
        kind = arith.TruncIOp if of == u64 else arith.ExtSIOp if of == signed else arith.ExtUIOp
        return [self.add(kind(value, t), op.result.name_hint)]  # pyright: ignore[reportArgumentType]

    def to_words(self, parts: Parts, t: DataType) -> Parts:
        """Returns the words of a value in the order in which they are in memory."""
        (value, *_) = parts
        if t == u64:
            high = self.binary(arith.ShRUIOp, value, self.number(32, i64))
            return [self.add(arith.TruncIOp(v, i32)) for v in (value, high)]
        return [self.add(arith.ExtUIOp(value, i32))] if t == boolean else parts

    def from_words(self, words: Parts, t: DataType) -> Parts:
        """Returns the parts of a value from its words."""
        if t == u64:
            low, high = (self.add(arith.ExtUIOp(w, i64)) for w in words)
            return [self.binary(arith.OrIOp, low, self.binary(arith.ShLIOp, high, self.number(32, i64)))]
        return [self.compare("ne", words[0], self.number(0))] if t == boolean else words
