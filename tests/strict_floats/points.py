"""The points: random programs of strict floats, and random operands with zeros, subnormal numbers, infinities and a wide range."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from random import Random
from typing import Any

import numpy as np

from ptir.semantics.arrays.scalars import numpy_dtype

FLOATS = ("f32", "f32", "f32", "bf16", "f16")
SIZES = (1, 2, 3, 5, 8, 16, 24, 32)
LONG = (7, 32, 40, 64, 96)
"""Sizes of axes that contractions sum."""
MOST = 4096
"""Maximum number of elements of a value."""
UNARY = ("neg", "abs", "sqrt", "reciprocal", "floor", "sign")
ELEMENTARY = ("exp", "log", "tanh", "erf", "rsqrt", "sin", "cos", "exp2", "expm1", "log1p", "erfc", "logistic")
BINARY = ("add", "sub", "mul", "div", "maximum", "minimum", "add", "mul", "pow")


@dataclass(frozen=True)
class Tensor:
    name: str
    shape: tuple[int, ...]
    dtype: str

    @property
    def type(self) -> str:
        return "tensor<" + "".join(f"{n}x" for n in self.shape) + f"{self.dtype}>"


@dataclass
class Program:
    """A program that grows by an op at a time; `kinds` names what it has."""

    random: Random
    arguments: list[Tensor] = field(default_factory=list[Tensor])
    lines: list[str] = field(default_factory=list[str])
    values: list[Tensor] = field(default_factory=list[Tensor])
    kinds: set[str] = field(default_factory=set[str])

    def argument(self, shape: Sequence[int], dtype: str) -> Tensor:
        self.arguments.append(Tensor(f"%x{len(self.arguments)}", tuple(shape), dtype))
        return self.arguments[-1]

    def op(self, text: str, shape: Sequence[int], dtype: str, operands: Sequence[Tensor], *, types: str = "") -> Tensor:
        """Adds an op with the types of its operands and of its result, or those of `types`."""
        out = Tensor(f"%{len(self.lines)}", tuple(shape), dtype)
        ins = ", ".join(t.type for t in operands)
        types = types or f"{ins if len(operands) == 1 else f'({ins})'} -> {out.type}"
        self.lines.append(f"{out.name} = ptir.{text} : {types}")
        self.values.append(out)
        return out

    def cast(self, x: Tensor, dtype: str) -> Tensor:
        return x if x.dtype == dtype else self.op(f"cast {x.name}", x.shape, dtype, [x])

    def broadcast(self, x: Tensor, shape: Sequence[int]) -> Tensor:
        return x if x.shape == tuple(shape) else self.op(f"broadcast_to {x.name}", shape, x.dtype, [x])

    # --- steps ------------------------------------------------------------------------------------

    def unary(self, x: Tensor) -> Tensor:
        fn = self.random.choice(UNARY)
        return self.op(f"{fn} {x.name}", x.shape, x.dtype, [x], types=x.type)

    def elementary(self, x: Tensor) -> Tensor:
        fn = self.random.choice(ELEMENTARY)
        self.kinds.add(fn)
        return self.op(f"{fn} {x.name}", x.shape, x.dtype, [x], types=x.type)

    def binary(self, x: Tensor) -> Tensor:
        same = [y for y in (*self.values, *self.arguments) if (y.shape, y.dtype) == (x.shape, x.dtype)]
        y = self.random.choice((*same, None)) or self.argument(x.shape, x.dtype)
        fn = self.random.choice(BINARY)
        return self.op(f"{fn} {x.name}, {y.name}", x.shape, x.dtype, [x, y], types=x.type)

    def reduce(self, x: Tensor) -> Tensor:
        if not x.shape:
            return x
        axes = sorted(self.random.sample(range(len(x.shape)), self.random.randint(1, len(x.shape))))
        kind, kept = self.random.choice(("sum", "sum", "sum", "mul", "max", "min")), self.random.random() < 0.6
        shape = [1 if a in axes else n for a, n in enumerate(x.shape) if kept or a not in axes]
        self.kinds.add(f"reduce {kind}")
        keep = " keepdims" * kept
        small = self.op(f"reduce {kind} {x.name} axes {axes}{keep}", shape, x.dtype, [x])
        if not kept:
            return small
        fn = self.random.choice(("sub", "div", "mul"))
        wide = self.broadcast(small, x.shape)
        return self.op(f"{fn} {x.name}, {wide.name}", x.shape, x.dtype, [x, wide], types=x.type)

    def product(self, x: Tensor) -> Tensor:
        """A contraction with an argument, along one axis or two."""
        if len(x.shape) < 2 or prod(x.shape) > 2048:
            return x
        summed = self.random.sample(range(len(x.shape)), 1 if len(x.shape) < 3 else self.random.choice((1, 2)))
        columns = self.random.choice((1, 3, 8, 16, 24))
        w = self.argument([*(x.shape[a] for a in summed), columns], x.dtype)
        free = [n for a, n in enumerate(x.shape) if a not in summed]
        axes = f"contract {summed} x {list(range(len(summed)))}"
        self.kinds.add(f"contraction of {x.dtype}")
        return self.op(f"dot_general {x.name}, {w.name} {axes} accum f32 out f32", [*free, columns], "f32", [x, w])

    def convolution(self, x: Tensor) -> Tensor:
        """A convolution of an argument with another, which follows from nothing before."""
        n, size, channels, features = (
            self.random.choice((1, 2)),
            self.random.choice((5, 6)),
            *self.random.choices((2, 8, 16), k=2),
        )
        dtype = self.random.choice(FLOATS)
        image, filter = (
            self.argument([n, size, size, channels], dtype),
            self.argument([3, 3, channels, features], dtype),
        )
        self.kinds.add("convolution")
        text = f"convolution {image.name}, {filter.name} padding [(1, 1), (1, 1)] accum f32 out f32"
        return self.op(text, [n, size, size, features], "f32", [image, filter])

    def window(self, x: Tensor) -> Tensor:
        if len(x.shape) != 2 or min(x.shape) < 2:
            return x
        size = min(self.random.choice((2, 3, 5)), x.shape[1])
        kind = self.random.choice(("sum", "sum", "max"))
        shape = [x.shape[0], x.shape[1] + 1 - size + 1]
        self.kinds.add(f"window {kind}")
        return self.op(
            f"reduce_window {kind} {x.name} window [1, {size}] strides [1, 1] padding [(0, 0), (1, 0)]",
            shape,
            x.dtype,
            [x],
        )

    def transpose(self, x: Tensor) -> Tensor:
        perm = self.random.sample(range(len(x.shape)), len(x.shape))
        return self.op(f"transpose {x.name} {perm}", [x.shape[a] for a in perm], x.dtype, [x]) if x.shape else x

    def reshape(self, x: Tensor) -> Tensor:
        shape = [prod(x.shape[:-1]), x.shape[-1]] if len(x.shape) > 2 else [*x.shape, 1]
        return self.op(f"reshape {x.name}", shape, x.dtype, [x])

    def convert(self, x: Tensor) -> Tensor:
        return self.cast(x, self.random.choice(FLOATS))

    def text(self) -> str:
        results = self.random.sample(self.values, min(len(self.values), 2))
        last = self.values[-1]
        results = [last, *(r for r in results if r is not last)]
        arguments = ", ".join(f"{a.name}: {a.type}" for a in self.arguments)
        types = ", ".join(r.type for r in results)
        body = "\n".join(f"    {line}" for line in self.lines)
        names = ", ".join(r.name for r in results)
        return (
            "builtin.module attributes {ptir.extensions, ptir.strict_floats} {\n"
            f"  func.func @f({arguments}) -> ({types}) {{\n{body}\n    func.return {names} : {types}\n  }}\n}}\n"
        )


@dataclass(frozen=True)
class StrictPoint:
    """A random program, and the random numbers for its plans."""

    number: int
    text: str
    kinds: Sequence[str]
    random: Random


def point(number: int, seed: int = 0) -> StrictPoint:
    """Returns the point with a number: a program of two to six steps from an argument."""
    random = Random(f"strict/{seed}/{number}")
    p = Program(random)
    steps: Sequence[Callable[[Tensor], Tensor]] = (
        p.unary, p.elementary, p.elementary, p.binary, p.binary, p.reduce, p.reduce, p.reduce, p.product, p.product, p.product,
        p.convolution, p.window, p.transpose, p.reshape, p.convert,
    )  # fmt: skip
    x = p.argument(
        [random.choice(SIZES), random.choice((1, 2, 4)), random.choice(LONG)][random.choice((0, 0, 1)) :],
        random.choice(FLOATS),
    )
    for _ in range(random.randint(2, 5)):
        x = random.choice(steps)(x)
        if prod(x.shape) > MOST:
            break
    if not p.values:
        p.reduce(x)
    return StrictPoint(number, p.text(), sorted(p.kinds), random)


def operands(p: StrictPoint, types: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
    """Returns numbers of widely different sizes for the arguments, among them a few special ones."""
    draw = np.random.default_rng(p.number)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-44, 3e38, 65504.0, 2.0**-24, 1.0, -1.0])
    found: list[np.ndarray[Any, Any]] = []
    for t in types:
        shape = t.get_shape()
        numbers = draw.standard_normal(shape) * np.exp2(draw.integers(-12, 6, shape))
        odd = draw.random(shape) < draw.choice([0.0, 0.0, 0.01, 0.05])
        numbers = np.where(odd, draw.choice(special, shape), numbers)
        with np.errstate(over="ignore"):
            found.append(numbers.astype(np.float32).astype(numpy_dtype(t.element_type)))
    return found
