"""
The meaning of programs of the `vyre` dialect, on NumPy: all invocations of a dispatch in step, one op at a time.

The result is that of any other order of the invocations, or an error: `races.py` reports accesses whose order matters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import singledispatchmethod
from math import prod
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import SymbolTable

from ...dialects import vyre
from ...dialects.vyre.floats import word_operation
from ...dialects.vyre.types import VECTORS, WORD_BYTES, BufferType, bf16, buffer_of, bytes_, dtype_of, f16
from ...elementary.words import evaluate
from ..errors import NoSuchFunction
from .errors import DivergentBarrier, TooLong, VyreRace, WrongBuffer
from .races import Lanes, Races
from .reductions import combine
from .rules import BINOPS, UNOPS, cast_to, compared, dtype, from_words, to_words

Array = npt.NDArray[Any]
LIMIT = 1 << 28
"""Ops times invocations that a dispatch may execute."""
OVERHEAD = 1 << 10
"""The number of invocations for which an op takes twice the time that it takes for one."""
SHARED_BYTES = 1 << 27
"""Number of bytes of workgroup memory that the workgroups of a dispatch may have together."""

__all__ = ["DivergentBarrier", "TooLong", "VyreRace", "WrongBuffer", "dispatch", "find_program", "host_words"]


def find_program(module: ModuleOp, name: str | None = None) -> vyre.ProgramOp:
    """Returns a program of a module, by default the only one. Raises `NoSuchFunction`."""
    programs = [op for op in module.walk() if isinstance(op, vyre.ProgramOp)]
    found = [p for p in programs if name is None or p.sym_name.data == name]
    if len(found) != 1:
        known = ", ".join(p.sym_name.data for p in programs) or "none"
        raise NoSuchFunction(name=name or "", known=known)
    return found[0]


def host_words(program: vyre.ProgramOp, buffers: Mapping[str, Array]) -> dict[str, Array]:
    """
    Returns a copy of the words of each buffer of the host, by name. An array of any type is taken as its bytes, of which there must be
    whole elements. Raises `WrongBuffer`.
    """
    declared = {b.label.data: b for b in program.bound()}
    for name in declared.keys() ^ buffers.keys():
        problem = f"the program has no buffer '{name}'" if name in buffers else f"no array for buffer '{name}' is given"
        raise WrongBuffer(program, problem=problem, fix=f"pass the buffers {', '.join(declared) or 'none'}")
    words: dict[str, Array] = {}
    for name, buffer in declared.items():
        data = np.ascontiguousarray(buffers[name]).reshape(-1).view(np.uint8)
        size = buffer.type.dtype.words * WORD_BYTES
        want = buffer.elements
        if data.size % size or (want is not None and data.size != want * size):
            problem = f"the array for buffer '{name}' has {data.size} bytes"
            fix = f"pass {want * size} bytes" if want is not None else f"pass a multiple of {size} bytes"
            raise WrongBuffer(buffer, problem=problem, fix=fix)
        words[name] = data.view(np.uint32).copy()
    return words


def dispatch(
    program: vyre.ProgramOp,
    buffers: Mapping[str, Array],
    workgroups: Sequence[int] = (1, 1, 1),
    limit: int = LIMIT,
) -> dict[str, Array]:
    """
    Executes a verified program for each invocation of `workgroups` along x, y and z. Returns the words of its buffers by name. Raises
    `VyreRace`, `DivergentBarrier`, `TooLong` and `WrongBuffer`.
    """
    words = host_words(program, buffers)
    groups = (*workgroups, 1, 1)[:3]
    if prod(groups):
        run = _Run(program, words, groups, limit)
        run.block(program.body.block, np.ones(run.count, np.bool_))
    return words


class _Memory:
    """The words of a buffer. Workgroup memory has the words of all workgroups, one after the other."""

    def __init__(self, buffer: vyre.BufferOp, words: Array, copies: int):
        self.words = words.reshape(-1, buffer.type.dtype.words)
        self.elements = len(self.words) // copies
        self.is_workgroup = buffer.is_workgroup
        self.races = Races(buffer.label.data, len(self.words), self.elements)


class _Run:
    """One dispatch. Values are arrays with an element per invocation; a mask says which invocations execute a block."""

    def __init__(self, program: vyre.ProgramOp, words: Mapping[str, Array], workgroups: Sequence[int], limit: int):
        self.program, self.limit, self.steps = program, limit, 0
        size, groups = program.sizes, tuple(workgroups)
        self.size, self.groups = prod(size), prod(groups)
        self.count = self.size * self.groups
        if self.count > limit:
            raise TooLong(program, limit=limit)
        self.number = np.arange(self.count, dtype=np.int32)
        self.group = self.number // np.int32(self.size)
        self.epochs = np.zeros(self.groups, np.int32)
        self.values: dict[SSAValue, Array] = {}
        self.memory: dict[SSAValue, _Memory] = {}
        self.positions = self._positions(size, groups)
        self._require_memory()
        for buffer in program.buffers():
            copies = self.groups if buffer.is_workgroup else 1
            data = self._shared(buffer) if buffer.is_workgroup else words[buffer.label.data]
            self.memory[buffer.result] = _Memory(buffer, data, copies)

    def _require_memory(self) -> None:
        """Raises `WrongBuffer` at the largest workgroup buffer if the dispatch has too much workgroup memory."""
        sizes = {b: self._shared_words(b) * WORD_BYTES for b in self.program.buffers() if b.is_workgroup}
        if (total := sum(sizes.values())) > SHARED_BYTES:
            problem = f"the dispatch has {total:,} bytes of workgroup memory"
            fix = f"use at most {SHARED_BYTES:,}: dispatch fewer workgroups, or declare fewer elements"
            raise WrongBuffer(max(sizes, key=lambda b: sizes[b]), problem=problem, fix=fix)

    def _shared_words(self, buffer: vyre.BufferOp) -> int:
        return self.groups * (buffer.elements or 0) * buffer.type.dtype.words

    def _shared(self, buffer: vyre.BufferOp) -> Array:
        return np.zeros(self._shared_words(buffer), np.uint32)

    def _positions(self, size: Sequence[int], groups: Sequence[int]) -> dict[tuple[str, str], Array]:
        table: dict[tuple[str, str], Array] = {}
        local, group = self.number % np.int32(self.size), self.group
        for axis, threads, blocks in zip("xyz", size, groups, strict=True):
            at, block = (v.astype(np.uint32) for v in (local % np.int32(threads), group % np.int32(blocks)))
            table["local", axis], table["workgroup", axis] = at, block
            table["workgroups", axis] = np.full(self.count, blocks, np.uint32)
            table["global", axis] = block * np.uint32(threads) + at
            local, group = local // np.int32(threads), group // np.int32(blocks)
        return table

    def block(self, block: Block, active: Array) -> tuple[Array, ...]:
        """Executes a block for the active invocations, and returns the operands of its terminator."""
        for op in block.ops:
            self._count_step()
            if isinstance(op, vyre.YieldOp | vyre.ReturnOp):
                return tuple(self.values[v] for v in op.operands)
            self.execute(op, active)
        return ()

    def _count_step(self) -> None:
        self.steps += max(self.count, OVERHEAD)
        if self.steps > self.limit:
            raise TooLong(self.program, limit=self.limit)

    @singledispatchmethod
    def execute(self, op: Operation, active: Array) -> None:
        """Executes an op."""
        raise WrongBuffer(op, problem=f"'{op.name}' has no meaning in a program", fix="use ops of the vyre dialect")

    @execute.register
    def _(self, op: vyre.BufferOp, active: Array) -> None:
        """The memory is there from the start."""

    @execute.register
    def _(self, op: vyre.ConstantOp, active: Array) -> None:
        self.values[op.result] = np.full(self.count, op.value.data, dtype(dtype_of(op.result)))

    @execute.register
    def _(self, op: vyre.BinOp, active: Array) -> None:
        self.values[op.result] = BINOPS[op.fn.data](self.values[op.lhs], self.values[op.rhs])

    @execute.register
    def _(self, op: vyre.UnOp, active: Array) -> None:
        self.values[op.result] = UNOPS[op.fn.data](self.values[op.input])

    @execute.register
    def _(self, op: vyre.CompareOp, active: Array) -> None:
        self.values[op.result] = compared(op.fn.data, self.values[op.lhs], self.values[op.rhs], dtype_of(op.lhs))

    @execute.register
    def _(self, op: vyre.SelectOp, active: Array) -> None:
        condition, a, b = (self.values[v] for v in op.operands)
        self.values[op.result] = _where(condition, a, b)

    @execute.register
    def _(self, op: vyre.CastOp, active: Array) -> None:
        self.values[op.result] = cast_to(self.values[op.input], dtype_of(op.input), dtype_of(op.result))

    @execute.register
    def _(self, op: vyre.StrictOp | vyre.ApproximateOp, active: Array) -> None:
        self.values[op.result] = evaluate(word_operation(op), *(self.values[v] for v in op.arguments))

    @execute.register
    def _(self, op: vyre.BitcastOp, active: Array) -> None:
        value = self.values[op.input]
        self.values[op.result] = value & np.uint32(0xFFFF) if op.result.type in (f16, bf16) else value

    @execute.register
    def _(self, op: vyre.ReduceOp, active: Array) -> None:
        elements = self._range(op, op.buffer, op.first, op.count.value.data, 1, active)
        self.values[op.result] = combine(op.order.data, op.fn.data, elements, op.count.value.data)

    @execute.register
    def _(self, op: vyre.DotOp, active: Array) -> None:
        count = op.count.value.data
        a = self._range(op, op.a, op.i, count, op.step_a.value.data, active)
        b = self._range(op, op.b, op.j, count, op.step_b.value.data, active)
        products = (evaluate("mul_f32", x, y) for x, y in zip(a, b, strict=True))
        self.values[op.result] = combine("strict", "fadd", products, count)

    def _range(
        self, op: Operation, buffer: SSAValue, first: SSAValue, count: int, step: int, active: Array
    ) -> Iterator[Array]:
        """Yields `count` elements of a buffer from an index on."""
        for k in range(count):
            self._count_step()
            yield self._loaded(op, buffer, self.values[first] + np.uint32(k * step & 0xFFFFFFFF), active)[:, 0]

    @execute.register
    def _(self, op: vyre.VectorOp, active: Array) -> None:
        self.values[op.result] = np.stack([self.values[v] for v in op.components], axis=-1)

    @execute.register
    def _(self, op: vyre.ExtractOp, active: Array) -> None:
        self.values[op.result] = self.values[op.vector][:, op.component.value.data]

    @execute.register
    def _(self, op: vyre.PositionOp, active: Array) -> None:
        self.values[op.result] = self.positions[op.kind.data, op.axis.data]

    @execute.register
    def _(self, op: vyre.BufLenOp, active: Array) -> None:
        self.values[op.result] = np.full(self.count, self.memory[op.buffer].elements, np.uint32)

    @execute.register
    def _(self, op: vyre.BarrierOp, active: Array) -> None:
        arrived = active.reshape(self.groups, self.size).sum(axis=1)
        wrong = (arrived != 0) & (arrived != self.size)
        if wrong.any():
            group = int(np.argmax(wrong))
            raise DivergentBarrier(op, arrived=int(arrived[group]), size=self.size, group=group)
        self.epochs += arrived != 0

    @execute.register
    def _(self, op: vyre.CallOp, active: Array) -> None:
        callee = cast(vyre.OpOp, SymbolTable.lookup_symbol(op, op.callee))
        for arg, value in zip(callee.inputs, op.arguments, strict=True):
            if isinstance(value.type, BufferType):
                self.memory[arg] = self.memory[value]
            else:
                self.values[arg] = self.values[value]
        (self.values[op.result],) = self.block(callee.body.block, active)

    @execute.register
    def _(self, op: vyre.IfOp, active: Array) -> None:
        condition = self.values[op.condition]
        yielded: list[tuple[Array, ...]] = []
        for region, mask in ((op.then, active & condition), (op.otherwise, active & ~condition)):
            if region is not None and mask.any():
                yielded.append(self.block(region.block, mask))
            else:
                yielded.append(tuple(self._zeros(r) for r in op.results_))
        for result, a, b in zip(op.results_, *yielded, strict=True):
            self.values[result] = _where(condition, a, b)

    def _zeros(self, value: SSAValue) -> Array:
        t = dtype_of(value)
        shape = (self.count, t.words) if t in VECTORS else (self.count,)
        return np.zeros(shape, dtype(t))

    @execute.register
    def _(self, op: vyre.ForOp, active: Array) -> None:
        counter, stop = self.values[op.start], self.values[op.stop]
        carried = [self.values[v] for v in op.initial]
        mask = active & (counter < stop)
        while mask.any():
            self.values[op.counter] = counter
            self.values.update(zip(op.carried, carried, strict=True))
            stepped = self.block(op.body.block, mask)
            carried = [_where(mask, new, old) for new, old in zip(stepped, carried, strict=True)]
            counter = np.where(mask, counter + np.uint32(1), counter)
            mask = mask & (counter < stop)
        self.values.update(zip(op.results_, carried, strict=True))

    # --- memory ---------------------------------------------------------------------------------

    def _places(self, memory: _Memory, index: Array, active: Array) -> tuple[Array, Array, Lanes]:
        """Returns the invocations whose access is in bounds, as indices and as lanes, and the elements that they access."""
        inside = np.flatnonzero(active & (index < memory.elements))
        group = self.group[inside]
        at = index[inside].astype(np.int64)
        if memory.is_workgroup:
            at += group.astype(np.int64) * memory.elements
        return inside, at, Lanes(self.number[inside], group, self.epochs[group])

    def _loaded(self, op: Operation, buffer: SSAValue, index: Array, active: Array) -> Array:
        memory = self.memory[buffer]
        inside, at, lanes = self._places(memory, index, active)
        words = np.zeros((self.count, memory.words.shape[1]), np.uint32)
        words[inside] = memory.words[at]
        if buffer_of(buffer).access.writable:
            memory.races.read(op, at, lanes)
        return words

    @execute.register
    def _(self, op: vyre.LoadOp, active: Array) -> None:
        index, t = self.values[op.index], buffer_of(op.buffer)
        if t.dtype == bytes_:
            words = self._loaded(op, op.buffer, index // np.uint32(4), active)[:, 0]
            self.values[op.result] = words >> index % np.uint32(4) * np.uint32(8) & np.uint32(0xFF)
        else:
            self.values[op.result] = from_words(self._loaded(op, op.buffer, index, active), t.dtype)

    @execute.register
    def _(self, op: vyre.LoadWordOp, active: Array) -> None:
        self.values[op.result] = self._loaded(op, op.buffer, self.values[op.index], active)[:, 0]

    @execute.register
    def _(self, op: vyre.StoreOp | vyre.StoreWordOp, active: Array) -> None:
        memory, index, value = self.memory[op.buffer], self.values[op.index], self.values[op.value]
        is_byte = isinstance(op, vyre.StoreOp) and buffer_of(op.buffer).dtype == bytes_
        inside, at, lanes = self._places(memory, index // np.uint32(4) if is_byte else index, active)
        memory.races.write(op, at, lanes)
        if is_byte:
            shift = index[inside] % np.uint32(4) * np.uint32(8)
            kept = memory.words[at, 0] & ~(np.uint32(0xFF) << shift)
            memory.words[at, 0] = kept | (value[inside] & np.uint32(0xFF)) << shift
        else:
            memory.words[at] = to_words(value[inside], dtype_of(op.value))

    @execute.register
    def _(self, op: vyre.AtomicOp | vyre.AtomicCompareExchangeOp, active: Array) -> None:
        memory, value = self.memory[op.buffer], self.values[op.value]
        inside, at, lanes = self._places(memory, self.values[op.index], active)
        kind = op.fn.data if isinstance(op, vyre.AtomicOp) else "compare_exchange"
        memory.races.atomic(op, kind, at, lanes)
        elements = memory.words[:, 0].view(value.dtype)  # a view: what is stored is in memory
        old = np.zeros(self.count, value.dtype)
        old[inside] = elements[at]
        if kind in ATOMICS:
            ATOMICS[kind].at(elements, at, value[inside])
        elif kind == "exchange":  # no two invocations access one element, or it would be a race
            elements[at] = value[inside]
        elif isinstance(op, vyre.AtomicCompareExchangeOp):
            found = old[inside]
            elements[at] = np.where(found == self.values[op.expected][inside], value[inside], found)
        self.values[op.result] = old


ATOMICS: dict[str, np.ufunc] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def _where(condition: Array, a: Array, b: Array) -> Array:
    return np.where(condition if a.ndim == 1 else condition[:, None], a, b)
