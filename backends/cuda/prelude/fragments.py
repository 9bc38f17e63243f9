"""Loads of fragments, multiplications, exchanges among lanes."""

from __future__ import annotations

from .piece import Piece


def _outputs(kind: str, array: str, count: int, access: str) -> str:
    return ", ".join(f'"{access}{kind}"({array}[{k}])' for k in range(count))


def _places(first: int, count: int) -> str:
    return "{" + ",".join(f"%{first + k}" for k in range(count)) + "}"


def _mma(function: str, shape: str, types: str, sums: tuple[str, str, int], words: tuple[str, str, int, int]) -> Piece:
    """`sums`: C type, constraint and count of a lane's sums; `words`: the same of its operands, A's and B's count."""
    ctype, kind, c = sums
    word, each, a, b = words
    return Piece(
        f"""// PTX ISA 9.7.14.5.14: d += a * b on {shape[1:].replace("n", " x ").replace("k", " x ")}
DEV void {function}({ctype} (&d)[{c}], const {word} (&a)[{a}], const {word} (&b)[{b}]) {{
  asm volatile("mma.sync.aligned.{shape}.row.col.{types} {_places(0, c)}, {_places(c, a)}, {_places(c + a, b)}, {_places(0, c)};"
               : {_outputs(kind, "d", c, "+")}
               : {_outputs(each, "a", a, "")}, {_outputs(each, "b", b, "")});
}}"""
    )


def _ldmatrix(count: int, modifier: str) -> Piece:
    suffix = "_trans" if modifier else ""
    registers = ", ".join(f"u32& r{k}" for k in range(count))
    outputs = ", ".join(f'"=r"(r{k})' for k in range(count))
    return Piece(
        f"""// PTX ISA 9.7.14.5.15: {count} 8x8 matrices of 16-bit elements, each row's address from one lane
DEV void ldmatrix_x{count}{suffix}({registers}, u32 row) {{
  asm volatile("ldmatrix.sync.aligned.m8n8.x{count}{modifier}.shared.b16 {_places(0, count)}, [%{count}];"
               : {outputs} : "r"(row) : "memory");
}}"""
    )


def _ld_shared(bytes: int) -> Piece:
    count = max(1, bytes // 4)
    vector = f".v{count}" if count > 1 else ""
    places = _places(0, count) if count > 1 else "%0"
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
SIGNS = {"s8": "i8", "u8": "u8"}
PIECES: dict[str, Piece] = {
    **{
        f"ldmatrix_x{count}{'_trans' if modifier else ''}": _ldmatrix(count, modifier)
        for count in (4, 2)
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
    **{
        f"mma_m16n8k16_{t}": _mma(f"mma_m16n8k16_{t}", "m16n8k16", f"f32.{t}.{t}.f32", FLOATS, ("u32", "r", 4, 2))
        for t in ("bf16", "f16")
    },
    "mma_m16n8k8_tf32": _mma("mma_m16n8k8_tf32", "m16n8k8", "f32.tf32.tf32.f32", FLOATS, ("u32", "r", 4, 2)),
    **{
        f"mma_m16n8k32_{a}_{b}": _mma(f"mma_m16n8k32_{a}_{b}", "m16n8k32", f"s32.{a}.{b}.s32", INTS, ("u32", "r", 4, 2))
        for a in SIGNS
        for b in SIGNS
    },
    "mma_m8n8k4_f64": _mma("mma_m8n8k4_f64", "m8n8k4", "f64.f64.f64.f64", DOUBLES, ("double", "d", 1, 1)),
    "fma_m16n8k4": Piece(
        """// d += a * b on 16 x 8 x 4 without tensor cores: a lane multiplies the rows and columns of the sums it holds
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
        """// PTX ISA 9.7.9.22
DEV u32 to_tf32(u32 x) {
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(x) : "f"(__uint_as_float(x)));
  return x;
}"""
    ),
    "exchange": Piece(
        """// two lanes whose numbers differ in bit `step` swap a value: the lower one its y, the upper one its x. PTX ISA 9.7.9.6
template <class T> DEV void exchange(T& x, T& y, int step) {
  const bool high = threadIdx.x & step;
  T z = high ? x : y;
  asm volatile("shfl.sync.bfly.b32 %0, %0, %1, 0x1f, 0xffffffff;" : "+r"(reinterpret_cast<u32&>(z)) : "r"(step));
  x = high ? z : x;  // not a store to one of the two: that would put both in local memory
  y = high ? y : z;
}"""
    ),
    "quad_transpose": Piece(
        """// transposes four values of each of four lanes: afterwards value s of lane t is what lane s had as value t
template <class T> DEV void quad_transpose(T& a, T& b, T& c, T& d) {
  exchange(a, b, 1); exchange(c, d, 1);
  exchange(a, c, 2); exchange(b, d, 2);
}""",
        uses=("exchange",),
    ),
}
