"""
The inputs on which an op is compared, as they follow from the types of its signature.

All of 16 bits for one operand and all of 8 bits for two; booleans and one float of 16 bits in full; limits of the types and their neighbors,
combined; hard inputs of functions; random ones. A buffer is shared by all inputs of a domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..dialects.vyre.floats import format_of
from ..dialects.vyre.types import FLOATS, VECTORS, BufferType, DataType, bf16, boolean, bytes_, f16, f32, i32
from .floats import SIGN, bits
from .hard_inputs import HARD, boundaries, exact_powers, floats
from .values import numbers_of, words_of

Array = npt.NDArray[Any]
Type = DataType | BufferType
Kind = Literal["exhaustive", "boundary", "hard", "sampled", "given"]
SAMPLES = 4096
COMBINATIONS = 4096
"""The number of inputs that are drawn, and of combinations of boundaries."""
EDGES = (
    *(0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 255, 256, 65535, 65536, 2**24 + 1),
    *(2**31 - 1, 2**31, 2**31 + 1, 2**32 - 2, 2**32 - 1, 2**32, 2**32 + 1, 2**63 - 1, 2**63, 2**64 - 1),
)
"""Limits of integers and their neighbors. They are taken modulo the width of a type."""
SPECIAL: dict[DataType, tuple[int, ...]] = {
    f32: (0, 1, 2, 0x7FFFFF, 0x800000, 0x33800000, 0x3F000000, 0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x40400000,
          0x4B7FFFFF, 0x4B800000, 0x4F000000, 0x4F7FFFFF, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00001),
    f16: (0, 1, 0x3FF, 0x400, 0x3800, 0x3BFF, 0x3C00, 0x3C01, 0x4200, 0x6800, 0x7BFF, 0x7C00, 0x7C01, 0x7E01),
    bf16: (0, 1, 0x7F, 0x80, 0x3F00, 0x3F7F, 0x3F80, 0x3F81, 0x4040, 0x4380, 0x4F80, 0x7F7F, 0x7F80, 0x7F81, 0x7FC1),
}  # fmt: skip
"""The bits of zero, limits of subnormal and normal numbers, 1 and its neighbors, limits of integers, infinity, NaN."""
NEAR_ONE: dict[DataType, tuple[int, int]] = {f32: (0x3F800000, 0x1FFFFFF), f16: (0x3C00, 0x7FF), bf16: (0x3F80, 0xFF)}
"""The bits of 1, and those that are added to them for numbers of like magnitude."""
TEXT = "Grüße, żółw 亀 🐢! The quick brown fox jumps over it".encode()


@dataclass(frozen=True)
class Domain:
    """
    Inputs of an op: for each operand an array of words with a row for each input, or the elements of a buffer that all inputs share.

    `complete` says that they are all there are.
    """

    name: str
    kind: Kind
    columns: tuple[Array, ...]
    count: int
    complete: bool = False

    def part(self, chosen: Array, types: Sequence[Type]) -> tuple[Array, ...]:
        """Returns the columns of the chosen inputs."""
        pairs = zip(self.columns, types, strict=True)
        return tuple(c if isinstance(t, BufferType) else c[chosen] for c, t in pairs)

    def only(self, count: int, types: Sequence[Type]) -> Domain:
        """Returns about `count` of the inputs, evenly spread, which are no longer exhaustive."""
        if self.count <= count:
            return self
        chosen = np.linspace(0, self.count - 1, count).astype(np.int64)
        kind = "sampled" if self.kind == "exhaustive" else self.kind
        return Domain(f"{count} of {self.name}", kind, self.part(chosen, types), count)


def domains(types: Sequence[Type], function: str, generator: np.random.Generator) -> Iterator[Domain]:
    """Yields the inputs for operands of these types. `function` names an elementary function, or is empty."""
    if any(isinstance(t, BufferType) for t in types):
        yield from _of_buffers(types, generator)
        return
    scalars = [t for t in types if isinstance(t, DataType)]
    if all(t == boolean for t in scalars) or (len(types) == 1 and scalars[0] in (f16, bf16)):
        yield _combined("all inputs", "exhaustive", [_first(t, 16) for t in scalars], None, True)
        return
    bits = {1: 16, 2: 8}.get(len(types))
    if bits and not any(t in FLOATS for t in types):
        yield _combined(f"all of {bits} bits", "exhaustive", [_first(t, bits) for t in scalars])
    edges = [_edges(t, len(types) == 1 and bool(function)) for t in scalars]
    yield _combined("boundaries", "boundary", edges, generator)
    if function and scalars[0] == f32:
        yield from _hard(function)
    columns = [_drawn(t, SAMPLES, generator, k) for k, t in enumerate(scalars)]
    if function == "pow":
        columns = _powers(scalars[0], generator)
    yield Domain("random", "sampled", tuple(columns), SAMPLES)


def _combined(
    name: str, kind: Kind, sets: Sequence[Array], generator: np.random.Generator | None = None, complete: bool = False
) -> Domain:
    """Returns the combinations of the elements of sets, or with a generator at most `COMBINATIONS` of them."""
    total = int(np.prod([len(s) for s in sets], dtype=np.int64))
    chosen = np.arange(total)
    if generator is not None and total > COMBINATIONS:
        chosen = np.sort(generator.choice(total, COMBINATIONS, replace=False))
    places = np.unravel_index(chosen, [len(s) for s in sets])
    columns = tuple(s[at] for s, at in zip(sets, places, strict=True))
    return Domain(name, kind, columns, len(chosen), complete)


def _first(t: DataType, bits: int) -> Array:
    """Returns the elements of the fewest bits; the other components of a vector are mixed from its first."""
    if t == boolean:
        return words_of((0, 1), t)
    words = np.arange(1 << bits, dtype=np.uint32)
    if t == i32:
        words = words - np.uint32(1 << bits - 1)
    if t in VECTORS:
        return np.stack([words * np.uint32(1 + 0x10204080 * k) for k in range(t.words)], axis=-1)
    return np.pad(words[:, None], ((0, 0), (0, t.words - 1)))


def _edges(t: DataType, function: bool = False) -> Array:
    if t == boolean:
        return words_of((0, 1), t)
    if t == f32 and function:
        return boundaries().view(np.uint32)[:, None]
    if t in FLOATS:
        return words_of([s | w for s in (0, SIGN[format_of(t)]) for w in SPECIAL[t]], t)
    if t in VECTORS:
        return words_of([[EDGES[(k + 5 * c) % len(EDGES)] for c in range(t.words)] for k in range(len(EDGES))], t)
    return np.unique(words_of(EDGES, t), axis=0)


def _drawn(t: DataType, count: int, generator: np.random.Generator, number: int) -> Array:
    """
    Returns random elements. Half of the integers have random sizes, half of the floats are of like magnitude, so that sums and comparisons
    are not decided by exponents.
    """
    words = generator.integers(0, 1 << 32, (count, t.words), dtype=np.uint64).astype(np.uint32)
    half = words[: count // 2]
    if t == boolean:
        return words & np.uint32(1)
    if t in FLOATS:
        one, fraction = NEAR_ONE[t]
        half[:] = half & np.uint32(SIGN[format_of(t)]) | np.uint32(one) + (half & np.uint32(fraction))
        return words if t == f32 else words & np.uint32(0xFFFF)
    half >>= generator.integers(0, 32, half.shape, dtype=np.uint32)
    if number:
        half[: count // 16] &= np.uint32(3)
    return words


def _powers(t: DataType, generator: np.random.Generator) -> list[Array]:
    """Returns operands of `pow` whose result is mostly finite; half of the bases are near 1, a quarter of the exponents multiples of 1/8."""
    x = np.exp2(generator.uniform(-126, 127, SAMPLES))
    x[::2] = 1 + generator.uniform(-1, 1, SAMPLES // 2) * 2.0 ** generator.uniform(-24, -1, SAMPLES // 2)
    y = generator.uniform(-150, 129, SAMPLES) / np.maximum(np.abs(np.log2(x)), 2.0**-24)
    y[::4] = np.rint(y[::4] * 8) / 8
    x[::7] *= -1
    return [bits(v, format_of(t))[:, None] for v in (x, y)]


def _hard(function: str) -> Iterator[Domain]:
    if function == "pow":
        x, y = (np.ascontiguousarray(v).view(np.uint32)[:, None] for v in exact_powers())
        yield Domain("exact results and midpoints, by criterion", "hard", (x, y), len(x))
    elif function in HARD:
        words = floats(HARD[function]).view(np.uint32)[:, None]
        yield Domain("hardest published", "hard", (words,), len(words))


def _of_buffers(types: Sequence[Type], generator: np.random.Generator) -> Iterator[Domain]:
    """Yields domains whose first scalar is a length or an index, up to the size of the buffer."""
    for name, data in (("random bytes", generator.integers(0, 256, 64, dtype=np.uint8)), ("text", _text())):
        if bytes_ not in [t.element for t in types if isinstance(t, BufferType)]:
            data = (
                (generator.normal(size=64) * generator.choice([1e-3, 1, 1e30], 64)).astype(np.float32).view(np.uint32)
            )
            data[::9] = generator.choice(SPECIAL[f32], len(data[::9]))
            name = f"random elements, {name}"
        scalars = [t for t in types if isinstance(t, DataType)]
        columns = [words_of(range(65), scalars[0]), *(_drawn(t, 65, generator, 1) for t in scalars[1:])]
        for column in columns[1:]:
            column[:64:3] = data.view(np.uint8)[:64:3, None]  # bytes that occur, and small indices
        rest = iter(columns)
        yield Domain(name, "sampled", tuple(data if isinstance(t, BufferType) else next(rest) for t in types), 65)


def _text() -> Array:
    return np.frombuffer(TEXT.ljust(64, b"."), np.uint8)[:64]


def legal_part(domain: Domain, types: Sequence[Type], legal: Callable[..., bool]) -> Domain:
    """Returns the inputs whose numbers are legal, which may be fewer than all."""
    rows = list(arguments(domain.columns, types))
    chosen = np.flatnonzero([legal(*row) for row in rows])
    return Domain(domain.name, domain.kind, domain.part(chosen, types), len(chosen))


def arguments(columns: Sequence[Array], types: Sequence[Type]) -> Iterator[tuple[Any, ...]]:
    """Yields the operands of each input as numbers, and buffers of bytes as `bytes`."""
    count = next(len(c) for c, t in zip(columns, types, strict=True) if isinstance(t, DataType))
    lists = [
        [c.tobytes()] * count if isinstance(t, BufferType) else numbers_of(c, t)
        for c, t in zip(columns, types, strict=True)
    ]
    return zip(*lists, strict=True)
