"""Kernels that convert layouts, as subjects of the campaign. They copy matrices, so that their results are their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

import ptir
from ptir.runtime.compile import Program
from ptir.targets.layouts import Layout, parse_layout
from tests.unit.builders.conversion_programs import text

from .subject import Arrays, mixed


@dataclass(frozen=True)
class Conversions:
    """Conversions of f32 matrices from the first to the second layout of each pair."""

    pairs: Sequence[tuple[str, str]]
    shows: str
    dtype: str = "f32"

    @property
    def size(self) -> tuple[int, ...]:
        return tuple(layout.rows * layout.columns for layout, _ in self._layouts)

    @cached_property
    def _layouts(self) -> list[tuple[Layout, Layout]]:
        return [(parse_layout(a), parse_layout(b)) for a, b in self.pairs]

    def compile(self) -> Program:
        return ptir.compile(text(self._layouts, self.dtype), arch="sm80").program

    def _arrays(self) -> Arrays:
        shapes = [(layout.rows, layout.columns) for layout, _ in self._layouts]
        return [np.arange(prod(shape), dtype=np.float32).reshape(shape) for shape in shapes]

    @cached_property
    def inputs(self) -> tuple[Arrays, Arrays]:
        return self._arrays(), mixed(self._arrays())

    @cached_property
    def numbers(self) -> Arrays:
        return mixed([-array for array in self._arrays()])

    def is_right(self, k: int, got: Arrays) -> bool:
        return all(np.array_equal(g, w, equal_nan=True) for g, w in zip(got, self.inputs[k], strict=True))
