"""Implementations that can be compared with an intent. A user names each of them; a file's content never makes one run."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from ..analysis.index.static_sizes import is_dynamic
from ..dialects import intent
from ..dialects.intent.types import type_of
from ..emulator.engine.launch import launch
from ..emulator.isa.parse import parse
from ..emulator.memory.memory import Memory
from ..errors import PtirError
from ..semantics.arrays.scalars import Array, numpy_dtype
from ..semantics.intent import bind, concrete_shape, run
from ..semantics.interpreter import call
from .launches import Launch, Parameters


class CandidateFailed(PtirError):
    """A candidate that raises an exception of its own."""

    code = "PTIR0586"
    template = "{name} {problem}"


class CallFailed(Exception):
    """A call of a function that does not end as it should; the text is a predicate of the candidate."""


class Candidate(Protocol):
    """An implementation of a function."""

    @property
    def name(self) -> str: ...

    def fixed_shapes(self) -> Sequence[Sequence[int]] | None:
        """Returns the only shapes of arguments that it takes, or None."""
        ...

    def __call__(self, arrays: Sequence[Array], binding: Mapping[str, int]) -> Sequence[Array]:
        """Returns its results. May raise any exception."""
        ...


@dataclass(frozen=True)
class PythonCandidate:
    """
    A Python function of the arguments in their order. Symbols are passed by name to parameters that have their names. It returns an
    array or several, which are converted by `numpy.asarray`.
    """

    function: Callable[..., Any]
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or getattr(self.function, "__name__", "a function"))

    def fixed_shapes(self) -> None:
        return None

    def __call__(self, arrays: Sequence[Array], binding: Mapping[str, int]) -> Sequence[Array]:
        parameters = list(inspect.signature(self.function).parameters)[len(arrays) :]
        results = self.function(*(a.copy() for a in arrays), **{s: n for s, n in binding.items() if s in parameters})
        several = cast("Sequence[Any]", results) if isinstance(results, tuple | list) else (results,)
        return [np.asarray(r) for r in several]


@dataclass(frozen=True)
class IntentCandidate:
    """Another intent, with the same arguments. Its symbols have the numbers that its own arguments determine, or those of equal name."""

    function: intent.FuncOp
    name: str

    def fixed_shapes(self) -> None:
        return None

    def __call__(self, arrays: Sequence[Array], binding: Mapping[str, int]) -> Sequence[Array]:
        own = {s: n for s, n in binding.items() if s in self.function.symbols()}
        return run(self.function, arrays, own)


@dataclass(frozen=True)
class ProgramCandidate:
    """A program in IR at any level above `nv`, in its interpreter."""

    module: ModuleOp
    function: FuncOp
    name: str

    def fixed_shapes(self) -> Sequence[Sequence[int]] | None:
        if is_dynamic(self.function):
            return None
        return [tuple(t.get_shape()) for t in self.function.function_type.inputs]  # type: ignore[attr-defined]

    def __call__(self, arrays: Sequence[Array], binding: Mapping[str, int]) -> Sequence[Array]:
        return call(self.module, self.function.sym_name.data, *arrays)


@dataclass(frozen=True)
class KernelCandidate:
    """A kernel in PTX, in the emulator, which reports races, accesses out of bounds, and results that are not stored completely."""

    ptx: str
    launch: Launch
    intent: intent.FuncOp
    name: str
    seed: int | None = None
    """The order in which warps run."""

    def __post_init__(self) -> None:
        Parameters(self.intent, self.launch, kernel=True)

    def fixed_shapes(self) -> None:
        return None

    def with_seed(self, seed: int) -> Candidate:
        return replace(self, seed=seed)

    def __call__(self, arrays: Sequence[Array], binding: Mapping[str, int]) -> Sequence[Array]:
        module = parse(self.ptx)
        kernel = self.launch.kernel or next(iter(module.kernels), "")
        memory = Memory()
        results = empty_results(self.intent, binding)
        inputs = [np.ascontiguousarray(a).reshape(a.shape) for a in arrays]
        stored = [memory.bind(r, initialized=False) for r in results]
        how = Parameters(self.intent, self.launch, kernel=True)
        addresses = [*(memory.bind(a, readonly=True) for a in inputs), *stored]
        launch(
            module,
            kernel,
            grid=[how.number(e, binding) for e in self.launch.grid],
            block=[how.number(e, binding) for e in self.launch.block],
            args=how.values(addresses, inputs, binding),
            dynamic_shared=how.number(self.launch.shared, binding),
            memory=memory,
            seed=self.seed,
        )
        for k, pointer in enumerate(stored):
            buffer = memory.find(pointer)
            written = None if buffer is None else buffer.written(1)
            if written is not None and not written.all():
                raise CallFailed(f"does not store {int((written == 0).sum())} bytes of out{k}")
        return results


def empty_results(function: intent.FuncOp, binding: Mapping[str, int]) -> list[Array]:
    """Returns arrays of zeros with the shapes and types of the results."""
    types = [type_of(v) for v in function.outputs]
    return [np.zeros(concrete_shape(t, binding, function), numpy_dtype(t.element_type)) for t in types]


def results_of(candidate: Candidate, arrays: Sequence[Array], binding: Mapping[str, int]) -> Sequence[Array]:
    """Returns the candidate's results. Raises `CandidateFailed` for whatever it raises."""
    try:
        with np.errstate(all="ignore"):
            return candidate(arrays, binding)
    except Exception as error:
        text = error.message if isinstance(error, PtirError) else str(error)
        problem = text if isinstance(error, CallFailed) else f"raises {type(error).__name__}: {text}"
        raise CandidateFailed(name=candidate.name, problem=problem) from error


def fixed_binding(function: intent.FuncOp, candidate: Candidate) -> dict[str, int] | None:
    """Returns the binding for which a candidate of fixed shapes is defined, or None if it takes any shapes."""
    shapes = candidate.fixed_shapes()
    return None if shapes is None else bind(function, shapes)
