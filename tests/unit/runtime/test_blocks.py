"""`examples/blocks`: blocks of networks and their backward passes. Results of their kernels are within the reference's bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptir
from ptir.semantics.arrays.scalars import numpy_dtype
from ptir.semantics.bounds import check

from ..builders.tiny_json_programs import GEMM, imported

BLOCKS = sorted((Path(__file__).resolve().parents[3] / "examples" / "blocks").glob("*.mlir"))
KERNELS = {
    "channel_softmax": 1, "cross_entropy": 1, "cross_entropy_backward": 1, "gelu_mlp": 2, "group_norm": 1, "layer_norm": 1, "rms_norm": 1,
    "rotary": 1, "softmax_backward": 1, "swiglu": 3, "swiglu_product": 1, "causal_attention": 1,
}  # fmt: skip
"""The number of kernels of each block. A norm, a loss, and a map between contractions are one kernel each."""
ATTENTION = {"causal_attention"}
"""
Blocks with attention. Its kernel rounds weights before it divides them by their sum, which the bounds of the program do not include: results
may differ by a rounding of each weight.
"""


def arguments(signature: Any) -> list[Any]:
    """Returns normal numbers, and labels that are valid columns."""
    rng, out = np.random.default_rng(0), list[Any]()
    for _, t in signature.arguments:
        dtype, shape = numpy_dtype(t.element_type), t.get_shape()
        out.append((rng.integers(0, 8, shape) if dtype.kind in "iu" else rng.standard_normal(shape)).astype(dtype))
    return out


@pytest.mark.sampled(3)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
@pytest.mark.parametrize("path", BLOCKS, ids=lambda path: path.stem)
def test_blocks(path: Path, arch: str):
    compiled = ptir.compile(path, arch=arch, device=ptir.Emulator())
    arrays = arguments(compiled.signature)
    for got, wanted in zip(compiled(*arrays), ptir.bounds(path, *arrays), strict=True):
        if path.stem in ATTENTION:
            slack = 2**-7 * np.abs(arrays[-1].astype(np.float64)).max()
            assert ((wanted.lo - slack <= got) & (got <= wanted.hi + slack)).all()
        else:
            assert check(got, wanted).ok
    kernels = len(compiled.program.binary.kernels)
    assert kernels == KERNELS.get(path.stem, kernels)


def test_a_nest_of_loops_is_not_unrolled_until_it_spills():
    """A sum of 33 x 8 products of 64 bits, each rounded to bf16, in another order than that of memory."""
    source = """module attributes {ptir.extensions} {
  func.func @f(%x: tensor<33x8xsi64>, %y: tensor<1xsi64>) -> tensor<1x1x1xbf16> {
    %0 = ptir.dot_general %y, %x contract [] x [] out bf16 : (tensor<1xsi64>, tensor<33x8xsi64>) -> tensor<1x33x8xbf16>
    %1 = ptir.reduce sum %0 axes [0, 2, 1] keepdims : tensor<1x33x8xbf16> -> tensor<1x1x1xbf16>
    func.return %1 : tensor<1x1x1xbf16>
  }
}"""
    x, y = np.arange(33 * 8).reshape(33, 8), np.array([3])
    (got,) = ptir.compile(source, device=ptir.Emulator())(x, y)
    (wanted,) = ptir.bounds(source, x, y)
    assert check(got, wanted).ok


@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_the_example_of_the_specification(arch: str):
    """The program of `tensor-compiler.ja §1.2` is one kernel, and the matrix unit multiplies, as soon as its sizes are numbers."""
    text = GEMM.replace('["K"]', "[1]")
    for name, size in {"M": 24, "K": 40, "N": 16, "1": 1}.items():
        text = text.replace(f'"{name}"', str(size))
    module = imported(text)
    compiled = ptir.compile(module, arch=arch, device=ptir.Emulator())
    arrays = arguments(compiled.signature)
    (got,), (wanted,) = compiled(*arrays), ptir.bounds(module, *arrays)
    assert check(got, wanted).ok and len(compiled.program.binary.kernels) == 1 and "mma" in compiled.cuda
