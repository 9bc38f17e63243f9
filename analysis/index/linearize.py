"""
Linearize, then delinearize: how a reshape or a view indexes its operand (tensor-compiler.ja §1.3, §3.2).

An element of the operand has the row-major offset `L = offset + Σ stride·i`, and its index along an axis is
`floor(L / step) mod size`. In this form, the indices of an im2col window have many divisions. But offset and strides can be
written as digits in the mixed radix of the operand's sizes. If the sum never carries from one digit into the next, the
digits of an axis are the coefficients of its index, without divisions:

    operand 4x8, strides [8, 2], offset 3, sizes 2x3      L = 3 + 8·i0 + 2·i1, 3 + 2·i1 < 8      [i0, 3 + 2·i1]

Only runs of axes with carries between them need divisions, each run by itself. A symbolic size must be the outermost factor
of its run, because isl has no products of parameters (DESIGN §4).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from .isl_text import Symbol, symbol


class NotAffine(Exception):
    """Raised where no quasi-affine map exists, with the reason."""


def row_major_strides(sizes: Sequence[int]) -> list[int]:
    """Returns the strides of a dense row-major array, in elements."""
    return [prod(sizes[k + 1 :]) for k in range(len(sizes))]


def strided_indices(
    sizes: Sequence[Symbol], strides: Sequence[int], offset: int, source: Sequence[Symbol]
) -> list[str]:
    """
    Returns the index of element `offset + Σ stride·i` along each axis of `source`, for `i` in the box of `sizes`. Raises
    `NotAffine`.
    """
    if 0 in source or 0 in sizes:  # no elements: any map is correct
        return ["0"] * len(source)
    strides = [0 if size == 1 else stride for size, stride in zip(sizes, strides, strict=True)]
    wide = [j for j, s in enumerate(source) if s != 1]
    if not wide:
        return ["0"] * len(source)
    inner = _static([source[j] for j in wide[1:]], "the operand")
    steps = [prod(inner[j:]) for j in range(len(wide))]  # the row-major stride of each axis in `wide`
    cuts = [j for j in range(1, len(wide)) if _stays_below(sizes, strides, offset, steps[j - 1])]
    exprs = ["0"] * len(source)
    for first, end in zip([0, *cuts], [*cuts, len(wide)], strict=True):
        within, unit = (steps[first - 1] if first else None), steps[end - 1]
        linear = _linear([_digit(s, within, unit) for s in strides], _digit(offset, within, unit))
        for j in range(first, end):
            quotient = linear if steps[j] == unit else f"floor(({linear})/{steps[j] // unit})"
            above = "" if j == first else f" - {inner[j - 1]}*floor(({linear})/{steps[j - 1] // unit})"
            exprs[wide[j]] = quotient + above
    return exprs


def _stays_below(sizes: Sequence[Symbol], strides: Sequence[int], offset: int, whole: int) -> bool:
    """Whether `offset + Σ stride·i`, with `offset` and each stride modulo `whole`, stays below `whole`, so that nothing carries."""
    high = offset % whole
    for size, stride in zip(sizes, strides, strict=True):
        if part := stride % whole:
            if isinstance(size, str):
                return False
            high += part * (size - 1)
    return high < whole


def _digit(number: int, within: int | None, unit: int) -> int:
    """Returns the part of `number` below `within` (None: no limit) in multiples of `unit`."""
    return (number if within is None else number % within) // unit


def _linear(factors: Sequence[int], constant: int) -> str:
    terms = [f"i{k}" if f == 1 else f"{f}*i{k}" for k, f in enumerate(factors) if f]
    return " + ".join(terms + [str(constant)] * bool(constant)) or "0"


def _static(sizes: Sequence[Symbol], what: str) -> list[int]:
    """Returns the sizes as numbers. Raises `NotAffine` at a symbolic one."""
    names = [s for s in sizes if isinstance(s, str)]
    if names:
        raise NotAffine(f"{what} has an axis of symbolic size {names[0]} that is not the outermost of its factors")
    return [s for s in sizes if isinstance(s, int)]


@lru_cache(maxsize=1024)
def reshape_indices(target: tuple[Symbol, ...], source: tuple[Symbol, ...]) -> tuple[list[str], list[tuple[str, str]]]:
    """
    Returns the index along each axis of `source` in terms of the target's axes, and pairs of products of sizes, in isl's
    syntax, that must be equal for the reshape to be valid. Each factor group is linearized by itself.
    """
    exprs: list[str] = []
    demands: list[tuple[str, str]] = []
    for outs, ins in factor_groups(target, source):
        wide = [k for k in outs if target[k] != 1]
        inner = _static([target[k] for k in wide[1:]], "the result")
        strides = [0] * len(target)
        for k, step in zip(wide, row_major_strides([1, *inner]), strict=False):
            strides[k] = step
        factors = [target[k] for k in outs], [source[k] for k in ins]
        exprs += strided_indices(target, strides, 0, factors[1])
        if product(factors[0]) != product(factors[1]):
            demands.append((_product_text(factors[0]), _product_text(factors[1])))
    return exprs, demands


def factor_groups(target: Sequence[Symbol], source: Sequence[Symbol]) -> list[tuple[list[int], list[int]]]:
    """
    Splits both shapes into the shortest runs of axes with equal products. Products are compared from the front and from the
    back, because symbolic sizes may hide an equality from one of the two.
    """
    ends = (len(target), len(source))
    if 0 in target or 0 in source:
        return [(list(range(ends[0])), list(range(ends[1])))]
    cuts = [
        (t, s)
        for t in range(ends[0] + 1)
        for s in range(ends[1] + 1)
        if product(target[:t]) == product(source[:s]) or product(target[t:]) == product(source[s:])
    ]
    groups: list[tuple[list[int], list[int]]] = []
    t = s = 0
    while (t, s) != ends:
        i, j = min((cut for cut in cuts if cut[0] >= t and cut[1] >= s and cut != (t, s)), key=sum)
        groups.append((list(range(t, i)), list(range(s, j))))
        t, s = i, j
    return groups


def product(sizes: Sequence[Symbol]) -> tuple[int, tuple[str, ...]]:
    """Returns the product of the numeric sizes, and the symbolic sizes."""
    return prod(s for s in sizes if isinstance(s, int)), tuple(sorted(s for s in sizes if isinstance(s, str)))


def _product_text(sizes: Sequence[Symbol]) -> str:
    number, names = product(sizes)
    return "*".join([str(number), *map(symbol, names)])
