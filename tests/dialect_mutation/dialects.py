"""The source files of each dialect, and the files of its tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Dialect:
    """Glob patterns relative to the repository's root: `sources` are mutated, `tests` must detect it."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]
    skipped: tuple[str, ...] = ()
    """Tests of these files that do not run, because they take long and cover no line that others do not."""

    def source_files(self, root: Path = ROOT) -> list[Path]:
        return _found(root, self.sources)

    def test_files(self, root: Path = ROOT) -> list[Path]:
        return _found(root, self.tests)


def _found(root: Path, patterns: tuple[str, ...]) -> list[Path]:
    """Returns the files that the patterns match. Raises `FileNotFoundError` for a pattern without a file."""
    found: set[Path] = set()
    for pattern in patterns:
        files = [p for p in root.glob(pattern) if p.is_file()]
        if not files:
            raise FileNotFoundError(f"{pattern} matches no file of {root}")
        found.update(files)
    return sorted(found)


DIALECTS: Mapping[str, Dialect] = {
    "ptir": Dialect(
        sources=(
            "dialects/ptir/*.py",
            "semantics/ptir/*.py",
            "semantics/arrays/*.py",
            "semantics/sizes.py",
            "semantics/custom_calls.py",
        ),
        tests=(
            "tests/filecheck/ptir/*.mlir",
            "tests/unit/dialects/test_ptir_*.py",
            "tests/unit/semantics/test_ptir.py",
            "tests/unit/semantics/test_special_functions.py",
            "tests/unit/semantics/test_custom_calls.py",
            "tests/unit/project/test_random_programs.py",
        ),
    ),
    "tiny": Dialect(
        sources=("dialects/tiny/*.py", "semantics/tiny/*.py", "semantics/bounds/tiny.py"),
        tests=(
            "tests/filecheck/tiny/*.mlir",
            "tests/filecheck/pto_to_nv/functions.mlir",
            "tests/unit/semantics/test_tiny*.py",
            "tests/unit/dialects/test_tiny_declarations.py",
        ),
    ),
    "poly": Dialect(
        sources=("dialects/poly/*.py",),
        tests=(
            "tests/filecheck/poly/*.mlir",
            "tests/filecheck/build_poly_view/*.mlir",
            "tests/unit/analysis/test_poly_view.py",
            "tests/unit/dialects/test_poly_*.py",
            "tests/unit/analysis/test_affine.py",
        ),
    ),
    "pto": Dialect(
        sources=("dialects/pto/*.py", "semantics/pto/*.py", "semantics/arrays/rounding.py", "targets/pto/*.py"),
        tests=(
            "tests/filecheck/pto/*.mlir",
            "tests/filecheck/pto_[bcilp]*/*.mlir",
            "tests/filecheck/region_to_pto/k*.mlir",
            "tests/filecheck/region_to_pto/s[cp]*.mlir",
            "tests/unit/dialects/test_pto_*.py",
            "tests/unit/semantics/test_pto*.py",
        ),
        skipped=("tests/unit/semantics/test_pto_async.py::test_schedules_of_conditions_agree",),
    ),
    "vyre": Dialect(
        sources=("dialects/vyre/*.py", "semantics/vyre/*.py"),
        tests=(
            "tests/filecheck/vyre/*.mlir",
            "tests/unit/dialects/test_vyre_ops.py",
            "tests/unit/semantics/test_vyre.py",
            "tests/unit/semantics/test_vyre_floats.py",
            "tests/unit/conformance/test_each_op.py",
        ),
    ),
}  # fmt: skip
"""The files of each dialect, by its name."""
