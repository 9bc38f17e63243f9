"""A call on a GPU, in one stream: arrays are addresses. Only predicates are copied to the host."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..dialects.common.shapes import element, shape
from ..dialects.ptir.tuples import leaves
from ..semantics.arrays.scalars import numpy_dtype
from ..semantics.custom_calls import run_in_place, run_stored, takes_numpy
from ..semantics.errors import WrongResult
from .arena import Arena, Range
from .arrays import Unfit, check, ordinal_of, view_on_device
from .context import LEGACY
from .execution import Execution, Place
from .gpu import Gpu
from .host import Buffer
from .memory import BorrowedMemory, DeviceArray, Memory
from .steps import CustomCall, Step
from .streams import current_stream


class GpuCall(Execution):
    """
    A call that enqueues its work in `stream`. `kernels` are the loaded kernels by name; `wait` waits for the ops that may fail, and
    raises the error of the one that has failed.
    """

    def __init__(
        self,
        gpu: Gpu,
        kernels: Mapping[str, Any],
        arenas: list[Arena],
        fixed: Mapping[tuple[str, int], Place],
        stream: int,
        wait: Callable[[], None],
    ):
        super().__init__(arenas, fixed)
        self.gpu = gpu
        self.kernels = kernels
        self.stream = stream
        self._wait = wait

    def new_arena(self, size: int) -> Arena:
        memory = Memory(self.gpu, size + -size % 256, LEGACY)
        self.gpu.order(LEGACY, self.stream)
        memory.uses.add(self.stream)
        return Arena(memory.size, memory)

    def place(self, buffer: Buffer, taken: Range) -> Place:
        return Place(taken.arena.memory.pointer + taken.start, taken)

    def clear(self, buffer: Buffer, place: Place) -> None:
        if buffer.nbytes:
            self.gpu.call("cuMemsetD8Async", place.at, 0, buffer.nbytes, self.stream)

    def launch(self, step: Step, buffers: Sequence[Buffer], places: Sequence[Place]) -> None:
        kernel, sizes = self.kernels[step.launch.kernel], [b.nbytes for b in buffers]
        self.gpu.launch(kernel, step.launch, [p.at for p in places], sizes, self.stream)

    def copy(self, buffer: Buffer, source: Place, target: Place) -> None:
        if buffer.nbytes:
            self.gpu.call("cuMemcpyDtoDAsync", target.at, source.at, buffer.nbytes, self.stream)

    def row(self, buffer: Buffer, array: Place, index: int) -> int:
        return array.at + index * buffer.nbytes

    def read(self, predicate: Place) -> bool:
        word = np.empty((), np.bool_)
        self.gpu.download(word, predicate.at, self.stream)
        self.gpu.synchronize(self.stream)
        self._wait()
        return bool(word)

    # --- custom calls ---

    def custom_call(self, step: CustomCall, buffers: Sequence[Buffer], places: Sequence[Place]) -> None:
        count = len(step.op.ins)
        run = self.call_on_host if takes_numpy(step.op.target.data) else self.call_in_place
        run(step, buffers[:count], places[:count], buffers[count:], places[count:])

    def call_on_host(
        self,
        step: CustomCall,
        types: Sequence[Buffer],
        ins: Sequence[Place],
        out_types: Sequence[Buffer],
        outs: Sequence[Place],
    ) -> None:
        """Calls a function that is registered for NumPy arrays, on copies."""
        arrays = [np.empty(b.shape, b.dtype) for b in types]
        for array, place in zip(arrays, ins, strict=True):
            self.gpu.download(array, place.at, self.stream)
        self.gpu.synchronize(self.stream)
        results = run_stored(step.op.tensor_call(), arrays, step.op.outs.types)
        dense = [np.ascontiguousarray(r) for r in results]
        for result, place in zip(dense, outs, strict=True):
            self.gpu.call("cuMemcpyHtoDAsync", place.at, result.ctypes.data, result.nbytes, self.stream)
        self.gpu.synchronize(self.stream)  # the arrays die here

    def call_in_place(
        self,
        step: CustomCall,
        types: Sequence[Buffer],
        ins: Sequence[Place],
        out_types: Sequence[Buffer],
        outs: Sequence[Place],
    ) -> None:
        """Calls a function on the arrays where they are. Its results are copied on the device."""
        call = step.op.tensor_call()
        arrays: list[DeviceArray] = []
        for place, buffer, t in zip(ins, types, call.inputs.types, strict=True):
            memory = BorrowedMemory(place.at, buffer.nbytes)
            arrays.append(DeviceArray(self.gpu, memory, shape(t), numpy_dtype(element(t)), self.stream))
        results = run_in_place(call, arrays)
        for use in (use for array in arrays for use in array.memory.uses):
            if isinstance(use, int):  # another stream has read memory that later work may overwrite
                self.gpu.order(use, self.stream)
        for place, buffer, t, result in zip(outs, out_types, leaves(call.outputs.types), results, strict=True):
            try:
                on = ordinal_of(result)
                if on != self.gpu.ordinal:
                    raise Unfit(f"is on {'the host' if on is None else f'cuda:{on}'}", "")
                view = view_on_device(result, self.gpu.ordinal, self.gpu, self.stream)
                if view.dtype == np.uint8:
                    check(view, buffer.dtype, buffer.shape)
                else:
                    check(view, numpy_dtype(element(t)), shape(t))
            except Unfit as unfit:
                got, want = f"an array that {unfit.problem}", f"{t} on cuda:{self.gpu.ordinal}"
                raise WrongResult(call, target=call.target.data, got=got, want=want) from unfit
            if buffer.nbytes:
                self.gpu.call("cuMemcpyDtoDAsync", place.at, view.pointer, buffer.nbytes, self.stream)
            self.gpu.order(self.stream, current_stream([result], self.gpu.ordinal))  # which may reuse the memory
