"""
Prints scalar ops of `arith` and `math`.

f64 is `double`. Narrower floats are computed in `float` and rounded to their type after each op; for + - * / and sqrt
this double rounding is innocuous, because f32 has more than twice the digits of f16, bf16 and fp8. Integers are unsigned
words, which signed ops cast.
"""

from __future__ import annotations

from functools import singledispatchmethod
from typing import cast

from xdsl.dialects import arith, complex, math
from xdsl.dialects.builtin import Float64Type, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.utils.hints import isa

from ...dialects.common.shapes import is_predicate
from ...errors import Unsupported
from .kernel_text import KernelText
from .prelude import PIECES
from .scalars import (
    BITS_OF,
    COMPARES,
    COMPARISONS,
    COMPLEX_FUNCTIONS,
    ELEMENTARY,
    EXACT,
    FORMATS,
    FROM_BITS,
    NARROW,
    SIGNED,
    SIGNED_WORDS,
    expression_form,
    float_literal,
    integer_literal,
)


class ScalarPrinter(KernelText):
    """Prints scalar ops."""

    @singledispatchmethod
    def print_scalar(self, op: Operation) -> None:
        if (function := COMPLEX_FUNCTIONS.get(type(op))) is not None:
            args, dtype = map(self.name, op.operands), self.word(op.results[0].type, op)
            self.scalar(op, self.call(function, *args, of=dtype))
            return
        if self.strict and (word := ELEMENTARY.get(type(op))) is not None:
            format = FORMATS.get(type(op.results[0].type))
            if format is None:
                raise Unsupported(op, what=f"'{op.name}' of strict floats", need="f32, f16 or bf16")
            self.scalar(op, self.call(f"cr_{word}_{format}", *map(self.name, op.operands)), rounded=True)
            return
        form = expression_form(op)
        if form is None:
            raise Unsupported(op, what=f"printing '{op.name}' as CUDA", need="add a method to CudaPrinter")
        if (function := form.split("(")[0]) in PIECES:
            self.used.add(function)
        self.scalar(
            op, form.format(*(self.signed(o, op) if isinstance(op, SIGNED) else self.name(o) for o in op.operands))
        )

    def scalar(self, op: Operation, expression: str, *, rounded: bool = False) -> None:
        """Declares the result of a scalar op and rounds it to its type, unless the expression is `rounded`."""
        result = op.results[0]
        if (dtype := self.word(result.type, op)) in NARROW:
            if result in self.stored and expression in map(self.name, op.operands):
                self.names[result] = expression
                return
            exact = rounded or isinstance(op, EXACT) or result in self.stored
            expression = expression if exact else self.call(f"round_{dtype}", expression)
        self.line(f"const {self.variable_type(result.type, op)} {self.name(result)} = {expression};")

    def signed(self, value: SSAValue, op: Operation) -> str:
        """Returns an integer operand cast to signed."""
        bits = value.type.width.data if isa(value.type, IntegerType) else None
        if bits not in SIGNED_WORDS:
            raise Unsupported(
                op, what=f"{value.type} read as signed by '{op.name}'", need="use the unsigned form of the op"
            )
        if isinstance(value.owner, arith.ConstantOp):
            return integer_literal(cast(IntegerAttr, value.owner.value).value.data, bits, True)
        return f"({SIGNED_WORDS[bits]}){self.name(value)}"

    @print_scalar.register
    def _(self, op: arith.ConstantOp) -> None:
        value = op.value
        if isinstance(value, FloatAttr):
            self.names[op.result] = float_literal(value, op)
        elif isinstance(value, IntegerAttr) and isinstance(value.type, IntegerType) and not is_predicate(value.type):
            self.word(value.type, op)
            self.names[op.result] = integer_literal(value.value.data, value.type.width.data, False)
        elif isinstance(value, IntegerAttr):
            boolean = is_predicate(value.type)
            self.names[op.result] = ("true" if value.value.data else "false") if boolean else str(value.value.data)
        else:
            raise Unsupported(op, what=f"the constant {value}", need="scalar constants")

    @print_scalar.register
    def _(self, op: complex.ConstantOp) -> None:
        parts = [float_literal(part, op) for part in op.value if isa(part, FloatAttr)]
        self.names[op.complex] = f"{self.word(op.complex.type, op)}{{{', '.join(parts)}}}"

    @print_scalar.register
    def _(self, op: complex.CreateOp) -> None:
        parts = map(self.name, op.operands)
        self.scalar(op, f"{self.word(op.complex.type, op)}{{{', '.join(parts)}}}")

    @print_scalar.register
    def _(self, op: arith.CmpfOp) -> None:
        predicate = arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
        if predicate not in COMPARES:
            raise Unsupported(op, what=f"the comparison {predicate}", need=f"one of {', '.join(COMPARES)}")
        self.scalar(op, COMPARES[predicate].format(self.name(op.lhs), self.name(op.rhs)))

    @print_scalar.register
    def _(self, op: arith.CmpiOp) -> None:
        predicate = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
        left, right = (self.signed(o, op) if predicate[0] == "s" else self.name(o) for o in (op.lhs, op.rhs))
        self.scalar(op, f"{left} {COMPARISONS[predicate]} {right}")

    @print_scalar.register
    def _(self, op: arith.SelectOp) -> None:
        cond, *choices = op.operands
        computed = [c for c in choices if c not in self.raw]
        if len(computed) < 2 and all(isinstance(c.owner, arith.ConstantOp) for c in computed):
            left, right = (self.memory_form(c, op) for c in choices)
            self.declare_raw(op.result, f"{self.name(cond)} ? {left} : {right}", op)
        else:
            left, right = map(self.name, choices)
            self.scalar(op, f"{self.name(cond)} ? {left} : {right}")

    @print_scalar.register
    def _(self, op: arith.BitcastOp) -> None:
        source, target = (self.word(value.type, op) for value in (op.input, op.result))
        bits = f"{self.memory_form(op.input, op)}.bits" if source in NARROW else self.name(op.input)
        if function := BITS_OF.get(source):
            bits = f"{function}({bits})"
        if target in NARROW:
            self.raw[op.result] = f"{target}{{{bits}}}"
        else:
            self.scalar(op, f"{FROM_BITS[target]}({bits})" if target in FROM_BITS else bits)

    def memory_form(self, value: SSAValue, op: Operation) -> str:
        """Returns a value in the form that it has in memory. A value that was loaded keeps its bits, also those of a NaN."""
        if value in self.raw:
            return self.raw[value]
        dtype = self.word(value.type, op)
        return self.call(f"to_{dtype}", self.name(value)) if dtype in NARROW else self.name(value)

    @print_scalar.register
    def _(self, op: math.AbsIOp) -> None:
        word = self.name(op.operands[0])
        self.scalar(op, f"{self.signed(op.operands[0], op)} < 0 ? -{word} : {word}")

    @print_scalar.register
    def _(self, op: arith.ExtFOp | arith.TruncFOp) -> None:
        self.scalar(op, self.narrowed(op, self.name(op.input), isinstance(op.input.type, Float64Type)))

    @print_scalar.register
    def _(self, op: arith.SIToFPOp | arith.UIToFPOp) -> None:
        number = self.signed(op.input, op) if isinstance(op, arith.SIToFPOp) else self.name(op.input)
        self.scalar(op, self.narrowed(op, number, cast(IntegerType, op.input.type).width.data > 16))

    def narrowed(self, op: Operation, number: str, wide: bool) -> str:
        """
        Returns a number converted to float or double. If the result has fewer bits than float, a `wide` number, which
        float may not hold exactly, is rounded to odd, so that the second rounding is correct.
        """
        dtype = self.word(op.results[0].type, op)
        if dtype in NARROW and wide:
            of = self.word(op.operands[0].type, op)
            if isinstance(op, arith.SIToFPOp):
                of = SIGNED_WORDS[cast(IntegerType, op.input.type).width.data]
            return self.call("odd_float", number, of=of)
        converts = isinstance(op, arith.SIToFPOp | arith.UIToFPOp) or (dtype == "float" and wide)
        return f"({'float' if dtype in NARROW else dtype}){number}" if converts else number

    @print_scalar.register
    def _(self, op: arith.FPToSIOp | arith.FPToUIOp) -> None:
        if is_predicate(op.result.type):
            raise Unsupported(op, what=f"'{op.name}' to i1", need="a comparison with zero")
        word = self.word(op.result.type, op)
        if isinstance(op, arith.FPToSIOp):
            word = SIGNED_WORDS[op.result.type.width.data]
        self.scalar(op, f"({word}){self.name(op.input)}")
