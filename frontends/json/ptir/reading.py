"""
Reads PTIR JSON into a module.

The location of an op is the place of its instruction in the text, so that diagnostics of the verifier point there. An
inline operand becomes an op right before its user: a literal becomes `ptir.constant inline`, an element of a tuple
`ptir.tuple_element`, several results used as one value `ptir.tuple`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import msgspec
from msgspec import UNSET
from xdsl.dialects.builtin import ModuleOp, StringAttr, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir import Region as OpRegion
from xdsl.irdl import IRDLOperation
from xdsl.utils.lexer import Span

from ....dialects.ptir import ConstantOp, TupleElementOp, TupleOp, YieldOp
from ....dialects.ptir.module import ENTRY, SPEC_VERSION
from ....errors import counted
from ..common.decoding import Form, decode
from ..common.errors import Contradiction, DuplicateId, SchemaViolation, TooDeep, UndefinedId
from ..common.places import Path, Places
from ..common.reading import Reader
from .errors import NotReadYet, WrongVersion
from .fields import OpParts
from .program import Function, Instruction, Operand, Program, Region, Version
from .table import OPS, PAYLOADS, UNITS, find_row, result_count
from .values import ValueType, read_literal, read_type

EXPANDED_FACTOR = 20
"""Maximum number of instructions of the result for each instruction in the text. (Every use of a region copies it.)"""

EXPANDED = 10_000
"""Number of instructions that the result may have beyond that maximum."""


def _wrong_version(text: str, places: Places) -> WrongVersion | None:
    try:
        version = msgspec.json.decode(text, type=Version).spec_version
    except (msgspec.DecodeError, RecursionError):
        return None
    if version == SPEC_VERSION:
        return None
    return WrongVersion(places.span(["spec_version"]), got=version, want=SPEC_VERSION)


def _suggest(word: str) -> str:
    if word in UNITS:
        return f'an operation without fields is a word: "op": "{word}"'
    if word in PAYLOADS:
        return f'an operation with fields is an object: "op": {{"{word}": …}}'
    return ""


_FORM = Form(Program, "a program is JSON; IR is read by --export-json", _suggest, _wrong_version)


def import_json(text: str, file: StringAttr | None = None) -> ModuleOp:
    """
    Returns the module of a program in JSON, not yet verified. `file` names the text in locations.

    Whatever the text is, raises no other error than `SourceError`.
    """
    file = file or StringAttr("<json>")
    program, places = decode(text, file.data, _FORM)
    try:
        return _PtirReader(program, places, file).module()
    except RecursionError:
        raise TooDeep(places.deepest()) from None


@dataclass(frozen=True)
class _Defined:
    """The IR of a value in JSON: one SSA value, or all results of an op if `several`."""

    values: Sequence[SSAValue]
    several: bool = False


class _Scope:
    """A function or a region: its block, and its values by number."""

    def __init__(self, block: Block, ids: Mapping[int, int]):
        self.block = block
        self.values: dict[int, _Defined] = {}
        self.all_ids = ids


class _PtirReader(Reader):
    def __init__(self, program: Program, places: Places, file: StringAttr):
        super().__init__(places, file)
        self.program = program
        self.regions: dict[int, int] = {}
        """The index in the program of each region number."""
        self.open_regions: list[int] = []
        self.used_regions: set[int] = set()
        written = sum(len(of.body) for of in (*program.functions, *program.regions))
        self.count, self.max_count = 0, EXPANDED + EXPANDED_FACTOR * written

    def module(self) -> ModuleOp:
        program = self.program
        for k, region in enumerate(program.regions):
            if self.regions.setdefault(region.id, k) != k:
                self._duplicate(["regions", k, "id"], "region", region.id)
        functions = [self._function(f, ["functions", k]) for k, f in enumerate(program.functions)]
        for k, region in enumerate(program.regions):
            if region.id not in self.used_regions:
                message = f"region {region.id} belongs to no instruction"
                raise self.contradiction(["regions", k, "id"], message, "remove it")
        names = [f.name for f in program.functions]
        if program.entry not in (names or [""]):
            entry, help = self.places.span(["entry"]), "'entry' names a function"
            raise UndefinedId(entry, what="function", id=program.entry, where="", help=help)
        module = self.finish_module(functions, SPEC_VERSION, program.extensions)
        if names and program.entry != names[0]:
            module.attributes[ENTRY] = StringAttr(program.entry)
        return module

    # --- functions and regions --------------------------------------------------------------------

    def _function(self, function: Function, path: Path) -> FuncOp:
        if function.hints:
            message, help = "fusion hints are not supported yet", "export the program before fusion"
            raise NotReadYet(self.places.span([*path, "hints"]), message=message, help=help)
        self._require_count(function.parameter_ids, function.parameters, [*path, "parameter_ids"], "parameters")
        self._require_count(function.result_ids, function.results, [*path, "result_ids"], "results")
        scope = self._scope(function, function.parameter_ids, path)
        results = self._body(scope, function, function.result_ids, path)
        return self.finish_function(function.name, scope.block, results, [*path, "name"], [*path, "result_ids"])

    def _region(self, number: int, user: Path) -> OpRegion:
        if (k := self.regions.get(number)) is None:
            help = "regions stand beside the functions, in 'regions'"
            raise UndefinedId(self._op_span(user), what="region", id=number, where="", help=help)
        if number in self.open_regions:
            raise Contradiction(self._op_span(user), message=f"region {number} contains itself", help="")
        self.used_regions.add(number)
        region, path = self.program.regions[k], ["regions", k]
        scope = self._scope(region, range(len(region.parameters)), path)
        if region.result_ids is UNSET:
            first = len(region.body) - len(region.results)
            if first < 0:
                message = (
                    f"{counted(len(region.results), 'result')}, but only {counted(len(region.body), 'instruction')}"
                )
                raise self.contradiction([*path, "results"], message, "list the results in 'result_ids'")
            ids: Sequence[int | Operand] = [instruction.id for instruction in region.body[first:]]
        else:
            ids = region.result_ids
        self._require_count(ids, region.results, [*path, "result_ids"], "results")
        self.open_regions.append(number)
        end = YieldOp(self._body(scope, region, ids, path))
        self.open_regions.pop()
        end.location = self.location([*path, "results"])
        scope.block.add_op(end)
        return OpRegion(scope.block)

    def _scope(self, of: Function | Region, ids: Sequence[int], path: Path) -> _Scope:
        """Creates the block and its parameters."""
        types = [self._type(t, [*path, "parameters", k]) for k, t in enumerate(of.parameters)]
        scope = _Scope(Block(arg_types=types), {i.id: k for k, i in enumerate(of.body)})
        for k, (number, argument) in enumerate(zip(ids, scope.block.args, strict=True)):
            self._define(scope, number, _Defined([argument]), [*path, "parameter_ids", k])
            argument.location = self.location([*path, "parameters", k])
        self._name(scope.block.args, of.parameter_names, [*path, "parameter_names"])
        return scope

    def _body(
        self, scope: _Scope, of: Function | Region, result_ids: Sequence[int | Operand], path: Path
    ) -> list[SSAValue]:
        """Adds the instructions and returns the results."""
        self.count += len(of.body)
        if self.count > self.max_count:
            message = f"the program expands to more than {self.max_count:,} instructions"
            raise NotReadYet(self.places.span(path), message=message, help="every use of a region copies it")
        for k, instruction in enumerate(of.body):
            self._instruction(scope, instruction, [*path, "body", k])
        results: list[SSAValue] = []
        for k, (result, t) in enumerate(zip(result_ids, of.results, strict=True)):
            at = [*path, "result_ids", k] if of.result_ids is not UNSET else [*path, "results", k]
            operand = Operand(value=result) if isinstance(result, int) else result
            value = self._operand(scope, operand, at)
            if value.type != (want := self._type(t, [*path, "results", k])):
                raise self.contradiction([*path, "results", k], f"result {k} is {value.type}, not {want}")
            results.append(value)
        return results

    # --- instructions -----------------------------------------------------------------------------

    def _instruction(self, scope: _Scope, instruction: Instruction, path: Path) -> None:
        row, payload = find_row(instruction.op)
        op_type = OPS[f"ptir.{row.op}"]
        operands = [self._operand(scope, o, [*path, "operands", k]) for k, o in enumerate(instruction.operands)]
        results = self._results(op_type, instruction.output, path)
        parts = OpParts(operands, results, lambda number: self._region(number, path))
        for field in row.fields:
            inner = [*path, "op", row.variant]
            with self.errors_at(inner if row.whole else [*inner, field.name]):
                field.read(parts, payload if row.whole else getattr(payload, field.name))
        op = op_type.create(
            operands=operands,
            result_types=results,
            properties=parts.properties,
            regions=parts.regions,
            location=self.location_of(self._op_span(path)),
        )
        scope.block.add_op(op)
        self._name(op.results, instruction.names, [*path, "names"])
        defined = _Defined(op.results, result_count(op_type) != 1 and instruction.output.tensor is UNSET)
        self._define(scope, instruction.id, defined, [*path, "id"])

    def _results(self, op_type: type[IRDLOperation], output: ValueType, path: Path) -> list[Attribute]:
        """Returns the types of an op's results. For an op that may have several results, `output` is a tuple of them."""
        t, count = self._type(output, [*path, "output"]), result_count(op_type)
        if count == 1:
            return [t]
        types: list[Attribute] = list(t.types) if isinstance(t, TupleType) else [t]
        if count is not None and len(types) != count:
            raise self.contradiction(
                [*path, "output"], f"'{op_type.name}' has {counted(count, 'result')}, but the output is {t}"
            )
        return types

    def _operand(self, scope: _Scope, operand: Operand, path: Path) -> SSAValue:
        """Returns the value of an operand; for an inline operand, a new op is created."""
        op: Operation
        if operand.literal is not UNSET:
            with self.errors_at([*path, "Literal"]):
                op = ConstantOp(read_literal(operand.literal), inline=True)
        elif operand.tuple_element is not UNSET:
            element = operand.tuple_element
            defined = self._defined(scope, element.tuple, [*path, "TupleElement", "tuple"])
            count = len(defined.values)
            if not defined.several:
                t = defined.values[0].type
                count = len(t.types) if isinstance(t, TupleType) else -1
            if element.index >= count:
                problem = (
                    f"has elements 0 to {count - 1}" if count > 0 else "is empty" if count == 0 else "is not a tuple"
                )
                message = f"element {element.index} of value {element.tuple}, which {problem}"
                raise self.contradiction([*path, "TupleElement", "index"], message)
            if defined.several:
                return defined.values[element.index]
            op = TupleElementOp(defined.values[0], element.index)
        else:
            defined = self._defined(scope, cast(int, operand.value), [*path, "Value"])
            if not defined.several:
                return defined.values[0]
            op = TupleOp(defined.values)
        op.location = self.location(path)
        scope.block.add_op(op)
        return op.results[0]

    def _defined(self, scope: _Scope, number: int, path: Path) -> _Defined:
        if (found := scope.values.get(number)) is not None:
            return found
        where, help = " here", "a function or a region can use its own values only"
        if number in scope.all_ids:
            where, help = " yet", "an instruction can use values that are defined before it"
        raise UndefinedId(self.places.span(path), what="value", id=number, where=where, help=help)

    def _define(self, scope: _Scope, number: int, value: _Defined, path: Path) -> None:
        if scope.values.setdefault(number, value) is not value:
            self._duplicate(path, "value", number)

    def _name(self, values: Sequence[SSAValue], names: Sequence[str | None], path: Path) -> None:
        if not names:
            return
        self._require_count(names, values, path, "values")
        for k, (value, name) in enumerate(zip(values, names, strict=True)):
            if not SSAValue.is_valid_name(name):
                message, help = (
                    f"'{name}' is not a name of a value",
                    "a name has letters, digits and _ $ . -; no digit first",
                )
                raise SchemaViolation(self.places.span([*path, k]), message=message, help=help)
            value.name_hint = name

    # --- small things -----------------------------------------------------------------------------

    def _type(self, t: ValueType, path: Path) -> Attribute:
        with self.errors_at(path, SchemaViolation):
            return read_type(t)

    def _require_count(self, got: Sequence[object], want: Sequence[object], path: Path, what: str) -> None:
        if len(got) != len(want):
            raise self.contradiction(
                path, f"'{path[-1]}' has length {len(got)}, but the number of {what} is {len(want)}"
            )

    def _duplicate(self, path: Path, what: str, number: int) -> None:
        raise DuplicateId(self.places.span(path), what=what, id=number)

    def _op_span(self, path: Path) -> Span[str]:
        return self.places.first_key([*path, "op"])
