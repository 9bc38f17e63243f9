"""`mma.sync` of every dense shape and type but 4-bit and 1-bit integers (PTX ISA §9.7.14.5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engine.lanes import Lanes
from ..engine.machine import Machine, Part
from .decode import Decoder, Reader, Step, Writer
from .rounding import narrow
from .syntax import Instruction, Operand
from .tensor_core import ELEMENTS, require_whole_warps, rounded, tile
from .types import SCALARS, Array

U32, F64 = SCALARS["u32"], SCALARS["f64"]
_REMEMBERED = 256


class _Matrices(Part):
    """Caches the matrix of each fragment by its register slots, with the versions and the lanes for which the matrix is valid."""

    def __init__(self, m: Machine):
        super().__init__(m)
        self.known: dict[tuple[int, ...], tuple[tuple[int, ...], Lanes, Array]] = {}


@dataclass(frozen=True)
class _Fragment:
    """
    An operand's registers, read as a float64 matrix `[warps, rows, depth]`. Matrices are cached until a register is
    written, because a fragment is multiplied with several others.
    """

    element: str
    reads: tuple[Reader, ...]
    slots: tuple[int, ...]
    rows: int
    depth: int

    def matrix(self, m: Machine, lanes: Lanes, warps: int) -> Array:
        versions = m.registers.versions
        key = tuple(versions[slot] for slot in self.slots)
        remembered = m.part(_Matrices).known
        known = remembered.get(self.slots)
        if known is not None and known[0] == key and known[1] is lanes and known[2].shape[2] == self.depth:
            return known[2]
        count, elements = ELEMENTS[self.element]
        width = 4 * count
        matrix = np.empty((warps, self.rows, self.depth))
        blocks = self.rows // 8
        for r, read in enumerate(self.reads):
            row, column = 8 * (r % blocks), width * (r // blocks)
            matrix[:, row : row + 8, column : column + width] = tile(elements, read(m, lanes), warps, width)
        if len(self.slots) == len(self.reads):
            if len(remembered) >= _REMEMBERED:
                remembered.clear()
            remembered[self.slots] = (key, lanes, matrix)
        return matrix


def build_mma(ins: Instruction, d: Decoder) -> Step:
    """`mma.sync.aligned.m16n8k<k>.row.col[.satfinite].<d>.<a>.<b>.<c> {d}, {a}, {b}, {c}`."""
    _, *modifiers, d_name, a_name, b_name, _ = ins.parts
    rows, depth = map(int, modifiers[2].removeprefix("m").split("n8k"))
    operands = [d.items(d.operand(i)) for i in range(4)]
    width = 4 * ELEMENTS[a_name][0]
    outputs = rows // 4 // (2 if d_name == "f16" else 1)
    wanted = (outputs, rows // 8 * depth // width, depth // width, outputs)
    if depth % width or tuple(len(o) for o in operands) != wanted:
        d.fail(f"m{rows}n8k{depth} takes {wanted} registers of these types")
    accumulator = U32 if d_name == "f16" else d.scalar(d_name)
    puts = [d.write(item, accumulator) for item in operands[0]]
    left = _fragment(d, operands[1], a_name, rows, depth)
    right = _fragment(d, operands[2], b_name, 8, depth)
    start = [d.read(item, accumulator) for item in operands[3]]

    def step(m: Machine, lanes: Lanes) -> None:
        warps = require_whole_warps(lanes, "mma.sync")
        product = left.matrix(m, lanes, warps) @ right.matrix(m, lanes, warps).swapaxes(1, 2)
        if d_name == "f16":
            _accumulate_halves(m, lanes, product, start, puts)
            return
        totals: list[Array] = []
        for i, read in enumerate(start):
            row = 8 * (i // 2)
            totals.append(product[:, row : row + 8, i % 2 :: 2].reshape(-1) + read(m, lanes))
        for put, total in zip(puts, totals, strict=True):
            put(m, lanes, rounded(total, accumulator, "satfinite" in modifiers))

    return step


def _fragment(d: Decoder, items: tuple[Operand, ...], element: str, rows: int, depth: int) -> _Fragment:
    type_ = F64 if element == "f64" else U32
    slots = tuple(d.register(item) for item in items if d.is_register(item))
    return _Fragment(element, tuple(d.read(item, type_) for item in items), slots, rows, depth)


def _accumulate_halves(m: Machine, lanes: Lanes, product: Array, start: list[Reader], puts: list[Writer]) -> None:
    totals: list[Array] = []
    for i, read in enumerate(start):
        before = np.array(np.broadcast_to(read(m, lanes), lanes.count)).view(np.float16).reshape(-1, 8, 8)
        totals.append(narrow(product[:, 8 * i : 8 * i + 8] + before, SCALARS["f16"]))
    for put, total in zip(puts, totals, strict=True):
        put(m, lanes, np.ascontiguousarray(total).view(np.uint32).reshape(-1))
