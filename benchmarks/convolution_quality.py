"""
Reports the compiled kernels of ten convolutions of ResNet-50 and ConvNeXt-T: what ptxas and the disassembler say, and what the emulator
counts. It needs no GPU.

    python benchmarks/convolution_quality.py --out benchmarks/results/DATE-convolution-quality.json

writes JSON and, beside it, a table in Markdown. Each convolution has 32 images in bf16, f32 accumulators, a bias, a ReLU and a result in
bf16, and the planner's plan. Instructions are those of the main loop, for each HMMA or HGMMA in it. Bank conflicts and sectors are
counted with the same plan on one image of at most 14x14 outputs and at most 64 channels and filters; the least sectors are those of
operands and results. Two rows compare the main loops of a convolution and of the product of the same sizes, with one pinned plan.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from convolutions import CONVOLUTIONS, Convolution
from plans import pin, regions, request
from report import publish, table
from xdsl.dialects import gpu

import ptir
from ptir.backends.cuda import sass
from ptir.backends.cuda.nvrtc import nvrtc_version
from ptir.backends.cuda.resources import plan_of
from ptir.dialects.plan.schedule import Schedule
from ptir.planning.multistage import Multistage
from ptir.planning.multistage.resources import Shape
from ptir.planning.template import ContractionTemplate
from ptir.planning.templates import template_of
from ptir.runtime.compile import compile_module
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from ptir.targets.architectures import ARCHS

PRODUCT = """func.func @f(%x: tensor<6272x1152xbf16>, %w: tensor<1152x512xbf16>) -> tensor<6272x512xbf16> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<6272x1152xbf16>, tensor<1152x512xbf16>) -> tensor<6272x512xf32>
  %1 = ptir.cast %0 : tensor<6272x512xf32> -> tensor<6272x512xbf16>
  func.return %1 : tensor<6272x512xbf16>
}"""
COLUMNS = {
    "way": "loads",
    "tile": "tile",
    "registers": "registers",
    "spill_bytes": "spilled",
    "shared_bytes": "shared bytes",
    "instructions": "instructions a loop",
    "multiplies": "HMMA, HGMMA a loop",
    "each": "instructions each",
    "conflicts": "bank conflicts",
    "sectors": "sectors",
    "least": "least",
}


def way(cuda: str) -> str:
    """Returns how the kernel loads windows."""
    if "tma_load_im2col" in cuda:
        return "im2col"
    return "offsets once a tile" if "int offsets_" in cuda else "addresses at each load"


def small_plan(module: Any, plan: Schedule, arch: str) -> Schedule:
    """Returns the plan for another problem of the same kind."""
    asked = request(module, arch)
    template = template_of(plan)(asked)
    if isinstance(template, ContractionTemplate):
        return template.plan(replace(template.resources.shape_of(plan), split=1))
    return template.ranked()[0]


def measure(conv: Convolution, arch: str) -> dict[str, Any]:
    """Returns the row of one convolution."""
    program = ptir.compile(conv.text, arch=arch).program
    ((name, used),) = program.binary.kernels.items()
    (launch,) = (o for o in program.module.walk() if o.name == "nv.launch")
    (plan,) = (p for o in program.module.walk() if isinstance(o, gpu.FuncOp) and (p := plan_of(o)) is not None)
    loop = sass.by_name(sass.main_loop(sass.instructions(program.binary.cubin)[name]))
    multiplies = loop["HMMA"] + loop["HGMMA"]
    small = regions(conv.small.text, arch)
    less = compile_module(pin(small, small_plan(small, plan, arch)), arch=arch, allow_spills=True)
    device, rng = Emulator(), np.random.default_rng(0)
    x, w, b, y = (*(shape for shape, _ in conv.small.shapes.values()), conv.small.result)
    arrays = [rng.integers(-2, 3, s).astype(ml_dtypes.bfloat16) for s in (x, w)]
    execute(less, [*arrays, np.zeros(b, np.float32)], device=device)
    tma = sum(report.bytes["async_read"] + report.bytes["async_store"] for report in device.reports)
    return {
        "convolution": conv.name,
        "arch": arch,
        "way": way(str(program.cuda)),
        "tile": "x".join(map(str, plan.tile)),
        "registers": used.registers,
        "spill_bytes": used.spill_stores + used.spill_loads,
        "shared_bytes": launch.properties["shared"].value.data + used.static_shared,  # pyright: ignore[reportAttributeAccessIssue]
        "instructions": sum(loop.values()),
        "multiplies": multiplies,
        "each": round(sum(loop.values()) / multiplies, 2) if multiplies else None,
        "conflicts": sum(report.conflicts for report in device.reports),
        "sectors": sum(report.sectors for report in device.reports) + tma // 32,
        "least": -(-(2 * prod(x) + 2 * prod(w) + 4 * prod(b) + 2 * prod(y)) // 32),
    }


def pinned(name: str, text: str) -> dict[str, Any]:
    """Returns the row of a program on sm80 with a tile of 128x128x32, warp tiles of 64x32, and four stages."""
    module = regions(text)
    plan = Multistage(request(module, "sm80")).plan(Shape((128, 128, 32), (64, 32), 4))
    program = compile_module(pin(module, plan), arch="sm80", allow_spills=True)
    ((kernel, used),) = program.binary.kernels.items()
    loop = sass.by_name(sass.main_loop(sass.instructions(program.binary.cubin)[kernel]))
    return {
        "convolution": name,
        "arch": "sm80",
        "way": way(str(program.cuda)),
        "tile": "128x128x32",
        "registers": used.registers,
        "spill_bytes": used.spill_stores + used.spill_loads,
        "shared_bytes": 65536,
        "instructions": sum(loop.values()),
        "multiplies": loop["HMMA"],
        "each": round(sum(loop.values()) / loop["HMMA"], 2),
        **dict.fromkeys(("conflicts", "sectors", "least"), ""),
    }


def markdown(report: dict[str, Any]) -> str:
    """Returns the report as a Markdown table."""
    lines = [
        "# The compiled kernels of convolutions",
        "",
        f"By `benchmarks/convolution_quality.py` with NVRTC {report['nvrtc']}; 32 images in bf16, with a bias and a ReLU.",
        "",
    ]
    rows = ([row["convolution"], row["arch"], *(row[key] for key in COLUMNS)] for row in report["kernels"])
    return "\n".join([*lines, *table(["convolution", "arch", *COLUMNS.values()], rows)]) + "\n"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Static quality of the kernels of convolutions.")
    parser.add_argument("--out", type=Path, help="the JSON to write; a table goes beside it")
    options = parser.parse_args(argv)
    report = {
        "machine": f"{platform.machine()}, Python {platform.python_version()}, no GPU",
        "targets": {arch: ARCHS[arch].target for arch in ("sm80", "sm90")},
        "nvrtc": nvrtc_version(),
        "kernels": [
            *(measure(conv, arch) for conv in CONVOLUTIONS for arch in ("sm80", "sm90")),
            pinned("pinned: 3x3 128 to 512, 14²", Convolution("", 128, 512, 14, 3, 1, 1).text),
            pinned("pinned: product 6272x512x1152", PRODUCT),
        ],
    }
    publish(report, markdown(report), options.out)


if __name__ == "__main__":
    main()
