"""Runs functions of tile ops as PTX in the emulator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Attribute

from ..analysis.pto.target import target_of
from ..backends.cuda.emit import compile_text, emit_cuda
from ..dialects import nv, pto
from ..dialects.common.shapes import signless
from ..emulator import Memory, Module, Report, launch, parse
from ..semantics.arrays.scalars import numpy_dtype
from ..semantics.interpreter import check_arguments, find_function
from ..targets.architectures import arch_named
from ..transforms.pto_to_nv import PtoToNv
from .host import launch_of


@dataclass(frozen=True)
class PtxTiles:
    """The functions of a module, compiled to PTX."""

    module: ModuleOp
    lowered: ModuleOp
    ptx: Module

    @staticmethod
    def compile(module: ModuleOp) -> PtxTiles:
        """Compiles the functions of a verified module, which has a `pto.target` and stays as it is."""
        lowered = module.clone()
        PtoToNv().apply(Context(), lowered)
        target = arch_named(target_of(module).name).target.replace("sm_", "compute_")
        return PtxTiles(module, lowered, parse(compile_text(emit_cuda(lowered), target).ptx))

    def call(self, name: str, arguments: Sequence[Any], seed: int | None = None) -> Report:
        """
        Executes a function, which writes to `arguments`. A `seed` draws an order of the warps. Raises `ArgumentMismatch` and the emulator's
        faults.
        """
        declared = find_function(self.module, name)
        check_arguments(declared, arguments)
        function = find_function(self.lowered, name)
        op = next(o for o in function.walk() if isinstance(o, nv.LaunchOp))
        how, memory = launch_of(self.lowered, op), Memory()
        arrays: list[tuple[Any, Any]] = []
        passed: list[Any] = []
        for k, (value, t) in enumerate(zip(arguments, declared.function_type.inputs, strict=True)):
            if not isinstance(t, pto.MemRefType):
                passed.append(_number(value, signless(t)))
                continue
            stored = value.T if t.column_major else value
            held = np.ascontiguousarray(stored)
            arrays.append((stored, held))
            passed.append(memory.bind(held, readonly=k not in how.updated))
        report = launch(
            self.ptx,
            how.kernel,
            grid=how.grid,
            block=how.block,
            args=passed,
            dynamic_shared=how.shared,
            memory=memory,
            seed=seed,
        )
        for stored, held in arrays:
            if held is not stored:
                stored[...] = held
        return report


def _number(value: Any, t: Attribute) -> Any:
    return np.asarray(value).astype(np.int32 if isinstance(t, IndexType) else numpy_dtype(t))[()]
