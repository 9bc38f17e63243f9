"""The embedding API, which `import ptir` offers: see the package's docstring."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from .passes.environment import make_context
from .passes.parsing import parse_file, parse_text

if TYPE_CHECKING:
    from .runtime.compile import Program
    from .runtime.devices import Array, Device
    from .runtime.execute import Executable
    from .runtime.graphs import Graph
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
    """
    A program that can be called with arrays, again and again. `device` is where its first call finds its arrays unless
    it is given: the GPU that they lie on; for arrays of the host the first GPU, or the emulator.
    """

    program: Program
    entry: str | None = None
    device: Device | None = field(default=None)

    def __call__(self, *arrays: Any, out: Any = None, stream: object = None) -> tuple[Any, ...]:
        """
        The results: NumPy arrays for arrays of the host, a `DeviceArray` each for those of a GPU, which are used where
        they lie and not waited for; or `out`, an array or one a result. `stream` is an int or has
        `__cuda_stream__`; unless it is given, the stream in which the library of the arrays is working.

        Raises `BadArgument` and `BadOutput` if an array does not fit the signature, `WrongDevice` if one is elsewhere.
        """
        return self._executable(*self._ready(arrays), out=out, stream=stream)

    def graph(self, *arrays: Any, out: Any = None) -> Graph:
        """The call as a CUDA graph on these arrays of a GPU: `.launch(stream)` runs it, `.outputs` are the results."""
        return self._executable.graph(*self._ready(arrays), out=out)

    def close(self) -> None:
        """Waits for the GPU and gives back what the program has loaded there; the next call loads it again."""
        self._executable.close()

    @cached_property
    def _executable(self) -> Executable:
        from .runtime.execute import Executable

        return Executable(self.program, self.entry)

    def _ready(self, arrays: Sequence[Any]) -> tuple[Sequence[Any], Device]:
        from .runtime.execute import device_of

        if self.device is None:
            self.device = device_of(arrays)
        return arrays, self.device

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


def run(
    source: str | Path | ModuleOp,
    *arrays: Any,
    arch: str = "sm80",
    entry: str | None = None,
    device: Device | None = None,
    out: Any = None,
    stream: object = None,
) -> tuple[Any, ...]:
    """The results of a program that is compiled for this one call: see `compile` and `Compiled`."""
    return compile(source, arch=arch, entry=entry, device=device)(*arrays, out=out, stream=stream)


def reference(source: str | Path | ModuleOp, *arrays: Array, entry: str | None = None) -> tuple[Array, ...]:
    """
    The results by the interpreters of `semantics/`: the slow, obvious meaning, at any level above nv. A tuple is given
    and returned as its elements, one array after the other.

    Text is verified first, a module is taken as it is. Raises `PtirError`s with a code and a place; among them
    `NameConflict` where dimensions of one name have different sizes.
    """
    from .runtime.execute import entry_function
    from .semantics.interpreter import call

    module = _verified(source)
    return call(module, entry_function(module, entry).sym_name.data, *arrays)


def bounds(source: str | Path | ModuleOp, *arrays: Array, entry: str | None = None) -> tuple[Interval, ...]:
    """The intervals that every correct float result of a ptir program lies in (`semantics/bounds.py`)."""
    from .runtime.execute import entry_function
    from .semantics.bounds import bounds as intervals

    module = _verified(source)
    return intervals(module, entry_function(module, entry).sym_name.data, *arrays)


def _verified(source: str | Path | ModuleOp) -> ModuleOp:
    from .passes.verify import verify_module

    if isinstance(source, ModuleOp):
        return source
    module = parse(source)
    verify_module(module)
    return module


def print_cuda(module: ModuleOp) -> str:
    """The CUDA C++ of a module at the nv level."""
    from .backends.cuda.emit import print_cuda as emit

    return emit(module)


__all__: Sequence[str] = ["Compiled", "bounds", "compile", "parse", "print_cuda", "reference", "run"]
