"""
Infers the types of results, which a program may omit.

The functions return None for an op that is invalid with any result type; the verifier reports it. Spec:
`tensor-compiler.ja §1.3`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BFloat16Type, Float16Type, f32, i1
from xdsl.ir import Attribute

from ....dialects import tiny
from ....dialects.common.shapes import FLOAT8, is_complex, is_predicate, widens_exactly
from ....dialects.ptir.domains import is_float, is_integer
from ....dialects.ptir.movement import padded
from ....dialects.tiny.elementwise import joint_sizes
from ....errors import NotBroadcastable
from ....text.known_sizes import Size

Sizes = Sequence[Size]


def permuted_sizes(x: Sizes, perm: Sequence[int]) -> Sizes | None:
    rank = len(x)
    axes = [p + rank if p < 0 else p for p in perm]
    return [x[a] for a in axes] if sorted(axes) == list(range(rank)) else None


def padded_sizes(x: Sizes, low: Sequence[int], high: Sequence[int]) -> Sizes | None:
    if len(low) != len(x) or len(high) != len(x) or min([*low, *high], default=0) < 0:
        return None
    return padded(x, low, high, [0] * len(x))


def broadcast_sizes(shapes: Sequence[Sizes]) -> Sizes | None:
    try:
        return joint_sizes(None, shapes)
    except NotBroadcastable:
        return None


def reduced_sizes(x: Sizes, axes: Sequence[int]) -> Sizes | None:
    rank = len(x)
    if any(not -rank <= axis < rank for axis in axes):
        return None
    reduced = {axis % rank for axis in axes}
    return [size for axis, size in enumerate(x) if axis not in reduced]


def binary_result_dtype(fn: str, dtype: Attribute) -> Attribute:
    return i1 if fn in tiny.COMPARISONS else dtype


def default_accumulator(fn: str, dtype: Attribute, out: Attribute) -> Attribute:
    """
    Returns the accumulator type of a reduction that does not declare one: the contract's default, f32 for sums of narrower
    floats and the element type otherwise, or the result type `out` if it holds every value of the default. Contract:
    *Accumulator/output dtype policy*.
    """
    narrow = isinstance(dtype, (Float16Type, BFloat16Type, *FLOAT8))
    default = f32 if fn == "sum" and narrow else dtype
    return out if widens_exactly(default, out) else default


def same_kind(a: Attribute, b: Attribute) -> bool:
    """Returns whether a reduction that accumulates in one of these types may have a result of the other."""
    return any(holds(a) and holds(b) for holds in (is_integer, is_float, is_complex, is_predicate))
