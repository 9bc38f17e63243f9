"""
Arrays of 4-bit integers as kernels take them: bytes of two elements, the first in the low half.

`ptir.signature` is the type of a function as its callers see it. The function's own type has the bytes of each array of 4-bit
integers:

```mlir
func.func @f(%x: tensor<18xui8>, %y: tensor<3xf32>) -> tensor<18xui8>
    attributes {ptir.signature = (tensor<7x5xsi4>, tensor<3xf32>) -> tensor<7x5xsi4>} {
  func.return %x : tensor<18xui8>
}
```

A `ptir.custom_call` has this attribute, too, if its operands and results are not those of the Python function that it calls: bytes
instead of 4-bit integers, or the elements of tuples.

The order is that of `ptir.bitcast`. If the number of elements is odd, the high half of the last byte is undefined.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import FunctionType, IntegerType, MemRefType, Signedness, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from ...errors import InvalidAttributeValue, counted
from ..common.checks import check_attribute
from ..common.shapes import is_tensor, tensor
from .calls import SIGNATURE, CustomCallOp
from .domains import integer_width
from .tuples import leaves

BYTE = IntegerType(8, Signedness.UNSIGNED)


def is_packed(dtype: Attribute) -> bool:
    """Whether arrays of this element type hold two elements in a byte."""
    return integer_width(dtype) == 4


def packed_size(array: TensorType[Attribute]) -> int:
    """Returns the number of bytes of an array of 4-bit integers."""
    return -(-prod(array.get_shape()) // 2)


def seen_type(function: FuncOp) -> FunctionType:
    """Returns the type of a function as its callers see it."""
    seen = function.attributes.get(SIGNATURE)
    return seen if isinstance(seen, FunctionType) else function.function_type


def stored_type(t: Attribute) -> MemRefType[Attribute]:
    """Returns the type of the memory that holds a tensor."""
    array = tensor(t)
    if is_packed(array.element_type):
        return MemRefType(BYTE, [packed_size(array)])
    return MemRefType(array.element_type, array.get_shape())


def packed_array(seen: Attribute, own: Attribute) -> TensorType[Attribute] | None:
    """Returns `seen` if it is an array of 4-bit integers whose bytes have type `own`, or None."""
    return seen if is_tensor(seen) and is_packed(seen.element_type) and _is_bytes(own) else None


def verify_signature(op: Operation, seen: Attribute) -> None:
    """
    Checks that `seen` is the own type of a function or custom call, except that it may have arrays of 4-bit integers instead of
    their bytes, and a custom call may return tuples.
    """
    if not isinstance(op, FuncOp | CustomCallOp):
        help = "it belongs on func.func and ptir.custom_call"
        raise InvalidAttributeValue(op, name=SIGNATURE, problem=f"is set on {op.name}", help=help)
    if not isinstance(seen, FunctionType):
        raise InvalidAttributeValue(op, name=SIGNATURE, problem=f"is {seen}", help="it is the type of a function")
    what = "function" if isinstance(op, FuncOp) else "call"
    if isinstance(op, FuncOp):
        own, returned = op.function_type, list(seen.outputs)
    else:
        own, returned = FunctionType.from_lists(op.inputs.types, op.outputs.types), list(leaves(seen.outputs))
    for kind, outer, inner in (("input", list(seen.inputs), own.inputs), ("output", returned, own.outputs)):
        got, want = counted(len(outer), kind), counted(len(inner), kind)
        check_attribute(op, len(outer) == len(inner), SIGNATURE, f"has {got}", f"the {what} has {want}")
        for array, t in zip(outer, inner, strict=True):
            if packed := packed_array(array, t):
                size = packed_size(packed)
                help = f"a {packed} has {size} bytes"
                check_attribute(op, t.get_shape() == (size,), SIGNATURE, f"has a {array} for {t}", help)  # pyright: ignore
            else:
                help = f"only arrays of 4-bit integers may have another type: the {what} has their bytes, in ui8"
                check_attribute(op, _shaped(array) == _shaped(t), SIGNATURE, f"has a {array} for {t}", help)


def _is_bytes(t: Attribute) -> bool:
    return isa(t, TensorType[Attribute] | MemRefType[Attribute]) and t.element_type == BYTE


def _shaped(t: Attribute) -> Attribute | tuple[object, ...]:
    """Returns the sizes and element type of a tensor or memref: a function has memrefs once its kernels are formed."""
    return (t.get_shape(), t.element_type) if isa(t, TensorType[Attribute] | MemRefType[Attribute]) else t
