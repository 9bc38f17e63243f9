"""Every error code has a test of its complete message: in tests/filecheck if a text can cause it, otherwise in tests/unit."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

import pytest
from generator.errors import error_classes

from ptir.errors import PtirError
from ptir.passes.errors import NotLegal
from ptir.text.errors import VerificationFailed

ROOT = Path(__file__).parents[3]
CODE = re.compile(r"PTIR\d{4}")
FAMILY = {"PTIR0000", "PTIR0123", "PTIR0201"}
"""The code of the base class, and codes that docstrings use as examples."""

EMULATOR = "a fault of PTX, which no tool reads"
PYTHON = "only the Python API causes it"
BUG = "only a bug of a pass, a rule, a dialect or ptir causes it"
ANALYSIS = "the answer to a query of the analysis, which no tool asks"
MACHINE = "it depends on what is installed, or on a GPU"
UNIT: dict[str, str] = {
    **dict.fromkeys(
        (f"PTIR{number:04}" for number in (*range(501, 507), *range(510, 525), *range(526, 530))), EMULATOR
    ),
    **dict.fromkeys((f"PTIR{number:04}" for number in range(550, 561)), EMULATOR),
    **dict.fromkeys(("PTIR0480", "PTIR0481", "PTIR0532", "PTIR0536", "PTIR0537", "PTIR0538", "PTIR0541"), PYTHON),
    **dict.fromkeys(("PTIR0542", "PTIR0576", "PTIR0578", "PTIR0579", "PTIR0580", "PTIR0613"), PYTHON),
    **dict.fromkeys(("PTIR0197", "PTIR0199", "PTIR0214", "PTIR0232", "PTIR0233", "PTIR0606", "PTIR0616"), BUG),
    **dict.fromkeys(("PTIR0630", "PTIR0631", "PTIR0632", "PTIR0699"), BUG),
    **dict.fromkeys(("PTIR0230", "PTIR0231", "PTIR0250", "PTIR0251", "PTIR0252", "PTIR0253", "PTIR0254"), ANALYSIS),
    **dict.fromkeys(("PTIR0584", "PTIR0585", "PTIR0586"), PYTHON),
    "PTIR0255": ANALYSIS,
    "PTIR0256": BUG,
    "PTIR0596": PYTHON,
    **dict.fromkeys(("PTIR0007", "PTIR0401", "PTIR0402", "PTIR0403", "PTIR0404", "PTIR0405", "PTIR0406"), MACHINE),
    **dict.fromkeys(("PTIR0407", "PTIR0408", "PTIR0530", "PTIR0533", "PTIR0534", "PTIR0535", "PTIR0609"), MACHINE),
    **dict.fromkeys(("PTIR0590", "PTIR0591", "PTIR0592", "PTIR0593"), PYTHON),
    **dict.fromkeys(("PTIR0589", "PTIR0594", "PTIR0595", "PTIR0599"), MACHINE),
    "PTIR0649": "thousands of brackets",
}
"""Codes that no small input of a tool causes, each with the reason. Unit tests cover them."""


@cache
def codes() -> dict[str, list[str]]:
    """Returns the templates of each code of the product. A code without a class has none."""
    found: dict[str, list[str]] = {}
    for package in ROOT.glob("[a-z]*"):
        if package.name not in ("tests", "docs", "build", "dist", "examples", "benchmarks"):
            for path in (package, *package.rglob("*.py")):
                if path.suffix == ".py":
                    found.update({code: [] for code in CODE.findall(path.read_text("utf-8"))})
    for kind in error_classes():
        if not issubclass(kind, VerificationFailed):  # its failures are reported with codes of their own
            found[kind.code].append(kind.template)
    return {code: found[code] for code in sorted(found.keys() - FAMILY - {NotLegal.code})}


@cache
def lit() -> dict[str, list[str]]:
    """Returns the messages that CHECK lines of tests/filecheck expect with each code."""
    found: dict[str, list[str]] = {}
    for path in (ROOT / "tests" / "filecheck").rglob("*"):
        if path.suffix in (".mlir", ".test"):
            for code, message in re.findall(
                r"(?m)^ *(?://|#) [A-Z]+.*?error\[(PTIR\d{4})\]: (.*)$", path.read_text("utf-8")
            ):
                found.setdefault(code, []).append(message)
    return found


def strings(path: Path) -> Iterator[str]:
    """Yields the strings of a Python file, in which `…` replaces the expressions of f-strings."""
    inside: set[ast.AST] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.JoinedStr):
            inside.update(node.values)
            yield "".join(v.value if isinstance(v, ast.Constant) else "…" for v in node.values)  # pyright: ignore[reportArgumentType,reportUnknownMemberType]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inside:
            yield node.value


@cache
def unit() -> dict[str, list[str]]:
    """Returns the messages that strings of tests/unit have with each code."""
    found: dict[str, list[str]] = {}
    for path in (ROOT / "tests" / "unit").rglob("test_*.py"):
        if "error[PTIR" in path.read_text("utf-8"):
            for text in strings(path):
                for code, message in re.findall(r"error\[(PTIR\d{4})\]: ([^\n]*)", text):
                    found.setdefault(code, []).append(message)
    return found


def shows(template: str, messages: list[str]) -> bool:
    """Whether one of `messages` is an instance of the first line of `template`."""
    parts = Formatter().parse(template.split("\n")[0])
    pattern = "".join(re.escape(text) + ".*" * (field is not None) for text, field, _, _ in parts)
    return any(re.fullmatch(pattern, message) for message in messages)


def test_every_code_is_shown():
    unshown = [
        f"{code}: {template}"
        for code, templates in codes().items()
        for template in templates or ["{message}"]
        if not shows(template, (unit() if code in UNIT else lit()).get(code, []))
    ]
    assert not unshown, "show the code and the message in tests/filecheck/errors, or add the code to UNIT"


def test_the_list_of_codes_without_a_text_is_short():
    assert not UNIT.keys() - codes().keys(), "no such code"
    assert not UNIT.keys() & lit().keys(), "a text causes it"


@pytest.mark.parametrize(
    ("template", "message", "same"),
    [
        ("axis {axis} is out of range for rank {rank}", "axis 3 is out of range for rank 2", True),
        ("axis {axis} is out of range for rank {rank}", "axis 3 is out of range", False),
        ("{problem}\n  {where}", "a barrier of 16 threads", True),
        ("write {{{x}}}", "write {1}", True),
    ],
)
def test_instances_of_templates(template: str, message: str, same: bool):
    assert shows(template, [message]) == same


def test_a_new_code_has_no_test():
    class New(PtirError):
        code = "PTIR0999"
        template = "nothing shows {this}"

    assert not shows(New.template, lit().get(New.code, []) + unit().get(New.code, []))
