"""
Programs that the compiler accepts, each with an oracle in NumPy's float64.

A `Draft` writes PTIR text and computes the same with NumPy: a `Value` has its text, and its value as a function of the input arrays.
The oracle shares no code with `semantics/`. It computes in float64, and rounds only values of 16-bit types. Therefore it is exact
on integer-valued inputs of exact programs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import msgspec
import numpy as np
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.analysis.regions.kernel_space import kernel_space
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.region import RegionKernelOp
from ptir.passes.manager import PassManager

DTYPES: dict[str, Any] = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "i1": np.bool_}
Arrays = Sequence[Any]
erf = np.vectorize(math.erf, otypes=[np.float64])


@dataclass(frozen=True, eq=False)
class Value:
    """A tensor of the program: its name and type in the text, and its value as a function of the inputs."""

    name: str
    sizes: tuple[int, ...]
    dtype: str
    of: Callable[[Arrays], Any]

    @property
    def type(self) -> str:
        return f"tensor<{''.join(f'{s}x' for s in self.sizes)}{self.dtype}>"


def rounded(x: Any, dtype: str) -> Any:
    """Rounds float64 to `dtype`, except for f32, which is not rounded (see the module's docstring)."""
    if dtype == "i1":
        return np.asarray(x, np.bool_)
    return np.asarray(x, np.float64) if dtype == "f32" else np.asarray(x).astype(DTYPES[dtype]).astype(np.float64)


UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": np.negative,
    "abs": np.abs,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "erf": erf,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x,
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
COMPARES: dict[str, Callable[[Any, Any], Any]] = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}


def literal(values: Any) -> str:
    """Returns the text of a nested list of numbers in MLIR."""
    if isinstance(values, list):
        return "[" + ", ".join(map(literal, values)) + "]"
    return f"{float(values):e}"


@dataclass
class Draft:
    """A function under construction. Each method writes one op and returns its result."""

    name: str = "f"
    args: list[Value] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    results: tuple[Value, ...] = ()

    def arg(self, *sizes: int, dtype: str = "bf16", name: str | None = None) -> Value:
        k = len(self.args)
        self.args.append(Value(f"%{name or f'a{k}'}", sizes, dtype, lambda arrays: rounded(arrays[k], dtype)))
        return self.args[-1]

    def op(self, text: str, sizes: Sequence[int], dtype: str, of: Callable[[Arrays], Any]) -> Value:
        result = Value(f"%{len(self.lines)}", tuple(sizes), dtype, lambda arrays: rounded(of(arrays), dtype))
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
        letters = iter("abcdefghijklmnopqrstuvwxyz")
        left = [next(letters) for _ in a.sizes]
        right = [next(letters) for _ in b.sizes]
        for i, j in (*zip(lhs, rhs, strict=True), *zip(batch, batch, strict=True)):
            right[j] = left[i]
        kept = [left[k] for k in batch]
        kept += [c for k, c in enumerate(left) if k not in (*lhs, *batch)]
        kept += [c for k, c in enumerate(right) if k not in (*rhs, *batch)]
        size_of = dict(zip(left + right, a.sizes + b.sizes, strict=True))
        axes = (f" batch {list(batch)} x {list(batch)}" if batch else "") + f" contract {list(lhs)} x {list(rhs)}"
        text = f"ptir.dot_general {a.name}, {b.name}{axes} accum f32 out {out} : ({a.type}, {b.type}) -> $T"
        sums = f"{''.join(left)},{''.join(right)}->{''.join(kept)}"
        return self.op(
            text,
            [size_of[c] for c in kept],
            out,
            lambda arrays: np.einsum(sums, a.of(arrays), b.of(arrays), optimize=True),
        )

    def unary(self, fn: str, x: Value) -> Value:
        return self.op(f"ptir.{fn} {x.name} : $T", x.sizes, x.dtype, lambda arrays: UNARY[fn](x.of(arrays)))

    def binary(self, fn: str, x: Value, y: Value) -> Value:
        text = f"ptir.{fn} {x.name}, {y.name} : $T"
        return self.op(text, x.sizes, x.dtype, lambda arrays: BINARY[fn](x.of(arrays), y.of(arrays)))

    def compare(self, fn: str, x: Value, y: Value) -> Value:
        text = f"ptir.compare {fn} {x.name}, {y.name} : {x.type} -> $T"
        return self.op(text, x.sizes, "i1", lambda arrays: COMPARES[fn](x.of(arrays), y.of(arrays)))

    def select(self, mask: Value, x: Value, y: Value) -> Value:
        text = f"ptir.select {mask.name}, {x.name}, {y.name} : {mask.type}, $T"
        return self.op(text, x.sizes, x.dtype, lambda arrays: np.where(mask.of(arrays), x.of(arrays), y.of(arrays)))

    def clamp(self, x: Value, low: Value, high: Value) -> Value:
        text = f"ptir.clamp {x.name}, {low.name}, {high.name} : $T"
        return self.op(
            text, x.sizes, x.dtype, lambda arrays: np.minimum(np.maximum(x.of(arrays), low.of(arrays)), high.of(arrays))
        )

    def cast(self, x: Value, dtype: str) -> Value:
        text = f"ptir.cast {x.name} : {x.type} -> $T"
        return x if x.dtype == dtype else self.op(text, x.sizes, dtype, x.of)

    def broadcast(self, x: Value, *sizes: int) -> Value:
        text = f"ptir.broadcast_to {x.name} : {x.type} -> $T"
        return self.op(text, sizes, x.dtype, lambda arrays: np.broadcast_to(x.of(arrays), sizes))

    def transpose(self, x: Value, *perm: int) -> Value:
        text = f"ptir.transpose {x.name} {list(perm)} : {x.type} -> $T"
        return self.op(text, [x.sizes[p] for p in perm], x.dtype, lambda arrays: x.of(arrays).transpose(perm))

    def reshape(self, x: Value, *sizes: int) -> Value:
        text = f"ptir.reshape {x.name} : {x.type} -> $T"
        return self.op(text, sizes, x.dtype, lambda arrays: x.of(arrays).reshape(sizes))

    def constant(self, values: Any, dtype: str) -> Value:
        array = np.asarray(values, np.float64)
        text = f"ptir.constant dense<{literal(array.tolist())}> : $T"
        return self.op(text, array.shape, dtype, lambda arrays: array)

    def splat(self, number: float, like: Value) -> Value:
        return self.broadcast(self.constant(number, like.dtype), *like.sizes)

    @property
    def text(self) -> str:
        args = ", ".join(f"{a.name}: {a.type}" for a in self.args)
        types = ", ".join(r.type for r in self.results)
        done = f"  func.return {', '.join(r.name for r in self.results)} : {types}" if self.results else "  func.return"
        return "\n".join([f"func.func @{self.name}({args}) -> ({types}) {{", *self.lines, done, "}", ""])

    def arrays(self, seed: int, integers: bool) -> list[Any]:
        """Returns the inputs: integers from -3 to 3, whose sums are exact in f32, or standard normal numbers."""
        rng = np.random.default_rng(seed)
        draw = (lambda s: rng.integers(-3, 4, s)) if integers else rng.standard_normal
        return [np.asarray(draw(a.sizes)).astype(DTYPES[a.dtype]) for a in self.args]

    def oracle(self, arrays: Arrays) -> list[Any]:
        with np.errstate(all="ignore"):
            return [r.of(arrays) for r in self.results]


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


def silu_reciprocal(d: Draft, x: Value) -> Value:
    gate = d.unary("reciprocal", d.binary("add", d.unary("exp", d.unary("neg", x)), d.splat(1, x)))
    return d.binary("mul", x, gate)


def clamp(d: Draft, x: Value) -> Value:
    return d.clamp(x, d.splat(-3, x), d.splat(5, x))


def leaky(d: Draft, x: Value) -> Value:
    """Leaky relu by a comparison and a select."""
    return d.select(
        d.compare("lt", x, zero := d.splat(0, x)), d.binary("sub", zero, d.binary("mul", x, d.splat(0.125, x))), x
    )


def every_compare(d: Draft, x: Value) -> Value:
    """Adds a different power of two for each comparison that holds."""
    out, two = d.splat(0, x), d.splat(2, x)
    for k, fn in enumerate(COMPARES):
        out = d.binary("add", out, d.select(d.compare(fn, x, two), d.splat(2**k, x), d.splat(0, x)))
    return out


def mask_as_number(d: Draft, x: Value) -> Value:
    """A predicate that is cast to a float, 0 or 1."""
    return d.binary("mul", x, d.cast(d.compare("gt", x, d.splat(0, x)), x.dtype))


def log_rsqrt(d: Draft, x: Value) -> Value:
    positive = d.binary("add", d.unary("abs", x), d.splat(0.5, x))
    return d.binary("add", d.unary("log", positive), d.unary("rsqrt", positive))


def minus_minimum(d: Draft, x: Value) -> Value:
    return d.binary("sub", d.unary("neg", x), d.binary("minimum", x, d.splat(-1, x)))


def through_16_bits(d: Draft, x: Value) -> Value:
    """Casts to a 16-bit type, computes in it, and casts back."""
    h = d.cast(x, "bf16")
    return d.cast(d.cast(d.binary("add", h, h), "f16"), "f32")


ACTIVATIONS: dict[str, Callable[[Draft, Value], Value]] = {
    "none": lambda d, x: x,
    **{
        f.__name__: f
        for f in (
            relu,
            gelu_erf,
            gelu_tanh,
            silu,
            silu_reciprocal,
            clamp,
            leaky,
            every_compare,
            mask_as_number,
            log_rsqrt,
            minus_minimum,
            through_16_bits,
        )
    },
}
INEXACT = {"gelu_erf", "gelu_tanh", "silu", "silu_reciprocal", "log_rsqrt"}
"""Programs with a function that is not exact on integers."""

# --- programs -----------------------------------------------------------------------------------

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


def x_transposed(d: Draft, s: Size, t: str) -> list[Value]:
    return [biased(d, d.dot(d.arg(s[2], s[0], dtype=t), d.arg(s[2], s[1], dtype=t), [0], [0]))]


def both_transposed(d: Draft, s: Size, t: str) -> list[Value]:
    return [d.dot(d.arg(s[2], s[0], dtype=t), d.arg(s[1], s[2], dtype=t), [0], [1])]


def transposed_by_an_op(d: Draft, s: Size, t: str) -> list[Value]:
    return [d.dot(d.transpose(d.arg(s[2], s[0], dtype=t), 1, 0), d.transpose(d.arg(s[1], s[2], dtype=t), 1, 0))]


def short_output(d: Draft, s: Size, t: str) -> list[Value]:
    return [d.cast(relu(d, biased(d, product(d, s, t))), t)]


def other_short_output(d: Draft, s: Size, t: str) -> list[Value]:
    return [d.cast(biased(d, product(d, s, t)), "f16" if t == "bf16" else "bf16")]


def short_accumulate(d: Draft, s: Size, t: str) -> list[Value]:
    """A contraction with a 16-bit result, and a bias of that type."""
    c = d.dot(d.arg(s[0], s[2], dtype=t), d.arg(s[2], s[1], dtype=t), out=t)
    return [d.binary("add", c, d.broadcast(d.arg(s[1], dtype=t), *c.sizes))]


def mask_output(d: Draft, s: Size, t: str) -> list[Value]:
    c = product(d, s, t)
    return [d.compare("ge", c, d.splat(1, c))]


def mask_input(d: Draft, s: Size, t: str) -> list[Value]:
    c = product(d, s, t)
    return [d.select(d.arg(s[0], s[1], dtype="i1"), c, d.splat(-7, c))]


def batched(d: Draft, s: Size, t: str) -> list[Value]:
    return [relu(d, d.dot(d.arg(3, s[0], s[2], dtype=t), d.arg(3, s[2], s[1], dtype=t), [2], [1], [0]))]


def batched_nk_biased(d: Draft, s: Size, t: str) -> list[Value]:
    c = d.dot(d.arg(2, s[0], s[2], dtype=t), d.arg(2, s[1], s[2], dtype=t), [2], [2], [0])
    return [d.binary("add", c, d.broadcast(d.arg(2, 1, s[1], dtype="f32"), *c.sizes))]


def two_batches(d: Draft, s: Size, t: str) -> list[Value]:
    c = d.dot(d.arg(2, 3, s[0], s[2], dtype=t), d.arg(2, 3, s[2], s[1], dtype=t), [3], [2], [0, 1])
    return [d.transpose(c, 1, 0, 2, 3)]


def rows(d: Draft, s: Size, t: str) -> list[Value]:
    """[B, S, K] @ [K, N]."""
    return [biased(d, d.dot(d.arg(3, s[0], s[2], dtype=t), d.arg(s[2], s[1], dtype=t), [2], [0]))]


def rows_swapped(d: Draft, s: Size, t: str) -> list[Value]:
    """[B, S, K] @ [K, N], transposed to [S, B, N]."""
    c = d.dot(d.arg(3, s[0], s[2], dtype=t), d.arg(s[2], s[1], dtype=t), [2], [0])
    return [d.transpose(c, 1, 0, 2)]


def two_contracted(d: Draft, s: Size, t: str) -> list[Value]:
    return [d.dot(d.arg(s[0], 3, s[2], dtype=t), d.arg(3, s[2], s[1], dtype=t), [1, 2], [0, 1])]


def two_contracted_crosswise(d: Draft, s: Size, t: str) -> list[Value]:
    return [d.dot(d.arg(s[0], 3, s[2], dtype=t), d.arg(s[2], 3, s[1], dtype=t), [1, 2], [1, 0])]


def heads_joined(d: Draft, s: Size, t: str) -> list[Value]:
    """[H, M, D] · [H, D, N], summed over H and D, which are not adjacent axes of x."""
    return [biased(d, d.dot(d.arg(3, s[0], s[2], dtype=t), d.arg(3, s[2], s[1], dtype=t), [0, 2], [0, 1]))]


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


def scalar_bias(d: Draft, s: Size, t: str) -> list[Value]:
    c = product(d, s, t)
    return [d.binary("add", c, d.broadcast(d.arg(dtype="f32"), *c.sizes))]


def short_bias(d: Draft, s: Size, t: str) -> list[Value]:
    c = product(d, s, t)
    return [d.binary("add", c, d.cast(d.broadcast(d.arg(s[1], dtype=t), *c.sizes), "f32"))]


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
    h = d.cast(clamp(d, biased(d, product(d, s, t))), t)
    return [biased(d, d.dot(h, d.arg(s[1], s[2], dtype=t)))]


def chained_both_kept(d: Draft, s: Size, t: str) -> list[Value]:
    h = d.cast(clamp(d, product(d, s, t)), t)
    return [d.dot(h, d.arg(s[1], s[2], dtype=t)), h]


def chained_transposed(d: Draft, s: Size, t: str) -> list[Value]:
    h = d.transpose(d.cast(clamp(d, product(d, s, t)), t), 1, 0)
    return [d.dot(h, d.arg(s[0], s[2], dtype=t))]


def gated(d: Draft, s: Size, t: str) -> list[Value]:
    """Two contractions of one input feed one root."""
    x, w, v = d.arg(s[0], s[2], dtype=t), d.arg(s[2], s[1], dtype=t), d.arg(s[2], s[1], dtype=t)
    return [d.binary("mul", clamp(d, d.dot(x, w)), d.dot(x, v))]


def gram(d: Draft, s: Size, t: str) -> list[Value]:
    """x · xᵀ: both operands are the same argument."""
    x = d.arg(s[0], s[2], dtype=t)
    return [d.dot(x, x, [1], [1])]


def symmetric(d: Draft, s: Size, t: str) -> list[Value]:
    """c + cᵀ, which reads each element of c twice."""
    c = d.dot(d.arg(s[0], s[2], dtype=t), d.arg(s[2], s[0], dtype=t))
    return [d.binary("add", c, d.transpose(c, 1, 0))]


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
    return [d.dot(d.arg(s[0], s[2], dtype=t), d.constant((np.arange(s[2] * 2) % 5 - 2).reshape(s[2], 2), t))]


def constant_bias(d: Draft, s: Size, t: str) -> list[Value]:
    c = product(d, s, t)
    return [d.binary("add", c, d.broadcast(d.constant(np.arange(s[1]) % 7 - 3, "f32"), *c.sizes))]


def splat_weights(d: Draft, s: Size, t: str) -> list[Value]:
    """An operand that is a splat, which has no memref until it is stored."""
    x = d.arg(s[0], s[2], dtype=t)
    weights = d.op("ptir.constant dense<2.0> : $T", (s[2], s[1]), t, lambda arrays: np.full((s[2], s[1]), 2.0))
    return [d.dot(x, weights)]


def computed_operand(d: Draft, s: Size, t: str) -> list[Value]:
    x = d.arg(s[0], s[2], dtype=t)
    return [d.dot(d.binary("add", x, x), d.arg(s[2], s[1], dtype=t))]


def outer_product(d: Draft, s: Size, t: str) -> list[Value]:
    return [d.dot(d.arg(s[0], dtype=t), d.arg(s[1], dtype=t), [], [])]


def matrix_vector(d: Draft, s: Size, t: str) -> list[Value]:
    return [d.dot(d.arg(s[0], s[2], dtype=t), d.arg(s[2], dtype=t), [1], [0])]


def vector_matrix(d: Draft, s: Size, t: str) -> list[Value]:
    return [biased(d, d.dot(d.arg(s[2], dtype=t), d.arg(s[2], s[1], dtype=t), [0], [0]))]


def inner_product(d: Draft, s: Size, t: str) -> list[Value]:
    return [d.dot(d.arg(s[2], dtype=t), d.arg(s[2], dtype=t), [0], [0])]


CONTRACTIONS: dict[str, Program] = {
    **{name: activation(name) for name in ACTIVATIONS},
    **{
        f.__name__: f
        for f in (
            weights_nk,
            x_transposed,
            both_transposed,
            transposed_by_an_op,
            short_output,
            other_short_output,
            short_accumulate,
            mask_output,
            mask_input,
            batched,
            batched_nk_biased,
            two_batches,
            rows,
            rows_swapped,
            two_contracted,
            two_contracted_crosswise,
            heads_joined,
            residual,
            residual_transposed,
            transposed,
            transposed_then_biased,
            row_bias,
            scalar_bias,
            short_bias,
            row_scale_times_column_scale,
            two_results,
            two_results_one_transposed,
            chained,
            chained_both_kept,
            chained_transposed,
            gated,
            gram,
            symmetric,
            reshaped,
            reshaped_to_heads,
            reshaped_before,
            constant_weights,
            constant_bias,
            splat_weights,
            computed_operand,
            outer_product,
            matrix_vector,
            vector_matrix,
            inner_product,
        )
    },
}

# --- without a contraction ----------------------------------------------------------------------


def rank0(d: Draft, s: Size, t: str) -> list[Value]:
    x = d.arg(dtype="f32")
    return [d.binary("add", d.binary("mul", x, x), d.constant(3, "f32"))]


def rank1(d: Draft, s: Size, t: str) -> list[Value]:
    return [clamp(d, d.arg(s[0] * s[1], dtype=t))]


def rank2(d: Draft, s: Size, t: str) -> list[Value]:
    x = d.arg(s[0], s[1], dtype=t)
    return [d.binary("add", d.unary("abs", d.transpose(x, 1, 0)), d.broadcast(d.arg(s[0], dtype=t), s[1], s[0]))]


def rank3(d: Draft, s: Size, t: str) -> list[Value]:
    x = d.cast(d.transpose(d.arg(3, s[0], s[1], dtype=t), 2, 0, 1), "f32")
    return [d.binary("mul", x, d.broadcast(d.arg(s[1], 1, s[0], dtype="f32"), *x.sizes))]


def rank4(d: Draft, s: Size, t: str) -> list[Value]:
    x = d.transpose(d.arg(2, s[0], 3, s[1], dtype=t), 3, 0, 2, 1)
    return [leaky(d, d.cast(x, "f32"))]


def rank4_reshaped(d: Draft, s: Size, t: str) -> list[Value]:
    x = d.reshape(d.transpose(d.arg(2, s[0], 3, s[1], dtype=t), 0, 2, 1, 3), 6, s[0] * s[1])
    return [d.binary("sub", x, d.splat(1, x))]


def with_constant(d: Draft, s: Size, t: str) -> list[Value]:
    x = d.arg(s[0], 5, dtype="f32")
    return [d.binary("mul", x, d.broadcast(d.constant([1, -2, 3, 0.5, 0], "f32"), s[0], 5))]


def moved_argument(d: Draft, s: Size, t: str) -> list[Value]:
    x = d.arg(5, s[0], s[1], dtype=t)
    return [d.reshape(d.transpose(x, 2, 0, 1), 5 * s[0] * s[1])]


def argument_itself(d: Draft, s: Size, t: str) -> list[Value]:
    x = d.arg(s[0], s[1], dtype=t)
    return [x, clamp(d, x), d.constant([[1.5, 2, 3], [4, 5, 6]], t)]


ELEMENTWISE: dict[str, Program] = {
    f.__name__: f
    for f in (rank0, rank1, rank2, rank3, rank4, rank4_reshaped, with_constant, moved_argument, argument_itself)
}
PROGRAMS = {**CONTRACTIONS, **ELEMENTWISE}


def draft(name: str, size: Size, dtype: str) -> Draft:
    """Returns the program `name` with sizes (M, N, K)."""
    d = Draft()
    d.results = tuple(PROGRAMS[name](d, size, dtype))
    return d


# --- plans by hand ------------------------------------------------------------------------------


def planned(d: Draft, **changes: Any) -> ModuleOp:
    """Returns a program at the region level, with the planner's plans in which these fields, and the tails, are changed."""
    module = PassManager("ptir-to-tiny,form-regions,plan-regions{arch=sm80}").run(ptir.parse(d.text))
    for kernel in module.ops:
        if isinstance(kernel, RegionKernelOp) and kernel.plan is not None:
            plan = kernel.plan.schedule()
            if len(plan.tile) == len(changes.get("tile", plan.tile)):
                plan = msgspec.structs.replace(plan, **changes)
                space = kernel_space(kernel)
                axes = zip(("m.i.i", "n.i.i", "k.i.i"), (space.m, space.n, space.k), plan.tile, strict=False)
                tails = tuple(axis for axis, size, step in axes if size % step)
                kernel.plan = ScheduleAttr(msgspec.structs.replace(plan, **{"predicate_tail": tails, **changes}))
    return module
