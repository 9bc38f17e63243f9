"""
Bilinear algorithms of convolutions: Winograd's and Fourier's, as three matrices, with a bound on their error.

```
y = A · ((G · w) ⊙ (B · x)):   m results of r taps from m + r - 1 elements, by t products instead of m · r

F(2, 3)     t = 4        B: 0, ±1      G: 1, ±1/2      A: 0, ±1
F(4, 3)     t = 6        points 0, ±5/8, ±3/2 and infinity
Fourier     t = 3n/2 - 1, n = m + r - 1: the real DFT, and three products for each complex one
```

With d axes, the matrices are applied along each. For every point, the products are summed over the channels: a product of matrices.

Errors are relative to max |x| · ‖w‖₂, ‖w‖₂ the norm of one filter of C channels. With several axes, factors of single axes are multiplied:
those below are of one, for the worst result p. Each is the largest error, in the norm of its independent roundings, that a
rounding to 1 of what is named makes; |B_i| is the vector of magnitudes of a row.

    operands of products        κ² = min(λ_max(Σ_i A_pi² ‖B_i‖₁² G_i G_iᵀ), n · λ_max(Σ_i A_pi² ‖G_i‖₂² B_i B_iᵀ))
    steps of the transforms     ρ² = λ_max(Σ_i A_pi² ‖B_i‖₁² |G_i| |G_i|ᵀ)
    steps of the inverse        σ  = min(√t · κ, Σ_i |A_pi| ‖B_i‖₁ ‖G_i‖₂)

The second form of κ is Parseval's: not all frequencies of an image are large. Matrices that are rounded make the same error in every channel:
if T selects the taps of a result, and T + E is what rounded matrices compute, it is at most √C · min(Σ_rows ‖E_r‖₁², n · ‖E‖₂²)^½. As in
`semantics/bounds`, 4 · √(sum of squares) is a probabilistic bound on independent roundings (Higham and Mary, 2019). On the points: Barabasz
et al., *Error analysis and improving the accuracy of Winograd convolution for deep neural networks*, 2020.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    def image(self) -> Matrix:
        """‖B_i‖₁, the largest transformed element at each point."""
        return np.abs(self.b).sum(1)

    @cached_property
    def operands(self) -> tuple[float, float]:
        """Both forms of κ, of which products of axes may be compared."""
        weights, norms = self.a**2, (self.g**2).sum(1)
        taps, elements = _greatest(weights * self.image**2, self.g), _greatest(weights * norms, self.b)
        return sqrt(taps), sqrt(self.b.shape[1] * elements)

    @cached_property
    def steps(self) -> float:
        """ρ."""
        return sqrt(_greatest((self.a * self.image) ** 2, np.abs(self.g)))

    @cached_property
    def inverse(self) -> float:
        """The second form of σ."""
        return float((np.abs(self.a) @ (self.image * np.sqrt((self.g**2).sum(1)))).max())

    def misplaced(self, unit: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """Returns both norms of E, of the worst result, for matrices rounded to `unit`, and those of T."""
        b, g, length = _rounded(self.b, unit), _rounded(self.g, unit), self.b.shape[1]
        rounded = [((g.T * row) @ b) - ((self.g.T * row) @ self.b) for row in self.a]
        rows = max(np.linalg.norm(np.abs(e).sum(1)) for e in rounded)
        spectrum = max(np.linalg.norm(e, 2) for e in rounded)
        return (float(rows), sqrt(length) * float(spectrum)), (sqrt(self.taps), sqrt(length))


def _greatest(weights: Matrix, rows: Matrix) -> float:
    """Returns the largest eigenvalue of Σ_i w_i · r_i r_iᵀ, for the worst vector of weights w."""
    return max(float(np.linalg.eigvalsh((rows.T * w) @ rows)[-1]) for w in weights)


def _rounded(matrix: Matrix, unit: float) -> Matrix:
    fraction, exponent = np.frexp(matrix)
    return np.ldexp(np.round(fraction / unit) * unit, exponent)


def error(of: Sequence[Bilinear], channels: int, unit: float, accumulator: float) -> float:
    """
    Returns the bound on the error of a result, relative to max |x| · ‖w‖₂, if operands of the products are rounded to `unit`, and sums
    to `accumulator`. `of` has an algorithm for each axis.
    """
    sparse = all(one.sparse for one in of)
    products = _least(one.operands for one in of)
    # matrices are not rounded if they are written as sums; otherwise transformed arrays are rounded after each axis, too
    before = 0.0 if sparse else sum(_least(one.operands for one in of[:done]) ** 2 for done in range(1, len(of)))
    once = 4 * sqrt(2 * (products**2 + before)) * unit
    moved = 0.0 if sparse else sqrt(channels) * _misplaced(of, unit)
    transforms = sum(one.b.shape[1] + one.taps for one in of) * prod(max(one.steps, 1.0) for one in of) ** 2
    most = prod(sqrt(np.count_nonzero(one.a, axis=1).max()) for one in of) * products
    after = channels * sum(one.points for one in of) * min(most, prod(one.inverse for one in of)) ** 2
    return once + moved + 4 * sqrt(transforms + (channels * products) ** 2 + after) * accumulator


def _least(forms: Iterable[tuple[float, float]]) -> float:
    """Returns the least product of equal forms of a factor of each axis."""
    return min(prod(form) for form in zip(*forms, strict=True))


def _misplaced(of: Sequence[Bilinear], unit: float) -> float:
    """Returns the norm of (T + E) ⊗ (T + E) ⊗ … - T ⊗ T ⊗ …, at most ∏(‖T‖ + ‖E‖) - ∏‖T‖."""
    axes = [one.misplaced(unit) for one in of]
    return min(prod(e[form] + t[form] for e, t in axes) - prod(t[form] for _, t in axes) for form in range(2))


def direct_error(products: int, accumulator: float) -> float:
    """Returns the bound of a program that sums K `products` in the same measure: 4 · √K · u · Σ|x||w|, where Σ|w| ≤ √K · ‖w‖₂."""
    return 4 * products * accumulator


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
