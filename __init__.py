"""
ptir: from portable tensor programs to CUDA with inline PTX, every step checked.

>>> import ptir
>>> program = ptir.compile("net.mlir", arch="sm80")                  # doctest: +SKIP
>>> y, = program(x, w, b)                                            # the caller's arrays, in and out   # doctest: +SKIP

The pieces: `parse` reads text or a file, `PassManager` runs a pipeline given as text or as passes,
`compile` goes all the way to a callable and `run` calls it, `reference` runs any level in the interpreters of `semantics/`,
`bounds` says how far a float result may be from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .embedding import Compiled, bounds, compile, parse, print_cuda, reference, run
    from .passes.manager import PassManager
    from .runtime.devices import Emulator
    from .runtime.gpu import Gpu
    from .runtime.memory import DeviceArray, to_device

__version__ = "0.1.0"
__all__ = [
    "Compiled",
    "DeviceArray",
    "Emulator",
    "Gpu",
    "PassManager",
    "bounds",
    "compile",
    "parse",
    "print_cuda",
    "reference",
    "run",
    "to_device",
]

_ROOMS = {
    "PassManager": "passes.manager",
    "Emulator": "runtime.devices",
    "Gpu": "runtime.gpu",
    "DeviceArray": "runtime.memory",
    "to_device": "runtime.memory",
}


def __getattr__(name: str) -> object:
    """Imports what is used: `import ptir` alone costs nothing."""
    if name in __all__:
        from importlib import import_module

        return getattr(import_module(f".{_ROOMS.get(name, 'embedding')}", __name__), name)
    raise AttributeError(f"module 'ptir' has no attribute '{name}'")
