"""
Random chains of movements, their results by NumPy, and their results by the composed access.

NumPy moves an array whose elements are their own row-major indices; padding is -1. The access is evaluated at all points at once,
by Python from isl's text, without using the compiler's code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from random import Random
from typing import Any

import islpy as isl
import numpy as np
from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import SSAValue
from xdsl.utils.test_value import create_ssa_value

from ptir.analysis.index.book import IndexBook
from ptir.analysis.index.info import Access, compose_access
from ptir.dialects.tiny import MovementOp

Array = Any
Sizes = tuple[int, ...]
RANK, LENGTH, ELEMENTS = 5, 8, 1500
FILLS = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Step:
    """One movement: its kind, the sizes of its result and its parameters."""

    kind: str
    sizes: Sizes
    parameters: dict[str, Any]

    def op(self, x: SSAValue) -> MovementOp:
        p = self.parameters
        match self.kind:
            case "permute":
                return MovementOp.permute(x, p["perm"])
            case "pad":
                return MovementOp.pad(x, p["low"], p["high"], p["value"])
            case "shrink":
                return MovementOp.shrink(x, p["start"], self.sizes)
            case "view":
                return MovementOp.view(x, self.sizes, strides=p["strides"], offset=p["offset"])
            case _:
                return MovementOp(self.kind, x, self.sizes)

    def move(self, numbers: Array) -> Array:
        """Applies the movement by NumPy."""
        p = self.parameters
        match self.kind:
            case "permute":
                return numbers.transpose(p["perm"])
            case "pad":
                amounts = list(zip(p["low"], p["high"], strict=True))
                return np.pad(numbers, amounts, constant_values=-1) if amounts else numbers
            case "shrink":
                return numbers[tuple(slice(b, b + s) for b, s in zip(p["start"], self.sizes, strict=True))]
            case "view":
                at = np.full(self.sizes, p["offset"])
                for axis, stride in enumerate(p["strides"]):
                    at = at + stride * np.arange(self.sizes[axis]).reshape(
                        [-1 if a == axis else 1 for a in range(at.ndim)]
                    )
                return numbers.ravel()[at]
            case "expand":
                return np.broadcast_to(numbers, self.sizes)
            case _:
                return numbers.reshape(self.sizes)


@dataclass(frozen=True)
class Chain:
    source: Sizes
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        steps = (f"{s.kind} {list(s.sizes)} {s.parameters or ''}".rstrip() for s in self.steps)
        return " | ".join([str(list(self.source)), *steps])


def generate(seed: int, index: int) -> Chain:
    """Returns chain `index` of a seed, which is always the same."""
    rng = Random(f"{seed} {index}")
    if index % 3 == 2:
        return _merged_and_parted(rng)
    source = _shape(rng)
    sizes, steps = source, list[Step]()
    fill = rng.choice(FILLS)
    for _ in range(rng.randint(1, LENGTH)):
        step = _step(rng, sizes, fill)
        if prod(step.sizes) <= ELEMENTS:
            steps.append(step)
            sizes = step.sizes
    return Chain(source, tuple(steps))


def _merged_and_parted(rng: Random) -> Chain:
    """Returns a chain that merges and splits three axes in various orders, so that divisions nest and cancel."""
    a, b, c = source = tuple(rng.randint(2, 7) for _ in range(3))
    merged = [
        (a * b, c),
        (a, b * c),
        (a * b * c,),
        (c, b, a),
        (b, a * c),
        (a * c, b),
        (b, c, a),
        (c * b, a),
        (c, a * b),
    ]
    sizes, steps = source, list[Step]()
    for _ in range(rng.randint(3, LENGTH)):
        if len(sizes) > 1 and rng.random() < 0.4:
            perm = rng.sample(range(len(sizes)), len(sizes))
            steps.append(Step("permute", tuple(sizes[p] for p in perm), {"perm": perm}))
        else:
            steps.append(Step("reshape", rng.choice([source, *merged]), {}))
        sizes = steps[-1].sizes
    return Chain(source, tuple(steps))


def _shape(rng: Random) -> Sizes:
    sizes = [rng.choice((1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 12)) for _ in range(rng.randint(0, RANK))]
    while prod(sizes) > ELEMENTS // 4:
        sizes[rng.randrange(len(sizes))] = rng.choice((1, 2, 3))
    return tuple(sizes)


def _step(rng: Random, sizes: Sizes, fill: float) -> Step:
    kind = rng.choice(("reshape", "reshape", "permute", "permute", "expand", "pad", "shrink", "view", "view"))
    rank = len(sizes)
    match kind:
        case "permute":
            perm = rng.sample(range(rank), rank)
            return Step(kind, tuple(sizes[p] for p in perm), {"perm": perm})
        case "expand":
            more = rng.randint(0, min(2, RANK - rank))
            repeated = [rng.choice((2, 3)) if s == 1 and rng.random() < 0.6 else s for s in sizes]
            return Step(kind, (*(rng.choice((1, 2, 3)) for _ in range(more)), *repeated), {})
        case "pad":
            low, high = ([rng.choice((0, 0, 1, 2)) for _ in sizes] for _ in range(2))
            return Step(
                kind,
                tuple(a + s + b for a, s, b in zip(low, sizes, high, strict=True)),
                {"low": low, "high": high, "value": fill},
            )
        case "shrink":
            kept = [rng.randint(max(1, s // 2), s) for s in sizes]
            start = [rng.randint(0, s - k) for s, k in zip(sizes, kept, strict=True)]
            return Step(kind, tuple(kept), {"start": start})
        case "view":
            return rng.choice((_windows, _strided))(rng, sizes)
        case _:
            return Step(kind, _regrouped(rng, prod(sizes)), {})


def _regrouped(rng: Random, count: int) -> Sizes:
    sizes = [1] * (rng.randint(1, RANK) if count > 1 else rng.randint(0, 3))
    for prime in _primes(count):
        sizes[rng.randrange(len(sizes))] *= prime
    return tuple(sizes)


def _primes(n: int) -> Iterator[int]:
    p = 2
    while n > 1:
        while n % p == 0:
            yield p
            n //= p
        p += 1


def _strided(rng: Random, sizes: Sizes) -> Step:
    """Returns a view with arbitrary strides: steps, repeats, overlaps, diagonals."""
    count = prod(sizes)
    offset = rng.randrange(count) if rng.random() < 0.5 else 0
    room, to, strides = count - 1 - offset, list[int](), list[int]()
    for _ in range(rng.randint(0, RANK)):
        stride = rng.randint(0, max(1, count // 3))
        size = rng.randint(1, min(6, room // stride + 1) if stride else 3)
        room -= stride * (size - 1)
        to.append(size)
        strides.append(stride)
    return Step("view", tuple(to), {"offset": offset, "strides": strides})


def _windows(rng: Random, sizes: Sizes) -> Step:
    """Returns a view of windows along some axes, with strides and dilations, as a convolution reads them."""
    rows = [prod(sizes[k + 1 :]) for k in range(len(sizes))]
    to, strides, windows = list[int](), list[int](), list[tuple[int, int]]()
    for size, row in zip(sizes, rows, strict=True):
        if size > 1 and len(sizes) + len(windows) < RANK and rng.random() < 0.6:
            width = rng.randint(1, min(3, size))
            dilation = rng.randint(1, max(1, (size - 1) // max(1, width - 1)) if width > 1 else 1)
            step = rng.choice((1, 1, 2))
            to.append((size - (width - 1) * dilation - 1) // step + 1)
            strides.append(row * step)
            windows.append((width, row * dilation))
        else:
            to.append(size)
            strides.append(row)
    strides += [s for _, s in windows]
    return Step("view", (*to, *(w for w, _ in windows)), {"offset": 0, "strides": strides})


# --- the compiler's access ------------------------------------------------------------------------


def composed(chain: Chain) -> tuple[Access, IndexBook]:
    """Returns the access from the chain's result to its source, composed step by step from the last one."""
    value: SSAValue = create_ssa_value(TensorType(f32, chain.source))
    ops: list[MovementOp] = []
    for step in chain.steps:
        op = step.op(value)
        op.verify()
        ops.append(op)
        value = op.result
    book = IndexBook(ops)
    book.check()
    sizes = book[value].static_sizes
    access = book[value].accesses[0]
    while (op := access.value.owner) in ops:
        access = compose_access(book[access.value].accesses[0], access, sizes)
    return access, book


def wanted(chain: Chain) -> Array:
    """Returns, for each point of the result, the row-major index of the source's element that it is, or -1 for padding."""
    numbers = np.arange(prod(chain.source)).reshape(chain.source)
    for step in chain.steps:
        numbers = step.move(numbers)
    return numbers


def reads(access: Access, sizes: Sizes, source: Sizes, names: Mapping[str, int] | None = None) -> Array:
    """
    Returns the same for an access, or -2 where its map leaves the operand although the guard holds. `names` are the named sizes.
    """
    index = evaluate([str(access.map.get_at(k)) for k in range(access.map.dim(isl.dim_type.out))], sizes, names)
    inside = np.ones(sizes, bool) if access.guard is None else contains(access.guard, sizes, names)
    number = np.zeros(sizes, np.int64)
    left = np.zeros(sizes, bool)
    for at, size in zip(index, source, strict=True):
        left |= (at < 0) | (at >= size)
        number = number * size + at
    return np.where(inside, np.where(left, -2, number), -1)


def evaluate(expressions: Sequence[str], sizes: Sizes, names: Mapping[str, int] | None = None) -> list[Array]:
    """Evaluates isl's text of expressions in `i0, i1, …` at all points of the box of `sizes`."""
    points = {f"i{k}": axis for k, axis in enumerate(np.indices(sizes))} | dict(names or {})
    zeros = np.zeros(sizes, np.int64)
    return [eval(_python(text), {"floor": lambda x: x, **points}) + zeros for text in expressions]


def _python(text: str) -> str:
    """Translates isl's text, such as `2i0 mod 4` and `floor((i0)/4)`, to Python."""
    body = text.rpartition("-> [")[2].strip(" }").removesuffix("]")
    return re.sub(r"(\d)(?=[A-Za-z(])", r"\1*", body.replace(" mod ", " % ").replace("/", "//"))


def contains(guard: isl.Set, sizes: Sizes, names: Mapping[str, int] | None = None) -> Array:
    """Returns the mask of the points of the box that a set contains."""
    out = np.zeros(sizes, bool)
    basics: list[isl.BasicSet] = []
    guard.compute_divs().foreach_basic_set(basics.append)
    for basic in basics:
        inside = np.ones(sizes, bool)
        for constraint in basic.get_constraints():
            (value,) = evaluate([str(constraint.get_aff())], sizes, names)
            inside &= value == 0 if constraint.is_equality() else value >= 0
        out |= inside
    return out
