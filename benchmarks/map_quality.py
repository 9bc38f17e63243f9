"""
What the kernels of maps and columns execute and access, counted by the emulator; no GPU is needed.

    python benchmarks/map_quality.py --out benchmarks/results/DATE-map-quality.json

writes the JSON and, beside it, the same as a table in Markdown; `--before FILE` adds the numbers of an earlier JSON to the table.
Instructions are those that lanes execute, for each element of the results or, of reductions, of the operands. Sectors have 32 bytes;
the least is what operands and results have.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import TensorType

import ptir
from ptir.backends.cuda.nvrtc import nvrtc_version
from ptir.runtime.devices import Emulator
from ptir.semantics.arrays.scalars import numpy_dtype

ROTARY = Path(__file__).parent.parent / "examples" / "rotary.mlir"
PROGRAMS: Mapping[str, str] = {
    "pad by 1": """func.func @f(%x: tensor<64x62xbf16>) -> tensor<66x64xbf16> {
        %0 = ptir.pad %x with 0.0 : bf16 low [1, 1] high [1, 1] interior [0, 0] : tensor<64x62xbf16> -> tensor<66x64xbf16>
        func.return %0 : tensor<66x64xbf16> }""",
    "pad by 8": """func.func @f(%x: tensor<64x112xbf16>) -> tensor<66x128xbf16> {
        %0 = ptir.pad %x with 0.0 : bf16 low [1, 8] high [1, 8] interior [0, 0] : tensor<64x112xbf16> -> tensor<66x128xbf16>
        func.return %0 : tensor<66x128xbf16> }""",
    "concat": """func.func @f(%x: tensor<64x64xbf16>, %y: tensor<64x128xbf16>) -> tensor<64x192xbf16> {
        %0 = ptir.concat %x, %y axis 1 : (tensor<64x64xbf16>, tensor<64x128xbf16>) -> tensor<64x192xbf16>
        func.return %0 : tensor<64x192xbf16> }""",
    "split in 3": """func.func @f(%x: tensor<64x192xbf16>) -> (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16>) {
        %0 = ptir.slice %x [0, 0] : tensor<64x192xbf16> -> tensor<64x64xbf16>
        %1 = ptir.slice %x [0, 64] : tensor<64x192xbf16> -> tensor<64x64xbf16>
        %2 = ptir.slice %x [0, 128] : tensor<64x192xbf16> -> tensor<64x64xbf16>
        func.return %0, %1, %2 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16> }""",
    "causal mask": """func.func @f(%x: tensor<128x128xbf16>) -> tensor<128x128xbf16> {
        %0 = ptir.iota axis 0 : tensor<128x128xsi32>
        %1 = ptir.iota axis 1 : tensor<128x128xsi32>
        %2 = ptir.compare ge %0, %1 : tensor<128x128xsi32> -> tensor<128x128xi1>
        %3 = ptir.constant dense<0.0> : tensor<128x128xbf16>
        %4 = ptir.select %2, %x, %3 : tensor<128x128xi1>, tensor<128x128xbf16>
        func.return %4 : tensor<128x128xbf16> }""",
    "two results": """func.func @f(%x: tensor<64x256xbf16>) -> (tensor<64x256xbf16>, tensor<64x256xbf16>) {
        %0 = ptir.neg %x : tensor<64x256xbf16>
        %1 = ptir.abs %x : tensor<64x256xbf16>
        func.return %0, %1 : tensor<64x256xbf16>, tensor<64x256xbf16> }""",
    "sum of columns": Template("""func.func @f(%x: tensor<${X}xbf16>) -> tensor<${Y}xf32> {
        %0 = ptir.cast %x : tensor<${X}xbf16> -> tensor<${X}xf32>
        %1 = ptir.reduce sum %0 axes [0] accum f32 : tensor<${X}xf32> -> tensor<${Y}xf32>
        func.return %1 : tensor<${Y}xf32> }""").substitute(X="1024x256", Y="256"),
    "sum of a middle axis": Template("""func.func @f(%x: tensor<${X}xbf16>) -> tensor<${Y}xf32> {
        %0 = ptir.cast %x : tensor<${X}xbf16> -> tensor<${X}xf32>
        %1 = ptir.reduce sum %0 axes [1] accum f32 : tensor<${X}xf32> -> tensor<${Y}xf32>
        func.return %1 : tensor<${Y}xf32> }""").substitute(X="4x256x128", Y="4x128"),
    "sum of all": Template("""func.func @f(%x: tensor<${X}xbf16>) -> tensor<f32> {
        %0 = ptir.cast %x : tensor<${X}xbf16> -> tensor<${X}xf32>
        %1 = ptir.reduce sum %0 axes [0, 1] accum f32 : tensor<${X}xf32> -> tensor<f32>
        func.return %1 : tensor<f32> }""").substitute(X="512x256"),
}
COLUMNS = {"kernels": "kernels", "instructions": "instructions an element", "sectors": "sectors", "least": "least"}


def measure(name: str, text: str, arch: str) -> dict[str, Any]:
    """Returns the row of one program."""
    device, rng = Emulator(), np.random.default_rng(0)
    compiled = ptir.compile(text, arch=arch, device=device)
    types = [cast(TensorType[Any], t) for _, t in compiled.signature.arguments]
    arrays: list[Any] = [rng.standard_normal(t.get_shape()).astype(numpy_dtype(t.element_type)) for t in types]
    results = compiled(*arrays)
    elements = max(sum(a.size for a in arrays), sum(np.asarray(r).size for r in results))
    return {
        "program": name,
        "kernels": len(compiled.program.binary.kernels),
        "instructions": round(sum(report.lanes for report in device.reports) / elements, 1),
        "sectors": sum(c.sectors for r in device.reports for o, c in r.by_opcode.items() if "global" in o),
        "least": -(-sum(a.nbytes for a in (*arrays, *results)) // 32),
    }


def markdown(report: dict[str, Any], before: Mapping[str, Any]) -> str:
    """Returns the report as a table; a cell is `before → now` where they differ."""
    lines = [
        "# The compiled kernels of maps and columns",
        "",
        f"By `benchmarks/map_quality.py` for {report['arch']} with NVRTC {report['nvrtc']}"
        + ("; what has changed is shown as before → now." if before else "."),
        "",
        "| " + " | ".join(["program", *COLUMNS.values()]) + " |",
        "| --- |" + " --- |" * len(COLUMNS),
    ]
    for row in report["kernels"]:
        old = before.get(row["program"], row)
        cells = [str(row[k]) if old[k] == row[k] else f"{old[k]} → {row[k]}" for k in COLUMNS]
        lines.append("| " + " | ".join([row["program"], *cells]) + " |")
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Instructions and sectors of kernels of maps and columns.")
    parser.add_argument("--out", type=Path, help="the JSON to write; a table goes beside it")
    parser.add_argument("--before", type=Path, help="an earlier JSON to compare with")
    parser.add_argument("--arch", default="sm80")
    options = parser.parse_args(argv)
    programs = {**PROGRAMS, "rotary embedding": ROTARY.read_text("utf-8")}
    report: dict[str, Any] = {
        "arch": options.arch,
        "nvrtc": nvrtc_version(),
        "kernels": [measure(name, text, options.arch) for name, text in programs.items()],
    }
    old: list[dict[str, Any]] = json.loads(options.before.read_text("utf-8"))["kernels"] if options.before else []
    table = markdown(report, {row["program"]: row for row in old})
    if options.out:
        options.out.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
        options.out.with_suffix(".md").write_text(table, encoding="utf-8")
    print(table, end="")


if __name__ == "__main__":
    main()
