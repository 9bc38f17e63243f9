"""
A vision transformer (Dosovitskiy et al., *An image is worth 16x16 words*, 2020).

    images [N, H, W, 3] -> logits [N, classes]

Patches are embedded by a convolution whose stride is its size; a class token is put before them. The block is GPT-2's without
a mask and with the exact GELU, a function that is called once a layer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f32

from ptir.dialects import ptir as ops

from . import arrays as np_
from . import gpt2
from . import layers as nn
from .arrays import Array, Arrays, Shapes


@dataclass(frozen=True)
class Config:
    layers: int = 12
    features: int = 768
    heads: int = 12
    size: int = 224
    patch: int = 16
    classes: int = 1000
    batch: int = 1
    dtype: str = "bf16"

    @property
    def patches(self) -> int:
        return (self.size // self.patch) ** 2


CONFIGS = {
    "tiny": Config(layers=2, features=32, heads=2, size=12, patch=4, classes=10, dtype="f32"),
    "base": Config(),
}


def shapes(config: Config) -> Shapes:
    c, patch = config.features, config.patch
    ends: Shapes = {
        "patch_w": (patch, patch, 3, c),
        "patch_b": (c,),
        "class_b": (c,),
        "positions": (config.patches + 1, c),
    }
    head: Shapes = {"ln_g": (c,), "ln_b": (c,), "head_w": (c, config.classes), "head_b": (config.classes,)}
    return ends | np_.repeated(gpt2.block_shapes(config.features), config.layers) | head


def block(config: Config, p: nn.Values) -> nn.Values:
    q, k, v = gpt2.queries_keys_values(p["x"], p, config.heads)
    x = nn.add(p["x"], nn.linear(nn.joined_heads(nn.attention(q, k, v)), p["out_w"], p["out_b"]))
    return {"y": gpt2.mlp(x, p, nn.gelu)}


def build(config: Config) -> ModuleOp:
    of_block = nn.parameter_types(gpt2.block_shapes(config.features), config.dtype)
    x = nn.tensor_type(f32, [config.batch, config.patches + 1, config.features])
    repeated = nn.function("block", {"x": x} | of_block, lambda p: block(config, p))

    def network(p: nn.Values) -> nn.Values:
        batch, features = config.batch, config.features
        patches = nn.add(nn.conv(p["images"], p["patch_w"], config.patch), p["patch_b"])
        first = nn.broadcast(p["class_b"], [batch, 1, features])
        x = ops.ConcatOp([first, nn.reshape(patches, batch, config.patches, features)], 1).result
        x = nn.add(x, nn.cast(p["positions"], f32))
        for layer in range(config.layers):
            (x,) = nn.call(repeated, x, *np_.prefixed(p, f"h{layer}").values())
        last = nn.layer_norm(nn.reshape(nn.narrow(x, 1, 0, 1), batch, features), p["ln_g"], p["ln_b"])
        return {"logits": nn.linear(last, p["head_w"], p["head_b"])}

    images = nn.tensor_type(f32, [config.batch, config.size, config.size, 3])
    arguments = {"images": images} | nn.parameter_types(shapes(config), config.dtype)
    return nn.module(repeated, nn.function("vit", arguments, network))


def weights(config: Config, seed: int) -> dict[str, Array]:
    return np_.random_parameters(shapes(config), seed, config.dtype)


def inputs(config: Config, seed: int) -> dict[str, Array]:
    images = np.random.default_rng(seed).standard_normal((config.batch, config.size, config.size, 3))
    return {"images": images.astype(np.float32)}


def reference_block(config: Config, x: Array, p: Arrays) -> Array:
    qkv = np_.linear(np_.layer_norm(x, p["ln1_g"], p["ln1_b"]), p["qkv_w"], p["qkv_b"])
    q, k, v = (np_.heads(part.astype(p["qkv_w"].dtype), config.heads) for part in np.split(qkv, 3, -1))
    x = x + np_.linear(np_.joined_heads(np_.attention(q, k, v)), p["out_w"], p["out_b"])
    up = np_.gelu(np_.linear(np_.layer_norm(x, p["ln2_g"], p["ln2_b"]), p["up_w"], p["up_b"]))
    return x + np_.linear(up, p["down_w"], p["down_b"])


def reference(config: Config, weights: Arrays, inputs: Arrays) -> dict[str, Array]:
    """The patches are cut out by reshapes."""
    n, side, patch = config.batch, config.size // config.patch, config.patch
    cut = inputs["images"].reshape(n, side, patch, side, patch, 3).transpose(0, 1, 3, 2, 4, 5).reshape(n, side**2, -1)
    patches = np_.linear(cut, weights["patch_w"].reshape(-1, config.features), weights["patch_b"])
    first = np.broadcast_to(weights["class_b"], (n, 1, config.features))
    x = np.concatenate([first, patches], 1) + weights["positions"].astype(np.float64)
    for layer in range(config.layers):
        x = reference_block(config, x, np_.prefixed(weights, f"h{layer}"))
    last = np_.layer_norm(x[:, 0], weights["ln_g"], weights["ln_b"])
    return {"logits": np_.linear(last, weights["head_w"], weights["head_b"])}
