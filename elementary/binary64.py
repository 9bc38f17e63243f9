"""
Binary64 arithmetic in WGSL, on integers of 32 bits: a number is its bits, `vec2<u32>(low, high)`.

WGSL has no binary64, and may fuse, reorder and flush its own floats. Every operation is rounded once, to nearest with ties to even. Subnormal
numbers of binary64 are taken as zeros, and results below 2^-1022 become zeros: no graph of this package has any.

A significand is 64 bits whose bit 62 is the integer bit, and whose lowest bit says whether anything was lost. NaN is 0x7FF8000000000000.
"""

from __future__ import annotations

Text = tuple[str, tuple[str, ...]]
"""A function, and the names of those that it calls. Those of U64 are in `backends/wgsl/helpers.py`."""

NAN = "vec2<u32>(0u, 0x7ff80000u)"

FUNCTIONS: dict[str, Text] = {
    "u64_shr_sticky": (
        """fn u64_shr_sticky(a: vec2<u32>, n: u32) -> vec2<u32> {  // the lowest bit of the result says whether a bit was lost
  if (n > 63u) { return vec2<u32>(select(0u, 1u, (a.x | a.y) != 0u), 0u); }
  let moved = u64_shr(a, vec2<u32>(n, 0u));
  let lost = u64_shl(moved, vec2<u32>(n, 0u)) != a;
  return vec2<u32>(moved.x | select(0u, 1u, any(lost)), moved.y);
}""",
        ("u64_shr", "u64_shl"),
    ),
    "i64_shr": (
        """fn i64_shr(a: vec2<u32>, n: vec2<u32>) -> vec2<u32> {  // n is from 1 to 63; the sign is copied
  let sign = bitcast<u32>(bitcast<i32>(a.y) >> 31u);
  let near = u64_shr(a, n);
  return near | u64_shl(vec2<u32>(sign, sign), vec2<u32>(64u - n.x, 0u));
}""",
        ("u64_shr", "u64_shl"),
    ),
    "i64_lt": (
        """fn i64_lt(a: vec2<u32>, b: vec2<u32>) -> bool {
  return u64_lt(vec2<u32>(a.x, a.y ^ 0x80000000u), vec2<u32>(b.x, b.y ^ 0x80000000u));
}""",
        ("u64_lt",),
    ),
    "f64_exponent": ("fn f64_exponent(a: vec2<u32>) -> i32 { return i32((a.y >> 20u) & 0x7ffu); }", ()),
    "f64_magnitude": ("fn f64_magnitude(a: vec2<u32>) -> vec2<u32> { return vec2<u32>(a.x, a.y & 0x7fffffffu); }", ()),
    "f64_is_nan": (
        """fn f64_is_nan(a: vec2<u32>) -> bool {
  return u64_lt(vec2<u32>(0u, 0x7ff00000u), f64_magnitude(a));
}""",
        ("f64_magnitude", "u64_lt"),
    ),
    "f64_significand": (
        """fn f64_significand(a: vec2<u32>) -> vec2<u32> {  // the integer bit is bit 52
  return vec2<u32>(a.x, (a.y & 0xfffffu) | 0x100000u);
}""",
        (),
    ),
    "f64_round": (
        """fn f64_round(sign: u32, exponent: i32, significand: vec2<u32>) -> vec2<u32> {  // of any nonzero significand
  if ((significand.x | significand.y) == 0u) { return vec2<u32>(0u, sign); }
  let zeros = select(countLeadingZeros(significand.y), 32u + countLeadingZeros(significand.x), significand.y == 0u);
  let s = u64_shl(significand, vec2<u32>(zeros, 0u));
  let e = exponent + 1 - i32(zeros);
  if (e <= 0) { return vec2<u32>(0u, sign); }
  if (e >= 2047) { return vec2<u32>(0u, sign | 0x7ff00000u); }
  let rest = s.x & 0x7ffu;
  let kept = vec2<u32>((s.x >> 11u) | (s.y << 21u), (s.y >> 11u) & 0xfffffu);
  let up = select(0u, 1u, rest > 0x400u || (rest == 0x400u && (kept.x & 1u) != 0u));
  return u64_add(vec2<u32>(kept.x, kept.y | sign | (u32(e) << 20u)), vec2<u32>(up, 0u));
}""",
        ("u64_shl", "u64_add"),
    ),
    "f64_add": (
        f"""fn f64_add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {{
  let swapped = u64_lt(f64_magnitude(a), f64_magnitude(b));
  let big = select(a, b, swapped);
  let small = select(b, a, swapped);
  let sign = big.y & 0x80000000u;
  let opposite = ((a.y ^ b.y) & 0x80000000u) != 0u;
  let e = f64_exponent(big);
  if (e == 2047) {{
    let invalid = f64_is_nan(big) || (opposite && f64_exponent(small) == 2047);
    return select(big, {NAN}, invalid);
  }}
  if (e == 0) {{ return vec2<u32>(0u, a.y & b.y & 0x80000000u); }}
  if (f64_exponent(small) == 0) {{ return big; }}
  let large = u64_shl(f64_significand(big), vec2<u32>(10u, 0u));
  let moved = u64_shr_sticky(u64_shl(f64_significand(small), vec2<u32>(10u, 0u)), u32(e - f64_exponent(small)));
  if (!opposite) {{ return f64_round(sign, e, u64_add(large, moved)); }}
  let rest = u64_sub(large, moved);
  return f64_round(select(sign, 0u, (rest.x | rest.y) == 0u), e, rest);
}}""",
        (
            *("u64_lt", "f64_magnitude", "f64_exponent", "f64_is_nan", "u64_shl", "f64_significand"),
            *("u64_shr_sticky", "f64_round", "u64_add", "u64_sub"),
        ),
    ),
    "f64_neg": ("fn f64_neg(a: vec2<u32>) -> vec2<u32> { return vec2<u32>(a.x, a.y ^ 0x80000000u); }", ()),
    "f64_sub": (
        "fn f64_sub(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return f64_add(a, f64_neg(b)); }",
        ("f64_add", "f64_neg"),
    ),
    "u32_mul_wide": (
        """fn u32_mul_wide(a: u32, b: u32) -> vec2<u32> {
  return u64_mul(vec2<u32>(a, 0u), vec2<u32>(b, 0u));
}""",
        ("u64_mul",),
    ),
    "f64_mul": (
        f"""fn f64_mul(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {{
  let sign = (a.y ^ b.y) & 0x80000000u;
  let ea = f64_exponent(a);
  let eb = f64_exponent(b);
  if (ea == 2047 || eb == 2047) {{
    let invalid = f64_is_nan(a) || f64_is_nan(b) || ea == 0 || eb == 0;
    return select(vec2<u32>(0u, sign | 0x7ff00000u), {NAN}, invalid);
  }}
  if (ea == 0 || eb == 0) {{ return vec2<u32>(0u, sign); }}
  let x = u64_shl(f64_significand(a), vec2<u32>(11u, 0u));
  let y = u64_shl(f64_significand(b), vec2<u32>(11u, 0u));
  let low = u32_mul_wide(x.x, y.x);
  let middle = u64_add(u32_mul_wide(x.x, y.y), vec2<u32>(low.y, 0u));
  let other = u64_add(u32_mul_wide(x.y, y.x), vec2<u32>(middle.x, 0u));
  let high = u64_add(u64_add(u32_mul_wide(x.y, y.y), vec2<u32>(middle.y, 0u)), vec2<u32>(other.y, 0u));
  return f64_round(sign, ea + eb - 1023, vec2<u32>(high.x | select(0u, 1u, (low.x | other.x) != 0u), high.y));
}}""",
        (*("f64_exponent", "f64_is_nan", "u64_shl", "f64_significand", "u32_mul_wide", "u64_add", "f64_round"),),
    ),
    "f64_div": (
        f"""fn f64_div(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {{
  let sign = (a.y ^ b.y) & 0x80000000u;
  let ea = f64_exponent(a);
  let eb = f64_exponent(b);
  if (f64_is_nan(a) || f64_is_nan(b) || (ea == 2047 && eb == 2047) || (ea == 0 && eb == 0)) {{ return {NAN}; }}
  if (ea == 2047 || eb == 0) {{ return vec2<u32>(0u, sign | 0x7ff00000u); }}
  if (ea == 0 || eb == 2047) {{ return vec2<u32>(0u, sign); }}
  let divisor = f64_significand(b);
  var rest = f64_significand(a);
  var q = vec2<u32>(0u, 0u);
  for (var k = 0u; k < 63u; k = k + 1u) {{
    let fits = !u64_lt(rest, divisor);
    rest = select(rest, u64_sub(rest, divisor), fits);
    q = vec2<u32>((q.x << 1u) | select(0u, 1u, fits), (q.y << 1u) | (q.x >> 31u));
    rest = vec2<u32>(rest.x << 1u, (rest.y << 1u) | (rest.x >> 31u));
  }}
  return f64_round(sign, ea - eb + 1023, vec2<u32>(q.x | select(0u, 1u, (rest.x | rest.y) != 0u), q.y));
}}""",
        ("f64_exponent", "f64_is_nan", "f64_significand", "u64_lt", "u64_sub", "f64_round"),
    ),
    "f64_sqrt": (
        f"""fn f64_sqrt(a: vec2<u32>) -> vec2<u32> {{
  let e = f64_exponent(a);
  if (e == 0) {{ return vec2<u32>(0u, a.y & 0x80000000u); }}
  if (f64_is_nan(a) || (a.y & 0x80000000u) != 0u) {{ return {NAN}; }}
  if (e == 2047) {{ return a; }}
  let even = (e & 1) != 0;  // the exponent less 1023
  var digits = u64_shl(f64_significand(a), vec2<u32>(select(11u, 10u, even), 0u));  // two of the radicand at a time
  var rest = vec2<u32>(0u, 0u);
  var root = vec2<u32>(0u, 0u);
  for (var k = 0u; k < 56u; k = k + 1u) {{
    rest = vec2<u32>((rest.x << 2u) | (digits.y >> 30u), (rest.y << 2u) | (rest.x >> 30u));
    digits = vec2<u32>(digits.x << 2u, (digits.y << 2u) | (digits.x >> 30u));
    let next = vec2<u32>((root.x << 2u) | 1u, (root.y << 2u) | (root.x >> 30u));
    let fits = !u64_lt(rest, next);
    rest = select(rest, u64_sub(rest, next), fits);
    root = vec2<u32>((root.x << 1u) | select(0u, 1u, fits), (root.y << 1u) | (root.x >> 31u));
  }}
  let s = vec2<u32>((root.x << 7u) | select(0u, 1u, (rest.x | rest.y) != 0u), (root.y << 7u) | (root.x >> 25u));
  return f64_round(0u, ((e - 1023) >> 1u) + 1023, s);
}}""",
        ("f64_exponent", "f64_is_nan", "u64_shl", "f64_significand", "u64_lt", "u64_sub", "f64_round"),
    ),
    "f64_split": (
        """fn f64_split(a: vec2<u32>) -> vec2<u32> {  // the upper 26 bits (Dekker)
  let scaled = f64_mul(a, vec2<u32>(0x2000000u, 0x41a00000u));
  return f64_sub(scaled, f64_sub(scaled, a));
}""",
        ("f64_mul", "f64_sub"),
    ),
    "f64_product_error": (
        """fn f64_product_error(a: vec2<u32>, b: vec2<u32>, product: vec2<u32>) -> vec2<u32> {
  let ah = f64_split(a);
  let al = f64_sub(a, ah);
  let bh = f64_split(b);
  let bl = f64_sub(b, bh);
  let first = f64_add(f64_sub(f64_mul(ah, bh), product), f64_mul(ah, bl));
  return f64_add(f64_add(first, f64_mul(al, bh)), f64_mul(al, bl));
}""",
        ("f64_split", "f64_sub", "f64_add", "f64_mul"),
    ),
    "f64_eq": (
        """fn f64_eq(a: vec2<u32>, b: vec2<u32>) -> bool {
  let zeros = f64_exponent(a) == 0 && f64_exponent(b) == 0;
  return !f64_is_nan(a) && !f64_is_nan(b) && (all(a == b) || zeros);
}""",
        ("f64_exponent", "f64_is_nan"),
    ),
    "f64_lt": (
        """fn f64_lt(a: vec2<u32>, b: vec2<u32>) -> bool {
  if (f64_is_nan(a) || f64_is_nan(b) || f64_eq(a, b)) { return false; }
  let negative = (a.y & 0x80000000u) != 0u;
  if (((a.y ^ b.y) & 0x80000000u) != 0u) { return negative; }
  return u64_lt(a, b) != negative;
}""",
        ("f64_is_nan", "f64_eq", "u64_lt"),
    ),
    "f64_le": (
        "fn f64_le(a: vec2<u32>, b: vec2<u32>) -> bool { return f64_lt(a, b) || f64_eq(a, b); }",
        ("f64_lt", "f64_eq"),
    ),
    "f64_from_i64": (
        """fn f64_from_i64(a: vec2<u32>) -> vec2<u32> {  // of a magnitude below 2^53
  let negative = (a.y & 0x80000000u) != 0u;
  return f64_round(a.y & 0x80000000u, 1085, select(a, u64_sub(vec2<u32>(0u, 0u), a), negative));
}""",
        ("f64_round", "u64_sub"),
    ),
    "f64_from_f32": (
        """fn f64_from_f32(a: u32) -> vec2<u32> {
  let sign = a & 0x80000000u;
  let e = (a >> 23u) & 255u;
  let m = a & 0x7fffffu;
  if (e == 0u) { return f64_round(sign, 936, vec2<u32>(m, 0u)); }
  let exponent = select(e + 896u, 2047u, e == 255u);
  return vec2<u32>(m << 29u, sign | (exponent << 20u) | (m >> 3u));
}""",
        ("f64_round",),
    ),
    "f64_from_bf16": ("fn f64_from_bf16(a: u32) -> vec2<u32> { return f64_from_f32(a << 16u); }", ("f64_from_f32",)),
    "f64_from_f16": (
        """fn f64_from_f16(a: u32) -> vec2<u32> {
  let sign = (a & 0x8000u) << 16u;
  let e = (a >> 10u) & 31u;
  let m = a & 0x3ffu;
  if (e == 0u) { return f64_round(sign, 1061, vec2<u32>(m, 0u)); }
  let exponent = select(e + 1008u, 2047u, e == 31u);
  return vec2<u32>(0u, sign | (exponent << 20u) | (m << 10u));
}""",
        ("f64_round",),
    ),
    "f64_narrow": (
        """fn f64_narrow(a: vec2<u32>, digits: u32, least: i32) -> u32 {  // 2^least is the smallest normal number
  let e = f64_exponent(a) - 1023;
  let infinity = u32(1 - 2 * (least - 1)) << digits;  // all bits of the exponent
  if (f64_is_nan(a)) { return infinity | (1u << (digits - 1u)); }
  if (f64_exponent(a) == 2047) { return infinity; }
  if (f64_exponent(a) == 0) { return 0u; }
  let lost = 52u - digits + u32(max(least - e, 0));
  let s = u64_shr_sticky(u64_shl(f64_significand(a), vec2<u32>(2u, 0u)), lost);  // two bits more than are kept
  let up = select(0u, 1u, (s.x & 3u) > 2u || (s.x & 7u) == 6u);
  let result = (s.x >> 2u) + up + (u32(max(e - least, 0)) << digits);
  return select(min(result, infinity), infinity, e >= 2 - least);
}""",
        ("f64_exponent", "f64_is_nan", "u64_shr_sticky", "u64_shl", "f64_significand"),
    ),
    "f64_to_f32": (
        """fn f64_to_f32(a: vec2<u32>) -> u32 {
  return f64_narrow(a, 23u, -126) | select(a.y & 0x80000000u, 0u, f64_is_nan(a));
}""",
        ("f64_narrow", "f64_is_nan"),
    ),
    "f64_to_bf16": (
        """fn f64_to_bf16(a: vec2<u32>) -> u32 {
  return f64_narrow(a, 7u, -126) | select((a.y & 0x80000000u) >> 16u, 0u, f64_is_nan(a));
}""",
        ("f64_narrow", "f64_is_nan"),
    ),
    "f64_to_f16": (
        """fn f64_to_f16(a: vec2<u32>) -> u32 {
  return f64_narrow(a, 10u, -14) | select((a.y & 0x80000000u) >> 16u, 0u, f64_is_nan(a));
}""",
        ("f64_narrow", "f64_is_nan"),
    ),
    "f64_to_u32": (
        """fn f64_to_u32(a: vec2<u32>, limit: u32) -> u32 {  // the magnitude, truncated, at most the limit
  let e = f64_exponent(a) - 1023;
  if (e < 0 || f64_is_nan(a)) { return 0u; }
  if (e > 31) { return limit; }
  return min(u64_shr(f64_significand(a), vec2<u32>(u32(52 - e), 0u)).x, limit);
}""",
        ("f64_exponent", "f64_is_nan", "u64_shr", "f64_significand"),
    ),
}
