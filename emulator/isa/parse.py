"""
Parses PTX text into a `Module`: NVRTC's output with inline assembly. Anything else is a `PtxSyntaxError`.

Names are resolved here (`scopes.py`), so that a kernel has one flat set of registers, variables and labels.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import replace
from typing import NoReturn

from .declarations import (
    NUMBER,
    SpaceUsage,
    fail,
    first_repeated,
    read_constant,
    read_parameters,
    read_variable,
    split_list,
)
from .functions import Code, Expander, settle_parameters
from .scopes import Scopes
from .special import SPECIAL_REGISTERS, dim3
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
from .types import PACKED, SCALARS

MAX_REGISTERS = 1 << 16
"""
Maximum number of registers that a module may declare, because `%r<n>` declares n registers at once. For a text with more
characters than that, the limit is the number of characters.
"""
MAX_VECTOR = 256
"""Maximum number of elements of a vector operand."""
_MAX_INLINED = 64
"""Maximum number of source lines that are recorded for an instruction."""

_NAME = r"[%$\w]+"
_SILENT = re.compile(r"\"[^\"\n]*\"|//[^\n]*|/\*.*?(?:\*/|(?P<unclosed>\Z))", re.DOTALL)
_STATEMENT = re.compile(
    rf"""(?P<space>\s+)
    |\.loc\b(?P<loc>[^\n]*)
    |(?P<label>{_NAME})\s*:(?!:)
    |(?P<open>\{{)|(?P<close>\}})
    |(?P<statement>[^;{{}}]+(?:\{{[^{{}};]*\}}[^;{{}}]*)*;)
    |(?P<empty>;)""",
    re.VERBOSE | re.DOTALL,
)
_HEAD = re.compile(r"\.(?:entry|func)\b")
_FUNCTION = re.compile(
    r"\.(?P<kind>entry|func)\s++(?:\((?P<result>[^)]*+)\)\s*+)?+(?P<name>[$\w]++)\s*+"
    r"(?:\((?P<parameters>[^)]*+)\))?+(?P<limits>(?:\.pragma\s++\"[^\"]*+\"\s*+;|[^{;])*+)(?P<opens>[{;])",
)
_DECLARATION = re.compile(r"\.(?:global|const|shared|local)\b[^;]*+(?P<end>;?)")
_REGISTERS = re.compile(r"\.reg\s+\.(\w+)\s+(.*)", re.DOTALL)
_RANGE = re.compile(rf"({_NAME})(?: ?< ?({NUMBER}) ?>)?")
_GUARD = re.compile(rf"@ ?(!?) ?({_NAME}) (.+)")
_ADDRESS = re.compile(rf"({_NAME}(?:\.[xyz])?)\s*(?:\+\s*(-?\w+))?")
_BRACE = re.compile("[{}]")
_LOC = re.compile(rf"\s*\d+\s+({NUMBER})\s+({NUMBER})\b(?:.*inlined_at\s+\d+\s+({NUMBER})\s+({NUMBER})\b)?")
_CLOSING = {"{": "}", "(": ")", "[": "]"}


def parse(text: str) -> Module:
    """Parses PTX text. Raises `PtxSyntaxError`, which names the PTX line."""
    source = _Source(text)
    variables: list[Variable] = []
    heads: list[re.Match[str]] = []
    usage, position = SpaceUsage(), 0
    while found := _HEAD.search(source.text, position):
        head = _FUNCTION.match(source.text, found.start())
        if head is None:
            source.fail(found.start(), "unreadable function header")
        heads.append(head)
        variables += _declarations(source, position, head.start(), usage)
        position = head.end() if head["opens"] == ";" else _closing_brace(source, head.end())
    variables += _declarations(source, position, len(source.text), usage)
    bodies = {head["name"]: head for head in heads if head["opens"] == "{"}
    if repeated := first_repeated(head["name"] for head in heads if head["opens"] == "{"):
        fail(source.line(bodies[repeated].start()), f"'{repeated}' is defined twice", repeated)
    names = {*(v.name for v in variables), *(h["name"] for h in heads)}
    parameters: dict[str, tuple[Parameter, ...]] = {}
    functions: dict[str, Code] = {}
    declared = 0
    for name, head in bodies.items():
        line = source.line(head.start())
        result, parameters[name] = (read_parameters(head[part] or "", line) for part in ("result", "parameters"))
        formals = tuple(p.name for p in parameters[name])
        functions[name] = _Body(source, head.end(), names, next((p.name for p in result), None), formals, declared)
        declared += len(functions[name].registers)
    expander = Expander({name: code for name, code in functions.items() if bodies[name]["kind"] == "func"})
    kernels = {
        name: _kernel(expander.expand(functions[name]), parameters[name], head, source.line(head.start()))
        for name, head in bodies.items()
        if head["kind"] == "entry"
    }
    return Module(kernels, tuple(variables))


class _Source:
    """PTX text in which comments and quoted strings are replaced by blanks, so that positions and line numbers stay valid."""

    def __init__(self, text: str):
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]
        self.text = text
        self.text = _SILENT.sub(self._blank, text)
        if foreign := re.search(r"[^\0-\x7f]", self.text):
            self.fail(foreign.start(), "a character that is not ASCII")

    def _blank(self, match: re.Match[str]) -> str:
        if match["unclosed"] is not None:
            self.fail(match.start(), "the comment is never closed")
        spaces = re.sub(r"[^\n]", " ", match[0])
        return f'"{spaces[1:-1]}"' if match[0].startswith('"') else spaces

    def line(self, position: int) -> int:
        return bisect_right(self._starts, position)

    def fail(self, position: int, problem: str) -> NoReturn:
        """Raises `PtxSyntaxError` with the line of `position` and the text from there."""
        fail(self.line(position), problem, " ".join(self.text[position : position + 60].split()))


def _declarations(source: _Source, start: int, stop: int, usage: SpaceUsage) -> list[Variable]:
    """Returns the module's variables that are declared between the positions `start` and `stop`."""
    variables: list[Variable] = []
    for match in _DECLARATION.finditer(source.text, start, stop):
        line, declaration = source.line(match.start()), " ".join(match[0].rstrip(";").split())
        if not match["end"]:
            source.fail(match.start(), "the declaration is never closed")
        variables.append(read_variable(declaration, line))
        if variables[-1].initial is not None:
            usage.add(variables[-1], line, declaration)
    return variables


def _closing_brace(source: _Source, start: int) -> int:
    """Returns the position behind the brace that closes the one before `start`."""
    depth, position = 1, start
    while depth:
        brace = _BRACE.search(source.text, position)
        if brace is None:
            fail(source.line(start - 1), "the brace is never closed", "{")
        depth += 1 if brace[0] == "{" else -1
        position = brace.end()
    return position


_LIMITS = {
    "maxntid": 3,
    "reqntid": 3,
    "minnctapersm": 1,
    "maxnreg": 1,
    "reqnctapercluster": 3,
    "explicitcluster": 0,
    "noreturn": 0,
}
"""Maximum number of integers that follow each performance-tuning and cluster directive (PTX ISA §11.4, §11.7)."""
_LIMIT = re.compile(rf"\.(\w+)(?: ({NUMBER}(?: ?, ?{NUMBER})*)\b)? ?")


def _limits(head: re.Match[str], line: int) -> dict[str, tuple[int, ...]]:
    """Returns the integers of each directive between a kernel's parameters and its body, by directive name."""
    text = " ".join(re.sub(r'\.pragma\s+"[^"]*"\s*;', "", head["limits"]).split())
    limits: dict[str, tuple[int, ...]] = {}
    position = 0
    while position < len(text):
        match = _LIMIT.match(text, position)
        if match is None:
            fail(line, "unreadable directive", text[position:])
        name, numbers = match[1], tuple(map(int, split_list(match[2] or "")))
        if name not in _LIMITS:
            fail(line, f"the emulator does not support the directive .{name}", head["name"])
        if not min(1, _LIMITS[name]) <= len(numbers) <= _LIMITS[name] or 0 in numbers:
            fail(line, f"invalid numbers for .{name}", match[0].strip())
        limits[name] = numbers
        position = match.end()
    return limits


def _kernel(code: Code, parameters: tuple[Parameter, ...], head: re.Match[str], line: int) -> Kernel:
    limits = _limits(head, line)
    exact, cluster = limits.get("reqntid"), limits.get("reqnctapercluster")
    most = exact or limits.get("maxntid")
    return Kernel(
        head["name"],
        parameters,
        code.registers,
        tuple(code.variables),
        settle_parameters(code, {p.name for p in parameters}),
        code.labels,
        code.branch_targets,
        dim3(most) if most else None,
        exact is not None,
        dim3(cluster) if cluster else None,
        limits.get("maxnreg", (0,))[0],
        limits.get("minnctapersm", (0,))[0],
    )


class _Body(Code):
    """
    A function's body, which begins at `start`, after its opening brace. `outer` holds the names that the module declares;
    `declared` is the number of registers that the preceding functions declare.
    """

    def __init__(
        self,
        source: _Source,
        start: int,
        outer: Collection[str],
        result: str | None,
        formals: tuple[str, ...],
        declared: int,
    ):
        super().__init__(result=result, formals=formals)
        self._scopes = Scopes(outer)
        self._declared, self._most = declared, max(MAX_REGISTERS, len(source.text))
        self._usage = SpaceUsage()
        self._inlined: dict[tuple[int, int], tuple[int, ...]] = {}
        self._lines: tuple[int, ...] = ()
        self._last_label = ""
        self._text = ""
        self._line = 0
        statements = _statements(source, start)
        blocks = iter(_labels(statements))
        self._scopes.open(next(blocks), formals if result is None else (result, *formals))
        for match in statements:
            kind = match.lastgroup
            self._text, self._line = match[0].strip(), source.line(match.start())
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
            self.instructions.append(Instruction("ret", (), None, self._line, self._lines, "}"))

    def _fail(self, problem: str) -> NoReturn:
        fail(self._line, problem, self._text)

    def _location(self, text: str) -> None:
        """Records the current source line and the lines it was inlined at, outermost last."""
        match = _LOC.match(text)
        if not match:
            self._fail("unreadable location")
        if match[1] == "0":
            return
        chain: tuple[int, ...] = ()
        if match[3]:
            at = (int(match[3]), int(match[4]))
            chain = self._inlined.get(at, (at[0],))
        # a location that is inlined at itself, as in a recursive template, would lengthen its chain each time
        self._lines = (int(match[1]), *chain)[:_MAX_INLINED]
        self._inlined[int(match[1]), int(match[2])] = self._lines

    def _label(self, name: str) -> None:
        unique = self._scopes.define_label(name)
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
            variable = read_variable(text.removeprefix(".extern "), self._line)
            space = "local" if variable.space == "param" else variable.space  # a call's arguments are in local memory
            self.variables.append(replace(variable, name=self._declare(variable.name), space=space))
            self._usage.add(self.variables[-1], self._line, text)
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
            count = 1 if name[2] is None else int(name[2])
            if self._declared + len(self.registers) + count > self._most:
                self._fail(f"a module of this length declares at most {self._most} registers")
            each = [name[1]] if name[2] is None else (f"{name[1]}{i}" for i in range(count))
            self.registers.update((self._declare(one), type_) for one in each)

    def _instruction(self) -> None:
        predicate: Register | None = None
        rest = self._text
        if rest.startswith("@"):
            guard = _GUARD.fullmatch(rest)
            found = self._value(guard[2]) if guard else None
            if not guard or not isinstance(found, Register):
                self._fail("the guard is not a predicate")
            predicate, rest = replace(found, negated=bool(guard[1])), guard[3]
        opcode, _, arguments = rest.partition(" ")
        parts = split_list(arguments)
        word = opcode.partition(".")[0]
        labels = {"bra": 0, "brx": 1}.get(word)
        operands = tuple(self._target(p) if i == labels else self._operand(p, word) for i, p in enumerate(parts))
        self.instructions.append(Instruction(opcode, operands, predicate, self._line, self._lines, self._text))

    def _target(self, name: str) -> Symbol:
        label = self._scopes.label(name)
        if label is None:
            self._fail(f"label '{name}' is not visible here")
        return Symbol(label)

    def _value(self, name: str) -> Register | Symbol:
        """Returns the register, variable or function that `name` denotes in the current scope."""
        unique = self._scopes.variable(name)
        if unique in self.registers or name == "_" or (unique is None and name in SPECIAL_REGISTERS):
            return Register(unique or name)
        if unique is None:
            self._fail(f"'{name}' is not declared")
        return Symbol(unique)

    def _operand(self, text: str, word: str) -> Operand:
        """Reads an operand of an instruction whose first word is `word`. Vectors do not nest."""
        first, inner = text[:1], text[1:-1]
        if first in _CLOSING and (len(text) < 2 or text[-1] != _CLOSING[first]):
            self._fail(f"unreadable operand '{text}'")
        if first == "[":
            return self._address(inner)
        if first == "{" and not inner.strip():
            self._fail("an empty vector")
        if first == "{" or (first == "(" and word == "call"):
            return self._vector(split_list(inner))
        pair = text.split("|")
        if len(pair) > 2:
            self._fail(f"{len(pair)} destinations, but at most 2 are possible")
        return self._vector(pair) if len(pair) == 2 else self._scalar(text)

    def _vector(self, parts: list[str]) -> Vector:
        if len(parts) > MAX_VECTOR:
            self._fail(f"a vector of {len(parts)} elements, but at most {MAX_VECTOR} are possible")
        return Vector(tuple(self._scalar(part.strip()) for part in parts))

    def _scalar(self, text: str) -> Register | Immediate | Symbol:
        unique = self._scopes.variable(text)
        if unique is not None and unique in self.registers:  # nearly all operands
            return Register(unique)
        if text[:1].isdigit() or text[:1] in ("-", "+"):
            return self._constant(text)
        negated = text.startswith("!")
        match = _ADDRESS.fullmatch(text[negated:].strip())
        value = self._value(match[1]) if match else None
        if isinstance(value, Register) and match and not match[2]:
            return replace(value, negated=negated)
        if not isinstance(value, Symbol) or not match or negated:
            self._fail(f"unreadable operand '{text}'")
        return replace(value, offset=self._integer(match[2] or "0").value)

    def _address(self, text: str) -> Address:
        """Reads the text between brackets."""
        inner, *rest = split_list(text) or [""]
        match = _ADDRESS.fullmatch(inner)
        if not match or len(rest) > 1 or not all(r.startswith("{") and r.endswith("}") for r in rest):
            self._fail(f"unreadable address '[{text}]'")
        base = self._integer(match[1]) if match[1][0].isdigit() else self._value(match[1])
        coordinates = self._vector(split_list(rest[0][1:-1])).items if rest else ()
        return Address(base, self._integer(match[2] or "0").value, coordinates)

    def _integer(self, text: str) -> Immediate:
        value = self._constant(text)
        if value.float_bits:
            self._fail(f"'{text}' is not an integer")
        return value

    def _constant(self, text: str) -> Immediate:
        value = read_constant(text)
        if value is None:
            self._fail(f"unreadable constant '{text}'")
        return value


def _statements(source: _Source, start: int) -> list[re.Match[str]]:
    """Returns the statements of the block that begins at `start`, after its opening brace, and of nested blocks."""
    statements: list[re.Match[str]] = []
    depth, position = 1, start
    while depth:
        match = _STATEMENT.match(source.text, position)
        if match is None:
            source.fail(position, "unreadable text")
        depth += {"open": 1, "close": -1}.get(match.lastgroup or "", 0)
        position = match.end()
        if match.lastgroup != "space":
            statements.append(match)
    return statements


def _labels(statements: list[re.Match[str]]) -> list[list[str]]:
    """Returns the labels of each block, in the order in which blocks open; the first block is the function's body."""
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
