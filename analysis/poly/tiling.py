"""
A tiling cuts the iteration axes of a consumer into tiles of equal length; the last tile along an axis may be shorter.

Spec: `tensor-compiler.ja §1.6`, tail axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from numbers import Integral
from typing import Any, cast

import islpy as isl

from ...dialects.common.shapes import index_names
from ..errors import InvalidTile
from ..index import affine
from ..index.info import AxisVar
from ..index.isl_text import Symbol, bounds, parameters, symbol

Tile = Mapping[str, int] | Sequence[int | None] | None
"""
The lengths of a tile by axis name (`{"i2": 4, "i3": 8}`) or by position (`[None, None, 4, 8]`, output axes first, then
summed ones). An axis without a length, or with a length of at least its size, is not cut.
"""


@dataclass(frozen=True)
class Tiling:
    """
    A division of a consumer's iteration axes into tiles. `sizes` are the sizes of the axes, of which the first `rank` are output
    axes. `lengths` are the lengths of a tile along the axes; None means that the axis is not cut.

    >>> print(Tiling((10, 3), 1, (4, None)).relation)
    { [t0] -> [i0, i1] : i0 >= 4t0 and 0 <= i0 <= 9 and i0 <= 3 + 4t0 and 0 <= i1 <= 2 }
    """

    sizes: tuple[Symbol, ...]
    rank: int
    lengths: tuple[int | None, ...]

    @cached_property
    def cut(self) -> tuple[int, ...]:
        """The axes that are cut. The tile numbers `t0, t1, …` belong to them, in this order."""
        return tuple(k for k, length in enumerate(self.lengths) if length is not None)

    @cached_property
    def relation(self) -> isl.Map:
        """Maps tile numbers to the points of the tile."""
        return self.over(self.sizes)

    def over(self, sizes: Sequence[Symbol]) -> isl.Map:
        """Like `relation`, for the consumer's axes followed by further axes that are not cut, all of `sizes`."""
        constraints = " and ".join([*bounds(sizes), *self._within]) or "true"
        text = f"{{ {self._numbers} -> [{', '.join(index_names(len(sizes)))}] : {constraints} }}"
        return _read_map(parameters(sizes) + text)

    def corner(self, axes: Sequence[int], beside: int | None = None) -> isl.PwMultiAff:
        """
        Maps tile numbers to the first point of the tile along `axes`; along axis `beside`, to the point after the last one.

        >>> print(Tiling((10, 3), 1, (4, None)).corner([0, 1], beside=0).coalesce())
        { [t0] -> [(10), (0)] : t0 >= 2; [t0] -> [(4 + 4t0), (0)] : t0 <= 1 }
        """
        ends: list[str] = []
        for k in axes:
            length, size = self.lengths[k], self.sizes[k]
            here = "0" if length is None else f"{length}t{self.cut.index(k)}"
            if k != beside:
                ends.append(here)
            elif length is None or k not in self.tails:
                ends.append(symbol(size) if length is None else f"{here} + {length}")
            else:
                ends.append(f"min({symbol(size)}, {here} + {length})")
        source = f"{parameters(self.sizes)}{{ {self._numbers} -> [{', '.join(ends)}] }}"
        return _read(source)

    @cached_property
    def counts(self) -> tuple[int | None, ...]:
        """The number of tiles along each axis that is cut; None for a symbolic size."""
        return tuple(
            -(-size // (self.lengths[k] or 1)) if isinstance(size := self.sizes[k], int) else None for k in self.cut
        )

    @property
    def count(self) -> int | None:
        """The number of tiles; None with symbolic sizes."""
        numbers = [n for n in self.counts if n is not None]
        return prod(numbers) if len(numbers) == len(self.counts) else None

    @property
    def outputs(self) -> int | None:
        """The number of outputs of a whole tile; None if it depends on symbolic sizes."""
        along = [length or size for length, size in zip(self.lengths, self.sizes, strict=True)][: self.rank]
        return prod(n for n in along if isinstance(n, int)) if all(isinstance(n, int) for n in along) else None

    @cached_property
    def tails(self) -> tuple[int, ...]:
        """
        The axes whose last tile is shorter than the others, at least for some symbolic sizes.

        >>> Tiling((10, 12, "N"), 3, (4, 4, 4)).tails
        (0, 2)
        """
        return tuple(k for k in self.cut if not self._shorter(k).is_empty())

    def _shorter(self, axis: int) -> isl.Set:
        """Returns the tiles that are shorter than the others along an axis."""
        t, length, size = self.cut.index(axis), self.lengths[axis], symbol(self.sizes[axis])
        text = f"{{ {self._numbers} : 0 <= {length}t{t} < {size} < {length}t{t} + {length} }}"
        return isl.Set.read_from_str(affine.CONTEXT, parameters(self.sizes) + text)

    @property
    def _numbers(self) -> str:
        return f"[{', '.join(f't{t}' for t in range(len(self.cut)))}]"

    @property
    def _within(self) -> list[str]:
        return [
            f"{self.lengths[k]}t{t} <= i{k} < {self.lengths[k]}t{t} + {self.lengths[k]}" for t, k in enumerate(self.cut)
        ]


@lru_cache(maxsize=1024)
def _read_map(source: str) -> isl.Map:
    return isl.Map.read_from_str(affine.CONTEXT, source)


@lru_cache(maxsize=1024)
def _read(source: str) -> isl.PwMultiAff:
    return isl.PwMultiAff.read_from_str(affine.CONTEXT, source)


def tiling(iteration: Sequence[AxisVar], rank: int, tile: Tile) -> Tiling:
    """Returns the tiling of a consumer with these iteration axes. Raises `InvalidTile`."""
    wanted = {} if tile is None else _by_axis(iteration, tile)
    for name, size in wanted.items():
        if name not in {axis.name for axis in iteration}:
            raise InvalidTile(problem=f"names the unknown axis {name}", axes=_axes_text(iteration))
        if isinstance(size, bool) or not isinstance(size, Integral) or int(size) < 1:
            raise InvalidTile(problem=f"is {size!r} along {name}", axes=_axes_text(iteration))
    lengths = tuple(_length(axis.size, wanted.get(axis.name)) for axis in iteration)
    return Tiling(tuple(axis.size for axis in iteration), rank, lengths)


def _by_axis(iteration: Sequence[AxisVar], tile: Any) -> dict[Any, Any]:
    """Returns the sizes by axis name, not validated yet: a tile is user input."""
    if isinstance(tile, Mapping):
        return dict(cast(Mapping[Any, Any], tile))
    if not isinstance(tile, Sequence) or isinstance(tile, str):
        raise InvalidTile(problem=f"is {tile!r}", axes=_axes_text(iteration))
    sizes = list(cast(Sequence[Any], tile))
    if len(sizes) > len(iteration):
        raise InvalidTile(problem=f"has {len(sizes)} sizes", axes=_axes_text(iteration))
    return {axis.name: size for axis, size in zip(iteration, sizes, strict=False) if size is not None}


def _length(size: Symbol, wanted: int | None) -> int | None:
    return None if wanted is None or (isinstance(size, int) and wanted >= size) else int(wanted)


def _axes_text(iteration: Sequence[AxisVar]) -> str:
    return ", ".join(f"{axis.name} of {axis.size}{' (summed)' * (axis.kind == 'reduce')}" for axis in iteration)
