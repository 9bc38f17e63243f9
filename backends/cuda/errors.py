"""
What can go wrong when CUDA C++ is compiled: PTIR04xx.
"""

from __future__ import annotations

from typing import Any

from xdsl.ir import Operation

from ...errors import PtirError

# --- 04xx: compiling ------------------------------------------------------------------------------


class CudaCompileError(PtirError):
    code = "PTIR0401"
    template = "NVRTC refuses the program for {arch}:\n{log}"
    hint = "the CUDA source is in the message's `source` attribute"

    source: str = ""
    log: str = ""


class FatalCompilerRemark(PtirError):
    """A remark of ptxas after which the kernel is correct but not the kernel that was meant."""

    code = "PTIR0402"
    template = "ptxas {remark} for {arch}: {meaning}\n{log}"
    hint = "pass `allow_remarks` to accept this code"


class NvrtcUnavailable(PtirError):
    code = "PTIR0403"
    template = "NVRTC cannot be loaded: {reason}"
    hint = 'pip install "cuda-python>=13.0,<14" "nvidia-cuda-nvrtc>=13.0,<14"'


class DisassemblerUnavailable(PtirError):
    code = "PTIR0404"
    template = "no {tool} in the nvidia packages of this environment"
    hint = "install the test extra: pip install 'ptir[test]'"


class DisassemblerFailed(PtirError):
    code = "PTIR0405"
    template = "{tool} failed: {log}"


class KernelFault(PtirError):
    """ptxas made of a kernel something else than its plan meant. The help names the plan's field to change."""

    code = "PTIR0406"
    template = "@{kernel} {problem}"
    hint = "{help}"

    smaller_helps: bool = False
    """Whether registers are short, or ptxas made wgmmas wait for each other: another tile helps."""

    def __init__(self, op: Operation | None = None, *, kernel: str, **fields: Any):
        super().__init__(op, kernel=kernel, **fields)
        self.kernel = kernel


class KernelRemark(KernelFault):
    """A fatal remark: the kernel is correct, but what makes it fast is gone."""

    def __init__(self, op: Operation | None = None, *, kernel: str, number: str, **fields: Any):
        super().__init__(op, kernel=kernel, **fields)
        self.smaller_helps = number != "C7508"  # setmaxnreg ignored: that is the kernel's own matter


class KernelSpills(KernelFault):
    """The kernel keeps registers in memory."""

    code = "PTIR0407"
    template = "@{kernel} spills {bytes} bytes ({registers} registers a thread)"
    smaller_helps = True


class KernelTooLarge(KernelFault):
    """No multiprocessor could hold one block of the kernel."""

    code = "PTIR0408"
