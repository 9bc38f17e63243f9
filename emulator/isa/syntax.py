"""The PTX syntax tree: a module, its kernels, their instructions and operands (PTX ISA §4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .types import Scalar


@dataclass(frozen=True)
class Register:
    """A register; the name is unique within the kernel. `negated` is `!%p`."""

    name: str
    negated: bool = False


@dataclass(frozen=True)
class Immediate:
    """A constant: an integer's value, or the bits of a float if `float_bits` is its width, 32 or 64."""

    value: int
    float_bits: int = 0


@dataclass(frozen=True)
class Symbol:
    """The address of a variable, or a label."""

    name: str
    offset: int = 0


@dataclass(frozen=True)
class Address:
    """`[base + offset]`, or `[base + offset, {x, y}]` into a tensor."""

    base: Register | Symbol | Immediate
    offset: int = 0
    coordinates: tuple[Operand, ...] = ()


@dataclass(frozen=True)
class Vector:
    """`{a, b}`, or `d|p`."""

    items: tuple[Operand, ...]


Operand: TypeAlias = Register | Immediate | Symbol | Address | Vector


@dataclass(frozen=True)
class Instruction:
    """
    One instruction. `line` is its PTX line. `lines` are its CUDA source lines: the innermost line, then the lines at which
    it was inlined.
    """

    opcode: str
    operands: tuple[Operand, ...]
    predicate: Register | None
    line: int
    lines: tuple[int, ...]
    text: str

    @property
    def parts(self) -> list[str]:
        return self.opcode.split(".")


@dataclass(frozen=True)
class Variable:
    """A variable of `size` bytes (0: dynamic shared memory) in a state space; `initial` holds its first bytes' values."""

    name: str
    space: str
    align: int
    size: int
    initial: bytes | None = None


@dataclass(frozen=True)
class Parameter:
    """A kernel parameter; `type` is None for a struct passed by value."""

    name: str
    type: Scalar | None
    offset: int
    size: int


@dataclass(frozen=True, eq=False)
class Kernel:
    """
    One `.entry`. A block has at most `max_threads`, or exactly that many if `exact_threads` (`.reqntid`). `cluster` is
    `.reqnctapercluster`; `max_registers` (`.maxnreg`) and `blocks` (`.minnctapersm`) determine the registers per thread
    at launch. `prepared` caches the result of `prepare`.
    """

    name: str
    parameters: tuple[Parameter, ...]
    registers: dict[str, Scalar]
    variables: tuple[Variable, ...]
    instructions: tuple[Instruction, ...]
    labels: dict[str, int]
    branch_targets: dict[str, tuple[str, ...]]
    max_threads: tuple[int, int, int] | None = None
    exact_threads: bool = False
    cluster: tuple[int, int, int] | None = None
    max_registers: int = 0
    blocks: int = 0
    prepared: list[Any] = field(default_factory=list[Any], init=False, repr=False)

    @property
    def parameter_bytes(self) -> int:
        return max((p.offset + p.size for p in self.parameters), default=0)


@dataclass(frozen=True, eq=False)
class Module:
    """One PTX module."""

    kernels: dict[str, Kernel]
    variables: tuple[Variable, ...] = field(default=())
