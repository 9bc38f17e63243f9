"""
Layouts of tiles in shared memory: which element is at which offset. Also their text, such as `at(64: j, 8: i^8j, 4: 8i)`.

The offset of an element, counted in elements, is written in mixed radix, least significant digit first. Each digit is
`radix: stride`; the stride counts rows `i` or columns `j`. A digit can have several strides, joined by `^`. Multiples of strides
are computed and added without carries, so that a layout is a linear map over bits; only the outermost digit of the rows, and that of
the columns, can have a radix that is not a power of two.

```
at(64: j, 32: i)              row-major
at(64: j, 8: i^8j, 4: 8i)     the same, but the chunks of 8 columns in row i are permuted: their number is XORed with i % 8
at(64: j, 24: i, 2: 64j)      two panels of 64 columns, one after the other
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from .conversions import merged
from .layouts import Mode

CHUNK = 16
"""Size of the chunks that a swizzle permutes, in bytes. It is also one row of an ldmatrix matrix."""
PANELS = {"b128": 128, "b64": 64, "b32": 32}
"""Width of a panel in bytes, for each swizzle of TMA and wgmma (PTX ISA §5.5.6)."""
XOR = "xor"
"""The named layout for ldmatrix, whose rows may be any number of chunks."""
SWIZZLES_OF_THREADS = ("none", XOR, "xor_columns")
"""The named layouts for accesses by threads, the simplest first."""
SWIZZLES = (*SWIZZLES_OF_THREADS, *PANELS)
"""Layouts with a name, `named`."""
_STRIDE = r"([1-9][0-9]{0,5})?([ij])"
_DIGIT = re.compile(rf"([1-9][0-9]{{0,5}}): ?({_STRIDE}(\^{_STRIDE})*)\Z")


@dataclass(frozen=True)
class Field:
    """
    Some bits of the number of a row `i` or a column `j`, and the offset that they add: `(number & mask) // unit * place`. The mask
    is negative if it has all bits from some bit on, and -unit if it has no others.
    """

    axis: str
    mask: int
    unit: int
    place: int


@dataclass(frozen=True)
class SharedLayout:
    """The layout of a tile in shared memory. A digit's `rows` and `columns` are its strides; bit k of them is a stride of 2^k."""

    digits: tuple[Mode, ...]

    def __str__(self) -> str:
        digits = (f"{m.radix}: {'^'.join(_strides(m))}" for m in self.digits)
        return f"at({', '.join(digits)})"

    @property
    def transposed(self) -> SharedLayout:
        """The layout whose rows and columns are exchanged."""
        return SharedLayout(tuple(mode.transposed for mode in self.digits))

    @property
    def sizes(self) -> tuple[int, int]:
        """The rows and columns of the tile. Raises `ValueError` if the digits do not reach each of its elements once."""
        return _solved(self)[0]

    @property
    def fields(self) -> tuple[tuple[Field, ...], ...]:
        """An element's offset: the sum of these XORs. Raises `ValueError` as `sizes` does."""
        return _solved(self)[1]

    @property
    def run(self) -> int:
        """The largest power of two such that as many elements of a row, from a multiple of it on, are contiguous."""
        run = 1
        places = [mode for _, mode in _places(self)[0]]
        while places and (places[0].rows, places[0].columns) == (0, run):
            run, places = 2 * run, places[1:]
        others = [*places, *(mode for _, mode in _places(self)[1])]
        return min([run, *(m.columns & -m.columns for m in others if m.columns)])

    def offset(self, row: int, column: int) -> int:
        """Returns the offset of an element."""
        total = 0
        for fields in self.fields:
            part = 0
            for f in fields:
                part ^= ((row if f.axis == "i" else column) & f.mask) // f.unit * f.place
            total += part
        return total


@cache
def named(name: str, rows: int, columns: int, size: int) -> SharedLayout:
    """
    Returns the layout called `name` of a tile whose elements have `size` bytes. Rows, or their panels, are powers of two; those of `xor`
    are any number of chunks, of which the bits below the odd factor are permuted.

    `xor` and panels permute the chunks of rows so that those of eight contiguous rows in one column of chunks fall into different
    banks. `xor_columns` is for warps that read a few contiguous elements of each of four rows, which are 4 / size rows, at
    least one, apart; in byte tiles with fewer than four chunks a row, it also permutes the rows.
    """
    width = PANELS.get(name, columns * size) // size
    each = CHUNK // size
    chunks = min(width // each & -(width // each), 8) if name != "none" else 1
    step, taken = 8 // chunks, 1
    if name == "xor_columns":
        step, taken = max(4 // size, step), 1 if size < 4 else 2
    moved = [taken * each << k for k in range((chunks // taken).bit_length() - 1)] if chunks > 1 else []
    bits: list[Mode] = []
    row = 1
    while rows % (2 * row) == 0:
        at = row // step
        crossed = moved[at.bit_length() - 1] if at and at.bit_length() <= len(moved) else 0
        rotated = row >> 2 if name == "xor_columns" and size == 1 and chunks < 4 and row in (4, 8) else 0
        bits.append(Mode(2, row | rotated, crossed))
        row *= 2
    modes = [Mode(width, 0, 1), *bits, Mode(rows // row, row, 0), Mode(columns // width, 0, width)]
    return SharedLayout(tuple(merged(m for m in modes if m.radix > 1)))


def parse_shared_layout(text: str) -> SharedLayout:
    """Parses the text of a layout. Raises `ValueError` for any other text."""
    match = re.fullmatch(r"at\(([^()]*)\)", text)
    if match is None:
        raise ValueError("write it as at(64: j, 8: i^8j, 4: 8i)")
    return SharedLayout(tuple(_mode(digit.strip()) for digit in match[1].split(",")))


def _mode(text: str) -> Mode:
    match = _DIGIT.match(text)
    if match is None:
        raise ValueError(f"'{text}' is not a digit: write its radix and its strides, as in 4: 8i or 8: i^8j")
    strides = {"i": 0, "j": 0}
    for text, axis in re.findall(_STRIDE, match[2]):
        step = int(text or 1)
        if step & step - 1:
            powers = "^".join(f"{1 << k if k else ''}{axis}" for k in _ones(step))
            raise ValueError(f"{step}{axis} is not a power of two: if it is meant without carries, write {powers}")
        strides[axis] ^= step
    return Mode(int(match[1]), strides["i"], strides["j"])


def _strides(mode: Mode) -> Iterator[str]:
    for axis, strides in (("i", mode.rows), ("j", mode.columns)):
        yield from (f"{1 << k if k else ''}{axis}" for k in _ones(strides))


def _ones(number: int) -> list[int]:
    """Returns the numbers of the bits that are 1."""
    return [k for k in range(number.bit_length()) if number >> k & 1]


@cache
def _solved(layout: SharedLayout) -> tuple[tuple[int, int], tuple[tuple[Field, ...], ...]]:
    """Returns the sizes and the fields of a layout. Raises `ValueError` as `SharedLayout.sizes` does."""
    bits, odd = _places(layout)
    outer = {"i" if mode.rows else "j": (place, mode) for place, mode in odd}
    columns = 1 << max((mode.columns.bit_length() for _, mode in bits), default=0)
    rows = 1 << max((mode.rows.bit_length() for _, mode in bits), default=0)
    inverse = _inverse([mode.rows * columns + mode.columns for _, mode in bits], rows * columns)
    outermost = all((mode.rows, mode.columns) in ((rows, 0), (0, columns)) for _, mode in odd) and len(outer) == len(
        odd
    )
    if inverse is None or not outermost:
        raise ValueError("its digits do not reach each element once")
    found: dict[tuple[str, Fraction], tuple[set[int], Field]] = {}

    def add(axis: str, unit: int, place: int, mask: int) -> None:
        """Adds the bits `mask` of an axis. Bits with the same ratio of place and unit are one field."""
        places, field = found.get(key := (axis, Fraction(place, unit)), (set[int](), Field(axis, 0, unit, place)))
        found[key] = places | {place}, replace(field, mask=field.mask | mask)

    for number, bit in enumerate(inverse):
        axis, unit = ("j", 1 << number) if 1 << number < columns else ("i", (1 << number) // columns)
        is_last = 2 * unit == {"i": rows, "j": columns}[axis] and axis not in outer
        for at in _ones(bit):
            add(axis, unit, bits[at][0], -unit if is_last else unit)
    for axis, (place, _) in outer.items():
        size = rows if axis == "i" else columns
        add(axis, size, place, -size)
    rows, columns = (s * outer[axis][1].radix if axis in outer else s for axis, s in (("i", rows), ("j", columns)))
    sums: list[tuple[set[int], list[Field]]] = []
    for places, field in found.values():
        fields = [field]
        for joined in [s for s in sums if s[0] & places]:
            sums.remove(joined)
            places, fields = places | joined[0], joined[1] + fields
        if len(fields) > 1 and any(place & place - 1 for place in places):
            raise ValueError(
                "after a radix that is not a power of two, each bit of the offset must be one bit of a row or of a column"
            )
        sums.append((places, fields))
    return (rows, columns), tuple(tuple(fields) for _, fields in sums)


def _inverse(matrix: list[int], size: int) -> list[int] | None:
    """Returns the inverse of a matrix over F2, by its columns as numbers below `size`, or None if it has none."""
    if 1 << len(matrix) != size:
        return None
    reduced: dict[int, tuple[int, int]] = {}  # by its leading bit: a combination of columns, and their set
    for at, column in enumerate(matrix):
        combined = 1 << at
        for bit in sorted(reduced, reverse=True):
            if column >> bit & 1:
                column, combined = column ^ reduced[bit][0], combined ^ reduced[bit][1]
        if not column:
            return None
        reduced[column.bit_length() - 1] = column, combined
    inverse: list[int] = []
    for bit in range(len(matrix)):
        column, combined = reduced[bit]
        for other in _ones(column)[:-1]:
            combined ^= inverse[other]
        inverse.append(combined)
    return inverse


def _places(layout: SharedLayout) -> tuple[list[tuple[int, Mode]], list[tuple[int, Mode]]]:
    """Returns the bits and the odd digits that make up the offset, each with its place."""
    bits: list[tuple[int, Mode]] = []
    odd: list[tuple[int, Mode]] = []
    place = 1
    for mode in layout.digits:
        power = mode.radix & -mode.radix
        bits += [(place << k, Mode(2, mode.rows << k, mode.columns << k)) for k in range(power.bit_length() - 1)]
        if mode.radix > power:
            odd.append((place * power, Mode(mode.radix // power, mode.rows * power, mode.columns * power)))
        place *= mode.radix
    return bits, odd
