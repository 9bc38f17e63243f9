"""
JSON → module.

An instruction becomes an op at its place in the text, so that what a verifier says about it points there. What an
operand says inline becomes an op right before the user: a literal `ptir.constant inline`, an element of a tuple
`ptir.tuple_element`, several results taken as one value `ptir.tuple`.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

from msgspec import UNSET
from xdsl.dialects.builtin import FileLineColLoc, FunctionType, IntAttr, ModuleOp, StringAttr, TupleType, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir import Region as OpRegion
from xdsl.irdl import IRDLOperation
from xdsl.utils.lexer import Span

from ....dialects.ptir import ConstantOp, TupleElementOp, TupleOp, YieldOp
from ....dialects.ptir.module import ENTRY, SPEC_VERSION
from ....errors import SourceError, VerifyError
from ..common.errors import BadLiteral, Contradiction, DuplicateId, SchemaViolation, TooDeep, UndefinedId
from ..common.places import Path, Places
from .decoding import decode
from .errors import NotReadYet
from .fields import Draft
from .program import Function, Instruction, Operand, Program, Region
from .table import OPS, find_row, result_count
from .values import Unfit, UnfitLiteral, ValueType, read_literal, read_type

UNFOLDED, UNFOLDED_FACTOR = 10_000, 20
"""A program may unfold to so many instructions, and so many for each that it has: a region counts wherever it is named."""


def import_json(text: str, file: StringAttr | None = None) -> ModuleOp:
    """
    The module that a program as JSON is; it still wants to be verified. `file` names the text in locations.

    Raises `SourceError` and nothing else, whatever the text is.
    """
    file = file or StringAttr("<json>")
    program, places = decode(text, file.data)
    try:
        return _Reader(program, places, file).module()
    except RecursionError:
        raise TooDeep(places.deepest()) from None


@dataclass(frozen=True)
class _Defined:
    """A value of JSON: one value of the IR, or the several results of an op."""

    values: Sequence[SSAValue]
    several: bool = False


class _Scope:
    """A function or a region: its values by number, and its block."""

    def __init__(self, block: Block, ids: Mapping[int, int]):
        self.block = block
        self.values: dict[int, _Defined] = {}
        self.all_ids = ids


class _Reader:
    def __init__(self, program: Program, places: Places, file: StringAttr):
        self.program, self.places, self.file = program, places, file
        self.regions: dict[int, int] = {}
        """Number of a region → its index in the program."""
        self.open_regions: list[int] = []
        self.used_regions: set[int] = set()
        written = sum(len(of.body) for of in (*program.functions, *program.regions))
        self.count, self.most = 0, UNFOLDED + UNFOLDED_FACTOR * written

    def module(self) -> ModuleOp:
        program = self.program
        for k, region in enumerate(program.regions):
            if self.regions.setdefault(region.id, k) != k:
                self._duplicate(["regions", k, "id"], "region", region.id)
        functions = [self._function(f, ["functions", k]) for k, f in enumerate(program.functions)]
        for k, region in enumerate(program.regions):
            if region.id not in self.used_regions:
                message = f"region {region.id} belongs to no instruction"
                raise Contradiction(self.places.span(["regions", k, "id"]), message=message, help="leave it out")
        attributes: dict[str, Attribute] = {"ptir.spec_version": StringAttr(SPEC_VERSION)}
        if program.extensions:
            attributes["ptir.extensions"] = UnitAttr()
        names = [f.name for f in program.functions]
        if program.entry not in (names or [""]):
            raise UndefinedId(
                self.places.span(["entry"]),
                what="function",
                id=program.entry,
                where="",
                help="'entry' names a function",
            )
        if names and program.entry != names[0]:
            attributes[ENTRY] = StringAttr(program.entry)
        module = ModuleOp(functions, attributes)
        module.location = self._location([])
        return module

    # --- functions and regions --------------------------------------------------------------------

    def _function(self, function: Function, path: Path) -> FuncOp:
        if function.hints:
            message = "fusion hints are not supported yet"
            raise NotReadYet(
                self.places.span([*path, "hints"]), message=message, help="export the program before fusion"
            )
        self._require_count(
            len(function.parameter_ids), len(function.parameters), [*path, "parameter_ids"], "parameters"
        )
        self._require_count(len(function.result_ids), len(function.results), [*path, "result_ids"], "results")
        scope = self._scope(function, function.parameter_ids, path)
        results = self._body(scope, function, function.result_ids, path)
        end = ReturnOp(*results)
        end.location = self._location([*path, "result_ids"])
        scope.block.add_op(end)
        t = FunctionType.from_lists([a.type for a in scope.block.args], [v.type for v in results])
        op = FuncOp(function.name, t, OpRegion(scope.block))
        op.location = self._location([*path, "name"])
        return op

    def _region(self, number: int, user: Path) -> OpRegion:
        if (k := self.regions.get(number)) is None:
            help = "regions stand beside the functions, in 'regions'"
            raise UndefinedId(self._op_span(user), what="region", id=number, where="", help=help)
        if number in self.open_regions:
            message = f"region {number} contains itself"
            raise Contradiction(self._op_span(user), message=message, help="")
        self.used_regions.add(number)
        region, path = self.program.regions[k], ["regions", k]
        scope = self._scope(region, range(len(region.parameters)), path)
        if region.result_ids is UNSET:
            first = len(region.body) - len(region.results)
            if first < 0:
                message = f"{len(region.results)} results, and {len(region.body)} instructions that give them"
                raise Contradiction(
                    self.places.span([*path, "results"]),
                    message=message,
                    help="say which values they are in 'result_ids'",
                )
            ids: Sequence[int | Operand] = [instruction.id for instruction in region.body[first:]]
        else:
            ids = region.result_ids
        self._require_count(len(ids), len(region.results), [*path, "result_ids"], "results")
        self.open_regions.append(number)
        end = YieldOp(self._body(scope, region, ids, path))
        self.open_regions.pop()
        end.location = self._location([*path, "results"])
        scope.block.add_op(end)
        return OpRegion(scope.block)

    def _scope(self, of: Function | Region, ids: Sequence[int], path: Path) -> _Scope:
        """The block with its parameters."""
        types = [self._type(t, [*path, "parameters", k]) for k, t in enumerate(of.parameters)]
        scope = _Scope(Block(arg_types=types), {i.id: k for k, i in enumerate(of.body)})
        for k, (number, argument) in enumerate(zip(ids, scope.block.args, strict=True)):
            self._define(scope, number, _Defined([argument]), [*path, "parameter_ids", k])
            argument.location = self._location([*path, "parameters", k])
        self._name(scope.block.args, of.parameter_names, [*path, "parameter_names"])
        return scope

    def _body(
        self, scope: _Scope, of: Function | Region, result_ids: Sequence[int | Operand], path: Path
    ) -> list[SSAValue]:
        """Adds the instructions; gives the results."""
        self.count += len(of.body)
        if self.count > self.most:
            message = f"the program unfolds to more than {self.most:,} instructions"
            raise NotReadYet(
                self.places.span(path), message=message, help="regions that are named often count as often"
            )
        for k, instruction in enumerate(of.body):
            self._instruction(scope, instruction, [*path, "body", k])
        results: list[SSAValue] = []
        for k, (result, t) in enumerate(zip(result_ids, of.results, strict=True)):
            at = [*path, "result_ids", k] if of.result_ids is not UNSET else [*path, "results", k]
            operand = Operand(value=result) if isinstance(result, int) else result
            value = self._operand(scope, operand, at)
            if value.type != (want := self._type(t, [*path, "results", k])):
                raise Contradiction(
                    self.places.span([*path, "results", k]), message=f"result {k} is {value.type}, not {want}", help=""
                )
            results.append(value)
        return results

    # --- instructions -----------------------------------------------------------------------------

    def _instruction(self, scope: _Scope, instruction: Instruction, path: Path) -> None:
        row, payload = find_row(instruction.op)
        op_type = OPS[f"ptir.{row.op}"]
        operands = [self._operand(scope, o, [*path, "operands", k]) for k, o in enumerate(instruction.operands)]
        results = self._results(op_type, instruction.output, path)
        draft = Draft(operands, results, lambda number: self._region(number, path))
        for field in (row.whole,) if row.whole else row.fields:
            inner = [*path, "op", row.variant]
            with self._at(inner if row.whole else [*inner, field.name]):
                field.read(draft, payload if row.whole else getattr(payload, field.name))
        op = op_type.create(
            operands=operands,
            result_types=results,
            properties=draft.properties,
            regions=draft.regions,
            location=self._location([*path, "op"], of_key=True),
        )
        scope.block.add_op(op)
        self._name(op.results, instruction.names, [*path, "names"])
        defined = _Defined(op.results, result_count(op_type) != 1 and instruction.output.tensor is UNSET)
        self._define(scope, instruction.id, defined, [*path, "id"])

    def _results(self, op_type: type[IRDLOperation], output: ValueType, path: Path) -> list[Attribute]:
        """The types of an op's results: those in the tuple, if it may have other than one."""
        t, count = self._type(output, [*path, "output"]), result_count(op_type)
        if count == 1:
            return [t]
        types: list[Attribute] = list(t.types) if isinstance(t, TupleType) else [t]
        if count is not None and len(types) != count:
            message = f"'{op_type.name}' gives {count} values, and the output is {t}"
            raise Contradiction(self.places.span([*path, "output"]), message=message, help="")
        return types

    def _operand(self, scope: _Scope, operand: Operand, path: Path) -> SSAValue:
        """The value of an operand; what it says inline becomes an op."""
        op: Operation
        if operand.literal is not UNSET:
            with self._at([*path, "Literal"]):
                op = ConstantOp(read_literal(operand.literal), inline=True)
        elif operand.tuple_element is not UNSET:
            element = operand.tuple_element
            defined = self._defined(scope, element.tuple, [*path, "TupleElement", "tuple"])
            count = len(defined.values)
            if not defined.several:
                t = defined.values[0].type
                count = len(t.types) if isinstance(t, TupleType) else -1
            if element.index >= count:
                problem = f"has elements 0 to {count - 1}" if count > 0 else "is empty" if count == 0 else "is no tuple"
                message = f"value {element.tuple} {problem}, and element {element.index} is asked for"
                raise Contradiction(self.places.span([*path, "TupleElement", "index"]), message=message, help="")
            if defined.several:
                return defined.values[element.index]
            op = TupleElementOp(defined.values[0], element.index)
        else:
            defined = self._defined(scope, cast(int, operand.value), [*path, "Value"])
            if not defined.several:
                return defined.values[0]
            op = TupleOp(defined.values)
        op.location = self._location(path)
        scope.block.add_op(op)
        return op.results[0]

    def _defined(self, scope: _Scope, number: int, path: Path) -> _Defined:
        if (found := scope.values.get(number)) is not None:
            return found
        below = number in scope.all_ids
        where = " yet" if below else " here"
        help = (
            "an instruction sees what stands before it" if below else "a function or a region sees its own values only"
        )
        raise UndefinedId(self.places.span(path), what="value", id=number, where=where, help=help)

    def _define(self, scope: _Scope, number: int, value: _Defined, path: Path) -> None:
        if scope.values.setdefault(number, value) is not value:
            self._duplicate(path, "value", number)

    def _name(self, values: Sequence[SSAValue], names: Sequence[str | None], path: Path) -> None:
        if not names:
            return
        self._require_count(len(names), len(values), path, "values")
        for k, (value, name) in enumerate(zip(values, names, strict=True)):
            if not SSAValue.is_valid_name(name):
                help = "a name begins with a letter or _ $ . -, and goes on with these and digits"
                raise SchemaViolation(
                    self.places.span([*path, k]), message=f"'{name}' is no name of a value", help=help
                )
            value.name_hint = name

    # --- small things -----------------------------------------------------------------------------

    def _type(self, t: ValueType, path: Path) -> Attribute:
        with self._at(path, SchemaViolation):
            return read_type(t)

    @contextmanager
    def _at(self, path: Path, kind: type[SourceError] = BadLiteral) -> Generator[None]:
        """What does not fit is an error there; what the dialect refuses to hold is one of that kind."""
        try:
            yield
        except Unfit as e:
            unfit = BadLiteral if isinstance(e, UnfitLiteral) else Contradiction
            raise unfit(self.places.span(path), message=str(e), help=e.hint) from None
        except VerifyError as e:
            raise kind(self.places.span(path), message=e.message, help=e.help) from None

    def _require_count(self, got: int, want: int, path: Path, what: str) -> None:
        if got != want:
            name = path[-1]
            raise Contradiction(
                self.places.span(path), message=f"'{name}' has {got} entries, and there are {want} {what}", help=""
            )

    def _duplicate(self, path: Path, what: str, number: int) -> None:
        raise DuplicateId(self.places.span(path), what=what, id=number)

    def _op_span(self, path: Path) -> Span[str]:
        return self.places.first_key([*path, "op"])

    def _location(self, path: Path, *, of_key: bool = False) -> FileLineColLoc:
        span = self.places.first_key(path) if of_key else self.places.span(path)
        line, column = self.places.position(span.start)
        return FileLineColLoc(self.file, IntAttr(line), IntAttr(column))
