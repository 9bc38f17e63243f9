"""Chooses the stream of a call: the stream that the caller gives, or the current stream of the library that owns the arrays."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, cast

from ..errors import PtirError, kind_of
from .context import LEGACY
from .memory import DeviceArray

CURRENT: dict[str, Callable[[Any, int], int]] = {
    "torch": lambda torch, ordinal: torch.cuda.current_stream(ordinal).cuda_stream,
    "cupy": lambda cupy, ordinal: cupy.cuda.get_current_stream(ordinal).ptr,
}
"""For each library with a current stream per GPU, the function that returns the stream's handle."""
ATTRIBUTES = ("cuda_stream", "ptr")
"""The attributes that hold a stream's handle in versions of PyTorch and CuPy without `__cuda_stream__`."""


class BadStream(PtirError):
    code = "PTIR0536"
    template = "the stream {problem}"
    hint = (
        "give the handle as an int, or an object with __cuda_stream__, such as a stream of cuda.core, CuPy or PyTorch"
    )


def handle(stream: object) -> int:
    """Returns the `CUstream` handle of a stream; 0 stands for the legacy default stream. Raises `BadStream`."""
    if isinstance(stream, int):
        if isinstance(stream, bool) or stream < 0:
            raise BadStream(problem=f"is {stream}")
        return stream or LEGACY
    protocol = getattr(stream, "__cuda_stream__", None)
    if callable(protocol):
        version, number = cast("tuple[int, int]", protocol())
        if version != 0:
            raise BadStream(problem=f"has version {version} of __cuda_stream__, but only 0 is supported")
        return int(number) or LEGACY
    for name in ATTRIBUTES:
        if isinstance(number := getattr(stream, name, None), int):
            return number or LEGACY
    raise BadStream(problem=f"is {kind_of(stream)}")


def current_stream(arrays: Iterable[Any], ordinal: int) -> int:
    """Returns the current stream of the first array whose library has one, or else the legacy default stream."""
    for array in arrays:
        if isinstance(array, DeviceArray):
            return array.stream
        for base in type(array).__mro__:
            name = base.__module__.split(".")[0]
            if name in CURRENT and name in sys.modules:
                return int(CURRENT[name](sys.modules[name], ordinal)) or LEGACY
        interface = getattr(array, "__cuda_array_interface__", None) if not hasattr(array, "__dlpack__") else None
        if interface and isinstance(number := interface.get("stream"), int):
            return number or LEGACY
    return LEGACY
