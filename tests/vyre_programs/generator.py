"""
Random programs of the `vyre` dialect, which have no race: an invocation stores to elements of its own, updates shared counters by atomics
whose result it does not use, and passes values to others through workgroup memory between barriers. Indices are out of bounds on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from xdsl.builder import Builder
from xdsl.dialects.builtin import FlatSymbolRefAttr, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ptir.dialects import vyre
from ptir.dialects.vyre.arithmetic import BINOPS, CASTS, COMPARES, LOGIC, RANGES
from ptir.dialects.vyre.floats import STRICT
from ptir.dialects.vyre.types import FLOATS, INTEGERS, VECTORS, BufferType, DataType, boolean, bytes_, i32, u32
from ptir.elementary.vocabulary import FUNCTIONS

TYPES = (*INTEGERS, *VECTORS, boolean)
ARITHMETIC = tuple(op for op, (name, _) in STRICT.items() if name not in (*FUNCTIONS, "pow"))
SIZES = ((1, 1, 1), (8, 1, 1), (40, 1, 1), (4, 2, 2))
COUNTERS = ("add", "min", "max", "and", "or", "xor")
EDGES = (0, 1, 2, 31, 32, 33, 63, 64, 2**31 - 1, 2**31, 2**32 - 1)


@dataclass
class Case:
    """A program with the arrays and the number of workgroups of a dispatch."""

    module: ModuleOp
    buffers: dict[str, Any]
    workgroups: tuple[int, int, int]


class Maker:
    """Writes one program."""

    def __init__(self, seed: int, name: str = "p", floats: bool = False):
        self.types = (*TYPES, *FLOATS) if floats else TYPES
        self.rng = np.random.default_rng(seed)
        self.size = SIZES[self.rng.integers(len(SIZES))]
        self.groups = (int(self.rng.integers(1, 4)), int(self.rng.integers(1, 3)), 1)
        self.body = Block()
        self.builder = Builder(InsertPoint.at_end(self.body))
        self.values: dict[DataType, list[SSAValue]] = {t: [] for t in self.types}
        self.arrays: dict[str, Any] = {}
        self.ops: list[vyre.OpOp] = []
        self.name = name
        self.invocations = prod(self.size) * prod(self.groups)

    def add(self, op: Operation) -> SSAValue:
        self.builder.insert(op)
        return self.keep(op.results[0]) if op.results else SSAValue.get(self.body.first_op)  # pyright: ignore[reportArgumentType]

    def keep(self, value: SSAValue) -> SSAValue:
        if isinstance(value.type, DataType):
            self.values[value.type].append(value)
        return value

    def pick(self, choices: Sequence[Any]) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def value(self, t: DataType) -> SSAValue:
        """Returns a value of a type: one of the last, mostly, or a new constant."""
        if self.values[t] and self.rng.random() < 0.85:
            return self.pick(self.values[t][-12:])
        if t in VECTORS:
            return self.add(vyre.VectorOp(*(self.value(u32) for _ in range(t.words))))
        low, high = RANGES[t]
        number = self.pick(EDGES) if self.rng.random() < 0.6 else int(self.rng.integers(0, 2**63))
        return self.constant(low + (number - low) % (high - low + 1), t)

    def constant(self, value: int, t: DataType = u32) -> SSAValue:
        return self.add(vyre.ConstantOp(value, t))

    def buffer(self, name: str, t: DataType, kind: str, words: int, fixed: bool = False) -> SSAValue:
        count = words // t.words
        slot = None if kind == "workgroup" else len(self.arrays)
        declared = vyre.BufferOp(name, BufferType(t, kind), slot, count if fixed else None)
        self.builder.insert(declared)
        if kind != "workgroup":
            data = self.rng.integers(0, 2**32, words, dtype=np.uint32)
            self.arrays[name] = data & np.uint32(1) if t == boolean else data
        return declared.result

    @contextmanager
    def within(self, block: Block):
        """Inserts into a block. Its values are not known afterwards."""
        outside, self.builder = self.builder, Builder(InsertPoint.at_end(block))
        known = {t: list(values) for t, values in self.values.items()}
        yield
        self.builder, self.values = outside, known

    # --- the program ----------------------------------------------------------------------------

    def case(self, steps: int) -> Case:
        self.composed()
        t = self.pick((*TYPES, bytes_))
        self.inputs = [self.buffer("in", t, "read_only", 4 * int(self.rng.integers(1, 9)))]
        fixed = self.pick((*TYPES, bytes_))
        self.inputs.append(self.buffer("params", fixed, "uniform", 4 * int(self.rng.integers(1, 4)), True))
        self.out_type = self.pick((*TYPES, bytes_))
        words = max(4, self.invocations * self.out_type.words // 4 * 4)
        self.out = self.buffer("out", self.out_type, "read_write", words)
        self.counter_type = self.pick((u32, i32, bytes_))
        self.counters = self.buffer("counters", self.counter_type, "read_write", 4 * len(COUNTERS))
        self.own = self.buffer("own", self.pick((u32, i32)), "read_write", self.invocations)
        self.shared_type = self.pick(TYPES)
        self.shared = self.buffer(
            "shared", self.shared_type, "workgroup", prod(self.size) * self.shared_type.words, True
        )
        self.id = self.linear("global", [s * g for s, g in zip(self.size, self.groups, strict=True)])
        self.local = self.linear("local", self.size)
        for kind, axis in (("workgroup", "x"), ("workgroups", "y")):
            self.add(vyre.PositionOp(kind, axis))
        for buffer in (*self.inputs, self.out):
            self.add(vyre.BufLenOp(buffer))
            self.load(buffer)
        for _ in range(steps):
            self.step(0)
            if self.rng.random() < 0.15:
                self.exchange()
        self.store()
        self.digest()
        program = vyre.ProgramOp(self.name, self.body, self.size)
        return Case(ModuleOp([*self.ops, program]), self.arrays, self.groups)

    def linear(self, kind: str, sizes: Sequence[int]) -> SSAValue:
        """Returns the number of the invocation."""
        found, stride = self.add(vyre.PositionOp(kind, "x")), 1
        for axis, size in zip("yz", sizes, strict=False):
            stride *= size
            scaled = self.add(vyre.BinOp("mul", self.add(vyre.PositionOp(kind, axis)), self.constant(stride)))
            found = self.add(vyre.BinOp("add", found, scaled))
        return found

    def composed(self) -> None:
        """Writes an op, and one that calls it."""
        for k in range(2):
            inputs = [self.pick(self.types) for _ in range(int(self.rng.integers(1, 3)))]
            body = Block(arg_types=inputs)
            with self.within(body):
                self.values = {t: [] for t in self.types}
                for arg in body.args:
                    self.keep(arg)
                for _ in range(4):
                    self.expression()
                if k:
                    self.call(self.ops[0])
                output = self.pick(self.types)
                self.builder.insert(vyre.ReturnOp(self.value(output)))
            self.ops.append(vyre.OpOp(f"{self.name}_f{k}", output, body))

    def call(self, callee: vyre.OpOp) -> None:
        args = [self.value(arg.type) for arg in callee.inputs]  # pyright: ignore[reportArgumentType]
        name = FlatSymbolRefAttr(callee.sym_name.data)
        self.add(vyre.CallOp([args], [callee.output], callee=name))

    def step(self, depth: int) -> None:
        choices: list[tuple[Callable[[], Any], float]] = [
            (self.expression, 8),
            (lambda: self.load(self.pick(self.inputs)), 2),
            (lambda: self.call(self.pick(self.ops)), 0.7),
            (self.store, 1),
            (self.count, 1),
            (self.atomic, 0.7),
            (lambda: self.branch(depth), 1.2 if depth < 2 else 0),
            (lambda: self.loop(depth), 1.0 if depth < 2 else 0),
        ]
        weights = np.array([w for _, w in choices])
        choices[int(self.rng.choice(len(choices), p=weights / weights.sum()))][0]()

    def expression(self) -> None:
        t = self.pick(self.types)
        match int(self.rng.integers(10)):
            case 0 | 1 | 2 | 3 | 4 if t in FLOATS:
                fn = self.pick(ARITHMETIC) if self.rng.random() < 0.9 else self.pick(tuple(STRICT))
                self.add(vyre.StrictOp(fn, *(self.value(t) for _ in range(STRICT[fn][1]))))
            case 0 | 1 | 2 | 3:
                self.add(vyre.BinOp(self.pick(LOGIC if t == boolean else BINOPS), self.value(t), self.value(t)))
            case 4:
                self.add(vyre.UnOp("not" if t == boolean else self.pick(("not", "neg")), self.value(t)))
            case 5 | 6:
                t = boolean if t in VECTORS else t
                kinds = ("eq", "ne") if t == boolean else COMPARES
                self.add(vyre.CompareOp(self.pick(kinds), self.value(t), self.value(t)))
            case 7:
                self.add(vyre.SelectOp(self.value(boolean), self.value(t), self.value(t)))
            case 8:
                of = self.pick([t for t in CASTS if t in self.types])
                self.add(vyre.CastOp(self.value(of), self.pick([t for t in CASTS[of] if t in self.types])))
            case _:
                of = self.pick(VECTORS)
                self.add(vyre.ExtractOp(self.value(of), int(self.rng.integers(of.words))))

    def index(self) -> SSAValue:
        """Returns any index, or one that is in bounds more often."""
        any_index = self.value(u32)
        if self.rng.random() < 0.3:
            return any_index
        return self.add(vyre.BinOp("and", any_index, self.constant(self.pick((7, 15, 63)))))

    def load(self, buffer: SSAValue) -> None:
        t = buffer.type
        assert isinstance(t, BufferType)
        if buffer is self.out:
            self.add(vyre.LoadOp(buffer, self.place()))
        elif t.dtype == bytes_ and self.rng.random() < 0.4:
            self.add(vyre.LoadWordOp(buffer, self.index()))
        else:
            self.add(vyre.LoadOp(buffer, self.index()))

    def place(self) -> SSAValue:
        """Returns the index of an element of the output that is this invocation's own, or one that is out of bounds."""
        if self.rng.random() < 0.2:
            return self.constant(2**32 - 1 - int(self.rng.integers(9)))
        if self.out_type != bytes_:
            return self.id
        word = self.add(vyre.BinOp("mul", self.id, self.constant(4)))
        return self.add(vyre.BinOp("add", word, self.constant(int(self.rng.integers(4)))))

    def store(self) -> None:
        if self.out_type == bytes_ and self.rng.random() < 0.4:
            self.builder.insert(vyre.StoreWordOp(self.value(u32), self.out, self.id))
        else:
            value = self.value(u32 if self.out_type == bytes_ else self.out_type)
            self.builder.insert(vyre.StoreOp(value, self.out, self.place()))

    def count(self) -> None:
        """Updates a counter that all invocations share. Each has a kind of its own."""
        kind = int(self.rng.integers(len(COUNTERS)))
        low = self.add(vyre.BinOp("and", self.value(u32), self.constant(3)))
        index = self.add(vyre.BinOp("add", low, self.constant(4 * kind)))
        value = self.value(u32 if self.counter_type == bytes_ else self.counter_type)
        self.builder.insert(vyre.AtomicOp(COUNTERS[kind], self.counters, index, value))

    def atomic(self) -> None:
        """Executes an atomic on an element of the invocation's own, and uses its result."""
        t = self.own.type
        assert isinstance(t, BufferType)
        index = self.id if self.rng.random() < 0.8 else self.constant(2**31)
        if self.rng.random() < 0.3:
            self.add(vyre.AtomicCompareExchangeOp(self.own, index, self.value(t.dtype), self.value(t.dtype)))
        else:
            self.add(vyre.AtomicOp(self.pick((*COUNTERS, "exchange")), self.own, index, self.value(t.dtype)))

    def exchange(self) -> None:
        """Passes a value to another invocation of the workgroup."""
        self.builder.insert(vyre.StoreOp(self.value(self.shared_type), self.shared, self.local))
        self.builder.insert(vyre.BarrierOp())
        by = self.constant(int(self.rng.integers(1, prod(self.size) + 3)))
        self.add(vyre.LoadOp(self.shared, self.add(vyre.BinOp("add", self.local, by))))
        self.builder.insert(vyre.BarrierOp())

    def digest(self) -> None:
        """Combines the last values of each type with the invocation's own element, so that a wrong one is seen."""
        found = self.constant(0)
        for t in self.types:
            for value in self.values[t][-5:]:
                if t in VECTORS:
                    value = self.add(vyre.ExtractOp(value, t.words - 1))
                elif t != u32:
                    value = self.add((vyre.BitcastOp if t in FLOATS else vyre.CastOp)(value, u32))
                scaled = self.add(vyre.BinOp("mul", found, self.constant(31)))
                found = self.add(vyre.BinOp("add", scaled, value))
        element = self.own.type
        assert isinstance(element, BufferType)
        if element.dtype == i32:
            found = self.add(vyre.CastOp(found, i32))
        self.builder.insert(vyre.AtomicOp("xor", self.own, self.id, found))

    def branch(self, depth: int) -> None:
        results = [self.pick(self.types) for _ in range(int(self.rng.integers(3)))]
        blocks = [Block(), Block()] if results or self.rng.random() < 0.5 else [Block()]
        condition = self.value(boolean)
        for block in blocks:
            with self.within(block):
                for _ in range(int(self.rng.integers(1, 4))):
                    self.step(depth + 1)
                self.builder.insert(vyre.YieldOp(*(self.value(t) for t in results)))
        op = vyre.IfOp(condition, blocks[0], blocks[1] if len(blocks) > 1 else None, results)
        self.builder.insert(op)
        for result in op.results:
            self.keep(result)

    def loop(self, depth: int) -> None:
        """Loops up to seven times, rarely near the largest number."""
        carried = [self.value(self.pick(self.types)) for _ in range(int(self.rng.integers(3)))]
        trips = self.add(vyre.BinOp("and", self.value(u32), self.constant(7)))
        start = self.constant(self.pick((0, 0, 3, 2**31 - 2, 2**32 - 9)))
        stop = self.add(vyre.BinOp("add", start, trips))
        body = Block(arg_types=[u32, *(v.type for v in carried)])
        with self.within(body):
            for arg in body.args:
                self.keep(arg)
            for _ in range(int(self.rng.integers(1, 4))):
                self.step(depth + 1)
            types = [v.type for v in carried]
            self.builder.insert(vyre.YieldOp(*(self.value(t) for t in types)))  # pyright: ignore[reportArgumentType]
        op = vyre.ForOp(start, stop, carried, body)
        self.builder.insert(op)
        for result in op.results:
            self.keep(result)


def generate(seed: int, steps: int = 14, name: str = "p", floats: bool = False) -> Case:
    """Returns program number `seed`, which is always the same. With `floats`, it has values of the planned types as well."""
    return Maker(seed, name, floats).case(steps)
