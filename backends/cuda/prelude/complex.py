"""
Complex numbers and functions of them.

Products, quotients and functions of `c64` are computed in `c128` and rounded once, as in `semantics`. For operands with zeros,
infinities and NaNs they follow C's Annex G, as NumPy does, except where both parts are infinite or NaN.
"""

from __future__ import annotations

from .piece import Piece


def _number(name: str, part: str, size: int) -> str:
    return f"""struct alignas({size}) {name} {{ {part} re, im; }};
DEV {name} operator-({name} a) {{ return {{-a.re, -a.im}}; }}
DEV {name} operator+({name} a, {name} b) {{ return {{a.re + b.re, a.im + b.im}}; }}
DEV {name} operator-({name} a, {name} b) {{ return {{a.re - b.re, a.im - b.im}}; }}
DEV bool operator==({name} a, {name} b) {{ return a.re == b.re && a.im == b.im; }}
DEV bool operator!=({name} a, {name} b) {{ return !(a == b); }}
DEV {name} __shfl_xor_sync(u32 lanes, {name} a, int away) {{
  return {{__shfl_xor_sync(lanes, a.re, away), __shfl_xor_sync(lanes, a.im, away)}};
}}
DEV {name} __shfl_sync(u32 lanes, {name} a, int lane) {{
  return {{__shfl_sync(lanes, a.re, lane), __shfl_sync(lanes, a.im, lane)}};
}}"""


WIDE = """
DEV c128 operator*(c128 a, c128 b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
DEV c128 operator/(c128 a, c128 b) {  // Smith 1962, Algorithm 116
  if (fabs(b.re) < fabs(b.im)) a = {a.im, -a.re}, b = {b.im, -b.re};
  if (b.re == 0 && b.im == 0) return {a.re / fabs(b.re), a.im / fabs(b.re)};
  const double ratio = b.im / b.re, scale = 1 / (b.re + b.im * ratio);
  return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
}"""
ROUNDED = """
DEV c128 wide(c64 a) { return {a.re, a.im}; }
DEV c64 narrow(c128 a) { return {(float)a.re, (float)a.im}; }
DEV c64 operator*(c64 a, c64 b) { return narrow(wide(a) * wide(b)); }
DEV c64 operator/(c64 a, c64 b) { return narrow(wide(a) / wide(b)); }"""
FUNCTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "exp": (
        """  if (z.im == 0) return {exp(z.re), z.im};
  const double size = exp(z.re), root = isinf(size) ? exp(z.re / 2) : 1, rest = isinf(size) ? root : size;
  if (!isfinite(z.im)) return {isinf(z.re) ? size : z.im - z.im, isinf(z.re) ? size * (z.im - z.im) : z.im - z.im};
  return {rest * cos(z.im) * root, rest * sin(z.im) * root};""",
        (),
    ),
    "log": (
        """  const double most = fmax(fabs(z.re), fabs(z.im)), least = fmin(fabs(z.re), fabs(z.im));
  const double scale = most > 0x1p1022 ? 0.5 : 1, size = hypot(z.re * scale, z.im * scale);
  const bool near = size > 0.5 && size < 2;  // near 1, rounding the modulus would lose the digits of its logarithm
  return {near ? log1p((most - 1) * (most + 1) + least * least) / 2 : log(size) - log(scale), atan2(z.im, z.re)};""",
        (),
    ),
    "sqrt": (
        """  if (z.re == 0 && z.im == 0) return {0, z.im};
  if (isinf(z.im)) return {fabs(z.im), z.im};
  const double most = fmax(fabs(z.re), fabs(z.im)), root = most > 0x1p1020 ? 0.5 : most < 0x1p-960 ? 0x1p54 : 1;
  const double re = z.re * root * root, im = z.im * root * root, t = sqrt((fabs(re) + hypot(re, im)) / 2);
  return re >= 0 ? c128{t / root, im / (2 * t) / root} : c128{fabs(im) / (2 * t) / root, copysign(t / root, im)};""",
        (),
    ),
    "rsqrt": ("  return c128{1, 0} / sqrt(z);", ("sqrt",)),
    "sin": ("  return {times(sin(z.re), cosh(z.im)), times(cos(z.re), sinh(z.im))};", ("times",)),
    "cos": ("  return {times(cos(z.re), cosh(z.im)), -times(sin(z.re), sinh(z.im))};", ("times",)),
    "tanh": (
        """  // Kahan 1987, Branch cuts for complex elementary functions
  if (z.im == 0) return {tanh(z.re), z.im};
  if (z.re == 0) return {z.re, tan(z.im)};
  if (fabs(z.re) > 20 && (isfinite(z.im) || isinf(z.re))) return {copysign(1.0, z.re), 4 * sin(z.im) * cos(z.im) * exp(-2 * fabs(z.re))};
  const double t = tan(z.im), beta = 1 + t * t, s = sinh(z.re), rho = sqrt(1 + s * s), scale = 1 / (1 + beta * s * s);
  return {beta * rho * s * scale, t * scale};""",
        (),
    ),
    "log1p": (
        """  const double size = fmax(fabs(z.re), fabs(z.im));  // |1 + z|^2 = 1 + (2 + re) re + im^2, without rounding 1 + re
  const double scale = size > 0x1p1022 ? 0.5 : 1, whole = log(hypot((1 + z.re) * scale, z.im * scale)) - log(scale);
  return {size < 0.5 ? log1p((2 + z.re) * z.re + z.im * z.im) / 2 : whole, atan2(z.im, 1 + z.re)};""",
        (),
    ),
    "expm1": (
        """  const double half = sin(z.im / 2);
  return {expm1(z.re) * cos(z.im) - 2 * half * half, exp(z.re) * sin(z.im)};""",
        (),
    ),
    "sign": (
        """  const double scale = fmax(fabs(z.re), fabs(z.im)) > 0x1p1022 ? 0.5 : 1, re = z.re * scale, im = z.im * scale;
  const double size = hypot(re, im);
  if (isinf(size)) return {copysign(isinf(z.re) ? 1.0 : 0.0, z.re), copysign(isinf(z.im) ? 1.0 : 0.0, z.im)};
  return size == 0 ? z : c128{re / size, im / size};""",
        (),
    ),
}
"""For each function of `z` its body, and the functions that it calls."""
POW = """DEV c128 pow(c128 a, c128 b) {
  if (b.re == 0 && b.im == 0) return {1, 0};
  if (a.re == 0 && a.im == 0) return b.re > 0 ? c128{0, 0} : c128{a.re / a.re, a.re / a.re};
  if (b.im == 0 && b.re == rint(b.re) && fabs(b.re) < 100) {
    int n = (int)fabs(b.re);
    for (; n % 2 == 0; n /= 2) a = a * a;
    c128 power = a;
    for (n /= 2; n; n /= 2) if (a = a * a; n % 2) power = power * a;
    return b.re < 0 ? c128{1, 0} / power : power;
  }
  return exp(b * log(a));
}"""


def _function(name: str, body: str, uses: tuple[str, ...]) -> dict[str, Piece]:
    return {
        f"{name} c128": Piece(f"DEV c128 {name}(c128 z) {{\n{body}\n}}", ("c128", *(f"{use} c128" for use in uses))),
        f"{name} c64": Piece(f"DEV c64 {name}(c64 z) {{ return narrow({name}(wide(z))); }}", ("c64", f"{name} c128")),
    }


PIECES: dict[str, Piece] = {
    "c128": Piece(_number("c128", "double", 16) + WIDE),
    "c64": Piece(_number("c64", "float", 8) + ROUNDED, ("c128",)),
    "times c128": Piece(
        """DEV double times(double a, double b) {  // 0 times infinity is 0
  const double product = a * b;
  return product == product ? product : a == 0 ? a : b == 0 ? b : product;
}"""
    ),
    **{name: piece for fn, (body, uses) in FUNCTIONS.items() for name, piece in _function(fn, body, uses).items()},
    "pow c128": Piece(POW, ("exp c128", "log c128")),
    "pow c64": Piece("DEV c64 pow(c64 a, c64 b) { return narrow(pow(wide(a), wide(b))); }", ("c64", "pow c128")),
}
