"""The functions as CUDA, compiled by NVRTC and executed by the emulator, have the bits that NumPy gives."""

from __future__ import annotations

import numpy as np
import pytest

from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.backends.cuda.prelude import source
from ptir.elementary.cuda import PREFIX, names
from ptir.elementary.evaluation import correctly_rounded
from ptir.elementary.functions import NAMES, POWER
from ptir.elementary.rounding import FORMATS
from ptir.emulator import Memory, launch, parse

BLOCK = 256
COUNT = 4 * BLOCK
SPECIAL = np.float32([0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1, -1, 88.8, -104, 3.4e38])


def operands(format: str) -> tuple[np.ndarray, np.ndarray]:
    """Returns numbers of a format: a third anywhere, the others usual."""
    generator = np.random.default_rng(5)
    x, y = generator.normal(scale=4, size=(2, COUNT)).astype(np.float32)
    bits = generator.integers(0, 1 << 32, COUNT // 3, dtype=np.uint64).astype(np.uint32)
    x[: bits.size] = bits.view(np.float32)
    x[-SPECIAL.size :] = SPECIAL
    y[::2] = np.rint(y[::2] * 2) / 2
    if format == "bf16":
        return tuple((v.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32) for v in (x, y))
    with np.errstate(all="ignore"):
        return tuple(v.astype(np.float16).astype(np.float32) for v in (x, y)) if format == "f16" else (x, y)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", NAMES)
def test_equals_numpy(name: str):
    functions = [f"{PREFIX}{name}_{format}" for format in FORMATS]
    assert set(functions) <= set(names())
    call = "x[t], y[t]" if name == POWER else "x[t]"
    text = source(functions) + "".join(
        f'extern "C" __global__ void k_{f}(const float* x, const float* y, float* out) '
        f"{{ int t = blockIdx.x * blockDim.x + threadIdx.x; out[t] = {f}({call}); }}\n"
        for f in functions
    )
    module = parse(compile_cuda(text, "compute_80").ptx)
    for format, function in zip(FORMATS, functions, strict=True):
        x, y = operands(format)
        memory, out = Memory(), np.zeros(COUNT, np.float32)
        args = [memory.bind(x, readonly=True), memory.bind(y, readonly=True), memory.bind(out, initialized=False)]
        launch(module, f"k_{function}", grid=COUNT // BLOCK, block=BLOCK, args=args, memory=memory)
        arguments = (x, y) if name == POWER else (x,)
        with np.errstate(all="ignore"):
            want = correctly_rounded(name, format, *(v.astype(np.float64) for v in arguments)).astype(np.float32)
        np.testing.assert_array_equal(out.view(np.uint32), want.view(np.uint32))
