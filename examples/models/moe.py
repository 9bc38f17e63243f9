"""
A mixture of experts with top-k routing (Shazeer et al., *Outrageously large neural networks*, 2017; Lepikhin et al., *GShard*, 2020).

    x [N, C] -> y [N, C]

Each token goes to its `k` best experts, weighted by the softmax of their scores. An expert has `capacity` slots, which are taken in
the order of tokens; choices beyond them are dropped. Tokens are scattered into the slots, all experts are two batched products, and
each choice takes its slot's row back. A further slot, whose row is zero, is that of dropped choices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f32, i32
from xdsl.ir import SSAValue

from ptir.dialects import ptir as ops

from . import arrays as np_
from . import layers as nn
from .arrays import Array, Arrays, Shapes


@dataclass(frozen=True)
class Config:
    tokens: int = 512
    features: int = 512
    hidden: int = 2048
    experts: int = 8
    k: int = 2
    capacity: int = 160
    dtype: str = "f32"


CONFIGS = {"tiny": Config(tokens=12, features=16, hidden=24, experts=4, k=2, capacity=5), "base": Config()}


def shapes(config: Config) -> Shapes:
    e, c, hidden = config.experts, config.features, config.hidden
    return {"router_w": (c, e), "up_w": (e, c, hidden), "down_w": (e, hidden, c)}


def slots(config: Config, experts: SSAValue) -> SSAValue:
    """Returns the slot of each choice, `[N * k]`: that of its expert and of how many earlier choices have the expert."""
    choices = config.tokens * config.k
    chosen = nn.compare("eq", nn.reshape(experts, choices, 1), nn.iota([1, config.experts], 1))
    counts = nn.cast(chosen, i32)
    window = {"window": [choices, 1], "padding": [(choices - 1, 0), (0, 0)]}
    running = ops.ReduceWindowOp("sum", counts, **window).result
    place = nn.sub(nn.reduce("sum", nn.mul(counts, running), 1, keepdims=False), 1)
    slot = nn.add(nn.mul(nn.reshape(experts, choices), config.capacity), place)
    dropped = config.experts * config.capacity
    return nn.select(nn.compare("lt", place, config.capacity), slot, dropped, i32)


def network(config: Config, p: nn.Values) -> nn.Values:
    n, c, k, e = config.tokens, config.features, config.k, config.experts
    best = ops.TopKOp("largest", nn.linear(p["x"], p["router_w"]), k, 1, i32)
    gates, slot = nn.softmax(best.values), slots(config, best.indices)

    rows = nn.reshape(nn.broadcast(nn.reshape(p["x"], n, 1, c), [n, k, c]), n * k, c)
    empty = nn.full(0.0, [e * config.capacity + 1, c])
    filled = ops.ScatterAddOp(empty, slot, rows, [1], [0], [0]).result
    filled = nn.reshape(nn.narrow(filled, 0, 0, e * config.capacity), e, config.capacity, c)

    of_expert = ([2], [1]), ([0], [0])
    hidden = nn.gelu(nn.matmul(filled, p["up_w"], *of_expert))
    out = nn.reshape(nn.matmul(hidden, p["down_w"], *of_expert), e * config.capacity, c)

    back = nn.take(ops.PadOp(out, 0.0, [0, 0], [1, 0]).result, slot)
    weighted = nn.mul(nn.reshape(back, n, k, c), nn.reshape(gates, n, k, 1))
    return {"y": nn.reduce("sum", weighted, 1, keepdims=False)}


def build(config: Config) -> ModuleOp:
    x = nn.tensor_type(f32, [config.tokens, config.features])
    arguments = {"x": x} | nn.parameter_types(shapes(config), config.dtype)
    return nn.module(nn.function("moe", arguments, lambda p: network(config, p)))


def weights(config: Config, seed: int) -> dict[str, Array]:
    return np_.random_parameters(shapes(config), seed, config.dtype)


def inputs(config: Config, seed: int) -> dict[str, Array]:
    return {"x": np.random.default_rng(seed).standard_normal((config.tokens, config.features)).astype(np.float32)}


def reference(config: Config, weights: Arrays, inputs: Arrays) -> dict[str, Array]:
    """Token by token, choice by choice."""
    x, used = inputs["x"], [0] * config.experts
    scores, y = np_.linear(x, weights["router_w"]), np.zeros(inputs["x"].shape)
    for token, row in enumerate(scores):
        best = np.argsort(-row, kind="stable")[: config.k]
        for expert, gate in zip(best, np_.softmax(row[best]), strict=True):
            if used[expert] < config.capacity:
                hidden = np_.gelu(np_.linear(x[token], weights["up_w"][expert]))
                y[token] += gate * np_.linear(hidden, weights["down_w"][expert])
            used[expert] += 1
    return {"y": y}
