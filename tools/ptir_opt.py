"""
`ptir-opt`: read IR, run passes, write IR or a target. For people who know `mlir-opt`.

    ptir-opt m.mlir --pass-pipeline='builtin.module(ptir-to-tiny,func.func(cse))'
    ptir-opt m.mlir --ptir-to-tiny --cse
    ptir-opt m.mlir -p ptir-to-cuda{arch=sm80} -t cuda -o m.cu
    ptir-opt m.mlir --dump=plan,cu
"""

from __future__ import annotations

import dataclasses
import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import ArgSpecParseError, ShrinkException
from xdsl.utils.target import Target

from ..passes import timing
from ..passes.diagnostics import Diagnostic, LogDiagnostics, diagnose, render, wants_colour
from ..passes.environment import available_passes, available_targets, make_context
from ..passes.errors import Unwritable
from ..passes.parsing import allow_deep_nesting, parse_text
from ..passes.pipeline_elements import PipelineElement, dump_pipeline
from ..passes.printing import write_module
from ..passes.registry import PIPELINES
from ..passes.roundtrip import check_round_trip
from ..passes.sources import Chunk, read_source, read_stream, split_input
from ..passes.verify import verify_module
from .arguments import normalise, opt_arguments
from .output import Output

if TYPE_CHECKING:
    from ..passes.statistics import Statistics


class Driver:
    """One run of the tool. `run` gives the exit status."""

    def __init__(self, argv: Sequence[str]):
        names = [*available_passes(), *PIPELINES]
        self._parser = opt_arguments(__doc__, names)
        self.args = self._parser.parse_args(normalise(argv, self._parser, names))
        self.ctx = make_context(allow_unregistered=self.args.allow_unregistered_dialect)
        self.name = "<stdin>" if self.args.input_file in (None, "-") else self.args.input_file
        self.elements: tuple[PipelineElement, ...] = ()
        self.target: Target | None = None
        self.timer = timing.Timer()
        self.statistics: Statistics | None = None

    def run(self) -> int:
        """Do what the arguments say; 1 on any error."""
        args = self.args
        for asked, lines in (
            (args.list_passes, _list_passes),
            (args.list_pipelines, _list_pipelines),
            (args.show_dialects, lambda: sorted(self.ctx.registered_dialect_names)),
        ):
            if asked:
                print("\n".join(lines()))
                return 0
        self._setup()
        output = Output(args.output_file)
        ok = True
        for i, chunk in enumerate(self._chunks()):
            if i > 0:
                output.write("// -----\n")
            ok = self._run_chunk(chunk, output) and ok
        self._write_reports()
        if args.shrink:
            print("Failure, can't shrink")
            ok = False
        if ok:
            output.commit()
        return 0 if ok else 1

    def _setup(self) -> None:
        args = self.args
        if args.target != "mlir" or args.syntax_highlight:
            self.target = self._build_target()
        given = [("-p", args.passes), ("--pass-pipeline", args.pass_pipeline)]
        given += [("<pass flag>", flag) for flag in args.pass_flags]
        given = [(name, text) for name, text in given if text]
        if args.run_reproducer and given:
            self._parser.error("--run-reproducer takes the pipeline from the file: give no passes")
        if args.dump is not None and not given and not args.run_reproducer:
            given.append(("--dump", "ptir-to-cuda"))
        elements: list[PipelineElement] = []
        if given:
            from ..passes.pipeline import build_pipeline

            elements = [element for name, text in given for element in build_pipeline(text, available_passes(), name)]
        self._use(elements)

    def _build_target(self) -> Target:
        from xdsl.targets.mlir import MLIRTarget

        from ..passes.pipeline import build_target

        target = build_target(self.args.target, available_targets(), "-t")
        if not isinstance(target, MLIRTarget):
            return target
        return dataclasses.replace(
            target,
            print_generic_format=self.args.print_op_generic,
            print_properties_as_attributes=self.args.print_no_properties,
            print_debuginfo=self.args.print_debuginfo,
            syntax_highlight=self.args.syntax_highlight,
        )

    def _use(self, elements: Sequence[PipelineElement]) -> None:
        self.elements = tuple(elements)
        if self.args.dump_pass_pipeline:
            print(dump_pipeline(self.elements), file=sys.stderr)

    def _chunks(self) -> list[Chunk]:
        limit = self.args.max_input_size << 20
        if self.args.input_file in (None, "-"):
            text = read_stream(sys.stdin.buffer, self.name, limit)
        else:
            text = read_source(self.name, limit)
        return split_input(text) if self.args.split_input_file else [Chunk(text, 1)]

    # --- one piece of the input -------------------------------------------------------------------

    def _run_chunk(self, chunk: Chunk, output: Output) -> bool:
        """Process one piece; whether it went as it should."""
        produced: list[Diagnostic] = []
        log = LogDiagnostics()
        with ExitStack() as stack:
            if self.args.debug or self.args.debug_only:
                from ..passes.debug import DebugLog

                only = (self.args.debug_only or "").split(",") if self.args.debug_only else ()
                stack.enter_context(DebugLog(sys.stderr, only).attached())
            stack.enter_context(log.attached())
            try:
                for text in self._process(chunk):
                    output.write(text)
            except ShrinkException:
                if not self.args.shrink:
                    raise
                print("Success, can shrink")
                sys.exit(0)
            except (Exception, ArgSpecParseError) as error:
                if self.args.debug:
                    _print_traceback(error)
                produced = diagnose(error)
        ok = not produced
        produced = [*log.found, *produced]
        if self.args.verify_diagnostics:
            from ..passes.expected import check_expectations, find_expectations

            only = self.args.verify_diagnostics == "only-expected"
            expectations, problems = find_expectations(chunk.text, self.name, chunk.first_line)
            produced = [*problems, *check_expectations(expectations, produced, only_expected=only)]
            ok = not produced
        _report(produced)
        return ok

    def _process(self, chunk: Chunk) -> Iterator[str]:
        """The texts to write for one piece."""
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
        self._verify(module)
        self._check_round_trip(module)
        if self.args.mlir_generate_reproducer is not None:
            from ..passes.reproducer import reproducer

            text = reproducer(chunk.text, dump_pipeline(self.elements), self.args.verify_each)
            _write_file(self.args.mlir_generate_reproducer, text)
        if self.elements:
            yield from self._run_passes(module, chunk)
        else:
            yield self._text(module)

    def _use_reproducer(self, resources: dict[str, dict[str, Any]]) -> None:
        from ..passes.pipeline import build_pipeline
        from ..passes.reproducer import Configuration

        found = Configuration.of(resources, self.name)
        self.args.verify_each = found.verify_each
        self._use(build_pipeline(found.pipeline, available_passes(), f"{self.name}, {{-# … #-}}"))

    def _run_passes(self, module: ModuleOp, chunk: Chunk) -> Iterator[str]:
        """Run the pipeline; the result is verified even without `--verify-each`."""
        from ..passes.manager import PassManager
        from ..passes.statistics import Statistics
        from .instruments import Instruments

        self.statistics = self.statistics or Statistics()
        instruments = Instruments(self.args, chunk.text, self.elements, self.statistics)
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
        """The module in the target's form."""
        args, output = self.args, StringIO()
        with self.timer.span("(write)"):
            if self.target is None:
                write_module(
                    module,
                    output,
                    self.ctx,
                    generic=args.print_op_generic,
                    properties_as_attributes=args.print_no_properties,
                    debuginfo=args.print_debuginfo,
                )
            else:
                self.target.emit(self.ctx, module, output)
        return output.getvalue()

    # --- reports ----------------------------------------------------------------------------------

    def _write_reports(self) -> None:
        args, spans = self.args, self.timer.spans
        json = args.mlir_output_format == "json"
        if args.mlir_timing or args.time_passes:
            display = timing.as_list if args.mlir_timing_display == "list" else timing.as_tree
            print(timing.as_json(spans) if json else display(spans), file=sys.stderr)
        if args.mlir_pass_statistics and self.statistics is not None:
            statistics = self.statistics
            as_text = statistics.as_list if args.mlir_pass_statistics_display == "list" else statistics.as_pipeline
            print(statistics.as_json() if json else as_text(), file=sys.stderr)
        if args.profile is not None:
            _write_file(args.profile, timing.as_trace(spans))


def _list_passes() -> Iterator[str]:
    from xdsl.passes import get_pass_option_infos

    for name, factory in sorted(available_passes().items()):
        try:
            kind = factory()
        except ImportError as e:
            yield f"{name:40} (cannot be loaded: {e})"
            continue
        yield f"{name:40} {_summary(kind.__doc__)}".rstrip()
        for option in get_pass_option_infos(kind):
            default = "" if option.default_value is None else f" = {option.default_value}"
            kind_of = option.expected_type.strip("'")
            yield f"    {option.name.replace('_', '-')}: {kind_of}{default}"


def _summary(doc: str | None) -> str:
    """The first line of a docstring; what `dataclass` writes where there is none says nothing."""
    lines = [line.strip() for line in (doc or "").strip().splitlines()]
    return "" if not lines or (lines[0].endswith(")") and "(" in lines[0].split()[0]) else lines[0]


def _list_pipelines() -> Iterator[str]:
    for name, pipeline in sorted(PIPELINES.items()):
        options = " ".join(pipeline.forwards)
        yield f"{name}{f'{{{options}}}' if options else ''} = {','.join(pipeline.stages)}"


def _write_file(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, "utf-8")
    except OSError as e:
        raise Unwritable(path=path, reason=e.strerror or str(e)) from e


def _report(diagnostics: Sequence[Diagnostic]) -> None:
    colour = wants_colour(sys.stderr)
    for diagnostic in diagnostics:
        sys.stderr.write(render(diagnostic, colour=colour))


def _print_traceback(error: BaseException) -> None:
    import traceback

    traceback.print_exception(error)


def main(args: Sequence[str] | None = None) -> None:
    """Entry point of the command line. Never ends in a traceback without `--debug`."""
    gc.set_threshold(100_000, 20, 100)
    allow_deep_nesting()
    argv = sys.argv[1:] if args is None else list(args)
    status = 1
    try:
        status = Driver(argv).run()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone; keep the interpreter from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        status = 130
    except (Exception, ArgSpecParseError) as error:
        if {"--debug", "-debug"} & set(argv):
            _print_traceback(error)
        _report(diagnose(error))
    if status:
        sys.exit(status)


if __name__ == "__main__":
    main()
