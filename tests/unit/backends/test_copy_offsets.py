"""Offsets of copies in arrays of 2 GiB and more have 64 bits."""

from __future__ import annotations

import pytest

import ptir
from ptir.backends.cuda import copy_printer
from ptir.backends.cuda.emit import print_cuda
from ptir.passes.manager import PassManager
from tests.convolution_grid.check import examine, program
from tests.convolution_grid.points import Point


def convolution(images: int) -> Point:
    two = [1, 1]
    return Point(images, [16, 16], 32, 32, [3, 3], two, two, two, two, two, 1, "bf16", "NHWC", "none")


def test_offsets_of_large_images():
    """2¹⁷ images of 2¹³ elements of two bytes have 2³¹ bytes."""
    module = PassManager("ptir-to-cuda{arch=sm80}").run(ptir.parse(program(convolution(1 << 17))))
    assert "  long long offsets_a[" in print_cuda(module)


def test_wide_offsets_are_right(monkeypatch: pytest.MonkeyPatch):
    """On a small image, whose offsets would fit into 32 bits; the emulator has no memory for a large one."""
    monkeypatch.setattr(copy_printer, "is_wide", lambda op: True)
    assert not examine(convolution(2), "sm80", jax=False)["problems"]
