"""
An LSTM (Hochreiter and Schmidhuber, *Long short-term memory*, 1997) as a `ptir.scan` over time.

    x [T, B, I], h, c [B, H] -> the outputs of all steps [T, B, H], and the last h and c

The products of the inputs do not depend on the state: they are one product before the loop.
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
    steps: int = 128
    batch: int = 16
    inputs: int = 512
    hidden: int = 512
    dtype: str = "f32"


CONFIGS = {"tiny": Config(steps=5, batch=3, inputs=8, hidden=16), "base": Config()}


def shapes(config: Config) -> Shapes:
    gates = 4 * config.hidden
    return {"input_w": (config.inputs, gates), "state_w": (config.hidden, gates), "gates_b": (gates,)}


def network(p: nn.Values) -> nn.Values:
    def step(h: SSAValue, c: SSAValue, w: SSAValue, from_input: SSAValue) -> list[SSAValue]:
        i, f, g, o = nn.split(nn.add(from_input, nn.linear(h, w)), 4)
        c = nn.add(nn.mul(nn.sigmoid(f), c), nn.mul(nn.sigmoid(i), nn.tanh(g)))
        h = nn.mul(nn.sigmoid(o), nn.tanh(c))
        return [h, c, w, h]

    from_inputs = nn.linear(p["x"], p["input_w"], p["gates_b"])
    h, c, _, outputs = nn.scan([p["h"], p["c"], p["state_w"]], [from_inputs], step)
    return {"outputs": outputs, "h_last": h, "c_last": c}


def build(config: Config) -> ModuleOp:
    state = nn.tensor_type(f32, [config.batch, config.hidden])
    arguments = {"x": nn.tensor_type(f32, [config.steps, config.batch, config.inputs]), "h": state, "c": state}
    return nn.module(nn.function("lstm", arguments | nn.parameter_types(shapes(config), config.dtype), network))


def weights(config: Config, seed: int) -> dict[str, Array]:
    return np_.random_parameters(shapes(config), seed, config.dtype)


def inputs(config: Config, seed: int) -> dict[str, Array]:
    rng, state = np.random.default_rng(seed), (config.batch, config.hidden)
    sizes = {"x": (config.steps, config.batch, config.inputs), "h": state, "c": state}
    return {name: rng.standard_normal(size).astype(np.float32) for name, size in sizes.items()}


def reference(config: Config, weights: Arrays, inputs: Arrays) -> dict[str, Array]:
    h, c, outputs = inputs["h"], inputs["c"], list[Array]()
    for x in inputs["x"]:
        gates = np_.linear(x, weights["input_w"]) + np_.linear(h, weights["state_w"]) + weights["gates_b"]
        i, f, g, o = np.split(gates, 4, axis=-1)
        c = np_.sigmoid(f) * c + np_.sigmoid(i) * np.tanh(g)
        h = np_.sigmoid(o) * np.tanh(c)
        outputs.append(h)
    return {"outputs": np.stack(outputs), "h_last": h, "c_last": c}
