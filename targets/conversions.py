"""
Conversions between layouts that leave every element in its warp, by shuffles.

The numbers of registers and lanes are taken apart into bits, each with the stride of one layout digit. A register bit and a lane
bit swap their strides by one exchange of half the registers; what then remains is a permutation of the lane bits.

```
C of m16n8k16, 16x32     lane(4: 2j, 8: i) reg(2: j, 2: 8i, 4: 8j)
8 contiguous columns     lane(4: 8j, 8: i) reg(8: j, 2: 8i)          strides 2j and 4j exchange with 8j and 16j
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .architectures import WARP
from .layouts import Layout, Mode, layout_of

LANE_BITS = WARP.bit_length() - 1
"""Number of bits of a lane's number; the further ones of a warpgroup number its warps."""
Stride = tuple[int, int]
"""Rows and columns."""


@dataclass(frozen=True)
class Digit:
    """A digit of a register's or lane's number, which is a multiple of `place`. Its radix is 2 or odd."""

    place: int
    radix: int
    stride: Stride


@dataclass(frozen=True)
class Conversion:
    """
    The steps of a conversion. First, each register of the result is copied from a register of the source: a digit of its number
    moves from one place to another in the source's number. Then lanes that differ in bit `lane` exchange registers that
    differ in the digit at `place`, for each of `exchanges`. At last, each lane reads all its registers from the lane whose bit
    `k` is its own bit `lanes[k]`, unless `lanes` is empty.
    """

    moves: tuple[tuple[Digit, int], ...]
    """The digits of the result's register number, each with its place in the source's register number."""
    exchanges: tuple[tuple[int, int], ...]
    """The bits of lanes, as powers of two, with the places of digits of the result's register number."""
    lanes: tuple[int, ...]


def digits(modes: Iterable[Mode]) -> Iterator[Digit]:
    """Yields the digits of a number, the least significant first: powers of two are taken apart into bits."""
    place = 1
    for mode in modes:
        radix, rows, columns = mode.radix, mode.rows, mode.columns
        while radix > 1:
            part = radix if radix % 2 else 2
            yield Digit(place, part, (rows, columns))
            place, radix, rows, columns = place * part, radix // part, rows * part, columns * part


def conversion(source: Layout, result: Layout) -> Conversion | None:
    """
    Returns the conversion from one layout of a warp's tile to another, or None if lanes and registers alone cannot do it: if
    the digits of the two layouts differ, or the numbers of lanes that hold copies of an element. A source without digits of warps is
    the part of each warp of the result.
    """
    before, after = ({(d.stride, d.radix): d for d in digits(layout.elements)} for layout in (source, result))
    holds, wanted = ([(d.stride, d.radix) for d in digits(layout.lanes)] for layout in (source, result))
    warps = (source.warps, source.blocks) in (((), ()), (result.warps, result.blocks))
    same = sorted([*before, *holds]) == sorted([*after, *wanted]) and len(before) == len(after)
    if not (warps and same) or holds[LANE_BITS:] != wanted[LANE_BITS:]:
        return None
    leaving = [k for k, digit in enumerate(holds) if digit in after]
    arriving = [k for k, digit in enumerate(wanted) if digit in before]
    both = [k for k in leaving if k in arriving]
    pairs = zip(
        [*both, *(k for k in leaving if k not in both)], [*both, *(k for k in arriving if k not in both)], strict=True
    )
    comes = {holds[k]: wanted[other] for k, other in pairs}
    exchanges = tuple((1 << holds.index(out), after[out].place) for out in comes)
    moves = tuple((after[digit], before[comes.get(digit, digit)].place) for digit in after)
    held = [comes.get(digit, digit) for digit in holds]
    lanes = tuple(map(wanted.index, held))
    return Conversion(moves, exchanges, lanes if held != wanted else ())


def contiguous(layout: Layout, width: int) -> Layout | None:
    """
    Returns the layout to which a warp can convert this one so that lanes hold `width` contiguous columns, a power of two, with the
    fewest exchanges. Its registers count columns, then rows. Returns None if a lane has too few columns.
    """
    registers = sorted((d.stride, d.radix) for d in digits(layout.elements))
    lanes = [d.stride for d in digits(layout.lanes)]
    step = 1
    while step < width:
        if ((0, step), 2) not in registers:
            spare = next((r for r in registers if r[0][0] == 0 and r[0][1] >= width and r[1] == 2), None)
            if spare is None or (0, step) not in lanes:
                return None
            lanes[lanes.index((0, step))] = spare[0]
            registers[registers.index(spare)] = (0, step), 2
        step *= 2
    return layout_of(
        merged(Mode(2, *stride) for stride in lanes),
        layout.warps,
        merged(Mode(radix, *stride) for stride, radix in sorted(registers)),
        layout.blocks,
    )


def merged(modes: Iterable[Mode]) -> list[Mode]:
    """Returns the modes with each pair that one mode can replace replaced by it."""
    result: list[Mode] = []
    for mode in modes:
        last = result[-1] if result else None
        if last is not None and (mode.rows, mode.columns) == (last.rows * last.radix, last.columns * last.radix):
            result[-1] = Mode(last.radix * mode.radix, last.rows, last.columns)
        else:
            result.append(mode)
    return result
