"""
The temporaries that instructions of the PTO library take, which are not in the program.

Only the vector pipe uses them, one instruction after the other, so that they share one place: the end of the vector memory.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from ...dialects import pto
from ...dialects.pto.storage import tile_bytes
from ...targets.pto import TEMPORARIES
from ...targets.pto.machine import ROWS_ALIGNMENT, PtoMachine


def temporary_like(op: Operation) -> SSAValue | None:
    """Returns the operand that has the type of the temporary of an instruction, or None if it takes none."""
    operand = TEMPORARIES.get(op.opcode) if isinstance(op, pto.InstructionOp) else None
    return None if operand is None else op.operands[operand]


def temporary_bytes(function: Operation) -> int:
    """Returns the bytes at the end of the vector memory that temporaries of a function take."""
    found = [v for op in function.walk() if (v := temporary_like(op)) is not None]
    most = max((tile_bytes(pto.tile_type(v)) for v in found), default=0)
    return -(-most // ROWS_ALIGNMENT) * ROWS_ALIGNMENT


def free_bytes(function: Operation, machine: PtoMachine, location: str) -> int:
    """Returns the bytes of a memory that tiles of a function may take."""
    return machine.memories.get(location, 0) - temporary_bytes(function) * (location == "Vec")
