"""Runs CUDA text in the emulator."""

from __future__ import annotations

from typing import Any

import numpy as np

from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.emulator import Memory, Report, launch, parse


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
    """Compiles `source` and launches its `kernel`. Arrays among `args` are placed in the emulator's memory."""
    memory = Memory() if memory is None else memory
    bound = [memory.bind(a) if isinstance(a, np.ndarray) else a for a in args]
    module = parse(compile_cuda(source, arch, allow_remarks=allow_remarks).ptx)
    return launch(module, kernel, grid=grid, block=block, args=bound, memory=memory, **options)
