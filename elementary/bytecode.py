"""
Graphs as instructions of a register machine, for languages whose compilers inline every function: its loop has one copy of each operation.

An instruction is four words: `operation | target << 8`, `a | b << 8 | c << 16`, and a constant of two words. Registers hold 64 bits; a
boolean is 0 or 1. `product_error` is Dekker's algorithm, and comparisons are made of `lt` and `eq`.
"""

from __future__ import annotations

from dataclasses import dataclass

from .graph import Graph, Value
from .text import pattern

M64 = (1 << 64) - 1
SPLITTER = float((1 << 27) + 1)
OPERATIONS = (
    *("constant", "select", "f64_add", "f64_sub", "f64_mul", "f64_div", "f64_neg", "f64_sqrt", "f64_lt", "f64_eq"),
    *("i64_add", "i64_sub", "i64_mul", "i64_shl", "i64_shr", "i64_lt", "i64_eq", "and", "or", "xor", "convert"),
)
"""The operations by their numbers; then follow lookups in each table of the graph."""
MAX_REGISTERS = 256


@dataclass(frozen=True)
class Instruction:
    """An operation on registers. Before registers are assigned, the target and the operands are numbers of values."""

    operation: int
    target: int
    operands: tuple[int, ...]
    constant: int = 0

    def words(self) -> tuple[int, int, int, int]:
        operands = sum(r << (8 * k) for k, r in enumerate(self.operands))
        return self.operation | self.target << 8, operands, self.constant & 0xFFFFFFFF, self.constant >> 32


@dataclass(frozen=True)
class Program:
    """Instructions, the number of registers, and that of the result. Inputs are in the first registers."""

    instructions: tuple[Instruction, ...]
    registers: int
    result: int


class _Assembler:
    """Lowers values to instructions on values."""

    def __init__(self, graph: Graph):
        self.graph, self.tables = graph, graph.tables()
        self.code: list[Instruction] = []
        self.known: dict[Value, int] = {value: k for k, value in enumerate(graph.inputs)}
        self.count = len(graph.inputs)

    def emit(self, operation: str, *operands: int, constant: int = 0) -> int:
        return self.numbered(OPERATIONS.index(operation), *operands, constant=constant)

    def numbered(self, operation: int, *operands: int, constant: int = 0) -> int:
        self.code.append(Instruction(operation, self.count, operands, constant))
        self.count += 1
        return self.count - 1

    def of(self, value: Value) -> int:
        """Returns the number of a value, after the instructions that compute it. Operands come before in `Graph.live`."""
        if value.op == "constant" and value not in self.known:
            number = value.immediate
            bits = pattern(number) if isinstance(number, float) else int(number or 0) & M64
            self.known[value] = self.emit("constant", constant=bits)
        return self.known[value]

    def add(self, value: Value) -> None:
        operands = [self.of(v) for v in value.operands]
        kind = value.operands[0].kind
        of = "f64" if kind == "f64" else "i64"
        match value.op:
            case "lookup":
                number = len(OPERATIONS) + self.tables.index(str(value.immediate))
                self.known[value] = self.numbered(number, *operands)
            case "bits" | "number":
                self.known[value] = operands[0]
            case "select" | "convert" | "and" | "or":
                self.known[value] = self.emit(value.op, *operands)
            case "not":
                ones = self.emit("constant", constant=1 if kind == "i1" else M64)
                self.known[value] = self.emit("xor", operands[0], ones)
            case "gt":
                self.known[value] = self.emit(f"{of}_lt", *reversed(operands))
            case "le" | "ge":
                ordered = operands if value.op == "le" else operands[::-1]
                less, equal = (self.emit(f"{of}_{op}", *ordered) for op in ("lt", "eq"))
                self.known[value] = self.emit("or", less, equal)
            case "ne":
                equal, one = self.emit(f"{of}_eq", *operands), self.emit("constant", constant=1)
                self.known[value] = self.emit("xor", equal, one)
            case "product_error":
                self.known[value] = self.product_error(*operands)
            case op:
                self.known[value] = self.emit(f"{of}_{op}", *operands)

    def split(self, a: int) -> tuple[int, int]:
        factor = self.emit("constant", constant=pattern(SPLITTER))
        scaled = self.emit("f64_mul", a, factor)
        high = self.emit("f64_sub", scaled, self.emit("f64_sub", scaled, a))
        return high, self.emit("f64_sub", a, high)

    def product_error(self, a: int, b: int, product: int) -> int:
        (ah, al), (bh, bl) = self.split(a), self.split(b)
        total = self.emit("f64_sub", self.emit("f64_mul", ah, bh), product)
        for x, y in ((ah, bl), (al, bh), (al, bl)):
            total = self.emit("f64_add", total, self.emit("f64_mul", x, y))
        return total


def assemble(graph: Graph) -> Program:
    """Returns the program of a graph. A register is used again after the last use of its value."""
    assembler = _Assembler(graph)
    for value in graph.live():
        if value.op not in ("input", "constant"):
            assembler.add(value)
    result = assembler.of(graph.result)
    last = {operand: step for step, i in enumerate(assembler.code) for operand in i.operands}
    last[result] = len(assembler.code)
    placed = {k: k for k in range(len(graph.inputs))}
    free: list[int] = []
    used = len(placed)
    code: list[Instruction] = []
    for step, instruction in enumerate(assembler.code):
        operands = tuple(placed[v] for v in instruction.operands)
        free += {placed[v] for v in instruction.operands if last[v] == step}
        if not free:
            free.append(used)
            used += 1
        placed[instruction.target] = free.pop()
        code.append(Instruction(instruction.operation, placed[instruction.target], operands, instruction.constant))
    if used > MAX_REGISTERS:
        raise AssertionError(f"a graph needs {used} registers")
    return Program(tuple(code), used, placed[result])
