"""The convolutions that `gpu.py` times and whose kernels `convolution_quality.py` reports: ten of ResNet-50 and ConvNeXt-T."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np
from workload import ROUNDING, ROWS, Array, Workload, spread, sum_error


@dataclass(frozen=True)
class Convolution(Workload):
    """A convolution of square images in bf16, with a bias and a ReLU: sizes, the window, stride and padding along both axes."""

    layer: str
    channels: int
    filters: int
    size: int
    window: int
    stride: int = 1
    pad: int = 0
    groups: int = 1
    images: int = 32

    @property
    def name(self) -> str:
        return f"{self.layer} {self.channels} to {self.filters}, {self.size}²"

    @property
    def out(self) -> int:
        return (self.size + 2 * self.pad - self.window) // self.stride + 1

    @property
    def result(self) -> tuple[int, ...]:
        """The result's shape."""
        return self.images, self.out, self.out, self.filters

    @property
    def depth(self) -> int:
        """The number of products in a sum."""
        return self.window**2 * (self.channels // self.groups)

    @property
    def operations(self) -> int:
        return 2 * prod(self.result) * self.depth

    @cached_property
    def shapes(self) -> dict[str, tuple[tuple[int, ...], str]]:
        x = self.images, self.size, self.size, self.channels
        w = self.window, self.window, self.channels // self.groups, self.filters
        return {"x": (x, "bf16"), "w": (w, "bf16"), "bias": ((self.filters,), "f32")}

    @property
    def text(self) -> str:
        x, w, b, y = ("x".join(map(str, s)) for s in (*(shape for shape, _ in self.shapes.values()), self.result))
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

    def sampled(self, result: Array, data: Sequence[Array]) -> tuple[Array, Array, Array]:
        """The errors are those of the sums, of adding the bias, and of rounding to bf16."""
        x, w, bias = data
        pixels = spread(prod(self.result[:3]), ROWS)
        n, p, q = np.unravel_index(pixels, self.result[:3])
        padded = np.pad(x, ((0, 0), (self.pad, self.pad), (self.pad, self.pad), (0, 0)))
        at = np.arange(self.window)
        rows, columns = (where[:, None] * self.stride + at for where in (p, q))
        windows = padded[n[:, None, None], rows[:, :, None], columns[:, None, :]].astype(np.float64)
        a = windows.reshape(len(pixels), -1, self.groups, self.channels // self.groups)
        a = a.transpose(2, 0, 1, 3).reshape(self.groups, len(pixels), self.depth)
        b = w.astype(np.float64).reshape(self.depth, self.groups, -1).transpose(1, 0, 2)
        sums, scale = (
            (f(a) @ f(b)).transpose(1, 0, 2).reshape(len(pixels), self.filters) for f in (np.asarray, np.abs)
        )
        want = np.maximum(sums + bias.astype(np.float64), 0)
        allowed = sum_error(self.depth) * (scale + np.abs(bias)) + 2 * ROUNDING["bf16"] * want
        return result.reshape(-1, self.filters)[pixels], want, allowed


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
