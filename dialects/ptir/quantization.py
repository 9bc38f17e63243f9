"""
Quantization of real numbers to small integers. Contract: *Quantize*, *Dequantize*, *Requantize*, which leave the scheme to
the backend.

The scheme is affine: the code `q` represents `(q - zero_point) * scale`. Scale and zero point are operands: scalars for a
whole tensor, or vectors with an entry for each index along `axis`. Codes are integers of 4, 8 or 16 bits; real numbers have any
float type. The scale has the type of the real numbers or f32. It should be positive, but the formulas are also evaluated if it
is not. The zero point has the type of the codes or i32; a value that is out of the range of the codes violates the contract.

```mlir
func.func @f(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %z: tensor<8xsi8>) -> tensor<4x8xf32> {
  %q = ptir.quantize %x, %s, %z axis 1 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xsi8>) -> tensor<4x8xsi8>
  %y = ptir.dequantize %q, %s, %z axis 1 : (tensor<4x8xsi8>, tensor<8xf32>, tensor<8xsi8>) -> tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}
```
"""

from __future__ import annotations

import abc

from xdsl.dialects.builtin import IntegerAttr, f32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import Pure

from ...errors import RankMismatch, UnsupportedType
from ..common.checks import check_attribute, check_type
from ..common.shapes import element, is_unsigned, normalize_axis, shape
from .base import AnyTensor, TensorOp
from .dims import sizes, tensor_type
from .domains import integer_width, require_domain

CODE_WIDTHS = (4, 8, 16)


class QuantizationOp(TensorOp, abc.ABC):
    """Base of ops that convert operand 0 between codes and real numbers, with the scales and zero points in `pairs`."""

    axis = opt_prop_def(IntegerAttr.constr(i64))
    result = result_def(AnyTensor)
    traits = traits_def(Pure())

    @abc.abstractmethod
    def pairs(self) -> tuple[tuple[SSAValue, SSAValue, Attribute, Attribute], ...]:
        """Returns the scales and zero points of the op, each with the types of the real numbers and of the codes."""

    @property
    def along(self) -> int | None:
        """The axis of the vectors, normalized if it is negative; None if there is none."""
        return None if self.axis is None else normalize_axis(self, self.axis.value.data, len(shape(self.operands[0])))

    def verify_(self) -> None:
        self.require_shape(self.result, sizes(self.operands[0]), "the result")
        along = self.along
        for scale, zero_point, real, code in self.pairs():
            require_domain(self, real, "float")
            width = integer_width(code)
            check_type(
                self, width in CODE_WIDTHS, "the type of the codes", code, "codes are integers of 4, 8 or 16 bits"
            )
            if element(scale) not in (real, f32):
                want = "it must be f32" if real == f32 else f"it must be {real} or f32"
                raise UnsupportedType(self, what="the scale", got=element(scale), want=want)
            zero = element(zero_point)
            if zero != code and (is_unsigned(zero) or integer_width(zero) != 32):
                raise UnsupportedType(self, what="the zero point", got=zero, want=f"it must be {code} or i32")
            self.require_shape(zero_point, sizes(scale), "the zero point")
            if rank := len(shape(scale)):
                if along is None:
                    raise RankMismatch(self, what="the scale", got=rank, want="0: there is no axis")
                self.require_shape(scale, [sizes(self.operands[0])[along]], "the scale")
        used = along is None or any(shape(scale) for scale, *_ in self.pairs())
        check_attribute(self, used, "axis", f"is {along}, but no scale is a vector", "leave the axis out")


class SingleScaleOp(QuantizationOp, abc.ABC):
    """Base of conversions with one scale and one zero point."""

    input = operand_def(AnyTensor)
    scale = operand_def(AnyTensor)
    zero_point = operand_def(AnyTensor)
    assembly_format = (
        "$input `,` $scale `,` $zero_point (`axis` $axis^)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self, input: SSAValue, scale: SSAValue, zero_point: SSAValue, dtype: Attribute, axis: int | None = None
    ):
        super().__init__([input, scale, zero_point], [tensor_type(dtype, sizes(input))], axis=axis)


@irdl_op_definition
class QuantizeOp(SingleScaleOp):
    """
    `round(x / scale) + zero_point`, saturated to the type of the codes. Contract: *Quantize*. The quotient is rounded to f32
    (f64 if `x` has type f64), then to the nearest integer, ties to even. NaN becomes the zero point.

    ```mlir
    %1 = ptir.quantize %0, %scale, %zero : (tensor<4x8xf32>, tensor<f32>, tensor<si8>) -> tensor<4x8xsi8>
    ```
    """

    name = "ptir.quantize"

    def pairs(self) -> tuple[tuple[SSAValue, SSAValue, Attribute, Attribute], ...]:
        return ((self.scale, self.zero_point, element(self.input), element(self.result)),)


@irdl_op_definition
class DequantizeOp(SingleScaleOp):
    """
    `(q - zero_point) * scale`. The difference is exact; the product is rounded once, to the type of the result. Contract:
    *Dequantize*.

    ```mlir
    %1 = ptir.dequantize %0, %scale, %zero : (tensor<4x8xui4>, tensor<f32>, tensor<ui4>) -> tensor<4x8xbf16>
    ```
    """

    name = "ptir.dequantize"

    def pairs(self) -> tuple[tuple[SSAValue, SSAValue, Attribute, Attribute], ...]:
        return ((self.scale, self.zero_point, element(self.result), element(self.input)),)


@irdl_op_definition
class RequantizeOp(QuantizationOp):
    """
    Converts codes of one scale and zero point to codes of another, like a `ptir.dequantize` to f32 and a `ptir.quantize`.
    Contract: *Requantize*. The scales are f32; each is a scalar or a vector along `axis`.

    ```mlir
    %1 = ptir.requantize %0 from %s0, %z0 to %s1, %z1 axis 1
       : (tensor<4x8xsi16>, tensor<8xf32>, tensor<8xi32>, tensor<f32>, tensor<si8>) -> tensor<4x8xsi8>
    ```
    """

    name = "ptir.requantize"
    input = operand_def(AnyTensor)
    scale = operand_def(AnyTensor)
    zero_point = operand_def(AnyTensor)
    new_scale = operand_def(AnyTensor)
    new_zero_point = operand_def(AnyTensor)
    assembly_format = (
        "$input `from` $scale `,` $zero_point `to` $new_scale `,` $new_zero_point (`axis` $axis^)? attr-dict "
        "`:` functional-type(operands, results)"
    )

    def __init__(
        self,
        input: SSAValue,
        old: tuple[SSAValue, SSAValue],
        new: tuple[SSAValue, SSAValue],
        dtype: Attribute,
        axis: int | None = None,
    ):
        super().__init__([input, *old, *new], [tensor_type(dtype, sizes(input))], axis=axis)

    def pairs(self) -> tuple[tuple[SSAValue, SSAValue, Attribute, Attribute], ...]:
        return (
            (self.scale, self.zero_point, f32, element(self.input)),
            (self.new_scale, self.new_zero_point, f32, element(self.result)),
        )
