"""
Reads IR, runs passes, writes IR or a target. For people who know `mlir-opt`.

    ptir-opt m.mlir --pass-pipeline='builtin.module(ptir-to-tiny,func.func(cse))'
    ptir-opt m.mlir --ptir-to-tiny --cse
    ptir-opt m.mlir -p ptir-to-cuda{arch=sm80} -t cuda -o m.cu
    ptir-opt m.mlir --dump=plan,cu
"""

from __future__ import annotations

import gc
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from io import StringIO
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import ArgSpecParseError, ShrinkException
from xdsl.utils.target import Target

from ..diagnostics.diagnostic import Diagnostic, LogDiagnostics, Note, diagnose, separator_warnings
from ..diagnostics.rendering import report
from ..passes import timing
from ..passes.environment import available_passes, available_targets, make_context, passes_for_inputs
from ..passes.levels import need_no_kernels
from ..passes.pipeline_elements import PipelineElement, dump_pipeline
from ..passes.registry import PIPELINES
from ..text.errors import VerificationFailed
from ..text.parsing import allow_deep_nesting, parse_text
from ..text.roundtrip import check_round_trip
from ..text.sources import Chunk, split_input
from ..text.style import Style
from ..text.verify import verify_module
from ..text.writing import text_of, write_module
from .arguments import opt_arguments, style_of
from .command_line import PASS_FLAG
from .output import Output, numbered, read_input, shown, write_file
from .plan_files import plans_in

if TYPE_CHECKING:
    from ..passes.statistics import Statistics
    from ..planning.explain import Explained


class Driver:
    """One run of `ptir-opt`."""

    def __init__(self, argv: Sequence[str]):
        names = [*available_passes(), *PIPELINES]
        self._parser = opt_arguments(__doc__, names)
        self.args = self._parser.parse(argv)
        self.ctx = make_context(allow_unregistered=self.args.allow_unregistered_dialect)
        self.name = shown(self.args.input_file)
        self.elements: tuple[PipelineElement, ...] = ()
        self.target: Target | None = None
        self.timer = timing.Timer()
        self.statistics: Statistics | None = None
        wanted = {"plan": self.args.explain_plan, "fusion": self.args.explain_fusion}
        self.explanations: dict[str, list[Explained]] = {topic: [] for topic, asked in wanted.items() if asked}

    def run(self) -> int:
        """Executes the arguments and returns the exit status, 1 on any error."""
        gc.set_threshold(100_000, 20, 100)
        allow_deep_nesting()
        args = self.args
        if args.list_passes or args.list_pipelines or args.show_dialects:
            from .lists import list_dialects, list_passes, list_pipelines

            lines = list_passes if args.list_passes else list_pipelines if args.list_pipelines else list_dialects
            Output(None).write("".join(f"{line}\n" for line in lines()))
            return 0
        self._setup()
        output = Output(args.output_file)
        ok = True
        with warnings.catch_warnings(), self._plans():
            warnings.showwarning = _report_warning
            for i, chunk in enumerate(self._chunks()):
                if i > 0:
                    output.write(f"{args.output_split_marker}\n")
                try:
                    ok = self._run_chunk(i, chunk, output) and ok
                except ShrinkException:
                    if not args.shrink:
                        raise
                    Output(None).write("Success, can shrink\n")
                    return 0
        self._write_reports()
        if args.shrink:
            Output(None).write("Failure, can't shrink\n")
            ok = False
        if ok:
            output.commit()
        return 0 if ok else 1

    def _setup(self) -> None:
        args, refuse = self.args, self._parser.error
        given: list[tuple[str, str]] = [(option, text) for option, text in args.pipelines if text]
        if args.run_reproducer and given:
            refuse("--run-reproducer takes the pipeline from the file: give no passes")
        if args.dump is not None:
            for option, other in (
                ("-t", args.target is not None),
                ("--print-no-properties", args.print_no_properties),
                ("--syntax-highlight", args.syntax_highlight),
            ):
                if other:
                    refuse(f"--dump writes levels instead of the result: {option} does not apply to them")
        if args.target is not None:
            self.target = self._build_target(args.target)
        if args.run_reproducer:
            return  # the pipeline comes with the input
        if args.dump is not None and not given:
            pipeline = "ptir-to-tiny" if need_no_kernels(args.dump) else "ptir-to-cuda"
            given.append(("--dump", pipeline))
        self._use([element for option, text in given for element in self._build_passes(option, text)])
        if args.validate_passes and not self.elements:
            refuse("--validate-passes has nothing to validate: no passes are given")

    def _plans(self) -> AbstractContextManager[None]:
        """Reads the files of plans that the command line names, in `--plan` or as an option of a pass."""
        named: list[str] = []
        if self.elements:  # not those of a reproducer, which are read later
            from ..passes.manager import passes_of

            named = [path for p in passes_of(self.elements) if (path := getattr(p, "from_", None)) is not None]
        return plans_in(named, self.args.plan, self.args.max_input_size)

    def _build_passes(self, option: str, text: str) -> Sequence[PipelineElement]:
        from ..passes.pipeline import resolve
        from ..passes.pipeline_syntax import parse_pass_flag, parse_pipeline

        syntax = (parse_pass_flag(text, "<command line>"),) if option == PASS_FLAG else parse_pipeline(text, option)
        return tuple(resolve(syntax, available_passes(), self.ctx))

    def _build_target(self, name: str) -> Target | None:
        """Returns the target that `name` spells. For IR, returns None and adds the target's options to the arguments."""
        from xdsl.targets.mlir import MLIRTarget

        from ..passes.pipeline import build_target

        target, args = build_target(name, available_targets(), "-t"), self.args
        if not isinstance(target, MLIRTarget):
            return target
        args.print_op_generic |= target.print_generic_format
        args.print_no_properties |= target.print_properties_as_attributes
        args.print_debuginfo |= target.print_debuginfo
        args.syntax_highlight |= target.syntax_highlight
        return None

    def _use(self, elements: Sequence[PipelineElement]) -> None:
        self.elements = tuple(elements)
        if self.args.dump_pass_pipeline:
            print(dump_pipeline(self.elements), file=sys.stderr)

    def _chunks(self) -> list[Chunk]:
        text = read_input(self.args.input_file, self.args.max_input_size)
        if self.args.run_reproducer:
            from ..passes.reproducer import needs_unregistered

            if needs_unregistered(text):
                self.args.allow_unregistered_dialect = self.ctx.allow_unregistered = True
        if not self.args.split_input_file:
            return [Chunk(text, 1)]
        report(separator_warnings(text, self.name))
        return split_input(text)

    # --- one piece of the input -------------------------------------------------------------------

    def _run_chunk(self, number: int, chunk: Chunk, output: Output) -> bool:
        """Processes one piece of the input and returns whether it succeeded."""
        produced: list[Diagnostic] = []
        log = LogDiagnostics()
        with ExitStack() as stack:
            if self.args.debug or self.args.debug_only:
                from ..diagnostics.debug import DebugLog

                stack.enter_context(DebugLog(sys.stderr, self.args.debug_only or ()).attached())
            stack.enter_context(log.attached())
            for topic, found in self.explanations.items():
                from ..planning.explain import explaining

                stack.enter_context(explaining(found, topic))
            try:
                for text in self._process(number, chunk):
                    output.write(text)
            except (ShrinkException, BrokenPipeError):
                raise
            except (Exception, ArgSpecParseError) as error:
                if self.args.debug or self.args.mlir_print_stacktrace_on_diagnostic:
                    traceback.print_exception(error)
                produced = diagnose(error)
                if self.args.mlir_print_op_on_diagnostic:
                    produced = _with_operations(error, produced)
        ok = not produced
        produced = [*log.found, *produced]
        if self.args.verify_diagnostics:
            from ..diagnostics.expected import verify_diagnostics

            only = self.args.verify_diagnostics == "only-expected"
            produced = verify_diagnostics(chunk, self.name, produced, only_expected=only)
            ok = not produced
        report(produced)
        return ok

    def _process(self, number: int, chunk: Chunk) -> Iterator[str]:
        """Yields the output for one piece of the input."""
        resources: dict[str, dict[str, Any]] = {}
        with self.timer.span("(parse)"):
            module = parse_text(
                chunk.text,
                self.ctx,
                self.name,
                first_line=chunk.first_line,
                allow_implicit_module=not self.args.no_implicit_module,
                resources=resources,
            )
        if self.args.run_reproducer:
            self._use_reproducer(resources)
        if not self.args.mlir_very_unsafe_disable_verifier_on_parsing:
            self._verify(module)
        self._check_round_trip(module)
        if self.args.mlir_generate_reproducer is not None:
            from ..passes.reproducer import reproducer

            args, pipeline = self.args, dump_pipeline(self.elements)
            text = reproducer(chunk.text, pipeline, args.verify_each, args.allow_unregistered_dialect)
            write_file(numbered(args.mlir_generate_reproducer, number), text)
        if self.elements:
            yield from self._run_passes(module, number, chunk)
        else:
            yield self._text(module)

    def _use_reproducer(self, resources: dict[str, dict[str, Any]]) -> None:
        from ..passes.pipeline import build_pipeline
        from ..passes.reproducer import Configuration

        found = Configuration.of(resources, self.name)
        self.args.verify_each = found.verify_each
        name = f"{self.name}, {{-# … #-}}"
        self._use(build_pipeline(found.pipeline, passes_for_inputs(), name, ctx=self.ctx))

    def _run_passes(self, module: ModuleOp, number: int, chunk: Chunk) -> Iterator[str]:
        """Runs the pipeline and yields the output. The result is verified even without `--verify-each`."""
        from ..passes.manager import PassManager
        from ..passes.statistics import Statistics
        from .instruments import Instruments

        self.statistics = self.statistics or Statistics()
        instruments = Instruments(self.args, number, chunk.text, self.elements, self.statistics)
        levels = instruments.levels
        each = self.args.verify_each and not self.args.disable_verify
        manager = PassManager(
            self.elements,
            self.ctx,
            verify="each" if each else "never",
            verify_input=False,
            instrumentations=instruments.around_passes,
            timer=self.timer,
        )
        try:
            levels.see(module)
            manager.run(module)
            if not each:
                self._verify(module, " after the pipeline")
            self._check_round_trip(module)
            if not levels.wanted:
                yield self._text(module)
        except Exception as error:
            instruments.failed(error)
            yield levels.text()
            raise
        yield levels.text()
        instruments.require_levels()

    def _verify(self, module: ModuleOp, when: str = "") -> None:
        if not self.args.disable_verify:
            with self.timer.span("(verify)", "verify"):
                verify_module(module, when=when)

    def _check_round_trip(self, module: ModuleOp) -> None:
        if self.args.verify_roundtrip:
            with self.timer.span("(round trip)"):
                check_round_trip(module, self.ctx)

    def _text(self, module: ModuleOp) -> str:
        """Returns the text of the module: IR, or what the target emits."""
        args, output = self.args, StringIO()
        with self.timer.span("(write)"):
            if self.target is None:
                write_module(module, output, self.ctx, style_of(args))
            else:
                self.target.emit(self.ctx, module, output)
        return output.getvalue()

    # --- reports ----------------------------------------------------------------------------------

    def _write_reports(self) -> None:
        args, spans, statistics = self.args, self.timer.spans, self.statistics
        texts: dict[str, str] = {}
        json = args.mlir_output_format == "json"
        if args.mlir_timing or args.time_passes:
            display = timing.as_list if args.mlir_timing_display == "list" else timing.as_tree
            texts["timing"] = timing.as_json(spans) if json else display(spans)
        if args.mlir_pass_statistics and statistics is not None:
            display = statistics.as_list if args.mlir_pass_statistics_display == "list" else statistics.as_pipeline
            texts["statistics"] = statistics.as_json() if json else display()
        for topic, found in self.explanations.items():
            from ..planning import explain

            texts["plans" if topic == "plan" else topic] = explain.as_json(found) if json else explain.as_text(found)
        if json and texts:
            print("{" + ",\n".join(f'"{name}": {text}' for name, text in texts.items()) + "}", file=sys.stderr)
        else:
            sys.stderr.write("".join(f"{text}\n" for text in texts.values()))
        if args.profile is not None:
            write_file(args.profile, timing.as_trace(spans))


def _with_operations(error: BaseException, diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Returns the diagnostics, each with a note that prints the operation at which it is, without regions."""
    ops = [op for op, _ in error.failures] if isinstance(error, VerificationFailed) else [getattr(error, "op", None)]
    style = Style(generic=True, skip_regions=True)
    out: list[Diagnostic] = []
    for diagnostic, op in zip(diagnostics, chain(ops, repeat(None)), strict=False):
        notes = [Note(f"see current operation: {text_of(op, style)}", implied=True)] if op is not None else []
        out.append(replace(diagnostic, notes=(*diagnostic.notes, *notes)))
    return out


def _report_warning(message: Warning | str, *_: object) -> None:
    """Reports a Python warning, which xDSL's passes may issue, without the place in the Python source."""
    report([Diagnostic("warning", str(message))])
