"""
Reports registers and SASS instruction counts of multistage kernels, from ptxas and the disassembler. It needs no GPU.

    python benchmarks/quality.py --prototype kernel.cu --out benchmarks/results/DATE-quality.json

writes JSON and, beside it, a table in Markdown; `warp_specialized_quality.py` does the same for warp-specialized kernels.
Every kernel is a product of 512x512x4096 with a pinned plan; if the compiler refuses it, the reason is listed.
`--prototype` also compiles a CUDA file, whose only kernel has a tile of 128x128x64, three stages and four warps, unless other
options are given.
Instructions a loop are the SASS instructions from the target of the main loop's backward branch to the branch, including
copies that the last iterations skip; they are 0 if ptxas unrolled the loop completely. `k_steps` is the number of steps of
the tile along k that one iteration performs.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from plans import pin, regions
from products import TYPES, Product, Type
from report import publish, table

import ptir
from ptir.backends.cuda import sass
from ptir.backends.cuda.nvrtc import Binary, compile_cuda, nvrtc_version
from ptir.dialects.plan.schedule import Cache, LocalEdge, Schedule, Vectorize
from ptir.errors import PtirError
from ptir.runtime.compile import Program
from ptir.targets.architectures import ARCHS

SIZES = (512, 512, 4096)
PER_LOOP = ("LDSM", "LDGSTS", "LDS", "LDG", "STS", "BAR")


@dataclass(frozen=True)
class Case:
    """A product with a plan; `buffers` is 2 if the fragments are double-buffered."""

    dtype: str
    tile: tuple[int, int, int]
    stages: int
    warp_tile: str
    buffers: int = 1
    unroll: int = 1
    transposed: bool = False

    @property
    def type(self) -> Type:
        return TYPES[self.dtype]

    @property
    def name(self) -> str:
        words = [self.dtype + " " + "x".join(map(str, self.tile)), f"{self.stages} stages", f"warp {self.warp_tile}"]
        words += ["double-buffered"] * (self.buffers == 2) + [f"{self.unroll} steps a loop"] * (self.unroll > 1)
        return ", ".join(words + ["w transposed"] * self.transposed)

    @property
    def warps(self) -> int:
        wm, wn = map(int, self.warp_tile.split("x"))
        return self.tile[0] // wm * self.tile[1] // wn

    @property
    def ideal(self) -> int:
        """Returns the number of multiply instructions that a warp issues for one step of the tile along k."""
        bm, bn, bk = self.tile
        m, n, k = self.type.mma
        return bm * bn * bk // (m * n * k) // self.warps

    @property
    def ring_bytes(self) -> int:
        """Returns the size of both operands' rings in bytes, for a prototype, which does not report it."""
        bm, bn, bk = self.tile
        return (bm + bn) * bk * np.dtype(self.type.numpy).itemsize * self.stages


CASES = (
    Case("bf16", (128, 128, 32), 4, "64x64"),
    Case("bf16", (128, 128, 32), 4, "64x64", 2),
    Case("bf16", (128, 128, 64), 3, "64x64"),
    Case("bf16", (128, 128, 64), 3, "64x64", 2),
    Case("bf16", (128, 256, 64), 3, "64x64", 2),
    Case("bf16", (128, 256, 64), 3, "64x64", 2, 3),
    Case("bf16", (128, 256, 64), 3, "64x64", 2, transposed=True),
    Case("bf16", (128, 256, 64), 3, "64x64", 2, 3, transposed=True),
    Case("bf16", (128, 64, 64), 4, "64x32", 2),
    Case("f16", (128, 128, 32), 4, "64x64", 2),
    Case("f16", (128, 128, 64), 3, "64x64", 2),
    Case("tf32", (128, 128, 32), 3, "64x64"),
    Case("i8", (128, 128, 64), 4, "64x64"),
    Case("f64", (64, 64, 16), 4, "32x32"),
    Case("f32", (64, 64, 16), 3, "32x32"),
)


def plan(case: Case, arch: str = "sm80") -> Schedule:
    """Returns the case's plan."""
    return Schedule(
        arch=ARCHS[arch].name,
        tile=case.tile,
        stages=case.stages,
        warp_tile=case.warp_tile,
        unroll={"k.o": case.unroll} if case.unroll > 1 else {},
        cache=(Cache(tensor="A"), Cache(tensor="B")),
        vectorize=Vectorize(axis="n.i.i", width=8),
        local_edges=tuple(LocalEdge(source=a, target="sum", depth=2) for a in "AB") if case.buffers == 2 else (),
    )


def compiled(case: Case, arch: str = "sm80") -> Program:
    """Returns the product, compiled with the case's plan. Raises `PtirError` if the plan is not supported."""
    module = pin(regions(Product(case.dtype, SIZES, transposed=case.transposed).text), plan(case, arch))
    return ptir.compile(module, arch=arch, allow_spills=True).program


def facts(case: Case, binary: Binary, shared: int, arch: str = "sm80") -> dict[str, Any]:
    """Returns the facts about the only kernel of a binary, which has the case's tile and `shared` bytes of dynamic memory."""
    ((name, used),) = binary.kernels.items()
    function = sass.instructions(binary.cubin)[name]
    loop = sass.main_loop(function)
    whole, inside = sass.by_name(function), sass.by_name(loop)
    multiplies = inside[case.type.opcode]
    return {
        "registers": used.registers,
        "spill_bytes": used.spill_stores + used.spill_loads,
        "local_loads_and_stores": whole["LDL"] + whole["STL"],
        "instructions": len(function),
        "instructions_per_loop": len(loop),
        "multiplies": case.type.opcode,
        "multiplies_per_loop": multiplies,
        "ideal_per_k_step": case.ideal,
        "k_steps": round(multiplies / case.ideal, 2),
        "instructions_per_multiply": round(len(loop) / multiplies, 2) if multiplies else None,
        "per_loop": {key: inside[key] for key in PER_LOOP if inside[key]},
        "global_stores": sorted({i.opcode for i in function if i.name == "STG"}),
        "shared_bytes": shared + used.static_shared,
        "threads": 32 * case.warps,
        "blocks_per_multiprocessor": ARCHS[arch].blocks(32 * case.warps, used.registers, shared + used.static_shared),
    }


def measure(case: Case) -> dict[str, Any]:
    try:
        compilation = compiled(case)
    except PtirError as error:
        return {"kernel": case.name, "refused": f"{error.code}: {error.message.splitlines()[0]}"}
    launches = [o for o in compilation.module.walk() if o.name == "nv.launch"]
    shared: int = launches[0].properties["shared"].value.data  # pyright: ignore[reportAttributeAccessIssue]
    return {"kernel": case.name, **facts(case, compilation.binary, shared)}


def prototype(path: Path, case: Case) -> dict[str, Any]:
    binary = compile_cuda(path.read_text(encoding="utf-8"), ARCHS["sm80"].target)
    return {"kernel": f"prototype, {case.name}", **facts(case, binary, case.ring_bytes)}


COLUMNS = {
    "registers": "registers",
    "spill_bytes": "spilled",
    "local_loads_and_stores": "LDL+STL",
    "instructions_per_loop": "instructions a loop",
    "multiplies_per_loop": "multiplies a loop",
    "ideal_per_k_step": "ideal",
    "instructions_per_multiply": "instructions a multiply",
    "shared_bytes": "shared bytes",
    "blocks_per_multiprocessor": "blocks a multiprocessor",
}


def markdown(report: dict[str, Any]) -> str:
    """Returns the report as a Markdown table."""
    extra = [key for key in PER_LOOP if any(key in row.get("per_loop", {}) for row in report["kernels"])]
    heads = ["kernel", *COLUMNS.values(), *(f"{key} a loop" for key in extra), "stores"]
    sizes = "x".join(map(str, SIZES))
    lines = [
        "# The compiled kernels",
        "",
        f"By `benchmarks/quality.py` for {report['target']} with NVRTC {report['nvrtc']}; a product of {sizes}.",
        "",
    ]

    def cells(row: dict[str, Any]) -> list[Any]:
        if "refused" in row:
            return [row["kernel"], row["refused"]]
        counts = [*(row[key] for key in COLUMNS), *(row["per_loop"].get(key, 0) for key in extra)]
        return [row["kernel"], *counts, ", ".join(row["global_stores"])]

    return "\n".join([*lines, *table(heads, map(cells, report["kernels"]))]) + "\n"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Registers, SASS counts and occupancy of the generated kernels.")
    parser.add_argument("--out", type=Path, help="the JSON to write; a table goes beside it")
    parser.add_argument("--prototype", type=Path, help="a CUDA file with one hand-written kernel to list beside them")
    parser.add_argument("--prototype-tile", default="128x128x64", help="its BMxBNxBK")
    parser.add_argument("--prototype-stages", type=int, default=3)
    parser.add_argument("--prototype-warp", default="64x64", help="the tile of one warp")
    options = parser.parse_args(argv)
    rows = [measure(case) for case in CASES]
    if options.prototype:
        bm, bn, bk = map(int, options.prototype_tile.split("x"))
        case = Case("bf16", (bm, bn, bk), options.prototype_stages, options.prototype_warp)
        rows.append(prototype(options.prototype, case))
    report = {
        "machine": f"{platform.machine()}, Python {platform.python_version()}, no GPU",
        "target": ARCHS["sm80"].target,
        "nvrtc": nvrtc_version(),
        "sizes": SIZES,
        "kernels": rows,
    }
    publish(report, markdown(report), options.out)


if __name__ == "__main__":
    main()
