"""
Ops of the host function: buffers of zeros, the status word, predicates, rows of arrays, and custom calls.

```mlir
func.func @f(%p: memref<i1>, %xs: memref<8x4xf32>) -> memref<4xf32> {
  %status = region.zeros : memref<1xi32>
  %3 = arith.constant 3 : index
  %x = region.row %xs[%3] : memref<8x4xf32> -> memref<4xf32>
  %more = region.read %p : memref<i1>
  %r = scf.if %more -> (memref<4xf32>) {
    %y = memref.alloc() : memref<4xf32>
    region.custom_call "acme.scale.v1" ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attrs {factor = 2.0 : f64}
      as (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %y : memref<4xf32>
  } else {
    scf.yield %x : memref<4xf32>
  }
  region.check %status : memref<1xi32>
  func.return %r : memref<4xf32>
}
```

DESIGN §10.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DictionaryAttr, FunctionType, IndexType, MemRefType, StringAttr, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure

from ...errors import TypeMismatch, counted
from ..common.checks import check_count, check_type
from ..common.report import check_status
from ..common.shapes import memref_of
from ..ptir.calls import CustomCallOp as TensorCallOp
from ..ptir.calls import seen_call
from ..ptir.packed import stored_type
from ..ptir.tuples import leaves


@irdl_op_definition
class ZerosOp(IRDLOperation):
    """
    Allocates a buffer that is filled with zeros, such as a kernel's counters or a status word. (The contents of a `memref.alloc` are undefined.)

    ```mlir
    %count = region.zeros : memref<6xi32>
    ```
    """

    name = "region.zeros"
    result = result_def(base(MemRefType))
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, type: MemRefType[Attribute]):
        super().__init__(result_types=[type])

    def verify_(self) -> None:
        static = memref_of(self.result).has_static_shape()
        check_type(self, static, "the buffer", self.result.type, "its sizes must be known")


@irdl_op_definition
class CheckOp(IRDLOperation):
    """
    Raises the error of the op whose number is in a status word, or continues if the word is 0. A function has one, at its end.
    The functions that a program calls may share its status word; their checks are then those of the caller.

    ```mlir
    region.check %status : memref<1xi32>
    ```
    """

    name = "region.check"
    status = operand_def(base(MemRefType))
    assembly_format = "$status attr-dict `:` type($status)"

    def __init__(self, status: SSAValue):
        super().__init__(operands=[status])

    def verify_(self) -> None:
        check_status(self, self.status)


@irdl_op_definition
class ReadOp(IRDLOperation):
    """
    Waits until a predicate is computed, and reads it for a branch or a loop of the host.

    ```mlir
    %more = region.read %p : memref<i1>
    ```
    """

    name = "region.read"
    memref = operand_def(MemRefType.constr(i1))
    result = result_def(i1)
    assembly_format = "$memref attr-dict `:` type($memref)"

    def __init__(self, memref: SSAValue):
        super().__init__(operands=[memref], result_types=[i1])

    def verify_(self) -> None:
        check_type(
            self, memref_of(self.memref).get_shape() == (), "the predicate", self.memref.type, "its rank must be 0"
        )


@irdl_op_definition
class RowOp(IRDLOperation):
    """
    Returns row `index` of an array along its leading axis: another name for a part of its memory.

    ```mlir
    %x = region.row %xs[%i] : memref<8x4xf32> -> memref<4xf32>
    ```
    """

    name = "region.row"
    memref = operand_def(base(MemRefType))
    index = operand_def(IndexType)
    result = result_def(base(MemRefType))
    traits = traits_def(Pure())
    assembly_format = "$memref `[` $index `]` attr-dict `:` type($memref) `->` type($result)"

    def __init__(self, memref: SSAValue, index: SSAValue):
        t = memref_of(memref)
        super().__init__(operands=[memref, index], result_types=[MemRefType(t.element_type, t.get_shape()[1:])])

    def verify_(self) -> None:
        t = memref_of(self.memref)
        check_type(self, t.get_num_dims() > 0, "the array", t, "it must have a leading axis")
        if self.result.type != (want := MemRefType(t.element_type, t.get_shape()[1:])):
            raise TypeMismatch(self, what="the row", got=self.result.type, want=want)


@irdl_op_definition
class CustomCallOp(IRDLOperation):
    """
    Calls the Python function `target` (`ptir.custom_call`) on `ins`, and stores its results in `outs`. `signature` has the types of
    the tensors and tuples that the function takes and returns; memrefs hold 4-bit integers as bytes of two.

    ```mlir
    region.custom_call "acme.scale.v1" ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) attrs {factor = 2.0 : f64}
      as (tensor<4xf32>) -> tensor<4xf32>
    ```
    """

    name = "region.custom_call"
    target = prop_def(StringAttr)
    attrs = prop_def(DictionaryAttr)
    signature = prop_def(FunctionType)
    ins = var_operand_def(base(MemRefType))
    outs = var_operand_def(base(MemRefType))
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "$target (`ins` `(` $ins^ `:` type($ins) `)`)? (`outs` `(` $outs^ `:` type($outs) `)`)? `attrs` $attrs `as` $signature "
        "attr-dict-with-keyword"
    )

    def __init__(self, call: TensorCallOp, ins: Sequence[SSAValue], outs: Sequence[SSAValue]):
        super().__init__(
            operands=[list(ins), list(outs)],
            properties={"target": call.target, "attrs": call.attrs, "signature": call.signature},
        )

    def verify_(self) -> None:
        for what, types, memrefs in (
            ("operand", self.signature.inputs, self.ins),
            ("result", self.signature.outputs, self.outs),
        ):
            want = [stored_type(t) for t in leaves(types)]
            check_count(self, len(want) == len(memrefs), "the call", counted(len(want), what), len(memrefs))
            for number, (t, memref) in enumerate(zip(want, memrefs, strict=True)):
                if memref.type != t:
                    raise TypeMismatch(self, what=f"{what} {number}", got=memref.type, want=t)

    def tensor_call(self) -> TensorCallOp:
        """Returns the call as an op on tensors, with the same location."""
        return seen_call(self.target, self.signature, self.attrs, self.location)
