"""
`vyre-to-nv`: lowers programs to GPU kernels.

```
vyre.program @p workgroup [64, 1, 1] {        gpu.func @p(%in: memref<?xui32>, %out: …, %lengths: memref<2xui32>)
  %in = vyre.buffer "in" binding 0              a block per workgroup, a thread per invocation
  %i = vyre.position global x             →     blockIdx.x * 64 + threadIdx.x
  %x = vyre.load %in[%i]                        nv.load_word %in[%i] if %i < its number of elements
  vyre.barrier                                  gpu.barrier
}
```

The kernel takes the buffers in the order of their bindings, each as words, and then the number of words of each. A program has no host
function: a dispatch chooses the number of workgroups (`runtime/vyre.py`). Workgroup memory is set to 0 first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntegerType,
    MemRefType,
    ModuleOp,
    Signedness,
    StringAttr,
    UnitAttr,
    i32,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from ...dialects import nv, vyre
from ...dialects.common.kernel import free_symbol
from ...dialects.nv.words import UNSIGNED
from ...dialects.vyre.types import WORD_BYTES, buffer_of, bytes_, dtype_of
from ...dialects.vyre.types import i32 as signed
from ...errors import Unsupported
from ..vyre_expand_reductions import expand
from ..vyre_inline import inline
from .expressions import Expressions, Parts, part_types

KERNELS = "kernels"
SHARED_BYTES = 48 * 1024
"""Largest static shared memory of a block."""
WORD = IntegerType(32, Signedness.UNSIGNED)


@dataclass(frozen=True)
class VyreToNv(ModulePass):
    """Lowers each `vyre.program` to a function of one `gpu.module`. Ops that programs call are inlined and erased, and reductions
    become loops."""

    name = "vyre-to-nv"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        programs = [p for p in op.ops if isinstance(p, vyre.ProgramOp)]
        if not programs:
            return
        for program in programs:
            inline(program)
            expand(program)
        functions = [_Kernel(program).function() for program in programs]
        name = free_symbol(op, KERNELS)
        module = gpu.ModuleOp.create(properties={"sym_name": StringAttr(name)}, regions=[Region(Block(functions))])
        module.location = programs[0].location
        op.body.block.insert_op_before(module, programs[0])
        for old in [o for o in op.ops if isinstance(o, vyre.ProgramOp | vyre.OpOp)]:
            old.detach()
            old.erase(safe_erase=False)


@dataclass(frozen=True)
class Memory:
    """A buffer in the kernel: its words, and its numbers of words and of elements."""

    words: SSAValue
    length: SSAValue
    elements: SSAValue


class _Kernel(Expressions):
    """Writes the kernel of one program."""

    def __init__(self, program: vyre.ProgramOp):
        self.program, self.bound = program, program.bound()
        types = [MemRefType(WORD, [DYNAMIC_INDEX]) for _ in self.bound]
        self.body = Block(arg_types=[*types, MemRefType(WORD, [max(len(types), 1)])])
        names = [b.label.data for b in self.bound]
        for arg, name in zip(self.body.args, [*names, "lengths"], strict=True):
            arg.name_hint = name
        super().__init__(self.body)
        self.memory: dict[SSAValue, Memory] = {}

    def function(self) -> gpu.FuncOp:
        """Returns the kernel as a `gpu.func`."""
        self.at = self.program
        self._declare()
        self.write(self.program.body.block)
        self.builder.insert(gpu.ReturnOp([]))
        function = gpu.FuncOp(
            self.program.sym_name.data,
            ([a.type for a in self.body.args], []),
            Region(self.body),
            kernel=True,
            known_block_size=self.program.sizes,
        )
        function.location = self.program.location
        return function

    # --- memory ---------------------------------------------------------------------------------

    def _declare(self) -> None:
        true = self.number(1, IntegerType(1))
        for k, buffer in enumerate(self.bound):
            words = buffer.type.dtype.words
            if buffer.elements is None:
                read = nv.LoadWordOp(self.body.args[-1], self.number(k), true)
                length = self.add(read, f"{buffer.label.data}_words")
            else:
                length = self.number(buffer.elements * words)
            self.memory[buffer.result] = self._memory(buffer, self.body.args[k], length)
        shared = [b for b in self.program.buffers() if b.is_workgroup]
        size = sum((b.elements or 0) * b.type.dtype.words * WORD_BYTES for b in shared)
        if size > SHARED_BYTES:
            what = f"a program with {size} bytes of workgroup memory"
            raise Unsupported(self.program, what=what, need=f"use at most {SHARED_BYTES} bytes")
        for buffer in shared:
            self._clear(buffer)
        if shared:
            self.builder.insert(gpu.BarrierOp())

    def _memory(self, buffer: vyre.BufferOp, words: SSAValue, length: SSAValue) -> Memory:
        shift = buffer.type.dtype.words.bit_length() - 1
        if not shift:
            return Memory(words, length, length)
        elements = self.binary(arith.ShRUIOp, length, self.number(shift), f"{buffer.label.data}_elements")
        return Memory(words, length, elements)

    def _clear(self, buffer: vyre.BufferOp) -> None:
        """Declares workgroup memory and sets it to 0."""
        count = (buffer.elements or 0) * buffer.type.dtype.words
        words = self.add(nv.SharedWordsOp(count, WORD), buffer.label.data)
        length = self.number(count)
        self.memory[buffer.result] = self._memory(buffer, words, length)
        thread, stride = self._position("local", "x"), 1
        for axis, size in zip("yz", self.program.sizes, strict=False):
            stride *= size
            if self.program.sizes["xyz".index(axis)] == 1:
                continue
            scaled = self.binary(arith.MuliOp, self._position("local", axis), self.number(stride))
            thread = self.binary(arith.AddiOp, thread, scaled)
        step = self.number(prod(self.program.sizes))
        body = Block(arg_types=[i32])
        loop = scf.ForOp(thread, length, step, [], body)
        loop.attributes[UNSIGNED] = UnitAttr()
        self.builder.insert(loop)
        outside, self.builder = self.builder, Builder(InsertPoint.at_end(body))
        inside = self.number(1, IntegerType(1))
        self.builder.insert(nv.StoreWordOp(self.number(0), words, body.args[0], inside))
        self.builder.insert(scf.YieldOp())
        self.builder = outside

    def _index(self, op: vyre.AccessOp, memory: Memory, is_word: bool) -> tuple[SSAValue, SSAValue]:
        """Returns the first word of an element, and whether it is inside the buffer."""
        (index,) = self.parts[op.index]
        t = buffer_of(op.buffer)
        if t.dtype == bytes_ and not is_word:
            index = self.binary(arith.ShRUIOp, index, self.number(2))
            return index, self.compare("ult", index, memory.length, "inside")
        inside = self.compare("ult", index, memory.elements, "inside")
        if t.dtype.words > 1:
            index = self.binary(arith.MuliOp, index, self.number(t.dtype.words))
        return index, inside

    def _shift(self, op: vyre.AccessOp) -> SSAValue:
        """Returns the first bit of a byte in its word."""
        (index,) = self.parts[op.index]
        return self.binary(arith.MuliOp, self.binary(arith.AndIOp, index, self.number(3)), self.number(8))

    def _words(self, index: SSAValue, count: int) -> list[SSAValue]:
        return [index, *(self.binary(arith.AddiOp, index, self.number(k)) for k in range(1, count))]

    # --- ops ------------------------------------------------------------------------------------

    def write(self, block: Block) -> Parts:
        """Writes the ops of a block, and returns the parts of what it yields."""
        for op in block.ops:
            self.at = op
            match op:
                case vyre.YieldOp():
                    return [part for value in op.values for part in self.parts[value]]
                case vyre.BufferOp():
                    pass
                case vyre.StoreOp() | vyre.StoreWordOp():
                    self._store(op)
                case vyre.BarrierOp():
                    self.builder.insert(gpu.BarrierOp())
                case vyre.IfOp():
                    self._branch(op)
                case vyre.ForOp():
                    self._loop(op)
                case _:
                    self.parts[op.results[0]] = self.result_of(op)
        return []

    def _store(self, op: vyre.StoreOp | vyre.StoreWordOp) -> None:
        memory, t = self.memory[op.buffer], buffer_of(op.buffer)
        index, inside = self._index(op, memory, isinstance(op, vyre.StoreWordOp))
        words = self.to_words(self.parts[op.value], dtype_of(op.value))
        if t.dtype == bytes_ and isinstance(op, vyre.StoreOp):
            shift, low = self._shift(op), self.number(0xFF)
            old = self.add(nv.LoadWordOp(memory.words, index, inside))
            mask = self.binary(arith.XOrIOp, self.binary(arith.ShLIOp, low, shift), self.number(-1))
            byte = self.binary(arith.ShLIOp, self.binary(arith.AndIOp, words[0], low), shift)
            words = [self.binary(arith.OrIOp, self.binary(arith.AndIOp, old, mask), byte)]
        for word, at in zip(words, self._words(index, len(words)), strict=True):
            self.builder.insert(nv.StoreWordOp(word, memory.words, at, inside))

    def _region(self, block: Block, region: Block) -> None:
        outside, self.builder = self.builder, Builder(InsertPoint.at_end(block))
        self.builder.insert(scf.YieldOp(*self.write(region)))
        self.builder = outside

    def _results(self, values: Sequence[SSAValue], op: Operation) -> None:
        """Takes the results of an op with regions as the parts of values."""
        parts = list(op.results)
        for value in values:
            count = len(part_types(dtype_of(value)))
            self.parts[value] = parts[:count]
            for part in parts[:count]:
                part.name_hint = value.name_hint or "t"
            parts = parts[count:]

    def _branch(self, op: vyre.IfOp) -> None:
        (condition,) = self.parts[op.condition]
        types = [t for r in op.results_ for t in part_types(dtype_of(r))]
        blocks = [Block(), Block()] if op.otherwise is not None else [Block()]
        for block, region in zip(blocks, (op.then, op.otherwise), strict=False):
            self._region(block, cast(Region, region).block)
        branch = scf.IfOp(condition, types, [blocks[0]], blocks[1:] or None)
        branch.location = op.location
        self.builder.insert(branch)
        self._results(op.results_, branch)

    def _loop(self, op: vyre.ForOp) -> None:
        (start,), (stop,) = self.parts[op.start], self.parts[op.stop]
        initial = [part for value in op.initial for part in self.parts[value]]
        body = Block(arg_types=[i32, *(v.type for v in initial)])
        counter, *carried = body.args
        counter.name_hint = op.counter.name_hint or "k"
        self.parts[op.counter] = [counter]
        for value in op.carried:
            count = len(part_types(dtype_of(value)))
            self.parts[value] = carried[:count]
            for part in carried[:count]:
                part.name_hint = value.name_hint or "t"
            carried = carried[count:]
        step = self.number(1)
        self._region(body, op.body.block)
        loop = scf.ForOp(start, stop, step, initial, body)
        loop.attributes[UNSIGNED] = UnitAttr()
        loop.location = op.location
        self.builder.insert(loop)
        self._results(op.results_, loop)

    def result_of(self, op: Operation) -> Parts:
        """Writes an op and returns the parts of its result."""
        match op:
            case vyre.PositionOp():
                return [self._coordinate(op)]
            case vyre.BufLenOp():
                return [self.memory[op.buffer].elements]
            case vyre.LoadOp() | vyre.LoadWordOp():
                return self._load(op)
            case vyre.AtomicOp() | vyre.AtomicCompareExchangeOp():
                return [self._atomic(op)]
            case _:
                return self.lower(op)

    def _load(self, op: vyre.LoadOp | vyre.LoadWordOp) -> Parts:
        memory, t, hint = self.memory[op.buffer], buffer_of(op.buffer), op.result.name_hint
        index, inside = self._index(op, memory, isinstance(op, vyre.LoadWordOp))
        words = [self.add(nv.LoadWordOp(memory.words, at, inside), hint) for at in self._words(index, t.dtype.words)]
        if t.dtype == bytes_ and isinstance(op, vyre.LoadOp):
            byte = self.binary(arith.ShRUIOp, words[0], self._shift(op))
            return [self.binary(arith.AndIOp, byte, self.number(0xFF), hint)]
        return self.from_words(words, op.accessed)

    def _atomic(self, op: vyre.AtomicOp | vyre.AtomicCompareExchangeOp) -> SSAValue:
        memory = self.memory[op.buffer]
        index, inside = self._index(op, memory, True)
        (value,) = self.parts[op.value]
        if isinstance(op, vyre.AtomicOp):
            is_signed = op.accessed == signed
            new = nv.AtomicWordOp(op.fn.data, value, memory.words, index, inside, is_signed)
        else:
            (expected,) = self.parts[op.expected]
            new = nv.CompareExchangeWordOp(expected, value, memory.words, index, inside)
        return self.add(new, op.result.name_hint)

    def _coordinate(self, op: vyre.PositionOp) -> SSAValue:
        kind, axis = op.kind.data, op.axis.data
        if kind != "global":
            return self._position(kind, axis)
        size = self.program.sizes["xyz".index(axis)]
        first = self.binary(arith.MuliOp, self._position("workgroup", axis), self.number(size))
        return self.binary(arith.AddiOp, first, self._position("local", axis), op.result.name_hint)

    def _position(self, kind: str, axis: str) -> SSAValue:
        dimension = gpu.DimensionAttr(gpu.DimensionEnum(axis))
        op = {"local": gpu.ThreadIdOp, "workgroup": gpu.BlockIdOp, "workgroups": gpu.GridDimOp}[kind](dimension)
        return self.add(arith.IndexCastOp(self.add(op), i32), f"{kind}_{axis}")
