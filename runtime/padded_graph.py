"""
Calls of a program for larger sizes on smaller arrays of a GPU: one CUDA graph for each shape set, on padded arrays of its own.

```
x: 3x16 ──copy──▶ 4x16, the last row twice ──graph of the program for 4 rows──▶ y: 4x16 ──copy──▶ 3x16
```

All is enqueued in the stream of the call, so that the call is asynchronous. Calls take turns, as they share the padded arrays. The padding
repeats the last elements, as that of arrays on the host (`padding.py`), so that it causes no error of its own kind.
Spec: `tensor-compiler.ja §8` (ShapeSets: one graph for each cluster of shapes).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from threading import Lock
from typing import Any, cast

from .arrays import Unfit, View, check, ordinal_of, overlapping, view_on_device
from .context import LEGACY, Context, Event
from .execute import CannotRecord, Executable
from .gpu import Gpu
from .launch import Device
from .memory import DeviceArray, Memory
from .streams import current_stream, handle

Shape = tuple[int, ...]


class PaddedGraphs:
    """The graphs of a program for the sizes of a shape set: one for each GPU on which it is called with smaller arrays."""

    def __init__(self, program: Executable):
        self.program = program
        self._made: dict[int, PaddedGraph] = {}
        self._making = Lock()
        self._refused = any(program.host.packed)  # two 4-bit integers in a byte are not padded

    def __call__(
        self, arrays: Sequence[Any], device: Device, results: Sequence[Shape], *, out: Any = None, stream: object = None
    ) -> tuple[Any, ...]:
        """
        Runs the program on smaller arrays of a GPU and returns the first elements of its results, of the shapes `results`. Raises `Unfit` for
        arrays that the program for their own sizes would refuse, and `CannotRecord` for a program that has no graph.
        """
        outs: list[Any] = (
            [] if out is None else list(cast("Sequence[Any]", out)) if isinstance(out, list | tuple) else [out]
        )
        ordinals = {ordinal_of(a) for a in (*arrays, *outs)}
        known = isinstance(device, Gpu) and ordinals == {device.ordinal} and len(outs) in (0, len(results))
        if not (known and isinstance(device, Gpu)) or self._refused:
            raise Unfit("is not an array that is padded", "")
        where = current_stream([*arrays, *outs], device.ordinal) if stream is None else handle(stream)
        with device.current():
            if int(device.call("cuStreamIsCapturing", where)):
                raise Unfit("is used in a stream that is being captured", "")
            graph = self._graph(device)
            views = [view_on_device(a, device.ordinal, device, where) for a in (*arrays, *outs)]
            for view, large in zip(views, (*graph.arguments, *graph.results), strict=False):
                smaller = len(view.shape) == len(large.shape) and all(map(int.__le__, view.shape, large.shape))
                check(view, large.dtype, view.shape if smaller else large.shape)
            for view, shape in zip(views[len(arrays) :], results, strict=False):
                if view.readonly or view.shape != shape:
                    raise Unfit("cannot hold the result", "")
            if overlapping(views, len(arrays)) is not None:
                raise Unfit("shares memory", "")
            if not outs:
                outs = [_fresh(device, shape, r.dtype, where) for r, shape in zip(graph.results, results, strict=True)]
                views += [view_on_device(a, device.ordinal, device, where) for a in outs]
            graph(views[: len(arrays)], views[len(arrays) :], where)
        for array in outs:
            if isinstance(array, DeviceArray):
                array.stream = where
        return tuple(outs)

    def _graph(self, gpu: Gpu) -> PaddedGraph:
        with self._making:  # calls of other threads wait for the graph
            if gpu.ordinal not in self._made:
                try:
                    self._made[gpu.ordinal] = PaddedGraph(gpu, self.program)
                except CannotRecord:
                    self._refused = True
                    raise
            return self._made[gpu.ordinal]


class PaddedGraph:
    """The graph of a program on arrays of its own on a GPU, whose context must be current. Raises `CannotRecord`."""

    def __init__(self, gpu: Gpu, program: Executable):
        self.gpu, host = gpu, program.host
        self.arguments = [_fresh(gpu, b.shape, b.dtype, LEGACY) for b in map(host.buffer, range(host.arguments))]
        for array in self.arguments:
            gpu.call("cuMemsetD8Async", array.memory.pointer, 0, max(1, array.nbytes), LEGACY)
        self._graph = program.graph(self.arguments, gpu)
        self.results: tuple[DeviceArray, ...] = tuple(self._graph.outputs)
        self._lock, self._done = Lock(), Event(gpu)
        self._done.record(LEGACY)
        for array in (*self.arguments, *self.results):
            array.memory.uses.add(self._done)

    def __call__(self, arguments: Sequence[View], results: Sequence[View], stream: int) -> None:
        """Enqueues a call in `stream`, and waits for it if ops may fail. Raises their errors."""
        with self._lock:
            self._done.wait(stream)
            try:
                for view, large in zip(arguments, self.arguments, strict=True):
                    at = large.memory.pointer
                    copy_prefix(self.gpu, (view.pointer, view.shape), (at, large.shape), large.dtype.itemsize, stream)
                    repeat_last(self.gpu, at, view.shape, large.shape, large.dtype.itemsize, stream)
                self._graph.enqueue(stream)
                for view, large in zip(results, self.results, strict=True):
                    size, at = view.dtype.itemsize, large.memory.pointer
                    copy_prefix(self.gpu, (at, large.shape), (view.pointer, view.shape), size, stream)
                self._graph.wait(stream)
            finally:
                self._done.record(stream)


def _fresh(gpu: Gpu, shape: Shape, dtype: Any, stream: int) -> DeviceArray:
    return DeviceArray(gpu, Memory(gpu, prod(shape) * dtype.itemsize, stream), shape, dtype, stream)


def copy_prefix(gpu: Context, source: tuple[int, Shape], target: tuple[int, Shape], size: int, stream: int) -> None:
    """
    Copies the first elements of `size` bytes along each axis, as many as both arrays have. Arrays are addresses with shapes. From the last
    axis that differs on, elements are contiguous; between it and the one before, their distance is fixed: that is one copy.
    """
    (a, of_a), (b, of_b) = source, target
    shape = tuple(map(min, of_a, of_b))
    if 0 in shape:
        return
    different = [k for k, (m, n) in enumerate(zip(of_a, of_b, strict=True)) if m != n]
    last = different[-1] if different else 0
    before = different[-2] if len(different) > 1 else 0
    pitches = prod(of_a[last:]) * size, prod(of_b[last:]) * size
    for at in product(*map(range, shape[:before])):
        first, second = a, b
        for k, i in enumerate(at):
            first += i * prod(of_a[k + 1 :]) * size
            second += i * prod(of_b[k + 1 :]) * size
        copy_rows(gpu, (first, second), pitches, prod(shape[last:]) * size, prod(shape[before:last]), stream)


def repeat_last(gpu: Context, at: int, small: Shape, large: Shape, size: int, stream: int) -> None:
    """Repeats the last elements of the part `small` of an array along each axis, up to its shape. Each copy doubles what there is."""
    if 0 in small:
        return
    for axis, (have, want) in enumerate(zip(small, large, strict=True)):
        row = prod(large[axis + 1 :]) * size
        copied = 1
        while have < want:
            count = min(copied, want - have)
            places, pitch = (at + (have - copied) * row, at + have * row), large[axis] * row
            copy_rows(gpu, places, (pitch, pitch), count * row, prod(large[:axis]), stream)
            have, copied = have + count, copied + count


def copy_rows(
    gpu: Context, places: tuple[int, int], pitches: tuple[int, int], width: int, rows: int, stream: int
) -> None:
    """Copies `rows` rows of `width` bytes from the first of two places to the second; rows are `pitches` apart."""
    if rows == 1 or pitches == (width, width):
        gpu.call("cuMemcpyDtoDAsync", places[1], places[0], width * rows, stream)
        return
    d = gpu.driver
    copy = d.CUDA_MEMCPY2D()
    copy.srcMemoryType = copy.dstMemoryType = d.CUmemorytype.CU_MEMORYTYPE_DEVICE
    (copy.srcDevice, copy.dstDevice), (copy.srcPitch, copy.dstPitch) = places, pitches
    copy.WidthInBytes, copy.Height = width, rows
    gpu.call("cuMemcpy2DAsync", copy, stream)
