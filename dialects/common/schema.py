"""Turns msgspec's validation errors into a path, a sentence and the valid choices."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, cast

import msgspec

Path = tuple[str | int, ...]

_AT = re.compile(r" - at (?:`(?:key|\w+)` in )?`(\$[^`]*)`$")
_STEP = re.compile(r"\.([A-Za-z_]\w*)|\[(\d+|\.\.\.)\]")
_QUOTED = re.compile(r"unknown field `([^`]*)`|[Ii]nvalid (?:enum )?value '?(.*?)'?$", re.DOTALL)
_THEIRS = re.compile(r"Object |Expected |Invalid |JSON ")
_MAX_CHOICES = 24


@dataclass(frozen=True)
class Mismatch:
    """
    A value that violates its schema. `word` is the invalid value. With `is_field`, it is the name of an unknown field, and `path`
    ends with it. For other violations, `word` is empty.
    """

    problem: str
    path: Path
    word: str = ""
    is_field: bool = False
    of_map: bool = False
    """Whether `path` ends at a map with an invalid value."""
    choices: tuple[str, ...] = ()

    def help(self, words: set[str]) -> str:
        """Suggests the nearest of the choices (without choices, of `words`) to `word`, and lists the choices if they are few."""
        near = get_close_matches(self.word, self.choices or words - {self.word}, 1)
        meant = [f"did you mean '{near[0]}'?"] if self.word and near else []
        few = [f"one of {', '.join(self.choices)}"] if 0 < len(self.choices) <= _MAX_CHOICES else []
        return " ".join(meant + few)


def mismatch(error: msgspec.ValidationError, of: Any, present: Collection[str | int] = ()) -> Mismatch:
    """
    Converts an error of the schema `of`, with the path of the value at fault. msgspec gives no path if a rule about several
    fields is violated; the path is then the first of the `present` fields that the message names.

    >>> class Point(msgspec.Struct, forbid_unknown_fields=True):
    ...     x: int
    >>> try:
    ...     msgspec.convert({"y": 1}, Point)
    ... except msgspec.ValidationError as e:
    ...     mismatch(e, Point)
    Mismatch(problem="unknown field 'y'", path=('y',), word='y', is_field=True, of_map=False, choices=('x',))
    """
    message = str(error)
    at = _AT.search(message)
    problem = message[: at.start()] if at else message
    steps = [(name, number) for name, number in _STEP.findall(at[1] if at else "")]
    of_map = any(number == "..." for _, number in steps)
    path: Path = tuple(name or int(number) for name, number in steps if number != "...")
    quoted = _QUOTED.search(problem)
    word = (quoted[1] or quoted[2] or "") if quoted else ""
    node = _node(of, path)
    if not path and not _THEIRS.match(problem):
        path = first_named(problem, present)
    if is_field := quoted is not None and quoted[1] is not None:
        path = (*path, word)
    choices = node.get("enum") or (is_field and node.get("properties")) or ()
    problem = _sentence(problem, node.get("examples", ()))
    return Mismatch(problem, path, word, is_field, of_map, tuple(map(str, choices)))


def first_named(text: str, fields: Collection[str | int]) -> Path:
    """Returns the path of the first of `fields` that `text` names, with the field in it if that is named too; empty if none is."""
    for name, _, inner in (word.partition(".") for word in re.findall(r"[a-z]\w*(?:\.\w+)?", text)):
        if name in fields:
            return (name, inner) if inner else (name,)
    return ()


def _sentence(problem: str, examples: Sequence[str]) -> str:
    if "matching regex" in problem and examples:
        return f"expected text such as {' or '.join(map(repr, examples))}"
    problem = problem.replace("`", "'").removeprefix("Object contains ")
    for theirs, ours in (
        ("Object missing", "missing"),
        ("Invalid enum value '", "unknown word '"),
        ("Invalid enum value", "unknown value"),
        ("Invalid value", "unknown"),
    ):
        problem = problem.replace(theirs, ours)
    return problem[:1].lower() + problem[1:]


@cache
def _schema(of: Any) -> dict[str, Any]:
    return msgspec.json.schema(of)


def _node(of: Any, path: Path) -> dict[str, Any]:
    """Returns the JSON Schema of the value at `path`; empty if the schema allows several alternatives there."""
    whole = _schema(of)

    def resolved(node: Any) -> dict[str, Any]:
        while isinstance(node, dict) and "$ref" in node:
            node = whole["$defs"][cast("dict[str, str]", node)["$ref"].rsplit("/")[-1]]
        return cast("dict[str, Any]", node) if isinstance(node, dict) else {}

    node = resolved(whole)
    for step in path:
        inner = node.get("items") if isinstance(step, int) else node.get("properties", {}).get(step)
        node = resolved(inner or node.get("additionalProperties"))
    return node


@cache
def words(of: Any) -> set[str]:
    """Returns every field name and enumeration value of a schema."""
    found: set[str] = set()
    stack: list[Any] = [_schema(of)]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            fields = cast("dict[str, Any]", node)
            found.update([*fields.get("properties", ()), *map(str, fields.get("enum", ()))])
            stack += fields.values()
        elif isinstance(node, list):
            stack += cast("list[Any]", node)
    return found
