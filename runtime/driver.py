"""
The CUDA driver API through the plain functions of cuda-python.

cuda.core has objects for streams, buffers and launches. They call the driver from compiled code, so that nothing can be
put in its place, and a `LaunchConfig` with a cluster cannot even be made without one: no test on a machine without a
GPU would see a wrong launch. So the plain functions are called (`cuLaunchKernelEx`, whose grid counts blocks, not
clusters), and cuda.core's streams and buffers are taken as everybody's are: by `__cuda_stream__` and DLPack.
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
    """A call of the driver failed; after a fault of a kernel all that follow it do."""

    code = "PTIR0533"
    template = "{call}: {status} ({meaning})"


class Driver:
    """The functions of the driver, with their errors as ours. Raises `DeviceUnavailable`."""

    def __init__(self) -> None:
        try:
            self.driver: Any = import_module("cuda.bindings.driver")
        except ImportError as e:
            raise DeviceUnavailable(reason=str(e)) from e
        try:
            self.call("cuInit", 0)
        except RuntimeError as e:  # cuda-python finds no driver to load
            raise DeviceUnavailable(reason=str(e)) from e
        except DriverFailure as e:
            raise DeviceUnavailable(reason=e.message) from e

    def call(self, name: str, *args: Any) -> Any:
        """The value of a call, or a list of them. Raises `DriverFailure`."""
        status, *values = getattr(self.driver, name)(*args)
        self.check(status, name)
        return values[0] if len(values) == 1 else values

    def check(self, status: Any, name: str) -> None:
        if int(status) != 0:
            text = self.driver.cuGetErrorString(status)[1]
            meaning = text.decode() if isinstance(text, bytes) else "unknown"
            raise DriverFailure(call=name, status=getattr(status, "name", int(status)), meaning=meaning)

    def ordinal_of(self, pointer: int) -> int:
        """The GPU that this memory belongs to."""
        which = self.driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        return int(self.call("cuPointerGetAttribute", which, pointer))
