"""The values from which values are computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from xdsl.ir import Operation, SSAValue


def upstream(values: Iterable[SSAValue], stops: Callable[[SSAValue], bool] = lambda _: False) -> Iterator[SSAValue]:
    """Yields `values` and those from which they are computed, each once; of those at which it `stops`, it does not follow the operands."""
    todo, seen = list(values), set[SSAValue]()
    while todo:
        if (value := todo.pop()) in seen:
            continue
        seen.add(value)
        yield value
        if isinstance(op := value.owner, Operation) and not stops(value):
            todo += op.operands
