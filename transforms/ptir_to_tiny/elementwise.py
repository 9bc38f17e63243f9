"""Lowers elementwise ops: to a single tiny op each, except for bitcasts between widths and quantizations."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import Float64Type, IntegerType, Signedness, f32, f64
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects import ptir, tiny
from ...dialects.common.shapes import element
from ...dialects.ptir.dims import sizes
from ...dialects.ptir.functions import bit_width
from .writer import Writer

WORDS: Mapping[type[Operation], str] = {
    **{op: word for word, op in tiny.UNARY_OPS.items()},
    **{op: word for word, op in tiny.BINARY_OPS.items()},
    ptir.IsFiniteOp: "is_finite",
    ptir.SelectOp: "where",
}
"""Maps each op that becomes a single unary or binary tiny op to the function of that tiny op."""

WIDE, NARROW = (IntegerType(width, Signedness.SIGNED) for width in (64, 32))


def word(op: Operation, write: Writer) -> SSAValue:
    fn = WORDS[type(op)]
    return write.unary(fn, op.operands[0]) if len(op.operands) == 1 else write.binary(fn, *op.operands)


def bitcast(op: ptir.BitcastOp, write: Writer) -> SSAValue:
    """Writes a bitcast. If elements are split or joined, shifts an integer that is as wide as the wider of both types."""
    x, parts, source, target = op.input, op.parts(), bit_width(element(op.input)), bit_width(element(op.result))
    if parts == 1:
        return write.bitcast(x, element(op.result))
    part, whole = (IntegerType(width, Signedness.UNSIGNED) for width in sorted((source, target)))
    places = write.binary("mul", write.add(tiny.IotaOp(whole, [parts], 0)), write.literal(part.width.data, whole))
    if source > target:
        shifted = write.binary("shift_right_logical", write.reshape(write.bitcast(x, whole), [*sizes(x), 1]), places)
        low = write.binary("and", shifted, write.literal(2**target - 1, whole))
        return write.bitcast(write.cast(low, part), element(op.result))
    shifted = write.binary("shift_left", write.cast(write.bitcast(x, part), whole), places)
    return write.bitcast(write.reduce("sum", shifted, [len(sizes(x)) - 1], whole), element(op.result))


# --- quantization -------------------------------------------------------------------------------


def quantize(op: ptir.QuantizeOp, write: Writer) -> SSAValue:
    return _to_codes(op, write, op.input, op.scale, op.zero_point)


def dequantize(op: ptir.DequantizeOp, write: Writer) -> SSAValue:
    return _to_numbers(op, write, op.scale, op.zero_point, element(op.result))


def requantize(op: ptir.RequantizeOp, write: Writer) -> SSAValue:
    real = _to_numbers(op, write, op.scale, op.zero_point, f32)
    return _to_codes(op, write, real, op.new_scale, op.new_zero_point)


Quantization = ptir.QuantizeOp | ptir.DequantizeOp | ptir.RequantizeOp


def _to_codes(op: Quantization, write: Writer, x: SSAValue, scale: SSAValue, zero_point: SSAValue) -> SSAValue:
    """Writes `round(x / scale) + zero_point`. The rounded quotient saturates to 32 bits, so that the 64-bit sum cannot wrap."""
    real = f64 if isinstance(element(x), Float64Type) else f32
    quotient = write.binary("div", write.cast(x, real), _along(op, write, write.cast(scale, real)))
    whole = write.cast(write.cast(write.unary("round", quotient), NARROW), WIDE)
    code = write.binary("add", whole, _along(op, write, write.cast(zero_point, WIDE)))
    return write.cast(code, element(op.result))


def _to_numbers(op: Quantization, write: Writer, scale: SSAValue, zero_point: SSAValue, dtype: Attribute) -> SSAValue:
    """Writes `(q - zero_point) * scale` in f64, where the product of a 17-bit difference and an f32 is exact, and rounds once."""
    zero = _along(op, write, write.cast(zero_point, NARROW))
    away = write.cast(write.binary("sub", write.cast(op.operands[0], NARROW), zero), f64)
    return write.cast(write.binary("mul", away, _along(op, write, write.cast(scale, f64))), dtype)


def _along(op: Quantization, write: Writer, x: SSAValue) -> SSAValue:
    """Reshapes a scale or zero point so that it broadcasts to the codes."""
    if op.along is None or not sizes(x):
        return x
    return write.reshape(x, [*sizes(x), *[1] * (len(sizes(op.operands[0])) - op.along - 1)])
