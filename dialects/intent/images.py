"""
Ops on images, rotations and convolutions, each one defined meaning. Spec: `intentir-semantics §2.8`.

`rope`, `resize`, `warp`, `correlation`, `conv2d` and `upsample_bicubic2d_aa` are *macros*: `intent-lower-macros` writes each in the
other ops. The three on 8-bit images are those of AI Benchmark, in fixed-point arithmetic.
"""

from __future__ import annotations

import abc

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, f32, i8, i16, i64
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def

from ...errors import ShapeMismatch
from ..common.checks import check_value
from ..common.syntax import Axes, ints
from . import symbols
from .base import IntentOp, IntentTensor
from .broadcast import may_agree
from .symbols import Node
from .types import Dim, TensorType, shape_text, size, type_of


class MacroOp(IntentOp, abc.ABC):
    """Base of the ops that `intent-lower-macros` lowers."""


@irdl_op_definition
class RopeOp(MacroOp):
    """
    Rotates pairs of elements. For `x: [S, B, H, D]` and `cos, sin: [S, D/2]`, with halves `x1` and `x2` of the last axis, the halves
    of the result are `x1·cos - x2·sin` and `x1·sin + x2·cos`; each product and sum is rounded.

    ```mlir
    %1 = intent.rope %x, %cos, %sin
       : (!intent.tensor<[S, B, H, 64], f32>, !intent.tensor<[S, 32], f32>, !intent.tensor<[S, 32], f32>) -> !intent.tensor<[S, B, H, 64], f32>
    ```
    """

    name = "intent.rope"
    input = operand_def(IntentTensor)
    cos = operand_def(IntentTensor)
    sin = operand_def(IntentTensor)
    assembly_format = "$input `,` $cos `,` $sin attr-dict `:` functional-type(operands, results)"

    def inferred(self) -> TensorType:
        dims = self.require_rank(self.input, 4, "the operand of rope")
        dtype = self.require_kind(self.input, "floats", "the operand of rope")
        for value, what in ((self.cos, "cos"), (self.sin, "sin")):
            self.require_element(value, dtype, what)
            seq, half = self.require_rank(value, 2, what)
            if not may_agree(seq, dims[0]) or symbols.are_equal(("*", 2, size(half)), size(dims[3])) is False:
                raise ShapeMismatch(self, what=what, got=shape_text((seq, half)), want=f"[{dims[0]}, {dims[3]} // 2]")
        return type_of(self.input)


@irdl_op_definition
class CorrelationOp(MacroOp):
    """
    `out[c, h, w] = (Σk lhs[k, h, w] · rhs[k, h, w - c]) >> shift` for 8-bit images `[K, H, W]`; terms with `w < c` are 0. Sums are exact
    in 32 bits, the shift is arithmetic, and the result wraps to 8 bits. `shift` is an integer of rank 0.

    ```mlir
    %1 = intent.correlation %a, %b, %shift
       : (!intent.tensor<[K, H, W], i8>, !intent.tensor<[K, H, W], i8>, !intent.tensor<[], i32>) -> !intent.tensor<[C, H, W], i8>
    ```
    """

    name = "intent.correlation"
    lhs = operand_def(IntentTensor)
    rhs = operand_def(IntentTensor)
    shift = operand_def(IntentTensor)
    assembly_format = "$lhs `,` $rhs `,` $shift attr-dict `:` functional-type(operands, results)"

    def inferred(self) -> TensorType:
        dims = self.require_rank(self.lhs, 3, "lhs")
        self.require_element(self.lhs, i8, "lhs")
        self.require_element(self.rhs, i8, "rhs")
        self.require_shape(self.rhs, dims, "rhs")
        self.require_kind(self.shift, "integers", "shift")
        self.require_rank(self.shift, 0, "shift")
        channels = self.require_rank(self.result, 3, "the result")[0]
        return TensorType((channels, *dims[1:]), i8)


@irdl_op_definition
class ResizeOp(MacroOp):
    """
    Doubles height and width of 8-bit images `[C, H, W]`, bilinearly: output row `i` is at `i/2`, the row after the last is the last,
    and interpolation, first along the width, has `fraction_bits` bits and rounds toward minus infinity.

    ```mlir
    %1 = intent.resize %x fraction_bits 7 : !intent.tensor<[C, H, W], i8> -> !intent.tensor<[C, "2 * H", "2 * W"], i8>
    ```
    """

    name = "intent.resize"
    input = operand_def(IntentTensor)
    fraction_bits = prop_def(IntegerAttr[IntegerType].constr(i64))
    assembly_format = "$input `fraction_bits` $fraction_bits attr-dict `:` type($input) `->` type($result)"

    def inferred(self) -> TensorType:
        channels, height, width = self.require_rank(self.input, 3, "the operand of resize")
        self.require_element(self.input, i8, "the operand of resize")
        bits = self.fraction_bits.value.data
        check_value(self, 1 <= bits <= 14, "fraction_bits", bits, "1 to 14")
        return TensorType((channels, _text(("*", 2, size(height))), _text(("*", 2, size(width)))), i8)


@irdl_op_definition
class WarpOp(MacroOp):
    """
    Shifts the pixels of 8-bit images `[C, H, W]` along the width by `offset: [H, W]`, 16-bit numbers with 8 bits of fraction. With
    `i` and `f` the integer and the fraction (a signed byte each) of the offset, `r = byte(w - i)` and `l = byte(r - 1)`, the result is
    `(x[r]·256 + (x[l] - x[r])·f) >> 8`, computed in 16 bits, where pixels at negative positions are 0 and positions beyond the last
    are the last.

    ```mlir
    %1 = intent.warp %x, %offset : (!intent.tensor<[C, H, W], i8>, !intent.tensor<[H, W], i16>) -> !intent.tensor<[C, H, W], i8>
    ```
    """

    name = "intent.warp"
    input = operand_def(IntentTensor)
    offset = operand_def(IntentTensor)
    assembly_format = "$input `,` $offset attr-dict `:` functional-type(operands, results)"

    def inferred(self) -> TensorType:
        dims = self.require_rank(self.input, 3, "the operand of warp")
        self.require_element(self.input, i8, "the operand of warp")
        self.require_element(self.offset, i16, "offset")
        self.require_shape(self.offset, dims[1:], "offset")
        return type_of(self.input)


@irdl_op_definition
class Conv2dOp(MacroOp):
    """
    `out[n, o, y, x] = bias[o] + Σ input[n, g·C + c, y·sy - py + i·dy, x·sx - px + j·dx] · weight[o, c, i, j]`, where `g` is the group of
    `o`; input is `[N, groups·C, H, W]`, weight `[O, C, KH, KW]`, and positions outside are 0. Sums are f32 (f64 for f64), rounded once,
    before the bias is added.

    ```mlir
    %1 = intent.conv2d %x, %w bias %b stride [1, 1] padding [1, 1] dilation [1, 1] groups 1
       : (!intent.tensor<[N, 4, H, W], f32>, !intent.tensor<[8, 4, 3, 3], f32>, !intent.tensor<[8], f32>) -> !intent.tensor<[N, 8, H, W], f32>
    ```
    """

    name = "intent.conv2d"
    input = operand_def(IntentTensor)
    weight = operand_def(IntentTensor)
    bias = opt_operand_def(IntentTensor)
    stride = prop_def(DenseArrayBase.constr(i64))
    padding = prop_def(DenseArrayBase.constr(i64))
    dilation = prop_def(DenseArrayBase.constr(i64))
    groups = prop_def(IntegerAttr[IntegerType].constr(i64))
    custom_directives = (Axes,)
    assembly_format = (
        "$input `,` $weight (`bias` $bias^)? `stride` custom<Axes>($stride) `padding` custom<Axes>($padding) "
        "`dilation` custom<Axes>($dilation) `groups` $groups attr-dict `:` functional-type(operands, results)"
    )

    def inferred(self) -> TensorType:
        batch, channels, *image = self.require_rank(self.input, 4, "the input")
        dtype = self.require_kind(self.input, "floats", "the input")
        filters, depth, *window = self.require_rank(self.weight, 4, "the weight")
        self.require_element(self.weight, dtype, "the weight")
        groups = self.groups.value.data
        check_value(self, groups >= 1, "groups", groups, "at least 1")
        if symbols.are_equal(("*", groups, size(depth)), size(channels)) is False:
            raise ShapeMismatch(
                self, what="the input", got=shape_text(type_of(self.input).dims), want=f"{groups} * {depth} channels"
            )
        divides = not isinstance(filters, int) or filters % groups == 0
        check_value(self, divides, "groups", groups, f"a divisor of the number of filters, {filters}")
        if self.bias is not None:
            self.require_element(self.bias, dtype, "the bias")
            self.require_shape(self.bias, (filters,), "the bias")
        given: list[tuple[int, ...]] = []
        for name, attr, least in (
            ("stride", self.stride, 1),
            ("padding", self.padding, 0),
            ("dilation", self.dilation, 1),
        ):
            numbers = ints(attr)
            holds = len(numbers) == 2 and min(numbers) >= least
            check_value(self, holds, name, list(numbers), f"two numbers of at least {least}, for height and width")
            given.append(numbers)
        out = [
            window_count(size(d), size(k), *numbers)
            for d, k, numbers in zip(image, window, zip(*given, strict=True), strict=True)
        ]
        return TensorType((batch, filters, *map(_text, out)), dtype)


def window_count(extent: Node, window: Node, stride: int, padding: int, dilation: int) -> Node:
    """Returns the number of positions of a window along an axis."""
    free = ("-", ("+", extent, 2 * padding), ("*", dilation, ("-", window, 1)))
    last: Node = ("-", free, 1)
    return ("+", ("//", last, stride) if stride != 1 else last, 1)


@irdl_op_definition
class UpsampleBicubic2dAaOp(MacroOp):
    """
    Resamples images `[N, C, IH, IW]` to the result's `[N, C, OH, OW]`, bicubically with antialiasing, as PyTorch's
    `_upsample_bicubic2d_aa` does with `align_corners=False`. Per axis, with the scale `s = I/O` and its maximum with 1 `t`, output `o`
    is centered at `c = s·(o + 1/2)`. It is the mean of the inputs `i` from `max(⌊c - 2t + 1/2⌋, 0)` to below
    `min(⌊c + 2t + 1/2⌋, I)`, weighted by Keys' cubic with a = -1/2 at `(i - c + 1/2)/t`. The width is resampled first. Weights are
    computed in f64 and rounded to f32; products and sums are f32.

    ```mlir
    %1 = intent.upsample_bicubic2d_aa %x : !intent.tensor<[N, C, IH, IW], f32> -> !intent.tensor<[N, C, OH, OW], f32>
    ```
    """

    name = "intent.upsample_bicubic2d_aa"
    input = operand_def(IntentTensor)
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def inferred(self) -> TensorType:
        batch, channels, _, _ = self.require_rank(self.input, 4, "the operand of upsample_bicubic2d_aa")
        self.require_element(self.input, f32, "the operand of upsample_bicubic2d_aa")
        _, _, height, width = self.require_rank(self.result, 4, "the result")
        return TensorType((batch, channels, height, width), f32)


def _text(node: Node) -> Dim:
    number = symbols.constant(symbols.polynomial(node))
    return symbols.text(node) if number is None else number
