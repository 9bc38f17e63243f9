"""
A Mamba block: a selective state-space model (Gu and Dao, *Mamba*, 2023) as a `ptir.scan` over the sequence.

    x [B, L, C] -> y [B, L, C]

The state of each of the `D` inner features has `N` numbers: `h = exp(dt a) h + dt b u`, `y = c · h + d u`. The step `dt` and the
vectors `b` and `c` depend on the input.
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
    features: int = 768
    inner: int = 1536
    state: int = 16
    rank: int = 48
    """The features from which `dt` is computed."""
    window: int = 4
    batch: int = 1
    length: int = 128
    dtype: str = "f32"


CONFIGS = {
    "tiny": Config(features=8, inner=16, state=4, rank=2, batch=2, length=6),
    "130m": Config(),
}


def shapes(config: Config) -> Shapes:
    c, d, n, rank = config.features, config.inner, config.state, config.rank
    projections: Shapes = {"in_w": (c, 2 * d), "select_w": (d, rank + 2 * n), "dt_w": (rank, d), "dt_b": (d,)}
    return {"norm_g": (c,)} | projections | {
        "conv_w": (config.window, 1, d), "conv_b": (d,), "a_log": (d, n), "d_g": (d,), "out_w": (d, c)
    }  # fmt: skip


def causal_conv(x: SSAValue, w: SSAValue, b: SSAValue, window: int) -> SSAValue:
    """A convolution along the sequence, of each feature by itself."""
    args = {"padding": [(window - 1, 0)], "groups": nn.sizes(x)[2], "accum": f32, "out": f32}
    return nn.add(ops.ConvolutionOp(nn.cast(x, w.type.element_type), w, **args).result, b)


def time_first(x: SSAValue) -> SSAValue:
    return nn.transpose(x, 1, 0, 2)


def selective_scan(u: SSAValue, dt: SSAValue, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
    """Returns `c · h` for all steps: `[B, L, D]` from `u` and `dt` of this shape, `b` and `c` `[B, L, N]`, `a` `[D, N]`."""
    batch, _, d = nn.sizes(u)
    n = nn.sizes(b)[2]

    def step(h: SSAValue, a: SSAValue, u: SSAValue, dt: SSAValue, b: SSAValue, c: SSAValue) -> list[SSAValue]:
        decay = nn.exp(nn.mul(nn.reshape(dt, batch, d, 1), a))
        h = nn.add(nn.mul(decay, h), nn.mul(nn.reshape(nn.mul(dt, u), batch, d, 1), nn.reshape(b, batch, 1, n)))
        return [h, a, nn.reduce("sum", nn.mul(h, nn.reshape(c, batch, 1, n)), 2, keepdims=False)]

    rows = [time_first(x) for x in (u, dt, b, c)]
    _, _, y = nn.scan([nn.full(0.0, [batch, d, n]), a], rows, step)
    return time_first(y)


def network(config: Config, p: nn.Values) -> nn.Values:
    x, n, rank = p["x"], config.state, config.rank
    u, gate = nn.split(nn.linear(nn.rms_norm(x, p["norm_g"]), p["in_w"]), 2)
    u = nn.silu(causal_conv(u, p["conv_w"], p["conv_b"], config.window))
    selected = nn.linear(u, p["select_w"])
    low, b, c = nn.narrow(selected, 2, 0, rank), nn.narrow(selected, 2, rank, n), nn.narrow(selected, 2, rank + n, n)
    dt = nn.log1p(nn.exp(nn.linear(low, p["dt_w"], p["dt_b"])))
    a = nn.neg(nn.exp(nn.cast(p["a_log"], f32)))
    y = nn.add(selective_scan(u, dt, a, b, c), nn.mul(u, p["d_g"]))
    return {"y": nn.add(x, nn.linear(nn.mul(y, nn.silu(gate)), p["out_w"]))}


def build(config: Config) -> ModuleOp:
    x = nn.tensor_type(f32, [config.batch, config.length, config.features])
    arguments = {"x": x} | nn.parameter_types(shapes(config), config.dtype)
    return nn.module(nn.function("mamba", arguments, lambda p: network(config, p)))


def weights(config: Config, seed: int) -> dict[str, Array]:
    return np_.random_parameters(shapes(config), seed, config.dtype)


def inputs(config: Config, seed: int) -> dict[str, Array]:
    x = np.random.default_rng(seed).standard_normal((config.batch, config.length, config.features))
    return {"x": x.astype(np.float32)}


def reference(config: Config, weights: Arrays, inputs: Arrays) -> dict[str, Array]:
    x, p = inputs["x"].astype(np.float64), weights
    u, gate = np.split(np_.linear(np_.rms_norm(x, p["norm_g"]), p["in_w"]), 2, axis=-1)
    padded = np.pad(u.astype(p["conv_w"].dtype).astype(np.float64), ((0, 0), (config.window - 1, 0), (0, 0)))
    taps = [padded[:, k : k + config.length] * p["conv_w"][k, 0].astype(np.float64) for k in range(config.window)]
    u = np_.silu(sum(taps) + p["conv_b"])
    low, b, c = np.split(np_.linear(u, p["select_w"]), [config.rank, config.rank + config.state], axis=-1)
    dt = np.log1p(np.exp(np_.linear(low, p["dt_w"], p["dt_b"])))
    a = -np.exp(p["a_log"].astype(np.float64))
    h, y = np.zeros((config.batch, config.inner, config.state)), np.zeros(u.shape)
    for t in range(config.length):
        h = np.exp(dt[:, t, :, None] * a) * h + (dt[:, t] * u[:, t])[:, :, None] * b[:, t, None]
        y[:, t] = np.einsum("bdn,bn->bd", h, c[:, t]) + p["d_g"] * u[:, t]
    return {"y": x + np_.linear(y * np_.silu(gate), p["out_w"])}
