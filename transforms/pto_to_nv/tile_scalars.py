"""
Lowers a vector op of a tile program to scalar ops of `arith`, `math` and `complex`, for the body of an `nv.epilogue`.

Integers in the body are signless, as in `arith`: an element of a ui8 tile is an i8, and the op has the signedness (`maxui`,
`cmpi ult`, `extui`, `uitofp`). Tiles and memrefs keep their element types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import cast

from xdsl.dialects import arith, complex, math
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    ComplexType,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    f32,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from ...analysis.regions.kernel_ops import element_type_hint
from ...dialects import nv, pto
from ...dialects.common.numbers import Number, complex_number
from ...dialects.common.shapes import is_complex, is_float, is_predicate, is_unsigned, signless
from ...dialects.tiny.vocabulary import KERNEL_UNARY
from ...errors import Unsupported
from ..scalar_casts import Adder, convert, integer_attr

Table = Mapping[str, type[Operation]]
FLOAT: Table = {
    **KERNEL_UNARY,
    "erfc": nv.ErfcOp,
    "add": arith.AddfOp,
    "sub": arith.SubfOp,
    "mul": arith.MulfOp,
    "div": arith.DivfOp,
    "max": arith.MaximumfOp,
    "min": arith.MinimumfOp,
    "pow": math.PowFOp,
    "remainder": nv.FmodOp,
}
COMPLEX: Table = {
    "neg": complex.NegOp,
    "exp": complex.ExpOp,
    "log": complex.LogOp,
    "sqrt": complex.SqrtOp,
    "rsqrt": complex.RsqrtOp,
    "sin": complex.SinOp,
    "cos": complex.CosOp,
    "tanh": complex.TanhOp,
    "log1p": complex.Log1pOp,
    "expm1": complex.Expm1Op,
    "sign": complex.SignOp,
    "add": complex.AddOp,
    "sub": complex.SubOp,
    "mul": complex.MulOp,
    "div": complex.DivOp,
    "pow": complex.PowOp,
}
COMPLEX_COMPARES = {"EQ": complex.EqualOp, "NE": complex.NotEqualOp}
WRAPPING: Table = {
    "add": arith.AddiOp,
    "sub": arith.SubiOp,
    "mul": arith.MuliOp,
    "and": arith.AndIOp,
    "or": arith.OrIOp,
    "xor": arith.XOrIOp,
}
SIGNED: Table = {
    **WRAPPING,
    "abs": math.AbsIOp,
    "max": arith.MaxSIOp,
    "min": arith.MinSIOp,
    "pow": nv.PowSIOp,
    "div": nv.DivSIOp,
    "remainder": nv.RemSIOp,
}
UNSIGNED: Table = {
    **WRAPPING,
    "max": arith.MaxUIOp,
    "min": arith.MinUIOp,
    "pow": nv.PowUIOp,
    "div": nv.DivUIOp,
    "remainder": nv.RemUIOp,
}
REDUCTIONS = {"sum": "add", "prod": "mul", "max": "max", "min": "min"}
LOGICAL_REDUCTIONS = {"max": "or", "min": "and"}
"""Maps each reduction of i1 to the function that combines two elements: the maximum of predicates is *or*, the minimum *and*."""
FLOAT_COMPARES = {"EQ": "oeq", "NE": "une", "LT": "olt", "LE": "ole", "GT": "ogt", "GE": "oge"}
SIGNED_COMPARES = {"EQ": "eq", "NE": "ne", "LT": "slt", "LE": "sle", "GT": "sgt", "GE": "sge"}
UNSIGNED_COMPARES = {"EQ": "eq", "NE": "ne", "LT": "ult", "LE": "ule", "GT": "ugt", "GE": "uge"}


def scalar_type(op: Operation, value: SSAValue) -> Attribute:
    """Returns the element type of a tile. Raises `Unsupported` if kernels cannot compute with it."""
    dtype = pto.tile_type(value).element_type
    if need := element_type_hint(dtype):
        raise Unsupported(op, what=f"'{op.name}' on {dtype} in a kernel", need=need)
    return dtype


def scalar(op: Operation, operands: Sequence[SSAValue], add: Adder) -> SSAValue:
    """Adds the scalar ops that compute one element of a vector op from the `operands`' elements, and returns that element."""
    dtype = scalar_type(op, op.results[0])
    match op:
        case pto.ExpandsOp(value=value) if value is not None:
            return add(_constant(value, dtype))
        case pto.CmpOp():
            return add(compare(scalar_type(op, op.lhs), op.mode.word, operands[0], operands[1]))
        case pto.FmaOp():
            return add(math.FmaOp(operands[0], operands[1], operands[2]))
        case pto.SelOp():
            return add(arith.SelectOp(operands[0], operands[1], operands[2]))
        case pto.CvtOp():
            return convert(operands[0], scalar_type(op, op.input), dtype, add)
        case pto.BitcastOp():
            source, target = signless(scalar_type(op, op.input)), signless(dtype)
            return operands[0] if source == target else add(arith.BitcastOp(operands[0], target))
        case pto.SHIFT_RIGHT():
            shift = arith.ShRUIOp if is_unsigned(dtype) else arith.ShRSIOp
            return _shift(shift, dtype, operands, add)
        case pto.VectorUnaryOp() | pto.VectorBinaryOp():
            return apply(op, op.FN, dtype, operands, add)
        case _:
            need = "compute it where region-to-pto does: reductions of rows are of kernels of rows"
            raise Unsupported(op, what=f"'{op.name}' in this kernel", need=need)


def combined(
    op: pto.RowReduceOp | pto.ColReduceOp, operands: Sequence[SSAValue], add: Adder, dtype: Attribute | None = None
) -> SSAValue:
    """Adds the scalar ops that combine two elements of a row or column in a reduction in `dtype`, or else the tile's, and returns their result."""
    dtype = dtype or scalar_type(op, op.result)
    words = LOGICAL_REDUCTIONS if is_predicate(dtype) else REDUCTIONS
    return apply(op, words[op.name.removeprefix("pto.tile.")[3:]], dtype, operands, add)


def _constant(number: Number, dtype: Attribute) -> Operation:
    if isinstance(number, ArrayAttr):
        return complex.ConstantOp(number, cast("ComplexType[AnyFloat]", dtype))
    return arith.ConstantOp(integer_attr(number.value.data, dtype) if isa(number, IntegerAttr) else number)


def compare(dtype: Attribute, mode: str, left: SSAValue, right: SSAValue) -> Operation:
    if is_complex(dtype):
        return COMPLEX_COMPARES[mode](left, right)
    if is_float(dtype):
        return arith.CmpfOp(left, right, FLOAT_COMPARES[mode])
    return arith.CmpiOp(left, right, (UNSIGNED_COMPARES if is_unsigned(dtype) else SIGNED_COMPARES)[mode])


def apply(op: Operation, fn: str, dtype: Attribute, operands: Sequence[SSAValue], add: Adder) -> SSAValue:
    """
    Adds the scalar ops that compute the tiny function `fn`, and returns their result. (`arith` has no reciprocal and no integer
    negation.)
    """
    if fn == "sign" and not is_complex(dtype):
        return _sign(operands[0], dtype, add)
    if is_float(dtype):
        if fn == "recip":
            one = add(arith.ConstantOp(FloatAttr(1.0, cast(AnyFloat, dtype))))
            return add(arith.DivfOp(one, operands[0]))
        if fn == "tf32":
            return round_to_tf32(operands[0], add)
        table = FLOAT
    elif is_complex(dtype):
        if fn == "recip":
            one = add(complex.ConstantOp(complex_number(1.0, 0.0, dtype), dtype))
            return add(complex.DivOp(one, operands[0]))
        table = COMPLEX
    else:
        if fn == "neg":
            return add(arith.SubiOp(add(arith.ConstantOp(integer_attr(0, dtype))), operands[0]))
        if fn == "abs" and is_unsigned(dtype):
            return operands[0]
        if fn == "shift_left":
            return _shift(arith.ShLIOp, dtype, operands, add)
        table = UNSIGNED if is_unsigned(dtype) else SIGNED
    if fn not in table:
        raise Unsupported(
            op,
            what=f"'{op.name}' on {dtype}",
            need="`arith` and `math` have no such scalar op for this type: compute it in another type, or outside of kernels",
        )
    return add(table[fn](*operands))


def _sign(x: SSAValue, dtype: Attribute, add: Adder) -> SSAValue:
    """Adds `x > 0 ? 1 : x < 0 ? -1 : x`, which keeps zeros and NaN."""

    def number(value: int) -> SSAValue:
        real = FloatAttr(float(value), cast(AnyFloat, dtype)) if is_float(dtype) else integer_attr(value, dtype)
        return add(arith.ConstantOp(real))

    zero = number(0)
    negative = add(arith.SelectOp(add(compare(dtype, "LT", x, zero)), number(-1), x))
    return add(arith.SelectOp(add(compare(dtype, "GT", x, zero)), number(1), negative))


def _shift(shift: type[Operation], dtype: Attribute, operands: Sequence[SSAValue], add: Adder) -> SSAValue:
    """
    Adds a shift by an unsigned amount. A shift by the width or more gives 0, or the sign in all bits if it is arithmetic; it is
    undefined in `arith`.
    """
    x, amount = operands
    width, given = cast(IntegerType, dtype).width.data, amount.owner
    number = given.value if isinstance(given, arith.ConstantOp) else None
    if isinstance(number, IntegerAttr) and 0 <= number.value.data < width:
        return add(shift.create(operands=operands, result_types=[x.type]))
    greatest = add(arith.ConstantOp(integer_attr(width - 1, dtype)))
    shifted = add(shift.create(operands=[x, add(arith.MinUIOp(amount, greatest))], result_types=[x.type]))
    if shift is arith.ShRSIOp:
        return shifted
    inside = add(arith.CmpiOp(amount, greatest, "ule"))
    return add(arith.SelectOp(inside, shifted, add(arith.ConstantOp(integer_attr(0, dtype)))))


def round_to_tf32(x: SSAValue, add: Adder) -> SSAValue:
    """Adds the rounding to 10 fraction bits: adds half an ulp and clears the 13 low bits. Infinities and NaN are kept."""

    def number(bits: int) -> SSAValue:
        return add(arith.ConstantOp(IntegerAttr(bits, i32)))

    up = add(arith.AddiOp(add(arith.BitcastOp(x, i32)), number(1 << 12)))
    rounded = add(arith.BitcastOp(add(arith.AndIOp(up, number(-1 << 13))), f32))
    infinity = add(arith.ConstantOp(FloatAttr(inf, f32)))
    finite = add(arith.CmpfOp(add(math.AbsFOp(x)), infinity, "olt"))
    return add(arith.SelectOp(finite, rounded, x))
