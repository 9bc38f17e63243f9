"""
Text of index expressions for isl: symbolic sizes, axes, and divisions without `%`.

A *symbol* is a size: a number, or the name of a parameter. A name that isl cannot read, or would misread, is mangled
into one that no other name has: `batch.size` is `p_batch_2esize`, `i0` is `p_i0`. An anonymous size is `?7`, with a
unique number, and is written `n7`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from ...dialects.common.shapes import index_names

if TYPE_CHECKING:
    import islpy as isl

Symbol = int | str
"""A size: a number or the name of a parameter."""

_PLAIN = re.compile(r"(?!p_|[ien]\d)[A-Za-z_][A-Za-z0-9_]*")
_WORDS = frozenset(
    re.findall(
        r"\w+", "exists and or implies not infty infinity nan min max rat true false ceild floord mod ceil floor"
    )
)
"""isl's keywords, in any case."""


@lru_cache(maxsize=4096)
def symbol(size: Symbol) -> str:
    """Returns a size in isl's syntax; different sizes have different texts."""
    if isinstance(size, int) or (_PLAIN.fullmatch(size) and size.lower() not in _WORDS):
        return str(size)
    if size.startswith("?"):
        return f"n{size[1:]}"
    return "p_" + re.sub(r"[^A-Za-z0-9]", lambda c: f"_{ord(c[0]):02x}", size)


def parameters(sizes: Iterable[Symbol]) -> str:
    """Returns the declaration of parameters before a set or a map, such as `[B, S] -> `; empty if all sizes are numbers."""
    found = sorted({symbol(s) for s in sizes if isinstance(s, str)})
    return f"[{', '.join(found)}] -> " if found else ""


def bounds(sizes: Sequence[Symbol]) -> list[str]:
    """Returns the bounds of each axis, such as `0 <= i0 < 4`."""
    return [f"0 <= i{k} < {symbol(s)}" for k, s in enumerate(sizes)]


def aff_text(aff: isl.Aff) -> str:
    """Returns the text of a quasi-affine expression with `floor` for every division; isl prints some of them as `mod`."""
    import islpy as isl

    scale = aff.get_denominator_val()
    terms: list[str] = []

    def term(factor: isl.Val, what: str) -> None:
        number = int(factor.mul(scale).to_python())
        if number:
            amount = what if abs(number) == 1 and what else f"{abs(number)}{'*' if what else ''}{what}"
            sign = ("-" if number < 0 else "") if not terms else (" - " if number < 0 else " + ")
            terms.append(sign + amount)

    for kind in (isl.dim_type.param, isl.dim_type.in_):
        for k in range(aff.dim(kind)):
            name = f"i{k}" if kind == isl.dim_type.in_ else aff.get_dim_name(kind, k) or ""
            term(aff.get_coefficient_val(kind, k), name)
    for k in range(aff.dim(isl.dim_type.div)):
        factor = aff.get_coefficient_val(isl.dim_type.div, k)
        if not factor.is_zero():
            term(factor, aff_text(aff.get_div(k)))
    term(aff.get_constant_val(), "")
    inner = "".join(terms) or "0"
    return inner if scale.is_one() else f"floor(({inner})/{scale})"


def map_text(m: isl.MultiAff) -> str:
    """Returns the text of a map, such as `[i0, i1] -> [floor((i0)/4), i0 - 4*floor((i0)/4)]`."""
    import islpy as isl

    rank, outs = m.dim(isl.dim_type.in_), m.dim(isl.dim_type.out)
    return f"[{', '.join(index_names(rank))}] -> [{', '.join(aff_text(m.get_at(k)) for k in range(outs))}]"


def divisions(m: isl.MultiAff) -> Iterator[tuple[isl.Aff, int]]:
    """Yields every `floor(E/q)` of a map once, as E and q; inner divisions first."""
    import islpy as isl

    seen: set[str] = set()

    def inside(aff: isl.Aff) -> Iterator[tuple[isl.Aff, int]]:
        for k in range(aff.dim(isl.dim_type.div)):
            if aff.get_coefficient_val(isl.dim_type.div, k).is_zero():
                continue
            div = aff.get_div(k)
            yield from inside(div)
            if (key := str(div)) not in seen:
                seen.add(key)
                q = div.get_denominator_val()
                yield div.scale_val(q), int(q.to_python())

    for k in range(m.dim(isl.dim_type.out)):
        yield from inside(m.get_at(k))


def division_guards(*maps: isl.MultiAff) -> tuple[str, ...]:
    """Returns `0 <= E - q*floor(E/q) < q` for every division of the maps (tensor-compiler.ja §3.2)."""
    guards: dict[str, None] = {}
    for m in maps:
        for numerator, q in divisions(m):
            guards[division_guard(aff_text(numerator), q)] = None
    return tuple(guards)


def division_guard(numerator: str, q: int) -> str:
    """Returns the condition that bounds the remainder of `numerator` divided by `q`."""
    return f"0 <= {numerator} - {q}*floor(({numerator})/{q}) < {q}"
