"""
Reads the SASS of a cubin: instructions (HMMA, LDGSTS, LDSM, HGMMA, UTMALDG, STG.E.128, …) and loops.

The disassembler is `nvdisasm` from the pip package `nvidia-cuda-nvdisasm` (test extra). A loop spans from the target
of a backward branch to the branch.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from .errors import DisassemblerFailed, DisassemblerUnavailable

_LINE = re.compile(
    r"^\.text\.(?P<function>\S+):"
    r"|^(?P<label>\.L\w+):"
    r"|/\*(?P<address>[0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?(?P<opcode>[A-Z][A-Z0-9_.]*)(?P<operands>[^;]*);"
)
_TARGET = re.compile(r"`\((\.L\w+)\)")
MULTIPLIES = ("HMMA", "IMMA", "DMMA", "HGMMA", "IGMMA", "QGMMA", "FFMA", "DFMA", "FMUL")
"""
Multiply opcodes in order of preference. The main loop of a kernel is the loop with the most instructions of the first opcode in
this list that the kernel contains.
"""


@dataclass(frozen=True)
class Instruction:
    """One instruction; `target` is the address of a branch's label."""

    address: int
    opcode: str
    operands: str = ""
    target: int | None = None

    @property
    def name(self) -> str:
        """Returns the opcode without its modifiers."""
        return self.opcode.split(".")[0]


def find_tool(name: str) -> Path:
    """Returns the path of `nvdisasm` or `cuobjdump` in the environment's `nvidia` packages."""
    spec = find_spec("nvidia")
    for folder in spec.submodule_search_locations or () if spec else ():
        for candidate in sorted(Path(folder).glob(f"*/bin/{name}")):
            return candidate
    raise DisassemblerUnavailable(tool=name)


def disassemble(cubin: bytes) -> str:
    """Returns the SASS text of all kernels in `cubin`."""
    tool = find_tool("nvdisasm")
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        done = subprocess.run([tool, "-c", file.name], capture_output=True, text=True, check=False)
    if done.returncode:
        raise DisassemblerFailed(tool="nvdisasm", log=done.stderr.strip())
    return done.stdout


def read(text: str) -> dict[str, list[Instruction]]:
    """Returns the instructions of each function in `nvdisasm`'s output."""
    functions: dict[str, list[Instruction]] = {}
    labels: dict[str, int] = {}
    waiting: list[str] = []
    here: list[Instruction] = []
    for line in text.splitlines():
        match = _LINE.search(line)
        if match is None:
            continue
        if match["function"]:
            here = functions.setdefault(match["function"], [])
        elif match["label"]:
            waiting.append(match["label"])
        else:
            here.append(Instruction(int(match["address"], 16), match["opcode"], match["operands"].strip()))
            labels |= dict.fromkeys(waiting, here[-1].address)
            waiting.clear()
    return {name: [_resolved(i, labels) for i in found] for name, found in functions.items()}


def _resolved(instruction: Instruction, labels: dict[str, int]) -> Instruction:
    match = _TARGET.search(instruction.operands) if instruction.name == "BRA" else None
    target = labels.get(match[1]) if match else None
    return Instruction(instruction.address, instruction.opcode, instruction.operands, target)


def instructions(cubin: bytes) -> dict[str, list[Instruction]]:
    """Returns the instructions of each kernel in address order."""
    return read(disassemble(cubin))


def counts(cubin: bytes) -> Counter[str]:
    """Counts SASS opcodes, modifiers included: `{"HMMA.16816.F32.BF16": 64, …}`."""
    return Counter(i.opcode for function in instructions(cubin).values() for i in function)


def loops(function: Sequence[Instruction]) -> list[list[Instruction]]:
    """Returns the instructions of each loop."""
    return [
        [i for i in function if branch.target <= i.address <= branch.address]
        for branch in function
        if branch.target is not None and branch.target < branch.address
    ]


def by_name(function: Iterable[Instruction]) -> Counter[str]:
    """Counts opcodes without modifiers: `{"HMMA": 64, …}`."""
    return Counter(i.name for i in function)


def main_loop(function: Sequence[Instruction]) -> list[Instruction]:
    """Returns the innermost loop with the most multiplications, or [] if the kernel has none in a loop."""
    present = by_name(function)
    kind = next((name for name in MULTIPLIES if present[name]), "")
    found = [loop for loop in loops(function) if by_name(loop)[kind]]
    return max(found, key=lambda loop: (by_name(loop)[kind], -len(loop))) if found else []


# --- overlap of chained products ----------------------------------------------------------------------


@dataclass(frozen=True)
class ProductLoop:
    """
    A loop with two waits for wgmmas: the first one for the first of two products in flight, the second one for both. ptxas may move
    either without a word (`nv.hold`), so that exponentials run before or after the second product and not under it.
    """

    instructions: Sequence[Instruction]
    first_wait: int
    last_wait: int

    @property
    def exponentials(self) -> tuple[int, int, int]:
        """The numbers of exponentials before the first wait, between the waits, and after the last one."""
        parts = self.instructions[: self.first_wait], self.instructions[self.first_wait : self.last_wait]
        found = [sum(i.opcode.startswith("MUFU.EX2") for i in part) for part in (*parts, self.after)]
        return found[0], found[1], found[2]

    @property
    def after(self) -> Sequence[Instruction]:
        """The instructions after the last wait, under no product of the own warpgroup."""
        return self.instructions[self.last_wait + 1 :]

    @property
    def is_overlapped(self) -> bool:
        """Whether all exponentials are between the waits."""
        before, between, after = self.exponentials
        return between > 0 and before == after == 0


def product_loops(function: Sequence[Instruction]) -> list[ProductLoop]:
    """Returns the loops with two waits for wgmmas, the shortest first."""
    found: list[ProductLoop] = []
    for loop in sorted(loops(function), key=len):
        waits = [n for n, i in enumerate(loop) if i.opcode == "WARPGROUP.DEPBAR.LE" and "gsb" in i.operands]
        if len(waits) == 2:
            found.append(ProductLoop(loop, *waits))
    return found
