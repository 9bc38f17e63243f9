"""The reciprocal square root and the cube root: a root in binary64, and a correction by its exact residual."""

from __future__ import annotations

from .arithmetic import MANTISSA_BITS, Pair, magnitude, polynomial, power_of_two, scale, two_product, with_sign_of
from .graph import Value, bits, number, square_root
from .tables import constants

DROPPED_BITS = 36
"""Number of low bits of a 53-bit cube root that are cleared, so that its cube has at most 51 bits and is exact."""


def rsqrt(x: Value) -> Pair:
    root = 1.0 / square_root(x)
    square, square_error = two_product(root, root)
    one, error = two_product(square, x)
    residual = ((1.0 - one) - error) - square_error * x  # 1 - root² · x
    return root, (0.5 * root) * residual


def cbrt(x: Value) -> Pair:
    third = 1.0 / 3.0
    size = magnitude(x)
    pattern = bits(size)
    exponent = (((pattern >> MANTISSA_BITS) - 1023 + 1200) * 43691 >> 17) - 400  # of x, divided by 3 and rounded down
    m = number(pattern - ((exponent * 3) << MANTISSA_BITS))  # in [1, 8)
    y = polynomial(m, constants("cbrt.start"))
    for _ in range(2):  # Newton
        y = y - (y - m / (y * y)) * third
    root = number((bits(y) + (1 << (DROPPED_BITS - 1))) & ~((1 << DROPPED_BITS) - 1))
    cube = root * (root * root)  # exact
    d = (m - cube) / cube  # m - cube is exact, |d| < 2^-14
    return with_sign_of(x, scale(power_of_two(exponent), (root, root * (d * polynomial(d, constants("cbrt.series"))))))
