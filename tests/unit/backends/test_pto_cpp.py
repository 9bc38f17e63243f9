"""
Programs that are compiled from PTIR to C++ for the PTO tile library, run with the header of `tests/pto_headers`, against NumPy.

All kernels are in one file, which g++ compiles once. The header checks what a core does not, the order of pipes among others.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.func import FuncOp

from ptir.backends.pto.emit import is_kernel, print_pto
from ptir.dialects import pto
from ptir.passes.manager import PassManager
import ptir

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")

HEADERS = Path(__file__).parents[2] / "pto_headers"
PIPELINE = "ptir-to-pto{target=a3}"
Array = NDArray[Any]


@dataclass(frozen=True)
class Case:
    """A function of PTIR with one kernel, its inputs, and what NumPy computes."""

    name: str
    text: str
    want: Callable[..., Array]
    dtypes: Sequence[str]
    shapes: Sequence[tuple[int, ...]]
    scale: float = 1.0
    tolerance: float = 2e-5


def lowered(text: str) -> Any:
    return PassManager(PIPELINE).run(ptir.parse(text))


def inputs(case: Case) -> list[Array]:
    rng = np.random.default_rng(len(case.name))
    made: list[Array] = []
    for dtype, shape in zip(case.dtypes, case.shapes, strict=True):
        if dtype == "i8":
            made.append(rng.integers(-8, 8, shape).astype(np.int8))
        else:
            t = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}[dtype]
            made.append((case.scale * rng.standard_normal(shape)).astype(t))
    return made


def f32(x: Array) -> Array:
    return x.astype(np.float32)


def matmul(m: int, k: int, n: int, dtype: str, name: str) -> Case:
    """A product with a bias and ReLU."""
    acc = "i32" if dtype == "i8" else "f32"
    zero = "0" if dtype == "i8" else "0.0"
    text = f"""
    func.func @{name}(%x: tensor<{m}x{k}x{dtype}>, %w: tensor<{k}x{n}x{dtype}>, %b: tensor<{n}x{acc}>) -> tensor<{m}x{n}x{acc}> {{
      %0 = ptir.dot_general %x, %w contract [1] x [0] accum {acc} out {acc} : (tensor<{m}x{k}x{dtype}>, tensor<{k}x{n}x{dtype}>) -> tensor<{m}x{n}x{acc}>
      %1 = ptir.broadcast_to %b : tensor<{n}x{acc}> -> tensor<{m}x{n}x{acc}>
      %2 = ptir.add %0, %1 : tensor<{m}x{n}x{acc}>
      %z = ptir.constant dense<{zero}> : tensor<{acc}>
      %3 = ptir.broadcast_to %z : tensor<{acc}> -> tensor<{m}x{n}x{acc}>
      %4 = ptir.maximum %2, %3 : tensor<{m}x{n}x{acc}>
      func.return %4 : tensor<{m}x{n}x{acc}>
    }}"""

    def want(x: Array, w: Array, b: Array) -> Array:
        wide = np.float64 if acc == "f32" else np.int64
        return np.maximum(x.astype(wide) @ w.astype(wide) + b.astype(wide), 0).astype(b.dtype)

    return Case(name, text, want, (dtype, dtype, "i8" if acc == "i32" else "f32"), ((m, k), (k, n), (n,)))


SOFTMAX = """
func.func @softmax(%x: tensor<37x100xf32>) -> tensor<37x100xf32> {
  %max = ptir.reduce max %x axes [1] keepdims : tensor<37x100xf32> -> tensor<37x1xf32>
  %0 = ptir.broadcast_to %max : tensor<37x1xf32> -> tensor<37x100xf32>
  %1 = ptir.sub %x, %0 : tensor<37x100xf32>
  %2 = ptir.exp %1 : tensor<37x100xf32>
  %sum = ptir.reduce sum %2 axes [1] keepdims : tensor<37x100xf32> -> tensor<37x1xf32>
  %3 = ptir.broadcast_to %sum : tensor<37x1xf32> -> tensor<37x100xf32>
  %4 = ptir.div %2, %3 : tensor<37x100xf32>
  func.return %4 : tensor<37x100xf32>
}"""
LAYER_NORM = """
func.func @layer_norm(%x: tensor<24x96xf16>, %g: tensor<96xf16>, %b: tensor<96xf16>) -> tensor<24x96xf16> {
  %0 = ptir.layer_norm %x, %g, %b axis 1 epsilon 1.0e-05 : tensor<24x96xf16>, tensor<96xf16>
  func.return %0 : tensor<24x96xf16>
}"""
ATTENTION = """
func.func @attention(%q: tensor<2x48x32xf16>, %k: tensor<2x80x32xf16>, %v: tensor<2x80x32xf16>) -> tensor<2x48x32xf16> {
  %0 = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x48x32xf16>, tensor<2x80x32xf16>) -> tensor<2x48x80xf32>
  %c = ptir.constant dense<0.176776695> : tensor<f32>
  %cb = ptir.broadcast_to %c : tensor<f32> -> tensor<2x48x80xf32>
  %s = ptir.mul %0, %cb : tensor<2x48x80xf32>
  %max = ptir.reduce max %s axes [2] keepdims : tensor<2x48x80xf32> -> tensor<2x48x1xf32>
  %1 = ptir.broadcast_to %max : tensor<2x48x1xf32> -> tensor<2x48x80xf32>
  %2 = ptir.sub %s, %1 : tensor<2x48x80xf32>
  %3 = ptir.exp %2 : tensor<2x48x80xf32>
  %sum = ptir.reduce sum %3 axes [2] keepdims : tensor<2x48x80xf32> -> tensor<2x48x1xf32>
  %4 = ptir.broadcast_to %sum : tensor<2x48x1xf32> -> tensor<2x48x80xf32>
  %5 = ptir.div %3, %4 : tensor<2x48x80xf32>
  %p = ptir.cast %5 : tensor<2x48x80xf32> -> tensor<2x48x80xf16>
  %o = ptir.dot_general %p, %v batch [0] x [0] contract [2] x [1] accum f32 out f16 : (tensor<2x48x80xf16>, tensor<2x80x32xf16>) -> tensor<2x48x32xf16>
  func.return %o : tensor<2x48x32xf16>
}"""


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_norm(x: Array, g: Array, b: Array) -> Array:
    x, g, b = f32(x), f32(g), f32(b)
    centered = x - x.mean(1, keepdims=True)
    return centered / np.sqrt((centered**2).mean(1, keepdims=True) + 1e-5) * g + b


def attention(q: Array, k: Array, v: Array) -> Array:
    return softmax(f32(q) @ f32(k).transpose(0, 2, 1) / np.sqrt(32)) @ f32(v)


CASES = [
    matmul(128, 96, 64, "f16", "whole"),
    matmul(70, 88, 41, "f32", "ragged"),
    matmul(33, 40, 48, "bf16", "narrow"),
    matmul(64, 64, 32, "i8", "integers"),
    Case("softmax", SOFTMAX, softmax, ("f32",), ((37, 100),)),
    Case("layer_norm", LAYER_NORM, layer_norm, ("f16",) * 3, ((24, 96), (96,), (96,)), tolerance=2e-3),
    Case("attention", ATTENTION, attention, ("f16",) * 3, ((2, 48, 32), (2, 80, 32), (2, 80, 32)), tolerance=2e-3),
]
