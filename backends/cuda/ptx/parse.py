"""
PTX text → `Module`. Reads what NVRTC writes and what our inline assembly says, and refuses the rest.

Statements inside nested `{ }` scopes may declare registers of their own (PTX ISA §10.2 inside inline
assembly); those get unique names here, so that a kernel has one flat set of registers.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from dataclasses import replace

from ..errors import PtxSyntaxError
from .functions import Code, expand, settle_parameters
from .syntax import (
    Address,
    Immediate,
    Instruction,
    Kernel,
    Module,
    Operand,
    Parameter,
    Register,
    Symbol,
    Variable,
    Vector,
)
from .types import PACKED, SCALARS, Scalar

_NAME = r"[%$\w]+"
_STATEMENT = re.compile(
    rf"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |\.loc\b(?P<loc>[^\n]*)
    |(?P<label>{_NAME})\s*:(?!:)
    |(?P<open>\{{)|(?P<close>\}})
    |(?P<statement>[^;{{}}]+(?:\{{[^{{}};]*\}}[^;{{}}]*)*;)
    |(?P<empty>;)""",
    re.VERBOSE | re.DOTALL,
)
_ENTRY = re.compile(
    r"\.(?P<kind>entry|func)\s+(?:\((?P<result>[^)]*)\)\s*)?(?P<name>[$\w]+)\s*"
    r"(?:\((?P<parameters>[^)]*)\))?(?P<limits>[^{;]*)\{",
    re.DOTALL,
)
_VARIABLE = re.compile(
    r"\.(?P<space>global|const|shared|local|param)\s+(?:\.align\s+(?P<align>\d+)\s+)?\.(?P<type>\w+)\s+"
    r"(?P<name>[$\w]+)\s*(?:\[(?P<count>\d*)\])?\s*(?:=\s*(?P<initial>\{[^}]*\}|[^;]+))?\s*;"
)
_PARAMETER = re.compile(
    r"\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+(?:\.ptr\s+(?:\.\w+\s+)?(?:\.align\s+\d+\s+)?)?([$\w]+)(?:\[(\d+)\])?"
)
_REGISTERS = re.compile(r"\.reg\s+(?:\.v\d\s+)?\.(\w+)\s+(.*)", re.DOTALL)
_ADDRESS = re.compile(rf"\[\s*({_NAME})\s*(?:\+\s*(-?\w+))?\s*\]")
_LOC = re.compile(r"\s*\d+\s+(\d+)\s+(\d+)(?:.*inlined_at\s+\d+\s+(\d+)\s+(\d+))?")


def parse(text: str) -> Module:
    """Parse PTX text. Raises `PtxSyntaxError` naming the PTX line."""
    lines = _Lines(text)
    kernels: dict[str, Kernel] = {}
    entries: dict[str, tuple[Code, str, str]] = {}
    functions: dict[str, Code] = {}
    outside: list[str] = []
    position = 0
    for match in _ENTRY.finditer(text):
        if match.start() < position:
            continue
        outside.append(text[position : match.start()])
        body = _Body(text, match.end(), lines)
        code = Code(body.registers, body.variables, body.instructions, body.labels, body.branch_targets)
        if match["kind"] == "entry":
            entries[match["name"]] = code, match["parameters"] or "", match["limits"]
        else:
            code.result = next((p.name for p in _parameters(match["result"] or "")), None)
            code.formals = tuple(p.name for p in _parameters(match["parameters"] or ""))
            functions[match["name"]] = code
        position = body.end
    outside.append(text[position:])
    for name, (code, parameters, limits) in entries.items():
        kernels[name] = _kernel(name, expand(code, functions), _parameters(parameters), limits)
    declared = (m for part in outside for m in _VARIABLE.finditer(re.sub(r"//[^\n]*", "", part)))
    variables = [_variable(m) for m in declared if m["space"] != "param"]
    return Module(kernels, tuple(variables))


def _kernel(name: str, code: Code, parameters: tuple[Parameter, ...], limits: str) -> Kernel:
    registers, blocks = (_directive(limits, name) for name in ("maxnreg", "minnctapersm"))
    return Kernel(
        name,
        parameters,
        code.registers,
        tuple(code.variables),
        settle_parameters(code, {p.name for p in parameters}),
        code.labels,
        code.branch_targets,
        _directive(limits, "maxntid") or _directive(limits, "reqntid"),
        _directive(limits, "reqnctapercluster"),
        registers[0] if registers else 0,
        blocks[0] if blocks else 0,
    )


def _directive(limits: str, name: str) -> tuple[int, int, int] | None:
    """The numbers behind a performance-tuning or cluster directive (PTX ISA §11.4, §11.7)."""
    found = re.search(rf"\.{name}\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?", limits)
    return (int(found[1]), int(found[2] or 1), int(found[3] or 1)) if found else None


class _Lines:
    """Line numbers of positions in a text."""

    def __init__(self, text: str):
        self.starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def at(self, position: int) -> int:
        return bisect_right(self.starts, position)


class _Body:
    """The statements between a kernel's braces, from `start` to `end`."""

    def __init__(self, text: str, start: int, lines: _Lines):
        self.registers: dict[str, Scalar] = {}
        self.variables: list[Variable] = []
        self.instructions: list[Instruction] = []
        self.labels: dict[str, int] = {}
        self.branch_targets: dict[str, tuple[str, ...]] = {}
        self.ranges: dict[str, Scalar] = {}
        self._scopes: list[dict[str, str]] = [{}]
        self._scope_count = 0
        self._inlined: dict[tuple[int, int], tuple[int, ...]] = {}
        self._source: tuple[int, ...] = ()
        self._last_label = ""
        self.end = self._read(text, start, lines)

    def _read(self, text: str, position: int, lines: _Lines) -> int:
        while True:
            match = _STATEMENT.match(text, position)
            if match is None:
                raise PtxSyntaxError(line=lines.at(position), problem="unreadable", text=text[position : position + 60])
            position = match.end()
            kind = match.lastgroup
            if kind == "open":
                self._scope_count += 1
                self._scopes.append({})
            elif kind == "close":
                self._scopes.pop()
                if not self._scopes:
                    return position
            elif kind == "loc":
                self._location(match["loc"])
            elif kind == "label":
                self._last_label = match["label"]
                self.labels[self._resolve(match["label"])] = len(self.instructions)
            elif kind == "statement":
                statement = re.sub(r"//[^\n]*", "", match["statement"])
                self._statement(statement.strip(), lines.at(match.start()))

    def _location(self, text: str) -> None:
        """Keep the current source line and the chain of lines it was inlined at, outermost last."""
        match = _LOC.match(text)
        if not match or match[1] == "0":
            return
        chain: tuple[int, ...] = ()
        if match[3]:
            at = (int(match[3]), int(match[4]))
            chain = self._inlined.get(at, (at[0],))
        self._source = (int(match[1]), *chain)
        self._inlined[int(match[1]), int(match[2])] = self._source

    def _resolve(self, name: str) -> str:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        return name

    def _statement(self, text: str, line: int) -> None:
        if text.startswith(".reg"):
            self._declare(text.rstrip(";"), line)
        elif text.startswith(".branchtargets"):
            self.branch_targets[self._last_label] = tuple(re.findall(_NAME, text[len(".branchtargets") :]))
        elif text.startswith((".shared", ".local", ".extern", ".param")):
            match = _VARIABLE.search(text)
            if not match:
                raise PtxSyntaxError(line=line, problem="unreadable declaration", text=text)
            variable = _variable(match)
            if variable.space == "param":  # of a call: thread-local memory
                unique = f"{variable.name}#{self._scope_count}"
                self._scopes[-1][variable.name] = unique
                variable = replace(variable, name=unique, space="local")
            self.variables.append(variable)
        elif text.startswith(".pragma"):
            return
        elif text.startswith("."):
            raise PtxSyntaxError(line=line, problem="unknown directive", text=text)
        else:
            self._instruction(" ".join(text.rstrip(";").split()), line)

    def _declare(self, text: str, line: int) -> None:
        match = _REGISTERS.match(text)
        type_ = SCALARS.get(match[1]) or (SCALARS["b32"] if match[1] in PACKED else None) if match else None
        if match is None or type_ is None:
            raise PtxSyntaxError(line=line, problem="unreadable register declaration", text=text)
        for name in match[2].split(","):
            name = name.strip()
            if "<" in name:
                prefix, _, count = name.rstrip("> ").partition("<")
                self.registers.update((f"{prefix}{i}", type_) for i in range(int(count)))
                continue
            unique = name if len(self._scopes) == 1 else f"{name}#{self._scope_count}"
            self._scopes[-1][name] = unique
            self.registers[unique] = type_

    def _instruction(self, text: str, line: int) -> None:
        predicate: Register | None = None
        rest = text
        if rest.startswith("@"):
            guard, _, rest = rest.partition(" ")
            predicate = Register(self._resolve(guard.lstrip("@!")), "!" in guard)
        opcode, _, arguments = rest.strip().partition(" ")
        operands = tuple(self._operand(part, line, text) for part in _split(arguments))
        self.instructions.append(Instruction(opcode, operands, predicate, line, self._source, text))

    def _operand(self, text: str, line: int, whole: str) -> Operand:
        if text.startswith(("{", "(")):
            return Vector(tuple(self._operand(part, line, whole) for part in _split(text[1:-1])))
        if text.startswith("["):
            inner, *rest = _split(text[1:-1])
            match = _ADDRESS.fullmatch(f"[{inner}]")
            if not match or len(rest) > 1 or (rest and not rest[0].startswith("{")):
                raise PtxSyntaxError(line=line, problem=f"unreadable address {text}", text=whole)
            base = self._operand(match[1], line, whole)
            if isinstance(base, (Address, Vector)):
                raise PtxSyntaxError(line=line, problem=f"unreadable address {text}", text=whole)
            coordinates = tuple(self._operand(part, line, whole) for part in _split(rest[0][1:-1])) if rest else ()
            return Address(base, int(match[2] or "0", 0), coordinates)
        if "|" in text:
            return Vector(tuple(self._operand(part.strip(), line, whole) for part in text.split("|")))
        if text.startswith("!"):
            return Register(self._resolve(text[1:].strip()), negated=True)
        if text[0].isdigit() or text[0] in "-+":
            return _immediate(text, line, whole)
        name = self._resolve(text)
        if name in self.registers or name.startswith("%") or name == "_":
            return Register(name)
        symbol, _, offset = name.partition("+")
        return Symbol(symbol.strip(), int(offset or "0", 0))


def _split(text: str) -> list[str]:
    """Split at commas outside brackets."""
    parts: list[str] = []
    depth = start = 0
    for position, character in enumerate(text):
        if character in "[{(":
            depth += 1
        elif character in "]})":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def _immediate(text: str, line: int, whole: str) -> Immediate:
    prefix = text[:2].lower()
    try:
        if prefix == "0f":
            return Immediate(int(text[2:], 16), 32)
        if prefix == "0d":
            return Immediate(int(text[2:], 16), 64)
        if "." in text:
            return Immediate(struct.unpack("<Q", struct.pack("<d", float(text)))[0], 64)
        return Immediate(int(text.rstrip("U"), 0))
    except ValueError:
        raise PtxSyntaxError(line=line, problem=f"unreadable constant {text}", text=whole) from None


def _parameters(text: str) -> tuple[Parameter, ...]:
    parameters: list[Parameter] = []
    offset = 0
    for match in _PARAMETER.finditer(text):
        scalar = SCALARS[match[2]]
        size = scalar.bytes * int(match[4] or 1)
        align = int(match[1] or scalar.bytes)
        offset = -(-offset // align) * align
        parameters.append(Parameter(match[3], None if match[4] else scalar, offset, size))
        offset += size
    return tuple(parameters)


def _variable(match: re.Match[str]) -> Variable:
    scalar = SCALARS[match["type"]]
    count = match["count"]
    size = scalar.bytes * (1 if count is None else int(count or 0))
    initial: bytes | None = None
    if match["space"] in ("global", "const"):
        values = [v.strip() for v in (match["initial"] or "").strip("{} ").split(",") if v.strip()]
        initial = b"".join(_constant(value, scalar) for value in values).ljust(size, b"\0")
    return Variable(match["name"], match["space"], int(match["align"] or scalar.bytes), size, initial)


def _constant(text: str, scalar: Scalar) -> bytes:
    if not re.fullmatch(r"-?\w+", text):
        raise PtxSyntaxError(line=0, problem="initialisers that are addresses are not executed", text=text)
    value = int(text[2:], 16) if text[:2].lower() in ("0f", "0d") else int(text, 0)
    return (value & ((1 << scalar.bits) - 1)).to_bytes(scalar.bytes, "little")
