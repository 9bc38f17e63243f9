"""Addresses in shared memory and the copies into it."""

from __future__ import annotations

from .piece import Piece


def _cp_async(bytes: int) -> Piece:
    cache = "cg" if bytes == 16 else "ca"
    return Piece(
        f"""// PTX ISA 9.7.9.25.3: copies `size` bytes and fills the rest of {bytes} with zeros
DEV void cp_async_{bytes}(u32 to, const void* from, u32 size) {{
  asm volatile("cp.async.{cache}.shared.global [%0], [%1], {bytes}, %2;" :: "r"(to), "l"(from), "r"(size) : "memory");
}}"""
    )


PIECES: dict[str, Piece] = {
    "shared_address": Piece("DEV u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }"),
    "swizzled": Piece(
        """// byte offset in a row-major tile whose 16-byte chunks are permuted by the row: eight rows of one column
// of chunks fall into eight different groups of banks
template <int COLUMNS> DEV u32 swizzled(int row, int column) {
  constexpr int CHUNKS = COLUMNS / 8, MASK = (CHUNKS < 8 ? CHUNKS : 8) - 1, ROWS = CHUNKS < 8 ? 8 / CHUNKS : 1;
  const int chunk = column / 8 ^ (row / ROWS & MASK);
  return (row * COLUMNS + chunk * 8 + column % 8) * 2;
}"""
    ),
    "linear": Piece(
        "template <int COLUMNS> DEV u32 linear(int row, int column) { return (row * COLUMNS + column) * 2; }"
    ),
    "clamp": Piece("DEV int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }"),
    **{f"cp_async_{b}": _cp_async(b) for b in (16, 8, 4)},
    "store_shared_16": Piece(
        """DEV void store_shared_16(u32 to, const u32 (&w)[4]) {
  asm volatile("st.shared.v4.b32 [%0], {%1,%2,%3,%4};" :: "r"(to), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory");
}"""
    ),
    "commit_group": Piece('DEV void commit_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }'),
    "wait_group": Piece(
        'template <int PENDING> DEV void wait_group() { asm volatile("cp.async.wait_group %0;" :: "n"(PENDING) : "memory"); }'
    ),
}
