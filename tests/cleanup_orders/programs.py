"""
Random tiny programs that clean-up passes can change: they have products that are both summed and used elsewhere, duplicate
ops, and unused ops. Program N of a seed is always the same.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

PASSES = ("dce", "cse", "canonicalize", "ptir-canonicalize")
KINDS = (("si4", "si8", "ui8", "si16", "si32"), ("f8E4M3FN", "f16", "bf16", "f32", "f64"))
Shape = tuple[int, ...]
SHAPES: tuple[Shape, ...] = ((3, 4), (3, 4), (3, 1), (4,), ())


@dataclass
class Program:
    """The function @f, and the passes to run on it, in order."""

    arguments: list[str] = field(default_factory=list[str])
    lines: list[str] = field(default_factory=list[str])
    values: list[tuple[str, Shape, str]] = field(default_factory=list[tuple[str, Shape, str]])
    results: list[int] = field(default_factory=list[int])
    passes: list[str] = field(default_factory=list[str])

    @property
    def text(self) -> str:
        names = ", ".join(f"%{self.values[k][0]}" for k in self.results)
        types = ", ".join(spell(*self.values[k][1:]) for k in self.results)
        body = "\n  ".join([*self.lines, f"func.return {names} : {types}"])
        return f"func.func @f({', '.join(self.arguments)}) -> ({types}) {{\n  {body}\n}}\n"


def spell(shape: Shape, dtype: str) -> str:
    return "tensor<" + "".join(f"{n}x" for n in shape) + f"{dtype}>"


def fit(a: Shape, b: Shape) -> bool:
    return all(x == y or 1 in (x, y) for x, y in zip(reversed(a), reversed(b), strict=False))


def generate(seed: int, number: int) -> Program:
    rng = random.Random(f"{seed} {number}")
    p = Program()
    dtypes = rng.choice(KINDS)
    for k in range(rng.randint(2, 3)):
        shape, dtype = rng.choice(SHAPES[:4]), rng.choice(dtypes)
        p.values.append((f"a{k}", shape, dtype))
        p.arguments.append(f"%a{k}: {spell(shape, dtype)}")
    written: list[tuple[str, Shape, str]] = []

    def add(text: str, shape: Shape, dtype: str) -> int:
        written.append((text, shape, dtype))
        name = f"v{len(p.lines)}"
        p.lines.append(f"%{name} = {text} -> {spell(shape, dtype)}")
        p.values.append((name, shape, dtype))
        return len(p.values) - 1

    def cast(k: int, dtype: str) -> int:
        name, shape, old = p.values[k]
        return k if old == dtype else add(f"tiny.unary cast %{name} : {spell(shape, old)}", shape, dtype)

    def binary(fn: str, a: int, b: int) -> int:
        (x, s, dtype), (y, t, _) = p.values[a], p.values[b]
        rank = max(len(s), len(t))
        left, right = ((1,) * (rank - len(z)) + z for z in (s, t))
        shape = tuple(m if n == 1 else n for m, n in zip(left, right, strict=True))
        return add(f"tiny.binary {fn} %{x}, %{y} : ({spell(s, dtype)}, {spell(t, dtype)})", shape, dtype)

    def total(k: int) -> int:
        name, shape, dtype = p.values[k]
        axis, accum, fn = rng.randrange(len(shape)), rng.choice(dtypes), rng.choice(("sum", "sum", "sum", "max"))
        left = shape[:axis] + shape[axis + 1 :]
        return add(f"tiny.reduce {fn} %{name} axes [{axis}] accum {accum} : {spell(shape, dtype)}", left, accum)

    def shaped() -> list[int]:
        return [k for k, (_, shape, _) in enumerate(p.values) if shape]

    for _ in range(rng.randint(3, 10)):
        match rng.randrange(6):
            case 0 | 1:
                a = rng.choice(range(len(p.values)))
                b = rng.choice([k for k, (_, shape, _) in enumerate(p.values) if fit(shape, p.values[a][1])])
                dtype = rng.choice((p.values[a][2], p.values[b][2], *dtypes))
                product = binary(rng.choice(("mul", "mul", "mul", "add", "max")), cast(a, dtype), cast(b, dtype))
                for _ in range(rng.choice((0, 1, 1, 2)) if p.values[product][1] else 0):
                    total(product)
            case 2:
                total(rng.choice(shaped()))
            case 3:
                name, shape, dtype = p.values[rng.choice(shaped())]
                add(
                    f"tiny.movement permute %{name} by {[*reversed(range(len(shape)))]} : {spell(shape, dtype)}",
                    shape[::-1],
                    dtype,
                )
            case 4 if written:
                add(*rng.choice(written))
            case _:
                name, shape, dtype = rng.choice(p.values)
                add(f"tiny.unary {rng.choice(('neg', 'abs', 'relu'))} %{name} : {spell(shape, dtype)}", shape, dtype)
    values = range(len(p.arguments), len(p.values))
    p.results = sorted(rng.sample(values, rng.randint(1, min(3, len(values)))))
    p.passes = [rng.choice(PASSES) for _ in range(rng.randint(1, 4))]
    return p
