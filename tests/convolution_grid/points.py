"""
The points of the grid of convolutions: sizes, filters, strides, dilations, paddings, groups, layouts, types and epilogues.

Points are drawn by their number, each small enough for the emulator. A tenth of the points is depthwise, a tenth transposed.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from math import prod
from random import Random
from typing import Any

from ptir.dialects.plan.schedule import CONV

TYPES = ("bf16", "f16", "f32", "tf32", "i8", "f8E4M3FN")
LAYOUTS = ("NHWC", "NCHW")
EPILOGUES = ("none", "bias_relu", "residual")
TOLERANCES = {
    "bf16": {"winograd_3x3": 0.3, "fft_conv": 100.0},
    "f16": {"winograd_3x3": 0.05, "fft_conv": 10.0},
    "f32": {"winograd_3x3": 0.002, "fft_conv": 0.5},
    "tf32": {"winograd_3x3": 0.05, "fft_conv": 10.0},
    "f8E4M3FN": {"winograd_3x3": 0.3, "fft_conv": 100.0},
}
"""For each type that has transforms, their tolerances; except for f32, Winograd's is below the error of F(4, 3) along two axes."""


@dataclass(frozen=True)
class Point:
    """A convolution of `images` arrays. Lists have a number for each spatial dimension, the outermost first."""

    images: int
    size: list[int]
    channels: int
    filters: int
    window: list[int]
    strides: list[int]
    dilation: list[int]
    low: list[int]
    high: list[int]
    base: list[int]
    """A transposed convolution has `base - 1` zeros between elements."""
    groups: int
    dtype: str
    layout: str
    epilogue: str
    algorithm: str = "none"
    """The value of `algo_choice.conv` that the program asks for, or none."""
    fused: bool = False
    """Whether the program asks for a kernel that transforms the image, multiplies, and transforms back."""

    def asking(self, algorithm: str) -> Point | None:
        """Returns the point with what the algorithm needs, such as windows of 3 for Winograd. None if that is not enough."""
        ones = [1] * len(self.size)
        found = replace(self, algorithm=algorithm)
        if algorithm in ("winograd_3x3", "fft_conv"):
            found = replace(found, base=ones)
        if algorithm == "winograd_3x3":
            found = replace(found, window=[3] * len(self.size), strides=ones)
        if algorithm == "fft_conv":  # windows of one axis overlap, and have a stride or a dilation
            axes = zip(self.window, self.strides, self.dilation, strict=True)
            found = replace(found, strides=[s if d == 1 and w > s else 1 for w, s, d in axes])
        slides = found.fits and max(found.window) > 1 and min(found.out) > 1
        dense = found.groups == 1 and min(found.channels, found.filters) >= 8 and not found.dtype.startswith("f8")
        transforms = found.dtype in TOLERANCES and len(found.size) < 3
        needs = {
            "implicit_gemm": dense,
            "winograd_3x3": transforms,
            "fft_conv": transforms and min(found.window) > 1,
        }
        return found if slides and needs.get(algorithm, True) else None

    @property
    def fits(self) -> bool:
        """Whether the image is as large as the window, and the convolution small enough for the emulator."""
        spans = ((w - 1) * d + 1 for w, d in zip(self.window, self.dilation, strict=True))
        whole = all(p >= w for p, w in zip(self.padded, spans, strict=True))
        return whole and self.images * prod(self.out) * self.filters * prod(self.window) * self.channels <= 2_000_000

    @property
    def tolerance(self) -> float | None:
        """The tolerance that the program allows: with F(2, 3), sums of the grid's integers are exact."""
        return TOLERANCES[self.dtype].get(self.algorithm) if self.dtype in TOLERANCES else None

    @property
    def padded(self) -> list[int]:
        """The sizes of the image with its gaps and its padding."""
        gaps = [(s - 1) * b + 1 for s, b in zip(self.size, self.base, strict=True)]
        return [s + a + b for s, a, b in zip(gaps, self.low, self.high, strict=True)]

    @property
    def out(self) -> list[int]:
        """The spatial sizes of the result."""
        spans = [(w - 1) * d + 1 for w, d in zip(self.window, self.dilation, strict=True)]
        return [(s - w) // t + 1 for s, w, t in zip(self.padded, spans, self.strides, strict=True)]

    @property
    def name(self) -> str:
        parts = {k: "x".join(map(str, v)) if isinstance(v, list) else str(v) for k, v in asdict(self).items()}
        return " ".join(f"{k}={v}" for k, v in parts.items())

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def point(number: int, seed: int = 0) -> Point:
    """Returns a point by its number. A third of the points asks for an algorithm."""
    choice = Random(f"{seed}:{number}:algorithm")
    rng = Random(f"{seed}:{number}")
    while not (found := _draw(rng)).fits:
        pass
    asking = found.asking(choice.choice(CONV)) if choice.random() < 1 / 3 else None
    return asking or found


def _draw(rng: Random) -> Point:
    rank = rng.choice((1, 2, 2, 2, 3))
    kind = rng.choices(("plain", "grouped", "depthwise", "transposed"), (7, 1, 1, 1))[0]
    each = rng.choice((1, 3, 4, 8, 16, 24, 32, 32, 40, 64, 64, 96, 128))
    groups = {"grouped": rng.choice((2, 3)), "depthwise": rng.choice((8, 16, 24))}.get(kind, 1)
    channels = groups if kind == "depthwise" else groups * each
    filters = groups * rng.choice((1, 2) if kind == "depthwise" else (1, 5, 8, 16, 24, 32, 64, 72))
    longest = {1: 40, 2: 15, 3: 7}[rank]
    window = [rng.choice((1, 1, 2, 3, 3, 3, 5, 7)) for _ in range(rank)]
    pads = [[rng.choice((0, 0, 1, 1, 2, w // 2, w)) for w in window] for _ in range(2)]
    return Point(
        rng.choice((1, 2, 3)),
        [rng.randint(1, longest) for _ in range(rank)],
        channels,
        filters,
        window,
        [rng.choice((1, 1, 1, 2, 3)) for _ in range(rank)],
        [rng.choice((1, 1, 1, 2, 3)) for _ in range(rank)],
        *pads,
        [rng.choice((1, 2, 3)) if kind == "transposed" else 1 for _ in range(rank)],
        groups,
        rng.choice(TYPES),
        rng.choice((*LAYOUTS, "NHWC")),
        rng.choice(EPILOGUES),
    )
