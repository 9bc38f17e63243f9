"""
Compiles random chains of reshapes, permutes, shrinks and expands, with limits on isl's operations and the length of kernels.

Shapes have coprime sizes or many axes, so that the divisions of one reshape do not cancel with those of the next.
"""

from __future__ import annotations

from math import prod
from random import Random
from typing import Any

import numpy as np
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

import ptir
from ptir.analysis.index import affine
from ptir.runtime.devices import Emulator

from .chains import Chain, Sizes, Step

OPERATIONS = 1_600_000
"""
Maximum number of isl operations for a chain; they take two seconds. Without a limit on what is fused, some chains take a hundred
times as many.
"""

CHARACTERS = 4_000
"""Maximum length of a line of CUDA, in characters."""

SOURCES: tuple[Sizes, ...] = (
    (11, 13, 17),
    (5, 7, 9),
    (2, 3, 2, 5, 2, 3),
    (2,) * 8,
    (3, 2, 5, 2, 3, 2, 2, 2),
    (4, 6, 10),
    (7, 8, 9),
)


def generate(seed: int, index: int) -> Chain:
    """Returns chain `index` of a seed, which is always the same."""
    rng = Random(f"lowered {seed} {index}")
    source = sizes = rng.choice(SOURCES)
    steps: list[Step] = []
    for _ in range(rng.randint(2, 7)):
        steps.append(_step(rng, sizes))
        sizes = steps[-1].sizes
    return Chain(source, tuple(steps))


def _step(rng: Random, sizes: Sizes) -> Step:
    match rng.choice(("reshape", "reshape", "permute", "permute", "permute", "shrink", "expand")):
        case "shrink":
            kept = [s if rng.random() < 0.6 else rng.randint(max(1, s - 2), s) for s in sizes]
            start = [rng.randint(0, s - k) for s, k in zip(sizes, kept, strict=True)]
            return Step("shrink", tuple(kept), {"start": start})
        case "expand" if len(sizes) < 8 and prod(sizes) < 3000:
            return Step("expand", (rng.choice((1, 2, 3)), *sizes), {})
        case "reshape":
            return Step("reshape", _regrouped(rng, sizes), {})
        case _:
            perm = rng.sample(range(len(sizes)), len(sizes))
            return Step("permute", tuple(sizes[p] for p in perm), {"perm": perm})


def _regrouped(rng: Random, sizes: Sizes) -> Sizes:
    """Returns the same sizes in another order, or their prime factors in other groups."""
    if rng.random() < 0.5:
        return tuple(rng.sample(sizes, len(sizes)))
    factors = [p for size in sizes for p in _primes(size)]
    rng.shuffle(factors)
    out = [1] * rng.randint(1, 8)
    for p in factors:
        out[rng.randrange(len(out))] *= p
    return tuple(out)


def _primes(n: int) -> list[int]:
    for p in range(2, n + 1):
        if n % p == 0:
            return [p, *_primes(n // p)]
    return []


def module_of(chain: Chain) -> ModuleOp:
    block = Block(arg_types=[TensorType(f32, chain.source)])
    value: Any = block.args[0]
    for step in chain.steps:
        block.add_op(op := step.op(value))
        value = op.result
    block.add_op(ReturnOp(value))
    return ModuleOp([FuncOp("f", FunctionType.from_lists(block.arg_types, [value.type]), Region(block))])


def check(chain: Chain, *, run: bool) -> dict[str, Any]:
    """
    Returns the journal entry of a chain. Its `problem` is None if the kernels are short and, with `run`, if the emulator computes
    the right result.
    """
    found: dict[str, Any] = {"kinds": [s.kind for s in chain.steps], "problem": None}
    module = module_of(chain)
    try:
        with affine.quota(OPERATIONS, what="the chain"):
            text = ptir.print_cuda(ptir.PassManager("ptir-to-cuda{arch=sm80}").run(module))
    except Exception as e:  # any exception is a finding
        return found | {"problem": type(e).__name__, "detail": str(e)}
    found |= {"characters": max(map(len, text.splitlines())), "kernels": text.count("__global__")}
    if found["characters"] > CHARACTERS:
        return found | {"problem": "long text"}
    if run:
        numbers = np.arange(prod(chain.source), dtype=np.float32).reshape(chain.source)
        want = numbers
        for step in chain.steps:
            want = step.move(want)
        (got,) = ptir.compile(module_of(chain), arch="sm80", device=Emulator())(numbers)
        if not np.array_equal(got, want):
            found |= {"problem": "wrong element", "detail": f"{np.count_nonzero(got != want)} elements"}
    return found
