"""
A decode step of GPT-2 with a cache of keys and values, whose capacity `T` and batch `B` are dynamic sizes.

    token [B], position [], k0, v0 … [B, heads, T, D] -> the logits of the next token [B, V], and the caches with the token's row

The parameters are those of `gpt2.py`. Each layer writes its keys and values into the cache at `position` and attends to the rows
up to there; the rest of the cache is not seen.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f32, i32
from xdsl.ir import SSAValue

from ptir.dialects import ptir as ops

from . import arrays as np_
from . import gpt2
from . import layers as nn
from .arrays import Array, Arrays
from .gpt2 import Config

CONFIGS = gpt2.CONFIGS
weights = gpt2.weights


def start(position: SSAValue, axis: int, rank: int) -> SSAValue:
    """Returns the vector of indices that is `position` on one axis, else 0."""
    zero = nn.full(0, [1], i32)
    return ops.ConcatOp([nn.reshape(position, 1) if a == axis else zero for a in range(rank)], 0).result


def written(cache: SSAValue, rows: SSAValue, position: SSAValue) -> SSAValue:
    """Returns the cache with `rows`, `[B, heads, 1, D]`, at a position."""
    return ops.DynamicUpdateSliceOp(cache, rows, start(position, 2, 4)).result


def block(config: Config, p: nn.Values) -> nn.Values:
    x, position = p["x"], p["position"]
    q, *rows = gpt2.queries_keys_values(x, p, config.heads)
    k, v = (written(p[cache], new, position) for cache, new in zip("kv", rows, strict=True))
    mixed = nn.attention(q, k, v, nn.causal(1, "T", position))
    x = nn.add(x, nn.linear(nn.joined_heads(mixed), p["out_w"], p["out_b"]))
    return {"y": gpt2.mlp(x, p, nn.gelu_tanh), "k_next": k, "v_next": v}


def build(config: Config) -> ModuleOp:
    of_block = nn.parameter_types(gpt2.block_shapes(config.features), config.dtype)
    scalar, dtype = nn.tensor_type(i32, []), nn.TYPES[config.dtype]
    cache = nn.tensor_type(dtype, ["B", config.heads, "T", config.features // config.heads])
    state = {"x": nn.tensor_type(f32, ["B", 1, config.features]), "position": scalar, "k": cache, "v": cache}
    repeated = nn.function("block", state | of_block, lambda p: block(config, p))
    caches = {f"{name}{layer}": cache for layer in range(config.layers) for name in "kv"}

    def decode(p: nn.Values) -> nn.Values:
        position = p["position"]
        row = ops.DynamicSliceOp(p["positions_w"], start(position, 0, 2), [1, config.features]).result
        x = gpt2.embed(p, nn.reshape(p["token"], "B", 1), row)
        out: dict[str, SSAValue] = {}
        for layer in range(config.layers):
            own = {"x": x, "position": position, "k": p[f"k{layer}"], "v": p[f"v{layer}"]} | np_.prefixed(
                p, f"h{layer}"
            )
            x, k, v = nn.call(repeated, *own.values())
            out |= {f"k{layer}_next": k, f"v{layer}_next": v}
        return {"logits": gpt2.logits(p, x)} | out

    arguments = {"token": nn.tensor_type(i32, ["B"]), "position": scalar} | caches
    arguments |= nn.parameter_types(gpt2.shapes(config), config.dtype)
    return nn.module(repeated, nn.function("decode", arguments, decode))


def inputs(config: Config, seed: int) -> dict[str, Array]:
    """A cache of `config.positions` rows, of which `config.tokens` are used; the others are noise."""
    rng = np.random.default_rng(seed)
    sizes = (config.batch, config.heads, config.positions, config.features // config.heads)
    token = rng.integers(0, config.vocabulary, config.batch).astype(np.int32)
    caches = [f"{name}{layer}" for layer in range(config.layers) for name in "kv"]
    drawn = {name: rng.standard_normal(sizes).astype(np_.DTYPES[config.dtype]) for name in caches}
    return {"token": token, "position": np.int32(config.tokens).reshape(())} | drawn


def reference(config: Config, weights: Arrays, inputs: Arrays) -> dict[str, Array]:
    at, out = int(inputs["position"]), dict[str, Array]()
    table, positions = (weights[f"{name}_w"].astype(np.float64) for name in ("tokens", "positions"))
    x = (table[inputs["token"]] + positions[at])[:, None]
    for layer in range(config.layers):
        old = [inputs[f"{name}{layer}"] for name in "kv"]
        used = [cache[:, :, :at] for cache in old]
        x, *seen = gpt2.reference_block(config, x, np_.prefixed(weights, f"h{layer}"), *used, at)
        for name, cache, rows in zip("kv", old, seen, strict=True):
            out[f"{name}{layer}_next"] = np.concatenate([rows, cache[:, :, at + 1 :]], 2)
    last = np_.layer_norm(x[:, -1], weights["ln_g"], weights["ln_b"])
    return {"logits": np_.matmul(last, weights["tokens_w"].T)} | out
