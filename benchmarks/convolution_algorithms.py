"""
Reports what the algorithms of convolutions cost: kernels, multiplications, bytes through memory, registers, instructions. It needs no GPU.

    python benchmarks/convolution_algorithms.py --out benchmarks/results/DATE-convolution-algorithms.json

writes JSON and, beside it, a table in Markdown. Each convolution has 32 images in f16, f32 accumulators, a bias, a ReLU and a result in
f16, and the planner's plans. Multiplications are those of the product, in multiples of the results; bytes are those of all operands and
results of kernels; instructions are those of the compiled kernels' text, each counted once. The filter's transform is included.
"""

from __future__ import annotations

import argparse
from math import prod
from pathlib import Path
from typing import Any

from convolution_quality import CONVOLUTIONS, Convolution
from report import publish, table
from xdsl.dialects.builtin import MemRefType

import ptir
from ptir.analysis.regions.contraction import contractions
from ptir.backends.cuda import sass
from ptir.backends.cuda.nvrtc import nvrtc_version
from ptir.dialects.region import LaunchOp, RegionKernelOp
from ptir.runtime.compile import compile_module
from ptir.targets.mma import element_bytes

ASKED = {
    "implicit_gemm": '{conv = "implicit_gemm"}',
    "F(2, 3)": '{conv = "winograd_3x3", tolerance = 0.03}',
    "F(2, 3), fused": '{conv = "winograd_3x3", tolerance = 0.03, fused = true}',
    "F(4, 3)": '{conv = "winograd_3x3", tolerance = 0.3}',
    "DFT": '{conv = "fft_conv", tolerance = 4.0}',
}
LARGE = Convolution("15x15", 64, 64, 28, 15, 1, 7)
HEADS = ("convolution", "arch", "algorithm", "kernels", "multiplications", "MB", "registers", "spilled", "instructions")


def measured(c: Convolution, arch: str, algorithm: str) -> dict[str, Any]:
    """Returns the row of a convolution."""
    text = c.text.replace("xbf16>", "xf16>").replace(
        "accum f32 out f32", f"accum f32 out f32 {{plan.algo_choice = {ASKED[algorithm]}}}"
    )
    regions: list[Any] = []

    def watch(name: str, module: Any) -> None:
        if name == "form-regions":
            regions.append(module.clone())

    program = compile_module(ptir.parse(text), arch, None, watch)
    module, used = regions[0], program.binary.kernels.values()
    launches = [op for op in module.walk() if isinstance(op, LaunchOp)]
    moved = sum(
        prod(t.get_shape()) * element_bytes(t.element_type)
        for launch in launches
        for t in (v.type for v in launch.operands)
        if isinstance(t, MemRefType)
    )
    products = [f for k in module.walk() if isinstance(k, RegionKernelOp) for f in contractions(k).values()]
    return {
        "convolution": c.name,
        "arch": arch,
        "algorithm": algorithm,
        "kernels": len(launches),
        "multiplications": round(max(prod(f.sizes) for f in products) / prod(c.result), 1),
        "MB": round(moved / 1e6, 1),
        "registers": max(k.registers for k in used),
        "spilled": sum(k.spill_stores + k.spill_loads for k in used),
        "instructions": sum(len(lines) for lines in sass.instructions(program.binary.cubin).values()),
    }


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    out = parser.parse_args().out
    small = [c for c in CONVOLUTIONS if (c.window, c.stride) == (3, 1)]
    asked = [(c, a) for c in small for a in ("implicit_gemm", "F(2, 3)", "F(2, 3), fused", "F(4, 3)")]
    asked += [(LARGE, a) for a in ("implicit_gemm", "DFT")]
    rows = [measured(c, arch, a) for c, a in asked for arch in ("sm80", "sm90")]
    lines = [
        "# Algorithms of convolutions",
        "",
        f"By `benchmarks/convolution_algorithms.py` with NVRTC {nvrtc_version()}.",
        "",
    ]
    lines += table(HEADS, ([row[h] for h in HEADS] for row in rows))
    publish({"rows": rows}, "\n".join(lines) + "\n", out)


if __name__ == "__main__":
    main()
