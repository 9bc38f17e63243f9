"""The generated pages are up to date, and the IR in docstrings is valid."""

from __future__ import annotations

import inspect
import re
import sys
from collections import defaultdict
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from pkgutil import resolve_name

import generate
import pytest
from generator.errors import error_classes
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.parser import Parser

from ptir.dialects.region import LaunchOp
from ptir.passes.environment import make_context
from ptir.passes.registry import DIALECTS
from ptir.text.verify import verify_module

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
GENERATED = sorted([*(p.with_suffix("") for p in DOCS.rglob("*.md.in")), *(DOCS / "reference").rglob("*.md")])


def test_every_generated_page_is_committed_and_no_other():
    assert sorted(str(path.relative_to(DOCS)) for path in GENERATED) == sorted(generate.PAGES)


@pytest.mark.parametrize("path", GENERATED, ids=lambda p: str(p.relative_to(DOCS)))
def test_the_committed_page_is_current(path: Path):
    assert path.read_text("utf-8") == generate.PAGES[str(path.relative_to(DOCS))](), (
        "run `make docs` and commit what it writes"
    )


@pytest.mark.parametrize("path", [*DOCS.rglob("*.md"), *ROOT.glob("*.md")], ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text("utf-8")):
        assert "://" in target or (path.parent / target).exists(), f"{path.name} links to {target}"


@pytest.mark.parametrize("path", ["ptir_opt.md", "analysis.md"])
def test_a_command_that_is_shown_prints_something(path: str):
    shown = re.findall(r"```console\n\$ (.*)\n([^`]*)```", (DOCS / path).read_text("utf-8"))
    assert shown and not [command for command, output in shown if not output.strip()]
    assert not [command for command, output in shown if "internal error" in output or "PTIR0699" in output]


def test_an_error_code_means_one_thing():
    classes = defaultdict[str, set[str]](set)
    for error in error_classes():
        if error.template != "{message}" and "code" in vars(error):
            classes[error.code].add(error.__qualname__)
    # Some codes have several classes: files that cannot be opened or decoded; IR that does not verify;
    # and nesting that is too deep to parse or to print.
    one = {"PTIR0002", "PTIR0004", "PTIR0100"}
    assert not {code: names for code, names in classes.items() if len(names) > 1 and code not in one}


def test_the_first_program_prints_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Executes its blocks in order: `// name` starts a file, python is run, and text is the output of the python before it."""
    monkeypatch.chdir(tmp_path)
    printed, names = "", dict[str, object]()
    blocks = re.findall(r"```(mlir|python|text)\n(.*?)```", (DOCS / "first_program.md").read_text("utf-8"), re.DOTALL)
    assert len(blocks) > 10
    for kind, text in blocks:
        if kind == "mlir":
            (tmp_path / text.split()[1]).write_text(text, "utf-8")
        elif kind == "python":
            with redirect_stdout(StringIO()) as out:
                exec(text, names)  # executes the page's example
            printed = out.getvalue()
        else:
            assert printed == text


# --- the IR in docstrings -------------------------------------------------------------------------------


def snippets() -> dict[str, str]:
    """Returns the IR in `mlir` blocks of docstrings, by location. Blocks with `…`, and those of single attributes, are skipped."""
    found: dict[str, str] = {}
    for path in DIALECTS.values():
        dialect = resolve_name(path)
        module = sys.modules[path.split(":")[0]]
        for owner in [module, *dialect.operations, *dialect.attributes]:
            for k, text in enumerate(re.findall(r"```mlir\n(.*?)```", inspect.getdoc(owner) or "", re.DOTALL)):
                if "…" not in text and not text.startswith(("#", "!")):
                    found[f"{owner.__name__}-{k}"] = text
    return found


SNIPPETS = snippets()


def read(text: str) -> ModuleOp:
    """Parses operations. If they use undefined operands or kernels, defines these by a `test.op`."""
    parser = Parser(make_context(), text)
    ops = []
    while (op := parser.parse_optional_operation()) is not None:
        ops.append(op)
    assert parser.pos >= len(text.rstrip()), f"not an operation: {text[parser.pos :]}"
    for values in parser.forward_ssa_references.values():
        for value in values.values():
            definition = test.TestOp(result_types=[value.type])
            value.replace_all_uses_with(definition.results[0])
            ops.insert(0, definition)
    return ModuleOp(ops, {"ptir.extensions": UnitAttr()})


PLACED = {
    f"ptir.dialects.nv.{name}" for name in ("roles", "mbarrier", "tma", "wgmma", "points", "copy_offsets", "pick")
}
PLACED.add("ptir.dialects.vyre.program")
"""Ops that are valid only inside a kernel, role, epilogue or program. `tests/filecheck/{nv,vyre}` test them."""


@pytest.mark.parametrize("where", SNIPPETS)
def test_ir_in_a_docstring_verifies_and_round_trips(where: str):
    module = read(SNIPPETS[where])
    if not any(type(op).__module__ in PLACED or isinstance(op, LaunchOp) for op in module.walk()):
        verify_module(module)
    assert str(Parser(make_context(), str(module)).parse_module()) == str(module)


def test_there_are_snippets_to_check():
    assert len(SNIPPETS) >= 15, sorted(SNIPPETS)
