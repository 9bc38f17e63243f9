"""
Bilinear algorithms of convolutions: Winograd's and Fourier's, as three matrices, with a bound on their error.

```
y = A · ((G · w) ⊙ (B · x)):   m results of r taps from m + r - 1 elements, by t products instead of m · r

F(2, 3)     t = 4        B: 0, ±1      G: 1, ±1/2      A: 0, ±1
F(4, 3)     t = 6        points 0, ±5/8, ±3/2 and infinity
Fourier     t = 3n/2 - 1, n = m + r - 1: the real DFT, and three products for each complex one
```

With d axes, the matrices are applied along each. For every point, the products are summed over the channels: a product of matrices.

If B·x and G·w are rounded to a unit roundoff u, the error of a result is at most

    4 · κ · √n · u · max |x| · ‖w‖₂,    κ² = λ_max(Σ_i (A_pi · Σ|B_i|)² · |G_i| |G_i|ᵀ) for the worst p, to the power d

for n roundings. Sums of C channels in the accumulator add √C · √(their terms) of its roundoffs to √n · u, and those of A the square
root of its nonzero elements. As in `semantics/bounds`, 4 · √n is a probabilistic bound (Higham and
Mary, 2019); ‖w‖₂ is the norm of one filter. On the points: Barabasz et al., *Error analysis and improving the accuracy of Winograd
convolution for deep neural networks*, 2020.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod, sqrt

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
POINTS = {2: (0.0, 1.0, -1.0), 4: (0.0, 0.625, -0.625, 1.5, -1.5)}
"""For each m of F(m, 3), the points at which polynomials are evaluated, besides infinity."""


@dataclass(frozen=True, eq=False)
class Bilinear:
    """The matrices of an algorithm: `a` is m × t, `b` t × (m + r - 1), `g` t × r. `sparse` ones are written as sums."""

    name: str
    a: Matrix
    b: Matrix
    g: Matrix
    sparse: bool

    @property
    def tile(self) -> int:
        """The number of results, m."""
        return len(self.a)

    @property
    def taps(self) -> int:
        return self.g.shape[1]

    @property
    def points(self) -> int:
        """The number of products, t."""
        return len(self.b)

    @cached_property
    def growth(self) -> float:
        """κ of one axis."""
        weights, g = np.abs(self.a) * np.abs(self.b).sum(1), np.abs(self.g)
        return sqrt(max(np.linalg.eigvalsh((g.T * row**2) @ g)[-1] for row in weights))


def error(of: Sequence[Bilinear], channels: int, unit: float, accumulator: float) -> float:
    """
    Returns the bound on the error of a result, relative to max |x| · ‖w‖₂, if operands of the products are rounded to `unit`, and sums
    to `accumulator`. `of` has an algorithm for each axis.
    """
    roundings = (
        2 if all(one.sparse for one in of) else 4 * len(of)
    )  # of V and U; of the matrices and after each axis, too
    before = channels + sum(one.b.shape[1] + one.taps for one in of)
    after = sum(one.points for one in of) * prod(np.count_nonzero(one.a, axis=1).max() for one in of)
    sums = sqrt(channels) * (sqrt(before) + sqrt(after))
    return 4 * prod(one.growth for one in of) * (sqrt(roundings) * unit + sums * accumulator)


def direct_error(of: Sequence[Bilinear], channels: int, accumulator: float) -> float:
    """Returns the bound of the program itself in the same measure: 4 · √K · u · Σ|x||w|, where Σ|w| ≤ √K · ‖w‖₂."""
    return 4 * channels * prod(one.taps for one in of) * accumulator


def winograd(tile: int) -> Bilinear:
    """
    Returns F(tile, 3), by Toom and Cook. Rows of B of F(4, 3) are scaled by powers of two, so that transformed images stay in the range
    of the image; the columns of G are scaled back.
    """
    points, taps = POINTS[tile], 3
    rest = [[p - q for q in points if q != p] for p in points]
    a = np.array([[p**i for p in points] + [float(i == tile - 1)] for i in range(tile)])
    scale = np.array([prod(r) for r in rest])
    g = np.array([[p**k for k in range(taps)] for p in points]) / scale[:, None]
    g = np.vstack([g, [0.0] * (taps - 1) + [1.0]])
    rows = [np.append(np.poly([q for q in points if q != p])[::-1], 0.0) for p in points]
    b = np.array([*rows, np.poly(points)[::-1]])
    sizes = np.abs(b).sum(1)
    by = np.exp2(np.floor(np.log2(sizes))) if tile > 2 else np.sign(b[np.arange(len(b)), np.abs(b).argmax(1)])
    return Bilinear(f"F({tile}, {taps})", a, b / by[:, None], g * by[:, None], sparse=True)


def fourier(size: int, taps: int) -> Bilinear:
    """Returns the algorithm of a circular correlation of even `size`, of which results that wrap around are left out."""
    n, tile = np.arange(size), size - taps + 1
    a, b, g = list[Matrix](), list[Matrix](), list[Matrix]()
    for f in range(size // 2 + 1):
        cos, sin = np.cos(2 * np.pi * f / size * n), np.sin(2 * np.pi * f / size * n)
        if f in (0, size // 2):
            b, g, a = [*b, cos], [*g, cos[:taps]], [*a, cos[:tile] / size]
            continue
        # (xr + i·xi)·(wr - i·wi) = (p - r) + i·(p - q), p = wr·(xr + xi), q = xr·(wr + wi), r = xi·(wr - wi)
        xr, xi, wr, wi = cos, -sin, cos[:taps], -sin[:taps]
        re, im = 2 * cos[:tile] / size, -2 * sin[:tile] / size
        b += [xr + xi, xr, xi]
        g += [wr, wr + wi, wr - wi]
        a += [re + im, -im, -re]
    return Bilinear(f"a DFT of {size}", np.array(a).T, np.array(b), np.array(g), sparse=False)
