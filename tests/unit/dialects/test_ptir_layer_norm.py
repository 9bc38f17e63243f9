"""`ptir.layer_norm`, compared with the program in its docstring and with float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptir
from ptir.dialects.ptir.normalization import LayerNormOp
from ptir.semantics.bounds import check
from ptir.semantics.errors import SizeMismatch

from ..builders.amount import examples
from ..builders.ptir_strategies import DTYPES, FLOATS, Case, run, seeds


def spelt(sizes: Any, dtype: str) -> str:
    return f"tensor<{''.join(f'{n}x' for n in sizes)}{dtype}>"


def decomposed(shape: list[int], axis: int, epsilon: float, t: str) -> str:
    """Returns the program in the docstring of `ptir.layer_norm`."""
    a = "f64" if t == "f64" else "f32"
    kept = [1 if k == axis else n for k, n in enumerate(shape)]
    n, x, xa, m = shape[axis], spelt(shape, t), spelt(shape, a), spelt(kept, a)
    f, fa, line = spelt([n], t), spelt([n], a), spelt([n if k == axis else 1 for k in range(len(shape))], a)
    body = f"""
      %v = ptir.cast %x : {x} -> {xa}
      %count = ptir.constant dense<{float(n)}> : {m}
      %sum = ptir.reduce sum %v axes [{axis}] keepdims : {xa} -> {m}
      %mean = ptir.div %sum, %count : {m}
      %wide = ptir.broadcast_to %mean : {m} -> {xa}
      %d = ptir.sub %v, %wide : {xa}
      %square = ptir.mul %d, %d : {xa}
      %squares = ptir.reduce sum %square axes [{axis}] keepdims : {xa} -> {m}
      %var = ptir.div %squares, %count : {m}
      %eps = ptir.constant dense<{epsilon:e}> : {m}
      %shifted = ptir.add %var, %eps : {m}
      %root = ptir.rsqrt %shifted : {m}
      %roots = ptir.broadcast_to %root : {m} -> {xa}
      %y = ptir.mul %d, %roots : {xa}
    """
    for name in ("gamma", "beta"):
        body += f"""
      %{name}1 = ptir.cast %{name} : {f} -> {fa}
      %{name}2 = ptir.reshape %{name}1 : {fa} -> {line}
      %{name}3 = ptir.broadcast_to %{name}2 : {line} -> {xa}
        """
    return f"""func.func @f(%x: {x}, %gamma: {f}, %beta: {f}) -> {x} {{ {body}
      %scaled = ptir.mul %y, %gamma3 : {xa}
      %out = ptir.add %scaled, %beta3 : {xa}
      %r = ptir.cast %out : {xa} -> {x}
      func.return %r : {x}
    }}"""


@st.composite
def cases(draw: st.DrawFn, dtype: str) -> tuple[list[int], int, float, tuple[Any, ...]]:
    shape = draw(
        st.lists(st.sampled_from([0, 1, 2, 3, 5, 8]), min_size=1, max_size=4).filter(lambda s: np.prod(s) < 200)
    )
    axis = draw(st.integers(0, len(shape) - 1))
    rng = np.random.default_rng(draw(seeds))
    scale = draw(st.sampled_from([1.0, 30.0, 0.01]))
    with np.errstate(all="ignore"):
        arrays = [
            (rng.standard_normal(s) * scale + 1).astype(DTYPES[dtype][1]) for s in (shape, shape[axis], shape[axis])
        ]
    return shape, axis, draw(st.sampled_from([0.0, 1e-5, 0.5])), tuple(arrays)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", FLOATS)
@given(data=st.data())
@settings(max_examples=examples(12))
def test_it_is_what_its_docstring_says(dtype: str, data: st.DataObject):
    shape, axis, epsilon, arrays = data.draw(cases(dtype))
    sign = data.draw(st.sampled_from([0, len(shape)]))
    case = Case(arrays, lambda size, x, g, b: LayerNormOp(x, g, b, axis - sign, epsilon))
    got = run(case, data.draw(st.sampled_from(["numbers", "names", "unnamed"])))
    (want,) = ptir.reference(decomposed(shape, axis, epsilon, dtype), *arrays)
    assert got.dtype == want.dtype == DTYPES[dtype][1] and got.shape == want.shape
    np.testing.assert_array_equal(got.astype(np.float64), want.astype(np.float64))


@pytest.mark.parametrize(("dtype", "tolerance"), [("f64", 1e-12), ("f32", 1e-5), ("f16", 2e-3), ("bf16", 2e-2)])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_it_is_layer_normalisation(dtype: str, tolerance: float, axis: int):
    rng = np.random.default_rng(2)
    n = (6, 9, 5)[axis]
    x, gamma, beta = (rng.standard_normal(s).astype(DTYPES[dtype][1]) for s in ((6, 9, 5), n, n))
    got = run(Case((x, gamma, beta), lambda size, *a: LayerNormOp(*a, axis, 1e-5)))
    rows = np.moveaxis(x.astype(np.float64), axis, -1)
    rows = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 1e-5)
    want = np.moveaxis(rows * gamma.astype(np.float64) + beta.astype(np.float64), -1, axis)
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=tolerance, atol=tolerance)


NORM = """func.func @f(%x: tensor<4x16xf32>, %g: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %r = ptir.layer_norm %x, %g, %b axis 1 epsilon 1.0e-05 : tensor<4x16xf32>, tensor<16xf32>
  func.return %r : tensor<4x16xf32>
}"""


def test_bounds_hold_other_ways_to_compute_it_and_no_other_function():
    rng = np.random.default_rng(2)
    x, gamma, beta = (rng.standard_normal(s).astype(np.float32) for s in ((4, 16), 16, 16))
    (interval,) = ptir.bounds(NORM, x, gamma, beta)
    assert check(ptir.reference(NORM, x, gamma, beta)[0], interval).ok

    def norm(ddof: int = 0, epsilon: float = 1e-5) -> Any:
        f = np.float32
        mean = np.add.accumulate(x, 1)[:, -1:] / f(16)
        d = x - mean
        var = np.add.accumulate((d * d)[:, ::-1], 1)[:, -1:] / f(16 - ddof)
        return d / np.sqrt(var + f(epsilon)) * gamma + beta

    assert check(norm(), interval).ok
    assert not check(norm(ddof=1), interval).ok
    assert not check(norm(epsilon=1e-3), interval).ok
    assert float((interval.hi - interval.lo).max()) < 1e-3


def test_bounds_of_a_row_without_variance():
    """A variance is not below 0, however its intervals are rounded."""
    x, gamma, beta = np.full((4, 16), 0.1, np.float32), np.ones(16, np.float32), np.zeros(16, np.float32)
    text = NORM.replace("1.0e-05", "1.0e-14")
    (interval,) = ptir.bounds(text, x, gamma, beta)
    assert check(ptir.reference(text, x, gamma, beta)[0], interval).ok
    assert np.isfinite(interval.hi).all() and not interval.nan.any()


def test_features_that_do_not_fit_at_run_time():
    text = """func.func @f(%x: tensor<2x?xf32>, %g: tensor<?xf32>) -> tensor<2x?xf32> {
      %r = ptir.layer_norm %x, %g, %g axis 1 epsilon 0.0 : tensor<2x?xf32>, tensor<?xf32>
      func.return %r : tensor<2x?xf32>
    }"""
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert ptir.reference(text, x, np.ones(3, np.float32))[0].shape == (2, 3)
    for evaluate in (ptir.reference, ptir.bounds):
        with pytest.raises(SizeMismatch, match="gamma has size 1 in this run, expected 3, as axis 1 of the input"):
            evaluate(text, x, np.ones(1, np.float32))
