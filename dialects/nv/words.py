"""
Accesses of single elements of memory by a thread, at an index that is computed as an unsigned integer of 32 bits, in kernels whose arrays have
sizes that are not known statically. A predicate guards the index.
"""

from __future__ import annotations

import abc

from xdsl.dialects.builtin import IntegerType, MemRefType, StringAttr, UnitAttr, i1, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.hints import isa

from ...elementary.vocabulary import WORD_OPERATIONS
from ..common.checks import check_type, check_word
from ..common.ops import DialectOp
from ..common.shapes import memref_of
from ..common.syntax import Keyword

UNSIGNED = "nv.unsigned"
"""The attribute of an `scf.for` of i32 whose counter and bounds are unsigned."""
ATOMICS = ("add", "min", "max", "and", "or", "xor", "exchange")


def words_of(op: Operation, value: SSAValue) -> Attribute:
    """Returns the type of the elements of an array of one axis. Checks that they have 32 bits."""
    t = memref_of(value)
    dtype = t.element_type
    legal = isa(dtype, IntegerType) and dtype.width.data == 32 and len(t.get_shape()) == 1
    check_type(op, legal, "the array", t, "an array of one axis of integers of 32 bits is needed")
    return dtype


class WordOp(DialectOp, abc.ABC):
    """Base of accesses of the element `index` of an array of integers of 32 bits, which is inside the array if `inside` is true."""

    memref = operand_def(base(MemRefType))
    index = operand_def(i32)
    inside = operand_def(i1)

    def verify_(self) -> None:
        words_of(self, self.memref)


@irdl_op_definition
class SharedWordsOp(DialectOp):
    """
    Declares an array of words in shared memory, which is uninitialized at first.

    ```mlir
    %0 = nv.shared_words : memref<64xui32>
    ```
    """

    name = "nv.shared_words"
    result = result_def(base(MemRefType))
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, count: int, dtype: Attribute):
        super().__init__([], [MemRefType(dtype, [count])])

    def verify_(self) -> None:
        words_of(self, self.result)
        t = memref_of(self.result)
        check_type(self, t.has_static_shape(), "the array", t, "its size must be static")


@irdl_op_definition
class LoadWordOp(WordOp):
    """
    Loads an element; 0 if the predicate is false.

    ```mlir
    %1 = nv.load_word %x[%i] if %inside : memref<?xui32>
    ```
    """

    name = "nv.load_word"
    result = result_def(i32)
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$memref `[` $index `]` `if` $inside attr-dict `:` type($memref)"

    def __init__(self, memref: SSAValue, index: SSAValue, inside: SSAValue):
        super().__init__([memref, index, inside], [i32])


@irdl_op_definition
class StoreWordOp(WordOp):
    """
    Stores an element if the predicate is true.

    ```mlir
    nv.store_word %v, %x[%i] if %inside : memref<?xui32>
    ```
    """

    name = "nv.store_word"
    value = operand_def(i32)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$value `,` $memref `[` $index `]` `if` $inside attr-dict `:` type($memref)"

    def __init__(self, value: SSAValue, memref: SSAValue, index: SSAValue, inside: SSAValue):
        super().__init__([value, memref, index, inside])


class AtomicWord(WordOp, abc.ABC):
    """Base of atomics. They return the element before, or 0 if the predicate is false."""

    value = operand_def(i32)
    result = result_def(i32)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


@irdl_op_definition
class AtomicWordOp(AtomicWord):
    """
    Combines an element with a value, or replaces it (`exchange`), if the predicate is true. `min` and `max` compare `signed` elements as
    such. PTX ISA 9.7.13.6.

    ```mlir
    %1 = nv.atomic_word max %v, %x[%i] if %inside : memref<?xui32>
    ```
    """

    name = "nv.atomic_word"
    kind = prop_def(StringAttr)
    signed = opt_prop_def(UnitAttr)
    custom_directives = (Keyword,)
    assembly_format = (
        "custom<Keyword>($kind) $value `,` $memref `[` $index `]` `if` $inside (`signed` $signed^)? attr-dict "
        "`:` type($memref)"
    )

    def __init__(self, kind: str, value: SSAValue, memref: SSAValue, index: SSAValue, inside: SSAValue, signed: bool):
        super().__init__([value, memref, index, inside], [i32], kind=kind, signed=signed)

    def verify_(self) -> None:
        super().verify_()
        check_word(self, "kind", self.kind.data, ATOMICS)


@irdl_op_definition
class CompareExchangeWordOp(AtomicWord):
    """
    Replaces an element by a value if it equals `expected`, and the predicate is true. PTX ISA 9.7.13.6.

    ```mlir
    %1 = nv.compare_exchange_word %e, %v, %x[%i] if %inside : memref<?xui32>
    ```
    """

    name = "nv.compare_exchange_word"
    expected = operand_def(i32)
    assembly_format = "$expected `,` $value `,` $memref `[` $index `]` `if` $inside attr-dict `:` type($memref)"

    def __init__(self, expected: SSAValue, value: SSAValue, memref: SSAValue, index: SSAValue, inside: SSAValue):
        super().__init__([expected, value, memref, index, inside], [i32])


@irdl_op_definition
class FloatWordOp(DialectOp):
    """
    An operation on the bits of floats, as `elementary/words.py` defines it: rounded once, never contracted or flushed.

    ```mlir
    %1 = nv.float_word add_f32 %v, %v
    ```
    """

    name = "nv.float_word"
    fn = prop_def(StringAttr)
    arguments = var_operand_def(i32)
    result = result_def(i32)
    traits = traits_def(Pure())
    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($fn) $arguments attr-dict"

    def __init__(self, fn: str, *arguments: SSAValue):
        super().__init__([arguments], [i32], fn=fn)

    def verify_(self) -> None:
        check_word(self, "fn", self.fn.data, WORD_OPERATIONS)
        check_word(self, "the number of operands", str(len(self.arguments)), [str(WORD_OPERATIONS[self.fn.data])])
