"""
The ops and element types that kernels compute element by element, and the ops that the host executes between kernels.

`form-regions`, `plan-regions` and `region-to-pto` check tiny ops against them, `pto-to-nv` checks tiles, and
`ptir-check-legality` checks the tiny ops to which each op of a program lowers. The types of contractions are in
`targets/mma.py`.
"""

from __future__ import annotations

from typing import TypeGuard

from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerType, StringAttr, TensorType
from xdsl.ir import Attribute, Block, Operation
from xdsl.traits import SymbolTable
from xdsl.utils.hints import isa

from ...dialects import ptir, tiny
from ...dialects.common.shapes import element, is_complex
from ...dialects.ptir.domains import FLOATS
from ...errors import PtirError, Unsupported, WrongLevel
from ...text.op_names import op_name
from ..errors import CallOfDeclaration

GATHERS = (ptir.GatherOp, ptir.DynamicSliceOp)
"""The ops that read operand 0 at indices given by data."""
WIDTHS = (1, 8, 16, 32, 64)
"""Widths of the integer types that kernels compute with, in bits."""


HOST_OPS = (ptir.CondOp, ptir.WhileOp, ptir.ScanOp, ptir.CustomCallOp, func.CallOp)
"""
Ops of a tensor program that the host executes between kernels: their operands are stored before them, and the blocks inside them
have kernels of their own.
"""


def is_tensor_op(op: Operation | Block) -> bool:
    """Returns whether an op is one of those of which kernels are formed."""
    return isinstance(op, (*tiny.Tiny.operations, *GATHERS)) or is_atomic_scatter(op)


def is_atomic_scatter(op: Operation | Block) -> TypeGuard[ptir.ScatterReduceOp]:
    """Returns whether an op updates elements at indices given by data, which a kernel does in memory by atomic operations."""
    return isinstance(op, ptir.ScatterReduceOp) and op.is_atomic


def require_body(op: Operation) -> None:
    """Raises `CallOfDeclaration` if `op` calls a function without a body."""
    if isinstance(op, func.CallOp):
        callee = SymbolTable.lookup_symbol(op, op.callee)
        if isinstance(callee, func.FuncOp) and callee.is_declaration:
            notes = [(callee, "the declaration")]
            raise CallOfDeclaration(op, name=op.name, callee=op.callee.string_value(), notes=notes)


def foreign_op(op: Operation, stage: str) -> PtirError:
    """Returns the error for an op of another level in a tensor program that `stage` reads."""
    ours = op.name.startswith("ptir.")
    need = "run ptir-to-tiny first" if ours else "a tensor program holds ptir or tiny ops only"
    return WrongLevel(op, name=op_text(op), stage=stage, need=need)


def require_in_kernel(op: Operation) -> None:
    """Raises `Unsupported` if kernels cannot compute the tiny op `op` element by element."""
    if (error := kernel_diagnostic(op, op)) is not None:
        raise error


def kernel_diagnostic(op: Operation, source: Operation) -> Unsupported | None:
    """
    Returns the error if kernels cannot compute the tiny op `op` element by element, otherwise None. It is reported at `source`,
    the op of the program that was lowered to `op`.
    """

    for value in (*op.operands, *op.results):
        if isinstance(value.type, TensorType) and (need := element_type_hint(dtype := element(value))):
            return Unsupported(source, what=f"'{op_text(source)}' on {dtype} in a kernel", need=need)
    return None


def element_type_hint(dtype: Attribute) -> str:
    """Returns the hint for an element type that kernels cannot compute with; empty if they can."""
    if isinstance(dtype, FLOATS) or is_complex(dtype) or (isa(dtype, IntegerType) and dtype.width.data in WIDTHS):
        return ""
    return "kernels compute with floats, complex numbers, i1 and integers of 8 to 64 bits: tiny-emulate-int4 widens those of 4"


def op_text(op: Operation) -> str:
    """Returns the op as a program spells it: `ptir.exp`, `ptir.reduce max`, `tiny.unary exp`."""
    name = op_name(op)
    words = (op.properties.get(key) for key in ("fn", "kind"))
    return " ".join([name, *(word.data for word in words if isinstance(word, StringAttr))])
