"""
Splits generated CUDA into tokens, and finds functions, matching brackets, and the ranges of statements and operands.

It is not a C++ parser, but supports what our printer writes: namespace-level functions, casts to simple types, templates whose
names are declared in the text, and inline PTX in strings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<directive>\#[^\n]*)
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<float>(?:\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)[fF]?|\d+[fF]\b)
      | (?P<integer>(?:0x[0-9a-fA-F]+|\d+)[uUlL]*)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<operator><<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|->|::|[-+*/%&|^]=|.)""",
    re.VERBOSE | re.DOTALL,
)
_OPEN, _CLOSE = "([{", ")]}"
TYPES = {
    "void", "bool", "char", "short", "int", "unsigned", "long", "float", "double", "const", "constexpr", "static", "extern",
    "volatile", "auto", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "i8", "i16", "i32", "i64", "bf16", "f16", "half", "vec", "struct",
    "typedef", "using", "__shared__", "__align__", "__restrict__", "__device__", "__forceinline__", "DEV",
}  # fmt: skip
PRECEDENCE = {
    "*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, ">": 7, "<=": 7, ">=": 7, "==": 6, "!=": 6,
    "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1,
}  # fmt: skip
_STOPS = {",", ";", "?", ":", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "return", "{", "}"}


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True)
class Function:
    """A function: `first` and `last` are the tokens of its body's braces, `parameters` the texts of its parameters' types."""

    name: str
    first: int
    last: int
    parameters: tuple[str, ...]


class Source:
    """A CUDA text and its tokens, without white space and comments."""

    def __init__(self, text: str):
        self.text = text
        found = (Token(m.lastgroup or "", m[0], m.start()) for m in _TOKEN.finditer(text))
        self.tokens = [t for t in found if t.kind != "space"]
        self.partner = dict(self._brackets())
        self.partner.update({close: opening for opening, close in self.partner.items()})

    def _brackets(self) -> Iterator[tuple[int, int]]:
        """Yields the pairs of matching brackets, including `<` and `>` after the name of a template."""
        templates = {"vec", "template", "static_cast", "reinterpret_cast"}
        templates.update(re.findall(r"template\s*<[^;{]*?>[^;{(]*?(\w+)\s*(?:\(|\{|:)", self.text))
        stack: list[int] = []
        for i, t in enumerate(self.tokens):
            if t.kind != "operator":
                continue
            if t.text in _OPEN or (t.text == "<" and i and self.tokens[i - 1].text in templates):
                stack.append(i)
            elif t.text in _CLOSE or (t.text == ">" and stack and self.tokens[stack[-1]].text == "<"):
                yield stack.pop(), i

    # --- functions -----------------------------------------------------------------------------

    @cached_property
    def functions(self) -> dict[str, Function]:
        """The functions by name; only the first of overloads."""
        return {name: overloads[0] for name, overloads in self.overloads.items()}

    @cached_property
    def overloads(self) -> dict[str, list[Function]]:
        found: dict[str, list[Function]] = {}
        i = begin = 0
        while i < len(self.tokens):
            t = self.tokens[i]
            if t.text == "{":
                close = self.partner[i]
                if self.tokens[i - 1].text == ")" and "struct" not in [x.text for x in self.tokens[begin:i]]:
                    opening = self.partner[i - 1]
                    name = self.tokens[opening - 1].text
                    function = Function(name, i, close, tuple(self._parameters(opening, i - 1)))
                    found.setdefault(name, []).append(function)
                i = close
                begin = i + 1
            elif t.text == ";":
                begin = i + 1
            i += 1
        return found

    def _parameters(self, first: int, last: int) -> Iterator[str]:
        for a, b in self.parts(first, last):
            words = [t.text for t in self.tokens[a:b]]
            yield " ".join(w for w in words[:-1] if w not in ("__restrict__", ")")) if len(words) > 1 else ""

    @cached_property
    def kernels(self) -> list[str]:
        return re.findall(r"__global__ void (?:__\w+__\([^)]*\) )*(\w+)\(", self.text)

    @cached_property
    def reached(self) -> list[Function]:
        """Returns the kernels and the device functions that they call."""
        todo, seen = list(self.kernels), dict.fromkeys(self.kernels)
        while todo:
            for f in self.overloads[todo.pop()]:
                for t in self.tokens[f.first : f.last]:
                    if t.text in self.overloads and t.text not in seen:
                        seen[t.text] = None
                        todo.append(t.text)
        return [f for name in seen for f in self.overloads[name]]

    # --- inside a function ---------------------------------------------------------------------

    def parts(self, first: int, last: int) -> list[tuple[int, int]]:
        """Returns the token ranges between the brackets `first` and `last`, split at commas."""
        out: list[tuple[int, int]] = []
        i = start = first + 1
        while i < last:
            if self.tokens[i].text == ",":
                out.append((start, i))
                start = i + 1
            i = self._behind(i)
        return [*out, (start, last)] if start < last else out

    def _behind(self, i: int) -> int:
        """Returns the token after `i` or, if `i` opens a bracket, after the bracket that closes it."""
        return self.partner[i] + 1 if self.partner.get(i, -1) > i else i + 1

    def is_cast(self, close: int) -> bool:
        """Whether the `)` at `close` ends a cast."""
        opening = self.partner[close]
        inside = self.tokens[opening + 1 : close]
        before = self.tokens[opening - 1]
        plain = before.kind == "operator" and before.text not in (")", "]", ">")
        return bool(inside) and inside[0].text in TYPES and (plain or before.text == "return")

    def is_binary(self, i: int) -> bool:
        """Whether the operator at `i` has a left operand."""
        before = self.tokens[i - 1]
        if before.text == ")":
            return not self.is_cast(i - 1)
        if before.kind == "word":
            return before.text != "return" and before.text not in TYPES
        return before.kind in ("integer", "float") or before.text == "]"

    def operands(self, i: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Returns the token ranges of the two operands of the binary operator at `i`."""
        level = PRECEDENCE[self.tokens[i].text]
        left, right = i - 1, i + 1
        while not self._ends(left, level - 1, self.partner.get(left, -1) > left):
            left = self.partner.get(left, left) - 1
        while not self._ends(right, level, self.partner.get(right, right) < right):
            right = self._behind(right)
        return (left + 1, i), (i + 1, right)

    def _ends(self, i: int, level: int, outwards: bool) -> bool:
        """Whether token `i` ends an operand: it is an operator that binds no tighter than `level`, or ends the expression."""
        t = self.tokens[i]
        if i in self.partner:
            return outwards
        if t.text in _STOPS or t.kind == "directive":
            return True
        return t.text in PRECEDENCE and self.is_binary(i) and PRECEDENCE[t.text] <= level

    def slice(self, a: int, b: int) -> str:
        """Returns the text of the tokens `a` to `b` - 1."""
        return self.text[self.tokens[a].start : self.tokens[b - 1].end]

    def line(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1
