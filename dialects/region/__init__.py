"""
The `region` dialect (Region Buffer SSA). A region is the work of one kernel: its arguments are memrefs, its body is SSA in `tiny`.

```mlir
region.kernel @f_0(%x: memref<4x8xf32> align 16) -> (%y: memref<4x8xf32> align 16 gmem) {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  %1 = tiny.unary exp %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  region.yield %1 : tensor<4x8xf32>
}
func.func @f(%x: memref<4x8xf32>) -> memref<4x8xf32> {
  %0 = memref.alloc() : memref<4x8xf32>
  region.launch @f_0 ins(%x : memref<4x8xf32>) outs(%0 : memref<4x8xf32>)
  func.return %0 : memref<4x8xf32>
}
```

The host function's own ops are in `host.py`. Spec: `tensor-compiler.ja §1.5`, `§12.4`.
"""

# pyright: reportUnusedImport=false
from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, MemRefType, SymbolRefAttr, TensorType, i64
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import IsTerminator, Pure, SymbolTable, SymbolUserOpInterface

from ...errors import DtypeMismatch, VerifyError, counted
from ..common.checks import check, check_count, check_shape
from ..common.kernel import STATUS, UPDATED, KernelOp, require_distinct
from ..common.members import members
from ..common.shapes import element, memref_of, shape, shape_text
from ..ptir import ScatterReduceOp
from .host import CheckOp, CustomCallOp, ReadOp, RowOp, ZerosOp


@irdl_op_definition
class RegionKernelOp(KernelOp):
    """A kernel whose body is SSA on whole tensors."""

    name = "region.kernel"

    def verify_(self) -> None:
        super().verify_()
        last = self.body.block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyError(self, problem="must end with region.yield")
        count, outputs = len(last.values), len(self.outputs)
        check_count(last, count == outputs, "region.yield", counted(outputs, "operand"), count)
        for value, out, word in zip(last.values, self.outputs, self.materialize, strict=True):
            t = memref_of(out)
            same, want = shape(value) == t.get_shape(), shape_text(t.get_shape())
            check_shape(last, same, "a yielded value", shape_text(shape(value)), want)
            if element(value) != t.element_type:
                raise DtypeMismatch(last, what="a yielded value", got=element(value), want=t.element_type)
            loads = [use.operation for use in out.uses if isinstance(use.operation, LoadOp)]
            if word.data == UPDATED:
                x = value.owner.x if isinstance(value.owner, ScatterReduceOp) else value
                updates = x is not value and [x.owner] == loads and x.has_one_use()
                check(
                    last,
                    updates,
                    f"must yield a scatter of what is in an output marked '{UPDATED}', and of nothing else",
                )
            elif loads:
                raise VerifyError(loads[0], problem=f"loads an output that is not marked '{UPDATED}'")


@irdl_op_definition
class LoadOp(IRDLOperation):
    """Loads a whole input memref as a tensor."""

    name = "region.load"
    memref = operand_def(base(MemRefType))
    result = result_def(base(TensorType))
    traits = traits_def(Pure())
    assembly_format = "$memref attr-dict `:` type($memref) `->` type($result)"

    def __init__(self, memref: SSAValue):
        t = memref_of(memref)
        super().__init__(operands=[memref], result_types=[TensorType(t.element_type, t.get_shape())])

    def verify_(self) -> None:
        t = memref_of(self.memref)
        same = t.get_shape() == shape(self.result)
        check_shape(self, same, "the result", self.result.type, f"the shape of {t}")
        if t.element_type != element(self.result):
            raise DtypeMismatch(self, what="the result", got=element(self.result), want=t.element_type)


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Stores each value to the output memref at its position."""

    name = "region.yield"
    values = var_operand_def(base(TensorType))
    traits = traits_def(IsTerminator())
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, values: Sequence[SSAValue]):
        super().__init__(operands=[list(values)])


class KernelSymbolUse(SymbolUserOpInterface):
    """Checks that a launch names a kernel and matches its signature."""

    def verify(self, op: object) -> None:
        if not isinstance(op, LaunchOp):
            return
        callee = SymbolTable.lookup_symbol(op, op.kernel)
        if not isinstance(callee, KernelOp):
            raise VerifyError(
                op, problem=f"launches @{op.kernel.root_reference.data}, which is not a kernel of this module"
            )
        require_distinct(op, op.outs, op.operands)
        want = [a.type for a in callee.body.block.args]
        got = [o.type for o in op.operands]
        if got != want or len(op.ins) != len(callee.inputs):
            raise VerifyError(
                op,
                problem=f"has operand types that do not match @{op.kernel.root_reference.data}: got ({', '.join(map(str, got))}), "
                f"expected ({', '.join(map(str, want))})",
                notes=[(callee, "the kernel is here")],
            )
        status = {k for k, word in enumerate(callee.materialize) if word.data == STATUS}
        for other in side_by_side(op) if op.group is not None else ():
            if other is op:
                break
            outs, others = ({v for k, v in enumerate(launch.outs) if k not in status} for launch in (op, other))
            if outs & {*other.operands} or others & {*op.operands}:
                raise VerifyError(
                    op,
                    problem=f"is in group {op.group.value.data} with a launch that uses what it writes, or writes what it uses",
                    notes=[(other, "the other launch is here")],
                )


def side_by_side(launch: LaunchOp) -> list[LaunchOp]:
    """Returns the launches of a group, in order."""
    block = launch.parent_block()
    ops = [launch] if block is None else block.ops
    return [o for o in ops if isinstance(o, LaunchOp) and o.group == launch.group and o.kernel == launch.kernel]


@irdl_op_definition
class LaunchOp(IRDLOperation):
    """
    Launches a kernel that reads `ins` and writes `outs`. Launches of one kernel and one `group` in a block are side by side: none reads or
    writes what another one writes, so that they may become one launch, of which each computes a part of the grid.

    ```mlir
    region.launch @product group 0 ins(%x, %wq : memref<128x64xbf16>, memref<64x64xbf16>) outs(%q : memref<128x64xf32>)
    region.launch @product group 0 ins(%x, %wk : memref<128x64xbf16>, memref<64x64xbf16>) outs(%k : memref<128x64xf32>)
    ```
    """

    name = "region.launch"
    kernel = prop_def(SymbolRefAttr)
    group = opt_prop_def(IntegerAttr.constr(i64))
    ins = var_operand_def(base(MemRefType))
    outs = var_operand_def(base(MemRefType))
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(KernelSymbolUse())
    assembly_format = "$kernel (`group` $group^)? (`ins` `(` $ins^ `:` type($ins) `)`)? `outs` `(` $outs `:` type($outs) `)` attr-dict"

    def __init__(
        self, kernel: str, ins: Sequence[SSAValue], outs: Sequence[SSAValue], group: IntegerAttr | None = None
    ):
        super().__init__(operands=[list(ins), list(outs)], properties={"kernel": SymbolRefAttr(kernel), "group": group})


HOST_OPS = (CheckOp, CustomCallOp, ReadOp, RowOp, ZerosOp)
"""The ops of the host function that stay when kernels are lowered."""

Region = Dialect("region", *members("region", globals()))
