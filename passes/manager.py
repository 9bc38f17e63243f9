"""
Runs passes from Python.

>>> manager = PassManager("builtin.module(ptir-to-tiny,func.func(cse))")   # doctest: +SKIP
>>> manager.run(module)                                                    # doctest: +SKIP
>>> [(span.name, span.seconds) for span in manager.timer.passes]           # doctest: +SKIP

A manager belongs to one thread. Managers of several threads can run at the same time, each on a module and with a
context of its own.

A nested pipeline runs on each matching operation alone:

    builtin.module {            builtin.module {  // temporary
      func.func @f  ────────▶     func.func @f    ◀── pass
      func.func @g              }
    }

The operation moves into a temporary module, the pass runs on that module, and the operation that it leaves moves
back. A pass that leaves several operations, or none, must run on the enclosing module: `LeavesItsScope`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from threading import Event
from typing import ClassVar, Literal, get_args

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import DiagnosticException, ParseError, ShrinkException

from ..analysis.manager import Snapshot, shared_analyses, snapshot
from ..diagnostics.diagnostic import PASS_NOTE
from ..errors import PtirError, WrongType, message_of, require, require_module
from ..text.locations import Locations
from ..text.verify import verify_module
from .environment import OUTSIDE, available_passes, make_context
from .errors import BadAnchor, Cancelled, FailedOutside, LeavesItsScope, PassCrashed
from .pipeline_elements import Nest, PassFactories, PipelineElement, format_pipeline, pass_text
from .timing import Timer

log = logging.getLogger(__name__)

Verification = Literal["each", "ends", "never"]
"""When modules are verified: before and after each pass (`each`), before the first and after the last pass (`ends`), or never."""


class Instrumentation:
    """
    Callbacks before and after every run of a pass and of a nested pipeline. Subclasses override the ones they need.

    `scope` is the operation that passes run on: the module, or the anchor of a nested pipeline. After a pass, one of
    `after_pass` and `after_failed_pass` is called. An exception of another callback ends the run like a failure of the
    pass. If a class sets `timed_as`, its callbacks are timed in spans of that name.
    """

    timed_as: ClassVar[str] = ""

    def before_pipeline(self, nest: Nest, scope: Operation) -> None:
        """Called before the passes of `nest` run on `scope`."""

    def after_pipeline(self, nest: Nest, scope: Operation) -> None:
        """Called after the passes of `nest` have run; they may have replaced `scope`."""

    def before_pass(self, pass_: ModulePass, scope: Operation) -> None:
        """Called before the pass runs."""

    def after_pass(self, pass_: ModulePass, scope: Operation) -> None:
        """Called after the pass has run and, with `verify="each"`, its result has been verified."""

    def after_failed_pass(self, pass_: ModulePass, scope: Operation, error: BaseException) -> None:
        """Called if the pass or a callback raised an exception, or the result of the pass does not verify."""


class PassManager:
    """
    Runs a pipeline on modules.

    - `pipeline`: text in a notation of `passes.pipeline`, or a sequence of passes and `Nest`s.
    - `ctx`: the context into which passes may load dialects; by default a context with all dialects.
    - `verify`: see `Verification`. With `verify_input=False` the input is not verified.
    - `timer`: records the spans of all calls of `run`; by default a timer of the manager's own.
    """

    def __init__(
        self,
        pipeline: str | Sequence[PipelineElement],
        ctx: Context | None = None,
        *,
        verify: Verification = "each",
        verify_input: bool = True,
        instrumentations: Sequence[Instrumentation] = (),
        passes: PassFactories | None = None,
        timer: Timer | None = None,
    ):
        require(ctx, Context | None, "ctx", "an xDSL context")
        self.ctx = make_context() if ctx is None else ctx
        if isinstance(pipeline, str):
            from .pipeline import build_pipeline  # reading text takes 5 ms to import

            pipeline = build_pipeline(pipeline, available_passes() if passes is None else passes, ctx=self.ctx)
        help = 'write "cse,dce", or passes as objects: [PtirToTiny(), PlanRegions(arch="sm80")]'
        require(pipeline, Sequence, "the pipeline", "text or a sequence of passes", help)
        for element in pipeline:
            require(element, PipelineElement, "an element of the pipeline", "a pass or a nest of passes", help)
        self.pipeline: tuple[PipelineElement, ...] = tuple(pipeline)
        if verify not in get_args(Verification):
            raise WrongType(
                what="verify", got=f"'{verify}'", want=" or ".join(map(repr, get_args(Verification))), help=""
            )
        self.verify: Verification = verify
        self.verify_input = verify_input
        self.instrumentations = list(instrumentations)
        self.timer = Timer() if timer is None else timer
        self._cancel: Event | None = None
        self._verified: Snapshot | None = None
        """The module that was verified last. Many passes change nothing, and what did not change is still valid."""

    def __str__(self) -> str:
        return format_pipeline(self.pipeline)

    def run(self, module: ModuleOp, *, cancel: Event | None = None) -> ModuleOp:
        """
        Runs the pipeline on `module`, in place, and returns the module.

        Raises `WrongType` if `module` is not a module, `VerificationFailed` if the input or a result does not verify, the
        diagnostics of passes, and `PassCrashed` for any other exception of a pass. A note of the exception names the pass.
        Raises `Cancelled` before the next pass once another thread has set `cancel`.
        """
        require_module(module)
        self._cancel, self._verified = cancel, None
        if self.verify_input and self.verify != "never":
            self._verify(module, "")
        with shared_analyses():
            self._run_on(self.pipeline, module)
        if self.verify == "ends" and self.pipeline:
            self._verify(module, " after the pipeline")
        return module

    def _run_on(self, elements: Sequence[PipelineElement], op: Operation) -> None:
        """Runs the elements on `op` or its replacement; stops if the replacement is another kind of operation."""
        for element in elements:
            if isinstance(element, Nest):
                self._run_nest(element, op)
                continue
            kind, op = op.name, self._run_pass(element, op)
            if op.name != kind:
                return

    def _run_nest(self, nest: Nest, op: Operation) -> None:
        for child in [c for region in op.regions for block in region.blocks for c in block.ops]:
            if nest.anchor == "any":
                if not child.has_trait(IsolatedFromAbove, value_if_unregistered=False):
                    continue
            elif child.name != nest.anchor:
                continue
            elif not child.has_trait(IsolatedFromAbove):
                raise BadAnchor(child, name=child.name)
            for instrumentation in self.instrumentations:
                with self._timed(instrumentation):
                    instrumentation.before_pipeline(nest, child)
            try:
                with self.timer.span(f"'{child.name}' pipeline", "pipeline", scope_name(child)):
                    self._run_on(nest.body, child)
            finally:
                for instrumentation in self.instrumentations:
                    with self._timed(instrumentation):
                        instrumentation.after_pipeline(nest, child)
        if self.verify == "each":  # nested passes may invalidate `op`, for example by defining a symbol twice
            self._verify(op, f" after the pipeline under '{nest.anchor}'")

    def _run_pass(self, pass_: ModulePass, scope: Operation) -> Operation:
        """Runs a pass and returns `scope`, or the operation that replaced it."""
        if self._cancel is not None and self._cancel.is_set():
            raise Cancelled(scope, name=pass_.name)
        result = scope
        try:
            for instrumentation in self.instrumentations:
                with self._timed(instrumentation):
                    instrumentation.before_pass(pass_, scope)
            locations = Locations(scope)
            with self.timer.span(pass_.name, "pass", scope_name(scope)):
                result = self._apply(pass_, scope)
            if getattr(pass_, "keeps_locations", True):
                locations.restore(result)
            if self.verify == "each":
                self._verify(result, f" after pass '{pass_.name}'")
            for instrumentation in self.instrumentations:
                with self._timed(instrumentation):
                    instrumentation.after_pass(pass_, result)
        except BaseException as error:
            self._report_failure(pass_, result, error)
            if isinstance(error, DiagnosticException | ParseError):
                error.add_note(f"{PASS_NOTE}'{pass_text(pass_)}'")
            raise
        return result

    def _report_failure(self, pass_: ModulePass, scope: Operation, error: BaseException) -> None:
        """Calls `after_failed_pass`. Exceptions of this callback are logged, since the caller raises `error`."""
        for instrumentation in self.instrumentations:
            try:
                with self._timed(instrumentation):
                    instrumentation.after_failed_pass(pass_, scope, error)
            except Exception as further:
                log.warning("%s failed as well: %s", type(instrumentation).__name__, message_of(further))

    def _timed(self, instrumentation: Instrumentation) -> AbstractContextManager[None]:
        name = instrumentation.timed_as
        return self.timer.span(name) if name else nullcontext()

    def _verify(self, op: Operation, when: str) -> None:
        with self.timer.span("(verify)", "verify", scope_name(op)):
            if op.parent is not None:  # what surrounds it may have changed
                verify_module(op, when=when)
            elif (seen := (op, dict(op.properties), dict(op.attributes), snapshot(op))) != self._verified:
                verify_module(op, when=when)
                self._verified = seen

    def _apply(self, pass_: ModulePass, scope: Operation) -> Operation:
        """Runs the pass on `scope` and returns the operation that it leaves."""
        try:
            if isinstance(scope, ModuleOp):
                pass_.apply(self.ctx, scope)
                return scope
            return _apply_alone(self.ctx, pass_, scope)
        except (PtirError, ShrinkException, MemoryError):
            raise
        except Exception as e:
            if isinstance(e, ParseError):  # its location is not in the input's text
                _, line, column = e.span.get_location()
                raise FailedOutside(scope, name=pass_.name, reason=f"{line}:{column}: {e.msg}") from e
            if pass_.name in OUTSIDE:
                raise FailedOutside(scope, name=pass_.name, reason=str(e) or type(e).__name__) from e
            if isinstance(e, DiagnosticException):
                raise
            raise PassCrashed(scope, name=pass_.name, reason=f"{type(e).__name__}: {e}") from e


def scope_name(op: Operation) -> str:
    """Returns `@f` for an operation with a symbol, otherwise an empty string."""
    name = op.get_attr_or_prop("sym_name")
    return f"@{name.data}" if isinstance(name, StringAttr) else ""


def _apply_alone(ctx: Context, pass_: ModulePass, op: Operation) -> Operation:
    """
    Runs a module pass on `op` as the only operation of a temporary module, and returns the operation that the pass leaves.
    Raises `LeavesItsScope`.
    """
    block, successor, enclosing = op.parent, op.next_op, op.parent_op()
    if block is None:
        raise ValueError(f"'{op.name}' is in no block")
    op.detach()
    temporary = ModuleOp([op], attributes=dict(enclosing.attributes) if isinstance(enclosing, ModuleOp) else None)
    if enclosing is not None:
        temporary.location = enclosing.location
    try:
        pass_.apply(ctx, temporary)
    finally:
        results = list(temporary.body.block.ops)
        for result in results:
            result.detach()
            if successor is None:
                block.add_op(result)
            else:
                block.insert_op_before(result, successor)
    if len(results) != 1:
        left = f"leaves {len(results)} operations" if results else "leaves nothing"
        raise LeavesItsScope(results[0] if results else enclosing, name=pass_.name, anchor=op.name, left=left)
    return results[0]


def passes_of(elements: Sequence[PipelineElement]) -> Iterator[ModulePass]:
    """Yields every pass of a pipeline, nested ones included, in order."""
    for element in elements:
        if isinstance(element, Nest):
            yield from passes_of(element.body)
        else:
            yield element
