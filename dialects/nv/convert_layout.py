"""
`nv.convert_layout`, the only op that changes a layout.

```mlir
%rows = nv.convert_layout %acc : !nv.frag<16x32xf32, C of m16n8k16> -> !nv.frag<16x32xf32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)>
```
"""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, traits_def

from ...targets.architectures import WARP
from ...targets.conversions import Conversion, contiguous, conversion
from ...targets.layouts import Mode, layout_of
from ...targets.mma import element_bytes
from ..common.checks import check, check_type
from ..common.shapes import is_float
from .scratch import ScratchOp, SharedCollective, check_block
from .types import FragType, frag


def spelled_rows(t: FragType, width: int, warps: int = 1) -> FragType | None:
    """
    Returns the fragment to which `nv.convert_layout` can convert `t` so that lanes hold `width` contiguous columns, or None if there
    is none. With `warps`, it is the fragment of a block in which so many warps hold such a fragment, one below the other.
    """
    layout, (rows, columns) = contiguous(t.whole_layout, width), t.sizes
    if layout is None:
        return None
    whole = layout_of(layout.lanes, [Mode(warps, rows, 0)], layout.elements)
    return FragType((warps * rows, columns), t.element_type, whole)


@irdl_op_definition
class ConvertLayoutOp(ScratchOp):
    """
    Redistributes the elements of a fragment over lanes, warps and registers; no other op changes a layout. How follows from the two
    layouts (`targets/conversions.py`). If each element stays in its warp, lanes exchange registers by shuffles, PTX ISA §9.7.9.6
    (`shfl.sync`). Otherwise, or if the layouts differ in how many lanes hold copies of an element, the elements pass through shared
    memory at byte offset `scratch`, and the block synchronizes between the stores and the loads.

    The result may be held by all warps of the block: the fragment of each warp is then its part of the result.

    ```mlir
    %rows = nv.convert_layout %acc : !nv.frag<16x32xf32, C of m16n8k16> -> !nv.frag<16x32xf32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)>
    %t = nv.convert_layout %s scratch 0 : !nv.frag<4x32xf32, lane(32: j) warp(4: i)> -> !nv.frag<4x32xf32, lane(4: i, 8: j) warp(4: 8j)>
    ```
    """

    name = "nv.convert_layout"
    traits = traits_def(SharedCollective())
    assembly_format = "$input (`scratch` $scratch^)? attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, result: FragType, scratch: int | None = None):
        super().__init__([input], [result], scratch=scratch)

    @property
    def conversion(self) -> Conversion | None:
        """The shuffles that convert the layout; None if the elements pass through shared memory."""
        return conversion(frag(self.input).whole_layout, frag(self.result).whole_layout)

    @property
    def register_bytes(self) -> int:
        """Size of the register of an element, which is a float for narrow ones, in bytes."""
        dtype = frag(self.input).element_type
        return max(4, element_bytes(dtype)) if is_float(dtype) else element_bytes(dtype)

    @property
    def scratch_bytes(self) -> int:
        return prod(frag(self.input).sizes) * self.register_bytes

    def verify_(self) -> None:
        source, result = frag(self.input), frag(self.result)
        check_type(
            self, not source.is_operand, "the input", source.layout_text, "expected operand C or a spelled layout"
        )
        check_type(self, result.spelled, "the result", result, "its layout must be spelled")
        same, want = source.element_type == result.element_type, f"expected {source.element_type}"
        check_type(self, same, "the result's element type", result.element_type, want)
        movable = element_bytes(source.element_type) <= 8
        check_type(self, movable, "an element", source.element_type, "elements of up to 8 bytes are moved")
        shuffled = self.conversion is not None
        problem = f"cannot turn '{source.layout_text}' into '{result.layout_text}'"
        check(self, shuffled or source.sizes == result.sizes, f"{problem}: both must hold the same elements")
        in_block = source.layout.threads == WARP and not (source.layout.blocks or result.layout.blocks)
        check(self, shuffled or in_block, f"{problem}: only the warps of a block exchange elements")
        help = "it is required if shuffles within a warp cannot convert the layout, and only then"
        self.verify_scratch(not shuffled, help)
        if not shuffled:
            check_block(self, source)
            check_block(self, result)
            held = [prod(mode.radix for mode in t.layout.warps) for t in (source, result)]
            check(self, held[0] == held[1], f"{problem}: {held[0]} and {held[1]} warps hold them")
