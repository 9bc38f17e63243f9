"""
Reports SASS instruction counts of kernels on rows, and their memory accesses, which the emulator counts. It needs no GPU.

    python benchmarks/row_quality.py --out benchmarks/results/DATE-row-quality.json

writes JSON and, beside it, a table in Markdown. Elements are bf16, computed in f32. Instructions are those that a
thread executes, divided by the number of elements that it holds or, if it streams them, reads; instructions that are executed only if
quotients are not normal are counted once. Loads in flight are the 16-byte loads that a
thread issues before the first instruction that reads one of their results. Sectors have 32 bytes; *least* is the number of
sectors of the operands and results, if a vector of weights is read once for each row.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from report import publish, table
from row_programs import PROGRAMS, Rows
from xdsl.dialects.builtin import IntegerType, TensorType

import ptir
from ptir.backends.cuda import sass
from ptir.backends.cuda.nvrtc import nvrtc_version
from ptir.planning.rows import MAX_LENGTH
from ptir.runtime.devices import Emulator

LENGTHS = (128, 1000, 1024, 4097, 8192, 16384, 50304)
LONG_ROWS = 32
"""Rows that no block holds: fewer would be cut, as they leave the machine idle."""
ALIGNMENTS = 16
"""Rows of a length of which vectors are no divisor: each begins at another byte of a sector."""
COLUMNS = {
    "kernels": "kernels",
    "plan": "tile / warp_tile",
    "registers": "registers",
    "spill_bytes": "spilled",
    "instructions": "instructions an element",
    "in_flight": "16-byte loads in flight",
    "sectors": "sectors",
    "least": "least",
    "conflicts": "bank conflicts",
}


def in_flight(code: Sequence[sass.Instruction]) -> int:
    """Returns the number of 16-byte loads before the first instruction that uses the result of one of them."""
    loaded: set[int] = set()
    count = 0
    for instruction in code:
        operands = instruction.operands.split(",")
        if instruction.name == "LDG" and "128" in instruction.opcode:
            count += 1
            first = int(re.findall(r"\bR(\d+)", operands[0])[0])
            loaded |= set(range(first, first + 4))
            continue
        read = operands if instruction.name.startswith("ST") else operands[1:]
        if any(int(number) in loaded for text in read for number in re.findall(r"\bR(\d+)\b", text)):
            break
    return count


def executed(code: Sequence[sass.Instruction], trips: int) -> int:
    """Returns the number of instructions that a thread executes if each loop has so many iterations."""
    loops = [(i.target, i.address) for i in code if i.target is not None and i.target <= i.address]
    return sum(trips if any(first <= i.address <= last for first, last in loops) else 1 for i in code)


def array(t: TensorType[Any], length: int) -> Any:
    """Returns an argument of type `t`: indices below `length`, or normally distributed numbers."""
    rng, shape = np.random.default_rng(0), t.get_shape()
    if isinstance(t.element_type, IntegerType):
        return rng.integers(0, length, shape).astype(np.int32)
    return rng.standard_normal(shape).astype(ml_dtypes.bfloat16)


def measure(name: str, length: int, arch: str) -> dict[str, Any]:
    """Returns the row of one program."""
    count = 4 if length <= 1024 else 2 if length <= MAX_LENGTH else LONG_ROWS
    if length % 8:
        count = max(count, ALIGNMENTS)
    device = Emulator()
    compiled = ptir.compile(PROGRAMS[name](Rows(count, length)), arch=arch, device=device)
    arrays = [array(t, length) for _, t in compiled.signature.arguments]
    results = compiled(*arrays)
    binary = compiled.program.binary
    kernel, used = next(iter(binary.kernels.items()))
    code = sass.instructions(binary.cubin)[kernel]
    code = code[: 1 + max(k for k, i in enumerate(code) if i.name == "EXIT")]
    plan = (
        next(op for op in compiled.program.module.walk() if "nv.plan" in op.attributes).attributes["nv.plan"].schedule()
    )
    rows, columns = plan.warp
    trips = length // plan.row_columns
    elements = rows * columns / 32 * (length / plan.row_columns if trips else 1)
    vectors = sum(a.nbytes * (count if a.ndim == 1 else 1) for a in arrays)
    return {
        "program": f"{name} of {length}",
        "kernels": len(binary.kernels),
        "plan": f"{'x'.join(map(str, plan.tile))} / {plan.warp_tile}"
        + f" / {plan.cluster[1]} blocks" * (plan.cluster[1] > 1),
        "registers": used.registers,
        "spill_bytes": used.spill_stores + used.spill_loads,
        "instructions": round(executed(code, max(1, trips)) / elements, 1),
        "in_flight": in_flight(code),
        "sectors": sum(c.sectors for r in device.reports for o, c in r.by_opcode.items() if "global" in o),
        "least": -(-(vectors + sum(r.nbytes for r in results)) // 32),
        "conflicts": sum(r.bank_conflicts for r in device.reports),
    }


def markdown(report: dict[str, Any]) -> str:
    """Returns the report as a table."""
    lines = [
        "# The compiled kernels of rows",
        "",
        f"By `benchmarks/row_quality.py` for {report['arch']} with NVRTC {report['nvrtc']}: bf16 in and out, computed in f32.",
        "",
    ]
    rows = ([row[key] for key in ("program", *COLUMNS)] for row in report["kernels"])
    return "\n".join([*lines, *table(["program", *COLUMNS.values()], rows)]) + "\n"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="SASS and memory counts of kernels of rows.")
    parser.add_argument("--out", type=Path, help="the JSON to write; a table goes beside it")
    parser.add_argument("--arch", default="sm80")
    options = parser.parse_args(argv)
    rows = [measure(name, length, options.arch) for name in PROGRAMS for length in LENGTHS]
    report = {"arch": options.arch, "nvrtc": nvrtc_version(), "kernels": rows}
    publish(report, markdown(report), options.out)


if __name__ == "__main__":
    main()
