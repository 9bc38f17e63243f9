"""
`wgmma`: asynchronous multiplication by warpgroups (PTX ISA §9.7.15).

A product is computed at issue. Until `wgmma.wait_group` completes its group, its registers are *in flight*
(`WgmmaRegisters` reports accesses) and its operands in shared memory are being read (`Shadow` reports writes).
Accumulator d[j] of a lane (g = lane / 4, t = lane % 4) is the element in row
16·(warp % 4) + g + 8·((j / 2) % 2), column 2t + j % 2 + 8·(j / 4).

As in `tensor_core`, products are exact, are added to the accumulator in float64, and are rounded once.
"""

from __future__ import annotations

import numpy as np

from ..engine.lanes import Lanes
from ..engine.machine import Machine, Part
from ..errors import BadDescriptor, DivergentWarp
from ..memory.descriptors import chunks
from ..memory.shared import SharedMemory
from ..violation import reject, relocated
from .decode import Decoder, Reader, Step
from .rounding import narrow
from .syntax import Instruction, Vector
from .tensor_core import ELEMENTS, rounded, tile
from .types import SCALARS, Array

U32, U64, PRED = SCALARS["u32"], SCALARS["u64"], SCALARS["pred"]
GROUP = 128
"""Number of threads in a warpgroup."""


class Groups(Part):
    """The numbers of committed and completed wgmma groups of each warp."""

    def __init__(self, m: Machine):
        super().__init__(m)
        self.committed = np.zeros(m.lane_count // 32, np.int64)
        self.done = np.zeros(m.lane_count // 32, np.int64)

    def commit(self, lanes: Lanes) -> None:
        self.committed[np.flatnonzero(lanes.bits)] += 1
        self._m.note(lanes.index, "wgmma commit", 0)

    def wait(self, lanes: Lanes, pending: int) -> None:
        m = self._m
        warps = np.flatnonzero(lanes.bits)
        self.done[warps] = np.maximum(self.done[warps], self.committed[warps] - pending)
        columns = m.clocks.wgmma_columns(warps)
        m.clocks.complete(warps, columns, ((self.done[warps] + 1) * 64).astype(np.int32))
        m.wgmma_registers.retire(lanes, self.done)
        m.note(lanes.index, "wgmma wait", pending)


def fence(m: Machine, lanes: Lanes) -> None:
    m.note(lanes.index, "wgmma fence", 0)
    m.wgmma_registers.fence(lanes)


def commit(m: Machine, lanes: Lanes) -> None:
    m.part(Groups).commit(lanes)


def build_wait(ins: Instruction, d: Decoder) -> Step:
    pending = d.count(d.operand(0))
    return lambda m, lanes: m.part(Groups).wait(lanes, pending)


def build_product(ins: Instruction, d: Decoder) -> Step:
    return _Product(ins, d).step


class _Product:
    """One `wgmma.mma_async`, decoded."""

    def __init__(self, ins: Instruction, d: Decoder):
        parts = ins.parts
        self.columns, self.depth = map(int, parts[4].removeprefix("m64n").split("k"))
        self.result, self.types = parts[-3], parts[-2:]
        self.saturate = "satfinite" in parts
        self.element = 4 // ELEMENTS[self.types[0]][0]
        if self.depth * self.element != 32:
            d.fail(f"there is no wgmma {parts[4]} of {self.types[0]}")
        self.packed = self.result == "f16"
        names = d.items(d.operand(0))
        wanted = self.columns // (4 if self.packed else 2)
        if len(names) != wanted:
            d.fail(f"{parts[4]}.{self.result} has {wanted} accumulators, got {len(names)}")
        self.slots = [d.register(n) for n in names]
        self.accumulator = U32 if self.packed else d.scalar(self.result)
        self.reads = [d.read(n, self.accumulator) for n in names]
        self.puts = [d.write(n, self.accumulator) for n in names]
        left = d.operand(1)
        self.left_slots: list[int] = []
        self.left_registers: list[Reader] = []
        self.left: Reader | None = None
        if isinstance(left, Vector):
            self.left_registers = [d.read(item, U32) for item in left.items]
            self.left_slots = [d.register(item) for item in left.items if d.is_register(item)]
            if len(self.left_registers) != 4:
                d.fail("a fragment of A must have 4 registers")
        else:
            self.left = d.read(left, U64)
        self.right = d.read(d.operand(2), U64)
        self.scale = d.read(d.operand(3), PRED)
        self._signs(ins, d)

    def _signs(self, ins: Instruction, d: Decoder) -> None:
        """Reads the constants after scale-d: the signs of A and B, and for 16-bit types whether each operand is MN-major."""
        rest = [d.constant(o) for o in ins.operands[4:]]
        floats = 0 if self.result == "s32" else 2
        majors = 0 if self.element != 2 else (2 if self.left else 1)
        if len(rest) != floats + majors:
            d.fail(f"{floats + majors} constants expected after scale-d, got {len(rest)}")
        self.sign = rest[0] * rest[1] if floats else 1
        if self.sign not in (1, -1):
            d.fail("the scales of A and B must be 1 or -1")
        flags = [bool(f) for f in rest[floats:]]
        self.right_transposed = flags[-1] if flags else False
        self.left_transposed = flags[0] if len(flags) == 2 else False

    def step(self, m: Machine, lanes: Lanes) -> None:
        groups = require_warpgroups(m, lanes)
        m.wgmma_registers.require_fenced(lanes, self.slots)
        m.wgmma_registers.require_fenced(lanes, self.left_slots)
        right = _uniform(m, lanes, self.right, "B")
        m.note(lanes.index, "wgmma", np.repeat(right, GROUP))
        b = np.stack([self._operand(m, lanes, g, int(v), "B") for g, v in enumerate(right)])
        if self.left is None:
            with m.wgmma_registers.unchecked():
                a = self._fragments(m, lanes, groups)
        else:
            left = _uniform(m, lanes, self.left, "A")
            m.note(lanes.index, "wgmma of", np.repeat(left, GROUP))
            a = np.stack([self._operand(m, lanes, g, int(v), "A") for g, v in enumerate(left)])
        product = np.asarray(a @ b.swapaxes(1, 2)) * self.sign
        # [group, warp, half, g, n8, t, pair] → [n8, half, pair, group, warp, g, t]
        spread = product.reshape(groups, 4, 2, 8, self.columns // 8, 4, 2).transpose(4, 2, 6, 0, 1, 3, 5)
        self._accumulate(m, lanes, spread.reshape(self.columns // 2, lanes.count))

    def _accumulate(self, m: Machine, lanes: Lanes, product: Array) -> None:
        keep = np.broadcast_to(self.scale(m, lanes), lanes.count)
        with m.wgmma_registers.unchecked():
            if keep.any():
                before = np.zeros((len(self.reads), lanes.count), self.accumulator.dtype)
                kept = lanes if keep.all() else lanes.among(keep)
                for row, read in zip(before, self.reads, strict=True):
                    row[keep] = read(m, kept)
                if self.packed:
                    halves = before.view(np.float16).reshape(*before.shape, 2).swapaxes(1, 2)
                    before = halves.reshape(-1, lanes.count)
                product = product + np.where(keep, before, 0)
            for put, value in zip(self.puts, self._rounded(product), strict=True):
                put(m, lanes, value)
        m.wgmma_registers.issue(lanes, self.slots + self.left_slots, m.part(Groups).committed + 1)

    def _rounded(self, product: Array) -> Array:
        if not self.packed:
            return rounded(product, self.accumulator, self.saturate)
        halves = narrow(product, SCALARS["f16"]).reshape(-1, 2, product.shape[1]).swapaxes(1, 2)
        return np.ascontiguousarray(halves).view(np.uint32).reshape(-1, product.shape[1])

    def _operand(self, m: Machine, lanes: Lanes, group: int, value: int, name: str) -> Array:
        """Reads A (64 rows) or B from shared memory as `[rows, depth]`."""
        rows, type_ = (64, self.types[0]) if name == "A" else (self.columns, self.types[1])
        transposed = self.left_transposed if name == "A" else self.right_transposed
        where = chunks(value, rows, 32, self.element, transposed=transposed, operand=name)
        who = lanes.index[group * GROUP : (group + 1) * GROUP]
        warp = int(who[0]) // 32
        column = int(m.clocks.wgmma_columns(np.array(warp)))
        stamp = int(m.part(Groups).committed[warp]) + 1
        with relocated(group * GROUP):
            data = m.part(SharedMemory).async_read(who, where.reshape(-1), 16, column, stamp, f"wgmma's read of {name}")
        m.count_bytes("async_shared", where.size * 16)
        values = ELEMENTS[type_][1](data.view(np.uint32)).reshape(where.shape[0], -1).astype(np.float64)
        return values.T if transposed else values

    def _fragments(self, m: Machine, lanes: Lanes, groups: int) -> Array:
        """Reads A from registers, whose lane layout is that of `mma` with 16 rows per warp."""
        per, elements = ELEMENTS[self.types[0]]
        a = np.empty((groups * 4, 16, self.depth))
        width = 4 * per
        for r, read in enumerate(self.left_registers):
            row, column = 8 * (r % 2), width * (r // 2)
            a[:, row : row + 8, column : column + width] = tile(elements, read(m, lanes), groups * 4, width)
        return a.reshape(groups, 64, self.depth)


def require_warpgroups(m: Machine, lanes: Lanes) -> int:
    """Returns the number of warpgroups; raises a `Violation` if a warpgroup is not converged."""
    bits = lanes.bits.reshape(m.cta_count, m.launch.warps)
    pad = -m.launch.warps % 4
    quads = np.pad(bits, ((0, 0), (0, pad))).reshape(-1, 4)
    bad = (quads != 0).any(axis=1) & (quads != 0xFFFF_FFFF).any(axis=1)
    if bad.any():
        cta, thread = np.divmod(lanes.index, m.launch.warps * 32)
        quad = cta * ((m.launch.warps + pad) // 4) + thread // GROUP
        names = [", ".join(f"{int(b):#010x}" for b in warps) for warps in quads]
        problem = "only these lanes of the warpgroup's 4 warps are here: "
        reject(bad[quad], DivergentWarp, what="wgmma", problem=lambda at: problem + names[int(quad[at])])
    return lanes.count // GROUP


def _uniform(m: Machine, lanes: Lanes, reader: Reader, name: str) -> Array:
    """Returns the descriptor of each warpgroup; raises a `Violation` if it is not uniform."""
    values = np.broadcast_to(reader(m, lanes), lanes.count).reshape(-1, GROUP)
    odd = np.repeat((values != values[:, :1]).any(axis=1), GROUP)
    problem = "differs between the threads of the warpgroup"
    reject(odd, BadDescriptor, operand=name, value=lambda at: int(values[at // GROUP, 0]), problem=problem)
    return values[:, 0]
