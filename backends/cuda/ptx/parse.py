"""
PTX text → `Module`. Reads what NVRTC writes and what our inline assembly says, and refuses the rest.

Names are resolved here (`scopes.py`): a kernel has one flat set of registers, variables and labels.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace
from typing import NoReturn

from ..errors import PtxSyntaxError
from .decode import immediate
from .functions import Code, expand, settle_parameters
from .scopes import Scopes
from .special import SPECIAL_REGISTERS
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
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STATEMENT = re.compile(
    rf"""(?P<space>\s+)
    |\.loc\b(?P<loc>[^\n]*)
    |(?P<label>{_NAME})\s*:(?!:)
    |(?P<open>\{{)|(?P<close>\}})
    |(?P<statement>[^;{{}}]+(?:\{{[^{{}};]*\}}[^;{{}}]*)*;)
    |(?P<empty>;)""",
    re.VERBOSE | re.DOTALL,
)
_FUNCTION = re.compile(
    r"\.(?P<kind>entry|func)\s+(?:\((?P<result>[^)]*)\)\s*)?(?P<name>[$\w]+)\s*"
    r"(?:\((?P<parameters>[^)]*)\))?(?P<limits>[^{;]*)(?P<opens>[{;])",
    re.DOTALL,
)
_VARIABLE = re.compile(
    r"\.(?P<space>global|const|shared|local|param)\s+(?:\.align\s+(?P<align>\d+)\s+)?\.(?P<type>\w+)\s+"
    r"(?P<name>[$\w]+)\s*(?:\[(?P<count>\d*)\])?\s*(?:=\s*(?P<initial>\{[^}]*\}|[^;]+))?\s*;"
)
_PARAMETER = re.compile(
    r"\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+(?:\.ptr\s+(?:\.\w+\s+)?(?:\.align\s+\d+\s+)?)?([$\w]+)(?:\[(\d+)\])?"
)
_REGISTERS = re.compile(r"\.reg\s+\.(\w+)\s+(.*)", re.DOTALL)
_RANGE = re.compile(rf"({_NAME})(?:\s*<\s*(\d+)\s*>)?")
_ADDRESS = re.compile(rf"({_NAME}(?:\.[xyz])?)\s*(?:\+\s*(-?\w+))?")
_INTEGER = re.compile(r"[-+]?(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?")
_LOC = re.compile(r"\s*\d+\s+(\d+)\s+(\d+)(?:.*inlined_at\s+\d+\s+(\d+)\s+(\d+))?")


def parse(text: str) -> Module:
    """Parse PTX text. Raises `PtxSyntaxError` naming the PTX line."""
    text = _COMMENT.sub(lambda comment: _blank(comment[0]), text)
    lines = _Lines(text)
    heads: list[re.Match[str]] = []
    outside, position = "", 0
    for head in _FUNCTION.finditer(text):
        if head.start() >= position:
            heads.append(head)
            outside += text[position : head.start()]
            position = head.end() if head["opens"] == ";" else _closing_brace(text, head.end(), lines)
            outside += _blank(text[head.start() : position])
    outside += text[position:]
    variables = [_variable(m, lines.at(m.start())) for m in _VARIABLE.finditer(outside) if m["space"] != "param"]
    names = {*(v.name for v in variables), *(h["name"] for h in heads)}
    entries: dict[str, tuple[Code, re.Match[str]]] = {}
    functions: dict[str, Code] = {}
    for head in heads:
        if head["opens"] == ";":
            continue
        line = lines.at(head.start())
        result, formals = (_parameters(head[part] or "", line) for part in ("result", "parameters"))
        body = _Body(text, head.end(), lines, {*names, *(p.name for p in (*result, *formals))})
        code = Code(body.registers, body.variables, body.instructions, body.labels, body.branch_targets)
        if head["kind"] == "entry":
            entries[head["name"]] = code, head
        else:
            code.result = next((p.name for p in result), None)
            code.formals = tuple(p.name for p in formals)
            functions[head["name"]] = code
    kernels = {
        name: _kernel(expand(code, functions), head, lines.at(head.start())) for name, (code, head) in entries.items()
    }
    return Module(kernels, tuple(variables))


def _blank(text: str) -> str:
    """`text` as spaces, so that positions and lines stay."""
    return re.sub(r"[^\n]", " ", text)


def _closing_brace(text: str, start: int, lines: _Lines) -> int:
    """The position behind the brace that closes the one before `start`."""
    depth = 1
    for brace in re.compile("[{}]").finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.end()
    raise PtxSyntaxError(line=lines.at(start - 1), problem="the brace is never closed", text="{")


_LIMITS = (
    "maxntid",
    "reqntid",
    "minnctapersm",
    "maxnreg",
    "reqnctapercluster",
    "explicitcluster",
    "noreturn",
    "pragma",
)


def _kernel(code: Code, head: re.Match[str], line: int) -> Kernel:
    limits, parameters = head["limits"], _parameters(head["parameters"] or "", line)
    for name in re.findall(r"\.([a-z]\w*)", re.sub(r'"[^"]*"', "", limits)):
        if name not in _LIMITS:
            raise PtxSyntaxError(line=line, problem=f"the emulator knows no directive .{name}", text=head["name"])
    registers, blocks = (_directive(limits, name) for name in ("maxnreg", "minnctapersm"))
    exact = _directive(limits, "reqntid")
    return Kernel(
        head["name"],
        parameters,
        code.registers,
        tuple(code.variables),
        settle_parameters(code, {p.name for p in parameters}),
        code.labels,
        code.branch_targets,
        exact or _directive(limits, "maxntid"),
        exact is not None,
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
    """The statements between a function's braces, the first of which is before `start`; `outer` names are around it."""

    def __init__(self, text: str, start: int, lines: _Lines, outer: Iterable[str]):
        self.registers: dict[str, Scalar] = {}
        self.variables: list[Variable] = []
        self.instructions: list[Instruction] = []
        self.labels: dict[str, int] = {}
        self.branch_targets: dict[str, tuple[str, ...]] = {}
        self._scopes = Scopes(outer)
        self._inlined: dict[tuple[int, int], tuple[int, ...]] = {}
        self._source: tuple[int, ...] = ()
        self._last_label = ""
        self._text = ""
        self._line = 0
        self._read(_statements(text, start, lines), lines)

    def _read(self, statements: list[re.Match[str]], lines: _Lines) -> None:
        blocks = iter(_labels(statements))
        self._scopes.open(next(blocks))
        for match in statements:
            kind = match.lastgroup
            self._text, self._line = match[0].strip(), lines.at(match.start())
            if kind == "open":
                self._scopes.open(next(blocks))
            elif kind == "close":
                self._scopes.close()
            elif kind == "loc":
                self._location(match["loc"])
            elif kind == "label":
                self._label(match["label"])
            elif kind == "statement":
                self._text = " ".join(match[0].rstrip(";").split())
                self._statement()
                self._last_label = ""
        last = self.instructions[-1] if self.instructions else None
        if last is None or last.predicate or last.parts[0] != "ret" or len(self.instructions) in self.labels.values():
            self.instructions.append(Instruction("ret", (), None, self._line, self._source, "}"))

    def _fail(self, problem: str) -> NoReturn:
        raise PtxSyntaxError(line=self._line, problem=problem, text=self._text)

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

    def _label(self, name: str) -> None:
        unique = self._scopes.label(name)
        if unique is None or unique in self.labels:
            self._fail(f"'{name}' is declared twice in one block")
        self._last_label = unique
        self.labels[unique] = len(self.instructions)

    def _statement(self) -> None:
        text = self._text
        if text.startswith(".reg"):
            self._declare_registers()
        elif text.startswith(".branchtargets"):
            if not self._last_label:
                self._fail("a list of branch targets needs a label")
            targets = re.findall(_NAME, text[len(".branchtargets") :])
            self.branch_targets[self._last_label] = tuple(self._target(name).name for name in targets)
        elif text.startswith((".shared", ".local", ".extern", ".param")):
            match = _VARIABLE.fullmatch(text.removeprefix(".extern ") + ";")
            if not match:
                self._fail("unreadable declaration")
            variable = _variable(match, self._line)
            space = "local" if variable.space == "param" else variable.space  # of a call: thread-local memory
            self.variables.append(replace(variable, name=self._declare(variable.name), space=space))
        elif text.startswith("."):
            if not text.startswith(".pragma"):
                self._fail("unknown directive")
        else:
            self._instruction()

    def _declare(self, name: str) -> str:
        unique = self._scopes.declare(name)
        if unique is None:
            self._fail(f"'{name}' is declared twice in one block")
        return unique

    def _declare_registers(self) -> None:
        match = _REGISTERS.fullmatch(self._text)
        type_ = SCALARS.get(match[1]) or (SCALARS["b32"] if match[1] in PACKED else None) if match else None
        names = [_RANGE.fullmatch(name.strip()) for name in match[2].split(",")] if match else []
        if type_ is None or None in names:
            self._fail("unreadable register declaration")
        for name in filter(None, names):
            each = [name[1]] if name[2] is None else [f"{name[1]}{i}" for i in range(int(name[2]))]
            self.registers.update((self._declare(one), type_) for one in each)

    def _instruction(self) -> None:
        predicate: Register | None = None
        rest = self._text
        if rest.startswith("@"):
            guard, _, rest = rest.partition(" ")
            found = self._value(guard.lstrip("@!"))
            if not isinstance(found, Register):
                self._fail(f"'{guard}' is no predicate")
            predicate = replace(found, negated="!" in guard)
        opcode, _, arguments = rest.strip().partition(" ")
        parts = _split(arguments)
        word = opcode.partition(".")[0]
        labels = {"bra": 0, "brx": 1}.get(word)
        operands = tuple(self._target(p) if i == labels else self._operand(p) for i, p in enumerate(parts))
        self.instructions.append(Instruction(opcode, operands, predicate, self._line, self._source, self._text))

    def _target(self, name: str) -> Symbol:
        label = self._scopes.label(name)
        if label is None:
            self._fail(f"no label '{name}' can be seen from here")
        return Symbol(label)

    def _value(self, name: str) -> Register | Symbol:
        """The register, variable or function that `name` means here."""
        unique = self._scopes.variable(name)
        if unique in self.registers or name == "_" or (unique is None and name in SPECIAL_REGISTERS):
            return Register(unique or name)
        if unique is None:
            self._fail(f"'{name}' is not declared")
        return Symbol(unique)

    def _operand(self, text: str) -> Operand:
        if text.startswith(("{", "(")):
            return Vector(tuple(self._operand(part) for part in _split(text[1:-1])))
        if text.startswith("["):
            return self._address(text)
        if "|" in text:
            return Vector(tuple(self._operand(part.strip()) for part in text.split("|")))
        if text[0].isdigit() or text[0] in "-+":
            return self._constant(text)
        negated = text.startswith("!")
        match = _ADDRESS.fullmatch(text[negated:].strip())
        value = self._value(match[1]) if match else None
        if isinstance(value, Register) and match and not match[2]:
            return replace(value, negated=negated)
        if not isinstance(value, Symbol) or not match or negated:
            self._fail(f"unreadable operand {text}")
        return replace(value, offset=self._constant(match[2] or "0").value)

    def _address(self, text: str) -> Address:
        inner, *rest = _split(text[1:-1]) or [""]
        match = _ADDRESS.fullmatch(inner)
        if not match or len(rest) > 1 or (rest and not rest[0].startswith("{")):
            self._fail(f"unreadable address {text}")
        base = self._constant(match[1]) if match[1][0].isdigit() else self._value(match[1])
        offset = self._constant(match[2] or "0")
        if offset.float_bits:
            self._fail(f"unreadable address {text}")
        coordinates = tuple(self._operand(part) for part in _split(rest[0][1:-1])) if rest else ()
        return Address(base, offset.value, coordinates)

    def _constant(self, text: str) -> Immediate:
        value = _immediate(text)
        if value is None:
            self._fail(f"unreadable constant {text}")
        return value


def _statements(text: str, start: int, lines: _Lines) -> list[re.Match[str]]:
    """What stands between the brace before `start` and the one that closes it, blocks within it included."""
    statements: list[re.Match[str]] = []
    depth, position = 1, start
    while depth:
        match = _STATEMENT.match(text, position)
        if match is None:
            raise PtxSyntaxError(line=lines.at(position), problem="unreadable", text=text[position : position + 60])
        depth += {"open": 1, "close": -1}.get(match.lastgroup or "", 0)
        position = match.end()
        if match.lastgroup != "space":
            statements.append(match)
    return statements


def _labels(statements: list[re.Match[str]]) -> list[list[str]]:
    """The labels of each block, in the order in which blocks begin; the function's own is the first."""
    blocks: list[list[str]] = [[]]
    inside = [0]
    for match in statements:
        if match.lastgroup == "open":
            inside.append(len(blocks))
            blocks.append([])
        elif match.lastgroup == "close":
            inside.pop()
        elif match.lastgroup == "label":
            blocks[inside[-1]].append(match["label"])
    return blocks


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


def _immediate(text: str) -> Immediate | None:
    """A constant (PTX ISA §4.5); None when `text` is none."""
    prefix = text[:2].lower()
    try:
        if prefix in ("0f", "0d"):
            bits = 32 if prefix == "0f" else 64
            return Immediate(int(text[2:], 16), bits) if len(text) == 2 + bits // 4 else None
        if not (integer := _INTEGER.fullmatch(text)):
            return Immediate(struct.unpack("<Q", struct.pack("<d", float(text)))[0], 64)
    except ValueError:
        return None
    octal = re.fullmatch("0[0-7]+", integer[1])
    value = int(integer[1], 8 if octal else 0)
    return Immediate(-value if text[0] == "-" else value) if value < 1 << 64 else None


def _parameters(text: str, line: int) -> tuple[Parameter, ...]:
    parameters: list[Parameter] = []
    offset = 0
    for part in _split(text):
        match = _PARAMETER.fullmatch(part)
        if not match or match[2] not in SCALARS:
            raise PtxSyntaxError(line=line, problem="unreadable parameter", text=part)
        scalar = SCALARS[match[2]]
        size = scalar.bytes * int(match[4] or 1)
        align = int(match[1] or scalar.bytes)
        offset = -(-offset // align) * align
        parameters.append(Parameter(match[3], None if match[4] else scalar, offset, size))
        offset += size
    return tuple(parameters)


def _variable(match: re.Match[str], line: int) -> Variable:
    scalar = SCALARS.get(match["type"])
    if scalar is None or not scalar.bytes:
        raise PtxSyntaxError(line=line, problem=f"no variable is a .{match['type']}", text=match[0])
    count = match["count"]
    size = scalar.bytes * (1 if count is None else int(count or 0))
    initial: bytes | None = None
    if match["space"] in ("global", "const"):
        values = [v.strip() for v in (match["initial"] or "").strip("{} ").split(",") if v.strip()]
        initial = b"".join(_initial(value, scalar, line) for value in values).ljust(size, b"\0")
        size = len(initial)
    return Variable(match["name"], match["space"], int(match["align"] or scalar.bytes), size, initial)


def _initial(text: str, scalar: Scalar, line: int) -> bytes:
    value = _immediate(text)
    array = None if value is None else immediate(value, scalar)
    if array is None:
        raise PtxSyntaxError(line=line, problem=f"a .{scalar.name} cannot be initialised with this", text=text)
    return array.tobytes()
