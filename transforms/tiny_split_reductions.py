"""
`tiny-split-reductions`: splits a long reduction in two, so that many threads take part.

```
tiny.reduce sum %x axes [0] : tensor<1000003xf32>

%0 = tiny.movement pad %x high [41] value 0.0        1000044
%1 = tiny.movement reshape %0                        123x8131      123 rows
%2 = tiny.reduce sum %1 axes [1]                     123
%3 = tiny.reduce sum %2 axes [0]
```

A block holds a row of at most 16,384 elements, and streams a longer row (`planning/rows.py`). A longer row along the last axis is
cut into several if there are so few rows that their blocks would leave the machine idle. In a reduction over other axes, a block
reduces some columns. If these are few and long, an axis is cut into parts. The number of parts is chosen so that they are equal, if
possible; otherwise, the last one is padded. Parts are combined in a fixed order. Contractions, and attention, are not split here, but by their plans.
Sums with one term that is not zero are not split, as kernels load only this term, nor are those of strict floats, which have an order.
Spec: `tensor-compiler.ja §1.7` (`splitk_parallel`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from ..analysis.index.static_sizes import blocks_of
from ..analysis.program.statistics import count
from ..analysis.regions.contraction import contractions
from ..analysis.regions.fusion import Fusion
from ..analysis.regions.kernel_ops import HOST_OPS, is_tensor_op
from ..analysis.regions.one_hot import one_hot_sums
from ..dialects import tiny
from ..dialects.common.shapes import element
from ..dialects.common.strict import is_strict
from ..dialects.plan.schedule import ROW_CLUSTER_SIZES
from ..dialects.ptir.dims import known_sizes, sizes
from ..planning.attention import reductions_of_chained_products
from ..planning.row_time import memory_clocks
from ..planning.rows import MAX_LENGTH
from ..targets.architectures import arch_named
from ..targets.machines import Machine, machine_of
from ..targets.mma import element_bytes
from .form_regions.joined_rows import split_joined_rows
from .form_regions.quotients import move_quotients
from .form_regions.wide_softmax import widen_softmaxes
from .neutral import neutral
from .op_writer import rewrite
from .ptir_to_tiny.writer import Writer, static_sizes

ROW = 8192
"""Maximum number of elements in the parts of a row that is cut."""
THREADS = 1 << 16
"""Maximum number of partial results of a reduction over other axes: enough to occupy every multiprocessor of a large GPU."""
COLUMNS = 64
"""Approximate number of columns of a block that reduces columns."""
FEWEST = 64
"""Minimum number of elements in a part of a reduction over other axes."""


@dataclass(frozen=True)
class TinySplitReductions(ModulePass):
    """Cuts long reductions of static sizes in two."""

    name = "tiny-split-reductions"
    arch: str = "sm80"
    """The architecture of the kernels: sm80, sm_90a …"""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        split = Split(machine_of(arch_named(self.arch).name))
        for function in [o for o in op.body.block.ops if isinstance(o, FuncOp) and len(o.body.blocks) == 1]:
            if not is_strict(function):
                split_joined_rows(function)
                widen_softmaxes(function)
                move_quotients(function)
            for block in blocks_of(function):
                split.apply(block)


def kept(block: Block) -> set[Operation]:
    """
    Returns the reductions of adjacent rows that a kernel holds, which it could not if they were cut, and the sums of which a kernel loads
    only one term.
    """
    if any(not is_tensor_op(op) and not isinstance(op, HOST_OPS) for op in block.ops if op is not block.last_op):
        return set()
    fusion = Fusion(block)
    kernels = (k for k in fusion.kernels if k.reduces_rows and any(s.adjacent is not None for s in k.slices))
    held = {op for kernel in kernels for op in kernel.ops() if isinstance(op, tiny.ReduceOp)}
    return held.union(one_hot_sums(block.ops, fusion.book))


@dataclass(frozen=True)
class Split:
    """Decides which reductions to cut for a machine, and cuts them."""

    machine: Machine

    def is_cut(self, op: Operation) -> bool:
        """Returns whether an op is a reduction of static sizes that is faster in two steps."""
        if not isinstance(op, tiny.ReduceOp) or tiny.keeps_order(op) or known_sizes(sizes(op.input)) is None:
            return False
        return self.cut_of(op.input, op.axes()) is not None

    def apply(self, block: Block) -> None:
        """Cuts the long reductions of a block, but not those of blocks nested in it."""
        whole = {c.op for c in contractions(block).values()} | reductions_of_chained_products(block, self.machine)
        if any(self.is_cut(o) for o in block.ops if o not in whole):
            whole |= kept(block)
        for reduce in [o for o in block.ops if isinstance(o, tiny.ReduceOp)]:
            if reduce not in whole and self.is_cut(reduce):
                rewrite(Writer(reduce), lambda o, write: self.reduced(write, o.fn.data, o.input, o.axes(), o.accum))
                count("reductions split")

    def cut_of(self, x: SSAValue, axes: Sequence[int]) -> tuple[int, int] | None:
        """
        Returns the axis to cut in a reduction of `x` over `axes`, and the number of its parts, or None if a cut would not be
        faster.
        """
        of = static_sizes(x)
        wide = [a for a in axes if of[a] > 1]
        if not wide or 0 in of:
            return None
        length = prod(of[a] for a in axes)
        if wide[-1] == max(a for a, size in enumerate(of) if size > 1):  # rows
            axis, parts = wide[0], self.parts_of_rows(prod(of) // length, length, element_bytes(element(x)))
        else:
            axis = max(wide, key=lambda a: of[a])
            parts = self.parts_of_columns(prod(of) // length, of[axis], prod(of) * element_bytes(element(x)))
        return (axis, min(parts, of[axis])) if parts > 1 else None

    def parts_of_rows(self, rows: int, length: int, size: int) -> int:
        """
        Returns the number of parts to cut each of `rows` rows of `length` elements of `size` bytes into: 1 if a block holds a
        row, or a block or cluster streams it at least as fast.
        """
        parts, moved = -(-length // ROW), rows * length * size
        blocks = rows * (ROW_CLUSTER_SIZES[-1] if self.machine.limits.has_tma else 1)
        streamed, cut = memory_clocks(self.machine, moved, blocks), memory_clocks(self.machine, moved, rows * parts, 2)
        return parts if length > MAX_LENGTH and cut < streamed else 1

    def parts_of_columns(self, columns: int, rows: int, moved: int) -> int:
        """
        Returns the number of parts to cut `rows` rows of `columns` columns into, which have `moved` bytes: 1 if the blocks of
        a single kernel read them as fast as two kernels.
        """
        parts, blocks = max(1, min(rows // FEWEST, THREADS // columns)), -(-columns // COLUMNS)
        whole = memory_clocks(self.machine, moved, blocks)
        return parts if memory_clocks(self.machine, moved, blocks * parts, 2) < whole else 1

    def reduced(self, write: Writer, fn: str, x: SSAValue, axes: Sequence[int], accum: Attribute) -> SSAValue:
        """
        Writes a reduction of each part, then a reduction of the results; both are cut again if they are long. Returns the result.
        """
        of = static_sizes(x)
        if (cut := self.cut_of(x, axes)) is None:
            return write.reduce(fn, x, axes, accum)
        axis, least = cut
        parts = next((n for n in range(least, 2 * least) if of[axis] % n == 0), least)  # equal parts need no padding
        each = -(-of[axis] // parts)
        parts = -(-of[axis] // each)
        none, more = [0] * len(of), [0] * len(of)
        more[axis] = parts * each - of[axis]
        padded = write.pad(x, none, more, neutral(fn, element(x)))
        rows = write.reshape(padded, [*of[:axis], parts, each, *of[axis + 1 :]])
        results = self.reduced(write, fn, rows, [a + (a >= axis) for a in axes], accum)
        return self.reduced(write, fn, results, [sum(a not in axes for a in range(axis))], accum)
