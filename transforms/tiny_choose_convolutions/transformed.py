"""Writes a convolution by a bilinear algorithm: transforms of image and filter, a product at each point, and the inverse transform."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod

import numpy as np
from xdsl.dialects.builtin import Float64Type, TensorType, UnitAttr, f32
from xdsl.ir import Attribute, Operation, SSAValue

from ...analysis.regions.bilinear import Bilinear, Matrix
from ...dialects import tiny
from ...dialects.common.shapes import element
from ...dialects.plan.choice import COMPUTES
from ...semantics.arrays.scalars import numpy_dtype
from ...text.literals import dense
from ..ptir_to_tiny.movement import concatenated
from ..ptir_to_tiny.writer import Writer, static_sizes
from .sliding import Sliding


def transformed(write: Writer, s: Sliding, of: Sequence[Bilinear], *, fused: bool = False) -> SSAValue:
    """
    Writes the sums of `s`, with an algorithm for each window:

        V = B·x     [points, images, tiles, channels]       rounded to the type of x, or to bf16 from 8 bits
        U = G·w     [points, channels, filters]             rounded like V
        M = U·V     [points, images, tiles, filters]        in the accumulator's type
        y = A·M

    If `fused`, the kernel of M computes V.
    """
    results, accum = [one.tile for one in of], s.product.op.accum
    wide = accum if isinstance(accum, Float64Type) else f32
    precision = "tf32" if s.product.rounded else None
    factors: list[SSAValue] = []
    sides = [(write.cast(x, s.dtype), order) for x, order in (s.image_tiles(write, results), s.filter_taps(write))]
    dtype = write.product_type(sides[0][0], sides[1][0], accum, precision)
    axes = [*s.kept, *s.channels]
    count = s.tiles(results)
    for (x, order), matrices in zip(sides, ([one.b for one in of], [one.g for one in of]), strict=True):
        points = along(write, x, matrices, wide, element(x), sparse=of[0].sparse)
        placed = write.permute(points, [0, *(1 + order.index(a) for a in axes if a in order)])
        of_axes = [count.get(a, s.sizes[a]) if a in order else 1 for a in axes]
        placed = write.reshape(placed, [static_sizes(points)[0], *of_axes])
        factors.append(write.factor(placed if precision is None else write.unary(precision, placed), dtype))
    first = 1 + len(s.kept)
    m = write.reduce("sum", write.binary("mul", *factors), range(first, first + len(s.channels)), accum)
    if fused and isinstance(m.owner, Operation):
        m.owner.attributes[COMPUTES] = UnitAttr()
    sizes = static_sizes(m)[1:]
    m = write.reshape(m, [*(one.points for one in of), *sizes])
    y = along(write, m, [one.a for one in of], wide, accum, sparse=of[0].sparse)
    return assembled(write, s, y, results)


def assembled(write: Writer, s: Sliding, y: SSAValue, results: Sequence[int]) -> SSAValue:
    """
    Writes the output from its tiles, `[results of a tile, phases…, axes…]`: tiles side by side, of which each result is next to those of the
    other phases, cut to the size of the output.
    """
    sizes, apart = static_sizes(y)[1:], len(results)
    y = write.reshape(y, [*results, *sizes])
    perm, whole = list[int](), list[int]()
    dilated = [w.out for w in s.windows if w.dilation > 1]
    inside = {w.out: k for k, w in enumerate(s.windows)}
    for a in range(s.product.rank):
        parts = [apart + len(dilated) + a]
        if a in inside:
            parts.append(inside[a])
        if a in dilated:
            parts.append(apart + dilated.index(a))
        perm += parts
        whole.append(prod(static_sizes(y)[part] for part in parts))
    y = write.reshape(write.permute(y, perm), whole)
    return write.shrink(y, [0] * len(whole), [s.sizes[a] for a in range(s.product.rank)])


def along(
    write: Writer, x: SSAValue, matrices: Sequence[Matrix], wide: Attribute, to: Attribute, *, sparse: bool
) -> SSAValue:
    """
    Writes the product of `x` with a matrix along each of its first axes, computed in the type `wide`, and returns it as `[points, …]` in
    the type `to`. Sparse matrices become sums of a few elements, computed for all points by one thread; others are contractions.
    """
    if sparse:
        parts = [write.cast(x, wide)]
        for matrix in matrices:
            parts = [row for part in parts for row in _sums(write, part, matrix)]
        apart = [write.reshape(part, [1, *static_sizes(part)]) for part in parts]
        return write.cast(concatenated(write, apart, 0), to)
    rest = static_sizes(x)[len(matrices) :]
    for axis, matrix in enumerate(matrices):
        x = write.cast(_contracted(write, x, axis, matrix, wide), to)
    return write.reshape(x, [prod(len(m) for m in matrices), *rest])


def _sums(write: Writer, x: SSAValue, matrix: Matrix) -> list[SSAValue]:
    """
    Writes the products of the rows of a matrix with `x` along its first axis. Points p and -p share what they add: rows of equal magnitudes
    are the sum and the difference of two sums, and columns of equal magnitudes multiply the sum and the difference of two elements.
    """
    first, *rest = static_sizes(x)
    elements = [write.reshape(write.shrink(x, [a, *(0 for _ in rest)], [1, *rest]), rest) for a in range(first)]
    for j, k in _twins(matrix.T):
        elements += [write.binary(fn, elements[j], elements[k]) for fn in ("add", "sub")]
        both = [(matrix[:, j] + sign * matrix[:, k]) / 2 for sign in (1, -1)]
        matrix = np.column_stack([matrix, *both])
        matrix[:, [j, k]] = 0
    scaled: dict[tuple[int, float], SSAValue] = {}

    def term(at: int, factor: float) -> SSAValue:
        if (at, factor) not in scaled:
            number = write.literal(factor, element(x))
            scaled[at, factor] = elements[at] if factor == 1 else write.binary("mul", elements[at], number)
        return scaled[at, factor]

    def total(row: Matrix) -> SSAValue:
        """Writes a sum that begins with a positive term if there is one."""
        at, *others = sorted(map(int, np.flatnonzero(row)), key=lambda a: row[a] < 0)
        out = term(at, abs(float(row[at])))
        out = out if row[at] > 0 else write.unary("neg", out)
        for a in others:
            out = write.binary("add" if row[a] > 0 else "sub", out, term(a, abs(float(row[a]))))
        return out

    found: dict[int, SSAValue] = {}
    for j, k in _twins(matrix):
        even, odd = total((matrix[j] + matrix[k]) / 2), total((matrix[j] - matrix[k]) / 2)
        found |= {j: write.binary("add", even, odd), k: write.binary("sub", even, odd)}
    return [found[k] if k in found else total(row) for k, row in enumerate(matrix)]


def _twins(rows: Matrix) -> list[tuple[int, int]]:
    """Returns pairs of rows that have equal magnitudes, but neither equal nor opposite signs; each row is in one pair at most."""
    pairs: list[tuple[int, int]] = []
    for j, k in combinations(range(len(rows)), 2):
        alike = np.array_equal(abs(rows[j]), abs(rows[k])) and (rows[j] + rows[k]).any() and (rows[j] - rows[k]).any()
        if alike and not {j, k} & {a for pair in pairs for a in pair}:
            pairs.append((j, k))
    return pairs


def _contracted(write: Writer, x: SSAValue, axis: int, matrix: Matrix, wide: Attribute) -> SSAValue:
    """Writes the product of a constant matrix, in the type of `x`, with `x` along an axis, which becomes that of its rows."""
    sizes, dtype = static_sizes(x), element(x)
    rows, columns = matrix.shape
    values = matrix.astype(numpy_dtype(dtype)).tobytes()
    constant = write.add(tiny.ConstOp(dense(TensorType(dtype, [rows, columns]), values)))
    before, after = sizes[:axis], sizes[axis + 1 :]
    left = write.reshape(constant, [*(1 for _ in before), rows, columns, *(1 for _ in after)])
    right = write.reshape(x, [*before, 1, columns, *after])
    kind = write.product_type(left, right, wide)
    return write.reduce(
        "sum", write.binary("mul", write.factor(left, kind), write.factor(right, kind)), [axis + 1], wide
    )
