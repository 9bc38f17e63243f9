"""
ResNet-18 (He et al., *Deep residual learning*, 2015) for images of 32×32, in inference.

    images [N, 32, 32, 3] -> logits [N, 10]

The stem is a 3×3 convolution without pooling, as for CIFAR. Norms use their stored means and variances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import SSAValue

from . import arrays as np_
from . import layers as nn
from .arrays import Array, Arrays, Shapes


@dataclass(frozen=True)
class Config:
    widths: tuple[int, ...] = (64, 128, 256, 512)
    blocks: int = 2
    """The blocks of each stage."""
    size: int = 32
    classes: int = 10
    batch: int = 1
    dtype: str = "f32"


CONFIGS = {
    "tiny": Config(widths=(4, 8), blocks=1, size=8),
    "small": Config(widths=(8, 16, 32, 64), size=16),
    "resnet18": Config(),
    "resnet18-bf16": Config(dtype="bf16"),
}


def conv_shapes(name: str, size: int, channels: int, features: int) -> Shapes:
    """A convolution and the norm behind it."""
    norm: Shapes = {f"{name}_{part}": (features,) for part in ("g", "b", "mean_b", "v")}
    return {f"{name}_w": (size, size, channels, features)} | norm


def block_names(config: Config) -> dict[str, tuple[int, int, int]]:
    """Returns the blocks with their channels, features and stride."""
    out: dict[str, tuple[int, int, int]] = {}
    channels = config.widths[0]
    for stage, width in enumerate(config.widths):
        for k in range(config.blocks):
            out[f"s{stage}b{k}"] = (channels, width, 2 if stage and not k else 1)
            channels = width
    return out


def shapes(config: Config) -> Shapes:
    out = conv_shapes("stem", 3, 3, config.widths[0])
    for name, (channels, width, stride) in block_names(config).items():
        out |= conv_shapes(f"{name}.1", 3, channels, width) | conv_shapes(f"{name}.2", 3, width, width)
        if stride != 1 or channels != width:
            out |= conv_shapes(f"{name}.skip", 1, channels, width)
    return out | {"head_w": (config.widths[-1], config.classes), "head_b": (config.classes,)}


def conv_norm(x: SSAValue, p: nn.Values, name: str, stride: int = 1) -> SSAValue:
    w, g, b, mean, variance = (p[f"{name}_{part}"] for part in ("w", "g", "b", "mean_b", "v"))
    x = nn.conv(x, w, stride, (nn.sizes(w)[0] - 1) // 2)
    scale = nn.mul(g, nn.rsqrt(nn.add(variance, 1e-5)))
    return nn.add(nn.mul(x, scale), nn.sub(b, nn.mul(mean, scale)))


def network(config: Config, p: nn.Values) -> nn.Values:
    x = nn.maximum(conv_norm(p["images"], p, "stem"), 0.0)
    for name, (_, _, stride) in block_names(config).items():
        skip = conv_norm(x, p, f"{name}.skip", stride) if f"{name}.skip_w" in p else x
        x = nn.maximum(conv_norm(x, p, f"{name}.1", stride), 0.0)
        x = nn.maximum(nn.add(conv_norm(x, p, f"{name}.2"), skip), 0.0)
    return {"logits": nn.linear(nn.mean(x, 1, 2, keepdims=False), p["head_w"], p["head_b"])}


def build(config: Config) -> ModuleOp:
    images = nn.tensor_type(f32, [config.batch, config.size, config.size, 3])
    arguments = {"images": images} | nn.parameter_types(shapes(config), config.dtype)
    return nn.module(nn.function("resnet", arguments, lambda p: network(config, p)))


def weights(config: Config, seed: int) -> dict[str, Array]:
    return np_.random_parameters(shapes(config), seed, config.dtype)


def inputs(config: Config, seed: int) -> dict[str, Array]:
    images = np.random.default_rng(seed).standard_normal((config.batch, config.size, config.size, 3))
    return {"images": images.astype(np.float32)}


def reference(config: Config, weights: Arrays, inputs: Arrays) -> dict[str, Array]:
    def conv_norm(x: Array, name: str, stride: int = 1) -> Array:
        w, g, b, mean, variance = (weights[f"{name}_{part}"] for part in ("w", "g", "b", "mean_b", "v"))
        y = np_.conv(x, w, stride, (len(w) - 1) // 2)
        return (y - mean) / np.sqrt(variance.astype(np.float64) + 1e-5) * g + b

    x = np.maximum(conv_norm(inputs["images"], "stem"), 0)
    for name, (_, _, stride) in block_names(config).items():
        skip = conv_norm(x, f"{name}.skip", stride) if f"{name}.skip_w" in weights else x
        y = np.maximum(conv_norm(x, f"{name}.1", stride), 0)
        x = np.maximum(conv_norm(y, f"{name}.2") + skip, 0)
    return {"logits": np_.linear(x.mean((1, 2)), weights["head_w"], weights["head_b"])}
