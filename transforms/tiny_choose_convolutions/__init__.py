"""
`tiny-choose-convolutions`: writes convolutions by the algorithm that the program asks for, if that takes several kernels.

```
%r = reduce sum %p axes [3, 4, 5] accum f32 {plan.algo_choice = {conv = "winograd_3x3", tolerance = 0.2}}       3x3, stride 1

  %v = …                   16 sums of elements of each tile of 4x4       [16, images, tiles, channels]
  %u = …                   16 sums of taps                               [16, channels, filters]
  %m = reduce sum …        16 products of matrices                       [16, images, tiles, filters]
  %r = …                   4 sums of points for each tile of 2x2
```

`winograd_3x3` is F(2, 3) along each axis or, with a tolerance above its error, F(4, 3), whose tiles have 36 points. `fft_conv` transforms
tiles by products with the real DFT's matrix, and multiplies three real numbers for each frequency. An algorithm may have a larger error
than the program's sums (`analysis/regions/bilinear.py`); then it needs a tolerance, relative to the greatest |x| times the norm
of a filter, or is refused. A stride or a dilation splits the image into phases, in which windows slide in steps of 1.
NaN and infinities spread over a tile. `implicit_gemm` and `direct` are plans of one kernel: `plan-regions` follows them.

With `fused = true`, `%m` has the attribute `plan.computes_lhs`: its kernel computes `%v`, `%m` and `%r`, or `form-regions` says why it cannot.

`conv=NAME` asks for an algorithm of every convolution that does not ask itself, and `tolerance=` and `fused` for theirs. The pass does not
change other programs. Spec: `tensor-compiler.ja §1.7` (`algo_choice`), `§7.2`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float64Type, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from ...analysis.index.book import IndexBook, index_book
from ...analysis.index.static_sizes import blocks_of
from ...analysis.program.statistics import count
from ...analysis.regions.bilinear import POINTS, Bilinear, direct_error, error, fourier, winograd
from ...analysis.regions.contraction import find_pattern
from ...analysis.regions.members import MAX_MEMBERS
from ...dialects import tiny
from ...dialects.plan.choice import CHOICE, WITHOUT_TRANSFORMS, Choice, choice_of
from ...dialects.plan.schedule import CONV
from ...errors import InvalidAttributeValue
from ..errors import ChangesStrictFloats, NoAlgorithm
from ..op_writer import Declined, rewrite
from ..ptir_to_tiny.writer import Writer
from .sliding import Sliding, sliding
from .transformed import transformed

DFT_SIZES = (8, 16, 32, 64)
"""Numbers of elements of a tile that is transformed."""


@dataclass(frozen=True)
class TinyChooseConvolutions(ModulePass):
    """Writes convolutions by the algorithms that the program or the option `conv` asks for."""

    name = "tiny-choose-convolutions"
    preserves_meaning: ClassVar[bool] = False
    conv: str | None = None
    """The algorithm of convolutions that ask for none: implicit_gemm, winograd_3x3, fft_conv or direct."""
    tolerance: float | None = None
    """The largest error of these convolutions, relative to max |x| · ‖w‖₂; by default that of the program's own sums."""
    fused: bool = False
    """Whether the kernels that multiply the transformed operands of `winograd_3x3` transform the images of these convolutions, too."""

    def __post_init__(self) -> None:
        if self.conv is not None and self.conv not in CONV:
            help = f"one of {', '.join(CONV)}"
            raise InvalidAttributeValue(name="conv", problem=f"is {self.conv!r}", help=help)
        if self.conv is None and (self.fused or self.tolerance is not None):
            name = "fused" if self.fused else "tolerance"
            raise InvalidAttributeValue(name=name, problem="is given without conv", help="give conv=NAME, too")
        if self.conv is not None and (problem := Choice(self.conv, self.tolerance, self.fused).problem) is not None:
            raise InvalidAttributeValue(name="fused", problem=problem, help=WITHOUT_TRANSFORMS)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [o for o in op.body.block.ops if isinstance(o, FuncOp) and len(o.body.blocks) == 1]:
            for block in blocks_of(function):
                self._choose(block)

    def _choose(self, block: Block) -> None:
        for reduce in [o for o in block.ops if isinstance(o, tiny.ReduceOp)]:
            choice = choice_of(reduce)
            if choice is None and self.conv is not None and _is_convolution(reduce, index_book(block)):
                choice = Choice(self.conv, self.tolerance, self.fused)
                reduce.attributes[CHOICE] = choice.attribute
            if choice is not None and choice.conv in ALGORITHMS:
                if tiny.keeps_order(reduce):
                    help = "ask for implicit_gemm, direct, or no algorithm"
                    raise ChangesStrictFloats(reduce, what=choice.conv, help=help)
                _write(reduce, choice, index_book(block))


def _is_convolution(reduce: tiny.ReduceOp, book: IndexBook) -> bool:
    found = find_pattern(reduce, book)
    return found is not None and found[1].pattern == "conv"


def _write(reduce: tiny.ReduceOp, choice: Choice, book: IndexBook) -> None:
    """Replaces a convolution by the algorithm that it asks for. Raises `NoAlgorithm`."""
    del reduce.attributes[CHOICE]
    try:
        found = sliding(reduce, book)
        algorithm = _within(choice, found)
    except Declined as why:
        raise NoAlgorithm(reduce, algorithm=choice.conv, problem=str(why), help=why.help) from why
    why = rewrite(Writer(reduce), lambda _, write: transformed(write, found, algorithm, fused=choice.fused))
    if why is not None:
        raise NoAlgorithm(reduce, algorithm=choice.conv, problem=why, help="report this program")
    count(f"convolutions by {algorithm[0].name}")


def _within(choice: Choice, s: Sliding) -> Sequence[Bilinear]:
    """Returns the algorithm with the fewest products whose error is within the tolerance. Raises `Declined` if there is none."""
    unit, accumulator = _roundoff(s), 2.0**-53 if isinstance(s.product.op.accum, Float64Type) else 2.0**-24
    fitting = list(ALGORITHMS[choice.conv](s))
    if choice.fused:
        fitting = _in_one_kernel(choice, s, fitting)
    least = min(error(of, s.depth, unit, accumulator) for of in fitting)
    own = direct_error(s.summed, accumulator)
    allowed = own if choice.tolerance is None else choice.tolerance
    within = [of for of in fitting if error(of, s.depth, unit, accumulator) <= allowed]
    if not within:
        source = "the program's own bound" if choice.tolerance is None else "its tolerance"
        help = f'allow it: {{conv = "{choice.conv}", tolerance = {least:.2g}}}; the bound is relative to max |x| · ‖w‖₂'
        raise Declined(f"its error is at most {least:.2g}, but {source} is {allowed:.2g}", help)
    return min(within, key=lambda of: _products(s, of))


def _in_one_kernel(choice: Choice, s: Sliding, fitting: Sequence[Sequence[Bilinear]]) -> list[Sequence[Bilinear]]:
    """Returns the algorithms of which one kernel transforms the image, multiplies, and transforms back. Raises `Declined` if there is none."""
    help = "leave out fused: the transformed image is stored then"
    if choice.conv != "winograd_3x3":
        raise Declined("its transforms are products with matrices, which have kernels of their own", help)
    if s.depth == 1:
        raise Declined("it sums one channel for each filter, so that there are no products of matrices", help)
    return [of for of in fitting if prod(one.points for one in of) <= MAX_MEMBERS]


def _products(s: Sliding, of: Sequence[Bilinear]) -> int:
    """Returns the number of products for all tiles of an image, a filter and a channel."""
    return prod(one.points * n for one, n in zip(of, s.tiles([one.tile for one in of]).values(), strict=True))


def _roundoff(s: Sliding) -> float:
    """Returns the unit roundoff of the type in which transformed operands are multiplied."""
    match s.dtype:
        case BFloat16Type():
            return 2.0**-8
        case Float16Type():
            return 2.0**-11
        case Float64Type():
            return 2.0**-53
        case _:
            return 2.0**-11 if s.product.rounded else 2.0**-24


def _winograd(s: Sliding) -> Iterator[Sequence[Bilinear]]:
    if len(s.taps) > 2 or any(taps != 3 for taps in s.taps):
        windows, strides = (
            "x".join(map(str, n)) for n in zip(*((s.sizes[w.window], w.stride) for w in s.windows), strict=True)
        )
        at = f" at strides {strides}" if s.phases("stride") else ""
        help = "fft_conv takes any window, implicit_gemm any convolution"
        raise Declined(f"its window is {windows}{at}, not 3 taps along one or two axes", help)
    large = s.depth > 1 or len(s.taps) == 1  # a thread holds all of a depthwise tile
    for tile in POINTS if large else (2,):
        yield [winograd(tile)] * len(s.taps)


def _fourier(s: Sliding) -> Iterator[Sequence[Bilinear]]:
    sizes = [[n for n in DFT_SIZES if 2 * taps <= n] for taps in s.taps]
    for window, fitting in zip(s.taps, sizes, strict=True):
        if not fitting:
            raise Declined(f"its window of {window} is longer than half of the longest DFT, of {DFT_SIZES[-1]}")
    for k in range(max(map(len, sizes))):
        yield [fourier(fitting[min(k, len(fitting) - 1)], taps) for fitting, taps in zip(sizes, s.taps, strict=True)]


ALGORITHMS = {"winograd_3x3": _winograd, "fft_conv": _fourier}
"""For each algorithm of several kernels, the function that yields its forms for a convolution."""
