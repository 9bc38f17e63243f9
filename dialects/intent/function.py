"""The function: what a kernel means, with its contract, and hints that do not change the meaning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    SymbolNameConstraint,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def, region_def, traits_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, SymbolOpInterface
from xdsl.utils.hints import isa

from ...errors import RegionMismatch
from ..common.checks import check_attribute, check_type, check_word
from ..common.ops import DialectOp
from ..common.syntax import parse_arguments, print_arguments
from . import symbols
from .base import IntentTensor
from .symbols import ASSUMPTION, InvalidExpression, Node
from .types import TensorType, type_of

LEVELS = ("FULL", "PARTIAL", "OUT_OF_SCOPE")
ROLES = ("spatial", "reduction", "batch", "channel")
TILES = ("tile_m", "tile_n", "tile_k")
NUMBERS = (*TILES, "vec_width", "pipeline_depth")
SCHEDULE = (*NUMBERS, "axis_bindings", "vec_axis", "parallel_axes", "memory_hint")
"""The fields of a schedule."""
RESERVED = ("num_elements",)
"""Names in expressions that are no symbols unless a size has them."""


@irdl_op_definition
class ReturnOp(DialectOp):
    """
    Ends a function with its outputs.

    ```mlir
    intent.return %y : !intent.tensor<[M, N], f32>
    ```
    """

    name = "intent.return"
    values = var_operand_def(IntentTensor)
    traits = traits_def(IsTerminator())
    assembly_format = "attr-dict ($values^ `:` type($values))?"


@irdl_op_definition
class FuncOp(DialectOp):
    """
    A function of tensors. Its symbols are those of its arguments' sizes, and any others in its body, which a binding must give.

    - `contract` has a level, `FULL`, `PARTIAL` or `OUT_OF_SCOPE`, and assumptions about symbols and arguments, such as `"N % 4 == 0"`,
      `"finite(x)"` or `"0 <= index < N"`; the function is only defined where they hold.
    - `parallel_axes` are symbols of independent axes, `axis_roles` say what an axis is for, and `meta` is anything else.
    - `schedule` is a hint to backends: tile sizes, vector width, pipeline depth, the axes that these divide. It never changes results.

    ```mlir
    intent.func @softmax(%x: !intent.tensor<[M, N], f32>) attributes {contract = {level = "FULL", assumptions = ["finite(x)"]}} {
      %y = intent.softmax %x axis 1 : !intent.tensor<[M, N], f32> -> !intent.tensor<[M, N], f32>
      intent.return %y : !intent.tensor<[M, N], f32>
    }
    ```
    """

    name = "intent.func"
    sym_name = prop_def(SymbolNameConstraint())
    parallel_axes = opt_prop_def(ArrayAttr[StringAttr])
    axis_roles = opt_prop_def(DictionaryAttr)
    contract = opt_prop_def(DictionaryAttr)
    schedule = opt_prop_def(DictionaryAttr)
    meta = opt_prop_def(DictionaryAttr)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(self, name: str, body: Region | Block, **attributes: Attribute | None):
        super().__init__([], [], [body], sym_name=name, **attributes)

    @property
    def inputs(self) -> Sequence[BlockArgument]:
        return self.body.block.args

    @property
    def outputs(self) -> Sequence[SSAValue]:
        """The values that the function returns."""
        return tuple(self.body.block.last_op.operands) if self.body.block.last_op is not None else ()

    @property
    def assumptions(self) -> tuple[str, ...]:
        given = None if self.contract is None else self.contract.data.get("assumptions")
        return tuple(a.data for a in given if isinstance(a, StringAttr)) if isa(given, ArrayAttr[Attribute]) else ()

    @property
    def level(self) -> str:
        given = None if self.contract is None else self.contract.data.get("level")
        return given.data if isinstance(given, StringAttr) else LEVELS[0]

    def symbols(self) -> tuple[str, ...]:
        """Returns the names in the sizes of all values and in expressions, in the order of their occurrence."""
        return tuple(dict.fromkeys(name for node in self._expressions() for name in symbols.symbols(node)))

    def _expressions(self) -> Iterator[Node]:
        yield from _sizes(self.inputs)
        for op in self.body.walk():
            for name in ("value", "scale"):
                if isinstance(text := op.properties.get(name), StringAttr):
                    node = symbols.parse(text.data, symbols.SCALE)
                    yield from (n for n in symbols.symbols(node) if n not in RESERVED)
            for block in (b for region in op.regions for b in region.blocks):
                yield from _sizes(block.args)
            yield from _sizes(op.results)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_symbol_name()
        args = parse_arguments(parser)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region(args)
        given = dict(attributes.data) if attributes is not None else {}
        fields = {field: given.pop(field) for field in _FIELDS if field in given}
        op = cls(name.data, body, **fields)
        op.attributes = given
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        print_arguments(printer, self.inputs)
        fields = {name: self.properties[name] for name in _FIELDS if name in self.properties}
        printer.print_op_attributes({**fields, **self.attributes}, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)

    # --- verification ----------------------------------------------------------------------------

    def verify_(self) -> None:
        for arg in self.inputs:
            check_type(self, isinstance(arg.type, TensorType), "an argument", arg.type, "arguments are !intent.tensor")
        if not isinstance(self.body.block.last_op, ReturnOp):
            last = self.body.block.last_op
            raise RegionMismatch(self, what="the end of the function", got=last and last.name, want="intent.return")
        known = self.symbols()
        for axis in self.parallel_axes or ():
            self._require_symbol("parallel_axes", axis.data, known)
        for axis, role in self._entries("axis_roles"):
            self._require_symbol("axis_roles", axis, known)
            self._require_word("axis_roles", axis, role, ROLES)
        self._verify_contract(known)
        self._verify_schedule(known)

    def _entries(self, field: str) -> list[tuple[str, Attribute]]:
        value = self.properties.get(field)
        return list(value.data.items()) if isinstance(value, DictionaryAttr) else []

    def _require_symbol(self, field: str, name: str, known: Sequence[str]) -> None:
        help = f"symbols are {', '.join(known)}" if known else "the function has no symbols"
        check_attribute(self, name in known, field, f"names '{name}', which is no symbol of the function", help)

    def _require_word(self, field: str, key: str, value: Attribute, words: Sequence[str]) -> None:
        check_attribute(
            self, isinstance(value, StringAttr), field, f"has a {key} that is no text", f"one of {', '.join(words)}"
        )
        if isinstance(value, StringAttr):
            check_word(self, f"{field}.{key}", value.data, words)

    def _verify_contract(self, known: Sequence[str]) -> None:
        for key, value in self._entries("contract"):
            if key == "level":
                self._require_word("contract", key, value, LEVELS)
                continue
            check_attribute(
                self, key == "assumptions", "contract", f"has the field '{key}'", "its fields are level, assumptions"
            )
            texts = isa(value, ArrayAttr[StringAttr])
            check_attribute(
                self, texts, "contract.assumptions", "is no list of texts", "write each assumption as a text"
            )
        names = {arg.name_hint or "" for arg in self.inputs}
        for text in self.assumptions:
            try:
                node = symbols.parse(text, ASSUMPTION)
            except InvalidExpression as error:
                help = "comparisons of symbols and arguments, finite(x), and, or, not; free text belongs into meta"
                check_attribute(self, False, "contract.assumptions", f"has '{text}': {error.problem}", help)
                return
            for name in symbols.symbols(node):
                help = f"symbols are {', '.join(known) or 'none'}, arguments {', '.join(sorted(names))}"
                problem = f"has '{text}', but {name} is neither a symbol nor an argument"
                check_attribute(self, name in known or name in names, "contract.assumptions", problem, help)

    def _verify_schedule(self, known: Sequence[str]) -> None:
        for key, value in self._entries("schedule"):
            check_attribute(
                self, key in SCHEDULE, "schedule", f"has the field '{key}'", f"its fields are {', '.join(SCHEDULE)}"
            )
            field = f"schedule.{key}"
            if key in NUMBERS:
                number = isinstance(value, IntegerAttr) and value.value.data >= 1
                named = isinstance(value, StringAttr) and symbols.SYMBOL.fullmatch(value.data) is not None
                check_attribute(
                    self, number or named, field, f"is {value}", "a positive number, or the name of a parameter"
                )
            elif key == "axis_bindings":
                bindings = value.data if isinstance(value, DictionaryAttr) else {"": value}
                for tile, axis in bindings.items():
                    check_attribute(self, tile in NUMBERS, field, f"binds '{tile}'", f"one of {', '.join(NUMBERS)}")
                    self._require_symbol(field, axis.data if isinstance(axis, StringAttr) else str(axis), known)
            elif key in ("vec_axis", "parallel_axes"):
                names = list(value) if isa(value, ArrayAttr[Attribute]) else [value]
                for axis in names:
                    self._require_symbol(field, axis.data if isinstance(axis, StringAttr) else str(axis), known)
            else:
                check_attribute(
                    self, isinstance(value, DictionaryAttr), field, "is no object", "write fields and values"
                )


_FIELDS = ("parallel_axes", "axis_roles", "contract", "schedule", "meta")


def _sizes(values: Sequence[SSAValue]) -> Iterator[Node]:
    for value in values:
        if isinstance(value.type, TensorType):
            yield from type_of(value).sizes


def function_of(op: Operation) -> FuncOp | None:
    """Returns the function around an op, or None."""
    parent: Operation | None = op
    while parent is not None and not isinstance(parent, FuncOp):
        parent = parent.parent_op()
    return parent
