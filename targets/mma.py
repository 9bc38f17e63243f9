"""
The mma instructions that kernels use, and the lane layouts of their operands.

```
C of m16n8k16    lane(4: 2j, 8: i) reg(2: j, 2: 8i)      lane 4g + t holds row g, columns 2t and 2t + 1, and row g + 8
```

`MMAS` are executed by a warp. `WGMMAS` are executed by a warpgroup; they read B, and optionally A, from shared memory, and
their N is the number of columns of the accumulator. `fma` does not use the tensor cores: each lane multiplies its own
elements. Its accumulator has the layout of m16n8. Sources: PTX ISA §9.7.14.5 (fragments of mma.sync) and §9.7.15.5
(fragments of wgmma).
"""

from __future__ import annotations

from dataclasses import dataclass

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

from .layouts import Layout, Mode

MMA_OPERANDS = ("A", "B", "C")
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
    """One instruction: `c += a · b`, with a of m x k, b of k x n, and c of m x n elements."""

    name: str
    m: int
    n: int
    k: int
    kind: str
    """A key of `OPERAND_TYPES` and of `Machine.multiply_adds`."""
    accum: Attribute
    a: Layout
    b: Layout
    c: Layout

    def accumulates_in(self, dtype: Attribute) -> bool:
        """Whether the accumulator has element type `dtype`; signed integers are treated as signless ones."""
        if isa(dtype, IntegerType) and dtype.signedness.data == Signedness.SIGNED:
            dtype = IntegerType(dtype.width.data)
        return dtype == self.accum

    def multiplies(self, dtype: Attribute) -> bool:
        """Whether operands A and B may have element type `dtype`."""
        fits = isinstance(dtype, OPERAND_TYPES[self.kind])
        return fits and (not isinstance(dtype, IntegerType) or dtype.bitwidth == 8)

    def layout(self, operand: str) -> Layout:
        return {"A": self.a, "B": self.b, "C": self.c}[operand]


def _tensor_core(name: str, m: int, n: int, k: int, kind: str, accum: Attribute) -> Mma:
    """
    Returns an mma.sync on tensor cores. A lane holds its operands in words of elements that are contiguous along k; the words
    of a row of A, or of a column of B, are distributed over four lanes.
    """
    halves = () if m == 8 else (Mode(2, 8, 0),)
    each = 1 if m == 8 else k // 8
    word = () if each == 1 else (each,)
    far = () if m == 8 else (4 * each,)
    a = (*(Mode(e, 0, 1) for e in word), *halves, *(Mode(2, 0, f) for f in far))
    b = (*(Mode(e, 1, 0) for e in word), *(Mode(2, f, 0) for f in far))
    return Mma(
        name,
        m,
        n,
        k,
        kind,
        accum,
        Layout(m, k, (Mode(4, 0, each), Mode(8, 1, 0)), a),
        Layout(k, n, (Mode(4, each, 0), Mode(8, 0, 1)), b),
        _accumulator_layout(m, n, halves),
    )


def _accumulator_layout(m: int, n: int, halves: tuple[Mode, ...]) -> Layout:
    return Layout(m, n, (Mode(4, 0, 2), Mode(8, 1, 0)), (Mode(2, 0, 1), *halves))


MMAS = {
    mma.name: mma
    for mma in (
        _tensor_core("m16n8k16", 16, 8, 16, "f16", f32),
        _tensor_core("m16n8k8", 16, 8, 8, "tf32", f32),
        _tensor_core("m16n8k32", 16, 8, 32, "i8", i32),
        _tensor_core("m8n8k4", 8, 8, 4, "f64", f64),
        Mma(
            "fma",
            16,
            8,
            4,
            "f32",
            f32,
            Layout(16, 4, (Mode(4, 0, 0), Mode(8, 1, 0)), (Mode(4, 0, 1), Mode(2, 8, 0))),
            Layout(4, 8, (Mode(4, 0, 2), Mode(8, 0, 0)), (Mode(2, 0, 1), Mode(4, 1, 0))),
            _accumulator_layout(16, 8, (Mode(2, 8, 0),)),
        ),
    )
}
"""The warp-level instructions by name: for bf16 or f16, tf32, 8-bit integers, f64, and f32 (without tensor cores)."""


def _warpgroup(name: str, k: int, kind: str, accum: Attribute) -> Mma:
    """Returns a wgmma. Each of its four warps holds 16 of the 64 rows of A and C, in the layout of mma.sync; B has no fragment."""
    each = k // 8
    word = () if each == 1 else (Mode(each, 0, 1),)
    rows = (Mode(8, 1, 0), Mode(4, 16, 0))
    a = (*word, Mode(2, 8, 0), Mode(2, 0, 4 * each))
    c = (Mode(2, 0, 1), Mode(2, 8, 0))
    return Mma(
        name,
        64,
        8,
        k,
        kind,
        accum,
        Layout(64, k, (Mode(4, 0, each), *rows), a),
        Layout(k, 8, (), ()),
        Layout(64, 8, (Mode(4, 0, 2), *rows), c),
    )


WGMMAS = {
    mma.name: mma
    for mma in (
        _warpgroup("m64k16", 16, "f16", f32),
        _warpgroup("m64k8", 8, "tf32", f32),
        _warpgroup("m64k32_f8", 32, "f8", f32),
        _warpgroup("m64k32_i8", 32, "i8", i32),
    )
}
"""
The warpgroup-level instructions by name: for bf16 or f16, tf32, fp8 of either kind, and 8-bit integers. The accumulator can
have any multiple of `n` columns that `wgmma_columns` allows.
"""

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
