"""What the tools can be told."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from pathlib import Path
from typing import Any

from ..passes.instrumentation import ALL
from ..passes.levels import LEVELS, parse_levels
from ..passes.registry import PIPELINES
from ..targets.architectures import ARCH_NAMES
from ..text.sources import DEFAULT_MAX_BYTES
from ..text.style import Style
from .command_line import PASS_FLAG, AddPasses, ArgumentParser, file, names_of, natural, npz, positive


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        parser.exit(0, f"{parser.prog} {version('ptir')} on xdsl {version('xdsl')}\n")


def opt_arguments(description: str | None, names: Collection[str]) -> ArgumentParser:
    """The parser of `ptir-opt`; `names` are the passes and pipelines, which are options too."""
    parser = ArgumentParser(names=names, prog="ptir-opt", description=description)
    parser.add_argument("input_file", nargs="?", metavar="FILE", help="IR; standard input if missing or -")
    parser.add_argument("-v", "--version", action=_Version, nargs=0, help="show the versions and exit")

    group = parser.add_argument_group("input and output")
    group.add_argument("-o", "--output-file", metavar="FILE", type=file, help="written only if all went well")
    group.add_argument("-t", "--target", metavar="TARGET", help="mlir (default) or cuda")
    _add_max_input_size(group)
    _flag(group, "--split-input-file", "process the pieces between lines `// -----` one by one")
    _flag(group, "--allow-unregistered-dialect", "read operations that no dialect registers")
    _flag(group, "--no-implicit-module", "expect a builtin.module around everything")
    group.add_argument(
        "--output-split-marker", metavar="TEXT", default="// -----", help="line between the results (default: // -----)"
    )
    _flag(group, "--mlir-very-unsafe-disable-verifier-on-parsing", "do not verify what was read")

    group = parser.add_argument_group("printing")
    _flag(group, "--print-op-generic", "print the generic form")
    _flag(group, "--print-debuginfo", "print locations")
    _flag(group, "--mlir-pretty-debuginfo", "locations for people, which cannot be read back")
    _flag(group, "--print-no-properties", "print properties as attributes")
    _flag(group, "--mlir-print-skip-regions", "print {...} for regions")
    _flag(group, "--mlir-print-value-users", "comment each value with its users")
    _flag(group, "--mlir-print-unique-ssa-ids", "number values through all regions")
    _flag(group, "--mlir-use-nameloc-as-prefix", "name values by their locations' names")
    for name, metavar, help in (
        ("--mlir-elide-elementsattrs-if-larger", "N", "print no literal of more than N elements"),
        ("--mlir-elide-resource-strings-if-larger", "N", "print no resource of more than N characters"),
    ):
        group.add_argument(name, metavar=metavar, type=natural, help=help)
    group.add_argument(
        "--mlir-print-elementsattrs-with-hex-if-larger",
        metavar="N",
        type=int,
        default=Style.hex_elements,
        help=f"print literals of more than N elements in hexadecimal;\n-1 for none (default: {Style.hex_elements})",
    )
    _flag(group, "--syntax-highlight", "color the output")

    group = parser.add_argument_group(
        "passes", "A pass or a pipeline is an option too: --cse --plan-regions='stages=4'"
    )
    for spellings, metavar, help in (
        (["--pass-pipeline"], "PIPELINE", "e.g. builtin.module(func.func(cse),dce)"),
        (["-p", "--passes"], "PIPELINE", "the same without an anchor: cse,dce"),
        ([PASS_FLAG], "", argparse.SUPPRESS),
    ):
        group.add_argument(*spellings, action=AddPasses, dest="pipelines", default=[], metavar=metavar, help=help)
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
    group.add_argument(
        "--validate-samples", metavar="N", type=positive, default=4, help="how many of them (default: 4)"
    )
    _flag(group, "--shrink", "succeed if a pass says that it shrank the input")

    group = parser.add_argument_group("seeing")
    passes = names_of("pass", lambda: [ALL, *(name for name in names if name not in PIPELINES)])
    group.add_argument(
        "--dump",
        metavar="LEVELS",
        type=levels,
        help=f"write these levels instead of the result:\n{','.join(LEVELS)};\nwithout passes, as much of ptir-to-cuda runs as they need",
    )
    for when in ("before", "after"):
        flag, dest = f"--mlir-print-ir-{when}", f"mlir_print_ir_{when}"
        group.add_argument(
            flag,
            action="extend",
            default=[],
            nargs="?",
            const=ALL,
            metavar="PASSES",
            type=passes,
            help=f"write the IR {when} these passes, or every one, to stderr",
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
    _flag(group, "--explain-plan", "write what plan-regions considered, and why it chose what it did, to stderr")
    group.add_argument(
        "--mlir-output-format", choices=("text", "json"), default="text", help="of times, statistics and plans"
    )
    group.add_argument(
        "--profile", metavar="FILE", type=file, help="write times as a trace for Perfetto or chrome://tracing"
    )

    group = parser.add_argument_group("debugging")
    _flag(group, "--debug", "show Python tracebacks, and why patterns did not match")
    _flag(group, "--mlir-print-stacktrace-on-diagnostic", "show Python tracebacks")
    _flag(group, "--mlir-print-op-on-diagnostic", "add the operation, in the generic form, to errors at one")
    group.add_argument(
        "--debug-only",
        metavar="NAMES",
        type=names_of("module that logs", _logging_modules),
        help="as --debug, from these modules: fusion,contraction",
    )
    group.add_argument(
        "--mlir-pass-pipeline-crash-reproducer",
        metavar="FILE",
        type=file,
        dest="reproducer",
        help="write a reproducer here if a pass fails; without this,\nonly if the pass is at fault, to a temporary file",
    )
    _flag(group, "--mlir-pass-pipeline-local-reproducer", "cut reproducers down to the pass that failed")
    group.add_argument("--mlir-generate-reproducer", metavar="FILE", type=file, help="write a reproducer in any case")
    _flag(group, "--run-reproducer", "take the pipeline from the file")

    # LLVM's spellings of options above, and what goes without saying here: one thread, no aliases in what is printed, and
    # custom forms that print what does not verify.
    _flag(parser, "--mlir-print-op-generic", argparse.SUPPRESS, dest="print_op_generic")
    _flag(parser, "--mlir-print-debuginfo", argparse.SUPPRESS, dest="print_debuginfo")
    _flag(parser, "--mlir-disable-threading", argparse.SUPPRESS)
    _flag(parser, "--mlir-print-local-scope", argparse.SUPPRESS)
    _flag(parser, "--mlir-print-assume-verified", argparse.SUPPRESS)
    return parser


def style_of(args: argparse.Namespace) -> Style:
    """How the arguments of `ptir-opt` want IR to be written."""
    return Style(
        generic=args.print_op_generic,
        properties_as_attributes=args.print_no_properties,
        debuginfo=args.print_debuginfo,
        syntax_highlight=args.syntax_highlight,
        pretty_debuginfo=args.mlir_pretty_debuginfo,
        skip_regions=args.mlir_print_skip_regions,
        value_users=args.mlir_print_value_users,
        unique_ids=args.mlir_print_unique_ssa_ids,
        nameloc_as_prefix=args.mlir_use_nameloc_as_prefix,
        elide_elements=args.mlir_elide_elementsattrs_if_larger,
        elide_resources=args.mlir_elide_resource_strings_if_larger,
        hex_elements=args.mlir_print_elementsattrs_with_hex_if_larger,
    )


def run_arguments() -> ArgumentParser:
    """The parser of `ptir-run`."""
    parser = ArgumentParser(prog="ptir-run", description="Run a tensor program on arrays.")
    parser.add_argument("program", help="IR at any level; '-' for standard input")
    parser.add_argument(
        "--entry", help="the function to run; needed if there are several and the module has no ptir.entry"
    )
    inputs = parser.add_mutually_exclusive_group()
    inputs.add_argument("--inputs", metavar="NPZ", type=Path, help="arrays by argument name")
    inputs.add_argument("--random", metavar="SEED", type=natural, help="make inputs from the signature")
    parser.add_argument(
        "--target",
        choices=("reference", "emulator", "cuda"),
        default="emulator",
        help="reference: what the program means, by the interpreter; emulator: compiled, its PTX executed\n"
        "lane by lane (default); cuda: compiled, on a GPU",
    )
    archs = ", ".join(ARCH_NAMES)
    parser.add_argument("--arch", default="sm80", metavar="ARCH", help=f"what kernels are compiled for: {archs} (sm80)")
    parser.add_argument("--compare", choices=("reference",), help="check the results' error bounds")
    parser.add_argument(
        "--report",
        nargs="?",
        const="text",
        choices=("text", "json"),
        help="what the emulator counted, launch by launch",
    )
    parser.add_argument(
        "--explain-plan",
        nargs="?",
        const="text",
        choices=("text", "json"),
        help="write what plans were considered, and why they were chosen, to stderr",
    )
    help = "draw the emulator's warps at synchronisations"
    parser.add_argument("--schedule", metavar="SEED", type=natural, help=help)
    parser.add_argument("-o", "--output", metavar="NPZ", type=npz, help="where the results go")
    _add_max_input_size(parser)
    _flag(parser, "--debug", "show tracebacks")
    return parser


def translate_arguments(description: str | None) -> ArgumentParser:
    """The parser of `ptir-translate`."""
    parser = ArgumentParser(prog="ptir-translate", description=description)
    parser.add_argument("input_file", nargs="?", metavar="FILE", help="standard input if missing or -")
    parser.add_argument("-v", "--version", action=_Version, nargs=0, help="show the versions and exit")
    what = parser.add_mutually_exclusive_group(required=True)
    _flag(what, "--import-json", "read a PTIR program as JSON, write IR")
    _flag(what, "--export-json", "read IR, write a PTIR program as JSON")
    _flag(what, "--import-tiny-json", "read a tiny program as JSON, write IR")
    _flag(what, "--export-tiny-json", "read IR, write a tiny program as JSON")
    _flag(what, "--export-poly-json", "read IR, write its Poly-View as JSON")
    help = "write the JSON Schema of a form, and exit (default: ptir)"
    forms = ("ptir", "tiny", "poly")
    what.add_argument("--json-schema", nargs="?", const="ptir", choices=forms, metavar="FORM", help=help)
    parser.add_argument("-o", "--output-file", metavar="FILE", type=file, help="written only if all went well")
    _add_max_input_size(parser)
    _flag(parser, "--byte-arrays", "write literals as arrays of numbers, not in base64")
    _flag(parser, "--split-input-file", "translate the pieces between lines `// -----` one by one")
    _flag(parser, "--verify-diagnostics", "compare diagnostics with the `expected-…` comments of the IR")
    _flag(parser, "--allow-unregistered-dialect", "read operations that no dialect registers")
    _flag(parser, "--no-implicit-module", "expect a builtin.module around everything")
    _flag(parser, "--print-op-generic", "print the generic form")
    _flag(parser, "--print-debuginfo", "print locations")
    _flag(parser, "--debug", "show tracebacks")
    _flag(parser, "--mlir-print-op-generic", argparse.SUPPRESS, dest="print_op_generic")
    _flag(parser, "--mlir-print-debuginfo", argparse.SUPPRESS, dest="print_debuginfo")
    return parser


def _add_max_input_size(group: Any) -> None:
    """The option `--max-input-size`, in MiB."""
    size = DEFAULT_MAX_BYTES >> 20
    help = f"refuse more (default: {size})"
    group.add_argument("--max-input-size", metavar="MIB", type=natural, default=size, help=help)


def _flag(group: Any, name: str, help: str, **kwargs: Any) -> None:
    group.add_argument(name, action="store_true", help=help, **kwargs)


def levels(text: str) -> tuple[str, ...]:
    """The type of `--dump`."""
    found = parse_levels(text)
    if not found:
        raise argparse.ArgumentTypeError(f"names no level\nlevels: {', '.join(LEVELS)}")
    return found


def _logging_modules() -> list[str]:
    """The modules of the package that say on `--debug` what they do."""
    package = Path(__file__).parents[1]
    rooms = ("dialects", "semantics", "analysis", "transforms", "passes", "backends", "runtime")
    files = (path for room in rooms for path in (package / room).rglob("*.py"))
    return sorted({path.stem for path in files if "log.debug(" in path.read_text("utf-8")})
