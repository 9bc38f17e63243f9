"""
Sines and cosines in f32, for all magnitudes.

    |x| / 2π = whole turns + (k + r) / 4    k a quarter, |r| ≤ 1/2

The significand of |x| has 24 bits, and `1 / 2π` is a number of digits in base 2^14. The exponent says at which digit the whole turns end, and by how
much the significand is shifted, so that the digits of the product that matter are sums of three products below 2^30, which i32 has (Payne and Hanek,
*Radian Reduction for Trigonometric Functions*, 1983). Then `sin(r π/2)` and `cos(r π/2)` are polynomials. The error is below 2 ulp.
"""

from __future__ import annotations

from .functions import Apply, halves, powers
from .integers import SIGN
from .values import Value

BASE = 14
"""Bits of a digit."""
DIGITS = 6
"""Digits of the turn that are computed. Those that are left out are below 2^-68."""
TURN = 0x28BE60DB9391054A7F09D5F47D4D377036D8A5664F10E4107F9458
"""The first 216 bits of 1 / 2π behind the point."""
TURN_BITS, SHIFT = 216, 24
MOST = 9
"""The greatest number of digits by which the exponent of a number moves the point."""
HALF_PI = (1.57080078125, -4.454455103380768e-06)
"""π/2 as a number of 12 bits and the rest."""
SMALL = 0.5
SINE = (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4)
"""Coefficients of `sin(y) / y - 1` in y², for |y| < π/4. Source: S. Moshier, Cephes."""
COSINE = (-0.5, 4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5)
"""Coefficients of `cos(y) - 1` in y², for |y| < π/4. Source: S. Moshier, Cephes."""


def digit(number: int) -> int:
    """Returns a digit of `2^-24 / 2π`: the first one behind the point has the number 0."""
    shift = TURN_BITS + SHIFT - BASE * (number + 1)
    return (TURN >> shift if shift >= 0 else TURN << -shift) % (1 << BASE)


def quarter(apply: Apply, size: Value) -> tuple[Value, Value]:
    """Returns k, and r times π/2, for a positive number."""
    low, bits = (1 << BASE) - 1, apply("bits", size)
    significand = apply("or", apply("and", bits, 0x7FFFFF), 0x800000)
    exponent = apply("max", apply("sub", apply("shift_right_arithmetic", bits, 23), 126), 0)
    moved = apply("shift_right_arithmetic", apply("mul", exponent, (1 << 16) // BASE + 1), 16)
    by = apply("sub", exponent, apply("mul", moved, BASE))
    first, second = (
        apply("shift_left", part, by)
        for part in (apply("and", significand, low), apply("shift_right_arithmetic", significand, BASE))
    )
    factors = (
        apply("and", first, low),
        apply("add", apply("shift_right_arithmetic", first, BASE), apply("and", second, low)),
        apply("shift_right_arithmetic", second, BASE),
    )
    below = [apply("lt", moved, n) for n in range(1, MOST + 1)]

    def chosen(place: int) -> Value:
        """Returns the digit at a place behind the point, from 0 on, which the exponent has moved."""
        found = apply("select", below[-1], digit(place + MOST - 1), digit(place + MOST))
        for n in range(MOST - 2, -1, -1):
            found = apply("select", below[n], digit(place + n), found)
        return found

    window, carry = [chosen(DIGITS), chosen(DIGITS + 1)], None
    digits: list[Value] = []
    for place in range(DIGITS - 1, -1, -1):
        window = [chosen(place), *window[:2]]
        terms = [apply("mul", a, d) for a, d in zip(factors, window, strict=True)]
        total = apply("add", apply("add", terms[0], terms[1]), terms[2])
        total = total if carry is None else apply("add", total, carry)
        digits.insert(0, apply("and", total, low))
        carry = apply("shift_right_arithmetic", total, BASE)
    a, b, c, d, e, _ = digits
    k = apply("shift_right_arithmetic", apply("add", a, 1 << 11), 12)
    top = apply("mul", apply("sub", a, apply("shift_left", k, 12)), 1 << 12)
    top = apply("number", apply("add", top, apply("shift_right_arithmetic", b, 2)))
    middle = apply("number", apply("add", apply("shift_left", apply("and", b, 3), BASE), c))
    last = apply("add", apply("mul", apply("number", d), 2.0**-54), apply("mul", apply("number", e), 2.0**-68))
    rest, top = apply("add", apply("mul", middle, 2.0**-40), last), apply("mul", top, 2.0**-24)
    r = apply("add", top, rest)
    rest = apply("sub", rest, apply("sub", r, top))
    high, low_half = halves(apply, r)
    y = apply("add", apply("mul", r, HALF_PI[1]), apply("mul", rest, sum(HALF_PI)))
    return k, apply("add", apply("mul", high, HALF_PI[0]), apply("add", apply("mul", low_half, HALF_PI[0]), y))


def turned(apply: Apply, x: Value, quarters: int) -> Value:
    """Returns `sin(|x| + quarters · π/2)`."""
    size = apply("abs", x)
    is_small = apply("lt", size, SMALL)
    k, y = quarter(apply, size)
    k, y = apply("select", is_small, 0, k), apply("select", is_small, size, y)
    k = apply("add", k, quarters) if quarters else k
    square = apply("mul", y, y)
    sine = apply("add", y, apply("mul", y, powers(apply, square, SINE)))
    cosine = apply("add", powers(apply, square, COSINE), 1.0)
    result = apply("select", apply("eq", apply("and", k, 1), 1), cosine, sine)
    result = apply("xor", apply("bits", result), apply("shift_left", apply("and", k, 2), 30))
    return apply("select", apply("lt", size, float("inf")), apply("floats", result), float("nan"))


def sin(apply: Apply, x: Value) -> Value:
    """Returns the sine, which has the sign of x times that of the sine of |x|."""
    sign = apply("and", apply("bits", x), SIGN)
    return apply("floats", apply("xor", apply("bits", turned(apply, x, 0)), sign))


def cos(apply: Apply, x: Value) -> Value:
    """Returns the cosine: the sine a quarter further."""
    return turned(apply, x, 1)
