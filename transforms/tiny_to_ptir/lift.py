"""
`tiny-to-ptir`: raises tiny ops to `ptir` ops of the same meaning; the inverse of `ptir-to-tiny`.

```mlir
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %0 = tiny.movement reshape %x : tensor<4x8xf32> -> tensor<4x8x1xf32>
  %1 = tiny.unary cast %0 : tensor<4x8x1xf32> -> tensor<4x8x1xf64>
  %2 = tiny.movement reshape %w : tensor<8x2xf32> -> tensor<1x8x2xf32>
  %3 = tiny.unary cast %2 : tensor<1x8x2xf32> -> tensor<1x8x2xf64>
  %4 = tiny.binary mul %1, %3 : (tensor<4x8x1xf64>, tensor<1x8x2xf64>) -> tensor<4x8x2xf64>
  %5 = tiny.reduce sum %4 axes [1] accum f32 : tensor<4x8x2xf64> -> tensor<4x2xf32>
  %6 = tiny.unary relu %5 : tensor<4x2xf32> -> tensor<4x2xf32>
  func.return %6 : tensor<4x2xf32>
}
```

becomes

```mlir
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = ptir.constant dense<0.000000e+00> : tensor<f32>
  %2 = ptir.broadcast_to %1 : tensor<f32> -> tensor<4x2xf32>
  %3 = ptir.maximum %0, %2 : tensor<4x2xf32>
  func.return %3 : tensor<4x2xf32>
}
```

- A **sum of products** becomes a `dot_general` if that multiplies in the same type. Its operands are the factors before
  they were reshaped, broadcast, widened or rounded to tf32.
- A **view** becomes a slice, or a take at computed indices. An operand that is implicitly broadcast gets a `broadcast_to`.
- **Functions without a `ptir` op** become formulas: `relu`, `gelu`, `silu`, `tf32`.
- **Reductions of predicates**: `max` becomes *any*, `min` becomes *all*.

A tiny op stays if a size has neither number nor name and the contract cannot infer it; `--debug` logs the reason. A module that
needs extensions of the contract gets the attribute `ptir.extensions`. Ops of other dialects stay.

Spec: `tensor-compiler.ja §1.2`; `ptir-backend-contract.md`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ...analysis.program.statistics import count
from ...dialects import ptir, tiny
from ...dialects.ptir.base import Extension
from ..op_writer import rewrite
from .contractions import contraction
from .table import LIFTINGS, Writer

log = logging.getLogger(__name__)


def _lift(op: Operation, row: Callable[[Any, Writer], SSAValue]) -> bool:
    """Replaces `op` by the ops that `row` writes. Returns whether that succeeded; logs the reason if it did not."""
    if (reason := rewrite(Writer(op), row)) is not None:
        log.debug("'%s' is left as it is: %s", op.name, reason, extra={"op": op})
    return reason is None


def _lift_contraction(op: tiny.ReduceOp) -> None:
    """Replaces a sum of products, and erases the ops that only the product used."""
    product = op.input.owner
    if op.fn.data != "sum" or not tiny.is_product(product):
        return
    if _lift(op, lambda op, write: contraction(op, product, write)):
        unused: list[Operation] = [product]
        while unused:
            dead = unused.pop()
            if not dead.results[0].uses:
                unused += {v.owner for v in dead.operands if isinstance(v.owner, _BEFORE_PRODUCTS)}
                Rewriter.erase_op(dead)


_BEFORE_PRODUCTS = (tiny.MovementOp, tiny.UnaryOp)


def _needs_extensions(op: Operation) -> bool:
    return op.has_trait(Extension) or (isinstance(op, ptir.ReduceOp) and op.kind.data in ptir.EXTENSION_REDUCTIONS)


@dataclass(frozen=True)
class TinyToPtir(ModulePass):
    """Rewrites `tiny` ops as `ptir` ops; functions keep their signatures."""

    name = "tiny-to-ptir"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for old in list(op.walk()):
            if isinstance(old, tiny.ReduceOp):
                _lift_contraction(old)
        for old in list(op.walk()):
            if (row := LIFTINGS.get(type(old))) and not _lift(old, row):
                count("operations left")
        if any(map(_needs_extensions, op.walk())):
            op.attributes.setdefault("ptir.extensions", UnitAttr())
