"""
The estimated time of a candidate kernel, by which fusion is decided: all formulas in one place, each term in microseconds.

```
t = max(memory, tensor, arithmetic) + launch            memory = bytes / min(bandwidth, bytes in flight / latency)
```

The three overlap, but for a share of them (`SERIAL_SHARE`).

`memory` counts what crosses global memory, each array once: what a kernel reads of it, and what it stores. `arithmetic` counts an op as often
as the kernel evaluates it: once more for each tile that needs it again (recomputation, halo). Few blocks have too few loads in flight, which
is the occupancy term. The thresholds of the specification are `Penalty` rows, each with its name, its limit and what exceeds it.

Spec: `tensor-compiler.ja §4.1` (Δtime), `§4.2` (thresholds), `§6` (`time_est = max(FLOPs/…, Bytes/…)`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf, prod

from xdsl.ir import Operation, SSAValue

from ...analysis.regions.addresses import is_affine, stride
from ...analysis.regions.contraction import Contraction
from ...analysis.regions.kernel import Kernel, bytes_of
from ...analysis.regions.places import Place, Slice, is_splat
from ...analysis.regions.prologue import operations, repeats
from ...analysis.regions.scattered import in_pieces
from ...dialects import tiny
from ...dialects.common.shapes import element, shape
from ...targets.architectures import REGISTERS
from ...targets.machines import Machine
from ...targets.mma import element_bytes, mma_for
from ..cost import LATENCY, overlapped
from ..row_time import BLOCK_BYTES, LAUNCH

MEMORY_SHARE = 0.9
"""The fraction of the bandwidth of device memory that kernels reach."""
TENSOR_SHARE = 0.7
"""The fraction of the tensor cores' rate that kernels reach."""
SERIAL_SHARE = 0.1
"""The share of a kernel in which memory, tensor cores and arithmetic do not overlap: the first loads and the last stores."""
PROLOGUE_SHARE = 0.85
"""The fraction of their rate that tensor cores reach if an operand is computed on its way to them."""
WARP_ACCUMULATORS = 4096
"""Accumulators of a warp whose lanes hold 128 each, which those of all members share."""
LANES = 128
"""Operations that a multiprocessor executes per clock."""
SHARED_SHARE = 0.8
"""The fraction of a block's shared memory that a kernel may use (§4.2); longer rows are read again."""
TILE_THREADS, TILE_REGISTERS = 256, 64
"""Threads of a tile of 128×128 accumulators, and the registers in which each of them holds its part."""
OTHER_REGISTERS, READ_REGISTERS = 40, 8
"""Registers of a thread for addresses and fragments; and for each array that an epilogue reads, of which a vector is loaded ahead."""
VECTOR_BYTES = 16
"""Bytes of a load or store whose elements are contiguous."""
NARROW_READS = 2
"""Slowdown factor of reading elements that are not contiguous: other blocks find the rest of the sectors in L2."""


@dataclass(frozen=True)
class Penalty:
    """A threshold of §4.2 that a kernel exceeds: its name, the value, the limit and the microseconds that it costs."""

    name: str
    value: float
    limit: float
    unit: str
    time: float

    def __str__(self) -> str:
        return f"{self.name} ({self.value:g} {self.unit}, limit {self.limit:g}): +{self.time:.2f} us"


@dataclass(frozen=True)
class KernelTime:
    """The bytes that a kernel moves, and its time in microseconds by term. `memory` includes `occupancy`, what too few blocks cost."""

    read: int
    written: int
    memory: float
    occupancy: float
    tensor: float
    arithmetic: float
    launch: float
    penalties: tuple[Penalty, ...] = ()

    @property
    def bytes(self) -> int:
        return self.read + self.written

    @property
    def total(self) -> float:
        together = overlapped(SERIAL_SHARE, self.memory, self.tensor, self.arithmetic)
        return together + self.launch + sum(p.time for p in self.penalties)


@dataclass(frozen=True)
class SliceFacts:
    """
    The bytes that a slice reads of each array, its operations, its narrow reads, the arrays that it reads at every point of a row, and
    whether one thread computes each of its reductions, since they read arrays in pieces.
    """

    reads: dict[SSAValue, int]
    work: dict[Operation, float]
    narrow: tuple[SSAValue, ...]
    wide: tuple[SSAValue, ...]
    serial: bool


@dataclass
class KernelTimes:
    """Estimates the times of kernels on a machine. What follows from a slice alone is computed once."""

    machine: Machine
    _facts: dict[int, tuple[Slice, SliceFacts]] = field(default_factory=dict[int, tuple[Slice, SliceFacts]])

    def __post_init__(self) -> None:
        self.per_us = self.machine.clock * 1000
        self.bandwidth = self.machine.dram_share * self.machine.multiprocessors * MEMORY_SHARE * self.per_us

    def __call__(self, kernel: Kernel, halo: int = 0) -> KernelTime:
        """Returns the estimated time of a kernel. `halo` is the number of operations with which its tiles compute their halos again."""
        reads = self.reads(kernel)
        read, written = sum(reads.values()), sum(bytes_of(r) for r in kernel.roots)
        size = read + written
        slowest = (self.in_flight(kernel, size) or inf) / LATENCY * self.per_us  # without points, nothing is waited for
        memory = size / min(self.bandwidth, slowest)
        tensor = sum(_tensor_clocks(c, kernel, self.machine) for c in _products(kernel)) / self.per_us
        work = (sum(self.work(kernel)) + halo) / (LANES * self.machine.multiprocessors * self.per_us)
        launch = launch_time(self.machine)
        found = tuple(self.penalties(kernel, reads, min(memory, tensor + work)))
        return KernelTime(read, written, memory, memory - size / self.bandwidth, tensor, work, launch, found)

    def facts(self, s: Slice) -> SliceFacts:
        if (known := self._facts.get(id(s))) is None:
            known = self._facts[id(s)] = s, _facts(s)
        return known[1]

    def reads(self, kernel: Kernel) -> dict[SSAValue, int]:
        """Returns the bytes of each array that a kernel reads: no more than the array has, and than there are points that read it."""
        out: dict[SSAValue, int] = {}
        for s in _parts(kernel):
            for value, size in self.facts(s).reads.items():
                out[value] = min(out.get(value, 0) + size, bytes_of(value))
        for c in _products(kernel):
            for operand in (c.lhs, c.rhs):
                if operand.value not in kernel.prologues and not is_splat(operand.value):
                    points = prod(c.sizes) * element_bytes(element(operand.value))
                    out[operand.value] = min(out.get(operand.value, 0) + points, bytes_of(operand.value))
        return {v: out.get(v, bytes_of(v)) for v in kernel.leaves()}

    def work(self, kernel: Kernel) -> Iterator[float]:
        """Yields the operations of a kernel: for each op, its instructions times the number of points at which it is evaluated."""
        counted: dict[Operation, float] = {}
        for s in kernel.slices:
            for op, work in self.facts(s).work.items():
                counted[op] = max(counted.get(op, 0.0), work)
        yield from counted.values()
        if kernel.anchor is not None:
            for operand in (kernel.anchor.lhs, kernel.anchor.rhs):
                if (s := kernel.prologues.get(operand.value)) is not None:
                    again = repeats(kernel.anchor, operand) if operand.value in _computed_operands(kernel) else 1
                    yield sum(self.facts(s).work.values()) * again
        if kernel.beside is not None:
            yield from self.work(kernel.beside)

    def in_flight(self, kernel: Kernel, size: int) -> float:
        """
        Returns the bytes that a kernel has in flight at once: of elementwise ops all, of rows those of a block for each row, of columns
        those of a block for each tile of them, of other reductions a vector for each result. That of contractions does not depend on fusion.
        """
        if kernel.anchor is not None or kernel.updated:
            return inf
        points = max(prod(s.sizes) for s in kernel.slices)
        if kernel.reduces_rows:
            rows = max(prod(s.sizes[a] for a in s.rows.rows) for s in kernel.slices if s.rows is not None)
            return min(size, rows * BLOCK_BYTES)
        serial = any(self.facts(s).serial for s in kernel.slices)
        if kernel.reduces_columns and not serial and any(s.reduced or s.ops for s in kernel.slices):
            blocks = -(-points // LANES)
            return min(size, blocks * BLOCK_BYTES)
        if any(s.loops for s in kernel.slices):
            return min(size, points * VECTOR_BYTES)
        return inf

    def penalties(self, kernel: Kernel, reads: dict[SSAValue, int], hidden: float) -> Iterator[Penalty]:
        """Yields the thresholds that a kernel exceeds. `hidden` is the time that overlaps with the rest if two blocks share a multiprocessor."""
        limits = self.machine.limits
        if (row := _row_bytes(kernel)) > (limit := SHARED_SHARE * limits.shared_per_block):
            wide = {v for s in kernel.slices for v in self.facts(s).wide}
            again = sum(size for value, size in reads.items() if value in wide)
            yield Penalty("shared_memory", row, limit, "bytes", again / self.bandwidth)
        if kernel.anchor is not None:
            tile = prod(shape(kernel.anchor.out))
            epilogue = {v for s in kernel.slices for v in s.stored if prod(shape(v)) >= tile}
            registers = TILE_REGISTERS + OTHER_REGISTERS + READ_REGISTERS * len(epilogue)
            if registers > (limit := REGISTERS // (2 * TILE_THREADS)):
                yield Penalty("registers", registers, limit, "registers", hidden)
            computed = len(_computed_operands(kernel))
            if limits.has_wgmma and computed > 1 and not tiny.keeps_order(kernel.anchor.op):
                slower = _tensor_clocks(kernel.anchor, kernel, self.machine) * (1 / self.machine.mma_share - 1)
                yield Penalty("tma_wgmma", computed, 1, "computed operands", slower / self.per_us)
        if kernel.elementwise:
            narrow = sum(reads[v] for v in {v for s in kernel.slices for v in self.facts(s).narrow})
            if narrow:
                yield Penalty("vector_width", narrow, 0, "bytes", (NARROW_READS - 1) * narrow / self.bandwidth)


def launch_time(machine: Machine) -> float:
    """Returns the microseconds from the end of a kernel to the first data of the next one."""
    return (LAUNCH + LATENCY) / (machine.clock * 1000)


def _facts(s: Slice) -> SliceFacts:
    leaves = [leaf for leaf in s.leaves if not is_splat(leaf.value)]
    reads: dict[SSAValue, int] = {}
    for leaf in leaves:
        points = prod(leaf.space[a] for a in leaf.axes if a not in leaf.positions)
        reads[leaf.value] = reads.get(leaf.value, 0) + points * element_bytes(element(leaf.value))
    work: dict[Operation, float] = {}
    for op in s.ops:
        reduces = isinstance(op, tiny.ReduceOp)
        points = prod(shape(op.input if reduces else op.results[0])) if reduces or s.rows is not None else s.points[op]
        if count := points * (1 if reduces else operations([op])):
            work[op] = count
    length = 1 if s.rows is None else s.rows.length
    wide = tuple(v for v in reads if prod(shape(v)) >= length)
    return SliceFacts(reads, work, tuple(_narrow(s, leaves)), wide, s.loops and in_pieces(s))


def _narrow(s: Slice, leaves: Sequence[Place]) -> Iterator[SSAValue]:
    """Yields the large arrays that a slice reads with a stride along the axis along which it stores."""
    wide = [a for a, size in enumerate(s.sizes) if size > 1]
    for leaf in leaves if wide and s.rows is None else ():
        if not (leaf.positions or leaf.is_gathered) and prod(shape(leaf.value)) >= prod(s.sizes):
            address = leaf.address
            if is_affine(address) and stride(address, wide[-1]) not in (0, 1):
                yield leaf.value


def _parts(kernel: Kernel) -> Iterator[Slice]:
    yield from kernel.slices
    yield from kernel.prologues.values()
    if kernel.beside is not None:
        yield from _parts(kernel.beside)


def _products(kernel: Kernel) -> list[Contraction]:
    further = _products(kernel.beside) if kernel.beside is not None else []
    return further if kernel.anchor is None else [kernel.anchor, *further]


def _tensor_clocks(c: Contraction, kernel: Kernel, machine: Machine) -> float:
    """
    Returns the clocks of a contraction. Tensor cores wait for the operands that its prologue computes. Where the epilogue combines members
    of a batch, warps hold an accumulator of each: mma.sync multiplies tiles so small that reading them from shared memory may take longer.
    """
    mma = mma_for(*c.dtypes, c.precision)
    rate = LANES if mma is None else machine.multiply_adds.get(mma.kind, LANES)
    waits = bool(_computed_operands(kernel)) and not tiny.keeps_order(c.op)  # strict floats have casts only
    share = TENSOR_SHARE * (PROLOGUE_SHARE if waits else 1)
    clocks = prod(c.sizes) / (rate * share)
    if (members := _members(kernel)) > 1:
        side = (WARP_ACCUMULATORS / members) ** 0.5
        fragments = prod(c.sizes) * sum(element_bytes(dtype) for dtype in c.dtypes[:2]) / side
        clocks = max(clocks / machine.mma_share, fragments / machine.shared_clock)
    return clocks / machine.multiprocessors


def _members(kernel: Kernel) -> int:
    """Returns the number of members of a batch of products that the epilogue of a kernel combines; 1 if it combines none."""
    return max((len(maps) for s in kernel.slices for maps in s.anchors.values()), default=1)


def _computed_operands(kernel: Kernel) -> list[SSAValue]:
    """Returns the operands of a contraction that its prologue computes; those of a chained product are accumulators of another."""
    return [v for v, s in kernel.prologues.items() if not s.anchors and not s.rows]


def _row_bytes(kernel: Kernel) -> int:
    """Returns the bytes of the row that a kernel of rows holds, 0 if it needs no row twice."""
    if kernel.anchor is not None or not kernel.reduces_rows:
        return 0
    twice = [s for s in kernel.slices if s.rows is not None and (s.rows.columns or len(s.reduced) > 1)]
    return max((s.rows.length * 4 for s in twice if s.rows is not None), default=0)
