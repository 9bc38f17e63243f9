"""
The type that an op gives, from those that it reads: what a program may leave out.

A function gives None where the op is wrong, whatever its type; the verifier then says why. Spec: `tensor-compiler.ja
§1.3`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BFloat16Type, Float16Type, f32, i1
from xdsl.ir import Attribute

from ....dialects import tiny
from ....dialects.common.shapes import FLOAT8, is_predicate, widens_exactly
from ....dialects.ptir.domains import is_complex, is_float, is_integer
from ....dialects.ptir.movement import padded
from ....dialects.tiny.elementwise import joint_sizes
from ....errors import NotBroadcastable
from ....text.known_sizes import Size

Sizes = Sequence[Size]


def permuted(x: Sizes, perm: Sequence[int]) -> Sizes | None:
    rank = len(x)
    axes = [p + rank if p < 0 else p for p in perm]
    return [x[a] for a in axes] if sorted(axes) == list(range(rank)) else None


def grown(x: Sizes, low: Sequence[int], high: Sequence[int]) -> Sizes | None:
    """The sizes of a pad."""
    if len(low) != len(x) or len(high) != len(x) or min([*low, *high], default=0) < 0:
        return None
    return padded(x, low, high, [0] * len(x))


def joint(shapes: Sequence[Sizes]) -> Sizes | None:
    """The sizes of a broadcast."""
    try:
        return joint_sizes(None, shapes)
    except NotBroadcastable:
        return None


def folded(x: Sizes, axes: Sequence[int]) -> Sizes | None:
    rank = len(x)
    if any(not -rank <= axis < rank for axis in axes):
        return None
    gone = {axis % rank for axis in axes}
    return [size for axis, size in enumerate(x) if axis not in gone]


def compared(fn: str, dtype: Attribute) -> Attribute:
    """The element type of a binary op."""
    return i1 if fn in tiny.COMPARISONS else dtype


def accumulator(fn: str, dtype: Attribute, out: Attribute) -> Attribute:
    """
    What a fold rounds to where that is not said: the contract's default, f32 for sums of narrower floats and else the
    type of the elements; and the result's if that holds all of it. Contract: *Accumulator/output dtype policy*.
    """
    narrow = isinstance(dtype, (Float16Type, BFloat16Type, *FLOAT8))
    default = f32 if fn == "sum" and narrow else dtype
    return out if widens_exactly(default, out) else default


def are_of_one_kind(a: Attribute, b: Attribute) -> bool:
    """Whether a fold that rounds to one may give the other."""
    return any(holds(a) and holds(b) for holds in (is_integer, is_float, is_complex, is_predicate))
