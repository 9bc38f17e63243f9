"""Runs CUDA text in the emulator."""

from __future__ import annotations

from typing import Any

import numpy as np

from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.emulator import Memory, Report, launch, parse


def virtual(arch: str) -> str:
    """Returns the virtual architecture of `arch`: NVRTC compiles for it to the same PTX, and to no cubin, which takes as long."""
    return arch.replace("sm_", "compute_")


def run_cuda(
    source: str,
    *args: Any,
    kernel: str = "k",
    arch: str = "sm_80",
    allow_remarks: bool = False,
    grid: Any = 1,
    block: Any = 64,
    memory: Memory | None = None,
    **options: Any,
) -> Report:
    """
    Compiles `source` and launches its `kernel`. Arrays among `args` are placed in the emulator's memory. ptxas must accept the
    kernel unless `allow_remarks`.
    """
    memory = Memory() if memory is None else memory
    bound = [memory.bind(a) if isinstance(a, np.ndarray) else a for a in args]
    module = parse(compile_cuda(source, virtual(arch) if allow_remarks else arch).ptx)
    return launch(module, kernel, grid=grid, block=block, args=bound, memory=memory, **options)
