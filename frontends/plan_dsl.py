r"""
Reads Schedule Plans that are written as statements. The fields are those of JSON and of `#plan.schedule<{…}>`.

>>> (plan,) = read_statements("split m 128; split n 64; split k 64; pipeline k.i stages=2; epilogue bias relu", "p.plan")
>>> plan.fields
{'stages': 2, 'epilogue': ['bias', 'relu'], 'tile': [128, 64, 64]}

The grammar is that of the specification, followed by statements for the other fields. A word that is no name is written in
quotes, as in JSON. Spec: `tensor-compiler.ja §1.7`, `§12.6`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from json import JSONDecodeError, loads
from typing import Any

from lark import Lark, Token, Tree, UnexpectedInput
from xdsl.utils.lexer import Input, Span

from ..dialects.common.schema import Path
from ..dialects.plan.given import GivenPlan
from ..errors import PlanSyntax
from ..text.suggest import did_you_mean

STATEMENTS: Mapping[str, str] = {
    "split": '"split" word INT',
    "reorder": '"reorder" word*',
    "fuse": '"fuse" word word "->" word',
    "bind": '"bind" word word',
    "pipeline": '"pipeline" word "stages" "=" INT',
    "cache_read": '"cache_read" word word "at" "=" word ["pingpong" "=" BOOL]',
    "vectorize": '"vectorize" word INT',
    "unroll": '"unroll" word INT',
    "predicate_tail": '"predicate_tail" word*',
    "epilogue": '"epilogue" word*',
    "algo_choice": '"algo_choice" word word',
    # These are not in the specification's grammar.
    "region": '"region" (NAME | HASH | STRING)',
    "arch": '"arch" word',
    "warp_tile": '"warp_tile" SIZES',
    "roles": '"roles" word',
    "cluster": '"cluster" INT INT',
    "order": '"order" word',
    "epilogue_tile": '"epilogue_tile" INT INT',
    "accumulators": '"accumulators" INT',
    "multiprocessors": '"multiprocessors" INT',
    "rescale_threshold": '"rescale_threshold" INT',
    "split_k": '"split_k" INT',
    "layout_hints": '"layout_hints" word "=" (BOOL | word)',
    "local_edges": '"local_edges" word "->" word word ["depth" "=" INT]',
}
"""The form of each statement in lark's notation, by the statement's first word."""
TERMINALS = r"""
word: WORD | STRING
BOOL.2: /(true|false)\b/
SIZES.2: /\d+x\d+/
INT: /-?\d+/
NAME: /@[\w$.-]+/
HASH: /#[0-9a-f]+/
ARROW: "->"
WORD: /[A-Za-z_][\w.]*/
STRING: /"(?:[^"\\\n]|\\.)*"/
%ignore /\s+/
%ignore /\/\/[^\n]*/
"""
EXPECTED = {
    **dict.fromkeys(("WORD", "STRING"), "a word"),
    "INT": "a number",
    "BOOL": "true or false",
    "SIZES": "sizes such as 64x32",
    **dict.fromkeys(("NAME", "HASH"), "@name or #hash"),
    "SEMICOLON": "';'",
    "EQUAL": "'='",
    "ARROW": "'->'",
    "$END": "the end",
}
"""The words with which an error names a terminal; others are named by their letters."""
AXES = ("m", "n", "k")
"""The axes of `tile`, in order."""
LOADS = "k.i"
"""The loop that `pipeline` overlaps: the steps of BK."""
_TOKEN = re.compile(r'"[^"\n]*"?|[\w.$@#-]+|\S')


@cache
def _parser() -> Lark:
    rules = "\n".join(f"{name}: {form}" for name, form in STATEMENTS.items())
    grammar = f'program: (_statement? ";")* _statement?\n_statement: {" | ".join(STATEMENTS)}\n{rules}\n{TERMINALS}'
    return Lark(grammar, start="program", parser="lalr", propagate_positions=True, maybe_placeholders=False)


def read_statements(text: str, name: str = "<plan>") -> list[GivenPlan]:
    """
    Reads the plans of a text, of which each but the first begins with a statement `region`. `name` is the name of the file. Raises
    `PlanSyntax` and `InvalidPlanText`.
    """
    source = Input(text, name)
    try:
        tree = _parser().parse(text)  # pyright: ignore[reportUnknownMemberType]
    except UnexpectedInput as error:
        raise _unexpected(error, source) from None
    plans = [_Reader(source)]
    for statement in tree.children:
        if isinstance(statement, Tree):
            if statement.data == "region":
                plans.append(_Reader(source))
            plans[-1].read(statement)
    unnamed, *named = plans
    if named and unnamed.spans:
        place = unnamed.spans[(), False]
        raise PlanSyntax(place, problem="this statement is before the first region", help="begin with region @name")
    return [plan.given() for plan in named or plans]


class _Reader:
    """Collects the fields of one plan, and the spans of their statements and values."""

    def __init__(self, source: Input):
        self.source = source
        self.region = ""
        self.fields: dict[str, Any] = {}
        self.tile: dict[str, int] = {}
        self.spans: dict[tuple[Path, bool], Span[str]] = {}

    def read(self, statement: Tree[Token]) -> None:
        """Reads a statement."""
        kind, values = str(statement.data), list(self._values(statement))
        words, spans = [value for value, _ in values], [span for _, span in values]
        whole = Span(statement.meta.start_pos, statement.meta.end_pos, self.source)
        self.spans.setdefault(((), False), whole)
        match kind:
            case "region":
                self.region = words[0].removeprefix("@")
            case "split":
                self._require(words[0] in AXES, spans[0], f"'{words[0]}' is no axis", f"one of {', '.join(AXES)}")
                self._require(words[0] not in self.tile, whole, f"split of {words[0]} is given twice", "remove one")
                self.tile[words[0]] = words[1]
                self.spans[("tile", AXES.index(words[0])), False] = spans[1]
                self.spans.setdefault((("tile",), False), whole)
            case "pipeline":
                self._require(words[0] == LOADS, spans[0], f"no ring is filled at {words[0]}", f"pipeline {LOADS}")
                self._put(("stages",), words[1], whole, spans[1])
            case "bind" | "algo_choice" | "layout_hints" | "unroll":
                self._put((kind, words[0]), words[1], spans[0], spans[1])
                self.spans.setdefault(((kind,), False), whole)
            case "fuse":
                self._append(kind, ("axes", "into"), [words[:2], words[2]], whole, [spans[0], spans[2]])
            case "cache_read":
                self._append("cache", ("tensor", "where", "at", "pingpong"), words, whole, spans)
            case "local_edges":
                self._append(kind, ("from", "to", "buffer", "depth"), words, whole, spans)
            case "vectorize":
                self._put((kind,), {"axis": words[0], "width": words[1]}, whole, whole)
                self.spans |= {((kind, key), False): span for key, span in zip(("axis", "width"), spans, strict=True)}
            case "split_k":
                self._put(("split",), words[0], whole, spans[0])
            case "reorder" | "predicate_tail" | "epilogue" | "cluster" | "epilogue_tile":
                self._put((kind,), words, whole, whole)
                self.spans |= {((kind, at), False): span for at, span in enumerate(spans)}
            case _:
                self._put((kind,), words[0], whole, spans[0])

    def given(self) -> GivenPlan:
        """Returns the plan. Raises `InvalidPlanText` at a field that cannot have its value."""
        if self.tile:
            missing = [axis for axis in AXES[:2] if axis not in self.tile]
            place = self.spans[("tile",), False]
            self._require(not missing, place, f"no split of {' and '.join(missing)}", "add split m 128; split n 64")
            self.fields["tile"] = [self.tile[axis] for axis in AXES if axis in self.tile]
        plan = GivenPlan(self.fields, self._span, self.region)
        plan.check()
        return plan

    def _span(self, path: Path, is_key: bool) -> Span[str]:
        """Returns the span of a value or a key; if the text has none, that of what is around it, at last the first statement."""
        while path and (path, is_key) not in self.spans and (path, False) not in self.spans:
            path = path[:-1]
        nothing = Span(0, len(self.source.content), self.source)
        return self.spans.get((path, is_key)) or self.spans.get((path, False)) or nothing

    def _values(self, statement: Tree[Token]) -> Iterator[tuple[Any, Span[str]]]:
        """Yields the operands of a statement, each with its span."""
        for child in statement.children:
            token = child.children[0] if isinstance(child, Tree) else child
            assert isinstance(token, Token)
            span = Span(token.start_pos or 0, token.end_pos or 0, self.source)
            match token.type:
                case "INT":
                    self._require(len(token) < 20, span, f"{token} is too large", "use a smaller number")
                    yield int(token), span
                case "BOOL":
                    yield token == "true", span
                case "STRING":
                    try:
                        yield loads(token), span
                    except JSONDecodeError as error:
                        raise PlanSyntax(span, problem=f"this is no JSON string: {error.msg}", help="") from None
                case _:
                    yield str(token), span

    def _put(self, path: tuple[str, ...], value: Any, key: Span[str], span: Span[str]) -> None:
        *outer, last = path
        inner: dict[str, Any] = self.fields.setdefault(outer[0], {}) if outer else self.fields
        self._require(last not in inner, key, f"{'.'.join(path)} is given twice", "remove one")
        inner[last] = value
        self.spans |= {(path, True): key, (path, False): span}

    def _append(
        self, name: str, keys: Sequence[str], values: Sequence[Any], whole: Span[str], spans: Sequence[Span[str]]
    ) -> None:
        """Adds an object to a list of them; the last keys may have no values."""
        entries = self.fields.setdefault(name, [])
        path = (name, len(entries))
        entries.append(dict(zip(keys, values, strict=False)))
        self.spans.setdefault(((name,), False), whole)
        self.spans |= {(path, False): whole}
        self.spans |= {((*path, key), False): span for key, span in zip(keys, spans, strict=False)}

    def _require(self, holds: bool, span: Span[str], problem: str, help: str) -> None:
        if not holds:
            raise PlanSyntax(span, problem=problem, help=help)


def _unexpected(error: UnexpectedInput, source: Input) -> PlanSyntax:
    """Returns the error for a token that cannot be at its place."""
    text = source.content
    ended = error.pos_in_stream is None or getattr(getattr(error, "token", None), "type", "") == "$END"
    at = len(text) if ended or error.pos_in_stream is None else error.pos_in_stream
    found = _TOKEN.match(text, at)
    span = Span(at, found.end(), source) if found else Span(max(len(text.rstrip()) - 1, 0), len(text.rstrip()), source)
    allowed: set[str] = set(
        getattr(error, "accepts", None) or getattr(error, "allowed", None) or getattr(error, "expected", ())
    )
    got = f"'{found[0]}'" if found else "the end of the text"
    if {"SPLIT", "BIND"} <= allowed:
        help = did_you_mean(found[0] if found else "", STATEMENTS, otherwise=f"one of {', '.join(STATEMENTS)}")
        return PlanSyntax(span, problem=f"expected a statement, got {got}", help=help)
    want = " or ".join(sorted({EXPECTED.get(name, name.lower()) for name in allowed}))
    before = _TOKEN.search(text, text.rfind(";", 0, at) + 1)
    form = STATEMENTS.get(before[0], "") if before else ""
    help = f"the statement is: {form.replace(chr(34), '')}" if form else ""
    return PlanSyntax(span, problem=f"expected {want}, got {got}", help=help)
