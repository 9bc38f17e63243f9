"""
A U-Net block (Ronneberger et al., *U-Net*, 2015) as diffusion models have it: group norms, a level down and up again.

    x [N, H, W, C] -> y [N, H, W, C]

The way down is a convolution of stride 2; the way up repeats pixels. What the way down saw is concatenated on the way up.
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
    features: int = 64
    groups: int = 8
    size: int = 32
    batch: int = 1
    dtype: str = "f32"


CONFIGS = {"tiny": Config(features=8, groups=2, size=8), "base": Config(), "base-bf16": Config(dtype="bf16")}


def residual_shapes(name: str, channels: int, features: int) -> Shapes:
    out: Shapes = {}
    for k, c in ((1, channels), (2, features)):
        out |= {f"{name}.norm{k}_g": (c,), f"{name}.norm{k}_b": (c,)}
        out |= {f"{name}.conv{k}_w": (3, 3, c, features), f"{name}.conv{k}_b": (features,)}
    return out if channels == features else out | {f"{name}.skip_w": (1, 1, channels, features)}


def shapes(config: Config) -> Shapes:
    c = config.features
    levels = residual_shapes("high", c, c) | residual_shapes("low", 2 * c, 2 * c) | residual_shapes("up", 3 * c, c)
    return levels | {"down_w": (3, 3, c, 2 * c), "down_b": (2 * c,)}


def group_norm(x: SSAValue, g: SSAValue, b: SSAValue, groups: int) -> SSAValue:
    """Normalizes the pixels and features of each group of features."""
    n, h, w, c = nn.sizes(x)
    grouped = nn.reshape(x, n, h * w, groups, c // groups)
    centered = nn.sub(grouped, nn.mean(grouped, 1, 3))
    normed = nn.mul(centered, nn.rsqrt(nn.add(nn.mean(nn.mul(centered, centered), 1, 3), 1e-5)))
    return nn.add(nn.mul(nn.reshape(normed, n, h, w, c), g), b)


def upsampled(x: SSAValue) -> SSAValue:
    """Repeats pixels twice along both axes."""
    n, h, w, c = nn.sizes(x)
    return nn.reshape(nn.broadcast(nn.reshape(x, n, h, 1, w, 1, c), [n, h, 2, w, 2, c]), n, 2 * h, 2 * w, c)


def residual(x: SSAValue, p: nn.Values, groups: int) -> SSAValue:
    y = x
    for k in (1, 2):
        y = nn.silu(group_norm(y, p[f"norm{k}_g"], p[f"norm{k}_b"], groups))
        y = nn.add(nn.conv(y, p[f"conv{k}_w"], 1, 1), p[f"conv{k}_b"])
    return nn.add(nn.conv(x, p["skip_w"]) if "skip_w" in p else x, y)


def network(config: Config, p: nn.Values) -> nn.Values:
    high = residual(p["x"], np_.prefixed(p, "high"), config.groups)
    low = nn.add(nn.conv(high, p["down_w"], 2, 1), p["down_b"])
    low = upsampled(residual(low, np_.prefixed(p, "low"), config.groups))
    both = ops.ConcatOp([high, low], 3).result
    return {"y": residual(both, np_.prefixed(p, "up"), config.groups)}


def build(config: Config) -> ModuleOp:
    x = nn.tensor_type(f32, [config.batch, config.size, config.size, config.features])
    arguments = {"x": x} | nn.parameter_types(shapes(config), config.dtype)
    return nn.module(nn.function("unet", arguments, lambda p: network(config, p)))


def weights(config: Config, seed: int) -> dict[str, Array]:
    return np_.random_parameters(shapes(config), seed, config.dtype)


def inputs(config: Config, seed: int) -> dict[str, Array]:
    x = np.random.default_rng(seed).standard_normal((config.batch, config.size, config.size, config.features))
    return {"x": x.astype(np.float32)}


def reference(config: Config, weights: Arrays, inputs: Arrays) -> dict[str, Array]:
    def group_norm(x: Array, g: Array, b: Array) -> Array:
        parts = [(y - y.mean((1, 2, 3), keepdims=True)) / np.sqrt(y.var((1, 2, 3), keepdims=True) + 1e-5)
                 for y in np.split(x, config.groups, -1)]  # fmt: skip
        return np.concatenate(parts, -1) * g + b

    def residual(x: Array, p: Arrays) -> Array:
        y = x
        for k in (1, 2):
            y = np_.silu(group_norm(y, p[f"norm{k}_g"], p[f"norm{k}_b"]))
            y = np_.conv(y, p[f"conv{k}_w"], 1, 1) + p[f"conv{k}_b"]
        return y + (np_.conv(x, p["skip_w"]) if "skip_w" in p else x)

    high = residual(inputs["x"].astype(np.float64), np_.prefixed(weights, "high"))
    low = residual(np_.conv(high, weights["down_w"], 2, 1) + weights["down_b"], np_.prefixed(weights, "low"))
    low = low.repeat(2, 1).repeat(2, 2)
    return {"y": residual(np.concatenate([high, low], -1), np_.prefixed(weights, "up"))}
