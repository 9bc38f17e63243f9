"""
A PTX emulator: executes what NVRTC produced, all lanes side by side in numpy, and says where a kernel does
what a GPU leaves undefined.

>>> import numpy as np
>>> from ptir.backends.cuda.nvrtc import compile_cuda
>>> from ptir.backends.cuda.ptx import Memory, launch, parse
>>> source = 'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }'
>>> x, memory = np.ones(32, np.float32), Memory()
>>> report = launch(parse(compile_cuda(source, "sm_80").ptx), "twice", grid=1, block=32,
...                 args=[memory.bind(x)], memory=memory)
>>> float(x.sum()), report.opcodes["st.global.f32"]
(64.0, 32)
"""

from .launch import launch as launch
from .memory import Memory as Memory
from .parse import parse as parse
from .report import Report as Report
from .syntax import Kernel as Kernel
from .syntax import Module as Module
from .tensor_map import TensorMap as TensorMap

__all__ = ["Kernel", "Memory", "Module", "Report", "TensorMap", "launch", "parse"]
