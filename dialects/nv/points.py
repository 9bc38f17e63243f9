"""
Ops in the body of an epilogue that depend on the point of the current element: they return its row and column, test whether the
point is in a set, evaluate an affine function of the point, or load or update the element at the point. A point can have further axes,
whose indices are the variables of loops in the body. `nv.report` tells the host that an element has no value.

```mlir
nv.epilogue[%m, %n] in [64, 70] dims [0, 1] guard [1] tile [1, 64] outs(%y : memref<64x70xf32>) addresses […] widths [1] {
  %row, %column = nv.point
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %r = %c0 to %c9 step %c1 iter_args(%s = %zero) -> (f32) {
    %inside = nv.inside [%row, %column, %r] in [64, 70, 9] where <"{ [i0, i1, i2] : i0 >= i2 }">
    %e = nv.ld_global %x[%row, %column, %r] at <"{ [i0, i1, i2] -> [(70i0 + i1 - 70i2)] }"> in [64, 70, 9] if %inside : memref<64x70xf32> -> f32
    %t = arith.addf %s, %e : f32
    scf.yield %t : f32
  }
  nv.yield %sum : f32
}
```
"""

from __future__ import annotations

import abc
from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    UnitAttr,
    i1,
    i32,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    VarConstraint,
    base,
    eq,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, OpTrait, Pure

from ...targets.mma import element_bytes
from ..common.atomics import check_atomic
from ..common.checks import check, check_count, check_type, check_value
from ..common.ops import DialectOp
from ..common.report import check_failure, check_number, check_status
from ..common.shapes import memref_of, signless
from ..common.syntax import Axes, Keyword, ints
from ..poly import MapAttr, SetAttr
from .epilogue import ElementsOp
from .roles import SingleOp, enclosing
from .types import global_memref

Scalar = VarConstraint("Scalar", AnyAttr())
WORD_BYTES = 4
VECTOR_BYTES = 16
"""Size of the widest access to memory."""


class InEpilogue(OpTrait):
    """The op belongs in the body of an `nv.epilogue` or `nv.map`, at any depth of loops."""

    def verify(self, op: Operation) -> None:
        check(op, enclosing(op, ElementsOp) is not None, "belongs in the body of an nv.epilogue or nv.map")


class OfThread(OpTrait):
    """The op belongs in the body of an `nv.epilogue` or `nv.map`, or in an `nv.single`."""

    def verify(self, op: Operation) -> None:
        inside = enclosing(op, ElementsOp) or enclosing(op, SingleOp)
        check(op, inside is not None, "belongs in the body of an nv.epilogue or nv.map, or in an nv.single")


@irdl_op_definition
class PointOp(DialectOp):
    """
    Returns the row and the column of the current element: its coordinates along the two axes `dims` of the epilogue's space.

    ```mlir
    %row, %column = nv.point
    ```
    """

    name = "nv.point"
    row = result_def(IndexType)
    column = result_def(IndexType)
    traits = traits_def(InEpilogue(), Pure())
    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__([], [IndexType(), IndexType()])


class AtPointOp(DialectOp, abc.ABC):
    """Base of ops that take a point of an index space. The result is undefined if the point is outside the box `bounds`."""

    indices = var_operand_def(IndexType)
    bounds = prop_def(DenseArrayBase.constr(i64))

    def verify_(self) -> None:
        rank, bounds = len(self.indices), ints(self.bounds)
        check_count(self, len(bounds) == rank, "'in'", f"one size for each index ({rank})", len(bounds))
        check_value(self, min(bounds, default=1) >= 1, "in", list(bounds), "sizes are at least 1")


@irdl_op_definition
class ExchangeRowsOp(DialectOp):
    """
    Returns the value that another lane computes for the element in the same column, in row r XOR `by` instead of r (PTX ISA §9.7.9.6,
    `shfl.sync.bfly`). All lanes of the warp take part. The accumulator of the epilogue has adjacent rows in different lanes.

    ```mlir
    %1 = nv.exchange_rows %0 by 2 : f32
    ```
    """

    name = "nv.exchange_rows"
    value = operand_def(Scalar)
    by = prop_def(IntegerAttr.constr(i64))
    result = result_def(Scalar)
    traits = traits_def(InEpilogue())
    assembly_format = "$value `by` $by attr-dict `:` type($result)"

    def __init__(self, value: SSAValue, by: int):
        super().__init__([value], [value.type], by=by)

    @property
    def lanes(self) -> int | None:
        """The XOR of the numbers of the lanes that exchange, or None if the two rows are not in different lanes of a warp."""
        op = enclosing(self, ElementsOp)
        like = op.like if isinstance(op, ElementsOp) else None
        return None if like is None else like.layout.lanes_apart(self.by.value.data)

    def verify_(self) -> None:
        words = element_bytes(self.value.type) == WORD_BYTES
        check_type(self, words, "the value", self.value.type, f"lanes exchange {WORD_BYTES} bytes")
        help = "a power of two, less than the adjacent rows that lanes of the epilogue's fragment hold"
        check_value(self, self.lanes is not None, "by", self.by.value.data, help)


@irdl_op_definition
class InsideOp(AtPointOp):
    """
    Whether a point lies in a set.

    ```mlir
    %0 = nv.inside [%row, %column] in [64, 70] where <"{ [i0, i1] : i0 >= i1 }">
    ```
    """

    name = "nv.inside"
    where = prop_def(SetAttr)
    result = result_def(i1)
    traits = traits_def(InEpilogue(), Pure())
    custom_directives = (Axes,)
    assembly_format = "`[` $indices `]` `in` custom<Axes>($bounds) `where` $where attr-dict"

    def __init__(self, indices: Sequence[SSAValue], bounds: Sequence[int], where: str):
        super().__init__([indices], [i1], bounds=bounds, where=SetAttr(where))


@irdl_op_definition
class ReportOp(DialectOp):
    """
    Returns `value`. If `failed` is true, the status word becomes the maximum of its value and `number`. With `width`, the elements of
    vectors of so many columns fail together, and only the first reports.

    ```mlir
    %1 = nv.report division %0 if %zero number 2 to %status : i32, memref<1xi32>
    ```
    """

    name = "nv.report"
    failure = prop_def(StringAttr)
    value = operand_def(Scalar)
    failed = operand_def(i1)
    status = operand_def(base(MemRefType))
    number = prop_def(IntegerAttr.constr(i64))
    width = opt_prop_def(IntegerAttr.constr(i64))
    result = result_def(Scalar)
    traits = traits_def(InEpilogue(), MemoryWriteEffect())
    custom_directives = (Keyword,)
    assembly_format = (
        "custom<Keyword>($failure) $value `if` $failed `number` $number `to` $status (`width` $width^)? attr-dict "
        "`:` type($value) `,` type($status)"
    )

    def __init__(
        self, failure: str, value: SSAValue, failed: SSAValue, status: SSAValue, number: int, width: int | None = None
    ):
        super().__init__([value, failed, status], [value.type], failure=failure, number=number, width=width)

    def verify_(self) -> None:
        check_failure(self, self.failure)
        check_number(self, self.number)
        check_status(self, self.status)
        check_width(self, self.width)


def check_width(op: Operation, width: IntegerAttr | None) -> None:
    """Checks the number of columns of a vector whose elements an op in a body treats together."""
    if width is None:
        return
    number, parent = width.value.data, op.parent_op()
    check(op, isinstance(parent, ElementsOp), "with 'width' belongs directly in the body of an nv.epilogue or nv.map")
    limit = parent.vector if isinstance(parent, ElementsOp) else 1
    help = f"2, 4 or 8, and at most the {limit} contiguous elements that a thread computes"
    check_value(op, number in (2, 4, 8) and number <= limit, "width", number, help)


@irdl_op_definition
class AffineOp(AtPointOp):
    """
    Evaluates a quasi-affine map with one output at a point, modulo 2^width of the result type.

    ```mlir
    %0 = nv.affine [%row, %column] by <"{ [i0, i1] -> [(70i0 + i1)] }"> in [64, 70] : i32
    ```
    """

    name = "nv.affine"
    map = prop_def(MapAttr)
    result = result_def(eq(i32) | eq(i64))
    traits = traits_def(InEpilogue(), Pure())
    custom_directives = (Axes,)
    assembly_format = "`[` $indices `]` `by` $map `in` custom<Axes>($bounds) attr-dict `:` type($result)"

    def __init__(self, indices: Sequence[SSAValue], map: str, bounds: Sequence[int], t: IntegerType):
        super().__init__([indices], [t], map=MapAttr(map), bounds=bounds)


@irdl_op_definition
class LdGlobalOp(AtPointOp):
    """
    Loads an element of a memref; the map `at` takes a point, or the indices of a single thread, to the element's offset. If the predicate
    is false, memory is not read and the result is zero. With `width`, one access loads the elements of so many columns, which are contiguous
    and aligned in memory: the other indices, and the predicate, are the same for all columns.

    ```mlir
    %0 = nv.ld_global %x[%row, %column] at <"{ [i0, i1] -> [(70i0 + i1)] }"> in [64, 70] if %inside : memref<64x70xbf16> -> bf16
    ```
    """

    name = "nv.ld_global"
    memref = operand_def(base(MemRefType))
    predicate = opt_operand_def(i1)
    at = prop_def(MapAttr)
    width = opt_prop_def(IntegerAttr.constr(i64))
    result = result_def()
    traits = traits_def(OfThread(), MemoryReadEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (Axes,)
    assembly_format = (
        "$memref `[` $indices `]` `at` $at `in` custom<Axes>($bounds) (`width` $width^)? (`if` $predicate^)? attr-dict "
        "`:` type($memref) `->` type($result)"
    )

    def __init__(
        self,
        memref: SSAValue,
        indices: Sequence[SSAValue],
        at: str,
        bounds: Sequence[int],
        predicate: SSAValue | None = None,
        width: int | None = None,
    ):
        super().__init__(
            [memref, [] if predicate is None else [predicate], indices],
            [signless(memref_of(memref).element_type)],
            at=MapAttr(at),
            bounds=bounds,
            width=width,
        )

    def verify_(self) -> None:
        super().verify_()
        global_memref(self, self.memref)
        element = signless(memref_of(self.memref).element_type)
        check_type(self, self.result.type == element, "the element", self.result.type, f"the memref's is {element}")
        check_width(self, self.width)
        if self.width is not None:
            point = next((o for o in self.indices if isinstance(o.owner, PointOp) and o is o.owner.column), None)
            check(self, point is not None, "with 'width' takes the column of nv.point as an index")
            size = element_bytes(element) * self.width.value.data
            check_value(self, size <= VECTOR_BYTES, "width", f"{size} bytes", f"at most {VECTOR_BYTES} bytes an access")


@irdl_op_definition
class RedGlobalOp(AtPointOp):
    """
    Combines an element of a memref with `value` by an atomic `add`, `max` or `min`; the map `at` takes a point to the element's offset.
    If the predicate is false, nothing is updated. With `combined`, the threads of a warp that update the same element as the first
    of them combine their values, and one of them updates it. PTX ISA 9.7.13.7.

    ```mlir
    nv.red_global add %1, %y[%row, %column, %i] at <"{ [i0, i1, i2] -> [(i2)] }"> in [1, 70, 9] combined if %inside : i32, memref<9xsi32>
    ```
    """

    name = "nv.red_global"
    kind = prop_def(StringAttr)
    value = operand_def()
    memref = operand_def(base(MemRefType))
    predicate = opt_operand_def(i1)
    at = prop_def(MapAttr)
    combined = opt_prop_def(UnitAttr)
    traits = traits_def(InEpilogue(), MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (Axes, Keyword)
    assembly_format = (
        "custom<Keyword>($kind) $value `,` $memref `[` $indices `]` `at` $at `in` custom<Axes>($bounds) (`combined` $combined^)? "
        "(`if` $predicate^)? attr-dict `:` type($value) `,` type($memref)"
    )

    def __init__(
        self,
        kind: str,
        value: SSAValue,
        memref: SSAValue,
        indices: Sequence[SSAValue],
        at: str,
        bounds: Sequence[int],
        predicate: SSAValue | None = None,
        combined: bool = False,
    ):
        super().__init__(
            [value, memref, [] if predicate is None else [predicate], indices],
            kind=kind,
            at=MapAttr(at),
            bounds=bounds,
            combined=combined,
        )

    def verify_(self) -> None:
        super().verify_()
        global_memref(self, self.memref)
        dtype = memref_of(self.memref).element_type
        check_atomic(self, self.kind.data, dtype)
        check_type(
            self, self.value.type == signless(dtype), "the value", self.value.type, f"the memref's is {signless(dtype)}"
        )
