"""
Runs a compiled program on arrays. The emulator uses arrays on the host in place. A GPU uses its own arrays in place; arrays on the
host are copied to it, and the results are copied back.

The kernels were compiled for the shapes and element types of the signature and for C-contiguous arrays that are aligned to 16
bytes; other arrays are rejected. Kernels take 4-bit integers packed, two in a byte. Arrays of `ml_dtypes.int4` on the host are
packed and unpacked here; arrays on a GPU must be packed already, with 4-bit elements or as bytes in uint8. The emulator fills
new buffers with ones in all bits, so that a read of uninitialized memory changes the result.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from ..analysis.program.signature import entry_function
from ..emulator.errors import EmulatorFault
from ..errors import PtirError, counted
from ..semantics.arrays.bits import pack, unpack
from ..semantics.arrays.poison import poison
from ..semantics.arrays.scalars import INT4, UINT4, Array, numpy_dtype
from ..semantics.region import raise_report
from .arrays import Unfit, View, check, on_host, ordinal_of, overlapping, view_of_host, view_on_device
from .compile import Program
from .context import LEGACY
from .devices import best_device
from .emulated_call import EmulatedCall
from .execution import Place
from .gpu import Gpu
from .gpu_program import GpuProgram, Scratch
from .graphs import Graph, Recording
from .host import Buffer, read_host
from .launch import Device
from .memory import DeviceArray, Memory
from .planned_call import arena_size
from .steps import CustomCall, Read, Step
from .streams import BadStream, current_stream, handle


class BadArgument(PtirError):
    code = "PTIR0532"
    template = "argument {index} of @{function} {problem}"
    hint = "{help}"


class BadOutput(PtirError):
    code = "PTIR0537"
    template = "out[{index}] of @{function} {problem}"
    hint = "{help}"


def require_count(function: FuncOp, kind: type[PtirError], arrays: Sequence[Any], want: int, help: str) -> None:
    """Raises `kind`, `BadArgument` or `BadOutput`, unless there are `want` arrays."""
    if len(arrays) != want:
        problem = "is missing" if len(arrays) < want else "is one too many"
        index, help = min(len(arrays), want), f"{help}, got {len(arrays)}"
        raise kind(function, function=function.sym_name.data, index=index, problem=problem, help=help)


class WrongDevice(PtirError):
    code = "PTIR0534"
    template = "{what} of @{function} is on {got}, but {want}"
    hint = "{help}"


class CannotRecord(PtirError):
    code = "PTIR0538"
    template = "@{function} {problem}"
    hint = "{help}"


@dataclass(frozen=True)
class _Given:
    """
    An array that the caller has passed, and its buffer. If the buffer has the bytes of an array of 4-bit integers,
    `packed` is the type of that array. `error` returns the error about the array, given a problem and a help.
    """

    array: Any
    buffer: Buffer
    packed: TensorType[Attribute] | None
    name: str
    error: Callable[[str, str], PtirError]

    @contextmanager
    def named(self) -> Generator[None]:
        """Converts an `Unfit` to an error that names the array."""
        try:
            yield
        except Unfit as unfit:
            raise self.error(unfit.problem, unfit.help) from unfit

    def check(self, view: View) -> None:
        """
        Raises `Unfit` unless the array has the type of the signature; an array of 4-bit integers may also be given as its
        bytes.
        """
        if self.packed is None or view.dtype == np.uint8:
            check(view, self.buffer.dtype, self.buffer.shape)
        else:
            check(view, numpy_dtype(self.packed.element_type), self.packed.get_shape())


class Executable:
    """
    An entry function that can be called repeatedly. Its host function is read once. For each GPU, its modules are loaded, its
    constants are uploaded and its scratch buffers are allocated at the first call.
    """

    def __init__(self, program: Program, entry: str | None = None):
        self.program = program
        self.host = read_host(program.module, entry_function(program.module, entry))
        self.function = self.host.function
        self._loaded: dict[int, GpuProgram] = {}

    def __call__(
        self, arrays: Sequence[Any], device: Device, *, out: Any = None, stream: object = None
    ) -> tuple[Any, ...]:
        """
        Runs the program and returns the results, which are on the host or on the GPU that holds `arrays`. If `out` is given (an
        array, or one for each result), the results are written there. On arrays of a GPU, the call is asynchronous in `stream`,
        except that it waits for the status of a program whose ops may fail.
        """
        arguments, outs = self._given(arrays, out)
        ordinal = self._common_ordinal([*arguments, *outs])
        if ordinal is None:
            hosts, places = self._host_arrays(arguments, outs)
            if isinstance(device, Gpu):
                return self._copied(device, hosts, places, LEGACY if stream is None else handle(stream))
            if stream is not None:
                raise BadStream(problem=f"cannot be used: the {device.name} has no streams")
            return self._emulated(device, hosts, places)
        gpu = self._gpu(ordinal, device)
        where = current_stream([g.array for g in (*arguments, *outs)], ordinal) if stream is None else handle(stream)
        with gpu.current():
            self._refuse_capture(gpu, where)
            program = self.load(gpu)
            views, places = self._views(gpu, ordinal, arguments, outs, where)
            plan = self._plan(gpu, arrays, outs, places, where)
            program.run([v.pointer for v in views], plan.pointers, where, plan.finishing(where))
        return plan.results

    def graph(self, arrays: Sequence[Any], device: Device, *, out: Any = None) -> Graph:
        """
        Waits for `arrays`, which are on a GPU, and returns a CUDA graph of the call, which has scratch memory of its own. Raises
        `CannotRecord` for a program whose steps are not known before it runs.
        """
        for kind, what in (
            (Read, "branches or loops on values that it computes"),
            (CustomCall, "calls Python functions"),
        ):
            if any(isinstance(step, kind) for step in self.host.steps):
                help = "call it without a graph: the host decides or computes during the call"
                raise self._error(CannotRecord, problem=f"{what}, so its work is not a fixed sequence", help=help)
        arguments, outs = self._given(arrays, out)
        ordinal = self._common_ordinal([*arguments, *outs])
        if ordinal is None:
            help = "a graph has fixed arrays on a GPU: ptir.to_device(array) copies one there"
            raise self._error(CannotRecord, problem="cannot be recorded on arrays of the host", help=help)
        gpu = self._gpu(ordinal, device)
        with gpu.current():
            program = self.load(gpu)
            views, places = self._views(gpu, ordinal, arguments, outs, LEGACY)
            plan = self._plan(gpu, arrays, outs, places, LEGACY)
            scratch = Scratch(gpu, self.host, exact=True)
            gpu.synchronize(LEGACY)

            def enqueue(stream: int) -> None:
                pointers = [v.pointer for v in views]
                program.enqueue(scratch, pointers, plan.pointers, stream, plan.finishing(stream))

            recording = Recording(gpu, enqueue)

        wait = partial(program.wait, scratch)
        return Graph(gpu, arrays, plan.results, recording, wait, [program, scratch, views, places, plan])

    def load(self, gpu: Gpu) -> GpuProgram:
        """Loads the program on a GPU unless it is loaded, and returns it. The GPU's context must be current."""
        if gpu.ordinal not in self._loaded:
            self._loaded[gpu.ordinal] = GpuProgram(gpu, self.program.binary, self.host, self._check)
        return self._loaded[gpu.ordinal]

    def close(self) -> None:
        """Waits for all GPUs in use, unloads the modules and frees the buffers."""
        loaded = list(self._loaded.values())
        self._loaded.clear()
        for program in loaded:
            program.gpu.unload(self.program.binary)

    # --- arguments and outputs ---

    def _error(self, kind: type[PtirError], **fields: Any) -> PtirError:
        return kind(self.host.function, function=self.host.name, **fields)

    def _given(self, arrays: Sequence[Any], out: Any) -> tuple[list[_Given], list[_Given]]:
        """Pairs `arrays` and `out` with their types. Raises `BadArgument` or `BadOutput` if there are too few or too many."""
        host = self.host
        parameters, results = range(host.arguments), host.results
        takes, returns = counted(len(parameters), "array"), counted(len(results), "result")
        arguments = self._matched(arrays, parameters, "argument {}", BadArgument, f"it takes {takes}")
        if out is None:
            return arguments, []
        outs = cast("Sequence[Any]", out) if isinstance(out, list | tuple) else [out]
        return arguments, self._matched(outs, results, "out[{}]", BadOutput, f"it returns {returns}")

    def _matched(
        self, arrays: Sequence[Any], buffers: Sequence[int], name: str, kind: type[PtirError], help: str
    ) -> list[_Given]:
        require_count(self.host.function, kind, arrays, len(buffers), help)

        def error(index: int, problem: str, help: str) -> PtirError:
            return self._error(kind, index=index, problem=problem, help=help)

        first = self.host.arguments
        packed = self.host.packed[:first] if kind is BadArgument else self.host.packed[first:]
        rows = enumerate(zip(arrays, buffers, packed, strict=True))
        return [_Given(a, self.host.buffer(b), p, name.format(k), partial(error, k)) for k, (a, b, p) in rows]

    def _common_ordinal(self, given: Sequence[_Given]) -> int | None:
        """Returns the ordinal of the GPU that holds all arrays, or None for the host. Raises `WrongDevice` if they differ."""
        ordinals: list[int | None] = []
        for g in given:
            with g.named():
                ordinals.append(ordinal_of(g.array))
            if ordinals[-1] != ordinals[0]:
                want = f"{given[0].name} is on {_device_name(ordinals[0])}"
                help = "move them to one device: ptir.to_device(array, 0) copies to a GPU, .numpy() to the host"
                raise self._error(WrongDevice, what=g.name, got=_device_name(ordinals[-1]), want=want, help=help)
        return ordinals[0] if ordinals else None

    def _gpu(self, ordinal: int, device: Device) -> Gpu:
        """Returns `device`. Raises `WrongDevice` unless it is the GPU that holds the arrays."""
        if isinstance(device, Gpu) and device.ordinal == ordinal:
            return device
        want = (
            f"the program runs on {_device_name(device.ordinal) if isinstance(device, Gpu) else f'the {device.name}'}"
        )
        what = "argument 0" if self.host.arguments else "out[0]"
        help = "copy the arrays to the program's device: the device= that is given, or else the device of the first call's arrays"
        raise self._error(WrongDevice, what=what, got=_device_name(ordinal), want=want, help=help)

    def _refuse_capture(self, gpu: Gpu, stream: int) -> None:
        """Raises `CannotRecord` while `stream` is being captured, as a recorded call must not share scratch buffers with others."""
        if int(gpu.call("cuStreamIsCapturing", stream)):
            problem, help = "is called in a stream that is being captured", "record it by itself: compiled.graph(…)"
            raise self._error(CannotRecord, problem=problem, help=help)

    # --- arrays of the host ---

    def _host_arrays(self, arguments: Sequence[_Given], outs: Sequence[_Given]) -> tuple[list[Array], list[Array]]:
        hosts: list[Array] = []
        views: list[View] = []
        for g in (*arguments, *outs):
            with g.named():
                hosts.append(on_host(g.array))
                views.append(view_of_host(hosts[-1]))
                g.check(views[-1])
        self._check_outs(views, outs)
        given, places = hosts[: len(arguments)], hosts[len(arguments) :]
        return [pack(a) if _is_int4(a) else a for a in given], places

    def _check_outs(self, views: Sequence[View], outs: Sequence[_Given]) -> None:
        """Raises an error for an output that is read-only or shares memory with another array of the caller."""
        first = len(views) - len(outs)
        for k, g in enumerate(outs):
            if views[first + k].readonly:
                raise g.error("is read-only", "give an array that can be written")
        if (shared := overlapping(views, first)) is not None:
            help = "give each output its own memory: kernels read and write in any order"
            raise outs[shared - first].error("shares memory with another array", help)

    def _emulated(self, device: Device, arrays: list[Array], outs: list[Array]) -> tuple[Array, ...]:
        def run(step: Step, buffers: Sequence[Array]) -> None:
            try:
                device.run(self.program.binary, step.launch, buffers)
            except EmulatorFault as fault:
                fault.op = self._origin(fault) or step.op
                raise

        given: dict[int, Place] = {}
        for k in self.host.outputs:
            buffer, place = self.host.buffer(k), self._place(k, outs)
            given[k] = Place(poison(buffer.shape, buffer.type.element_type) if place is None else place)
        call = EmulatedCall(self.host, self.arena_size, run, self._check)
        results = [r.at for r in call.start(self.host, [Place(a) for a in arrays], given)]
        call.wait()
        own = {id(array) for array in (*arrays, *(place.at for place in given.values()))}
        return self._returned([at if id(at) in own else at.copy() for at in results], outs)

    @cached_property
    def arena_size(self) -> int:
        """The number of bytes of the arena from which a call takes its buffers."""
        return arena_size(self.host)

    def _check(self, number: int) -> None:
        """Raises the error of the op that reports a number, unless that is 0."""
        raise_report(self.program.module, number)

    def _origin(self, fault: EmulatorFault) -> Operation | None:
        """
        Returns the operation that the faulting line was printed for. If the line is in a function of the prelude, returns the
        operation of the line that it is inlined into.
        """
        origins = self.program.origins
        return next((op for line in fault.lines if line <= len(origins) and (op := origins[line - 1])), None)

    def _copied(self, gpu: Gpu, arrays: list[Array], outs: list[Array], stream: int) -> tuple[Array, ...]:
        """Copies the arrays to a GPU, runs the program there, and copies the results back."""
        host = self.host
        with gpu.current():
            self._refuse_capture(gpu, stream)
            program = self.load(gpu)
            memory = {k: gpu.upload(a, stream) for k, a in enumerate(arrays)}
            outputs = {k: Memory(gpu, host.buffer(k).nbytes, stream) for k in host.outputs}
            values: dict[int, Array] = dict(enumerate(arrays))

            def download(results: Sequence[int]) -> None:
                for number, pointer in zip(host.results, results, strict=True):
                    buffer = host.buffer(number)
                    if buffer.value is not None:
                        values[number] = buffer.value.copy()
                    elif number not in values:
                        place = self._place(number, outs)
                        values[number] = np.empty(buffer.shape, buffer.dtype) if place is None else place
                        gpu.download(values[number], pointer, stream)

            pointers = [m.pointer for m in memory.values()]
            program.run(pointers, {k: m.pointer for k, m in outputs.items()}, stream, download)
            gpu.synchronize(stream)
        return self._returned([values[r] for r in host.results], outs)

    def _place(self, buffer: int, outs: Sequence[Array]) -> Array | None:
        """
        Returns the array in `outs` to which kernels write this buffer. Returns None if there is none, or if the array holds 4-bit
        integers, which are unpacked after the call.
        """
        place = outs[self.host.results.index(buffer)] if outs and buffer in self.host.results else None
        return None if place is None or _is_int4(place) else place

    def _returned(self, results: list[Array], outs: list[Array]) -> tuple[Array, ...]:
        """
        Returns the results, with 4-bit integers unpacked; if there are `outs`, copies each result that was not computed there.
        """
        for k, t in enumerate(self.host.packed[self.host.arguments :]):
            if t is not None and (not outs or _is_int4(outs[k])):
                results[k] = unpack(results[k], t.get_shape(), numpy_dtype(t.element_type))
        for result, place in zip(results, outs, strict=False):
            if result is not place:
                np.copyto(place, result)
        return tuple(outs or results)

    # --- arrays of a GPU ---

    def _views(
        self, gpu: Gpu, ordinal: int, arguments: Sequence[_Given], outs: Sequence[_Given], stream: int
    ) -> tuple[list[View], list[View]]:
        views: list[View] = []
        for g in (*arguments, *outs):
            with g.named():
                views.append(view_on_device(g.array, ordinal, gpu, stream))
                g.check(views[-1])
        self._check_outs(views, outs)
        return views[: len(arguments)], views[len(arguments) :]

    def _plan(
        self, gpu: Gpu, arrays: Sequence[Any], outs: Sequence[_Given], places: Sequence[View], stream: int
    ) -> _Plan:
        """Chooses the array of each result: the caller's array in `outs`, a new array, or the argument that the program returns."""
        plan = _Plan(gpu)
        made: dict[int, Any] = {}
        results: list[Any] = []
        for k, b in enumerate(self.host.results):
            buffer = self.host.buffer(b)
            if outs:
                array, pointer = outs[k].array, places[k].pointer
                if isinstance(array, DeviceArray):
                    array.stream = stream
            elif buffer.kind == "argument":
                array, pointer = arrays[b], None
            elif b in made:
                array, pointer = made[b], None
            else:
                memory, t = Memory(gpu, buffer.nbytes, stream), self.host.packed[self.host.arguments + k] or buffer.type
                array = DeviceArray(gpu, memory, t.get_shape(), numpy_dtype(t.element_type), stream)
                pointer = memory.pointer
            if pointer is not None:
                if b in self.host.outputs and b not in plan.pointers:
                    plan.pointers[b] = pointer
                else:
                    plan.copies.append((k, pointer, buffer.nbytes))
            made[b] = array
            results.append(array)
        plan.results = tuple(results)
        return plan


@dataclass
class _Plan:
    """
    The destinations of the results of a call: the pointer for each output buffer that kernels write, and `(result, pointer, size)` for each
    copy that follows the steps: of constants, arguments, results returned twice, and what control flow and calls return.
    """

    gpu: Gpu
    pointers: dict[int, int] = field(default_factory=dict[int, int])
    copies: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    results: tuple[Any, ...] = ()

    def finishing(self, stream: int) -> Callable[[Sequence[int]], None]:
        """Returns a function that enqueues the copies, given the addresses of all results."""

        def finish(results: Sequence[int]) -> None:
            for result, pointer, size in self.copies:
                if size:
                    self.gpu.call("cuMemcpyDtoDAsync", pointer, results[result], size, stream)

        return finish


def _is_int4(array: Array) -> bool:
    return array.dtype in (INT4, UINT4)


def _device_name(ordinal: int | None) -> str:
    return "the host" if ordinal is None else f"cuda:{ordinal}"


def execute(program: Program, arrays: Sequence[Any], device: Device, entry: str | None = None) -> tuple[Any, ...]:
    """Returns the results of the entry function on `arrays`. Raises `BadArgument` and errors of the device."""
    return Executable(program, entry)(arrays, device)


def device_of(arrays: Sequence[Any]) -> Device:
    """
    Returns the GPU that holds the first array. If the array is on the host, returns the first GPU or, without one,
    the emulator.
    """
    try:
        ordinal = ordinal_of(arrays[0]) if arrays else None
    except Unfit:  # the call reports it with the array's name
        ordinal = None
    return best_device() if ordinal is None else Gpu(ordinal)
