"""Every elementwise function of tiny in kernels, on each element type that they support, is within the reference's bounds."""

from __future__ import annotations

from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

import ptir
from ptir.dialects.tiny.vocabulary import BINARIES, CHECKS, COMPARISONS, UNARIES, problem_with
from ptir.runtime.devices import Emulator
from ptir.semantics.bounds import bounds, check

from ..builders.elementwise import DTYPES, Op, program

pytestmark = pytest.mark.sampled(2)

ELSEWHERE = {"where", "cast", "bitcast", "tf32", *CHECKS}
"""Functions with other operands, which other tests cover."""
FLOATS = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, 7.25, 1e-3, -1e-5, 20.5, -20.5, 80, -87.5, 105615.0,
          np.inf, -np.inf, np.nan]  # fmt: skip


def element_type(dtype: str) -> Attribute:
    (f,) = ptir.parse(f"func.func private @f(tensor<1x{dtype}>)").ops
    return cast(TensorType[Attribute], cast(FuncOp, f).function_type.inputs.data[0]).element_type


def functions(dtype: str) -> list[Op]:
    """Returns an op for each function that is defined on a type."""
    t = element_type(dtype)
    integer = np.dtype(DTYPES[dtype]).kind in "iu"
    fns = [fn for fn in (*UNARIES, *BINARIES) if fn not in ELSEWHERE and not problem_with(fn, t)]
    ops: list[Op] = []
    for fn in fns:
        if integer and fn in ("div", "remainder"):
            continue  # a zero divisor is an error that kernels cannot report
        result = "i1" if fn in (*COMPARISONS, "is_finite") else dtype
        unary = fn in UNARIES
        op = f"tiny.unary {fn} %x : <{dtype}>" if unary else f"tiny.binary {fn} %x, %y : (<{dtype}>, <{dtype}>)"
        ops.append((f"{op} -> <{result}>", result))
    return ops


def values(dtype: str) -> Any:
    """Returns special and ordinary values of a type."""
    t = np.dtype(DTYPES[dtype])
    if t == np.bool_:
        return np.array([False, True])
    if t.kind in "iu":
        low, high = int(np.iinfo(t).min), int(np.iinfo(t).max)
        width = 8 * t.itemsize
        near = [
            low,
            low + 1,
            high,
            high - 1,
            0,
            1,
            2,
            3,
            7,
            width - 1,
            width,
            high // 3,
            *([-1, -2, -7] if low else []),
        ]
        return np.array(near, t)
    info = ml_dtypes.finfo(t)
    with np.errstate(all="ignore"):
        return np.array([*FLOATS, *map(float, (info.max, info.min, info.tiny, info.smallest_subnormal))]).astype(t)


@pytest.mark.parametrize("dtype", [t for t in DTYPES if t not in ("si8", "i16", "si32", "i64")])
def test_functions_are_within_the_bounds(dtype: str):
    x: Any
    y: Any
    x, y = (a.reshape(-1) for a in np.meshgrid(values(dtype), values(dtype), indexing="ij"))
    ops = functions(dtype)
    text = program({"x": dtype, "y": dtype}, ops, x.shape)
    results = ptir.compile(text, device=Emulator())(x, y)
    for (op, _), got, want in zip(ops, results, bounds(ptir.parse(text), "f", x, y), strict=True):
        report = check(got, want)
        at = report.worst_index
        assert report.ok, f"{op} of {x[at]} and {y[at]} is {got[at]}, between {want.lo[at]} and {want.hi[at]}"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_functions_in_the_epilogue_of_a_contraction(arch: str):
    """Each function of one operand, on the f32 accumulator and on its f16 rounding, in one kernel."""
    fns = [fn for fn in UNARIES if fn not in (*ELSEWHERE, "not", "is_finite", "log", "rsqrt", "recip", "log1p", "sqrt")]
    m, n, k = 65, 72, 40
    wide, narrow = f"tensor<{m}x{n}xf32>", f"tensor<{m}x{n}xf16>"
    body = [f"%a = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<{m}x{k}xf16>, "
            f"tensor<{k}x{n}xf16>) -> {wide}", f"%b = ptir.cast %a : {wide} -> {narrow}"]  # fmt: skip
    body += [f"%w{j} = tiny.unary {fn} %a : {wide} -> {wide}" for j, fn in enumerate(fns)]
    body += [f"%n{j} = tiny.unary {fn} %b : {narrow} -> {narrow}" for j, fn in enumerate(fns)]
    body += [f"%s{j + 1} = ptir.add %{'s' if j else 'w'}{j}, %w{j + 1} : {wide}" for j in range(len(fns) - 1)]
    body += [f"%t{j + 1} = ptir.add %{'t' if j else 'n'}{j}, %n{j + 1} : {narrow}" for j in range(len(fns) - 1)]
    last = len(fns) - 1
    text = "\n".join([
        f"func.func @f(%x: tensor<{m}x{k}xf16>, %w: tensor<{k}x{n}xf16>) -> ({wide}, {narrow}) {{", *body,
        f"func.return %s{last}, %t{last} : {wide}, {narrow}", "}"])  # fmt: skip
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-4, 5, size).astype(np.float16) / 16 for size in ((m, k), (k, n)))
    program = ptir.compile(text, arch=arch, device=Emulator())
    assert program.cuda.count("__global__") == 1
    for got, want in zip(program(x, w), bounds(ptir.parse(text), "f", x, w), strict=True):
        assert check(got, want).ok
