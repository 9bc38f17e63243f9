"""Errors of compiling CUDA C++: PTIR04xx."""

from __future__ import annotations

from typing import Any

from xdsl.ir import Operation

from ...errors import PtirError


class CudaCompileError(PtirError):
    code = "PTIR0401"
    template = "NVRTC rejects the program for {arch}:\n{log}"
    hint = "the CUDA source is in the error's `source` attribute"

    source: str = ""
    log: str = ""


class FatalCompilerRemark(PtirError):
    """A remark of ptxas after which the kernel is correct but lost an optimization that its plan relies on."""

    code = "PTIR0402"
    template = "ptxas {remark} for {arch}: {meaning}\n{log}"
    hint = "pass `allow_remarks` to accept this code"


class NvrtcUnavailable(PtirError):
    code = "PTIR0403"
    template = "NVRTC cannot be loaded: {reason}"
    hint = 'pip install "cuda-python>=13.0,<14" "nvidia-cuda-nvrtc>=13.0,<14"'


class DisassemblerUnavailable(PtirError):
    code = "PTIR0404"
    template = "cannot find {tool} in the nvidia packages of this environment"
    hint = "install the test extra: pip install 'ptir[test]'"


class DisassemblerFailed(PtirError):
    code = "PTIR0405"
    template = "{tool} failed: {log}"


class KernelFault(PtirError):
    """ptxas did not compile a kernel as planned. The help names the plan's field to change."""

    code = "PTIR0406"
    template = "@{kernel} {problem}"
    hint = "{help}"

    smaller_tile_may_help: bool = False
    """True if registers are short or ptxas serialized wgmmas."""

    def __init__(self, op: Operation | None = None, *, kernel: str, **fields: Any):
        super().__init__(op, kernel=kernel, **fields)
        self.kernel = kernel


class KernelRemark(KernelFault):
    """A fatal remark about one kernel."""

    def __init__(self, op: Operation | None = None, *, kernel: str, number: str, **fields: Any):
        super().__init__(op, kernel=kernel, **fields)
        self.smaller_tile_may_help = number != "C7508"  # "setmaxnreg ignored" does not depend on the tile


class KernelSpills(KernelFault):
    """The kernel spills registers to local memory."""

    code = "PTIR0407"
    template = "@{kernel} spills {bytes} bytes ({registers} registers a thread)"
    smaller_tile_may_help = True


class KernelTooLarge(KernelFault):
    """One block of the kernel exceeds a multiprocessor's resources."""

    code = "PTIR0408"
