"""
The summary and the options of a pass, for `--help` and the reference pages.

The source of ptir's passes is parsed, not imported: the summary is the first sentence of the class's docstring, the options
are its fields, each described by the string below the field. Other passes are imported; their options have no descriptions.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from xdsl.passes import ModulePass

from .pipeline_elements import option_name

_PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True)
class Option:
    """An option of a pass. `default` is the default value as text, or None if the option is required."""

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
    """The name, the one-line summary and the options of a pass."""

    name: str
    summary: str
    options: tuple[Option, ...] = ()

    def lines(self, width: int = 0) -> list[str]:
        """Returns a line on the pass, with its name padded to `width`, and a line for each option."""
        first = f"{self.name:{width}}  {self.summary}".rstrip()
        return [first, *(f"    {option}" for option in self.options)]


def info_of_path(name: str, path: str) -> PassInfo:
    """Returns the info of the pass `name`, whose class is at `path` (`"module:Class"`), by parsing its source."""
    module, _, cls = path.partition(":")
    place = _PACKAGE.joinpath(*module.split(".")[1:])
    files = [place.with_suffix(".py")] if place.with_suffix(".py").exists() else sorted(place.glob("*.py"))
    for file in files:
        if (node := _classes(file).get(cls)) is not None:
            return PassInfo(name, _sentence(ast.get_docstring(node)), tuple(_options(node, file)))
    return PassInfo(name, "")


def info_of_class(name: str, cls: type[ModulePass]) -> PassInfo:
    """Returns the info of an imported pass."""
    from xdsl.passes import get_pass_option_infos

    doc = cls.__doc__ or ""
    written = "" if re.match(rf"{cls.__name__}\(", doc) else doc  # `dataclass` generates a docstring
    infos = get_pass_option_infos(cls)
    options = (Option(option_name(o.name), _type(o.expected_type), o.default_value) for o in infos)
    return PassInfo(name, _sentence(written), tuple(options))


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


def _classes(file: Path) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in _tree(file).body if isinstance(node, ast.ClassDef)}


def _value(node: ast.expr | None, file: Path) -> str | None:
    """Returns the text of a default value. A name is looked up in `file`, or in the file that it is imported from."""
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
    for field, below in zip(node.body, [*node.body[1:], None], strict=True):
        match field:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                kind, default = ast.unparse(annotation), _value(value, file)
            case _:
                continue
        if "ClassVar" not in kind:
            doc = below.value.value if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) else ""
            default = default.lower() if default in ("True", "False") else default
            found.append(Option(option_name(name), _type(kind), default, " ".join(str(doc).split())))
    return found


def _type(text: str) -> str:
    """Returns the type of an option in the syntax of its values."""
    text = text.strip("'").replace(" | None", "")
    return re.sub(r"tuple\[(\w+), \.\.\.\]", r"\1,…", text)


def _sentence(doc: str | None) -> str:
    """Returns the first sentence of a docstring in one line, without the period."""
    first = " ".join((doc or "").strip().partition("\n\n")[0].split())
    return re.split(r"(?<=[.:])\s(?=[A-Z`])", first)[0].rstrip(".:")
