"""The argument parsers of the command-line tools."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from ..passes.instrumentation import ALL
from ..passes.levels import LEVELS, parse_levels
from ..passes.registry import PIPELINES
from ..targets.architectures import ARCH_NAMES
from ..targets.machines import MACHINES
from ..text.sources import DEFAULT_MAX_BYTES
from ..text.style import Style
from .command_line import PASS_FLAG, AddPasses, ArgumentParser, file, names_of, natural, npz, positive, workgroups


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        parser.exit(0, f"{parser.prog} {version('ptir')} on xdsl {version('xdsl')}\n")


def opt_arguments(description: str | None, names: Collection[str]) -> ArgumentParser:
    """Returns the parser of `ptir-opt`; `names` are the passes and pipelines, which are options too."""
    parser = ArgumentParser(names=names, prog="ptir-opt", description=description)
    _add_input(parser, "IR; standard input if missing or -")
    _add_files(parser)
    _add_printing(parser)
    _add_passes(parser)
    _add_checks(parser)
    _add_instrumentation(parser, names)
    _add_debugging(parser)
    # LLVM's names of options above, and options that have no effect here, since there is one thread, no aliases are printed, and
    # invalid operations are printed in their custom form, too.
    _add_llvm_names(parser)
    for name in ("--mlir-disable-threading", "--mlir-print-local-scope", "--mlir-print-assume-verified"):
        _flag(parser, name, argparse.SUPPRESS)
    return parser


def _add_files(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("input and output")
    _value(group, "-o --output-file", "FILE", _OUTPUT, file)
    _value(group, "-t --target", "TARGET", "mlir (default), cuda, ptx{arch=sm80}, pto-cpp or vyre-wgsl")
    _add_max_input_size(group)
    _flag(group, "--split-input-file", "process the pieces between lines `// -----` one by one")
    _flag(group, "--allow-unregistered-dialect", _UNREGISTERED)
    _flag(group, "--no-implicit-module", _EXPLICIT)
    marker = "// -----"
    _value(group, "--output-split-marker", "TEXT", f"line between the results (default: {marker})", default=marker)
    _flag(group, "--mlir-very-unsafe-disable-verifier-on-parsing", "do not verify the input")


def _add_printing(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("printing")
    _flag(group, "--print-op-generic", "print the generic form")
    _flag(group, "--print-debuginfo", "print locations")
    _flag(group, "--mlir-pretty-debuginfo", "print locations for people, which cannot be parsed again")
    _flag(group, "--print-no-properties", "print properties as attributes")
    _flag(group, "--mlir-print-skip-regions", "print {...} for regions")
    _flag(group, "--mlir-print-value-users", "comment each value with its users")
    _flag(group, "--mlir-print-unique-ssa-ids", "number values through all regions")
    _flag(group, "--mlir-use-nameloc-as-prefix", "name values by their locations' names")
    help = "elide literals of more than N elements"
    _value(group, "--mlir-elide-elementsattrs-if-larger", "N", help, natural)
    help = "elide resources of more than N characters"
    _value(group, "--mlir-elide-resource-strings-if-larger", "N", help, natural)
    size = Style.hex_elements
    help = f"print literals of more than N elements in hexadecimal;\n-1 for none (default: {size})"
    _value(group, "--mlir-print-elementsattrs-with-hex-if-larger", "N", help, int, default=size)
    _flag(group, "--syntax-highlight", "color the output")


def _add_passes(parser: ArgumentParser) -> None:
    group = parser.add_argument_group(
        "passes", "A pass or a pipeline is an option too: --cse --plan-regions='stages=4'"
    )
    for spellings, metavar, help in (
        ("--pass-pipeline", "PIPELINE", "e.g. builtin.module(func.func(cse),dce)"),
        ("-p --passes", "PIPELINE", "the same without an anchor: cse,dce"),
        (PASS_FLAG, "", argparse.SUPPRESS),
    ):
        _value(group, spellings, metavar, help, action=AddPasses, dest="pipelines", default=[])
    _flag(group, "--dump-pass-pipeline", "write the pipeline in full to stderr")
    _flag(group, "--list-passes", "list passes with their options, and exit")
    _flag(group, "--list-pipelines", "list named pipelines, and exit")
    _flag(group, "--show-dialects", "list dialects, and exit")


def _add_checks(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("checks")
    boolean = argparse.BooleanOptionalAction
    group.add_argument("--verify-each", action=boolean, default=True, help="verify after each pass")
    _flag(group, "--disable-verify", "verify nothing")
    _flag(group, "--verify-roundtrip", "print and parse again, before and after the passes, and compare")
    help = "compare diagnostics with the `expected-…` comments"
    _choice(group, "--verify-diagnostics", ("all", "only-expected"), help, nargs="?", const="all")
    _flag(group, "--validate-passes", "run every function before and after each pass, and compare")
    _value(group, "--validate-seed", "N", "seed of the random inputs (default: 0)", natural, default=0)
    _value(group, "--validate-samples", "N", "number of inputs of each function (default: 4)", positive, default=4)
    _flag(group, "--shrink", "succeed if a pass reports that it shrank the input")


def _add_instrumentation(parser: ArgumentParser, names: Collection[str]) -> None:
    group = parser.add_argument_group("instrumentation")
    help = f"write these levels instead of the result:\n{','.join(LEVELS)};\nwithout passes, as much of ptir-to-cuda runs as they need"
    _value(group, "--dump", "LEVELS", help, levels)
    passes = names_of("pass", lambda: [ALL, *(name for name in names if name not in PIPELINES)])
    for when in ("before", "after"):
        flag, dest = f"--mlir-print-ir-{when}", f"mlir_print_ir_{when}"
        help = f"write the IR {when} these passes, or every one, to stderr"
        _value(group, flag, "PASSES", help, passes, action="extend", default=[], nargs="?", const=ALL)
        group.add_argument(f"{flag}-all", action="append_const", const=ALL, dest=dest, help=f"{when} every pass")
    _flag(group, "--mlir-print-ir-after-change", "only where the pass changed something")
    _flag(group, "--mlir-print-ir-after-failure", "after a pass that failed")
    _flag(group, "--mlir-print-ir-module-scope", "the whole module, also for a nested pass")
    _value(group, "--mlir-print-ir-tree-dir", "DIR", "into a tree of files instead of stderr")
    _flag(group, "--print-between-passes", "xdsl-opt's name of --mlir-print-ir-after-all")
    _flag(group, "--mlir-timing", "write wall times to stderr")
    _flag(group, "--time-passes", "xdsl-opt's name of --mlir-timing")
    _choice(group, "--mlir-timing-display", ("list", "tree"), "default: tree", default="tree")
    _flag(group, "--mlir-pass-statistics", "write counts of what each pass did to stderr")
    displays = ("list", "pipeline")
    _choice(group, "--mlir-pass-statistics-display", displays, "default: pipeline", default="pipeline")
    help = "use the plans of this file: JSON, or statements (docs/plans.md)"
    _value(group, "--plan", "FILE", help, file)
    _flag(
        group,
        "--explain-plan",
        "write the plans that plan-regions considered, and the reasons for its choice, to stderr",
    )
    _flag(
        group,
        "--explain-fusion",
        "write which edges form-regions fused or cut, and the times by which it decided, to stderr",
    )
    _choice(group, "--mlir-output-format", _FORMATS, "format of times, statistics and plans", default="text")
    _value(group, "--profile", "FILE", "write times as a trace for Perfetto or chrome://tracing", file)


def _add_debugging(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("debugging")
    _flag(group, "--debug", "show Python tracebacks, and why patterns did not match")
    _flag(group, "--mlir-print-stacktrace-on-diagnostic", "show Python tracebacks")
    _flag(group, "--mlir-print-op-on-diagnostic", "add the operation, in the generic form, to errors at one")
    logging = names_of("module that logs", _logging_modules)
    _value(group, "--debug-only", "NAMES", "as --debug, from these modules: fusion,contraction", logging)
    help = "write a reproducer here if a pass fails; without this,\nonly if the pass is at fault, to a temporary file"
    _value(group, "--mlir-pass-pipeline-crash-reproducer", "FILE", help, file, dest="reproducer")
    _flag(group, "--mlir-pass-pipeline-local-reproducer", "cut reproducers down to the pass that failed")
    _value(group, "--mlir-generate-reproducer", "FILE", "write a reproducer in any case", file)
    _flag(group, "--run-reproducer", "take the pipeline from the file")


def style_of(args: argparse.Namespace) -> Style:
    """Returns the style of printed IR that the arguments of `ptir-opt` select."""
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
    """Returns the parser of `ptir-run`."""
    parser = ArgumentParser(prog="ptir-run", description="Run a tensor program on arrays, or dispatch a vyre program.")
    parser.add_argument("program", help="IR at any level; '-' for standard input")
    help = "the function to run; needed if there are several and the module has no ptir.entry"
    parser.add_argument("--entry", help=help)
    inputs = parser.add_mutually_exclusive_group()
    _value(inputs, "--inputs", "NPZ", "arrays by argument name", Path)
    _value(inputs, "--random", "SEED", "make inputs from the signature", natural)
    _value(parser, "--sizes", "SIZES", "run the program for these dynamic sizes: B=8,S=128, or x[1]=4 without a name")
    help = (
        "reference: executed by the interpreter; emulator: compiled, its PTX executed\n"
        "lane by lane (default); cuda: compiled, executed on a GPU;\n"
        "wgsl: a vyre program as WGSL, executed by an adapter of WebGPU;\n"
        "pto: a tile program with events, executed in orders that these allow"
    )
    _choice(parser, "--target", ("reference", "emulator", "cuda", "wgsl", "pto"), help, default="emulator")
    help = f"architecture of the kernels: {', '.join(ARCH_NAMES)} (sm80)"
    _value(parser, "--arch", "ARCH", help, default="sm80")
    help = "what is fused: by cost (exact, the default; greedy), whatever is legal, or nothing"
    _choice(parser, "--strategy", ("exact", "greedy", "maximal", "none"), help, default="exact")
    _flag(parser, "--strict", "every bit is specified, as if the module had the attribute ptir.strict_floats")
    help = "check the results' error bounds or, if floats are strict, their bits"
    _choice(parser, "--compare", ("reference",), help)
    _choice(parser, "--report", _FORMATS, "write the emulator's counters of each launch", nargs="?", const="text")
    help = "write the plans that were considered, and the reasons for the choice, to stderr"
    _choice(parser, "--explain-plan", _FORMATS, help, nargs="?", const="text")
    _value(parser, "--plan", "FILE", "use the plans of this file: JSON, or statements", file)
    help = "let the emulator choose warps at random at synchronizations; the seed of the orders of --target pto (0)"
    _value(parser, "--schedule", "SEED", help, natural)
    _value(parser, "--schedules", "COUNT", "number of orders of --target pto (10)", positive, default=10)
    _value(parser, "-o --output", "NPZ", "write the results to this file", npz)
    group = parser.add_argument_group("vyre programs", "Buffers are bound by name. Those that are written are printed.")
    help = "VALUE is text:TEXT, hex:DIGITS, file:FILE, numbers:1,2,3 or zeros:COUNT"
    _value(group, "--buffer", "NAME=VALUE", help, action="append", default=[])
    _value(group, "--workgroups", "X,Y,Z", "number of workgroups of the dispatch (1)", workgroups)
    help = "write a buffer to a file after the dispatch: its bytes, or an array if FILE ends with .npy"
    _value(group, "--write", "NAME=FILE", help, action="append", default=[])
    _add_max_input_size(parser)
    _flag(parser, "--debug", "show tracebacks")
    return parser


def verify_arguments(description: str | None) -> ArgumentParser:
    """Returns the parser of `ptir-verify`."""
    parser = ArgumentParser(prog="ptir-verify", description=description)
    parser.add_argument("intent", metavar="INTENT", help="a function of the intent dialect: JSON or IR")
    help = (
        "FILE.py:FUNCTION or MODULE:FUNCTION of Python, a program or an intent in FILE.mlir or FILE.json,\n"
        "a kernel in FILE.ptx or FILE.cu or a C function in FILE.so:FUNCTION, with --launch,\n"
        "or sm80, sm90 …: the kernels of the intent itself"
    )
    _value(parser, "--against", "CANDIDATE", help, required=True)
    _value(parser, "--launch", "FILE", "JSON that says how a kernel or a C function is called: args, grid, block", file)
    _value(parser, "--arch", "ARCH", "architecture for which a .cu file is compiled (sm80)", default="sm80")
    _value(parser, "--sizes", "SIZES", "numbers of symbols: M=8,N=16")
    _value(parser, "--cases", "COUNT", "number of drawn cases (40)", positive, default=40)
    _value(parser, "--seed", "SEED", "seed of the cases (0)", natural, default=0)
    _value(parser, "--layers", "LAYERS", f"layers to run: {', '.join(VERIFICATION_LAYERS)} (all)")
    _value(parser, "--tolerance", "NUMBER", "relative and absolute tolerance instead of that of the op mix", float)
    _value(parser, "--case", "FILE", "run only the case in this file, which --counterexample wrote", file)
    _value(parser, "--counterexample", "FILE", "write the arguments on which the candidate differs", file)
    _choice(parser, "--format", _FORMATS, "form of the report", default="text")
    _value(parser, "-o --output-file", "FILE", "write the report to this file", file)
    _add_max_input_size(parser)
    _flag(parser, "--debug", "show tracebacks")
    return parser


def conform_arguments(description: str | None) -> ArgumentParser:
    """Returns the parser of `ptir-conform`."""
    parser = ArgumentParser(prog="ptir-conform", description=description)
    parser.add_argument("dialect", choices=("vyre",), help="the dialect whose ops are certified")
    help = "IR with ops that are certified in place of the dialect's or library's of the same names"
    parser.add_argument("file", nargs="?", metavar="FILE", help=help)
    _choice(parser, "--track", ("integer", "strict", "approximate"), "certify the ops of this track")
    _value(parser, "--only", "NAMES", "certify these ops: add.u32,fexp.f16,popcount")
    _flag(parser, "--list", "list the ops with their tracks and signatures, and exit")
    backends = names_of("backend", lambda: ("interpreter", "ptx", "wgsl"))
    _value(parser, "--backends", "NAMES", "interpreter, ptx, wgsl (default: all that there are)", backends)
    _value(parser, "--arch", "ARCH", "architecture for which PTX is compiled (sm80)", default="sm80")
    _value(parser, "--seed", "SEED", "seed of the random inputs (0)", natural, default=0)
    _value(parser, "--count", "N", "at most N inputs of each kind, which are no longer exhaustive", positive)
    help = "try this input alone: a number for each operand, as a witness shows it; may be repeated"
    _value(parser, "--input", "VALUES", help, action="append", default=[])
    help = "try all 2^32 inputs of a function of binary32, by a C compiler; minutes for each"
    _flag(parser, "--all-inputs", help)
    _value(parser, "--state", "FILE", "keep what --all-inputs has tried, and go on from there", file)
    _choice(parser, "--format", _FORMATS, "form of what is printed", default="text")
    _flag(parser, "--json-schema", "print the JSON Schema of a certificate, and exit")
    _value(parser, "-o --output-file", "FILE", "write the certificate to this file", file)
    _add_max_input_size(parser)
    _flag(parser, "--debug", "show tracebacks")
    return parser


def tune_arguments(description: str | None) -> ArgumentParser:
    """Returns the parser of `ptir-tune`."""
    parser = ArgumentParser(prog="ptir-tune", description=description)
    parser.add_argument("program", nargs="?", help="IR at any level down to region; '-' for standard input")
    parser.add_argument("--entry", help="the function; needed if there are several and the module has no ptir.entry")
    help = "the file of tuned plans (default: $PTIR_TUNED, else ~/.local/share/ptir/tuned.sqlite)"
    _value(parser, "--tuned", "FILE", help, file)
    _choice(parser, "--machine", tuple(MACHINES), "the GPU to tune for (default: the one of this machine, else a100)")

    group = parser.add_argument_group("search")
    help = (
        "gpu: time kernels on a GPU; emulator: predict times from what the emulator counts;\n"
        "model: predict them from the plan (default: gpu if there is one, else emulator)"
    )
    _choice(group, "--measure", ("gpu", "model", "emulator"), help)
    size = CANDIDATES
    _value(group, "--candidates", "N", f"number of candidates of a kernel (default: {size})", positive, default=size)
    _flag(group, "--exhaustive", "try all candidates")
    _value(
        group, "--limit", "SECONDS", "time within which a candidate must answer (default: 120)", positive, default=120
    )
    _value(group, "--seed", "N", "seed of the inputs (default: 0)", natural, default=0)
    _flag(group, "--again", "repeat trials that the file has")
    help = "processes (default), or those of a cluster: dask://HOST:PORT, ray, ray://HOST:PORT"
    _value(group, "--executor", "NAME", help, default="processes")
    _value(group, "--jobs", "N", "number of processes (default: one for each core)", positive)

    group = parser.add_argument_group("dynamic sizes")
    help = "sizes to tune for, B=8,S=128; may be repeated"
    _value(group, "--sizes", "SIZES", help, action="append", default=[])
    help = 'how often which sizes are called, as JSON: {"B=8,S=128": 900}\n(default: the calls that the file of tuned plans has counted)'
    _value(group, "--requests", "FILE", help, file)
    _value(group, "--shape-sets", "N", "maximum number of shape sets of a kernel (default: 8)", positive, default=8)

    group = parser.add_argument_group("output")
    _choice(group, "--format", _FORMATS, "form of the report", default="text")
    _value(group, "--csv", "FILE", "append a row for each candidate to this log", file)
    _value(group, "--export", "FILE", "write all tuned plans of the file as JSON ('-' for standard output)", file)
    _value(group, "--import", "FILE", "add the tuned plans of such a file", file, dest="import_")
    _add_max_input_size(group)
    _flag(group, "--debug", "show tracebacks")
    return parser


CANDIDATES = 16
VERIFICATION_LAYERS = ("well-formed", "obligations", "differential", "stability", "determinism")


def translate_arguments(description: str | None) -> ArgumentParser:
    """Returns the parser of `ptir-translate`."""
    parser = ArgumentParser(prog="ptir-translate", description=description)
    _add_input(parser, "standard input if missing or -")
    forms = parser.add_mutually_exclusive_group(required=True)
    _flag(forms, "--import-json", "read a PTIR program as JSON, write IR")
    _flag(forms, "--export-json", "read IR, write a PTIR program as JSON")
    _flag(forms, "--import-tiny-json", "read a tiny program as JSON, write IR")
    _flag(forms, "--export-tiny-json", "read IR, write a tiny program as JSON")
    _flag(forms, "--import-region-json", "read kernels as JSON, write IR")
    _flag(forms, "--export-region-json", "read IR, write its kernels as JSON")
    _flag(forms, "--import-intent-json", "read an intent as JSON, write IR")
    _flag(forms, "--export-intent-json", "read IR, write an intent as JSON")
    _flag(forms, "--export-poly-json", "read IR, write its Poly-View as JSON")
    help = "write the JSON Schema of a form, and exit (default: ptir)"
    names = ("ptir", "tiny", "poly", "region", "intent")
    _choice(forms, "--json-schema", names, help, nargs="?", const="ptir", metavar="FORM")
    _value(parser, "-o --output-file", "FILE", _OUTPUT, file)
    _add_max_input_size(parser)
    _flag(parser, "--byte-arrays", "write literals as arrays of numbers, not in base64")
    _flag(parser, "--split-input-file", "translate the pieces between lines `// -----` one by one")
    _flag(parser, "--verify-diagnostics", "compare diagnostics with the `expected-…` comments of the IR")
    _flag(parser, "--allow-unregistered-dialect", _UNREGISTERED)
    _flag(parser, "--no-implicit-module", _EXPLICIT)
    _flag(parser, "--print-op-generic", "print the generic form")
    _flag(parser, "--print-debuginfo", "print locations")
    _flag(parser, "--debug", "show tracebacks")
    _add_llvm_names(parser)
    return parser


_FORMATS = ("text", "json")
_OUTPUT = "written only if there are no errors"
_UNREGISTERED = "read operations that no dialect registers"
_EXPLICIT = "expect a builtin.module around everything"


def _flag(group: Any, name: str, help: str, **kwargs: Any) -> None:
    group.add_argument(name, action="store_true", help=help, **kwargs)


def _value(
    group: Any, names: str, metavar: str, help: str, type: Callable[[str], Any] | None = None, **kwargs: Any
) -> None:
    """Adds an option with a value; `names` are its names, separated by spaces."""
    group.add_argument(*names.split(), metavar=metavar, help=help, type=type, **kwargs)


def _choice(group: Any, name: str, choices: Collection[str], help: str, **kwargs: Any) -> None:
    group.add_argument(name, choices=choices, help=help, **kwargs)


def _add_input(parser: ArgumentParser, help: str) -> None:
    parser.add_argument("input_file", nargs="?", metavar="FILE", help=help)
    parser.add_argument("-v", "--version", action=_Version, nargs=0, help="show the versions and exit")


def _add_max_input_size(group: Any) -> None:
    size = DEFAULT_MAX_BYTES >> 20
    _value(group, "--max-input-size", "MIB", f"refuse larger input (default: {size})", natural, default=size)


def _add_llvm_names(parser: ArgumentParser) -> None:
    _flag(parser, "--mlir-print-op-generic", argparse.SUPPRESS, dest="print_op_generic")
    _flag(parser, "--mlir-print-debuginfo", argparse.SUPPRESS, dest="print_debuginfo")


def levels(text: str) -> tuple[str, ...]:
    """Returns the levels in the value of `--dump`. Raises `ArgumentTypeError` if there are none."""
    found = parse_levels(text)
    if not found:
        raise argparse.ArgumentTypeError(f"does not name a level\nlevels: {', '.join(LEVELS)}")
    return found


def _logging_modules() -> list[str]:
    """Returns the names of the modules that write debug messages."""
    package = Path(__file__).parents[1]
    folders = ("dialects", "semantics", "analysis", "transforms", "passes", "backends", "runtime")
    files = (path for folder in folders for path in (package / folder).rglob("*.py"))
    logging = [path for path in files if "log.debug(" in path.read_text("utf-8")]
    return sorted({path.parent.name if path.stem == "__init__" else path.stem for path in logging})
