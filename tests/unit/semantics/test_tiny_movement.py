"""Movements, constants and iota of `tiny`, bit for bit, compared with loops over index tuples, with static and dynamic sizes."""

from __future__ import annotations

import math
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import TensorType, f32, i1
from xdsl.utils.test_value import create_ssa_value

import ptir
from ptir.dialects import tiny
from ptir.dialects.ptir.dims import tensor_type
from ptir.errors import NotBroadcastable
from ptir.semantics.bounds import bounds, bounds_of, check
from ptir.semantics.bounds.intervals import Interval
from ptir.semantics.errors import CannotReshape, SizeMismatch, ViewOutside, WindowOutside

from ..builders import ptir_strategies as s
from ..builders.amount import examples
from ..builders.ptir_strategies import DTYPES, NUMBERS, Array, Case, Sizer
from ..dialects import test_ptir_movement as loops
from ..dialects.test_ptir_movement import SPELLINGS, Index, index_of, indices, same_bits

pytestmark = pytest.mark.sampled(3)

# --- strategies and oracles that ptir has not ---------------------------------------------------


def built_as(kind: str, strategy: Any) -> Any:
    """Returns a strategy for `ptir` whose op is built in `tiny` instead."""

    def builder(case: Case) -> Case:
        a = case.attributes

        def build(size: Sizer, x: Any) -> Any:
            match kind:
                case "reshape":
                    return tiny.MovementOp.reshape(x, [size(n) for n in a["new_shape"]])
                case "permute":
                    return tiny.MovementOp.permute(x, a["perm"])
                case "expand":
                    return tiny.MovementOp.expand(x, [size(n) for n in a["result_shape"]])
                case "pad":
                    fill = ptir.dialects.ptir.ScalarAttr.of(a["pad_value"].tobytes(), x.type.element_type)
                    return tiny.MovementOp.pad(x, a["low"], a["high"], fill)
                case _:
                    return tiny.MovementOp.shrink(x, a["starts"], [size(n) for n in a["sizes"]])

        if kind != "pad":
            return Case(case.arrays, build, a)
        return Case(case.arrays, build, {**a, "interior": [0] * case.arrays[0].ndim})

    return lambda dtype: strategy(dtype).map(builder)


@st.composite
def views(draw: st.DrawFn, dtype: str) -> Case:
    """Draws views that stay inside the operand: offset and strides are limited by the sizes drawn before."""
    x = s.array(draw(s.shapes()), dtype, draw(s.seeds))
    to = draw(s.shapes())
    if x.size == 0 and 0 not in to:
        to.insert(draw(st.integers(0, len(to))), 0)
    if 0 in to:
        offset, *strides = draw(st.lists(st.integers(0, 2**40), min_size=len(to) + 1, max_size=len(to) + 1))
        return _view(x, to, strides, offset)
    left = x.size - 1
    strides = [0] * len(to)
    for axis in draw(st.permutations(range(len(to)))):
        strides[axis] = draw(st.integers(0, left // (to[axis] - 1) if to[axis] > 1 else 2**40))
        left -= strides[axis] * (to[axis] - 1)
    return _view(x, to, strides, draw(st.integers(0, left)))


def _view(x: Array, to: list[int], strides: list[int], offset: int) -> Case:
    attributes = {"to": to, "strides": strides, "offset": offset}
    return Case((x,), lambda size, x: tiny.MovementOp.view(x, [size(n) for n in to], strides, offset), attributes)


def view(x: Array, to: list[int], strides: list[int], offset: int):
    def at(i: Index) -> Any:
        return x[(*index_of(offset + sum(k * n for k, n in zip(i, strides, strict=True)), x.shape), ...)]

    return tuple(to), at


MOVES: dict[str, tuple[Any, loops.Oracle]] = {
    "reshape": (built_as("reshape", s.reshapes), loops.reshape),
    "permute": (built_as("permute", s.transposes), loops.transpose),
    "expand": (built_as("expand", s.broadcasts), loops.broadcast_to),
    "pad": (built_as("pad", s.pads), loops.pad),
    "shrink": (built_as("shrink", s.slices), loops.slice_),
    "view": (views, view),
}


def test_every_kind_has_a_case():
    assert set(MOVES) == set(tiny.MOVEMENTS)


# --- values -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", MOVES)
@given(data=st.data(), spelling=SPELLINGS)
@settings(max_examples=examples(3))
def test_moves_bits(kind: str, dtype: str, data: st.DataObject, spelling: str):
    strategy, oracle = MOVES[kind]
    case: Case = data.draw(strategy(dtype))
    shape, at = oracle(*case.arrays, **case.attributes)
    same_bits(s.run(case, spelling), shape, np.dtype(DTYPES[dtype][1]), at)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", MOVES)
@given(data=st.data(), spelling=SPELLINGS)
@settings(max_examples=examples(40))
def test_moves_shapes(kind: str, data: st.DataObject, spelling: str):
    """Many more shapes on one type."""
    test_moves_bits.hypothesis.inner_test(kind, "si16", data, spelling)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_iota_counts_as_ptir_does(dtype: str):
    """Which `test_ptir_movement.py` holds to a count by hand."""
    t, u = f"tensor<2x300x1x{dtype}>", f"tensor<0x3x{dtype}>"
    text = """func.func @f() -> ({t}, {u}) {{
      %0 = {name}.iota axis 1 : {t}
      %1 = {name}.iota axis -1 : {u}
      func.return %0, %1 : {t}, {u}
    }}"""
    got, want = (ptir.reference(text.format(name=name, t=t, u=u)) for name in ("tiny", "ptir"))
    for a, b in zip(got, want, strict=True):
        assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())


def test_iota_and_views_of_named_sizes():
    x = "tensor<?xf32, #ptir.dims<B>>"
    n, v = "tensor<2x?xsi32, #ptir.dims<_, B>>", "tensor<?x?xf32, #ptir.dims<B, B>>"
    text = f"""func.func @f(%x: {x}) -> ({n}, {v}) {{
      %n = tiny.iota axis 1 : {n}
      %v = tiny.movement view %x offset 0 strides [0, 1] : {x} -> {v}
      func.return %n, %v : {n}, {v}
    }}"""
    count, rows = ptir.reference(text, np.arange(3, dtype=np.float32))
    assert count.tolist() == [[0, 1, 2]] * 2 and rows.tolist() == [[0, 1, 2]] * 3


# --- what only a run can tell -------------------------------------------------------------------


def refused(error: type[Exception], match: str, body: str, *arrays: Array) -> None:
    """Requires an error when `body`, an op on %x and %y, runs. All sizes of these except along axis 1 are dynamic."""
    signature = ", ".join(f"%{name}: tensor<?x3xf32>" for name, _ in zip("xy", arrays, strict=False))
    module = ptir.parse(f"func.func @f({signature}) {{\n%0 = {body}\nfunc.return\n}}")
    for run in (lambda: ptir.reference(module, *arrays), lambda: bounds(module, "f", *arrays)):
        with pytest.raises(error, match=match) as caught:
            run()
        assert caught.value.op is not None and caught.value.op.name.startswith("tiny.")  # pyright: ignore


def test_a_run_checks_what_types_leave_open():
    x, row = np.zeros((2, 3), np.float32), np.zeros((1, 3), np.float32)
    t = "tensor<?x3xf32>"
    for one, other in ((x, row), (row, x)):
        n = 3 - len(other)
        match = rf"operand 1 has size \[{len(other)}, 3\] in this run, expected \[{n}, 3\]"
        refused(SizeMismatch, match, f"tiny.binary add %x, %y : ({t}, {t}) -> {t}", one, other)
        refused(SizeMismatch, match, f"tiny.binary mul %x, %y : ({t}, {t}) -> {t}", one, other)
    reads = r"reads element 8 of an operand with 6 elements"
    refused(ViewOutside, "element 6 of", f"tiny.movement view %x offset 6 strides [] : {t} -> tensor<f32>", x)
    refused(ViewOutside, reads, f"tiny.movement view %x offset 2 strides [3, 1] : {t} -> tensor<3x1xf32>", x)
    refused(SizeMismatch, "the result has", f"tiny.movement expand %x : {t} -> tensor<4x3xf32>", row)
    refused(
        WindowOutside,
        "a window of size 2 at offset 1",
        f"tiny.movement shrink %x from [1, 0] : {t} -> tensor<2x3xf32>",
        x,
    )
    refused(CannotReshape, "6 elements", f"tiny.movement reshape %x : {t} -> tensor<3x3xf32>", x)


def test_a_stride_that_is_never_taken_may_be_huge():
    x = np.arange(3, dtype=np.float32)
    t = "tensor<1x2xf32>\nfunc.return %0 : tensor<1x2xf32>"
    body = f"%0 = tiny.movement view %x offset 1 strides [{2**62}, 1] : tensor<3xf32> -> {t}"
    (got,) = ptir.reference(f"func.func @f(%x: tensor<3xf32>) -> tensor<1x2xf32> {{\n{body}\n}}", x)
    assert got.tolist() == [[1, 2]]


def test_an_axis_that_is_1_in_its_type_is_repeated_in_a_run():
    t, u = "tensor<?x1xf32, #ptir.dims<B, _>>", "tensor<1x?xf32, #ptir.dims<_, B>>"
    both = "tensor<?x?xf32, #ptir.dims<B, B>>"
    text = f"""func.func @f(%x: {t}, %y: {u}) -> {both} {{
      %0 = tiny.binary sub %x, %y : ({t}, {u}) -> {both}
      func.return %0 : {both}
    }}"""
    x = np.arange(3, dtype=np.float32)
    (got,) = ptir.reference(text, x.reshape(3, 1), x.reshape(1, 3))
    assert got.tolist() == [[0, -1, -2], [1, 0, -1], [2, 1, 0]]


def test_operands_that_do_not_fit_are_refused_when_an_op_is_made():
    """Failure condition of tensor-compiler.ja §13: broadcast mismatch at construction."""
    a, b = (create_ssa_value(TensorType(f32, [n, 4])) for n in (2, 3))
    with pytest.raises(NotBroadcastable, match=r"\[2, 4\] does not broadcast to \[3, 4\]"):
        tiny.BinaryOp("add", a, b)
    named = [create_ssa_value(tensor_type(f32, [n])) for n in ("B", "C")]
    with pytest.raises(NotBroadcastable):
        tiny.BinaryOp("add", *named)


@pytest.mark.parametrize(
    ("shapes", "want"),
    [
        ([["B", 1], [None, 4]], ("B", 4)),
        ([[3, None], ["B", None]], (3, None)),
        ([[1], [None]], (None,)),
        ([["B"], [2, 1]], (2, "B")),
        ([[], [0]], (0,)),
        ([[1], [1], ["B"]], ("B",)),
    ],
)
def test_the_result_of_a_binary_has_the_sizes_that_are_known_best(shapes: list[list[Any]], want: tuple[Any, ...]):
    values = [create_ssa_value(tensor_type(i1, of)) for of in shapes]
    op = tiny.BinaryOp("where" if len(values) == 3 else "and", *values)
    op.verify()
    assert op.result.type == tensor_type(i1, want)


# --- intervals ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", MOVES)
@given(data=st.data(), dtype=st.sampled_from([n for n in DTYPES if "<" not in n]))
@settings(max_examples=examples(8))
def test_bounds_of_moves_have_no_width(kind: str, data: st.DataObject, dtype: str):
    case: Case = data.draw(MOVES[kind][0](dtype))
    module = s.module_of(case)
    (interval,), (result,) = bounds(module, "f", *case.arrays), ptir.reference(module, *case.arrays)
    assert check(result, interval).ok
    assert interval.known is not None and interval.known.tobytes() == result.tobytes()


@pytest.mark.parametrize("kind", MOVES)
@given(data=st.data())
@settings(max_examples=examples(8))
def test_bounds_move_with_the_elements(kind: str, data: st.DataObject):
    """Both ends, and whether NaN is possible, are moved like the element."""
    case: Case = data.draw(MOVES[kind][0]("f32"))
    (x,) = case.arrays
    rng = np.random.default_rng(0)
    lo = np.asarray(rng.standard_normal(x.shape))
    uncertain = Interval(lo, lo + 1, np.asarray(rng.integers(0, 2, x.shape) > 0), x.dtype)
    (got,) = bounds_of(s.module_of(case), "f", uncertain)
    for part in ("lo", "hi", "nan"):
        attributes = dict(case.attributes)
        if kind == "pad":
            value = attributes["pad_value"].astype(np.float64)
            attributes["pad_value"] = np.isnan(value) if part == "nan" else value
        shape, at = MOVES[kind][1](getattr(uncertain, part), **attributes)
        assert got.shape == shape and prod(shape) == getattr(got, part).size
        for i in indices(shape):
            a, b = getattr(got, part)[i], at(i)
            assert a == b or (math.isnan(a) and math.isnan(b))
