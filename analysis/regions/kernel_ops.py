"""
What kernels compute element by element: which ops, on which element types.

`form-regions`, `plan-regions` and `region-to-pto` ask it of tiny ops, `pto-to-nv` of tiles, and `ptir-check-legality` of
what each op of a program becomes. Contractions are another matter: `targets/mma.py` knows what can be multiplied.
"""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from ...dialects import ptir, pto, tiny
from ...dialects.common.shapes import FLOAT8, element, is_float
from ...dialects.ptir.domains import is_complex
from ...errors import PtirError, Unsupported, WrongLevel
from ...targets.architectures import arch_named
from ...text.op_names import op_name
from ..errors import CallBetweenKernels

WORDS = (*pto.UNARY, *pto.BINARY, *tiny.COMPARISONS, "where", "cast")
"""The words of tiny that are scalar operations of a kernel, with a tile operation each."""
PTIR_NAMES = (
    *(op.name for fn, op in {**tiny.UNARY_OPS, **tiny.BINARY_OPS}.items() if fn in WORDS),
    *(op.name for op in (ptir.CompareOp, ptir.SelectOp, ptir.ClampOp, ptir.CastOp)),
)
"""The ops of ptir that are such words, or become them."""
FLOATS = (Float64Type, Float32Type, Float16Type, BFloat16Type)
WIDTHS = (1, 8, 16, 32, 64)
"""Bits of the integers that kernels compute with."""


def foreign_op(op: Operation, stage: str) -> PtirError:
    """What is wrong with an op of another level in a tensor program that `stage` reads."""
    if isinstance(op, func.CallOp):
        return CallBetweenKernels(op, name=op.name, callee=op.callee.string_value())
    ours = op.name.startswith("ptir.")
    need = "run ptir-to-tiny first" if ours else "a tensor program holds ptir or tiny ops only"
    return WrongLevel(op, name=spelled(op), stage=stage, need=need)


def require_in_kernel(op: Operation, arch: str | None = None) -> None:
    """Raises `Unsupported` at a tiny op, or a terminator, that no kernel for `arch`, or for any, computes by elements."""
    if (error := kernel_objection(op, op, arch)) is not None:
        raise error


def require_unguarded(op: Operation) -> None:
    """Raises `Unsupported` at a tiny op that no kernel reads through, an operand of a contraction or not."""
    if (error := guard_objection(op, op)) is not None:
        raise error


def kernel_objection(op: Operation, source: Operation, arch: str | None = None) -> Unsupported | None:
    """Why no kernel computes a tiny op by elements, said of `source`, the op of the program that it stands for."""

    def refused(need: str, where: str = "in a kernel") -> Unsupported:
        return Unsupported(source, what=f"'{spelled(source)}' {where}", need=need)

    if isinstance(op, tiny.ReduceOp):
        need = f"it takes a {op.fn.data} of its own: only mul → reduce sum has a kernel template"
        return refused(need, "outside of a contraction" if "reduce" in source.name else "in a kernel")
    if (error := guard_objection(op, source)) is not None:
        return error
    if isinstance(op, tiny.UnaryOp | tiny.BinaryOp) and op.fn.data not in WORDS:
        names = PTIR_NAMES if source.name.startswith("ptir.") else WORDS
        return refused(f"write it with what kernels compute: {', '.join(names)}")
    for value in (*op.operands, *op.results):
        if isinstance(value.type, TensorType) and (need := type_problem(element(value), arch)):
            return refused(need, f"on {element(value)} in a kernel")
    if isinstance(op, tiny.BinaryOp) and op.fn.data == "div" and not is_float(dtype := element(op.result)):
        need = "a zero divisor is an error that a kernel cannot report: divide as floats, or outside of kernels"
        return refused(need, f"on {dtype} in a kernel")
    return None


def guard_objection(op: Operation, source: Operation) -> Unsupported | None:
    """Why no kernel reads through a tiny op: what depends on where it is, or is not there at the edges."""
    if isinstance(op, tiny.IotaOp):
        need = "pass the numbers of an iota in, as an argument or a constant"
    elif isinstance(op, tiny.MovementOp) and op.kind.data == "pad":
        need = "pass the padded values in: kernels have no guards yet"
    else:
        return None
    return Unsupported(source, what=f"'{spelled(source)}' in a kernel", need=need)


def type_problem(dtype: Attribute, arch: str | None = None) -> str:
    """What to do about an element type that kernels for `arch`, or for any, do not compute with; empty if they do."""
    if isinstance(dtype, FLOAT8):
        if arch is None or arch_named(arch).has_float8_cvt:
            return ""
        return f"the conversions of {dtype} come with sm89, not {arch}: plan for that, or keep {dtype} out of kernels"
    if isinstance(dtype, FLOATS) or (isa(dtype, IntegerType) and dtype.width.data in WIDTHS):
        return ""
    have = "kernels compute with f64, f32, f16, bf16, fp8, i1 and integers of 8 to 64 bits: "
    return have + ("give real and imaginary parts tensors of their own" if is_complex(dtype) else "cast first")


def spelled(op: Operation) -> str:
    """The op as the program has it: `ptir.exp`, `ptir.reduce max`, `tiny.unary exp`."""
    name = op_name(op)
    words = (op.properties.get(key) for key in ("fn", "kind"))
    return " ".join([name, *(word.data for word in words if isinstance(word, StringAttr))])
