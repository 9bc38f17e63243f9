"""
The temporaries that instructions of the PTO library take, which are not in the program.

Only the vector pipe uses them, one instruction after the other, so that they share one place: the end of the vector memory.
"""

from __future__ import annotations

from math import prod

from xdsl.ir import Operation, SSAValue

from ...dialects import pto
from ...dialects.pto.sequences import SORTED_BLOCK
from ...dialects.pto.storage import tile_bytes
from ...targets.pto import TEMPORARIES
from ...targets.pto.machine import ROWS_ALIGNMENT, PtoMachine


def temporary_like(op: Operation) -> SSAValue | None:
    """Returns the operand that has the type of the temporary of an instruction, or None if it takes none."""
    operand = TEMPORARIES.get(op.opcode) if isinstance(op, pto.InstructionOp) else None
    return None if operand is None else op.operands[operand]


def sort_places(op: pto.Sort32Op | pto.MrgSortOp) -> dict[str, int]:
    """
    Returns the offsets of the temporaries of a sort in bytes, and their end. An element has a key and an index of 4 bytes; a pair of both has 8.

    >>> from xdsl.dialects.builtin import f32
    >>> from xdsl.utils.test_value import create_ssa_value
    >>> sort_places(pto.Sort32Op(create_ssa_value(pto.TileType([2, 64], f32))))
    {'keys': 0, 'indices': 512, 'pairs': 1024, 'mask': 2048, 'end': 2176}
    """
    if isinstance(op, pto.Sort32Op):
        count, sizes = prod(pto.tile_type(op.input).sizes), {"keys": 4, "indices": 4, "pairs": 8, "mask": 1}
    else:
        count, sizes = merged_row(op), {"keys": 4, "indices": 4, "numbers": 4, "pairs": 8, "merged": 8, "mask": 1}
    ends = [count * sum(list(sizes.values())[:k]) for k in range(len(sizes) + 1)]
    return dict(zip((*sizes, "end"), ends, strict=True))


def merged_row(op: pto.MrgSortOp) -> int:
    """
    Returns the number of elements of the row in which lists are merged: TSORT32 and merges of four blocks each sort 32, 128, 512 … elements.
    """
    count, row = pto.tile_type(op.result).sizes[1] if op.block is None else 4 * op.block.value.data, SORTED_BLOCK
    while row < count:
        row *= 4
    return row


def temporary_bytes(function: Operation) -> int:
    """Returns the bytes at the end of the vector memory that temporaries of a function take."""
    found = [v for op in function.walk() if (v := temporary_like(op)) is not None]
    sizes = [tile_bytes(pto.tile_type(v)) for v in found]
    sizes += [sort_places(op)["end"] for op in function.walk() if isinstance(op, pto.Sort32Op | pto.MrgSortOp)]
    most = max(sizes, default=0)
    return -(-most // ROWS_ALIGNMENT) * ROWS_ALIGNMENT


def free_bytes(function: Operation, machine: PtoMachine, location: str) -> int:
    """Returns the bytes of a memory that tiles of a function may take."""
    return machine.memories.get(location, 0) - (temporary_bytes(function) if location == "Vec" else 0)
