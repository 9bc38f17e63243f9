"""
Strict floats: a program whose results have the same bits on every architecture, and for every plan of its kernels.

```mlir
builtin.module attributes {ptir.strict_floats} {
  func.func @f(%x: tensor<4x8xf32>) -> tensor<4xf32> {
    %0 = ptir.reduce sum %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
    func.return %0 : tensor<4xf32>
  }
}
```

With the attribute, the meaning of each op is one value, of which a kernel computes every bit:

- **Sums and products** of floats are sequential. The accumulator starts at 0 (at 1, for a product). It takes the elements in row-major order of
  the reduced axes, and rounds to the accumulator's type after each. A window is reduced in the same order.
- **Contractions** are sequential in the order in which the contracted axes are written, the last one fastest; convolutions in the order of
  the window's axes, then channels. Each step is a fused multiply-add: the product is exact, and the sum is rounded once. The accumulator is
  f32 or f64. Products of f64 are rounded before they are added.
- **Elementwise functions** are rounded once, correctly, to the type of their operands. `logistic`, `gelu` and `silu` are the formulas of
  `vocabulary.py`, whose steps are each rounded in f32.
- A product is fused with a sum only in a contraction. Subnormal numbers are kept. All NaNs count as one value.

Ops without such a meaning are refused: functions of f64 and f8 that need more than one rounding, complex numbers, and sums whose order
depends on data. Spec: `vyre-ir-types.md`, *Float Semantics* (`FReduceStrict`, `FMulAdd`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, TensorType, UnitAttr, f32, f64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...errors import NotStrict
from .. import ptir
from ..common.checks import check_attribute
from ..common.shapes import element, is_complex, is_float, widens_exactly
from ..common.strict import STRICT, is_strict
from ..ptir.module import require_module
from .elementwise import BinaryOp, UnaryOp, is_product
from .movement import MovementOp
from .reduction import ReduceOp
from .vocabulary import BINARY_OPS, UNARY_OPS

ELEMENTARY = frozenset(("exp", "exp2", "expm1", "log", "log1p", "sin", "cos", "tanh", "erf", "erfc", "rsqrt", "pow"))
"""Functions that are computed wider and rounded once, on floats of 16 and 32 bits."""
FORMULAS = frozenset(("sigmoid", "gelu", "silu"))
"""Functions that are formulas of these."""
WORDS: Mapping[type[Operation], str] = {op: fn for fn, op in {**UNARY_OPS, **BINARY_OPS}.items()}
"""The functions of tiny, by the `ptir` ops that have the same meaning."""
SUPPORTED = (Float32Type, Float16Type, BFloat16Type)
"""The types on which elementary functions are correctly rounded."""
MOVES = ("where", "cast", "eq", "ne")
"""Functions of complex numbers that do not round."""
COMPLEX = ("arithmetic of complex numbers takes several roundings", "write it with their real and imaginary parts")
ADDS = ("sum", "mul", "add")
"""The kinds of reductions and scatters that round."""


def verify_strict_floats(op: Operation, value: Attribute) -> None:
    """Checks that the attribute is a unit attribute of a module, and that each op of the module has a strict meaning."""
    module = require_module(op, STRICT)
    check_attribute(op, isinstance(value, UnitAttr), STRICT, f"has the value {value}", "leave the value out")
    for inner in module.walk():
        if (why := next(problems(inner), None)) is not None:
            problem, help = why
            raise NotStrict(inner, name=inner.name, problem=problem, help=help)


def adds_floats(fn: str, accum: Attribute) -> bool:
    """Returns whether the result of a reduction depends on the order of its elements."""
    return fn in ADDS and (is_float(accum) or is_complex(accum))


def keeps_order(op: object) -> bool:
    """Returns whether `op` is a sum or product of strict floats, whose elements are combined in their order."""
    return isinstance(op, ReduceOp) and adds_floats(op.fn.data, op.accum) and is_strict(op)


def problems(op: Operation) -> Iterator[tuple[str, str]]:
    """Yields why an op on tensors has no strict meaning, each reason with its help."""
    if not all(isinstance(v.type, TensorType) for v in (*op.operands, *op.results)):
        return  # its own verifier reports it
    match op:
        case ptir.LayerNormOp():
            if is_float(element(op.input)):
                yield (
                    "the contract does not say in which steps it is computed",
                    "write its formula, as ptir-decompose does",
                )
        case ptir.RngNormalOp():
            yield "the contract does not say in which steps it is computed", "compute it from ptir.rng_uniform"
        case ptir.ScatterAddOp() | ptir.ScatterReduceOp() | ptir.SegmentReduceOp():
            kind = "add" if isinstance(op, ptir.ScatterAddOp) else op.kind.data
            if adds_floats(kind, element(op.results[0])):
                yield "the order of its sums depends on data", "add integers, or multiply by a matrix of zeros and ones"
        case ptir.DotGeneralOp() | ptir.ConvolutionOp():
            yield from _contraction(*(element(v) for v in op.operands), accum=op.accum)
        case ptir.ReduceOp() | ptir.ReduceWindowOp():
            yield from _reduction(op.kind.data, op.accum)
        case ReduceOp():
            yield from _reduction(op.fn.data, op.accum)
            term = element(op.input)
            if adds_floats(op.fn.data, op.accum) and term != op.accum and not is_exact_product(op):
                yield (
                    f"it adds {term} to {op.accum}, which is no fused multiply-add",
                    f"cast the elements to {op.accum} first",
                )
        case UnaryOp() | BinaryOp():
            yield from _function(op.fn.data, element(op.operands[-1]))
        case _ if type(op) in WORDS:
            yield from _function(WORDS[type(op)], element(op.operands[-1]))
        case _:
            return


def is_exact_product(op: ReduceOp) -> bool:
    """Returns whether a sum adds products of floats that are exact in f64, so that each is a fused multiply-add in f32."""
    mul = _before_movements(op.input).owner
    return (
        is_product(mul)
        and element(mul.result) == f64
        and op.accum == f32
        and is_part_of_sum(mul)
        and all(_is_cast_from_f32(_before_movements(v).owner) for v in mul.operands)
    )


def is_part_of_sum(op: Operation) -> bool:
    """Returns whether `op` is a product, or a cast of a factor, that only sums of strict floats read: it is computed where they are."""
    readers = list(_readers(op))
    if is_product(op):
        return bool(readers) and all(isinstance(r, ReduceOp) and r.fn.data == "sum" and keeps_order(r) for r in readers)
    return _is_cast_from_f32(op) and bool(readers) and all(is_product(r) and is_part_of_sum(r) for r in readers)


def _readers(op: Operation) -> Iterator[Operation]:
    """Yields the ops that read the result of `op`, through movements."""
    for use in op.results[0].uses:
        if isinstance(use.operation, MovementOp) and use.operation.value is None:
            yield from _readers(use.operation)
        else:
            yield use.operation


def _is_cast_from_f32(op: Operation | Block) -> bool:
    if not isinstance(op, UnaryOp) or op.fn.data != "cast":
        return False
    return element(op.result) == f64 and widens_exactly(element(op.input), f32)


def _before_movements(value: SSAValue) -> SSAValue:
    while isinstance(op := value.owner, MovementOp) and op.value is None:
        value = op.input
    return value


def _contraction(lhs: Attribute, rhs: Attribute, accum: Attribute) -> Iterator[tuple[str, str]]:
    if is_complex(accum):
        yield COMPLEX
    elif is_float(accum) and not (accum == f64 or (accum == f32 and f64 not in (lhs, rhs))):
        yield (
            f"it accumulates products of {lhs} and {rhs} in {accum}, which rounds twice",
            "accumulate in f32 or, f64, in f64",
        )


def _reduction(kind: str, accum: Attribute) -> Iterator[tuple[str, str]]:
    if kind in ADDS and is_complex(accum):
        yield COMPLEX


def _function(fn: str, dtype: Attribute) -> Iterator[tuple[str, str]]:
    if is_complex(dtype) and fn not in MOVES:
        yield COMPLEX
    elif is_float(dtype) and fn in ELEMENTARY | FORMULAS and not isinstance(dtype, SUPPORTED):
        yield f"{fn} of {dtype} is not correctly rounded", "cast its operand to f32"
