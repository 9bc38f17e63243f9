"""
ptir compiles portable tensor programs to CUDA with inline PTX, and checks every step.

>>> import ptir
>>> program = ptir.compile("net.mlir", arch="sm80")                  # doctest: +SKIP
>>> y, = program(x, w, b)                                            # NumPy arrays or GPU arrays   # doctest: +SKIP

- `parse` reads text or a file, and `PassManager` runs a pipeline, which is text or a sequence of passes.
- `compile` returns a callable program, and `run` compiles and calls one.
- `reference` runs any level in the interpreters of `semantics/`; `bounds` returns the error bounds of float results.
- `intent.load` reads what a kernel means, runs it, compiles it, and verifies implementations.
- `register_custom_call` defines the semantics of a `ptir.custom_call`.
- For other compilers: `get_conversion_target` and `register_conversion_target`, `check_program_legality` and
  `convert_program`, `walk_program`, `plan_buffers`, `entry_point_name` and `structural_hash`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import intent as intent
    from .analysis.program.buffers import plan_buffers as plan_buffers
    from .analysis.program.entry_points import entry_point_name as entry_point_name
    from .analysis.program.legality import ConversionTarget as ConversionTarget
    from .analysis.program.legality import check_program_legality as check_program_legality
    from .analysis.program.structural_hash import structural_hash as structural_hash
    from .analysis.program.walk import walk_program as walk_program
    from .embedding import bounds as bounds
    from .embedding import compile as compile
    from .embedding import parse as parse
    from .embedding import print_cuda as print_cuda
    from .embedding import reference as reference
    from .embedding import run as run
    from .errors import PtirError as PtirError
    from .passes.conversion import conversion_targets as conversion_targets
    from .passes.conversion import convert_program as convert_program
    from .passes.conversion import get_conversion_target as get_conversion_target
    from .passes.conversion import register_conversion_target as register_conversion_target
    from .passes.manager import PassManager as PassManager
    from .runtime.compiled import Compiled as Compiled
    from .runtime.devices import Emulator as Emulator
    from .runtime.gpu import Gpu as Gpu
    from .runtime.gpu import to_device as to_device
    from .runtime.memory import DeviceArray as DeviceArray
    from .semantics.custom_calls import register_custom_call as register_custom_call

__version__ = "0.1.0"

_MODULES = {
    "analysis.program.buffers": ("plan_buffers",),
    "analysis.program.entry_points": ("entry_point_name",),
    "analysis.program.legality": ("ConversionTarget", "check_program_legality"),
    "analysis.program.structural_hash": ("structural_hash",),
    "analysis.program.walk": ("walk_program",),
    "embedding": ("bounds", "compile", "parse", "print_cuda", "reference", "run"),
    "errors": ("PtirError",),
    "passes.conversion": (
        "conversion_targets",
        "convert_program",
        "get_conversion_target",
        "register_conversion_target",
    ),
    "passes.manager": ("PassManager",),
    "runtime.compiled": ("Compiled",),
    "runtime.devices": ("Emulator",),
    "runtime.gpu": ("Gpu", "to_device"),
    "runtime.memory": ("DeviceArray",),
    "semantics.custom_calls": ("register_custom_call",),
}
"""The public names by the module that defines them. (Type checkers use the imports above instead.)"""

_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}
__all__ = sorted([*_MODULE_OF, "intent"])  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    """Imports a name when it is used, so that `import ptir` is fast."""
    if name == "intent":
        from importlib import import_module

        return import_module(".intent", __name__)
    if name in _MODULE_OF:
        from importlib import import_module

        return getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
    raise AttributeError(f"module 'ptir' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
