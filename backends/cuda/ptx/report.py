"""What an emulated launch did."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Report:
    """
    `steps` are vector steps (one instruction for all lanes that are at it), `lane_instructions` the same for
    each lane, `opcodes` the warps' lanes by opcode. `conflicts` are shared-memory wavefronts beyond the
    ideal, by opcode.
    """

    steps: int = 0
    lane_instructions: int = 0
    opcodes: Counter[str] = field(default_factory=lambda: Counter[str]())
    conflicts: Counter[str] = field(default_factory=lambda: Counter[str]())
    seconds: float = 0.0

    @property
    def bank_conflicts(self) -> int:
        return sum(self.conflicts.values())
