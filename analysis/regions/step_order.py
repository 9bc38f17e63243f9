"""The order in which the kernels and the host ops of a block run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Operation, SSAValue

from .kernel import Kernel


def in_order(
    kernels: Sequence[Kernel], host_ops: Sequence[Operation], position: Callable[[SSAValue], int]
) -> tuple[list[Kernel | Operation], list[Kernel]]:
    """
    Sorts the kernels and host ops topologically, in program order where that is free, so that values are short-lived. The kernels that
    wait for each other come second.
    """
    makes: list[tuple[Kernel | Operation, Sequence[SSAValue], Sequence[SSAValue]]] = [
        *((k, [*k.leaves(), *k.updated.values()], k.roots) for k in kernels),
        *((op, op.operands, op.results) for op in host_ops),
    ]
    """Each step with the values that it reads and those that it makes."""
    missing = {made for _, _, values in makes for made in values}
    waiting = sorted(makes, key=lambda m: max((position(v) for v in m[2]), default=-1))
    out: list[Kernel | Operation] = []
    while waiting:
        at = next((i for i, (_, reads, _) in enumerate(waiting) if missing.isdisjoint(reads)), None)
        if at is None:
            return out, [step for step, _, _ in waiting if isinstance(step, Kernel)]
        step, _, values = waiting.pop(at)
        out.append(step)
        missing.difference_update(values)
    return out, []
