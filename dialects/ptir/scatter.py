"""
Ops that reduce values into elements given by indices. Contract: *ScatterAdd*, *ScatterReduce*, *SegmentReduce*.

Sums are accumulated as in `ptir.reduce`, in the default accumulator type unless the op has another. Their order affects only the
rounding. An index out of range is a run-time error. Kernels compare every index with every element, update elements of integers
atomically, or sort the indices (`docs/kernels/maps.md`).
"""

from __future__ import annotations

import abc
from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from ...errors import AxisOutOfRange, NotAscending, UndeterminedSize
from ..common.atomics import is_atomic
from ..common.checks import check_attribute, check_rank, check_word
from ..common.report import check_number
from ..common.shapes import element, normalize_axes, normalize_axis
from ..common.syntax import Axes, Keyword, ints
from .base import AnyTensor, SameType, default_accum, require_extensions
from .dims import Size, sizes, tensor_type
from .domains import require_domain, require_kind
from .indexing import AlongAxisOp, IndexingOp
from .movement import require_inside

SCATTERS = {"add": "number", "max": "real", "min": "real", "replace": "any", "mul": "number"}
"""The domain of each kind of `ptir.scatter_reduce`."""
SEGMENTS = {"sum": "number", "max": "real", "min": "real"}
"""The domain of each kind of `ptir.segment_reduce`."""


class FoldOp(IndexingOp, abc.ABC):
    """Base of ops that reduce values into the elements of their result."""

    def require_kind(self, kind: str, kinds: dict[str, str]) -> None:
        check_word(self, "kind", kind, kinds)
        require_domain(self, element(self.operands[0]), kinds[kind])


@irdl_op_definition
class ScatterReduceOp(FoldOp, AlongAxisOp):
    """
    Returns `x` with the updates reduced into it: `out[i with i[axis] replaced by indices[i]] ∘= updates[i]`, like
    `torch.scatter_reduce`, but all axes other than `axis` have equal sizes. Contract: *ScatterReduce*.

    The kinds are `add`, `max`, `min`, `replace`, and `mul`, which is an extension of the contract. `max` and `min` are NaN if a
    value is NaN, as in `ptir.maximum`. If several updates `replace` the same element, the last one in row-major order remains;
    the contract leaves this to backends. Sums and products are accumulated in the default accumulator type of `ptir.reduce` (f32
    for floats of 8 and 16 bits), and rounded once to the type of `x`.

    Kernels compute `add`, `max` and `min` of integers of 32 and 64 bits by atomic operations; `ptir-to-tiny` keeps such ops. `report`,
    which `form-regions` sets, is the number with which a kernel reports an index out of range, as for `ptir.gather`.

    ```mlir
    %3 = ptir.scatter_reduce add %x, %i, %u axis 0 : tensor<8x6xf32>, tensor<2x6xsi32>, tensor<2x6xf32>
    ```
    """

    name = "ptir.scatter_reduce"
    kind = prop_def(StringAttr)
    x = operand_def(SameType)
    indices = operand_def(AnyTensor)
    updates = operand_def(AnyTensor)
    report = opt_prop_def(IntegerAttr.constr(i64))
    result = result_def(SameType)
    custom_directives = (Keyword,)
    assembly_format = (
        "custom<Keyword>($kind) $x `,` $indices `,` $updates `axis` $axis (`report` $report^)? attr-dict "
        "`:` type($x) `,` type($indices) `,` type($updates)"
    )

    def __init__(self, kind: str, x: SSAValue, indices: SSAValue, updates: SSAValue, axis: int):
        super().__init__([x, indices, updates], [x.type], kind=kind, axis=axis)

    @property
    def failure(self) -> str:
        """How the op fails, a word of `FAILURES`."""
        return "index"

    @property
    def is_atomic(self) -> bool:
        """Whether a kernel can combine the updates by atomic operations, whose order does not change the result."""
        return is_atomic(self.kind.data, element(self.x))

    def verify_(self) -> None:
        self.require_kind(self.kind.data, SCATTERS)
        if self.kind.data == "mul":
            require_extensions(self, f"{self.name} mul")
        self.require_beside_axis(self.x, self.indices)
        self.require_tensor(self.updates, element(self.x), sizes(self.indices), "the tensor of updates")
        if self.report is not None:
            check_number(self, self.report)


@irdl_op_definition
class ScatterAddOp(FoldOp):
    """
    Adds windows of updates to `x` at starts given by vectors of indices: XLA's scatter with a sum. Contract: *ScatterAdd*; the
    dimension numbers and their rules are those of StableHLO's `scatter`.

    Axis `index_vector_dim` of the indices holds the vectors; if it is the rank of the indices, which is the default, each index
    is a vector of one entry. Entry `k` of a vector is the start of the window on axis `scatter_dims_to_operand_dims[k]` of `x`;
    on other axes the start is 0. The axes `update_window_dims` of the updates are those of the window; their other axes are those
    of the indices without `index_vector_dim`. The window has size 1 on the axes `inserted_window_dims` of `x`, which the updates
    lack. A window outside `x` is a run-time error (StableHLO skips it). Sums are accumulated in the default accumulator type of
    `ptir.reduce`, and rounded once to the type of `x`.

    ```mlir
    %3 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1
      : tensor<8x6xf32>, tensor<2x1xsi32>, tensor<2x6xf32>
    ```
    """

    name = "ptir.scatter_add"
    x = operand_def(SameType)
    indices = operand_def(AnyTensor)
    updates = operand_def(AnyTensor)
    window_attr = prop_def(DenseArrayBase.constr(i64), prop_name="update_window_dims")
    inserted_attr = prop_def(DenseArrayBase.constr(i64), prop_name="inserted_window_dims")
    scattered_attr = prop_def(DenseArrayBase.constr(i64), prop_name="scatter_dims_to_operand_dims")
    vector_attr = opt_prop_def(IntegerAttr[IntegerType].constr(i64), prop_name="index_vector_dim")
    result = result_def(SameType)
    custom_directives = (Axes,)
    assembly_format = (
        "$x `,` $indices `,` $updates `update_window_dims` custom<Axes>($update_window_dims) "
        "`inserted_window_dims` custom<Axes>($inserted_window_dims) "
        "`scatter_dims_to_operand_dims` custom<Axes>($scatter_dims_to_operand_dims) "
        "(`index_vector_dim` $index_vector_dim^)? attr-dict `:` type($x) `,` type($indices) `,` type($updates)"
    )

    def __init__(
        self,
        x: SSAValue,
        indices: SSAValue,
        updates: SSAValue,
        update_window_dims: Sequence[int],
        inserted_window_dims: Sequence[int],
        scatter_dims_to_operand_dims: Sequence[int],
        index_vector_dim: int | None = None,
    ):
        super().__init__(
            [x, indices, updates],
            [x.type],
            update_window_dims=update_window_dims,
            inserted_window_dims=inserted_window_dims,
            scatter_dims_to_operand_dims=scatter_dims_to_operand_dims,
            index_vector_dim=index_vector_dim,
        )

    def index_vector_dim(self) -> int:
        """Returns the axis of the indices that holds vectors; the rank of the indices if each index is a vector."""
        rank = len(sizes(self.indices))
        if self.vector_attr is None or (axis := self.vector_attr.value.data) == rank:
            return rank
        if not -rank <= axis < rank:
            raise AxisOutOfRange(self, axis=axis, rank=rank, help=f"axes run from {-rank} to {rank}")
        return axis % rank

    def update_window_dims(self) -> tuple[int, ...]:
        return self._axes("update_window_dims", self.window_attr, self.updates)

    def inserted_window_dims(self) -> tuple[int, ...]:
        return self._axes("inserted_window_dims", self.inserted_attr, self.x)

    def scatter_dims_to_operand_dims(self) -> tuple[int, ...]:
        return self._axes("scatter_dims_to_operand_dims", self.scattered_attr, self.x)

    def _axes(self, name: str, axes: DenseArrayBase[IntegerType], of: SSAValue) -> tuple[int, ...]:
        return normalize_axes(self, ints(axes), len(sizes(of)), name)

    def window_axes(self) -> tuple[int, ...]:
        """Returns the axes of `x` that the window covers."""
        inserted = self.inserted_window_dims()
        return tuple(a for a in range(len(sizes(self.x))) if a not in inserted)

    def verify_(self) -> None:
        require_domain(self, element(self.x), "number")
        self.require_indices(self.indices, "the indices")
        self.require_element(self.updates, element(self.x), "the tensor of updates")
        window, inserted = self.update_window_dims(), self.inserted_window_dims()
        scattered = self.scatter_dims_to_operand_dims()
        for name, axes in (("update_window_dims", window), ("inserted_window_dims", inserted)):
            if list(axes) != sorted(axes):
                raise NotAscending(self, name=name, got=list(axes))
        extents = sizes(self.x)
        complete = len(window) + len(inserted) == len(extents)
        problem = f"and 'inserted_window_dims' are {list(window)} and {list(inserted)} for an x of rank {len(extents)}"
        help = "each axis of x is inserted or has one axis of the updates"
        check_attribute(self, complete, "update_window_dims", problem, help)
        vectors, at = sizes(self.indices), self.index_vector_dim()
        length: Size = vectors[at] if at < len(vectors) else 1
        if isinstance(length, int):
            problem = f"is {list(scattered)} for vectors of length {length}"
            help = "give one axis of x for each index of a vector"
            check_attribute(self, length == len(scattered), "scatter_dims_to_operand_dims", problem, help)
        rest = iter([s for a, s in enumerate(vectors) if a != at])
        rank = len(window) + len(vectors) - (at < len(vectors))
        check_rank(self, "the tensor of updates", len(sizes(self.updates)), rank)
        want = [None if a in window else next(rest) for a in range(rank)]
        self.require_shape(self.updates, want, "the tensor of updates")
        for axis, of in zip(self.window_axes(), window, strict=True):
            require_inside(self, axis, 0, sizes(self.updates)[of], extents[axis])
        for axis in inserted:
            require_inside(self, axis, 0, 1, extents[axis])


@irdl_op_definition
class SegmentReduceOp(FoldOp):
    """
    Reduces the rows of each segment by `sum`, `max` or `min`: `out[s, ...]` is the reduction of the rows `x[i, ...]` with
    `segment_ids[i] = s`. Contract: *SegmentReduce*.

    A segment without rows is the identity of the reduction, as for `ptir.reduce`: 0 for `sum`, the least value of the type for
    `max`, the greatest for `min`. Values are accumulated in type `accum`, by default as for `ptir.reduce`; the result has the
    type of `x`. `sorted` asserts that the ids are ascending, `unique` that they are distinct; if not, it is a run-time error.
    `min` is an extension of the contract, but needs no `ptir.extensions`.

    ```mlir
    %2 = ptir.segment_reduce sum %x, %ids accum f32 sorted : (tensor<6x4xbf16>, tensor<6xsi32>) -> tensor<3x4xbf16>
    ```
    """

    name = "ptir.segment_reduce"
    kind = prop_def(StringAttr)
    x = operand_def(AnyTensor)
    segment_ids = operand_def(AnyTensor)
    accum_dtype = opt_prop_def(TypeAttribute)
    indices_are_sorted = opt_prop_def(UnitAttr)
    unique = opt_prop_def(UnitAttr)
    result = result_def(AnyTensor)
    custom_directives = (Keyword,)
    assembly_format = (
        "custom<Keyword>($kind) $x `,` $segment_ids (`accum` $accum_dtype^)? (`sorted` $indices_are_sorted^)? "
        "(`unique` $unique^)? attr-dict `:` `(` type($x) `,` type($segment_ids) `)` `->` type($result)"
    )

    def __init__(
        self,
        kind: str,
        x: SSAValue,
        segment_ids: SSAValue,
        num_segments: Size,
        *,
        accum: Attribute | None = None,
        indices_are_sorted: bool = False,
        unique: bool = False,
    ):
        super().__init__(
            [x, segment_ids],
            [tensor_type(element(x), [num_segments, *sizes(x)[1:]])],
            kind=kind,
            accum_dtype=accum,
            indices_are_sorted=indices_are_sorted,
            unique=unique,
        )

    @property
    def accum(self) -> Attribute:
        return self.accum_dtype or default_accum(element(self.x))

    @property
    def num_segments(self) -> Size:
        return sizes(self.result)[0]

    def verify_(self) -> None:
        self.require_kind(self.kind.data, SEGMENTS)
        require_kind(self, self.accum, element(self.x), "accum")
        self.require_indices(self.segment_ids, "the segment ids")
        normalize_axis(self, 0, len(sizes(self.x)))
        self.require_shape(self.segment_ids, sizes(self.x)[:1], "the tensor of segment ids")
        self.require_tensor(self.result, element(self.x), [None, *sizes(self.x)[1:]], "the result")
        if self.num_segments is None:
            raise UndeterminedSize(self, axis=0, why="no operand determines the number of segments")
