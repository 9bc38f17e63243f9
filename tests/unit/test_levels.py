"""
One program, four levels: act(x @ w + bias) and its relatives run as `ptir`, `tiny`, `region` and `pto` IR.

Each level is printed and parsed again before it runs, so nothing travels beside the text. Integer-valued inputs
whose sums stay exact must come out bit for bit; random ones must stay inside of `semantics/bounds`. The
oracles at the end are NumPy's float64 and know nothing of the interpreters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from ptir.passes.environment import make_context
from ptir.passes.manager import PassManager
from ptir.passes.parsing import parse_text
from ptir.semantics.bounds import bounds, check
from ptir.semantics.interpreter import call

LEVELS = {
    "tiny": "ptir-to-tiny",
    "region": "build-poly-view,form-regions,plan-regions{arch=sm80}",
    "pto": "region-to-pto",
}
SIZES = (1, 2, 7, 16, 17, 31, 64, 65, 70, 130, 150)
DTYPES: dict[str, Any] = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32}


# --- writing programs ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Value:
    name: str
    sizes: tuple[int, ...]
    dtype: str

    @property
    def type(self) -> str:
        return f"tensor<{''.join(f'{s}x' for s in self.sizes)}{self.dtype}>"


@dataclass
class Draft:
    """A function @f under construction; each method writes one op and gives its result."""

    args: list[Value] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def arg(self, *sizes: int, dtype: str = "bf16") -> Value:
        self.args.append(Value(f"%a{len(self.args)}", sizes, dtype))
        return self.args[-1]

    def op(self, text: str, sizes: Sequence[int], dtype: str) -> Value:
        result = Value(f"%{len(self.lines)}", tuple(sizes), dtype)
        self.lines.append(f"  {result.name} = {text.replace('$T', result.type)}")
        return result

    def dot(
        self,
        a: Value,
        b: Value,
        lhs: Sequence[int] = (1,),
        rhs: Sequence[int] = (0,),
        batch: Sequence[int] = (),
        out: str = "f32",
    ) -> Value:
        free = [s for k, s in enumerate(a.sizes) if k not in (*lhs, *batch)]
        sizes = [a.sizes[k] for k in batch] + free + [s for k, s in enumerate(b.sizes) if k not in (*rhs, *batch)]
        axes = (f" batch {list(batch)} x {list(batch)}" if batch else "") + f" contract {list(lhs)} x {list(rhs)}"
        text = f"ptir.dot_general {a.name}, {b.name}{axes} accum f32 out {out} : ({a.type}, {b.type}) -> $T"
        return self.op(text, sizes, out)

    def unary(self, fn: str, x: Value) -> Value:
        return self.op(f"ptir.{fn} {x.name} : $T", x.sizes, x.dtype)

    def binary(self, fn: str, x: Value, y: Value) -> Value:
        return self.op(f"ptir.{fn} {x.name}, {y.name} : $T", x.sizes, x.dtype)

    def cast(self, x: Value, dtype: str) -> Value:
        return x if x.dtype == dtype else self.op(f"ptir.cast {x.name} : {x.type} -> $T", x.sizes, dtype)

    def broadcast(self, x: Value, *sizes: int) -> Value:
        return self.op(f"ptir.broadcast_to {x.name} : {x.type} -> $T", sizes, x.dtype)

    def transpose(self, x: Value, *perm: int) -> Value:
        return self.op(f"ptir.transpose {x.name} {list(perm)} : {x.type} -> $T", [x.sizes[p] for p in perm], x.dtype)

    def reshape(self, x: Value, *sizes: int) -> Value:
        return self.op(f"ptir.reshape {x.name} : {x.type} -> $T", sizes, x.dtype)

    def splat(self, number: float, like: Value) -> Value:
        scalar = self.op(f"ptir.constant dense<{number:e}> : $T", (), like.dtype)
        return self.broadcast(scalar, *like.sizes)

    def text(self, *results: Value) -> str:
        args = ", ".join(f"{a.name}: {a.type}" for a in self.args)
        types = ", ".join(r.type for r in results)
        done = f"  func.return {', '.join(r.name for r in results)} : {types}"
        return "\n".join([f"func.func @f({args}) -> ({types}) {{", *self.lines, done, "}"])


# --- activations --------------------------------------------------------------------------------


def relu(d: Draft, x: Value) -> Value:
    return d.binary("maximum", x, d.splat(0, x))


def gelu_erf(d: Draft, x: Value) -> Value:
    inner = d.unary("erf", d.binary("mul", x, d.splat(math.sqrt(0.5), x)))
    return d.binary("mul", d.binary("mul", x, d.splat(0.5, x)), d.binary("add", inner, d.splat(1, x)))


def gelu_tanh(d: Draft, x: Value) -> Value:
    cubed = d.binary("mul", d.binary("mul", x, x), x)
    inner = d.binary("add", x, d.binary("mul", cubed, d.splat(0.044715, x)))
    t = d.unary("tanh", d.binary("mul", inner, d.splat(math.sqrt(2 / math.pi), x)))
    return d.binary("mul", d.binary("mul", x, d.splat(0.5, x)), d.binary("add", t, d.splat(1, x)))


def silu(d: Draft, x: Value) -> Value:
    return d.binary("div", x, d.binary("add", d.unary("exp", d.unary("neg", x)), d.splat(1, x)))


def clamp(d: Draft, x: Value) -> Value:
    low, high = d.splat(-3, x), d.splat(5, x)
    return d.op(f"ptir.clamp {x.name}, {low.name}, {high.name} : $T", x.sizes, x.dtype)


def leaky(d: Draft, x: Value) -> Value:
    """A compare and a select."""
    zero, small = d.splat(0, x), d.binary("mul", x, d.splat(0.125, x))
    mask = d.op(f"ptir.compare lt {x.name}, {zero.name} : {x.type} -> $T", x.sizes, "i1")
    return d.op(f"ptir.select {mask.name}, {small.name}, {x.name} : {mask.type}, $T", x.sizes, x.dtype)


ACTIVATIONS: dict[str, Callable[[Draft, Value], Value]] = {
    "none": lambda d, x: x,
    "relu": relu,
    "gelu_erf": gelu_erf,
    "gelu_tanh": gelu_tanh,
    "silu": silu,
    "clamp": clamp,
    "leaky": leaky,
}

# --- programs of one matmul, or a few -----------------------------------------------------------

Size = tuple[int, int, int]
Program = Callable[[Draft, Size, str], Sequence[Value]]


def product(d: Draft, size: Size, dtype: str) -> Value:
    m, n, k = size
    return d.dot(d.arg(m, k, dtype=dtype), d.arg(k, n, dtype=dtype))


def biased(d: Draft, c: Value) -> Value:
    return d.binary("add", c, d.broadcast(d.arg(c.sizes[-1], dtype="f32"), *c.sizes))


def activation(name: str) -> Program:
    return lambda d, s, t: [ACTIVATIONS[name](d, biased(d, product(d, s, t)))]


def weights_nk(d: Draft, s: Size, t: str) -> list[Value]:
    return [biased(d, d.dot(d.arg(s[0], s[2], dtype=t), d.arg(s[1], s[2], dtype=t), [1], [1]))]


def both_transposed(d: Draft, s: Size, t: str) -> list[Value]:
    return [d.dot(d.arg(s[2], s[0], dtype=t), d.arg(s[1], s[2], dtype=t), [0], [1])]


def short_output(d: Draft, s: Size, t: str) -> list[Value]:
    return [d.cast(relu(d, biased(d, product(d, s, t))), t)]


def short_accumulate(d: Draft, s: Size, t: str) -> list[Value]:
    """The contraction itself gives a 16-bit value, the bias is of that type."""
    c = d.dot(d.arg(s[0], s[2], dtype=t), d.arg(s[2], s[1], dtype=t), out=t)
    return [d.binary("add", c, d.broadcast(d.arg(s[1], dtype=t), *c.sizes))]


def batched(d: Draft, s: Size, t: str) -> list[Value]:
    return [relu(d, d.dot(d.arg(3, s[0], s[2], dtype=t), d.arg(3, s[2], s[1], dtype=t), [2], [1], [0]))]


def rows(d: Draft, s: Size, t: str) -> list[Value]:
    """[B, S, K] @ [K, N]"""
    return [biased(d, d.dot(d.arg(3, s[0], s[2], dtype=t), d.arg(s[2], s[1], dtype=t), [2], [0]))]


def rows_swapped(d: Draft, s: Size, t: str) -> list[Value]:
    """[B, S, K] @ [K, N], the result as [S, B, N]"""
    c = d.dot(d.arg(3, s[0], s[2], dtype=t), d.arg(s[2], s[1], dtype=t), [2], [0])
    return [d.transpose(c, 1, 0, 2)]


def two_contracted(d: Draft, s: Size, t: str) -> list[Value]:
    return [d.dot(d.arg(s[0], 3, s[2], dtype=t), d.arg(3, s[2], s[1], dtype=t), [1, 2], [0, 1])]


def two_contracted_crosswise(d: Draft, s: Size, t: str) -> list[Value]:
    return [d.dot(d.arg(s[0], 3, s[2], dtype=t), d.arg(s[2], 3, s[1], dtype=t), [1, 2], [1, 0])]


def residual(d: Draft, s: Size, t: str) -> list[Value]:
    c = biased(d, product(d, s, t))
    return [d.binary("add", c, d.cast(d.arg(*c.sizes, dtype=t), "f32"))]


def residual_transposed(d: Draft, s: Size, t: str) -> list[Value]:
    c = product(d, s, t)
    return [d.binary("add", c, d.transpose(d.arg(*reversed(c.sizes), dtype="f32"), 1, 0))]


def transposed(d: Draft, s: Size, t: str) -> list[Value]:
    return [d.transpose(relu(d, biased(d, product(d, s, t))), 1, 0)]


def transposed_then_biased(d: Draft, s: Size, t: str) -> list[Value]:
    return [relu(d, biased(d, d.transpose(product(d, s, t), 1, 0)))]


def row_bias(d: Draft, s: Size, t: str) -> list[Value]:
    c = product(d, s, t)
    return [d.binary("add", c, d.broadcast(d.arg(s[0], 1, dtype="f32"), *c.sizes))]


def row_scale_times_column_scale(d: Draft, s: Size, t: str) -> list[Value]:
    c = d.binary("mul", product(d, s, t), d.broadcast(d.arg(s[0], 1, dtype="f32"), s[0], s[1]))
    return [d.binary("mul", c, d.broadcast(d.arg(1, s[1], dtype="f32"), s[0], s[1]))]


def two_results(d: Draft, s: Size, t: str) -> list[Value]:
    c = biased(d, product(d, s, t))
    return [relu(d, c), d.cast(c, t)]


def two_results_one_transposed(d: Draft, s: Size, t: str) -> list[Value]:
    c = product(d, s, t)
    return [c, d.transpose(relu(d, c), 1, 0)]


def chained(d: Draft, s: Size, t: str) -> list[Value]:
    h = d.cast(relu(d, biased(d, product(d, s, t))), t)
    return [biased(d, d.dot(h, d.arg(s[1], s[2], dtype=t)))]


def chained_both_kept(d: Draft, s: Size, t: str) -> list[Value]:
    h = d.cast(product(d, s, t), t)
    return [d.dot(h, d.arg(s[1], s[2], dtype=t)), h]


def gated(d: Draft, s: Size, t: str) -> list[Value]:
    """Two contractions of one input feed one root."""
    x, w, v = d.arg(s[0], s[2], dtype=t), d.arg(s[2], s[1], dtype=t), d.arg(s[2], s[1], dtype=t)
    return [d.binary("mul", relu(d, d.dot(x, w)), d.dot(x, v))]


def symmetric(d: Draft, s: Size, t: str) -> list[Value]:
    """c + cᵀ reads each element of c at two places."""
    c = d.dot(d.arg(s[0], s[2], dtype=t), d.arg(s[2], s[0], dtype=t))
    return [d.binary("add", c, d.transpose(c, 1, 0))]


def circle(d: Draft, s: Size, t: str) -> list[Value]:
    """relu(c) feeds the contraction e, and c + e is another root of c."""
    c = d.dot(d.arg(s[0], s[2], dtype=t), d.arg(s[2], s[0], dtype=t))
    e = d.dot(d.cast(relu(d, c), t), d.arg(s[0], s[0], dtype=t))
    return [d.binary("add", c, e)]


def reshaped(d: Draft, s: Size, t: str) -> list[Value]:
    return [relu(d, d.reshape(product(d, s, t), s[0] * s[1]))]


def reshaped_to_heads(d: Draft, s: Size, t: str) -> list[Value]:
    c = d.dot(d.arg(s[0], s[2], dtype=t), d.arg(s[2], 4 * s[1], dtype=t))
    return [d.transpose(d.reshape(biased(d, c), s[0], 4, s[1]), 1, 0, 2)]


def reshaped_before(d: Draft, s: Size, t: str) -> list[Value]:
    x = d.reshape(d.arg(2, 3, s[0], s[2], dtype=t), 6 * s[0], s[2])
    return [d.dot(x, d.arg(s[2], s[1], dtype=t))]


def constant_weights(d: Draft, s: Size, t: str) -> list[Value]:
    """A dense literal becomes a global."""
    w = np.arange(s[2] * 2).reshape(s[2], 2) % 5 - 2
    rows_ = ", ".join("[" + ", ".join(f"{v}.0" for v in row) + "]" for row in w)
    weights = d.op(f"ptir.constant dense<[{rows_}]> : $T", (s[2], 2), t)
    return [d.dot(d.arg(s[0], s[2], dtype=t), weights)]


def splat_weights(d: Draft, s: Size, t: str) -> list[Value]:
    """A splat operand has no memref to load from until it is stored."""
    weights = d.op("ptir.constant dense<2.0> : $T", (s[2], s[1]), t)
    return [d.dot(d.arg(s[0], s[2], dtype=t), weights)]


def computed_operand(d: Draft, s: Size, t: str) -> list[Value]:
    x = d.arg(s[0], s[2], dtype=t)
    return [d.dot(d.binary("add", x, x), d.arg(s[2], s[1], dtype=t))]


def outer_product(d: Draft, s: Size, t: str) -> list[Value]:
    return [d.dot(d.arg(s[0], dtype=t), d.arg(s[1], dtype=t), [], [])]


def matrix_vector(d: Draft, s: Size, t: str) -> list[Value]:
    return [d.dot(d.arg(s[0], s[2], dtype=t), d.arg(s[2], dtype=t), [1], [0])]


def inner_product(d: Draft, s: Size, t: str) -> list[Value]:
    return [d.dot(d.arg(s[2], dtype=t), d.arg(s[2], dtype=t), [0], [0])]


def elementwise(d: Draft, s: Size, t: str) -> list[Value]:
    x = d.arg(s[0], s[1], dtype=t)
    return [d.binary("add", d.unary("abs", d.transpose(x, 1, 0)), d.broadcast(d.arg(s[0], dtype=t), s[1], s[0]))]


def moved_argument(d: Draft, s: Size, t: str) -> list[Value]:
    return [d.reshape(d.transpose(d.arg(*s, dtype=t), 2, 0, 1), s[0] * s[1] * s[2])]


def argument_itself(d: Draft, s: Size, t: str) -> list[Value]:
    x = d.arg(s[0], s[1], dtype=t)
    return [x, relu(d, x), d.op("ptir.constant dense<1.5> : $T", (2, 3), t)]


PROGRAMS: dict[str, Program] = {
    **{name: activation(name) for name in ACTIVATIONS},
    **{
        f.__name__: f
        for f in (
            weights_nk,
            both_transposed,
            short_output,
            short_accumulate,
            batched,
            rows,
            rows_swapped,
            two_contracted,
            two_contracted_crosswise,
            residual,
            residual_transposed,
            transposed,
            transposed_then_biased,
            row_bias,
            row_scale_times_column_scale,
            two_results,
            two_results_one_transposed,
            chained,
            chained_both_kept,
            gated,
            symmetric,
            circle,
            reshaped,
            reshaped_to_heads,
            reshaped_before,
            constant_weights,
            splat_weights,
            computed_operand,
            outer_product,
            matrix_vector,
            inner_product,
            elementwise,
            moved_argument,
            argument_itself,
        )
    },
}
BIG = {"moved_argument"}
"""Programs whose tensors are as large as M·N·K."""


# --- running them -------------------------------------------------------------------------------


def parse(text: str) -> ModuleOp:
    return parse_text(text, make_context())


def levels_of(source: str) -> dict[str, ModuleOp]:
    """The program at every level; each level's input is the text of the one above."""
    modules = {"ptir": parse(source)}
    for level, pipeline in LEVELS.items():
        module = PassManager(pipeline).run(parse(str(list(modules.values())[-1])))
        modules[level] = parse(str(module))
    return modules


def at_all_levels(source: str, *arrays: Any) -> dict[str, tuple[Any, ...]]:
    """The results of @f at every level."""
    return {level: call(module, "f", *arrays) for level, module in levels_of(source).items()}


def draft(name: str, size: Size, dtype: str) -> tuple[str, list[Value]]:
    d = Draft()
    results = PROGRAMS[name](d, size, dtype)
    return d.text(*results), d.args


def arrays_for(args: Sequence[Value], rng: np.random.Generator, integers: bool) -> list[Any]:
    draw = (lambda s: rng.integers(-3, 4, s)) if integers else rng.standard_normal
    return [np.asarray(draw(a.sizes)).astype(DTYPES[a.dtype]) for a in args]


sizes = st.tuples(*[st.sampled_from(SIZES)] * 3)
seeds = st.integers(0, 2**31)


@pytest.mark.parametrize("name", PROGRAMS)
@settings(max_examples=5, deadline=None)
@given(size=sizes, dtype=st.sampled_from(["bf16", "f16"]), seed=seeds)
def test_every_level_means_the_same(name: str, size: Size, dtype: str, seed: int):
    """Integers come out bit for bit; random values stay inside the bounds."""
    size = tuple(min(s, 17) for s in size) if name in BIG else size
    source, args = draft(name, size, dtype)
    rng = np.random.default_rng(seed)
    integers, reals = (arrays_for(args, rng, integers=exact) for exact in (True, False))
    modules = levels_of(source)
    exact, allowed = call(modules["ptir"], "f", *integers), bounds(modules["ptir"], "f", *reals)
    for level, module in modules.items():
        for k, (value, want) in enumerate(zip(call(module, "f", *integers), exact, strict=True)):
            np.testing.assert_array_equal(value, want, f"result {k} at {level}\n{source}", strict=True)
        for k, (value, interval) in enumerate(zip(call(module, "f", *reals), allowed, strict=True)):
            report = check(value, interval)
            assert report.ok, f"result {k} at {level}: {report}\n{source}"


@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("n", [1, 17, 150])
def test_every_size_of_the_family(m: int, n: int):
    """The tails: each M and N with a K on either side of a tile."""
    for k in (31, 65):
        source, args = draft("relu", (m, n, k), "bf16")
        x, w, b = arrays_for(args, np.random.default_rng(m * n), integers=True)
        want = np.maximum(x.astype(np.float64) @ w.astype(np.float64) + b, 0)
        for level, (got,) in at_all_levels(source, x, w, b).items():
            np.testing.assert_array_equal(got, want.astype(np.float32), level)


# --- programs that nobody thought of ------------------------------------------------------------


@st.composite
def compositions(pick: st.DrawFn) -> tuple[str, list[Value]]:
    """A matmul, then steps that compute, move and read further arguments, then one or two results."""
    d = Draft()
    small = st.sampled_from((1, 2, 6, 17, 34))
    m, n, k = pick(small), pick(small), pick(small)
    dtype = pick(st.sampled_from(["bf16", "f16"]))
    lhs = d.arg(*pick(st.sampled_from([(m, k), (2, m, k)])), dtype=dtype)
    values = [d.dot(lhs, d.arg(k, n, dtype=dtype), [len(lhs.sizes) - 1], [0])]
    for _ in range(pick(st.integers(1, 6))):
        x = pick(st.sampled_from(values))
        match pick(st.sampled_from(("act", "swap", "flat", "split", "bias", "like", "pair", "self", "cast"))):
            case "act":
                values.append(pick(st.sampled_from([relu, clamp, leaky]))(d, x))
            case "swap":
                values.append(d.transpose(x, *pick(st.permutations(range(len(x.sizes))))))
            case "flat":
                values.append(d.reshape(x, math.prod(x.sizes)))
            case "split" if len(x.sizes) < 4:
                last = x.sizes[-1]
                part = next(p for p in (2, 17, 1) if last % p == 0)
                values.append(d.reshape(x, *x.sizes[:-1], part, last // part))
            case "bias":
                values.append(biased(d, x))
            case "like":
                values.append(d.binary("add", x, d.arg(*x.sizes, dtype="f32")))
            case "pair":
                values.append(d.binary("add", x, pick(st.sampled_from([v for v in values if v.type == x.type]))))
            case "self" if len(x.sizes) == 2 and x.sizes[0] == x.sizes[1]:
                values.append(d.binary("sub", x, d.transpose(x, 1, 0)))
            case _:
                values.append(d.cast(d.cast(x, dtype), "f32"))
    results = [values[-1], *(pick(st.lists(st.sampled_from(values), max_size=1)))]
    return d.text(*results), d.args


@settings(max_examples=40, deadline=None)
@given(program=compositions(), seed=seeds)
def test_compositions_come_out_bit_for_bit(program: tuple[str, list[Value]], seed: int):
    source, args = program
    results = at_all_levels(source, *arrays_for(args, np.random.default_rng(seed), integers=True))
    for level, got in results.items():
        for k, (value, want) in enumerate(zip(got, results["ptir"], strict=True)):
            np.testing.assert_array_equal(value, want, f"result {k} at {level}\n{source}", strict=True)


# --- oracles that know nothing of the interpreters ----------------------------------------------


def numpy_act(name: str, x: Any) -> Any:
    match name:
        case "relu":
            return np.maximum(x, 0)
        case "gelu_erf":
            return 0.5 * x * (1 + np.vectorize(math.erf)(x * math.sqrt(0.5)))
        case "gelu_tanh":
            return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
        case "silu":
            return x / (1 + np.exp(-x))
        case "clamp":
            return np.clip(x, -3, 5)
        case "leaky":
            return np.where(x < 0, 0.125 * x, x)
        case _:
            return x


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_are_numpys(name: str):
    source, args = draft(name, (31, 17, 65), "bf16")
    x, w, b = arrays_for(args, np.random.default_rng(1), integers=False)
    want = numpy_act(name, x.astype(np.float64) @ w.astype(np.float64) + b)
    for level, (got,) in at_all_levels(source, x, w, b).items():
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5, err_msg=level)


def test_a_reshape_to_heads_is_numpys():
    source, args = draft("reshaped_to_heads", (7, 16, 31), "f16")
    x, w, b = arrays_for(args, np.random.default_rng(2), integers=True)
    want = (x.astype(np.float64) @ w.astype(np.float64) + b).reshape(7, 4, 16).transpose(1, 0, 2)
    for level, (got,) in at_all_levels(source, x, w, b).items():
        np.testing.assert_array_equal(got, want.astype(np.float32), level)


def test_batches_are_numpys():
    source, args = draft("batched", (17, 7, 65), "bf16")
    x, w = arrays_for(args, np.random.default_rng(3), integers=True)
    want = np.maximum(np.einsum("bmk,bkn->bmn", x.astype(np.float64), w.astype(np.float64)), 0)
    for level, (got,) in at_all_levels(source, x, w).items():
        np.testing.assert_array_equal(got, want.astype(np.float32), level)


def test_special_values_pass_through_every_level():
    """Inf and NaN of an operand reach exactly the rows that read them; padding adds none."""
    source, args = draft("none", (17, 17, 17), "bf16")
    x, w, b = arrays_for(args, np.random.default_rng(4), integers=True)
    x[3, 5], x[16, 16], w[:, 2] = np.inf, np.nan, 1
    with np.errstate(invalid="ignore"):
        want = (x.astype(np.float64) @ w.astype(np.float64) + b).astype(np.float32)
    assert np.isinf(want[3, 2]) and np.isnan(want[16]).all() and np.isfinite(want[4:16]).all()
    for level, (got,) in at_all_levels(source, x, w, b).items():
        np.testing.assert_array_equal(got, want, level)
