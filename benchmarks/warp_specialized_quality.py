"""
Reports registers and SASS instruction counts of warp-specialized kernels, from ptxas and the disassembler. It needs no GPU.

    python benchmarks/warp_specialized_quality.py --prototype kernel.cu --out benchmarks/results/DATE-warp-specialized-quality.json

writes JSON and, beside it, a table in Markdown. Every kernel is a product of 4096x4096x4096 (one has M = 16) with a pinned
plan. `--prototype` also compiles a CUDA file, whose only kernel has a tile of 128x128x64 and two consumer warpgroups. The
best hand-written kernel for the first tile is listed with the numbers that its author published: fast.cu's kernel 12, 763
TFLOP/s at 4096³ on an H100.

The main loop is a consumer's: the innermost loop with HGMMA (16-bit types and tf32), QGMMA (fp8) or IGMMA (integers). Counts
per step are counts in that loop, divided by the number of steps of BK that an iteration performs. The loop may wait for other
threads only at mbarriers, so it must not contain BAR.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plans import regions, with_roles
from products import Product
from report import publish, table

import ptir
from ptir.backends.cuda import sass
from ptir.backends.cuda.nvrtc import Binary, compile_cuda, nvrtc_version
from ptir.errors import PtirError
from ptir.planning.warp_specialized.resources import Shape
from ptir.targets.architectures import ARCHS
from ptir.targets.mma import WGMMAS

MULTIPLIES = ("HGMMA", "QGMMA", "IGMMA")
EPILOGUE = ("bias", "gelu", "residual")
PUBLISHED = {"kernel": "fast.cu kernel 12, bf16 128x256x64, cluster 2x1", "registers": 168, "spill_bytes": 0}


@dataclass(frozen=True)
class Case:
    """A product and the sizes of its plan."""

    product: Product
    shape: Shape

    @property
    def name(self) -> str:
        s, p = self.shape, self.product
        words = [p.dtype, "x".join(map(str, s.tile)), s.roles, f"{s.stages} stages"]
        words += [f"cluster {s.cluster[0]}x{s.cluster[1]}"] * (s.cluster != (1, 1))
        words += ["w transposed"] * p.transposed + ["C transposed"] * s.transposed
        return ", ".join(words) + (f", {' '.join(p.epilogue)}" if p.epilogue else "")

    @property
    def multiplies(self) -> int:
        """Returns the number of wgmma instructions by which a consumer multiplies a step of the tile."""
        element = self.product.type
        k = {"bf16": 16, "f16": 16, "tf32": 8}.get(self.product.dtype, 32)
        assert any(mma.k == k for mma in WGMMAS.values()), element
        return self.shape.tile[2] // k * (self.shape.oriented[1][0] // 64)


def square(dtype: str, out: str = "", *, transposed: bool = False, epilogue: tuple[str, ...] = ()) -> Product:
    return Product(dtype, (4096, 4096, 4096), out, epilogue, transposed)


LARGE = Shape((128, 256, 64), (64, 256), 4, roles="cooperative", cluster=(2, 1), order="grouped_16")
CASES = (
    Case(square("bf16", "bf16"), LARGE),
    Case(square("bf16", "bf16", transposed=True), LARGE),
    Case(square("bf16", "bf16", epilogue=EPILOGUE), LARGE),
    Case(square("bf16", "bf16", transposed=True, epilogue=EPILOGUE), LARGE),
    Case(square("f16", "f16"), LARGE),
    Case(square("bf16", "bf16"), Shape((128, 128, 64), (128, 128), 5, roles="pingpong", cluster=(2, 1))),
    Case(
        square("bf16", "bf16", transposed=True), Shape((128, 128, 64), (128, 128), 5, roles="pingpong", cluster=(2, 1))
    ),
    Case(square("bf16", "bf16", transposed=True), Shape((128, 128, 64), (64, 128), 4)),
    Case(
        square("fp8", "bf16", transposed=True),
        Shape((128, 128, 128), (64, 128), 5, roles="cooperative", cluster=(2, 1)),
    ),
    Case(square("tf32", transposed=True), Shape((128, 128, 32), (64, 128), 4, roles="cooperative", cluster=(2, 1))),
    Case(square("i8", transposed=True), Shape((128, 256, 128), (64, 256), 3, roles="cooperative", cluster=(2, 1))),
    Case(
        Product("bf16", (16, 4096, 4096), "bf16", (), True),
        Shape((16, 128, 128), (16, 64), 6, transposed=True),
    ),
)


def measure(case: Case) -> dict[str, Any]:
    """Compiles a case; returns its facts, or the reason why it is refused."""
    try:
        program = ptir.compile(
            with_roles(regions(case.product.text), case.shape), arch="sm90", allow_spills=True
        ).program
    except PtirError as error:
        return {"kernel": case.name, "refused": f"{error.code}: {error.message.splitlines()[0]}"}
    (launch,) = [o for o in program.module.walk() if o.name == "nv.launch"]
    shared: int = launch.properties["shared"].value.data  # pyright: ignore[reportAttributeAccessIssue]
    return {"kernel": case.name, **facts(program.binary, case.multiplies, shared)}


def facts(binary: Binary, multiplies: int, shared: int) -> dict[str, Any]:
    """
    Returns the facts about the only kernel of a binary. `multiplies` is the number of its wgmma instructions per step,
    `shared` its dynamic shared memory in bytes.
    """
    ((name, used),) = binary.kernels.items()
    function = sass.instructions(binary.cubin)[name]
    loop = sass.main_loop(function)
    whole, inside = sass.by_name(function), sass.by_name(loop)
    found = sum(inside[kind] for kind in MULTIPLIES)
    steps = found / multiplies
    return {
        "registers": used.registers,
        "setmaxnreg": [int(i.operands.split(",")[-1], 0) for i in function if i.name == "USETMAXREG"],
        "spill_bytes": used.spill_stores + used.spill_loads,
        "stack_bytes": used.stack,
        "local_loads_and_stores": whole["LDL"] + whole["STL"],
        "shared_bytes": shared + used.static_shared,
        "instructions": len(function),
        "multiplies": sorted({spelled(i) for i in function if i.name in MULTIPLIES}),
        "multiplies_outside": sum(whole[kind] for kind in MULTIPLIES) - found,
        "multiplies_a_step": found / steps if steps else None,
        "steps_a_loop": steps,
        "instructions_a_step": round(len(loop) / steps, 1) if steps else None,
        "barriers_in_loop": inside["BAR"],
        "barriers": whole["BAR"],
        "tma_loads": whole["UTMALDG"],
        "tma_stores": whole["UTMASTG"],
        "global_stores": sorted({i.opcode for i in function if i.name == "STG"}),
        "remarks": sorted({f"{r.number} {r.kind}" for r in binary.remarks}),
    }


def spelled(instruction: sass.Instruction) -> str:
    """Returns the opcode with its shape, as in `HGMMA.64x256x16.F32.BF16`; the reader of SASS splits it at the first `x`."""
    first = instruction.operands.split(maxsplit=1)[0]
    return instruction.opcode + (first if first.startswith("x") else "")


def prototype(path: Path) -> dict[str, Any]:
    """Returns the facts about a hand-written kernel with four stages of 128x128x64."""
    shape = Shape((128, 128, 64), (64, 128), 4)
    case = Case(square("bf16", transposed=True), shape)
    binary = compile_cuda(path.read_text(encoding="utf-8"), ARCHS["sm90"].target, allow_remarks=True)
    shared = 4 * (128 + 128) * 64 * 2 + 16 * 4
    return {"kernel": f"prototype, {case.name}", **facts(binary, case.multiplies, shared)}


COLUMNS = {
    "registers": "registers",
    "setmaxnreg": "setmaxnreg",
    "spill_bytes": "spilled",
    "stack_bytes": "stack",
    "local_loads_and_stores": "LDL+STL",
    "shared_bytes": "shared bytes",
    "multiplies": "multiplies by",
    "multiplies_a_step": "a step",
    "instructions_a_step": "instructions a step",
    "barriers_in_loop": "BAR in the loop",
    "barriers": "BAR",
    "tma_loads": "UTMALDG",
    "tma_stores": "UTMASTG",
    "global_stores": "STG",
    "instructions": "instructions",
    "remarks": "remarks",
}


def cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return f"{value:g}" if isinstance(value, float) else str(value)


def markdown(report: dict[str, Any]) -> str:
    """Returns the report as a Markdown table."""
    lines = [
        "# The compiled kernels of the warp-specialized template",
        "",
        f"By `benchmarks/warp_specialized_quality.py` for {report['target']} with NVRTC {report['nvrtc']}. A step is one of BK "
        "along k, of one consumer warpgroup. These are static facts of the compiled code, without a GPU.",
        "",
    ]

    def cells(row: dict[str, Any]) -> list[Any]:
        counts = [row["refused"]] if "refused" in row else [cell(row[key]) if key in row else "" for key in COLUMNS]
        return [row["kernel"], *counts]

    return "\n".join([*lines, *table(["kernel", *COLUMNS.values()], map(cells, report["kernels"]))]) + "\n"


def load(path: Path) -> dict[str, dict[str, Any]]:
    """Returns the rows of a written report, by kernel. Raises `ValueError` if another program wrote it."""
    report = json.loads(path.read_text(encoding="utf-8"))
    if report.get("target") != ARCHS["sm90"].target or not all("kernel" in row for row in report.get("kernels", [{}])):
        raise ValueError(f"{path} is no report of warp_specialized_quality.py")
    return {row["kernel"]: row for row in report["kernels"]}


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Registers and SASS counts of warp-specialized kernels.")
    parser.add_argument("--out", type=Path, help="the JSON to write; a table goes beside it")
    parser.add_argument("--prototype", type=Path, help="a CUDA file with one hand-written kernel to list beside them")
    options = parser.parse_args(argv)
    rows = [measure(case) for case in CASES]
    if options.prototype:
        rows.append(prototype(options.prototype))
    report = {
        "machine": f"{platform.machine()}, Python {platform.python_version()}, no GPU",
        "target": ARCHS["sm90"].target,
        "nvrtc": nvrtc_version(),
        "kernels": [*rows, PUBLISHED],
    }
    publish(report, markdown(report), options.out)


if __name__ == "__main__":
    main()
