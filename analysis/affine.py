"""
Quasi-affine maps between index spaces: the few isl operations that the compiler composes.

A *map* is an `isl.MultiAff` from the axes of one space to those of another; a *box* is the set
`0 <= i_k < size_k`. All maps live in one context, so they may be combined freely; no operation changes its
operands, so that what was read once is shared. isl objects that are equal may hash differently: use `text` as a
key or an attribute, never the object (`docs`: facts on isl).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

import islpy as isl

CONTEXT = isl.Context()


def names(rank: int) -> list[str]:
    """`i0, i1, …`: the axis names of IndexBook (tensor-compiler.ja §1.3, invariant 2)."""
    return [f"i{k}" for k in range(rank)]


def make_map(rank: int, exprs: Sequence[str]) -> isl.MultiAff:
    """The map from `i0 … i{rank-1}` to the given expressions."""
    return read_map(f"{{ [{', '.join(names(rank))}] -> [{', '.join(exprs)}] }}")


@lru_cache(maxsize=1024)
def read_map(source: str) -> isl.MultiAff:
    """Reads isl's text; raises `isl.Error` if it is not one quasi-affine expression per output axis."""
    return isl.MultiAff.read_from_str(CONTEXT, source)


def identity(rank: int) -> isl.MultiAff:
    return make_map(rank, names(rank))


def box(sizes: Sequence[int]) -> isl.Set:
    """`0 <= i_k < sizes[k]`."""
    return _box(tuple(sizes))


@lru_cache(maxsize=1024)
def _box(sizes: tuple[int, ...]) -> isl.Set:
    axes = names(len(sizes))
    bounds = " and ".join(f"0 <= {a} < {s}" for a, s in zip(axes, sizes, strict=True))
    return isl.Set.read_from_str(CONTEXT, f"{{ [{', '.join(axes)}] : {bounds or 'true'} }}")


def compose(outer: isl.MultiAff, inner: isl.MultiAff, sizes: Sequence[int]) -> isl.MultiAff:
    """`outer(inner(i))`, simplified on the box of `sizes` that `inner` starts from."""
    return simplify(outer.pullback_multi_aff(inner), sizes)


def simplify(m: isl.MultiAff, sizes: Sequence[int]) -> isl.MultiAff:
    """
    The same map on the box of `sizes`, in isl's preferred form. `gist` alone keeps nested divisions as they were
    written (`floor((2i0 + i1)/4)` with `i1` below 2); the way through the relation finds `floor(i0/2)`.
    """
    domain = box(sizes)
    plain = m.gist(domain)
    if all(plain.get_at(k).dim(isl.dim_type.div) == 0 for k in range(plain.dim(isl.dim_type.out))):
        return plain
    return _only_piece(plain.as_map().intersect_domain(domain), domain) or plain


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


def row_major(sizes: Sequence[int]) -> list[int]:
    """Strides in elements of a dense row-major array."""
    return [prod(sizes[k + 1 :]) for k in range(len(sizes))]


def uses_axis(m: isl.MultiAff, axis: int) -> bool:
    """Whether the map's value depends on input axis `axis`."""
    return any(m.get_at(k).involves_dims(isl.dim_type.in_, axis, 1) for k in range(m.dim(isl.dim_type.out)))


def inverse(m: isl.MultiAff, sizes: Sequence[int], onto: Sequence[int]) -> isl.MultiAff | None:
    """
    The map back from the box `onto` to the box `sizes` if `m` is one-to-one between them and its inverse is
    one quasi-affine piece; otherwise None.
    """
    forward = m.as_map().intersect_domain(box(sizes))
    if not forward.is_injective() or not forward.range().is_equal(box(onto)):
        return None
    return _only_piece(forward.reverse(), box(onto))


def reshape_map(target: Sequence[int], source: Sequence[int]) -> isl.MultiAff:
    """
    Target axes to source axes of a row-major reshape: linearise, then divide by the source's sizes
    (tensor-compiler.ja §3.2). Done per group of axes whose sizes multiply to the same number, so that the
    expressions stay small.
    """
    if 0 in target or 0 in source:  # no elements, so any map will do
        return make_map(len(target), ["0"] * len(source))
    exprs: list[str] = []
    for outs, ins in factor_groups(target, source):
        strides = row_major([target[k] for k in outs])
        linear = " + ".join(f"{stride}*i{k}" for k, stride in zip(outs, strides, strict=True)) or "0"
        steps = row_major([source[k] for k in ins])
        for position, (k, step) in enumerate(zip(ins, steps, strict=True)):
            quotient = f"floor(({linear})/{step})"
            exprs.append(
                quotient if position == 0 else f"{quotient} - {source[k]}*floor(({linear})/{step * source[k]})"
            )
    return make_map(len(target), exprs).gist(box(target))


def factor_groups(target: Sequence[int], source: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """Splits both shapes into the shortest runs of axes with equal products; 1s go with their neighbours."""
    if 0 in target or 0 in source:
        return [(list(range(len(target))), list(range(len(source))))]
    groups: list[tuple[list[int], list[int]]] = []
    t = s = 0
    while t < len(target) or s < len(source):
        outs: list[int] = []
        ins: list[int] = []
        left = right = 1
        while not (outs or ins) or left != right:
            if left <= right and t < len(target):
                outs.append(t)
                left *= target[t]
                t += 1
            else:
                ins.append(s)
                right *= source[s]
                s += 1
        groups.append((outs, ins))
    return groups
