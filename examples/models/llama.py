"""
A block of Llama (Touvron et al., *LLaMA*, 2023): RMS norm, rotary embedding, grouped-query attention, SwiGLU.

    x [B, S, C] -> y [B, S, C]

A head is rotated in halves; `cos` and `sin`, `[S, D / 2]`, are tables of the angles. Queries of one group share keys and values,
which are not repeated: the group is a batch axis of the products.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import SSAValue

from ptir.dialects import ptir as ops

from . import arrays as np_
from . import layers as nn
from .arrays import Array, Arrays, Shapes


@dataclass(frozen=True)
class Config:
    features: int = 4096
    heads: int = 32
    groups: int = 8
    hidden: int = 14336
    batch: int = 1
    tokens: int = 512
    theta: float = 500000.0
    dtype: str = "bf16"

    @property
    def size(self) -> int:
        """The features of a head."""
        return self.features // self.heads


CONFIGS = {"tiny": Config(features=64, heads=4, groups=2, hidden=96, tokens=16, dtype="f32"), "8b": Config()}


def shapes(config: Config) -> Shapes:
    c, keys, hidden = config.features, config.groups * config.size, config.hidden
    tables: Shapes = {"cos": (config.tokens, config.size // 2), "sin": (config.tokens, config.size // 2)}
    attention: Shapes = {"ln1_g": (c,), "q_w": (c, c), "k_w": (c, keys), "v_w": (c, keys), "out_w": (c, c)}
    return tables | attention | {"ln2_g": (c,), "gate_w": (c, hidden), "up_w": (c, hidden), "down_w": (hidden, c)}


def rotated(x: SSAValue, cos: SSAValue, sin: SSAValue) -> SSAValue:
    """Rotates pairs of the two halves of each head, `[B, heads, S, D]`."""
    a, b = nn.split(x, 2)
    turned = [nn.sub(nn.mul(a, cos), nn.mul(b, sin)), nn.add(nn.mul(b, cos), nn.mul(a, sin))]
    return ops.ConcatOp(turned, 3).result


def block(config: Config, p: nn.Values) -> nn.Values:
    x, groups, dtype = p["x"], config.groups, nn.TYPES[config.dtype]
    normed = nn.rms_norm(x, p["ln1_g"])
    q, k, v = (nn.linear(normed, p[f"{name}_w"]) for name in "qkv")
    q = rotated(nn.heads(q, config.heads), p["cos"], p["sin"])
    k = nn.cast(rotated(nn.heads(k, groups), p["cos"], p["sin"]), dtype)
    v = nn.cast(nn.heads(v, groups), dtype)
    shared = nn.reshape(q, config.batch, groups, config.heads // groups, config.tokens, config.size)
    mixed = nn.attention(shared, k, v, nn.causal(config.tokens, config.tokens))
    mixed = nn.joined_heads(nn.reshape(mixed, *nn.sizes(q)))
    x = nn.add(x, nn.linear(mixed, p["out_w"]))
    normed = nn.rms_norm(x, p["ln2_g"])
    hidden = nn.mul(nn.silu(nn.linear(normed, p["gate_w"])), nn.linear(normed, p["up_w"]))
    return {"y": nn.add(x, nn.linear(hidden, p["down_w"]))}


def build(config: Config) -> ModuleOp:
    x = nn.tensor_type(f32, [config.batch, config.tokens, config.features])
    arguments = {"x": x} | nn.parameter_types(shapes(config), config.dtype)
    tables = {name: nn.tensor_type(f32, shapes(config)[name]) for name in ("cos", "sin")}
    return nn.module(nn.function("block", arguments | tables, lambda p: block(config, p)))


def weights(config: Config, seed: int) -> dict[str, Array]:
    frequencies = config.theta ** (-np.arange(config.size // 2) / (config.size // 2))
    angles = np.arange(config.tokens)[:, None] * frequencies
    tables = {"cos": np.cos(angles).astype(np.float32), "sin": np.sin(angles).astype(np.float32)}
    return np_.random_parameters(shapes(config), seed, config.dtype) | tables


def inputs(config: Config, seed: int) -> dict[str, Array]:
    x = np.random.default_rng(seed).standard_normal((config.batch, config.tokens, config.features))
    return {"x": x.astype(np.float32)}


def reference(config: Config, weights: Arrays, inputs: Arrays) -> dict[str, Array]:
    """The pairs of a head as complex numbers, and keys and values repeated for each query head."""
    x, p, half = inputs["x"].astype(np.float64), weights, config.size // 2
    turn = p["cos"].astype(np.float64) + 1j * p["sin"].astype(np.float64)
    normed = np_.rms_norm(x, p["ln1_g"])
    q, k, v = (np_.linear(normed, p[f"{name}_w"]) for name in "qkv")
    q, k, v = np_.heads(q, config.heads), np_.heads(k, config.groups), np_.heads(v, config.groups)
    q, k = ((each[..., :half] + 1j * each[..., half:]) * turn for each in (q, k))
    q, k = (np.concatenate([each.real, each.imag], -1) for each in (q, k))
    k, v = (np.repeat(each.astype(p["k_w"].dtype), config.heads // config.groups, 1) for each in (k, v))
    x = x + np_.linear(np_.joined_heads(np_.attention(q, k, v, 0)), p["out_w"])
    normed = np_.rms_norm(x, p["ln2_g"])
    hidden = np_.silu(np_.linear(normed, p["gate_w"])) * np_.linear(normed, p["up_w"])
    return {"y": x + np_.linear(hidden, p["down_w"])}
