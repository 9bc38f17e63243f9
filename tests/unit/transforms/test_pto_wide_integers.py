"""Integers of 64 bits as pairs of words, for PTO targets: all pairs of extreme values, in the interpreter and as C++, against NumPy."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.analysis.pto.effects import tile_functions
from ptir.backends.pto.emit import HEAD, print_pto
from ptir.passes.manager import PassManager
from ptir.semantics.interpreter import call_on, interpreter
from tests.pto_programs.cpp import compiled, wrapper
from tests.pto_programs.random_tensors import host_of

Array = npt.NDArray[Any]
WORD, LONG = 1 << 32, 1 << 64
DTYPES: dict[str, Any] = {
    "si64": np.int64, "ui64": np.uint64, "si32": np.int32, "ui32": np.uint32, "si8": np.int8, "ui16": np.uint16, "i1": np.bool_,
    "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
}  # fmt: skip
EXTREMES = [
    *(0, 1, 2, 31, 32, 33, 63, 64, 0xFFFF, 0x10000, WORD // 2 - 1, WORD // 2, WORD - 1, WORD, WORD + 1, 3 * WORD - 1, (1 << 40) + (1 << 16)),
    *((1 << 53) + 1, (1 << 40) + (1 << 16) + 1, 0x123456789ABCDEF, LONG // 2 - 1, LONG // 2, LONG // 2 + 1, LONG - WORD, LONG - WORD - 1),
    *(LONG - WORD // 2, LONG - WORD // 2 - 1, LONG - 2, LONG - 1),
]  # fmt: skip
"""The bits of integers: those around the limits of words, and those that are rounded to floats."""
FLOATS = [
    *(0.0, -0.0, 0.5, -0.75, 1.0, -1.5, 65504.0, -129.0, 2.0**31, -(2.0**31), 2.0**32 - 256, -(2.0**32), 2.0**33 + 1024, -(2.0**40) - 65536),
    *(2.0**63, -(2.0**63), 2.0**63 - 2**39, 2.0**64 - 2**40, 2.0**64, -(2.0**65), np.inf, -np.inf, np.nan),
]  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A function of two tensors of integers, and what it computes of Python's integers; `%x` and `%y` have the type T, and the result R."""

    body: str
    of: Callable[[int, int], int | float | bool]
    result: str | None = None
    """The element type of the result; by default that of the operands."""


def wrap(value: int, dtype: str) -> int:
    """Returns the integer of a type of 64 bits that is equal modulo 2⁶⁴."""
    value %= LONG
    return value - LONG if dtype == "si64" and value >= LONG // 2 else value


def shifted(x: int, y: int, *, right: bool, logical: bool) -> int:
    amount = y % LONG
    if not right:
        return x << amount if amount < 64 else 0
    return (x % LONG if logical else x) >> min(amount, 64)


def quotient(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def rounded(x: int, bits: int) -> float:
    """Returns an integer with so many bits, rounded to nearest even."""
    drop = max(abs(x).bit_length() - bits, 0)
    high, low = abs(x) >> drop, abs(x) & ((1 << drop) - 1)
    half = (1 << drop) >> 1
    high += low > half or (drop > 0 and low == half and high & 1)
    return float(high << drop) * (-1 if x < 0 else 1)


BINARY: dict[str, Callable[[int, int], int]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "and": lambda x, y: x & y,
    "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
    "minimum": min,
    "maximum": max,
    "shift_left": lambda x, y: shifted(x, y, right=False, logical=True),
    "shift_right_arithmetic": lambda x, y: shifted(x, y, right=True, logical=False),
    "shift_right_logical": lambda x, y: shifted(x, y, right=True, logical=True),
    "div": quotient,
    "remainder": lambda x, y: x - y * quotient(x, y),
}
CASES = {
    **{fn: Case(f"%r = ptir.{fn} %x, %y : T", of) for fn, of in BINARY.items()},
    **{
        fn: Case(f"%r = ptir.compare {fn} %x, %y : T -> R", of, "i1")
        for fn, of in {
            "lt": lambda x, y: x < y,
            "le": lambda x, y: x <= y,
            "gt": lambda x, y: x > y,
            "ge": lambda x, y: x >= y,
            "eq": lambda x, y: x == y,
            "ne": lambda x, y: x != y,
        }.items()
    },
    "select": Case("%c = ptir.compare lt %x, %y : T -> B\n  %r = ptir.select %c, %y, %x : B, T", max),
    "neg": Case("%r = ptir.neg %x : T", lambda x, _: -x),
    "abs": Case("%r = ptir.abs %x : T", lambda x, _: abs(x)),
    "sign": Case("%r = ptir.sign %x : T", lambda x, _: (x > 0) - (x < 0)),
    "not": Case("%r = ptir.not %x : T", lambda x, _: ~x),
    "constants": Case(
        "%k = ptir.constant dense<81985529216486895> : T\n  %n = ptir.constant dense<37> : T\n  %p = ptir.mul %x, %k : T\n"
        "  %q = ptir.shift_right_logical %p, %n : T\n  %r = ptir.xor %p, %q : T",
        lambda x, _: x * 81985529216486895 ^ x * 81985529216486895 % LONG >> 37,
    ),
    **{
        f"to {t}": Case(
            "%r = ptir.cast %x : T -> R",
            lambda x, _, t=t: bool(x) if t == "i1" else min(max(x, np.iinfo(DTYPES[t]).min), np.iinfo(DTYPES[t]).max),
            t,
        )
        for t in ("si64", "ui64", "si32", "ui32", "si8", "ui16", "i1")
    },
    **{
        f"to {t}": Case("%r = ptir.cast %x : T -> R", lambda x, _, bits=bits: rounded(x, bits), t)
        for t, bits in (("f32", 24), ("bf16", 8), ("f16", 11))
    },
}
UNDEFINED = {
    ("shift_right_arithmetic", "ui64"),
    ("sign", "ui64"),
    ("neg", "ui64"),
    ("to si64", "si64"),
    ("to ui64", "ui64"),
}
NAMES = [(name, dtype) for name in CASES for dtype in ("si64", "ui64") if (name, dtype) not in UNDEFINED]


def operands(name: str, dtype: str) -> tuple[Array, Array]:
    """Returns all pairs of extreme values. No divisor is 0."""
    values = np.array(EXTREMES, np.uint64).astype(DTYPES[dtype])
    x, y = (v.ravel() for v in np.meshgrid(values, values))
    return (x[y != 0], y[y != 0]) if name in ("div", "remainder") else (x, y)


def program(name: str, dtype: str, count: int, function: str = "f") -> ModuleOp:
    case, types = CASES[name], {t: f"tensor<{count}x{t}>" for t in DTYPES}
    result = types[case.result or dtype]
    body = case.body.replace(" T", f" {types[dtype]}").replace(" R", f" {result}").replace(" B", f" {types['i1']}")
    args = f"%x: {types[dtype]}, %y: {types[dtype]}"
    text = f"func.func @{function}({args}) -> {result} {{\n  {body}\n  func.return %r : {result}\n}}"
    return ptir.parse(f"builtin.module attributes {{ptir.extensions}} {{\n{text}\n}}")


def expected(name: str, dtype: str, x: Array, y: Array) -> Array:
    result = CASES[name].result or dtype
    values = [CASES[name].of(int(a), int(b)) for a, b in zip(x, y, strict=True)]
    if result == dtype:
        return np.array([wrap(int(v), dtype) for v in values], DTYPES[dtype])
    with np.errstate(over="ignore"):  # f16 has no large numbers
        return np.array(values).astype(DTYPES[result])


def widened(source: str) -> Array:
    """Returns numbers of a type, with its extremes."""
    if source in ("f32", "f16", "bf16"):
        with np.errstate(over="ignore"):
            return np.array(FLOATS).astype(DTYPES[source])
    return np.array(EXTREMES, np.uint64).astype(DTYPES[source])


def whole(value: float, dtype: str) -> int:
    """Returns a number as the nearest integer of a type that is not further from zero. No number is 0."""
    limits = np.iinfo(DTYPES[dtype])
    if math.isinf(value):
        return int(limits.max if value > 0 else limits.min)
    return 0 if math.isnan(value) else min(max(int(value), int(limits.min)), int(limits.max))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["si64", "ui64"])
@pytest.mark.parametrize("source", [t for t in DTYPES if not t.endswith("64")])
def test_conversions(source: str, target: str):
    x = widened(source)
    types = [f"tensor<{len(x)}x{t}>" for t in (source, target)]
    text = "func.func @f(%x: {0}) -> {1} {{\n  %y = ptir.cast %x : {0} -> {1}\n  func.return %y : {1}\n}}".format(
        *types
    )
    module = PassManager("ptir-to-pto{target=a3}").run(
        ptir.parse(f"builtin.module attributes {{ptir.extensions}} {{\n{text}\n}}")
    )
    (got,) = call_on(interpreter(module), module, "f", (x,))
    np.testing.assert_array_equal(got, np.array([whole(v, target) for v in x.tolist()], DTYPES[target]))


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("name", "dtype"), NAMES)
def test_in_the_interpreter(name: str, dtype: str):
    x, y = operands(name, dtype)
    module = PassManager("ptir-to-pto{target=a3}").run(program(name, dtype, len(x)))
    (got,) = call_on(interpreter(module), module, "f", (x, y))
    np.testing.assert_array_equal(got, expected(name, dtype, x, y))


@pytest.mark.campaign
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize("target", ["a3", "a5"])
def test_in_cpp(target: str, tmp_path: Path):
    passes, modules, texts = PassManager(f"ptir-to-pto{{target={target}}}"), list[ModuleOp](), list[str]()
    arrays = [operands(*case) for case in NAMES]
    for number, (case, (x, _)) in enumerate(zip(NAMES, arrays, strict=True)):
        module = passes.run(program(*case, len(x), f"f{number}"))
        texts += [print_pto(module).removeprefix(HEAD), *(wrapper(f, f.sym_name.data) for f in tile_functions(module))]
        modules.append(module)
    library = compiled(texts, tmp_path, target)
    for number, (case, module, given) in enumerate(zip(NAMES, modules, arrays, strict=True)):
        (got,) = call_on(host_of(module, library), module, f"f{number}", given)
        np.testing.assert_array_equal(got, expected(*case, *given), str(case))
