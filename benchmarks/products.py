"""The products that the benchmarks compile: element types, programs and data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Type:
    """
    Operands of type `element`, summed in `accum`. `mma` is the m, n, k of the instruction `opcode` that multiplies them
    on SM80, a whole warp's for FFMA.
    """

    element: str
    accum: str
    numpy: Any
    mma: tuple[int, int, int]
    opcode: str
    torch: str
    precision: str = ""

    @property
    def integral(self) -> bool:
        return self.accum.startswith("si")


TYPES = {
    "bf16": Type("bf16", "f32", ml_dtypes.bfloat16, (16, 8, 16), "HMMA", "bfloat16"),
    "f16": Type("f16", "f32", np.float16, (16, 8, 16), "HMMA", "float16"),
    "tf32": Type("f32", "f32", np.float32, (16, 8, 8), "HMMA", "float32", "tf32"),
    "i8": Type("si8", "si32", np.int8, (16, 8, 32), "IMMA", "int8"),
    "f64": Type("f64", "f64", np.float64, (8, 8, 4), "DMMA", "float64"),
    "f32": Type("f32", "f32", np.float32, (32, 1, 1), "FFMA", "float32"),
}
"""By the name that reports use."""


def program(kind: Type, sizes: Sequence[int], *, out: str = "", relu: bool = False) -> str:
    """`x @ w`, or max(x @ w, 0), of sizes [batch,] m, n, k; `out` is the accumulator's type unless it is given."""
    *batch, m, n, k = sizes
    out = out or kind.accum
    x, w, y = (
        f"tensor<{''.join(f'{s}x' for s in (*batch, a, b))}{t}>"
        for a, b, t in ((m, k, kind.element), (k, n, kind.element), (m, n, out))
    )
    where = "batch [0] x [0] contract [2] x [1]" if batch else "contract [1] x [0]"
    precision = f" precision {kind.precision}" if kind.precision else ""
    body = f"  %0 = ptir.dot_general %x, %w {where} accum {kind.accum} out {out}{precision} : ({x}, {w}) -> {y}\n"
    last = "%0"
    if relu:
        zero = "0" if kind.integral else "0.0"
        body += f"""  %1 = ptir.constant dense<{zero}> : tensor<{out}>
  %2 = ptir.broadcast_to %1 : tensor<{out}> -> {y}
  %3 = ptir.maximum %0, %2 : {y}
"""
        last = "%3"
    return f"func.func @product(%x: {x}, %w: {w}) -> {y} {{\n{body}  func.return {last} : {y}\n}}\n"


def operands(kind: Type, sizes: Sequence[int], seed: int, *, integers: bool = False) -> tuple[Array, Array]:
    """Random x and w, normally distributed or, with `integers`, whole numbers whose sums are exact."""
    *batch, m, n, k = sizes
    r = np.random.default_rng(seed)

    def array(*shape: int) -> Array:
        if kind.integral:
            return r.integers(-128, 128, shape, dtype=np.int8)
        if integers:
            return r.integers(-3, 4, shape, dtype=np.int8).astype(kind.numpy)
        return r.standard_normal(shape, dtype=np.float32).astype(kind.numpy)

    return array(*batch, m, k), array(*batch, k, n)
