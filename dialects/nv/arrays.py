"""Arrays in shared memory, and accesses of single elements by their places in row-major order."""

from __future__ import annotations

import abc

from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import AnyAttr, base, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

from ..common.checks import check_attribute, check_type
from ..common.ops import DialectOp
from ..common.shapes import memref_of, signless


@irdl_op_definition
class SharedArrayOp(DialectOp):
    """
    Declares an array at an offset of shared memory, in bytes. It is uninitialized at first. Arrays that are used at different times may
    overlap.

    ```mlir
    %0 = nv.shared_array at 1024 : memref<16x64xf32>
    ```
    """

    name = "nv.shared_array"
    offset = prop_def(IntegerAttr.constr(i64))
    result = result_def(base(MemRefType))
    assembly_format = "`at` $offset attr-dict `:` type($result)"

    def __init__(self, offset: int, t: MemRefType[Attribute]):
        super().__init__([], [t], offset=offset)

    def verify_(self) -> None:
        offset, t = self.offset.value.data, memref_of(self.result)
        check_attribute(self, offset >= 0 and offset % 16 == 0, "offset", f"is {offset}", "a multiple of 16 bytes")
        check_type(self, t.has_static_shape(), "the array", t, "its size must be static")


class ElementOp(DialectOp, abc.ABC):
    """Base of accesses of the element of an array that has the number `index` in row-major order. An access must be inside the array."""

    memref = operand_def(base(MemRefType))
    index = operand_def(IndexType)

    def check_element(self, got: Attribute) -> None:
        """Checks the type of an element: integers of a kernel have no sign."""
        want = signless(memref_of(self.memref).element_type)
        check_type(self, got == want, "the element", got, f"expected {want}")


@irdl_op_definition
class LoadElementOp(ElementOp):
    """
    Loads an element.

    ```mlir
    %1 = nv.load_element %0[%i] : memref<16x64xf32>, f32
    ```
    """

    name = "nv.load_element"
    result = result_def(AnyAttr())
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$memref `[` $index `]` attr-dict `:` type($memref) `,` type($result)"

    def __init__(self, memref: SSAValue, index: SSAValue):
        super().__init__([memref, index], [signless(memref_of(memref).element_type)])

    def verify_(self) -> None:
        self.check_element(self.result.type)


@irdl_op_definition
class StoreElementOp(ElementOp):
    """
    Stores an element.

    ```mlir
    nv.store_element %v, %0[%i] : f32, memref<16x64xf32>
    ```
    """

    name = "nv.store_element"
    value = operand_def(AnyAttr())
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$value `,` $memref `[` $index `]` attr-dict `:` type($value) `,` type($memref)"

    def __init__(self, value: SSAValue, memref: SSAValue, index: SSAValue):
        super().__init__([value, memref, index])

    def verify_(self) -> None:
        self.check_element(self.value.type)
