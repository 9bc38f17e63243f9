"""Rows of windowed ops, normalization, quantization and random numbers."""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from ptir.dialects import ptir
from ptir.dialects.ptir.dims import tensor_type

from ..dtypes import ALL, ATTRIBUTES, COMPLEX, FLOATS, NUMBERS, integer_range, spelling
from ..maker import Maker, NothingFits
from ..values import array
from .contraction import accumulators, attribute, negated, paired
from .movement import few
from .row import Row, Table


def windows(m: Maker, shape: tuple[int, ...], *, base: bool) -> tuple[dict[str, list], list[int]]:
    """Returns random attributes of windows over these axes, and the sizes of the result."""
    out: list[int] = []
    found: dict[str, list] = {"window": [], "strides": [], "padding": [], "dilation": [], "base_dilation": []}
    for n in shape:
        for _ in range(20):
            size, stride, dilation = m.rng.choice((1, 2, 3)), m.rng.choice((1, 1, 2)), m.rng.choice((1, 1, 2))
            low, high = (m.rng.choice((0, 0, 1, 2, -1)) for _ in range(2))
            gap = m.rng.choice((1, 1, 2)) if base else 1
            padded = low + ((n - 1) * gap + 1 if n else 0) + high
            span = (size - 1) * dilation + 1
            if padded >= span and n + low >= 0 and n + high >= 0:
                break
        else:
            raise NothingFits
        for name, value in zip(found, (size, stride, (low, high), dilation, gap), strict=True):
            found[name].append(value)
        out.append((padded - span) // stride + 1)
    if not base:
        del found["base_dilation"]
    return found, out


def reduce_window(m: Maker) -> None:
    x = m.any_of(NUMBERS, rank=range(1, 5), static=True)
    dtype = spelling(x.type.element_type)  # pyright: ignore
    how, out = windows(m, m.actual(x), base=True)
    few(m, out)
    accum, result = accumulators(m, dtype)
    kind = "sum" if dtype in COMPLEX else m.rng.choice(("sum", "max", "min"))
    window = how.pop("window")
    m.emit(ptir.ReduceWindowOp(kind, x, window, **how, accum=attribute(accum), out=attribute(result)), out)


def extract_patches(m: Maker) -> None:
    x = m.any_of(ALL, rank=range(2, 5), static=True)
    shape, dtype = m.actual(x), spelling(x.type.element_type)  # pyright: ignore
    how, places = windows(m, shape[1:-1], base=False)
    window = how.pop("window")
    out = [shape[0], *places, prod(window) * shape[-1]]
    few(m, out)
    raw = array(m.rng, dtype, (), "small").tobytes()
    # Zero is the default, and is omitted.
    value = ptir.ScalarAttr.of(raw, ATTRIBUTES[dtype]) if any(raw) and m.rng.random() < 0.5 else None
    m.emit(ptir.ExtractPatchesOp(x, window, **how, pad_value=value), out)


def convolution(m: Maker) -> None:
    x = m.any_of(NUMBERS, rank=range(2, 5), static=True)
    shape, dtype = m.actual(x), spelling(x.type.element_type)  # pyright: ignore
    how, places = windows(m, shape[1:-1], base=False)
    window = how.pop("window")
    groups = m.rng.choice([g for g in (1, 2, 3) if shape[-1] % g == 0])
    features = groups * m.rng.choice((1, 2))
    out = [shape[0], *places, features]
    few(m, out)
    few(m, [*window, shape[-1], features])
    other, accum, result = paired(m, dtype)
    y = m.tensor(other, [*window, shape[-1] // groups, features])
    m.emit(ptir.ConvolutionOp(x, y, **how, groups=groups, accum=attribute(accum), out=attribute(result)), out)


def layer_norm(m: Maker) -> None:
    x = m.any_of(FLOATS, rank=range(1, 6), static=True)
    shape, dtype = m.actual(x), spelling(x.type.element_type)  # pyright: ignore
    axis = m.rng.randrange(len(shape))
    gamma, beta = (m.tensor(dtype, [shape[axis]]) for _ in range(2))
    m.emit(ptir.LayerNormOp(x, gamma, beta, negated(m, [axis], len(shape))[0], m.rng.choice((1e-5, 0.0, 1.0))), shape)


CODES = tuple(f"{p}{w}" for p in ("si", "ui", "i") for w in (4, 8, 16))


def scheme(m: Maker, shape: tuple[int, ...], axis: int | None, real: str, code: str) -> tuple[SSAValue, SSAValue]:
    """Returns a scale and a zero point."""
    at = [] if axis is None else [shape[axis]]
    dtype = m.rng.choice((real, "f32"))
    scale = m.constant(
        dtype, [m.rng.choice((0.25, 0.5, 1.0, 2.0, 3.0)) for _ in range(prod(at))] if at else m.rng.choice((0.5, 3.0))
    )
    low, high = integer_range(code)
    points = [m.rng.choice((low, high, max(low, -1), 0, 1)) for _ in range(prod(at))]
    return scale, m.constant(m.rng.choice((code, "i32", "si32")), points if at else points[0])


def axis_of(m: Maker, shape: tuple[int, ...]) -> int | None:
    return m.rng.randrange(len(shape)) if shape and m.rng.random() < 0.6 else None


def quantize(m: Maker) -> None:
    x = m.any_of(FLOATS, static=True)
    shape, real, code = m.actual(x), spelling(x.type.element_type), m.rng.choice(CODES)  # pyright: ignore
    axis = axis_of(m, shape)
    m.emit(ptir.QuantizeOp(x, *scheme(m, shape, axis, real, code), ATTRIBUTES[code], axis), shape)


def dequantize(m: Maker) -> None:
    x = m.any_of(CODES, static=True)
    shape, code, real = m.actual(x), spelling(x.type.element_type), m.dtype(FLOATS)  # pyright: ignore
    axis = axis_of(m, shape)
    m.emit(ptir.DequantizeOp(x, *scheme(m, shape, axis, real, code), ATTRIBUTES[real], axis), shape)


def requantize(m: Maker) -> None:
    x = m.any_of(CODES, static=True)
    shape, old, new = m.actual(x), spelling(x.type.element_type), m.rng.choice(CODES)  # pyright: ignore
    axis = axis_of(m, shape)
    pairs = [scheme(m, shape, a, "f32", code) for a, code in ((axis, old), (m.rng.choice((axis, None)), new))]
    m.emit(ptir.RequantizeOp(x, *pairs, ATTRIBUTES[new], axis), shape)


def rng(op):
    def build(m: Maker) -> None:
        shape = m.shape()
        t = tensor_type(ATTRIBUTES[m.dtype(FLOATS)], m.named(shape))
        if m.options.extensions and m.rng.random() < 0.3:
            m.emit(op(t, m.tensor("ui64", [])), shape)
        else:
            m.emit(op(t, m.rng.choice((0, 1, 42, 2**40 + 3, -1))), shape)

    return build


ROWS: Table = {
    "ptir.reduce_window": Row(reduce_window, NUMBERS),
    "ptir.extract_patches": Row(extract_patches, ALL),
    "ptir.convolution": Row(convolution, NUMBERS, extension=True),
    "ptir.layer_norm": Row(layer_norm, FLOATS),
    "ptir.quantize": Row(quantize, FLOATS),
    "ptir.dequantize": Row(dequantize, CODES),
    "ptir.requantize": Row(requantize, CODES),
    "ptir.rng_uniform": Row(rng(ptir.RngUniformOp), FLOATS, 0.5),
    "ptir.rng_normal": Row(rng(ptir.RngNormalOp), FLOATS, 0.5),
}
