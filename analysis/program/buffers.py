"""
Plans the memory of a function's values statically.

```
   %0 = ptir.exp %x              slot 0, live from 0 to 3
   %1 = ptir.reshape %0          alias of %0: the same memory
   %2 = ptir.transpose %1        view of %0
   %3 = ptir.add %2, %2          slot 1, live from 3 to 4
   %4 = ptir.neg %3              slot 0, live from 4 to 5: %0 ended at 3 and had the same element type and length
   %5 = ptir.abs %4              no slot, because it is a result
   func.return %5
```

- Parameters, constants and results get no slot: the caller, or the program, provides their memory.
- A value lives from its definition to its last use, a result to the end. A value used inside a region lives until the
  enclosing op ends, because its body may run again.
- `reshape`, `stop_gradient` and `dim_cast` give another name to the same memory (*aliases*), `slice` and `transpose` read
  part of it in another order (*views*): the live ranges merge. The reshape of a view is a value of its own.
- A slot is reused only by a value of the same element type and length in bytes whose live range starts after the other's
  end.
- Region arguments of `cond` and `composite` are the operands themselves; those of loops get memory of their own. Loop-carried
  values move simultaneously: a body that yields its arguments in another order swaps them.

Time counts the visits of `walk_program`. Lengths with named dimensions are products, `B*3072`, which `arena(B=8)` and
`peak(B=8)` evaluate.

Contract: *Conversion infrastructure* (`plan_buffers`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, count
from math import prod
from typing import Literal, cast

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.traits import ConstantLike

from ...dialects.common.shapes import ADDRESSABLE
from ...dialects.ptir.dims import sizes
from ...dialects.ptir.tuples import TupleElementOp, elements, leaves
from ...errors import InvalidAttributeValue, Unsupported, require, require_function
from ...targets.mma import element_bytes
from ..errors import TooMuchMemory
from .walk import walk_program

ALIASES = ("ptir.reshape", "ptir.stop_gradient", "ptir.dim_cast")
"""Ops whose result is the memory of their operand under another name."""

VIEWS = ("ptir.slice", "ptir.transpose")
"""Ops whose result is part of the memory of their operand, or the same memory in another order."""

ONCE = ("ptir.cond", "ptir.composite")
"""Ops whose regions run at most once, on the operands themselves."""

ALIGNMENT = 256
"""Alignment of device allocations, in bytes."""

Kind = Literal["parameter", "constant", "result", "slot"]
Sizes = Mapping[str, int]


@dataclass(frozen=True)
class Length:
    """A number of bytes, times the sizes of named dimensions."""

    bytes: int
    names: tuple[str, ...] = ()

    def number(self, known: Sizes) -> int:
        """
        Returns the number of bytes for the `known` sizes of named dimensions. Raises `InvalidAttributeValue` if one is missing
        or negative, `TooMuchMemory` if the result is not addressable.
        """
        for name in self.names:
            if name not in known:
                raise InvalidAttributeValue(
                    name=name, problem="is a named dimension without a size", help=f"give its size: {name}=…"
                )
            if known[name] < 0:
                raise InvalidAttributeValue(name=name, problem=f"is {known[name]}", help="sizes must be at least 0")
        return addressable(self.bytes * prod(known[name] for name in self.names), f"a value of {self} bytes")

    def __str__(self) -> str:
        return "*".join([*self.names, str(self.bytes)])


@dataclass(frozen=True)
class Memory:
    """
    Memory of one value and its aliases and views, live from `start` to `end`, both included. `owner` is the value that
    defines it, `slot` the number of its slot.
    """

    owner: SSAValue
    type: TensorType[Attribute]
    kind: Kind
    start: int
    end: int
    slot: int | None = None


@dataclass(frozen=True)
class Place:
    """The location of a tensor: the index of its memory, and whether the tensor owns, aliases or views that memory."""

    memory: int
    how: Literal["own", "alias", "view"] = "own"


@dataclass(frozen=True)
class Slot:
    """One slot of the arena, and the indices of the memories that occupy it, one after the other."""

    dtype: Attribute
    length: Length
    memories: tuple[int, ...]


@dataclass(frozen=True)
class Arena:
    """Offsets of the slots in one allocation of `bytes`."""

    offsets: tuple[int, ...]
    bytes: int


@dataclass(frozen=True)
class BufferPlan:
    """
    The result of `plan_buffers`. `places` has the location of every value; a tuple has one for each of its tensors.
    `Place.memory` is an index into `memories`, and `Memory.slot` is an index into `slots`.
    """

    function: FuncOp
    places: dict[SSAValue, tuple[Place, ...]]
    memories: tuple[Memory, ...]
    slots: tuple[Slot, ...]

    def __repr__(self) -> str:
        return f"BufferPlan(@{self.function.sym_name.data}, {len(self.memories)} memories in {len(self.slots)} slots)"

    def arena(self, *, alignment: int = ALIGNMENT, **known: int) -> Arena:
        """
        Lays all slots out consecutively, each aligned to `alignment` bytes. The sizes of named dimensions are given as keywords.
        Raises `InvalidAttributeValue` for a missing size or an alignment that is not a power of two, and `TooMuchMemory`.
        """
        require(alignment, int, "alignment", "a power of two in bytes")
        if alignment < 1 or alignment & (alignment - 1):
            raise InvalidAttributeValue(
                name="alignment", problem=f"is {alignment}", help="give a power of two in bytes"
            )
        offsets: list[int] = []
        end = 0
        for slot in self.slots:
            offsets.append(-(-end // alignment) * alignment)
            end = offsets[-1] + slot.length.number(known)
        return Arena(tuple(offsets), addressable(end, "the arena", self.function))

    def peak(self, **known: int) -> int:
        """Returns the maximum number of bytes that are live in slots at one time: a lower bound on the size of any arena."""
        changes = Counter[int]()
        for m in self.memories:
            if m.slot is not None:
                length = self.slots[m.slot].length.number(known)
                changes[m.start] += length
                changes[m.end + 1] -= length
        return max(accumulate(changes[time] for time in sorted(changes)), default=0)

    def table(self, **known: int) -> str:
        """
        Returns the plan as text, one value per line, with values numbered in program order:

            @f  slots: 2, arena: 384 bytes, peak: 256 bytes
              arg0  tensor<4x8xf32>  parameter, from 0 to 0
              v0    tensor<4x8xf32>  slot 0, 128 bytes at 0, from 0 to 3
        """
        named = {name for slot in self.slots for name in slot.length.names}
        head = f"@{self.function.sym_name.data}  slots: {len(self.slots)}"
        offsets: Sequence[int] | None = None
        if named <= known.keys():
            arena = self.arena(**known)
            offsets = arena.offsets
            head += f", arena: {arena.bytes} bytes, peak: {self.peak(**known)} bytes"
        names = _value_names(self.places)
        rows = [
            (names[value], str(value.type), "; ".join(self._place_text(p, names, known, offsets) for p in places))
            for value, places in self.places.items()
        ]
        widths = [max((len(row[k]) for row in rows), default=0) for k in range(2)]
        return "\n".join([head, *(f"  {n:{widths[0]}}  {t:{widths[1]}}  {text}" for n, t, text in rows)])

    def _place_text(
        self, place: Place, names: Mapping[SSAValue, str], known: Sizes, offsets: Sequence[int] | None
    ) -> str:
        memory = self.memories[place.memory]
        if place.how != "own":
            return f"{place.how} of {names[memory.owner]}"
        text: str = memory.kind
        if memory.slot is not None:
            length = self.slots[memory.slot].length
            text = f"slot {memory.slot}, {length if offsets is None else length.number(known)} bytes"
            text += "" if offsets is None else f" at {offsets[memory.slot]}"
        return f"{text}, from {memory.start} to {memory.end}"


def _value_names(values: Mapping[SSAValue, object]) -> dict[SSAValue, str]:
    """Returns the names of values: arguments are `arg0, arg1, …`, results `v0, v1, …`."""
    arguments, results = count(), count()
    return {v: f"arg{next(arguments)}" if isinstance(v, BlockArgument) else f"v{next(results)}" for v in values}


def plan_buffers(function: FuncOp) -> BufferPlan:
    """
    Plans a function's memory as described above.

    Raises `Unsupported` at a value that needs a slot and has an anonymous dynamic dimension, at a value that is neither a
    tensor nor a tuple of tensors, and at control flow between blocks; `TooMuchMemory` at a value larger than the address space.

    >>> print(plan_buffers(function).table())       # doctest: +SKIP
    """
    require_function(function)
    planner = _Planner(function)
    planner.locate_values()
    planner.extend_live_ranges()
    return planner.plan()


@dataclass
class _Planner:
    function: FuncOp
    places: dict[SSAValue, tuple[Place, ...]] = field(default_factory=dict[SSAValue, "tuple[Place, ...]"])
    memories: list[Memory] = field(default_factory=list[Memory])
    begins: dict[Operation, int] = field(default_factory=dict[Operation, int])
    ends: dict[Operation, int] = field(default_factory=dict[Operation, int])

    # --- locations --------------------------------------------------------------------------------

    def locate_values(self) -> None:
        self.require_one_block(self.function)
        for arg in self.function.body.block.args:
            self.allocate(arg, "parameter", 0)
        for time, visit in enumerate(walk_program(self.function)):
            op = visit.op
            self.ends[op] = time
            if not visit.leaving:
                self.begins[op] = time
                self.require_one_block(op)
                self.locate_results(op, time)
            if bool(op.regions) == visit.leaving and op.name == "ptir.composite":
                last = op.regions[0].block.last_op
                assert last is not None  # a composite verifies: it ends in a yield
                for result, inner in zip(op.results, last.operands, strict=True):
                    self.places[result] = _aliases(self.places[inner])

    def locate_results(self, op: Operation, time: int) -> None:
        """Locates the results of `op`, then the arguments of its regions."""
        match op.name:
            case name if name in ALIASES and (name != "ptir.reshape" or self.places[op.operands[0]][0].how != "view"):
                self.places[op.results[0]] = _aliases(self.places[op.operands[0]])
            case name if name in VIEWS:
                self.places[op.results[0]] = (replace(self.places[op.operands[0]][0], how="view"),)
            case "ptir.tuple":
                self.places[op.results[0]] = tuple(p for v in op.operands for p in _aliases(self.places[v]))
            case "ptir.tuple_element" if isinstance(op, TupleElementOp):
                self.places[op.result] = self.element_places(op)
            case "ptir.composite":
                pass  # located when the walk leaves it: its results are the values that its region yields
            case _:
                for result in op.results:
                    self.allocate(result, "constant" if op.has_trait(ConstantLike) else "slot", time)
        for region in op.regions:
            for block in region.blocks:
                given = op.operands[len(op.operands) - len(block.args) :] if op.name in ONCE else ()
                for arg, operand in zip(block.args, given, strict=False):
                    self.places[arg] = _aliases(self.places[operand])
                for arg in block.args[len(given) :]:
                    self.allocate(arg, "slot", time)

    def element_places(self, op: TupleElementOp) -> tuple[Place, ...]:
        """Returns the places of an element of a tuple."""
        types, index = elements(op.input.type), op.index.value.data
        start = len(tensors(types[:index], op))
        return _aliases(self.places[op.input][start : start + len(tensors([types[index]], op))])

    def allocate(self, value: SSAValue, kind: Kind, time: int) -> None:
        of = tensors([value.type], _owner(value))
        self.places[value] = tuple(Place(len(self.memories) + k) for k in range(len(of)))
        self.memories += [Memory(value, t, kind, time, time) for t in of]

    def require_one_block(self, op: Operation) -> None:
        for region in op.regions:
            if len(region.blocks) != 1:
                raise Unsupported(op, what="control flow between blocks", need="regions of one block each")

    # --- live ranges ------------------------------------------------------------------------------

    def extend_live_ranges(self) -> None:
        last = self.function.body.block.last_op
        for op in self.begins:
            for operand in op.operands:
                self.extend(operand, self.last_time(operand, op))
            for value in op.results if op.regions else ():  # written while the regions run
                self.extend(value, self.ends[op])
            for region in op.regions if op.name not in ONCE else ():
                for arg in region.block.args:
                    self.extend(arg, self.ends[op])
        for value in last.operands if last is not None else ():
            for place in self.places[value]:
                memory = self.memories[place.memory]
                given = memory.kind != "slot" or place.how == "view"
                self.memories[place.memory] = replace(memory, kind=memory.kind if given else "result")

    def last_time(self, value: SSAValue, op: Operation) -> int:
        """Returns the time at which the use of `value` by `op` ends: the end of `op`, or of the op around it in the value's block."""
        home = value.owner if isinstance(value.owner, Block) else value.owner.parent
        while op.parent is not home and (around := op.parent_op()) is not None:
            op = around
        return self.ends[op]

    def extend(self, value: SSAValue, time: int) -> None:
        for place in self.places[value]:
            memory = self.memories[place.memory]
            self.memories[place.memory] = replace(memory, end=max(memory.end, time))

    # --- slots ------------------------------------------------------------------------------------

    def plan(self) -> BufferPlan:
        slots: list[Slot] = []
        order = [k for k, m in enumerate(self.memories) if m.kind == "slot"]
        for k in sorted(order, key=lambda k: self.memories[k].start):
            memory = self.memories[k]
            dtype, length = memory.type.element_type, self.length(memory)
            free = (
                s
                for s, slot in enumerate(slots)
                if (slot.dtype, slot.length) == (dtype, length) and self.memories[slot.memories[-1]].end < memory.start
            )
            number = next(free, len(slots))
            if number == len(slots):
                slots.append(Slot(dtype, length, ()))
            slots[number] = replace(slots[number], memories=(*slots[number].memories, k))
            self.memories[k] = replace(memory, slot=number)
        return BufferPlan(self.function, self.places, tuple(self.memories), tuple(slots))

    def length(self, memory: Memory) -> Length:
        of = sizes(memory.type)
        if None in of:
            raise Unsupported(
                _owner(memory.owner),
                what=f"planning memory for {memory.type}",
                need="a size or a name for every dimension: #ptir.dims<B, _>",
            )
        names = sorted(s for s in of if isinstance(s, str))
        numbers = [s for s in of if isinstance(s, int)]
        bytes = element_bytes(memory.type.element_type) * prod(numbers)
        return Length(bytes if names else addressable(bytes, f"{memory.type}", _owner(memory.owner)), tuple(names))


def addressable(bytes: int, what: str, op: Operation | None = None) -> int:
    """Returns `bytes` if a process can address that many. Raises `TooMuchMemory`."""
    if bytes > ADDRESSABLE:
        raise TooMuchMemory(op, what=what, bytes=bytes)
    return bytes


def tensors(types: Sequence[Attribute], op: Operation) -> list[TensorType[Attribute]]:
    """Returns the tensors that values of these types consist of. Raises `Unsupported` at `op`."""
    out: list[TensorType[Attribute]] = []
    for t in leaves(types):
        if not isinstance(t, TensorType):
            raise Unsupported(op, what=f"planning memory for {t}", need="tensors and tuples of tensors")
        out.append(cast("TensorType[Attribute]", t))
    return out


def _aliases(places: Sequence[Place]) -> tuple[Place, ...]:
    """Returns the same memories under another name."""
    return tuple(replace(p, how="alias") if p.how == "own" else p for p in places)


def _owner(value: SSAValue) -> Operation:
    owner = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    assert owner is not None  # values of a function
    return owner
