"""
Tuple values. Contract: *Values, tuples, and literals*.

Ops with several results do not use tuples; a function, a region or a custom call passes a tuple as one value. A function with
tuples in its signature is called with their elements, one array per element.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.dialects.builtin import IntegerAttr, TupleType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import base, irdl_op_definition, operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from ...errors import TypeMismatch, UnsupportedType, counted
from ..common.checks import check_value
from ..common.ops import DialectOp


@irdl_op_definition
class TupleOp(DialectOp):
    """
    Makes a tuple of its operands; it may be empty. Contract: *Values, tuples, and literals*.

    ```mlir
    %t = ptir.tuple %a, %b : tuple<tensor<4xf32>, tensor<2xsi32>>
    ```
    """

    name = "ptir.tuple"
    elements = var_operand_def()
    result = result_def(base(TupleType))
    traits = traits_def(Pure())

    def __init__(self, elements: Sequence[SSAValue]):
        super().__init__([elements], [TupleType(tuple(e.type for e in elements))])  # pyright: ignore[reportArgumentType]

    @classmethod
    def parse(cls, parser: Parser) -> TupleOp:
        elements = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        at = parser.pos
        t = parser.parse_type()
        if not isinstance(t, TupleType) or len(t.types) != len(elements or ()):
            parser.raise_error(f"expected a tuple type with {counted(len(elements or ()), 'element')}", at, parser.pos)
        op = cls(parser.resolve_operands(elements or (), t.types.data, at))
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        if self.elements:
            printer.print_string(" ")
            printer.print_list(self.elements, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        want = TupleType(tuple(e.type for e in self.elements))  # pyright: ignore[reportArgumentType]
        if self.result.type != want:
            raise TypeMismatch(self, what="the result", got=self.result.type, want=want)


@irdl_op_definition
class TupleElementOp(DialectOp):
    """
    Returns element `index` of a tuple, counted from 0. Contract: *Values, tuples, and literals* (`Operand::TupleElement`).

    ```mlir
    %b = ptir.tuple_element %t[1] : tuple<tensor<4xf32>, tensor<2xsi32>> -> tensor<2xsi32>
    ```
    """

    name = "ptir.tuple_element"
    input = operand_def(TupleType)
    index = prop_def(IntegerAttr.constr(type=i64))
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$input `[` $index `]` attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, index: int):
        of = elements(input.type)
        result = of[index] if 0 <= index < len(of) else input.type
        super().__init__([input], [result], index=index)

    def verify_(self) -> None:
        of, index = elements(self.input.type), self.index.value.data
        help = f"the tuple has elements 0 to {len(of) - 1}" if of else "the tuple is empty"
        check_value(self, 0 <= index < len(of), "index", index, help)
        if self.result.type != of[index]:
            raise TypeMismatch(self, what=f"element {index}", got=self.result.type, want=of[index])


def elements(of: Attribute) -> Sequence[Attribute]:
    """Returns the types of a tuple type's elements. Raises `UnsupportedType` if `of` is not a tuple type."""
    if not isinstance(of, TupleType):
        raise UnsupportedType(what="a value", got=of, want="a tuple is needed")
    return of.types.data


def leaves(types: Iterable[Attribute]) -> Iterator[Attribute]:
    """Yields `types`, with tuple types replaced by the types of their elements, recursively."""
    for t in types:
        if isinstance(t, TupleType):
            yield from leaves(t.types)
        else:
            yield t
