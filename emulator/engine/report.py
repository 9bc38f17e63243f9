"""Statistics of an emulated launch, as text (`str`) and as JSON (`to_dict`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..isa.syntax import Instruction
from .counters import LEVELS, Counters
from .units import unit

_CLASSES = {
    "tensor core": ("mma", "wgmma"),
    "matrix load/store": ("ldmatrix", "stmatrix"),
    "memory": ("ld", "ldu", "st", "atom", "red", "prefetch", "prefetchu"),
    "asynchronous copy": ("cp",),
    "synchronization": ("bar", "barrier", "mbarrier", "fence", "membar", "griddepcontrol", "setmaxnreg", "elect"),
    "warp exchange": ("shfl", "vote", "match", "redux", "activemask"),
    "control flow": ("bra", "brx", "ret", "exit", "trap", "call"),
    "move": ("mov", "selp", "slct", "prmt", "cvta"),
    "conversion": ("cvt",),
    "comparison": ("setp", "set", "testp"),
}
_SHARED = ("shared_load", "shared_store", "copy", "copy_fill")
_CLASS_OF = {name: label for label, names in _CLASSES.items() for name in names}


def instruction_class(opcode: str) -> str:
    """Returns `tensor core`, `memory`, …; arithmetic is `float` or `integer` by its type."""
    word, _, rest = opcode.partition(".")
    known = _CLASS_OF.get(word)
    if known:
        return known
    return "float" if rest.rpartition(".")[2] in ("f16", "f16x2", "bf16", "bf16x2", "f32", "f64") else "integer"


@dataclass
class Counts:
    """
    `lanes` counts executed instructions, summed over lanes. Shared memory: `wavefronts`, of which `conflicts` are due to
    bank conflicts. Global memory: `requests` (one per warp) and the 32-byte `sectors` they touch. `bytes` counts the bytes
    moved, for each kind in `LEVELS`.
    """

    lanes: int = 0
    wavefronts: int = 0
    conflicts: int = 0
    requests: int = 0
    sectors: int = 0
    bytes: Counter[str] = field(default_factory=lambda: Counter[str]())

    @property
    def sectors_per_request(self) -> float:
        return self.sectors / self.requests if self.requests else 0.0

    @property
    def wavefronts_per_line(self) -> float:
        """Returns the number of shared-memory wavefronts per 128 bytes moved: 1 if no bank is idle."""
        moved = sum(size for level, size in self.bytes.items() if level in _SHARED)
        return 128 * self.wavefronts / moved if moved else 0.0


def _counts_dict(counts: Counts) -> dict[str, Any]:
    names = ("lanes", "wavefronts", "conflicts", "requests", "sectors", "sectors_per_request")
    return {name: getattr(counts, name) for name in names} | {"bytes": dict(counts.bytes)}


@dataclass
class Report(Counts):
    """
    The statistics of a launch. `steps` counts vector steps: a step executes one instruction for all lanes that have reached
    it. `lane_instructions` is the same as `lanes`; `opcodes`, `classes` and `units` (SASS instructions: `FFMA`, `IMAD`,
    `HMMA` …) break it down. `lines` holds the counts by CUDA line; for inlined code, the outermost line is taken.
    """

    kernel: str = ""
    steps: int = 0
    opcodes: Counter[str] = field(default_factory=lambda: Counter[str]())
    classes: Counter[str] = field(default_factory=lambda: Counter[str]())
    units: Counter[str] = field(default_factory=lambda: Counter[str]())
    by_opcode: dict[str, Counts] = field(default_factory=lambda: dict[str, Counts]())
    lines: dict[int, Counts] = field(default_factory=lambda: dict[int, Counts]())
    seconds: float = 0.0
    trace: int = 0

    @property
    def lane_instructions(self) -> int:
        return self.lanes

    @property
    def bank_conflicts(self) -> int:
        return self.conflicts

    @property
    def global_bytes(self) -> int:
        """The bytes of global memory that the launch moves: whole sectors, and bulk copies."""
        return 32 * self.sectors + self.bytes["async_read"] + self.bytes["async_store"]

    def add(
        self, instructions: tuple[Instruction, ...], steps: list[int], lanes: list[int], counters: Counters
    ) -> None:
        """Adds the counters of one batch of CTAs."""
        for pc, ins in enumerate(instructions):
            self.steps += steps[pc]
            if not lanes[pc]:
                continue
            self.opcodes[ins.opcode] += lanes[pc]
            self.classes[instruction_class(ins.opcode)] += lanes[pc]
            self.units[unit(ins.opcode)] += lanes[pc]
            places = [self, self.by_opcode.setdefault(ins.opcode, Counts())]
            if ins.lines:
                places.append(self.lines.setdefault(ins.lines[-1], Counts()))
            for counts in places:
                counts.lanes += lanes[pc]
            moved = counters.moved.get(pc)
            for counts in places if moved else ():
                counts.wavefronts += counters.wavefronts[pc]
                counts.conflicts += counters.conflicts[pc]
                counts.requests += counters.requests[pc]
                counts.sectors += counters.sectors[pc]
                counts.bytes.update(moved)

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers under stable names, for JSON."""
        return {
            "kernel": self.kernel,
            **_counts_dict(self),
            "steps": self.steps,
            "seconds": self.seconds,
            "opcodes": dict(self.opcodes),
            "classes": dict(self.classes),
            "units": dict(self.units),
            "by_opcode": {name: _counts_dict(counts) for name, counts in self.by_opcode.items()},
            "lines": {str(line): _counts_dict(counts) for line, counts in sorted(self.lines.items())},
        }

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Report {self.text().splitlines()[0]}>"

    def text(self, place: Callable[[int], str] = lambda line: "") -> str:
        """Returns a table; `place` describes the op that a CUDA line was printed for."""
        rows = [f"{self.kernel}: {self.lanes:,} lane instructions in {self.steps:,} steps, {self.seconds:.3f} s"]
        rows += [f"  {name:<22}{count:>16,}" for name, count in self.classes.most_common()]
        rows.append("  " + ", ".join(f"{name} {count:,}" for name, count in self.units.most_common()))
        rows += [f"  {LEVELS[name]:<40}{size:>14,} bytes" for name, size in sorted(self.bytes.items())]
        if self.requests:
            per = self.sectors_per_request
            rows.append(f"  {self.requests:,} global requests, {self.sectors:,} sectors ({per:.2f} a request)")
        if self.wavefronts:
            rows.append(f"  {self.wavefronts:,} shared wavefronts, {self.conflicts:,} of them bank conflicts")
        busy = {line: c for line, c in sorted(self.lines.items()) if c.requests or c.wavefronts}
        if busy:
            rows.append("  line   sectors/request   wavefronts   conflicts")
        for line, c in busy.items():
            per = f"{c.sectors_per_request:.2f}" if c.requests else "-"
            row = f"  {line:>4}   {per:>15}   {c.wavefronts:>10,}   {c.conflicts:>9,}   {place(line)}"
            rows.append(row.rstrip())
        return "\n".join(rows)
