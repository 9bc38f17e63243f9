"""
Computes `elementary/tables.txt` with mpmath, with 400 bits (800 for the chunks of 64/π).

    python -m tests.elementary.tables            writes the file
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import mpmath as mp

from ptir.elementary.tables import FILE

Number = mp.mpf
Rows = list[list[float]]


def nearest(x: Number) -> float:
    """Returns x rounded to binary64."""
    return float(mp.mpf(x))


def multiple(x: Number, exponent: int) -> float:
    """Returns the next multiple of 2^exponent."""
    return nearest(mp.ldexp(mp.nint(mp.ldexp(x, -exponent)), exponent))


def parts(x: Number, *exponents: int) -> list[float]:
    """Returns multiples of powers of two and the rest, whose sum is x."""
    out: list[float] = []
    for exponent in exponents:
        out.append(multiple(x, exponent))
        x = x - mp.mpf(out[-1])
    return [*out, nearest(x)]


def pair(x: Number) -> list[float]:
    high = nearest(x)
    return [high, nearest(x - mp.mpf(high))]


def reciprocal_factorials(first: int, last: int) -> list[Number]:
    return [1 / mp.factorial(n) for n in range(first, last + 1)]


def log_coefficients(first: int, last: int) -> list[Number]:
    return [mp.mpf((-1) ** (n + 1)) / n for n in range(first, last + 1)]


def tanh_coefficient(n: int) -> Number:
    """Returns the coefficient of x^(2n - 1)."""
    return mp.mpf(4**n * (4**n - 1)) * mp.bernoulli(2 * n) / mp.factorial(2 * n)


def log_row(index: int) -> tuple[float, Number]:
    """Returns c, the 12-bit reciprocal of the middle of an interval (1 about 1), and -log c."""
    k = index + 52  # the upper 7 bits of the significand at the left end
    left, width = mp.mpf(1) + mp.mpf(k % 128) / 128, mp.mpf(1) / 128
    if k < 128:
        left, width = left / 2, width / 2
    c = 1.0 if index in (75, 76) else multiple(1 / (left + width / 2), -12)
    return c, -mp.log(mp.mpf(c))


def sine_row(k: int, step: Number) -> list[float]:
    sine = mp.mpf(0) if k % 64 == 0 else mp.sin(k * step)
    cosine = mp.mpf(0) if k % 64 == 32 else mp.cos(k * step)
    return pair(sine) + pair(cosine * step)


def chunk_row(exponent: int) -> list[float]:
    with mp.workprec(800):
        factor = mp.ldexp(64 / mp.pi, exponent - 23)
        return parts(factor - 128 * mp.floor(factor / 128), -22, -51, -80)


def taylor_row(coefficients: Sequence[Number]) -> list[float]:
    return pair(coefficients[0]) + [nearest(c) for c in coefficients[1:]]


def erf_taylor(center: Number, degree: int) -> list[Number]:
    """Returns the Taylor coefficients of erf; its derivatives are Hermite polynomials times e^(-x²)."""
    hermite = [mp.mpf(1), 2 * center]
    while len(hermite) < degree:
        n = len(hermite)
        hermite.append(2 * center * hermite[-1] - 2 * (n - 1) * hermite[-2])
    slope = 2 / mp.sqrt(mp.pi) * mp.exp(-center * center)
    higher = (slope * (-1) ** (n - 1) * hermite[n - 1] / mp.factorial(n) for n in range(1, degree + 1))
    return [mp.erf(center), *higher]


def erfcx_taylor(center: Number, degree: int) -> list[Number]:
    """Returns the Taylor coefficients of y = e^(x²) erfc x, for which y' = 2 x y - 2/√π."""
    out = [mp.exp(center * center) * mp.erfc(center)]
    out.append(2 * center * out[0] - 2 / mp.sqrt(mp.pi))
    for n in range(1, degree):
        out.append((2 * center * out[n] + 2 * out[n - 1]) / (n + 1))
    return out


def cbrt_start() -> list[Number]:
    """Returns the coefficients of the polynomial of degree 5 that equals the cube root at the Chebyshev nodes of [1, 8]."""
    nodes = [mp.mpf(9) / 2 + mp.mpf(7) / 2 * mp.cos(mp.pi * (2 * k + 1) / 12) for k in range(6)]
    vandermonde = mp.matrix([[x**n for n in range(6)] for x in nodes])
    return list(mp.lu_solve(vandermonde, mp.matrix([mp.cbrt(x) for x in nodes])))


def tables() -> Iterator[tuple[str, Rows]]:
    """Yields each table with its rows."""
    ln2, pi, root_pi = mp.log(2), mp.pi, mp.sqrt(mp.pi)
    rows = [log_row(k) for k in range(128)]
    step, angle = ln2 / 128, pi / 64

    def constants(name: str, numbers: Sequence[Number]) -> tuple[str, Rows]:
        return name, [[nearest(x) for x in numbers]]

    yield "exp2", [pair(mp.mpf(2) ** (mp.mpf(k) / 128)) for k in range(128)]
    yield constants("exp.inverse_step", [1 / step])
    yield "exp.step", [parts(step, -46)]
    yield "exp.step_parts", [parts(step, -46, -83)]
    yield constants("exp.series", reciprocal_factorials(2, 7))
    yield "exp.series_pairs", [pair(c) for c in reciprocal_factorials(2, 5)]
    yield constants("exp.series_tail", reciprocal_factorials(6, 11))
    yield "exp2.ln2", [[*parts(ln2, -26), nearest(ln2)]]
    yield constants("expm1.series", reciprocal_factorials(3, 13))
    yield constants("sinh.series", reciprocal_factorials(3, 17)[::2])
    yield constants("tanh.series", [tanh_coefficient(n) for n in range(2, 12)])
    yield constants("sigmoid.series", [mp.ldexp(tanh_coefficient(n), -2 * n) for n in range(2, 9)])
    yield "log", [[c, *parts(negated, -40)] for c, negated in rows]
    yield "log.tail", [parts(negated, -40, -82)[1:] for _, negated in rows]
    yield "log.ln2", [parts(ln2, -40)]
    yield "log.ln2_parts", [parts(ln2, -40, -82)]
    yield constants("log.series", log_coefficients(2, 10))
    yield "log.series_pairs", [pair(c) for c in log_coefficients(2, 9)]
    yield constants("log.series_tail", log_coefficients(10, 16))
    yield "log2.factor", [pair(1 / ln2)]
    yield "log10.factor", [pair(1 / mp.log(10))]
    yield "trigonometric.chunks", [chunk_row(exponent) for exponent in range(-12, 128)]
    yield "trigonometric.sines", [sine_row(k, angle) for k in range(128)]
    yield constants("cos.series", [(-1) ** n * angle ** (2 * n) / mp.factorial(2 * n) for n in range(1, 6)])
    yield constants("sin.series", [(-1) ** n * angle ** (2 * n) / mp.factorial(2 * n + 1) for n in range(1, 6)])
    yield constants("sin.small", [-mp.mpf(1) / 6, mp.mpf(1) / 120])
    yield constants("cos.small", [-mp.mpf(1) / 2, mp.mpf(1) / 24])
    yield constants("tan.small", [mp.mpf(1) / 3, mp.mpf(2) / 15])
    yield "erf", [taylor_row(erf_taylor(mp.mpf(k) / 64, 9)) for k in range(257)]
    yield "erf.factor", [parts(2 / root_pi, -27)]
    yield constants("erf.series", [2 / root_pi * (-1) ** n / (mp.factorial(n) * (2 * n + 1)) for n in range(1, 11)])
    yield "erfcx", [taylor_row(erfcx_taylor(mp.mpf(k) / 16, 13)) for k in range(163)]
    yield constants("cbrt.start", cbrt_start())
    yield constants("cbrt.series", [mp.mpf(n) / d for n, d in ((1, 3), (-1, 9), (5, 81), (-10, 243), (22, 729))])


def text() -> str:
    """Returns the text of the file."""
    with mp.workprec(400):
        paragraphs = ["\n".join([name, *(" ".join(x.hex() for x in row) for row in rows)]) for name, rows in tables()]
    return "\n\n".join(paragraphs) + "\n"


if __name__ == "__main__":
    FILE.write_text(text())
