"""
Generates inputs that are likely to distinguish two programs, deterministically from a seed.

Sample number i of a function is of the kind `KINDS[i % 4]`:

- `integers`: small integers, also for float types. Most sums of them are exact, so that results can be compared exactly.
- `random`: standard normal floats; integers from the whole range of their type.
- `boundary`: for float types, ±0, ±1 and subnormals; about √n/2 of n elements are ±Inf, NaN or the largest finite values, few
  enough that a contraction has rows without them. For integer types, mostly the extremes.
- `adversarial`: magnitudes from 2⁻¹² to 2¹² (2⁻⁶ to 2⁶ in types of 16 bits and less). In arguments 0, 2, …, adjacent elements
  along the last axis nearly cancel; in arguments 1, 3, …, adjacent elements along the first axis are nearly equal.

`i1` is uniformly random in all kinds. An `attempt` > 0 draws again, without zeros among the integers: a program that divides by
an argument is undefined on most samples with zeros.

Dynamic sizes are drawn, too, one for each name: 0, 1, primes, sizes next to a power of two, and sizes that occur in the program.
A sample has at most three different dynamic sizes: with more, a program that requires two `?` to be equal would be undefined on
most samples. DESIGN §6, items 1 and 2.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt

import numpy as np

from ..text.known_sizes import Size
from .arrays.float_formats import largest, smallest_normal, ulp
from .arrays.scalars import Array, DType, cast, integer_range, is_complex, is_float

KINDS = ("integers", "random", "boundary", "adversarial")
SIZES = (0, 1, 2, 2, 3, 3, 5, 5, 7, 13, 16, 17)
Signature = Sequence[tuple[tuple[Size, ...], DType]]
"""The sizes and the element type of each argument."""


@dataclass(frozen=True)
class Sample:
    """The arguments of call `number`. Callers must not modify the arrays."""

    number: int
    kind: str
    arrays: tuple[Array, ...]


def draw(
    name: str, signature: Signature, seed: int, number: int, attempt: int = 0, likely: Sequence[int] = ()
) -> Sample:
    """Returns sample `number` of function `name` under `seed`. Dynamic dimensions often have a size in `likely`."""
    entropy = [seed, number, attempt, zlib.crc32(name.encode())]
    rng = np.random.default_rng(entropy)
    kind = KINDS[number % len(KINDS)]
    arrays: list[Array] = []
    shapes = draw_shapes(np.random.default_rng([*entropy, 1]), [sizes for sizes, _ in signature], likely)
    for position, (shape, (_, dtype)) in enumerate(zip(shapes, signature, strict=True)):
        array = _draw(rng, kind, shape, dtype, position)
        if attempt and array.dtype.kind in "iu":
            array = np.where(array == 0, np.ones_like(array), array)
        arrays.append(array)
    return Sample(number, kind, tuple(arrays))


def is_dynamic(signature: Signature) -> bool:
    """Whether an argument has a dynamic size, so that another draw may have other shapes."""
    return any(not isinstance(size, int) for sizes, _ in signature for size in sizes)


def draw_shapes(
    rng: np.random.Generator, sizes: Sequence[Sequence[Size]], likely: Sequence[int] = ()
) -> list[tuple[int, ...]]:
    """Returns the shapes of the arguments, in which each name and each `?` is replaced by a drawn number."""
    pools = [SIZES, likely or SIZES]
    few = [rng.choice(pools[rng.integers(2)]) for _ in range(rng.integers(1, 4))]
    names: dict[str, int] = {}

    def static(size: Size) -> int:
        if isinstance(size, int):
            return size
        drawn = int(rng.choice(few))
        return drawn if size is None else names.setdefault(size, drawn)

    return [tuple(map(static, shape)) for shape in sizes]


def _draw(rng: np.random.Generator, kind: str, sizes: tuple[int, ...], dtype: DType, position: int) -> Array:
    if dtype == np.bool_:
        return rng.integers(0, 2, sizes).astype(np.bool_)
    if is_complex(dtype):
        part = np.dtype(np.float64)
        real, imaginary = (_draw(rng, kind, sizes, part, position) for _ in range(2))
        with np.errstate(all="ignore"):
            return (real + 1j * imaginary).astype(dtype)
    if not is_float(dtype):
        return _integers(rng, kind, sizes, dtype)
    match kind:
        case "integers":
            return cast(rng.integers(-3, 4, sizes).astype(np.float64), dtype)
        case "random":
            return cast(rng.standard_normal(sizes), dtype)
        case "boundary":
            return _boundary(rng, sizes, dtype)
        case _:
            return _adversarial(rng, sizes, dtype, position)


def _integers(rng: np.random.Generator, kind: str, sizes: tuple[int, ...], dtype: DType) -> Array:
    low, high = integer_range(dtype)
    if kind == "integers":
        return rng.integers(max(low, -3), min(high, 3), sizes, endpoint=True).astype(dtype)
    whole = rng.integers(low, high, sizes, np.uint64 if low == 0 else np.int64, endpoint=True)
    if kind == "random":
        return whole.astype(dtype)
    ends = np.array([low, low + 1, 0, 1, high - 1, high], whole.dtype)
    return np.where(rng.integers(0, 4, sizes) == 0, whole, rng.choice(ends, sizes)).astype(dtype)


def _boundary(rng: np.random.Generator, sizes: tuple[int, ...], dtype: DType) -> Array:
    most, least = largest(dtype), smallest_normal(dtype)
    tiny = float(ulp(np.zeros(()), dtype))
    tame = np.array([0.0, -0.0, 1.0, -1.0, least, -least, tiny, -tiny, least - tiny])
    wild = np.array([np.inf, -np.inf, np.nan, most, -most])
    flat = rng.choice(tame, sizes).reshape(-1)
    if flat.size:
        at = rng.choice(flat.size, max(1, isqrt(flat.size) // 2), replace=False)
        flat[at] = rng.choice(np.concatenate([wild, tame]) if flat.size == 1 else wild, at.size)
    with np.errstate(invalid="ignore"):
        return cast(flat.reshape(sizes), dtype)


def _adversarial(rng: np.random.Generator, sizes: tuple[int, ...], dtype: DType, position: int) -> Array:
    reach = 12 if dtype.itemsize > 2 else 6
    x = np.asarray(rng.standard_normal(sizes) * np.exp2(rng.integers(-reach, reach + 1, sizes)))
    if sizes:
        axis, sign = (len(sizes) - 1, -1.0) if position % 2 == 0 else (0, 1.0)
        paired = np.moveaxis(x, axis, 0)  # a view in which adjacent elements along the axis are adjacent rows
        odd = paired[1::2]
        odd[...] = sign * paired[: 2 * len(odd) : 2] * (1 + odd / np.exp2(2 * reach))
    return cast(x, dtype)
