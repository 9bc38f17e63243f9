"""
Quasi-affine maps between index spaces: the isl operations that the compiler composes.

A *map* is an `isl.MultiAff` from the axes of one space to those of another; a *box* is the set `0 <= i_k < size_k`. All
maps live in one context and can be combined freely; no operation changes its operands. Equal isl objects may hash
differently: use `canonical_text` as a key or an attribute, never the object.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from math import prod

import islpy as isl

from ...dialects.common.shapes import index_names
from ..errors import TooComplex
from .divisions import reduce_divisions
from .isl_text import Symbol, bounds, parameters
from .linearize import reshape_indices
from .linearize import row_major_strides as row_major_strides

CONTEXT = isl.Context()


OPERATIONS = 500_000
"""Maximum number of isl operations for one query; they take a few seconds."""

DIVISIONS = 20
"""Maximum number of divisions in one index of a composed map. Divisions nest, so that the text grows exponentially."""

COMPOSITION = "the composition of the index maps"
"""Names, in the errors of `compose`, what is too complex."""


@contextmanager
def quota(operations: int = OPERATIONS, what: str = "the index arithmetic") -> Generator[None]:
    """Raises `TooComplex` if the `with` body needs more than `operations` isl operations. A nested quota has no effect."""
    if CONTEXT.get_max_operations():
        yield
        return
    CONTEXT.reset_operations()
    CONTEXT.set_max_operations(operations)
    try:
        yield
    except isl.Error as e:
        if not _is_spent():
            raise
        raise TooComplex(what=what, bound=f"{operations} operations of isl") from e
    finally:
        CONTEXT.set_max_operations(0)
        CONTEXT.reset_operations()


def reason(error: isl.Error) -> str:
    """Returns isl's message without the names of its functions and files."""
    return re.sub(r"^call to \w+ failed: | in \S+:\d+$", "", str(error))


def _is_spent() -> bool:
    """Whether isl's quota is used up. The error message of isl does not tell, because its text depends on where isl stopped."""
    try:
        isl.Set.read_from_str(CONTEXT, "{ [i] : 0 <= i < 2 }")
    except isl.Error:
        return True
    return False


def make_map(rank: int, exprs: Sequence[str], symbols: Iterable[Symbol] = ()) -> isl.MultiAff:
    """Returns the map from `i0 … i{rank-1}` to `exprs`, in which `symbols` are spelled as by `isl_text.symbol`."""
    return read_map(f"{parameters(symbols)}{{ [{', '.join(index_names(rank))}] -> [{', '.join(exprs)}] }}")


@lru_cache(maxsize=1024)
def read_map(source: str) -> isl.MultiAff:
    """Reads isl's text; raises `isl.Error` if it is not one quasi-affine expression per output axis."""
    return isl.MultiAff.read_from_str(CONTEXT, source)


@lru_cache(maxsize=64)
def identity(rank: int) -> isl.MultiAff:
    return make_map(rank, index_names(rank))


def box(sizes: Sequence[Symbol]) -> isl.Set:
    """Returns the set `0 <= i_k < sizes[k]`."""
    return make_set(sizes, bounds(sizes))


def universe(rank: int) -> isl.Set:
    """All points of a space of `rank` axes."""
    return read_set(f"{{ [{', '.join(index_names(rank))}] }}")


def make_set(sizes: Sequence[Symbol], constraints: Sequence[str], symbols: Iterable[Symbol] | None = None) -> isl.Set:
    """Returns the points `[i0, i1, …]` that satisfy all constraints. Its parameters are `symbols`, by default those of `sizes`."""
    points = f"[{', '.join(index_names(len(sizes)))}] : {' and '.join(constraints) or 'true'}"
    return read_set(f"{parameters(sizes if symbols is None else symbols)}{{ {points} }}")


def parameter_set(symbols: Iterable[Symbol], constraints: Sequence[str]) -> isl.Set:
    """Returns the parameter values that satisfy all constraints."""
    return read_set(f"{parameters(symbols)}{{ : {' and '.join(constraints)} }}")


def condition(s: isl.Set) -> str:
    """Returns the constraints of a set as isl's text, including the equality in a tuple that isl prints as `[i0 = 3, i1]`."""
    axes, colon, rest = str(s).partition("{")[2].rpartition("}")[0].partition(" : ")
    equated = [axis for axis in axes.strip(" []").split(", ") if " = " in axis]
    return " and ".join([*equated, *[rest.strip()] * bool(colon and rest.strip() not in ("", "true"))]) or "true"


@lru_cache(maxsize=1024)
def read_set(source: str) -> isl.Set:
    """Reads isl's text; raises `isl.Error` if it is not a set."""
    return isl.Set.read_from_str(CONTEXT, source)


def pieces(s: isl.Set) -> list[str]:
    """Splits a set into disjoint convex pieces, and returns the constraints of each as isl's text."""
    found: list[isl.BasicSet] = []
    s.make_disjoint().coalesce().foreach_basic_set(found.append)
    return sorted(condition(piece.to_set()) for piece in found)


def compose(outer: isl.MultiAff, inner: isl.MultiAff, sizes: Sequence[Symbol]) -> isl.MultiAff:
    """Returns `outer(inner(i))`, simplified on the box of `sizes`, which is the domain of `inner`. Raises `TooComplex`."""
    if outer.plain_is_equal(identity(input_rank(outer))):  # as for most elementwise ops
        return inner
    with quota(what=COMPOSITION):
        both = outer.pullback_multi_aff(inner)
        if any(both.get_at(k).dim(isl.dim_type.div) > DIVISIONS for k in range(both.dim(isl.dim_type.out))):
            raise TooComplex(what=COMPOSITION, bound=f"{DIVISIONS} divisions in one index")
        return simplify(both, sizes)


def simplify(m: isl.MultiAff, sizes: Sequence[Symbol]) -> isl.MultiAff:
    """Returns a map equal to `m` on the box of `sizes`, with fewer divisions where possible, and 0 for axes of size 1."""
    divides = any(m.get_at(k).dim(isl.dim_type.div) for k in range(m.dim(isl.dim_type.out)))
    return _simplified(_Keyed(canonical_text(m), m), tuple(sizes)) if divides or 1 in sizes else m


@dataclass(frozen=True)
class _Keyed:
    """A map that is compared by its text, so that it can be the key of a cache."""

    text: str
    map: isl.MultiAff = field(compare=False)


@lru_cache(maxsize=4096)
def _simplified(m: _Keyed, sizes: tuple[Symbol, ...]) -> isl.MultiAff:
    """Simplifies a map that divides. A program's kernels ask for the same maps again and again."""
    return reduce_divisions(m.map, sizes)


def simplify_guard(
    guards: Sequence[isl.Set], sizes: Sequence[Symbol], context: isl.Set | None = None
) -> isl.Set | None:
    """
    Returns the conjunction of `guards`, simplified on `context` (default: the box of `sizes`), or None if every point of
    `context` satisfies it.
    """
    domain, out = box(sizes) if context is None else context, reduce(isl.Set.intersect, guards)
    out = out.gist(domain).coalesce().remove_redundancies()
    return None if domain.is_subset(out) else out


def canonical_text(m: isl.MultiAff) -> str:
    """Returns isl's text of a map. Maps with equal text are equal."""
    return str(m)


def equal_on(sizes: Sequence[int], a: isl.MultiAff, b: isl.MultiAff) -> bool:
    """Whether two maps are equal on the box of `sizes`. Equal maps may differ in text: `simplify` has no normal form."""
    if canonical_text(a) == canonical_text(b):
        return True
    with quota(what="the comparison of two index maps"):
        return bool(a.as_map().intersect_domain(box(sizes)).is_equal(b.as_map().intersect_domain(box(sizes))))


def terms(index: isl.Aff) -> tuple[dict[int, int], int] | None:
    """Returns the nonzero coefficients of the axes and the constant; None if `index` has divisions or parameters."""
    if any(
        not index.get_coefficient_val(kind, k).is_zero()
        for kind in (isl.dim_type.div, isl.dim_type.param)
        for k in range(index.dim(kind))
    ):
        return None
    coefficients = [
        int(index.get_coefficient_val(isl.dim_type.in_, k).to_python()) for k in range(index.dim(isl.dim_type.in_))
    ]
    return {a: c for a, c in enumerate(coefficients) if c}, int(index.get_constant_val().to_python())


def input_rank(m: isl.MultiAff) -> int:
    return m.dim(isl.dim_type.in_)


def uses_axis(m: isl.MultiAff, axis: int) -> bool:
    """Whether an expression of the map contains input axis `axis`."""
    return any(m.get_at(k).involves_dims(isl.dim_type.in_, axis, 1) for k in range(m.dim(isl.dim_type.out)))


def inverse(m: isl.MultiAff, sizes: Sequence[int], onto: Sequence[int]) -> isl.MultiAff | None:
    """
    Returns the inverse of `m`, from the box `onto` to the box `sizes`, if `m` is one-to-one between them and its inverse
    is one quasi-affine piece; otherwise None. Raises `TooComplex`.
    """
    return _inverse(_Keyed(canonical_text(m), m), tuple(sizes), tuple(onto))


@lru_cache(maxsize=4096)
def _inverse(keyed: _Keyed, sizes: tuple[int, ...], onto: tuple[int, ...]) -> isl.MultiAff | None:
    m = keyed.map
    with quota(what="the inverse of an index map"):
        if not is_one_to_one(m, sizes, onto):
            return None
        backward = m.as_map().intersect_domain(box(sizes)).reverse().as_pw_multi_aff().gist(box(onto))
        pieces: list[isl.MultiAff] = []
        backward.foreach_piece(lambda _domain, piece: pieces.append(piece))
        return pieces[0] if len(pieces) == 1 else None


def is_one_to_one(m: isl.MultiAff, sizes: Sequence[int], onto: Sequence[int]) -> bool:
    """Whether `m` maps the box `sizes` to the box `onto` so that it reaches each point once. Raises `TooComplex`."""
    return prod(sizes) == prod(onto) and _is_one_to_one(_Keyed(canonical_text(m), m), tuple(sizes), tuple(onto))


@lru_cache(maxsize=4096)
def _is_one_to_one(keyed: _Keyed, sizes: tuple[int, ...], onto: tuple[int, ...]) -> bool:
    m = keyed.map
    with quota(what="the inverse of an index map"):
        inside = box(sizes).is_subset(box(onto).preimage_multi_aff(m))
        return inside and m.as_map().intersect_domain(box(sizes)).is_injective()  # equally many points: bijective


def reshape_map(target: Sequence[int], source: Sequence[int]) -> isl.MultiAff:
    """Returns the access map of a row-major reshape: from the axes of `target` to those of `source`."""
    return _reshape_map(tuple(target), tuple(source))


@lru_cache(maxsize=1024)
def _reshape_map(target: tuple[int, ...], source: tuple[int, ...]) -> isl.MultiAff:
    exprs, _ = reshape_indices(target, source)
    return simplify(make_map(len(target), exprs), target)
