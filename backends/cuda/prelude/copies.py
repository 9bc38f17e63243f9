"""Offsets in shared memory, and copies into it."""

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
    "clamp": Piece("DEV int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }"),
    "opaque_pointer": Piece(
        """// a pointer whose distance from others the compiler does not know: it is held, not computed from them
DEV const char* opaque_pointer(const char* p) {
  asm volatile("" : "+l"(p));
  return p;
}"""
    ),
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
