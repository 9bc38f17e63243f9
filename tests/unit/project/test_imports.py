"""Who may import whom: the table of DESIGN §3, enforced on every file of the package."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

MAY_IMPORT = {
    "errors": "",
    "targets": "",
    "text": "",
    "diagnostics": "",
    "dialects": "targets",
    "semantics": "dialects",
    "analysis": "dialects targets",
    "planning": "analysis dialects targets",
    "transforms": "semantics analysis planning dialects targets",
    "passes": "transforms planning analysis semantics dialects targets diagnostics",
    "emulator": "",
    "backends": "analysis dialects targets",
    "runtime": "backends emulator passes transforms planning analysis semantics dialects targets diagnostics",
    "frontends": "dialects",
}
"""Everyone may import `errors`, `text` and the package itself; `tools` and the embedding API import everything."""

EVERYTHING = {"tools", "__init__"}


def modules() -> dict[str, Path]:
    """Dotted name inside the package → file."""
    found: dict[str, Path] = {}
    for room in [*MAY_IMPORT, *EVERYTHING]:
        for path in [ROOT / f"{room}.py", *sorted((ROOT / room).rglob("*.py"))]:
            if path.is_file():
                parts = path.relative_to(ROOT).with_suffix("").parts
                name = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
                found[name] = path
    return found


MODULES = modules()


def imports(name: str, *, at_start: bool = False) -> Iterator[str]:
    """Modules of the package that `name` imports; `at_start` leaves out those in functions and for types."""
    path = MODULES[name]
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    if name == "__init__":
        package = []
    for node in _statements(ast.parse(path.read_text("utf-8")), at_start):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "ptir")
        elif isinstance(node, ast.ImportFrom):
            if node.level == 0:
                if node.module and node.module.split(".")[0] == "ptir":
                    yield node.module
                continue
            base = package[: len(package) - node.level + 1]
            target = [*base, *(node.module.split(".") if node.module else [])]
            for alias in node.names:
                inner = ".".join([*target, alias.name])
                yield inner if inner in MODULES else ".".join(target) or "__init__"


def _statements(tree: ast.AST, at_start: bool) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(tree):
        lazy = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for_types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
        if at_start and (lazy or for_types):
            continue
        yield child
        yield from _statements(child, at_start)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_only_the_rooms_above_are_imported(name: str):
    room = name.split(".")[0]
    if room in EVERYTHING:
        return
    allowed = MAY_IMPORT[room] | {"errors", room}
    wrong = sorted({target for target in imports(name) if target.split(".")[0] not in {*allowed, "ptir"}})
    assert not wrong, f"{name} imports {wrong}; {room}/ may import {sorted(allowed)}"


@pytest.mark.parametrize("name", sorted(MODULES))
def test_imports_inside_the_package_are_relative(name: str):
    absolute = [target for target in imports(name) if target.split(".")[0] == "ptir" and target not in MODULES]
    assert not absolute, f"{name} imports {absolute} by its absolute name"


def test_no_module_imports_itself_in_a_circle():
    graph = {name: {t for t in imports(name, at_start=True) if t in MODULES and t != name} for name in MODULES}
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> None:
        assert name not in path, " -> ".join([*path[path.index(name) :], name])
        if name not in done:
            for target in graph[name]:
                visit(target, [*path, name])
            done.add(name)

    for name in graph:
        visit(name, [])
