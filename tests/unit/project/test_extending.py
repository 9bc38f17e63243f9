"""The pages of `docs/extending`: their patches apply to a copy of the package, and their programs print the documented output."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = ROOT / "docs" / "extending"
MOST_FILES = 6
PATCHED = ("tests/random_programs", "tests/unit/emulator")
"""Folders outside of the package that the pages change."""


def blocks(page: str) -> list[tuple[str, str]]:
    """The fenced blocks of a page, each with its language."""
    return re.findall(r"^```(diff|python|text)\n(.*?)^```", (PAGES / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)


def apply(patch: str, root: Path) -> str:
    """
    Applies a patch, `--- file` and hunks that begin with `@@`, and returns the name of the file. A hunk has no line numbers:
    what it shows of the file must stand there once.
    """
    head, *hunks = re.split(r"^@@.*\n", patch, flags=re.MULTILINE)
    name = head.removeprefix("--- ").strip()
    text = (root / name).read_text("utf-8")
    for hunk in hunks:
        lines = [line or " " for line in hunk.splitlines()]
        before, after = ("".join(line[1:] + "\n" for line in lines if line[0] != sign) for sign in "+-")
        assert text.count(before) == 1, f"{name} has {text.count(before)} times\n{before}"
        text = text.replace(before, after)
    (root / name).write_text(text, "utf-8")
    return name


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Returns a copy of the package and of the tests that the pages change."""
    packages = {path.parent for path in ROOT.glob("*/__init__.py")}
    ignore = shutil.ignore_patterns("__pycache__")
    for package in [*packages, *(ROOT / name for name in PATCHED)]:
        shutil.copytree(package, tmp_path / "ptir" / package.relative_to(ROOT), ignore=ignore)
    for file in [*ROOT.glob("*.py"), ROOT / "py.typed"]:
        shutil.copy(file, tmp_path / "ptir" / file.name)
    return tmp_path / "ptir"


def carry_out(page: str, copy: Path) -> set[str]:
    """Applies the patches of a page, runs its programs, and returns the files that the patches change."""
    changed, printed, programs = set[str](), "", 0
    environment = os.environ | {"PYTHONPATH": str(copy.parent), "PTIR_CACHE_DIR": str(copy.parent / "cache")}
    for kind, text in blocks(page):
        if kind == "diff":
            changed.add(apply(text, copy))
        elif kind == "python":
            command = [sys.executable, "-c", text]
            done = subprocess.run(
                command, cwd=copy.parent, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            printed, programs = done.stdout, programs + 1
        else:
            assert printed == text
    assert programs
    return changed


@pytest.mark.campaign
def test_an_architecture_is_added_in_targets_alone(copy: Path):
    assert {Path(name).parts[0] for name in carry_out("architecture.md", copy)} == {"targets"}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("page", ["elementwise_op.md", "ptx_instruction.md"])
def test_an_addition_takes_few_files(page: str, copy: Path):
    assert 0 < len(carry_out(page, copy)) <= MOST_FILES


def test_every_page_is_carried_out():
    assert {path.name for path in PAGES.glob("*.md")} == {"architecture.md", "elementwise_op.md", "ptx_instruction.md"}
