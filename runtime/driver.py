"""
The CUDA driver API through the plain functions of cuda-python.

cuda.core's own streams, buffers and launches are not used: they call the driver from compiled code, which tests on a
machine without a GPU cannot replace, and a `LaunchConfig` with a cluster even needs a driver. Callers may still pass streams and
buffers of cuda.core, as those of any library, through `__cuda_stream__` and DLPack.
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
    """A failed call of the driver. After a kernel has faulted, all later calls fail too."""

    code = "PTIR0533"
    template = "{call}: {status} ({meaning})"


class Driver:
    """The driver's functions, with failures raised as `DriverFailure`. Raises `DeviceUnavailable` if there is no driver or GPU."""

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
        """Calls a function of the driver and returns its value, or a list if it has several. Raises `DriverFailure`."""
        status, *values = getattr(self.driver, name)(*args)
        self.check(status, name)
        return values[0] if len(values) == 1 else values

    def check(self, status: Any, name: str) -> None:
        if int(status) != 0:
            text = self.driver.cuGetErrorString(status)[1]
            meaning = text.decode() if isinstance(text, bytes) else "unknown"
            raise DriverFailure(call=name, status=getattr(status, "name", int(status)), meaning=meaning)

    def ordinal_of(self, pointer: int) -> int:
        """Returns the ordinal of the GPU that holds the memory at `pointer`."""
        which = self.driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        return int(self.call("cuPointerGetAttribute", which, pointer))
