"""
JAX on the CPU as an oracle for each op and element type that it supports.

Integers and `i1` must be bit-equal. Floats must agree within `ULPS` of their type, because XLA's elementary functions are not
correctly rounded, or within the smallest normal number, because XLA may flush subnormals to 0. `DIFFERENT` lists the cases in which
JAX differs or is unsupported, with the reason; these are checked only by the oracles of `tests/random_programs/oracle`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ptir.semantics.interpreter import interpreter
from tests.random_programs.dtypes import COMPLEX, FLOATS, NUMPY, spelling
from tests.random_programs.generator import Options, generate
from tests.random_programs.oracle.movement import axes_of, ints, scalar_of
from tests.random_programs.oracle.numbers import converted, whole, wide
from tests.random_programs.rows.table import ROWS

pytestmark = pytest.mark.sampled(3)

jax = pytest.importorskip("jax", minversion="0.7")
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_disable_most_optimizations", True)  # each function runs only once
jnp, lax = jax.numpy, jax.lax

ULPS = 16
SIGNLESS = ("i4", "i8", "i16", "i32", "i64")
"""Signless integers, which JAX treats as signed."""


def element(value: Any) -> str:
    return spelling(value.type.element_type)


def as_contract(x: Any, dtype: str) -> Any:
    """Casts as in the contract, because JAX's cast wraps."""
    source = {n: name for name, n in NUMPY.items() if name not in SIGNLESS}[np.dtype(x.dtype)]
    if source == dtype or dtype in FLOATS or dtype in COMPLEX:
        return x.astype(NUMPY[dtype])
    values = wide(np.asarray(x)) if source in FLOATS else whole(np.asarray(x))
    return jnp.asarray(converted(values, values, source, dtype)[0].astype(np.object_).astype(NUMPY[dtype]))


def accumulated(op: Any, x: Any) -> Any:
    return as_contract(x, spelling(op.accum))


def factor(op: Any, x: Any) -> Any:
    """Converts an operand of a contraction. Integers may wrap before the product, which is exact modulo 2^w."""
    return x.astype(NUMPY[spelling(op.accum)])


def cut(op: Any, x: Any) -> Any:
    return as_contract(x, element(op.results[0]))


def reduce(op: Any, x: Any) -> Any:
    kinds = {"sum": jnp.sum, "max": jnp.max, "min": jnp.min, "mul": jnp.prod, "any": jnp.any, "all": jnp.all}
    keep = op.keepdims is not None
    wide = x if op.kind.data in ("any", "all") else accumulated(op, x)
    out = kinds[op.kind.data](wide, axis=tuple(axes_of(op.reduce_axes, x.ndim)), keepdims=keep)
    return cut(op, out.astype(wide.dtype))


def dot_general(op: Any, a: Any, b: Any) -> Any:
    left, right = (axes_of(op.contract_lhs, a.ndim), axes_of(op.contract_rhs, b.ndim))
    batch = (axes_of(op.batch_lhs, a.ndim), axes_of(op.batch_rhs, b.ndim))
    return cut(op, lax.dot_general(factor(op, a), factor(op, b), ((left, right), batch), "highest"))


def pairs(op: Any, rank: int) -> list[tuple[int, int]]:
    flat = ints(op.padding) if op.padding is not None else [0] * (2 * rank)
    return list(zip(flat[::2], flat[1::2], strict=True))


def listed(attribute: Any, rank: int) -> list[int]:
    return [1] * rank if attribute is None else ints(attribute)


def reduce_window(op: Any, x: Any) -> Any:
    wide = accumulated(op, x)
    kind = op.kind.data
    least, most = (
        (-np.inf, np.inf)
        if element(op.input) in FLOATS
        else (0, 0)
        if element(op.input) in COMPLEX
        else (ml_dtypes.iinfo(wide.dtype).min, ml_dtypes.iinfo(wide.dtype).max)
    )
    start = {"sum": 0, "max": least, "min": most}[kind]
    fold = {"sum": lax.add, "max": lax.max, "min": lax.min}[kind]
    n = x.ndim
    return cut(op, lax.reduce_window(
        wide, np.asarray(start).astype(wide.dtype), fold, ints(op.window), listed(op.strides, n), pairs(op, n),
        base_dilation=listed(op.base_dilation, n), window_dilation=listed(op.dilation, n),
    ))  # fmt: skip


def convolution(op: Any, x: Any, w: Any) -> Any:
    n = x.ndim - 2
    places = "0123456789"[:n]
    out = lax.conv_general_dilated(
        factor(op, x), factor(op, w), listed(op.strides, n), pairs(op, n), None, listed(op.dilation, n),
        (f"N{places}C", f"{places}IO", f"N{places}C"), op.group_count, precision="highest",
    )  # fmt: skip
    return cut(op, out)


def scatter_reduce(op: Any, x: Any, at: Any, updates: Any) -> Any:
    axis = op.axis_attr.value.data % x.ndim
    places = list(jnp.indices(at.shape))
    places[axis] = at
    method = {"add": "add", "max": "max", "min": "min", "mul": "multiply", "replace": "set"}[op.kind.data]
    return getattr(x.at[tuple(places)], method)(updates)


def segment_reduce(op: Any, x: Any, ids: Any) -> Any:
    kinds = {"sum": jax.ops.segment_sum, "max": jax.ops.segment_max, "min": jax.ops.segment_min}
    return cut(op, kinds[op.kind.data](accumulated(op, x), ids, op.results[0].type.get_shape()[0]))


def layer_norm(op: Any, x: Any, g: Any, b: Any) -> Any:
    axis = op.axis()
    wide, place = accumulated(op, x), [-1 if a == axis else 1 for a in range(x.ndim)]
    centred = wide - wide.mean(axis=axis, keepdims=True)
    root = lax.rsqrt((centred * centred).mean(axis=axis, keepdims=True) + op.epsilon.value.data)
    return cut(op, centred * root * accumulated(op, g).reshape(place) + accumulated(op, b).reshape(place))


def top_k(op: Any, x: Any) -> Any:
    axis, k = op.axis(), op.k.value.data
    values, at = lax.top_k(jnp.moveaxis(x, axis, -1), k)
    return jnp.moveaxis(values, -1, axis), jnp.moveaxis(at, -1, axis).astype(NUMPY[element(op.results[1])])


def one(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda op, *args: f(*args)


COMPARES = {"lt": lax.lt, "le": lax.le, "eq": lax.eq, "ge": lax.ge, "gt": lax.gt, "ne": lax.ne}
TWINS: dict[str, Callable[..., Any]] = {
    **{f"ptir.{n}": one(getattr(lax, f)) for n, f in {
        "neg": "neg", "abs": "abs", "exp": "exp", "log": "log", "tanh": "tanh", "erf": "erf", "rsqrt": "rsqrt",
        "reciprocal": "reciprocal", "add": "add", "sub": "sub", "mul": "mul", "div": "div", "maximum": "max", "minimum": "min",
        "select": "select", "sqrt": "sqrt", "sin": "sin", "cos": "cos", "log1p": "log1p", "expm1": "expm1",
        "logistic": "logistic", "floor": "floor", "ceil": "ceil", "erfc": "erfc", "sign": "sign", "not": "bitwise_not",
        "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "shift_left": "shift_left", "pow": "pow",
        "shift_right_arithmetic": "shift_right_arithmetic", "shift_right_logical": "shift_right_logical",
        "remainder": "rem", "is_finite": "is_finite",
    }.items()},
    "ptir.round": lambda op, x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
    "ptir.clamp": lambda op, x, low, high: lax.clamp(low, x, high),
    "ptir.compare": lambda op, a, b: COMPARES[op.op.data](a, b),
    "ptir.cast": lambda op, x: lax.convert_element_type(x, NUMPY[element(op.results[0])]),
    "ptir.stop_gradient": one(lax.stop_gradient),
    "ptir.bitcast": lambda op, x: lax.bitcast_convert_type(x, NUMPY[element(op.results[0])]),
    "ptir.reduce": reduce,
    "ptir.argmax": lambda op, x: lax.argmax(x, op.axis(), NUMPY[element(op.results[0])]).reshape(op.results[0].type.get_shape()),
    "ptir.top_k": top_k,
    "ptir.dot_general": dot_general,
    "ptir.reshape": lambda op, x: x.reshape(op.results[0].type.get_shape()),
    "ptir.transpose": lambda op, x: x.transpose(axes_of(op.perm, x.ndim)),
    "ptir.broadcast_to": lambda op, x: jnp.broadcast_to(x, op.results[0].type.get_shape()),
    "ptir.slice": lambda op, x: lax.slice(x, ints(op.starts), [s + n for s, n in zip(ints(op.starts), op.results[0].type.get_shape(), strict=True)]),
    "ptir.concat": lambda op, *xs: lax.concatenate(xs, op.axis()),
    "ptir.pad": lambda op, x: lax.pad(
        x, scalar_of(op.value, np.dtype(x.dtype)), list(zip(ints(op.low), ints(op.high), ints(op.interior), strict=True))
    ),
    "ptir.tile": lambda op, x: jnp.tile(x, ints(op.repeats)),
    "ptir.iota": lambda op: lax.broadcasted_iota(NUMPY[element(op.results[0])], op.results[0].type.get_shape(), op.axis()),
    "ptir.take": lambda op, x, at: jnp.take(x, at, axis=0),
    "ptir.gather": lambda op, x, at: jnp.take_along_axis(x, at, axis=op.axis()),
    "ptir.scatter_reduce": scatter_reduce,
    "ptir.dynamic_slice": lambda op, x, start: lax.dynamic_slice(x, list(start), op.results[0].type.get_shape()),
    "ptir.dynamic_update_slice": lambda op, x, update, start: lax.dynamic_update_slice(x, update, list(start)),
    "ptir.segment_reduce": segment_reduce,
    "ptir.reduce_window": reduce_window,
    "ptir.convolution": convolution,
    "ptir.layer_norm": layer_norm,
}  # fmt: skip
"""JAX functions for ops, which take the op and its operands."""

_INTEGERS_OF_POW = "lax.pow takes floats and complex numbers only"
_NO_CODE = "XLA's CPU backend has no code for it"
DIFFERENT: dict[tuple[str, str], str] = {
    ("ptir.abs", "si4"): "lax.abs takes no integers of four bits",
    **{("ptir.abs", f"ui{w}"): "lax.abs takes signed numbers only" for w in (4, 8, 16, 32, 64)},
    **{("ptir.pow", f"{p}i{w}"): _INTEGERS_OF_POW for p in "su" for w in (4, 8, 16, 32, 64)},
    **{
        ("ptir.pow", f"complex<f{w}>"): "XLA takes the power by way of polar coordinates in the type itself"
        for w in (32, 64)
    },
    **{("ptir.erfc", f): _NO_CODE for f in ("f8E4M3FN", "f8E5M2")},
}
"""Ops and element types for which JAX is no oracle, each with the reason."""


class Recorder:
    """Records the operands and results of each op of one name that runs."""

    def __init__(self, name: str):
        self.name, self.calls, self._open = name, [], []

    def will_interpret_op(self, op: Any, args: Any) -> None:
        self._open = args

    def did_interpret_op(self, op: Any, results: Any) -> None:
        if op.name == self.name:
            self.calls.append((op, self._open, results))


def calls(name: str, dtype: str) -> list[Any]:
    options = Options(frozenset({name}), (dtype,), functions=1, length=(1, 1), dynamic=0, max_elements=80, max_rank=3)
    case = generate(23, 0, options)
    machine, recorder = interpreter(case.module), Recorder(name)
    machine.listeners = (*machine.listeners, recorder)
    machine.call_op("f0", case.inputs["f0"])
    return recorder.calls


def near(got: Any, want: Any) -> None:
    assert got.dtype == want.dtype and got.shape == want.shape
    if got.dtype.kind in "biu" or got.dtype.name in ("int4", "uint4"):
        np.testing.assert_array_equal(got, want)
        return
    info = ml_dtypes.finfo(got.dtype) if got.dtype.kind != "c" else np.finfo(got.dtype)
    eps, tiny = float(info.eps), float(info.tiny)
    wide = np.complex128 if got.dtype.kind == "c" else np.float64
    a, b = got.astype(wide), want.astype(wide)
    with np.errstate(all="ignore"):
        # Which part is infinite is not specified.
        odd = ~np.isfinite(b) if got.dtype.kind == "c" else np.zeros(b.shape, bool)
        ok = odd | (a == b) | (np.abs(a - b) <= ULPS * eps * np.abs(b) + tiny) | (np.isnan(a) & np.isnan(b))
    assert ok.all(), f"{got[~ok][:3]} is not {want[~ok][:3]}"


HEAVY = ("ptir.convolution", "ptir.scatter_reduce", "ptir.segment_reduce", "ptir.reduce_window", "ptir.dot_general",
         "ptir.reduce", "ptir.argmax", "ptir.top_k", "ptir.gather", "ptir.take")  # fmt: skip
"""Ops that XLA compiles slowly. They are tested on some types of each kind only."""
SOME = ("i1", "si4", "ui8", "si32", "ui64", "f8E4M3FN", "bf16", "f32", "f64", "complex<f32>")
PAIRS = [(name, dtype) for name in TWINS for dtype in ROWS[name].dtypes
         if dtype not in SIGNLESS and (name not in HEAVY or dtype in SOME)]  # fmt: skip


@pytest.mark.sampled(63)
@pytest.mark.parametrize("name", TWINS)
def test_jax_says_the_same(name: str):
    wrong: list[str] = []
    for dtype in [d for n, d in PAIRS if n == name]:
        if (name, dtype) in DIFFERENT:
            continue
        for op, args, results in calls(name, dtype):
            try:
                want = TWINS[name](op, *map(jnp.asarray, args))
                for got, w in zip(results, want if isinstance(want, tuple) else (want,), strict=True):
                    near(np.asarray(got), np.asarray(w))
            except Exception as e:
                wrong.append(f"{name} {dtype}: {type(e).__name__} {str(e)[:700]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", sorted({n for n, _ in DIFFERENT}))
def test_where_jax_is_left_out_it_would_differ(name: str):
    """No row of `DIFFERENT` outlives its reason."""
    for dtype in [d for n, d in DIFFERENT if n == name]:
        with pytest.raises(Exception):  # noqa: B017
            for op, args, results in calls(name, dtype):
                near(np.asarray(results[0]), np.asarray(TWINS[name](op, *map(jnp.asarray, args))))
