"""
Hypothesis strategies for movement and indexing ops, with valid shapes, attributes and indices.

A `Case` has the arrays, the attributes by their names in the contract, and a function that builds the op. `run` builds the program,
with sizes that are numbers, names or `?`, verifies it, prints it in both forms, parses these, and interprets the results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import strategies as st
from xdsl.builder import Builder, InsertPoint
from xdsl.dialects.builtin import (
    BFloat16Type,
    ComplexType,
    Float8E4M3FNType,
    Float8E5M2Type,
    FunctionType,
    IntegerType,
    ModuleOp,
    Signedness,
    UnitAttr,
    f16,
    f32,
    f64,
    i1,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation
from xdsl.printer import Printer

import ptir
from ptir.dialects.ptir import movement
from ptir.dialects.ptir.dims import Size, tensor_type
from ptir.dialects.ptir.indexing import DynamicSliceOp, DynamicUpdateSliceOp, GatherOp, TakeOp
from ptir.dialects.ptir.scatter import ScatterAddOp, ScatterReduceOp, SegmentReduceOp

Array = np.ndarray[Any, Any]

DTYPES: dict[str, tuple[Attribute, Any]] = {
    "i1": (i1, np.bool_),
    **{
        f"{letter}i{width}": (
            IntegerType(width, Signedness.SIGNED if letter == "s" else Signedness.UNSIGNED),
            getattr(np, f"{'' if letter == 's' else 'u'}int{width}")
            if width > 4
            else (ml_dtypes.int4 if letter == "s" else ml_dtypes.uint4),
        )
        for width in (4, 8, 16, 32, 64)
        for letter in "su"
    },
    "f8E4M3FN": (Float8E4M3FNType(), ml_dtypes.float8_e4m3fn),
    "f8E5M2": (Float8E5M2Type(), ml_dtypes.float8_e5m2),
    "bf16": (BFloat16Type(), ml_dtypes.bfloat16),
    "f16": (f16, np.float16),
    "f32": (f32, np.float32),
    "f64": (f64, np.float64),
    "complex<f32>": (ComplexType(f32), np.complex64),
    "complex<f64>": (ComplexType(f64), np.complex128),
}
"""All element types, each with its attribute and its NumPy type."""
ATTRIBUTES = {np.dtype(n): a for a, n in DTYPES.values()}
INTEGERS = [name for name in DTYPES if "i" in name and name != "i1"]
FLOATS = [name for name in DTYPES if "f" in name and "<" not in name]
COMPLEX = ["complex<f32>", "complex<f64>"]
NUMBERS = [*INTEGERS, *FLOATS, *COMPLEX]
Sizer = Callable[[int], Size]


@dataclass(frozen=True)
class Case:
    arrays: tuple[Array, ...]
    build: Callable[..., Operation]
    """Builds the op from a function that maps extents to sizes of types, and from the operands."""
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])


# --- running ------------------------------------------------------------------------------------


def module_of(case: Case, spelling: str = "numbers", extensions: bool = False) -> ModuleOp:
    """Returns a verified module whose `@f` has one op. Sizes other than 0 and 1 are numbers, names (for equal sizes) or `?`."""
    extents = {n for a in case.arrays for n in a.shape}

    def of_operand(n: int) -> Size:
        return n if spelling == "numbers" else f"N{n}" if spelling == "names" and n > 1 else n if n == 1 else None

    def of_result(n: int) -> Size:
        return f"N{n}" if spelling == "names" and n in extents and n > 1 else n

    types = [tensor_type(ATTRIBUTES[a.dtype], [of_operand(n) for n in a.shape]) for a in case.arrays]
    module = ModuleOp([], {"ptir.extensions": UnitAttr()} if extensions else None)
    function = FuncOp("f", FunctionType.from_lists(types, []))
    block = function.body.block
    builder = Builder(InsertPoint.at_end(block))
    op = builder.insert(case.build(of_result, *block.args))
    builder.insert(ReturnOp(*op.results))
    function.update_function_type()
    module.body.block.add_op(function)
    module.verify()
    return module


def spelt(module: ModuleOp, *, generic: bool) -> str:
    out = StringIO()
    Printer(out, print_generic_format=generic).print_op(module)
    return out.getvalue()


def run(case: Case, spelling: str = "numbers", extensions: bool = False) -> Array:
    """Returns the op's result, after the module has been printed and parsed in both forms."""
    module = module_of(case, spelling, extensions)
    for generic in (False, True):
        text = spelt(module, generic=generic)
        assert ptir.parse(text).is_structurally_equivalent(module), text
    (result,) = ptir.reference(module, *case.arrays)
    return result


# --- pieces -------------------------------------------------------------------------------------


def array(shape: Sequence[int], dtype: str, seed: int) -> Array:
    """Returns values with arbitrary bits, including NaNs with payloads, infinities and subnormals."""
    rng, n = np.random.default_rng(seed), DTYPES[dtype][1]
    if dtype == "i1":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if dtype in ("si4", "ui4"):
        return rng.integers(*((-8, 8) if dtype == "si4" else (0, 16)), shape).astype(n)
    raw = np.frombuffer(rng.bytes(prod(shape) * np.dtype(n).itemsize), n)
    return raw.reshape(shape).copy()


def small(shape: Sequence[int], dtype: str, seed: int, most: int = 3) -> Array:
    """Returns small integers, whose short sums and products are exact in any type."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0 if dtype.startswith("u") else -most, most + 1, shape)
    if dtype in COMPLEX:
        return (values + 1j * rng.integers(-most, most + 1, shape)).astype(DTYPES[dtype][1])
    return values.astype(DTYPES[dtype][1])


seeds = st.integers(0, 2**32 - 1)
extents = st.sampled_from([0, 1, 1, 2, 2, 3, 4])


def shapes(least: int = 0, most: int = 5) -> st.SearchStrategy[list[int]]:
    """Draws shapes with at most 48 elements."""
    return st.lists(extents, min_size=least, max_size=most).filter(lambda s: prod(s) <= 48)


def axes(rank: int) -> st.SearchStrategy[int]:
    return st.integers(-rank, rank - 1)


@st.composite
def factored(draw: st.DrawFn, count: int, most: int = 5) -> list[int]:
    """Draws a shape with `count` elements."""
    if count == 0:
        rest = draw(st.lists(extents, max_size=most - 1))
        rest.insert(draw(st.integers(0, len(rest))), 0)
        return rest
    out: list[int] = []
    while len(out) < most - 1 and (count > 1 or draw(st.booleans())):
        out.append(draw(st.sampled_from([d for d in range(1, count + 1) if count % d == 0])))
        count //= out[-1]
    return [*out, count] if count > 1 else out


# --- movement -----------------------------------------------------------------------------------


@st.composite
def reshapes(draw: st.DrawFn, dtype: str) -> Case:
    x = array(draw(shapes()), dtype, draw(seeds))
    want = draw(factored(x.size))
    given = list(want)
    if want and draw(st.booleans()):
        at = draw(st.integers(0, len(want) - 1))
        if prod(want[:at] + want[at + 1 :]):
            given[at] = -1

    def build(size: Sizer, x: Any) -> Operation:
        return movement.ReshapeOp(x, [n if n == -1 else size(n) for n in given])

    return Case((x,), build, {"new_shape": want})


@st.composite
def transposes(draw: st.DrawFn, dtype: str) -> Case:
    x = array(draw(shapes()), dtype, draw(seeds))
    perm = [a - draw(st.sampled_from([0, x.ndim])) for a in draw(st.permutations(range(x.ndim)))]
    return Case((x,), lambda size, x: movement.TransposeOp(x, perm), {"perm": perm})


@st.composite
def broadcasts(draw: st.DrawFn, dtype: str) -> Case:
    want = draw(shapes())
    kept = want[draw(st.integers(0, len(want))) :]
    x = array([draw(st.sampled_from([n, 1])) for n in kept], dtype, draw(seeds))
    return Case((x,), lambda size, x: movement.BroadcastToOp(x, [size(n) for n in want]), {"result_shape": want})


@st.composite
def slices(draw: st.DrawFn, dtype: str) -> Case:
    x = array(draw(shapes()), dtype, draw(seeds))
    starts = [draw(st.integers(0, n)) for n in x.shape]
    sizes = [draw(st.integers(0, n - s)) for n, s in zip(x.shape, starts, strict=True)]
    return Case(
        (x,),
        lambda size, x: movement.SliceOp(x, starts, [size(n) for n in sizes]),
        {"starts": starts, "sizes": sizes},
    )


@st.composite
def concats(draw: st.DrawFn, dtype: str) -> Case:
    shape = draw(shapes(1))
    axis = draw(axes(len(shape)))
    parts = []
    for n in draw(st.lists(extents, min_size=1, max_size=4)):
        shape[axis] = n
        parts.append(array(shape, dtype, draw(seeds)))
    return Case(tuple(parts), lambda size, *xs: movement.ConcatOp(xs, axis), {"axis": axis})


@st.composite
def pads(draw: st.DrawFn, dtype: str) -> Case:
    x = array(draw(shapes()), dtype, draw(seeds))
    low, high, interior = ([draw(st.integers(0, 2)) for _ in x.shape] for _ in range(3))
    value = array((), dtype, draw(seeds))

    def build(size: Sizer, x: Any) -> Operation:
        return movement.PadOp(x, value.tobytes(), low, high, interior)

    return Case((x,), build, {"low": low, "high": high, "interior": interior, "pad_value": value})


@st.composite
def tiles(draw: st.DrawFn, dtype: str) -> Case:
    x = array(draw(shapes()), dtype, draw(seeds))
    repeats = [draw(st.integers(0, 2)) for _ in x.shape]
    return Case((x,), lambda size, x: movement.TileOp(x, repeats), {"repeats": repeats})


@st.composite
def iotas(draw: st.DrawFn, dtype: str) -> Case:
    shape = draw(shapes(1))
    axis = draw(axes(len(shape)))
    shape[axis] = draw(st.sampled_from([shape[axis], 20, 300]))
    return Case((), lambda size: movement.IotaOp(DTYPES[dtype][0], shape, axis), {"shape": shape, "axis": axis})


# --- indexing -----------------------------------------------------------------------------------


@st.composite
def indices(draw: st.DrawFn, shape: Sequence[int], extent: int) -> Array:
    """Draws indices below `extent`; if that is 0, `shape` must be empty."""
    rng = np.random.default_rng(draw(seeds))
    return rng.integers(0, max(extent, 1), shape).astype(draw(st.sampled_from([np.int32, np.int64])))


@st.composite
def takes(draw: st.DrawFn, dtype: str) -> Case:
    x = array(draw(shapes(1, 4)), dtype, draw(seeds))
    shape = draw(shapes(0, 3)) if x.shape[0] else [2, 0]
    return Case((x, draw(indices(shape, x.shape[0]))), lambda size, x, i: TakeOp(x, i))


@st.composite
def beside(draw: st.DrawFn, shape: Sequence[int]) -> tuple[int, list[int], Array]:
    """Draws an axis, and indices along it, whose shape differs only along that axis."""
    axis, other = draw(axes(len(shape))), list(shape)
    extent = shape[axis]
    other[axis] = draw(st.integers(0, 4)) if extent else 0
    return axis, other, draw(indices(other, extent))


@st.composite
def gathers(draw: st.DrawFn, dtype: str) -> Case:
    x = array(draw(shapes(1)), dtype, draw(seeds))
    axis, _, at = draw(beside(x.shape))
    return Case((x, at), lambda size, x, i: GatherOp(x, i, axis), {"axis": axis})


@st.composite
def dynamic_slices(draw: st.DrawFn, dtype: str) -> Case:
    x = array(draw(shapes()), dtype, draw(seeds))
    sizes = [draw(st.integers(0, n)) for n in x.shape]
    start = np.array([draw(st.integers(-3, n + 3)) for n in x.shape], draw(st.sampled_from([np.int32, np.int64])))
    return Case((x, start), lambda size, x, s: DynamicSliceOp(x, s, [size(n) for n in sizes]), {"sizes": sizes})


@st.composite
def dynamic_update_slices(draw: st.DrawFn, dtype: str) -> Case:
    case = draw(dynamic_slices(dtype))
    x, start = case.arrays
    update = array(case.attributes["sizes"], dtype, draw(seeds))
    return Case((x, update, start), lambda size, x, u, s: DynamicUpdateSliceOp(x, u, s))


@st.composite
def scatters(draw: st.DrawFn, kind: str, dtype: str) -> Case:
    fill = array if kind in ("max", "min", "replace") or dtype in INTEGERS else small
    x = fill(draw(shapes(1)), dtype, draw(seeds))
    axis, shape, at = draw(beside(x.shape))
    updates = fill(shape, dtype, draw(seeds))
    return Case(
        (x, at, updates),
        lambda size, x, i, u: ScatterReduceOp(kind, x, i, u, axis),
        {"axis": axis, "reduce": kind},
    )


@st.composite
def scatter_adds(draw: st.DrawFn, dtype: str) -> Case:
    fill = array if dtype in INTEGERS else small
    x = fill(draw(shapes(0, 4)), dtype, draw(seeds))
    inserted = [a for a in range(x.ndim) if x.shape[a] and draw(st.booleans())]
    window = {a: draw(st.integers(0, x.shape[a])) for a in range(x.ndim) if a not in inserted}
    scattered = draw(st.permutations(range(x.ndim)))[: draw(st.integers(0, x.ndim))]
    batch = draw(shapes(0, 2))
    starts = [draw(indices(batch, x.shape[a] - window.get(a, 1) + 1)) for a in scattered]
    vectors = np.stack(starts, -1) if starts else np.zeros([*batch, 0], np.int32)
    at: int | None = draw(st.integers(0, len(batch)))
    vectors = np.moveaxis(vectors, -1, at)
    if len(scattered) == 1 and draw(st.booleans()):
        vectors, at = starts[0], draw(st.sampled_from([None, len(batch)]))
    elif draw(st.booleans()):
        at -= len(batch) + 1
    places = sorted(draw(st.permutations(range(len(batch) + len(window))))[: len(window)])
    sizes, rest = iter(window.values()), iter(batch)
    updates = fill([next(sizes if a in places else rest) for a in range(len(batch) + len(window))], dtype, draw(seeds))
    attributes = {
        "update_window_dims": places,
        "inserted_window_dims": inserted,
        "scatter_dims_to_operand_dims": list(scattered),
        "index_vector_dim": at,
    }
    return Case((x, vectors, updates), lambda size, x, i, u: ScatterAddOp(x, i, u, *attributes.values()), attributes)


@st.composite
def segment_reduces(draw: st.DrawFn, kind: str, dtype: str) -> Case:
    fill = array if kind != "sum" or dtype in INTEGERS else small
    x = fill(draw(shapes(1, 4)), dtype, draw(seeds))
    count = draw(st.integers(1 if len(x) else 0, 5))
    ids = draw(indices(x.shape[:1], count))
    is_sorted, unique = draw(st.booleans()), draw(st.booleans()) and count >= len(x)
    if unique:
        ids = np.array(draw(st.permutations(range(count)))[: len(x)], ids.dtype)
    ids = np.sort(ids) if is_sorted else ids
    return Case(
        (x, ids),
        lambda size, x, i: SegmentReduceOp(kind, x, i, count, indices_are_sorted=is_sorted, unique=unique),
        {"kind": kind, "num_segments": count},
    )
