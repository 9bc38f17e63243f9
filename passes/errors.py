"""
The failures that belong to no dialect: unreadable text, broken pipelines, failed verification.

Two families. A `SourceError` is about a place in some text and carries the `Span`; it is also an xDSL
`ParseError`, so that code which expects one of those still works. Every other `PtirError` is about an
operation.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.lexer import Span

from ..errors import PtirError, headline, location_of, message_of
from ..errors import SourceError as SourceError

# --- 00xx: reading ------------------------------------------------------------------------------


class SyntaxFailure(SourceError):
    """The text is not IR."""

    code = "PTIR0001"
    mend = "{help}"


class Unreadable(PtirError):
    """There is no text: no such file, a folder, no permission."""

    code = "PTIR0002"
    template = "cannot read '{path}': {reason}"


class NotText(SourceError):
    """There are bytes, but they are not UTF-8."""

    code = "PTIR0002"
    template = "{path} is not UTF-8 text: {reason}"
    mend = "the textual form is UTF-8; is this a binary file?"


class Elided(SourceError):
    """A literal that was left out when the text was printed."""

    code = "PTIR0051"
    template = "the elements of this literal were left out when it was printed"
    mend = "print it again without --mlir-elide-elementsattrs-if-larger"


class UnknownName(SourceError):
    """An operation, type, attribute or dialect that nobody registered."""

    code = "PTIR0003"
    template = "{what} '{name}' is not registered"
    mend = "{help}"


class TooDeep(SourceError):
    """More nesting than the recursive-descent parser can take."""

    code = "PTIR0004"
    template = "nested too deeply to parse"
    mend = "flatten the regions or types; the parser recurses once a level"


class NestedTooDeeply(PtirError):
    """An operation whose attributes, types or regions nest more than the verifiers or the printer can take."""

    code = "PTIR0004"
    template = "nested too deeply to {what}"


class UndefinedValue(SourceError):
    """An SSA value with uses and no definition."""

    code = "PTIR0005"
    template = "use of undefined value %{name}"
    mend = "{help}"


class TooLarge(PtirError):
    """More input than the tool was told to take."""

    code = "PTIR0006"
    template = "'{path}' is too large: {size}, and the limit is {limit}"
    mend = "--max-input-size=N sets the limit to N MiB"


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


class NotLegal(VerificationFailed):
    """Every operation of a module that a target of conversion does not take, in program order."""

    code = "PTIR0222"
    template = "{count} operation(s) are not legal for the target{when}"


class RedefinedSymbol(PtirError):
    """Two symbols of one name in one symbol table."""

    code = "PTIR0196"
    template = "redefinition of symbol @{name}"


class VerifierCrashed(PtirError):
    """A verifier raised what is not a diagnostic."""

    code = "PTIR0197"
    template = "the verifier of '{name}' crashed: {reason}"
    mend = "this is a bug in the dialect; --debug shows the traceback"


class RoundTripFailed(PtirError):
    """Printing and parsing gives another program."""

    code = "PTIR0199"
    template = "the {form} form does not round-trip: {problem}"


class SeesOutside(PtirError):
    """A use, inside an operation that is isolated from above, of a value from outside it."""

    code = "PTIR0195"
    template = "operand #{index} is defined outside of '{name}', which is isolated from above"
    mend = "define it inside, or pass it in as an argument"


# --- 06xx: the drivers --------------------------------------------------------------------------


class PipelineSyntax(SourceError):
    """The pipeline string is malformed."""

    code = "PTIR0601"


class UnknownPass(SourceError):
    """No pass, pipeline or (before a parenthesis) operation of that name."""

    code = "PTIR0602"
    template = "unknown pass '{name}'"
    mend = "{help}"


class UnknownOption(SourceError):
    """A pass that has no such option."""

    code = "PTIR0603"
    template = "{what} '{owner}' has no option '{name}'"
    mend = "{help}"


class BadOptionValue(SourceError):
    """An option whose value is of the wrong kind, missing, or one that the pass refuses."""

    code = "PTIR0604"
    template = "option '{name}' of '{owner}' {problem}"
    mend = "{help}"


class BadAnchor(PtirError):
    """An operation that a pipeline cannot be nested under."""

    code = "PTIR0605"
    template = "cannot run passes on '{name}' alone: it is not isolated from above"
    mend = "anchor the pipeline on an operation that sees no outside values, such as func.func"


class PassCrashed(PtirError):
    """A pass raised what is not a diagnostic: a bug in the pass, not in its input."""

    code = "PTIR0606"
    template = "pass '{name}' crashed: {reason}"
    mend = "this is a bug in the pass; --debug shows the traceback"


class LeavesItsScope(PtirError):
    """A pass that was nested under an operation and did something around it."""

    code = "PTIR0616"
    template = "pass '{name}' is nested under '{anchor}' and {left} in its place"
    mend = "run it on the module: a nested pass sees and changes its operation only"


class Cancelled(PtirError):
    """Somebody asked a running pipeline to stop."""

    code = "PTIR0613"
    template = "cancelled before pass '{name}'"


class NoReproducer(PtirError):
    """`--run-reproducer` on a file that says no pipeline."""

    code = "PTIR0614"
    template = "'{path}' is no reproducer: it holds no pipeline"
    mend = 'a reproducer ends in {{-# external_resources: {{ mlir_reproducer: {{ pipeline: "…" }} }} #-}}'


class LevelsNotReached(PtirError):
    """`--dump` of levels that the pipeline does not come by."""

    code = "PTIR0615"
    template = "the program was never at level {levels} in {pipeline}"
    mend = "without passes, --dump runs ptir-to-cuda, which comes by every level below that of the program"


class UnknownTarget(SourceError):
    """`-t` names no target."""

    code = "PTIR0607"
    template = "unknown target '{name}'"
    mend = "{help}"


class Unwritable(PtirError):
    """The output cannot be written."""

    code = "PTIR0608"
    template = "cannot write '{path}': {reason}"


class Unavailable(SourceError):
    """A registered pass or target whose class cannot be imported."""

    code = "PTIR0609"
    template = "{what} '{name}' cannot be loaded: {reason}"


class UnknownAnchor(SourceError):
    """An operation to nest passes under that no dialect has."""

    code = "PTIR0617"
    template = "unknown operation '{name}'"
    mend = "{help}"


class ReachesOutside(SourceError):
    """A pass that opens files or runs programs, named by a text that may not have it do so."""

    code = "PTIR0040"
    template = "pass '{name}' reaches outside of the program, and no input may have that done"
    mend = "where you mean it, name the pass on the command line: -p '{name}{{…}}'"


class FailedOutside(PtirError):
    """A file that a pass opened, or a program that it ran, is not what the pass expects."""

    code = "PTIR0041"
    template = "pass '{name}' failed over what it was given: {reason}"
    mend = "see the options of the pass: --list-passes"


# --- 063x: translation validation ---------------------------------------------------------------

AGAIN = "the same again: --validate-passes --validate-seed={seed} --validate-samples={count}"


class MeaningChanged(PtirError):
    """A pass that claims to preserve meaning, and an input on which it does not."""

    code = "PTIR0630"
    template = (
        "pass '{pass_}' changes what @{name} computes: {where} is {got}, expected {want}; "
        "by {executor}, on {kind} inputs, sample {sample} of seed {seed}"
    )
    mend = AGAIN


class MeaningLost(PtirError):
    """A function that had a value, and after a pass fails on the same input."""

    code = "PTIR0631"
    template = (
        "after pass '{pass_}' @{name} fails: {reason}; by {executor}, on {kind} inputs, sample {sample} of seed {seed}"
    )
    mend = AGAIN


class FunctionLost(PtirError):
    """A public function that a pass dropped, or whose callers it broke."""

    code = "PTIR0632"
    template = "after pass '{pass_}' public function @{name} {problem}"
    mend = "only private functions may go or change their signature; set preserves_meaning = False on a pass that must"
