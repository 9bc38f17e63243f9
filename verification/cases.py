"""
Cases: numbers for the symbols and arrays for the arguments, within the contract.

Sizes are 1, primes, and numbers beside tile sizes. Values are those of `semantics/samples.py`: small integers, normal numbers,
extremes with NaN and infinities, and numbers that nearly cancel. Extremes also have numbers beside the function's constants, and NaN or
an infinity at the last position of an axis. Arguments that an assumption bounds, and those that index, are drawn within their bounds;
a case that an assumption excludes is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from math import ceil, floor, inf, prod

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import BlockArgument, SSAValue

from ..dialects import intent
from ..dialects.intent import symbols
from ..dialects.intent.symbols import ASSUMPTION, Node, Undefined
from ..dialects.intent.types import type_of
from ..dialects.ptir.scalars import ScalarAttr
from ..errors import PtirError
from ..semantics.arrays.scalars import Array, DType, cast, dense_array, integer_range, is_float, numpy_dtype, widen
from ..semantics.intent import assumption_that_fails, concrete_shape
from ..semantics.samples import draw
from .report import Case

SIZES = (1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 32, 33)
LARGE = (129, 257)
"""Sizes beyond those of 8-bit counters."""
MAX_ELEMENTS = 1 << 13
"""Maximum number of elements of an argument or result of a case."""
ATTEMPTS = 300
ORDINARY = np.concatenate([np.arange(-16.0, 65.0), np.arange(-3.0, 3.0, 0.3)])
"""Values of which some satisfy most assumptions."""
SMALL_VALUES = (-1.0, 0.0, 1.0, 2.0)
MAX_EXHAUSTIVE = 256
"""Maximum number of arrays that are enumerated for one binding."""


class Cases:
    """
    The cases of one function. `fixed` are the numbers of symbols that do not vary, `tiles` are numbers beside which and beside whose
    multiples an implementation may be wrong.
    """

    def __init__(self, function: intent.FuncOp, seed: int, fixed: Mapping[str, int], tiles: Sequence[int] = ()):
        self.function = function
        self.seed = seed
        self.fixed = dict(fixed)
        self.names = function.symbols()
        self.bounds = _bounds(function)
        self.values = _values(function)
        self.about = _about_one(function)
        self.dropped = 0
        """The number of drawn cases that the contract excludes."""
        extra = {*constants(function), *tiles}
        near = [n + d for n in extra for d in (-1, 0, 1)] + [k * n for n in extra for k in (2, 3)]
        self.sizes = sorted({n for n in (*SIZES, *near) if 1 <= n <= 512})

    def binding(self, rng: np.random.Generator, sizes: Sequence[int]) -> dict[str, int] | None:
        """Draws numbers that the contract allows, or returns None."""
        for _ in range(ATTEMPTS):
            few = rng.choice(sizes, 3)
            drawn = {
                name: self.fixed.get(name, int(rng.choice(few if rng.integers(2) else sizes))) for name in self.names
            }
            if self.allows(drawn):
                return drawn
        return None

    def largest(self) -> Iterator[dict[str, int]]:
        """Yields for each symbol the binding with the largest of the sizes that the contract allows, where others are small."""
        for name in (n for n in self.names if n not in self.fixed):
            for size, other in product(sorted({*self.sizes, *LARGE}, reverse=True), (2, 1, 3, 4)):
                binding = {**dict.fromkeys(self.names, other), **self.fixed, name: size}
                if self.allows(binding):
                    yield binding
                    break

    def constant(self, binding: Mapping[str, int]) -> Case | None:
        """Returns the case whose arrays are ones or the largest integers: sums in a type that is too narrow are wrong."""
        arrays: list[Array] = []
        for t in (type_of(arg) for arg in self.function.inputs):
            dtype = numpy_dtype(t.element_type)
            value = 1 if is_float(dtype) or dtype == np.bool_ else integer_range(dtype)[1]
            arrays.append(np.full(concrete_shape(t, binding), value, dtype))
        return self.case("constant", binding, arrays)

    def allows(self, binding: Mapping[str, int]) -> bool:
        """Whether all tensors have shapes, small enough, and the assumptions about symbols hold."""
        try:
            values = [*self.function.inputs, *(r for op in self.function.body.walk() for r in op.results)]
            shapes = [concrete_shape(type_of(v), binding) for v in values]
        except PtirError:
            return False
        fits = all(prod(shape) <= MAX_ELEMENTS for shape in shapes)
        return fits and assumption_that_fails(self.function, None, binding) is None

    def case(self, kind: str, binding: Mapping[str, int], arrays: Sequence[Array]) -> Case | None:
        """
        Returns the case unless the contract excludes it. Bounded arguments are moved into their bounds, and elements that an assumption
        about one argument excludes are replaced by others.
        """
        bounded = [
            np.asarray(self._bounded(arg, np.asarray(a), binding))
            for arg, a in zip(self.function.inputs, arrays, strict=True)
        ]
        if assumption_that_fails(self.function, bounded, binding) is not None:
            bounded = [self._repaired(arg, a, binding) for arg, a in zip(self.function.inputs, bounded, strict=True)]
            if assumption_that_fails(self.function, bounded, binding) is not None:
                self.dropped += 1
                return None
        return Case(kind, dict(binding), tuple(bounded))

    def drawn(self, number: int, sizes: Sequence[int] | None = None) -> Case | None:
        """Returns case `number`, whose kind of values is `KINDS[number % 4]`."""
        rng = np.random.default_rng([self.seed, number])
        binding = self.binding(rng, sizes or self.sizes)
        return None if binding is None else self.with_binding(number, binding)

    def with_binding(self, number: int, binding: Mapping[str, int]) -> Case | None:
        types = [type_of(arg) for arg in self.function.inputs]
        signature = [(concrete_shape(t, binding), numpy_dtype(t.element_type)) for t in types]
        for attempt in range(4):
            sample = draw(self.function.sym_name.data, signature, self.seed, number, attempt)
            arrays = sample.arrays
            if sample.kind == "boundary":
                rng = np.random.default_rng([self.seed, number, attempt])
                arrays = tuple(_with_extremes(a, self.values, rng) for a in arrays)
            if (case := self.case(sample.kind, binding, arrays)) is not None:
                return case
        return None

    def exhaustive(self) -> Iterator[Case]:
        """
        Yields the cases with sizes 1 and 2 for all symbols: every array of small values if there are at most `MAX_EXHAUSTIVE`, else
        a sample of them.
        """
        free = [name for name in self.names if name not in self.fixed]
        for k, numbers in enumerate(product((1, 2), repeat=min(len(free), 6))):
            binding = {**dict.fromkeys(self.names, 1), **dict(zip(free, numbers, strict=False)), **self.fixed}
            if not self.allows(binding):
                continue
            types = [type_of(arg) for arg in self.function.inputs]
            shapes = [concrete_shape(t, binding) for t in types]
            dtypes = [numpy_dtype(t.element_type) for t in types]
            total = sum(map(prod, shapes))
            for flat in _small_values(total, np.random.default_rng([self.seed, k])):
                parts = np.split(flat, np.cumsum([prod(s) for s in shapes])[:-1]) if shapes else []
                arrays = [
                    (part > 0).reshape(s) if d == np.bool_ else cast(part, d).reshape(s)
                    for part, s, d in zip(parts, shapes, dtypes, strict=True)
                ]
                if (case := self.case("exhaustive", binding, arrays)) is not None:
                    yield case

    def _repaired(self, arg: BlockArgument, array: Array, binding: Mapping[str, int]) -> Array:
        """Replaces elements that violate an assumption about this argument alone by elements that do not, if there are any."""
        nodes = self.about.get(arg.name_hint or "", ())

        def holds(values: Array) -> Array:
            known = {**binding, arg.name_hint or "": widen(values)}
            found = np.ones(values.shape, np.bool_)
            for node in nodes:
                with np.errstate(all="ignore"), suppress(Undefined):
                    found &= symbols.evaluate(node, known)
            return found

        kept = holds(array)
        if kept.all():
            return array
        if not kept.any():
            ordinary = cast(ORDINARY, array.dtype)
            if not (pool := ordinary[holds(ordinary)]).size:
                return array
        else:
            pool = array[kept]
        out = array.copy()
        out[~kept] = np.resize(pool, int(np.count_nonzero(~kept)))
        return out

    def _bounded(self, arg: BlockArgument, array: Array, binding: Mapping[str, int]) -> Array:
        low, high = -inf, inf
        for least, most in self.bounds.get(arg, ()):
            try:
                low = max(low, float(symbols.evaluate(least, binding)))
                high = min(high, float(symbols.evaluate(most, binding)))
            except (Undefined, KeyError):
                continue
        if (low, high) == (-inf, inf) or low > high:
            return array
        if is_float(array.dtype):
            low, high = _inner(low, array.dtype, inf), _inner(high, array.dtype, -inf)
            wide = array.astype(np.float64)
            wide = np.where(np.isfinite(wide), wide, 0.0)
            outside = (wide < low) | (wide > high)
            if np.isfinite([low, high]).all():
                folded = low + np.abs(wide) % (high - low) if high > low else np.full_like(wide, low)
            else:
                folded = low + np.abs(wide) if np.isfinite(low) else high - np.abs(wide)
            return cast(np.where(outside | ~np.isfinite(array.astype(np.float64)), folded, wide), array.dtype)
        if array.dtype == np.bool_ or not np.isfinite([low, high]).all():
            moved = array if array.dtype == np.bool_ else np.clip(array, _whole(low, array), _whole(high, array))
            return moved.astype(array.dtype)
        first, count = ceil(low), floor(high) - ceil(low) + 1
        wide = array.astype(object) if array.dtype.itemsize == 8 else array.astype(np.int64)
        return (np.mod(wide - first, count) + first).astype(array.dtype)


def _inner(bound: float, dtype: DType, toward: float) -> float:
    """Returns the first number of a float type from a bound on toward an infinity."""
    with np.errstate(over="ignore"):
        number = cast(np.asarray(bound), dtype)
        outside = float(number) < bound if toward > 0 else float(number) > bound
        return float(np.nextafter(number, cast(np.asarray(toward), dtype))) if outside else float(number)


def _whole(bound: float, array: Array) -> int:
    info = np.iinfo(array.dtype)
    return int(min(max(bound, info.min), info.max))


def _small_values(count: int, rng: np.random.Generator) -> Iterator[Array]:
    if len(SMALL_VALUES) ** count <= MAX_EXHAUSTIVE:
        yield from (np.array(values) for values in product(SMALL_VALUES, repeat=count))
    else:
        for _ in range(8):
            yield rng.choice(SMALL_VALUES, count)


def constants(function: intent.FuncOp) -> list[int]:
    """Returns the integers of assumptions, constants and the schedule: sizes beside them are likely to show errors."""
    found: set[int] = set()

    def visit(node: Node) -> None:
        if isinstance(node, int) and not isinstance(node, bool) and node > 1:
            found.add(node)
        elif isinstance(node, tuple):
            for part in node[1:]:
                visit(part)

    for text in function.assumptions:
        visit(symbols.parse(text, ASSUMPTION))
    for value in () if function.schedule is None else function.schedule.data.values():
        if isinstance(value, IntegerAttr):
            found.add(value.value.data)
    for op in function.body.walk():
        if isinstance(op, intent.ConstOp) and isinstance(op.value, ScalarAttr) and op.value.dtype == i64:
            visit(dense_array(op.value.dense).item())
        elif isinstance(op, intent.WarpOp):
            found.add(128)  # positions are signed bytes
    return sorted(n for n in found if n <= 256)


def _values(function: intent.FuncOp) -> Array:
    """Returns numbers on both sides of the function's constants, and of their negatives."""
    found = [
        float(dense_array(op.value.dense).item())
        for op in function.body.walk()
        if isinstance(op, intent.ConstOp) and isinstance(op.value, ScalarAttr)
    ]
    return np.array([sign * factor * c for c in found if c for sign in (1, -1) for factor in (1, 0.5, 1.5)])


def _with_extremes(array: Array, values: Array, rng: np.random.Generator) -> Array:
    """Returns the array with some of its elements near the constants, or with NaN or an infinity in the last row of an axis."""
    if not is_float(array.dtype) or not array.size:
        return array
    wide = array.astype(np.float64)
    if values.size and rng.integers(2):
        wide = np.where(rng.integers(0, 3, wide.shape) == 0, rng.choice(values, wide.shape), wide)
    elif array.ndim:
        last = np.moveaxis(wide, int(rng.integers(array.ndim)), 0)[-1:]
        last[...] = np.where(rng.integers(0, 2, last.shape) == 0, rng.choice([np.nan, np.inf, -np.inf]), last)
    return cast(wide, array.dtype)


def _bounds(function: intent.FuncOp) -> dict[BlockArgument, list[tuple[Node, Node]]]:
    """Returns the bounds of arguments: those of assumptions, and of indices the sizes that they index."""
    found: dict[BlockArgument, list[tuple[Node, Node]]] = {}
    named = {arg.name_hint: arg for arg in function.inputs}
    for text in function.assumptions:
        for name, low, high, strict in _comparisons(symbols.parse(text, ASSUMPTION)):
            if name in named:
                step = 1e-3 if is_float(numpy_dtype(type_of(named[name]).element_type)) else 1
                inner = (("+", low, step), ("-", high, step)) if strict else (low, high)
                found.setdefault(named[name], []).append(inner)
    for op in function.body.walk():
        if isinstance(op, intent.GatherOp):
            for index, size in zip(op.indices, type_of(op.data).sizes, strict=True):
                if (arg := _source(index)) is not None:
                    found.setdefault(arg, []).append((0, ("-", size, 1)))
        elif isinstance(op, intent.CorrelationOp) and (arg := _source(op.shift)) is not None:
            found.setdefault(arg, []).append((0, 31))
    return found


def _about_one(function: intent.FuncOp) -> dict[str, list[Node]]:
    """Returns the assumptions about the elements of one argument, by its name."""
    names = {arg.name_hint for arg in function.inputs}
    found: dict[str, list[Node]] = {}
    for text in function.assumptions:
        node = symbols.parse(text, ASSUMPTION)
        if len(about := {n for n in symbols.symbols(node) if n in names}) == 1:
            found.setdefault(about.pop(), []).append(node)
    return found


def _source(value: SSAValue) -> BlockArgument | None:
    """Returns the argument whose elements `value` has, if movements and casts alone lead there."""
    while isinstance(owner := value.owner, intent.IntentOp):
        moves = isinstance(owner, intent.CastOp | intent.TransposeOp | intent.ReshapeOp | intent.BroadcastInDimOp) or (
            isinstance(owner, intent.UnaryOp) and owner.fn.data in ("identity", "layout_cast")
        )
        if not moves:
            return None
        value = owner.operands[0]
    return value if isinstance(value, BlockArgument) else None


def _comparisons(node: Node) -> Iterator[tuple[str, Node, Node, bool]]:
    """
    Yields names with the bounds that an assumption, or a part of a conjunction, gives them, and whether these are excluded
    themselves.
    """
    if not isinstance(node, tuple):
        return
    match node:
        case ("and", *parts):
            for part in parts:
                yield from _comparisons(part)
        case ("finite", str(name)):
            yield name, -3e38, 3e38, False
        case (("<=" | "<") as op, a, b) | ((">=" | ">") as op, b, a):
            if isinstance(b, str):
                yield b, a, inf, len(op) == 1
            if isinstance(a, str):
                yield a, -inf, b, len(op) == 1
        case ("==", a, b):
            for name, value in ((a, b), (b, a)):
                if isinstance(name, str):
                    yield name, value, value, False
        case _:
            return
