"""
One compiled program for a cluster of sizes: the sizes for which a program with dynamic sizes is requested are grouped into shape sets, and
the program that is compiled for the largest sizes of a set serves all of them, on padded arrays.

```
requests:  B=1 ×900   B=2 ×40   B=5 ×9   B=8 ×70               sets:  1 to 2    5 to 8
a call with B=6: arrays are padded to 8 rows ──▶ the program for B=8 ──▶ the first 6 rows of its results
```

Sizes can share a program only if `analysis/index/prefixes.py` proves that the first elements of the results are the same. Sizes along which
that does not hold, such as those of an axis that is summed, are equal throughout a set. The padding repeats the last elements of an array,
so that it causes no error of its own kind; if a call on padded arrays still fails, the program for the exact sizes decides. Arrays on a GPU
are padded there, and the program runs as one CUDA graph for each set (`padded_graph.py`).
Spec: `tensor-compiler.ja §8` (ShapeSets: one graph for each cluster of shapes).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from operator import le
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from ..analysis.index.prefixes import difference
from ..analysis.program.signature import entry_function
from ..dialects.common.shapes import shape
from ..passes.manager import PassManager
from ..planning.shape_sets import ShapeSet, Sizes, nearest, shape_sets
from ..semantics.arrays.scalars import Array
from ..semantics.errors import Violation
from ..transforms.specialize_sizes import SpecializeSizes, parse_sizes, require_sizes, sizes_by_key
from .arrays import Unfit, check, on_host, ordinal_of, view_of_host
from .compile import keep_only
from .execute import BadOutput, CannotRecord, require_count
from .launch import Device
from .padded_graph import PaddedGraphs

log = logging.getLogger(__name__)

Shapes = Sequence[tuple[int, ...]]


@dataclass(frozen=True)
class Padding:
    """The sizes of the program that serves a call, the shapes to which arguments are padded, and those of the results that are used."""

    sizes: Mapping[str, int]
    arguments: Shapes
    results: Shapes


@dataclass
class SharedSizes:
    """The shape sets of the requests for a function of `module`. Each set is compiled for its largest sizes."""

    module: ModuleOp
    function: FuncOp
    requests: Mapping[str, int]
    """The number of calls by their sizes, as `B=8,S=128`."""
    _lowered: dict[Sizes, FuncOp] = field(default_factory=dict[Sizes, FuncOp], repr=False)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for _, _, key in sizes_by_key(self.function)))

    @cached_property
    def sets(self) -> list[ShapeSet]:
        """The shape sets, those with the most requests first. Raises `InvalidSizes` for requests that are not for this function."""
        histogram: dict[Sizes, int] = {}
        for text, count in self.requests.items():
            sizes = parse_sizes(self.function, text)
            require_sizes(self.function, sizes)
            key = tuple(sizes[k] for k in self.keys)
            histogram[key] = histogram.get(key, 0) + count
        groups: dict[Sizes, dict[Sizes, int]] = {}
        fixed = self._fixed(list(histogram))
        for sizes, count in histogram.items():
            groups.setdefault(tuple(sizes[k] for k in fixed), {})[sizes] = count
        found = [s for group in groups.values() for s in shape_sets(group)]
        return sorted(found, key=lambda s: (-s.requests, s.representative))

    def _fixed(self, requested: Sequence[Sizes]) -> list[int]:
        """Returns the numbers of the sizes that must be equal in a set, as arrays cannot be padded along them."""
        if not requested:
            return []
        largest = tuple(max(1, *sizes) for sizes in zip(*requested, strict=True))
        fixed: list[int] = []
        for k, sizes in enumerate(zip(*requested, strict=True)):
            least = min((s for s in sizes if s), default=largest[k])
            smaller = (*largest[:k], least, *largest[k + 1 :])
            if smaller != largest and not self._serves(largest, self._tiny(smaller)):
                fixed.append(k)
        return fixed

    def padded(self, sizes: Mapping[str, int]) -> Padding | None:
        """Returns how arrays are padded for the program of the nearest set that serves these sizes, or None if there is none."""
        wanted = tuple(sizes[k] for k in self.keys)
        near = [s.high for s in nearest(self.sets, wanted) if all(map(le, wanted, s.high))]
        if wanted in near or not near or not all(wanted):  # without a last element, there is nothing to repeat
            return None
        small = self._tiny(wanted)
        high = next((h for h in near if self._serves(h, small)), None)
        if high is None:
            return None
        arguments = self._lowered[high].body.block.args
        results = small.body.block.last_op
        assert results is not None
        return Padding(
            dict(zip(self.keys, high, strict=True)), list(map(shape, arguments)), list(map(shape, results.operands))
        )

    def _serves(self, sizes: Sizes, small: FuncOp) -> bool:
        """Whether the program for some sizes serves arrays of those of `small`."""
        if sizes not in self._lowered:
            self._lowered[sizes] = self._tiny(sizes)
        if (found := difference(small, self._lowered[sizes])) is None:
            return True
        log.debug("arrays are not padded to %s: %s", sizes, found[1], extra={"op": found[0]})
        return False

    def _tiny(self, sizes: Sizes) -> FuncOp:
        """Returns the function with these sizes as tiny ops. Raises the errors of the passes."""
        module, name = self.module.clone(), self.function.sym_name.data
        keep_only(module, name)
        text = ",".join(f"{k}={n}" for k, n in zip(self.keys, sizes, strict=True))
        PassManager([SpecializeSizes(text, name)], verify_input=False).run(module)
        PassManager("ptir-flatten-tuples,ptir-to-tiny").run(module)
        return entry_function(module, name)


Callee = Callable[..., tuple[Any, ...]]


@dataclass(frozen=True)
class Padded:
    """
    A call of a program for larger sizes on arrays of smaller ones. `exact` returns the program for the smaller sizes, and `on_gpu` pads arrays
    of a GPU, if that program has no steps that only the host can decide.
    """

    function: FuncOp
    large: Callee
    exact: Callable[[], Any]
    padding: Padding
    on_gpu: PaddedGraphs | None = None

    def __call__(
        self, arrays: Sequence[Any], device: Device, *, out: Any = None, stream: object = None
    ) -> tuple[Any, ...]:
        found = None
        with suppress(Unfit, Violation, CannotRecord):
            if all(ordinal_of(a) is None for a in arrays):
                hosts = [_repeated(on_host(a), s) for a, s in zip(arrays, self.padding.arguments, strict=True)]
                found = self.large(hosts, device, stream=stream)
            elif self.on_gpu is not None:
                return self.on_gpu(arrays, device, self.padding.results, out=out, stream=stream)
        if found is None:
            return self.exact()(arrays, device, out=out, stream=stream)
        cut = tuple(r[tuple(map(slice, s))] for r, s in zip(found, self.padding.results, strict=True))
        return tuple(np.ascontiguousarray(r).reshape(r.shape) for r in cut) if out is None else self._stored(cut, out)

    def _stored(self, results: Sequence[Array], out: Any) -> tuple[Any, ...]:
        """Copies the results to the arrays of the caller. Raises `BadOutput`."""
        outs = list(cast("Sequence[Any]", out)) if isinstance(out, list | tuple) else [out]
        require_count(self.function, BadOutput, outs, len(results), f"it returns {len(results)}")
        name = self.function.sym_name.data
        for k, (given, result) in enumerate(zip(outs, results, strict=True)):
            try:
                view = view_of_host(place := on_host(given))
                check(view, result.dtype, result.shape)
                if view.readonly:
                    raise Unfit("is read-only", "give an array that can be written")
            except Unfit as unfit:
                raise BadOutput(
                    self.function, function=name, index=k, problem=unfit.problem, help=unfit.help
                ) from unfit
            np.copyto(place, result)
        return tuple(outs)

    def graph(self, arrays: Sequence[Any], device: Device, *, out: Any = None) -> Any:
        """Returns a CUDA graph of the call; it uses the arrays in place."""
        return self.exact().graph(arrays, device, out=out)


def _repeated(array: Array, to: tuple[int, ...]) -> Array:
    """Returns an array with the last elements along each axis repeated up to a shape."""
    for axis, (size, padded) in enumerate(zip(array.shape, to, strict=True)):
        if size != padded:
            array = np.take(array, np.minimum(np.arange(padded), size - 1), axis)
    return array
