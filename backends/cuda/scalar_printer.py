"""
Prints scalar ops of `arith` and `math`: index values are `int`, floats of every width are computed in `float` and
rounded to their type after each op (exact for + - * / and sqrt, because f32 has more than twice the digits of
f16 and bf16).
"""

from __future__ import annotations

from functools import singledispatchmethod

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Operation

from ...errors import Unsupported
from .kernel_text import KernelText
from .scalars import COMPARES, FLOAT_BINARY, FLOAT_UNARY, INDEX_BINARY, UNSIGNED, float_literal


class ScalarPrinter(KernelText):
    """Adds scalars to the text of a kernel."""

    @singledispatchmethod
    def scalar_statement(self, op: Operation) -> None:
        kind = type(op)
        if kind in INDEX_BINARY and isinstance(op.results[0].type, IndexType):
            left, right = (self.name(o) for o in op.operands)
            self.line(f"const int {self.name(op.results[0])} = {left} {INDEX_BINARY[kind]} {right};")
        elif kind in FLOAT_BINARY or kind in FLOAT_UNARY:
            form = FLOAT_BINARY.get(kind) or FLOAT_UNARY[kind]
            if "_nan" in form:
                self.used.add(form.split("(")[0])
            self.scalar(op, form.format(*(self.name(o) for o in op.operands)))
        else:
            raise Unsupported(op, what=f"printing '{op.name}' as CUDA", need="a method of CudaPrinter for it")

    def scalar(self, op: Operation, expression: str) -> None:
        """Declares the result of a scalar op, rounded to its type."""
        result = op.results[0]
        if isinstance(result.type, IntegerType):
            self.line(f"const bool {self.name(result)} = {expression};")
            return
        dtype = self.ctype(result.type, op)
        exact = dtype == "float" or isinstance(
            op, arith.NegfOp | math.AbsFOp | arith.SelectOp | arith.MaximumfOp | arith.MinimumfOp
        )
        self.line(f"const float {self.name(result)} = {expression if exact else f'round_{dtype}({expression})'};")

    @scalar_statement.register
    def _(self, op: arith.ConstantOp) -> None:
        value = op.value
        if isinstance(value, FloatAttr):
            self.names[op.result] = float_literal(value, op)
        elif isinstance(value, IntegerAttr):
            boolean = isinstance(value.type, IntegerType) and value.type.width.data == 1
            self.names[op.result] = ("true" if value.value.data else "false") if boolean else str(value.value.data)
        else:
            raise Unsupported(op, what=f"the constant {value}", need="scalar constants")

    @scalar_statement.register
    def _(self, op: arith.CmpfOp) -> None:
        predicate = arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
        if predicate not in COMPARES:
            raise Unsupported(op, what=f"the comparison {predicate}", need=f"one of {', '.join(COMPARES)}")
        self.scalar(op, COMPARES[predicate].format(self.name(op.lhs), self.name(op.rhs)))

    @scalar_statement.register
    def _(self, op: arith.CmpiOp) -> None:
        sign = UNSIGNED[arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]]
        self.line(f"const bool {self.name(op.result)} = {self.name(op.lhs)} {sign} {self.name(op.rhs)};")

    @scalar_statement.register
    def _(self, op: arith.SelectOp) -> None:
        cond, left, right = (self.name(o) for o in op.operands)
        self.scalar(op, f"{cond} ? {left} : {right}")
