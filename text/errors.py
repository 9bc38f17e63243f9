"""
Failures of reading (00xx) and of verifying (01xx) IR.

Two families. A `SourceError` is about a place in some text and carries the `Span`; it is also an xDSL
`ParseError`, so that code which expects one of those still works. Every other `PtirError` is about an
operation.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.lexer import Span

from ..errors import PtirError, SourceError, headline, location_of, message_of

# --- 00xx: reading ------------------------------------------------------------------------------


class SyntaxFailure(SourceError):
    """The text is not IR."""

    code = "PTIR0001"
    hint = "{help}"


class Unreadable(PtirError):
    """There is no text: no such file, a folder, no permission."""

    code = "PTIR0002"
    template = "cannot read '{path}': {reason}"


class NotText(SourceError):
    """There are bytes, but they are not UTF-8."""

    code = "PTIR0002"
    template = "{path} is not UTF-8 text: {reason}"
    hint = "the textual form is UTF-8; is this a binary file?"


class Elided(SourceError):
    """A literal that was left out when the text was printed."""

    code = "PTIR0051"
    template = "the elements of this literal were left out when it was printed"
    hint = "print it again without --mlir-elide-elementsattrs-if-larger"


class UnknownName(SourceError):
    """An operation, type, attribute or dialect that nobody registered."""

    code = "PTIR0003"
    template = "{what} '{name}' is not registered"
    hint = "{help}"


class TooDeep(SourceError):
    """More nesting than the recursive-descent parser can take."""

    code = "PTIR0004"
    template = "nested too deeply to parse"
    hint = "flatten the regions or types; the parser recurses once a level"


class NestedTooDeeply(PtirError):
    """An operation whose attributes, types or regions nest more than the verifiers or the printer can take."""

    code = "PTIR0004"
    template = "nested too deeply to {what}"


class UndefinedValue(SourceError):
    """An SSA value with uses and no definition."""

    code = "PTIR0005"
    template = "use of undefined value %{name}"
    hint = "{help}"


class TooLarge(PtirError):
    """More input than the tool was told to take."""

    code = "PTIR0006"
    template = "'{path}' is too large: {size}, and the limit is {limit}"
    hint = "--max-input-size=N sets the limit to N MiB"


class InvalidInText(SourceError):
    """An attribute, type or operation whose own check failed while it was being parsed; code and help are the check's."""

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
    """Every operation of a module that does not verify, in program order; code, place and help are those of the first."""

    code = "PTIR0100"
    template = "{count} operation(s) do not verify{when}"

    def __init__(self, failures: Sequence[tuple[Operation, Exception]], when: str = ""):
        self.failures = tuple(failures)
        op, error = self.failures[0]
        super().__init__(op, count=len(self.failures), when=when)
        if isinstance(error, PtirError):
            self.op, self.code, self.help = error.op or op, error.code, error.help

    def __str__(self) -> str:
        shown = [_spelt(*failure).replace("\n", "\n  ") for failure in self.failures[:MOST_SHOWN]]
        more = ["…"] * (len(self.failures) > MOST_SHOWN)
        return "\n  ".join([f"{self.message}:", *shown, *more])


MOST_SHOWN = 10
"""How many operations the text of a `VerificationFailed` shows."""


def _spelt(op: Operation, error: Exception) -> str:
    """Why an operation does not verify; what xDSL says begins with its name, and need not be all of a module it prints."""
    if isinstance(error, PtirError):
        return headline(location_of(error.op or op), error.code, error.message, error.help)
    return headline(location_of(op), "PTIR0100", f"'{op.name}' {str(error).partition(chr(10))[0]}", "")


class RedefinedSymbol(PtirError):
    """Two symbols of one name in one symbol table."""

    code = "PTIR0196"
    template = "redefinition of symbol @{name}"


class VerifierCrashed(PtirError):
    """A verifier raised what is not a diagnostic."""

    code = "PTIR0197"
    template = "the verifier of '{name}' crashed: {reason}"
    hint = "this is a bug in the dialect; --debug shows the traceback"
    crashed = True


class RoundTripFailed(PtirError):
    """Printing and parsing gives another program."""

    code = "PTIR0199"
    template = "the {form} form does not round-trip: {problem}"


class SeesOutside(PtirError):
    """A use, inside an operation that is isolated from above, of a value from outside it."""

    code = "PTIR0195"
    template = "operand #{index} is defined outside of '{name}', which is isolated from above"
    hint = "define it inside, or pass it in as an argument"
