"""
Decodes each instruction once into a step, a closure over typed register readers and writers.

The opcode selects a builder, which reads the modifiers. An opcode that is not in `FORMS` raises `UnknownOpcode` with the
PTX line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn, TypeAlias

import numpy as np

from ...errors import counted
from ..engine.lanes import Lanes
from ..engine.machine import Machine
from ..engine.scheduler import Code
from ..errors import BadOperand, UnknownOpcode
from .declarations import immediate
from .forms import operand_counts
from .program import Program
from .special import SPECIAL_REGISTERS
from .syntax import Address, Immediate, Instruction, Kernel, Operand, Register, Symbol, Vector
from .types import BITS, PACKED, SCALARS, Array, Scalar

Step: TypeAlias = Callable[[Machine, Lanes], None]
Reader: TypeAlias = Callable[[Machine, Lanes], Array]
"""Returns an operand's value in each lane; the array may be zero-dimensional if the operand is a constant."""
Writer: TypeAlias = Callable[[Machine, Lanes, Array], None]
Peek: TypeAlias = Callable[[Machine, Lanes], tuple[Array, Array]]
Poke: TypeAlias = Callable[[Machine, Lanes, Array, Array], None]
"""Reader and writer of values that may be undefined: the second array flags the defined lanes."""
Builder: TypeAlias = "Callable[[Instruction, Decoder], Step]"


_ADDRESS_MASK = 0xFFFF_FFFF_FFFF_FFFF
_KINDS = {Immediate: "a constant", Symbol: "a variable", Address: "an address", Vector: "a vector"}


class Decoder:
    """Creates the readers and writers of one kernel's operands for builders. `symbols` are the variables' addresses."""

    def __init__(self, kernel: Kernel, symbols: dict[str, int]):
        self.kernel = kernel
        self.symbols = symbols
        self.slots = {name: slot for slot, name in enumerate(kernel.registers)}
        self.parameters = {p.name: p for p in kernel.parameters}
        self.current: Instruction | None = None
        self.assigned = {name for ins in kernel.instructions for name in registers(ins.operands[:1])}
        """Registers that an instruction may write. LLVM packs other registers into bits that it later discards."""
        named = (name for i in kernel.instructions for name in registers((*i.operands, *filter(None, [i.predicate]))))
        self.named = Counter(named)
        """How often each register occurs. One that occurs once is written and never read."""

    def fail(self, problem: str) -> NoReturn:
        """Raises `BadOperand` for the current instruction."""
        ins = self.current
        assert ins is not None
        raise BadOperand(line=ins.line, problem=problem, text=ins.text)

    def unknown(self) -> NoReturn:
        """Raises `UnknownOpcode` for the current instruction's modifiers."""
        ins = self.current
        assert ins is not None
        raise UnknownOpcode(line=ins.line, opcode=ins.opcode, text=ins.text)

    def scalar(self, name: str) -> Scalar:
        type_ = SCALARS.get(name)
        if type_ is None:
            self.unknown()
        return type_

    def float_type(self, name: str) -> Scalar:
        """Returns a float type, or the element type of a packed one."""
        return PACKED.get(name) or self.scalar(name)

    def operand(self, position: int) -> Operand:
        assert self.current is not None
        if position >= len(self.current.operands):
            self.fail(f"operand {position} is missing")
        return self.current.operands[position]

    def register(self, operand: Operand) -> int:
        if not isinstance(operand, Register):
            self.fail(f"an operand is {_KINDS[type(operand)]} where a register is needed")
        if operand.name not in self.slots:
            self.fail(f"{operand.name} is not a register")
        if operand.negated:
            self.fail(f"!{operand.name} cannot be written")
        return self.slots[operand.name]

    def is_register(self, operand: Operand) -> bool:
        return isinstance(operand, Register) and operand.name in self.slots

    def constant(self, operand: Operand) -> int:
        if not isinstance(operand, Immediate):
            self.fail("an operand must be a constant")
        return operand.value

    def count(self, operand: Operand) -> int:
        """Returns a non-negative constant."""
        if (value := self.constant(operand)) < 0:
            self.fail(f"the number of groups is {value}")
        return value

    # --- reading -----------------------------------------------------------------------------------

    def read(self, operand: Operand, type_: Scalar) -> Reader:
        """Returns a reader of `operand` as `type_`; wider registers are truncated (PTX ISA §9.4.1)."""
        if isinstance(operand, Immediate):
            value = immediate(operand, type_)
            if value is None:
                self.fail(f"the constant does not have type {type_.name}")
            return constant_reader(value)
        if isinstance(operand, Symbol):
            address = np.array(self.address_of(operand), np.uint64).astype(BITS[type_.bits])
            return constant_reader(address)
        if not isinstance(operand, Register):
            self.fail("an operand must be a register or a constant")
        if operand.name not in self.slots:
            predicate = operand.name == "%is_explicit_cluster"
            if operand.name not in SPECIAL_REGISTERS or operand.negated or predicate != (type_.kind == "p"):
                self.fail(f"{operand.name} cannot be read as {type_.name}")
            return special_reader(operand.name, type_)
        return self._read_register(operand, type_)

    def _read_register(self, operand: Register, type_: Scalar) -> Reader:
        slot = self.slots[operand.name]
        stored = self.kernel.registers[operand.name]
        if type_.kind == "p" or stored.kind == "p":
            if type_.kind != stored.kind:
                self.fail(f"{operand.name} has type {stored.name}, not {type_.name}")
            if operand.negated:
                return lambda m, lanes: ~m.registers.get(slot, lanes)
            return lambda m, lanes: m.registers.get(slot, lanes)
        if operand.negated:
            self.fail(f"{operand.name} is not a predicate")
        if type_.bits > stored.bits:
            self.fail(f"{operand.name} has {stored.bits} bits, not {type_.bits}")
        bits, dtype = BITS[type_.bits], type_.dtype
        if type_.bits < stored.bits:
            return lambda m, lanes: m.registers.get(slot, lanes).astype(bits).view(dtype)
        if bits == dtype:
            return lambda m, lanes: m.registers.get(slot, lanes)
        return lambda m, lanes: m.registers.get(slot, lanes).view(dtype)

    def peek(self, operand: Operand, type_: Scalar) -> Peek:
        """Returns a reader of `operand` as bits of `type_` that flags undefined lanes instead of raising."""
        read = self.read(operand, type_)
        if not isinstance(operand, Register) or operand.name not in self.slots:
            return lambda m, lanes: (np.broadcast_to(read(m, lanes), lanes.count), np.ones(lanes.count, np.bool_))
        slot = self.slots[operand.name]

        def peek(m: Machine, lanes: Lanes) -> tuple[Array, Array]:
            value, defined = m.registers.peek(slot, lanes)
            return value.astype(type_.dtype), defined

        return peek

    def peek_part(self, operand: Operand, type_: Scalar) -> Peek:
        """Returns a reader of a part of a packed register; one that no instruction writes has ones in all bits."""
        if not isinstance(operand, Register) or operand.name in self.assigned:
            return self.peek(operand, type_)
        ones = np.array(-1).astype(type_.dtype)
        return lambda m, lanes: (np.broadcast_to(ones, lanes.count), np.ones(lanes.count, np.bool_))

    def address_of(self, symbol: Symbol) -> int:
        known = self.symbols.get(symbol.name)
        if known is None:
            self.fail(f"'{symbol.name}' is not a variable")
        return (known + symbol.offset) & _ADDRESS_MASK

    def address(self, operand: Operand) -> Reader:
        """Returns a reader of `[base + offset]` as u64."""
        if not isinstance(operand, Address):
            self.fail("an operand must be an address")
        base, offset = operand.base, np.uint64(operand.offset & _ADDRESS_MASK)
        if isinstance(base, Symbol):
            return constant_reader(np.array(self.address_of(base) + operand.offset & _ADDRESS_MASK, np.uint64))
        if isinstance(base, Immediate):
            return constant_reader(np.array(base.value + operand.offset & _ADDRESS_MASK, np.uint64))
        stored = self.kernel.registers.get(base.name)
        if stored is None:
            self.fail(f"{base.name} is not a register")
        value = self.read(base, SCALARS[f"u{stored.bits}"])
        if stored.bits == 64:
            return lambda m, lanes: value(m, lanes) + offset
        return lambda m, lanes: value(m, lanes).astype(np.uint64) + offset

    # --- writing -----------------------------------------------------------------------------------

    def write(self, operand: Operand, type_: Scalar) -> Writer:
        """Returns a writer of `type_` values to a register; wider registers are sign- or zero-extended."""
        if isinstance(operand, Register) and operand.name == "_":
            return lambda m, lanes, value: None
        slot = self.register(operand)
        stored = self.kernel.registers[self.name(operand)]
        if (type_.kind == "p") != (stored.kind == "p") or type_.bits > stored.bits:
            self.fail(f"{self.name(operand)} has type {stored.name}, which cannot hold {type_.name}")
        if type_.kind == "p":
            return lambda m, lanes, value: m.registers.put(slot, lanes, value)
        bits, held = BITS[type_.bits], BITS[stored.bits]
        if type_.bits == stored.bits:
            return lambda m, lanes, value: m.registers.put(slot, lanes, value.view(bits))
        if type_.kind == "s":
            wide = SCALARS[f"s{stored.bits}"].dtype
            return lambda m, lanes, value: m.registers.put(slot, lanes, value.astype(wide).view(held))
        return lambda m, lanes, value: m.registers.put(slot, lanes, value.view(bits).astype(held))

    def poke(self, operand: Operand, type_: Scalar) -> Poke:
        """Returns a writer like `write`, for values that are undefined in some lanes."""
        put = self.write(operand, type_)
        slot = self.slots.get(self.name(operand))

        def poke(m: Machine, lanes: Lanes, value: Array, defined: Array) -> None:
            put(m, lanes, value)
            if slot is not None:
                m.registers.forget(slot, lanes, ~defined)

        return poke

    def name(self, operand: Operand) -> str:
        assert isinstance(operand, Register)
        return operand.name

    def items(self, operand: Operand) -> tuple[Operand, ...]:
        """Returns the elements of a vector operand, or any other operand as the only element."""
        return operand.items if isinstance(operand, Vector) else (operand,)

    def destinations(self, least: int = 1) -> tuple[Operand, ...]:
        """Returns the destination operand, or both destinations if it is `d|p`."""
        items = self.items(self.operand(0))
        if not least <= len(items) <= 2:
            self.fail(f"unexpected number of destinations: {len(items)}")
        return items


def constant_reader(value: Array) -> Reader:
    return lambda m, lanes: value


def special_reader(name: str, type_: Scalar) -> Reader:
    """Returns a reader of `%tid.x`, `%laneid`, … (PTX ISA §10)."""
    dtype = type_.dtype
    return lambda m, lanes: m.special(name)[lanes.select].astype(dtype)


def operandless(step: Step) -> Builder:
    """Returns a builder of a step that reads no operands."""
    return lambda ins, d: step


def decode(program: Program, builder_of: Callable[[str], Builder | None]) -> Code[Machine]:
    """
    Returns each instruction's guard and step; `builder_of` returns the builder of an opcode. Raises `UnknownOpcode` and
    `BadOperand`.
    """
    decoder = Decoder(program.kernel, program.symbols)
    steps: list[Step] = []
    for ins in program.kernel.instructions:
        decoder.current = ins
        builder, counts = builder_of(ins.opcode), operand_counts(ins.opcode)
        if builder is None or counts is None:
            decoder.unknown()
        if len(ins.operands) not in counts:
            *others, last = counts
            wanted = "".join(f"{n} or " for n in others) + counted(last, "operand")
            decoder.fail(f"{ins.opcode} takes {wanted}, got {len(ins.operands)}")
        steps.append(builder(ins, decoder))
    guards: list[Reader | None] = []
    for ins in program.kernel.instructions:
        decoder.current = ins
        guards.append(decoder.read(ins.predicate, SCALARS["pred"]) if ins.predicate else None)
    return list(zip(guards, steps, strict=True))


def registers(operands: Sequence[Operand]) -> Iterator[str]:
    """Yields the names of the registers among operands, in vectors of them, and in addresses."""
    for operand in operands:
        if isinstance(operand, Vector):
            yield from registers(operand.items)
        elif isinstance(operand, Address):
            yield from registers((operand.base, *operand.coordinates))
        elif isinstance(operand, Register):
            yield operand.name
