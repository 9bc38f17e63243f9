"""
The `poly` dialect: a readable analysis of a function, printed beside it.

A view has a block for each op, with its domain and access maps, and the dependences between blocks. Sets and maps are isl
*text*. A view is not input to later passes: `form-regions` recomputes every fact in it, and fails if one differs.

```mlir
poly.view @f {
  poly.block @v0 contraction_pattern <"{ [i0, i1, i2] : 0 <= i0 <= 3 and 0 <= i1 <= 1 and 0 <= i2 <= 7 }"> reduces ["i2"]
    reads ["arg0", "arg1"] by [#poly.map<"{ [i0, i1, i2] -> [i0, i2] }">, #poly.map<"{ [i0, i1, i2] -> [i2, i1] }">]
    pattern {pattern = "matmul", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"]}
  poly.block @v1 ewise <"{ [i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 1 }">
    reads ["v0"] by [#poly.map<"{ [i0, i1] -> [i0, i1] }">]
  poly.edge "v0" to "v1" true [#poly.map<"{ [i0, i1] -> [i0, i1] }">]
}
```

Spec: `tensor-compiler.ja §1.4`, `§12.3`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import StringAttr, SymbolNameConstraint
from xdsl.ir import Block, Dialect, Region
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, region_def, traits_def
from xdsl.traits import NoTerminator

from ...errors import VerifyError
from ..common.checks import check_rank
from .attributes import GuardAttr, MapAttr, SetAttr
from .block import BlockOp
from .block import axis_names as axis_names
from .block import integer as integer
from .edge import EdgeOp
from .text import read_map


@irdl_op_definition
class ViewOp(IRDLOperation):
    """The blocks and dependences of the function of the same name."""

    name = "poly.view"
    function = prop_def(SymbolNameConstraint())
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = "$function attr-dict-with-keyword $body"

    def __init__(self, function: str, ops: Sequence[IRDLOperation]):
        super().__init__(properties={"function": StringAttr(function)}, regions=[Region(Block(ops))])

    @property
    def blocks(self) -> dict[str, BlockOp]:
        return {op.sym_name.data: op for op in self.body.block.ops if isinstance(op, BlockOp)}

    @property
    def edges(self) -> list[EdgeOp]:
        return [op for op in self.body.block.ops if isinstance(op, EdgeOp)]

    def verify_(self) -> None:
        blocks: dict[str, BlockOp] = {}
        for op in self.body.block.ops:
            if isinstance(op, BlockOp):
                self._verify_reads(op, blocks)
                if op.sym_name.data in blocks:
                    raise VerifyError(op, problem=f"redefines block '{op.sym_name.data}'")
                blocks[op.sym_name.data] = op
            elif isinstance(op, EdgeOp):
                for end in (op.source.data, op.target.data):
                    if end not in blocks:
                        raise VerifyError(op, problem=f"needs a block '{end}' before it")
                op.verify_ranks(blocks[op.source.data], blocks[op.target.data])
            else:
                raise VerifyError(op, problem="does not belong in a poly.view")

    def _verify_reads(self, block: BlockOp, before: Mapping[str, BlockOp]) -> None:
        """Checks that the range of each access map has the rank of the value that is read."""
        for tensor, access in zip(block.tensors, block.maps, strict=True):
            parsed = read_map(access.source.data)
            if parsed is not None and tensor.data in before:
                check_rank(block, f"the map to '{tensor.data}'", parsed.outputs, before[tensor.data].outputs)


Poly = Dialect("poly", [BlockOp, EdgeOp, ViewOp], [SetAttr, MapAttr, GuardAttr])
