"""CUDA graphs: the launches of a call are recorded once; the driver then starts them all at the cost of one launch."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from .context import Context
from .memory import DeviceArray
from .streams import current_stream, handle


class Recording:
    """The executable graph of the work that `enqueue` puts into a stream. The GPU's context must be current."""

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
    """Destroys an executable graph; the driver still completes launches in flight."""
    gpu.driver.cuGraphExecDestroy(graph)


class Graph:
    """
    A recorded call on fixed arrays: each `launch` reads the same arguments and writes the same `outputs` again, after the
    previous launch of the graph. `wait` is called after a launch with its stream: it waits for ops that may fail.
    """

    def __init__(
        self,
        gpu: Context,
        arrays: Sequence[Any],
        outputs: tuple[Any, ...],
        recording: Recording,
        wait: Callable[[int], None],
        keep: object,
    ):
        self.gpu = gpu
        self.arrays = tuple(arrays)
        self.outputs = outputs
        self._recording = recording
        self.wait = wait
        self._keep = keep

    def launch(self, stream: object = None) -> None:
        """
        Launches the graph asynchronously in `stream`, by default the current stream of the arrays' library. It waits if ops may
        fail.
        """
        where = current_stream(self.arrays, self.gpu.ordinal) if stream is None else handle(stream)
        for array in (*self.arrays, *self.outputs):
            if isinstance(array, DeviceArray):
                array.used_in(where)
        with self.gpu.current():
            self.enqueue(where)
        for array in self.outputs:
            if isinstance(array, DeviceArray):
                array.stream = where
        with self.gpu.current():
            self.wait(where)

    def enqueue(self, stream: int) -> None:
        """Launches the graph in a stream that waits for the arrays already. The GPU's context must be current."""
        self._recording.launch(stream)
