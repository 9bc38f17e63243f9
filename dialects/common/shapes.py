"""Rules about shapes and element types that several dialects share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    ComplexType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    MemRefType,
    Signedness,
    StringAttr,
    TensorType,
    f32,
    f64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from ...errors import AxisOutOfRange, DuplicateAxis, UnsupportedType
from .checks import check_attribute, check_word

FLOAT8 = (Float8E4M3FNType, Float8E5M2Type)
"""The fp8 types. A contraction may multiply one by the other."""
ADDRESSABLE = 1 << 47
"""Size of the address space of a process, in bytes."""


def is_tensor(t: object) -> TypeGuard[TensorType[Attribute]]:
    """Whether `t` is the type of a ranked tensor. (xDSL's `isa` compiles a constraint each time, a sixth of a compilation in all.)"""
    return isinstance(t, TensorType)


def tensor(value: SSAValue | Attribute, op: Operation | None = None) -> TensorType[Attribute]:
    """Returns the type of `value`, or `value` itself if it is a type. Raises `UnsupportedType` if it is no ranked tensor."""
    t = value.type if isinstance(value, SSAValue) else value
    if not is_tensor(t):
        raise UnsupportedType(op, what="a value", got=t, want="a ranked tensor is needed")
    return t


def memref_of(value: SSAValue) -> MemRefType[Attribute]:
    """Returns the value's type. Raises `UnsupportedType` if it is not a memref."""
    if not isinstance(value.type, MemRefType):
        raise UnsupportedType(what="a value", got=value.type, want="a memref is needed")
    return cast("MemRefType[Attribute]", value.type)


def shape(value: SSAValue | Attribute) -> tuple[int, ...]:
    return tuple(tensor(value).get_shape())


def element(value: SSAValue | Attribute) -> Attribute:
    return tensor(value).element_type


def is_float(t: Attribute) -> bool:
    return isinstance(t, AnyFloat)


def is_complex(t: Attribute) -> TypeGuard[ComplexType[AnyFloat]]:
    return isinstance(t, ComplexType)


def is_predicate(t: Attribute) -> bool:
    return isa(t, IntegerType) and t.width.data == 1


def is_unsigned(t: Attribute) -> bool:
    """Whether `t` is an unsigned integer type. `i1` is unsigned, other signless types are signed."""
    return isa(t, IntegerType) and (t.signedness.data == Signedness.UNSIGNED or t.width.data == 1)


def signless(t: Attribute) -> Attribute:
    """Returns the type that represents `t` in `arith`: integer types become signless, other types are unchanged."""
    return IntegerType(t.width.data) if isa(t, IntegerType) else t


def shape_text(sizes: Sequence[int]) -> str:
    """Returns sizes as text, such as `[2, ?]` with `?` for a dynamic size."""
    return "[" + ", ".join("?" if s < 0 else str(s) for s in sizes) + "]"


def index_names(rank: int) -> list[str]:
    """Returns the names of a value's axes in sets and maps, `i0, i1, …` (tensor-compiler.ja §1.3, invariant 2)."""
    return [f"i{k}" for k in range(rank)]


def normalize_axis(op: Operation, axis: int, rank: int) -> int:
    """
    Returns `axis`, or `axis + rank` if it is negative (PTIR contract, *Negative axes*). Raises `AxisOutOfRange`.
    """
    if not -rank <= axis < rank:
        help = f"axes run from {-rank} to {rank - 1}" if rank else "a rank-0 tensor has no axes"
        raise AxisOutOfRange(op, axis=axis, rank=rank, help=help)
    return axis % rank


def normalize_axes(op: Operation, axes: Sequence[int], rank: int, what: str) -> tuple[int, ...]:
    """Returns the normalized axes. Raises `DuplicateAxis` if two are equal; the message calls the list `what`."""
    out: list[int] = []
    for axis in axes:
        normal = normalize_axis(op, axis, rank)
        if normal in out:
            raise DuplicateAxis(op, axis=axis, what=what)
        out.append(normal)
    return tuple(out)


EXACT_FLOATS: dict[type[Attribute], tuple[type[Attribute], ...]] = {
    Float8E4M3FNType: (Float16Type, BFloat16Type, Float32Type, Float64Type),
    Float8E5M2Type: (Float16Type, BFloat16Type, Float32Type, Float64Type),
    BFloat16Type: (Float32Type, Float64Type),
    Float16Type: (Float32Type, Float64Type),
    Float32Type: (Float64Type,),
}


def widens_exactly(src: Attribute, dst: Attribute) -> bool:
    """Whether every value of `src` is a value of `dst`, so that the cast is exact."""
    if src == dst:
        return True
    if is_complex(src) and is_complex(dst):
        return widens_exactly(src.element_type, dst.element_type)
    if isa(src, IntegerType) and isa(dst, IntegerType):
        unsigned = [t.signedness.data == Signedness.UNSIGNED for t in (src, dst)]  # signless types are signed
        if unsigned == [True, False]:
            return 1 < src.width.data < dst.width.data
        return unsigned[0] == unsigned[1] and 1 < src.width.data <= dst.width.data
    return type(dst) in EXACT_FLOATS.get(type(src), ())


SIGNIFICANDS: dict[type[Attribute], int] = {
    Float8E5M2Type: 3,
    Float8E4M3FNType: 4,
    BFloat16Type: 8,
    Float16Type: 11,
    Float32Type: 24,
    Float64Type: 53,
}
"""Width of the significand in bits, including the leading one."""
TF32_SIGNIFICAND = 11
"""Width of the significand of tf32 in bits, including the leading one."""


def multiplies_exactly(lhs: Attribute, rhs: Attribute, dtype: Attribute, precision: str | None = None) -> bool:
    """
    Whether `dtype` holds every product of a value of `lhs` and a value of `rhs` exactly; with precision `tf32`, every product
    of values rounded to tf32. Overflow and underflow of a product are ignored.
    """
    if not (widens_exactly(lhs, dtype) and widens_exactly(rhs, dtype)):
        return False
    if isa(lhs, IntegerType) and isa(rhs, IntegerType) and isa(dtype, IntegerType):
        return lhs.width.data + rhs.width.data <= dtype.width.data
    if (held := SIGNIFICANDS.get(type(dtype))) is None or held < SIGNIFICANDS[Float32Type]:  # also too small a range
        return False
    return sum(SIGNIFICANDS[type(t)] if precision is None else TF32_SIGNIFICAND for t in (lhs, rhs)) <= held


def is_as_wide(term: Attribute, accum: Attribute) -> bool:
    """
    Whether `term` has at least the precision, or the width, of the accumulator type `accum`. An instruction may then omit the
    rounding or wrapping of each term to `term`, as an FMA does.
    """
    if isa(term, IntegerType) and isa(accum, IntegerType):
        return term.width.data >= accum.width.data
    return widens_exactly(accum, term)


def product_type(lhs: Attribute, rhs: Attribute, accum: Attribute, precision: str | None = None) -> Attribute | None:
    """
    Returns the type in which a contraction multiplies before it accumulates in `accum`, or None if there is none.

    Floats: the first of `accum`, f32 and f64 that holds the products exactly. No type does so for f64 operands: their
    products are rounded to f64. Integers: the first of `accum`, the operands' types and ever wider signed types that holds
    the values of both operands and is at least as wide as `accum`. (The product may wrap, since the sum wraps too.)

    >>> from xdsl.dialects.builtin import bf16, f32, f64
    >>> print(product_type(bf16, bf16, f32), product_type(f32, f32, f32), product_type(f64, f64, f64))
    f32 f64 f64
    """
    if isa(accum, IntegerType):
        wider = (IntegerType(w, Signedness.SIGNED) for w in (8, 16, 32, 64) if w >= accum.width.data)
        wide = (t for t in (accum, lhs, rhs, *wider) if isa(t, IntegerType) and t.width.data >= accum.width.data)
        return next((t for t in wide if widens_exactly(lhs, t) and widens_exactly(rhs, t)), None)
    if is_complex(accum):
        return ComplexType(f64)
    return next((t for t in (accum, f32, f64) if multiplies_exactly(lhs, rhs, t, precision)), f64)


def are_paired(lhs: Attribute, rhs: Attribute) -> bool:
    """Whether a contraction accepts these operand types: equal types, two fp8 types, or integer types of equal width."""
    if isinstance(lhs, FLOAT8) and isinstance(rhs, FLOAT8):
        return True
    return lhs == rhs or (isa(lhs, IntegerType) and isa(rhs, IntegerType) and lhs.width == rhs.width)


PRECISIONS = ("tf32",)
"""The types to which f32 operands of a contraction may be rounded."""


def require_precision(op: Operation, precision: StringAttr | None, dtypes: Sequence[Attribute]) -> None:
    """Verifies the `precision` of a contraction; `dtypes` are the types of its operands and of its accumulator."""
    if precision is None:
        return
    check_word(op, "precision", precision.data, PRECISIONS)
    problem = f"rounds f32 operands that are summed in f32, got {' and '.join(map(str, dtypes))}"
    help = "leave it out, or cast the operands to f32"
    check_attribute(op, all(dtype == f32 for dtype in dtypes), "precision", problem, help)
