"""What `ptir-opt` can be told, and LLVM's way of spelling it."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Collection, Sequence
from typing import Any, NoReturn

from ..passes.diagnostics import Diagnostic, render, wants_colour
from ..passes.instrumentation import ALL
from ..passes.levels import LEVELS
from ..passes.sources import DEFAULT_MAX_BYTES
from ..passes.suggest import did_you_mean


class ArgumentParser(argparse.ArgumentParser):
    """
    Exits with 1 on bad arguments, as LLVM's tools do, with a suggestion for a misspelt option; `names` are
    further options that it may suggest.
    """

    def __init__(self, *, names: Collection[str] = (), **kwargs: Any):
        super().__init__(allow_abbrev=False, **kwargs)
        self._names = names

    def error(self, message: str) -> NoReturn:
        help = ""
        if match := re.search(r"unrecognized arguments: (--?[\w-]+)", message):
            help = did_you_mean(match[1], [*self.options(), *(f"--{name}" for name in self._names)])
        text = render(Diagnostic("error", message, "PTIR0612", help=help), colour=wants_colour(sys.stderr))
        self.exit(1, f"{self.prog}: {text}")

    def options(self) -> list[str]:
        """Every long option."""
        return [o for action in self._actions for o in action.option_strings if o.startswith("--")]


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        parser.exit(0, f"ptir-opt {version('ptir')} on xdsl {version('xdsl')}\n")


def opt_arguments(description: str | None, names: Collection[str]) -> ArgumentParser:
    """The parser of `ptir-opt`; `names` are the passes and pipelines, which are options too."""
    parser = ArgumentParser(
        names=names, prog="ptir-opt", description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("input_file", nargs="?", metavar="FILE", help="IR; standard input if missing or -")
    parser.add_argument("-v", "--version", action=_Version, nargs=0, help="show the versions and exit")

    group = parser.add_argument_group("input and output")
    group.add_argument("-o", "--output-file", metavar="FILE", help="written only if all went well")
    group.add_argument("-t", "--target", metavar="TARGET", default="mlir", help="mlir (default), cuda, …")
    size = DEFAULT_MAX_BYTES >> 20
    group.add_argument(
        "--max-input-size", metavar="MIB", type=natural, default=size, help=f"refuse more (default: {size})"
    )
    _flag(group, "--split-input-file", "process the pieces between lines `// -----` one by one")
    _flag(group, "--allow-unregistered-dialect", "read operations that no dialect registers")
    _flag(group, "--no-implicit-module", "expect a builtin.module around everything")
    _flag(group, "--print-op-generic", "print the generic form")
    _flag(group, "--print-debuginfo", "print locations")
    _flag(group, "--print-no-properties", "print properties as attributes")
    _flag(group, "--syntax-highlight", "colour the output")

    group = parser.add_argument_group(
        "passes", "A pass or a pipeline is an option too: --cse --plan-regions='stages=4'"
    )
    group.add_argument("--pass-pipeline", metavar="PIPELINE", help="e.g. builtin.module(func.func(cse),dce)")
    group.add_argument("-p", "--passes", metavar="PIPELINE", default="", help="the same without an anchor: cse,dce")
    group.add_argument("--pass-flags", action="append", default=[], help=argparse.SUPPRESS)
    _flag(group, "--dump-pass-pipeline", "write the pipeline in full to stderr")
    _flag(group, "--list-passes", "list passes with their options, and exit")
    _flag(group, "--list-pipelines", "list named pipelines, and exit")
    _flag(group, "--show-dialects", "list dialects, and exit")

    group = parser.add_argument_group("checks")
    group.add_argument(
        "--verify-each", action=argparse.BooleanOptionalAction, default=True, help="verify after each pass"
    )
    _flag(group, "--disable-verify", "verify nothing")
    _flag(group, "--verify-roundtrip", "print and parse again, before and after the passes, and compare")
    group.add_argument(
        "--verify-diagnostics",
        nargs="?",
        const="all",
        choices=("all", "only-expected"),
        help="compare diagnostics with the `expected-…` comments",
    )
    _flag(group, "--validate-passes", "run every function before and after each pass, and compare")
    group.add_argument("--validate-seed", metavar="N", type=natural, default=0, help="which inputs (default: 0)")
    group.add_argument("--validate-samples", metavar="N", type=natural, default=4, help="how many of them (default: 4)")
    _flag(group, "--shrink", "succeed if a pass says that it shrank the input")

    group = parser.add_argument_group("seeing")
    group.add_argument(
        "--dump",
        metavar="LEVELS",
        help=f"write these levels instead of the result:\n{','.join(LEVELS)};\nwithout passes, ptir-to-cuda runs",
    )
    for when in ("before", "after"):
        flag, dest = f"--mlir-print-ir-{when}", f"mlir_print_ir_{when}"
        group.add_argument(
            flag,
            action="append",
            default=[],
            metavar="PASS",
            help=f"write the IR {when} a pass, or every one, to stderr",
        )
        group.add_argument(f"{flag}-all", action="append_const", const=ALL, dest=dest, help=f"{when} every pass")
    _flag(group, "--mlir-print-ir-after-change", "only where the pass changed something")
    _flag(group, "--mlir-print-ir-after-failure", "after a pass that failed")
    _flag(group, "--mlir-print-ir-module-scope", "the whole module, also for a nested pass")
    group.add_argument("--mlir-print-ir-tree-dir", metavar="DIR", help="into a tree of files instead of stderr")
    _flag(group, "--print-between-passes", "xdsl-opt's spelling of --mlir-print-ir-after-all")
    _flag(group, "--mlir-timing", "write wall times to stderr")
    _flag(group, "--time-passes", "xdsl-opt's spelling of --mlir-timing")
    group.add_argument("--mlir-timing-display", choices=("list", "tree"), default="tree", help="default: tree")
    _flag(group, "--mlir-pass-statistics", "write what each pass did, in numbers, to stderr")
    group.add_argument(
        "--mlir-pass-statistics-display", choices=("list", "pipeline"), default="pipeline", help="default: pipeline"
    )
    group.add_argument("--mlir-output-format", choices=("text", "json"), default="text", help="of times and statistics")
    group.add_argument("--profile", metavar="FILE", help="write times as a trace for Perfetto or chrome://tracing")

    group = parser.add_argument_group("debugging")
    _flag(group, "--debug", "show Python tracebacks, and why patterns did not match")
    group.add_argument("--debug-only", metavar="NAMES", help="as --debug, from these modules: fusion,contraction")
    group.add_argument(
        "--mlir-pass-pipeline-crash-reproducer",
        metavar="FILE",
        dest="reproducer",
        help="write a reproducer here if a pass fails; without this,\nonly if the pass is at fault, to a temporary file",
    )
    _flag(group, "--mlir-pass-pipeline-local-reproducer", "cut reproducers down to the pass that failed")
    group.add_argument("--mlir-generate-reproducer", metavar="FILE", help="write a reproducer in any case")
    _flag(group, "--run-reproducer", "take the pipeline from the file")

    # LLVM's spellings of options above.
    _flag(parser, "--mlir-print-op-generic", argparse.SUPPRESS, dest="print_op_generic")
    _flag(parser, "--mlir-print-debuginfo", argparse.SUPPRESS, dest="print_debuginfo")
    return parser


def _flag(group: Any, name: str, help: str, **kwargs: Any) -> None:
    group.add_argument(name, action="store_true", help=help, **kwargs)


def natural(text: str) -> int:
    """The type of an option that counts."""
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{number} is negative")
    return number


def normalise(argv: Sequence[str], parser: ArgumentParser, names: Collection[str]) -> list[str]:
    """
    Arguments as argparse wants them.

    LLVM's spellings are accepted: one dash before a long option, a bare `--mlir-print-ir-after` for every
    pass, and a pass as a flag, `--cse` or `--plan-regions="arch=sm80"`.
    """
    options = set(parser.options())
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
        elif name in names:
            result.append(f"--pass-flags={name}" + (f"{{{value[1:]}}}" if value else ""))
        else:
            result.append(arg)
    return result
