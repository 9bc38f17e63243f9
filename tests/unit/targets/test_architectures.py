"""The limits of the architectures, compared with the CUDA toolkit's occupancy calculator and its tables."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import ptir
from ptir.targets.architectures import ARCH_NAMES, ARCHS, Arch
from ptir.targets.machines import MACHINES

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("arch", "threads", "registers", "shared", "blocks"),
    [
        ("sm80", 128, 255, 0, 2),  # 255 registers are allocated as 256
        ("sm80", 128, 128, 0, 4),
        ("sm80", 128, 129, 0, 3),
        ("sm80", 128, 72, 0, 7),
        ("sm80", 128, 73, 0, 6),  # 80 registers
        ("sm80", 256, 32, 0, 8),  # 64 warps
        ("sm86", 256, 32, 0, 6),  # 48 warps
        ("sm80", 32, 16, 0, 32),
        ("sm86", 32, 16, 0, 16),
        ("sm89", 32, 16, 0, 24),
        ("sm80", 128, 64, 98304, 1),
        ("sm80", 128, 64, 65536, 2),
        ("sm90", 128, 64, 98304, 2),
        ("sm80", 128, 64, 166912, 1),
        ("sm80", 128, 64, 166913, 0),
        ("sm86", 128, 64, 101376, 1),
        ("sm86", 128, 64, 101377, 0),
        ("sm90", 128, 64, 232448, 1),
        ("sm90", 128, 64, 232449, 0),
        ("sm80", 1024, 64, 0, 1),
        ("sm80", 1024, 65, 0, 0),
        ("sm80", 160, 168, 0, 2),  # three warps in each quarter, twelve in all
        ("sm80", 416, 128, 0, 1),
        ("sm80", 416, 136, 0, 0),  # thirteen warps are allocated like sixteen
    ],
)
def test_blocks_of_a_multiprocessor(arch: str, threads: int, registers: int, shared: int, blocks: int):
    assert ARCHS[arch].blocks(threads, registers, shared) == blocks  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("arch", ARCHS.values(), ids=lambda arch: arch.name)
def test_a_block_may_have_what_the_system_leaves_of_a_multiprocessor(arch: Arch):
    assert arch.target == f"sm_{arch.name[2:]}{'a' if arch.name == 'sm90' else ''}" and arch.shared_per_block == {
        "sm80": 163, "sm86": 99, "sm89": 99, "sm90": 227
    }[arch.name] * 1024  # fmt: skip
    assert arch.blocks(32, 32, arch.shared_per_block) == 1 and arch.blocks(32, 32, arch.shared_per_block + 1) == 0
    assert arch.blocks(32, arch.registers_per_thread, 0) == min(arch.blocks_per_multiprocessor, 8)


def test_every_architecture_has_its_row_and_a_machine():
    assert tuple(ARCHS) == ARCH_NAMES
    assert {machine.arch for machine in MACHINES.values()} == set(ARCH_NAMES)


def named(tree: ast.Module) -> Iterator[ast.Constant]:
    """Returns the strings that are names of architectures, except default values of parameters, fields and options."""
    defaults: set[ast.AST | None] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.arguments):
            defaults |= {*node.defaults, *node.kw_defaults}
        elif isinstance(node, ast.AnnAssign) or (isinstance(node, ast.keyword) and node.arg == "default"):
            defaults.add(node.value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node not in defaults and isinstance(text := node.value, str):
            yield from [node] if re.fullmatch(r"sm_?\d+[af]?", text, re.IGNORECASE) else []


@pytest.mark.sampled(1)
def test_no_other_package_knows_an_architecture_by_its_name():
    packages = [ROOT, *(path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name != "targets")]
    files = [file for p in packages for file in (p.glob("*.py") if p == ROOT else p.rglob("*.py"))]
    assert ROOT / "planning" / "rules.py" in files
    texts = {str(file.relative_to(ROOT)): file.read_text("utf-8") for file in files}
    found = {
        name: [n.lineno for n in named(ast.parse(text))]
        for name, text in texts.items()
        if re.search("(?i)sm_?[0-9]", text)
    }
    assert not {name: lines for name, lines in found.items() if lines}


def test_a_name_that_is_compared_is_found():
    tree = ast.parse('def f(arch="sm80"):\n    x: str = "sm80"\n    return arch in ("sm80", "sm_90a")')
    assert [node.value for node in named(tree)] == ["sm80", "sm_90a"]


def test_kernels_convert_fp8_by_capability():
    text = """func.func @f(%x: tensor<4xf8E4M3FN>) -> tensor<4xf32> {
      %0 = ptir.cast %x : tensor<4xf8E4M3FN> -> tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }"""
    for name, arch in ARCHS.items():
        assert (".e4m3x2" in ptir.compile(text, arch=name).program.cuda) == arch.has_float8_cvt
