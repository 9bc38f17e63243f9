"""
`ptir-opt`: read IR, run passes, write IR or a target. For people who know `mlir-opt`.

    ptir-opt m.mlir --pass-pipeline='builtin.module(ptir-to-tiny,func.func(cse))'
    ptir-opt m.mlir --ptir-to-tiny --cse
    ptir-opt m.mlir -p ptir-to-cuda{arch=sm80} -t cuda -o m.cu
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import os
import re
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import Any, NoReturn

from xdsl.dialects.builtin import ModuleOp
from xdsl.targets.mlir import MLIRTarget
from xdsl.utils.exceptions import ArgSpecParseError, ShrinkException
from xdsl.utils.target import Target
from xdsl.xdsl_opt_main import xDSLOptMain

from ..passes.diagnostics import Diagnostic, LogDiagnostics, diagnose, render, wants_colour
from ..passes.environment import available_passes, available_targets, make_context
from ..passes.expected import Chunk, check_expectations, find_expectations, split_input
from ..passes.instrumentation import ALL, PrintIR, format_timings
from ..passes.manager import PassManager, PassTiming
from ..passes.parsing import allow_deep_nesting, decode_source, parse_text, read_source
from ..passes.pipeline import PipelineElement, build_pipeline, build_target, dump_pipeline
from ..passes.registry import PIPELINES
from ..passes.roundtrip import check_round_trip
from ..passes.suggest import did_you_mean
from ..passes.verify import verify_module
from .output import Output


class PtirOptMain(xDSLOptMain):
    """xDSL's driver with MLIR's manners: pipelines, places in messages, expected diagnostics."""

    version_format = "ptir-opt built from xdsl version {xdsl_version}"

    def __init__(self, args: Sequence[str] | None = None):
        self.available_frontends = {"mlir": lambda io: self._parse(Chunk(io.read().decode("utf-8"), 1))}
        self.available_passes = dict(available_passes())
        self.available_targets = {**available_targets()}
        self.ctx = make_context()

        parser = _ArgumentParser(prog="ptir-opt", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
        self.register_all_arguments(parser)
        argv = sys.argv[1:] if args is None else list(args)
        self.args = parser.parse_args(_normalise(argv, parser, self.available_passes))
        self.ctx.allow_unregistered = self.args.allow_unregistered_dialect
        self.elements: tuple[PipelineElement, ...] = ()
        self.target: Target = MLIRTarget()
        self._timings: list[PassTiming] = []

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        super().register_all_arguments(arg_parser)
        add = arg_parser.add_argument
        add("--pass-pipeline", metavar="PIPELINE", help="passes to run, e.g. builtin.module(func.func(cse),dce)")
        add("--pass-flags", action="append", default=[], help=argparse.SUPPRESS)
        add("--verify-each", action=argparse.BooleanOptionalAction, default=True, help="verify after each pass")
        add("--verify-roundtrip", action="store_true", help="print and parse again, and compare")
        add("--list-passes", action="store_true", help="list passes and named pipelines, and exit")
        add("--show-dialects", action="store_true", help="list dialects, and exit")
        add("--dump-pass-pipeline", action="store_true", help="write the pipeline in full to stderr")
        for when in ("before", "after"):
            flag = f"--mlir-print-ir-{when}"
            add(
                flag, action="append", default=[], metavar="PASS", help=f"write the IR {when} a pass (or all) to stderr"
            )
            add(f"{flag}-all", action="append_const", const=ALL, dest=f"mlir_print_ir_{when}", help=argparse.SUPPRESS)
        add("--mlir-print-ir-after-failure", action="store_true", help="write the IR after a pass that failed")
        add("--mlir-timing", action="store_true", help="write wall times to stderr")
        add("--mlir-print-op-generic", action="store_true", dest="print_op_generic", help=argparse.SUPPRESS)
        add("--mlir-print-debuginfo", action="store_true", dest="print_debuginfo", help=argparse.SUPPRESS)
        add("--debug", action="store_true", help="show Python tracebacks and debug logs")

    def run(self) -> None:
        """Do what the arguments say. Exits with 1 on any error."""
        if self.args.list_passes:
            return print("\n".join(_pass_list(self.available_passes)))
        if self.args.show_dialects:
            return print("\n".join(sorted(self.ctx.registered_dialect_names)))
        self._setup()
        output = Output(self.args.output_file)
        ok = True
        for i, chunk in enumerate(self._chunks()):
            if i > 0:
                output.write("// -----\n")
            ok = self._run_chunk(chunk, output) and ok
        if self.args.mlir_timing or self.args.time_passes:
            print(format_timings(self._timings), file=sys.stderr)
        if self.args.shrink:
            print("Failure, can't shrink")
            ok = False
        if not ok:
            sys.exit(1)
        output.commit()
        return None

    def setup_pipeline(self) -> None:
        """Build the pipeline from `-p`, `--pass-pipeline` and flags such as `--cse`."""
        given = [("-p", self.args.passes), ("--pass-pipeline", self.args.pass_pipeline)]
        given += [("<pass flag>", flag) for flag in self.args.pass_flags]
        self.elements = tuple(
            element for name, text in given if text for element in build_pipeline(text, self.available_passes, name)
        )

    def _setup(self) -> None:
        self.target = build_target(self.args.target, available_targets(), "-t")
        if isinstance(self.target, MLIRTarget):
            self.target = dataclasses.replace(
                self.target,
                print_generic_format=self.args.print_op_generic,
                print_properties_as_attributes=self.args.print_no_properties,
                print_debuginfo=self.args.print_debuginfo,
                syntax_highlight=self.args.syntax_highlight,
            )
        self.setup_pipeline()
        if self.args.dump_pass_pipeline:
            print(dump_pipeline(self.elements), file=sys.stderr)

    def _chunks(self) -> list[Chunk]:
        name = self.args.input_file
        text = decode_source(sys.stdin.buffer.read(), "stdin") if name in (None, "-") else read_source(name)
        return split_input(text) if self.args.split_input_file else [Chunk(text, 1)]

    def _run_chunk(self, chunk: Chunk, output: Output) -> bool:
        """Process one piece; whether it went as it should."""
        produced: list[Diagnostic] = []
        log = LogDiagnostics()
        text = None
        with log.attached():
            try:
                text = self._process(chunk)
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
            expectations, problems = find_expectations(chunk.text, self.get_input_name(), chunk.first_line)
            produced = [*problems, *check_expectations(expectations, produced)]
            ok = not produced
        _report(produced)
        if text is not None:
            output.write(text)
        return ok

    def _process(self, chunk: Chunk) -> str:
        with self._timed("(parse)"):
            module = self._parse(chunk)
        self._verify(module)
        if self.args.verify_roundtrip:
            with self._timed("(round trip)"):
                check_round_trip(module, self.ctx)
        self.apply_passes(module)
        if self.args.verify_roundtrip and self.elements:
            with self._timed("(round trip)"):
                check_round_trip(module, self.ctx)
        with self._timed("(write)"):
            return self.output_resulting_program(module)

    def _parse(self, chunk: Chunk) -> ModuleOp:
        return parse_text(
            chunk.text,
            self.ctx,
            self.get_input_name(),
            first_line=chunk.first_line,
            allow_implicit_module=not self.args.no_implicit_module,
        )

    def _verify(self, module: ModuleOp, when: str = "") -> None:
        if not self.args.disable_verify:
            with self._timed("(verify)"):
                verify_module(module, when=when)

    def apply_passes(self, prog: ModuleOp) -> None:
        """Run the pipeline; the result is verified even without `--verify-each`."""
        if not self.elements:
            return
        args = self.args
        each = args.verify_each and not args.disable_verify
        after = [ALL] if args.print_between_passes else args.mlir_print_ir_after
        dump = PrintIR(
            sys.stderr,
            before=frozenset(args.mlir_print_ir_before),
            after=frozenset(after),
            after_failure=args.mlir_print_ir_after_failure,
            generic=args.print_op_generic,
            debuginfo=args.print_debuginfo,
        )
        wanted = bool(dump.before or dump.after or dump.after_failure)
        manager = PassManager(
            self.elements,
            self.ctx,
            verify="each" if each else "never",
            verify_input=False,
            instrumentations=[dump] if wanted else [],
        )
        try:
            manager.run(prog)
        finally:
            self._timings += manager.timings
        if not each:
            self._verify(prog, " after the pipeline")

    def output_resulting_program(self, prog: ModuleOp) -> str:
        """The module in the target's form."""
        output = StringIO()
        self.target.emit(self.ctx, prog, output)
        text = output.getvalue()
        return text.rstrip("\n") + "\n" if isinstance(self.target, MLIRTarget) else text

    @contextmanager
    def _timed(self, name: str) -> Generator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self._timings.append(PassTiming(name, time.perf_counter() - start))


class _ArgumentParser(argparse.ArgumentParser):
    """Exits with 1 on bad arguments, as `mlir-opt` does, with a suggestion for a misspelt option."""

    def __init__(self, **kwargs: Any):
        super().__init__(allow_abbrev=False, **kwargs)

    def error(self, message: str) -> NoReturn:
        help = ""
        if match := re.search(r"unrecognized arguments: (--?[\w-]+)", message):
            names = [o for action in self._actions for o in action.option_strings if o.startswith("--")]
            help = did_you_mean(match[1], [*names, *(f"--{name}" for name in available_passes())])
        text = render(Diagnostic("error", message, "PTIR0612", help=help), colour=wants_colour(sys.stderr))
        self.exit(1, f"{self.prog}: {text}")


def _normalise(argv: Sequence[str], parser: argparse.ArgumentParser, passes: Any) -> list[str]:
    """
    Arguments as argparse wants them.

    LLVM's spellings are accepted: one dash before a long option, a bare `--mlir-print-ir-after` for every
    pass, and a pass as a flag, `--cse` or `--plan-regions="arch=sm80"`.
    """
    options = {option for action in parser._actions for option in action.option_strings}  # pyright: ignore[reportPrivateUsage]
    result: list[str] = []
    for i, arg in enumerate(argv):
        if arg == "--":
            return result + list(argv[i:])
        match = re.fullmatch(r"--?([A-Za-z][\w-]+)(=.*)?", arg, re.DOTALL)
        if match is None:
            result.append(arg)
            continue
        name, value = match[1], match[2] or ""
        if f"--{name}" in options:
            bare = name in ("mlir-print-ir-before", "mlir-print-ir-after") and not value
            result.append(f"--{name}{'=' + ALL if bare else value}")
        elif name in passes or name in PIPELINES:
            result.append(f"--pass-flags={name}" + (f"{{{value[1:]}}}" if value else ""))
        else:
            result.append(arg)
    return result


def _pass_list(passes: Any) -> list[str]:
    pipelines = [f"{name} = {','.join(pipeline.stages)}" for name, pipeline in sorted(PIPELINES.items())]
    return [*sorted(passes), *pipelines]


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
    debug = "--debug" in argv
    try:
        if debug:
            import logging

            logging.basicConfig(level=logging.DEBUG)
        PtirOptMain(argv).run()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone; keep the interpreter from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except (Exception, ArgSpecParseError) as error:
        if debug:
            _print_traceback(error)
        _report(diagnose(error))
        sys.exit(1)


if __name__ == "__main__":
    main()
