"""Random tile programs with events and conditions, as text: what a program does that no pass has given its events."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

ROWS, COLUMNS, HEIGHT = 8, 32, 64
TILE = f"tile<{ROWS}x{COLUMNS}xf32>"
ARRAY = f"pto.memref<{HEIGHT}x{COLUMNS}xf32>"
UNARY, BINARY = ("abs", "neg", "relu"), ("add", "sub", "max", "min")


@dataclass(frozen=True)
class Value:
    """A tile, and the event and the opcode of the instruction that computes it."""

    tile: str
    event: str
    opcode: str


def event_type(opcode: str) -> str:
    return f"!pto.event<producer = #pto.op<{opcode}>>"


class Program:
    """
    Writes a function @f of an array `%x` that is read, an array `%y` that is written, and three flags `%p0` … of type i1. Each instruction
    waits for what it uses. The ways of conditions return tiles that they compute, and events from inside or from outside.
    """

    def __init__(self, seed: int, size: int = 8) -> None:
        self.random = Random(seed)
        self.names, self.stored = 0, 0
        self.lines: list[str] = []
        values = self.block(size, 2, [self.load("  ")], "  ")
        for value in values[-2:]:
            self.store(value, "  ")
        flags = "".join(f", %p{k}: i1" for k in range(3))
        self.text = (
            f"func.func @f(%x: !{ARRAY}, %y: !{ARRAY}{flags}) {{\n" + "\n".join(self.lines) + "\n  func.return\n}\n"
        )

    def name(self, hint: str) -> str:
        self.names += 1
        return f"%{hint}{self.names}"

    def emit(self, indent: str, text: str) -> None:
        self.lines.append(indent + text)

    def load(self, indent: str) -> Value:
        value = Value(self.name("t"), self.name("e"), "TLOAD")
        row = self.random.randrange(HEIGHT - ROWS)
        load = f"pto.tile.load %x[{row}, 0] : {ARRAY}, {TILE}, {event_type('TLOAD')}"
        self.emit(indent, f"{value.tile}, {value.event} = {load}")
        return value

    def compute(self, word: str, operands: list[Value], indent: str, more: str = "") -> Value:
        value = Value(self.name("t"), self.name("e"), f"T{word.upper()}")
        events = ", ".join(dict.fromkeys([*(v.event for v in operands), *([more] if more else [])]))
        call = f"pto.tile.{word} {', '.join(v.tile for v in operands)} wait({events})"
        self.emit(indent, f"{value.tile}, {value.event} = {call} : {TILE}, {event_type(value.opcode)}")
        return value

    def store(self, value: Value, indent: str) -> None:
        """Stores a tile to rows of their own."""
        if self.stored + ROWS > HEIGHT:
            return
        place = f"%y[{self.stored}, 0]"
        self.stored += ROWS
        if self.random.random() < 0.5:
            self.emit(indent, f"pto.sync wait({value.event})")
            self.emit(indent, f"pto.tile.store {value.tile}, {place} : {ARRAY}, {TILE}")
            return
        event = self.name("e")
        store = (
            f"pto.tile.store {value.tile}, {place} wait({value.event}) : {ARRAY}, {TILE}, {event_type('TSTORE_VEC')}"
        )
        self.emit(indent, f"{event} = {store}")

    def any_op(self, values: list[Value], indent: str) -> Value:
        if self.random.random() < 0.1:
            self.emit(indent, f"pto.sync.op #pto.op<{self.random.choice(('TADD', 'TABS'))}>")
        if self.random.random() < 0.1:
            done = self.name("e")
            self.emit(indent, f"{done} = pto.event.record : {event_type('TABS')}")
            return self.compute(self.random.choice(UNARY), [self.random.choice(values)], indent, done)
        if self.random.random() < 0.5:
            return self.compute(self.random.choice(UNARY), [self.random.choice(values)], indent)
        return self.compute(self.random.choice(BINARY), self.random.choices(values, k=2), indent)

    def block(self, size: int, depth: int, outer: list[Value], indent: str) -> list[Value]:
        values = list(outer)
        for _ in range(size):
            kind = self.random.random()
            if depth and kind < 0.35:
                values.append(self.condition(size // 2, depth - 1, values, indent))
            elif kind < 0.5:
                values.append(self.load(indent))
            elif kind < 0.6:
                self.store(self.random.choice(values), indent)
            else:
                values.append(self.any_op(values, indent))
        return values

    def condition(self, size: int, depth: int, values: list[Value], indent: str) -> Value:
        """Writes a condition with a tile, its event, and the event of a load in a way or before the condition."""
        word, inner = self.random.choice(UNARY), indent + "  "
        result, loaded = Value(self.name("t"), self.name("e"), f"T{word.upper()}"), self.name("e")
        types = f"!pto.{TILE}, {event_type(result.opcode)}, {event_type('TLOAD')}"
        condition = f"scf.if %p{self.random.randrange(3)} -> ({types}) {{"
        self.emit(indent, f"{result.tile}, {result.event}, {loaded} = {condition}")
        before = [v for v in values if v.opcode == "TLOAD"]
        for way in range(2):
            if way:
                self.emit(indent, "} else {")
            found = self.block(self.random.randrange(size + 1), depth, values, inner)
            event = self.random.choice([*before, self.load(inner)]).event
            last = self.compute(word, [self.random.choice(found)], inner)
            self.emit(inner, f"scf.yield {last.tile}, {last.event}, {event} : {types}")
        self.emit(indent, "}")
        return self.compute(self.random.choice(UNARY), [result], indent, loaded)


def event_case(seed: int) -> tuple[str, tuple[Any, ...]]:
    """Returns a program with events and conditions, and its arguments."""
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((HEIGHT, COLUMNS)).astype(np.float32), np.zeros((HEIGHT, COLUMNS), np.float32)
    return Program(seed, 3 + seed % 6).text, (x, y, *map(int, rng.integers(0, 2, 3)))
