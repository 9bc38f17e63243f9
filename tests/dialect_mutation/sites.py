"""
Finds the mutants of a source file: each disables one constraint, trait, row of a table, `raise`, check or condition, or changes
one comparison, arithmetic operator, number or branch.

A mutant is one replacement of text in one file. `inside` says whether it lies in the body of a function; all other code is
executed when the module is imported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

DEFINITIONS = {
    f"{many}{what}_def" for many in ("", "opt_", "var_") for what in ("operand", "result")
} | {"prop_def", "opt_prop_def", "attr_def", "opt_attr_def"}  # fmt: skip

COMPARISONS = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
ARITHMETIC = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Mod: "//", ast.Div: "*",
    ast.BitAnd: "|", ast.BitOr: "&", ast.BitXor: "|", ast.LShift: ">>", ast.RShift: "<<",
}  # fmt: skip
SYMBOLS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.Div: "/",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
ACCEPTING = ("AnyAttr()",)
"""Constraints that reject nothing, so that nothing is weaker."""
UNTOUCHED = {"assembly_format", "custom_directives", "irdl_options", "__all__", "name", "__slots__"}
"""Class attributes that are not mutated: the class cannot be defined without them."""


@dataclass(frozen=True)
class Mutant:
    """One replacement: `text[start:end]` becomes `new`."""

    file: str
    kind: str
    line: int
    scope: str
    """The enclosing class and function."""
    start: int
    end: int
    old: str
    new: str
    inside: bool
    statement: str
    """A digest of the statement of the module that has it, and its place there."""

    def apply(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]

    @property
    def key(self) -> str:
        """The identity of the mutant, which stays the same while its statement does."""
        return f"{self.file} {self.statement} {self.kind} {len(self.old)}>{_digest(self.new)}"

    @property
    def shown(self) -> str:
        """The change on one line."""
        old, new = (" ".join(t.split()) for t in (self.old, self.new))
        return f"{old[:90]}  ⟶  {new[:90] or '(nothing)'}"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]


def mutants(file: str, text: str) -> list[Mutant]:
    """Returns all mutants of a file, in the order of the text."""
    found = _Finder(file, text)
    found.visit(ast.parse(text))
    return sorted(found.mutants, key=lambda m: (m.start, m.end, m.kind, m.new))


class _Finder(ast.NodeVisitor):
    def __init__(self, file: str, text: str):
        self.file, self.text = file, text
        self.mutants: list[Mutant] = []
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line.encode()))
        self._bytes = text.encode()
        self._scope: list[str] = []
        self._statement = (0, "")
        """The start of the statement of the module that is visited, and its digest."""
        self._functions = 0
        self._inferred: set[ast.AST] = set()

    # --- places ---------------------------------------------------------------------------------

    def _at(self, line: int, column: int) -> int:
        """Returns the offset of a position in characters; `ast` counts columns in bytes."""
        return len(self._bytes[: self._starts[line - 1] + column].decode())

    def _span(self, node: ast.AST) -> tuple[int, int]:
        return (self._at(node.lineno, node.col_offset), self._at(node.end_lineno, node.end_col_offset))  # type: ignore[attr-defined]

    def _add(self, kind: str, node: ast.AST, new: str, span: tuple[int, int] | None = None) -> None:
        start, end = span or self._span(node)
        line = self.text.count("\n", 0, start) + 1
        scope = ".".join(self._scope)
        old = self.text[start:end]
        begin, digest = self._statement
        if old != new:
            self.mutants.append(
                Mutant(self.file, kind, line, scope, start, end, old, new, self._functions > 0, f"{digest}+{start - begin}")
            )  # fmt: skip

    def _source(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self.text[start:end]

    # --- scopes ---------------------------------------------------------------------------------

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._scope.append(node.name)
        for statement in node.body:
            self._visit_statement(statement)
        self._scope.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name in ("__repr__", "__str__"):
            return
        self._scope.append(node.name)
        self._functions += 1
        for statement in node.body:
            self._visit_statement(statement)
        self._functions -= 1
        self._scope.pop()

    def visit_Module(self, node: ast.Module) -> None:
        for statement in node.body:
            self._statement = (self._span(statement)[0], _digest(self._source(statement)))
            self._visit_statement(statement)

    def _visit_statement(self, node: ast.stmt) -> None:
        """Visits a statement, unless it is a docstring, an import, an assertion or under `TYPE_CHECKING`."""
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Assert):
            return
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self.visit(node)

    # --- declarations ---------------------------------------------------------------------------

    def visit_Assign(self, node: ast.Assign) -> None:
        self._assigned([t.id for t in node.targets if isinstance(t, ast.Name)], node.value, node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            names = [node.target.id] if isinstance(node.target, ast.Name) else []
            self._assigned(names, node.value, node)

    def _assigned(self, names: list[str], value: ast.expr, node: ast.stmt) -> None:
        if any(n in UNTOUCHED for n in names):
            return
        if not self._functions:
            self._rows(value)
            if isinstance(value, ast.Call) and any(n.startswith("run_") for n in names):
                self._add("row", node, "pass")
            if names and isinstance(value, ast.Constant) and isinstance(value.value, str) and names[0].isupper():
                if " " in value.value:  # a message
                    return
                self._add("constant", value, '"any"' if value.value != "any" else '"number"')
                return
        self.visit(value)

    def _rows(self, value: ast.expr) -> None:
        """Adds mutants that remove a row of a table in the expression. Subscripts are skipped, because they are types."""
        types = {t for node in ast.walk(value) if isinstance(node, ast.Subscript) for t in ast.walk(node.slice)}
        for node in ast.walk(value):
            if node in types:
                continue
            if isinstance(node, ast.Dict) and len(node.values) > 1:
                for key, entry in zip(node.keys, node.values, strict=True):
                    start = self._span(key)[0] if key is not None else self._before(entry, "**")
                    self._row(start, self._span(entry)[1], node)
            elif isinstance(node, ast.List | ast.Tuple | ast.Set) and len(node.elts) > 1:
                for entry in node.elts:
                    self._row(*self._span(entry), node)

    def _before(self, node: ast.AST, what: str) -> int:
        return self.text.rindex(what, 0, self._span(node)[0])

    def _row(self, start: int, end: int, node: ast.AST) -> None:
        """Adds the mutant that removes a row, together with the comma that follows it."""
        rest = self.text[end:]
        skip = len(rest) - len(rest.lstrip())
        if rest[skip : skip + 1] == ",":
            end += skip + 1
        elif isinstance(node, ast.Tuple) and len(node.elts) == 2:
            pass  # (a, b) without b is (a,), which needs its comma
        self._add("row", node, "", (start, end))

    def visit_Call(self, node: ast.Call) -> None:
        name = (
            node.func.id
            if isinstance(node.func, ast.Name)
            else node.func.attr
            if isinstance(node.func, ast.Attribute)
            else ""
        )
        if name in DEFINITIONS and not self._functions:
            if node.args and self._source(node.args[0]) not in ACCEPTING:
                weak = '__import__("tests.dialect_mutation.weaken", fromlist=["weak"]).weak'
                self._add("constraint", node.args[0], f"{weak}({self._source(node.args[0])})")
            return
        if name in ("region_def",) and not self._functions:
            return
        if name == "traits_def":
            for argument in node.args:
                start, end = self._span(argument)
                if self.text[end : end + 1] == ",":
                    end += 1
                self._add("trait", argument, "", (start, end))
            return
        if name in ("field", "isa", "isinstance", "cast", "TypeVar"):
            for argument in node.args[:1]:
                self.visit(argument)
            return
        if name == "reshape":  # NumPy infers the size for which any negative number stands
            self._inferred.update(node.args)
        self.generic_visit(node)

    # --- statements -----------------------------------------------------------------------------

    def visit_Raise(self, node: ast.Raise) -> None:
        self._add("raise", node, "pass")

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call) and self._functions:
            self._add(
                "check" if "require" in self._source(node) or "verify" in self._source(node) else "call", node, "pass"
            )
        self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        self._condition(node.test)
        if not any(isinstance(s, ast.Raise) for s in node.body):
            self._add("branch", node.test, "False")
        if not isinstance(node.test, ast.Constant):
            self._add("branch", node.test, "True")
        for statement in [*node.body, *node.orelse]:
            self._visit_statement(statement)

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        for statement in [*node.body, *node.orelse]:
            self._visit_statement(statement)

    def visit_While(self, node: ast.While) -> None:
        self._condition(node.test)
        for statement in node.body:
            self._visit_statement(statement)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._condition(node.test)
        self._add("branch", node, f"({self._source(node.body)})")
        self._add("branch", node, f"({self._source(node.orelse)})")
        self.visit(node.body)
        self.visit(node.orelse)

    def _condition(self, node: ast.expr) -> None:
        self.visit(node)

    # --- expressions ----------------------------------------------------------------------------

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        word = " and " if isinstance(node.op, ast.And) else " or "
        for left_out in node.values:
            kept = word.join(f"({self._source(v)})" for v in node.values if v is not left_out)
            self._add("condition", node, f"({kept})")
        for value in node.values:
            self.visit(value)

    def visit_Compare(self, node: ast.Compare) -> None:
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            start, end = self._span(left)[1], self._span(right)[0]
            between = self.text[start:end]
            if new := COMPARISONS.get(type(operator)):
                self._add("compare", node, f" {new} " + "(" * between.count("(") + ")" * 0, (start, end)) if ")" not in between else None  # fmt: skip
            left = right
        for value in (node.left, *node.comparators):
            self.visit(value)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        start, end = self._span(node.left)[1], self._span(node.right)[0]
        between, symbol = self.text[start:end], SYMBOLS.get(type(node.op))
        if symbol is not None and symbol in between and self._functions and not self._is_text(node):
            at = start + between.index(symbol)
            self._add("arithmetic", node, ARITHMETIC[type(node.op)], (at, at + len(symbol)))
        self.generic_visit(node)

    def _is_text(self, node: ast.AST) -> bool:
        return any(isinstance(n, ast.JoinedStr) or (isinstance(n, ast.Constant) and isinstance(n.value, str)) for n in ast.walk(node))  # fmt: skip

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.USub) and node in self._inferred:
            return
        if isinstance(node.op, ast.Not):
            self._add("not", node, f"({self._source(node.operand)})")
        self.visit(node.operand)

    def visit_Constant(self, node: ast.Constant) -> None:
        if not self._functions:
            return
        if isinstance(node.value, bool):
            self._add("constant", node, str(not node.value))
        elif isinstance(node.value, int):
            self._add("constant", node, str(node.value + 1))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Skips f-strings: the text of messages is not mutated."""

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg not in ("strict", "what", "want", "help", "need", "problem", "got"):
            self.visit(node.value)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)
        if self._functions:
            self.visit(node.slice)

    def visit_arguments(self, node: ast.arguments) -> None:
        return

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._functions += 1
        self.visit(node.body)
        self._functions -= 1


def lines_of(m: Mutant, text: str) -> Iterator[int]:
    """Yields the numbers of the lines that a mutant spans."""
    first = m.line
    yield from range(first, first + text[m.start : m.end].count("\n") + 1)


def lines_of_statement(m: Mutant, text: str) -> Iterator[int]:
    """Yields the numbers of the lines of the innermost statement around a mutant, of a compound one those of its head."""
    lines = set(lines_of(m, text))
    found = range(0)
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.stmt)
            and node.end_lineno is not None
            and not isinstance(node, ast.FunctionDef | ast.ClassDef)
        ):
            body = getattr(node, "body", None)
            span = range(node.lineno, body[0].lineno if body else node.end_lineno + 1)
            if lines <= set(span) and (not found or len(span) < len(found)):
                found = span
    yield from found


@cache
def _functions(text: str) -> list[range]:
    """Returns the lines of each function of a file, an outer one before those in it."""
    nodes = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)]
    return [range(n.lineno, (n.end_lineno or n.lineno) + 1) for n in nodes]


def lines_after(m: Mutant, text: str) -> Iterator[int]:
    """Yields the numbers of the lines that follow a mutant in its function."""
    last = max(lines_of(m, text))
    around = [lines for lines in _functions(text) if m.line in lines]
    yield from range(last + 1, around[-1].stop) if around else ()
