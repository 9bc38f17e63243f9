"""
Chains of movements, compiled to kernels: isl's work is bounded, the text is short, and the elements are right.

This is a sample of the campaign `python -m tests.movement_chains --lower`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import ptir
from ptir.analysis.index import affine
from ptir.passes.environment import make_context
from ptir.runtime.devices import Emulator
from ptir.text.parsing import parse_text
from tests.movement_chains.lowering import CHARACTERS, OPERATIONS, check, generate


@pytest.mark.sampled(2)
@pytest.mark.parametrize("index", [*range(10), 44])
def test_chains_are_lowered_with_bounded_work(index: int):
    """Number 44 is too much for isl if all of it is one index map."""
    found = check(generate(0, index), run=index < 2)
    assert found["problem"] is None, found


def chain(shape: Sequence[int], *steps: Sequence[int]) -> str:
    """Returns a chain of `ptir` ops. A step that permutes the axes is a transpose; others are reshapes to that shape."""
    lines, sizes, name = list[str](), list(shape), "%x"

    def spelt(of: Sequence[int]) -> str:
        return f"tensor<{'x'.join(map(str, of))}xf32>"

    for k, step in enumerate(steps):
        permutes = sorted(step) == list(range(len(sizes)))
        to = [sizes[p] for p in step] if permutes else list(step)
        op = f"ptir.transpose {name} {list(step)}" if permutes else f"ptir.reshape {name}"
        lines.append(f"  %{k} = {op} : {spelt(sizes)} -> {spelt(to)}")
        sizes, name = to, f"%{k}"
    head = f"func.func @f(%x: {spelt(shape)}) -> {spelt(sizes)} {{"
    return "\n".join([head, *lines, f"  func.return {name} : {spelt(sizes)}", "}"])


COPRIME = chain((11, 13, 17), (17, 13, 11), (2, 1, 0), (17, 13, 11), (2, 1, 0), (17, 13, 11))
EIGHT = chain(
    (2, 3, 2, 5, 2, 3, 2, 2),
    (7, 5, 3, 1, 6, 4, 2, 0),
    (3, 2, 2, 2, 5, 2, 3, 2),
    (4, 0, 6, 2, 7, 1, 5, 3),
    (5, 2, 3, 2, 2, 3, 2, 2),
)


@pytest.mark.parametrize("text", [COPRIME, EIGHT], ids=["coprime", "eight axes"])
def test_divisions_that_do_not_cancel(text: str):
    """isl took a minute for the second."""
    module = parse_text(text, make_context())
    with affine.quota(OPERATIONS, what="this chain"):
        cuda = ptir.print_cuda(ptir.PassManager("ptir-to-cuda{arch=sm80}").run(module))
    assert max(map(len, cuda.splitlines())) < CHARACTERS


def test_what_may_be_negative_is_divided_downwards():
    """`floord` of isl's C reached NVRTC without a definition."""
    text = chain((3, 2, 4), (1, 2, 0), (3, 8))
    compiled = ptir.compile(text, arch="sm80", device=Emulator())
    assert "DEV T floord(" in compiled.cuda
    x = np.arange(24, dtype=np.float32).reshape(3, 2, 4)
    (got,) = compiled(x)
    np.testing.assert_array_equal(got, x.transpose(1, 2, 0).reshape(3, 8))
