"""Intents over all ops, each with an independent oracle in NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import ptir
from ptir.dialects import intent
from ptir.dialects.intent.types import type_of
from ptir.semantics.arrays.scalars import cast, is_float, numpy_dtype

Oracle = Callable[..., Any]
F32 = np.float32


@dataclass(frozen=True)
class Example:
    """An intent: tensors as `dtype[sizes]`, ops as `name: op(inputs) {attrs}`, and its oracle in f64."""

    name: str
    tensors: Mapping[str, str]
    ops: tuple[tuple[str, str, tuple[str, ...], dict[str, Any]], ...]
    outputs: tuple[str, ...]
    oracle: Oracle
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])
    """The symbols that no argument determines."""
    assumptions: tuple[str, ...] = ()

    def json(self) -> dict[str, Any]:
        def tensor(text: str) -> dict[str, Any]:
            dtype, _, rest = text.partition("[")
            dims = [d.strip() for d in rest.rstrip("]").split(",") if d.strip()]
            return {"dtype": dtype, "shape": [int(d) if d.isdecimal() else d for d in dims]}

        return {
            "name": self.name,
            "tensors": {name: tensor(text) for name, text in self.tensors.items()},
            "ops": [
                {"op": op, "inputs": list(inputs), "output": out, "attrs": attrs} for out, op, inputs, attrs in self.ops
            ],
            "outputs": list(self.outputs),
            "contract": {"level": "FULL", "assumptions": list(self.assumptions)},
        }

    def load(self) -> ptir.intent.Intent:
        import json

        return ptir.intent.load(json.dumps(self.json()))


def softmax(x: Any, axis: int) -> Any:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def unary(name: str, oracle: Oracle) -> Example:
    return Example(name, {"x": "f32[M,N]"}, (("y", name, ("x",), {}),), ("y",), oracle)


def binary(name: str, oracle: Oracle, left: str = "f32[M,N]", right: str = "f32[M,N]") -> Example:
    return Example(f"{name}_op", {"x": left, "y": right}, (("z", name, ("x", "y"), {}),), ("z",), oracle)


def conv(x: Any, w: Any, b: Any) -> Any:
    n, _, h, width = x.shape
    o, c, kh, kw = w.shape
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    out = np.zeros((n, o, (h + 2 - kh) // 2 + 1, (width + 2 - kw) // 2 + 1))
    for y in range(out.shape[2]):
        for k in range(out.shape[3]):
            window = padded[:, :, 2 * y : 2 * y + kh, 2 * k : 2 * k + kw]
            for f in range(o):
                g = f // (o // 2)
                out[:, f, y, k] = (window[:, g * c : (g + 1) * c] * w[f]).sum((1, 2, 3)) + b[f]
    return out


def rope(x: Any, c: Any, s: Any) -> Any:
    half = x.shape[-1] // 2
    a, b, c, s = x[..., :half], x[..., half:], c[:, None, None, :], s[:, None, None, :]
    return np.concatenate([a * c - b * s, a * s + b * c], -1)


def correlation(a: Any, b: Any, shift: Any, C: int) -> Any:
    wide = [[int(v) for v in np.ravel(t)] for t in (a, b)]
    k, h, w = a.shape
    out = np.zeros((C, h, w), np.int64)
    for c, y, x in np.ndindex(out.shape):
        if x >= c:
            at = [(i * h + y) * w + x for i in range(k)]
            out[c, y, x] = sum(wide[0][p] * wide[1][p - c] for p in at) >> int(shift)
    return (out + 128) % 256 - 128


def resize(x: Any) -> Any:
    _, h, w = x.shape
    y, k = np.arange(2 * h) // 2, np.arange(2 * w) // 2
    wide = x.astype(np.int64)
    across = np.where(
        np.arange(2 * w) % 2, (wide[:, :, k] * 64 + wide[:, :, np.minimum(k + 1, w - 1)] * 64) >> 7, wide[:, :, k]
    )
    return np.where(
        (np.arange(2 * h) % 2)[:, None],
        (across[:, y] * 64 + across[:, np.minimum(y + 1, h - 1)] * 64) >> 7,
        across[:, y],
    )


def warp(x: Any, offset: Any) -> Any:
    out = np.zeros_like(x)
    byte = lambda v: (v + 128) % 256 - 128  # noqa: E731
    for c, h, w in np.ndindex(x.shape):
        o = int(offset[h, w])
        whole, fraction = o >> 8, byte(o & 255)
        r = byte(byte(w) - whole)
        l = byte(r - 1)  # noqa: E741
        rv, lv = (int(x[c, h, min(p, x.shape[2] - 1)]) if p >= 0 else 0 for p in (r, l))
        mixed = ((rv * 256 + (lv - rv) * fraction) + 2**15) % 2**16 - 2**15
        out[c, h, w] = mixed >> 8
    return out


def bicubic(x: Any, OH: int, OW: int) -> Any:
    def matrix(extent: int, size: int) -> Any:
        scale = extent / size
        t = max(scale, 1.0)
        m = np.zeros((size, extent))
        for o in range(size):
            center = scale * (o + 0.5)
            for i in range(
                max(int(np.floor(center - 2 * t + 0.5)), 0), min(int(np.floor(center + 2 * t + 0.5)), extent)
            ):
                d = abs((i - center + 0.5) / t)
                m[o, i] = 1.5 * d**3 - 2.5 * d**2 + 1 if d < 1 else -0.5 * d**3 + 2.5 * d**2 - 4 * d + 2 if d < 2 else 0
        return m / m.sum(1, keepdims=True)

    return np.einsum("yi,ncij,xj->ncyx", matrix(x.shape[2], OH), x, matrix(x.shape[3], OW))


def layer_norm(x: Any, w: Any, b: Any) -> Any:
    mean = x.mean(1, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(1, keepdims=True) + 1e-5) * w + b


def attention(q: Any, k: Any, v: Any) -> Any:
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    s = np.where(np.tri(q.shape[1], k.shape[1], dtype=bool), s, -1e30)
    return softmax(s, -1) @ v


def dropout(x: Any, p: Any, seed: Any) -> Any:
    mask = (1 << 32) - 1
    out = np.zeros(x.size)
    for i in range(x.size):
        c, k = [i, 0, 0, 0], [int(seed) & mask, int(seed) >> 32 & mask]
        for _ in range(10):
            left, right = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [(right >> 32) ^ c[1] ^ k[0], right & mask, (left >> 32) ^ c[3] ^ k[1], left & mask]
            k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
        bits = c[0] if c[0] < 2**31 else mask - c[0]
        out[i] = np.ravel(x)[i] / (1 - p) if F32(bits) * F32(4.6566127342e-10) > p and p < 1 else 0.0
    return out.reshape(x.shape)


NORM = (
    ("mean", "reduce_sum", ("x",), {"axes": [1], "scale": "1/num_elements"}),
    ("d", "sub", ("x", "mean"), {}),
    ("q", "mul", ("d", "d"), {}),
    ("var", "reduce_sum", ("q",), {"axes": [1], "scale": "1/N"}),
    ("eps", "const", (), {"value": 1e-5, "dtype": "f32"}),
    ("v", "add", ("var", "eps"), {}),
    ("r", "rsqrt", ("v",), {}),
    ("n", "mul", ("d", "r"), {}),
)

EXAMPLES: tuple[Example, ...] = (
    unary("exp", np.exp),
    unary("relu", lambda x: np.where(np.isnan(x) | (x > 0), x, 0)),
    unary("abs", np.abs),
    unary("floor", np.floor),
    unary("identity", lambda x: x),
    Example(
        "rsqrt",
        {"x": "f32[M,N]"},
        (("y", "rsqrt", ("x",), {}),),
        ("y",),
        lambda x: 1 / np.sqrt(x),
        assumptions=("x > 0",),
    ),
    binary("add", np.add, right="f32[N]"),
    binary("sub", lambda x, y: x - y[:, None], right="f32[M]"),
    binary("mul", np.multiply, right="f32[]"),
    binary("div", np.divide, right="f32[M,1]"),
    binary("max", np.maximum),
    binary("min", np.minimum),
    binary("lt", np.less),
    binary("ge", np.greater_equal, "i32[M,N]", "i32[M,N]"),
    binary("and", np.logical_and, "bool[M,N]", "bool[N]"),
    Example(
        "compare",
        {"x": "f32[M,N]", "y": "f32[M,N]"},
        (
            ("a", "ne", ("x", "y"), {}),
            ("b", "le", ("x", "y"), {}),
            ("c", "gt", ("x", "y"), {}),
            ("d", "or", ("b", "c"), {}),
            ("e", "not", ("d",), {}),
            ("z", "where", ("a", "x", "y"), {}),
        ),
        ("a", "d", "e", "z"),
        lambda x, y: (x != y, (x <= y) | (x > y), ~((x <= y) | (x > y)), np.where(x != y, x, y)),
    ),
    Example(
        "casts",
        {"x": "f32[M]"},
        (("h", "cast", ("x",), {"to": "f16"}), ("i", "cast", ("x",), {"to": "i8"})),
        ("h", "i"),
        lambda x: (x.astype(np.float16), np.where(np.isnan(x), 0, np.clip(np.trunc(x), -128, 127))),
    ),
    Example(
        "movement",
        {"x": "f32[M,N]"},
        (
            ("t", "transpose", ("x",), {"perm": [1, 0]}),
            ("r", "reshape", ("t",), {"shape": ["M*N"]}),
            ("b", "broadcast_in_dim", ("x",), {"out_shape": ["M", 3, "N"], "broadcast_dims": [0, 2]}),
            ("l", "layout_cast", ("b",), {}),
        ),
        ("t", "r", "l"),
        lambda x: (x.T, x.T.reshape(-1), np.repeat(x[:, None], 3, 1)),
    ),
    Example(
        "sums",
        {"x": "f32[M,N,K]"},
        (
            ("s", "reduce_sum", ("x",), {"axes": [0, -1]}),
            ("m", "reduce_max", ("x",), {"dims": [1], "keepdims": True}),
            ("a", "reduce_sum", ("x",), {"scale": 0.5}),
        ),
        ("s", "m", "a"),
        lambda x: (x.sum((0, 2)), x.max(1, keepdims=True), 0.5 * x.sum()),
    ),
    Example("any", {"p": "bool[M,N]"}, (("y", "reduce_any", ("p",), {"axes": [1]}),), ("y",), lambda p: p.any(1)),
    Example(
        "iotas",
        {"x": "i32[M,N]"},
        (
            ("i", "iota", (), {"axis": 1, "shape": ["M", "N"], "dtype": "i32"}),
            ("c", "const", (), {"value": "N - 1", "dtype": "i32"}),
            ("d", "sub", ("i", "c"), {}),
            ("y", "add", ("x", "d"), {}),
        ),
        ("y",),
        lambda x: (x.astype(np.int64) + np.arange(x.shape[1]) - (x.shape[1] - 1) + 2**31) % 2**32 - 2**31,
    ),
    Example(
        "gather_op",
        {"x": "f32[M,N]", "i": "i32[K]", "j": "i64[K]"},
        (("y", "gather", ("x", "i", "j"), {}),),
        ("y",),
        lambda x, i, j: x[i, j],
        assumptions=("0 <= i < M", "0 <= j and j < N"),
    ),
    Example("softmax0", {"x": "f32[M,N]"}, (("y", "softmax", ("x",), {"axis": 0}),), ("y",), lambda x: softmax(x, 0)),
    Example("softmax_f16", {"x": "f16[M,N]"}, (("y", "softmax", ("x",), {}),), ("y",), lambda x: softmax(x, 1)),
    Example(
        "masked_softmax",
        {"x": "f32[M,N]", "p": "bool[M,N]"},
        (
            ("low", "const", (), {"value": -1e30, "dtype": "f32"}),
            ("z", "where", ("p", "x", "low"), {}),
            ("y", "softmax", ("z",), {"axis": 1}),
        ),
        ("y",),
        lambda x, p: softmax(np.where(p, x, -1e30), 1),
        assumptions=("finite(x)",),
    ),
    Example(
        "softmax_by_hand",
        {"x": "f32[M,N]", "m": "f32[M]", "s": "f32[M]"},
        (
            ("m", "reduce_max", ("x",), {"axes": [1]}),
            ("d", "sub", ("x", "m"), {}),
            ("e", "exp", ("d",), {}),
            ("s", "reduce_sum", ("e",), {"axes": [1]}),
            ("y", "div", ("e", "s"), {}),
        ),
        ("y",),
        lambda x: softmax(x, 1),
    ),
    Example(
        "layer_norm",
        {"x": "f32[M,N]", "w": "f32[N]", "b": "f32[N]"},
        (*NORM, ("u", "mul", ("n", "w"), {}), ("y", "add", ("u", "b"), {})),
        ("y",),
        layer_norm,
        assumptions=("finite(x)", "x < 1000", "x > -1000"),
    ),
    Example("matmul_op", {"a": "f32[M,K]", "b": "f32[K,N]"}, (("c", "matmul", ("a", "b"), {}),), ("c",), np.matmul),
    Example(
        "transposed",
        {"a": "f32[2,K,M]", "b": "f32[2,K,N]"},
        (("c", "matmul", ("a", "b"), {"transpose_a": True}),),
        ("c",),
        lambda a, b: np.swapaxes(a, 1, 2) @ b,
    ),
    Example(
        "linear",
        {"a": "f16[M,K]", "b": "f16[N,K]", "w": "f32[N]", "c": "f32[M,N]"},
        (
            (
                "c",
                "matmul",
                ("a", "b"),
                {
                    "transpose_b": True,
                    "epilogue": {"op": "max", "inputs": [{"op": "add", "inputs": ["$x", "w"]}, "w"]},
                },
            ),
        ),
        ("c",),
        lambda a, b, w: np.maximum(a @ b.T + w, w),
    ),
    Example("batched", {"a": "f32[B,M,K]", "b": "f32[K,N]"}, (("c", "matmul", ("a", "b"), {}),), ("c",), np.matmul),
    Example(
        "attention",
        {"q": "f32[B,S,8]", "k": "f32[B,T,8]", "v": "f32[B,T,8]", "u": "f32[B,S,T]"},
        (
            ("s", "matmul", ("q", "k"), {"transpose_b": True}),
            ("f", "const", (), {"value": "1/sqrt(8)", "dtype": "f32"}),
            ("t", "mul", ("s", "f"), {}),
            ("i", "iota", (), {"axis": 0, "shape": ["S", "T"], "dtype": "i32"}),
            ("j", "iota", (), {"axis": 1, "shape": ["S", "T"], "dtype": "i32"}),
            ("p", "le", ("j", "i"), {}),
            ("low", "const", (), {"value": -1e30, "dtype": "f32"}),
            ("u", "where", ("p", "t", "low"), {}),
            ("w", "softmax", ("u",), {"axis": 2}),
            ("o", "matmul", ("w", "v"), {}),
        ),
        ("o",),
        attention,
        assumptions=("finite(q)", "finite(k)", "finite(v)", "q < 64 and q > -64", "k < 64 and k > -64"),
    ),
    Example(
        "conv",
        {"x": "f32[N,4,H,W]", "w": "f32[6,2,3,3]", "b": "f32[6]"},
        (("y", "conv2d", ("x", "w", "b"), {"stride": 2, "padding": [1, 1], "groups": 2}),),
        ("y",),
        conv,
    ),
    Example(
        "rope_op",
        {"x": "f32[S,B,H,D]", "c": "f32[S,D//2]", "s": "f32[S,D//2]"},
        (("y", "rope", ("x", "c", "s"), {}),),
        ("y",),
        rope,
        assumptions=("D % 2 == 0",),
    ),
    Example(
        "correlation_op",
        {"a": "i8[K,H,W]", "b": "i8[K,H,W]", "shift": "i32[]", "y": "i8[C,H,W]"},
        (("y", "correlation", ("a", "b", "shift"), {}),),
        ("y",),
        correlation,
        {"C": 3},
        ("0 <= shift < 32",),
    ),
    Example("resize_op", {"x": "i8[C,H,W]"}, (("y", "resize", ("x",), {}),), ("y",), resize),
    Example("warp_op", {"x": "i8[C,H,W]", "o": "i16[H,W]"}, (("y", "warp", ("x", "o"), {}),), ("y",), warp),
    Example(
        "bicubic",
        {"x": "f32[N,C,IH,IW]", "y": "f32[N,C,OH,OW]"},
        (("y", "upsample_bicubic2d_aa", ("x",), {}),),
        ("y",),
        bicubic,
        {"OH": 5, "OW": 3},
    ),
    Example(
        "dropout_op",
        {"x": "f32[M,N]", "p": "f32[]", "seed": "i64[]"},
        (("y", "dropout", ("x", "p", "seed"), {}),),
        ("y",),
        dropout,
        assumptions=("0 <= p <= 1", "finite(x)"),
    ),
    Example(
        "dropout_mask",
        {"x": "f32[M,N]", "keep": "bool[M,N]"},
        (
            ("zero", "const", (), {"value": 0, "dtype": "f32"}),
            ("f", "const", (), {"value": 1.25, "dtype": "f32"}),
            ("s", "mul", ("x", "f"), {}),
            ("y", "where", ("keep", "s", "zero"), {}),
        ),
        ("y",),
        lambda x, keep: np.where(keep, x * 1.25, 0),
    ),
)


@dataclass(frozen=True)
class OracleCandidate:
    """The oracle of an example, with the results in the types of the intent."""

    example: Example
    function: intent.FuncOp
    name: str = "the oracle"

    def fixed_shapes(self) -> None:
        return None

    def __call__(self, arrays: Sequence[Any], binding: Mapping[str, int]) -> list[Any]:
        wide = [a.astype(np.float64) if is_float(a.dtype) else a for a in arrays]
        with np.errstate(all="ignore"):
            results = self.example.oracle(*wide, **{s: binding[s] for s in self.example.sizes})
        several = results if isinstance(results, tuple) else (results,)
        dtypes = [numpy_dtype(type_of(v).element_type) for v in self.function.outputs]
        return [
            cast(np.asarray(r, np.float64), t) if is_float(t) else np.asarray(r).astype(t)
            for r, t in zip(several, dtypes, strict=True)
        ]
