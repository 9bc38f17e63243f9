"""Loads of fragments, mma, exchanges between lanes."""

from __future__ import annotations

from .piece import Piece, asm_operands, placeholders


def _mma(
    shape: str, types: str, suffix: str, accumulator: tuple[str, str, int], operands: tuple[str, str, int, int]
) -> dict[str, Piece]:
    """
    Returns an mma function: `accumulator` is the C type, asm constraint and count of a lane's registers; `operands`
    are C type, constraint, A's and B's count.
    """
    function = f"mma_{shape}_{suffix}"
    ctype, kind, c = accumulator
    word, each, a, b = operands
    text = f"""// PTX ISA 9.7.14.5.14: d += a * b on {shape[1:].replace("n", " x ").replace("k", " x ")}
DEV void {function}({ctype} (&d)[{c}], const {word} (&a)[{a}], const {word} (&b)[{b}]) {{
  asm volatile("mma.sync.aligned.{shape}.row.col.{types} {placeholders(0, c)}, {placeholders(c, a)}, {placeholders(c + a, b)}, {placeholders(0, c)};"
               : {asm_operands(f"+{kind}", "d", c)}
               : {asm_operands(each, "a", a)}, {asm_operands(each, "b", b)});
}}"""
    return {function: Piece(text)}


def _ldmatrix(count: int, modifier: str) -> Piece:
    suffix = "_trans" if modifier else ""
    registers = ", ".join(f"u32& r{k}" for k in range(count))
    outputs = ", ".join(f'"=r"(r{k})' for k in range(count))
    return Piece(
        f"""// PTX ISA 9.7.14.5.15: {count} 8x8 matrices of 16-bit elements, each row's address from one lane
DEV void ldmatrix_x{count}{suffix}({registers}, u32 row) {{
  asm volatile("ldmatrix.sync.aligned.m8n8.x{count}{modifier}.shared.b16 {placeholders(0, count)}, [%{count}];"
               : {outputs} : "r"(row) : "memory");
}}"""
    )


def _ld_shared(bytes: int) -> Piece:
    count = max(1, bytes // 4)
    vector = f".v{count}" if count > 1 else ""
    places = placeholders(0, count) if count > 1 else "%0"
    registers = ", ".join(f"u32& r{k}" for k in range(count))
    outputs = ", ".join(f'"=r"(r{k})' for k in range(count))
    return Piece(
        f"""// PTX ISA 9.7.9.8
DEV void ld_shared_{bytes}({registers}, u32 at) {{
  asm volatile("ld.shared{vector}.b32 {places}, [%{count}];" : {outputs} : "r"(at) : "memory");
}}"""
    )


def _ld_shared_part(bytes: int) -> Piece:
    word, kind = ("u32", "r") if bytes == 1 else ("u16", "h")
    return Piece(
        f"""// PTX ISA 9.7.9.8
DEV u32 ld_shared_{bytes}(u32 at) {{
  {word} x;
  asm volatile("ld.shared.u{8 * bytes} %0, [%1];" : "={kind}"(x) : "r"(at) : "memory");
  return x;
}}"""
    )


FLOATS, INTS, DOUBLES = ("float", "f", 4), ("int", "r", 4), ("double", "d", 2)
WORDS = ("u32", "r", 4, 2)
PIECES: dict[str, Piece] = {
    **{
        f"ldmatrix_x{count}{'_trans' if modifier else ''}": _ldmatrix(count, modifier)
        for count in (4, 2, 1)
        for modifier in ("", ".trans")
    },
    **{f"ld_shared_{bytes}": _ld_shared(bytes) for bytes in (16, 8, 4)},
    **{f"ld_shared_{bytes}": _ld_shared_part(bytes) for bytes in (2, 1)},
    "ld_shared_f64": Piece(
        """// PTX ISA 9.7.9.8
DEV void ld_shared_f64(double& x, u32 at) {
  asm volatile("ld.shared.f64 %0, [%1];" : "=d"(x) : "r"(at) : "memory");
}"""
    ),
    **_mma("m16n8k16", "f32.bf16.bf16.f32", "bf16", FLOATS, WORDS),
    **_mma("m16n8k16", "f32.f16.f16.f32", "f16", FLOATS, WORDS),
    **_mma("m16n8k8", "f32.tf32.tf32.f32", "tf32", FLOATS, WORDS),
    **_mma("m16n8k32", "s32.s8.s8.s32", "s8_s8", INTS, WORDS),
    **_mma("m16n8k32", "s32.s8.u8.s32", "s8_u8", INTS, WORDS),
    **_mma("m16n8k32", "s32.u8.s8.s32", "u8_s8", INTS, WORDS),
    **_mma("m16n8k32", "s32.u8.u8.s32", "u8_u8", INTS, WORDS),
    **_mma("m8n8k4", "f64.f64.f64.f64", "f64", DOUBLES, ("double", "d", 1, 1)),
    "adjacent_tiles": Piece(
        """// two adjacent tiles of a converted accumulator, which are a tile of operand A
DEV const u32 (&adjacent_tiles(const u32 (&first)[2]))[4] { return *(const u32 (*)[4])first; }"""
    ),
    "fma_m16n8k4": Piece(
        """// d += a * b on 16 x 8 x 4 without tensor cores: a lane has the rows of A and the columns of B of its accumulators
DEV void fma_m16n8k4(float (&d)[4], const u32 (&a)[8], const u32 (&b)[8]) {
  #pragma unroll
  for (int k = 0; k < 4; ++k) {
    #pragma unroll
    for (int e = 0; e < 4; ++e)
      d[e] = __fmaf_rn(__uint_as_float(a[e / 2 * 4 + k]), __uint_as_float(b[k * 2 + e % 2]), d[e]);
  }
}"""
    ),
    "to_tf32": Piece(
        """// PTX ISA 9.7.9.21
DEV u32 to_tf32(u32 x) {
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(x) : "f"(__uint_as_float(x)));
  return x;
}"""
    ),
    "exchange": Piece(
        """// PTX ISA 9.7.9.6: two lanes whose indices differ in bit `step` swap a value, the lower one its y, the upper one its x
template <class T> DEV void exchange(T& x, T& y, int step) {
  const bool high = threadIdx.x & step;
  const T z = __shfl_xor_sync(0xffffffff, high ? x : y, step);
  x = high ? z : x;  // no conditional reference: that would put x and y into local memory
  y = high ? y : z;
}"""
    ),
    "trade": Piece(
        """// PTX ISA 9.7.9.6: of two lanes whose indices differ in bit `step`, the lower one keeps x, the upper one its y, in x; y is
// what the other lane has in place of it
template <class T> DEV void trade(T& x, T& y, int step) {
  const bool high = threadIdx.x & step;
  const T kept = high ? y : x;
  y = __shfl_xor_sync(0xffffffff, high ? x : y, step);
  x = kept;
}"""
    ),
}
