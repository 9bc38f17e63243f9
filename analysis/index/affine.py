"""
Quasi-affine maps between index spaces: the few isl operations that the compiler composes.

A *map* is an `isl.MultiAff` from the axes of one space to those of another; a *box* is the set
`0 <= i_k < size_k`. All maps live in one context, so they may be combined freely; no operation changes its
operands, so that what was read once is shared. isl objects that are equal may hash differently: use `text` as a
key or an attribute, never the object (`docs`: facts on isl).
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import lru_cache, reduce
from math import prod

import islpy as isl

from ..errors import TooComplex
from .divisions import reduce_divisions
from .isl_text import Symbol, bounds, names, parameters
from .linearize import reshaped
from .linearize import row_major as row_major

CONTEXT = isl.Context()


OPERATIONS = 500_000
"""What isl may do for one answer: some seconds."""

DIVISIONS = 20
"""In one index of a composed map. They nest, so that what is written grows with their power."""
COMPOSITION = "the composition of the index maps"


@contextmanager
def quota(operations: int = OPERATIONS, what: str = "the index arithmetic") -> Generator[None]:
    """
    Bounds what isl does inside, and raises `TooComplex` where it would do more. Inside another quota that one counts.
    """
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


def _is_spent() -> bool:
    """Whether isl refuses to go on; what it says of an error depends on where it stopped."""
    try:
        isl.Set.read_from_str(CONTEXT, "{ [i] : 0 <= i < 2 }")
    except isl.Error:
        return True
    return False


def make_map(rank: int, exprs: Sequence[str], symbols: Iterable[Symbol] = ()) -> isl.MultiAff:
    """The map from `i0 … i{rank-1}` to the given expressions, in which `symbols` may occur as `isl_text` spells them."""
    return read_map(f"{parameters(symbols)}{{ [{', '.join(names(rank))}] -> [{', '.join(exprs)}] }}")


@lru_cache(maxsize=1024)
def read_map(source: str) -> isl.MultiAff:
    """Reads isl's text; raises `isl.Error` if it is not one quasi-affine expression per output axis."""
    return isl.MultiAff.read_from_str(CONTEXT, source)


def identity(rank: int) -> isl.MultiAff:
    return make_map(rank, names(rank))


def box(sizes: Sequence[Symbol]) -> isl.Set:
    """`0 <= i_k < sizes[k]`."""
    return make_set(sizes, bounds(sizes))


def make_set(sizes: Sequence[Symbol], constraints: Sequence[str], symbols: Iterable[Symbol] | None = None) -> isl.Set:
    """The points of `i0, i1, …` that meet all constraints, in which `symbols` may occur, or names among `sizes`."""
    points = f"[{', '.join(names(len(sizes)))}] : {' and '.join(constraints) or 'true'}"
    return _read_set(f"{parameters(sizes if symbols is None else symbols)}{{ {points} }}")


def parameter_set(symbols: Iterable[Symbol], constraints: Sequence[str]) -> isl.Set:
    """What is demanded of sizes that are names."""
    return _read_set(f"{parameters(symbols)}{{ : {' and '.join(constraints)} }}")


def condition(s: isl.Set) -> str:
    """What isl prints of a set, with the axes that it prints as `[i0 = 3, i1]` among the conditions."""
    axes, colon, rest = str(s).partition("{")[2].rpartition("}")[0].partition(" : ")
    equated = [axis for axis in axes.strip(" []").split(", ") if " = " in axis]
    return " and ".join([*equated, *[rest.strip()] * bool(colon and rest.strip() not in ("", "true"))]) or "true"


@lru_cache(maxsize=1024)
def _read_set(source: str) -> isl.Set:
    return isl.Set.read_from_str(CONTEXT, source)


def pieces(s: isl.Set) -> list[str]:
    """The conditions of its convex parts, which do not overlap."""
    found: list[isl.BasicSet] = []
    s.make_disjoint().coalesce().foreach_basic_set(found.append)
    return sorted(condition(piece.to_set()) for piece in found)


def compose(outer: isl.MultiAff, inner: isl.MultiAff, sizes: Sequence[Symbol]) -> isl.MultiAff:
    """`outer(inner(i))`, simplified on the box of `sizes` that `inner` starts from. Raises `TooComplex`."""
    with quota(what=COMPOSITION):
        both = outer.pullback_multi_aff(inner)
        if any(both.get_at(k).dim(isl.dim_type.div) > DIVISIONS for k in range(both.dim(isl.dim_type.out))):
            raise TooComplex(what=COMPOSITION, bound=f"{DIVISIONS} divisions in one index")
        return simplify(both, sizes)


def simplify(m: isl.MultiAff, sizes: Sequence[Symbol]) -> isl.MultiAff:
    """The same map on the box of `sizes`, with fewer divisions where there is a way and axes of size 1 at 0."""
    return reduce_divisions(m, sizes) if 1 in sizes or has_divisions(m) else m


def simplify_guard(guards: Sequence[isl.Set], sizes: Sequence[Symbol]) -> isl.Set | None:
    """What the guards demand together beyond the box of `sizes`; None if that is nothing."""
    domain, out = box(sizes), reduce(isl.Set.intersect, guards)
    out = out.gist(domain).coalesce().remove_redundancies()
    return None if domain.is_subset(out) else out


def has_divisions(m: isl.MultiAff) -> bool:
    return any(m.get_at(k).dim(isl.dim_type.div) for k in range(m.dim(isl.dim_type.out)))


def _only_piece(relation: isl.Map, domain: isl.Set) -> isl.MultiAff | None:
    """A single-valued relation on `domain` as one quasi-affine piece, if isl finds one."""
    pieces: list[isl.MultiAff] = []
    relation.as_pw_multi_aff().gist(domain).foreach_piece(lambda _domain, piece: pieces.append(piece))
    return pieces[0] if len(pieces) == 1 else None


def text(m: isl.MultiAff) -> str:
    """isl's canonical text of a map: equal text, equal map."""
    return str(m)


def same(a: isl.MultiAff, b: isl.MultiAff) -> bool:
    return bool(a.plain_is_equal(b))


def rank_in(m: isl.MultiAff) -> int:
    return m.dim(isl.dim_type.in_)


def uses_axis(m: isl.MultiAff, axis: int) -> bool:
    """Whether the map's value depends on input axis `axis`."""
    return any(m.get_at(k).involves_dims(isl.dim_type.in_, axis, 1) for k in range(m.dim(isl.dim_type.out)))


def inverse(m: isl.MultiAff, sizes: Sequence[int], onto: Sequence[int]) -> isl.MultiAff | None:
    """
    The map back from the box `onto` to the box `sizes` if `m` is one-to-one between them and its inverse is
    one quasi-affine piece; otherwise None. Raises `TooComplex`.
    """
    if prod(sizes) != prod(onto):
        return None
    with quota(what="the inverse of an index map"):
        inside = box(sizes).is_subset(box(onto).preimage_multi_aff(m))
        forward = m.as_map().intersect_domain(box(sizes))
        if not inside or not forward.is_injective():  # of as many points, so that every point of `onto` is met
            return None
        return _only_piece(forward.reverse(), box(onto))


def reshape_map(target: Sequence[int], source: Sequence[int]) -> isl.MultiAff:
    """Target axes to source axes of a row-major reshape."""
    exprs, _ = reshaped(target, source)
    return simplify(make_map(len(target), exprs), target)
