"""
`ptir-run`: runs a program on arrays and compares, without writing Python.

```
ptir-run net.mlir --entry mlp --inputs in.npz --target emulator -o out.npz
ptir-run net.mlir --random 0 --compare reference
ptir-run net.mlir --random 0 --report            # counters: instructions, bytes, sectors, bank conflicts by line
```

Inputs come from an `.npz` by the names of the function's arguments (`x` for `%x`), or in the file's order if
it has `arr_0, arr_1, …`. NumPy has no bf16: such arrays are stored as unsigned integers of the same width,
going in and coming out; a float array is taken if every value is exact in the argument's type. Results are
stored as `r0, r1, …`. Exit status 1 on any error and if a comparison fails.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import PtirError

if TYPE_CHECKING:
    import numpy as np
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.dialects.func import FuncOp

    from ..backends.cuda.ptx.report import Report
    from ..runtime.compile import Program
    from ..runtime.devices import Array


class BadInputs(PtirError):
    code = "PTIR0620"
    template = "{problem}"
    mend = "{help}"


def main() -> None:
    args = _arguments().parse_args()
    try:
        sys.exit(run(args))
    except BrokenPipeError:
        # The reader has gone; keep the interpreter from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        if args.debug:
            raise
        from ..passes.diagnostics import render_error, wants_colour

        sys.stderr.write(render_error(error, colour=wants_colour(sys.stderr)))
        sys.exit(1)


class _ArgumentParser(argparse.ArgumentParser):
    """Exits with 1 on bad arguments, as on every other error."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(1, f"{self.prog}: error: {message}\n")


def seed(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("a seed is not negative")
    return number


def _arguments() -> argparse.ArgumentParser:
    parser = _ArgumentParser(prog="ptir-run", description="Run a tensor program on arrays.", allow_abbrev=False)
    parser.add_argument("program", help="IR at any level; '-' for standard input")
    parser.add_argument("--entry", help="the function to run; needed if there are several")
    inputs = parser.add_mutually_exclusive_group()
    inputs.add_argument("--inputs", metavar="NPZ", type=Path, help="arrays by argument name")
    inputs.add_argument("--random", metavar="SEED", type=seed, help="make inputs from the signature")
    parser.add_argument("--target", choices=("reference", "emulator", "cuda"), default="emulator")
    parser.add_argument("--arch", default="sm80")
    parser.add_argument("--compare", choices=("reference",), help="check the results' error bounds")
    parser.add_argument(
        "--report",
        nargs="?",
        const="text",
        choices=("text", "json"),
        help="what the emulator counted, launch by launch",
    )
    parser.add_argument("--schedule", metavar="SEED", type=seed, help="draw the emulator's warps at synchronisations")
    parser.add_argument("-o", "--output", metavar="NPZ", type=Path, help="where the results go")
    parser.add_argument("--debug", action="store_true", help="show tracebacks")
    return parser


def run(args: argparse.Namespace) -> int:
    """What the command does; gives the exit status."""
    from ..embedding import reference
    from ..passes.environment import make_context
    from ..passes.parsing import decode_source, parse_file, parse_text
    from ..passes.verify import verify_module
    from ..runtime.execute import entry_function

    ctx = make_context()
    if args.program == "-":
        module = parse_text(decode_source(sys.stdin.buffer.read(), "<stdin>"), ctx, "<stdin>")
    else:
        module = parse_file(args.program, ctx)
    verify_module(module)
    function = entry_function(module, args.entry)
    name = function.sym_name.data
    arrays = random_inputs(function, args.random or 0) if args.inputs is None else read_inputs(function, args.inputs)
    if args.target == "reference":
        with _interpretable(function, "--target reference"):
            results = reference(module, *arrays, entry=name)
    else:
        results = _execute(module, name, arrays, args)
    if args.report != "json":  # which a machine reads
        for k, result in enumerate(results):
            print(f"r{k}: {result.dtype}{list(result.shape)}")
    if args.output is not None:
        write_outputs(args.output, results)
    if args.compare:
        with _interpretable(function, "--compare"):
            return compare(module, name, arrays, results)
    return 0


@contextmanager
def _interpretable(function: FuncOp, option: str) -> Generator[None]:
    """Says which option needs another level where an op has no meaning in the interpreter."""
    from xdsl.utils.exceptions import InterpretationError

    try:
        yield
    except InterpretationError as e:
        help = "give a program at the level of ptir, tiny, region or pto"
        raise BadInputs(function, problem=f"{option}: {e}", help=help) from e


def _execute(module: ModuleOp, name: str, arrays: list[Array], args: argparse.Namespace) -> tuple[Array, ...]:
    from ..embedding import compile
    from ..runtime.devices import Emulator, Gpu

    if args.target != "emulator":
        return compile(module, arch=args.arch, entry=name, device=Gpu())(*arrays)
    device = Emulator(seed=args.schedule)
    compiled = compile(module, arch=args.arch, entry=name, device=device)
    results = compiled(*arrays)
    if args.report is not None:
        print_report(device.reports, compiled.program, args.report)
    return results


def print_report(reports: Sequence[Report], program: Program, form: str) -> None:
    """What each launch did, line by line, and what its kernel takes of a multiprocessor."""
    import json
    from dataclasses import asdict

    from ..passes.diagnostics import place_of

    def place(line: int) -> str:
        op = program.origins[line - 1]
        return f"{place_of(op)} {op.name}" if op is not None else ""

    kernels = program.binary.kernels
    if form == "json":
        launches = [{**report.to_dict(), "resources": asdict(kernels[report.kernel])} for report in reports]
        return print(json.dumps({"arch": program.arch, "launches": launches}))
    for report in reports:
        used = kernels[report.kernel]
        print(report.text(place))
        print(f"  {used.registers} registers a thread, {used.spill_stores} bytes spilled, {used.stack} of stack")
    return None


def compare(module: ModuleOp, name: str, arrays: list[Array], results: tuple[Array, ...]) -> int:
    """Prints the largest error of each result and where it is; 1 if one is past its bound."""
    import numpy as np

    from ..embedding import bounds, reference
    from ..semantics.bounds import check

    expected = reference(module, *arrays, entry=name)
    failed = False
    intervals = bounds(module, *arrays, entry=name)
    for k, (result, want, interval) in enumerate(zip(results, expected, intervals, strict=True)):
        report = check(result, interval)
        with np.errstate(all="ignore"):
            error = np.abs(result.astype(np.float64) - want.astype(np.float64))
        error = np.where(np.isnan(error), 0.0, error)
        at = tuple(int(i) for i in np.unravel_index(int(np.argmax(error)), error.shape)) if error.size else ()
        largest = float(error[at]) if error.size else 0.0
        past = f"PAST THE BOUND at {list(report.worst_index)}: off by {report.worst_error:.3g}, {report.worst_bound:.3g} allowed"
        verdict = "within the bound" if report.ok else past
        print(f"r{k}: largest error {largest:.3g} at {list(at)}, {verdict}")
        failed |= not report.ok
    return int(failed)


# --- arrays -------------------------------------------------------------------------------------------


def _signature(function: FuncOp) -> list[tuple[str, np.dtype[Any], tuple[int, ...]]]:
    """Name, element type and shape of each argument."""
    from xdsl.dialects.builtin import MemRefType, TensorType
    from xdsl.ir import Attribute
    from xdsl.utils.hints import isa

    from ..semantics.scalars import numpy_dtype

    out: list[tuple[str, np.dtype[Any], tuple[int, ...]]] = []
    for k, arg in enumerate(function.body.block.args):
        t = arg.type
        if not isa(t, TensorType[Attribute] | MemRefType[Attribute]) or min(t.get_shape(), default=0) < 0:
            problem = f"argument {k} of @{function.sym_name.data} is {t}"
            raise BadInputs(function, problem=problem, help="arguments are tensors of known shape")
        out.append((arg.name_hint or f"arg{k}", numpy_dtype(t.element_type), tuple(t.get_shape())))
    return out


def random_inputs(function: FuncOp, seed: int) -> list[Array]:
    """Standard normal floats and small integers of the signature's types."""
    import numpy as np

    rng = np.random.default_rng(seed)
    out: list[Array] = []
    for _, dtype, shape in _signature(function):
        floats = dtype.kind not in "biu"
        values = rng.standard_normal(shape) if floats else rng.integers(0, 2 if dtype.kind == "b" else 8, shape)
        out.append(np.asarray(np.asarray(values).astype(dtype), order="C"))
    return out


def read_inputs(function: FuncOp, path: Path) -> list[Array]:
    """The arguments from an npz file. Raises `BadInputs` naming the array at fault."""
    import zipfile

    import numpy as np

    try:
        with np.load(path, allow_pickle=False) as archive:
            stored = {key: archive[key] for key in archive.files}
    except (OSError, EOFError, ValueError, TypeError, zipfile.BadZipFile, AttributeError) as e:
        raise BadInputs(problem=f"cannot read {path}: {e}", help="give an .npz file, as numpy.savez writes it") from e
    signature = _signature(function)
    names = [name for name, _, _ in signature]
    if set(stored) == {f"arr_{k}" for k in range(len(signature))}:
        return [_convert(function, n, stored[f"arr_{k}"], d, s) for k, (n, d, s) in enumerate(signature)]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        problem = (
            f"@{function.sym_name.data} has several arguments '{twice[0]}': a number after '_' is no part of a name"
        )
        raise BadInputs(
            function, problem=problem, help="store the arrays in the order of the arguments: arr_0, arr_1, …"
        )
    if missing := [name for name in names if name not in stored]:
        have = f"it needs {', '.join(names)}; it has {', '.join(stored)}"
        raise BadInputs(function, problem=f"{path} has no array '{missing[0]}'", help=have)
    return [_convert(function, name, np.asarray(stored[name]), dtype, shape) for name, dtype, shape in signature]


def _convert(function: FuncOp, name: str, array: Array, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    import numpy as np

    if array.shape != shape:
        problem = f"array '{name}' has shape {list(array.shape)}, %{name} has {list(shape)}"
        raise BadInputs(function, problem=problem, help="reshape the array, or change the program")
    if array.dtype == dtype:
        return np.asarray(array, order="C")
    if not _native(dtype) and array.dtype.kind in "uV" and array.dtype.itemsize == dtype.itemsize:
        return np.asarray(array, order="C").view(dtype)
    converted = array.astype(dtype) if array.dtype.kind in "biuf" else None
    if converted is not None and np.array_equal(converted.astype(np.float64), array.astype(np.float64), equal_nan=True):
        return np.asarray(converted, order="C")
    raise BadInputs(
        function,
        problem=f"array '{name}' is {array.dtype} and %{name} is {dtype}: not every value is exact in it",
        help="round the array yourself, or store the bits as unsigned integers",
    )


def _native(dtype: np.dtype[Any]) -> bool:
    """Whether NumPy itself has the type; those of ml_dtypes are registered with it (`isbuiltin` is 2)."""
    return dtype.isbuiltin == 1


def write_outputs(path: Path, results: tuple[Array, ...]) -> None:
    """Writes the file whole or not at all."""
    import os
    import tempfile

    import numpy as np

    stored = {f"r{k}": r if _native(r.dtype) else r.view(f"u{r.dtype.itemsize}") for k, r in enumerate(results)}
    try:
        handle, temporary = tempfile.mkstemp(dir=path.absolute().parent, suffix=".npz")
        with os.fdopen(handle, "wb") as file:
            np.savez(file, **stored)  # pyright: ignore[reportArgumentType]
        os.replace(temporary, path)
    except OSError as e:
        raise BadInputs(problem=f"cannot write {path}: {e.strerror}", help="") from e
