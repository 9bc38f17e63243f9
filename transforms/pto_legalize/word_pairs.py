"""
Writes arithmetic on integers of 64 bits, which PTO lacks, with their lower and upper words, which are tiles of i32.

```
a + b        %low = add a.low, b.low;  %high = add (add a.high, b.high), (1 if %low < a.low else 0)
a < b        or (a.high < b.high), (and (a.high == b.high), (a.low < b.low))              lower words have no sign
a · b        products of halves of the lower words;  %high += a.low · b.high + a.high · b.low
a << n       %low = shl a.low, n;  %high = or (shl a.high, n), (shr a.low, 32 - n), (shl a.low, n - 32)
rowsum a     sums of the halves of the lower words, and of the upper words
a / b        a loop over 64 bits, each of which is a subtraction or not
```

A shift by 32 bits or more, as an unsigned amount, is 0, so that those of other words need no condition. Sources: H. Warren, *Hacker's Delight*,
§2-16, §8-2, §9-4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import Float16Type, FloatAttr, IndexType, IntegerAttr, IntegerType, Signedness, f32, i1, i32
from xdsl.ir import Attribute, Block, Region, SSAValue

from ...dialects import pto
from ...dialects.common.shapes import is_unsigned

Pair = tuple[SSAValue, SSAValue]
"""The lower and the upper word."""
UI32 = IntegerType(32, Signedness.UNSIGNED)
LEAST, MOST = -(1 << 31), (1 << 31) - 1
HALF = (1 << 16) - 1
FOLDED: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
"""The functions of two numbers that are computed here."""
NEUTRAL = {"add": 0, "sub": 0, "mul": 1, "and": -1, "or": 0, "xor": 0}
ABSORBING = {"mul": 0, "and": 0, "or": -1}


# --- words --------------------------------------------------------------------------------------------


def wrapped(number: int) -> int:
    """Returns the number of i32 that is equal modulo 2³²."""
    return (number - LEAST) % (1 << 32) + LEAST


def splat(number: int, like: SSAValue) -> SSAValue:
    """Writes a tile of a number, modulo 2³², that has the sizes of another tile."""
    return pto.ExpandsOp(IntegerAttr(wrapped(number), i32), pto.tile_type(like).like(element_type=i32)).result


def number_of(word: SSAValue) -> int | None:
    """Returns the number in all elements of a tile, if it is known."""
    match word.owner:
        case pto.ExpandsOp(value=IntegerAttr() as number):
            return number.value.data
        case _:
            return None


def binary(fn: str, a: SSAValue, b: SSAValue) -> SSAValue:
    x, y = number_of(a), number_of(b)
    if fn in FOLDED and x is not None and y is not None:
        return splat(FOLDED[fn](x, y), a)
    if fn in FOLDED and (y == NEUTRAL[fn] or (fn in ABSORBING and x == ABSORBING[fn])):
        return a
    if fn in FOLDED and ((x == NEUTRAL[fn] and fn != "sub") or (fn in ABSORBING and y == ABSORBING[fn])):
        return b
    return pto.BINARY[fn](a, b).results[0]


def compare(mode: str, a: SSAValue, b: SSAValue) -> SSAValue:
    return pto.CmpOp(mode, a, b).result


def is_below(a: SSAValue, b: SSAValue) -> SSAValue:
    """Writes whether words without a sign are less than others."""
    return compare("LT", unsigned(a), unsigned(b))


def select(mask: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
    return pto.SelOp(mask, a, b).result


def choose(mask: SSAValue, a: Pair, b: Pair) -> Pair:
    return select(mask, a[0], b[0]), select(mask, a[1], b[1])


def unsigned(word: SSAValue) -> SSAValue:
    """Writes a word as one without a sign."""
    number = number_of(word)
    if number is not None:
        tile = pto.tile_type(word).like(element_type=UI32)
        return pto.ExpandsOp(IntegerAttr(number % (1 << 32), UI32), tile).result
    return pto.BitcastOp(word, UI32).result


def left(word: SSAValue, by: SSAValue) -> SSAValue:
    known = _shifted(word, by)
    return pto.BINARY["shift_left"](word, by).results[0] if known is None else known


def right(word: SSAValue, by: SSAValue) -> SSAValue:
    """Writes a shift to the right, which shifts in zeros."""
    known = _shifted(word, by)
    return (
        pto.BitcastOp(pto.SHIFT_RIGHT(unsigned(word), unsigned(by)).results[0], i32).result if known is None else known
    )


def _shifted(word: SSAValue, by: SSAValue) -> SSAValue | None:
    """Returns what a shift is that needs no instruction. Amounts have no sign."""
    number = number_of(by)
    if number == 0 or number_of(word) == 0:
        return word
    return None if number is None or 0 < number < 32 else splat(0, word)


def sign(word: SSAValue) -> SSAValue:
    """Writes the upper word of a signed one: its sign in all bits."""
    number = number_of(word)
    return splat(-(number < 0), word) if number is not None else pto.SHIFT_RIGHT(word, splat(31, word)).results[0]


def is_negative(x: Pair) -> SSAValue:
    return compare("LT", x[1], splat(0, x[1]))


def integer(mask: SSAValue, like: SSAValue) -> SSAValue:
    return select(mask, splat(1, like), splat(0, like))


# --- arithmetic ---------------------------------------------------------------------------------------


def pair(number: int, like: SSAValue) -> Pair:
    return splat(number, like), splat(number >> 32, like)


def add(a: Pair, b: Pair) -> Pair:
    low, high = binary("add", a[0], b[0]), binary("add", a[1], b[1])
    if 0 in (number_of(a[0]), number_of(b[0])):
        return low, high
    return low, select(is_below(low, a[0]), binary("add", high, splat(1, high)), high)


def sub(a: Pair, b: Pair) -> Pair:
    low, high = binary("sub", a[0], b[0]), binary("sub", a[1], b[1])
    if number_of(b[0]) == 0:
        return low, high
    return low, select(is_below(a[0], b[0]), binary("sub", high, splat(1, high)), high)


def negate(x: Pair) -> Pair:
    return sub(pair(0, x[0]), x)


def absolute(x: Pair) -> Pair:
    return choose(is_negative(x), negate(x), x)


def sign_of(x: Pair, *, is_signed: bool) -> Pair:
    """Writes -1, 0 or 1."""
    low = integer(compare("NE", binary("or", *x), splat(0, x[0])), x[0])
    return choose(is_negative(x), pair(-1, low), (low, splat(0, low))) if is_signed else (low, splat(0, low))


def mul(a: Pair, b: Pair) -> Pair:
    mask, sixteen = splat(HALF, a[0]), splat(16, a[0])
    (a0, a1), (b0, b1) = ((binary("and", word, mask), right(word, sixteen)) for word in (a[0], b[0]))
    middle = binary("add", binary("mul", a1, b0), right(binary("mul", a0, b0), sixteen))
    other = binary("add", binary("mul", a0, b1), binary("and", middle, mask))
    high = binary("add", binary("mul", a1, b1), binary("add", right(middle, sixteen), right(other, sixteen)))
    crossed = binary("add", binary("mul", a[0], b[1]), binary("mul", a[1], b[0]))
    return binary("mul", a[0], b[0]), binary("add", high, crossed)


def less(a: Pair, b: Pair, *, is_signed: bool) -> SSAValue:
    above = compare("LT", a[1], b[1]) if is_signed else is_below(a[1], b[1])
    return binary("or", above, binary("and", compare("EQ", a[1], b[1]), is_below(a[0], b[0])))


def equal(a: Pair, b: Pair) -> SSAValue:
    return binary("and", compare("EQ", a[0], b[0]), compare("EQ", a[1], b[1]))


def inverted(mask: SSAValue) -> SSAValue:
    return pto.UNARY["not"](mask).results[0]


def compared(mode: str, a: Pair, b: Pair, *, is_signed: bool) -> SSAValue:
    """Writes a comparison, with `less` or `equal`."""
    match mode:
        case "EQ" | "NE":
            found = equal(a, b)
        case "LT" | "GE":
            found = less(a, b, is_signed=is_signed)
        case _:
            found = less(b, a, is_signed=is_signed)
    return inverted(found) if mode in ("NE", "GE", "LE") else found


def extremum(fn: str, a: Pair, b: Pair, *, is_signed: bool) -> Pair:
    one, other = (b, a) if fn == "max" else (a, b)
    return choose(less(one, other, is_signed=is_signed), a, b)


def amount(x: Pair) -> SSAValue:
    """Writes an unsigned amount as a word; 64 stands for those above."""
    if number_of(x[1]) == 0:
        return x[0]
    return select(compare("EQ", x[1], splat(0, x[1])), x[0], splat(64, x[0]))


def shift_left(x: Pair, by: Pair) -> Pair:
    n, width = amount(by), splat(32, by[0])
    rest, far = binary("sub", width, n), binary("sub", n, width)
    high = binary("or", binary("or", left(x[1], n), right(x[0], rest)), left(x[0], far))
    return left(x[0], n), high


def shift_right(x: Pair, by: Pair, *, is_signed: bool) -> Pair:
    n, width = amount(by), splat(32, by[0])
    rest, far = binary("sub", width, n), binary("sub", n, width)
    low = binary("or", right(x[0], n), left(x[1], rest))
    if not is_signed:
        return binary("or", low, right(x[1], far)), right(x[1], n)
    shifted, filled = (pto.SHIFT_RIGHT(x[1], k).results[0] for k in (n, far))
    number = number_of(n)
    if number is not None:
        return (low if 0 <= number < 32 else filled), shifted
    return select(is_below(n, width), low, filled), shifted


def divide(a: Pair, b: Pair, *, is_signed: bool, is_remainder: bool) -> Pair:
    """Writes the quotient, rounded toward zero, or the remainder, which has the sign of `a`."""
    if not is_signed:
        return long_division(a, b)[is_remainder]
    x, y = absolute(a), absolute(b)
    found = long_division(x, y)[is_remainder]
    signs = a[1] if is_remainder else binary("xor", a[1], b[1])
    return choose(is_negative((signs, signs)), negate(found), found)


def long_division(a: Pair, b: Pair) -> tuple[Pair, Pair]:
    """
    Writes the quotient and the remainder of integers without a sign. The dividend moves into the remainder bit by bit, and the quotient into
    its place. A remainder whose first bit is shifted out is larger than each divisor.
    """
    low, high, step = (arith.ConstantOp(IntegerAttr(n, IndexType())).result for n in (0, 64, 1))
    starts = [*a, *pair(0, a[0])]
    body = Block(arg_types=[IndexType(), *(v.type for v in starts)])
    with ImplicitBuilder(body):
        one = splat(1, a[0])
        dividend, rest = cast("tuple[Pair, Pair]", (body.args[1:3], body.args[3:5]))
        ones = one, splat(0, one)
        shifted = shift_left(rest, ones)
        shifted = binary("or", shifted[0], right(dividend[1], splat(31, one))), shifted[1]
        is_enough = binary("or", is_negative(rest), inverted(less(shifted, b, is_signed=False)))
        left_over = choose(is_enough, sub(shifted, b), shifted)
        quotient = shift_left(dividend, ones)
        scf.YieldOp(binary("or", quotient[0], integer(is_enough, one)), quotient[1], *left_over)
    loop = scf.ForOp(low, high, step, starts, Region(body))
    q0, q1, r0, r1 = loop.results
    return (q0, q1), (r0, r1)


# --- conversions --------------------------------------------------------------------------------------


def nearest(x: Pair, dtype: Attribute) -> SSAValue:
    """Writes the nearest numbers of i32 to integers of a type of 64 bits."""
    zero = splat(0, x[0])
    if not is_unsigned(dtype):
        limit = select(is_negative(x), splat(LEAST, zero), splat(MOST, zero))
        return select(compare("EQ", x[1], sign(x[0])), x[0], limit)
    is_small = binary("and", compare("EQ", x[1], zero), compare("GE", x[0], zero))
    return select(is_small, x[0], splat(MOST, zero))


def between_signs(x: Pair, source: Attribute, target: Attribute) -> Pair:
    """Writes the nearest integer of 64 bits of another signedness."""
    if is_unsigned(source) == is_unsigned(target):
        return x
    limit = pair(0 if is_unsigned(target) else (1 << 63) - 1, x[0])
    return choose(is_negative(x), limit, x)


def widened(x: SSAValue, target: Attribute) -> Pair:
    """Writes integers or predicates of fewer bits as ones of 64 bits."""
    source = pto.tile_type(x).element_type
    if source == UI32:
        low = pto.BitcastOp(x, i32).result
    else:
        low = x if source == i32 else pto.CvtOp(x, i32).result
    if source == i1 or is_unsigned(source):
        return low, splat(0, low)
    return between_signs((low, sign(low)), i32, target)


def narrowed(x: Pair, source: Attribute, target: Attribute) -> SSAValue:
    """Writes integers of 64 bits as the nearest ones of fewer bits, or as whether they are not zero."""
    if target == i1:
        return compare("NE", binary("or", *x), splat(0, x[0]))
    if target != UI32:
        word = nearest(x, source)
        return word if target == i32 else pto.CvtOp(word, target).result
    zero, most = splat(0, x[0]), splat(-1, x[0])
    low = select(compare("EQ", x[1], zero), x[0], most)
    return unsigned(low if is_unsigned(source) else select(is_negative(x), zero, low))


def floated(x: Pair, source: Attribute, target: Attribute) -> SSAValue:
    """
    Writes integers as floats, rounded once. The first 32 bits that are not zero, of which the last one is set if others follow, round as all
    of them do.
    """
    if isinstance(target, Float16Type):  # it has no larger ones than i32
        return pto.CvtOp(nearest(x, source), target).result
    magnitude = x if is_unsigned(source) else absolute(x)
    power = splat(32, x[0])
    for bits in (32, 16, 8, 4, 2, 1):
        is_small = compare("EQ", right(magnitude[1], splat(32 - bits, power)), splat(0, power))
        magnitude = choose(is_small, shift_left(magnitude, pair(bits, power)), magnitude)
        power = select(is_small, binary("sub", power, splat(bits, power)), power)
    sticky = binary("or", magnitude[1], integer(compare("NE", magnitude[0], splat(0, power)), power))
    scale = left(binary("add", power, splat(127, power)), splat(23, power))
    number = pto.CvtOp(unsigned(sticky), target).result
    number = binary("mul", number, pto.CvtOp(pto.BitcastOp(scale, f32).result, target).result)
    return number if is_unsigned(source) else select(is_negative(x), pto.UNARY["neg"](number).results[0], number)


def truncated(x: SSAValue, target: Attribute) -> Pair:
    """Writes floats as integers, rounded toward zero. No number is 0."""
    x = x if pto.tile_type(x).element_type == f32 else pto.CvtOp(x, f32).result

    def number(value: float) -> SSAValue:
        return pto.ExpandsOp(FloatAttr(value, f32), pto.tile_type(x)).result

    zero, is_signed = number(0.0), not is_unsigned(target)
    x = select(compare("EQ", x, x), x, zero)
    magnitude = pto.UNARY["abs"](x).results[0] if is_signed else binary("max", x, zero)
    above = pto.CvtOp(binary("mul", magnitude, number(2.0**-32)), UI32).result
    rest = binary("sub", magnitude, binary("mul", pto.CvtOp(above, f32).result, number(2.0**32)))
    low, high = (pto.BitcastOp(word, i32).result for word in (pto.CvtOp(rest, UI32).result, above))
    limit = 63 if is_signed else 64
    found = choose(compare("GE", magnitude, number(2.0**limit)), pair((1 << limit) - 1, low), (low, high))
    if not is_signed:
        return found
    found = choose(compare("LT", x, zero), negate(found), found)
    return choose(compare("LE", x, number(-(2.0**63))), pair(-(1 << 63), low), found)


# --- reductions ---------------------------------------------------------------------------------------


def total(x: Pair, reduce: Callable[[SSAValue], SSAValue]) -> Pair:
    """Writes sums; of at most 2¹⁶ elements, those of halves of words are words."""
    mask, sixteen = splat(HALF, x[0]), splat(16, x[0])
    low, middle = (reduce(half) for half in (binary("and", x[0], mask), right(x[0], sixteen)))
    by = splat(16, low)
    return add((low, reduce(x[1])), (left(middle, by), right(middle, by)))


def greatest(
    x: Pair,
    reduce: Callable[[SSAValue], SSAValue],
    expand: Callable[[SSAValue], SSAValue],
    *,
    is_signed: bool,
    is_max: bool,
) -> Pair:
    """Writes the greatest elements, or the least ones: those with such a lower word among those with such an upper word."""
    high = reduce(x[1]) if is_signed else pto.BitcastOp(reduce(unsigned(x[1])), i32).result
    is_among = compare("EQ", x[1], expand(high))
    low = reduce(unsigned(select(is_among, x[0], splat(-(not is_max), x[0]))))
    return pto.BitcastOp(low, i32).result, high
