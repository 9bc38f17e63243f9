"""
Static arithmetic on sizes that may be names or `?`: sums, products and counts of elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from .dims import Size


def plus(a: Size, b: Size) -> Size:
    """Returns the sum, or None if it is not known."""
    if a == 0 or b == 0:
        return b if a == 0 else a
    return a + b if isinstance(a, int) and isinstance(b, int) else None


def inferred(whole: Sequence[Size], others: Sequence[Size]) -> Size:
    """Returns the size whose product with `others` is the product of `whole`; None if it is not known statically."""
    (left, names), (right, more) = _cancelled(whole, others)
    if not more and not names and right and left % right == 0:
        return left // right
    return names[0] if not more and len(names) == 1 and left == right else None


def may_hold_as_many(a: Sequence[Size], b: Sequence[Size]) -> bool:
    """Whether two shapes may have equal numbers of elements. Names that occur in both are assumed not to be 0."""
    (left, more_left), (right, more_right) = _cancelled(a, b)
    if more_left and more_right:
        return True
    if more_left or more_right:
        known, factor = (right, left) if more_left else (left, right)
        return known % factor == 0 if factor else known == 0
    return left == right


def _cancelled(a: Sequence[Size], b: Sequence[Size]) -> tuple[tuple[int, list[Size]], tuple[int, list[Size]]]:
    """
    Returns a pair for each shape: the product of its static sizes, and the list of its dynamic sizes without the names that both
    shapes have.
    """
    left, right = ([s for s in side if not isinstance(s, int)] for side in (a, b))
    for name in [s for s in left if s is not None]:
        if name in right:
            left.remove(name)
            right.remove(name)
    numbers = [prod(s for s in side if isinstance(s, int)) for side in (a, b)]
    return (numbers[0], list(left)), (numbers[1], list(right))


def count_text(of: Sequence[Size]) -> str:
    """Returns the number of elements as text, such as `6` or `6·B·?`."""
    rest = [str(s or "?") for s in of if not isinstance(s, int)]
    number = prod(s for s in of if isinstance(s, int))
    return "·".join(([] if number == 1 and rest else [str(number)]) + rest)
