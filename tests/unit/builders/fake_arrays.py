"""
Arrays of other libraries, for `fake_driver.py`. They are NumPy arrays in the fake driver's memory. Their DLPack capsules are made by
NumPy; then the device and the type are overwritten, at the offsets in `dlpack.h`.
"""

from __future__ import annotations

import ctypes
from typing import Any

import ml_dtypes
import numpy as np

from tests.unit.builders.fake_driver import LEGACY, FakeDriver

CODES = {np.dtype(ml_dtypes.bfloat16): (4, 16), np.dtype(ml_dtypes.float8_e4m3fn): (10, 8),
         np.dtype(ml_dtypes.float8_e5m2): (12, 8)}  # fmt: skip
VERSIONED = 32
"""Offset of the `DLTensor` in a `DLManagedTensorVersioned`, in bytes. In a `DLManagedTensor` it is 0."""

KIND, ORDINAL, CODE, BITS, LANES, OFFSET = 8, 12, 20, 21, 22, 40
"""Offsets of the fields of a `DLTensor`, in bytes."""


def address(capsule: object, *, versioned: bool = True) -> int:
    """Returns the address of the `DLTensor` in a capsule."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get(capsule, b"dltensor_versioned" if versioned else b"dltensor") + (VERSIONED if versioned else 0)


def patched(values: np.ndarray[Any, Any], kind: int, ordinal: int, *, versioned: bool = True) -> object:
    """Returns NumPy's capsule of `values`, with the device overwritten, and the type if NumPy's DLPack does not support it."""
    code = CODES.get(values.dtype)
    plain = values.view(f"i{values.itemsize}") if code else values
    capsule = plain.__dlpack__(max_version=(1, 0)) if versioned else plain.__dlpack__()
    at = address(capsule, versioned=versioned)
    ctypes.c_int32.from_address(at + KIND).value = kind
    ctypes.c_int32.from_address(at + ORDINAL).value = ordinal
    if code:
        ctypes.c_uint8.from_address(at + CODE).value, ctypes.c_uint8.from_address(at + BITS).value = code
    return capsule


class DlpackArray:
    """An array that supports only `__dlpack__`. `home` is the stream in which its contents are computed."""

    def __init__(self, driver: FakeDriver, values: Any, *, ordinal: int = 0, home: int = LEGACY, old: bool = False):
        values = np.asarray(values)
        self.driver, self.ordinal, self.home, self.old = driver, ordinal, home, old
        self.base = driver.allocate(max(1, values.nbytes), ordinal)
        self.values = driver.memory[self.base][: values.nbytes].view(values.dtype).reshape(values.shape)
        self.values[...] = values
        self.asked: list[int | None] = []

    def produce(self, values: Any) -> DlpackArray:
        """Enqueues work in the array's stream that computes its contents. They are available when the work is done."""
        new = np.asarray(values, self.values.dtype)
        self.values.view(np.uint8)[...] = 0xFF

        def action() -> None:
            self.values[...] = new

        self.driver.contexts.append(self.ordinal)
        self.driver._put(self.home, action, [self.base])  # pyright: ignore[reportPrivateUsage]
        self.driver.contexts.pop()
        return self

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self.ordinal

    def __dlpack__(self, *, stream: int | None = None, **more: Any) -> object:
        if self.old and more:
            raise TypeError("__dlpack__() got an unexpected keyword argument")
        self.asked.append(stream)
        self.order(stream)
        return patched(self.values, 2, self.ordinal, versioned=not self.old)

    def order(self, stream: int | None) -> None:
        """Makes `stream` wait for the array's stream, as the array API standard requires of a producer."""
        d = self.driver
        if stream not in (-1, self.home):
            d.contexts.append(self.ordinal)
            event = d.cuEventCreate(0)[1]
            d.cuEventRecord(event, self.home)
            d.cuStreamWaitEvent(LEGACY if stream is None else stream, event, 0)
            d.contexts.pop()

    def numpy(self) -> np.ndarray[Any, Any]:
        """Waits for the array's stream, and returns a copy of the contents."""
        self.driver.contexts.append(self.ordinal)
        self.driver.cuStreamSynchronize(self.home)
        self.driver.contexts.pop()
        return self.values.copy()


class InterfaceArray:
    """An array that supports only `__cuda_array_interface__`."""

    def __init__(self, driver: FakeDriver, values: Any, *, ordinal: int = 0, **more: Any):
        self.inner = DlpackArray(driver, values, ordinal=ordinal, home=more.get("stream", LEGACY))
        self.more = more

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        values = self.inner.values
        return {
            "shape": values.shape,
            "typestr": values.dtype.str,
            "data": (values.ctypes.data, False),
            "version": 3,
            **self.more,
        }


class HostTensor:
    """A CPU tensor of another library, such as a bf16 tensor of PyTorch, which NumPy cannot import."""

    def __init__(self, values: Any, *, kind: int = 1, readonly: bool = False):
        self.values = np.asarray(values)
        self.kind = kind
        self.values.flags.writeable = not readonly

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind, 0

    def __dlpack__(self, **more: Any) -> object:
        assert "stream" not in more, "there is no stream on the CPU"
        return patched(self.values, self.kind, 0)


class Stream:
    """A non-blocking stream of another library: only events order it with other streams."""

    def __init__(self, driver: FakeDriver, ordinal: int = 0):
        driver.contexts.append(ordinal)
        self.handle = int(driver.cuStreamCreate(1)[1])
        driver.contexts.pop()

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle


def library(name: str) -> type[DlpackArray]:
    """Returns the array type of a library that has a current stream."""

    class Tensor(DlpackArray):
        pass

    Tensor.__module__ = name
    return Tensor
