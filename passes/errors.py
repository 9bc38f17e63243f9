"""Errors of pipelines, passes and command-line drivers (06xx), and of passes with external effects (004x)."""

from __future__ import annotations

from ..errors import PtirError, SourceError
from ..text.errors import VerificationFailed


class NotLegal(VerificationFailed):
    """Two or more operations of a module are not legal for a conversion target. They are listed in program order."""

    code = "PTIR0222"
    template = "{count} operations are not legal for the target{when}"


# --- 06xx: the drivers --------------------------------------------------------------------------


class PipelineSyntax(SourceError):
    """The pipeline string is malformed."""

    code = "PTIR0601"


class UnknownPass(SourceError):
    """The name is of no pass and no pipeline."""

    code = "PTIR0602"
    template = "unknown pass '{name}'"
    hint = "{help}"


class UnknownOption(SourceError):
    """The pass or target has no such option."""

    code = "PTIR0603"
    template = "{what} '{owner}' has no option '{name}'"
    hint = "{help}"


class BadOptionValue(SourceError):
    """The value of an option is missing, has the wrong type, or is rejected by the pass."""

    code = "PTIR0604"
    template = "option '{name}' of '{owner}' {problem}"
    hint = "{help}"


class BadAnchor(PtirError):
    """A pipeline is nested under an operation that is not isolated from above."""

    code = "PTIR0605"
    template = "cannot run passes on '{name}' alone: it is not isolated from above"
    hint = "anchor the pipeline on an operation that sees no outside values, such as func.func"


class PassCrashed(PtirError):
    """A pass raised an exception that is not a diagnostic, which is a bug of the pass."""

    code = "PTIR0606"
    template = "pass '{name}' crashed: {reason}"
    hint = "this is a bug in the pass; --debug shows the traceback"
    crashed = True


class LeavesItsScope(PtirError):
    """A nested pass replaced its operation by several operations, or by none."""

    code = "PTIR0616"
    template = "pass '{name}' is nested under '{anchor}' and {left} in its place"
    hint = "run it on the module: a nested pass sees and changes its operation only"


class Cancelled(PtirError):
    """A running pipeline was cancelled."""

    code = "PTIR0613"
    template = "cancelled before pass '{name}'"


class NoReproducer(PtirError):
    """The file of `--run-reproducer` has no pipeline."""

    code = "PTIR0614"
    template = "'{path}' is not a reproducer: it has no pipeline"
    hint = 'a reproducer ends in {{-# external_resources: {{ mlir_reproducer: {{ pipeline: "…" }} }} #-}}'


class LevelsNotReached(PtirError):
    """`--dump` names levels that the pipeline does not reach."""

    code = "PTIR0615"
    template = "the program was never at level {levels} in {pipeline}"
    hint = "without passes, --dump runs ptir-to-cuda, which reaches every level below that of the program"


class UnknownTarget(SourceError):
    """`-t` names no target."""

    code = "PTIR0607"
    template = "unknown target '{name}'"
    hint = "{help}"


class Unwritable(PtirError):
    """The output cannot be written."""

    code = "PTIR0608"
    template = "cannot write '{path}': {reason}"


class Unavailable(SourceError):
    """The class of a registered pass or target cannot be imported."""

    code = "PTIR0609"
    template = "{what} '{name}' cannot be loaded: {reason}"


class UnknownAnchor(SourceError):
    """The anchor of a nested pipeline is not an operation of any dialect."""

    code = "PTIR0617"
    template = "unknown operation '{name}'"
    hint = "{help}"


class ReachesOutside(SourceError):
    """A reproducer or a transform schedule names a pass that opens files or runs programs."""

    code = "PTIR0040"
    template = "pass '{name}' has effects outside of the program, and no input may run it"
    hint = "if you trust the input, name the pass on the command line: -p '{name}{{…}}'"


class FailedOutside(PtirError):
    """A pass failed on a file that it opened or a program that it ran."""

    code = "PTIR0041"
    template = "pass '{name}' failed on its options or its input: {reason}"
    hint = "see the options of the pass: --list-passes"


# --- 063x: translation validation ---------------------------------------------------------------

AGAIN = "to reproduce this: --validate-passes --validate-seed={seed} --validate-samples={count}"


class MeaningChanged(PtirError):
    """A pass that must preserve the results of functions changed a result for some input."""

    code = "PTIR0630"
    template = (
        "pass '{pass_}' changes what @{name} computes: {where} is {got}, expected {want}; "
        "by {executor}, on sample {sample} of kind '{kind}' with seed {seed}"
    )
    hint = AGAIN


class MeaningLost(PtirError):
    """After a pass, a function fails for an input for which it was defined before."""

    code = "PTIR0631"
    template = "after pass '{pass_}' @{name} fails: {reason}; by {executor}, on sample {sample} of kind '{kind}' with seed {seed}"
    hint = AGAIN


class FunctionLost(PtirError):
    """A pass erased a public function, or changed its signature."""

    code = "PTIR0632"
    template = "after pass '{pass_}' public function @{name} {problem}"
    hint = "only private functions may be erased or change their signature; set preserves_meaning = False on a pass that must break this rule"
