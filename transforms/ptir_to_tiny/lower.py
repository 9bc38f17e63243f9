"""
`ptir-to-tiny`: lowers affine `ptir` ops to movement, unary, binary and reduce.

```mlir
func.func @f(%x: tensor<4x8xbf16>, %w: tensor<8x2xbf16>) -> tensor<4x2xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] out f32 : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xf32>
  %1 = ptir.exp %0 : tensor<4x2xf32>
  %2 = ptir.custom_call "acme.f.v1"(%1) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  func.return %2 : tensor<4x2xf32>
}
```

becomes

```mlir
func.func @f(%x: tensor<4x8xbf16>, %w: tensor<8x2xbf16>) -> tensor<4x2xf32> {
  %0 = tiny.movement reshape %x : tensor<4x8xbf16> -> tensor<4x8x1xbf16>
  %1 = tiny.unary cast %0 : tensor<4x8x1xbf16> -> tensor<4x8x1xf32>
  %2 = tiny.movement reshape %w : tensor<8x2xbf16> -> tensor<1x8x2xbf16>
  %3 = tiny.unary cast %2 : tensor<1x8x2xbf16> -> tensor<1x8x2xf32>
  %4 = tiny.binary mul %1, %3 : (tensor<4x8x1xf32>, tensor<1x8x2xf32>) -> tensor<4x8x2xf32>
  %5 = tiny.reduce sum %4 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
  %6 = tiny.unary exp %5 : tensor<4x2xf32> -> tensor<4x2xf32>
  %7 = ptir.custom_call "acme.f.v1"(%6) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  func.return %7 : tensor<4x2xf32>
}
```

- **Contractions** become sums of products, with one axis for each batch, free and contraction axis. A convolution contracts a
  view of its padded input; a contraction of patches with a filter is first replaced by a convolution
  (`ptir-form-convolutions`). Operands are cast to a type that holds every product: f32 for bf16, f64 for f32.
- **Windows** become a pad and a view, in which windows may overlap. Other movements become reshapes, permutes, expands, pads and
  shrinks.
- **Composites** are inlined; `layer_norm` becomes its formula.
- **Scatters and segment reductions** compare all indices with the position of each element, sort the updates and add those of one
  element, or, on integers, become a `ptir.scatter_reduce` that kernels compute by atomic updates. `top_k` sorts parts of an axis and
  merges them. Indices out of range, and promises about indices that do not hold, fail as in `ptir` (`require_index`, …).
- **Random numbers** become integer arithmetic on the index of each element.
- **Reads at indices given by data** become `ptir.gather` and `ptir.dynamic_slice`, which kernels compute, with tiny ops around them.
- **Ops that are not tensor programs stay**: control flow, calls and custom calls; the ops
  in their regions are lowered. An op also stays if a size is not known, or if `tiny` cannot express it. Such ops limit fusion:
  `form-regions`, `ptir-check-legality` and `--debug` report why they stay.

Results stay the same bit for bit. Movements and casts that would change nothing are not written. Ops of other dialects,
`tiny` included, and unused ops stay. `tiny-to-ptir` is the inverse.

Spec: `tensor-compiler.ja §1.2, §2`; DESIGN §4.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from ...analysis.program.statistics import count
from ...analysis.regions.kernel_ops import HOST_OPS
from ...dialects import ptir
from ...errors import PtirError, message_of
from ...text.op_names import op_name
from ..errors import NoTinyForm
from ..op_writer import Declined
from ..ptir_form_convolutions import form_convolution
from ..ptir_inline_composites import inline_composites
from .table import LOWERINGS, lower_op
from .writer import Writer

log = logging.getLogger(__name__)


def is_ptir(op: Operation) -> bool:
    """Returns whether the op is a `ptir` op, registered or not, other than a terminator."""
    return op_name(op).startswith("ptir.") and not op.has_trait(IsTerminator, value_if_unregistered=False)


def rewrite(op: Operation) -> Sequence[Operation]:
    """Replaces a `ptir` op by tiny ops and returns them. Raises a `PtirError` and changes nothing if the op cannot be lowered."""
    write, results = _written(op)
    PatternRewriter(op).replace(op, write.ops, results)
    return write.ops


def lowering_error(op: Operation) -> PtirError | None:
    """Returns the error that lowering `op` to tiny would raise, or None if it can be lowered or is not a `ptir` op."""
    if not is_ptir(op):
        return None
    try:
        _written(op)[0].drop()
    except PtirError as reason:
        return reason
    return None


def require_tiny(root: Operation) -> None:
    """
    Raises the error of the first op under `root` that can neither be lowered nor be executed by the host; the errors of the others
    become notes.
    """
    ops = (op for op in root.walk() if not isinstance(op, HOST_OPS))
    found = [(op, error) for op in ops if (error := lowering_error(op)) is not None]
    if found:
        (_, first), *others = found
        first.notes = tuple((op, error.message) for op, error in others)
        raise first


def _written(op: Operation) -> tuple[Writer, Sequence[SSAValue]]:
    write = Writer(op)
    try:
        if type(op) not in LOWERINGS:
            raise Declined(help=f"write it with ops that have one: {', '.join(sorted(t.name for t in LOWERINGS))}")
        results = lower_op(op, write)
        for new, old in zip(results, op.results, strict=True):
            if new.type != old.type:
                raise Declined(f"its type has fewer known sizes than {new.type}")
    except (Declined, VerifyException) as reason:
        write.drop()
        why, help = message_of(reason), getattr(reason, "help", "")
        raise NoTinyForm(op, name=op_name(op), why=why and f": {why}", help=help) from reason
    except PtirError:
        write.drop()
        raise
    return write, results


@dataclass(frozen=True)
class PtirToTiny(ModulePass):
    """Lowers affine `ptir` ops to `tiny`; functions keep their signatures, and the module keeps its attributes."""

    name = "ptir-to-tiny"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        inline_composites(op)
        for old in list(op.walk()):
            form_convolution(old)
        for old in [o for o in op.walk() if is_ptir(o)]:
            try:
                rewrite(old)
            except PtirError as reason:
                count("operations left")
                log.debug("%s", reason.message, extra={"op": old})
                if isinstance(old, ptir.ConvolutionOp):
                    op.attributes.setdefault("ptir.extensions", UnitAttr())
