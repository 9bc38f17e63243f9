"""
Errors of reading (00xx) and of verifying (01xx) IR.

A `SourceError` is located by a `Span` of a text. It is also a `ParseError`, so code that catches xDSL's error still works.
Every other `PtirError` is located by an operation.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.lexer import Span

from ..errors import PtirError, SourceError, counted, headline, location_of, message_of

# --- 00xx: reading ------------------------------------------------------------------------------


class SyntaxFailure(SourceError):
    """The text is not IR."""

    code = "PTIR0001"
    hint = "{help}"


class Unreadable(PtirError):
    """The file cannot be read: it does not exist, is a folder, or permission is missing."""

    code = "PTIR0002"
    template = "cannot read '{path}': {reason}"


class NotText(SourceError):
    """The bytes are not UTF-8."""

    code = "PTIR0002"
    template = "{path} is not UTF-8 text: {reason}"
    hint = "the textual form is UTF-8; is this a binary file?"


class Elided(SourceError):
    """A literal that was elided when the text was printed."""

    code = "PTIR0051"
    template = "the elements of this literal were elided when it was printed"
    hint = "print it again without --mlir-elide-elementsattrs-if-larger"


class UnknownName(SourceError):
    """An operation, type, attribute or dialect that is not registered."""

    code = "PTIR0003"
    template = "{what} '{name}' is not registered"
    hint = "{help}"


class TooDeep(SourceError):
    """Nesting beyond the recursion limit of the parser."""

    code = "PTIR0004"
    template = "nested too deeply to parse"
    hint = "flatten the regions or types; the parser recurses once per level"


class NestedTooDeeply(PtirError):
    """An operation whose attributes, types or regions nest beyond the recursion limit of the verifiers or the printer."""

    code = "PTIR0004"
    template = "nested too deeply to {what}"


class UndefinedValue(SourceError):
    """An SSA value that is used but not defined."""

    code = "PTIR0005"
    template = "use of undefined value %{name}"
    hint = "{help}"


class TooLarge(PtirError):
    """Input beyond the limit of the tool."""

    code = "PTIR0006"
    template = "'{path}' is too large: {size}, but the limit is {limit}"
    hint = "--max-input-size=N sets the limit to N MiB"


class InvalidInText(SourceError):
    """An attribute, type or operation that failed to verify while it was parsed; has the code and help of the verifier's error."""

    code = "PTIR0100"

    def __init__(self, span: Span[str], error: VerifyException):
        super().__init__(span, message=message_of(error))
        if isinstance(error, PtirError):
            self.code, self.help = error.code, error.help


# --- 01xx: verification -------------------------------------------------------------------------


class UseBeforeDefinition(PtirError):
    """An operand whose definition does not dominate the use."""

    code = "PTIR0198"
    template = "operand #{index} does not dominate this use"


class VerificationFailed(PtirError):
    """Reports all operations of a module that do not verify, in program order, with the code, location and help of the first."""

    code = "PTIR0100"
    template = "{operations_do} not verify{when}"

    def __init__(self, failures: Sequence[tuple[Operation, Exception]], when: str = ""):
        self.failures = tuple(failures)
        op, error = self.failures[0]
        count = len(self.failures)
        operations_do = f"{counted(count, 'operation')} {'does' if count == 1 else 'do'}"
        super().__init__(op, count=count, operations_do=operations_do, when=when)
        if isinstance(error, PtirError):
            self.op, self.code, self.help = error.op or op, error.code, error.help

    def __str__(self) -> str:
        shown = [_failure_text(*failure).replace("\n", "\n  ") for failure in self.failures[:MAX_SHOWN]]
        more = ["…"] * (len(self.failures) > MAX_SHOWN)
        return "\n  ".join([f"{self.message}:", *shown, *more])


MAX_SHOWN = 10
"""Maximum number of operations that the text of a `VerificationFailed` shows."""


def _failure_text(op: Operation, error: Exception) -> str:
    """Returns why an operation does not verify. Of an xDSL message only the first line is kept: the rest may be printed IR."""
    if isinstance(error, PtirError):
        return headline(location_of(error.op or op), error.code, error.message, error.help)
    return headline(location_of(op), "PTIR0100", f"'{op.name}' {str(error).partition(chr(10))[0]}", "")


class RedefinedSymbol(PtirError):
    """Two symbols of the same name in one symbol table."""

    code = "PTIR0196"
    template = "redefinition of symbol @{name}"


class VerifierCrashed(PtirError):
    """A verifier raised an exception that is not a diagnostic."""

    code = "PTIR0197"
    template = "the verifier of '{name}' crashed: {reason}"
    hint = "this is a bug in the dialect; --debug shows the traceback"
    crashed = True


class RoundTripFailed(PtirError):
    """Printing and parsing returns a different program."""

    code = "PTIR0199"
    template = "the {form} form does not round-trip: {problem}"


class SeesOutside(PtirError):
    """A use of an outside value in an operation that is isolated from above."""

    code = "PTIR0195"
    template = "operand #{index} is defined outside of '{name}', which is isolated from above"
    hint = "define it inside, or pass it in as an argument"
