"""
Compares the two kernels of a contraction with a dequantized weight: wgmma, which takes the weight from registers, and mma.sync.

    python benchmarks/prologue_quality.py --out benchmarks/results/DATE-prologue-quality.json

compiles both for sm90 with the planner's plans, executes them in the emulator, and writes the JSON and, beside it, a table. Warp
instructions are those of PTX that lanes execute, by 32, the polling of mbarriers included. Sectors have 32 bytes; those of a bulk
copy are the bytes that it writes to each block by 32, so that multicast saves none here. Wavefronts and conflicts are those of
loads and stores of shared memory by threads; the reads of wgmma, which have none, are listed in bytes.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any, cast

import numpy as np
from plans import planned, prediction
from report import publish, table
from xdsl.dialects.builtin import ModuleOp, TensorType

import ptir
from ptir.backends.cuda.nvrtc import nvrtc_version
from ptir.runtime.devices import Emulator
from ptir.semantics.arrays.scalars import numpy_dtype

DOT = """  %w = ptir.cast %p : tensor<${K}x${N}xf32> -> tensor<${K}x${N}xbf16>
  %y = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
     : (tensor<${M}x${K}xbf16>, tensor<${K}x${N}xbf16>) -> tensor<${M}x${N}xf32>
  func.return %y : tensor<${M}x${N}xf32>
}"""
PROGRAMS: Mapping[str, str] = {
    "a factor for each column, weight [K, N]": """
func.func @f(%x: tensor<${M}x${K}xbf16>, %q: tensor<${K}x${N}xi8>, %s: tensor<${N}xf32>) -> tensor<${M}x${N}xf32> {
  %f = ptir.cast %q : tensor<${K}x${N}xi8> -> tensor<${K}x${N}xf32>
  %t = ptir.broadcast_to %s : tensor<${N}xf32> -> tensor<${K}x${N}xf32>
  %p = ptir.mul %f, %t : tensor<${K}x${N}xf32>
"""
    + DOT,
    "a factor for each column, weight [N, K]": """
func.func @f(%x: tensor<${M}x${K}xbf16>, %q: tensor<${N}x${K}xi8>, %s: tensor<${N}xf32>) -> tensor<${M}x${N}xf32> {
  %r = ptir.transpose %q [1, 0] : tensor<${N}x${K}xi8> -> tensor<${K}x${N}xi8>
  %f = ptir.cast %r : tensor<${K}x${N}xi8> -> tensor<${K}x${N}xf32>
  %t = ptir.broadcast_to %s : tensor<${N}xf32> -> tensor<${K}x${N}xf32>
  %p = ptir.mul %f, %t : tensor<${K}x${N}xf32>
"""
    + DOT,
    "a factor for each 128 of k, weight [K, N]": """
func.func @f(%x: tensor<${M}x${K}xbf16>, %q: tensor<${K}x${N}xi8>, %s: tensor<${G}x1x${N}xf32>) -> tensor<${M}x${N}xf32> {
  %f = ptir.cast %q : tensor<${K}x${N}xi8> -> tensor<${K}x${N}xf32>
  %r = ptir.reshape %f : tensor<${K}x${N}xf32> -> tensor<${G}x128x${N}xf32>
  %t = ptir.broadcast_to %s : tensor<${G}x1x${N}xf32> -> tensor<${G}x128x${N}xf32>
  %h = ptir.mul %r, %t : tensor<${G}x128x${N}xf32>
  %p = ptir.reshape %h : tensor<${G}x128x${N}xf32> -> tensor<${K}x${N}xf32>
"""
    + DOT,
}
COLUMNS = {
    "plan": "plan",
    "registers": "registers",
    "spill_bytes": "spilled",
    "instructions": "warp instructions",
    "sectors": "global sectors",
    "wavefronts": "shared wavefronts",
    "conflicts": "bank conflicts",
    "wgmma_bytes": "bytes read by wgmma",
    "expected": "predicted µs",
}


def measure(program: str, instruction: str, module: ModuleOp) -> dict[str, Any]:
    """Returns the row of one kernel, whose program has a plan."""
    predicted, device, rng = prediction(module, "sm90"), Emulator(), np.random.default_rng(0)
    compiled = ptir.compile(module, arch="sm90", device=device)
    types = [cast(TensorType[Any], t) for _, t in compiled.signature.arguments]
    compiled(*(rng.integers(-8, 8, t.get_shape()).astype(numpy_dtype(t.element_type)) for t in types))
    (used,), (report,) = compiled.program.binary.kernels.values(), device.reports
    accesses = report.by_opcode.items()
    bulk = sum(report.bytes[kind] for kind in ("async_load", "async_store"))
    return {
        "program": program,
        "instruction": instruction,
        "plan": predicted["plan"],
        "registers": used.registers,
        "spill_bytes": used.spill_stores + used.spill_loads,
        "instructions": report.lanes // 32,
        "sectors": sum(c.sectors for opcode, c in accesses if "global" in opcode) + bulk // 32,
        "wavefronts": report.wavefronts,
        "conflicts": report.bank_conflicts,
        "wgmma_bytes": report.bytes["async_shared"],
        "expected": predicted["expected"],
    }


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description="Counts of kernels that dequantize a weight, by wgmma and by mma.sync."
    )
    parser.add_argument("--out", type=Path, help="the JSON to write; a table goes beside it")
    parser.add_argument("--sizes", type=int, nargs=3, default=(512, 1024, 1024), metavar=("M", "K", "N"))
    options = parser.parse_args(argv)
    m, k, n = options.sizes
    rows: list[dict[str, Any]] = []
    for name, text in PROGRAMS.items():
        source = Template(text).substitute(M=m, K=k, N=n, G=k // 128)
        rows += [
            measure(name, instruction, planned(source, "sm90", roles=instruction == "wgmma"))
            for instruction in ("mma.sync", "wgmma")
        ]
    report = {"sizes": [m, k, n], "nvrtc": nvrtc_version(), "kernels": rows}
    lines = [
        "# Weights dequantized in the prologue",
        "",
        f"By `benchmarks/prologue_quality.py` for sm90 with NVRTC {nvrtc_version()}: x[{m}, {k}] bf16 times a weight of {k} x {n} bytes. "
        "A multicast copy counts in each block that receives it.",
        "",
        *table(
            ["program", "instruction", *COLUMNS.values()],
            ([row["program"], row["instruction"], *(row[key] for key in COLUMNS)] for row in rows),
        ),
    ]
    publish(report, "\n".join(lines) + "\n", options.out)


if __name__ == "__main__":
    main()
