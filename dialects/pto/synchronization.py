"""
Waits that are ops of their own, and the addresses of tiles. Spec: `pto-ir.md §5`, `§8`.

In the synchronous meaning, `pto.sync` and `pto.sync.op` do nothing, and `pto.tile.assign` returns its tile.
"""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, IndexType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import base, irdl_op_definition, operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure

from ...targets.pto import PIPE_OF
from ..common.checks import check, check_count, check_value
from ..common.ops import DialectOp
from ..common.syntax import axes_attr
from .indices import Index, Indices, checked, split
from .syntax import Bare, Waits, Whole
from .types import EventType, SameTile
from .words import OpcodeAttr


@irdl_op_definition
class SyncOp(DialectOp):
    """
    TSYNC: waits for events or, without events, for all instructions before it (a barrier of all pipes).

    ```mlir
    %t0, %e0 = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>, !pto.event<producer = #pto.op<TLOAD>>
    pto.sync wait(%e0)
    pto.sync
    ```
    """

    name = "pto.sync"
    waits = var_operand_def(base(EventType))
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    custom_directives = (Waits,)
    assembly_format = "custom<Waits>($waits, type($waits)) attr-dict"

    def __init__(self, *waits: SSAValue):
        super().__init__([waits])


@irdl_op_definition
class SyncOpcodeOp(DialectOp):
    """
    TSYNC of an opcode: waits for all instructions before it that run on the vector pipe.

    ```mlir
    pto.sync.op #pto.op<TADD>
    ```
    """

    name = "pto.sync.op"
    opcode = prop_def(OpcodeAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    custom_directives = (Whole,)
    assembly_format = "custom<Whole>($opcode) attr-dict"

    def __init__(self, opcode: str):
        super().__init__(opcode=OpcodeAttr.of(opcode))

    def verify_(self) -> None:
        word = self.opcode.word
        check(self, PIPE_OF[word] == "V", f"waits for vector instructions, but {word} runs on pipe {PIPE_OF[word]}")


@irdl_op_definition
class AssignOp(DialectOp):
    """
    TASSIGN: says at which address in its memory a tile is stored, in bytes. Returns the tile.

    ```mlir
    %1 = pto.tile.assign %0 at [1024] : tile<16x32xf32>
    %3 = pto.tile.assign %2 at [%a] : tile<16x32xf32>
    ```
    """

    name = "pto.tile.assign"
    tile = operand_def(SameTile)
    address = var_operand_def(IndexType)
    static_address = prop_def(DenseArrayBase.constr(i64))
    result = result_def(SameTile)
    traits = traits_def(Pure())
    custom_directives = (Bare, Indices)
    assembly_format = "$tile `at` custom<Indices>($address, $static_address) attr-dict `:` custom<Bare>(type($result))"

    def __init__(self, tile: SSAValue, address: Index):
        static, values = split([address])
        super().__init__([tile, values], [tile.type], static_address=axes_attr(static))

    @property
    def place(self) -> Index:
        """The address, in bytes."""
        return checked(self, "address", self.static_address, self.address)[0]

    def verify_(self) -> None:
        places = checked(self, "address", self.static_address, self.address)
        check_count(self, len(places) == 1, "'address'", "one index", len(places))
        check_value(self, not isinstance(self.place, int) or self.place >= 0, "address", self.place, "it is at least 0")
