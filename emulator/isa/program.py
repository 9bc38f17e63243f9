"""The static properties of a kernel: addresses of its variables, bytes per lane and CTA, asynchronous agents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..engine.clocks import Agents
from ..engine.wgmma_registers import tracked_registers
from .syntax import Address, Immediate, Instruction, Kernel, Module, Operand, Symbol, Variable, Vector
from .types import PACKED, SCALARS

SHARED_BASE = 1024
"""The first shared address. It is not 0, so that a wrong swizzle of absolute addresses does not pass by accident."""


@dataclass(frozen=True, eq=False)
class Program:
    """
    A kernel and its static properties. `static_shared` bytes precede the dynamic shared memory. `granule` and
    `store_granule` are the resolution of race detection in shared and global memory, in bytes: the width of the kernel's
    narrowest access, but at most 16 for shared memory (8 in a kernel with mbarriers) and 4 for global memory. `agents`
    are a CTA's asynchronous agents; `tracked` are the registers that are passed to a wgmma.
    """

    kernel: Kernel
    symbols: dict[str, int]
    static_shared: int
    local_bytes: int
    register_bytes: int
    granule: int
    store_granule: int
    agents: Agents
    tracked: frozenset[int]


def place_variables(module: Module, kernel: Kernel, symbols: dict[str, int], warps: int) -> Program:
    """
    Places the variables that `kernel` uses, and returns its program for CTAs of `warps` warps. `symbols` are the addresses
    of the module's global variables.
    """
    placed = dict(symbols)
    placed.update((p.name, p.offset) for p in kernel.parameters)
    used = set(_symbols(kernel))
    variables = [v for v in (*module.variables, *kernel.variables) if v.name in used]
    static = _place([v for v in variables if v.space == "shared" and v.size], placed, SHARED_BASE)
    dynamic = [v for v in variables if v.space == "shared" and not v.size]
    static = -(-static // max([16, *(v.align for v in dynamic)])) * max([16, *(v.align for v in dynamic)])
    placed.update((v.name, static) for v in dynamic)
    local = _place([v for v in variables if v.space == "local"], placed, 0)
    agents = _agents(kernel, warps)
    return Program(
        kernel,
        placed,
        static - SHARED_BASE,
        local,
        sum(max(1, t.bits // 8) for t in kernel.registers.values()),
        _granule(kernel, ("global", "const", "param", "local"), 8 if agents.mbarriers else 16),
        _granule(kernel, ("shared", "const", "param", "local"), 4),
        agents,
        tracked_registers(kernel),
    )


def _agents(kernel: Kernel, warps: int) -> Agents:
    opcodes = {ins.opcode for ins in kernel.instructions}
    wgmma = any(o.startswith("wgmma.mma_async") for o in opcodes)
    stores = any("bulk_group" in o for o in opcodes)
    mbarriers = any(o.startswith("mbarrier.") for o in opcodes)
    return Agents(-(-warps // 4) if wgmma else 0, stores, mbarriers)


def _place(variables: list[Variable], placed: dict[str, int], start: int) -> int:
    """Assigns addresses from `start` on; returns the first address after the variables."""
    for variable in variables:
        start = -(-start // variable.align) * variable.align
        placed[variable.name] = start
        start += variable.size
    return start


def _symbols(kernel: Kernel) -> Iterator[str]:
    for ins in kernel.instructions:
        for operand in ins.operands:
            yield from _symbols_in(operand)


def _symbols_in(operand: Operand) -> Iterator[str]:
    if isinstance(operand, Symbol):
        yield operand.name
    elif isinstance(operand, Address):
        yield from _symbols_in(operand.base)
    elif isinstance(operand, Vector):
        for item in operand.items:
            yield from _symbols_in(item)


def _granule(kernel: Kernel, elsewhere: tuple[str, ...], most: int) -> int:
    """Returns the width in bytes of the narrowest access outside the state spaces `elsewhere`, at most `most`."""
    return min([most, *(_width(ins) for ins in kernel.instructions if _accesses(ins, elsewhere))])


def _accesses(ins: Instruction, elsewhere: tuple[str, ...]) -> bool:
    parts = ins.parts
    if parts[0] == "cp":
        return parts[2] in ("ca", "cg") and "shared" not in elsewhere
    return parts[0] in ("ld", "st", "atom", "red") and not any(p.partition("::")[0] in elsewhere for p in parts)


def _width(ins: Instruction) -> int:
    if ins.parts[0] == "cp":
        size = ins.operands[2] if len(ins.operands) > 2 else None
        return size.value if isinstance(size, Immediate) else 4
    name = ins.parts[-1]
    bits = 32 if name in PACKED or name not in SCALARS else SCALARS[name].bits
    count = next((int(p[1:]) for p in ins.parts if p in ("v2", "v4")), 1)
    return bits // 8 * count
