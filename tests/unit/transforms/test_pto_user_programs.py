"""Programs that users write, as kernels for PTO targets, in the interpreter and as C++, against NumPy."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

import ptir
from ptir.analysis.pto.effects import tile_functions
from ptir.backends.pto.emit import HEAD, print_pto
from ptir.errors import PtirError
from ptir.passes.manager import PassManager
from ptir.semantics.interpreter import call_on, interpreter
from tests.pto_programs.cpp import compiled, wrapper
from tests.pto_programs.random_tensors import host_of

Array = npt.NDArray[Any]
PROGRAMS = Path(__file__).parents[2] / "pto_programs" / "users"
RNG = np.random.default_rng(8)


def normal(*shape: int) -> Array:
    return RNG.normal(size=shape).astype(np.float32)


def integers(high: int, *shape: int) -> Array:
    return RNG.integers(0, high, shape).astype(np.int32)


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def embedding_norm(table: Array, tokens: Array, position: Array, g: Array, b: Array) -> Sequence[Array]:
    x = table[tokens] + position
    centered = x - x.mean(1, keepdims=True)
    return (centered / np.sqrt((centered**2).mean(1, keepdims=True) + 1e-5) * g + b,)


def gate(x: Array, w: Array) -> Sequence[Array]:
    p = softmax(x @ w)
    return (np.where(np.arange(8) == p.argmax(1)[:, None], p, 0),)


def integer_sums(x: Array) -> Sequence[Array]:
    return np.stack([np.bincount(row, minlength=12) for row in x.astype(int)]), x.sum(1), x.max(1)


def rotary(x: Array, cos: Array, sin: Array) -> Sequence[Array]:
    a, b = x[..., :16], x[..., 16:]
    return (np.concatenate([a * cos - b * sin, a * sin + b * cos], -1),)


def rotary_pairs(x: Array, cos: Array, sin: Array) -> Sequence[Array]:
    a, b = x[:, ::2], x[:, 1::2]
    return (np.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(20, 32),)


def int8(x: Array) -> Sequence[Array]:
    scale = (np.abs(x).max(1, keepdims=True) / np.float32(127)).astype(np.float32)
    q = np.clip(np.round(x.astype(np.float32) / scale), -127, 127)
    return q, q * scale


def shifted(x: Array, s: Array) -> Sequence[Array]:
    x, k = x.astype(np.int32), (s.astype(np.int32) & 7).astype(np.int32)
    mixed = x ^ (x << k)
    return ((mixed.view(np.uint32) >> 7).view(np.int32) + (mixed >> k),)


def attention_sums(q: Array, x: Array) -> Sequence[Array]:
    scores = np.einsum("bmd,bnd->bmn", q, x)
    e = np.exp(scores - scores.max(2, keepdims=True))
    p = e / e.sum(2, keepdims=True)
    return np.einsum("bmn,bnd->bmd", p, x), p.sum(1)


def cross_entropy(x: Array, labels: Array) -> Sequence[Array]:
    loss = -np.log(softmax(x))[np.arange(len(x)), labels]
    return loss.sum(), loss


def positions(x: Array) -> Sequence[Array]:
    angle = np.arange(50)[:, None] * np.exp(np.arange(32) * -0.2878231366)
    return (np.concatenate([np.sin(angle) + x, np.cos(angle) + x], 1),)


def buckets(x: Array) -> Sequence[Array]:
    mixed = x * np.uint32(2654435761)
    mixed ^= mixed >> np.uint32(15)
    return mixed % 1009, (mixed % 1009).sum(1), mixed & 1


def bytes_(x: Array, y: Array, z: Array) -> Sequence[Array]:
    return x // 10, y % 3000000000, y, np.clip(np.trunc(z), 0, 2**32 - 1), x.min(0), y.max(1)


def comparisons(x: Array, y: Array) -> Sequence[Array]:
    found = [f(x, y) for f in (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)]
    return *found, np.where((x < 1) & (x >= -1), y, 7)


def top_k(x: Array) -> Sequence[Array]:
    best, least = (-x).argsort(1, kind="stable")[:, :4], x.argsort(0, kind="stable")[:3]
    return np.take_along_axis(x, best, 1), best, np.take_along_axis(x, least, 0), least


def wide(x: Array, u: Array) -> Sequence[Array]:
    p, rows = u * np.uint64(6364136223846793005), x.sum(1)
    return rows, x.sum(0), x.min(1), u.max(0), p ^ p >> np.uint64(33), rows.astype(np.float32), x - rows[:, None]


CASES: dict[str, tuple[Callable[..., Sequence[Array]], Sequence[Array]]] = {
    "embedding_norm": (embedding_norm, (normal(50, 48), integers(50, 20), normal(20, 48), normal(48), normal(48))),
    "argmax_logits": (lambda x, w: ((x @ w).argmax(1),), (normal(21, 30), normal(30, 40))),
    "integer_sums": (integer_sums, (integers(12, 9, 40),)),
    "rotary": (rotary, (normal(2, 20, 32).astype(ml_dtypes.bfloat16), normal(20, 16), normal(20, 16))),
    "rotary_pairs": (rotary_pairs, (normal(20, 32), normal(20, 16), normal(20, 16))),
    "dropout": (
        lambda x, keep, r: (np.where(keep, x * 1.25, 0) + r,),
        (normal(21, 40), normal(21, 40) > 0, normal(21, 40)),
    ),
    "padding_mask": (lambda t, s: (t != 0, np.where(t != 0, s, -1e9)), (integers(3, 21), normal(21, 21))),
    "gate": (gate, (normal(21, 30), normal(30, 8))),
    "cumulative": (lambda x: (x.cumsum(1), x.cumsum(1)), (normal(21, 40),)),
    "int8": (int8, (normal(21, 40),)),
    "functions": (
        lambda x, y: (np.log1p(abs(x)), np.expm1(x), abs(x) ** y, np.fmod(x, y)),
        (normal(21, 40), normal(21, 40)),
    ),
    "attention_sums": (
        attention_sums,
        (normal(3, 5, 40).astype(ml_dtypes.bfloat16), normal(3, 29, 40).astype(ml_dtypes.bfloat16)),
    ),
    "cross_entropy": (cross_entropy, (normal(21, 33), integers(33, 21).astype(np.int64))),
    "positions": (positions, (normal(50, 32),)),
    "likelihood": (
        lambda x: (x.prod(1), x.prod(0), np.vectorize(math.erfc)(x * 0.70710678) / 2),
        (normal(21, 40),),
    ),
    "lookups": (
        lambda x, i, j: (np.take_along_axis(x[i], j, 1),),
        (normal(21, 9), integers(9, 17), integers(9, 17, 1)),
    ),
    "buckets": (buckets, (RNG.integers(0, 2**32, (33, 20)).astype(np.uint32),)),
    "image": (lambda x, m, s: ((x - m) / s,), (integers(256, 2, 8, 12, 3).astype(np.uint8), normal(3), normal(3))),
    "bytes": (
        bytes_,
        (
            integers(256, 21, 40).astype(np.uint8),
            RNG.integers(0, 2**32, (21, 40)).astype(np.uint32),
            normal(21, 40) * np.float32(2e9),
        ),
    ),
    "top_k": (top_k, (integers(30, 5, 40).astype(np.float32) - 15,)),
    "wide": (wide, (RNG.integers(-(2**63), 2**63, (5, 24)), RNG.integers(0, 2**64, (5, 24), np.uint64))),
    "comparisons": (comparisons, (integers(5, 21, 40) - 2, integers(5, 21, 40) - 2)),
    "hash": (shifted, (RNG.integers(-(2**31), 2**31, (21, 40)).astype(np.int32), integers(99, 21, 40))),
}


def check(got: Sequence[Array], name: str) -> None:
    want, arrays = CASES[name]
    expected = want(
        *(x if x.dtype == np.bool_ else x.astype(np.float64) if x.dtype.kind not in "iu" else x for x in arrays)
    )
    tolerance = 1e-2 if name in ("rotary", "attention_sums") else 1e-5
    for x, y in zip(got, expected, strict=True):
        if name == "wide":
            np.testing.assert_array_equal(x, y)
        np.testing.assert_allclose(x.astype(np.float64), y, rtol=tolerance, atol=tolerance)


@pytest.mark.sampled(3 * len(CASES))
@pytest.mark.parametrize("target", ["a2", "a3", "a5"])
@pytest.mark.parametrize("name", CASES)
def test_in_the_interpreter(name: str, target: str):
    module = PassManager(f"ptir-to-pto{{target={target}}}").run(ptir.parse(PROGRAMS / f"{name}.mlir"))
    check(call_on(interpreter(module), module, name, CASES[name][1]), name)


@pytest.mark.campaign
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize("target", ["a2", "a3", "a5"])
def test_in_cpp(target: str, tmp_path: Path):
    passes = PassManager(f"ptir-to-pto{{target={target}}}")
    modules = {name: passes.run(ptir.parse(PROGRAMS / f"{name}.mlir")) for name in CASES}
    texts = [print_pto(module).removeprefix(HEAD) for module in modules.values()]
    texts += [wrapper(f, f.sym_name.data) for module in modules.values() for f in tile_functions(module)]
    library = compiled(texts, tmp_path, target)
    for name, module in modules.items():
        check(call_on(host_of(module, library), module, name, CASES[name][1]), name)


def test_a_wide_index_outside_is_reported():
    """Indices of 64 bits whose lower words are inside, of arrays that are looked up and compared."""
    module = PassManager("ptir-to-pto{target=a3}").run(ptir.parse(PROGRAMS / "cross_entropy.mlir"))
    x, labels = CASES["cross_entropy"][1]
    for wrong in (1 << 32, (1 << 32) - 1, -(1 << 32), -1):
        labels = labels.copy()
        labels[20] = wrong
        with pytest.raises(PtirError, match="index"):
            call_on(interpreter(module), module, "cross_entropy", (x, labels))


def test_an_index_outside_is_reported():
    module = PassManager("ptir-to-pto{target=a3}").run(ptir.parse(PROGRAMS / "embedding_norm.mlir"))
    table, tokens, *others = CASES["embedding_norm"][1]
    for wrong in (50, -1):
        tokens = tokens.copy()
        tokens[19] = wrong
        with pytest.raises(PtirError, match="index"):
            call_on(interpreter(module), module, "embedding_norm", (table, tokens, *others))
