"""Evaluates a function op by op. Spec: `intentir-semantics §2`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatchmethod
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects import intent
from ...dialects.common.shapes import product_type
from ...dialects.common.syntax import ints
from ...dialects.intent import symbols
from ...dialects.intent.broadcast import joint
from ...dialects.intent.symbols import SCALE, Undefined
from ...dialects.intent.types import type_of
from ...dialects.ptir.base import default_accum
from ...dialects.ptir.scalars import ScalarAttr
from ...errors import require
from ..arrays.contraction import sum_of_products
from ..arrays.reductions import reduce
from ..arrays.scalars import FUNCTIONS, Array, dense_array, numpy_dtype
from ..arrays.scalars import cast as convert
from ..errors import ArgumentMismatch, DivisionByZero, IndexOutOfRange, TooLarge, WrongShape
from . import images
from .binding import AssumptionViolated, Binding, assumption_that_fails, bind, check_arguments, concrete_shape

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def run(function: intent.FuncOp, arrays: Sequence[Array], binding: Binding | None = None) -> tuple[Array, ...]:
    """
    Returns the results of a function, which share no memory with `arrays`. `binding` has the symbols that no argument determines.
    Raises a `Violation` on arguments for which the function is not defined.
    """
    for array in arrays:
        require(array, np.ndarray, "an argument", "an array")
    bound = bind(function, [a.shape for a in arrays], binding)
    check_arguments(function, arrays)
    if (assumption := assumption_that_fails(function, arrays, bound)) is not None:
        raise AssumptionViolated(function, name=function.sym_name.data, assumption=assumption)
    results = Evaluation(function, bound).block(function.body.block, arrays)
    return tuple(np.array(r) for r in results)


def amount(value: Attribute, binding: Mapping[str, int], op: Operation | None = None) -> bool | int | float | Fraction:
    """Returns the value of a constant or a scale. Raises `ArgumentMismatch` if it is not defined under the binding."""
    if isinstance(value, ScalarAttr):
        return dense_array(value.dense).item()
    try:
        return symbols.evaluate(symbols.parse(cast(StringAttr, value).data, SCALE), binding)
    except Undefined as error:
        raise ArgumentMismatch(
            op, name="", want="a binding for which its expressions have values", got=error, help=""
        ) from None


def element_of(value: bool | int | float | Fraction, dtype: np.dtype[Any]) -> Array:
    """Returns a number, rounded to f64 unless it is an integer, as an element of `dtype`."""
    exact = isinstance(value, int) and dtype.kind in "iu" and not isinstance(value, bool)
    if exact and not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
        value = float(value)
    try:
        number = (
            np.asarray(value, dtype)
            if exact
            else convert(np.asarray(value if isinstance(value, bool) else float(value)), dtype)
        )
    except OverflowError:
        number = convert(np.asarray(np.inf if value > 0 else -np.inf), dtype)
    return np.asarray(number)


@dataclass
class Evaluation:
    """The evaluation of one function under a binding of all its symbols."""

    function: intent.FuncOp
    binding: Binding

    def __post_init__(self) -> None:
        self.values: dict[SSAValue, Array] = {}

    def block(self, block: Block, arguments: Sequence[Array]) -> list[Array]:
        """Returns the operands of the block's last op."""
        self.values.update(zip(block.args, arguments, strict=True))
        for op in block.ops:
            operands = [self.values[v] for v in op.operands]
            if not op.results:
                return operands
            try:
                with np.errstate(all="ignore"):
                    out = np.asarray(self.apply(op, *operands))
            except MemoryError as error:
                raise TooLarge(op, what=op.name, why=f"out of memory, {error}") from None
            want = concrete_shape(type_of(op.results[0]), self.binding, self.function)
            if out.shape != want:
                raise WrongShape(op, what="the result", got=list(out.shape), want=op.results[0].type)
            self.values[op.results[0]] = out
        raise AssertionError("a block ends in a return or a yield")

    def shape(self, op: Operation) -> tuple[int, ...]:
        return concrete_shape(type_of(op.results[0]), self.binding, self.function)

    def aligned(self, op: Operation, values: Sequence[SSAValue], arrays: Sequence[Array]) -> list[Array]:
        """Broadcasts elementwise operands by their declared sizes. Raises `WrongShape` if symbols that must be equal are not."""
        shapes = [type_of(v).dims for v in values]
        dims, placed = joint(op, shapes)
        out: list[Array] = []
        common = [1] * len(dims)
        for array, axes, declared in zip(arrays, placed, shapes, strict=True):
            shape = [1] * len(dims)
            for axis, n, dim in zip(axes, array.shape, declared, strict=True):
                shape[axis] = n
                if dim != 1 and common[axis] not in (1, n):
                    raise WrongShape(
                        op,
                        what="an operand",
                        got=list(array.shape),
                        want=f"{common[axis]} along axis {axis} of the result",
                    )
                common[axis] = n if dim != 1 else common[axis]
            out.append(array.reshape(shape))
        return out

    @singledispatchmethod
    def apply(self, op: Operation, *args: Array) -> Array:
        """Returns the result of an op."""
        raise AssertionError(op.name)

    @apply.register
    def _(self, op: intent.UnaryOp, x: Array) -> Array:
        fn = op.fn.data
        return x if fn in ("identity", "layout_cast") else FUNCTIONS[fn](x)

    @apply.register
    def _(self, op: intent.BinaryOp, *args: Array) -> Array:
        try:
            return FUNCTIONS[op.fn.data](*np.broadcast_arrays(*self.aligned(op, op.operands, args)))
        except ZeroDivisionError:
            raise DivisionByZero(op) from None

    @apply.register
    def _(self, op: intent.WhereOp, *args: Array) -> Array:
        return np.where(*self.aligned(op, op.operands, args))

    @apply.register
    def _(self, op: intent.CastOp, x: Array) -> Array:
        return convert(x, numpy_dtype(type_of(op.result).element_type))

    @apply.register
    def _(self, op: intent.ConstOp) -> Array:
        number = element_of(amount(op.value, self.binding, op), numpy_dtype(type_of(op.result).element_type))
        return np.broadcast_to(number, self.shape(op))

    @apply.register
    def _(self, op: intent.IotaOp) -> Array:
        shape, dtype = self.shape(op), numpy_dtype(type_of(op.result).element_type)
        axis = op.axis()
        count = (
            convert(np.arange(shape[axis]), dtype) if dtype.kind not in "iu" else np.arange(shape[axis]).astype(dtype)
        )
        return np.broadcast_to(count.reshape([-1 if k == axis else 1 for k in range(len(shape))]), shape)

    @apply.register
    def _(self, op: intent.GatherOp, data: Array, *indices: Array) -> Array:
        places = np.broadcast_arrays(*self.aligned(op, op.indices, indices))
        for axis, (index, size) in enumerate(zip(places, data.shape, strict=True)):
            outside = (index < 0) | (index >= size)
            if outside.any():
                raise IndexOutOfRange(op, index=index[outside][0], bound=f" for axis {axis} of size {size}")
        return data[tuple(index.astype(np.int64) for index in places)]

    @apply.register
    def _(self, op: intent.TransposeOp, x: Array) -> Array:
        return x.transpose(op.permutation())

    @apply.register
    def _(self, op: intent.ReshapeOp, x: Array) -> Array:
        shape = self.shape(op)
        if prod(shape) != x.size:
            raise WrongShape(op, what="the operand", got=list(x.shape), want=f"{prod(shape)} elements")
        return x.reshape(shape)

    @apply.register
    def _(self, op: intent.BroadcastInDimOp, x: Array) -> Array:
        shape, axes = self.shape(op), op.axes()
        for dim, n, axis in zip(type_of(op.input).dims, x.shape, axes, strict=True):
            if dim != 1 and n != shape[axis]:
                raise WrongShape(
                    op, what="the operand", got=list(x.shape), want=f"{shape[axis]} along axis {axis} of the result"
                )
        order = sorted(range(x.ndim), key=lambda k: axes[k])
        sizes = dict(zip(axes, x.shape, strict=True))
        return np.broadcast_to(x.transpose(order).reshape([sizes.get(k, 1) for k in range(len(shape))]), shape)

    @apply.register
    def _(self, op: intent.ReduceOp, x: Array) -> Array:
        axes, dtype = op.axes(), type_of(op.input).element_type
        accum = numpy_dtype(default_accum(dtype))
        out = reduce(op.fn.data, x, axes, accum if op.fn.data == "sum" else x.dtype)
        if op.scale is not None:
            counted = {"num_elements": prod(x.shape[a] for a in axes)}
            out = FUNCTIONS["mul"](
                out, np.broadcast_to(element_of(amount(op.scale, {**counted, **self.binding}, op), accum), out.shape)
            )
        out = convert(out, numpy_dtype(type_of(op.result).element_type))
        return np.expand_dims(out, axes) if op.keepdims is not None else out

    @apply.register
    def _(self, op: intent.MatmulOp, *args: Array) -> Array:
        flags = op.transpose_lhs, op.transpose_rhs
        lhs, rhs = (x if flag is None else np.swapaxes(x, -1, -2) for x, flag in zip(args, flags, strict=True))
        outer = [type_of(v).dims[:-2] for v in (op.lhs, op.rhs)]
        dims, placed = joint(op, outer)
        names = LETTERS[: len(dims)]
        left, right = ("".join(names[a] for a in axes) for axes in placed)
        sizes: dict[str, int] = {}
        for letters, x in ((left + "xz", lhs), (right + "zy", rhs)):
            for letter, n in zip(letters, x.shape, strict=True):
                if sizes.setdefault(letter, n) not in (1, n) and n != 1:
                    raise WrongShape(
                        op, what="an operand", got=list(x.shape), want=f"{sizes[letter]} along a shared axis"
                    )
                sizes[letter] = max(n, sizes[letter])
        lhs, rhs = (
            np.broadcast_to(x, [sizes[letter] for letter in letters])
            for x, letters in ((lhs, left + "xz"), (rhs, right + "zy"))
        )
        dtype = type_of(op.lhs).element_type
        accum = op.accum_dtype or default_accum(dtype)
        total = sum_of_products(
            lhs,
            left + "xz",
            rhs,
            right + "zy",
            names + "xy",
            product=numpy_dtype(product_type(dtype, dtype, accum) or accum),
            accum=numpy_dtype(accum),
        )
        if op.epilogue is None:
            return convert(total, numpy_dtype(type_of(op.result).element_type))
        block = op.epilogue.block
        (out,) = self.block(block, [convert(total, numpy_dtype(type_of(block.args[0]).element_type))])
        return out

    @apply.register
    def _(self, op: intent.SoftmaxOp, x: Array) -> Array:
        axis, accum = op.axis(), numpy_dtype(default_accum(type_of(op.input).element_type))
        wide = convert(x, accum)
        largest = np.expand_dims(reduce("max", wide, [axis], accum), axis)
        e = FUNCTIONS["exp"](FUNCTIONS["sub"](*np.broadcast_arrays(wide, largest)))
        total = np.expand_dims(reduce("sum", e, [axis], accum), axis)
        return convert(FUNCTIONS["div"](*np.broadcast_arrays(e, total)), x.dtype)

    @apply.register
    def _(self, op: intent.DropoutOp, x: Array, p: Array, seed: Array) -> Array:
        return images.dropout(x, p, int(seed), op.rounds.value.data)

    @apply.register
    def _(self, op: intent.RopeOp, x: Array, cos: Array, sin: Array) -> Array:
        sequence, *_, width = x.shape
        if width % 2 or cos.shape != (sequence, width // 2) or sin.shape != cos.shape:
            raise WrongShape(op, what="cos and sin", got=list(cos.shape), want=f"[{sequence}, {width} / 2]")
        return images.rope(x, cos, sin)

    @apply.register
    def _(self, op: intent.CorrelationOp, lhs: Array, rhs: Array, shift: Array) -> Array:
        if lhs.shape != rhs.shape:
            raise WrongShape(op, what="rhs", got=list(rhs.shape), want=list(lhs.shape))
        if not 0 <= shift < 32:
            raise IndexOutOfRange(op, index=shift, bound=" for a shift of 32 bits")
        return images.correlation(lhs, rhs, int(shift), self.shape(op)[0])

    @apply.register
    def _(self, op: intent.ResizeOp, x: Array) -> Array:
        return images.resize(x, op.fraction_bits.value.data)

    @apply.register
    def _(self, op: intent.WarpOp, x: Array, offset: Array) -> Array:
        if x.shape[1:] != offset.shape:
            raise WrongShape(op, what="offset", got=list(offset.shape), want=list(x.shape[1:]))
        return images.warp(x, offset)

    @apply.register
    def _(self, op: intent.Conv2dOp, x: Array, weight: Array, bias: Array | None = None) -> Array:
        groups = op.groups.value.data
        filters, depth = weight.shape[:2]
        if x.shape[1] != groups * depth or filters % groups or (bias is not None and len(bias) != filters):
            raise WrongShape(
                op, what="the weight", got=list(weight.shape), want=f"{groups} groups of {x.shape[1]} channels"
            )
        accum = default_accum(type_of(op.input).element_type)
        product = numpy_dtype(
            product_type(type_of(op.input).element_type, type_of(op.weight).element_type, accum) or accum
        )
        return images.conv2d(
            x,
            weight,
            bias,
            ints(op.stride),
            ints(op.padding),
            ints(op.dilation),
            groups,
            self.shape(op)[2:],
            product,
            numpy_dtype(accum),
        )

    @apply.register
    def _(self, op: intent.UpsampleBicubic2dAaOp, x: Array) -> Array:
        *_, height, width = self.shape(op)
        across = images.resample(x, 3, width)
        return images.resample(across, 2, height)
