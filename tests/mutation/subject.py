"""What the campaign asks of a kernel that it mutates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ptir.runtime.compile import Program

Arrays = Sequence[Any]


class Subject(Protocol):
    """A compiled program with arguments on which it is judged; `shows` says what of its template it is here for."""

    @property
    def shows(self) -> str: ...

    @property
    def size(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> str: ...

    @property
    def inputs(self) -> tuple[Arrays, Arrays]:
        """Arguments on which a result is right or wrong: finite ones, then the same with NaN and infinities."""
        ...

    @property
    def numbers(self) -> Arrays:
        """Random arguments for which an equivalent mutant computes the same bits as the original."""
        ...

    def compile(self) -> Program: ...

    def is_right(self, k: int, got: Arrays) -> bool:
        """Whether `got` are right results for the arguments `inputs[k]`."""
        ...


def mixed(arrays: Arrays) -> Arrays:
    """Returns the arrays with zeros of both signs, NaN and infinities as the first elements of each of floats."""
    for array in arrays:
        if array.dtype.kind not in "iub":
            flat = array.reshape(-1)
            values = np.array([0.0, -0.0, np.nan, np.inf, -np.inf])[: flat.size]
            flat[: values.size] = values.astype(array.dtype)
    return arrays
