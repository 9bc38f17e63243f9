"""
No input program makes a tool open a file or run a program: it cannot name the passes that do so. The tests find these passes by
reading their sources and by running all passes.
"""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from dataclasses import fields
from functools import cache
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from xdsl.dialects.builtin import StringAttr
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from ptir.passes.environment import OUTSIDE, available_passes, make_context, passes_for_inputs
from ptir.passes.errors import FailedOutside, ReachesOutside
from ptir.passes.manager import PassManager
from ptir.passes.pipeline import build_pipeline
from ptir.passes.reproducer import reproducer
from ptir.text.parsing import parse_text
from ptir.tools.ptir_opt import main
from tests.unit.builders.tool import Run, tool

PROGRAM = "func.func @f() {\n  func.return\n}\n"

# --- which passes reach outside -----------------------------------------------------------------

_REACHES = re.compile(
    r"(?<![\w.])(?<!def )(?:open|exec|eval|__import__|breakpoint|input)\(|\bos\.(?:system|popen|exec|spawn|fork|remove|unlink|mkdir)"
    r"|\.(?:read_text|read_bytes|write_text|write_bytes|urlopen|unlink|mkdir)\("
    r"|^\s*(?:import|from) (?:subprocess|shutil|socket|tempfile|pickle|urllib|http|multiprocessing|pty|importlib)\b",
    re.MULTILINE,
)
_IMPORT = re.compile(r"^\s*(?:from (\.*[\w.]*) import (\([^)]*\)|[^\n]*)|import ([\w.]+))", re.MULTILINE)
_TABLES = {"xdsl.transforms", "xdsl.dialects", "xdsl.targets"}
"""Packages that import all of their modules when one is requested."""


@cache
def module(name: str) -> tuple[frozenset[str], bool] | None:
    """
    Returns the xDSL modules that a module imports, and whether it has effects outside of the program; None if it is no module.
    """
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:
        return None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    text = Path(spec.origin).read_text("utf-8")
    package = name if spec.submodule_search_locations is not None else name.rpartition(".")[0]
    found: set[str] = set()
    for origin, names, whole in _IMPORT.findall(text):
        base = resolve_name(origin, package) if origin.startswith(".") else origin or whole
        found |= {base, *(f"{base}.{part}" for part in re.findall(r"\w+", names))}
    return frozenset(i for i in found if i.startswith("xdsl.") and i not in _TABLES), bool(_REACHES.search(text))


def reaching(start: str) -> set[str]:
    """Returns the modules with effects outside of the program among those that `start` imports, directly or not."""
    seen, pending, found = {start}, [start], set[str]()
    while pending:
        name = pending.pop()
        if (known := module(name)) is None:
            continue
        if known[1]:
            found.add(name)
        pending += known[0] - seen
        seen |= known[0]
    return found


@pytest.mark.sampled(1)
def test_the_list_is_what_the_sources_say():
    theirs = {name: kind.__module__ for name, factory in available_passes().items() if (kind := factory())}
    xdsl = {name: where for name, where in theirs.items() if where.startswith("xdsl.")}
    assert len(xdsl) > 100
    assert {name for name, where in xdsl.items() if reaching(where)} == OUTSIDE


_ACTS = {"subprocess.Popen", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "socket.connect"}


class Guard:
    """Records accesses of `canary`, processes and connections by an audit hook. Python has no way to remove such a hook."""

    def __init__(self, canary: str):
        self.canary = canary
        self.acts: list[str] = []
        sys.addaudithook(self._watch)

    def _watch(self, event: str, args: tuple[Any, ...]) -> None:
        if event in _ACTS or (event == "open" and args[0] == self.canary):
            self.acts.append(event)


def options(kind: type[ModulePass], canary: str) -> dict[str, Any]:
    """Returns options for a pass: the canary for each option that accepts a text, and values for other required options."""
    found: dict[str, Any] = {}
    for field in fields(kind):
        hint = str(get_type_hints(kind).get(field.name))
        if not field.init or field.name == "name":
            continue
        if "str" in hint and "Literal" not in hint:
            found[field.name] = (canary,) if "tuple" in hint else canary
        elif field.default is field.default_factory:  # both are MISSING: the option is required
            found[field.name] = (1,) if "tuple" in hint else "wse3" if "Literal" in hint else 1
    return found


def test_the_list_is_what_passes_do(tmp_path: Path):
    canary = tmp_path / "canary"
    canary.write_text("#!/bin/sh\n")
    canary.chmod(0o755)
    guard, acting = Guard(str(canary)), set[str]()
    program = parse_text(PROGRAM, make_context())
    for name, factory in available_passes().items():
        guard.acts.clear()
        with suppress(DiagnosticException):  # the pass may reject these options
            manager = PassManager([(kind := factory())(**options(kind, str(canary)))], verify="never")
            manager.run(program.clone())
        if guard.acts:
            acting.add(name)
    assert acting == OUTSIDE


# --- who may name them --------------------------------------------------------------------------


def test_inputs_name_every_other_pass():
    refused: set[str] = set()
    for name, factory in passes_for_inputs().items():
        try:
            factory()
        except PermissionError:
            refused.add(name)
    assert refused == OUTSIDE


def test_a_pass_of_a_plugin_is_not_an_inputs_to_name(monkeypatch: pytest.MonkeyPatch):
    passes = {**available_passes(), "plugged-in": available_passes()["cse"]}
    monkeypatch.setattr("ptir.passes.environment.available_passes", lambda: passes)
    assert build_pipeline("plugged-in", passes)
    with pytest.raises(ReachesOutside):
        build_pipeline("plugged-in", passes_for_inputs())


@pytest.fixture
def opt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    return tool(main, tmp_path / "m.mlir", capsys)


SCHEDULE = """module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @__transform_main(%0: !transform.any_op) {{
    %1 = transform.apply_registered_pass {} to %0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }}
}}
"""


@pytest.mark.parametrize("pipeline", ["{}", "builtin.module({})", "cse,func.func({})"])
@pytest.mark.parametrize("name", sorted(OUTSIDE))
def test_a_reproducer_and_a_schedule_are_refused(opt: Run, tmp_path: Path, name: str, pipeline: str):
    written = tmp_path / "written"
    options = f'{{executable="touch" arguments="{written}"}}' if name == "mlir-opt" else ""
    text = pipeline.format(name + options)
    status, _, err = opt(reproducer(PROGRAM, text), "--run-reproducer")
    assert status == 1 and f"error[PTIR0040]: pass '{name}'" in err
    status, _, err = opt(SCHEDULE.format(StringAttr(text)), "-p", "transform-interpreter")
    assert status == 1 and f"error[PTIR0040]: pass '{name}'" in err
    assert not written.exists()


def test_other_passes_run_from_a_schedule(opt: Run):
    status, out, err = opt(SCHEDULE.format('"cse,canonicalize"'), "-p", "transform-interpreter")
    assert status == 0 and "named_sequence" in out, err
    for name, code in (("no-such", "PTIR0602"), ("transform-interpreter", "PTIR0602"), ("cse{x=1}", "PTIR0603")):
        assert f"error[{code}]" in opt(SCHEDULE.format(f'"{name}"'), "-p", "transform-interpreter")[2]


def test_options_of_a_schedule_are_those_of_the_pass(opt: Run):
    schedule = SCHEDULE.format('"symbol-privatize" with options = {exclude = ["f", "g"]}')
    functions = "".join(f"func.func @{name}() {{ func.return }}\n" for name in "fgh")
    out = opt(schedule.replace("{\n", "{\n" + functions, 1), "-p", "transform-interpreter")[1]
    assert all(words in out for words in ("func.func @f", "func.func @g", "func.func private @h"))
    for options, code in (
        ("{exclud = 1}", "PTIR0603"),
        ("{exclude = i32}", "PTIR0210"),
        ('{exclude = "a, b=\\" c"}', ""),
    ):
        status, _, err = opt(
            SCHEDULE.format(f'"symbol-privatize" with options = {options}'), "-p", "transform-interpreter"
        )
        assert (f"error[{code}]" in err) if code else status == 0, err


def test_what_a_pass_reads_is_not_shown_as_the_input(opt: Run, tmp_path: Path):
    secret = tmp_path / "secret"
    secret.write_text("first line of a file that is no IR\n")
    status, _, err = opt(PROGRAM, "-p", f"apply-pdl{{pdl-file={secret}}}")
    assert status == 1 and "m.mlir:1:1: error[PTIR0041]: pass 'apply-pdl' failed" in err and "first line of" not in err
    assert "error[PTIR0604]" in opt(PROGRAM, "-p", f"apply-pdl{{pdl-file={tmp_path / 'none'}}}")[2]
    with pytest.raises(FailedOutside):
        PassManager(f"mlir-opt{{executable={tmp_path / 'none'}}}").run(parse_text(PROGRAM, make_context()))
