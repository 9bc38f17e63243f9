"""
Counts what a compiled kernel takes without a GPU, and predicts its time from that by the cost model.

Registers, spills and shared memory are those of the cubin. Instructions, multiply-adds, wavefronts of shared memory and sectors are counted
by the emulator, which may run only the first blocks of a grid. In contrast to the planner's estimate (`planning/cost.py`), no number of the
kernel is predicted here; only how long it takes is.

```
seconds = max over the parts, plus a share of the others           (`cost.overlapped`)
  issue      warp instructions / 4 a clock                          of the busiest multiprocessor
  tensor     multiply-adds / the machine's rate                     of the busiest multiprocessor
  shared     wavefronts / 1 a clock                                 of the busiest multiprocessor
  l2         bytes of sectors and bulk copies / bandwidth of L2     of all blocks
  dram       bytes of the kernel's arrays / bandwidth of DRAM
        + latency of the first and the last access of each wave
```

Few warps do not hide each other's latencies, so `issue` is divided by the share of `HIDING` warps that a multiprocessor holds.
Spec: `tensor-compiler.ja §5` (occupancy), `§6`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod

import msgspec

from ..backends.cuda.nvrtc import Resources
from ..emulator.engine.report import Report
from ..planning.cost import LATENCY, overlapped
from ..runtime.launch import Launch
from ..targets.architectures import WARP, WARPGROUP
from ..targets.machines import Machine

OVERLAP = 0.25
"""The share of the faster parts that is not hidden behind the slowest one: that of the planner's model."""
ISSUE = 4
"""Number of warp instructions that a multiprocessor issues per clock."""
HIDING = 8
"""Number of warps of a multiprocessor that hide each other's latencies: two for each of its schedulers."""
_SHAPE = re.compile(r"\.m(\d+)n(\d+)k(\d+)\.")
_KINDS = (
    ("f64", "f64"),
    ("tf32", "tf32"),
    ("e4m3", "f8"),
    ("e5m2", "f8"),
    ("s8", "i8"),
    ("u8", "i8"),
    ("f16", "f16"),
)
"""Words of an opcode, and the row of the machine's rates that its operands have."""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """
    Facts of one launch. What the emulator counts is of the `emulated` blocks of `blocks`; it is 0 if none was emulated. `shared` is in
    bytes, `registers` are of a thread, `tensor` counts multiply-adds of matrix instructions by the kind of their operands.
    """

    registers: int
    spilled: int
    shared: int
    threads: int
    blocks: int
    occupancy: int
    """The number of blocks that a multiprocessor holds."""
    emulated: int = 0
    instructions: int = 0
    """Instructions of warps."""
    wavefronts: int = 0
    conflicts: int = 0
    sectors: int = 0
    moved: int = 0
    """Bytes of the sectors and of bulk copies, between L2 and the multiprocessors."""
    tensor: dict[str, int] = {}
    synchronous: bool = False
    """Whether matrix instructions are those of a warp (`mma.sync`)."""


def static_facts(launch: Launch, used: Resources, machine: Machine) -> Facts:
    """Returns the facts of a kernel that are known before it runs."""
    threads, shared = prod(launch.block), launch.shared + used.static_shared
    return Facts(
        registers=used.registers,
        spilled=used.spill_stores + used.spill_loads,
        shared=shared,
        threads=threads,
        blocks=prod(launch.grid),
        occupancy=machine.limits.blocks(threads, used.registers, shared),
    )


def emulated_facts(static: Facts, report: Report, emulated: int) -> Facts:
    """Returns the facts with what the emulator counted when it ran the first `emulated` blocks."""
    tensor: dict[str, int] = {}
    for opcode, lanes in report.opcodes.items():
        if (size := _SHAPE.search(opcode)) is not None and opcode.startswith(("mma.", "wgmma.")):
            kind = next(kind for word, kind in _KINDS if word in opcode)
            group = WARPGROUP if opcode.startswith("wgmma") else WARP
            tensor[kind] = tensor.get(kind, 0) + lanes // group * prod(map(int, size.groups()))
    return msgspec.structs.replace(
        static,
        emulated=emulated,
        instructions=report.lanes // WARP,
        wavefronts=report.wavefronts,
        conflicts=report.conflicts,
        sectors=report.sectors,
        moved=report.global_bytes,
        tensor=tensor,
        synchronous=any(opcode.startswith("mma.") for opcode in report.opcodes),
    )


@dataclass(frozen=True)
class Parts:
    """The clocks of each part of a kernel alone, and of the whole kernel."""

    waves: int
    issue: float
    tensor: float
    shared: float
    l2: float
    dram: float
    latency: float
    total: float


def parts(facts: Facts, machine: Machine, size: int) -> Parts:
    """Returns the predicted clocks of an emulated kernel whose arrays have `size` bytes."""
    at_once = max(1, facts.occupancy)
    waves = -(-facts.blocks // (machine.multiprocessors * at_once))
    busiest = -(-facts.blocks // machine.multiprocessors) / facts.emulated
    resident = min(at_once, -(-facts.blocks // machine.multiprocessors)) * -(-facts.threads // WARP)
    issue = facts.instructions / ISSUE / min(1.0, resident / HIDING) * busiest
    share = machine.mma_share if facts.synchronous else 1.0
    tensor = sum(count / (machine.multiply_adds[kind] * share) for kind, count in facts.tensor.items()) * busiest
    shared = facts.wavefronts * busiest
    l2 = facts.moved * facts.blocks / facts.emulated / machine.l2_clock
    dram = size / (machine.dram_share * machine.multiprocessors)
    latency = 2.0 * waves * LATENCY
    return Parts(
        waves, issue, tensor, shared, l2, dram, latency, overlapped(OVERLAP, issue, tensor, shared, l2, dram) + latency
    )


def seconds(facts: Facts, machine: Machine, size: int) -> float:
    """Returns the predicted time of an emulated kernel whose arrays have `size` bytes."""
    return parts(facts, machine, size).total / (machine.clock * 1e9)
