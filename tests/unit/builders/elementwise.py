"""Elementwise programs with one op per result, their execution in the emulator, and rounding in rationals as an oracle."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from math import inf, isinf, isnan
from typing import Any

import ml_dtypes
import numpy as np

import ptir
from ptir.runtime.devices import Emulator

DTYPES: dict[str, Any] = {
    "i1": np.bool_,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    **{f"{sign}{width}": np.dtype(f"int{width}") for width in (8, 16, 32, 64) for sign in ("i", "si")},
    **{f"ui{width}": np.dtype(f"uint{width}") for width in (8, 16, 32, 64)},
}
FLOATS: dict[str, tuple[int, int]] = {"f16": (11, -14), "bf16": (8, -126), "f32": (24, -126), "f64": (53, -1022)}
"""For each float type: the precision in bits, and the least exponent of a normal number."""

Op = tuple[str, str]
"""The text of an op on `%x`, `%y` and `%p`, in which `<t>` is the type of tensors of t, and the element type of its result."""


def program(args: dict[str, str], ops: Sequence[Op], sizes: Sequence[int]) -> str:
    """Returns a function with one result per op, each of which becomes a kernel. %x has type args["x"], and so on."""
    shape = "".join(f"{s}x" for s in sizes)

    def spelt(text: str) -> str:
        return re.sub("(?<!complex)<", f"tensor<{shape}", text)

    lines = [f"  %r{k} = " + spelt(op) for k, (op, _) in enumerate(ops)]
    types = ", ".join(spelt(f"<{t}>") for _, t in ops)
    signature = ", ".join(f"%{name}: " + spelt(f"<{t}>") for name, t in args.items())
    done = f"  func.return {', '.join(f'%r{k}' for k in range(len(ops)))} : {types}"
    return "\n".join([f"func.func @f({signature}) -> ({types}) {{", *lines, done, "}", ""])


def emulated(text: str, arrays: Sequence[Any], arch: str = "sm80") -> list[Any]:
    """Returns the emulator's results. Requires that they equal the interpreter's, bit for bit, except for the bits of NaNs."""
    results = ptir.compile(text, arch=arch, device=Emulator())(*arrays)
    for k, (got, want) in enumerate(zip(results, ptir.reference(text, *arrays), strict=True)):
        same(got, want, f"result {k} and the interpreter\n{text}")
    return list(results)


def same(got: Any, want: Any, what: str) -> None:
    """Requires equal types, values and signs of zeros. All NaNs are equal."""
    assert got.dtype == want.dtype, what
    if got.dtype.kind not in "biu":
        got, want = (a.astype(np.float64) for a in (got, want))
        signs = [np.where(np.isnan(a), False, np.signbit(a)) for a in (got, want)]
        np.testing.assert_array_equal(*signs, f"signs of {what}")
    np.testing.assert_array_equal(got, want, what)


def pairs(values: Sequence[Any], dtype: str) -> tuple[Any, Any]:
    """Returns two arrays that pair every value with every value."""
    column = np.array(values, dtype=object)
    x, y = (a.reshape(-1) for a in np.meshgrid(column, column, indexing="ij"))
    return x.astype(DTYPES[dtype]), y.astype(DTYPES[dtype])


def nearest(x: Any, dtype: str) -> float:
    """Rounds a Python number to the nearest value of a float type, ties to even. Overflow is infinite."""
    if isinstance(x, float) and (isnan(x) or isinf(x) or x == 0):
        return x
    digits, least = FLOATS[dtype]
    exact = abs(Fraction(x))
    if exact == 0:
        return 0.0
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    exponent -= exact < Fraction(2) ** exponent
    step = Fraction(2) ** (max(exponent, least) - digits + 1)
    rounded = round(exact / step) * step  # Python rounds ties of rationals to even
    largest = (2 - Fraction(2) ** (1 - digits)) * Fraction(2) ** (1 - least)
    return float(rounded) * (-1 if x < 0 else 1) if rounded <= largest else (-inf if x < 0 else inf)
