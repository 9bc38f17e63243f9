"""Convolutions of stride 1 as bilinear algorithms need them: with arrays of the elements and of the taps along each window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type
from xdsl.ir import Operation, SSAValue

from ...analysis.index import affine
from ...analysis.index.book import IndexBook
from ...analysis.index.info import Access
from ...analysis.index.linearize import row_major_strides
from ...analysis.regions.contraction import Product, find_pattern
from ...analysis.regions.contraction_pattern import Offset
from ...analysis.regions.im2col import reads_where_inside
from ...dialects.common.shapes import element, shape
from ...dialects.ptir.dims import known_sizes
from ..op_writer import Declined
from ..ptir_to_tiny.writer import Writer, static_sizes, zero

HELP = "ask for implicit_gemm or for no algorithm"


@dataclass(frozen=True)
class Sliding:
    """
    A sum of products in which `windows` slide over `image` in steps of 1. `kept` are the iteration axes of the output, `channels`
    the summed ones that belong to no window.
    """

    product: Product
    image: Access
    filter: Access
    windows: tuple[Offset, ...]
    sizes: tuple[int, ...]

    @property
    def kept(self) -> range:
        return range(self.product.rank)

    @property
    def channels(self) -> list[int]:
        taps = {w.window for w in self.windows}
        return [a for a in range(self.product.rank, len(self.sizes)) if a not in taps]

    @property
    def taps(self) -> list[int]:
        """The number of taps of each window."""
        return [self.sizes[w.window] for w in self.windows]

    @property
    def depth(self) -> int:
        """The number of channels that are summed."""
        return prod(self.sizes[a] for a in self.channels)

    def tiles(self, results: Sequence[int]) -> dict[int, int]:
        """Returns the number of tiles, of so many `results` along each window, by the output's axis."""
        return {w.out: -(-self.sizes[w.out] // m) for w, m in zip(self.windows, results, strict=True)}

    def image_tiles(self, write: Writer, results: Sequence[int]) -> tuple[SSAValue, list[int]]:
        """
        Writes the elements of the tiles, `[elements along each window…, axes…]`, and returns them with the iteration axes, in the order
        of the image in memory. Tiles reach into the padding, and beyond the image if they do not divide the output.
        """
        x, count = self.image.value, self.tiles(results)
        spans = {
            w.axis: count[w.out] * m + self.sizes[w.window] - 1 for w, m in zip(self.windows, results, strict=True)
        }
        low, high, starts = list[int](), list[int](), list[int]()
        for a, size in enumerate(static_sizes(x)):
            found, first = terms_of(self.image, a)
            span = spans.get(a, 1 + sum(c * (self.sizes[i] - 1) for i, c in found.items()))
            low.append(max(0, -first))
            high.append(max(0, first + span - size))
            starts.append(first + low[-1])
        padded = write.pad(x, low, high, zero(element(x)))
        elements = [(taps + m - 1, w.axis) for taps, m, w in zip(self.taps, results, self.windows, strict=True)]
        steps = dict(zip((w.out for w in self.windows), results, strict=True))
        return self._view(write, padded, self.image, elements, starts, {a: (count[a], m) for a, m in steps.items()})

    def filter_taps(self, write: Writer) -> tuple[SSAValue, list[int]]:
        """Writes the filter as `[taps of each window…, axes…]`, and returns it with the iteration axes, in the order of memory."""
        w, axes = self.filter.value, {window.window for window in self.windows}
        where = {i: a for a in range(len(shape(w))) for i in terms_of(self.filter, a)[0] if i in axes}
        taps = [(self.sizes[window.window], where[window.window]) for window in self.windows]
        return self._view(write, w, self.filter, taps, [0] * len(shape(w)), {})

    def _view(
        self,
        write: Writer,
        x: SSAValue,
        access: Access,
        inside: Sequence[tuple[int, int]],
        starts: Sequence[int],
        tiled: dict[int, tuple[int, int]],
    ) -> tuple[SSAValue, list[int]]:
        """
        Writes a view of `x`: axes along windows, each (size, axis of x), then the iteration axes. `tiled` maps such an axis to the number
        and the length of its tiles.
        """
        strides = row_major_strides(static_sizes(x))
        step = dict.fromkeys((*self.kept, *self.channels), 0)
        for a, stride in enumerate(strides):
            for i, c in terms_of(access, a)[0].items():
                if i in step:
                    step[i] += c * stride * tiled.get(i, (0, 1))[1]
        axes = sorted((i for i, s in step.items() if s and self.sizes[i] > 1), key=lambda i: -step[i])
        rest = [(tiled[i][0] if i in tiled else self.sizes[i], step[i]) for i in axes]
        return write.view(x, [*((size, strides[a]) for size, a in inside), *rest], dot(starts, strides)), axes


def dot(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(left, right, strict=True))


def terms_of(access: Access, axis: int) -> tuple[dict[int, int], int]:
    """Returns the coefficients of the iteration axes in an index, and its constant. Raises `Declined` for other indices."""
    found = affine.terms(access.map.get_at(axis))
    if found is None or any(c < 0 for c in found[0].values()):
        raise Declined("an index divides, or counts downwards", HELP)
    return found


def sliding(op: Operation, book: IndexBook) -> Sliding:
    """Returns the convolution that ends in the sum `op`. Raises `Declined` with the reason if it is none of stride 1."""
    found = find_pattern(op, book)
    if found is None or found[1].pattern != "conv":
        raise Declined("it is no convolution", HELP)
    product, pattern = found
    sizes = known_sizes(product.sizes)
    if sizes is None:
        raise Declined("its sizes are not numbers", HELP)
    left, right = pattern.offsets
    image, filter, windows = (product.lhs, product.rhs, left) if left else (product.rhs, product.lhs, right)
    dtype = element(image.value)

    def require(holds: bool, why: str) -> None:
        if not holds:
            raise Declined(why, HELP)

    require(not (left and right), "windows slide over both operands")
    require(pattern.digits is None and all(w.unit == 1 for w in windows), "its axes are merged")
    require(all(w.stride == 1 for w in windows), f"its stride is {max(w.stride for w in windows)}, not 1")
    require(all(w.dilation == 1 for w in windows), f"its dilation is {max(w.dilation for w in windows)}, not 1")
    require(all(w.base_dilation == 1 for w in windows), "it is transposed: there are zeros between elements")
    require(len({w.axis for w in windows}) == len(windows), "two windows slide along one axis")
    require(
        isinstance(dtype, BFloat16Type | Float16Type | Float32Type | Float64Type) and element(filter.value) == dtype,
        f"transforms of {dtype} and {element(filter.value)} would be inexact or out of range",
    )
    require(0 not in sizes, "it is empty")
    of_image = shape(image.value)
    inside = reads_where_inside(image.map, of_image, image.guard, sizes)
    require(inside and filter.guard is None, "it reads only a part of its operands")
    found = Sliding(product, image, filter, tuple(windows), sizes)
    require(found.depth > 1, "it sums over no channels: it is depthwise")
    filters = [a for a in (pattern.n if left else pattern.m) if sizes[a] > 1]
    require(bool(filters), "it has one filter: there are no products of matrices")
    for access in (image, filter):
        for axis in range(len(shape(access.value))):
            terms_of(access, axis)
    return found
