"""
The results that a compiled function may have, and the errors that it may raise.

A result must lie within the error bounds of its source, which have no width where no order of additions rounds: integers, and
floats that are computed exactly, must come out bit for bit. Without bounds, `roundings.py` says how far a result may deviate.

An unused op need not fail, nor one whose results have no elements: an error is that of the reference, or of the reference without
such ops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType, TupleType, i64
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import dce

from ptir.analysis.program.signature import Signature
from ptir.dialects import ptir
from ptir.dialects.common.shapes import shape
from ptir.dialects.ptir.tuples import leaves
from ptir.runtime.sizes import bound_sizes, shapes_of
from ptir.semantics.arrays.scalars import integer_range, is_float
from ptir.semantics.bounds import bounds, check
from ptir.semantics.bounds.intervals import Interval
from ptir.semantics.errors import NoBounds, UnknownSize, Violation
from ptir.semantics.interpreter import call, find_function
from ptir.text.literals import dense
from ptir.transforms.specialize_sizes import specialize

from .dtypes import spelling
from .oracle.control import FLIP
from .oracle.numbers import Want
from .roundings import wanted


@dataclass(frozen=True)
class Outcome:
    """The results of a call, or the code and the place of its error."""

    results: Sequence[Any] = ()
    error: str = ""

    @classmethod
    def of(cls, run: Callable[[], Sequence[Any]]) -> Outcome:
        try:
            return cls([np.asarray(x) for x in run()])
        except Violation as e:
            return cls(error=f"{e.code} at {e.location}")


@dataclass
class Expected:
    """What a call of a function may do."""

    outcomes: Sequence[Outcome]
    """Those of the reference, and of the reference without ops that need not run."""
    judges: Sequence[Interval | Want] = ()
    """For each result, what it may be."""
    compared: Counter[str] = field(default_factory=Counter[str])
    """The number of elements of the results by how they are compared."""

    @classmethod
    def of(cls, module: ModuleOp, name: str, arrays: Sequence[Any]) -> Expected:
        """Runs a function of a module on arrays."""
        outcomes = [Outcome.of(lambda: call(module, name, *arrays))]
        if outcomes[0].error:

            def run() -> Sequence[Any]:
                nonlocal module
                module = _needed(_with_static_sizes(module, name, arrays))
                return call(module, name, *arrays)

            outcomes.append(Outcome.of(run))
        if outcomes[-1].error:
            return cls(outcomes)
        judges = _judges(module, name, arrays, outcomes[-1].results)
        out = cls(outcomes, judges)
        for judge in judges:
            out.compared.update(_kinds(judge))
        return out

    def problem(self, outcome: Outcome, places: bool) -> tuple[str, str] | None:
        """
        Returns the kind of a problem with the outcome of a call, and its description, or None if it is right. The places of errors
        count if `places` is set.
        """
        if outcome.error or self.outcomes[-1].error:
            got, *errors = (o.error if places else o.error[:8] for o in (outcome, *self.outcomes))
            expected = " or ".join(errors) or "none"
            return None if got in errors else ("other error", f"{got or 'none'}, expected {expected}")
        for k, (got, judge) in enumerate(zip(outcome.results, self.judges, strict=True)):
            if (problem := _wrong(got, judge)) is not None:
                return "wrong result", f"result {k}: {problem}"
        return None


def _with_static_sizes(module: ModuleOp, name: str, arrays: Sequence[Any]) -> ModuleOp:
    """Returns a copy in which the dynamic sizes of a function are those of `arrays`."""
    out = module.clone()
    function = find_function(out, name)
    specialize(out, function, bound_sizes(function, shapes_of(Signature.of(function), arrays)))
    return out


def _needed(module: ModuleOp) -> ModuleOp:
    """Returns a copy without ops that are not used or have no elements."""
    out = module.clone()
    for op in reversed([op for op in out.walk() if op.results and all(0 in _shape(r) for r in op.results)]):
        constants = [ptir.ConstantOp(dense(r.type, b"")) for r in op.results]  # pyright: ignore[reportArgumentType]
        Rewriter.replace_op(op, constants, [c.result for c in constants])
    dce(out)
    return out


def _shape(value: SSAValue) -> tuple[int, ...]:
    return value.type.get_shape() if isinstance(value.type, TensorType) else ()


def _judges(module: ModuleOp, name: str, arrays: Sequence[Any], results: Sequence[Any]) -> list[Interval | Want]:
    module = _without_custom_calls(module)
    try:
        return list(bounds(module, name, *arrays, tight=True))
    except NoBounds:
        pass
    types = [spelling(t.element_type) for t in leaves(_returned(module, name).operand_types)]  # pyright: ignore
    free = wanted(module, name, arrays, results, types)
    return [_bounds_of(module, name, k, arrays) or free[k] for k in range(len(results))]


def _bounds_of(module: ModuleOp, name: str, k: int, arrays: Sequence[Any]) -> Interval | None:
    """Returns the bounds of a result of which the others may have none."""
    alone = module.clone()
    function, end = find_function(alone, name), _returned(alone, name)
    end.operands = [[leaf for value in end.operands for leaf in _flat(end, value)][k]]
    dce(alone)
    used = [bool(arg.uses) for arg in function.args for _ in leaves([arg.type])]
    for arg in [arg for arg in function.args if not arg.uses]:
        function.body.block.erase_arg(arg)
    function.update_function_type()
    try:
        return bounds(alone, name, *compress(arrays, used), tight=True)[0]
    except (NoBounds, UnknownSize):  # an argument that is not used may bind the name of a size
        return None


def _flat(end: ReturnOp, value: SSAValue) -> Iterator[SSAValue]:
    """Yields a value or, if it is a tuple, its elements, which are taken before the op `end`."""
    if not isinstance(value.type, TupleType):
        yield value
        return
    for index in range(len(value.type.types)):
        Rewriter.insert_op(taken := ptir.TupleElementOp(value, index), InsertPoint.before(end))
        yield from _flat(end, taken.result)


def _returned(module: ModuleOp, name: str) -> ReturnOp:
    end = find_function(module, name).body.block.last_op
    assert isinstance(end, ReturnOp)
    return end


def _without_custom_calls(module: ModuleOp) -> ModuleOp:
    """Returns a copy in which `FLIP` is written with ops of ptir, which have bounds."""
    out = module.clone()
    for op in [op for op in out.walk() if isinstance(op, ptir.CustomCallOp) and op.target.data == FLIP.target]:
        x, new = op.operands[0], list[Operation]()
        if shape(x):
            places = np.arange(shape(x)[0])[::-1]
            at = ptir.ConstantOp(dense(TensorType(i64, places.shape), places.tobytes()))
            new += [at, ptir.TakeOp(x, at.result)]
        flipped = new[-1].results[0] if new else x
        if not isinstance(op.results[0].type, TensorType):
            new.append(ptir.TupleOp([flipped, x]))
        Rewriter.replace_op(op, new, [new[-1].results[0] if new else x])
    return out


def _wrong(got: Any, judge: Interval | Want) -> str | None:
    if isinstance(judge, Want):
        return judge.problem(got)
    report = check(got, judge)
    if not report.ok:
        return str(report)
    if judge.known is not None and is_float(judge.dtype):  # moved, not computed
        signs = [np.signbit(x.astype(np.float64)) for x in (got, judge.known)]
        differ = (signs[0] != signs[1]) & (judge.known == 0)
        return f"the sign of zero differs at {np.argwhere(differ)[0].tolist()}" if differ.any() else None
    return None


def _kinds(judge: Interval | Want) -> Counter[str]:
    """Counts elements by how they are compared."""
    if isinstance(judge, Want):
        size = int(np.size(judge.low))
        free = 0 if judge.free is None else int(np.sum(judge.free))
        return Counter({"with other roundings": size - free, "not compared": free})
    low, high = (-np.inf, np.inf) if is_float(judge.dtype) else integer_range(judge.dtype)
    free = int(np.sum((judge.lo <= low) & (judge.hi >= high)))
    exact = int(np.sum(judge.exact))
    return Counter({"exactly": exact, "within bounds": judge.lo.size - free - exact, "not compared": free})
