"""A program that is loaded on one GPU: its kernels, constants and scratch memory."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock

from ..backends.cuda.nvrtc import Binary
from .arena import Arena
from .context import LEGACY, Event
from .execution import Place, release
from .gpu import Gpu
from .gpu_call import GpuCall
from .host import Host
from .memory import Memory, StatusWord
from .planned_call import arena_size
from .steps import Step

Key = tuple[str, int]
"""A buffer that outlives calls: the name of its function, and its number there."""


class Scratch:
    """
    The memory that all calls share: the arena of workspaces and intermediate values, the status word, and counters, which are zero
    between calls. Each call waits for the previous one, even in another stream. With `exact`, the arena is large enough for every
    call of a program whose control flow does not depend on data.
    """

    def __init__(self, gpu: Gpu, host: Host, *, exact: bool = False):
        self._done = Event(gpu)
        self._lock = Lock()
        self.memory: dict[Key, Memory] = {}
        size = arena_size(host, exact=exact)
        self.arenas = [Arena(size, Memory(gpu, size, LEGACY))] if size else []
        self.status: StatusWord | None = None
        self.places: dict[Key, Place] = {}
        for function in host.functions.values():
            for k in function.fixed:
                buffer = function.buffer(k)
                if k == function.status:
                    self.status = self.status or StatusWord(gpu)
                    self.places[function.name, k] = Place(self.status.pointer)
                elif buffer.value is None:
                    memory = self.memory[function.name, k] = Memory(gpu, buffer.nbytes, LEGACY)
                    self.places[function.name, k] = Place(memory.pointer)
        for memory in self._all:
            memory.uses.add(self._done)
        for memory in self.memory.values():
            gpu.call("cuMemsetD8Async", memory.pointer, 0, memory.size, LEGACY)
        self._done.record(LEGACY)

    @property
    def _all(self) -> list[Memory]:
        return [*self.memory.values(), *(arena.memory for arena in self.arenas)]

    @contextmanager
    def turn(self, stream: int) -> Generator[None]:
        """Work enqueued in `stream` inside the `with` runs after the previous call's work."""
        with self._lock:
            self._done.wait(stream)
            try:
                yield
            finally:
                for memory in self._all:  # the arena may have grown
                    memory.uses.add(self._done)
                self._done.record(stream)


class GpuProgram:
    """
    The kernels, constants and scratch memory of a program. The methods need the GPU's context to be current. `check` raises the error
    of the op that has a number.
    """

    def __init__(self, gpu: Gpu, binary: Binary, host: Host, check: Callable[[int], None]):
        self.gpu = gpu
        self.host = host
        self.check = check
        launches = (step.launch for step in host.steps if isinstance(step, Step))
        self._kernels = {launch.kernel: gpu.kernel(binary, launch.kernel, launch.shared) for launch in launches}
        self.places: dict[Key, Place] = {}
        uploaded: dict[int, Memory] = {}
        for function in host.functions.values():
            for k in function.fixed:
                if (value := function.buffer(k).value) is not None:
                    if id(value) not in uploaded:
                        uploaded[id(value)] = gpu.upload(value, LEGACY)
                    self.places[function.name, k] = Place(uploaded[id(value)].pointer)
        self._constants = list(uploaded.values())
        # Created last: the event that it records follows the uploads of the constants, and the first call waits for that event.
        self.scratch = Scratch(gpu, host)

    def run(
        self,
        arguments: Sequence[int],
        outputs: Mapping[int, int],
        stream: int,
        finish: Callable[[Sequence[int]], None],
    ) -> None:
        """
        Enqueues a call, and waits for it if ops may fail. `arguments` are addresses, `outputs` maps the numbers of outputs to addresses.
        `finish` is called with the addresses of the results, before another call may overwrite them.
        """
        with self.scratch.turn(stream):
            self.enqueue(self.scratch, arguments, outputs, stream, finish)
            self.wait(self.scratch, stream)

    def wait(self, scratch: Scratch, stream: int) -> None:
        """Waits for the ops in a stream that may fail, and raises the error of the one that has failed."""
        if scratch.status is not None:
            self.gpu.synchronize(stream)
            self.check(scratch.status.take())

    def enqueue(
        self,
        scratch: Scratch,
        arguments: Sequence[int],
        outputs: Mapping[int, int],
        stream: int,
        finish: Callable[[Sequence[int]], None],
    ) -> None:
        """Enqueues the steps of a call, and waits only where a step reads a predicate."""
        fixed = self.places | scratch.places
        call = GpuCall(self.gpu, self._kernels, scratch.arenas, fixed, stream, lambda: self.wait(scratch, stream))
        given = {k: Place(pointer) for k, pointer in outputs.items()}
        results = call.start(self.host, [Place(pointer) for pointer in arguments], given)
        finish([r.at for r in results])
        release(results)
