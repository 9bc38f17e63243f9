"""
Compiles the convolution of a point, runs it in the emulator, and compares the result with two oracles.

Operands are small integers, so that every sum is exact: results must be equal, element by element, to a sum over taps in NumPy's f64,
and to `jax.lax.conv_general_dilated` on the CPU, if JAX is installed; an outcome says whether it is. The emulator must report no race,
no access out of bounds, no uninitialized read.
"""

from __future__ import annotations

import time
from importlib.util import find_spec
from itertools import product
from math import prod
from typing import Any

import ml_dtypes
import numpy as np

import ptir
from ptir.errors import PtirError
from ptir.runtime.devices import Emulator

from .points import Point

STORED = {"tf32": "f32", "i8": "si8"}
TRANSFORM_ERRORS = {"bf16": 0.05, "f8E4M3FN": 0.05, "f16": 0.01, "tf32": 0.01, "f32": 1e-4}
"""Errors of DFTs, and in f32 or along one axis of F(4, 3), relative to max |x| · ‖w‖₂ that no right kernel reaches; their bounds are far above."""
NUMPY: dict[str, Any] = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "tf32": np.float32,
    "i8": np.int8,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
}


def program(p: Point) -> str:
    """Returns the convolution as PTIR text: of x, w and, with an epilogue, of b."""
    dtype, accum = STORED.get(p.dtype, p.dtype), "si32" if p.dtype == "i8" else "f32"
    rank = len(p.size)
    inner = p.channels // p.groups
    x, w, y = [p.images, *p.size, p.channels], [*p.window, inner, p.filters], [p.images, *p.out, p.filters]
    gaps = [p.images, *((s - 1) * b + 1 for s, b in zip(p.size, p.base, strict=True)), p.channels]
    lines: list[str] = []

    def t(sizes: list[int], element: str) -> str:
        return f"tensor<{'x'.join(map(str, [*sizes, element]))}>"

    def emit(name: str, text: str) -> str:
        lines.append(f"  {name} = {text}")
        return name

    value, weight = "%x", "%w"
    x_in, w_in, y_out = x, w, y
    if p.layout == "NCHW":
        x_in, w_in = [x[0], x[-1], *x[1:-1]], [w[-1], w[-2], *w[:-2]]
        y_out = [y[0], y[-1], *y[1:-1]]
        value = emit(
            "%xt",
            f"ptir.transpose %x [0, {', '.join(map(str, range(2, rank + 2)))}, 1] : {t(x_in, dtype)} -> {t(x, dtype)}",
        )
        weight = emit(
            "%wt",
            f"ptir.transpose %w [{', '.join(map(str, range(2, rank + 2)))}, 1, 0] : {t(w_in, dtype)} -> {t(w, dtype)}",
        )
    if any(b > 1 for b in p.base):
        zero = f"{0 if dtype == 'si8' else '0.0'} : {dtype}"
        none, interior = ", ".join("0" * (rank + 2)), ", ".join(map(str, [0, *(b - 1 for b in p.base), 0]))
        value = emit(
            "%g",
            f"ptir.pad {value} with {zero} low [{none}] high [{none}] interior [{interior}] : {t(x, dtype)} -> {t(gaps, dtype)}",
        )
        x = gaps
    asked = ""
    if p.algorithm != "none":
        tolerance = "" if p.tolerance is None else f", tolerance = {p.tolerance}"
        fused = ", fused = true" if p.fused else ""
        asked = f' {{plan.algo_choice = {{conv = "{p.algorithm}"{tolerance}{fused}}}}}'
    pads = ", ".join(f"({a}, {b})" for a, b in zip(p.low, p.high, strict=True))
    extra = f"strides {p.strides} padding [{pads}] dilation {p.dilation} groups {p.groups}"
    precision = " precision tf32" if p.dtype == "tf32" else ""
    if precision and p.groups == 1 and p.epilogue == "none":  # these points contract patches
        patches, flat = [*y[:-1], prod(p.window) * p.channels], [prod(p.window) * p.channels, p.filters]
        emit(
            "%p",
            f"ptir.extract_patches {value} window {p.window} strides {p.strides} padding [{pads}] dilation {p.dilation}"
            f" : {t(x, dtype)} -> {t(patches, dtype)}",
        )
        emit("%wf", f"ptir.reshape {weight} : {t(w, dtype)} -> {t(flat, dtype)}")
        out = emit(
            "%y",
            f"ptir.dot_general %p, %wf contract [{rank + 1}] x [0] accum f32 out f32{precision}{asked}"
            f" : ({t(patches, dtype)}, {t(flat, dtype)}) -> {t(y, accum)}",
        )
    else:
        out = emit(
            "%y",
            f"ptir.convolution {value}, {weight} {extra} accum {accum} out {accum}{precision}{asked}"
            f" : ({t(x, dtype)}, {t(w, dtype)}) -> {t(y, accum)}",
        )
    extra_in = ""
    if p.epilogue == "bias_relu":
        extra_in = f", %b: {t([p.filters], accum)}"
        emit("%bb", f"ptir.broadcast_to %b : {t([p.filters], accum)} -> {t(y, accum)}")
        emit("%s", f"ptir.add %y, %bb : {t(y, accum)}")
        zero = f"dense<{'0' if accum == 'si32' else '0.0'}> : {t(y, accum)}"
        emit("%z", f"ptir.constant {zero}")
        out = emit("%r", f"ptir.maximum %s, %z : {t(y, accum)}")
    elif p.epilogue == "residual":
        extra_in = f", %b: {t(y, accum)}"
        out = emit("%s", f"ptir.add %y, %b : {t(y, accum)}")
    if p.layout == "NCHW":
        out = emit(
            "%yt",
            f"ptir.transpose {out} [0, {rank + 1}, {', '.join(map(str, range(1, rank + 1)))}] : {t(y, accum)} -> {t(y_out, accum)}",
        )
    body = "\n".join(lines)
    return f"""builtin.module attributes {{ptir.extensions}} {{
func.func @convolution(%x: {t(x_in, dtype)}, %w: {t(w_in, dtype)}{extra_in}) -> {t(y_out, accum)} {{
{body}
  func.return {out} : {t(y_out, accum)}
}}
}}
"""


def operands(p: Point, seed: int) -> list[np.ndarray]:
    """Returns x as NHWC, w as taps x channels x filters and, with an epilogue, b, all small integers."""
    rng = np.random.default_rng([seed, prod(p.size), p.channels, p.filters])
    dtype, accum = NUMPY[p.dtype], np.int32 if p.dtype == "i8" else np.float32
    arrays = [
        rng.integers(-4, 5, (p.images, *p.size, p.channels)).astype(dtype),
        rng.integers(-4, 5, (*p.window, p.channels // p.groups, p.filters)).astype(dtype),
    ]
    if p.epilogue != "none":
        shape = (p.filters,) if p.epilogue == "bias_relu" else (p.images, *p.out, p.filters)
        arrays.append(rng.integers(-9, 10, shape).astype(accum))
    return arrays


def finished(p: Point, y: np.ndarray, arrays: list[np.ndarray]) -> np.ndarray:
    """Returns the result after the epilogue."""
    if p.epilogue == "none":
        return y
    y = y + arrays[2].astype(np.float64)
    return np.maximum(y, 0) if p.epilogue == "bias_relu" else y


def by_taps(p: Point, arrays: list[np.ndarray]) -> np.ndarray:
    """The first oracle: adds the products of each tap in f64."""
    x, w = (a.astype(np.float64) for a in arrays[:2])
    image = np.zeros((p.images, *p.padded, p.channels))
    inside = (slice(a, a + (s - 1) * b + 1, b) for a, s, b in zip(p.low, p.size, p.base, strict=True))
    image[(slice(None), *inside)] = x
    y = np.zeros((p.images, *p.out, p.filters))
    inner, outer = p.channels // p.groups, p.filters // p.groups
    for tap in product(*map(range, p.window)):
        at = zip(tap, p.dilation, p.strides, p.out, strict=True)
        read = image[(slice(None), *(slice(t * d, t * d + s * (o - 1) + 1, s) for t, d, s, o in at))]
        for g in range(p.groups):
            part = slice(g * outer, (g + 1) * outer)
            y[..., part] += read[..., g * inner : (g + 1) * inner] @ w[tap][:, part]
    return finished(p, y, arrays)


def by_jax(p: Point, arrays: list[np.ndarray]) -> np.ndarray:
    """The second oracle: XLA's convolution on the CPU, in f32, in which all sums are exact."""
    import jax

    spatial = "DHW"[3 - len(p.size) :]
    y = jax.lax.conv_general_dilated(
        arrays[0].astype(np.float32),
        arrays[1].astype(np.float32),
        p.strides,
        list(zip(p.low, p.high, strict=True)),
        lhs_dilation=p.base,
        rhs_dilation=p.dilation,
        dimension_numbers=(f"N{spatial}C", f"{spatial}IO", f"N{spatial}C"),
        feature_group_count=p.groups,
        precision=jax.lax.Precision.HIGHEST,
    )
    return finished(p, np.asarray(y, np.float64), arrays)


def allowed(p: Point, arrays: list[np.ndarray]) -> float:
    """Returns the error that the point allows: 0 unless its transforms are not exact, as those of F(2, 3) are, along two axes."""
    is_f23 = p.algorithm == "winograd_3x3" and p.dtype != "f32" and sum(n > 1 for n in p.window) > 1
    if p.algorithm not in ("winograd_3x3", "fft_conv") or is_f23:
        return 0.0
    x, w = (a.astype(np.float64) for a in arrays[:2])
    bound = TRANSFORM_ERRORS[p.dtype] * np.abs(x).max() * np.sqrt((w.reshape(-1, w.shape[-1]) ** 2).sum(0).max())
    return bound + np.finfo(np.float32).eps * 9


def examine(p: Point, arch: str, seed: int = 0, *, jax: bool = True) -> dict[str, Any]:
    """Returns the outcome of a point: its `problems`, and facts about its kernels."""
    start, problems = time.process_time(), list[str]()
    line: dict[str, Any] = {"point": p.to_dict(), "arch": arch}
    arrays = operands(p, seed)
    want = by_taps(p, arrays)
    line["jax"] = jax and find_spec("jax") is not None
    if line["jax"] and not np.array_equal(want, by_jax(p, arrays)):
        problems.append("the oracles differ")
    given = list(arrays)
    if p.layout == "NCHW":
        given[0], given[1] = np.moveaxis(arrays[0], -1, 1), np.moveaxis(arrays[1], (-1, -2), (0, 1))
        want = np.moveaxis(want, -1, 1)
    device = Emulator()
    try:
        compiled = ptir.compile(program(p), arch=arch, device=device)
        (got,) = compiled(*map(np.ascontiguousarray, given))
        differ = int((np.abs(np.asarray(got, np.float64) - want) > allowed(p, arrays)).sum())
        if differ:
            problems.append(f"{differ} of {want.size} elements are wrong")
        used = compiled.program.binary.kernels.values()
        line["launches"] = len(device.reports)
        line["registers"] = max(k.registers for k in used)
        line["conflicts"] = sum(r.conflicts for r in device.reports)
        cuda = str(compiled.program.cuda)
        line["way"] = "im2col" if "tma_load_im2col" in cuda else "offsets" if "int offsets_" in cuda else "other"
    except PtirError as error:
        problems.append(f"{error.code}: {error.message.splitlines()[0]}")
    line |= {"problems": problems, "seconds": round(time.process_time() - start, 2)}
    return line
