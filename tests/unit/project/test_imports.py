"""The table of DESIGN §3 says which package may import which; it holds for every import, including those in functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

MAY_IMPORT = {
    "errors": "",
    "targets": "",
    "text": "",
    "elementary": "",
    "diagnostics": "",
    "dialects": "targets elementary",
    "semantics": "dialects elementary",
    "analysis": "dialects targets",
    "planning": "analysis dialects targets",
    "transforms": "semantics analysis planning dialects targets elementary",
    "passes": "transforms planning analysis semantics dialects targets diagnostics",
    "emulator": "",
    "backends": "analysis dialects targets elementary",
    "runtime": "backends emulator passes transforms planning analysis semantics dialects targets diagnostics",
    "frontends": "dialects",
    "tuning": "runtime frontends backends emulator passes transforms planning analysis semantics dialects targets",
    "conformance": "runtime semantics dialects elementary",
    "verification": "emulator passes transforms analysis semantics dialects",
}
"""The packages that each package may import, besides itself, `errors` and `text`. `tools` and the embedding API may import all."""

EVERYTHING = {"tools", "embedding", "intent", "__init__"}

LAZY = {
    "a tool starts in 200 ms, so what one option needs is imported with it": {
        "passes.conversion",
        "passes.instrumentation",
        "passes.levels",
        "passes.manager",
        "passes.pass_info",
        "passes.reproducer",
        "passes.statistics",
        "passes.timing",
        "text.literals",
        "text.parsing",
        "text.suggest",
        "text.writing",
        "diagnostics.rendering",
        "planning.explain",
        "tools.arguments",
        "tools.command_line",
        "tools.console",
        "tools.driver",
        "tools.plan_files",
        "tools.instruments",
        "tools.ptir_conform",
        "tools.ptir_opt",
        "tools.ptir_run",
        "tools.ptir_translate",
        "tools.ptir_tune",
        "tools.ptir_verify",
        "tools.vyre_run",
        "errors",
        "embedding",
        "__init__",
    },
    "isl takes 50 ms": {
        "dialects.poly.points",
        "dialects.poly.text",
        "semantics.pto.access",
        "analysis.index.isl_text",
        "frontends.json.poly.bounds",
        "frontends.json.poly.writing",
    },
    "solvers are extras": {"verification.discharge", "verification.smt"},
    "wgpu is an extra": {"runtime.wgsl"},
    "a program without plans needs no schema of plans": {"dialects.plan"},
    "only the exact strategy needs the solver": {"planning.fusion.exact"},
}
"""Modules that may import in function bodies, by the reason."""


def modules() -> dict[str, Path]:
    """Returns the files of all modules, by dotted name."""
    found: dict[str, Path] = {}
    for package in [*MAY_IMPORT, *EVERYTHING]:
        for path in [ROOT / f"{package}.py", *sorted((ROOT / package).rglob("*.py"))]:
            if path.is_file():
                parts = path.relative_to(ROOT).with_suffix("").parts
                name = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
                found[name] = path
    return found


MODULES = modules()


@cache
def tree(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text("utf-8"))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Returns the statements in a node. Expressions, of which there are many more, hold no imports and no definitions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child
            yield from statements(child)


def imports(name: str) -> Iterator[str]:
    """Returns the modules of the package that `name` imports anywhere: at the top, in function bodies, or for types."""
    parts = name.split(".")
    package = [] if name == "__init__" else parts if MODULES[name].name == "__init__.py" else parts[:-1]
    for node in statements(tree(name)):
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


@cache
def graph() -> dict[str, set[str]]:
    return {name: {target for target in imports(name) if target != name} for name in MODULES}


def test_imports_go_up_the_table():
    assert len(MODULES) > 300
    wrong = {
        f"{name} imports {target}"
        for name, targets in graph().items()
        if (package := name.split(".")[0]) in MAY_IMPORT
        for target in targets
        if target.split(".")[0] not in {*MAY_IMPORT[package].split(), "errors", "text", package, "ptir"}
    }
    assert not wrong


def test_imports_inside_the_package_are_relative():
    assert not {
        f"{name} imports {t}" for name, targets in graph().items() for t in targets if t.split(".")[0] == "ptir"
    }


def test_no_module_imports_itself_in_a_circle():
    try:
        tuple(TopologicalSorter(graph()).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(reversed(error.args[1])))


def test_imports_stand_at_the_start_of_a_module():
    """Exceptions for the sake of start-up time are listed in `LAZY`, which must have no unnecessary entries."""
    lazy = {
        name
        for name in MODULES
        for function in statements(tree(name))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        if any(isinstance(node, ast.Import | ast.ImportFrom) for node in statements(function))
    }
    assert lazy == set().union(*LAZY.values())
