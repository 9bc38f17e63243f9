"""
Running passes from Python.

>>> manager = PassManager("ptir-to-tiny,builtin.module(func.func(cse))")   # doctest: +SKIP
>>> manager.run(module)                                                    # doctest: +SKIP
>>> [(t.name, t.seconds) for t in manager.timings]                         # doctest: +SKIP

A nested pipeline runs on each matching operation alone:

    builtin.module {            builtin.module {  // temporary
      func.func @f  ────────▶     func.func @f    ◀── pass
      func.func @g              }
    }

The operation moves into a temporary module, the pass runs on that, and whatever the pass left there
moves back to where the operation was.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import DiagnosticException, ParseError, ShrinkException

from .environment import available_passes, make_context
from .errors import BadAnchor, PassCrashed
from .locations import inherit_locations, propagate_through_rewriters
from .pipeline import Nest, PassFactories, PipelineElement, build_pipeline, format_pipeline
from .verify import verify_module

Verification = Literal["each", "ends", "never"]
"""When modules are verified: input and after each pass, input and output only, or not at all."""


@dataclass(frozen=True)
class PassTiming:
    """Wall time of one run of one pass, verification not included."""

    name: str
    seconds: float


class Instrumentation:
    """
    Callbacks around every run of a pass. Override what you need.

    `scope` is the operation the pass works on: the module, or the anchor of a nested pipeline.
    """

    def before_pass(self, pass_: ModulePass, scope: Operation) -> None:
        """The pass is about to run."""

    def after_pass(self, pass_: ModulePass, scope: Operation) -> None:
        """The pass has run and its result has been verified, if it is verified at all."""

    def after_failed_pass(self, pass_: ModulePass, scope: Operation, error: BaseException) -> None:
        """The pass raised, or what it left does not verify."""


class PassManager:
    """
    Runs a pipeline over modules.

    - `pipeline`: text (both notations of `passes.pipeline`) or passes and `Nest`s in order.
    - `ctx`: the context passes may load dialects into; by default one that knows everything.
    - `verify`: see `Verification`. `verify_input=False` trusts the input.
    - `timings`: one entry a run of a pass, in order, over all calls of `run`.
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
    ):
        if isinstance(pipeline, str):
            pipeline = build_pipeline(pipeline, available_passes() if passes is None else passes)
        self.pipeline: tuple[PipelineElement, ...] = tuple(pipeline)
        self.ctx = make_context() if ctx is None else ctx
        self.verify: Verification = verify
        self.verify_input = verify_input
        self.instrumentations = list(instrumentations)
        self.timings: list[PassTiming] = []

    def __str__(self) -> str:
        return format_pipeline(self.pipeline)

    def run(self, module: ModuleOp) -> ModuleOp:
        """
        Run the pipeline on `module`, in place, and return it.

        Raises `VerificationFailed` when the input or some result does not verify, whatever diagnostic a
        pass raises, and `PassCrashed` for any other exception of a pass. The exception's note says which
        pass it was.
        """
        if self.verify_input and self.verify != "never":
            verify_module(module)
        if self.pipeline:
            propagate_through_rewriters()
        self._run_on(self.pipeline, module)
        if self.verify == "ends" and self.pipeline:
            verify_module(module, when=" after the pipeline")
        return module

    def _run_on(self, elements: Sequence[PipelineElement], op: Operation) -> None:
        """Each element in turn on `op`, or on what has become of it."""
        current = [op]
        for element in elements:
            if isinstance(element, Nest):
                for scope in current:
                    self._run_nest(element, scope)
            else:
                results = [result for scope in current for result in self._run_pass(element, scope)]
                current = [result for result in results if result.name == op.name]

    def _run_nest(self, nest: Nest, op: Operation) -> None:
        for child in [c for region in op.regions for block in region.blocks for c in block.ops]:
            if nest.anchor == "any":
                if not child.has_trait(IsolatedFromAbove, value_if_unregistered=False):
                    continue
            elif child.name != nest.anchor:
                continue
            elif not child.has_trait(IsolatedFromAbove):
                raise BadAnchor(child, name=child.name)
            self._run_on(nest.body, child)

    def _run_pass(self, pass_: ModulePass, scope: Operation) -> list[Operation]:
        for instrumentation in self.instrumentations:
            instrumentation.before_pass(pass_, scope)
        results = [scope]
        try:
            start = time.perf_counter()
            try:
                results = self._apply(pass_, scope)
            finally:
                self.timings.append(PassTiming(pass_.name, time.perf_counter() - start))
            for result in results:
                inherit_locations(result)
                if self.verify == "each":
                    verify_module(result, when=f" after pass '{pass_.name}'")
        except BaseException as error:
            for instrumentation in self.instrumentations:
                instrumentation.after_failed_pass(pass_, results[0] if results else scope, error)
            if isinstance(error, DiagnosticException | ParseError | PassCrashed):
                error.add_note(f"{PASS_NOTE}'{pass_}'")
            raise
        for instrumentation in self.instrumentations:
            for result in results:
                instrumentation.after_pass(pass_, result)
        return results

    def _apply(self, pass_: ModulePass, scope: Operation) -> list[Operation]:
        """Run the pass on `scope` and return what is there afterwards."""
        try:
            if isinstance(scope, ModuleOp):
                pass_.apply(self.ctx, scope)
                return [scope]
            return _apply_alone(self.ctx, pass_, scope)
        except (DiagnosticException, ParseError, ShrinkException):
            raise
        except Exception as e:
            raise PassCrashed(name=pass_.name, reason=f"{type(e).__name__}: {e}") from e


PASS_NOTE = "while running pass "
"""How the note begins that says in which pass an exception was raised."""


def _apply_alone(ctx: Context, pass_: ModulePass, op: Operation) -> list[Operation]:
    """Run a module pass on `op` as the only operation of a temporary module."""
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
    return results


def passes_of(elements: Sequence[PipelineElement]) -> Iterator[ModulePass]:
    """Every pass of a pipeline, nested ones included, in order."""
    for element in elements:
        if isinstance(element, Nest):
            yield from passes_of(element.body)
        else:
            yield element
