"""
wgmma, matrix descriptors, and stores of results to shared memory.

There is one wgmma function for each n, k and pair of types; `piece` generates those that a kernel calls. If k is that of several
instructions, they are one asm statement: NVRTC takes long for asm operands, and all instructions share the accumulator's.
"""

from __future__ import annotations

import re

from .piece import Piece, asm_operands, instruction, placeholders, wait_instruction

WIDTHS = range(8, 257, 8)
FP8, INT8 = ("e4m3", "e5m2"), ("s8", "u8")
TYPES = {
    "bf16": (16, "f32.bf16.bf16"),
    "f16": (16, "f32.f16.f16"),
    "tf32": (8, "f32.tf32.tf32"),
    **{f"{a}_{b}": (32, f"f32.{a}.{b}") for a in FP8 for b in FP8},
    **{f"{a}_{b}": (32, f"s32.{a}.{b}") for a in INT8 for b in INT8},
}
"""The instruction's k and its types in PTX, by the suffix of the function's name."""
PREFIX = "wgmma_m64n"
"""The beginning of the names of the functions that `piece` generates."""


def _wrapped(parts: list[str], each: int, between: str) -> str:
    """Returns a comma-separated list with `each` parts per line; `between` separates lines."""
    return between.join(", ".join(parts[k : k + each]) for k in range(0, len(parts), each))


def piece(name: str) -> Piece:
    """
    Returns the function `wgmma_m64n256k16_bf16`, or `wgmma_m64n256k16_bf16_frag` with A in registers; `wgmma_m64n256k64_bf16` is four
    instructions, with an A and a B each.
    """
    width, k, types, frag = re.fullmatch(PREFIX + r"(\d+)k(\d+)_(\w+?)(_frag)?", name).groups()  # pyright: ignore[reportOptionalMemberAccess]
    n, (depth, ptx) = int(width), TYPES[types]
    transposes, integers = depth == 16, ptx.startswith("s32")
    registers, steps = n // 2, int(k) // depth
    ctype, kind = ("int", "r") if integers else ("float", "f")
    places = _wrapped([f"%{k}" for k in range(registers)], 32, ', "\n               "')
    outputs = _wrapped([f'"+{kind}"(d[{k // 4}][{k % 4}])' for k in range(registers)], 8, ",\n                 ")
    words = 4 if frag else 1
    add = registers + (words + 1) * steps
    across = [] if frag else ["A_ACROSS"]
    across = [*across, "B_ACROSS"] if transposes else []
    flags = "".join(f", %{add + 1 + k}" for k in range(len(across)))
    flags = "" if integers else f", 1, 1{flags}"
    parameters, inputs, instructions = list[str](), list[str](), list[str]()
    for step in range(steps):
        number, first = str(step) if steps > 1 else "", registers + (words + 1) * step
        parameters.append(f"const u32 (&a{number})[4], u64 b{number}" if frag else f"u64 a{number}, u64 b{number}")
        inputs.append(asm_operands("r", f"a{number}", 4) if frag else f'"l"(a{number})')
        inputs.append(f'"l"(b{number})')
        operands = f"{placeholders(first, 4) if frag else f'%{first}'}, %{first + words}, {'1' if step else 'p'}"
        opcode = f"wgmma.mma_async.sync.aligned.m64n{n}k{depth}.{ptx}"
        instructions.append(f'{opcode} "\n               "{{{places}}}, {operands}{flags};\\n')
    template = f"template <{', '.join(f'int {a}' for a in across)}> " if across else ""
    constants = "".join(f', "n"({a})' for a in across)
    means = "; ACROSS 1: the operand is MN-major" if across else ""
    return Piece(
        f"""// PTX ISA 9.7.15.5.2: d = a * b, or d + a * b, on 64 x {n} x {k}{means}
{template}DEV void {name}({ctype} (&d)[{n // 8}][4], {", ".join(parameters)}, int add) {{
  asm volatile("{{\\n.reg .pred p;\\nsetp.ne.b32 p, %{add}, 0;\\n{"".join(instructions)}}}"
               : {outputs}
               : {", ".join(inputs)}, "r"(add){constants});
}}""",
        ("u64",),
    )


def _stmatrix(modifier: str) -> Piece:
    suffix = "_trans" if modifier else ""
    return Piece(
        f"""// PTX ISA 9.7.14.5.16: four 8x8 matrices of 16-bit elements, each row's address from one lane
DEV void stmatrix_x4{suffix}(u32 row, u32 r0, u32 r1, u32 r2, u32 r3) {{
  asm volatile("stmatrix.sync.aligned.m8n8.x4{modifier}.shared.b16 [%0], {{%1,%2,%3,%4}};"
               :: "r"(row), "r"(r0), "r"(r1), "r"(r2), "r"(r3) : "memory");
}}"""
    )


def _pack(dtype: str) -> Piece:
    return Piece(
        f"""// PTX ISA 9.7.9.21: two elements in a word, the first in its lower half
DEV u32 pack_{dtype}(float first, float second) {{
  u32 y;
  asm("cvt.rn.{dtype}x2.f32 %0, %1, %2;" : "=r"(y) : "f"(second), "f"(first));
  return y;
}}"""
    )


def _store_pair(ctype: str, kind: str) -> str:
    return f"""DEV void store_shared_8(u32 to, {ctype} x, {ctype} y) {{
  asm volatile("st.shared.v2.b32 [%0], {{%1,%2}};" :: "r"(to), "{kind}"(x), "{kind}"(y) : "memory");
}}"""


def _landed(ctype: str, kind: str, count: int = 4) -> str:
    """
    Returns the overload of `wgmma_landed` for registers of type `ctype`. There is one for each type, because a conversion
    between a fence and a wgmma would serialize the wgmma.
    """
    operands = asm_operands(f"+{kind}", "d[j]", count)
    return f"""template <int N> DEV void wgmma_landed({ctype} (&d)[N][{count}]) {{
  #pragma unroll
  for (int j = 0; j < N; ++j) asm volatile("" : {operands} :: "memory");
}}"""


PIECES: dict[str, Piece] = {
    "k_major": Piece(
        """// PTX ISA 9.7.15.5.1.2: descriptor of a K-major operand in panels of PANEL bytes along k, whose groups of 8 rows are
// contiguous; `chunk` is the offset from the ring's start in units of 16 bytes
template <int PANEL> DEV u64 k_major(u32 ring, u32 chunk) {
  constexpr u32 SWIZZLE = PANEL == 128 ? 1 : PANEL == 64 ? 2 : 3;
  return (u64)(SWIZZLE << 30 | PANEL / 2) << 32 | (1 << 16) + ring / 16 + chunk;
}""",
        ("u64",),
    ),
    "mn_major": Piece(
        """// PTX ISA 9.7.15.5.1.2: descriptor of an MN-major operand in panels of PANEL bytes along m or n, ROWS of k each
template <int PANEL, int ROWS> DEV u64 mn_major(u32 ring, u32 chunk) {
  constexpr u32 SWIZZLE = PANEL == 128 ? 1 : PANEL == 64 ? 2 : 3;
  return (u64)(SWIZZLE << 30 | PANEL / 2) << 32 | (ROWS * PANEL / 16 << 16) + ring / 16 + chunk;
}""",
        ("u64",),
    ),
    **instruction("wgmma_fence", "wgmma.fence.sync.aligned", "9.7.15.7.1"),
    **instruction("wgmma_commit", "wgmma.commit_group.sync.aligned", "9.7.15.7.2"),
    **{
        f"wgmma_landed {ctype}": Piece(
            "// marks accumulators as modified after their wait, so that the compiler moves no use of them before it\n"
            + _landed(ctype, kind, count)
        )
        for ctype, kind, count in (("float", "f", 4), ("int", "r", 4), ("u32", "r", 2))
    },
    "hold": Piece(
        """// ptxas moves a wait up over arithmetic, but not over this store, which is never executed: no arithmetic has that result
DEV void hold(float x) {
  asm volatile("{\\n.reg .pred p;\\nsetp.eq.b32 p, %0, 0x7f876543;\\n@p st.volatile.shared.b32 [%0], %0;\\n}"
               :: "r"(__float_as_uint(x)) : "memory");
}"""
    ),
    "opaque": Piece(
        """// a number whose origin the compiler does not know: a loop up to it stays a loop, and what is computed from it stays where it is
DEV int opaque(int x) {
  asm volatile("" : "+r"(x));
  return x;
}"""
    ),
    "wgmma_placed": Piece(
        """// marks registers of an operand as written before a fence, each by itself
DEV void wgmma_placed(u32 (&a)[4]) {
  #pragma unroll
  for (int e = 0; e < 4; ++e) asm volatile("" : "+r"(a[e]) :: "memory");
}"""
    ),
    **wait_instruction("wgmma_wait", "wgmma.wait_group.sync.aligned", "9.7.15.7.3"),
    "stmatrix_x4": _stmatrix(""),
    "stmatrix_x4_trans": _stmatrix(".trans"),
    "pack_bf16": _pack("bf16"),
    "pack_f16": _pack("f16"),
    **{
        f"store_shared_8 {ctype}": Piece("// PTX ISA 9.7.9.11\n" + _store_pair(ctype, kind))
        for ctype, kind in (("float", "f"), ("int", "r"))
    },
}
