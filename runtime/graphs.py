"""
CUDA graphs: what a call puts into its stream, recorded once, so that the driver starts all of it at the cost of one
launch.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from .context import Context
from .memory import DeviceArray
from .streams import current, handle


class Recording:
    """An executable graph of what `enqueue` puts into the stream it is given. Needs the context to be current."""

    def __init__(self, gpu: Context, enqueue: Callable[[int], None]):
        d = gpu.driver
        self.gpu = gpu
        stream = gpu.call("cuStreamCreate", int(d.CUstream_flags.CU_STREAM_NON_BLOCKING))
        try:
            gpu.call("cuStreamBeginCapture", stream, d.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
            try:
                enqueue(int(stream))
            except BaseException:
                d.cuStreamEndCapture(stream)
                raise
            graph = gpu.call("cuStreamEndCapture", stream)
        finally:
            gpu.call("cuStreamDestroy", stream)
        self.handle = gpu.call("cuGraphInstantiate", graph, 0)
        weakref.finalize(self, _destroy, gpu, self.handle).atexit = False
        gpu.call("cuGraphDestroy", graph)

    def launch(self, stream: int) -> None:
        self.gpu.call("cuGraphLaunch", self.handle, stream)


def _destroy(gpu: Context, graph: Any) -> None:
    """The driver lets launches end that are under way."""
    gpu.driver.cuGraphExecDestroy(graph)


class Graph:
    """
    A call on fixed arrays, which it reads and writes anew at each `launch`; `outputs` are what the call returns. One
    launch of a graph waits for the one before it.
    """

    def __init__(
        self, gpu: Context, arrays: Sequence[Any], outputs: tuple[Any, ...], recording: Recording, keep: object
    ):
        self.gpu = gpu
        self.arrays = tuple(arrays)
        self.outputs = outputs
        self._recording = recording
        self._keep = keep

    def launch(self, stream: object = None) -> None:
        """Into `stream`, else the one in which the library of the arrays works. Does not wait."""
        where = current(self.arrays, self.gpu.ordinal) if stream is None else handle(stream)
        mine = [a for a in (*self.arrays, *self.outputs) if isinstance(a, DeviceArray)]
        for array in mine:
            array.used_in(where)
        with self.gpu.current():
            self._recording.launch(where)
        for array in self.outputs:
            if isinstance(array, DeviceArray):
                array.stream = where
