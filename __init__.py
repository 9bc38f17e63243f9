"""
ptir: from portable tensor programs to CUDA with inline PTX, every step checked.

>>> import ptir
>>> program = ptir.compile("net.mlir", arch="sm80")                  # doctest: +SKIP
>>> y, = program(x, w, b)                                            # the caller's arrays, in and out   # doctest: +SKIP

The pieces: `parse` reads text or a file, `PassManager` runs a pipeline given as text or as passes,
`compile` goes all the way to a callable and `run` calls it, `reference` runs any level in the interpreters of `semantics/`,
`bounds` says how far a float result may be from it; `register_custom_call` gives a `ptir.custom_call` its meaning.

For those who convert programs themselves: `get_conversion_target` and `register_conversion_target`, `check_program_legality`
and `convert_program`, `walk_program`, `plan_buffers`, `entry_point_name` and `structural_hash`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .analysis.buffers import plan_buffers
    from .analysis.entry_points import entry_point_name
    from .analysis.legality import ConversionTarget, check_program_legality
    from .analysis.structural_hash import structural_hash
    from .analysis.walk import walk_program
    from .embedding import Compiled, bounds, compile, parse, print_cuda, reference, run
    from .passes.conversion import (
        conversion_targets,
        convert_program,
        get_conversion_target,
        register_conversion_target,
    )
    from .passes.manager import PassManager
    from .runtime.devices import Emulator
    from .runtime.gpu import Gpu
    from .runtime.memory import DeviceArray, to_device
    from .semantics.custom_calls import register_custom_call

__version__ = "0.1.0"
__all__ = [
    "Compiled",
    "ConversionTarget",
    "DeviceArray",
    "Emulator",
    "Gpu",
    "PassManager",
    "bounds",
    "check_program_legality",
    "compile",
    "conversion_targets",
    "convert_program",
    "entry_point_name",
    "get_conversion_target",
    "parse",
    "plan_buffers",
    "print_cuda",
    "reference",
    "register_conversion_target",
    "register_custom_call",
    "run",
    "structural_hash",
    "to_device",
    "walk_program",
]

_ROOMS = {
    "PassManager": "passes.manager",
    "Emulator": "runtime.devices",
    "Gpu": "runtime.gpu",
    "DeviceArray": "runtime.memory",
    "register_custom_call": "semantics.custom_calls",
    "to_device": "runtime.memory",
    "plan_buffers": "analysis.buffers",
    "entry_point_name": "analysis.entry_points",
    "check_program_legality": "analysis.legality",
    "ConversionTarget": "analysis.legality",
    "structural_hash": "analysis.structural_hash",
    "walk_program": "analysis.walk",
    "conversion_targets": "passes.conversion",
    "convert_program": "passes.conversion",
    "get_conversion_target": "passes.conversion",
    "register_conversion_target": "passes.conversion",
}


def __getattr__(name: str) -> object:
    """Imports what is used: `import ptir` alone costs nothing."""
    if name in __all__:
        from importlib import import_module

        return getattr(import_module(f".{_ROOMS.get(name, 'embedding')}", __name__), name)
    raise AttributeError(f"module 'ptir' has no attribute '{name}'")
