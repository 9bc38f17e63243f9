"""
Parameters and NumPy references of the networks' layers, in f64. Nothing here knows ptir.

A product rounds its left operand to the type of the right one, which is that of the weights; everything else is exact up to f64.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import erf, prod
from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Arrays = Mapping[str, Array]
Shapes = dict[str, tuple[int, ...]]
DTYPES = {"f32": np.dtype(np.float32), "f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16)}


def random_parameters(shapes: Shapes, seed: int, dtype: str) -> dict[str, Array]:
    """
    Draws parameters; matrices and filters have `dtype`, vectors are f32. The suffix of the name says what they are: `_w` weights,
    scaled by the number of inputs, `_g` gains and `_v` variances near 1, `_b` biases near 0; others are standard normal.
    """
    rng, out = np.random.default_rng(seed), dict[str, Array]()
    for name, shape in shapes.items():
        x = rng.standard_normal(shape)
        if name.endswith("_w"):
            x /= np.sqrt(prod(shape[:-1]))
        elif name.endswith(("_g", "_v")):
            x = np.abs(1 + 0.1 * x)
        elif name.endswith("_b"):
            x *= 0.1
        out[name] = x.astype(DTYPES[dtype] if len(shape) > 1 else np.float32)
    return out


def matmul(x: Array, y: Array) -> Array:
    return x.astype(y.dtype).astype(np.float64) @ y.astype(np.float64)


def linear(x: Array, w: Array, b: Array | float = 0.0) -> Array:
    return matmul(x, w) + b


def conv(x: Array, w: Array, stride: int = 1, padding: int = 0) -> Array:
    """A convolution of images `[N, H, W, C]` with filters `[R, S, C, F]`, as a sum over the positions of the filter."""
    rows, columns = w.shape[:2]
    x = np.pad(x, ((0, 0), (padding, padding), (padding, padding), (0, 0)))
    high, wide = ((n - size) // stride + 1 for n, size in zip(x.shape[1:3], (rows, columns), strict=True))
    y = np.zeros((len(x), high, wide, w.shape[3]))
    for r in range(rows):
        for s in range(columns):
            y += matmul(x[:, r : r + high * stride : stride, s : s + wide * stride : stride], w[r, s])
    return y


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x: Array, g: Array, b: Array) -> Array:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * g + b


def rms_norm(x: Array, g: Array) -> Array:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * g


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def silu(x: Array) -> Array:
    return x * sigmoid(x)


def gelu(x: Array) -> Array:
    return x * (1 + np.vectorize(erf)(x / np.sqrt(2))) / 2


def gelu_tanh(x: Array) -> Array:
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def heads(x: Array, count: int) -> Array:
    return x.reshape(*x.shape[:2], count, -1).transpose(0, 2, 1, 3)


def joined_heads(x: Array) -> Array:
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


def attention(q: Array, k: Array, v: Array, first: int | None = None) -> Array:
    """Attention of `[…, S, D]` to `[…, T, D]`; with `first`, the position of the first query, it is causal."""
    scores = matmul(q, np.swapaxes(k, -1, -2)) / np.sqrt(q.shape[-1])
    if first is not None:
        queries, keys = np.indices(scores.shape[-2:])
        scores = np.where(keys <= queries + first, scores, -np.inf)
    return matmul(softmax(scores), v)


def prefixed(arrays: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Returns what is named `prefix.…`, without the prefix."""
    return {name.removeprefix(f"{prefix}."): x for name, x in arrays.items() if name.startswith(f"{prefix}.")}


def repeated(shapes: Shapes, layers: int, prefix: str = "h") -> Shapes:
    """Returns the parameters of `layers` equal layers, named `h0.…`, `h1.…`."""
    return {f"{prefix}{k}.{name}": shape for k in range(layers) for name, shape in shapes.items()}
