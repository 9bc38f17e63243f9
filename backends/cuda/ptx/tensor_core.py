"""
`ldmatrix`, `stmatrix` and `mma.sync` (PTX ISA §9.7.14).

Lane layout, with g = lane / 4, t = lane % 4 and e elements in a register: register *r* of A holds row
g + 8 (r % 2), columns 4e (r / 2) + e t …; register *r* of B holds column g, rows 4e r + e t …; the accumulators
are (g, 2t), (g, 2t+1), (g+8, 2t), (g+8, 2t+1).

One instruction multiplies exactly, sums its products and the accumulator in float64 and rounds once to the
accumulator's type. A tensor core truncates more and in an order nobody documents: results of random data may
differ in the last bits, integer-valued ones may not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DivergentWarp
from .decode import Builder, Decoder, Step
from .lanes import Lanes
from .memops import spread
from .rounding import canonical, narrow
from .shared import excess_wavefronts
from .syntax import Instruction
from .types import SCALARS, Array
from .violation import Violation

if TYPE_CHECKING:
    from .machine import Machine

U32 = SCALARS["u32"]


def require_whole_warps(lanes: Lanes, what: str) -> int:
    """How many warps `lanes` are; some lane missing is a `Violation`."""
    if not lanes.full:
        bits = lanes.bits
        partial = (bits != 0) & (bits != 0xFFFF_FFFF)
        if partial.any():
            warp = int(np.argmax(partial))
            position = int(np.searchsorted(lanes.index, warp * 32))
            problem = f"only lanes {int(bits[warp]):#010x} of the warp are here"
            raise Violation(DivergentWarp, position, what=what, problem=problem)
    return lanes.count // 32


# --- matrices in shared memory ---------------------------------------------------------------------


def build_ldmatrix(ins: Instruction, d: Decoder) -> Step:
    parts = [p.partition("::")[0] for p in ins.parts]
    if "m8n8" not in parts or parts[-1] != "b16":
        d.unknown()
    count = next((int(p[1]) for p in parts if p in ("x1", "x2", "x4")), 0)
    transposed = "trans" in parts
    puts = [d.write(item, U32) for item in d.items(d.operand(0))]
    where = d.address(d.operand(1))
    if len(puts) != count:
        d.fail(f"{count} matrices need {count} registers")

    def step(m: Machine, lanes: Lanes) -> None:
        warps = require_whole_warps(lanes, "ldmatrix")
        addresses = spread(where, m, lanes).reshape(warps, 32)[:, : 8 * count].reshape(-1)
        index = lanes.index.reshape(warps, 32)[:, : 8 * count].reshape(-1)
        m.count(excess_wavefronts(index, addresses, 16))
        try:
            rows = m.shared.load(index, addresses, 16, 16, collective=True)
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
    parts = [p.partition("::")[0] for p in ins.parts]
    if "m8n8" not in parts or parts[-1] != "b16":
        d.unknown()
    where = d.address(d.operand(0))
    reads = [d.read(item, U32) for item in d.items(d.operand(1))]
    count, transposed = len(reads), "trans" in parts

    def step(m: Machine, lanes: Lanes) -> None:
        warps = require_whole_warps(lanes, "stmatrix")
        words = np.stack([np.broadcast_to(r(m, lanes), lanes.count).reshape(warps, 32) for r in reads], 1)
        halves = np.ascontiguousarray(words).view(np.uint16).reshape(warps, count, 8, 8)
        if transposed:
            halves = np.ascontiguousarray(halves.swapaxes(2, 3))
        rows = halves.reshape(-1, 8).view(np.dtype("V16")).reshape(-1)
        addresses = spread(where, m, lanes).reshape(warps, 32)[:, : 8 * count].reshape(-1)
        index = lanes.index.reshape(warps, 32)[:, : 8 * count].reshape(-1)
        m.count(excess_wavefronts(index, addresses, 16))
        m.shared.store(index, addresses, rows, 16, 16)

    return step


# --- products --------------------------------------------------------------------------------------


def _bfloats(register: Array) -> Array:
    """bf16 pairs as float32, by bits."""
    both = np.empty((register.size, 2), np.uint32)
    np.left_shift(register, 16, out=both[:, 0])
    np.bitwise_and(register, 0xFFFF_0000, out=both[:, 1])
    return both.view(np.float32)


def _tensor_floats(register: Array) -> Array:
    """tf32: the low 13 bits are ignored."""
    return (register & np.uint32(0xFFFF_E000)).view(np.float32)


_ELEMENTS: dict[str, tuple[int, Callable[[Array], Array]]] = {
    "bf16": (2, _bfloats),
    "f16": (2, lambda register: register.view(np.float16)),
    "tf32": (1, _tensor_floats),
    "s8": (4, lambda register: register.view(np.int8)),
    "u8": (4, lambda register: register.view(np.uint8)),
}
_SHAPE = re.compile(r"m16n8k(\d+)")


def build_mma(ins: Instruction, d: Decoder) -> Step:
    """`mma.sync.aligned.m16n8k<k>.row.col.<d>.<a>.<b>.<c> {d}, {a}, {b}, {c}`."""
    _, *modifiers, d_name, a_name, b_name, c_name = ins.parts
    shape = next((s for p in modifiers if (s := _SHAPE.fullmatch(p))), None)
    plain = [p for p in modifiers if not _SHAPE.fullmatch(p)]
    if shape is None or plain != ["sync", "aligned", "row", "col"] or d_name != c_name:
        d.unknown()
    if a_name not in _ELEMENTS or b_name not in _ELEMENTS or d_name not in ("f32", "f16", "s32"):
        d.unknown()
    depth = int(shape[1])
    step_k = 4 * _ELEMENTS[a_name][0]
    groups = d.operand(0), d.operand(1), d.operand(2), d.operand(3)
    sizes = tuple(len(d.items(g)) for g in groups)
    outputs = 2 if d_name == "f16" else 4
    if depth % step_k or sizes != (outputs, 2 * depth // step_k, depth // step_k, outputs):
        d.fail(f"m16n8k{depth} does not take {sizes} registers of these types")
    accumulator = U32 if d_name == "f16" else d.scalar(d_name)
    puts = [d.write(item, accumulator) for item in d.items(groups[0])]
    left = [d.read(item, U32) for item in d.items(groups[1])]
    right = [d.read(item, U32) for item in d.items(groups[2])]
    start = [d.read(item, accumulator) for item in d.items(groups[3])]
    a_elements, b_elements = _ELEMENTS[a_name][1], _ELEMENTS[b_name][1]

    def step(m: Machine, lanes: Lanes) -> None:
        warps = require_whole_warps(lanes, "mma.sync")
        a = np.empty((warps, 16, depth))
        b = np.empty((warps, 8, depth))
        for r, read in enumerate(left):
            row, column = 8 * (r % 2), step_k * (r // 2)
            a[:, row : row + 8, column : column + step_k] = _tile(a_elements, read(m, lanes), warps, step_k)
        for r, read in enumerate(right):
            b[:, :, step_k * r : step_k * (r + 1)] = _tile(b_elements, read(m, lanes), warps, step_k)
        product = a @ b.swapaxes(1, 2)
        if d_name == "f16":
            _accumulate_halves(m, lanes, product, start, puts)
            return
        for i, (put, read) in enumerate(zip(puts, start, strict=True)):
            row = 8 * (i // 2)
            part = product[:, row : row + 8, i % 2 :: 2].reshape(-1) + read(m, lanes)
            if d_name == "s32":
                put(m, lanes, part.astype(np.int64).astype(np.int32))
            else:
                put(m, lanes, canonical(part.astype(np.float32), accumulator))

    return step


def _tile(elements: Callable[[Array], Array], register: Any, warps: int, width: int) -> Array:
    """One register of all lanes as `[warps, 8, width]`."""
    if register.shape != (warps * 32,):
        register = np.full(warps * 32, register)
    return elements(np.ascontiguousarray(register)).reshape(warps, 8, width)


def _accumulate_halves(m: Machine, lanes: Lanes, product: Array, start: list[Any], puts: list[Any]) -> None:
    half = SCALARS["f16"]
    warps = product.shape[0]
    for i, (put, read) in enumerate(zip(puts, start, strict=True)):
        before = np.array(np.broadcast_to(read(m, lanes), lanes.count)).view(np.float16).reshape(warps, 8, 8)
        total = narrow(product[:, 8 * i : 8 * i + 8] + before, half)
        put(m, lanes, np.ascontiguousarray(total).view(np.uint32).reshape(-1))


TABLE: dict[str, Builder] = {"ldmatrix": build_ldmatrix, "stmatrix": build_stmatrix, "mma": build_mma}
