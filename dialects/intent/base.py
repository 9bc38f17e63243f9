"""The base of the ops: an op computes its result type from its operands and attributes; its verifier compares."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import base, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from ...errors import DtypeMismatch, RankMismatch, ShapeMismatch
from ..common.checks import check_attribute, check_type
from ..common.ops import DialectOp
from ..common.shapes import is_float, is_predicate
from ..common.syntax import AttributeDirective
from ..ptir.domains import is_integer
from ..ptir.scalars import ScalarAttr, parse_scalar, print_scalar
from . import symbols
from .broadcast import may_agree
from .symbols import SCALE, InvalidExpression
from .types import Dim, TensorType, shape_text, type_of

IntentTensor = base(TensorType)
KINDS: dict[str, Callable[[Attribute], bool]] = {
    "floats": is_float,
    "numbers": lambda t: not is_predicate(t),
    "integers": is_integer,
    "booleans": is_predicate,
    "any type": lambda t: True,
}
"""The domains of ops."""


class IntentOp(DialectOp, abc.ABC):
    """Base of the ops, which are pure and have one result."""

    result = result_def(IntentTensor)
    traits = traits_def(Pure())

    @abc.abstractmethod
    def inferred(self) -> TensorType:
        """
        Returns the result type that operands and attributes determine; what they leave open is that of the result. Raises
        `VerifyError` for an op that is invalid with any result type.
        """

    def verify_(self) -> None:
        want = self.inferred()
        self.require_element(self.result, want.element_type, "the result")
        self.require_shape(self.result, want.dims, "the result")

    def require_shape(self, value: SSAValue, want: Sequence[Dim], what: str) -> None:
        """Checks that the sizes of `value` may be equal to `want`. Those that depend on the symbols are checked in a run."""
        got = type_of(value).dims
        if len(got) != len(want) or not all(map(may_agree, got, want)):
            raise ShapeMismatch(self, what=what, got=shape_text(got), want=shape_text(want))

    def require_element(self, value: SSAValue, want: Attribute, what: str) -> None:
        if (got := type_of(value).element_type) != want:
            raise DtypeMismatch(self, what=what, got=got, want=want)

    def require_kind(self, value: SSAValue, kind: str, what: str) -> Attribute:
        """Checks that the elements of `value` are in the domain `kind`, and returns their type."""
        dtype = type_of(value).element_type
        check_type(self, KINDS[kind](dtype), what, dtype, f"{what} must have elements of {kind}")
        return dtype

    def require_rank(self, value: SSAValue, want: int, what: str) -> tuple[Dim, ...]:
        """Checks the rank of `value` and returns its sizes."""
        dims = type_of(value).dims
        if len(dims) != want:
            raise RankMismatch(self, what=what, got=len(dims), want=want)
        return dims


def check_scale(op: Operation, name: str, value: Attribute | None) -> None:
    """Checks a number of an attribute, which is a scalar or the text of an expression of symbols."""
    if isinstance(value, StringAttr):
        try:
            symbols.parse(value.data, SCALE)
        except InvalidExpression as error:
            check_attribute(
                op, False, name, f"is no number: {error.problem}", "give a number or an expression of symbols"
            )


class Amount(AttributeDirective):
    """Parses and prints a number: a scalar such as `0.5 : f64`, or an expression of symbols, `expr "1 / N"`."""

    def parse_value(self, parser: Parser) -> Attribute:
        return StringAttr(parser.parse_str_literal()) if parser.parse_optional_keyword("expr") else parse_scalar(parser)

    def print_value(self, printer: Printer, value: Attribute) -> None:
        if isinstance(value, ScalarAttr):
            return print_scalar(printer, value)
        printer.print_string("expr ")
        return printer.print_attribute(value)
