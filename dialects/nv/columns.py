"""
The reduction of the columns of a tile that a whole block holds in registers.

```mlir
%a = nv.map(%t) [%n, %r] in [256, 512] dims [1, 0] guard [] tile [16, 256] ins(%x : …) … -> !tile { add }     in a loop
%s = nv.col_reduce %a scratch 0 : !tile -> !nv.frag<1x256xf32, lane(32: 8j) warp(4: 0) reg(8: j)> { add }
```
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.irdl import irdl_op_definition, traits_def

from ...targets.layouts import Mode
from ...targets.mma import element_bytes
from ..common.checks import check_type
from .rows import ReduceOp, col_fragment, columns_of, holds_a_vector_of_rows
from .scratch import SharedCollective, check_block
from .types import FragType, frag


@irdl_op_definition
class ColReduceOp(ReduceOp):
    """
    Reduces each column of a fragment with the body, an associative function of two elements. The layout determines the order:
    first the elements of a lane, then lanes by shuffles, then warps through shared memory at byte offset `scratch`. All lanes of a
    column get the same bits.

    Lanes of the same columns first divide these among them: each lane gives away half of its columns and combines the other half with
    what it gets, and so on. Warps exchange what is left, and at the end, lanes get all results back.

    ```mlir
    %s = nv.col_reduce %x scratch 0 : !nv.frag<8x32xf32, lane(32: j) warp(4: i) reg(2: 4i)> -> !nv.frag<1x32xf32, lane(32: j) warp(4: 0)> {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      nv.yield %0 : f32
    }
    ```
    """

    name = "nv.col_reduce"
    traits = traits_def(SharedCollective())

    @property
    def sharing(self) -> int:
        """The number of warps that share a column."""
        return rows_of(frag(self.input).layout.warps)

    @property
    def scratch_bytes(self) -> int:
        """Bytes of shared memory through which warps exchange partial results."""
        return col_scratch_bytes(frag(self.input))

    def verify_(self) -> None:
        t, result = frag(self.input), frag(self.result)
        check_type(self, t.spelled, "the fragment", t, "the layout must be spelled")
        vectors = holds_a_vector_of_rows(t.layout)
        check_type(self, vectors, "the fragment", t, "a lane must hold one vector of each of its rows")
        for modes in (t.layout.lanes, t.layout.warps):
            counts = [mode.rows > 0 for mode in modes]
            adjacent = counts == sorted(counts)
            check_type(self, adjacent, "the fragment", t, "lanes, and warps, must count columns before rows")
        once = all(mode.rows or mode.columns for mode in (*t.layout.lanes, *t.layout.warps))
        check_type(self, once, "the fragment", t, "each element must be held once: copies would be combined with it")
        check_block(self, t)
        check_type(self, result == col_fragment(t), "the result", result, f"expected {col_fragment(t)}")
        help = "warps that share a column exchange partial results there, others do not"
        self.verify_scratch(self.sharing > 1, help)
        self.verify_body()


def halvings(t: FragType) -> int:
    """Returns how often lanes that hold the same columns of a fragment of type `t` can give half of them away."""
    sharing, vector = rows_of(t.layout.lanes), columns_of(t.layout.elements)
    return min(sharing & -sharing, vector & -vector).bit_length() - 1


def rows_of(modes: Sequence[Mode]) -> int:
    """Returns how many rows digits count."""
    count = 1
    for mode in modes:
        count *= mode.radix if mode.rows else 1
    return count


def col_scratch_bytes(t: FragType) -> int:
    """Returns the bytes of shared memory that a reduction of a fragment's columns needs: a row of them for each warp of a column."""
    sharing = rows_of(t.layout.warps)
    return max(4, element_bytes(t.element_type)) * t.sizes[1] * sharing if sharing > 1 else 0
