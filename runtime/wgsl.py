"""
Dispatches programs of the `vyre` dialect as WGSL, on an adapter of WebGPU: a GPU, or software such as Mesa's lavapipe.

`wgpu` is an extra (`pip install ptir[wgsl]`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from ..backends.wgsl.printer import ENTRY_POINT, WgslPrinter
from ..backends.wgsl.watched import has_loops, watch_loops
from ..dialects import vyre
from ..dialects.vyre.types import WORD_BYTES
from ..errors import PtirError
from ..semantics.vyre import find_program, host_words
from ..semantics.vyre.errors import WrongBuffer
from ..transforms.vyre_expand_reductions import VyreExpandReductions
from ..transforms.vyre_inline import VyreInline

Array = npt.NDArray[Any]
MAX_WORKGROUPS = 65535
"""Number of workgroups along an axis that every adapter executes."""
KINDS = {"read_only": "read-only-storage", "read_write": "storage", "uniform": "uniform"}
"""WebGPU's names of the kinds of buffers."""
ENDING = ("llvmpipe", "softpipe")
"""Adapters that end loops early without an error."""


class NoAdapter(PtirError):
    """No implementation of WebGPU is installed, or it finds no GPU and no software adapter."""

    code = "PTIR0594"
    template = "WGSL cannot be executed here: {problem}"
    hint = "pip install ptir[wgsl], and install a driver, such as Debian's mesa-vulkan-drivers for software"


class InvalidShader(PtirError):
    code = "PTIR0595"
    template = "the WGSL of @{name} is refused: {problem}"
    hint = "this is a bug of ptir, or a limit of the adapter: look at the output of -t vyre-wgsl"


class LoopEnded(PtirError):
    """The adapter did not execute all iterations of a loop, so that results are wrong."""

    code = "PTIR0589"
    template = "the loops of @{name} are ended before their last iteration by {adapter}"
    hint = "dispatch more invocations with fewer iterations (llvmpipe: 65,535, those of float functions included), or use another adapter"


@cache
def device() -> Any:
    """Returns a device of the first adapter, or of one in software. Raises `NoAdapter`."""
    try:
        import wgpu  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise NoAdapter(problem=f"wgpu is not installed ({error})") from error
    try:
        adapter: Any = wgpu.gpu.request_adapter_sync()
        return adapter.request_device_sync()
    except (RuntimeError, OSError, wgpu.GPUError) as error:  # wgpu raises RuntimeError if there is no adapter
        raise NoAdapter(problem=f"wgpu finds no adapter ({error})") from error


def wgpu_error() -> type[Exception]:
    """Returns the base of wgpu's errors."""
    import wgpu  # pyright: ignore[reportMissingImports]

    return wgpu.GPUError


class WgslProgram:
    """A program that is compiled as WGSL for `device()`."""

    def __init__(self, module: ModuleOp, name: str | None = None):
        """Compiles a program of a verified module, by default the only one. Raises `NoAdapter` and `InvalidShader`."""
        inlined = module.clone()
        VyreInline().apply(Context(), inlined)
        VyreExpandReductions().apply(Context(), inlined)
        self.program = find_program(inlined, name)
        self.wgsl = WgslPrinter(self.program).text()
        self.device = device()
        bound = self.program.bound()
        kinds = {b.slot: KINDS[b.type.kind.data] for b in bound}
        self.watched: int | None = None
        """The binding of the word that says whether a loop was ended."""
        code = self.wgsl
        if has_loops(code) and self.device.adapter.info["device"].startswith(ENDING):
            self.watched = max([-1, *(b.slot or 0 for b in bound)]) + 1
            kinds[self.watched] = "storage"
            code = watch_loops(code, self.watched)
        entries = [{"binding": k, "visibility": 4, "buffer": {"type": t}} for k, t in kinds.items()]  # 4: compute
        try:
            shader = self.device.create_shader_module(code=code)
            self.layout = self.device.create_bind_group_layout(entries=entries)
            layout = self.device.create_pipeline_layout(bind_group_layouts=[self.layout])
            self.pipeline = self.device.create_compute_pipeline(
                layout=layout, compute={"module": shader, "entry_point": ENTRY_POINT}
            )
        except wgpu_error() as error:
            raise InvalidShader(self.program, name=self.program.sym_name.data, problem=error) from error

    def dispatch(self, buffers: Mapping[str, Array], workgroups: Sequence[int] = (1, 1, 1)) -> dict[str, Array]:
        """
        Executes the program as `semantics.vyre.dispatch` does. WebGPU binds no empty buffers. Raises `WrongBuffer` and `LoopEnded`.
        """
        words = host_words(self.program, buffers)
        grid = (*workgroups, 1, 1)[:3]
        if not prod(grid):
            return words
        if max(grid) > MAX_WORKGROUPS:
            problem = f"a dispatch of {' x '.join(map(str, grid))} workgroups"
            raise WrongBuffer(self.program, problem=problem, fix=f"use at most {MAX_WORKGROUPS} along an axis")
        placed = {b.label.data: (b, self._placed(b, words[b.label.data])) for b in self.program.bound()}
        entries = [
            {"binding": b.slot, "resource": {"buffer": buffer, "offset": 0, "size": buffer.size}}
            for b, buffer in placed.values()
        ]
        ended = self.device.create_buffer(size=WORD_BYTES, usage=0x80 | 0x4 | 0x8)
        if self.watched is not None:
            entries.append({"binding": self.watched, "resource": {"buffer": ended, "offset": 0, "size": ended.size}})
        encoder = self.device.create_command_encoder()
        step = encoder.begin_compute_pass()
        step.set_pipeline(self.pipeline)
        step.set_bind_group(0, self.device.create_bind_group(layout=self.layout, entries=entries))
        step.dispatch_workgroups(*grid)
        step.end()
        self.device.queue.submit([encoder.finish()])
        if self.watched is not None and any(self.device.queue.read_buffer(ended)):
            raise LoopEnded(self.program, name=self.program.sym_name.data, adapter=self.device.adapter.info["device"])
        for name, (b, buffer) in placed.items():
            if b.type.access.writable:
                words[name] = np.frombuffer(self.device.queue.read_buffer(buffer), np.uint32).copy()
        return words

    def _placed(self, buffer: vyre.BufferOp, words: Array) -> Any:
        """Returns a buffer of the device. A uniform one is filled to whole vectors."""
        if not words.size:
            problem = f"the array for buffer '{buffer.label.data}' is empty, which WebGPU does not bind"
            raise WrongBuffer(buffer, problem=problem, fix="pass at least one element")
        is_uniform = buffer.type.kind.data == "uniform"
        data = np.pad(words, (0, -words.size % 4)) if is_uniform else words
        usage = 0x40 if is_uniform else 0x80  # a uniform or a storage buffer, whose elements are copied in and out
        return self.device.create_buffer_with_data(data=data.tobytes(), usage=usage | 0x4 | 0x8)
