"""What `gpu.py` times: programs with operands and expected results. `rivals.py` has the rivals of each kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import prod
from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
NUMPY: dict[str, Any] = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f32": np.float32,
    "f64": np.float64,
    "si8": np.int8,
    "si32": np.int32,
}
"""The NumPy type of each PTIR element type that is used here."""
ROUNDING = {"bf16": 2.0**-8, "f16": 2.0**-11}
"""Twice the relative error of rounding to a type; that of the others is at most 2⁻²⁴."""
ROWS, COLUMNS = 256, 1024
"""Number of rows and columns of a large result that are compared with NumPy's."""
PERIOD = 999_983
"""Period of random data, in elements, which makes large arrays cheap; it is prime, so that rows differ."""


class Workload(ABC):
    """A program of one function with one result, and how its result is checked."""

    exact = True
    """Whether the result on small integers is exact before it is rounded to its type."""

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    @abstractmethod
    def text(self) -> str:
        """The program in PTIR."""
        ...

    @property
    @abstractmethod
    def operations(self) -> int:
        """The number of multiplications and additions."""
        ...

    @property
    @abstractmethod
    def shapes(self) -> dict[str, tuple[tuple[int, ...], str]]:
        """The shape and element type of each argument, by name."""
        ...

    def operands(self, seed: int, *, integers: bool = False) -> tuple[Array, ...]:
        """Returns arguments: normally distributed numbers or, with `integers`, integers whose sums are exact."""
        r = np.random.default_rng(seed)
        return tuple(random_array(r, *of, integers) for of in self.shapes.values())

    @abstractmethod
    def sampled(self, result: Array, data: Sequence[Array]) -> tuple[Array, Array, Array]:
        """
        Returns elements from all parts of the result, NumPy's float64 results for them, which are not rounded to the result's
        type, and the largest errors that a correct result may have.
        """
        ...

    def agrees(self, result: Array, data: Sequence[Array], *, whole: bool = False) -> bool:
        """Returns whether elements of the result agree with NumPy's. They must be equal for `whole` numbers if the result is `exact`."""
        got, want, allowed = self.sampled(result, data)
        if got.dtype.kind == "i" or (whole and self.exact):
            return bool((got == want.astype(got.dtype)).all())
        return bool((np.abs(got.astype(np.float64) - want) <= allowed).all())


def random_array(r: np.random.Generator, shape: Sequence[int], element: str, integers: bool) -> Array:
    """Returns an array of random numbers or, with `integers` and for types of integers, of random integers."""
    size = min(prod(shape), PERIOD)
    block: Array
    if element.startswith("si"):
        block = r.integers(-128, 128, size, dtype=np.int8)
    elif integers:
        block = r.integers(-3, 4, size, dtype=np.int8)
    else:
        block = r.standard_normal(size, dtype=np.float32)
    return np.resize(block.astype(NUMPY[element]), shape)


def spread(size: int, most: int) -> Array:
    """Returns at most `most` indices below `size`, from the first to the last one."""
    return np.unique(np.linspace(0, size - 1, most).astype(int))


def sum_error(depth: int) -> float:
    """Returns the error of an f32 sum of `depth` terms, relative to the sum of their magnitudes: 4·√depth·2⁻²³."""
    return 4 * depth**0.5 * 2.0**-23
