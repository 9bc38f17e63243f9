"""
Beam search over a recurrent language model, as a `ptir.while`.

    h [H], the state after a prompt -> tokens [K, L] and their log probabilities [K], the best first

Each step extends every beam by every token and keeps the `K` best of all. A beam that has ended, by token 0, goes on with token 0 at no
cost. The loop ends when all beams have ended, or after `L` tokens. Its condition needs a result of the kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f32, i32
from xdsl.ir import SSAValue

from ptir.dialects import ptir as ops

from . import arrays as np_
from . import layers as nn
from .arrays import Array, Arrays, Shapes

END = 0


@dataclass(frozen=True)
class Config:
    beams: int = 4
    length: int = 32
    vocabulary: int = 4096
    hidden: int = 256
    dtype: str = "f32"


CONFIGS = {"tiny": Config(beams=3, length=6, vocabulary=12, hidden=8), "base": Config()}


def shapes(config: Config) -> Shapes:
    v, h = config.vocabulary, config.hidden
    return {"tokens_w": (v, h), "state_w": (h, h), "state_b": (h,), "out_w": (h, v), "out_b": (v,)}


def log_probabilities(h: SSAValue, w: SSAValue, b: SSAValue) -> SSAValue:
    logits = nn.linear(h, w, b)
    shifted = nn.sub(logits, nn.reduce("max", logits, 1))
    return nn.sub(shifted, nn.log(nn.reduce("sum", nn.exp(shifted), 1)))


def extensions(ended: SSAValue, log_p: SSAValue) -> SSAValue:
    """Returns the cost-free extension by `END` of beams that have ended, `[K]`, and `log_p`, `[K, V]`, of the others."""
    beams, vocabulary = nn.sizes(log_p)
    only_end = nn.select(nn.compare("eq", nn.iota([1, vocabulary], 1), END), 0.0, -inf)
    ended = nn.broadcast(nn.reshape(ended, beams, 1), [beams, vocabulary])
    return nn.select(ended, nn.broadcast(only_end, [beams, vocabulary]), log_p)


def search(config: Config, p: nn.Values) -> nn.Values:
    beams, length, hidden = config.beams, config.length, config.hidden
    first = nn.compare("eq", nn.iota([beams], 0), 0)
    state = {
        "step": nn.constant(0, i32),
        "ended": nn.compare("ne", nn.iota([beams], 0), nn.iota([beams], 0)),
        "scores": nn.select(first, 0.0, -inf),
        "tokens": nn.full(END, [beams, length], i32),
        "h": nn.broadcast(p["h"], [beams, hidden]),
    }
    state |= {name: p[name] for name in shapes(config)}

    def more(*values: SSAValue) -> SSAValue:
        s = dict(zip(state, values, strict=True))
        alive = nn.logical_not(ops.ReduceOp("all", s["ended"], [0]).result)
        return nn.logical_and(nn.compare("lt", s["step"], length), alive)

    def extend(*values: SSAValue) -> list[SSAValue]:
        s = dict(zip(state, values, strict=True))
        log_p = extensions(s["ended"], log_probabilities(s["h"], s["out_w"], s["out_b"]))
        total = nn.add(nn.reshape(s["scores"], beams, 1), log_p)
        best = ops.TopKOp("largest", nn.reshape(total, beams * config.vocabulary), beams, 0, i32)
        beam, token = nn.div(best.indices, config.vocabulary), nn.remainder(best.indices, config.vocabulary)
        at = ops.ConcatOp([nn.full(0, [1], i32), nn.reshape(s["step"], 1)], 0).result
        tokens = ops.DynamicUpdateSliceOp(nn.take(s["tokens"], beam), nn.reshape(token, beams, 1), at).result
        recurrent = nn.linear(nn.take(s["h"], beam), s["state_w"], s["state_b"])
        h = nn.tanh(nn.add(recurrent, nn.cast(nn.take(s["tokens_w"], token), f32)))
        step, ended = nn.add(s["step"], 1), nn.compare("eq", token, END)
        return list((s | {"step": step, "ended": ended, "scores": best.values, "tokens": tokens, "h": h}).values())

    done = dict(zip(state, nn.while_loop(list(state.values()), more, extend), strict=True))
    return {"best": done["tokens"], "score": done["scores"]}


def build(config: Config) -> ModuleOp:
    arguments = {"h": nn.tensor_type(f32, [config.hidden])} | nn.parameter_types(shapes(config), config.dtype)
    return nn.module(nn.function("beam_search", arguments, lambda p: search(config, p)))


def weights(config: Config, seed: int) -> dict[str, Array]:
    """The output projection is large, so that the model has opinions; tokens are scaled as states are."""
    drawn = np_.random_parameters(shapes(config), seed, config.dtype)
    for name, factor in (("out_w", 2), ("tokens_w", config.vocabulary**0.5)):
        drawn[name] = (drawn[name].astype(np.float32) * factor).astype(drawn[name].dtype)
    return drawn


def inputs(config: Config, seed: int) -> dict[str, Array]:
    return {"h": np.random.default_rng(seed).standard_normal(config.hidden).astype(np.float32)}


def reference(config: Config, weights: Arrays, inputs: Arrays) -> dict[str, Array]:
    """Beams as a list of (score, tokens, state)."""
    p, beams = weights, [(0.0, list[int](), inputs["h"].astype(np.float64))]
    for step in range(config.length):
        if step and all(tokens[-1] == END for _, tokens, _ in beams):
            break
        longer: list[tuple[float, list[int], Array]] = []
        for score, tokens, h in beams:
            if tokens and tokens[-1] == END:
                longer.append((score, [*tokens, END], h))
                continue
            log_p = np.log(np_.softmax(np_.linear(h, p["out_w"], p["out_b"])))
            longer += [(score + each, [*tokens, k], h) for k, each in enumerate(log_p)]
        best = sorted(longer, key=lambda beam: -beam[0])[: config.beams]
        beams = [
            (score, tokens, np.tanh(np_.linear(h, p["state_w"], p["state_b"]) + p["tokens_w"][tokens[-1]]))
            for score, tokens, h in best
        ]
    rows = [tokens + [END] * (config.length - len(tokens)) for _, tokens, _ in beams]
    return {"best": np.array(rows, np.int32), "score": np.array([score for score, _, _ in beams])}
