"""
Atomic updates of global memory: each kind of `dialects/common/atomics.py` for integers of 32 and 64 bits.

The functions `…_combined` first combine the values of the threads of a warp that update the same element as the first of them. So a
warp all of whose threads update one element, as in a histogram of equal values, sends one update to memory, and takes ten instructions
more otherwise. `redux.sync` reduces 32 bits; sums of 64 bits are those of parts of 22 bits, which do not overflow, and an extremum is that
of the high words, and then that of the low words of those threads that have it.
"""

from __future__ import annotations

from ....dialects.common.atomics import ATOMICS
from .piece import Piece

SUM = "(u64)__reduce_add_sync(peers, (u32)(x{shift} & 0x3fffff))"


def _reduced(kind: str, dtype: str) -> str:
    """Returns the statement that reduces `x`, of type `dtype`, over the threads `peers`."""
    signed = "(int)" * dtype.startswith("s")
    if dtype.endswith("32"):
        return f"x = __reduce_{kind}_sync(peers, {signed}x);"
    if kind == "add":
        parts = (SUM.format(shift=f" >> {by}" if by else "") + (f" << {by}" if by else "") for by in (0, 22, 44))
        return f"x = {' + '.join(f'({part})' for part in parts)};"
    high, neutral = f"{signed}(u32)(x >> 32)", "0" if kind == "max" else "0xffffffff"
    return (
        f"const u32 high = __reduce_{kind}_sync(peers, {high});\n"
        f"    const u32 low = __reduce_{kind}_sync(peers, high == (u32)(x >> 32) ? (u32)x : {neutral}u);\n"
        "    x = (u64)high << 32 | low;"
    )


def _pieces(kind: str, dtype: str) -> dict[str, Piece]:
    """Returns the update of an element of a type, and the combined one."""
    name, word = f"red_{kind}_{dtype}", f"u{dtype[1:]}"
    uses = ("u64",) if word == "u64" else ()
    update = f"""// PTX ISA 9.7.13.7
template <class T, class I> DEV void {name}(T* to, I at, {word} x) {{
  asm volatile("red.relaxed.gpu.global.{kind}.{dtype} [%0], %1;" :: "l"(to + at), "{"l" if uses else "r"}"(x) : "memory");
}}"""
    combined = f"""template <class T, class I> DEV void {name}_combined(T* to, I at, {word} x) {{
  const u32 active = __activemask();
  const int first = __ffs(active) - 1;
  const bool same = __shfl_sync(active, at, first) == at;
  const u32 peers = __ballot_sync(active, same);
  if (same) {{
    {_reduced(kind, dtype)}
  }}
  if (!same || threadIdx.x % 32 == first) {name}(to, at, x);
}}"""
    return {name: Piece(update, uses), f"{name}_combined": Piece(combined, (name, *uses))}


PIECES: dict[str, Piece] = {
    name: piece
    for kind in ATOMICS
    for dtype in ("u32", "u64", *(() if kind == "add" else ("s32", "s64")))
    for name, piece in _pieces(kind, dtype).items()
}
