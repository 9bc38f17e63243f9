"""
Runs a compiled program on arrays: on the host's in the emulator or, with copies, on a GPU; on a GPU's where they lie.

Arrays are used as they are given. They must have the shapes and element types of the signature and be
C-contiguous and 16-byte aligned, which is what the kernels were compiled for. A fresh buffer of the emulator is all
ones in its bits, so that whoever counts on its contents finds out.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation

from ..emulator.errors import EmulatorFault
from ..errors import PtirError
from ..semantics.arrays.scalars import Array
from ..semantics.region.memref import poison
from .arrays import Unfit, View, check, on_host, ordinal_of, view_of_host, view_on_device
from .compile import Program
from .context import LEGACY
from .devices import best_device
from .gpu import Gpu
from .gpu_program import GpuProgram, Scratch
from .graphs import Graph, Recording
from .host import NoEntry, entry_function, launch_of, read_host
from .launch import Device
from .memory import DeviceArray, Memory
from .streams import BadStream, current, handle

__all__ = ["BadArgument", "BadOutput", "Executable", "NoEntry", "device_of", "entry_function", "execute", "launch_of"]


class BadArgument(PtirError):
    code = "PTIR0532"
    template = "argument {index} of @{function} {problem}"
    hint = "{help}"


class BadOutput(PtirError):
    code = "PTIR0537"
    template = "out[{index}] of @{function} {problem}"
    hint = "{help}"


class WrongDevice(PtirError):
    code = "PTIR0534"
    template = "{what} of @{function} lies on {got}, {want}"
    hint = "{help}"


class CannotRecord(PtirError):
    code = "PTIR0538"
    template = "@{function} {problem}"
    hint = "{help}"


@dataclass(frozen=True)
class _Given:
    """An array that the caller has given, and how to complain about it."""

    array: Any
    type: MemRefType[Attribute]
    name: str
    error: Callable[[str, str], PtirError]

    @contextmanager
    def named(self) -> Generator[None]:
        try:
            yield
        except Unfit as unfit:
            raise self.error(unfit.problem, unfit.help) from unfit


class Executable:
    """
    An entry function that is called again and again: its host function is read once, and on each GPU its modules are
    loaded, its constants uploaded and its scratch buffers allocated once.
    """

    def __init__(self, program: Program, entry: str | None = None):
        self.program = program
        self.host = read_host(program.module, entry_function(program.module, entry))
        self._loaded: dict[int, GpuProgram] = {}

    def __call__(
        self, arrays: Sequence[Any], device: Device, *, out: Any = None, stream: object = None
    ) -> tuple[Any, ...]:
        """
        The results, on the host or on the GPU that the arrays lie on: written to `out` where it is given, an array or
        one for each result. Arrays of a GPU are used in `stream`, and nothing waits.
        """
        arguments, outs = self._given(arrays, out)
        ordinal = self._place([*arguments, *outs])
        if ordinal is None:
            hosts, places = self._host_arrays(arguments, outs)
            if isinstance(device, Gpu):
                return self._copied(device, hosts, places, LEGACY if stream is None else handle(stream))
            if stream is not None:
                raise BadStream(problem=f"has no meaning to the {device.name}")
            return self._emulated(device, hosts, places)
        gpu = self._gpu(ordinal, device)
        where = current([g.array for g in (*arguments, *outs)], ordinal) if stream is None else handle(stream)
        with gpu.current():
            self._refuse_capture(gpu, where)
            program = self.load(gpu)
            views, places = self._views(gpu, ordinal, arguments, outs, where)
            plan = self._plan(gpu, arrays, outs, places, where)
            program.run({k: v.pointer for k, v in enumerate(views)} | plan.pointers, where)
            plan.finish(program, views, where)
        return plan.results

    def graph(self, arrays: Sequence[Any], device: Device, *, out: Any = None) -> Graph:
        """The launches on these arrays of a GPU as a CUDA graph, with buffers of its own. Waits for the arrays."""
        arguments, outs = self._given(arrays, out)
        ordinal = self._place([*arguments, *outs])
        if ordinal is None:
            raise CannotRecord(
                self.host.function,
                function=self.host.name,
                problem="cannot be recorded on arrays of the host",
                help="a graph has fixed arrays on a GPU: ptir.to_device(array) puts one there",
            )
        gpu = self._gpu(ordinal, device)
        with gpu.current():
            program = self.load(gpu)
            views, places = self._views(gpu, ordinal, arguments, outs, LEGACY)
            plan = self._plan(gpu, arrays, outs, places, LEGACY)
            scratch = Scratch(gpu, self.host)
            pointers = scratch.pointers | {k: v.pointer for k, v in enumerate(views)} | plan.pointers
            gpu.synchronize(LEGACY)

            def enqueue(stream: int) -> None:
                program.enqueue(pointers, stream)
                plan.finish(program, views, stream)

            recording = Recording(gpu, enqueue)
        return Graph(gpu, arrays, plan.results, recording, [program, scratch, views, places, plan])

    def load(self, gpu: Gpu) -> GpuProgram:
        """The program on a GPU, whose context is current."""
        if gpu.ordinal not in self._loaded:
            self._loaded[gpu.ordinal] = GpuProgram(gpu, self.program.binary, self.host)
        return self._loaded[gpu.ordinal]

    def close(self) -> None:
        """Waits for the GPUs and gives back what is loaded and allocated there."""
        loaded = list(self._loaded.values())
        self._loaded.clear()
        for program in loaded:
            program.gpu.unload(self.program.binary)

    # --- what was given ---

    def _given(self, arrays: Sequence[Any], out: Any) -> tuple[list[_Given], list[_Given]]:
        """The arguments and outputs, in the right numbers."""
        host, function, name = self.host, self.host.function, self.host.name

        def argument(index: int) -> Callable[[str, str], PtirError]:
            return lambda problem, help: BadArgument(function, index=index, function=name, problem=problem, help=help)

        def output(index: int) -> Callable[[str, str], PtirError]:
            return lambda problem, help: BadOutput(function, index=index, function=name, problem=problem, help=help)

        count = host.arguments
        if len(arrays) != count:
            problem = "is missing" if len(arrays) < count else "is one too many"
            raise argument(min(len(arrays), count))(problem, f"it takes {_counted(count, 'array')}, got {len(arrays)}")
        wanted = [host.buffers[r].type for r in host.results]
        given: list[Any] = [] if out is None else list(out) if isinstance(out, list | tuple) else [out]  # pyright: ignore[reportUnknownArgumentType]
        if out is not None and len(given) != len(wanted):
            problem = "is missing" if len(given) < len(wanted) else "is one too many"
            raise output(min(len(given), len(wanted)))(
                problem, f"it gives {_counted(len(wanted), 'result')}, got {len(given)}"
            )
        types = [host.buffers[k].type for k in range(count)]
        return (
            [_Given(a, types[k], f"argument {k}", argument(k)) for k, a in enumerate(arrays)],
            [_Given(a, wanted[k], f"out[{k}]", output(k)) for k, a in enumerate(given)],
        )

    def _place(self, given: Sequence[_Given]) -> int | None:
        """The GPU that all arrays lie on, None for the host."""
        places: list[int | None] = []
        for g in given:
            with g.named():
                places.append(ordinal_of(g.array))
            if places[-1] != places[0]:
                raise WrongDevice(
                    self.host.function,
                    function=self.host.name,
                    what=g.name,
                    got=_spell(places[-1]),
                    want=f"{given[0].name} on {_spell(places[0])}",
                    help="bring them together: ptir.to_device(array, 0) copies to a GPU, .numpy() back",
                )
        return places[0] if places else None

    def _gpu(self, ordinal: int, device: Device) -> Gpu:
        """The device, which must be the arrays' GPU."""
        if isinstance(device, Gpu) and device.ordinal == ordinal:
            return device
        runs = (
            f"the program runs on {_spell(device.ordinal)}"
            if isinstance(device, Gpu)
            else f"the {device.name} has none"
        )
        raise WrongDevice(
            self.host.function,
            function=self.host.name,
            what="argument 0" if self.host.arguments else "out[0]",
            got=_spell(ordinal),
            want=runs,
            help="copy the arrays to where it runs; the arrays of its first call decide that, unless device= does",
        )

    def _refuse_capture(self, gpu: Gpu, stream: int) -> None:
        """What is recorded must not share buffers with what runs."""
        if int(gpu.call("cuStreamIsCapturing", stream)):
            raise CannotRecord(
                self.host.function,
                function=self.host.name,
                problem="is called in a stream that is being captured",
                help="record it by itself: compiled.graph(…)",
            )

    # --- arrays of the host ---

    def _host_arrays(self, arguments: Sequence[_Given], outs: Sequence[_Given]) -> tuple[list[Array], list[Array]]:
        hosts: list[Array] = []
        views: list[View] = []
        for g in (*arguments, *outs):
            with g.named():
                hosts.append(on_host(g.array))
                views.append(view_of_host(hosts[-1]))
                check(views[-1], g.type)
        self._check_outs(views, outs)
        return hosts[: len(arguments)], hosts[len(arguments) :]

    def _check_outs(self, views: Sequence[View], outs: Sequence[_Given]) -> None:
        """Outputs can be written, and share no memory with anything else that was given."""
        first = len(views) - len(outs)
        for k, g in enumerate(outs):
            if views[first + k].readonly:
                raise g.error("is read-only", "give an array that can be written")
            if any(view.overlaps(views[first + k]) for view in views[: first + k]):
                raise g.error("shares memory with another array", "kernels read and write in any order: give its own")

    def _emulated(self, device: Device, arrays: list[Array], outs: list[Array]) -> tuple[Array, ...]:
        buffers = list(arrays)
        for k, buffer in enumerate(self.host.buffers[len(arrays) :], len(arrays)):
            if buffer.value is not None:
                buffers.append(buffer.value)
                continue
            place = outs[self.host.results.index(k)] if outs and k in self.host.results else None
            made = poison(buffer.shape, buffer.type.element_type) if place is None else place
            if buffer.kind == "zeros":
                made[...] = np.zeros((), made.dtype)
            buffers.append(made)
        for step in self.host.steps:
            try:
                device.run(self.program.binary, step.launch, [buffers[b] for b in step.buffers])
            except EmulatorFault as fault:
                fault.op = self._origin(fault) or step.op
                raise
        return _returned([buffers[r] for r in self.host.results], outs)

    def _origin(self, fault: EmulatorFault) -> Operation | None:
        """The operation that a faulting line was printed for; one of the prelude has none, but was inlined to one."""
        origins = self.program.origins
        known = (origins[line - 1] for line in fault.lines if line <= len(origins))
        return next((op for op in known if op is not None), None)

    def _copied(self, gpu: Gpu, arrays: list[Array], outs: list[Array], stream: int) -> tuple[Array, ...]:
        """On a GPU and back, waiting for the results."""
        host = self.host
        with gpu.current():
            self._refuse_capture(gpu, stream)
            program = self.load(gpu)
            memory = {k: gpu.upload(a, stream) for k, a in enumerate(arrays)}
            memory |= {k: Memory(gpu, host.buffers[k].nbytes, stream) for k in host.outputs}
            program.run({k: m.pointer for k, m in memory.items()}, stream)
            made: dict[int, Array] = dict(enumerate(arrays))
            made |= {k: b.value for k, b in enumerate(host.buffers) if b.value is not None}
            for k in host.outputs:
                place = outs[host.results.index(k)] if outs else np.empty(host.buffers[k].shape, host.buffers[k].dtype)
                made[k] = place
                gpu.download(place, memory[k].pointer, stream)
            gpu.synchronize(stream)
        return _returned([made[r] for r in host.results], outs)

    # --- arrays of a GPU ---

    def _views(
        self, gpu: Gpu, ordinal: int, arguments: Sequence[_Given], outs: Sequence[_Given], stream: int
    ) -> tuple[list[View], list[View]]:
        views: list[View] = []
        for g in (*arguments, *outs):
            with g.named():
                views.append(view_on_device(g.array, ordinal, gpu, stream))
                check(views[-1], g.type)
        self._check_outs(views, outs)
        return views[: len(arguments)], views[len(arguments) :]

    def _plan(
        self, gpu: Gpu, arrays: Sequence[Any], outs: Sequence[_Given], places: Sequence[View], stream: int
    ) -> _Plan:
        """Where each result goes: the caller's array, a new one, or an argument that is returned as it is."""
        plan = _Plan(gpu)
        made: dict[int, Any] = {}
        results: list[Any] = []
        for k, b in enumerate(self.host.results):
            buffer = self.host.buffers[b]
            if outs:
                array, pointer = outs[k].array, places[k].pointer
                if isinstance(array, DeviceArray):
                    array.stream = stream
            elif buffer.kind == "argument":
                array, pointer = arrays[b], None
            elif b in made:
                array, pointer = made[b], None
            else:
                memory = Memory(gpu, buffer.nbytes, stream)
                array, pointer = DeviceArray(gpu, memory, buffer.shape, buffer.dtype, stream), memory.pointer
            if pointer is not None:
                if b in self.host.outputs and b not in plan.pointers:
                    plan.pointers[b] = pointer
                else:
                    plan.copies.append((b, pointer, buffer.nbytes))
            made[b] = array
            results.append(array)
        plan.results = tuple(results)
        return plan


class _Plan:
    """The outputs of a call: where kernels write them, and what is copied when they are done."""

    def __init__(self, gpu: Gpu):
        self.gpu = gpu
        self.pointers: dict[int, int] = {}
        self.copies: list[tuple[int, int, int]] = []
        self.results: tuple[Any, ...] = ()

    def finish(self, program: GpuProgram, views: Sequence[View], stream: int) -> None:
        """Constants, arguments, and results that are returned twice."""
        at = {k: m.pointer for k, m in program.constants.items()} | {k: v.pointer for k, v in enumerate(views)}
        at |= self.pointers
        for buffer, pointer, size in self.copies:
            self.gpu.call("cuMemcpyDtoDAsync", pointer, at[buffer], size, stream)


def _returned(results: list[Array], outs: list[Array]) -> tuple[Array, ...]:
    """The results, those that were not made in `outs` copied there."""
    for result, place in zip(results, outs, strict=False):
        if result is not place:
            np.copyto(place, result)
    return tuple(outs or results)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _spell(ordinal: int | None) -> str:
    return "the host" if ordinal is None else f"cuda:{ordinal}"


def execute(
    program: Program,
    arrays: Sequence[Any],
    device: Device,
    entry: str | None = None,
    *,
    out: Any = None,
    stream: object = None,
) -> tuple[Any, ...]:
    """The results of the entry function on `arrays`, once. Raises `BadArgument` and what the device raises."""
    return Executable(program, entry)(arrays, device, out=out, stream=stream)


def device_of(arrays: Sequence[Any]) -> Device:
    """The GPU that the first array lies on; for arrays of the host the first GPU, or the emulator."""
    try:
        ordinal = ordinal_of(arrays[0]) if arrays else None
    except Unfit:  # said later, with its name
        ordinal = None
    return best_device() if ordinal is None else Gpu(ordinal)
