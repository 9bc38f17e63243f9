"""Rewrites vector ops: elementwise functions, broadcasts, selections, conversions, and reductions of rows and columns."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    bf16,
    f16,
    f32,
    i1,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ...analysis.pto.legality import dtype_name
from ...dialects import pto
from ...dialects.common.shapes import is_float, is_unsigned
from ...dialects.ptir.functions import bit_width
from ...errors import Unsupported
from ...targets.pto.machine import PtoMachine
from .formulas import FORMULAS
from .functions import ROUNDINGS, WHOLE
from .integers import SIGN, Integers
from .lanes import COMBINERS
from .values import Full, InBox, Line, Size, Splat, Value, dtype_of, held, valid

NAMES = {op: fn for table in (pto.UNARY, pto.BINARY) for fn, op in table.items()}
"""The function in `tiny` of each op."""
NATIVE = {"neg", "abs", "exp", "log", "sqrt", "rsqrt", "recip", "relu", "not"}
"""Unary functions that are instructions."""
COLUMN_REDUCTIONS: dict[type[pto.InstructionOp], type[pto.ColReduceOp]] = {
    pto.RowSumOp: pto.ColSumOp,
    pto.RowMaxOp: pto.ColMaxOp,
    pto.RowMinOp: pto.ColMinOp,
}
"""The reduction of columns that is that of the rows of the transpose."""
SIGN_AGNOSTIC = (
    pto.SHIFT_RIGHT,
    pto.BitcastOp,
    pto.ExpandsOp,
    pto.RowExpandOp,
    pto.ColExpandOp,
    pto.SelOp,
    *(pto.BINARY[fn] for fn in ("add", "sub", "mul", "and", "or", "xor", "shift_left")),
    *(pto.UNARY[fn] for fn in ("neg", "not")),
    *(pto.RowSumOp, pto.ColSumOp),
)
"""Ops that give an unsigned integer the bits that they give a signed one, or that the type tells apart."""
UNSIGNED = (
    pto.CmpOp, pto.CvtOp, *(pto.BINARY[fn] for fn in ("max", "min", "div", "remainder")), pto.UNARY["abs"], pto.RowMaxOp, pto.RowMinOp,
    pto.ColMaxOp, pto.ColMinOp,
)  # fmt: skip
"""Ops on unsigned integers that are written with others."""
COMMUTATIVE = {"add", "mul", "max", "min", "and", "or", "xor"}


def opcode_of(kind: type[pto.InstructionOp]) -> str:
    return f"T{kind.name.removeprefix('pto.tile.').upper()}"


def wide(dtype: Attribute) -> Attribute:
    """Returns the element type in which ops on a narrower one are computed."""
    return f32 if is_float(dtype) or dtype == i1 else i32


class Elementwise(Integers):
    """The vector ops of a legalizer. `values` maps the tiles of the program to what they are."""

    machine: PtoMachine
    values: dict[SSAValue, Value]
    lanes: set[SSAValue]
    totals: dict[SSAValue, pto.ColReduceOp]
    at: Operation

    @abc.abstractmethod
    def add(self, op: Operation, hint: str | None = None) -> SSAValue: ...

    @abc.abstractmethod
    def no_form(self, op: Operation, what: str | None = None) -> Unsupported: ...

    @abc.abstractmethod
    def whole(self, value: Value, old: SSAValue) -> Full: ...

    @abc.abstractmethod
    def transposed(self, value: Full) -> Full: ...

    @abc.abstractmethod
    def part(self, value: Full, extents: tuple[Size, Size], sizes: tuple[int, int]) -> Full: ...

    @abc.abstractmethod
    def column_products(self, tile: Full) -> Full: ...

    def vector(self, op: Operation) -> Value:
        """Returns what the result of a vector op is."""
        operands = [self.values[v] for v in op.operands if isinstance(v.type, pto.TileType)]
        tiles = [pto.tile_type(v).element_type for v in (*op.operands, *op.results) if isinstance(v.type, pto.TileType)]
        orders = any(is_unsigned(t) and t != i1 for t in tiles) and not isinstance(op, SIGN_AGNOSTIC)
        if orders and not isinstance(op, UNSIGNED):
            raise self.no_form(op, f"'{op.name}' of an unsigned integer on {self.machine.name}")
        match op:
            case pto.ExpandsOp(value=IntegerAttr() as number):
                return Splat.of(number.value.data, held(number.type))
            case pto.ExpandsOp(value=number) if number is not None:
                return Splat(number)
            case pto.RowExpandOp() | pto.ColExpandOp():
                return self.broadcast(operands[0], isinstance(op, pto.ColExpandOp))
            case pto.FmaOp():
                return self.binary("add", self.binary("mul", operands[0], operands[1]), operands[2])
            case pto.SelOp():
                return self.select(*operands)
            case pto.CmpOp(mode=mode):
                return self.compare(mode.word, *(map(self.ordered, operands) if orders else operands))
            case _ if (reduction := self.totals.get(op.results[0])) is not None and not isinstance(op, pto.ColReduceOp):
                return self.accumulate(op, reduction, orders)
            case pto.VectorBinaryOp(FN="max" | "min") if orders:
                return self.extremum(op.FN, *operands)
            case pto.CvtOp() if orders:
                return self.convert_unsigned(operands[0], tiles[0], tiles[1])
            case pto.VectorBinaryOp(FN="div" | "remainder") if orders:
                return self.divide_unsigned(*operands, is_remainder=op.FN == "remainder")
            case pto.VectorUnaryOp(FN="abs") if orders:
                return operands[0]
            case pto.CvtOp():
                return self.convert(operands[0], held(pto.tile_type(op.result).element_type))
            case pto.RowXorOp():
                return self.exchange(self.whole(operands[0], op.results[0]), op.by.value.data)
            case pto.BitcastOp():
                return self.bitcast(operands[0], held(pto.tile_type(op.result).element_type))
            case pto.RowReduceOp() if op.input in self.lanes:
                return operands[0]
            case pto.ColReduceOp() if op.input in self.totals:
                return operands[0]
            case pto.RowReduceOp() | pto.ColReduceOp():
                return self.reduction(op, operands[0], orders)
            case pto.VectorBinaryOp(FN="shift_left" | "shift_right_arithmetic"):
                is_logical = is_unsigned(pto.tile_type(op.result).element_type)
                return self.shift(*operands, is_left=op.FN == "shift_left", is_logical=is_logical)
            case _ if (fn := NAMES.get(type(op))) is not None:  # pyright: ignore[reportArgumentType]
                if fn in FORMULAS and is_float(tiles[-1]):
                    return self.formula(fn, operands)
                if len(operands) == 2:
                    return self.binary(fn, *operands)
                if fn in ROUNDINGS:
                    return self.rounding(ROUNDINGS[fn], operands[0])
                if fn in NATIVE:
                    return self.unary(fn, operands[0])
                raise self.no_form(op)
            case _:
                raise self.no_form(op)

    # --- broadcasts -------------------------------------------------------------------------------

    def broadcast(self, value: Value, is_row: bool) -> Value:
        return Line(value, is_row) if isinstance(value, Full) else value

    def full(self, value: Value, sizes: tuple[int, int], extents: tuple[Size, Size]) -> Full:
        """Returns a tile with these sizes and valid extents."""
        layout = "DN" if sizes[1] == 1 and sizes[0] > 1 else None
        match value:
            case Full():
                return value
            case Splat(number=number):
                dtype = dtype_of(value)
                if not self.has("TEXPANDS", dtype):
                    return cast(Full, self.convert(self.full(self.convert(value, wide(dtype)), sizes, extents), dtype))
                t = pto.TileType(sizes, dtype, layout=layout)
                return Full(self.add(valid(pto.ExpandsOp(number, t), extents)), extents)
            case Line(inner=inner) if inner.sizes == sizes:
                return inner
            case Line(inner=inner) if inner.type.element_type == i1:
                numbers = self.full(self.chosen(value, f32), sizes, extents)
                return cast(Full, self.compare("NE", numbers, Splat.of(0, f32)))
            case Line(inner=inner, is_row=False) if (
                inner.sizes[0] == 1 < inner.sizes[1]
            ):  # an element at the start of a line
                column = self.transposed(inner)
                rows = self.full(Line(column, False), (column.sizes[0], sizes[1]), (column.extents[0], extents[1]))
                return self.part(rows, extents, sizes)
            case Line(inner=inner, is_row=is_row):
                op = pto.ColExpandOp(inner.tile, sizes[0]) if is_row else pto.RowExpandOp(inner.tile, sizes[1])
                Rewriter.replace_value_with_new_type(op.result, pto.TileType(sizes, inner.type.element_type))
                return Full(self.add(valid(op, extents)), extents)
            case InBox():
                raise self.no_form(self.at, "a mask that is no condition of pto.tile.sel")

    def tiles(self, values: Sequence[Value]) -> tuple[list[Full], Line | None]:
        """
        Returns tiles of equal sizes for the operands of an op. If all of them are lines of one kind, or numbers, they are the lines, and the
        second result says that the op's result is such a line.
        """
        fulls = [v for v in values if isinstance(v, Full)]
        lines = [v for v in values if isinstance(v, Line)]
        if fulls:
            like = fulls[0]
            if any(v.sizes != like.sizes for v in fulls):
                raise self.no_form(self.at, "an op on a tile and a part of a sum of columns")
            return [self.full(v, like.sizes, like.extents) for v in values], None
        if lines and all(v.is_row == lines[0].is_row for v in lines):
            like = lines[0].inner
            inner = [v.inner if isinstance(v, Line) else self.full(v, like.sizes, like.extents) for v in values]
            return inner, lines[0]
        if lines:
            row, column = (next(v.inner for v in lines if v.is_row is side) for side in (True, False))
            sizes, extents = (column.sizes[0], row.sizes[1]), (column.extents[0], row.extents[1])
        else:
            return [self.whole(v, self.at.results[0]) for v in values], None
        return [self.full(v, sizes, extents) for v in values], None

    def result(self, op: Operation, like: Full, line: Line | None) -> Value:
        """Adds an op, and returns its result as a tile or line."""
        extents = like.extents
        out = Full(self.add(op, self.at.results[0].name_hint if self.at.results else None), extents)
        return out if line is None else Line(out, line.is_row)

    # --- functions --------------------------------------------------------------------------------

    def formula(self, fn: str, operands: Sequence[Value]) -> Value:
        """Writes a function that PTO lacks. It is computed in f32."""
        dtype = dtype_of(operands[0])
        if isinstance(operands[0], Splat):
            operands = [self.whole(operands[0], self.at.results[0]), *operands[1:]]

        def apply(name: str, *operands: Value | float) -> Value:
            types = [dtype_of(o) for o in operands if not isinstance(o, float | int)]
            values = [number(o, types[-1]) if isinstance(o, float | int) else o for o in operands]
            match name:
                case "lt" | "gt" | "eq":
                    return self.compare(name.upper(), *values)
                case "select":
                    return self.select(*values)
                case "bits" | "floats":
                    return self.bitcast(values[0], i32 if name == "bits" else f32)
                case "number":
                    return self.convert(values[0], f32)
                case "round":
                    return self.rounding("CAST_RINT", values[0])
                case _:
                    return self.unary(name, values[0]) if len(values) == 1 else self.binary(name, *values)

        def number(value: float, dtype: Attribute) -> Splat:
            return Splat.of(value, i32) if dtype != f32 and isinstance(value, int) else Splat(FloatAttr(value, f32))

        return self.convert(FORMULAS[fn](apply, *(self.convert(x, f32) for x in operands)), dtype)

    def has(self, opcode: str, dtype: Attribute) -> bool:
        """Whether the target has an instruction for an element type."""
        return self.machine.takes(opcode, dtype_name(dtype))

    def rounding(self, mode: str, x: Value) -> Value:
        """
        Writes a rounding to whole numbers by way of i32, with the sign of the number, which a zero keeps. Numbers that i32 may not have are whole
        already, or no numbers.
        """
        if isinstance(x, Splat):
            x = self.whole(x, self.at.results[0])
        wide = self.convert(x, f32)
        (tile,), line = self.tiles([wide])
        whole = self.result(pto.CvtOp(self.add(pto.CvtOp(tile.tile, i32, mode)), f32), tile, line)
        sign = self.binary("and", self.bitcast(wide, i32), Splat.of(SIGN, i32))
        whole = self.bitcast(self.binary("or", self.bitcast(whole, i32), sign), f32)
        small = self.compare("LT", self.unary("abs", wide), Splat.of(WHOLE, f32))
        return self.convert(self.select(small, whole, wide), dtype_of(x))

    def unary(self, fn: str, x: Value) -> Value:
        """Writes a unary function. Of element types that the target's instruction has not, floats are converted to f32."""
        dtype = dtype_of(x)
        if not self.has(f"T{fn.upper()}", dtype):
            if is_float(dtype) and dtype != f32:
                return self.convert(self.unary(fn, self.convert(x, f32)), dtype)
            match fn:
                case "not":
                    return self.binary("xor", x, Splat.of(-1, dtype))
                case "abs":
                    return self.binary("max", x, self.unary("neg", x))
                case "relu":
                    return self.binary("max", x, Splat.of(0, dtype))
                case _:
                    pass
        (tile,), line = self.tiles([x])
        return self.result(pto.UNARY[fn](tile.tile), tile, line)

    def binary(self, fn: str, a: Value, b: Value) -> Value:
        """Writes a binary function; an operand that is a line or a number is one of the op, if there is such an op."""
        if fn == "and" and isinstance(a, InBox):
            return b
        if fn == "and" and isinstance(b, InBox):
            return a
        if (
            fn in COMMUTATIVE
            and not isinstance(a, Full)
            and isinstance(b, Full | Line)
            and not (isinstance(a, Line) and isinstance(b, Line))
        ):
            a, b = b, a
        if isinstance(b, Line):
            expanded = pto.EXPANDED.get(f"{'col' if b.is_row else 'row'}expand{fn}")
            known = expanded is not None and self.has(f"T{'COL' if b.is_row else 'ROW'}EXPAND{fn.upper()}", dtype_of(b))
            if isinstance(a, Full) and b.inner.sizes != a.sizes and expanded is not None and known:
                return self.result(expanded(a.tile, b.inner.tile), a, None)
        x, number = (b, a) if isinstance(a, Splat) else (a, b)
        first = number is a
        if (
            isinstance(number, Splat)
            and not isinstance(x, Splat)
            and (kind := pto.SCALAR_BINARY.get(fn))
            and (not first or fn in ("sub", "div"))
            and self.has(opcode_of(kind), dtype_of(x))
        ):
            (tile,), line = self.tiles([x])
            scalar = self.scalar(number)
            return self.result(kind(scalar, tile.tile) if first else kind(tile.tile, scalar), tile, line)
        kind = pto.SHIFT_RIGHT if fn == pto.SHIFT_RIGHT.FN else pto.BINARY[fn]
        if not self.has(opcode_of(kind), dtype := dtype_of(a)):
            if fn == "div" and dtype == i32:
                return self.divide(a, b)
            if dtype == (larger := wide(dtype)):
                raise self.no_form(self.at, f"'{kind.name}' of {dtype} on {self.machine.name}")
            result = self.binary(fn, self.convert(a, larger), self.convert(b, larger))
            return self.convert(self.wrapped(result, dtype) if fn in ("add", "sub", "mul", "div") else result, dtype)
        (left, right), line = self.tiles([a, b])
        return self.result(kind(left.tile, right.tile), left, line)

    def divide(self, a: Value, b: Value) -> Value:
        """
        Writes the quotient of i32, rounded toward zero, with quotients of f32. What is divided is a multiple of the divisor; the second
        quotient corrects the first one, which has 24 bits.
        """

        def quotient(x: Value) -> Value:
            (tile,), line = self.tiles([self.binary("div", self.convert(x, f32), self.convert(b, f32))])
            return self.result(pto.CvtOp(tile.tile, i32, "CAST_RINT"), tile, line)

        whole = self.binary("sub", a, self.binary("remainder", a, b))
        near = quotient(whole)
        return self.binary("add", near, quotient(self.binary("sub", whole, self.binary("mul", near, b))))

    def scalar(self, value: Splat) -> SSAValue:
        number = value.number
        if not isinstance(number, FloatAttr | IntegerAttr):
            raise self.no_form(self.at, "a complex number")
        if isinstance(number, IntegerAttr):
            number = IntegerAttr(number.value.data, IntegerType(cast(IntegerType, number.type).width.data))
        return self.add(pto.ConstantOp(number))

    def is_zero(self, value: Splat) -> bool:
        return isinstance(value.number, FloatAttr | IntegerAttr) and value.number.value.data == 0

    def compare(self, mode: str, a: Value, b: Value) -> Value:
        """
        Writes a comparison. Numbers of up to 16 bits but f16 are compared in f32: the library's simulator has no other comparisons, whatever the
        target has. Where integers are only found to be equal, the lesser of two is another number than their maximum.
        """
        is_splat = isinstance(b, Splat) and not isinstance(a, Splat)
        dtype = dtype_of(a)
        if dtype not in (f16, i32) and bit_width(dtype) <= 16:
            return self.compare(mode, self.convert(a, f32), self.convert(b, f32))
        if mode != "EQ" and dtype_name(dtype) in self.machine.equality:
            extremum = {"LT": "max", "GE": "max", "GT": "min", "LE": "min"}.get(mode)
            found = self.compare("EQ", b if extremum is None else self.binary(extremum, a, b), a)
            return self.unary("not", found) if mode in ("NE", "LT", "GT") else found
        if isinstance(b, Splat) and is_splat:
            (tile,), line = self.tiles([a])
            return self.result(pto.CmpsOp(mode, tile.tile, self.scalar(b)), tile, line)
        (left, right), line = self.tiles([a, b])
        return self.result(pto.CmpOp(mode, left.tile, right.tile), left, line)

    def select(self, mask: Value, a: Value, b: Value) -> Value:
        """Writes a selection. What lies outside of the index space lies outside of the valid region already."""
        if isinstance(mask, InBox):
            return self.full(a, mask.sizes, mask.extents)
        if dtype_of(a) == i1:
            both, other = self.binary("and", mask, a), self.binary("and", self.unary("not", mask), b)
            return self.binary("or", both, other)
        if not self.has("TSEL", dtype := dtype_of(a)):
            chosen = self.select(mask, self.convert(a, wide(dtype)), self.convert(b, wide(dtype)))
            return self.convert(chosen, dtype)
        if isinstance(b, Splat) and self.has("TSELS", dtype):
            (tile, chosen), line = self.tiles([mask, a])
            return self.result(pto.SelsOp(tile.tile, chosen.tile, self.scalar(b)), chosen, line)
        (tile, left, right), line = self.tiles([mask, a, b])
        return self.result(pto.SelOp(tile.tile, left.tile, right.tile), left, line)

    def convert(self, x: Value, dtype: Attribute) -> Value:
        if dtype_of(x) == dtype or isinstance(x, InBox):
            return x
        if isinstance(x, Splat) and isinstance(x.number, FloatAttr | IntegerAttr):
            if dtype_of(x) == i1:
                return Splat.of(int(x.number.value.data != 0), dtype)
            if is_float(dtype):
                return Splat(FloatAttr(x.number.value.data, cast(AnyFloat, dtype)))
            if isinstance(x.number, IntegerAttr) and dtype == i32:
                half = 1 << (bit_width(dtype_of(x)) - 1)
                return Splat.of((x.number.value.data + half) % (2 * half) - half, i32)
        if isinstance(x, Full | Line) and dtype_of(x) == i1:
            return self.chosen(x, dtype)
        if dtype == i1:
            return self.compare("NE", x, Splat.of(0, dtype_of(x)))
        (tile,), line = self.tiles([x])
        return self.result(pto.CvtOp(tile.tile, dtype), tile, line)

    def exchange(self, x: Full, by: int) -> Full:
        """Writes the exchange of each row with that at a distance: those of a pair are halves of a row of a tile of other sizes."""
        (rows, columns), dtype = x.sizes, x.type.element_type
        if rows % (2 * by):
            raise self.no_form(self.at, f"an exchange of rows at the distance {by} in a tile of {rows}")
        half = by * columns
        pairs = self.add(pto.ReshapeOp(x.tile, (rows // (2 * by), 2 * half)))
        turned = pairs
        for start in (0, half):
            part = self.add(pto.ExtractOp(pairs, (0, start), pto.TileType((rows // (2 * by), half), dtype)))
            turned = self.add(pto.InsertOp(part, turned, (0, half - start)))
        return Full(self.add(valid(pto.ReshapeOp(turned, x.sizes), x.extents)), x.extents)

    def bitcast(self, x: Value, dtype: Attribute) -> Value:
        """Writes the bits of elements as those of a type of equal width."""
        if dtype_of(x) == dtype:
            return x
        if isinstance(x, Splat):
            x = self.whole(x, self.at.results[0])
        (tile,), line = self.tiles([x])
        return self.result(pto.BitcastOp(tile.tile, dtype), tile, line)

    def chosen(self, x: Full | Line, dtype: Attribute) -> Value:
        """Writes a predicate as 1 and 0."""
        if not self.has("TSELS", dtype) and dtype != wide(dtype):
            return self.convert(self.chosen(x, wide(dtype)), dtype)
        (tile,), line = self.tiles([x])
        one = self.full(Splat.of(1, dtype), tile.sizes, tile.extents)
        chosen = self.select(tile, one, Splat.of(0, dtype))
        return chosen if line is None else Line(cast(Full, chosen), line.is_row)

    def reduce(self, op: pto.RowReduceOp | pto.ColReduceOp, x: Value) -> Value:
        """
        Writes a reduction. That of bf16 and of predicates is computed in f32, that of bytes in i32, and rows of integers are reduced as
        columns.
        """
        dtype, is_column = dtype_of(x), isinstance(op, pto.ColReduceOp)
        if dtype == bf16 or (not self.has(op.opcode, dtype) and dtype != i32):
            return self.convert(self.wrapped(self.reduce(op, self.convert(x, wide(dtype))), dtype), dtype)
        (tile,), line = self.tiles([x])
        if line is not None:
            tile = self.whole(x, op.input)
        if isinstance(op, pto.ColProdOp):
            return self.column_products(tile)
        if isinstance(op, pto.RowProdOp):
            return self.transposed(self.column_products(self.transposed(tile)))
        if is_column or self.has(op.opcode, dtype):
            return self.reduced(type(op), tile)
        return self.transposed(self.reduced(COLUMN_REDUCTIONS[type(op)], self.transposed(tile)))

    def reduction(self, op: pto.RowReduceOp | pto.ColReduceOp, x: Value, orders: bool) -> Value:
        """Writes a reduction, which may depend on the order of unsigned integers."""
        return self.unordered(self.reduce(op, self.ordered(x)), dtype_of(x)) if orders else self.reduce(op, x)

    def reduced(self, kind: type[pto.RowReduceOp] | type[pto.ColReduceOp], tile: Full) -> Full:
        """Writes the reduction of the rows, or of the columns, of a tile."""
        new, is_column = kind(tile.tile), issubclass(kind, pto.ColReduceOp)
        sizes = (1, tile.sizes[1]) if is_column else (tile.sizes[0], 1)
        extents = (1, tile.extents[1]) if is_column else (tile.extents[0], 1)
        layout = "DN" if sizes[1] == 1 else None
        Rewriter.replace_value_with_new_type(new.result, pto.TileType(sizes, tile.type.element_type, layout=layout))
        return Full(self.add(new, self.at.results[0].name_hint), extents)

    def accumulate(self, op: Operation, reduction: pto.ColReduceOp, orders: bool) -> Value:
        """Writes the sum of a tile of one row that a loop carries, and the columns of a tile."""
        total, term = (self.values[v] for v in sorted(op.operands, key=lambda v: v not in self.totals))
        if not isinstance(term, Full):
            raise self.no_form(op, f"'{reduction.name}' of a row or a number that is repeated")
        fn, part = COMBINERS[type(reduction)], self.reduction(reduction, term, orders)
        return self.extremum(fn, total, part) if orders else self.binary(fn, total, part)
