"""
Expressions: constants, arithmetic, comparisons, casts, vectors.

Every op is total: it has a result for all operands (`semantics/vyre/rules.py` lists the rules).
"""

from __future__ import annotations

from typing import ClassVar, cast

from xdsl.dialects.builtin import IntAttr, IntegerAttr, StringAttr, i64
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
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure

from ..common.checks import check_word
from ..common.ops import DialectOp
from ..common.syntax import AttributeDirective, Keyword
from .errors import InvalidDeclaration, WrongDataType, require
from .types import (
    FLOATS,
    INTEGERS,
    VECTORS,
    Bool,
    DataType,
    bf16,
    boolean,
    dtype_of,
    f16,
    f32,
    i32,
    u32,
    u64,
    vec2u32,
)

ARITHMETIC = ("add", "sub", "mul", "div", "rem", "min", "max", "shl", "shr")
LOGIC = ("and", "or", "xor")
BINOPS = (*ARITHMETIC, *LOGIC)
UNOPS = ("neg", "not")
COMPARES = ("eq", "ne", "lt", "le", "gt", "ge")
RANGES: dict[DataType, tuple[int, int]] = {
    u32: (0, 2**32 - 1),
    i32: (-(2**31), 2**31 - 1),
    u64: (0, 2**64 - 1),
    boolean: (0, 1),
    f32: (0, 2**32 - 1),
    f16: (0, 2**16 - 1),
    bf16: (0, 2**16 - 1),
}
"""The smallest and the largest constant of each type that has constants."""
CASTS: dict[DataType, tuple[DataType, ...]] = {
    u32: (i32, u64, boolean, *FLOATS),
    i32: (u32, u64, boolean, *FLOATS),
    u64: (u32, i32, vec2u32, boolean),
    boolean: (u32, i32, u64),
    vec2u32: (u64,),
    **{t: (u32, i32, *(f for f in FLOATS if f != t)) for t in FLOATS},
}
"""The types to which each type is cast."""


def words(types: tuple[DataType, ...]) -> str:
    return ", ".join(t.word for t in types)


def require_type(op: DialectOp, value: SSAValue, types: tuple[DataType, ...], what: str) -> None:
    """Checks that a value has one of these types."""
    problem = f"{what} is not defined on {value.type}"
    require(op, value.type in types, WrongDataType, problem, f"use a value of {words(types)}")


class Number(AttributeDirective):
    """Parses and prints an integer of any size, or `true` and `false`."""

    def parse_value(self, parser: Parser) -> Attribute:
        return IntAttr(parser.parse_integer(allow_boolean=True))

    def print_value(self, printer: Printer, value: Attribute) -> None:
        printer.print_string(str(cast(IntAttr, value).data))


@irdl_op_definition
class ConstantOp(DialectOp):
    """
    A constant. Booleans are `true` and `false`, or 1 and 0; a float is given by its bits.

    ```mlir
    %0 = vyre.constant 255 : !vyre.u32
    ```
    """

    name = "vyre.constant"
    value = prop_def(IntAttr)
    result = result_def()
    traits = traits_def(Pure(), ConstantLike())
    custom_directives = (Number,)
    assembly_format = "custom<Number>($value) attr-dict `:` type($result)"

    def __init__(self, value: int, dtype: Attribute):
        super().__init__([], [dtype], value=IntAttr(value))

    def verify_(self) -> None:
        fix = f"use {words(tuple(RANGES))}; vectors are made by vyre.vector"
        require(
            self,
            self.result.type in RANGES,
            WrongDataType,
            f"a constant of type {self.result.type} is not defined",
            fix,
        )
        low, high = RANGES[dtype_of(self.result)]
        problem = f"{self.value.data} is not in the range of {dtype_of(self.result).word}"
        fix = f"write a number from {low} to {high}"
        require(self, low <= self.value.data <= high, InvalidDeclaration, problem, fix)


@irdl_op_definition
class BinOp(DialectOp):
    """
    `add`, `sub`, `mul`, `div`, `rem`, `min`, `max`, `shl`, `shr`, `and`, `or` and `xor`. Both operands and the result have one type; on vectors,
    the op is applied to each component. Booleans have `and`, `or` and `xor`.

    Arithmetic wraps. Division truncates; division and remainder by 0 are 0; the smallest I32 divided by -1 is itself, with remainder 0. A
    shift is by the amount modulo the width; `shr` of I32 copies the sign.

    ```mlir
    %1 = vyre.binop add %0, %x : !vyre.u32
    ```
    """

    T: ClassVar = VarConstraint("T", AnyAttr())
    name = "vyre.binop"
    fn = prop_def(StringAttr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($fn) $lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, fn: str, lhs: SSAValue, rhs: SSAValue):
        super().__init__([lhs, rhs], [lhs.type], fn=fn)

    def verify_(self) -> None:
        check_word(self, "fn", self.fn.data, BINOPS)
        logical = (boolean,) if self.fn.data in LOGIC else ()
        require_type(self, self.lhs, (*INTEGERS, *VECTORS, *logical), self.fn.data)


@irdl_op_definition
class UnOp(DialectOp):
    """
    `neg`, which wraps, and `not`, which inverts all bits, or a boolean.

    ```mlir
    %1 = vyre.unop not %0 : !vyre.u32
    ```
    """

    T: ClassVar = VarConstraint("T", AnyAttr())
    name = "vyre.unop"
    fn = prop_def(StringAttr)
    input = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($fn) $input attr-dict `:` type($result)"

    def __init__(self, fn: str, input: SSAValue):
        super().__init__([input], [input.type], fn=fn)

    def verify_(self) -> None:
        check_word(self, "fn", self.fn.data, UNOPS)
        logical = (boolean,) if self.fn.data == "not" else ()
        require_type(self, self.input, (*INTEGERS, *VECTORS, *logical), self.fn.data)


@irdl_op_definition
class CompareOp(DialectOp):
    """
    `eq`, `ne`, `lt`, `le`, `gt` and `ge` of integers and floats; booleans have `eq` and `ne`. A NaN is not equal to anything, and neither less
    nor greater.

    ```mlir
    %1 = vyre.compare lt %0, %x : !vyre.i32
    ```
    """

    T: ClassVar = VarConstraint("T", AnyAttr())
    name = "vyre.compare"
    fn = prop_def(StringAttr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(boolean)
    traits = traits_def(Pure())
    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($fn) $lhs `,` $rhs attr-dict `:` type($lhs)"

    def __init__(self, fn: str, lhs: SSAValue, rhs: SSAValue):
        super().__init__([lhs, rhs], [boolean], fn=fn)

    def verify_(self) -> None:
        check_word(self, "fn", self.fn.data, COMPARES)
        equality = (boolean,) if self.fn.data in ("eq", "ne") else ()
        require_type(self, self.lhs, (*INTEGERS, *FLOATS, *equality), self.fn.data)


@irdl_op_definition
class SelectOp(DialectOp):
    """
    `condition ? on_true : on_false`. Both values are computed.

    ```mlir
    %1 = vyre.select %c, %0, %x : !vyre.u32
    ```
    """

    T: ClassVar = VarConstraint("T", AnyAttr())
    name = "vyre.select"
    condition = operand_def(Bool)
    on_true = operand_def(T)
    on_false = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$condition `,` $on_true `,` $on_false attr-dict `:` type($result)"

    def __init__(self, condition: SSAValue, on_true: SSAValue, on_false: SSAValue):
        super().__init__([condition, on_true, on_false], [on_true.type])

    def verify_(self) -> None:
        require_type(self, self.on_true, (*INTEGERS, *VECTORS, *FLOATS, boolean), "select")


@irdl_op_definition
class CastOp(DialectOp):
    """
    Converts a value. U32 and I32 keep their bits; U64 is truncated to 32 bits, extended from U32 with zeros and from I32 with the sign; a
    boolean becomes 0 or 1, and an integer the boolean whether it is not 0. A U64 and a Vec2U32 of its low and high word have the same bits.
    To a float, a number is rounded to nearest with ties to even; from a float, it is truncated to the nearest integer of the type, and NaN is 0.

    ```mlir
    %1 = vyre.cast %0 : !vyre.u32 to !vyre.u64
    ```
    """

    name = "vyre.cast"
    input = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def __init__(self, input: SSAValue, to: Attribute):
        super().__init__([input], [to])

    def verify_(self) -> None:
        require_type(self, self.input, tuple(CASTS), "cast")
        legal = CASTS[dtype_of(self.input)]
        problem = f"{self.input.type} is not cast to {self.result.type}"
        require(self, self.result.type in legal, WrongDataType, problem, f"cast it to {words(legal)}")


@irdl_op_definition
class VectorOp(DialectOp):
    """
    A vector of its components.

    ```mlir
    %1 = vyre.vector %0, %x : !vyre.vec2u32
    ```
    """

    name = "vyre.vector"
    components = var_operand_def(u32)
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$components attr-dict `:` type($result)"

    def __init__(self, *components: SSAValue):
        dtype = next((t for t in VECTORS if t.words == len(components)), VECTORS[0])
        super().__init__([components], [dtype])

    def verify_(self) -> None:
        problem = f"a vector is not a {self.result.type}"
        require(self, self.result.type in VECTORS, WrongDataType, problem, f"write one of {words(VECTORS)}")
        want = dtype_of(self.result).words
        problem = f"a {dtype_of(self.result).word} of {len(self.components)} components"
        require(self, len(self.components) == want, WrongDataType, problem, f"give it {want} components")


@irdl_op_definition
class ExtractOp(DialectOp):
    """
    A component of a vector, counted from 0.

    ```mlir
    %1 = vyre.extract %v[1] : !vyre.vec4u32
    ```
    """

    name = "vyre.extract"
    vector = operand_def()
    component = prop_def(IntegerAttr.constr(i64))
    result = result_def(u32)
    traits = traits_def(Pure())
    assembly_format = "$vector `[` $component `]` attr-dict `:` type($vector)"

    def __init__(self, vector: SSAValue, component: int):
        super().__init__([vector], [u32], component=component)

    def verify_(self) -> None:
        require_type(self, self.vector, VECTORS, "extract")
        k, count = self.component.value.data, dtype_of(self.vector).words
        problem = f"a {dtype_of(self.vector).word} has no component {k}"
        require(self, 0 <= k < count, InvalidDeclaration, problem, f"write a number from 0 to {count - 1}")
