"""Kernels of rows with a plan, as subjects of the campaign. Results must be within the error bounds of the program."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import ptir
from ptir.runtime.compile import Program
from ptir.semantics.bounds import bounds, check
from tests.unit.builders.row_plans import tiles
from tests.unit.builders.row_programs import arrays, text

from .subject import Arrays, mixed


@dataclass(frozen=True)
class Rows:
    """A program of `row_programs` on an array of `size`, with a plan of `tile` per block and `warp_tile` per warp."""

    program: str
    size: tuple[int, int]
    tile: tuple[int, int]
    warp_tile: str
    shows: str
    dtype: str = "f32"
    width: int = 4
    blocks: int = 1
    """Number of blocks of a cluster that hold a row."""
    scale: int = 1
    """The factor of the floats that are mixed with NaN and infinities: far apart, the maxima of parts of a row are no pivots of others."""

    @cached_property
    def _source(self) -> str:
        return text(self.program, *self.size, self.dtype)

    def compile(self) -> Program:
        arch = "sm80" if self.blocks == 1 else "sm90"
        program = tiles(self._source, self.tile, self.warp_tile, self.width, self.blocks, arch)
        return ptir.compile(ptir.parse(program), arch=arch).program

    @cached_property
    def inputs(self) -> tuple[Arrays, Arrays]:
        finite, special = (arrays(self.program, *self.size, self.dtype, 11) for _ in range(2))
        return finite, mixed([a * self.scale if a.dtype.kind == "f" else a for a in special])

    @cached_property
    def _wanted(self) -> list[Arrays]:
        return [bounds(ptir.parse(self._source), "f", *x) for x in self.inputs]

    @cached_property
    def numbers(self) -> Arrays:
        return mixed(arrays(self.program, *self.size, self.dtype, 12))

    def is_right(self, k: int, got: Arrays) -> bool:
        return all(check(g, w).ok for g, w in zip(got, self._wanted[k], strict=True))
