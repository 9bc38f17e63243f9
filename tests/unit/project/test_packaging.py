"""The wheel contains the package and nothing else, independently of the folders in the tree."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
DATA = [
    path.relative_to(ROOT)
    for path in [*(ROOT / "dialects" / "vyre" / "library").glob("*.mlir"), ROOT / "elementary" / "tables.txt"]
]
NOT_PACKAGES = {"tests", "docs", "examples", "benchmarks", "build", "dist"}


def sources() -> list[Path]:
    """Returns all Python files of the package, relative to the root."""
    files = [path.relative_to(ROOT) for path in ROOT.rglob("*.py")]
    return [f for f in files if f.parts[0] not in NOT_PACKAGES and not any(part.startswith(".") for part in f.parts)]


def test_the_listed_packages_are_those_on_disk():
    found = {".".join(("ptir", *path.parent.parts)) for path in sources()}
    assert sorted(PROJECT["tool"]["setuptools"]["packages"]) == sorted(found)


def test_every_folder_of_the_package_has_an_init():
    missing = {str(path.parent) for path in sources() if not (ROOT / path.parent / "__init__.py").exists()}
    assert not missing


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Builds the wheel from a copy of the files that git tracks or would add, which excludes the `build/` of earlier builds."""
    pytest.importorskip("build", reason="pip install 'ptir[test]'")
    copy, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for path in [*sources(), *DATA, *map(Path, ("pyproject.toml", "py.typed", "README.md", "LICENSE"))]:
        (copy / path.parent).mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, copy / path)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(copy)]
    done = subprocess.run(command, cwd=out, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return zipfile.ZipFile(next(out.glob("*.whl")))


def test_the_wheel_holds_every_source_file(wheel: zipfile.ZipFile):
    held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert held == {f"ptir/{path.as_posix()}" for path in [*sources(), Path("py.typed"), *DATA]}


def test_the_wheel_declares_its_commands_plugin_and_license(wheel: zipfile.ZipFile):
    info = next(name.split("/")[0] for name in wheel.namelist() if ".dist-info/" in name)
    entry_points = wheel.read(f"{info}/entry_points.txt").decode()
    for line in ("ptir-opt = ", "ptir-run = ", "[xdsl.universe]"):
        assert line in entry_points
    assert "License-Expression: Apache-2.0" in wheel.read(f"{info}/METADATA").decode()
    assert b"Apache License" in wheel.read(f"{info}/licenses/LICENSE")
