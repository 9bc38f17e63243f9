"""
`ptir-verify`: compares an implementation with an intent.

    ptir-verify softmax.json --against kernels.py:softmax
    ptir-verify softmax.json --against softmax.ptx --launch launch.json --format=json
    ptir-verify softmax.json --against kernels.so:softmax --launch call.json
    ptir-verify softmax.json --against kernels.py:softmax --counterexample found.json
    ptir-verify softmax.json --against kernels.py:softmax --case found.json
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .console import run_command

if TYPE_CHECKING:
    import argparse

    from ..intent import Intent
    from ..verification import Candidate
    from ..verification.launches import Launch
    from ..verification.report import Case, Counterexample


def main(argv: Sequence[str] | None = None) -> None:
    """Entry point of the command line. Never ends in a traceback without `--debug`."""
    run_command(_run, argv)


def _run(argv: Sequence[str]) -> int:
    from ..text.parsing import allow_deep_nesting
    from .arguments import verify_arguments

    allow_deep_nesting()
    return run(verify_arguments(__doc__).parse(argv))


def run(args: argparse.Namespace) -> int:
    """Executes the command and returns its exit status: 1 if a layer fails."""
    import json

    from ..intent import parse
    from ..transforms.intent_to_ptir import parse_binding
    from ..verification import LAYERS, verify
    from .output import Output, read_input, shown

    outputs = [Output(path) for path in (args.output_file, args.counterexample) if path is not None]
    source = parse(read_input(args.intent, args.max_input_size), shown(args.intent))
    report = verify(
        source.function,
        candidate(source, args),
        sizes=parse_binding(args.sizes or ""),
        cases=args.cases,
        seed=args.seed,
        layers=LAYERS if args.layers is None else tuple(filter(None, args.layers.split(","))),
        tolerance=args.tolerance,
        case=None if args.case is None else read_case(source, read_input(args.case, args.max_input_size), args.case),
    )
    text = json.dumps(report.to_json(), indent=2) + "\n" if args.format == "json" else report.text()
    if args.output_file is None:
        Output(None).write(text)
    else:
        outputs[0].write(text)
        outputs[0].commit()
    if args.counterexample is not None and (found := report.counterexample) is not None:
        outputs[-1].write(case_text(source, found))
        outputs[-1].commit()
    return int(report.status == "FAIL")


# --- candidates -----------------------------------------------------------------------------------


def candidate(source: Intent, args: argparse.Namespace) -> Candidate:
    """Returns the candidate that the user names."""
    from ..backends.cuda.nvrtc import compile_cuda
    from ..errors import InvalidAttributeValue
    from ..intent import CompiledCandidate
    from ..targets.architectures import ARCH_NAMES, arch_named
    from ..verification.candidates import KernelCandidate
    from ..verification.libraries import LibraryCandidate
    from .output import read_input

    named: str = args.against
    file, _, function = named.rpartition(":")
    if named in ARCH_NAMES:
        return CompiledCandidate(source, named)
    if named.endswith((".json", ".mlir")):
        return _program(named, args.max_input_size)
    if named.endswith((".ptx", ".cu")):
        how, text = _launch(args), read_input(named, args.max_input_size)
        ptx = text if named.endswith(".ptx") else compile_cuda(text, arch_named(args.arch).target).ptx
        return KernelCandidate(ptx, how, source.function, named)
    if file.endswith(".so") or ".so." in file:
        return LibraryCandidate(file, function, _launch(args), source.function)
    if file and function:
        return _python(file, function)
    help = "FILE.py:FUNCTION, MODULE:FUNCTION, FILE.so:FUNCTION, FILE.mlir, FILE.json, FILE.ptx, FILE.cu, or an architecture"
    raise InvalidAttributeValue(name="--against", problem=f"is '{named}'", help=help)


def _launch(args: argparse.Namespace) -> Launch:
    """Returns how a kernel or a C function is called. Raises `InvalidAttributeValue` if the command line does not say it."""
    from ..errors import InvalidAttributeValue
    from .output import read_input

    if args.launch is None:
        problem = "is a kernel or a function of C"
        raise InvalidAttributeValue(name="--against", problem=problem, help="--launch FILE says how it is called")
    return read_launch(read_input(args.launch, args.max_input_size), args.launch)


def _python(file: str, name: str) -> Candidate:
    import importlib
    import importlib.util

    from ..errors import InvalidAttributeValue
    from ..verification.candidates import PythonCandidate
    from .output import read_input

    if file.endswith(".py"):
        read_input(file, 64)  # raises the error of a file that cannot be read
        spec = importlib.util.spec_from_file_location("ptir_candidate", file)
        if spec is None or spec.loader is None:
            raise InvalidAttributeValue(name="--against", problem=f"names '{file}', which is no Python file", help="")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    else:
        try:
            module = importlib.import_module(file)
        except ImportError as error:
            raise InvalidAttributeValue(
                name="--against", problem=f"names a module: {error}", help="FILE.py:FUNCTION names a file"
            ) from None
    function = getattr(module, name, None)
    if not callable(function):
        known = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        help = f"its functions are {', '.join(known[:20]) or 'none'}"
        raise InvalidAttributeValue(
            name="--against", problem=f"names '{name}', which is no function of {file}", help=help
        )
    return PythonCandidate(function, f"{file}:{name}")


def _program(path: str, size: int) -> Candidate:
    from xdsl.dialects.builtin import StringAttr

    from ..analysis.program.signature import entry_function
    from ..dialects import intent
    from ..frontends.json.intent import import_json
    from ..intent import Intent, as_candidate
    from ..passes.environment import make_context
    from ..text.parsing import parse_text
    from ..text.verify import verify_module
    from ..verification.candidates import ProgramCandidate
    from .output import read_input, shown

    text = read_input(path, size)
    if path.endswith(".json"):
        return as_candidate(Intent(import_json(text, StringAttr(shown(path)))))
    module = parse_text(text, make_context(), shown(path))
    if any(isinstance(op, intent.FuncOp) for op in module.ops):
        return as_candidate(Intent(module))
    verify_module(module)
    return ProgramCandidate(module, entry_function(module, None), path)


# --- files ----------------------------------------------------------------------------------------


def read_launch(text: str, name: str) -> Launch:
    """Reads how a kernel is called. Raises `SourceError`."""
    from ..frontends.json.common.decoding import Form, decode
    from ..verification.launches import Launch

    help = 'write {"grid": ["M"], "block": ["128"], "args": ["x", "out0", "N"]}'
    launch, _ = decode(text, name, Form(Launch, help))
    return launch


def case_text(source: Intent, found: Counterexample) -> str:
    """Returns a counterexample as a file that `--case` reads."""
    import json

    return json.dumps({"intent": source.name, **found.to_json()}, indent=1) + "\n"


def read_case(source: Intent, text: str, name: str) -> Case:
    """Reads a case for an intent. Raises `SourceError` and `ArgumentMismatch`."""
    from ..frontends.json.common.decoding import Form, decode
    from ..semantics.arrays.scalars import numpy_dtype
    from ..semantics.errors import ArgumentMismatch
    from ..verification.report import Case, CaseFile

    written, _ = decode(text, name, Form(CaseFile, "a case is the file that --counterexample wrote"))
    arrays: list[Any] = []
    for arg in source.function.inputs:
        given = written.arguments.get(arg.name_hint or f"arg{arg.index}")
        dtype = numpy_dtype(arg.type.element_type)  # type: ignore[attr-defined]
        values = None if given is None or given.dtype != str(dtype) else given.array(dtype)
        if values is None:
            want = f"{arg.name_hint} of {dtype} with a value of the type for each element"
            raise ArgumentMismatch(source.function, name=source.name, want=want, got=name, help="")
        arrays.append(values)
    binding = source.bind(*arrays, **{s: n for s, n in written.binding.items() if s in source.symbols})
    return Case("given", binding, tuple(arrays))


if __name__ == "__main__":
    main()
