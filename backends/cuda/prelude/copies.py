"""Layouts of shared memory, and copies into it."""

from __future__ import annotations

from .piece import Piece, instruction, wait_instruction


def _cp_async(bytes: int) -> Piece:
    cache = "cg" if bytes == 16 else "ca"
    return Piece(
        f"""// PTX ISA 9.7.9.25.3: copies `size` bytes and zero-fills the rest of the {bytes}
DEV void cp_async_{bytes}(u32 to, const void* from, u32 size) {{
  asm volatile("cp.async.{cache}.shared.global [%0], [%1], {bytes}, %2;" :: "r"(to), "l"(from), "r"(size) : "memory");
}}"""
    )


PIECES: dict[str, Piece] = {
    "shared_address": Piece("DEV u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }"),
    "swizzled": Piece(
        """// byte offset in a row-major tile whose 16-byte chunks are XOR-swizzled by the row: the same chunk column of eight
// consecutive rows falls into eight different bank groups
template <int COLUMNS, int BYTES> DEV u32 swizzled(u32 row, u32 column) {
  constexpr u32 EACH = 16 / BYTES, CHUNKS = COLUMNS / EACH, MASK = (CHUNKS < 8 ? CHUNKS : 8) - 1, ROWS = CHUNKS < 8 ? 8 / CHUNKS : 1;
  return row * (COLUMNS * BYTES) + ((column / EACH ^ (row / ROWS & MASK)) * 16 + column % EACH * BYTES);
}"""
    ),
    "swizzled_columns": Piece(
        """// as `swizzled`, for warps that read a few contiguous elements of each of four rows, which are 4 / BYTES rows (at least
// one) apart; in a byte tile with fewer than four chunks a row, rows are also rotated within their group of four
template <int COLUMNS, int BYTES> DEV u32 swizzled_columns(u32 row, u32 column) {
  constexpr u32 EACH = 16 / BYTES, CHUNKS = COLUMNS / EACH, MASK = (CHUNKS < 8 ? CHUNKS : 8) - 1, ROWS = CHUNKS < 8 ? 8 / CHUNKS : 1;
  constexpr u32 APART = BYTES < 4 ? 4 / BYTES : 1, TAKEN = BYTES < 4 ? 1 : 2, STEP = APART > ROWS ? APART : ROWS;
  const u32 place = BYTES == 1 && CHUNKS < 4 ? (row & ~3u) + (row + row / 4 & 3) : row;
  return place * (COLUMNS * BYTES) + ((column / EACH ^ (row / STEP * TAKEN & MASK)) * 16 + column % EACH * BYTES);
}"""
    ),
    "linear": Piece(
        "template <int COLUMNS, int BYTES> DEV u32 linear(u32 row, u32 column) { return (row * COLUMNS + column) * BYTES; }"
    ),
    "panelled": Piece(
        """// byte offset in a tile of panels, each PANEL bytes wide and ROWS rows high; the index of a 16-byte chunk is XORed with
// address bits 7 and up, as TMA and wgmma do (PTX ISA 5.5.6)
template <int ROWS, int PANEL, int BYTES> DEV u32 panelled(u32 row, u32 column) {
  const u32 byte = column * BYTES, at = (byte / PANEL * ROWS + row) * PANEL + byte % PANEL;
  return at ^ at >> 3 & PANEL - 16;
}"""
    ),
    "clamp": Piece("DEV int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }"),
    **{f"cp_async_{b}": _cp_async(b) for b in (16, 8, 4)},
    "store_shared_16": Piece(
        """// PTX ISA 9.7.9.11
DEV void store_shared_16(u32 to, const u32 (&w)[4]) {
  asm volatile("st.shared.v4.b32 [%0], {%1,%2,%3,%4};" :: "r"(to), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory");
}"""
    ),
    **instruction("commit_group", "cp.async.commit_group", "9.7.9.25.3.2"),
    **wait_instruction("wait_group", "cp.async.wait_group", "9.7.9.25.3.3"),
}
