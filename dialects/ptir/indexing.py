"""
Ops that read or write at indices given by an operand. Contract: *Indexing ops*, *Dynamic slice/update*.

Indices are integers of 32 or 64 bits, signed or signless. Unless the op clamps its indices, an index out of range is a run-time
error, which reports its position and value. (In StableHLO such reads are undefined, and such writes are skipped.)
"""

from __future__ import annotations

import abc
from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import Pure

from ..common.checks import check_rank, check_type
from ..common.report import check_number
from ..common.shapes import element, normalize_axis
from .base import AnyTensor, AxisOp, SameType, TensorOp
from .dims import Size, sizes, tensor_type
from .domains import is_index
from .movement import require_inside


class IndexingOp(TensorOp, abc.ABC):
    """Base of ops that read or write operand 0 at indices given by another operand."""

    traits = traits_def(Pure())

    def require_indices(self, value: SSAValue, what: str) -> None:
        dtype = element(value)
        check_type(self, is_index(dtype), f"the element type of {what}", dtype, "indices are si32 or si64")


class AlongAxisOp(IndexingOp, AxisOp, abc.ABC):
    """Base of ops whose tensor of indices has the rank of operand 0 and, except along one axis, its sizes."""

    def require_beside_axis(self, x: SSAValue, indices: SSAValue) -> None:
        self.require_indices(indices, "the indices")
        axis = self.axis()
        self.require_shape(indices, [None if a == axis else s for a, s in enumerate(sizes(x))], "the tensor of indices")


@irdl_op_definition
class TakeOp(IndexingOp):
    """
    Returns rows of `x`: `out[i..., j...] = x[indices[i...], j...]`. Contract: *Take*.

    ```mlir
    %2 = ptir.take %table, %tokens : (tensor<512x64xf32>, tensor<2x8xsi32>) -> tensor<2x8x64xf32>
    ```
    """

    name = "ptir.take"
    x = operand_def(AnyTensor)
    indices = operand_def(AnyTensor)
    result = result_def(AnyTensor)
    assembly_format = "$x `,` $indices attr-dict `:` `(` type($x) `,` type($indices) `)` `->` type($result)"

    def __init__(self, x: SSAValue, indices: SSAValue):
        super().__init__([x, indices], [tensor_type(element(x), sizes(indices) + sizes(x)[1:])])

    def verify_(self) -> None:
        self.require_indices(self.indices, "the indices")
        normalize_axis(self, 0, len(sizes(self.x)))
        self.require_tensor(self.result, element(self.x), sizes(self.indices) + sizes(self.x)[1:], "the result")


@irdl_op_definition
class GatherOp(AlongAxisOp):
    """
    `out[i] = x[i with i[axis] replaced by indices[i]]`, like `torch.gather`, but `x` and `indices` have equal sizes along
    all other axes. Contract: *Gather*.

    `report`, which `form-regions` sets, is the number with which a kernel reports an index out of range. Without it the indices are
    known to be in range.

    ```mlir
    %2 = ptir.gather %x, %i axis 1 : (tensor<4x6xf32>, tensor<4x2xsi64>) -> tensor<4x2xf32>
    ```
    """

    name = "ptir.gather"
    x = operand_def(AnyTensor)
    indices = operand_def(AnyTensor)
    report = opt_prop_def(IntegerAttr.constr(i64))
    result = result_def(AnyTensor)
    assembly_format = "$x `,` $indices `axis` $axis (`report` $report^)? attr-dict `:` `(` type($x) `,` type($indices) `)` `->` type($result)"

    def __init__(self, x: SSAValue, indices: SSAValue, axis: int):
        super().__init__([x, indices], [tensor_type(element(x), sizes(indices))], axis=axis)

    @property
    def failure(self) -> str:
        """How the op fails, a word of `FAILURES`."""
        return "index"

    def verify_(self) -> None:
        self.require_beside_axis(self.x, self.indices)
        self.require_tensor(self.result, element(self.x), sizes(self.indices), "the result")
        if self.report is not None:
            check_number(self, self.report)


class DynamicWindowOp(IndexingOp, abc.ABC):
    """Base of ops on a window of `x` whose start is an operand."""

    def require_window(self, x: SSAValue, window: SSAValue, what: str, start: SSAValue) -> None:
        extents = sizes(x)
        self.require_indices(start, "the start")
        self.require_shape(start, [len(extents)], "the start")
        self.require_element(window, element(x), what)
        check_rank(self, what, len(sizes(window)), len(extents))
        for axis, (size, extent) in enumerate(zip(sizes(window), extents, strict=True)):
            require_inside(self, axis, 0, size, extent)


@irdl_op_definition
class DynamicSliceOp(DynamicWindowOp):
    """
    Returns the window of `x` at `start` that has the result's sizes. Contract: *DynamicSlice*.

    Along each axis, the start is clamped so that the window lies inside `x`. A size `?` without a name stands for the whole axis
    of `x`. A window larger than `x` is a run-time error.

    ```mlir
    %2 = ptir.dynamic_slice %x, %start : (tensor<4x6xf32>, tensor<2xsi32>) -> tensor<1x6xf32>
    ```
    """

    name = "ptir.dynamic_slice"
    x = operand_def(AnyTensor)
    start = operand_def(AnyTensor)
    result = result_def(AnyTensor)
    assembly_format = "$x `,` $start attr-dict `:` `(` type($x) `,` type($start) `)` `->` type($result)"

    def __init__(self, x: SSAValue, start: SSAValue, sizes_: Sequence[Size]):
        super().__init__([x, start], [tensor_type(element(x), sizes_)])

    def verify_(self) -> None:
        self.require_window(self.x, self.result, "the result", self.start)


@irdl_op_definition
class DynamicUpdateSliceOp(DynamicWindowOp):
    """
    Returns `x` with the window at `start` replaced by `update`. The start is clamped as in `ptir.dynamic_slice`.
    Contract: *DynamicUpdateSlice*.

    ```mlir
    %3 = ptir.dynamic_update_slice %x, %update, %start : tensor<4x6xf32>, tensor<1x6xf32>, tensor<2xsi32>
    ```
    """

    name = "ptir.dynamic_update_slice"
    x = operand_def(SameType)
    update = operand_def(AnyTensor)
    start = operand_def(AnyTensor)
    result = result_def(SameType)
    assembly_format = "$x `,` $update `,` $start attr-dict `:` type($x) `,` type($update) `,` type($start)"

    def __init__(self, x: SSAValue, update: SSAValue, start: SSAValue):
        super().__init__([x, update, start], [x.type])

    def verify_(self) -> None:
        self.require_window(self.x, self.update, "the update", self.start)
