"""
Constant folding: replaces an op on literals by a literal that the interpreter computes.

```
%0 = ptir.constant dense<2.0> : tensor<4xf32>
%1 = ptir.exp %0 : tensor<4xf32>                  →  ptir.constant dense<7.389056> : tensor<4xf32>
```

An elementwise op on splats is computed for one element, whatever the shape. Any other op is folded only if none of its operand and
result literals has more elements than `fold_limit`. Random numbers, calls, gradient barriers and errors such as a division by zero
are not folded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType, UnitAttr
from xdsl.interpreter import Interpreter
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import ConstantLike, Pure

from ...dialects import ptir
from ...dialects.common.shapes import element
from ...dialects.common.strict import STRICT, is_strict
from ...dialects.ptir.dims import known_sizes, sizes
from ...errors import PtirError
from ...semantics.arrays.scalars import Array
from ...semantics.interpreter import FUNCTIONS, interpreter
from ..op_writer import Declined
from .checks import needs_runtime_check
from .table import ELEMENTWISE
from .write import Writer

PACKAGE = "ptir.semantics.ptir."
OPAQUE = ("ptir.rng_uniform", "ptir.rng_normal", "ptir.custom_call", "ptir.stop_gradient", "ptir.composite")
"""Ops that are never folded, as they have a meaning beyond their value."""
MOVES = (ptir.ReshapeOp, ptir.TransposeOp, ptir.SliceOp, ptir.TileOp, ptir.ConcatOp)
"""Ops whose result is a splat if their operands are equal splats. Broadcasts are not folded into larger literals."""


@cache
def _interpreter(strict: bool) -> Interpreter:
    """Returns an interpreter of an empty module, whose floats may be strict, as folded ops do not refer to symbols."""
    module = ModuleOp([], {STRICT: UnitAttr()} if strict else {})
    return interpreter(module, [place for place in FUNCTIONS if place.startswith(PACKAGE)])


def fold(op: Operation, write: Writer) -> Sequence[SSAValue]:
    """Returns the literals that replace the op's results. Raises `Declined` if the op is not folded."""
    if not op.results or op.name in OPAQUE or op.regions or not op.has_trait(Pure) or op.has_trait(ConstantLike):
        raise Declined("ops of this kind are never folded")
    if isinstance(op, ptir.WindowOp):
        raise Declined("its windows may hold more elements than its operands and its result")
    if not op.operands or not all(isinstance(v.type, TensorType) for v in (*op.operands, *op.results)):
        raise Declined("it has no operands, or values that are not tensors")
    splats = [write.constants.splat(value) for value in op.operands]
    scalars = [s for s in splats if s is not None]
    if len(scalars) == len(splats):
        if isinstance(op, ELEMENTWISE):
            return [write.splat(_run(_of_scalars(op), scalars, is_strict(op))[0], op.results[0].type)]
        one = all(s.tobytes() == scalars[0].tobytes() for s in scalars)
        if isinstance(op, MOVES) and one and not needs_runtime_check(op):
            return [write.splat(scalars[0], op.result.type)]
    return _small(op, write)


def _small(op: Operation, write: Writer) -> Sequence[SSAValue]:
    arrays = [write.constants.array(value) for value in op.operands]
    known = [a for a in arrays if a is not None]
    if len(known) != len(arrays):
        raise Declined("its operands are not all small literals")
    shapes = [known_sizes(sizes(r)) for r in op.results]
    if any(of is None or not write.constants.is_small(of) for of in shapes):
        raise Declined("its result is not small, or its size is not known")
    return [write.array(a, element(r)) for a, r in zip(_run(op, known, is_strict(op)), op.results, strict=True)]


def _run(op: Operation, args: Sequence[Array], strict: bool) -> Sequence[Array]:
    """Returns the op's results for `args`. Raises `Declined` if the interpreter reports an error, such as a division by zero."""
    try:
        return [np.asarray(value) for value in _interpreter(strict).run_op(op, tuple(args))]
    except PtirError as error:
        raise Declined(f"it has no value: {error.message}") from error


def _of_scalars(op: Operation) -> Operation:
    """Returns a copy of an elementwise op whose operands and results have rank 0."""
    operands, results = ([TensorType(element(v), []) for v in values] for values in (op.operands, op.results))
    return op.create(operands=Block(arg_types=operands).args, result_types=results, properties=op.properties)
