"""
Replaces each tile of integers of 64 bits of a kernel by a tile of its lower words and one of its upper words. `word_pairs.py` has the arithmetic.

```
%1 = pto.tile.add %0, %0 : tile<8x32xsi64>           %1l = add %0l, %0l : tile<8x32xi32>;  %1h = add (add %0h, %0h), …
scf.for … iter_args(%t = %1)                         scf.for … iter_args(%tl = %1l, %th = %1h)
load.map %x[%m] by [i] -> [i]                        load.map %x[%m] by [i] -> [i, 0];  load.map %x[%m] by [i] -> [i, 1]
```

Positions are the nearest numbers of i32: what is not in its range is an invalid position as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i1, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.utils.hints import isa

from ...dialects import pto
from ...dialects.common.shapes import is_float, is_unsigned
from ...dialects.common.syntax import ints
from ...dialects.ptir.functions import bit_width
from ...errors import Unsupported
from . import word_pairs as pairs
from .word_pairs import Pair

WORDWISE = (
    pto.RowExpandOp,
    pto.ColExpandOp,
    pto.RowXorOp,
    pto.CopyOp,
    pto.MoveMatToVecOp,
    pto.UNARY["not"],
)
"""Ops that do to each word what they do to the whole."""


class Splitter:
    """Rewrites the ops of a kernel in their order. `pairs` maps tiles of integers of 64 bits to their words."""

    def __init__(self) -> None:
        self.pairs: dict[SSAValue, Pair] = {}

    def block(self, block: Block) -> None:
        for arg in [a for a in block.args if is_wide_tile(a)]:
            t = word_type(arg)
            self.pair(arg, (block.insert_arg(t, arg.index), block.insert_arg(t, arg.index)))
        done = list[Operation]()
        for op in list(block.ops):
            for inner in (inner for region in op.regions for inner in region.blocks):
                self.block(inner)
            if any(map(is_wide_tile, (*op.operands, *op.results))):
                self.replace(op)
                done.append(op)
        for op in reversed(done):
            block.erase_op(op, safe_erase=False)

    def pair(self, old: SSAValue, words: Pair) -> None:
        """Notes the words of a tile."""
        self.pairs[old] = words
        for word, name in zip(words, ("low", "high"), strict=True):
            if old.name_hint is not None and word.name_hint is None:
                word.name_hint = f"{old.name_hint}_{name}"

    def words(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Returns values, with the words of each tile of integers of 64 bits in its place."""
        return [word for value in values for word in self.pairs.get(value, (value,))]

    def replace(self, op: Operation) -> None:
        """Writes what an op becomes before it."""
        made = Block()
        with ImplicitBuilder(made):
            results = self.written(op)
        for each in list(made.ops):
            each.detach()
            each.location = op.location
            cast(Block, op.parent).insert_op_before(each, op)
        for old, new in zip(op.results, results, strict=True):
            if isinstance(new, SSAValue):
                old.replace_all_uses_with(new)
            else:
                self.pair(old, new)

    def paired(self, values: Sequence[SSAValue], olds: Sequence[SSAValue]) -> list[SSAValue | Pair]:
        """Returns the values that stand for others, which `words` has expanded."""
        left = list(values)
        return [(left.pop(0), left.pop(0)) if is_wide_tile(old) else left.pop(0) for old in olds]

    def written(self, op: Operation) -> Sequence[SSAValue | Pair]:
        """Writes what an op becomes, and returns what stands for its results."""
        match op:
            case scf.YieldOp():
                scf.YieldOp(*self.words(op.operands))
                return []
            case scf.ForOp():
                for arg in [a for a in op.body.block.args if is_wide_tile(a)]:
                    op.body.block.erase_arg(arg)
                body = op.detach_region(0)
                new = scf.ForOp(op.lb, op.ub, op.step, self.words(op.iter_args), body)
                return self.paired(new.results, op.results)
            case pto.CommitOp():
                pto.CommitOp(op.channel, self.words(op.tiles))
                return []
            case pto.WaitOp():
                types = [t for v in op.results for t in (word_type(v),) * (1 + is_wide_tile(v))]
                new = pto.WaitOp.create(operands=[op.channel], result_types=types)
                return self.paired(new.results, op.results)
            case pto.StoreMapOp():
                for number, word in enumerate(self.pairs[op.tile]):
                    place = op.memref, op.offsets, word_map(op, number), ints(op.bounds), ints(op.dims)
                    pto.StoreMapOp(word, *place, guard(op))
                return []
            case pto.ReportOp() | pto.MaskOp() | pto.LoadMapOp() | pto.IotaOp():
                return [self.at_points(op)]
            case _ if isinstance(op, WORDWISE):
                low, high = (self.wordwise(op, number) for number in (0, 1))
                return [(low, high)]
            case _ if len(op.results) == 1 and not op.regions:
                return [self.vector(op)]
            case _:
                raise refusal(op)

    def wordwise(self, op: Operation, number: int) -> SSAValue:
        """Writes an op on one of the words."""
        new = op.clone({v: pair[number] for v in op.operands if (pair := self.pairs.get(v)) is not None})
        for result in new.results:
            Rewriter.replace_value_with_new_type(result, word_type(result))
        return new.results[0]

    def at_points(self, op: pto.PositionedOp) -> SSAValue | Pair:
        """Writes an op on points of the index space, whose positions are words."""
        positions = [pairs.nearest(self.pairs[p], dtype_of(p)) if p in self.pairs else p for p in op.positions]
        match op:
            case pto.LoadMapOp():
                return self.loaded(op, positions)
            case pto.ReportOp(tile=tile):
                low, high = self.pairs.get(tile, (tile, tile))
                where = op.status, op.number.value.data, op.offsets, ints(op.bounds), ints(op.dims), guard(op)
                new = pto.ReportOp(op.failure.data, low, op.failed, *where, positions)
                return (new.result, high) if tile in self.pairs else new.result
            case _:
                new = op.clone(dict(zip(op.positions, positions, strict=True)))
                if not is_wide_tile(new.results[0]):
                    return new.results[0]
                Rewriter.replace_value_with_new_type(new.results[0], word_type(new.results[0]))
                return new.results[0], pairs.sign(new.results[0])

    def loaded(self, op: pto.LoadMapOp, positions: Sequence[SSAValue]) -> SSAValue | Pair:
        def load(by: str) -> SSAValue:
            place = op.memref, op.offsets, by, ints(op.bounds), ints(op.dims), word_type(op.result)
            return pto.LoadMapOp(*place, guard(op), positions).result

        if is_wide_tile(op.result):
            return load(word_map(op, 0)), load(word_map(op, 1))
        return load(op.map.source.data)

    def vector(self, op: Operation) -> SSAValue | Pair:
        """Writes a vector op."""
        operands = [self.pairs.get(v, (v, v)) for v in op.operands]
        source, target = dtype_of(op.operands[0]) if op.operands else i1, dtype_of(op.results[0])
        is_signed = not is_unsigned(source)
        match op:
            case pto.ExpandsOp(value=IntegerAttr() as number):
                like = word_type(op.result)
                low, high = (
                    pto.ExpandsOp(IntegerAttr(pairs.wrapped(n), i32), like).result
                    for n in (number.value.data, number.value.data >> 32)
                )
                return low, high
            case pto.SelOp(mask=mask):
                return pairs.choose(mask, *operands[1:])
            case pto.CmpOp(mode=mode):
                return pairs.compared(mode.word, *operands, is_signed=is_signed)
            case pto.CvtOp(mode=None):
                return self.converted(op, source, target)
            case pto.BitcastOp() if is_wide(source) and is_wide(target):
                return operands[0]
            case pto.VectorUnaryOp(FN="neg"):
                return pairs.negate(operands[0])
            case pto.VectorUnaryOp(FN="abs"):
                return pairs.absolute(operands[0]) if is_signed else operands[0]
            case pto.VectorUnaryOp(FN="sign"):
                return pairs.sign_of(operands[0], is_signed=is_signed)
            case pto.RowSumOp() | pto.ColSumOp():
                return pairs.total(operands[0], lambda x: self.reduced(op, x))
            case pto.RowMaxOp() | pto.RowMinOp() | pto.ColMaxOp() | pto.ColMinOp():
                return pairs.greatest(
                    operands[0],
                    lambda x: self.reduced(op, x),
                    lambda x: self.expanded(op, x),
                    is_signed=is_signed,
                    is_max=isinstance(op, pto.RowMaxOp | pto.ColMaxOp),
                )
            case pto.VectorBinaryOp(FN=fn):
                return self.binary(op, fn, *operands, is_signed=is_signed)
            case _:
                raise refusal(op)

    def binary(self, op: Operation, fn: str, a: Pair, b: Pair, *, is_signed: bool) -> Pair:
        match fn:
            case "add" | "sub" | "mul":
                return {"add": pairs.add, "sub": pairs.sub, "mul": pairs.mul}[fn](a, b)
            case "and" | "or" | "xor":
                return pairs.binary(fn, a[0], b[0]), pairs.binary(fn, a[1], b[1])
            case "max" | "min":
                return pairs.extremum(fn, a, b, is_signed=is_signed)
            case "div" | "remainder":
                return pairs.divide(a, b, is_signed=is_signed, is_remainder=fn == "remainder")
            case "shift_left":
                return pairs.shift_left(a, b)
            case "shift_right_arithmetic":
                return pairs.shift_right(a, b, is_signed=is_signed)
            case _:
                raise refusal(op)

    def converted(self, op: pto.CvtOp, source: Attribute, target: Attribute) -> SSAValue | Pair:
        for dtype in (source, target):
            if not (isa(dtype, IntegerType) or (is_float(dtype) and bit_width(dtype) <= 32)):
                raise refusal(op)
        if is_wide(source):
            x = self.pairs[op.input]
            if is_wide(target):
                return pairs.between_signs(x, source, target)
            write = pairs.floated if is_float(target) else pairs.narrowed
            return write(x, source, target)
        return pairs.truncated(op.input, target) if is_float(source) else pairs.widened(op.input, target)

    def reduced(self, op: Operation, x: SSAValue) -> SSAValue:
        """Writes the reduction of an op of words."""
        if isinstance(op, pto.RowReduceOp):
            run, group = (None if a is None else a.value.data for a in (op.run, op.group))
            return type(op)(x, pto.tile_type(op.result).sizes[-1], run, group).result
        return cast("type[pto.ColReduceOp]", type(op))(x).result

    def expanded(self, op: Operation, x: SSAValue) -> SSAValue:
        """Writes the words that a reduction gives, each at those of which it is one."""
        rows, columns = pto.tile_type(op.operands[0]).sizes
        if isinstance(op, pto.RowReduceOp):
            run, group = (None if a is None else a.value.data for a in (op.run, op.group))
            return pto.RowExpandOp(x, columns, run, group).result
        return pto.ColExpandOp(x, rows).result


def is_wide(t: Attribute) -> bool:
    return isa(t, IntegerType) and t.width.data == 64


def is_wide_tile(value: SSAValue) -> bool:
    return isinstance(value.type, pto.TileType) and is_wide(value.type.element_type)


def dtype_of(value: SSAValue) -> Attribute:
    return pto.tile_type(value).element_type


def word_type(value: SSAValue) -> pto.TileType:
    """Returns the type of a tile, or of its words if they are two."""
    tile = pto.tile_type(value)
    return tile.like(element_type=i32) if is_wide(tile.element_type) else tile


def word_map(op: pto.LoadMapOp | pto.StoreMapOp, number: int) -> str:
    """Returns the map of an access to the array of words."""
    head, arrow, tail = op.map.source.data.rpartition("]")
    return f"{head}{', ' if head.rstrip()[-1:] != '[' else ''}{number}{arrow}{tail}"


def guard(op: pto.LoadMapOp | pto.StoreMapOp | pto.ReportOp) -> str | None:
    return None if op.where is None else op.where.source.data


def refusal(op: Operation) -> Unsupported:
    need = "cast the integers to i32 first, or compile the program for a GPU"
    return Unsupported(op, what=f"'{op.name}' of integers of 64 bits on PTO", need=need)
