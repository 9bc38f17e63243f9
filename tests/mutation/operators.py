"""
The mutation operators, the places in a CUDA text to which they apply, and their replacements:

| operator | place | replacement |
| --- | --- | --- |
| `drop` | an expression statement: waits, barriers, commits, fences, copies, loads, stores, assignments | `;` |
| `unguard`, `never` | the condition of an `if` or of `?:` | `true`, `false` |
| `plus one`, `minus one` | an integer constant, also in inline PTX | n + 1, n - 1 |
| `swap operands` | `-` `/` `%` `<<` `>>` and comparisons | `(b) - (a)` |
| `replace` | `<` `<=` `>` `>=` `==` `!=` `+` `-` `*` `&&` `\\|\\|` | a similar operator |
| `swap arguments` | two arguments of the same type in a call of a device function | exchanged |
| `zero` | an argument in a call of a device function that is not a number | 0 |
| `weaken` | `.release`, `.acquire`, scopes and state spaces in inline PTX | `.relaxed`, the next smaller one |
| `swap registers` | two adjacent operands of inline PTX with the same constraint | exchanged |
| `drop .trans` | `.trans` in inline PTX | removed |
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from .tokens import TYPES, Function, Source

REPLACED = {
    "<": ("<=",), "<=": ("<",), ">": (">=",), ">=": (">",), "==": ("!=",), "!=": ("==",), "+": ("-", "*"), "-": ("+",),
    "*": ("+",), "&&": ("||",), "||": ("&&",), "+=": ("-=",), "-=": ("+=",),
}  # fmt: skip
WEAKER = {
    ".release": ".relaxed", ".acquire": ".relaxed", ".gpu": ".cta", "shared::cluster.b64": "shared::cta.b64",
    "proxy.async.shared::cta": "proxy.async.global", ".cluster;": ".cta;",
}  # fmt: skip
SWAPPED = {"-", "/", "%", "<<", ">>", "<", "<=", ">", ">="}
NUMBERS = {"int", "u32", "u64", "unsigned"}
_COUNT = re.compile(r"(?<![\w%.$])\d+(?![\w.])")


@dataclass(frozen=True)
class Mutant:
    """One replacement: `text[start:end]`, which is in `function`, becomes `new`."""

    operator: str
    function: str
    start: int
    end: int
    old: str
    new: str
    line: int
    statement: str

    def apply(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]

    @property
    def changed(self) -> str:
        """The line of the mutant, with the change marked."""
        return f"{self.statement}: `{self.old}` → `{self.new}`"


def mutants(text: str) -> list[Mutant]:
    """Returns all mutants of the kernels in `text` and of the device functions that they call, in the order of the text."""
    source = Source(text)
    found = [m for f in source.reached for m in _Sites(source, f)]
    return sorted(found, key=lambda m: (m.start, m.operator, m.new))


class _Sites:
    """The mutants of one function."""

    def __init__(self, source: Source, function: Function):
        self.source, self.function = source, function
        self.tokens = source.tokens

    def __iter__(self) -> Iterator[Mutant]:
        for first, last in self._statements():
            yield from self._dropped(first, last)
        i = self.function.first + 1
        while i < self.function.last:
            yield from self._at(i)
            i += 1

    def _mutant(self, operator: str, a: int, b: int, new: str) -> Iterator[Mutant]:
        start, end = self.tokens[a].start, self.tokens[b - 1].end
        yield from self._span(operator, start, end, new)

    def _span(self, operator: str, start: int, end: int, new: str) -> Iterator[Mutant]:
        text = self.source.text
        old = text[start:end]
        if old != new:
            line = text[text.rfind("\n", 0, start) + 1 : (text.find("\n", end) + 1 or len(text) + 1) - 1]
            statement = " ".join(line.split())
            yield Mutant(operator, self.function.name, start, end, old, new, self.source.line(start), statement)

    # --- statements ----------------------------------------------------------------------------

    def _statements(self) -> Iterator[tuple[int, int]]:
        """Yields the token ranges of simple statements, without their semicolons."""
        i = self.function.first + 1
        while i < self.function.last:
            t = self.tokens[i]
            if t.text in ("{", "}", ";", "else") or t.kind == "directive":
                i += 1
            elif t.text in ("if", "for", "while"):
                i = self.source.partner[i + 1] + 1
            else:
                end = i
                while self.tokens[end].text != ";":
                    end = self.source.partner[end] + 1 if self.source.partner.get(end, -1) > end else end + 1
                yield i, end
                i = end + 1

    def _dropped(self, first: int, last: int) -> Iterator[Mutant]:
        words = self.tokens[first].text, self.tokens[first + 1].text
        declares = words[0] in TYPES or (
            self.tokens[first].kind == self.tokens[first + 1].kind == "word" and words[0] != "asm"
        )
        if not declares and words[0] not in ("return", "break", "continue"):
            yield from self._mutant("drop", first, last, "")

    # --- expressions ---------------------------------------------------------------------------

    def _at(self, i: int) -> Iterator[Mutant]:
        t = self.tokens[i]
        if t.kind == "integer":
            yield from self._counted(t.start, t.text)
        elif t.kind == "string":
            yield from self._ptx(i)
        elif t.text == "if":
            yield from self._guards(i + 2, self.source.partner[i + 1])
        elif t.text == "?":
            yield from self._guards(self._condition(i), i)
        elif t.kind == "word" and self.tokens[i + 1].text in ("(", "<"):
            yield from self._arguments(i)
        elif t.kind == "word" and t.text.endswith("_trans") and t.text[:-6] in self.source.functions:
            yield from self._mutant("drop .trans", i, i + 1, t.text[:-6])
        if t.text in ("+=", "-=") or (t.text in REPLACED and i not in self.source.partner and self.source.is_binary(i)):
            for new in REPLACED[t.text]:
                yield from self._mutant("replace", i, i + 1, new)
        if t.text in SWAPPED and i not in self.source.partner and self.source.is_binary(i):
            (a, b), (c, d) = self.source.operands(i)
            left, right = self.source.slice(a, b), self.source.slice(c, d)
            yield from self._mutant("swap operands", a, d, f"({right}) {t.text} ({left})")

    def _counted(self, start: int, text: str) -> Iterator[Mutant]:
        digits = text.rstrip("uUlL")
        value = int(digits, 0)
        for operator, new in (("plus one", value + 1), ("minus one", value - 1)):
            yield from self._span(operator, start, start + len(text), f"{new}{text[len(digits) :]}")

    def _guards(self, first: int, last: int) -> Iterator[Mutant]:
        yield from self._mutant("unguard", first, last, "true")
        yield from self._mutant("never", first, last, "false")

    def _condition(self, question: int) -> int:
        """Returns the first token of the condition before the `?` at `question`."""
        i = question - 1
        while True:
            if self.source.partner.get(i, -1) > i:
                return i + 1
            if self.tokens[i].text in (",", ";", "=", "return", ":", "?", "{", "}"):
                return i + 1
            i = self.source.partner.get(i, i) - 1

    def _arguments(self, i: int) -> Iterator[Mutant]:
        """Yields the mutants of the arguments of a call: replaced by 0, and exchanged if their parameters have the same type."""
        function = self.source.functions.get(self.tokens[i].text)
        opening = i + 1
        if function and self.tokens[opening].text == "<":
            opening = self.source.partner[opening] + 1
        if not function or self.tokens[opening].text != "(":
            return
        parts = self.source.parts(opening, self.source.partner[opening])
        for (a, b), of in zip(parts, function.parameters, strict=False):
            if of in NUMBERS and (b - a > 1 or self.tokens[a].kind != "integer"):
                yield from self._mutant("zero", a, b, "0")
        for (k, left), (j, right) in combinations(enumerate(parts), 2):
            if j < len(function.parameters) and function.parameters[k] == function.parameters[j]:
                yield from self._exchanged("swap arguments", left, right)

    def _exchanged(self, operator: str, left: tuple[int, int], right: tuple[int, int]) -> Iterator[Mutant]:
        one, other = self.source.slice(*left), self.source.slice(*right)
        between = self.source.text[self.tokens[left[1] - 1].end : self.tokens[right[0]].start]
        yield from self._mutant(operator, left[0], right[1], other + between + one)

    # --- inline PTX ----------------------------------------------------------------------------

    def _ptx(self, i: int) -> Iterator[Mutant]:
        """Yields the mutants of a string in inline PTX: an instruction, or the constraint of an operand."""
        t = self.tokens[i]
        if ".trans" in t.text:
            at = t.start + t.text.index(".trans")
            yield from self._span("drop .trans", at, at + len(".trans"), "")
        for strong, weak in WEAKER.items():
            for found in re.finditer(re.escape(strong), t.text):
                at = t.start + found.start()
                yield from self._span("weaken", at, at + len(strong), weak)
        if " " in t.text:
            for found in _COUNT.finditer(t.text):
                yield from self._counted(t.start + found.start(), found[0])
        following = self._operand(i)
        if following and self.tokens[following[1]].text == ",":
            after = following[1] + 1
            other = self._operand(after)
            if other and self.tokens[after].text == t.text:
                yield from self._exchanged("swap registers", following, other)

    def _operand(self, i: int) -> tuple[int, int] | None:
        """Returns the token range of the parenthesized expression after a constraint."""
        if self.tokens[i].kind != "string" or self.tokens[i + 1].text != "(":
            return None
        return i + 1, self.source.partner[i + 1] + 1
