"""Replacements for tokens: boundary values, special floats, rare types, and tokens of the corpus."""

from __future__ import annotations

from random import Random

from .tokens import Pools, Token

SMALL = ("0", "1", "2", "3", "7", "8", "16", "17", "32", "64", "128")
INTEGERS = (
    *SMALL,
    "-1",
    "65536",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "0xFF",
    "1" + "0" * 40,
)
FLOATS = (
    *("0.0", "-0.0", "-1.0", "1.", "3", "16777217.0", "inf", "nan"),
    *("1.5e308", "1.0e999", "1.0e-320", "1.0e-45"),
    *("0x7F80", "0x7F800000", "0xFF800000", "0x7FC00001", "0x7FF0000000000000", "0x1.8p3"),
)
SCALARS = (
    *("f16", "bf16", "f32", "f64", "f80", "f128", "tf32", "f8E4M3FN", "f8E5M2"),
    *("i1", "i4", "i8", "i32", "i64", "ui8", "si32", "i0", "i16777215", "i99999999999"),
    *("index", "none", "complex<f32>"),
)
HUGE = "9" * 5000


def another(rng: Random, token: Token, pools: Pools) -> str:
    """Returns a replacement for a token, most often of its kind."""
    if rng.random() < 0.03:
        return rng.choice((*INTEGERS, *FLOATS, *SCALARS, HUGE))
    integers = SMALL if rng.random() < 0.7 else INTEGERS
    special = {"integer": integers, "float": FLOATS, "scalar": SCALARS}.get(token.kind, ())
    if special and rng.random() < 0.5:
        return rng.choice(special)
    pool = pools.tokens.get(token.kind) or pools.phrases.get(token.kind) or [token.text]
    if token.kind in pools.phrases and rng.random() < 0.2:
        pool = pools.phrases[rng.choice(sorted(pools.phrases))]
    return rng.choice(pool)
