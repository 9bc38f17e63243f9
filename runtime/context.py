"""The primary context of a GPU: copies to the host, events, and ordering of streams."""

from __future__ import annotations

import weakref
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from ..errors import require
from ..semantics.arrays.scalars import Array
from .driver import DeviceUnavailable, Driver, DriverFailure

LEGACY = 1
"""The handle of the legacy default stream. (0 is the legacy or the per-thread stream, depending on the process.)"""


class Context(Driver):
    """A GPU and its primary context. Memory, copies and launches need the context to be current: `with gpu.current(): …`."""

    def __init__(self, ordinal: int = 0) -> None:
        require(ordinal, int, "the number of a GPU", "an int")
        super().__init__()
        self.ordinal = ordinal
        try:
            self.device = self.call("cuDeviceGet", ordinal)
            self.context = self.call("cuDevicePrimaryCtxRetain", self.device)
            text = self.call("cuDeviceGetName", 128, self.device)
        except DriverFailure as e:
            raise DeviceUnavailable(reason=e.message) from e
        self.name: str = text.split(b"\0")[0].decode()

    def attribute(self, name: str) -> int:
        """Returns a device attribute, such as `L2_CACHE_SIZE`."""
        which = getattr(self.driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(self.call("cuDeviceGetAttribute", which, self.device))

    @property
    def capability(self) -> int:
        """The compute capability, such as 90 for sm_90."""
        return 10 * self.attribute("COMPUTE_CAPABILITY_MAJOR") + self.attribute("COMPUTE_CAPABILITY_MINOR")

    @contextmanager
    def current(self) -> Generator[None]:
        """Makes the primary context, which other libraries use too, the current context of this thread."""
        self.call("cuCtxPushCurrent", self.context)
        try:
            yield
        finally:
            self.call("cuCtxPopCurrent")

    def order(self, before: int, after: int) -> None:
        """Makes later work in stream `after` wait for the work that is now in stream `before`."""
        if before != after:
            event = Event(self)
            event.record(before)
            event.wait(after)

    def synchronize(self, stream: int) -> None:
        self.call("cuStreamSynchronize", stream)

    def download(self, array: Array, pointer: int, stream: int) -> None:
        """Starts a copy from `pointer` to `array`, which is complete when the stream has been synchronized."""
        self.call("cuMemcpyDtoHAsync", array.ctypes.data, pointer, array.nbytes, stream)


class Event:
    """A CUDA event. Its methods need the GPU's context to be current."""

    def __init__(self, context: Context, *, timing: bool = False):
        flags = context.driver.CUevent_flags
        self.context = context
        self.handle = context.call(
            "cuEventCreate", int(flags.CU_EVENT_DEFAULT if timing else flags.CU_EVENT_DISABLE_TIMING)
        )
        weakref.finalize(self, _destroy, context, self.handle).atexit = False

    def record(self, stream: int) -> None:
        self.context.call("cuEventRecord", self.handle, stream)

    def wait(self, stream: int) -> None:
        """Makes later work in `stream` wait for the event."""
        self.context.call("cuStreamWaitEvent", stream, self.handle, 0)


def _destroy(context: Context, event: Any) -> None:
    """Destroys an event; the driver keeps it as long as streams wait for it."""
    context.driver.cuEventDestroy(event)
