"""
The argument of one of several equal launches that are one: blocks with different z compute different members of the group.

```mlir
%member = gpu.block_id z
%w = nv.pick %member of %w0, %w1, %w2 : memref<768x768xbf16>
```
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import BlockArgument, SSAValue
from xdsl.irdl import (
    RangeOf,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure

from ...errors import counted
from ..common.checks import check, check_count
from ..common.ops import DialectOp
from .types import TensorMapType


@irdl_op_definition
class PickOp(DialectOp):
    """
    Returns the kernel argument with the number `member`, which is uniform over the block. No two of the arguments overlap unless the
    kernel only reads them.

    ```mlir
    %w = nv.pick %member of %w0, %w1, %w2 : memref<768x768xbf16>
    ```
    """

    T: ClassVar = VarConstraint("T", base(MemRefType) | base(TensorMapType))
    name = "nv.pick"
    member = operand_def(IndexType)
    choices = var_operand_def(RangeOf(T))
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$member `of` $choices attr-dict `:` type($result)"

    def __init__(self, member: SSAValue, choices: list[SSAValue]):
        super().__init__([member, choices], [choices[0].type])

    def verify_(self) -> None:
        count = len(self.choices)
        check_count(self, count >= 2, "nv.pick", "two arguments at least", counted(count, "argument"))
        check(self, all(isinstance(v, BlockArgument) for v in self.choices), "must pick one of the kernel's arguments")


def picked(value: SSAValue) -> tuple[SSAValue, ...]:
    """Returns the kernel arguments of which a memref or a tensor map of a kernel is one."""
    return tuple(value.owner.choices) if isinstance(value.owner, PickOp) else (value,)
