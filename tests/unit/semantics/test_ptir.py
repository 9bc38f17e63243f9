"""`semantics/arrays/scalars.py` and `semantics/ptir/`, compared with oracles that share no code with them."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects import builtin
from xdsl.dialects.builtin import Builtin, DenseIntOrFPElementsAttr, ModuleOp, TensorType
from xdsl.dialects.func import Func
from xdsl.parser import Parser

from ptir.dialects.ptir import PTIR
from ptir.errors import UnsupportedType
from ptir.semantics.arrays import contraction
from ptir.semantics.arrays.scalars import FUNCTIONS, cast, dense_array, numpy_dtype
from ptir.semantics.errors import ArgumentMismatch, DivisionByZero, NoSuchFunction
from ptir.semantics.interpreter import call

from ..builders.amount import examples

pytestmark = pytest.mark.sampled(3)

BF16, F8, E5M2 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
INT4, UINT4 = ml_dtypes.int4, ml_dtypes.uint4
FORMATS = {BF16: (8, -126, 127), np.float16: (11, -14, 15), np.float32: (24, -126, 127), E5M2: (3, -14, 15)}
"""For each type: precision in bits, least and greatest exponent."""


def parse(text: str) -> ModuleOp:
    ctx = Context()
    for dialect in (Builtin, Func, PTIR):
        ctx.load_dialect(dialect)
    module = Parser(ctx, text).parse_module()
    module.verify()
    return module


def run(signature: str, body: str, *arrays: np.ndarray) -> np.ndarray:
    """Runs a function with this signature and these ops, which returns %r."""
    result = signature.split("->")[1].strip()
    return call(parse(f"func.func @f{signature} {{\n{body}\nfunc.return %r : {result}\n}}"), "f", *arrays)[0]


def nearest(x: Fraction, precision: int, least: int, most: int) -> float:
    """Rounds to nearest even by the definition: divides x by its quantum, and rounds to an integer."""
    if x == 0:
        return 0.0
    exponent = least
    while exponent < most and abs(x) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    quantum = Fraction(2) ** (exponent - precision + 1)
    rounded = round(x / quantum) * quantum
    if abs(rounded) >= Fraction(2) ** (most + 1):
        return math.copysign(math.inf, x)
    return float(rounded)


def same(a: np.ndarray, b: np.ndarray | list[float]) -> None:
    """Requires equal values. NaNs are equal, zeros of different signs are not."""
    x, y = np.asarray(a).astype(np.float64), np.asarray(b, dtype=np.float64)
    np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(np.signbit(x[~np.isnan(x)]), np.signbit(y[~np.isnan(y)]))


doubles = st.floats(allow_nan=False, allow_infinity=False)


# --- casts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FORMATS)
@given(x=st.one_of(doubles, st.floats(-3, 3), st.floats(-1e-37, 1e-37), st.floats(-7e4, 7e4)))
def test_narrowing_rounds_once_to_nearest_even(dtype: type, x: float):
    same(cast(np.array([x]), np.dtype(dtype)), [math.copysign(nearest(Fraction(x), *FORMATS[dtype]), x)])


@pytest.mark.parametrize(
    ("dtype", "x", "want"),
    [
        (BF16, 1 + 2**-8 + 2**-40, 1 + 2**-7),  # through f32 it would be a tie and give 1
        (BF16, 1 + 2**-8, 1.0),
        (BF16, 1 + 3 * 2**-8, 1 + 2**-6),
        (BF16, -(1 + 2**-8 + 2**-40), -(1 + 2**-7)),
        (BF16, 2.0**-134 * (1 + 2**-20), 2.0**-133),
        (np.float16, 65519.99, 65504.0),
        (np.float16, 65520.0, np.inf),
        (np.float32, 1 + 2**-24 + 2**-50, 1 + 2**-23),
        (F8, 464.0, 448.0),
        (F8, 465.0, np.nan),
        (F8, 1 + 2**-4 + 2**-40, 1.125),
        (E5M2, np.inf, np.inf),
    ],
)
def test_roundings_that_go_wrong_when_done_twice(dtype: type, x: float, want: float):
    same(cast(np.array(x), np.dtype(dtype)), np.array(want))


@pytest.mark.parametrize("source", [np.int64, np.uint64])
@pytest.mark.parametrize("dtype", [BF16, np.float32, np.float64])
@given(x=st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(2**52, 2**63 - 1), st.integers(-300, 300)))
def test_integers_become_the_nearest_float(source: type, dtype: type, x: int):
    x = abs(x) if source is np.uint64 else x
    shape = FORMATS.get(dtype, (53, -1022, 1023))
    same(cast(np.array([x], source), np.dtype(dtype)), [nearest(Fraction(x), *shape)])


@pytest.mark.parametrize("source", [np.int64, np.uint64])
def test_integers_just_beyond_a_tie_round_up(source: type):
    x = 2**60 + 2**36 + 1  # float64 rounds it to the tie, which rounds down
    same(cast(np.array([x], source), np.dtype(np.float32)), [float(2**60 + 2**37)])
    same(cast(np.array([2**60 + 2**36], source), np.dtype(np.float32)), [float(2**60)])
    same(cast(np.array([2**60 + 2**52 + 1], source), np.dtype(BF16)), [float(2**60 + 2**53)])


RANGES = {
    np.int8: (-128, 127),
    np.uint8: (0, 255),
    np.int32: (-(2**31), 2**31 - 1),
    np.int64: (-(2**63), 2**63 - 1),
    np.uint64: (0, 2**64 - 1),
    INT4: (-8, 7),
    UINT4: (0, 15),
}


@pytest.mark.parametrize("dtype", RANGES)
@given(x=st.one_of(doubles, st.floats(-300, 300), st.sampled_from([2.0**63, -(2.0**63), 2.0**64, -0.5])))
def test_float_to_integer_truncates_and_saturates(dtype: type, x: float):
    low, high = RANGES[dtype]
    assert int(cast(np.array([x]), np.dtype(dtype))[0]) == min(max(math.trunc(x), low), high)


@pytest.mark.parametrize("dtype", RANGES)
def test_non_finite_to_integer(dtype: type):
    low, high = RANGES[dtype]
    for source in (np.float64, np.float32, BF16):
        got = cast(np.array([np.nan, np.inf, -np.inf]).astype(source), np.dtype(dtype))
        assert [int(v) for v in got] == [0, high, low]


@pytest.mark.parametrize("source", RANGES)
@pytest.mark.parametrize("dtype", RANGES)
def test_integer_to_integer_saturates(source: type, dtype: type):
    low, high = RANGES[source]
    values = sorted({low, low + 1, max(low, -1), 0, 1, 7, high - 1, high})
    got = cast(np.array(values, np.uint64 if low == 0 else np.int64).astype(source), np.dtype(dtype))
    assert [int(v) for v in got] == [min(max(v, RANGES[dtype][0]), RANGES[dtype][1]) for v in values]


def test_predicates_cast_to_zero_and_one_and_back():
    assert list(cast(np.array([True, False]), np.dtype(np.int8))) == [1, 0]
    same(cast(np.array([True, False]), np.dtype(BF16)), [1.0, 0.0])
    assert list(cast(np.array([0.0, -0.0, 0.5, np.nan, -np.inf]), np.dtype(bool))) == [False, False, True, True, True]


# --- the table ----------------------------------------------------------------------------------

small = st.floats(-(2.0**50), 2.0**50, allow_subnormal=False, width=32)


@pytest.mark.parametrize("dtype", [BF16, np.float16, np.float32])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
@given(a=small, b=small)
@settings(max_examples=examples(60))
def test_arithmetic_is_correctly_rounded(dtype: type, name: str, a: float, b: float):
    x, y = (float(nearest(Fraction(v), *FORMATS[dtype])) for v in (a, b))
    if math.isinf(x) or math.isinf(y) or (name == "div" and y == 0):
        return
    p, q = Fraction(x), Fraction(y)
    exact = {"add": lambda: p + q, "sub": lambda: p - q, "mul": lambda: p * q, "div": lambda: p / q}[name]()
    got = FUNCTIONS[name](np.array([x]).astype(dtype), np.array([y]).astype(dtype))
    assert got.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(got.astype(np.float64), [nearest(exact, *FORMATS[dtype])])


ORACLES = {
    "exp": math.exp,
    "log": math.log,
    "tanh": math.tanh,
    "erf": math.erf,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "recip": lambda x: 1 / x,
}


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("dtype", [BF16, np.float16, np.float32])
def test_transcendentals_are_rounded_once(name: str, dtype: type):
    x = np.linspace(0.01, 9, 601).astype(dtype)
    if name in ("exp", "tanh", "erf"):
        x = np.concatenate([x, -x])
    want = [nearest(Fraction(ORACLES[name](float(v))), *FORMATS[dtype]) for v in x]
    same(FUNCTIONS[name](x), want)


def test_erf_in_float64():
    x = np.concatenate([np.linspace(-7, 7, 4001), [0.0, 5e-324, 1e-300, np.inf, -np.inf]])
    want = np.array([math.erf(v) for v in x])
    got = FUNCTIONS["erf"](x)
    assert np.all(np.abs(got - want) <= 16 * np.spacing(np.abs(want)))
    assert np.isnan(FUNCTIONS["erf"](np.array(np.nan)))


@pytest.mark.parametrize("dtype", [BF16, np.float16, np.float32, np.float64])
def test_special_values(dtype: type):
    def of(*values: float) -> np.ndarray:
        return np.array(values).astype(dtype)

    inf, nan = np.inf, np.nan
    same(FUNCTIONS["max"](of(nan, 1, 0.0, -0.0, -inf), of(1, nan, -0.0, 0.0, 3)), [nan, nan, 0.0, 0.0, 3])
    same(FUNCTIONS["min"](of(nan, 1, 0.0, -0.0, -inf), of(1, nan, -0.0, 0.0, 3)), [nan, nan, -0.0, -0.0, -inf])
    same(FUNCTIONS["log"](of(0, -1, inf)), [-inf, nan, inf])
    same(FUNCTIONS["exp"](of(-inf, inf, nan)), [0, inf, nan])
    same(FUNCTIONS["div"](of(1, -1, 0), of(0, 0, 0)), [inf, -inf, nan])
    same(FUNCTIONS["recip"](of(0.0, -0.0, inf)), [inf, -inf, 0])
    same(FUNCTIONS["neg"](of(0.0, inf)), [-0.0, -inf])
    assert list(FUNCTIONS["ne"](of(nan, 1), of(nan, 1))) == [True, False]
    for name in ("lt", "le", "eq", "ge", "gt"):
        assert not FUNCTIONS[name](of(nan), of(nan))[0]


@pytest.mark.parametrize("dtype", RANGES)
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "neg", "abs", "max", "lt"])
def test_integers_wrap(dtype: type, name: str):
    low, high = RANGES[dtype]
    values = sorted({low, low + 1, max(low, -3), max(low, -1), 1, 2, 5, high - 1, high} - {0})

    def wrap(v: int) -> int:
        return (v - low) % (high - low + 1) + low

    oracle = {
        "add": lambda a, b: wrap(a + b),
        "sub": lambda a, b: wrap(a - b),
        "mul": lambda a, b: wrap(a * b),
        "div": lambda a, b: wrap(abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)),
        "neg": lambda a, b: wrap(-a),
        "abs": lambda a, b: wrap(abs(a)),
        "max": max,
        "lt": lambda a, b: a < b,
    }[name]
    carrier = np.uint64 if low == 0 else np.int64
    a = np.array([v for v in values for _ in values], carrier).astype(dtype)
    b = np.array(values * len(values), carrier).astype(dtype)
    got = FUNCTIONS[name](a) if name in ("neg", "abs") else FUNCTIONS[name](a, b)
    assert [int(v) for v in got] == [int(oracle(x, y)) for x in values for y in values]


# --- literals and types -------------------------------------------------------------------------


def test_literals_keep_special_values():
    for t in (builtin.bf16, builtin.f16, builtin.f32, builtin.f64, builtin.Float8E5M2Type()):
        attr = DenseIntOrFPElementsAttr.from_list(TensorType(t, [4]), [math.inf, -math.inf, math.nan, -0.0])
        same(dense_array(attr), [math.inf, -math.inf, math.nan, -0.0])


def test_literals_splat_and_narrow_integers():
    literal = DenseIntOrFPElementsAttr.from_list
    assert dense_array(literal(TensorType(builtin.f32, [2, 3]), [1.5])).tolist() == [[1.5] * 3] * 2
    assert dense_array(literal(TensorType(builtin.f32, []), [1.5])).shape == ()
    assert dense_array(literal(TensorType(builtin.i1, [2]), [1, 0])).tolist() == [True, False]
    assert [int(v) for v in dense_array(literal(TensorType(builtin.IntegerType(4), [2]), [-8, 7]))] == [-8, 7]


def test_types_without_a_meaning_are_errors():
    with pytest.raises(UnsupportedType, match="i7"):
        numpy_dtype(builtin.IntegerType(7))


# --- contractions and reductions ----------------------------------------------------------------


@st.composite
def einsums(draw: st.DrawFn) -> tuple[list[str], list[str], list[str], list[str], dict[str, int], list[str], list[str]]:
    """Draws batch, free and contracted axes with sizes, in a random order in each operand."""
    letters = iter("abcdefgh")
    batch, left, right, summed = ([next(letters) for _ in range(draw(st.integers(0, 2)))] for _ in range(4))
    sizes = {a: draw(st.integers(0, 4)) for a in batch + left + right + summed}
    return (
        batch, left, right, summed, sizes,
        draw(st.permutations(batch + left + summed)),
        draw(st.permutations(batch + right + summed)),
    )  # fmt: skip


@given(case=einsums(), seed=st.integers(0, 99), kind=st.sampled_from(["bf16", "f16", "f32", "i8", "i32"]))
@settings(max_examples=examples(150))
def test_dot_general_is_an_einsum(case: tuple, seed: int, kind: str):
    batch, _, _, summed, sizes, lhs, rhs = case
    dtype = numpy_dtype(getattr(builtin, kind))
    accum = "i32" if kind[0] == "i" else "f32"
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(-9, 9, [sizes[x] for x in side]).astype(dtype) for side in (lhs, rhs))
    # The contract's order: free axes in the order of their operand.
    out = [*batch, *(x for x in lhs if x not in batch + summed), *(x for x in rhs if x not in batch + summed)]
    want = np.einsum(a.astype(np.float64), _ints(lhs), b.astype(np.float64), _ints(rhs), _ints(out))

    def spell(axes: list[str], t: str) -> str:
        return "tensor<" + "".join(f"{sizes[x]}x" for x in axes) + f"{t}>"

    t = spell(lhs, kind), spell(rhs, kind), spell(out, accum)
    groups = [
        f"{word} {[lhs.index(x) for x in axes]} x {[rhs.index(x) for x in axes]}"
        for word, axes in (("batch", batch), ("contract", summed))
    ]
    dot = f"%r = ptir.dot_general %a, %b {' '.join(groups)} accum {accum} out {accum} : ({t[0]}, {t[1]}) -> {t[2]}"
    got = run(f"(%a: {t[0]}, %b: {t[1]}) -> {t[2]}", dot, a, b)
    np.testing.assert_array_equal(got.astype(np.float64), want)


def _ints(axes: list[str]) -> list[int]:
    return [ord(a) - ord("a") for a in axes]


def test_integer_dot_wraps():
    a = np.full((1, 3), 2**30, np.int32)
    got = run(
        "(%a: tensor<1x3xi32>, %b: tensor<3x1xi32>) -> tensor<1x1xi32>",
        "%r = ptir.dot_general %a, %b contract [1] x [0] : (tensor<1x3xi32>, tensor<3x1xi32>) -> tensor<1x1xi32>",
        a,
        np.array([[1], [1], [2]], np.int32),
    )
    assert got[0, 0] == 0


@pytest.mark.parametrize(
    ("lhs", "rhs", "dtype", "accum", "exact"),
    [
        (-64, 2, np.int8, np.int32, True),
        (-65, 2, np.int8, np.int32, False),
        (127, 1, np.int8, np.int32, True),
        (64, 2, np.int8, np.int32, False),
        (64, 2, np.int8, np.int8, True),
        (15, 15, BF16, np.float32, True),  # factors have four bits each, and bf16 has eight
        (15, 17, BF16, np.float32, False),
    ],
)
def test_products_that_one_matmul_may_sum(lhs: int, rhs: int, dtype: type, accum: type, exact: bool):
    a, b = (np.array([x], dtype) for x in (lhs, rhs))
    assert contraction._changes_no_product(a, b, np.dtype(dtype), np.dtype(accum)) == exact


def test_dot_rounds_to_accum_and_then_to_out():
    # The exact sum 1 + 2^-8 + 2^-30 is 1 + 2^-8 in f32, a tie in bf16 that goes to 1.
    a = np.array([[1, 2**-8, 2**-30]]).astype(BF16)
    types = "(tensor<1x3xbf16>, tensor<3x1xbf16>) -> tensor<1x1xbf16>"
    body = f"%r = ptir.dot_general %a, %b contract [1] x [0] accum f32 : {types}"
    got = run("(%a: tensor<1x3xbf16>, %b: tensor<3x1xbf16>) -> tensor<1x1xbf16>", body, a, np.ones((3, 1), BF16))
    assert float(got[0, 0]) == 1.0


@pytest.mark.parametrize(
    ("kind", "dtype", "want"),
    [("sum", "f32", 0), ("max", "f32", -np.inf), ("min", "bf16", np.inf), ("sum", "i8", 0), ("max", "i8", -128),
     ("min", "i8", 127), ("max", "ui8", 0), ("min", "ui8", 255)],
)  # fmt: skip
def test_empty_reductions_give_the_identity(kind: str, dtype: str, want: float):
    array = np.zeros((2, 0), {"f32": np.float32, "bf16": BF16, "i8": np.int8, "ui8": np.uint8}[dtype])
    body = f"%r = ptir.reduce {kind} %a axes [-1] : tensor<2x0x{dtype}> -> tensor<2x{dtype}>"
    same(run(f"(%a: tensor<2x0x{dtype}>) -> tensor<2x{dtype}>", body, array), [want, want])


@pytest.mark.parametrize("kind", ["sum", "max", "min"])
@pytest.mark.parametrize("axes", [[0], [1], [0, 2], [0, 1, 2], []])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reduce(kind: str, axes: list[int], keepdims: bool):
    x = np.random.default_rng(0).integers(-50, 50, (3, 5, 4)).astype(np.float32)
    want = getattr(np, kind)(x.astype(np.float64), axis=tuple(axes), keepdims=keepdims)
    t = "tensor<" + "".join(f"{n}x" for n in want.shape) + "f32>"
    body = f"%r = ptir.reduce {kind} %a axes {axes} {'keepdims' if keepdims else ''} : tensor<3x5x4xf32> -> {t}"
    np.testing.assert_array_equal(run(f"(%a: tensor<3x5x4xf32>) -> {t}", body, x), want)


def test_reduce_propagates_nan_and_sums_bf16_in_f32():
    x = np.array([[1, np.nan, 3], [1, 2, 3]], np.float32)
    body = "%r = ptir.reduce max %a axes [1] : tensor<2x3xf32> -> tensor<2xf32>"
    same(run("(%a: tensor<2x3xf32>) -> tensor<2xf32>", body, x), [np.nan, 3])
    ones = np.ones(1000, BF16)  # in bf16, the sum would not exceed 256
    body = "%r = ptir.reduce sum %a axes [0] out f32 : tensor<1000xbf16> -> tensor<f32>"
    assert float(run("(%a: tensor<1000xbf16>) -> tensor<f32>", body, ones)) == 1000


def test_movements_clamp_compare_and_select():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    body = "%r = ptir.transpose %a [1, -2] : tensor<2x3xf32> -> tensor<3x2xf32>"
    np.testing.assert_array_equal(run("(%a: tensor<2x3xf32>) -> tensor<3x2xf32>", body, x), [[0, 3], [1, 4], [2, 5]])
    body = """
    %lo = ptir.constant dense<1.0> : tensor<2x3xf32>
    %hi = ptir.constant dense<3.0> : tensor<2x3xf32>
    %c = ptir.clamp %a, %lo, %hi : tensor<2x3xf32>
    %p = ptir.compare gt %a, %hi : tensor<2x3xf32> -> tensor<2x3xi1>
    %s = ptir.select %p, %a, %c : tensor<2x3xi1>, tensor<2x3xf32>
    %f = ptir.reshape %s : tensor<2x3xf32> -> tensor<6xf32>
    %r = ptir.broadcast_to %f : tensor<6xf32> -> tensor<2x6xf32>"""
    np.testing.assert_array_equal(run("(%a: tensor<2x3xf32>) -> tensor<2x6xf32>", body, x), [[1, 1, 2, 3, 4, 5]] * 2)


def test_clamp_is_max_and_then_min():
    """The order shows where the bounds are crossed: the upper one wins."""
    ones = np.ones(2, np.float32)
    body = "%r = ptir.clamp %x, %lo, %hi : tensor<2xf32>"
    signature = "(%x: tensor<2xf32>, %lo: tensor<2xf32>, %hi: tensor<2xf32>) -> tensor<2xf32>"
    assert run(signature, body, ones, 5 * ones, 3 * ones).tolist() == [3, 3]


# --- errors -------------------------------------------------------------------------------------


def test_errors_of_running():
    module = parse("""
    func.func @f(%a: tensor<2xi32>, %b: tensor<2xi32>) -> tensor<2xi32> {
      %r = ptir.div %a, %b : tensor<2xi32>
      func.return %r : tensor<2xi32>
    }""")
    one = np.ones(2, np.int32)
    with pytest.raises(DivisionByZero) as caught:
        call(module, "f", one, np.array([1, 0], np.int32))
    assert caught.value.op is not None and caught.value.op.name == "ptir.div"
    for bad in ((one,), (one, one.astype(np.int64)), (one, np.ones(3, np.int32)), (one, np.ones((2, 1), np.int32))):
        with pytest.raises(ArgumentMismatch):
            call(module, "f", *bad)
    with pytest.raises(NoSuchFunction, match="@g") as caught:
        call(module, "g")
    assert str(caught.value) == ("error[PTIR0541]: the module has no function @g\n  help: it has @f")
