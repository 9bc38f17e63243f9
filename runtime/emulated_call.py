"""
A call in the emulator: arrays are NumPy arrays, and the arena is bytes of one.

Buffers are filled with ones in all bits when they are taken, so that a read of uninitialized memory, or of memory that has been
reused too early, changes the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..analysis.program.buffers import ALIGNMENT
from ..semantics.arrays.poison import poison
from ..semantics.arrays.scalars import Array
from ..semantics.custom_calls import run_stored
from ..semantics.sizes import MAX_RANK
from .arena import Arena, Range
from .execution import Execution, Place
from .host import Buffer, Host
from .steps import CustomCall, Step


class EmulatedCall(Execution):
    """
    A call on `device`. `run` executes a launch there; `check` is called with the number in the status word where a predicate is
    read, and raises the error of the op that has the number.
    """

    def __init__(
        self, host: Host, size: int, run: Callable[[Step, Sequence[Array]], None], check: Callable[[int], None]
    ):
        self._status = np.zeros(1, np.int32)
        fixed: dict[tuple[str, int], Place] = {}
        for function in host.functions.values():
            for k in function.fixed:
                buffer = function.buffer(k)
                value = np.zeros(buffer.shape, buffer.dtype) if buffer.value is None else buffer.value
                fixed[function.name, k] = Place(self._status if k == function.status else value)
        super().__init__([self.new_arena(size)] if size else [], fixed)
        self._run = run
        self._check = check

    def new_arena(self, size: int) -> Arena:
        size = -(-size // ALIGNMENT) * ALIGNMENT or ALIGNMENT
        return Arena(size, np.empty(size, np.uint8))

    def place(self, buffer: Buffer, taken: Range) -> Place:
        array = taken.arena.memory[taken.start :][: buffer.nbytes].view(buffer.dtype)
        if len(buffer.shape) <= MAX_RANK:  # only kernels use others, by their memory
            array = array.reshape(buffer.shape)
        array[...] = poison(array.shape, buffer.type.element_type)
        return Place(array, taken)

    def clear(self, buffer: Buffer, place: Place) -> None:
        place.at[...] = np.zeros((), buffer.dtype)

    def launch(self, step: Step, buffers: Sequence[Buffer], places: Sequence[Place]) -> None:
        self._run(step, [p.at for p in places])

    def copy(self, buffer: Buffer, source: Place, target: Place) -> None:
        np.copyto(target.at, source.at)

    def row(self, buffer: Buffer, array: Place, index: int) -> Array:
        return array.at[index, ...]

    def read(self, predicate: Place) -> bool:
        self.wait()
        return bool(predicate.at)

    def wait(self) -> None:
        """Raises the error of the op that has failed."""
        self._check(int(self._status[0]))

    def custom_call(self, step: CustomCall, buffers: Sequence[Buffer], places: Sequence[Place]) -> None:
        count = len(step.op.ins)
        results = run_stored(step.op.tensor_call(), [p.at for p in places[:count]], step.op.outs.types)
        for place, result in zip(places[count:], results, strict=True):
            np.copyto(place.at, result)
