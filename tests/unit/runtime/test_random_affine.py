"""
Random affine programs through the whole compiler: the least part of `python -m tests.random_affine`, and the programs in
which that found what is mended.
"""

from __future__ import annotations

import pytest

from tests.random_affine.check import Compiler
from tests.random_affine.programs import ROWS, SMALL
from tests.random_programs.generator import generate
from tests.random_programs.shrinker import text_of

from ..builders.amount import examples

PROGRAMS, PARTS = examples(180), 6


@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs(part: int):
    """60 programs in the gate, each for both architectures, at the tile level and in the emulator."""
    checker = Compiler()
    for index in range(part, PROGRAMS, PARTS):
        case = generate(3, index, SMALL, ROWS)
        problems = checker.check(case)
        assert not problems, f"{index}: {problems[0].kind}: {problems[0].detail}\n{text_of(case)}"
