"""The block of `block.mlir` by hand: NumPy in f32, as one would write it."""

from __future__ import annotations

from typing import Any

import numpy as np
from make import EPSILON, FEATURES, HEAD, HEADS, INPUT, PARAMETERS

Array = np.ndarray[Any, np.dtype[np.float32]]


def arguments(seed: int = 0) -> list[Array]:
    """An input and parameters of the sizes of a trained block."""
    rng = np.random.default_rng(seed)
    out = [rng.standard_normal(INPUT).astype(np.float32)]
    for name, shape in PARAMETERS.items():
        x = rng.standard_normal(shape) * 0.02
        out.append((x + 1 if name.endswith("_g") else x).astype(np.float32))
    return out


def layer_norm(x: Array, g: Array, b: Array) -> Array:
    mean = x.mean(axis=-1, keepdims=True)
    centred = x - mean
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + np.float32(EPSILON)) * g + b


def attention(x: Array, qkv_w: Array, qkv_b: Array, out_w: Array, out_b: Array) -> Array:
    batch, tokens, _ = x.shape
    parts = np.split(x @ qkv_w + qkv_b, 3, axis=-1)
    q, k, v = (p.reshape(batch, tokens, HEADS, HEAD).transpose(0, 2, 1, 3) for p in parts)
    scores = q @ k.transpose(0, 1, 3, 2) * np.float32(1 / np.sqrt(HEAD))
    scores = scores + np.triu(np.full((tokens, tokens), -np.inf, np.float32), 1)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    return (p @ v).transpose(0, 2, 1, 3).reshape(batch, tokens, FEATURES) @ out_w + out_b


def gelu(x: Array) -> Array:
    return np.float32(0.5) * x * (1 + np.tanh(np.float32(np.sqrt(2 / np.pi)) * (x + np.float32(0.044715) * x * x * x)))


def block(x: Array, ln1_g: Array, ln1_b: Array, qkv_w: Array, qkv_b: Array, out_w: Array, out_b: Array,
          ln2_g: Array, ln2_b: Array, up_w: Array, up_b: Array, down_w: Array, down_b: Array) -> Array:  # fmt: skip
    x = x + attention(layer_norm(x, ln1_g, ln1_b), qkv_w, qkv_b, out_w, out_b)
    return x + gelu(layer_norm(x, ln2_g, ln2_b) @ up_w + up_b) @ down_w + down_b
