"""
Control-flow ops, which have regions. Contract: *Control flow (regions)*.

A region is like a function: it has parameters, its results are the operands of its `ptir.yield`, and it is isolated from above.
Values from outside are passed in as operands of the op. Regions contain pure ops only.
"""

from __future__ import annotations

import abc
from collections.abc import Iterable, Sequence
from typing import Self

from xdsl.dialects.builtin import FunctionType, TensorType, TupleType, UnregisteredOp, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    RecursivelySpeculatable,
    RecursiveMemoryEffect,
    is_side_effect_free,
)

from ...errors import ImpureRegion, OperandCountMismatch, RankMismatch, RegionMismatch, VerifyError, counted
from ..common.shapes import element, tensor
from .base import AnyTensor, TensorOp
from .dims import merge, sizes, tensor_type

AnyValue = base(TensorType) | base(TupleType)
PREDICATE = TensorType(i1, [])


@irdl_op_definition
class YieldOp(IRDLOperation):
    """
    Ends a region; its operands are the region's results.

    ```mlir
    %r = ptir.cond %p (%a) : (tensor<f32>) -> tensor<f32> then (%x) {
      ptir.yield %x : tensor<f32>
    } else (%y) {
      %n = ptir.neg %y : tensor<f32>
      ptir.yield %n : tensor<f32>
    }
    ```
    """

    name = "ptir.yield"
    values = var_operand_def(AnyValue)
    traits = traits_def(IsTerminator(), Pure())
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, values: Sequence[SSAValue]):
        super().__init__(operands=[values])

    def verify_(self) -> None:
        if (parent := self.parent_op()) is not None and not isinstance(parent, ControlOp):
            raise VerifyError(self, problem=f"must end a region of a ptir op, but its parent is '{parent.name}'")


class ControlOp(TensorOp, abc.ABC):
    """Base of ops whose regions are called like functions."""

    def require_region(
        self, region: Region, what: str, parameters: Sequence[Attribute], results: Sequence[Attribute]
    ) -> None:
        """Checks that the region has exactly these parameter and result types, including the names of dimensions."""
        end = self.require_yield(region, what)
        self.require_types(self, f"the parameters of {what}", [a.type for a in region.block.args], parameters)
        self.require_types(end, f"the results of {what}", [v.type for v in end.values], results)

    def require_yield(self, region: Region, what: str) -> YieldOp:
        """Returns the terminator of a region. Checks that it is a `ptir.yield` and that the ops of the region are pure."""
        end = region.block.last_op
        if not isinstance(end, YieldOp):
            raise RegionMismatch(self, what=f"the end of {what}", got=end.name if end else "nothing", want=YieldOp.name)
        for op in region.block.ops:
            if not isinstance(op, UnregisteredOp) and not is_side_effect_free(op):
                raise ImpureRegion(op, name=op.name, parent=self.name)
        return end

    def require_types(self, at: Operation, what: str, got: Sequence[Attribute], want: Sequence[Attribute]) -> None:
        if list(got) != list(want):
            notes = [(self, "of this op")] if at is not self else []
            raise RegionMismatch(at, what=what, got=_types_text(got), want=_types_text(want), notes=notes)

    def print_body(self, printer: Printer, word: str, region: Region, implied: Sequence[Attribute]) -> None:
        """Prints `word (%a, %b) {…}`. The type of a parameter is printed only if it differs from the type in `implied`."""
        printer.print_string(f" {word} ")
        if args := region.block.args:
            with printer.in_parens():
                printer.print_list(
                    enumerate(args),
                    lambda a: printer.print_block_argument(a[1], print_type=list(implied[a[0] :][:1]) != [a[1].type]),
                )
            printer.print_string(" ")
        printer.print_region(region, print_entry_block_args=False, print_empty_block=False)

    def print_signature(self, printer: Printer) -> None:
        """Prints `: (operand types) -> result types`, then discardable attributes."""
        printer.print_string(" : ")
        printer.print_function_type([o.type for o in self.signature_operands()], self.result_types)
        printer.print_op_attributes(self.attributes, print_keyword=True)

    def signature_operands(self) -> Sequence[SSAValue]:
        """The operands whose types are in the signature."""
        return self.operands


def _types_text(types: Iterable[Attribute]) -> str:
    return f"({', '.join(map(str, types))})"


def parse_operands(parser: Parser) -> list[UnresolvedOperand]:
    """Parses `(%a, %b)`, or nothing."""
    found = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
    return found or []


def print_operands(printer: Printer, operands: Sequence[SSAValue]) -> None:
    if operands:
        printer.print_string(" ")
        printer.print_operands(operands)


def parse_signature(parser: Parser, operands: Sequence[UnresolvedOperand]) -> tuple[list[SSAValue], list[Attribute]]:
    """Parses `: (operand types) -> result types`; returns the typed operands and the result types."""
    parser.parse_punctuation(":")
    at = parser.pos
    signature = parser.parse_type()
    if not isinstance(signature, FunctionType) or len(signature.inputs) != len(operands):
        types = f"the types of {counted(len(operands), 'operand')}"
        parser.raise_error(f"expected a function type: ({types}) -> result types", at, parser.pos)
    values = parser.resolve_operands(operands, signature.inputs.data, at)
    return list(values), list(signature.outputs.data)


def parse_attributes(parser: Parser) -> dict[str, Attribute]:
    """Parses `attributes {…}`, or nothing."""
    attributes = parser.parse_optional_attr_dict_with_keyword()
    return dict(attributes.data) if attributes else {}


def parse_body(parser: Parser, word: str, implied: Sequence[Attribute]) -> Region:
    """Parses `word (%a, %b: type) {…}`. A parameter without type has the type in `implied`."""
    parser.parse_keyword(word)
    arguments: list[Parser.Argument] = []

    def parameter() -> None:
        name = parser.parse_argument(expect_type=False)
        if parser.parse_optional_punctuation(":"):
            arguments.append(name.resolve(parser.parse_type()))
        elif len(arguments) < len(implied):
            arguments.append(name.resolve(implied[len(arguments)]))
        else:
            parser.raise_error(f"this parameter has no type, and there are only {counted(len(implied), 'operand')}")

    parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parameter)
    return parser.parse_region(arguments)


@irdl_op_definition
class CondOp(ControlOp):
    """
    Runs one of two regions, selected by a predicate. Contract: *Cond*. The regions have the same parameter and result types.

    ```mlir
    %r = ptir.cond %p (%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> then (%x, %y) {
      %s = ptir.sub %x, %y : tensor<4xf32>
      ptir.yield %s : tensor<4xf32>
    } else (%u, %v) {
      ptir.yield %v : tensor<4xf32>
    }
    ```
    """

    name = "ptir.cond"
    pred = operand_def(AnyTensor)
    inputs = var_operand_def(AnyValue)
    outputs = var_result_def(AnyValue)
    true_region = region_def("single_block")
    false_region = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), RecursiveMemoryEffect(), RecursivelySpeculatable())

    def __init__(
        self,
        pred: SSAValue,
        inputs: Sequence[SSAValue],
        true_region: Region | Block,
        false_region: Region | Block,
        result_types: Sequence[Attribute] | None = None,
    ):
        types = yielded_types(true_region) if result_types is None else result_types
        super().__init__([pred, inputs], [types], [true_region, false_region])

    def signature_operands(self) -> Sequence[SSAValue]:
        return self.inputs

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        pred = parser.parse_unresolved_operand()
        inputs, outputs = parse_signature(parser, parse_operands(parser))
        attributes, types = parse_attributes(parser), [value.type for value in inputs]
        true_region, false_region = (parse_body(parser, word, types) for word in ("then", "else"))
        op = cls(parser.resolve_operand(pred, PREDICATE), inputs, true_region, false_region, outputs)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.pred)
        print_operands(printer, self.inputs)
        self.print_signature(printer)
        for word, region in (("then", self.true_region), ("else", self.false_region)):
            self.print_body(printer, word, region, self.inputs.types)

    def verify_(self) -> None:
        self.require_tensor(self.pred, i1, [], "the predicate")
        for word, region in (("then", self.true_region), ("else", self.false_region)):
            self.require_region(region, f"'{word}'", self.inputs.types, self.outputs.types)


@irdl_op_definition
class WhileOp(ControlOp):
    """
    Runs `do` while the predicate of `cond` is true. Contract: *While*.

    `cond` takes the carried values, and returns a predicate and new carried values. If the predicate is true, these are passed to
    `do`, whose results are carried into the next iteration. If it is false, they are the results of the op. Types must not
    change between iterations: a size that changes must be `?` without a name.

    ```mlir
    %n, %y = ptir.while (%i, %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) cond (%j, %a) {
      %zero = ptir.constant dense<0> : tensor<i32>
      %more = ptir.compare gt %j, %zero : tensor<i32> -> tensor<i1>
      ptir.yield %more, %j, %a : tensor<i1>, tensor<i32>, tensor<4xf32>
    } do (%k, %b) {
      %one = ptir.constant dense<1> : tensor<i32>
      %next = ptir.sub %k, %one : tensor<i32>
      %twice = ptir.add %b, %b : tensor<4xf32>
      ptir.yield %next, %twice : tensor<i32>, tensor<4xf32>
    }
    ```
    """

    name = "ptir.while"
    inputs = var_operand_def(AnyValue)
    outputs = var_result_def(AnyValue)
    cond_region = region_def("single_block")
    body_region = region_def("single_block")
    # Not speculatable, since it may not terminate.
    traits = traits_def(IsolatedFromAbove(), RecursiveMemoryEffect())

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        cond_region: Region | Block,
        body_region: Region | Block,
        result_types: Sequence[Attribute] | None = None,
    ):
        types = [value.type for value in inputs] if result_types is None else result_types
        super().__init__([inputs], [types], [cond_region, body_region])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        inputs, outputs = parse_signature(parser, parse_operands(parser))
        attributes, types = parse_attributes(parser), [value.type for value in inputs]
        op = cls(inputs, parse_body(parser, "cond", types), parse_body(parser, "do", types), outputs)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        print_operands(printer, self.inputs)
        self.print_signature(printer)
        for word, region in (("cond", self.cond_region), ("do", self.body_region)):
            self.print_body(printer, word, region, self.inputs.types)

    def verify_(self) -> None:
        carried = self.inputs.types
        self.require_types(self, "the results", self.outputs.types, carried)
        self.require_region(self.cond_region, "'cond'", carried, [PREDICATE, *carried])
        self.require_region(self.body_region, "'do'", carried, carried)


@irdl_op_definition
class ScanOp(ControlOp):
    """
    Loops over the leading axis of the scanned operands (those after `over`), which have the same length. Contract: *Scan*.

    `do` takes the carried values and, for the current step, a slice of each scanned operand without the leading axis. Its first
    results are carried into the next step; those of the last step are the first results of the op. Its other results are
    stacked along a new leading axis, one row per step. With zero steps, the op returns the carried operands and empty stacks.

    ```mlir
    %last, %sums = ptir.scan (%zero) over (%xs) : (tensor<2xf32>, tensor<8x2xf32>) -> (tensor<2xf32>, tensor<8x2xf32>) do (%sum, %x) {
      %next = ptir.add %sum, %x : tensor<2xf32>
      ptir.yield %next, %next : tensor<2xf32>, tensor<2xf32>
    }
    ```
    """

    name = "ptir.scan"
    carried = var_operand_def(AnyValue)
    scanned = var_operand_def(AnyTensor)
    outputs = var_result_def(AnyValue)
    body_region = region_def("single_block")
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(IsolatedFromAbove(), RecursiveMemoryEffect(), RecursivelySpeculatable())

    def __init__(
        self,
        carried: Sequence[SSAValue],
        scanned: Sequence[SSAValue],
        body_region: Region | Block,
        result_types: Sequence[Attribute] | None = None,
    ):
        if result_types is None:
            stacked = yielded_types(body_region)[len(carried) :]
            length = merge(*(sizes(x)[0] for x in scanned))
            rows = [tensor_type(element(row), [length, *sizes(row)]) for row in stacked]
            result_types = [*(value.type for value in carried), *rows]
        super().__init__([carried, scanned], [result_types], [body_region])

    @property
    def carry_count(self) -> int:
        return len(self.carried)

    @property
    def stacked(self) -> Sequence[SSAValue]:
        """The stacked results, which have a row for each step."""
        return self.outputs[len(self.carried) :]

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        carried = parse_operands(parser)
        scanned = parse_operands(parser) if parser.parse_optional_keyword("over") else []
        values, outputs = parse_signature(parser, [*carried, *scanned])
        attributes, carry, rows = parse_attributes(parser), values[: len(carried)], values[len(carried) :]
        implied = [v.type for v in carry]
        op = cls(carry, rows, parse_body(parser, "do", [*implied, *_slices(rows)]), outputs)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        print_operands(printer, self.carried)
        if self.scanned:
            printer.print_string(" over")
            print_operands(printer, self.scanned)
        self.print_signature(printer)
        self.print_body(printer, "do", self.body_region, [*self.carried.types, *_slices(self.scanned)])

    def verify_(self) -> None:
        if not self.scanned:
            raise OperandCountMismatch(self, what="ptir.scan", want="one or more scanned operands", got=0)
        for x in self.scanned:
            if not tensor(x).get_shape():
                want = "at least 1: a scan steps along the leading axis"
                raise RankMismatch(self, what="a scanned input", got=0, want=want)
        carried = self.carried.types
        end = self.require_yield(self.body_region, "'do'")
        rows = end.values.types[len(carried) :]
        self.require_region(self.body_region, "'do'", [*carried, *_slices(self.scanned)], [*carried, *rows])
        self.require_types(self, "the carried results", self.outputs.types[: len(carried)], carried)
        if len(rows) != len(self.stacked):
            want = counted(len(self.outputs), "operand")
            raise OperandCountMismatch(end, what="the end of a scan", want=want, got=len(end.values))
        length = merge(*(sizes(x)[0] for x in self.scanned))
        for x in self.scanned:
            self.require_shape(x, [length, *sizes(x)[1:]], "a scanned input")
        for row, stacked in zip(rows, self.stacked, strict=True):
            self.require_tensor(stacked, element(row), [length, *sizes(row)], "a stacked result")


def _slices(scanned: Sequence[SSAValue]) -> list[Attribute]:
    """Returns the types of the slices of `scanned` that a step takes."""
    return [tensor_type(element(x), sizes(x)[1:]) for x in scanned if isinstance(x.type, TensorType)]


def yielded_types(body: Region | Block) -> Sequence[Attribute]:
    """Returns the types of the operands of a region's `ptir.yield`; empty if it has none."""
    end = (body.block if isinstance(body, Region) else body).last_op
    return [value.type for value in end.operands] if isinstance(end, YieldOp) else []
