"""The embedding API, which `import ptir` offers: see the package's docstring."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from .passes.environment import make_context
from .passes.parsing import parse_file, parse_text

if TYPE_CHECKING:
    from .runtime.compile import Program
    from .runtime.devices import Array, Device
    from .semantics.bounds import Interval


def parse(source: str | Path, ctx: Context | None = None) -> ModuleOp:
    """
    A module from a file or from IR text. A `Path`, or a string of one line that ends in `.mlir`, is a file.

    Raises `SourceError` with the place of a syntax error, `Unreadable` for a file that cannot be read.
    """
    ctx = ctx or make_context()
    if isinstance(source, Path) or (source.endswith(".mlir") and "\n" not in source):
        return parse_file(source, ctx)
    return parse_text(source, ctx, "<string>")


@dataclass
class Compiled:
    """A program that can be called with NumPy arrays; `device` is chosen at the first call unless given."""

    program: Program
    entry: str | None = None
    device: Device | None = field(default=None)

    def __call__(self, *arrays: Array) -> tuple[Array, ...]:
        """The results, one array each. Raises `BadArgument` if an array does not fit the signature."""
        from .runtime.devices import best_device
        from .runtime.execute import execute

        if self.device is None:
            self.device = best_device()
        return execute(self.program, arrays, self.device, self.entry)

    @property
    def cuda(self) -> str:
        """The CUDA C++ of its kernels."""
        return self.program.cuda

    @property
    def ptx(self) -> str:
        return self.program.binary.ptx


def compile(
    source: str | Path | ModuleOp,
    *,
    arch: str = "sm80",
    entry: str | None = None,
    device: Device | None = None,
    watch: Callable[[str, ModuleOp], None] | None = None,
    allow_spills: bool = False,
) -> Compiled:
    """
    Compiles a module at any level down to a cubin for `arch`; no GPU is needed. The module is not changed.
    With `entry`, the other functions are left out. A kernel that keeps registers in memory under every plan, or
    under the one that is pinned, is an error unless `allow_spills`.

    `watch(pass, module)` is called after every pass. Raises `PtirError`s with a code and a place.
    """
    from .runtime.compile import compile_module, copy_module, keep_only
    from .runtime.execute import entry_function

    ctx = make_context()
    module = copy_module(source) if isinstance(source, ModuleOp) else parse(source, ctx)
    if entry is not None:
        keep_only(module, entry_function(module, entry).sym_name.data)
    return Compiled(compile_module(module, arch, ctx, watch, allow_spills=allow_spills), entry, device)


def reference(source: str | Path | ModuleOp, *arrays: Array, entry: str | None = None) -> tuple[Array, ...]:
    """The results by the interpreters of `semantics/`: the slow, obvious meaning, at any level above nv."""
    from .runtime.execute import entry_function
    from .semantics.interpreter import call

    module = source if isinstance(source, ModuleOp) else parse(source)
    return call(module, entry_function(module, entry).sym_name.data, *arrays)


def bounds(source: str | Path | ModuleOp, *arrays: Array, entry: str | None = None) -> tuple[Interval, ...]:
    """The intervals that every correct float result of a ptir program lies in (`semantics/bounds.py`)."""
    from .runtime.execute import entry_function
    from .semantics.bounds import bounds as intervals

    module = source if isinstance(source, ModuleOp) else parse(source)
    return intervals(module, entry_function(module, entry).sym_name.data, *arrays)


def print_cuda(module: ModuleOp) -> str:
    """The CUDA C++ of a module at the nv level."""
    from .backends.cuda.emit import print_cuda as emit

    return emit(module)


__all__: Sequence[str] = ["Compiled", "bounds", "compile", "parse", "print_cuda", "reference"]
