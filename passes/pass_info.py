"""
What there is to say of a pass: a summary and its options, for `--help` and the reference pages.

It is read in the source of ptir's passes, without importing them: the first sentence of the class's docstring, and its
fields, each with the string below it. Other passes must be imported and have no texts for their options.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from xdsl.passes import ModulePass

_PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True)
class Option:
    """`default` is text; without one the option must be given."""

    name: str
    type: str
    default: str | None
    doc: str = ""

    def __str__(self) -> str:
        default = f" (default: {self.default})" if self.default not in (None, "None", "()") else ""
        required = " (required)" if self.default is None else ""
        return f"{self.name}=<{self.type}>{f'  {self.doc}' if self.doc else ''}{default}{required}"


@dataclass(frozen=True)
class PassInfo:
    name: str
    summary: str
    options: tuple[Option, ...] = ()

    def lines(self, width: int = 0) -> list[str]:
        """The pass, and below it its options."""
        first = f"{self.name:{width}}  {self.summary}".rstrip()
        return [first, *(f"    {option}" for option in self.options)]


def info_of_path(name: str, path: str) -> PassInfo:
    """Of the pass that `registry.PASSES` has there."""
    module, _, cls = path.partition(":")
    place = _PACKAGE.joinpath(*module.split(".")[1:])
    files = [place.with_suffix(".py")] if place.with_suffix(".py").exists() else sorted(place.glob("*.py"))
    for file in files:
        if (node := _classes(file).get(cls)) is not None:
            return PassInfo(name, _sentence(ast.get_docstring(node)), tuple(_options(node, file)))
    return PassInfo(name, "")


def info_of_class(name: str, cls: type[ModulePass]) -> PassInfo:
    """Of any pass that has been imported."""
    from xdsl.passes import get_pass_option_infos

    doc = cls.__doc__ or ""
    written = "" if re.match(rf"{cls.__name__}\(", doc) else doc  # by `dataclass`
    options = (
        Option(o.name.replace("_", "-"), _type(o.expected_type), o.default_value) for o in get_pass_option_infos(cls)
    )
    return PassInfo(name, _sentence(written), tuple(options))


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


def _classes(file: Path) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in _tree(file).body if isinstance(node, ast.ClassDef)}


def _value(node: ast.expr | None, file: Path) -> str | None:
    """The text of a default, which may be a constant of the file or of one that it imports from."""
    if not isinstance(node, ast.Name):
        return None if node is None else ast.unparse(node).strip("'")
    for statement in _tree(file).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=node.id)], value=value):
                return _value(value, file)
            case ast.ImportFrom(module=str(module), names=names, level=level) if node.id in [n.name for n in names]:
                place = file.parents[level - 1].joinpath(*module.split("."))
                return _value(node, place.with_suffix(".py"))
            case _:
                pass
    return node.id


def _options(node: ast.ClassDef, file: Path) -> list[Option]:
    found: list[Option] = []
    for k, field in enumerate(node.body):
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        kind = ast.unparse(field.annotation)
        below = node.body[k + 1] if k + 1 < len(node.body) else None
        doc = below.value.value if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) else ""
        default = _value(field.value, file)
        if "ClassVar" not in kind:
            found.append(
                Option(field.target.id.replace("_", "-"), _type(kind), _truth(default), " ".join(str(doc).split()))
            )
    return found


def _truth(default: str | None) -> str | None:
    return default.lower() if default in ("True", "False") else default


def _type(text: str) -> str:
    """The type of an option as its values are written."""
    text = text.strip("'").replace(" | None", "")
    return re.sub(r"tuple\[(\w+), \.\.\.\]", r"\1,…", text)


def _sentence(doc: str | None) -> str:
    """The first sentence, in one line."""
    first = " ".join((doc or "").strip().partition("\n\n")[0].split())
    return re.split(r"(?<=[.:])\s(?=[A-Z`])", first)[0].rstrip(".:")
