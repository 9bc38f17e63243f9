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
from ..dialects import vyre
from ..emulator import Memory, launch, parse
from ..semantics.vyre import find_program, host_words
from ..targets.architectures import arch_named
from ..transforms.vyre_to_nv import VyreToNv

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class PtxProgram:
    """A program that is compiled to PTX. It is executed by the emulator."""

    program: vyre.ProgramOp
    ptx: str

    @staticmethod
    def compile(program: vyre.ProgramOp, arch: str = "sm80") -> PtxProgram:
        """Compiles a program of a module."""
        module = _alone(program)
        VyreToNv().apply(Context(), module)
        target = arch_named(arch).target.replace("sm_", "compute_")
        return PtxProgram(program, compile_text(emit_cuda(module), target).ptx)

    def dispatch(
        self, buffers: Mapping[str, Array], workgroups: Sequence[int] = (1, 1, 1), seed: int | None = None
    ) -> dict[str, Array]:
        """Executes the program as `semantics.vyre.dispatch` does. A `seed` draws an order of the warps."""
        words = host_words(self.program, buffers)
        grid = (*workgroups, 1, 1)[:3]
        if not prod(grid):
            return words
        memory = Memory()
        lengths = np.array([words[b.label.data].size for b in self.program.bound()] or [0], np.uint32)
        args = [
            memory.bind(words[b.label.data], readonly=not b.type.access.writable, name=b.label.data)
            for b in self.program.bound()
        ]
        args.append(memory.bind(lengths, readonly=True, name="lengths"))
        module = parse(self.ptx)
        (kernel,) = module.kernels
        launch(module, kernel, grid=grid, block=self.program.sizes, args=args, memory=memory, seed=seed)
        return words


def _alone(program: vyre.ProgramOp) -> ModuleOp:
    """Returns a module with a copy of a program and of the ops of its module."""
    parent = program.parent_op()
    others = [] if parent is None else [op.clone() for r in parent.regions for b in r.blocks for op in b.ops if isinstance(op, vyre.OpOp)]
    return ModuleOp([*others, program.clone()])
