"""Functions that `pto-legalize` computes by formulas, in the interpreter, against the C library in f64."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ptir
from ptir.errors import PtirError
from ptir.passes.manager import PassManager
from ptir.semantics.interpreter import call_on, interpreter

X = np.concatenate([s * np.geomspace(1e-30, 60, 512) for s in (-1, 1)]).astype(np.float32)


@pytest.mark.parametrize("name", ["tanh", "erf"])
def test_errors_are_relative(name: str):
    x = np.array([*X, 0.0, -np.inf, np.inf, np.nan] + [0.6, 0.9] * 6, np.float32).reshape(8, -1)
    t = f"tensor<{x.shape[0]}x{x.shape[1]}xf32>"
    text = f"func.func @f(%x: {t}) -> {t} {{ %y = ptir.{name} %x : {t} func.return %y : {t} }}"
    module = PassManager("ptir-to-pto{target=a3}").run(ptir.parse(text))
    (y,) = call_on(interpreter(module), module, "f", [x])
    want = np.vectorize(getattr(math, name))(x.astype(np.float64))
    np.testing.assert_array_equal(np.isnan(y), np.isnan(want))
    error = np.abs(y - want) / np.spacing(np.abs(want).astype(np.float32))
    assert np.nanmax(error) < 3


def test_arithmetic_on_f64_is_refused():
    """Products of f32 are computed in f32; what is written in f64 is not."""
    wide, narrow = "tensor<16x16xf64>", "tensor<16x16xf32>"
    text = f"""func.func @f(%x: {narrow}) -> {narrow} {{
      %0 = ptir.cast %x : {narrow} -> {wide}
      %1 = ptir.mul %0, %0 : {wide}
      %2 = ptir.sub %1, %0 : {wide}
      %3 = ptir.cast %2 : {wide} -> {narrow}
      func.return %3 : {narrow} }}"""
    with pytest.raises(PtirError, match=r"PTIR0267.*f64"):
        PassManager("ptir-to-pto{target=a3}").run(ptir.parse(text))
