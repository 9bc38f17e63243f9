"""
ptir: from portable tensor programs to CUDA with inline PTX, every step checked.

>>> import ptir
>>> program = ptir.compile("net.mlir", arch="sm80")                  # doctest: +SKIP
>>> y, = program(x, w, b)                                            # NumPy arrays in and out   # doctest: +SKIP

The pieces: `parse` reads text or a file, `PassManager` runs a pipeline given as text or as passes,
`compile` goes all the way to a callable, `reference` runs any level in the interpreters of `semantics/`,
`bounds` says how far a float result may be from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .embedding import Compiled, bounds, compile, parse, print_cuda, reference
    from .passes.manager import PassManager

__version__ = "0.1.0"
__all__ = ["Compiled", "PassManager", "bounds", "compile", "parse", "print_cuda", "reference"]


def __getattr__(name: str) -> object:
    """Imports what is used: `import ptir` alone costs nothing."""
    if name == "PassManager":
        from .passes.manager import PassManager

        return PassManager
    if name in __all__:
        from . import embedding

        return getattr(embedding, name)
    raise AttributeError(f"module 'ptir' has no attribute '{name}'")
