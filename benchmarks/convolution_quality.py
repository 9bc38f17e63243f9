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
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
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


@dataclass(frozen=True)
class Convolution:
    """A convolution of square images: sizes, the window, stride and padding along both axes."""

    name: str
    channels: int
    filters: int
    size: int
    window: int
    stride: int = 1
    pad: int = 0
    groups: int = 1
    images: int = 32

    @property
    def out(self) -> int:
        return (self.size + 2 * self.pad - self.window) // self.stride + 1

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of x, w, the bias and the result."""
        x = self.images, self.size, self.size, self.channels
        w = self.window, self.window, self.channels // self.groups, self.filters
        return x, w, (self.filters,), (self.images, self.out, self.out, self.filters)

    @property
    def text(self) -> str:
        x, w, b, y = ("x".join(map(str, s)) for s in self.shapes)
        how = f"strides [{self.stride}, {self.stride}] padding [({self.pad}, {self.pad}), ({self.pad}, {self.pad})]"
        return f"""builtin.module attributes {{ptir.extensions}} {{
func.func @f(%x: tensor<{x}xbf16>, %w: tensor<{w}xbf16>, %b: tensor<{b}xf32>) -> tensor<{y}xbf16> {{
  %0 = ptir.convolution %x, %w {how} groups {self.groups} accum f32 out f32 : (tensor<{x}xbf16>, tensor<{w}xbf16>) -> tensor<{y}xf32>
  %1 = ptir.broadcast_to %b : tensor<{b}xf32> -> tensor<{y}xf32>
  %2 = ptir.add %0, %1 : tensor<{y}xf32>
  %3 = ptir.constant dense<0.0> : tensor<{y}xf32>
  %4 = ptir.maximum %2, %3 : tensor<{y}xf32>
  %5 = ptir.cast %4 : tensor<{y}xf32> -> tensor<{y}xbf16>
  func.return %5 : tensor<{y}xbf16>
}} }}"""

    @property
    def small(self) -> Convolution:
        """The convolution with one image, at most 14x14 outputs, and at most 64 channels and filters."""
        size = min(self.size, 14 * self.stride)
        if self.groups > 1:
            return replace(self, images=1, size=size)
        return replace(self, images=1, size=size, channels=min(64, self.channels), filters=min(64, self.filters))


CONVOLUTIONS = (
    Convolution("ResNet-50 stem", 3, 64, 224, 7, 2, 3),
    Convolution("ResNet-50 1x1", 64, 256, 56, 1),
    Convolution("ResNet-50 3x3", 64, 64, 56, 3, 1, 1),
    Convolution("ResNet-50 shortcut", 256, 512, 56, 1, 2),
    Convolution("ResNet-50 3x3 by 2", 128, 128, 56, 3, 2, 1),
    Convolution("ResNet-50 3x3", 256, 256, 14, 3, 1, 1),
    Convolution("ResNet-50 3x3", 512, 512, 7, 3, 1, 1),
    Convolution("ConvNeXt-T stem", 3, 96, 224, 4, 4),
    Convolution("ConvNeXt-T downsampling", 96, 192, 56, 2, 2),
    Convolution("ConvNeXt-T depthwise", 96, 96, 56, 7, 1, 3, 96),
)
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
    small = regions(conv.small.text)
    less = compile_module(pin(small, small_plan(small, plan, arch)), arch=arch, allow_spills=True)
    device, rng = Emulator(), np.random.default_rng(0)
    x, w, b, y = conv.small.shapes
    arrays = [rng.integers(-2, 3, s).astype(ml_dtypes.bfloat16) for s in (x, w)]
    execute(less, [*arrays, np.zeros(b, np.float32)], device=device)
    tma = sum(report.bytes["async_read"] + report.bytes["async_store"] for report in device.reports)
    return {
        "convolution": f"{conv.name} {conv.channels} to {conv.filters}, {conv.size}²",
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
