"""
Accesses of buffers, positions of an invocation, barriers.

An index counts elements from 0; that of a `Bytes` buffer counts bytes, except in `load_word`, `store_word` and atomics. Out of bounds, a load is
0, a store does nothing, and an atomic does nothing and returns 0. Spec: `vyre-ir-types`, BufferAccess and Bytes Layout.
"""

from __future__ import annotations

import abc

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure

from ..common.checks import check_word
from ..common.ops import DialectOp
from ..common.syntax import Keyword
from .errors import AccessDenied, WrongDataType, require
from .types import BufferType, DataType, buffer_of, bytes_, i32, u32

ATOMICS = ("add", "min", "max", "and", "or", "xor", "exchange")
POSITIONS = ("global", "local", "workgroup", "workgroups")
AXES = ("x", "y", "z")


class AccessOp(DialectOp, abc.ABC):
    """Base of accesses of an element of a buffer."""

    buffer = operand_def(BufferType)
    index = operand_def(u32)

    @property
    def accessed(self) -> DataType:
        """The type of the element that is accessed."""
        return buffer_of(self.buffer).loaded

    def require_access(self, allowed: bool, what: str, kinds: str) -> None:
        t = buffer_of(self.buffer)
        problem = f"{what} on a buffer that is {t.kind.data}"
        require(self, allowed, AccessDenied, problem, f"declare the buffer as {kinds}")

    def require_element(self, value: SSAValue, what: str) -> None:
        problem = f"{what} is a {value.type}, but an element of the buffer is a {self.accessed}"
        require(self, value.type == self.accessed, WrongDataType, problem, f"cast it to {self.accessed.word}")

    def require_bytes(self) -> None:
        t = buffer_of(self.buffer)
        problem = f"a word of a buffer of {t.dtype.word}"
        fix = f"use {self.name.removesuffix('_word')}, whose index counts elements"
        require(self, t.dtype == bytes_, WrongDataType, problem, fix)


@irdl_op_definition
class LoadOp(AccessOp):
    """
    The element at an index, or 0 out of bounds. Of a `Bytes` buffer, it is a byte as a U32.

    ```mlir
    %0 = vyre.load %b[%i] : !vyre.buffer<u32, read_only> -> !vyre.u32
    ```
    """

    name = "vyre.load"
    result = result_def()
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$buffer `[` $index `]` attr-dict `:` type($buffer) `->` type($result)"

    def __init__(self, buffer: SSAValue, index: SSAValue):
        super().__init__([buffer, index], [buffer_of(buffer).loaded])

    def verify_(self) -> None:
        self.require_element(self.result, "the result")


@irdl_op_definition
class StoreOp(AccessOp):
    """
    Stores an element at an index; out of bounds it does nothing. A byte of a `Bytes` buffer is given by the low 8 bits of a U32, and its word
    is read and written: invocations that store bytes of one word race.

    ```mlir
    vyre.store %x, %b[%i] : !vyre.u32, !vyre.buffer<u32, read_write>
    ```
    """

    name = "vyre.store"
    value = operand_def()
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$value `,` $buffer `[` $index `]` attr-dict `:` type($value) `,` type($buffer)"

    def __init__(self, value: SSAValue, buffer: SSAValue, index: SSAValue):
        super().__init__([value, buffer, index])

    def verify_(self) -> None:
        self.require_access(buffer_of(self.buffer).access.writable, "Store", "read_write or workgroup")
        self.require_element(self.value, "the value")


@irdl_op_definition
class LoadWordOp(AccessOp):
    """
    A word of a `Bytes` buffer: four bytes, the first one least significant.

    ```mlir
    %0 = vyre.load_word %b[%i] : !vyre.buffer<bytes, read_only>
    ```
    """

    name = "vyre.load_word"
    result = result_def(u32)
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$buffer `[` $index `]` attr-dict `:` type($buffer)"

    def __init__(self, buffer: SSAValue, index: SSAValue):
        super().__init__([buffer, index], [u32])

    def verify_(self) -> None:
        self.require_bytes()


@irdl_op_definition
class StoreWordOp(AccessOp):
    """
    Stores a word of a `Bytes` buffer.

    ```mlir
    vyre.store_word %x, %b[%i] : !vyre.buffer<bytes, read_write>
    ```
    """

    name = "vyre.store_word"
    value = operand_def(u32)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$value `,` $buffer `[` $index `]` attr-dict `:` type($buffer)"

    def __init__(self, value: SSAValue, buffer: SSAValue, index: SSAValue):
        super().__init__([value, buffer, index])

    def verify_(self) -> None:
        self.require_access(buffer_of(self.buffer).access.writable, "Store", "read_write or workgroup")
        self.require_bytes()


class AtomicAccess(AccessOp, abc.ABC):
    """Base of atomics, on U32, I32, and words of `Bytes`. The result is the element before."""

    value = operand_def()
    result = result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def verify_(self) -> None:
        t = buffer_of(self.buffer)
        self.require_access(t.access.atomic, "Atomic", "read_write")
        fix = "use a buffer of u32, i32, bytes"
        legal = t.dtype in (u32, i32, bytes_)
        require(self, legal, WrongDataType, f"an atomic is not defined on {t.dtype.word}", fix)
        for value in (self.value, self.result):
            self.require_element(value, "a value")


@irdl_op_definition
class AtomicOp(AtomicAccess):
    """
    Replaces an element by `add`, `min`, `max`, `and`, `or` or `xor` of it and the value, or by the value (`exchange`), in one step. It
    returns the element before.

    ```mlir
    %0 = vyre.atomic add %b[%i], %x : !vyre.buffer<u32, read_write>, !vyre.u32 -> !vyre.u32
    ```
    """

    name = "vyre.atomic"
    fn = prop_def(StringAttr)
    custom_directives = (Keyword,)
    assembly_format = (
        "custom<Keyword>($fn) $buffer `[` $index `]` `,` $value attr-dict `:` type($buffer) `,` type($value) "
        "`->` type($result)"
    )

    def __init__(self, fn: str, buffer: SSAValue, index: SSAValue, value: SSAValue):
        super().__init__([value, buffer, index], [buffer_of(buffer).loaded], fn=fn)

    def verify_(self) -> None:
        check_word(self, "fn", self.fn.data, ATOMICS)
        super().verify_()


@irdl_op_definition
class AtomicCompareExchangeOp(AtomicAccess):
    """
    Replaces an element by `value` if it equals `expected`, in one step. It returns the element before.

    ```mlir
    %0 = vyre.compare_exchange %b[%i], %x, %y : !vyre.buffer<u32, read_write>, !vyre.u32, !vyre.u32 -> !vyre.u32
    ```
    """

    name = "vyre.compare_exchange"
    expected = operand_def()
    assembly_format = (
        "$buffer `[` $index `]` `,` $expected `,` $value attr-dict `:` type($buffer) `,` type($expected) `,` "
        "type($value) `->` type($result)"
    )

    def __init__(self, buffer: SSAValue, index: SSAValue, expected: SSAValue, value: SSAValue):
        super().__init__([expected, value, buffer, index], [buffer_of(buffer).loaded])

    def verify_(self) -> None:
        super().verify_()
        self.require_element(self.expected, "the expected value")


@irdl_op_definition
class BufLenOp(DialectOp):
    """
    Number of elements of a buffer; of a `Bytes` buffer, of its words. Its length in bytes must be passed separately.

    ```mlir
    %n = vyre.buf_len %b : !vyre.buffer<bytes, read_only>
    ```
    """

    name = "vyre.buf_len"
    buffer = operand_def(BufferType)
    result = result_def(u32)
    traits = traits_def(Pure())
    assembly_format = "$buffer attr-dict `:` type($buffer)"

    def __init__(self, buffer: SSAValue):
        super().__init__([buffer], [u32])


@irdl_op_definition
class PositionOp(DialectOp):
    """
    A coordinate of the invocation in the dispatch (`global`) or in its workgroup (`local`), that of its workgroup, or the number of
    `workgroups`, along `x`, `y` or `z`.

    ```mlir
    %i = vyre.position global x
    ```
    """

    name = "vyre.position"
    kind = prop_def(StringAttr)
    axis = prop_def(StringAttr)
    result = result_def(u32)
    traits = traits_def(Pure())
    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($kind) custom<Keyword>($axis) attr-dict"

    def __init__(self, kind: str, axis: str = "x"):
        super().__init__([], [u32], kind=kind, axis=axis)

    def verify_(self) -> None:
        check_word(self, "kind", self.kind.data, POSITIONS)
        check_word(self, "axis", self.axis.data, AXES)


@irdl_op_definition
class BarrierOp(DialectOp):
    """
    Waits for all invocations of the workgroup. What they did to buffers before is visible to all of them after it. All invocations
    of a workgroup must come to it, or none.

    ```mlir
    vyre.barrier
    ```
    """

    name = "vyre.barrier"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"
