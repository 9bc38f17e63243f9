"""
Compares the SASS of kernels on rows with that of Triton's kernels, compiled ahead of time for the same shapes. It needs no GPU.

    python -m venv /tmp/triton && /tmp/triton/bin/pip install triton
    python benchmarks/row_comparison.py --triton /tmp/triton/bin/python --out benchmarks/results/DATE-row-comparison.json

writes JSON and, beside it, a table in Markdown. Elements are bf16, computed in f32. Instructions are the number of instructions
in the kernel, multiplied by the threads of a block and divided by the elements that a block computes. The body of a loop counts
once; Triton's loops run only once at these lengths. Loads are the instructions that load from global memory, by their width in
bytes.
"""

from __future__ import annotations

import argparse
import base64
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from report import publish, table
from row_programs import PROGRAMS, Rows
from triton_server import Triton

import ptir
from ptir.backends.cuda import sass
from ptir.backends.cuda.nvrtc import nvrtc_version
from ptir.passes.manager import PassManager
from ptir.targets.architectures import ARCHS

LENGTHS = (128, 1000, 1024, 4096, 8192, 16384)
FORMS = {"softmax": ("softmax",), "rms_norm": ("rms_norm",), "layer_norm": ("layer_norm", "layer_norm_tutorial")}
FAST = "ptir-to-tiny,tiny-fast-math"
"""As accurate as Triton's, which divides and exponentiates approximately."""
WIDTHS = {"U8": 1, "U16": 2, "64": 8, "128": 16}


def registers(cubin: bytes) -> int:
    """Returns the number of registers per thread of the only kernel in `cubin`: its attribute REGCOUNT, a symbol and a number."""
    (found,) = re.findall(rb"\x04\x2f\x08\x00.{4}(.{4})", cubin, re.DOTALL)
    return int.from_bytes(found, "little")


def row(cubin: bytes, threads: int, elements: int) -> dict[str, Any]:
    """Returns the facts about the only kernel in `cubin`; a block of `threads` threads computes `elements` elements."""
    (code,) = sass.instructions(cubin).values()
    code = code[: 1 + max(k for k, i in enumerate(code) if i.name == "EXIT")]
    loads = Counter(
        next((w for part in i.opcode.split(".") if (w := WIDTHS.get(part))), 4) for i in code if i.name == "LDG"
    )
    return {
        "instructions": round(len(code) * threads / elements, 1),
        "registers": registers(cubin),
        "local": sum(i.name in ("LDL", "STL") for i in code),
        "loads": ", ".join(f"{n} x {width}" for width, n in sorted(loads.items(), reverse=True)),
    }


def ours(name: str, length: int, arch: str, passes: str) -> dict[str, Any]:
    program = ptir.compile(PassManager(passes).run(ptir.parse(PROGRAMS[name](Rows(128, length)))), arch=arch).program
    (kernel,) = (op for op in program.module.walk() if "nv.plan" in op.attributes)
    plan = kernel.attributes["nv.plan"].schedule()
    return row(program.binary.cubin, plan.threads, plan.tile[0] * length)


def theirs(triton: Triton, name: str, length: int, arch: str) -> dict[str, Any]:
    block = 1 << (length - 1).bit_length()
    warps = 8 if name == "softmax" else min(max(block // 256, 1), 8)
    answer = triton.compile(kernel=name, length=length, warps=warps, arch=int(ARCHS[arch].target[3:5]))
    return row(base64.b64decode(answer["cubin"]), 32 * answer["warps"], length)


def markdown(report: dict[str, Any]) -> str:
    """Returns the report as a Markdown table."""
    columns = ("kernel", "instructions", "registers", "local", "loads")
    lines = [
        "# Kernels of rows and Triton's",
        "",
        f"By `benchmarks/row_comparison.py` for {report['arch']} with NVRTC {report['nvrtc']} and Triton {report['triton']}: bf16 in and out, "
        "computed in f32. Instructions an element, registers a thread, accesses to local memory, loads from global memory and their bytes. "
        "Softmax without fast math accesses local memory only if it divides element by element, as some quotients are not normal.",
        "",
    ]
    return "\n".join([*lines, *table(columns, ([row[c] for c in columns] for row in report["kernels"]))]) + "\n"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="SASS of kernels on rows, compared with Triton's.")
    parser.add_argument("--triton", required=True, help="the Python of an environment that has Triton")
    parser.add_argument("--out", type=Path, help="the JSON to write; a table goes beside it")
    parser.add_argument("--arch", default="sm80", choices=ARCHS)
    options = parser.parse_args(argv)
    triton = Triton(options.triton, "triton_rows.py")
    rows: list[dict[str, Any]] = []
    for name, forms in FORMS.items():
        for n in LENGTHS:
            rows.append({"kernel": f"{name} of {n}"} | ours(name, n, options.arch, "ptir-to-tiny"))
            if name == "softmax":
                rows.append({"kernel": f"{name} of {n}, fast math"} | ours(name, n, options.arch, FAST))
            rows += [{"kernel": f"Triton's {form} of {n}"} | theirs(triton, form, n, options.arch) for form in forms]
    report = {"arch": options.arch, "nvrtc": nvrtc_version(), "triton": triton.version, "kernels": rows}
    publish(report, markdown(report), options.out)


if __name__ == "__main__":
    main()
