"""Tensors without elements in compiled programs: as arguments, results, and operands of reductions and contractions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from tests.random_programs.dtypes import NUMPY

from ..builders.fake_driver import FakeDriver

ARCHS = ("sm80", "sm90")


def check(text: str, *arrays: Any, arch: str = "sm80", kernels: int) -> None:
    """Compares a program with the reference, bit by bit, and the number of its kernels with the one that is needed."""
    program = ptir.compile(text, arch=arch, device=ptir.Emulator())
    for got, want in zip(program(*arrays), ptir.reference(text, *arrays), strict=True):
        got, want = np.asarray(got), np.asarray(want)
        assert (got.dtype, got.shape, got.tobytes()) == (want.dtype, want.shape, want.tobytes())
    assert program.cuda.count("__global__") == kernels


def test_nothing_is_computed_of_nothing():
    """A function whose arguments and results have no elements has no kernel; one argument is returned as it is."""
    text = """func.func @f(%x: tensor<0x4xf32>, %y: tensor<3x0x2xsi8>) -> (tensor<0x4xf32>, tensor<0x4xf32>, tensor<0xsi8>) {
      %0 = ptir.exp %x : tensor<0x4xf32>
      %1 = ptir.reshape %y : tensor<3x0x2xsi8> -> tensor<0xsi8>
      func.return %x, %0, %1 : tensor<0x4xf32>, tensor<0x4xf32>, tensor<0xsi8> }"""
    check(text, np.zeros((0, 4), np.float32), np.zeros((3, 0, 2), np.int8), kernels=0)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize(("m", "n", "k"), [(5, 3, 0), (0, 3, 4), (5, 0, 4), (0, 0, 0)])
def test_contractions(arch: str, m: int, n: int, k: int):
    """A product over an axis of size 0 is zero, and its epilogue is computed."""
    text = f"""func.func @f(%x: tensor<{m}x{k}xbf16>, %w: tensor<{k}x{n}xbf16>, %b: tensor<{n}xf32>) -> tensor<{m}x{n}xf32> {{
      %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<{m}x{k}xbf16>, tensor<{k}x{n}xbf16>) -> tensor<{m}x{n}xf32>
      %1 = ptir.broadcast_to %b : tensor<{n}xf32> -> tensor<{m}x{n}xf32>
      %2 = ptir.add %0, %1 : tensor<{m}x{n}xf32>
      %3 = ptir.exp %2 : tensor<{m}x{n}xf32>
      func.return %3 : tensor<{m}x{n}xf32> }}"""
    bf16 = ml_dtypes.bfloat16
    check(
        text, np.ones((m, k), bf16), np.ones((k, n), bf16), np.zeros(n, np.float32), arch=arch, kernels=int(m * n > 0)
    )


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16", "f8E4M3FN", "f64", "si8", "ui32", "i64"])
@pytest.mark.parametrize("kind", ["sum", "max", "min"])
def test_reductions(dtype: str, kind: str):
    text = f"""func.func @f(%x: tensor<2x0x3x{dtype}>) -> tensor<2x3x{dtype}> {{
      %0 = ptir.reduce {kind} %x axes [1] : tensor<2x0x3x{dtype}> -> tensor<2x3x{dtype}>
      func.return %0 : tensor<2x3x{dtype}> }}"""
    check(text, np.zeros((2, 0, 3), NUMPY[dtype]), kernels=1)


def test_what_has_elements_is_computed():
    """Empty operands of a concatenation are ignored."""
    text = """func.func @f(%x: tensor<0x3xf32>, %y: tensor<2x3xf32>) -> tensor<4x3xf32> {
      %0 = ptir.concat %x, %y, %x, %y axis 0 : (tensor<0x3xf32>, tensor<2x3xf32>, tensor<0x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
      func.return %0 : tensor<4x3xf32> }"""
    check(text, np.zeros((0, 3), np.float32), np.arange(6, dtype=np.float32).reshape(2, 3), kernels=1)


def test_on_a_gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Arrays without elements are arguments and results there too, of the host and of the GPU."""
    monkeypatch.setenv("PTIR_CACHE_DIR", str(tmp_path))
    FakeDriver().install(monkeypatch)
    program = ptir.compile("""func.func @f(%x: tensor<0x4xf32>) -> (tensor<0x4xf32>, tensor<0x4xf32>, tensor<4xf32>) {
      %0 = ptir.exp %x : tensor<0x4xf32>
      %1 = ptir.reduce sum %x axes [0] : tensor<0x4xf32> -> tensor<4xf32>
      func.return %0, %x, %1 : tensor<0x4xf32>, tensor<0x4xf32>, tensor<4xf32> }""")
    x = np.zeros((0, 4), np.float32)
    for results in (program(x), program(ptir.to_device(x))):
        arrays = [r if isinstance(r, np.ndarray) else r.numpy() for r in results]
        assert [a.tolist() for a in arrays] == [[], [], [0.0] * 4]
        assert [a.shape for a in arrays] == [(0, 4), (0, 4), (4,)]
