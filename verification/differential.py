"""
Layer 3: compares results on cases.

Random and extreme values at drawn sizes, all small sizes with small values, and metamorphic cases: a relation such as "adding a
constant changes nothing" that the intent obeys must hold for the candidate, too. A relation is used if the ops of the function
suggest it and the intent's own results obey it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from ..dialects import intent
from ..dialects.intent.types import type_of
from ..errors import PtirError
from ..passes.environment import make_context
from ..semantics.arrays.scalars import Array, cast, is_float
from ..semantics.bounds import bounds
from ..semantics.bounds.intervals import Interval
from ..semantics.errors import Violation
from ..semantics.intent import run
from ..transforms.intent_lower_macros import IntentLowerMacros
from ..transforms.intent_to_ptir import IntentToPtir
from .candidates import Candidate, CandidateFailed, results_of
from .cases import Cases
from .report import Case, Difference
from .tolerances import difference, outside, proved, tolerance

Found = tuple[Case, Difference]
SMALL = 8
"""The number of cases with small sizes."""
BOUNDED = 12
"""The number of cases whose results are compared with the sound intervals though they are within the tolerance."""


@dataclass
class Comparison:
    """Compares one candidate with one function, and counts."""

    function: intent.FuncOp
    candidate: Candidate
    limit: float = 0.0
    shrinks: bool = True
    """Whether a counterexample is made smaller."""
    counts: Counter[str] = field(default_factory=Counter[str])
    undefined: int = 0
    proved: int = 0
    """The number of cases whose results lie in the sound intervals."""
    bounded: int = 0
    """The number of cases that have sound intervals."""
    outside_tolerance: int = 0
    """The number of these whose results are not within the tolerance."""

    def __post_init__(self) -> None:
        self.limit = self.limit or tolerance(self.function)

    def expected(self, case: Case) -> tuple[Array, ...] | None:
        """Returns the intent's results, or None where it is not defined."""
        try:
            return run(self.function, case.arrays, case.binding)
        except Violation:
            self.undefined += 1
            return None

    def __call__(self, case: Case) -> Difference | None:
        """Returns how the candidate differs on a case, or None."""
        expected = self.expected(case)
        if expected is None:
            return None
        self.counts[case.kind] += 1
        try:
            got = [np.asarray(x) for x in results_of(self.candidate, case.arrays, case.binding)]
        except CandidateFailed as error:
            return Difference(error.message)
        found = difference(got, expected, self.limit, None)
        if found is None and self.bounded >= BOUNDED:
            return None
        if (intervals := intervals_of(self.function, case)) is not None:
            self.bounded += 1
            if found is not None:
                self.outside_tolerance += 1
                found = difference(got, expected, self.limit, intervals)
            self.proved += found is None and proved(got, intervals)
        return found


def intervals_of(function: intent.FuncOp, case: Case) -> list[Interval] | None:
    """Returns the intervals that contain every correct result, or None if the function has none."""
    module = ModuleOp([function.clone()])
    sizes = ",".join(f"{s}={n}" for s, n in case.binding.items())
    try:
        IntentLowerMacros().apply(make_context(), module)
        IntentToPtir(sizes).apply(make_context(), module)
        return list(bounds(module, function.sym_name.data, *case.arrays))
    except PtirError:
        return None


def cases_of(cases: Cases, count: int) -> Iterator[Case]:
    """Yields the drawn cases, the first of which are small and the next as large as the contract allows, then the exhaustive ones."""
    found, largest = 0, cases.largest()
    for number in range(count):
        if number >= SMALL and (binding := next(largest, None)) is not None:
            made = [cases.with_binding(number, binding), cases.constant(binding)]
        else:
            made = [cases.drawn(number, (1, 2, 3) if number < SMALL else None)]
        for case in made:
            if case is not None:
                found += 1
                yield case
        if number > SMALL and not found:
            break  # the contract allows hardly anything
    yield from cases.exhaustive()


# --- metamorphic relations ------------------------------------------------------------------------

Relation = Callable[[Sequence[Array], Mapping[str, int]], Sequence[Array] | None]


@dataclass(frozen=True)
class Metamorphic:
    """A change of the arguments, and the change of the results that it implies: none, or one of `kind`."""

    name: str
    change: Relation
    kind: str = "equal"


def relations(function: intent.FuncOp) -> list[Metamorphic]:
    """Returns the relations that the ops of a function suggest."""
    ops = {op.fn.data if isinstance(op, intent.ReduceOp) else type(op) for op in function.body.walk()}
    floats = [
        k for k, arg in enumerate(function.inputs) if type_of(arg).element_type.name in ("f16", "bf16", "f32", "f64")
    ]
    found: list[Metamorphic] = []
    normalizes = intent.SoftmaxOp in ops or "sum" in ops or "max" in ops
    for k in floats:
        if normalizes:
            found.append(Metamorphic(f"shift of argument {k}", _on(k, lambda x: x + 2)))
            found.append(Metamorphic(f"scale of argument {k}", _on(k, lambda x: x * 2)))
        if ops & {intent.MatmulOp, intent.Conv2dOp, "sum", intent.UpsampleBicubic2dAaOp}:
            found.append(Metamorphic(f"linearity in argument {k}", _on(k, lambda x: x * 2), "doubled"))
    if normalizes or intent.MatmulOp in ops:
        found += [Metamorphic(f"permutation along {s}", _permuted(function, s)) for s in function.symbols()]
    return found


def _on(k: int, change: Callable[[Array], Array]) -> Relation:
    def apply(arrays: Sequence[Array], binding: Mapping[str, int]) -> Sequence[Array]:
        wide = cast(np.asarray(change(arrays[k].astype(np.float64))), arrays[k].dtype)
        return [wide if i == k else a for i, a in enumerate(arrays)]

    return apply


def _permuted(function: intent.FuncOp, symbol: str) -> Relation:
    """Reverses every axis whose size is the symbol."""

    def apply(arrays: Sequence[Array], binding: Mapping[str, int]) -> Sequence[Array]:
        out: list[Array] = []
        for arg, array in zip(function.inputs, arrays, strict=True):
            axes = [axis for axis, dim in enumerate(type_of(arg).dims) if dim == symbol]
            out.append(np.ascontiguousarray(np.flip(array, tuple(axes))) if axes else array)
        return out

    return apply


def metamorphic(compare: Comparison, cases: Cases, count: int) -> Iterator[tuple[Metamorphic, Case, Case]]:
    """Yields the relations that the intent obeys, each with pairs of cases."""
    for relation in relations(compare.function):
        pairs: list[tuple[Case, Case]] = []
        for number in range(count):
            case = cases.drawn(4 * number)  # small integers, so that most sums are exact
            if case is None:
                continue
            changed = relation.change(case.arrays, case.binding)
            other = None if changed is None else cases.case("metamorphic", case.binding, changed)
            if other is not None and obeys(compare, relation, compare.expected(case), compare.expected(other)):
                pairs.append((case, other))
        if len(pairs) == count:
            yield from ((relation, *pair) for pair in pairs)


def obeys(
    compare: Comparison, relation: Metamorphic, first: Sequence[Array] | None, second: Sequence[Array] | None
) -> bool:
    """Whether two results obey a relation within the tolerance."""
    if first is None or second is None or len(first) != len(second):
        return False
    for a, b in zip(first, second, strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        want = cast(a.astype(np.float64) * 2, a.dtype) if relation.kind == "doubled" and is_float(a.dtype) else a
        if outside(b, want, compare.limit).any():
            return False
    return True
