"""
Writes integers of 64 bits, which PTO lacks, as the nearest ones of 32 bits.

An array is seen as pairs of words, of which the first one is the lower. Rounding to the nearest number keeps the order, so that `min`, `max` and
selections commute with it; what is not in the range of i32 is an invalid position as well.

```
store.map %t, %y[%m] by [i] -> [i]          store.map %t, %y[%m] by [i] -> [i, 0];  store.map (%t >> 31), %y[%m] by [i] -> [i, 1]
load.map %x[%m] by [i] -> [i]               sel(cmp EQ(%high, %low >> 31), %low, sel(cmp LT(%high, 0), -2^31, 2^31 - 1))
```

Where the ranges of operands, which are computed here, do not say that all arithmetic, comparisons and stores of a kernel give the same result, its
integers are pairs of words instead (`split_integers.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import cast

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, MemRefType, Signedness, i1, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.utils.hints import isa

from ...dialects import pto
from ...dialects.common.shapes import is_unsigned, memref_of
from ...dialects.common.syntax import ints
from .channels import constant_of
from .split_integers import Splitter, guard, is_wide, is_wide_tile, word_map
from .word_pairs import UI32

Range = tuple[int, int]
I32: Range = (-(1 << 31), (1 << 31) - 1)
ANY: Range = (-(1 << 63), (1 << 64) - 1)
ROUNDS = 4
"""How often the ranges of what loops carry may grow."""
PASSED = (
    pto.RowMaxOp,
    pto.RowMinOp,
    pto.ColMaxOp,
    pto.ColMinOp,
    pto.RowExpandOp,
    pto.ColExpandOp,
    pto.CopyOp,
    pto.RowXorOp,
    pto.BitcastOp,
)
"""Ops whose results are among the elements of the operand."""
ORDERED = (
    *PASSED,
    pto.SelOp,
    pto.BINARY["min"],
    pto.BINARY["max"],
    pto.ReportOp,
    pto.LoadMapOp,
    pto.IotaOp,
    pto.ExpandsOp,
    pto.MaskOp,
)
"""Ops that commute with the rounding."""
ARITHMETIC: Mapping[str, Callable[[Range, Range], Range]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "mul": lambda a, b: _hull(*(x * y for x in a for y in b)),
    "min": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "max": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "div": lambda a, b: _hull(*a, -a[0], -a[1]),
    "remainder": lambda a, b: _hull(*a, 0),
    **dict.fromkeys(("and", "or", "xor"), lambda a, b: I32),
}
"""The range of each function of two operands. Those of bits take and give numbers of 32 bits."""


def replace_wide_integers(kernel: pto.PtoKernelOp) -> None:
    """Replaces the integers of 64 bits of a kernel by the nearest ones of 32 bits or, where an op may have another result for them, by words."""
    tiles = [v for v in _values(kernel) if is_wide_tile(v)]
    arrays = [
        a for a in kernel.body.block.args if isinstance(a.type, MemRefType) and is_wide(memref_of(a).element_type)
    ]
    if not tiles and not arrays:
        return
    ranges = _ranges(kernel)
    if all(_is_narrow(op, ranges) for op in kernel.walk()):
        _narrow_integers(kernel, tiles, arrays)
    else:
        Splitter().block(kernel.body.block)
    for array in arrays:
        shape = memref_of(array).get_shape()
        Rewriter.replace_value_with_new_type(array, MemRefType(i32, (*shape, 2)))


def _narrow_integers(kernel: pto.PtoKernelOp, tiles: Sequence[SSAValue], arrays: Sequence[SSAValue]) -> None:
    for value in tiles:
        tile = pto.tile_type(value)
        Rewriter.replace_value_with_new_type(value, tile.like(element_type=_narrow(tile.element_type)))
    for op in list(kernel.walk()):
        if isinstance(op, pto.ExpandsOp) and isinstance(op.value, IntegerAttr) and is_wide(op.value.type):
            number = min(max(op.value.value.data, I32[0]), I32[1])
            op.properties["value"] = IntegerAttr(number, _narrow(op.value.type))
        elif isinstance(op, pto.StoreMapOp) and op.memref in arrays:
            _rewrite(op, partial(_stores, op))
        elif isinstance(op, pto.LoadMapOp) and op.memref in arrays:
            _rewrite(op, partial(_loads, op))


def _values(op: Operation) -> list[SSAValue]:
    blocks = [block for each in op.walk() for region in each.regions for block in region.blocks]
    return [*(a for block in blocks for a in block.args), *(r for each in op.walk() for r in each.results)]


def _narrow(t: Attribute) -> IntegerType:
    return IntegerType(32, cast(IntegerType, t).signedness.data)


def _hull(*numbers: int) -> Range:
    return min(numbers), max(numbers)


def _is_within(a: Range, b: Range) -> bool:
    return b[0] <= a[0] and a[1] <= b[1]


# --- ranges -------------------------------------------------------------------------------------------


def _of_type(t: Attribute) -> Range:
    """Returns the numbers of an integer type; for other types, the question makes no sense."""
    if not isa(t, IntegerType):
        return ANY
    width = t.width.data
    is_natural = t == i1 or t.signedness.data == Signedness.UNSIGNED
    return (0, (1 << width) - 1) if is_natural else (-(1 << width - 1), (1 << width - 1) - 1)


def _ranges(kernel: pto.PtoKernelOp) -> dict[SSAValue, Range]:
    """Returns the range of each tile of integers, over-approximated."""
    found: dict[SSAValue, Range] = {}

    def of(value: SSAValue) -> Range:
        return found.get(value, _of_type(pto.tile_type(value).element_type))

    for attempt in range(ROUNDS + 1):
        before = dict(found)
        for op in kernel.walk():
            if isinstance(op, scf.ForOp):
                _enter(op, found, of, widens=attempt == ROUNDS)
            for result in op.results:
                if isinstance(result.type, pto.TileType) and isinstance(result.type.element_type, IntegerType):
                    found[result] = _result(op, result, of)
        if found == before:
            break
    return found


def _enter(loop: scf.ForOp, found: dict[SSAValue, Range], of: Callable[[SSAValue], Range], *, widens: bool) -> None:
    """Notes what a loop carries: what is before it, and what it yields as far as that is known."""
    for start, arg, end in zip(
        loop.iter_args, loop.body.block.args[1:], cast(Operation, loop.body.block.last_op).operands, strict=True
    ):
        if isinstance(arg.type, pto.TileType):
            range_ = _hull(*of(start), *found.get(end, of(start)))
            found[arg] = ANY if widens and range_ != found.get(arg) else range_


def _result(op: Operation, result: SSAValue, of: Callable[[SSAValue], Range]) -> Range:
    """Returns the range of a result."""
    own = _of_type(pto.tile_type(result).element_type)
    match op:
        case pto.ExpandsOp(value=IntegerAttr() as number):
            return number.value.data, number.value.data
        case pto.IotaOp():
            return I32
        case scf.ForOp():
            end = of(cast(Operation, op.body.block.last_op).operands[op.results.index(result)])  # pyright: ignore[reportArgumentType]
            low, high = constant_of(op.lb), constant_of(op.ub)
            runs = low is not None and high is not None and low < high
            return end if runs else _hull(*end, *of(op.iter_args[op.results.index(result)]))  # pyright: ignore[reportArgumentType]
        case pto.SelOp(mask=mask, on_true=a, on_false=b):
            outside = isinstance(mask.owner, pto.MaskOp) and mask.owner.where is None
            return of(a) if outside else _hull(*of(a), *of(b))
        case pto.ReportOp():
            return of(op.tile)
        case pto.CvtOp() if isinstance(pto.tile_type(op.input).element_type, IntegerType):
            low, high = of(op.input)
            return min(max(low, own[0]), own[1]), min(max(high, own[0]), own[1])
        case _ if isinstance(op, PASSED):
            return of(op.operands[0])
        case pto.RowSumOp() | pto.ColSumOp():
            count = prod(pto.tile_type(op.input).sizes)
            return _hull(*(n * count for n in of(op.input)), *of(op.input))
        case pto.VectorBinaryOp() if op.FN in ARITHMETIC:
            return ARITHMETIC[op.FN](of(op.operands[0]), of(op.operands[1]))
        case _:
            return own


def _is_narrow(op: Operation, ranges: dict[SSAValue, Range]) -> bool:
    """Returns whether an op on integers of 64 bits gives the same on the nearest ones of 32 bits."""
    tiles = [v for v in (*op.operands, *op.results) if isinstance(v.type, pto.TileType)]
    wide = [v for v in tiles if is_wide_tile(v)]
    if not wide or isinstance(op, (*ORDERED, scf.ForOp, scf.YieldOp)):
        is_load = isinstance(op, pto.LoadMapOp) and op.result in wide
        return not (is_load and is_unsigned(pto.tile_type(op.results[0]).element_type))
    known = [ranges.get(v, ANY) for v in wide]
    match op:
        case pto.CvtOp() if pto.tile_type(op.result).element_type != UI32 and _is_of_integers(op):
            return True
        case pto.CmpOp():
            least = 0 if is_unsigned(pto.tile_type(op.lhs).element_type) else I32[0] + 1
            return any(_is_within(each, (least, I32[1] - 1)) for each in known)
        case pto.StoreMapOp() | pto.CvtOp() | pto.RowSumOp() | pto.ColSumOp():
            return all(_is_within(each, I32) for each in known)
        case pto.VectorBinaryOp() if op.FN in ARITHMETIC:
            return all(_is_within(each, I32) for each in known)
        case _:
            return False


def _is_of_integers(op: pto.CvtOp) -> bool:
    return all(isinstance(pto.tile_type(v).element_type, IntegerType) for v in (op.input, op.result))


# --- words --------------------------------------------------------------------------------------------


def _splat(number: int, tile: pto.TileType) -> SSAValue:
    return pto.ExpandsOp(IntegerAttr(number, cast(IntegerType, tile.element_type)), tile).result


def _stores(op: pto.StoreMapOp) -> None:
    """Writes the stores of both words."""
    tile = pto.tile_type(op.tile).like(element_type=i32)
    low = op.tile if op.tile.type == tile else pto.BitcastOp(op.tile, i32).result
    high = pto.SHIFT_RIGHT(low, _splat(31, tile)).results[0]
    for number, word in enumerate((low, high)):
        pto.StoreMapOp(word, op.memref, op.offsets, word_map(op, number), ints(op.bounds), ints(op.dims), guard(op))


def _loads(op: pto.LoadMapOp) -> SSAValue:
    """Writes the loads of both words, and the nearest number of 32 bits."""
    result = pto.tile_type(op.result)
    tile = result.like(element_type=i32)
    low, high = (
        pto.LoadMapOp(
            op.memref, op.offsets, word_map(op, n), ints(op.bounds), ints(op.dims), tile, guard(op), op.positions
        ).result
        for n in (0, 1)
    )
    is_known = pto.CmpOp("EQ", high, pto.SHIFT_RIGHT(low, _splat(31, tile)).results[0]).result
    is_negative = pto.CmpOp("LT", high, _splat(0, tile)).result
    nearest = pto.SelOp(is_negative, _splat(I32[0], tile), _splat(I32[1], tile)).result
    value = pto.SelOp(is_known, low, nearest).result
    return value if tile == result else pto.BitcastOp(value, result.element_type).result


def _rewrite(op: Operation, write: Callable[[], SSAValue | None]) -> None:
    """Replaces an op by those that a function writes, and its result by what the function returns."""
    block = Block()
    with ImplicitBuilder(block):
        value = write()
    made = list(block.ops)
    for each in made:
        each.detach()
        each.location = op.location
    Rewriter.replace_op(op, made, [] if value is None else [value])
