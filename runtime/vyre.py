"""Dispatches programs of the `vyre` dialect: as PTX in the emulator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from ..backends.cuda.emit import compile_text, emit_cuda
from ..backends.cuda.identifiers import kernel_names
from ..emulator import Memory, Module, launch, parse
from ..semantics.vyre import find_program, host_words
from ..targets.architectures import arch_named
from ..transforms.vyre_to_nv import VyreToNv

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class PtxPrograms:
    """The programs of a module, compiled to PTX. They are executed by the emulator."""

    module: ModuleOp
    kernels: Mapping[str, str]
    ptx: Module

    @staticmethod
    def compile(module: ModuleOp, arch: str = "sm80") -> PtxPrograms:
        """Compiles the programs of a verified module, which stays as it is."""
        lowered = module.clone()
        VyreToNv().apply(Context(), lowered)
        target = arch_named(arch).target.replace("sm_", "compute_")
        ptx = compile_text(emit_cuda(lowered), target).ptx
        return PtxPrograms(module, kernel_names(lowered), parse(ptx))

    def dispatch(
        self,
        buffers: Mapping[str, Array],
        workgroups: Sequence[int] = (1, 1, 1),
        name: str | None = None,
        seed: int | None = None,
    ) -> dict[str, Array]:
        """
        Executes a program as `semantics.vyre.dispatch` does, by default the only one. A `seed` draws an order of the warps. Raises
        `WrongBuffer` and the emulator's faults.
        """
        program = find_program(self.module, name)
        words = host_words(program, buffers)
        grid = (*workgroups, 1, 1)[:3]
        if not prod(grid):
            return words
        memory, bound = Memory(), program.bound()
        lengths = np.array([words[b.label.data].size for b in bound] or [0], np.uint32)
        args = [memory.bind(words[b.label.data], readonly=not b.type.access.writable, name=b.label.data) for b in bound]
        args.append(memory.bind(lengths, readonly=True, name="lengths"))
        kernel = self.kernels[program.sym_name.data]
        launch(self.ptx, kernel, grid=grid, block=program.sizes, args=args, memory=memory, seed=seed)
        return words
