"""
Ops that move elements without changing them. Contract: *Shape and layout ops*.

If the operands do not determine a size of the result, it is the number or name in the result type. Elements of any type are
moved unchanged, including NaN payloads.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from functools import reduce

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure

from ...errors import (
    DtypeMismatch,
    ElementCountMismatch,
    NotBroadcastable,
    OperandCountMismatch,
    UndeterminedSize,
    WindowTooLarge,
)
from ...text.known_sizes import equate
from ..common.checks import check_attribute, check_rank
from ..common.shapes import element, normalize_axes
from ..common.syntax import Axes, ints
from .base import AnyTensor, AxisOp, MovementOp, TensorOp
from .dims import Size, may_be_equal, merge, product, sizes, sizes_text, tensor_type
from .domains import require_domain
from .scalars import Number, Scalar, ScalarAttr
from .sizes import count_text, inferred, may_hold_as_many, plus


@irdl_op_definition
class ReshapeOp(MovementOp):
    """
    Returns a tensor of another shape with the same elements in row-major order. Contract: *Reshape*.

    The result type has the sizes. One size may be `?` without a name: it is inferred from the others, of which none may then be
    0. The element counts of both sides are compared after canceling common names: `[B, 6]` cannot become `[B, 7]`, although it
    could if B were 0.

    ```mlir
    %1 = ptir.reshape %0 : tensor<4x6xf32> -> tensor<24xf32>
    ```
    """

    name = "ptir.reshape"

    def __init__(self, input: SSAValue, sizes_: Sequence[Size]):
        """One of `sizes_` may be None or -1; it is inferred."""
        want = [None if s == -1 else s for s in sizes_]
        if want.count(None) == 1:
            want[want.index(None)] = inferred(sizes(input), [s for s in want if s is not None])
        super().__init__(input, want)

    def verify_(self) -> None:
        super().verify_()
        require_reshape(self, sizes(self.input), sizes(self.result))


@irdl_op_definition
class DimCastOp(MovementOp):
    """
    Returns its operand with another type of equal element type and rank. Each dimension can get a name, a number or `?`. The op
    asserts that the sizes are equal, which is checked at run time. It is an error if they are known to differ. A name that does
    not occur earlier is bound for later ops. The op is not in the contract but needs no `ptir.extensions`. DESIGN §4.

    ```mlir
    %1 = ptir.dim_cast %0 : tensor<?x?xf32, #ptir.dims<B, C>> -> tensor<?x8xf32, #ptir.dims<N, _>>
    ```
    """

    name = "ptir.dim_cast"

    def verify_(self) -> None:
        super().verify_()
        got, want = sizes(self.result), sizes(self.input)
        check_rank(self, "the result", len(got), len(want))
        for axis, (a, b) in enumerate(zip(want, got, strict=True)):
            equate(self, a, b, f"dimension {axis}")


@irdl_op_definition
class TransposeOp(MovementOp):
    """
    Result axis `i` is operand axis `perm[i]`. Contract: *Transpose*.

    ```mlir
    %1 = ptir.transpose %0 [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
    ```
    """

    name = "ptir.transpose"
    perm = prop_def(DenseArrayBase.constr(i64))
    custom_directives = (Axes,)
    assembly_format = "$input custom<Axes>($perm) attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, perm: Sequence[int]):
        super().__init__(input, [sizes(input)[p] for p in perm], perm=perm)

    def permutation(self) -> tuple[int, ...]:
        return normalize_axes(self, ints(self.perm), len(sizes(self.input)), "the permutation")

    def verify_(self) -> None:
        super().verify_()
        perm = self.permutation()
        check_rank(self, "the permutation", len(perm), len(sizes(self.input)))
        self.require_shape(self.result, [sizes(self.input)[p] for p in perm], "the result")


@irdl_op_definition
class BroadcastToOp(MovementOp):
    """
    Repeats elements along axes that the operand lacks, or that have size 1; axes are aligned on the right. Contract:
    *BroadcastTo*.

    The size of an axis that the operand lacks is a number or a name that is already bound. A `?` without a name stands for the
    operand's size. A dynamic size of the operand must be 1 or the result's size; this is checked at run time. If it is 1, it
    does not bind the name in the result type.

    ```mlir
    %1 = ptir.broadcast_to %0 : tensor<6xf32> -> tensor<4x6xf32>
    ```
    """

    name = "ptir.broadcast_to"

    def verify_(self) -> None:
        super().verify_()
        require_broadcast(self, sizes(self.input), sizes(self.result))


@irdl_op_definition
class SliceOp(MovementOp):
    """
    Returns the window at `starts` that has the result's sizes. Contract: *Slice*.

    The window lies inside the operand. Along an axis of size `?` without a name, it extends to the operand's end. A name must be
    already bound.

    ```mlir
    %1 = ptir.slice %0 [0, 2] : tensor<4x6xf32> -> tensor<2x3xf32>
    ```
    """

    name = "ptir.slice"
    starts = prop_def(DenseArrayBase.constr(i64))
    custom_directives = (Axes,)
    assembly_format = "$input custom<Axes>($starts) attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, starts: Sequence[int], sizes_: Sequence[Size]):
        super().__init__(input, sizes_, starts=starts)

    def verify_(self) -> None:
        super().verify_()
        require_window(self, "starts", ints(self.starts), sizes(self.input), sizes(self.result))


@irdl_op_definition
class ConcatOp(AxisOp):
    """
    Concatenates one or more tensors along `axis`. Contract: *Concat*.

    ```mlir
    %2 = ptir.concat %0, %1 axis 1 : (tensor<4x6xf32>, tensor<4x2xf32>) -> tensor<4x8xf32>
    ```
    """

    name = "ptir.concat"
    inputs = var_operand_def(AnyTensor)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    assembly_format = "$inputs `axis` $axis attr-dict `:` `(` type($inputs) `)` `->` type($result)"

    def __init__(self, inputs: Sequence[SSAValue], axis: int):
        want = joined([sizes(x) for x in inputs], axis)
        super().__init__([inputs], [tensor_type(element(inputs[0]), want)], axis=axis)

    def verify_(self) -> None:
        if not self.inputs:
            raise OperandCountMismatch(self, what=self.name, want="one or more operands", got=0)
        rank = len(sizes(self.inputs[0]))
        for number, x in enumerate(self.inputs):
            check_rank(self, f"operand {number}", len(sizes(x)), rank)
        axis = self.axis()
        want = joined([sizes(x) for x in self.inputs], axis)
        beside = [None if a == axis else s for a, s in enumerate(want)]
        for number, x in enumerate(self.inputs):
            self.require_tensor(x, element(self.result), beside, f"operand {number}")
        self.require_shape(self.result, want, "the result")


@irdl_op_definition
class PadOp(MovementOp):
    """
    Along axis `i`, adds `low[i]` copies of the value before the elements, `high[i]` after them, and `interior[i]` between any two
    adjacent elements. None of these numbers is negative. Contract: *Pad*.

    The size of the result is `low[i] + in[i] + high[i] + max(in[i] - 1, 0) · interior[i]`, where `in[i]` is the operand's size.
    The value has the operand's element type.

    ```mlir
    %1 = ptir.pad %0 with 0.0 : f32 low [0, 1] high [0, 0] interior [1, 0] : tensor<4x6xf32> -> tensor<7x7xf32>
    ```
    """

    name = "ptir.pad"
    value = prop_def(ScalarAttr)
    low = prop_def(DenseArrayBase.constr(i64))
    high = prop_def(DenseArrayBase.constr(i64))
    interior = prop_def(DenseArrayBase.constr(i64))
    custom_directives = (Axes, Scalar)
    assembly_format = (
        "$input `with` custom<Scalar>($value) `low` custom<Axes>($low) `high` custom<Axes>($high) "
        "`interior` custom<Axes>($interior) attr-dict `:` type($input) `->` type($result)"
    )

    def __init__(
        self,
        input: SSAValue,
        value: ScalarAttr | Number | bytes,
        low: Sequence[int],
        high: Sequence[int],
        interior: Sequence[int] | None = None,
    ):
        interior = [0] * len(low) if interior is None else interior
        fill = value if isinstance(value, ScalarAttr) else ScalarAttr.of(value, element(input))
        want = padded(sizes(input), low, high, interior)
        super().__init__(input, want, value=fill, low=low, high=high, interior=interior)

    def verify_(self) -> None:
        super().verify_()
        extents = sizes(self.input)
        amounts = {"low": ints(self.low), "high": ints(self.high), "interior": ints(self.interior)}
        for name, each in amounts.items():
            require_one_each(self, name, each, len(extents))
        require_value(self, self.value, element(self.input))
        self.require_shape(self.result, padded(extents, *amounts.values()), "the result")


@irdl_op_definition
class TileOp(MovementOp):
    """
    Repeats the whole operand `repeats[i]` times along axis `i`. Contract: *Tile*.

    ```mlir
    %1 = ptir.tile %0 [2, 1] : tensor<4x6xf32> -> tensor<8x6xf32>
    ```
    """

    name = "ptir.tile"
    repeats = prop_def(DenseArrayBase.constr(i64))
    custom_directives = (Axes,)
    assembly_format = "$input custom<Axes>($repeats) attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, repeats: Sequence[int]):
        want = [product(s, n) for s, n in zip(sizes(input), repeats, strict=True)]
        super().__init__(input, want, repeats=repeats)

    def verify_(self) -> None:
        super().verify_()
        repeats, extents = ints(self.repeats), sizes(self.input)
        require_one_each(self, "repeats", repeats, len(extents))
        self.require_shape(self.result, [product(s, n) for s, n in zip(extents, repeats, strict=True)], "the result")


class CountOp(AxisOp, abc.ABC):
    """Base of ops that return the indices along `axis`. The sizes are numbers or names."""

    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    assembly_format = "`axis` $axis attr-dict `:` type($result)"

    def __init__(self, dtype: Attribute, sizes_: Sequence[Size], axis: int):
        super().__init__([], [tensor_type(dtype, sizes_)], axis=axis)

    def verify_(self) -> None:
        self.axis()
        require_domain(self, element(self.result), "number")
        if None in (got := sizes(self.result)):
            raise UndeterminedSize(self, axis=got.index(None), why="no operand determines it")


@irdl_op_definition
class IotaOp(CountOp):
    """
    Counts 0, 1, 2, … along `axis`; the numbers repeat along all other axes. Contract: *Iota*.

    The element type is any type but `i1`. The contract does not define counts that the element type cannot represent: integers
    wrap (as in StableHLO's interpreter); floats round to nearest even, and beyond their range become infinite, or NaN in
    f8E4M3FN, which has no infinity. The sizes are numbers or names.

    ```mlir
    %0 = ptir.iota axis 1 : tensor<4x6xsi32>
    ```
    """

    name = "ptir.iota"


# --- shared verifiers ---------------------------------------------------------------------------


def require_reshape(op: TensorOp, source: Sequence[Size], result: Sequence[Size]) -> None:
    """Checks that the result may have as many elements as the operand, and that at most one size must be inferred."""
    if result.count(None) > 1:
        axis = [a for a, s in enumerate(result) if s is None][1]
        raise UndeterminedSize(op, axis=axis, why="only one size can be inferred")
    if None in result and 0 in result:
        raise UndeterminedSize(op, axis=result.index(None), why="a size beside an extent of 0 cannot be inferred")
    if not may_hold_as_many(result, source):
        raise ElementCountMismatch(op, what="the result", got=count_text(result), want=count_text(source))


def require_broadcast(op: TensorOp, source: Sequence[Size], result: Sequence[Size]) -> None:
    """Checks a right-aligned broadcast: each size of the operand may be 1 or equal to the result's."""
    if len(source) > len(result):
        raise NotBroadcastable(
            op, got=sizes_text(source), want=sizes_text(result), a=sizes_text(source), b=sizes_text(result)
        )
    aligned = (*[1] * (len(result) - len(source)), *source)
    for axis, (a, b) in enumerate(zip(aligned, result, strict=True)):
        if a != 1 and not may_be_equal(a, b):
            raise NotBroadcastable(op, got=sizes_text(source), want=sizes_text(result), a=a, b=b)
        if a == 1 and b is None:
            raise UndeterminedSize(op, axis=axis, why="the operand lacks this axis")


def require_one_each(op: TensorOp, name: str, amounts: Sequence[int], rank: int) -> None:
    """Checks that the parameter `name` has one number for each of `rank` axes, and that none is negative."""
    check_rank(op, f"'{name}'", len(amounts), rank)
    for amount in amounts:
        check_attribute(op, amount >= 0, name, f"holds {amount}", "sizes and offsets are not negative")


def require_value(op: TensorOp, value: ScalarAttr, want: Attribute) -> None:
    """Checks that a padding value has element type `want`."""
    if value.dtype != want:
        raise DtypeMismatch(op, what="the value", got=value.dtype, want=want)


def require_window(
    op: TensorOp, name: str, starts: Sequence[int], extents: Sequence[Size], window: Sequence[Size]
) -> None:
    """Checks that a window that starts at `starts` is inside the operand. Errors call the starts `name`."""
    require_one_each(op, name, starts, len(extents))
    check_rank(op, "the result", len(window), len(extents))
    for axis, (start, size, extent) in enumerate(zip(starts, window, extents, strict=True)):
        require_inside(op, axis, start, size, extent)


def require_inside(op: TensorOp, axis: int, start: int, size: Size, extent: Size) -> None:
    """Checks that a window is inside the axis, as far as the sizes are known statically."""
    known = size if isinstance(size, int) else 0
    outside = start + known > extent if isinstance(extent, int) else size == extent and size is not None and start > 0
    if outside:
        window = "?" if size is None else size
        raise WindowTooLarge(op, axis=axis, start=start, size=window, extent=extent)


def joined(parts: Sequence[Sequence[Size]], axis: int) -> list[Size]:
    """Returns the sizes of a concatenation: the sum along `axis`; along other axes, the most precise of the equal sizes."""
    out = [merge(*column) for column in zip(*parts, strict=False)]
    if -len(out) <= axis < len(out):
        out[axis] = reduce(plus, [part[axis] for part in parts])
    return out


def padded(extents: Sequence[Size], low: Sequence[int], high: Sequence[int], interior: Sequence[int]) -> list[Size]:
    """Returns the sizes of a tensor of sizes `extents` after padding."""
    return [
        low_ + extent + high_ + max(extent - 1, 0) * between
        if isinstance(extent, int)
        else plus(extent, low_ + high_)
        if between == 0
        else None
        for extent, low_, high_, between in zip(extents, low, high, interior, strict=True)
    ]
