"""`ldmatrix` and `stmatrix`: 8×8 matrices of 16-bit elements, row by row (PTX ISA §9.7.14.5.15, .16)."""

from __future__ import annotations

import numpy as np

from ..engine.lanes import Lanes
from ..engine.machine import Machine
from ..memory.memops import spread
from ..memory.shared import SharedMemory
from ..violation import Violation
from .decode import Builder, Decoder, Step
from .syntax import Instruction
from .tensor_core import require_whole_warps
from .types import SCALARS

U32 = SCALARS["u32"]


def build_ldmatrix(ins: Instruction, d: Decoder) -> Step:
    count, transposed = int(ins.parts[4][1]), "trans" in ins.parts
    puts = [d.write(item, U32) for item in d.items(d.operand(0))]
    where = d.address(d.operand(1))
    if len(puts) != count:
        d.fail(f"{count} matrices need {count} registers")

    def step(m: Machine, lanes: Lanes) -> None:
        warps = require_whole_warps(lanes, "ldmatrix")
        addresses = spread(where, m, lanes).reshape(warps, 32)[:, : 8 * count].reshape(-1)
        index = lanes.index.reshape(warps, 32)[:, : 8 * count].reshape(-1)
        m.count_shared(index, addresses, 16, "shared_load")
        try:
            rows = m.part(SharedMemory).load(index, addresses, 16, 16, collective=True)
        except Violation as violation:
            violation.position = violation.position // (8 * count) * 32 + violation.position % (8 * count)
            raise
        if transposed:
            halves = rows.view(np.uint16).reshape(warps, count, 8, 8).swapaxes(2, 3)
            words = np.ascontiguousarray(halves).view(np.uint32)
        else:
            words = rows.view(np.uint32)
        words = words.reshape(warps, count, 32)
        for i, put in enumerate(puts):
            put(m, lanes, words[:, i].reshape(-1).copy())

    return step


def build_stmatrix(ins: Instruction, d: Decoder) -> Step:
    count, transposed = int(ins.parts[4][1]), "trans" in ins.parts
    where = d.address(d.operand(0))
    reads = [d.read(item, U32) for item in d.items(d.operand(1))]
    if len(reads) != count:
        d.fail(f"{count} matrices need {count} registers")

    def step(m: Machine, lanes: Lanes) -> None:
        warps = require_whole_warps(lanes, "stmatrix")
        words = np.stack([np.broadcast_to(r(m, lanes), lanes.count).reshape(warps, 32) for r in reads], 1)
        halves = np.ascontiguousarray(words).view(np.uint16).reshape(warps, count, 8, 8)
        if transposed:
            halves = np.ascontiguousarray(halves.swapaxes(2, 3))
        rows = halves.reshape(-1, 8).view(np.dtype("V16")).reshape(-1)
        addresses = spread(where, m, lanes).reshape(warps, 32)[:, : 8 * count].reshape(-1)
        index = lanes.index.reshape(warps, 32)[:, : 8 * count].reshape(-1)
        m.count_shared(index, addresses, 16, "shared_store")
        m.part(SharedMemory).store(index, addresses, rows, 16, 16)

    return step


TABLE: dict[str, Builder] = {"ldmatrix": build_ldmatrix, "stmatrix": build_stmatrix}
