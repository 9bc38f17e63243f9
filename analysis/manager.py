"""
Analyses that the passes of a pipeline share: each is computed once for an op or a block, until its body changes.

MLIR's passes declare the analyses that they preserve. Here a result is kept with a snapshot of the body that it was
computed from, and is dropped when the two differ. A pass that knows nothing of analyses therefore leaves no stale result.

```python
@analysis
def index_book(op: FuncOp) -> IndexBook: ...

with shared_analyses():         # `PassManager.run` does this
    index_book(function)        # computed
    index_book(function)        # reused
    rewrite(function)
    index_book(function)        # computed again
```
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

from xdsl.ir import Block, Operation

Op = TypeVar("Op", bound=Operation | Block)
Result = TypeVar("Result")
Snapshot = tuple[object, ...]

_results: ContextVar[dict[tuple[Callable[..., object], Operation | Block], tuple[Snapshot, Any]] | None] = ContextVar(
    "analysis results", default=None
)
_computing: ContextVar[Mapping[Operation | Block, Snapshot] | None] = ContextVar("bodies in analyses", default=None)
"""The bodies of what analyses are being computed for: these change nothing, so that the analyses that they ask for need no other snapshot."""


@contextmanager
def shared_analyses() -> Generator[None]:
    """Keeps the results of analyses until the outermost `with` of the thread ends."""
    token = _results.set({} if (kept := _results.get()) is None else kept)
    try:
        yield
    finally:
        _results.reset(token)


def analysis(compute: Callable[[Op], Result]) -> Callable[[Op], Result]:
    """
    Decorates `compute`, so that inside `shared_analyses` it is computed once for an op or a block until its body changes. It must
    depend on that body only, not on the op's own attributes, on locations or on names, and must not change it; callers must not
    modify the result.
    """

    @wraps(compute)
    def get(op: Op) -> Result:
        if (results := _results.get()) is None:
            return compute(op)
        outer = _computing.get() or {}
        body = snapshot(op) if (known := outer.get(op)) is None else known
        kept = results.get((compute, op))
        if kept is None or (kept[0] is not body and kept[0] != body):
            token = _computing.set({**outer, op: body})
            try:
                kept = results[compute, op] = (body, compute(op))
            finally:
                _computing.reset(token)
        return kept[1]

    return get


def snapshot(op: Operation | Block) -> Snapshot:
    """Returns the body of an op or a block as a tuple that compares equal as long as the body is unchanged."""
    parts: list[object] = list(op.arg_types) if isinstance(op, Block) else []
    for inner in op.walk():
        if inner is not op:
            parts += inner, inner.parent, tuple(inner.operands), inner.result_types, tuple(inner.successors)
            parts += dict(inner.properties), dict(inner.attributes)
        parts += ((block, block.arg_types) for region in inner.regions for block in region.blocks)
    return tuple(parts)
