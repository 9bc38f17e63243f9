"""
Measures how fast `ptir-opt` reads, verifies and prints, compared with `xdsl-opt` on the same files.

    python benchmarks/driver.py                          # the table, and benchmarks/results/DATE-driver.json
    python benchmarks/driver.py --rounds 3 --ops 10000   # quicker

The tools take turns in processes of their own. Ratios compare the medians of CPU time (user and system), which other load
on the machine disturbs less than wall time, and of the peak resident set. `ptir-opt` gives every operation a location and
checks dominance; `xdsl-opt` does neither. Afterwards the steps of `ptir-opt` are timed one by one inside this process.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TOOLS = {name: str(Path(sys.executable).parent / name) for name in ("ptir-opt", "xdsl-opt")}


# --- the modules ----------------------------------------------------------------------------------


def scalar_function(index: int, ops: int) -> str:
    """Returns a function of at least `ops` operations: integer arithmetic, loops with loads and stores, branches."""
    r = random.Random(index)
    text = [f"func.func @f{index}(%a: i32, %b: i32, %m: memref<64xf32>, %lo: index, %hi: index, %st: index) -> i32 {{"]
    values = ["%a", "%b"]
    count = 2
    while count < ops:
        k = count
        x, y = (r.choice(values[-12:]) for _ in range(2))
        match r.choices(("constant", "loop", "branch", "arith"), (10, 6, 6, 78))[0]:
            case "constant":
                text.append(f"  %v{k} = arith.constant {r.randrange(1000)} : i32")
                count += 1
            case "loop":
                text += [
                    f"  %v{k} = scf.for %i{k} = %lo to %hi step %st iter_args(%c{k} = {x}) -> (i32) {{",
                    f"    %x{k} = memref.load %m[%i{k}] : memref<64xf32>",
                    f"    %y{k} = arith.mulf %x{k}, %x{k} fastmath<fast> : f32",
                    f"    memref.store %y{k}, %m[%i{k}] : memref<64xf32>",
                    f"    %z{k} = arith.index_cast %i{k} : index to i32",
                    f"    %n{k} = arith.addi %c{k}, %z{k} : i32",
                    f"    scf.yield %n{k} : i32",
                    "  }",
                ]
                count += 7
            case "branch":
                text += [
                    f"  %p{k} = arith.cmpi slt, {x}, {y} : i32",
                    f"  %v{k} = scf.if %p{k} -> (i32) {{",
                    f"    %t{k} = arith.subi {x}, {y} : i32",
                    f"    scf.yield %t{k} : i32",
                    "  } else {",
                    f"    scf.yield {y} : i32",
                    "  }",
                ]
                count += 5
            case _:
                op = r.choice(("addi", "muli", "subi", "andi", "xori"))
                text.append(f"  %v{k} = arith.{op} {x}, {y} : i32")
                count += 1
        values.append(f"%v{k}")
    return "\n".join([*text, f"  func.return {values[-1]} : i32", "}", ""])


def tensor_function(index: int, ops: int) -> str:
    """Returns a function of `ops` operations of ptir: products, broadcasts, elementwise chains."""
    r = random.Random(index)
    x, w, c = "tensor<64x64xf32>", "tensor<64x64xbf16>", "tensor<64xf32>"
    text = [f"func.func @t{index}(%x: {w}, %w: {w}, %b: {c}, %y: {x}) -> {x} {{"]
    values = ["%y"]
    for k in range(ops - 2):
        a, b = (r.choice(values[-8:]) for _ in range(2))
        match r.choices(("dot", "broadcast", "constant", "unary", "binary"), (5, 5, 5, 35, 50))[0]:
            case "dot":
                text.append(
                    f"  %v{k} = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : ({w}, {w}) -> {x}"
                )
            case "broadcast":
                text.append(f"  %v{k} = ptir.broadcast_to %b : {c} -> {x}")
            case "constant":
                text.append(f"  %v{k} = ptir.constant dense<{r.randrange(100)}.5> : {x}")
            case "unary":
                text.append(f"  %v{k} = ptir.{r.choice(('exp', 'tanh', 'neg', 'abs'))} {a} : {x}")
            case _:
                text.append(f"  %v{k} = ptir.{r.choice(('add', 'mul', 'maximum'))} {a}, {b} : {x}")
        values.append(f"%v{k}")
    return "\n".join([*text, f"  func.return {values[-1]} : {x}", "}", ""])


def modules(ops: int) -> Iterator[tuple[str, str]]:
    """Yields the name and the text of each module, which has about `ops` operations."""
    for name, function, size in (
        ("functions of 50", scalar_function, 50),
        ("one function", scalar_function, ops),
        ("ptir, functions of 50", tensor_function, 50),
    ):
        yield f"{name}, {ops} ops", "".join(function(i, size) for i in range(ops // size))


def write_modules(folder: Path, sizes: Sequence[int]) -> None:
    """Writes the modules as `0.mlir`, `1.mlir`, …, and their names as `names.json`."""
    texts = [("empty module", "builtin.module {}\n"), *(module for ops in sizes for module in modules(ops))]
    for i, (_, text) in enumerate(texts):
        (folder / f"{i}.mlir").write_text(text)
    (folder / "names.json").write_text(json.dumps([name for name, _ in texts]))


# --- the tools beside each other --------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """The wall time and CPU time of a process, in seconds, and its peak resident set, in MiB."""

    wall: float
    cpu: float
    memory: float


def run(command: list[str]) -> Run:
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} failed")
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def compare(path: Path, rounds: int) -> dict[str, Any]:
    """Runs both tools in turns; returns the medians of each, and the ratios of ptir-opt to xdsl-opt."""
    runs: dict[str, list[Run]] = {name: [] for name in TOOLS}
    for _ in range(rounds):
        for name, tool in TOOLS.items():
            runs[name].append(run([tool, str(path)]))
    median = {
        name: {key: statistics.median(asdict(r)[key] for r in done) for key in ("wall", "cpu", "memory")}
        for name, done in runs.items()
    }
    ours, theirs = median["ptir-opt"], median["xdsl-opt"]
    return {
        **{name: {key: round(value, 3) for key, value in m.items()} for name, m in median.items()},
        "ratio": {key: round(ours[key] / theirs[key], 3) for key in ours},
    }


def in_child(step: Callable[[], object]) -> None:
    """
    Runs `step` in a process of its own.

    Linux counts the parent's memory at the start of a process in its peak, so this process must stay small.
    """
    pid = os.fork()
    if pid == 0:
        step()
        sys.stdout.flush()
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]):
        raise SystemExit("a step failed")


# --- where the time goes ------------------------------------------------------------------------------


def breakdown(text: str) -> dict[str, float]:
    """Returns the CPU time of each step of `ptir-opt` on `text`, in seconds, measured in this process."""
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation
    from xdsl.utils.lexer import Input
    from xdsl.utils.mlir_lexer import MLIRTokenKind

    from ptir.passes.environment import make_context
    from ptir.text import verify
    from ptir.text.float_parser import FloatParser
    from ptir.text.lexing import QuickLexer
    from ptir.text.parsing import allow_deep_nesting, parse_text
    from ptir.text.writing import write_module

    gc.set_threshold(100_000, 20, 100)
    allow_deep_nesting()
    ctx = make_context()

    def seconds(step: Callable[[], object]) -> float:
        gc.collect()  # frees the garbage of the step before
        start = time.process_time()
        step()
        return time.process_time() - start

    def lex() -> None:
        lexer = QuickLexer(Input(text, "m.mlir"))
        while lexer.lex().kind is not MLIRTokenKind.EOF:
            pass

    class WithoutUses(verify._Walk):  # pyright: ignore[reportPrivateUsage]
        def _verify_uses(self, op: Operation) -> None:
            pass

    loading = seconds(lambda: parse_text(scalar_function(0, 50) + tensor_function(0, 50), ctx))
    modules: list[ModuleOp] = []
    lexing = seconds(lex)
    bare = seconds(lambda: FloatParser(ctx, Input(text, "m.mlir")).parse_module())
    parsing = seconds(lambda: modules.append(parse_text(text, ctx, "m.mlir")))
    (module,) = modules
    structure = seconds(lambda: WithoutUses().run(module))
    verifying = seconds(lambda: verify.verify_module(module))
    printing = seconds(lambda: write_module(module, StringIO()))
    steps = {
        "load dialects": loading,
        "lex": lexing,
        "parse": bare - lexing,
        "locations": parsing - bare,
        "verify operations": structure,
        "dominance": verifying - structure,
        "print": printing,
    }
    return {name: round(spent, 3) for name, spent in steps.items()}


# --- the report -------------------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=6, help="of modules below a megabyte; a third of it above")
    parser.add_argument("--ops", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("-o", "--output", type=Path, help="where the JSON goes")
    args = parser.parse_args()
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    report: dict[str, Any] = {
        "date": today,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "versions": {"python": platform.python_version(), "xdsl": version("xdsl"), "ptir": version("ptir")},
        "tools": {},
        "where_the_time_goes": {},
    }
    print(f"{'':34}{'xdsl-opt':>18}{'ptir-opt':>18}{'ratio':>16}")
    print(f"{'':34}{'CPU s':>10}{'MiB':>8}{'CPU s':>10}{'MiB':>8}{'time':>8}{'MiB':>8}")
    sys.stdout.flush()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        in_child(lambda: write_modules(folder, args.ops))
        names: list[str] = json.loads((folder / "names.json").read_text())
        for i, name in enumerate(names):
            path = folder / f"{i}.mlir"
            size = path.stat().st_size
            rounds = 3 * args.rounds if size < 100 else args.rounds if size < 1_000_000 else max(1, args.rounds // 3)
            result = report["tools"][name] = {"rounds": rounds, **compare(path, rounds)}
            line = f"{name:34}"
            for tool in ("xdsl-opt", "ptir-opt"):
                line += f"{result[tool]['cpu']:10.3f}{result[tool]['memory']:8.0f}"
            print(line + f"{result['ratio']['cpu']:8.2f}{result['ratio']['memory']:8.2f}", flush=True)
        print("\nwhere ptir-opt's time goes, CPU s", flush=True)
        for i, name in enumerate(names[1:], start=1):
            spent_in = folder / "spent.json"
            in_child(
                lambda i=i, out=spent_in: out.write_text(json.dumps(breakdown((folder / f"{i}.mlir").read_text())))
            )
            spent = report["where_the_time_goes"][name] = json.loads(spent_in.read_text())
            print(f"{name:34}" + ", ".join(f"{step} {s:.2f}" for step, s in spent.items()), flush=True)
    output = args.output or HERE / "results" / f"{today}-driver.json"
    output.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
