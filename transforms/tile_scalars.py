"""One vector op of a tile program as scalar ops of `arith` and `math`, for the body of an `nv.epilogue`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    FloatAttr,
    IntegerType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from ..dialects import pto
from ..dialects.shapes import is_predicate
from ..errors import Unsupported

Adder = Callable[[Operation], SSAValue]
"""Inserts an op and gives its result."""
FLOATS = (Float32Type, Float16Type, BFloat16Type)
UNARY: dict[str, type[Operation]] = {
    "neg": arith.NegfOp,
    "abs": math.AbsFOp,
    "exp": math.ExpOp,
    "log": math.LogOp,
    "sqrt": math.SqrtOp,
    "rsqrt": math.RsqrtOp,
    "tanh": math.TanhOp,
    "erf": math.ErfOp,
}
BINARY: dict[str, type[Operation]] = {
    "add": arith.AddfOp,
    "sub": arith.SubfOp,
    "mul": arith.MulfOp,
    "div": arith.DivfOp,
    "max": arith.MaximumfOp,
    "min": arith.MinimumfOp,
}
COMPARES = {"EQ": "oeq", "NE": "une", "LT": "olt", "LE": "ole", "GT": "ogt", "GE": "oge"}
PREDICATE_COMPARES = {"EQ": "eq", "NE": "ne", "LT": "ult", "LE": "ule", "GT": "ugt", "GE": "uge"}


def scalar_type(op: Operation, value: SSAValue) -> Attribute:
    """The element type of a tile, which the printer must be able to compute with."""
    dtype = pto.tile_type(value).element_type
    if not isinstance(dtype, FLOATS) and not is_predicate(dtype):
        raise Unsupported(
            op, what=f"elementwise {dtype}", need="kernels compute with f32, f16, bf16 and i1: cast first"
        )
    return dtype


def scalar(op: Operation, operands: Sequence[SSAValue], add: Adder) -> SSAValue:
    """One vector op on one element."""
    dtype = scalar_type(op, op.results[0])
    fn = op.name.removeprefix("pto.tile.")
    match op:
        case pto.ExpandsOp():
            return add(arith.ConstantOp(op.value))
        case pto.CmpOp() if is_predicate(operands[0].type):
            return add(arith.CmpiOp(operands[0], operands[1], PREDICATE_COMPARES[op.mode.data]))
        case pto.CmpOp():
            return add(arith.CmpfOp(operands[0], operands[1], COMPARES[op.mode.data]))
        case pto.SelOp():
            return add(arith.SelectOp(operands[0], operands[1], operands[2]))
        case pto.CvtOp():
            return convert(op, operands[0], dtype, add)
        case _ if fn == "recip":
            one = add(arith.ConstantOp(FloatAttr(1.0, cast(Float32Type, dtype))))
            return add(arith.DivfOp(one, operands[0]))
        case _ if fn in UNARY or fn in BINARY:
            return add({**UNARY, **BINARY}[fn](*operands))
        case _:
            raise Unsupported(op, what=f"'{op.name}'", need="a scalar operation of arith or math for it")


def convert(op: Operation, value: SSAValue, dtype: Attribute, add: Adder) -> SSAValue:
    src = value.type
    if src == dtype:
        return value
    if isinstance(src, FLOATS) and isinstance(dtype, FLOATS):
        if isinstance(dtype, Float32Type):
            return add(arith.ExtFOp(value, dtype))
        if not isinstance(src, Float32Type):
            value = add(arith.ExtFOp(value, Float32Type()))
        return add(arith.TruncFOp(value, dtype))
    if isinstance(src, IntegerType) and isinstance(dtype, FLOATS):
        return add(arith.UIToFPOp(value, dtype))
    raise Unsupported(
        op, what=f"a cast of {src} to {dtype} in a kernel", need="casts among f32, f16 and bf16, and from i1"
    )
