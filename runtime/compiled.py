"""Programs that are compiled, and can be called with arrays: for the sizes of their arguments, for any sizes, and in parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from textwrap import shorten
from typing import Any

from xdsl.dialects.func import FuncOp

from ..analysis.program.signature import Signature
from ..errors import counted
from ..transforms.errors import InvalidSizes
from ..transforms.specialize_sizes import require_sizes
from .compile import Program
from .execute import Executable, device_of
from .graphs import Graph
from .in_parts import InParts
from .launch import Device
from .padded_graph import PaddedGraphs
from .padding import Padded, SharedSizes
from .sizes import bound_sizes, shapes_of


@dataclass(repr=False)
class Compiled:
    """
    A program that can be called with arrays. If `device` is None, the first call sets it: GPU arrays select their GPU; host
    arrays select the first GPU, or the emulator if there is no GPU.
    """

    program: Program
    entry: str | None = None
    device: Device | None = field(default=None)
    signatures: Mapping[str, Signature] = field(default_factory=dict[str, Signature])
    """The signatures of the functions before lowering, by name."""

    def __call__(self, *arrays: Any, out: Any = None, stream: object = None, **named: Any) -> tuple[Any, ...]:
        """
        Runs the program and returns its results as a named tuple. Field `y` is the result that the function returns as
        `%y`; the result at position 1 is field `r1` if its value has no name.

        `arrays` and `named` are the function's arguments, by position or by name, as in `program(x, w=w)`. They must have
        the declared shapes and element types. For host arrays the results are NumPy arrays. GPU arrays are used in place,
        the call is asynchronous, and the results are `DeviceArray`s. `out`, an array or one for each result, receives the
        results if it is given. `stream` is an int or has `__cuda_stream__`; by default it is the current stream of the
        library that made the arrays.

        Raises `BadArgument` or `BadOutput` for an array that does not match the signature, `BadKeyword` for an unknown
        name, `WrongDevice` for an array on another device.
        """
        ready, device = self._ready(arrays, named)
        results = self._bound(ready)(ready, device, out=out, stream=stream)
        return self.signature.results_type._make(results)

    def graph(self, *arrays: Any, out: Any = None, **named: Any) -> Graph:
        """Records the call on these GPU arrays as a CUDA graph: `.launch(stream)` runs it, `.outputs` are the results."""
        ready, device = self._ready(arrays, named)
        graph = self._bound(ready).graph(ready, device, out=out)
        graph.outputs = self.signature.results_type._make(graph.outputs)
        return graph

    def compile_for(self, **sizes: int) -> Compiled:
        """
        Compiles the kernels for these sizes, unless they are compiled, and returns the program for them; calls with arrays of these
        sizes use it, too. The sizes are those of the arguments: `compile_for(B=8, S=128)`, and `**{"x[1]": 4}` for axis 1 of `x`, a
        `?` without a name. A program with static sizes takes none and returns itself. Raises `InvalidSizes`.
        """

        require_sizes(self.signature.function, sizes)
        return self

    def close(self) -> None:
        """Waits for the GPU and frees the program's memory and modules on it; the next call loads them again."""
        self._executable.close()

    @cached_property
    def signature(self) -> Signature:
        """The names and types of the arguments and results."""

        function = self._executable.function
        return self.signatures.get(function.sym_name.data) or Signature.of(function)

    @cached_property
    def _executable(self) -> Executable | InParts:

        return Executable(self.program, self.entry)

    def _bound(self, arrays: Sequence[Any]) -> Executable | InParts | Padded:
        """Returns what runs the program on arrays of these sizes."""
        return self._executable

    def _ready(self, arrays: Sequence[Any], named: Mapping[str, Any]) -> tuple[Sequence[Any], Device]:

        arrays = self.signature.in_order(arrays, named)
        if self.device is None:
            self.device = device_of(arrays)
        return arrays, self.device

    @property
    def cuda(self) -> str:
        """The CUDA C++ of the kernels."""
        return self.program.cuda

    @property
    def ptx(self) -> str:
        """The PTX of the kernels."""
        return self.program.binary.ptx

    def __repr__(self) -> str:
        functions = shorten("; ".join(map(str, self.signatures.values())), 500, placeholder=" …")
        return f"<ptir.Compiled {functions}; {self.program.binary}>"


class CompiledForSizes(Compiled):
    """
    A program with dynamic sizes. A call runs kernels that are compiled for the sizes of its arrays, once for each set of sizes or, for sizes
    in one of the shape sets of `shared`, once for each shape set. `close` frees the kernels of all sizes.
    """

    def __init__(
        self,
        function: FuncOp,
        compile_static: Callable[[Mapping[str, int]], Compiled],
        device: Device | None,
        shared: SharedSizes | None = None,
    ):

        self.signature = Signature.of(function)
        self.entry = function.sym_name.data
        self.device = device
        self.signatures = {self.entry: self.signature}
        self._compile_static = compile_static
        self._compiled: dict[frozenset[tuple[str, int]], Compiled] = {}
        self._shared = shared
        self._by_shapes: dict[tuple[tuple[int, ...], ...], tuple[str, Executable | InParts | Padded]] = {}
        self._graphs: dict[tuple[int, ...], PaddedGraphs] = {}
        self.requests: Counter[str] = Counter()
        """The number of calls by their sizes, as `B=8,S=128`: what `ptir-tune --requests` reads, as JSON."""

    def compile_for(self, **sizes: int) -> Compiled:
        super().compile_for(**sizes)
        key = frozenset(sizes.items())
        if key not in self._compiled:
            self._compiled[key] = self._compile_static(sizes)
            self._compiled[key].device = self.device
        return self._compiled[key]

    def close(self) -> None:
        for compiled in self._compiled.values():
            compiled.close()
        self._by_shapes.clear()  # with the graphs, whose kernels are unloaded
        self._graphs.clear()

    def _bound(self, arrays: Sequence[Any]) -> Executable | InParts | Padded:

        shapes = shapes_of(self.signature, arrays)
        if shapes not in self._by_shapes:
            sizes = bound_sizes(self.signature.function, shapes)
            text = ",".join(f"{key}={size}" for key, size in sizes.items())
            self._by_shapes[shapes] = text, self._for_sizes(sizes)
        text, executable = self._by_shapes[shapes]
        self.requests[text] += 1
        return executable

    def _for_sizes(self, sizes: Mapping[str, int]) -> Executable | InParts | Padded:
        padding = self._shared.padded(sizes) if self._shared is not None else None
        if padding is None:
            return self.compile_for(**sizes)._executable

        large = self.compile_for(**padding.sizes)._executable
        graphs = None
        if isinstance(large, Executable):
            graphs = self._graphs.setdefault(tuple(padding.sizes.values()), PaddedGraphs(large))
        exact = lambda: self.compile_for(**sizes)._executable  # noqa: E731
        return Padded(self.signature.function, large, exact, padding, graphs)

    def __getattr__(self, name: str) -> Any:
        if name != "program":  # the field, which this class does not set
            raise AttributeError(name)

        help = "kernels are compiled for fixed sizes: compile_for(…) returns a program that has them"
        raise InvalidSizes(self.signature.function, function=self.entry, problem="no sizes are given", help=help)

    def __repr__(self) -> str:
        return f"<ptir.Compiled {self.signature}; compiled for {counted(len(self._compiled), 'set')} of sizes>"


class CompiledInParts(Compiled):
    """A program whose sizes depend on data: its parts are compiled while it runs, once for each set of sizes (`runtime/in_parts.py`)."""

    def __init__(self, executable: InParts, device: Device | None):

        self.signature = Signature.of(executable.function)
        self.entry = executable.name
        self.device = device
        self.signatures = {self.entry: self.signature}
        self._executable = executable

    def __getattr__(self, name: str) -> Any:
        if name != "program":  # the field, which this class does not set
            raise AttributeError(name)

        problem, help = (
            "they depend on data",
            "kernels are compiled during a call: ptir.compile(…, watch=…) sees each pass",
        )
        raise InvalidSizes(self.signature.function, function=self.entry, problem=problem, help=help)

    def __repr__(self) -> str:
        return f"<ptir.Compiled {self.signature}; compiled in parts>"
