"""Reductions in their canonical orders. Spec: `vyre-ir-types`, Reduction reordering."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from itertools import chain, repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from ...dialects.vyre.floats import IDENTITY, STRICT
from ...elementary.words import evaluate

Array = npt.NDArray[Any]


def combine(order: str, fn: str, elements: Iterable[Array], count: int) -> Array:
    """Returns the combination of `count` elements, each the bits of F32: in order, or as a balanced tree of pairs of neighbors."""

    def pair(a: Array, b: Array) -> Array:
        return evaluate(f"{STRICT[fn][0]}_f32", a, b)

    if order == "strict":
        return reduce(pair, elements)
    padding = repeat(np.full(1, IDENTITY[fn], np.uint32), (1 << (count - 1).bit_length()) - count)
    waiting: list[Array] = []  # the left operands of pairs, of the largest subtree first
    for number, element in enumerate(chain(elements, padding)):
        while number & 1:
            element, number = pair(waiting.pop(), element), number >> 1
        waiting.append(element)
    return waiting[0]
