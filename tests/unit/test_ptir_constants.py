"""Literals of every element type keep their values through text."""

from __future__ import annotations

import math

import numpy as np
import pytest
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr

from ptir.dialects.ptir import ConstantOp
from ptir.semantics.interpreter import call

from .ptir_oracle import (
    COMPLEX,
    DTYPES,
    FLOATS,
    array,
    parse,
    spell,
    values,
)


def bits(x: np.ndarray) -> list[int]:
    """NaN payloads and all."""
    if x.dtype in (DTYPES["i4"], DTYPES["ui4"]) or x.dtype.kind == "b":
        return [int(v) for v in x.reshape(-1)]
    return np.ascontiguousarray(x).reshape(-1).view(np.uint8).tolist()


def literal(x: np.ndarray, dtype: str) -> tuple[str, np.ndarray]:
    """A module that returns the bytes of `x`, printed and read again, and what it returns."""
    stored = x.astype(np.int8) if x.dtype in (DTYPES["i4"], DTYPES["ui4"]) else x
    text = "0x" + np.ascontiguousarray(stored).tobytes().hex()
    t = spell(x.shape, dtype)
    module = parse(f'func.func @f() -> {t} {{ %0 = ptir.constant dense<"{text}"> : {t} func.return %0 : {t} }}')
    printed = str(module)
    return printed, call(parse(printed), "f")[0]


@pytest.mark.parametrize("dtype", [t for t in DTYPES if t != "i1"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), None, (2, 0, 3)])
def test_literals_survive_text(dtype: str, shape: tuple[int, ...] | None):
    """All values of a type with few, and the boundaries of the others; each also as a splat."""
    if dtype in FLOATS and DTYPES[dtype].itemsize <= 2:
        every = np.arange(2 ** (8 * DTYPES[dtype].itemsize)).astype(f"u{DTYPES[dtype].itemsize}").view(DTYPES[dtype])
    else:
        every = array(values(dtype, 24), dtype)
    x = every if shape is None else every[: math.prod(shape)].reshape(shape)
    for some in (
        [x] if shape is None else [x, *(np.full(shape, v, x.dtype) for v in every[:: max(len(every) // 12, 1)])]
    ):
        printed, got = literal(some, dtype)
        assert got.dtype == some.dtype and got.shape == some.shape, printed
        assert bits(got) == bits(some), printed


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_literals_with_infinities_and_nan(dtype: str):
    x = np.array(
        [complex(math.inf, math.nan), complex(-0.0, -math.inf), complex(0.1, 1e-30), complex(1e30, 3)], DTYPES[dtype]
    )
    for some in (x, x[:1], x[2:3].reshape(())):
        printed, got = literal(some, dtype)
        assert bits(got) == bits(some), printed


@pytest.mark.parametrize("value", ["true", "false", "[true, false, true]"])
def test_predicates(value: str):
    n = value.count("e")
    text = f"func.func @f() -> tensor<{n}xi1> {{ %0 = ptir.constant dense<{value}> : tensor<{n}xi1> func.return %0 : tensor<{n}xi1> }}"
    (got,) = call(parse(str(parse(text))), "f")
    assert got.tolist() == [word == "true" for word in value.strip("[]").split(", ")]


def test_an_inline_literal_is_a_constant():
    text = """func.func @f() -> tensor<2xsi64> {
      %0 = ptir.constant inline {note = 1 : i32} dense<[1, -2]> : tensor<2xsi64>
      func.return %0 : tensor<2xsi64> }"""
    module = parse(text)
    assert "ptir.constant inline {note = 1 : i32} dense<[1, -2]> : tensor<2xsi64>" in str(module)
    assert call(parse(str(module)), "f")[0].tolist() == [1, -2]
    (op,) = (op for op in module.walk() if isinstance(op, ConstantOp))
    assert op.inline is not None and isinstance(op.value, DenseIntOrFPElementsAttr)
    assert ConstantOp(op.value).inline is None and ConstantOp(op.value, inline=True).inline is not None
