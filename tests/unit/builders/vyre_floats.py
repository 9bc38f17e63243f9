"""Operands of strict float ops, and programs that apply them."""

from __future__ import annotations

import numpy as np

SPECIAL = {
    "f32": [
        0,
        0x80000000,
        1,
        0x807FFFFF,
        0x00800000,
        0x3F800000,
        0xBF800001,
        0x7F7FFFFF,
        0x7F800000,
        0xFF800000,
        0x7FC00001,
    ],
    "f16": [0, 0x8000, 1, 0x83FF, 0x0400, 0x3C00, 0xBC01, 0x7BFF, 0x7C00, 0xFC00, 0x7E01],
    "bf16": [0, 0x8000, 1, 0x807F, 0x0080, 0x3F80, 0xBF81, 0x7F7F, 0x7F80, 0xFF80, 0x7FC1],
}
"""Zeros, subnormal and normal limits, 1, infinities, NaN."""

PROGRAM = """
vyre.program @p workgroup [64, 1, 1] {{
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_only>
  %b = vyre.buffer "b" binding 1 : !vyre.buffer<u32, read_only>
  %c = vyre.buffer "c" binding 2 : !vyre.buffer<u32, read_only>
  %o = vyre.buffer "o" binding 3 : !vyre.buffer<u32, read_write>
  %i = vyre.position global x
{body}
}}
"""


def words_of(format: str, count: int, size: int = 2048) -> list[np.ndarray]:
    """Returns `count` arrays of bits: combinations of special numbers, numbers of like magnitude, and any."""
    width = 32 if format == "f32" else 16
    generator = np.random.default_rng(width * count)
    words = generator.integers(0, 1 << width, (count, size), dtype=np.uint64).astype(np.uint32)
    near = size // 2
    sign = words[:, :near] & np.uint32(1 << (width - 1))
    words[:, :near] = sign | np.uint32(SPECIAL[format][5]) + (
        words[:, :near] & np.uint32(0xFFFFFF if width == 32 else 0x3FF)
    )
    special = np.array(np.meshgrid(*[SPECIAL[format]] * count)).reshape(count, -1).astype(np.uint32)
    chosen = generator.permutation(special.shape[1])[: size // 4]
    words[:, : chosen.size] = special[:, chosen]
    return list(words)


def applied(op: str, count: int, format: str, result: str = "") -> str:
    """Returns the program that applies an op, written as in the IR, to the low bits of words; a boolean result becomes a word."""
    t = f"!vyre.preview<{format}>"
    lines = list[str]()
    for name in "abc"[:count]:
        lines.append(f"%{name}w = vyre.load %{name}[%i] : !vyre.buffer<u32, read_only> -> !vyre.u32")
        lines.append(f"%{name}x = vyre.bitcast %{name}w : !vyre.u32 to {t}")
    operands = ", ".join(f"%{name}x" for name in "abc"[:count])
    lines.append(f"%r = vyre.{op} {operands} : {t}" + (f" to {result}" if op == "cast" else ""))
    of = "!vyre.bool" if op.startswith("compare") else result or t
    if of != "!vyre.u32":
        lines.append(f"%w = vyre.{'bitcast' if 'preview' in of else 'cast'} %r : {of} to !vyre.u32")
    value = "%r" if of == "!vyre.u32" else "%w"
    lines.append(f"vyre.store {value}, %o[%i] : !vyre.u32, !vyre.buffer<u32, read_write>")
    return PROGRAM.format(body="\n".join(f"  {line}" for line in lines))
