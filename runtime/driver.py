"""
The CUDA driver API through the plain functions of cuda-python.

The objects of cuda.core for streams, buffers and launches are not used, since they call the driver from compiled code, which
tests on a machine without a GPU cannot replace; a `LaunchConfig` with a cluster even needs a driver. (The grid of
`cuLaunchKernelEx` counts blocks, not clusters.) Streams and buffers of cuda.core are accepted by `__cuda_stream__` and
DLPack, like those of any library.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import PtirError


class DeviceUnavailable(PtirError):
    code = "PTIR0530"
    template = "no GPU can be used: {reason}"
    hint = "use the emulator, which needs none: --target emulator, or ptir.compile(…, device=ptir.Emulator())"


class DriverFailure(PtirError):
    """A driver call that failed. After a fault of a kernel, all later calls fail too."""

    code = "PTIR0533"
    template = "{call}: {status} ({meaning})"


class Driver:
    """The functions of the driver, whose errors are raised as `PtirError`s. Raises `DeviceUnavailable`."""

    def __init__(self) -> None:
        try:
            self.driver: Any = import_module("cuda.bindings.driver")
        except ImportError as e:
            raise DeviceUnavailable(reason=str(e)) from e
        try:
            self.call("cuInit", 0)
        except RuntimeError as e:  # cuda-python finds no driver
            raise DeviceUnavailable(reason=str(e)) from e
        except DriverFailure as e:
            raise DeviceUnavailable(reason=e.message) from e

    def call(self, name: str, *args: Any) -> Any:
        """Returns the value of a call, or a list if it has several. Raises `DriverFailure`."""
        status, *values = getattr(self.driver, name)(*args)
        self.check(status, name)
        return values[0] if len(values) == 1 else values

    def check(self, status: Any, name: str) -> None:
        if int(status) != 0:
            text = self.driver.cuGetErrorString(status)[1]
            meaning = text.decode() if isinstance(text, bytes) else "unknown"
            raise DriverFailure(call=name, status=getattr(status, "name", int(status)), meaning=meaning)

    def ordinal_of(self, pointer: int) -> int:
        """Returns the ordinal of the GPU of this memory."""
        which = self.driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        return int(self.call("cuPointerGetAttribute", which, pointer))
