"""Convolutions as bilinear algorithms need them: with arrays of the elements and of the taps along each window, in steps of 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, bf16
from xdsl.ir import Attribute, Operation, SSAValue

from ...analysis.index import affine
from ...analysis.index.book import IndexBook
from ...analysis.index.info import Access
from ...analysis.index.linearize import row_major_strides
from ...analysis.regions.contraction import Product, find_pattern
from ...analysis.regions.contraction_pattern import Offset
from ...analysis.regions.im2col import reads_where_inside
from ...dialects.common.shapes import FLOAT8, element, shape
from ...dialects.ptir.dims import known_sizes
from ..op_writer import Declined
from ..ptir_to_tiny.writer import Writer, static_sizes, zero

HELP = "ask for implicit_gemm or for no algorithm"


@dataclass(frozen=True)
class Sliding:
    """
    A sum of products in which `windows` slide over `image`. `sizes` are those of the iteration axes, then those of an axis for each window:
    the phases of its stride or of its dilation, which are sums of step 1 with every so many elements of the image.

        y[o] = Σ_t x[2·o + t] · w[t]  =  Σ_p Σ_t x_p[o + t] · w_p[t]        x_p[i] = x[2·i + p], w_p[t] = w[2·t + p]
        y[o] = Σ_t x[o + 2·t] · w[t],    y_p[o] = Σ_t x_p[o + t] · w[t]     y_p[o] = y[2·o + p]
    """

    product: Product
    image: Access
    filter: Access
    windows: tuple[Offset, ...]
    sizes: tuple[int, ...]

    def phases(self, of: str) -> list[int]:
        """Returns the axes of the phases of each "stride" or "dilation" above 1."""
        first = len(self.sizes) - len(self.windows)
        return [first + k for k, w in enumerate(self.windows) if getattr(w, of) > 1]

    @property
    def kept(self) -> list[int]:
        """The phases of dilations, then the axes of the output."""
        return [*self.phases("dilation"), *range(self.product.rank)]

    @property
    def channels(self) -> list[int]:
        """The phases of strides, then the summed axes that belong to no window."""
        taps = {w.window for w in self.windows}
        summed = range(self.product.rank, len(self.sizes) - len(self.windows))
        return [*self.phases("stride"), *(a for a in summed if a not in taps)]

    @property
    def taps(self) -> list[int]:
        """The number of taps of each window, of a phase of its stride."""
        return [-(-self.sizes[w.window] // w.stride) for w in self.windows]

    @property
    def depth(self) -> int:
        """The number of channels that are summed."""
        return prod(self.sizes[a] for a in self.channels)

    @property
    def filters(self) -> int:
        """The number of filters, in a group."""
        reads = [
            {i for a in range(len(shape(of.value))) for i in terms_of(of, a)[0]} for of in (self.image, self.filter)
        ]
        return prod(self.sizes[i] for i in self.kept if i in reads[1] - reads[0])

    @property
    def summed(self) -> int:
        """The number of products that the program sums for a result."""
        return prod(self.sizes[self.product.rank : len(self.sizes) - len(self.windows)])

    @property
    def dtype(self) -> Attribute:
        """The type of transformed operands."""
        dtype = element(self.image.value)
        return bf16 if isinstance(dtype, FLOAT8) else dtype

    def tiles(self, results: Sequence[int]) -> dict[int, int]:
        """Returns the number of tiles of a phase, of so many `results` along each window, by the output's axis."""
        return {w.out: -(-self.sizes[w.out] // (m * w.dilation)) for w, m in zip(self.windows, results, strict=True)}

    def image_tiles(self, write: Writer, results: Sequence[int]) -> tuple[SSAValue, list[int]]:
        """
        Writes the elements of the tiles, `[elements along each window…, axes…]`, and returns them with the iteration axes, in the order
        of the image in memory. Tiles reach into the padding, and beyond the image if they do not divide the output.
        """
        x, count = self.image.value, self.tiles(results)
        spans, tiled = dict[int, int](), dict[int, tuple[int, int]]()
        for w, m, taps in zip(self.windows, results, self.taps, strict=True):
            step = w.stride * w.dilation
            others = sum(
                c * (self.sizes[i] - 1)
                for i, c in terms_of(self.image, w.axis)[0].items()
                if i not in (w.out, w.window)
            )
            spans[w.axis] = step * (count[w.out] * m + taps - 1) + others
            tiled[w.out] = count[w.out], m * w.dilation
        low, high, starts = list[int](), list[int](), list[int]()
        for a, size in enumerate(static_sizes(x)):
            found, first = terms_of(self.image, a)
            span = spans.get(a, 1 + sum(c * (self.sizes[i] - 1) for i, c in found.items()))
            low.append(max(0, -first))
            high.append(max(0, first + span - size))
            starts.append(first + low[-1])
        padded = write.pad(x, low, high, zero(element(x)))
        strides = row_major_strides(static_sizes(padded))
        elements = [
            (taps + m - 1, strides[w.axis] * w.stride * w.dilation)
            for taps, m, w in zip(self.taps, results, self.windows, strict=True)
        ]
        first = len(self.sizes) - len(self.windows)
        phases = {first + k: strides[w.axis] for k, w in enumerate(self.windows)}
        return self._view(write, padded, self.image, elements, dot(starts, strides), tiled, phases)

    def filter_taps(self, write: Writer) -> tuple[SSAValue, list[int]]:
        """
        Writes the filter as `[taps of each window…, axes…]`, and returns it with the iteration axes, in the order of memory. Zeros make all
        phases of a stride equally long.
        """
        w, axes = self.filter.value, [window.window for window in self.windows]
        strides, step = row_major_strides(static_sizes(w)), dict.fromkeys(axes, 0)
        for a, stride in enumerate(strides):
            for i, c in terms_of(self.filter, a)[0].items():
                if i in step:
                    step[i] += c * stride
        taps, order = self._view(write, w, self.filter, [(self.sizes[i], step[i]) for i in axes], 0, {}, {})
        if not (phases := self.phases("stride")):
            return taps, order
        count, rest = len(axes), static_sizes(taps)[len(axes) :]
        split = [n for one, w in zip(self.taps, self.windows, strict=True) for n in (one, w.stride)]
        short = [one * w.stride - self.sizes[w.window] for one, w in zip(self.taps, self.windows, strict=True)]
        taps = write.pad(taps, [0] * (count + len(rest)), [*short, *(0 for _ in rest)], zero(element(w)))
        taps = write.reshape(taps, [*split, *rest])
        perm = [*range(0, 2 * count, 2), *range(1, 2 * count, 2), *range(2 * count, 2 * count + len(rest))]
        strided = [w.stride for w in self.windows if w.stride > 1]
        return write.reshape(write.permute(taps, perm), [*self.taps, *strided, *rest]), [*phases, *order]

    def _view(
        self,
        write: Writer,
        x: SSAValue,
        access: Access,
        inside: Sequence[tuple[int, int]],
        start: int,
        tiled: dict[int, tuple[int, int]],
        phases: dict[int, int],
    ) -> tuple[SSAValue, list[int]]:
        """
        Writes a view of `x`: axes along windows, each (size, stride), then the iteration axes. `tiled` maps such an axis to the number and
        the length of its tiles, `phases` others to their strides.
        """
        strides = row_major_strides(static_sizes(x))
        step = {**dict.fromkeys((*self.kept, *self.channels), 0), **phases}
        for a, stride in enumerate(strides):
            for i, c in terms_of(access, a)[0].items():
                if i in step:
                    step[i] += c * stride * tiled.get(i, (0, 1))[1]
        axes = sorted((i for i, s in step.items() if s and self.sizes[i] > 1), key=lambda i: -step[i])
        rest = [(tiled[i][0] if i in tiled else self.sizes[i], step[i]) for i in axes]
        return write.view(x, [*inside, *rest], start), axes


def dot(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(left, right, strict=True))


def terms_of(access: Access, axis: int) -> tuple[dict[int, int], int]:
    """Returns the coefficients of the iteration axes in an index, and its constant. Raises `Declined` for other indices."""
    found = affine.terms(access.map.get_at(axis))
    if found is None or any(c < 0 for c in found[0].values()):
        raise Declined("an index divides, or counts downwards", HELP)
    return found


def sliding(op: Operation, book: IndexBook) -> Sliding:
    """Returns the convolution that ends in the sum `op`. Raises `Declined` with the reason if there is none."""
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
    require(all(1 in (w.stride, w.dilation) for w in windows), "a window has both a stride and a dilation")
    require(all(w.base_dilation == 1 for w in windows), "it is transposed: there are zeros between elements")
    require(len({w.axis for w in windows}) == len(windows), "two windows slide along one axis")
    types = dtype, element(filter.value)
    require(
        (types[0] == types[1] and isinstance(dtype, BFloat16Type | Float16Type | Float32Type | Float64Type))
        or all(isinstance(t, FLOAT8) for t in types),
        f"transforms of {types[0]} and {types[1]} would be inexact or out of range",
    )
    require(0 not in sizes, "it is empty")
    of_image = shape(image.value)
    inside = reads_where_inside(image.map, of_image, image.guard, sizes)
    require(inside and filter.guard is None, "it reads only a part of its operands")
    phases = [w.stride * w.dilation for w in windows]
    found = Sliding(product, image, filter, tuple(windows), (*sizes, *phases))
    for access in (image, filter):
        for axis in range(len(shape(access.value))):
            terms_of(access, axis)
    return found
