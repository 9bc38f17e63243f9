"""The interface of a kernel that the campaign mutates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ptir.runtime.compile import Program

Arrays = Sequence[Any]


class Subject(Protocol):
    """A program, and the arguments on which its mutants are judged; `shows` names the features of the template that it tests."""

    @property
    def shows(self) -> str: ...

    @property
    def size(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> str: ...

    @property
    def inputs(self) -> tuple[Arrays, Arrays]:
        """Arguments for which right results are known: finite ones, then the same with some NaN and infinities."""
        ...

    @property
    def numbers(self) -> Arrays:
        """Random arguments, on which an equivalent mutant computes the same bits as the original."""
        ...

    def compile(self) -> Program: ...

    def is_right(self, k: int, got: Arrays) -> bool:
        """Whether `got` are right results for the arguments `inputs[k]`."""
        ...


def mixed(arrays: Arrays) -> Arrays:
    """Returns the arrays, in which the first elements of float arrays are zeros of both signs, NaN and infinities."""
    for array in arrays:
        if array.dtype.kind not in "iub":
            flat = array.reshape(-1)
            values = np.array([0.0, -0.0, np.nan, np.inf, -np.inf])[: flat.size]
            flat[: values.size] = values.astype(array.dtype)
    return arrays
