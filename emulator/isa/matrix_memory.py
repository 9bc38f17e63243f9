"""`ldmatrix` and `stmatrix`: 8×8 matrices of 16-bit elements, row by row (PTX ISA §9.7.14.5.15, .16)."""

from __future__ import annotations

import numpy as np

from ..engine.lanes import Lanes
from ..engine.machine import Machine
from ..memory.memops import spread
from ..memory.shared import SharedMemory
from ..violation import relocated
from .decode import Decoder, Reader, Step
from .syntax import Instruction
from .tensor_core import require_whole_warps
from .types import SCALARS, Array

U32 = SCALARS["u32"]


def _matrices(ins: Instruction, d: Decoder, registers: int) -> tuple[int, bool]:
    """Returns the number of matrices, and whether they are transposed."""
    count = int(ins.parts[4][1])
    if registers != count:
        d.fail(f"{count} matrices need {count} registers")
    return count, "trans" in ins.parts


def _rows(where: Reader, m: Machine, lanes: Lanes, count: int) -> tuple[Array, Array]:
    """Returns the positions of the lanes whose addresses are used (one lane for each row), and these addresses."""
    positions = np.arange(lanes.count).reshape(-1, 32)[:, : 8 * count].reshape(-1)
    return positions, spread(where, m, lanes)[positions]


def build_ldmatrix(ins: Instruction, d: Decoder) -> Step:
    puts = [d.write(item, U32) for item in d.items(d.operand(0))]
    where = d.address(d.operand(1))
    count, transposed = _matrices(ins, d, len(puts))

    def step(m: Machine, lanes: Lanes) -> None:
        warps = require_whole_warps(lanes, "ldmatrix")
        positions, addresses = _rows(where, m, lanes, count)
        index = lanes.index[positions]
        m.count_shared(index, addresses, 16, "shared_load")
        with relocated(positions):
            rows = m.part(SharedMemory).load(index, addresses, 16, 16, collective=True)
        halves = rows.view(np.uint16).reshape(warps, count, 8, 8)
        if transposed:
            halves = np.ascontiguousarray(halves.swapaxes(2, 3))
        words = halves.view(np.uint32).reshape(warps, count, 32)
        for i, put in enumerate(puts):
            put(m, lanes, words[:, i].reshape(-1).copy())

    return step


def build_stmatrix(ins: Instruction, d: Decoder) -> Step:
    where = d.address(d.operand(0))
    reads = [d.read(item, U32) for item in d.items(d.operand(1))]
    count, transposed = _matrices(ins, d, len(reads))

    def step(m: Machine, lanes: Lanes) -> None:
        warps = require_whole_warps(lanes, "stmatrix")
        words = np.stack([np.broadcast_to(r(m, lanes), lanes.count).reshape(warps, 32) for r in reads], 1)
        halves = np.ascontiguousarray(words).view(np.uint16).reshape(warps, count, 8, 8)
        if transposed:
            halves = np.ascontiguousarray(halves.swapaxes(2, 3))
        rows = halves.reshape(-1, 8).view(np.dtype("V16")).reshape(-1)
        positions, addresses = _rows(where, m, lanes, count)
        index = lanes.index[positions]
        m.count_shared(index, addresses, 16, "shared_store")
        with relocated(positions):
            m.part(SharedMemory).store(index, addresses, rows, 16, 16)

    return step
