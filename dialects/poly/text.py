"""
Parses isl's text in the attributes of `poly`: sets, maps and their axes.

isl is imported when the first text is parsed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from xdsl.irdl import IRDLOperation

from ...errors import InvalidAttributeValue
from ..common.checks import check_attribute, check_rank
from ..common.shapes import index_names


@dataclass(frozen=True)
class ParsedText:
    """A parsed set or map: the names of its (input) axes, and for a map the number of output axes."""

    axes: tuple[str | None, ...]
    outputs: int = 0
    whole: bool = True
    """Whether all outputs of a map are integers. Fractions are rejected, since every reader would round them differently."""


@lru_cache(maxsize=4096)
def read_set(source: str) -> ParsedText | None:
    """Parses a set of integer tuples of equal length; returns None for any other text."""
    import islpy as isl

    try:
        points = isl.Set.read_from_str(isl.DEFAULT_CONTEXT, source)
    except isl.Error:
        return None
    if _has_arrow(source) or points.get_tuple_name() or points.is_params():
        return None
    kind = isl.dim_type.set
    return ParsedText(tuple(points.get_dim_name(kind, k) for k in range(points.dim(kind))))


@lru_cache(maxsize=4096)
def read_map(source: str) -> ParsedText | None:
    """Parses a map with one quasi-affine expression for each output; returns None for any other text."""
    import islpy as isl

    try:
        m = isl.MultiAff.read_from_str(isl.DEFAULT_CONTEXT, source)
    except isl.Error:
        return None
    whole = all(m.get_at(k).get_denominator_val().is_one() for k in range(m.dim(isl.dim_type.out)))
    parsed = read_relation(source)
    return parsed and replace(parsed, whole=whole)


@lru_cache(maxsize=4096)
def read_relation(source: str) -> ParsedText | None:
    """Parses a relation between two spaces of integer tuples; returns None for any other text."""
    import islpy as isl

    try:
        pairs = isl.Map.read_from_str(isl.DEFAULT_CONTEXT, source)
    except isl.Error:
        return None
    if not _has_arrow(source) or pairs.get_tuple_name(isl.dim_type.in_) or pairs.get_tuple_name(isl.dim_type.out):
        return None
    kind = isl.dim_type.in_
    return ParsedText(tuple(pairs.get_dim_name(kind, k) for k in range(pairs.dim(kind))), pairs.dim(isl.dim_type.out))


def _has_arrow(source: str) -> bool:
    """Whether the text in the braces is a relation. (isl also reads a set as a relation without inputs, and vice versa.)"""
    return "->" in source.partition("{")[2]


def require_set(op: IRDLOperation, name: str, source: str, rank: int | None = None) -> ParsedText:
    """Parses a set with axes `i0, i1, …`. Raises `InvalidAttributeValue` for the attribute `name` of `op` otherwise."""
    if (parsed := read_set(source)) is None:
        help = "for example { [i0, i1] : 0 <= i0 < 4 and 0 <= i1 < 8 }"
        raise InvalidAttributeValue(op, name=name, problem=f"is not a set in isl's syntax: {source}", help=help)
    _require_names(op, name, parsed, rank)
    return parsed


def require_map(op: IRDLOperation, name: str, source: str, rank: int) -> ParsedText:
    """Parses a map from axes `i0, i1, …`. Raises `InvalidAttributeValue` for the attribute `name` of `op` otherwise."""
    if (parsed := read_map(source)) is None:
        help = "for example { [i0, i1] -> [i1, floor(i0/2)] }"
        raise InvalidAttributeValue(op, name=name, problem=f"is not a map in isl's syntax: {source}", help=help)
    check_attribute(op, parsed.whole, name, f"has fractions: {source}", "divide with floor")
    _require_names(op, name, parsed, rank)
    return parsed


def _require_names(op: IRDLOperation, name: str, parsed: ParsedText, rank: int | None) -> None:
    check_rank(op, f"'{name}'", len(parsed.axes), len(parsed.axes) if rank is None else rank)
    given = ", ".join(axis or "an expression" for axis in parsed.axes)
    named = list(parsed.axes) == index_names(len(parsed.axes))
    check_attribute(op, named, name, f"names its axes {given}", "they are i0, i1, …")
