"""Oracles of elementwise ops. Contract: *Elementwise ops*, *Comparisons and selection*, *cast*."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import COMPLEX, FLOATS, NUMPY, spelling
from .numbers import EPS, WIDE, Oracle, Want, about, converted, each, exactly, whole, wide, wrapped


def element(value: Any) -> str:
    return spelling(value.type.element_type)


def pointwise(f: Callable[..., Any], ulps: float = 2) -> Oracle:
    """
    Returns the oracle of an elementwise function. Floats are computed in long double and rounded once; integers are computed as
    Python integers and wrapped. `ulps` bounds the error of the interpreter's float64, and of long double, relative to the value
    and in units of 2⁻⁵².
    """

    def oracle(op: Any, args: Any, got: Any) -> list[Want]:
        dtype = element(op.results[0])
        if dtype in FLOATS:
            with np.errstate(all="ignore"):
                value = np.asarray(f(*map(wide, args)), WIDE)
                slack = EPS if ulps == 0 and dtype != "f64" else WIDE(max(ulps, 0.5)) * WIDE(2) ** -52
                error = 0 if ulps == 0 and dtype != "f64" else np.where(np.isfinite(value), np.abs(value) * slack, 0)
            return [about(value, dtype, error)]
        if dtype in COMPLEX:
            with np.errstate(all="ignore"):
                value = f(*map(wide, args))
                loss = _complex_loss(f, list(map(wide, args)), value, dtype)
            return [Want(value, np.where(np.isnan(loss), np.inf, loss), dtype)]
        out = wrapped(each(f, *map(whole, args)), dtype)
        return [Want(out, out, dtype)]

    return oracle


def _complex_loss(f: Callable[..., Any], args: list[Any], value: Any, dtype: str) -> Any:
    """
    Returns an error bound for a complex function: a few units of the result, plus its change if an operand changes by a unit,
    which is large near a pole or a zero.
    """
    unit = WIDE(2) ** (-23 if dtype == "complex<f32>" else -51)
    loss = 4 * unit * np.abs(value)
    inner = WIDE(2) ** -50
    for k in range(len(args)):
        for turn in (1, -1, 1j, -1j):
            moved = [a + np.abs(a) * inner * turn if j == k else a for j, a in enumerate(args)]
            loss = loss + np.abs(f(*moved) - value)
    return loss


def both(on_floats: Callable[..., Any], on_integers: Callable[..., Any]) -> Callable[..., Any]:
    def f(*args: Any) -> Any:
        return (on_integers if isinstance(args[0], int) else on_floats)(*args)

    return f


def greater(a: Any, b: Any) -> Any:
    """Returns the larger operand, or NaN if either is NaN."""
    return np.where(np.isnan(a) | np.isnan(b), WIDE(np.nan), np.where(a > b, a, b))


def smaller(a: Any, b: Any) -> Any:
    return np.where(np.isnan(a) | np.isnan(b), WIDE(np.nan), np.where(a < b, a, b))


def truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def scalar(f: Callable[[float], float]) -> Callable[[Any], Any]:
    """Applies a function of `math` to each element."""

    def apply(x: Any) -> Any:
        flat = [f(float(v)) for v in np.asarray(x).reshape(-1)]
        return np.array(flat, np.float64).reshape(np.shape(x)).astype(WIDE)

    return apply


def compare(op: Any, args: Any, got: Any) -> list[Want]:
    a, b = (wide(x) if element(op.lhs) in (*FLOATS, *COMPLEX) else whole(x) for x in args)
    if element(op.lhs) == "i1":
        a, b = (np.asarray(x).astype(int) for x in args)
    table = {"eq": a == b, "ne": a != b}
    if element(op.lhs) not in COMPLEX:
        table |= {"lt": a < b, "le": a <= b, "ge": a >= b, "gt": a > b}
    out = np.asarray(table[op.op.data], bool)
    return [Want(out, out, "i1")]


def select(op: Any, args: Any, got: Any) -> list[Want]:
    pred, yes, no = (np.asarray(a) for a in args)
    out = np.array(no, copy=True)
    out[pred] = yes[pred]
    return [exactly(out, element(op.results[0]))]


def clamp(op: Any, args: Any, got: Any) -> list[Want]:
    dtype = element(op.results[0])
    if dtype in FLOATS:
        x, low, high = map(wide, args)
        return [about(smaller(greater(x, low), high), dtype)]
    out = each(lambda x, low, high: min(max(x, low), high), *map(whole, args))
    return [Want(out, out, dtype)]


def cast(op: Any, args: Any, got: Any) -> list[Want]:
    source, dtype = element(op.operands[0]), element(op.results[0])
    x = wide(args[0]) if source in (*FLOATS, *COMPLEX) else args[0] if source == "i1" else whole(args[0])
    if dtype in COMPLEX:
        return [Want(converted(x, x, source, dtype)[0], 0, dtype)]
    return [Want(*converted(x, x, source, dtype), dtype)]


def constant(op: Any, args: Any, got: Any) -> list[Want]:
    """Expects the elements in the bytes of the literal, row-major. A splat has the bytes of one element."""
    dtype = element(op.results[0])
    stored = np.dtype(np.int8) if NUMPY[dtype].itemsize == 1 and dtype not in FLOATS else NUMPY[dtype]
    flat = np.frombuffer(op.value.data.data, stored).astype(NUMPY[dtype])
    shape = op.results[0].type.get_shape()
    return [exactly(np.broadcast_to(flat[0], shape) if flat.size == 1 else flat.reshape(shape), dtype)]


def log1p(x: Any) -> Any:
    """Returns log(1 + x): by its series near zero, where the logarithm would lose digits."""
    if np.asarray(x).dtype.kind != "c":
        return np.log1p(x)
    series = x - x * x / 2 + x * x * x / 3 - x * x * x * x / 4
    shifted = np.array(x, copy=True)
    shifted.real += 1  # not to `shifted`: the sign of an imaginary zero selects the side of the branch cut
    return np.where(np.abs(x) < 1e-4, series, np.log(shifted))


def expm1(x: Any) -> Any:
    if np.asarray(x).dtype.kind != "c":
        return np.expm1(x)
    series = x + x * x / 2 + x * x * x / 6 + x * x * x * x / 24
    return np.where(np.abs(x) < 1e-4, series, np.exp(x) - 1)


def sign(x: Any) -> Any:
    if isinstance(x, int):
        return (x > 0) - (x < 0)
    if np.asarray(x).dtype.kind == "c":
        return np.where(x == 0, 0, x / np.where(x == 0, 1, np.abs(x)))
    return np.where(np.isnan(x) | (x == 0), x, np.where(x > 0, WIDE(1), WIDE(-1)))


def power(a: Any, b: Any) -> Any:
    return np.power(a, b)


def integer_power(a: int, b: int) -> int:
    if b < 0:
        return a if a == 1 or (a == -1 and b % 2) else 1 if a == -1 else 0
    return pow(a, b, 2**64)


def bitwise(f: Callable[..., int]) -> Oracle:
    """Returns the oracle of a function of unsigned bits; `f` also gets the mask with all bits of the type."""

    def oracle(op: Any, args: Any, got: Any) -> list[Want]:
        dtype = element(op.results[0])
        mask = 2 ** width(dtype) - 1
        if dtype == "i1":
            out = each(lambda *v: f(*map(int, v), 1) & 1, *args).astype(bool)
            return [Want(out, out, dtype)]
        out = wrapped(each(lambda *v: f(*(x & mask for x in v), mask), *map(whole, args)), dtype)
        return [Want(out, out, dtype)]

    return oracle


def width(dtype: str) -> int:
    """Returns the width of a type in bits."""
    if dtype.startswith("f8"):
        return 8
    return int(dtype.lstrip("suifb"))


def arithmetic(a: int, n: int, mask: int) -> int:
    bits = mask.bit_length()
    signed = a - (1 << bits) if a >> (bits - 1) else a
    return (signed >> min(n, bits)) & mask


def is_finite(op: Any, args: Any, got: Any) -> list[Want]:
    x = wide(args[0])
    with np.errstate(all="ignore"):
        out = (x - x) == 0
    return [Want(out, out, "i1")]


def bitcast(op: Any, args: Any, got: Any) -> list[Want]:
    """Expects the bits of all elements, joined to one number and split again from the low end."""
    source, dtype = element(op.operands[0]), element(op.results[0])
    x, old, new = np.asarray(args[0]), width(source), width(dtype)
    numbers = bits_of(x, source)
    if old >= new:
        parts = [each(lambda v, k=k: v >> (k * new) & (2**new - 1), numbers) for k in range(old // new)]
        out = np.stack(parts, axis=-1) if old > new else parts[0]
    else:
        out = each(lambda v: 0, numbers[..., 0])
        for k in range(new // old):
            out = each(lambda v, w, k=k: v | w << (k * old), out, numbers[..., k])
    return [exactly(from_bits(out, dtype), dtype)]


def bits_of(x: Any, dtype: str) -> Any:
    unsigned = np.uint8 if x.dtype.itemsize == 1 else np.dtype(f"u{x.dtype.itemsize}")
    mask = 2 ** width(dtype) - 1
    return each(lambda v: int(v) & mask, np.ascontiguousarray(x).view(unsigned).reshape(x.shape).astype(object))


def from_bits(x: Any, dtype: str) -> Any:
    n = NUMPY[dtype]
    if n.itemsize == 1 and dtype.endswith("4"):
        return wrapped(x, dtype).astype(np.int64).astype(n)
    unsigned = np.uint8 if n.itemsize == 1 else np.dtype(f"u{n.itemsize}")
    return np.asarray(x).astype(unsigned).view(n).reshape(np.shape(x))


def identity(op: Any, args: Any, got: Any) -> list[Want]:
    return [exactly(args[0], element(op.results[0]))]


ORACLES: dict[str, Oracle] = {
    "ptir.constant": constant,
    "ptir.neg": pointwise(lambda x: -x, 0),
    "ptir.abs": pointwise(abs, 0),
    "ptir.exp": pointwise(np.exp),
    "ptir.log": pointwise(np.log),
    "ptir.tanh": pointwise(np.tanh, 4),
    "ptir.erf": pointwise(scalar(math.erf), 20),
    "ptir.rsqrt": pointwise(lambda x: 1 / np.sqrt(x), 4),
    "ptir.reciprocal": pointwise(lambda x: 1 / x, 0),
    "ptir.add": pointwise(both(np.add, lambda a, b: a + b), 0),
    "ptir.sub": pointwise(both(np.subtract, lambda a, b: a - b), 0),
    "ptir.mul": pointwise(both(np.multiply, lambda a, b: a * b), 0),
    "ptir.div": pointwise(both(np.divide, truncated), 0),
    "ptir.maximum": pointwise(both(greater, max), 0),
    "ptir.minimum": pointwise(both(smaller, min), 0),
    "ptir.compare": compare,
    "ptir.select": select,
    "ptir.clamp": clamp,
    "ptir.cast": cast,
    "ptir.stop_gradient": identity,
    "ptir.sqrt": pointwise(np.sqrt, 2),
    "ptir.sin": pointwise(np.sin),
    "ptir.cos": pointwise(np.cos),
    "ptir.log1p": pointwise(log1p, 4),
    "ptir.exp2": pointwise(lambda x: np.power(2.0, x), 4),
    "ptir.expm1": pointwise(expm1, 4),
    "ptir.logistic": pointwise(lambda x: 1 / (1 + np.exp(-x)), 4),
    "ptir.floor": pointwise(np.floor, 0),
    "ptir.ceil": pointwise(np.ceil, 0),
    "ptir.round": pointwise(np.rint, 0),
    "ptir.erfc": pointwise(scalar(math.erfc), 40),
    "ptir.sign": pointwise(sign, 2),
    "ptir.not": bitwise(lambda a, mask: ~a & mask),
    "ptir.and": bitwise(lambda a, b, mask: a & b),
    "ptir.or": bitwise(lambda a, b, mask: a | b),
    "ptir.xor": bitwise(lambda a, b, mask: a ^ b),
    "ptir.shift_left": bitwise(lambda a, n, mask: (a << n) & mask if n < mask.bit_length() else 0),
    "ptir.shift_right_logical": bitwise(lambda a, n, mask: a >> n if n < mask.bit_length() else 0),
    "ptir.shift_right_arithmetic": bitwise(arithmetic),
    "ptir.pow": pointwise(both(power, integer_power), 4),
    "ptir.remainder": pointwise(both(np.fmod, lambda a, b: a - b * truncated(a, b)), 0),
    "ptir.is_finite": is_finite,
    "ptir.bitcast": bitcast,
}
