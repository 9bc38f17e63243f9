"""Which files a dialect is made of, and which tests are its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Dialect:
    """Globs from the repository's root. `sources` are mutated; `tests` must notice."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]
    not_tests: tuple[str, ...] = ()

    def source_files(self, root: Path = ROOT) -> list[Path]:
        return _found(root, self.sources)

    def test_files(self, root: Path = ROOT) -> list[Path]:
        left_out = set(_found(root, self.not_tests))
        return [p for p in _found(root, self.tests) if p not in left_out]


def _found(root: Path, patterns: tuple[str, ...]) -> list[Path]:
    return sorted({p for pattern in patterns for p in root.glob(pattern) if p.is_file()})


DIALECTS: Mapping[str, Dialect] = {
    "ptir": Dialect(
        sources=(
            "dialects/ptir/*.py",
            "semantics/ptir/*.py",
            *(f"semantics/{name}.py" for name in (
                "scalars", "reductions", "contraction", "scatter", "sizes", "philox", "bits", "special_functions",
                "quantization", "custom_calls",
            )),
        ),
        tests=(
            "tests/filecheck/ptir/*.mlir",
            *(f"tests/unit/test_ptir_{name}.py" for name in (
                "constants", "contractions", "control", "dims", "elementwise", "layer_norm", "movement", "names", "places",
                "quantization", "random", "reductions", "scatter", "tuples", "windows", "survivors",
            )),
            "tests/unit/semantics/test_ptir.py",
            "tests/unit/semantics/test_special_functions.py",
            "tests/unit/semantics/test_custom_calls.py",
            "tests/unit/project/test_random_programs.py",
        ),
    ),
    "tiny": Dialect(
        sources=("dialects/tiny/*.py", "semantics/tiny*.py"),
        tests=(
            "tests/filecheck/tiny/*.mlir",
            "tests/unit/test_semantics_tiny*.py",
            "tests/unit/dialects/test_tiny_declarations.py",
        ),
    ),
    "poly": Dialect(
        sources=("dialects/poly/*.py",),
        tests=(
            "tests/filecheck/poly/*.mlir",
            "tests/filecheck/build_poly_view/*.mlir",
            "tests/unit/analysis/test_poly_view.py",
            "tests/unit/dialects/test_poly_declarations.py",
            "tests/unit/analysis/test_affine.py",
        ),
    ),
}  # fmt: skip
"""Name to files: one row a dialect."""
