"""
GPT-2 (Radford et al., *Language models are unsupervised multitask learners*, 2019): prefill.

    tokens [B, S] -> the logits of the next token [B, V], and for each layer its keys and values [B, heads, S, D]

The block is a function that is called once a layer. Embeddings are tied. `gpt2_decode.py` goes on from the keys and values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f32, i32
from xdsl.ir import SSAValue

from . import arrays as np_
from . import layers as nn
from .arrays import Array, Arrays, Shapes


@dataclass(frozen=True)
class Config:
    layers: int = 12
    features: int = 768
    heads: int = 12
    vocabulary: int = 50257
    positions: int = 1024
    batch: int = 1
    tokens: int = 128
    dtype: str = "f32"


CONFIGS = {
    "tiny": Config(layers=2, features=32, heads=2, vocabulary=96, positions=16, tokens=8),
    "small": Config(),
    "small-bf16": Config(dtype="bf16"),
}


def block_shapes(c: int) -> Shapes:
    """Returns the parameters of a block of `c` features."""
    shapes: Shapes = {f"ln{k}_{part}": (c,) for k in (1, 2) for part in "gb"}
    for name, (old, new) in {"qkv": (c, 3 * c), "out": (c, c), "up": (c, 4 * c), "down": (4 * c, c)}.items():
        shapes |= {f"{name}_w": (old, new), f"{name}_b": (new,)}
    return shapes


def shapes(config: Config) -> Shapes:
    c = config.features
    embeddings: Shapes = {"tokens_w": (config.vocabulary, c), "positions_w": (config.positions, c)}
    return embeddings | np_.repeated(block_shapes(c), config.layers) | {"ln_g": (c,), "ln_b": (c,)}


def mlp(x: SSAValue, p: nn.Values, activation: Callable[[SSAValue], SSAValue]) -> SSAValue:
    up = nn.linear(nn.layer_norm(x, p["ln2_g"], p["ln2_b"]), p["up_w"], p["up_b"])
    return nn.add(x, nn.linear(activation(up), p["down_w"], p["down_b"]))


def queries_keys_values(x: SSAValue, p: nn.Values, heads: int) -> list[SSAValue]:
    qkv = nn.linear(nn.layer_norm(x, p["ln1_g"], p["ln1_b"]), p["qkv_w"], p["qkv_b"])
    return [nn.heads(part, heads) for part in nn.split(nn.cast(qkv, p["qkv_w"].type.element_type), 3)]


def block(config: Config, p: nn.Values) -> nn.Values:
    x = p["x"]
    q, k, v = queries_keys_values(x, p, config.heads)
    mixed = nn.attention(q, k, v, nn.causal(config.tokens, config.tokens))
    x = nn.add(x, nn.linear(nn.joined_heads(mixed), p["out_w"], p["out_b"]))
    return {"y": mlp(x, p, nn.gelu_tanh), "k": k, "v": v}


def embed(p: nn.Values, tokens: SSAValue, positions: SSAValue) -> SSAValue:
    return nn.add(*(nn.cast(x, f32) for x in (nn.take(p["tokens_w"], tokens), positions)))


def logits(p: nn.Values, x: SSAValue) -> SSAValue:
    """Of the token after `x`, `[B, 1, C]`."""
    x = nn.layer_norm(nn.reshape(x, nn.sizes(x)[0], nn.sizes(x)[2]), p["ln_g"], p["ln_b"])
    return nn.matmul(x, p["tokens_w"], ([1], [1]))


def build(config: Config) -> ModuleOp:
    of_block = nn.parameter_types(block_shapes(config.features), config.dtype)
    x = nn.tensor_type(f32, [config.batch, config.tokens, config.features])
    repeated = nn.function("block", {"x": x} | of_block, lambda p: block(config, p))

    def prefill(p: nn.Values) -> nn.Values:
        x = embed(p, p["tokens"], nn.narrow(p["positions_w"], 0, 0, config.tokens))
        caches: dict[str, SSAValue] = {}
        for layer in range(config.layers):
            x, k, v = nn.call(repeated, x, *np_.prefixed(p, f"h{layer}").values())
            caches |= {f"k{layer}": k, f"v{layer}": v}
        return {"logits": logits(p, nn.narrow(x, 1, config.tokens - 1, 1))} | caches

    tokens = nn.tensor_type(i32, [config.batch, config.tokens])
    arguments = {"tokens": tokens} | nn.parameter_types(shapes(config), config.dtype)
    return nn.module(repeated, nn.function("prefill", arguments, prefill))


def weights(config: Config, seed: int) -> dict[str, Array]:
    return np_.random_parameters(shapes(config), seed, config.dtype)


def inputs(config: Config, seed: int) -> dict[str, Array]:
    tokens = np.random.default_rng(seed).integers(0, config.vocabulary, (config.batch, config.tokens))
    return {"tokens": tokens.astype(np.int32)}


def reference_block(config: Config, x: Array, p: Arrays, k: Array, v: Array, first: int) -> tuple[Array, Array, Array]:
    """Returns the block's result, and the keys and values with those of `x`, from position `first` on, behind the old ones."""
    qkv = np_.linear(np_.layer_norm(x, p["ln1_g"], p["ln1_b"]), p["qkv_w"], p["qkv_b"])
    q, *new = (np_.heads(part.astype(p["qkv_w"].dtype), config.heads) for part in np.split(qkv, 3, -1))
    k, v = (np.concatenate([old, each], 2).astype(each.dtype) for old, each in zip((k, v), new, strict=True))
    x = x + np_.linear(np_.joined_heads(np_.attention(q, k, v, first)), p["out_w"], p["out_b"])
    up = np_.gelu_tanh(np_.linear(np_.layer_norm(x, p["ln2_g"], p["ln2_b"]), p["up_w"], p["up_b"]))
    return x + np_.linear(up, p["down_w"], p["down_b"]), k, v


def reference(config: Config, weights: Arrays, inputs: Arrays) -> dict[str, Array]:
    table, positions = (weights[f"{name}_w"].astype(np.float64) for name in ("tokens", "positions"))
    x, caches = table[inputs["tokens"]] + positions[: config.tokens], dict[str, Array]()
    empty = np.zeros((config.batch, config.heads, 0, config.features // config.heads))
    for layer in range(config.layers):
        x, k, v = reference_block(config, x, np_.prefixed(weights, f"h{layer}"), empty, empty, 0)
        caches |= {f"k{layer}": k, f"v{layer}": v}
    last = np_.layer_norm(x[:, -1], weights["ln_g"], weights["ln_b"])
    return {"logits": np_.matmul(last, weights["tokens_w"].T)} | caches
