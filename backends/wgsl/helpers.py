"""
Functions that the printed text calls: the total division of 32 bits, and a U64 as `vec2<u32>(low, high)`.

Each is its text and the names of those that it calls.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...elementary import wgsl as elementary

FUNCTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "u32_div": (
        """fn u32_div(a: u32, b: u32) -> u32 {
  return select(a / select(b, 1u, b == 0u), 0u, b == 0u);
}""",
        (),
    ),
    "u32_rem": (
        """fn u32_rem(a: u32, b: u32) -> u32 {
  return select(a % select(b, 1u, b == 0u), 0u, b == 0u);
}""",
        (),
    ),
    "i32_div": (
        """fn i32_div(a: i32, b: i32) -> i32 {
  let q = u32_div(i32_magnitude(a), i32_magnitude(b));
  return bitcast<i32>(select(q, 0u - q, (a < 0) != (b < 0)));
}""",
        ("u32_div", "i32_magnitude"),
    ),
    "i32_rem": (
        """fn i32_rem(a: i32, b: i32) -> i32 {
  let r = u32_rem(i32_magnitude(a), i32_magnitude(b));
  return bitcast<i32>(select(r, 0u - r, a < 0));
}""",
        ("u32_rem", "i32_magnitude"),
    ),
    "i32_magnitude": (
        """fn i32_magnitude(a: i32) -> u32 {
  let u = bitcast<u32>(a);
  return select(u, 0u - u, a < 0);
}""",
        (),
    ),
    "u64_add": (
        """fn u64_add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.x + b.x;
  return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}""",
        (),
    ),
    "u64_sub": (
        """fn u64_sub(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}""",
        (),
    ),
    "u64_mul": (
        """fn u64_mul(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let al = a.x & 65535u;
  let ah = a.x >> 16u;
  let bl = b.x & 65535u;
  let bh = b.x >> 16u;
  let ll = al * bl;
  let middle = ah * bl + (ll >> 16u);
  let other = al * bh + (middle & 65535u);
  let high = ah * bh + (middle >> 16u) + (other >> 16u);
  return vec2<u32>((other << 16u) | (ll & 65535u), high + a.x * b.y + a.y * b.x);
}""",
        (),
    ),
    "u64_lt": (
        """fn u64_lt(a: vec2<u32>, b: vec2<u32>) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}""",
        (),
    ),
    "u64_min": (
        """fn u64_min(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return select(b, a, u64_lt(a, b));
}""",
        ("u64_lt",),
    ),
    "u64_max": (
        """fn u64_max(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return select(a, b, u64_lt(a, b));
}""",
        ("u64_lt",),
    ),
    "u64_shl": (
        """fn u64_shl(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let n = b.x & 31u;
  let carry = select(a.x >> ((32u - n) & 31u), 0u, n == 0u);
  let near = vec2<u32>(a.x << n, (a.y << n) | carry);
  return select(near, vec2<u32>(0u, near.x), (b.x & 32u) != 0u);
}""",
        (),
    ),
    "u64_shr": (
        """fn u64_shr(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let n = b.x & 31u;
  let carry = select(a.y << ((32u - n) & 31u), 0u, n == 0u);
  let near = vec2<u32>((a.x >> n) | carry, a.y >> n);
  return select(near, vec2<u32>(near.y, 0u), (b.x & 32u) != 0u);
}""",
        (),
    ),
    "u64_divide": (
        """fn u64_divide(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {  // quotient and remainder, bit by bit
  var q = vec2<u32>(0u, 0u);
  var r = vec2<u32>(0u, 0u);
  if (all(b == vec2<u32>(0u, 0u))) {
    return vec4<u32>(0u, 0u, 0u, 0u);
  }
  for (var k = 64u; k > 0u; k = k - 1u) {
    let lost = r.y >> 31u;
    r = u64_shl(r, vec2<u32>(1u, 0u));
    r.x = r.x | (u64_shr(a, vec2<u32>(k - 1u, 0u)).x & 1u);
    if (lost != 0u || !u64_lt(r, b)) {
      r = u64_sub(r, b);
      let bit = u64_shl(vec2<u32>(1u, 0u), vec2<u32>(k - 1u, 0u));
      q = q | bit;
    }
  }
  return vec4<u32>(q, r);
}""",
        ("u64_shl", "u64_shr", "u64_lt", "u64_sub"),
    ),
    "u64_div": (
        """fn u64_div(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return u64_divide(a, b).xy;
}""",
        ("u64_divide",),
    ),
    "u64_rem": (
        """fn u64_rem(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return u64_divide(a, b).zw;
}""",
        ("u64_divide",),
    ),
}


def source(names: Iterable[str]) -> str:
    """Returns the text of the named functions and of all that they call, each after what it calls."""
    wanted: dict[str, str] = {}

    def want(name: str) -> None:
        if name not in wanted:
            text, calls = FUNCTIONS[name] if name in FUNCTIONS else elementary.piece(name)
            for called in calls:
                want(called)
            wanted[name] = text

    for name in names:
        want(name)
    return "".join(f"{text}\n\n" for text in wanted.values())
