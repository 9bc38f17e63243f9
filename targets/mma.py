"""
The mma instructions that kernels use, and the lane layouts of their operands.

```
C of m16n8k16    lane(4: 2j, 8: i) reg(2: j, 2: 8i)      lane 4g + t holds row g, columns 2t and 2t + 1, and row g + 8
```

`MMAS` are executed by a warp. `WGMMAS` are executed by a warpgroup, whose lanes are numbered from 0 to 127; they read B, and
optionally A, from shared memory, and their N is the number of columns of the accumulator. `fma` does not use the tensor cores:
each lane multiplies its own elements. Sources: PTX ISA §9.7.14.5 (fragments of mma.sync) and §9.7.15.5 (fragments of wgmma).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import (
    BFloat16Type,
    ComplexType,
    FixedBitwidthType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
    f32,
    f64,
    i32,
)
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from .layouts import Layout, parse_layout

OPERAND_TYPES: dict[str, tuple[type[Attribute], ...]] = {
    "f16": (BFloat16Type, Float16Type),
    "tf32": (Float32Type,),
    "f32": (Float32Type,),
    "f64": (Float64Type,),
    "f8": (Float8E4M3FNType, Float8E5M2Type),
    "i8": (IntegerType,),
}
"""The element types of A and B by `Mma.kind`; integers have 8 bits."""


@dataclass(frozen=True)
class Mma:
    """
    One instruction: `c += a · b`, with the layouts of the operands in registers. That of B has no lanes if B is in shared memory.
    """

    name: str
    kind: str
    """A key of `OPERAND_TYPES` and of `Machine.multiply_adds`."""
    accum: Attribute
    a: Layout
    b: Layout
    c: Layout

    @property
    def m(self) -> int:
        return self.c.rows

    @property
    def n(self) -> int:
        return self.c.columns

    @property
    def k(self) -> int:
        return self.a.columns

    @cached_property
    def operands(self) -> Mapping[str, Layout]:
        """The layouts of the operands that registers hold."""
        return {name: layout for name, layout in (("A", self.a), ("B", self.b), ("C", self.c)) if layout.lanes}

    def accumulates_in(self, dtype: Attribute) -> bool:
        """Whether the accumulator has element type `dtype`; signed integers are treated as signless ones."""
        if isa(dtype, IntegerType) and dtype.signedness.data == Signedness.SIGNED:
            dtype = IntegerType(dtype.width.data)
        return dtype == self.accum

    def multiplies(self, dtype: Attribute) -> bool:
        """Whether operands A and B may have element type `dtype`."""
        fits = isinstance(dtype, OPERAND_TYPES[self.kind])
        return fits and (not isinstance(dtype, IntegerType) or dtype.bitwidth == 8)


def _table(text: str) -> dict[str, Mma]:
    """Returns the instructions of a table with the columns name, kind, and the layouts of A, B and C."""
    rows = [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]
    accumulators = {"i8": i32, "f64": f64}
    return {
        name: Mma(name, kind, accumulators.get(kind, f32), *map(parse_layout, layouts)) for name, kind, *layouts in rows
    }


MMAS = _table("""
m16n8k16 | f16  | lane(4: 2j, 8: i) reg(2: j, 2: 8i, 2: 8j)  | lane(4: 2i, 8: j) reg(2: i, 2: 8i)  | lane(4: 2j, 8: i) reg(2: j, 2: 8i)
m16n8k8  | tf32 | lane(4: j, 8: i) reg(2: 8i, 2: 4j)         | lane(4: i, 8: j) reg(2: 4i)         | lane(4: 2j, 8: i) reg(2: j, 2: 8i)
m16n8k32 | i8   | lane(4: 4j, 8: i) reg(4: j, 2: 8i, 2: 16j) | lane(4: 4i, 8: j) reg(4: i, 2: 16i) | lane(4: 2j, 8: i) reg(2: j, 2: 8i)
m8n8k4   | f64  | lane(4: j, 8: i)                           | lane(4: i, 8: j)                    | lane(4: 2j, 8: i) reg(2: j)
fma      | f32  | lane(4: 0, 8: i) reg(4: j, 2: 8i)          | lane(4: 2j, 8: 0) reg(2: j, 4: i)   | lane(4: 2j, 8: i) reg(2: j, 2: 8i)
""")
"""The warp-level instructions by name: for bf16 or f16, tf32, 8-bit integers, f64, and f32 (without tensor cores)."""

WGMMAS = _table("""
m64k16    | f16  | lane(4: 2j, 8: i, 4: 16i) reg(2: j, 2: 8i, 2: 8j)  | | lane(4: 2j, 8: i, 4: 16i) reg(2: j, 2: 8i)
m64k8     | tf32 | lane(4: j, 8: i, 4: 16i) reg(2: 8i, 2: 4j)         | | lane(4: 2j, 8: i, 4: 16i) reg(2: j, 2: 8i)
m64k32_f8 | f8   | lane(4: 4j, 8: i, 4: 16i) reg(4: j, 2: 8i, 2: 16j) | | lane(4: 2j, 8: i, 4: 16i) reg(2: j, 2: 8i)
m64k32_i8 | i8   | lane(4: 4j, 8: i, 4: 16i) reg(4: j, 2: 8i, 2: 16j) | | lane(4: 2j, 8: i, 4: 16i) reg(2: j, 2: 8i)
""")
"""
The warpgroup-level instructions by name: for bf16 or f16, tf32, fp8 of either kind, and 8-bit integers. The accumulator can
have any multiple of `n` columns that `wgmma_columns` allows.
"""

OPERANDS = {f"{of} of {mma.name}": (of, mma) for mma in (MMAS | WGMMAS).values() for of in mma.operands}
"""The operands that registers hold and their instructions, by the name of the layout, such as `A of m16n8k16`."""

MAX_N = 256
"""Maximum N of a wgmma."""


def wgmma_columns(mma: Mma, columns: int) -> bool:
    """Whether a wgmma with N = `columns` exists (PTX ISA §9.7.15.5): multiples of 8; for integers 8, 24 and multiples of 16."""
    if not 8 <= columns <= MAX_N:
        return False
    return columns % 16 == 0 or columns in (8, 24) if mma.accum == i32 else columns % 8 == 0


def mma_for(
    left: Attribute, right: Attribute, accum: Attribute, precision: str = "exact", mmas: dict[str, Mma] = MMAS
) -> Mma | None:
    """Returns the instruction of `mmas` that multiplies `left` by `right` and accumulates in `accum`, or None."""
    for mma in mmas.values():
        same = left == right or mma.kind in ("f8", "i8")  # fp8 of both kinds, integers of both signs
        fits = same and (mma.kind == "tf32") == (precision == "tf32") and mma.accumulates_in(accum)
        if fits and mma.multiplies(left) and mma.multiplies(right):
            return mma
    return None


def wgmma_for(left: Attribute, right: Attribute, accum: Attribute, precision: str = "exact") -> Mma | None:
    """Returns the wgmma that multiplies `left` by `right` and accumulates in `accum`, or None."""
    return mma_for(left, right, accum, precision, WGMMAS)


def unsupported_operands_help(left: Attribute, right: Attribute, accum: Attribute) -> str:
    """Returns the help for a contraction of these element types, which no warp-level instruction supports."""
    if wgmma_for(left, right, accum) is not None:
        return 'use wgmma for fp8 (arch = "sm90" and a plan with roles), or cast the operands to bf16 (sm89 or later)'
    return "f16, bf16 and f32 accumulate in f32, 8-bit integers in i32, f64 in f64: cast the operands"


def element_bytes(dtype: Attribute) -> int:
    """Returns the size of an element in memory, in bytes; at least 1."""
    if isinstance(dtype, ComplexType):
        return 2 * element_bytes(dtype.element_type)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    return max(1, dtype.bitwidth // 8) if isinstance(dtype, FixedBitwidthType) else 1
