"""
A PTX emulator: executes NVRTC's output in numpy, all lanes as one array axis, and reports undefined behavior.

>>> import numpy as np
>>> from ptir.backends.cuda.nvrtc import compile_cuda
>>> from ptir.emulator import Memory, launch, parse
>>> source = 'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }'
>>> x, memory = np.ones(32, np.float32), Memory()
>>> report = launch(parse(compile_cuda(source, "sm_80").ptx), "twice", grid=1, block=32,
...                 args=[memory.bind(x)], memory=memory)
>>> float(x.sum()), report.opcodes["st.global.f32"]
(64.0, 32)
"""

from .engine.launch import launch as launch
from .engine.report import Report as Report
from .isa.parse import parse as parse
from .isa.syntax import Kernel as Kernel
from .isa.syntax import Module as Module
from .memory.memory import Memory as Memory
from .memory.tensor_map import TensorMap as TensorMap

__all__ = ["Kernel", "Memory", "Module", "Report", "TensorMap", "launch", "parse"]
