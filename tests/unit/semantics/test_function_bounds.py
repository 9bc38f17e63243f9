"""Bounds of the functions that are not in the contract, of argmax and top-k, and of quantization: they contain all results."""

from __future__ import annotations

import math
from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.semantics.bounds import bounds, bounds_of, check
from ptir.semantics.bounds.intervals import Interval
from ptir.semantics.errors import NoBounds
from ptir.semantics.interpreter import call

from ..builders.amount import examples
from ..builders.ptir_oracle import FLOATS, array, parse, program, spell, values


def uncertain(lo: np.ndarray, hi: np.ndarray, nan: np.ndarray | None = None, dtype: type = np.float32) -> Interval:
    ends = (np.asarray(end, np.float64) for end in (lo, hi))
    return Interval(*ends, np.zeros(np.shape(lo), bool) if nan is None else nan, np.dtype(dtype))


FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
    "sin": math.sin,
    "cos": math.cos,
    "floor": math.floor,
    "ceil": math.ceil,
    "round": round,
    "sign": lambda x: (x > 0) - (x < 0),
    "log1p": lambda x: math.log1p(x) if x > -1 else -math.inf if x == -1 else math.nan,
    "expm1": math.expm1,
    "erfc": math.erfc,
    "logistic": lambda x: 1 / (1 + math.exp(-x)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_value_between_the_ends_is_inside(name: str):
    rng = np.random.default_rng(0)
    middle, width = rng.uniform(-9, 9, 200), rng.choice([0.0, 1e-3, 0.7, 3.0, 9.0], 200)
    lo, hi = (np.float32(end).astype(np.float64) for end in (middle - width, middle + width))
    module = parse(program([spell([200], "f32")], [(f"ptir.{name} %a : tensor<200xf32>", ["tensor<200xf32>"])]))
    (out,) = bounds_of(module, "f", uncertain(lo, hi))
    for part in np.linspace(0, 1, 21):
        x = np.float32(np.minimum(lo + part * (hi - lo), hi))
        result = np.array([FUNCTIONS[name](float(v)) for v in x]).astype(np.float32)
        assert check(result, out).ok, name
    exact = (width == 0) & np.isfinite(out.lo) & np.isfinite(out.hi)  # intervals with a single value are narrow
    assert exact.any() and np.all((out.hi - out.lo)[exact] <= 2e-6 * np.abs(out.lo)[exact] + 1e-37), name


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("tight", [False, True])
def test_what_the_interpreter_computes_is_inside(dtype: str, tight: bool):
    some = array(values(dtype, 12), dtype)
    n = len(some)
    t, p = spell([n], dtype), spell([n], "i1")
    ops = [(f"ptir.{name} %a : {t}", [t]) for name in (*FUNCTIONS, "stop_gradient")]
    ops += [(f"ptir.{name} %a, %b : {t}", [t]) for name in ("pow", "remainder")]
    ops += [
        (f"ptir.is_finite %a : {t} -> {p}", [p]),
        (f"ptir.argmax %a axis 0 : {t} -> tensor<si64>", ["tensor<si64>"]),
    ]
    ops += [
        (
            f"ptir.top_k largest %a k 3 axis 0 : {t} -> tensor<3x{dtype}>, tensor<3xsi32>",
            [f"tensor<3x{dtype}>", "tensor<3xsi32>"],
        )
    ]
    s = f"tensor<{dtype}>"
    ops += [(f"ptir.quantize %a, %c, %d : ({t}, {s}, tensor<i32>) -> tensor<{n}xsi8>", [f"tensor<{n}xsi8>"])]
    ops += [(f"ptir.dequantize %e, %c, %d : (tensor<{n}xsi8>, {s}, tensor<i32>) -> {t}", [t])]
    rng = np.random.default_rng(0)
    args = [
        some,
        rng.permutation(some),
        np.array(0.25).astype(some.dtype),
        np.array(3, np.int32),
        rng.integers(-128, 128, n).astype(np.int8),
    ]
    types = [t, t, s, "tensor<i32>", f"tensor<{n}xsi8>"]
    module = parse(program(types, ops))
    for k, (got, out) in enumerate(zip(call(module, "f", *args), bounds(module, "f", *args, tight=tight), strict=True)):
        assert check(got, out).ok, k


def test_orders_of_uncertain_values():
    """Among [0, 1], [0.5, 2] and [-1, 0.4], the first or the second may be the largest."""
    x = uncertain(np.array([0.0, 0.5, -1.0]), np.array([1.0, 2.0, 0.4]))
    t = "tensor<3xf32>"
    ops = [
        (f"ptir.argmax %a axis 0 keepdims : {t} -> tensor<1xsi64>", ["tensor<1xsi64>"]),
        (
            f"ptir.top_k smallest %a k 2 axis 0 : {t} -> tensor<2xf32>, tensor<2xsi64>",
            ["tensor<2xf32>", "tensor<2xsi64>"],
        ),
    ]
    module = parse(program([t], ops))
    place, least, indices = bounds_of(module, "f", x)
    assert (place.lo.tolist(), place.hi.tolist()) == ([0], [1])
    assert (least.lo.tolist(), least.hi.tolist()) == ([-1, 0], [0.4, 1])
    assert (indices.lo.tolist(), indices.hi.tolist()) == ([0, 0], [2, 2])
    with_nan = uncertain(x.lo, x.hi, np.array([False, False, True]))
    argmax = parse(program([t], [(f"ptir.argmax %a axis 0 : {t} -> tensor<si64>", ["tensor<si64>"])]))
    assert float(bounds_of(argmax, "f", with_nan)[0].hi) == 2
    with pytest.raises(NoBounds, match="may be NaN"):
        bounds_of(module, "f", with_nan)


def test_a_quotient_near_a_tie_goes_either_way():
    module = parse(program(["tensor<3xf32>", "tensor<f32>", "tensor<si8>"], [
        ("ptir.quantize %a, %b, %c : (tensor<3xf32>, tensor<f32>, tensor<si8>) -> tensor<3xsi8>", ["tensor<3xsi8>"])]))  # fmt: skip
    one, zero = Interval.of(np.array(1.0, np.float32)), Interval.of(np.array(5, np.int8))
    (out,) = bounds_of(module, "f", uncertain(np.array([0.4, 2.5, 300.0]), np.array([0.6, 2.5, 400.0])), one, zero)
    assert out.lo.tolist() == [5, 7, 127] and out.hi.tolist() == [6, 8, 127]
    (out,) = bounds_of(
        module, "f", uncertain(np.zeros(3) + 9, np.zeros(3) + 9, np.array([True, False, False])), one, zero
    )
    assert out.lo.tolist() == [5, 14, 14] and out.hi.tolist() == [14] * 3


def test_logic_of_uncertain_predicates():
    either, yes, no = (uncertain([a], [b], dtype=np.bool_) for a, b in ((0, 1), (1, 1), (0, 0)))
    module = parse(
        program(
            ["tensor<1xi1>"] * 2,
            [
                (f"ptir.{op} : tensor<1xi1>", ["tensor<1xi1>"])
                for op in ("and %a, %b", "or %a, %b", "xor %a, %b", "not %a")
            ],
        )
    )

    def ends(*args: Interval) -> list[tuple[float, float]]:
        return [(float(i.lo[0]), float(i.hi[0])) for i in bounds_of(module, "f", *args)]

    assert ends(either, yes) == [(0, 1), (1, 1), (0, 1), (0, 1)]
    assert ends(either, no) == [(0, 0), (0, 1), (0, 1), (0, 1)]
    assert ends(yes, no) == [(0, 0), (1, 1), (1, 1), (0, 0)]
    assert ends(no, no) == [(0, 0), (0, 0), (0, 0), (1, 1)]


@pytest.mark.parametrize("op", ["pow %a, %b", "remainder %a, %b"])
def test_what_is_not_known_is_an_error(op: str):
    module = parse(program(["tensor<1xf32>"] * 2, [(f"ptir.{op} : tensor<1xf32>", ["tensor<1xf32>"])]))
    with pytest.raises(NoBounds):
        bounds_of(module, "f", uncertain([-1.0], [1.0]), uncertain([2.0], [2.5]))
    if "pow" in op:
        (out,) = bounds_of(module, "f", uncertain([-0.0], [0.0]), uncertain([-3.0], [-3.0]))
        assert (out.lo[0], out.hi[0]) == (-np.inf, np.inf), "x - x may be either zero"
        (out,) = bounds_of(module, "f", uncertain([1.0], [2.0]), uncertain([-2.0], [3.0]))
        assert out.lo[0] <= 0.25 and out.hi[0] >= 8 and out.hi[0] < 8.001


@pytest.mark.parametrize("op", ["div", "remainder", "pow", "and", "shift_left", "not"])
def test_integers_are_known_where_they_are_exact(op: str):
    unary = op == "not"
    text = f"ptir.{op} %a{'' if unary else ', %b'} : tensor<1xsi32>"
    module = parse(program(["tensor<1xsi32>"] * 2, [(text, ["tensor<1xsi32>"])]))
    x, y = np.array([-7], np.int32), np.array([2], np.int32)
    (out,) = bounds(module, "f", x, y)
    assert out.known is not None and out.known.tolist() == call(module, "f", x, y)[0].tolist()
    with pytest.raises(NoBounds, match=f"ptir.{op} on integers that are not exact"):
        bounds_of(module, "f", uncertain([1], [2], dtype=np.int32), Interval.of(y))


PRODUCT = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f64": np.float64}
SPREAD = {"f32": 60, "f16": 8, "bf16": 60, "f64": 500}
"""Range of exponents for each type, such that products of a few numbers overflow or underflow."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("dtype", PRODUCT)
def test_a_product_in_any_order_is_inside(dtype: str):
    """Each order rounds, overflows and underflows elsewhere; accumulated in the type, or in one that is wider."""
    of = PRODUCT[dtype]
    accum = {"f16": "f32", "bf16": "f32"}.get(dtype, dtype)
    n = 12
    text = f"""builtin.module attributes {{ptir.extensions}} {{
    func.func @f(%x: tensor<{n}x{dtype}>, %i: tensor<{n}xsi32>, %z: tensor<2x{dtype}>)
        -> (tensor<{dtype}>, tensor<{dtype}>, tensor<2x{dtype}>) {{
      %0 = ptir.reduce mul %x axes [0] accum {dtype} : tensor<{n}x{dtype}> -> tensor<{dtype}>
      %1 = ptir.reduce mul %x axes [0] accum {accum} : tensor<{n}x{dtype}> -> tensor<{dtype}>
      %2 = ptir.scatter_reduce mul %z, %i, %x axis 0 : tensor<2x{dtype}>, tensor<{n}xsi32>, tensor<{n}x{dtype}>
      func.return %0, %1, %2 : tensor<{dtype}>, tensor<{dtype}>, tensor<2x{dtype}>
    }}
    }}"""
    module = parse(text)
    rng = np.random.default_rng(0)
    for round in range(examples(60)):
        exponents = rng.uniform(-1, 1, n) * (SPREAD[dtype] if round % 2 else 1)
        x = (rng.choice([-1, 1], n) * 2.0**exponents).astype(of)
        if round % 5 == 0:
            x[rng.integers(n)] = rng.choice([0.0, -0.0, np.inf, np.nan])
        if round % 15 == 0:
            x[:2] = 0.0, np.inf
        where = rng.integers(0, 2, n).astype(np.int32)
        narrow, wide, scattered = bounds(module, "f", x, where, np.ones(2, of))
        for got, interval in zip(
            ptir.reference(module, x, where, np.ones(2, of)), (narrow, wide, scattered), strict=True
        ):
            assert check(got, interval).ok, x
        for _ in range(20):
            y = [of(v) for v in x]
            with np.errstate(all="ignore"):
                while len(y) > 1:
                    a = y.pop(rng.integers(len(y)))
                    b = y.pop(rng.integers(len(y)))
                    y.append(of(a * b))
            assert check(np.asarray(y[0]), narrow).ok, (x, y, narrow)
        if round % 2 == 0 and round % 5:  # without overflow, the bound is narrow
            assert (
                not narrow.nan.any()
                and (narrow.hi - narrow.lo <= np.abs(narrow.lo) * 40 * float(ml_dtypes.finfo(of).eps)).all()
            )
