"""
`ptir-form-convolutions`: replaces contractions of patches with a filter by convolutions.

```
%p = extract_patches %x window [3, 3]      [N, Y, X, 9 * C]
%f = reshape %w                            [9 * C, F]            →     %y = convolution %x, %w
%y = dot_general %p, %f contract [3] x [0]
```

The patches must have no other uses and no padding other than 0; they may be reshaped to rows `[N * Y * X, 9 * C]` before the
contraction. A filter that is not the result of a reshape is reshaped. `ptir-decompose{ops=convolution}` is the inverse. The
module gets the attribute `ptir.extensions`, as `ptir.convolution` is an extension.

Contract: *Patch extraction* ("backends SHOULD fuse").
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import Rewriter

from ..analysis.program.statistics import count
from ..dialects import ptir
from ..dialects.ptir.dims import sizes
from .op_writer import Draft

log = logging.getLogger(__name__)


def form_convolution(op: Operation) -> bool:
    """Replaces `op` by a convolution if it contracts patches; returns whether it did, and logs the reason if not."""

    def no(why: str) -> bool:
        log.debug("'%s' is no convolution: %s", op.name, why, extra={"op": op})
        return False

    if not isinstance(op, ptir.DotGeneralOp):
        return False
    rows, patches = _patches(op.lhs)
    if patches is None:
        return no("its left operand is not the result of extract_patches")
    batch, _, contract, other = op.axes()
    if batch or contract != (len(sizes(op.lhs)) - 1,) or other != (0,) or len(sizes(op.rhs)) != 2:
        return no("it does not contract the last axis of the patches with the first of two axes")
    if patches.padding is not None and patches.pad_value is not None and any(patches.pad_value.bytes):
        return no("the padding is not 0")
    if any(sum(1 for _ in step.result.uses) > 1 for step in (patches, rows) if step is not None):
        return no("the patches have other uses")
    channels, features = sizes(patches.input)[-1], sizes(op.rhs)[1]
    if not isinstance(channels, int):
        return no("the number of channels is not known")
    of = [*patches.window_sizes, channels, features]
    filter, before = op.rhs, op.rhs.owner
    if isinstance(before, ptir.ReshapeOp) and list(sizes(before.input)) == of:
        filter = before.input
    elif None in of:
        return no("the number of features is not known")
    draft, windows = Draft(op), patches.windows()
    convolution = ptir.ConvolutionOp(
        patches.input,
        draft.reshape(filter, of),
        strides=[w.stride for w in windows],
        padding=[(w.low, w.high) for w in windows],
        dilation=[w.dilation for w in windows],
        accum=op.accum_dtype,
        out=op.out_dtype,
        precision=None if op.precision is None else op.precision.data,
    )
    convolution.attributes |= op.attributes
    result = draft.add(convolution)
    if rows is not None:
        result = draft.add(ptir.ReshapeOp(result, sizes(op.result)))
    if result.type != op.result.type:
        draft.drop()
        return no("its sizes have other names than those of a convolution")
    PatternRewriter(op).replace(op, draft.ops, [result])
    for step in (before, rows, patches):
        if isinstance(step, ptir.ReshapeOp | ptir.ExtractPatchesOp) and not list(step.result.uses):
            Rewriter.erase_op(step)
    return True


def _patches(value: SSAValue) -> tuple[ptir.ReshapeOp | None, ptir.ExtractPatchesOp | None]:
    """
    Returns the op that reshapes the patches `value` to rows and the op that extracts them; each is None if there is no such op.
    """
    match value.owner:
        case ptir.ExtractPatchesOp() as patches:
            return None, patches
        case ptir.ReshapeOp() as rows if isinstance(patches := rows.input.owner, ptir.ExtractPatchesOp):
            same = len(sizes(value)) == 2 and sizes(value)[-1] == sizes(rows.input)[-1] is not None
            return (rows, patches) if same else (None, None)
        case _:
            return None, None


@dataclass(frozen=True)
class PtirFormConvolutions(ModulePass):
    """Replaces contractions of patches by convolutions."""

    name = "ptir-form-convolutions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for old in list(op.walk()):
            if form_convolution(old):
                count("convolutions formed")
                op.attributes.setdefault("ptir.extensions", UnitAttr())
