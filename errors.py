"""
The errors of users' input, one class for each kind.

A class has a stable code (`PTIR0123`), the template of its message and the template of its help, which says what to do.
Raise it with the operation at fault and the fields of the templates:

>>> raise NotStaticallyShaped(op, type=t)          # doctest: +SKIP
m.mlir:3:8: error[PTIR0201]: tensor<?x4xf32> has a dynamic dimension
  help: give the dimension a size

Codes by package: 00xx reading, 01xx verification, 02xx lowering, 03xx planning, 04xx printing and
compiling, 05xx running, 06xx the drivers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import UnionType
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import CallSiteLoc, FileLineColLoc, FusedLoc, ModuleOp, NameLoc
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import DiagnosticException, ParseError, VerifyException
from xdsl.utils.lexer import Location, Span


def file_location(op: Operation | None) -> FileLineColLoc | None:
    """Returns the location of `op` or of the nearest enclosing op that has one; for an implicit module, that of its first op."""
    if isinstance(op, ModuleOp) and in_file(op.location) is None and op.parent is None:
        op = op.body.first_block.first_op if op.body.first_block is not None else None
    while op is not None:
        if (location := in_file(op.location)) is not None:
            return location
        op = op.parent_op()
    return None


def location_of(op: Operation | None) -> Location | None:
    """Returns the file, line and column of `op`, or None; lines and columns are counted from 1."""
    found = file_location(op)
    return None if found is None else Location(found.filename.data, found.line.data, found.column.data)


def in_file(location: Attribute) -> FileLineColLoc | None:
    """Returns the first place in a file that `location` names, or None; for a call site, the place of the callee."""
    pending = [location]
    while pending:
        match pending.pop():
            case FileLineColLoc() as found:
                return found
            case CallSiteLoc(callee=callee, caller=caller):
                pending += caller, callee
            case NameLoc(location=child):
                pending.append(child)
            case FusedLoc(locations=parts):
                pending += reversed([*cast(Iterable[Attribute], parts)])
            case _:
                pass
    return None


def headline(location: Location | None, code: str, message: str, help: str) -> str:
    """Returns an error as text, for `str()`. (The command-line tools use `diagnostics.rendering`, which shows the source line.)"""
    where = f"{location}: " if location is not None else ""
    return f"{where}error[{code}]: {message}" + f"\n  help: {help}" * bool(help)


LONGEST = 4000
"""Maximum number of characters of a message: what it quotes, such as a name, may have millions."""


def shortened(text: str, most: int = LONGEST) -> str:
    """Returns the beginning of a text that has more than `most` characters, or all of it."""
    return text if len(text) <= most else text[: most - 1] + "…"


class PtirError(DiagnosticException):
    """
    A failure with a `code`, a `message` without location, a `help` that may be empty, and a `location` that may be None;
    `str()` contains all four. `op` is the operation at fault; `notes` are texts about other operations involved.
    """

    code: str = "PTIR0000"
    template: ClassVar[str] = "{message}"
    hint: ClassVar[str] = ""
    crashed: ClassVar[bool] = False
    """Whether the message quotes an unexpected exception, whose text may be long."""
    _place: Location | None = None

    def __init__(
        self,
        op: Operation | None = None,
        *,
        notes: Sequence[tuple[Operation | None, str]] = (),
        **fields: Any,
    ):
        self.op = op
        self.notes = tuple(notes)
        self.message = shortened(self.template.format(op=op, **fields))
        self.help = shortened(self.hint.format(**fields))
        super().__init__(self.message)

    @property
    def location(self) -> Location | None:
        """The file, line and column, counted from 1, of `op` or of the nearest enclosing op that has a location."""
        return self._place or location_of(self.op)

    def __reduce__(self) -> Any:
        """Pickles the text and the location of the error, but no operations: they cannot be sent to another process."""
        state = {"op": None, "notes": (), "message": self.message, "help": self.help, "_place": self.location}
        return _unpickled, (type(self), state)

    def __str__(self) -> str:
        return headline(self.location, self.code, self.message, self.help)


def _unpickled(kind: type[PtirError], state: dict[str, Any]) -> PtirError:
    error = kind.__new__(kind, state["message"])
    error.__dict__.update(state)
    return error


def message_of(error: BaseException) -> str:
    """Returns an error's message without location, code and help, so that another error can quote it."""
    return error.message if isinstance(error, PtirError) else str(error)


class SourceError(PtirError, ParseError):
    """A failure at `span` in a text. `span_notes` are notes at other spans; `others` are further failures in the same text."""

    def __init__(
        self,
        span: Span[str] | Span[bytes],
        *,
        span_notes: Sequence[tuple[Span[str] | Span[bytes], str]] = (),
        others: Sequence[SourceError] = (),
        **fields: Any,
    ):
        # super().__init__ cannot be used: the constructors of the two base classes take different arguments.
        self.op = None
        self.notes = ()
        self.message = shortened(self.template.format(**fields))
        self.help = shortened(self.hint.format(**fields))
        self.span = span
        self.msg = self.message
        self.span_notes = tuple(span_notes)
        self.others = tuple(others)
        Exception.__init__(self, self.message)

    @property
    def location(self) -> Location:
        """The position at which `span` begins."""
        return self._place or self.span.get_location()

    __repr__ = Exception.__repr__  # ParseError.__repr__ contains the whole source text


class WrongType(PtirError, TypeError):
    """A Python function was called with an argument of the wrong type."""

    code = "PTIR0480"
    template = "{what} is {got}, expected {want}"
    hint = "{help}"


def require(value: object, kinds: type | UnionType, what: str, want: str, help: str = "") -> None:
    """Raises `WrongType` unless `value` is an instance of `kinds`. The message calls the value `what`, the type `want`."""
    if not isinstance(value, kinds):
        raise WrongType(what=what, got=kind_of(value), want=want, help=help)


def require_module(value: object) -> None:
    require(value, ModuleOp, "the program", "a module", "ptir.parse makes one from text or from a file")


def require_function(value: object) -> None:
    from xdsl.dialects.func import FuncOp  # imported here because parsing a module does not need it

    require(value, FuncOp, "the function", "a func.func", "module.ops are the functions of a module")


def kind_of(value: object) -> str:
    """Returns the name of the type of `value` with an article, such as `a list` or `an int`; `None` for None."""
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name.startswith((*'aeiouAEIOU', 'nd')) else 'a'} {name}"


def counted(count: int, what: str, plural: str = "") -> str:
    """Returns a number with its noun, as in `1 operand` or `1,000 operands`; `plural` is needed if it is irregular."""
    return f"{count:,} {what if count == 1 else plural or what + 's'}"


class VerifyError(PtirError, VerifyException):
    """An operation breaks a rule of its dialect. `problem` continues the sentence: "must be the first op of its role"."""

    code = "PTIR0100"
    template = "'{op.name}' {problem}"


# --- 01xx: verification -------------------------------------------------------------------------


class InvalidAttributeValue(VerifyError):
    """An attribute or an option of a pass has an illegal value."""

    code = "PTIR0101"
    template = "'{name}' {problem}"
    hint = "{help}"

    def __init__(self, op: Operation | None = None, *, name: str, problem: str, **fields: Any):
        self.name, self.problem = name, problem
        super().__init__(op, name=name, problem=problem, **fields)


class ShapeMismatch(VerifyError):
    code = "PTIR0102"
    template = "{what} has shape {got}, expected {want}"


class DtypeMismatch(VerifyError):
    code = "PTIR0103"
    template = "{what} has element type {got}, expected {want}"
    hint = "insert a cast: there is no implicit promotion"


class OutMismatch(DtypeMismatch):
    template = "the result has element type {got}, expected {want}"
    hint = "write 'out {got}': without it, the result has the operand's element type"


class RankMismatch(VerifyError):
    code = "PTIR0104"
    template = "{what} has rank {got}, expected {want}"


class AxisOutOfRange(VerifyError):
    code = "PTIR0105"
    template = "axis {axis} is out of range for rank {rank}"
    hint = "{help}"


class DuplicateAxis(VerifyError):
    code = "PTIR0106"
    template = "axis {axis} is given twice in {what}"


class NotBroadcastable(VerifyError):
    code = "PTIR0107"
    template = "shape {got} does not broadcast to {want}: sizes {a} and {b} differ and neither is 1"


class ElementCountMismatch(VerifyError):
    code = "PTIR0108"
    template = "the number of elements of {what} is {got}, expected {want}"


class UnsupportedType(VerifyError):
    code = "PTIR0109"
    template = "{what} is {got}; {want}"


class OperandCountMismatch(VerifyError):
    code = "PTIR0110"
    template = "{what} takes {want}, got {got}"


class ExtensionNotEnabled(VerifyError):
    code = "PTIR0111"
    template = "'{name}' is an extension of PTIR v0.4"
    hint = "write module attributes {{ptir.extensions}} around the program to allow extensions"


class InvalidDims(VerifyError):
    code = "PTIR0112"
    template = "{type}: {problem}"
    hint = "{help}"


class SizesDiffer(VerifyError):
    code = "PTIR0113"
    template = "{what}: {a} and {b} are known to differ"
    hint = "equal names are equal sizes; insert a ptir.dim_cast to check at run time that two sizes are equal"


class TypeMismatch(VerifyError):
    code = "PTIR0114"
    template = "{what} has type {got}, expected {want}"


class UnknownSpecVersion(VerifyError):
    code = "PTIR0204"
    template = "the module is written in {got}, but this compiler reads {want}"
    hint = "export it again as {want}"


class NotStrict(VerifyError):
    code = "PTIR0205"
    template = "'{name}' has no strict meaning: {problem}"
    hint = "{help}"


class EmptyAxis(VerifyError):
    code = "PTIR0115"
    template = "axis {axis} has no elements, so it has no largest element"
    hint = "argmax of an empty axis is undefined in the contract"


class WindowTooLarge(VerifyError):
    code = "PTIR0118"
    template = "axis {axis}: a window of size {size} at offset {start} exceeds the extent of {extent}"


class NotAscending(VerifyError):
    code = "PTIR0119"
    template = "'{name}' is {got}, which is not ascending"
    hint = "give the axes in ascending order"


class UndeterminedSize(VerifyError):
    code = "PTIR0120"
    template = "cannot infer the ? of axis {axis}: {why}"
    hint = "write a number, or a name that is already bound"


class RegionMismatch(VerifyError):
    code = "PTIR0121"
    template = "{what}: got {got}, expected {want}"


class ImpureRegion(VerifyError):
    code = "PTIR0122"
    template = "'{name}' is not allowed in a region of '{parent}': it is not known to be pure"
    hint = "move it out of the region, and pass its results in as operands"


class NegativeStride(VerifyError):
    code = "PTIR0123"
    template = "the stride of axis {axis} is {stride}, which is negative"
    hint = "the strides of a view are 0 or more; no movement reverses an axis"


class NegativePad(VerifyError):
    code = "PTIR0124"
    template = "'{name}' is {amount} on axis {axis}: a pad cannot remove elements"
    hint = "shrink the operand there first"


class ViewOutOfBounds(VerifyError):
    code = "PTIR0125"
    template = "a view of shape {shape} reads element {last} of an operand with {count}"
    hint = "make it smaller, or pad the operand first"


# --- 02xx: lowering -----------------------------------------------------------------------------


class Unsupported(PtirError):
    """Legal input for which no lowering exists yet."""

    code = "PTIR0210"
    template = "{what} is not supported yet"
    hint = "{need}"


class WrongLevel(PtirError):
    """The input of a pass contains an op of another level."""

    code = "PTIR0211"
    template = "'{name}' does not belong in the input of {stage}"
    hint = "{need}"


class StaleView(PtirError):
    """A `poly.view` that contradicts the function it describes."""

    code = "PTIR0212"
    template = "the view of @{function} contradicts its function at {block}: expected {want}, got {got}"
    hint = "run build-poly-view again, or remove the view"


# --- 03xx: planning -----------------------------------------------------------------------------


class PlanMissing(PtirError):
    code = "PTIR0301"
    template = "@{kernel} has no plan"
    hint = "run plan-regions{{arch=sm80}} first, or write plan #plan.schedule<{{…}}> on the kernel"


class InvalidPlan(VerifyError):
    """A plan that is illegal for any kernel: the value at `path` is wrong, or if `is_field` the field itself (such as its name)."""

    code = "PTIR0483"
    template = "invalid plan: {problem}"
    hint = "{help}"

    def __init__(self, path: Sequence[str | int], is_field: bool = False, *, problem: str, help: str):
        self.path, self.is_field = tuple(path), is_field
        value = ".".join(map(str, path[: len(path) - is_field]))
        super().__init__(problem=problem if value in problem else f"{value}: {problem}", help=help)


class InvalidPlanText(SourceError):
    """An invalid plan that was read from text, with its position there."""

    code = "PTIR0483"
    hint = "{help}"


class PlanRefused(SourceError):
    """A plan of a file that a region cannot have, with its position in the file. `error` is the error without it, whose code it has."""

    template = "{error.message}"
    hint = "{error.help}"

    def __init__(self, span: Span[str], *, error: PtirError):
        super().__init__(span, error=error)
        self.code = error.code


class PlanMismatch(PtirError):
    code = "PTIR0302"
    template = "the plan of @{kernel} does not fit it: {problem}"
    hint = "{help}"


class PlanSyntax(SourceError):
    """A text that is not a plan in statements."""

    code = "PTIR0304"
    template = "{problem}"
    hint = "{help}"


class NoSuchRegion(SourceError):
    """A plan of a file is for a region that the module does not have, or it does not say for which of several."""

    code = "PTIR0305"
    template = "{problem}"
    hint = "{help}"


class PlanFileNotOpened(PtirError):
    """A pass asks for a file of plans that the user did not name on the command line."""

    code = "PTIR0306"
    template = "plan-regions{{from={path}}} may not open a file"
    hint = "only files that the command line names are opened: give --plan={path}"


class NoPlanFits(PtirError):
    code = "PTIR0303"
    template = "no plan of @{kernel} fits {arch}: {problem}"
    hint = "{help}"

    def __init__(self, op: Operation | None = None, *, problem: str, **fields: Any):
        super().__init__(op, problem=problem, **fields)
        self.problem = problem
