"""
Strict floats, on the planned types F32, F16 and BF16, which are written `!vyre.preview<f32>` until they are stable.

Every op has one result, bit for bit: it is rounded once, to nearest with ties to even, and never contracted, reordered, flushed or approximated.
Functions are correctly rounded. A NaN result is quiet and positive and has no payload; `fneg` and `fabs` change the sign alone.
Spec: `vyre-ir-types`, Float Semantics.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, Pure

from ...elementary.vocabulary import FUNCTIONS
from ..common.checks import check_word
from ..common.ops import DialectOp
from ..common.syntax import Keyword
from .arithmetic import require_type
from .errors import InvalidDeclaration, WrongDataType, require
from .types import FLOATS, BufferType, DataType, PreviewType, buffer_of, f32, u32

STRICT: dict[str, tuple[str, int]] = {
    **{f"f{op}": (op, 2) for op in ("add", "sub", "mul", "div", "min", "max", "pow")},
    **{f"f{op}": (op, 1) for op in ("neg", "abs", "sqrt", *FUNCTIONS)},
    "fmuladd": ("fma", 3),
}
"""For each op, the name of what it computes in `elementary/words.py`, and the number of its operands."""


def format_of(t: DataType) -> str:
    """Returns the name of a type in `elementary/words.py`."""
    return t.kind.data if isinstance(t, PreviewType) else t.word


IDENTITY = {"fadd": 0x80000000, "fmul": 0x3F800000, "fmin": 0x7F800000, "fmax": 0xFF800000}
"""The ops that reductions combine by, with the bits of their identities: -0, 1, infinity and -infinity."""
ORDERS = ("strict", "tree")
MAX_REDUCED = 1 << 16
"""Number of elements that a reduction combines."""


@irdl_op_definition
class StrictOp(DialectOp):
    """
    `fadd`, `fsub`, `fmul`, `fdiv`, `fmin`, `fmax`, `fneg`, `fabs`, `fsqrt`, `fmuladd` (one rounding), and the functions `fsin`, `fcos`, `ftan`,
    `fexp`, `fexp2`, `fexpm1`, `flog`, `flog2`, `flog10`, `flog1p`, `fpow`, `fsinh`, `fcosh`, `ftanh`, `fsigmoid`, `ferf`, `ferfc`, `frsqrt` and
    `fcbrt`.

    `fmin` and `fmax` are minimum and maximum of IEEE 754-2019: NaN if an operand is, and -0 is less than 0.

    ```mlir
    %1 = vyre.strict fmuladd %f, %f, %g : !vyre.preview<f32>
    ```
    """

    T: ClassVar = VarConstraint("T", AnyAttr())
    name = "vyre.strict"
    fn = prop_def(StringAttr)
    arguments = var_operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($fn) $arguments attr-dict `:` type($result)"

    def __init__(self, fn: str, *arguments: SSAValue):
        super().__init__([arguments], [arguments[0].type], fn=fn)

    def verify_(self) -> None:
        check_word(self, "fn", self.fn.data, STRICT)
        verify_float_function(self, self.fn.data, self.arguments, self.result)


@irdl_op_definition
class ApproximateOp(DialectOp):
    """
    A function with an error of at most `ulp` units in the last place of the exact result. A backend may use any result within the bound, so that
    programs with it have no strict certificate; today all use the correctly rounded one.

    ```mlir
    %1 = vyre.approximate fsin %f ulp 4 : !vyre.preview<f32>
    ```
    """

    T: ClassVar = VarConstraint("T", AnyAttr())
    name = "vyre.approximate"
    fn = prop_def(StringAttr)
    ulp = prop_def(IntegerAttr.constr(i64))
    arguments = var_operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($fn) $arguments `ulp` $ulp attr-dict `:` type($result)"

    def __init__(self, fn: str, ulp: int, *arguments: SSAValue):
        super().__init__([arguments], [arguments[0].type], fn=fn, ulp=ulp)

    def verify_(self) -> None:
        check_word(self, "fn", self.fn.data, STRICT)
        verify_float_function(self, self.fn.data, self.arguments, self.result)
        problem = f"a bound of {self.ulp.value.data} ulp"
        require(self, self.ulp.value.data > 0, InvalidDeclaration, problem, "write at least 1, or use vyre.strict")


def word_operation(op: StrictOp | ApproximateOp) -> str:
    """Returns the name in `elementary/words.py` of what an op computes."""
    return f"{STRICT[op.fn.data][0]}_{format_of(cast(DataType, op.result.type))}"


def verify_float_function(op: DialectOp, fn: str, arguments: Sequence[SSAValue], result: SSAValue) -> None:
    """Checks the number of operands of a function and its type."""
    count = STRICT[fn][1]
    problem = f"{fn} of {len(arguments)} operands"
    require(op, len(arguments) == count, InvalidDeclaration, problem, f"give it {count}")
    require_type(op, result, FLOATS, fn)


@irdl_op_definition
class BitcastOp(DialectOp):
    """
    The bits of a float as a U32, or the float that has the low bits of one.

    ```mlir
    %1 = vyre.bitcast %x : !vyre.u32 to !vyre.preview<bf16>
    ```
    """

    name = "vyre.bitcast"
    input = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def __init__(self, input: SSAValue, to: Attribute):
        super().__init__([input], [to])

    def verify_(self) -> None:
        a, b = self.input.type, self.result.type
        legal = (a == u32 and b in FLOATS) or (a in FLOATS and b == u32)
        require(self, legal, WrongDataType, f"{a} has no bits in common with {b}", "cast between u32 and a float")


@irdl_op_definition
class ReduceOp(DialectOp):
    """
    Combines `count` consecutive elements of a buffer of F32, from an index on, by `fadd`, `fmul`, `fmin` or `fmax`.

    `strict` (FReduceStrict) goes through them in order: ((x0 + x1) + x2) + …. `tree` (FReduceTreeBinary) pairs the elements 2 i and 2 i + 1, then
    the results likewise, over the elements padded with the identity to the next power of two. The identity is -0, 1, infinity or -infinity, so
    that padding changes no bit. An element out of bounds is 0.

    ```mlir
    %1 = vyre.reduce tree fadd %r[%i] count 100 : !vyre.buffer<!vyre.preview<f32>, read_only>
    ```
    """

    name = "vyre.reduce"
    order = prop_def(StringAttr)
    fn = prop_def(StringAttr)
    count = prop_def(IntegerAttr.constr(i64))
    buffer = operand_def(BufferType)
    first = operand_def(u32)
    result = result_def(f32)
    traits = traits_def(MemoryReadEffect())
    custom_directives = (Keyword,)
    assembly_format = (
        "custom<Keyword>($order) custom<Keyword>($fn) $buffer `[` $first `]` `count` $count attr-dict `:` type($buffer)"
    )

    def __init__(self, order: str, fn: str, buffer: SSAValue, first: SSAValue, count: int):
        super().__init__([buffer, first], [f32], order=order, fn=fn, count=count)

    def verify_(self) -> None:
        check_word(self, "order", self.order.data, ORDERS)
        check_word(self, "fn", self.fn.data, IDENTITY)
        verify_float_buffer(self, self.buffer)
        verify_count(self, self.count.value.data)


@irdl_op_definition
class DotOp(DialectOp):
    """
    One element of a MatMul with an F32 accumulator: `count` products of elements of two buffers of F32, `a[i + k · step_a]` and
    `b[j + k · step_b]`, are added in the order of k, each product and each sum rounded. An element out of bounds is 0.

    ```mlir
    %1 = vyre.dot %r[%i], %r[%j] count 64 steps[1, 16] : !vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.buffer<!vyre.preview<f32>, read_only>
    ```
    """

    name = "vyre.dot"
    count = prop_def(IntegerAttr.constr(i64))
    step_a = prop_def(IntegerAttr.constr(i64))
    step_b = prop_def(IntegerAttr.constr(i64))
    a = operand_def(BufferType)
    i = operand_def(u32)
    b = operand_def(BufferType)
    j = operand_def(u32)
    result = result_def(f32)
    traits = traits_def(MemoryReadEffect())
    assembly_format = (
        "$a `[` $i `]` `,` $b `[` $j `]` `count` $count `steps` `[` $step_a `,` $step_b `]` attr-dict "
        "`:` type($a) `,` type($b)"
    )

    def __init__(self, a: SSAValue, i: SSAValue, b: SSAValue, j: SSAValue, count: int, steps: tuple[int, int]):
        super().__init__([a, i, b, j], [f32], count=count, step_a=steps[0], step_b=steps[1])

    def verify_(self) -> None:
        verify_float_buffer(self, self.a)
        verify_float_buffer(self, self.b)
        verify_count(self, self.count.value.data)
        steps = self.step_a.value.data, self.step_b.value.data
        problem = f"steps of {steps[0]} and {steps[1]} elements"
        fix = "write numbers from 0 to 4294967295"
        require(self, all(0 <= s < 1 << 32 for s in steps), InvalidDeclaration, problem, fix)


def verify_float_buffer(op: DialectOp, buffer: SSAValue) -> None:
    element = buffer_of(buffer).element
    require(op, element == f32, WrongDataType, f"a buffer of {element} is not reduced", "use a buffer of F32")


def verify_count(op: DialectOp, count: int) -> None:
    problem = f"{count} elements"
    fix = f"write a number from 1 to {MAX_REDUCED}, and combine parts"
    require(op, 1 <= count <= MAX_REDUCED, InvalidDeclaration, problem, fix)
