"""
Divides the iterations of a loop by what lies inside the index space.

The tiles of a loop over `k` in steps that do not divide it are whole but in the last iterations. Those are written after the loop, so that
a tile has one valid region in all iterations of a loop, and `pto-pipeline` may load it ahead:

```
for k = 0 to 200 step 64 { load x[…, k] }      for k = 0 to 192 step 64 { load x[…, k] };  load x[…, 192] {valid = […, 8]}
```

Iterations whose tiles are outside, as a split of k has them in its last part, compute nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, scf
from xdsl.ir import SSAValue

from ...dialects import pto
from ...dialects.common.syntax import ints
from .channels import Commits, constant_of, loop_of


def divided(
    loop: scf.ForOp, iterations: range, known: dict[SSAValue, int], commits: dict[SSAValue, Commits]
) -> tuple[range, range]:
    """
    Returns the iterations in which all tiles are inside the index space, and those after them in which a part of each is. `known` maps
    indices from outside of the loop to numbers.
    """
    if len(iterations) < 2:
        return iterations, iterations[:0]
    sides = [side for index, op in _accesses(loop, commits) for side in _sides(op, index, iterations, known)]
    whole = min((_below(ats, bound - size + 1) for ats, size, bound in sides), default=len(iterations))
    some = min((_below(ats, bound) for ats, _, bound in sides), default=len(iterations))
    return iterations[:whole], iterations[whole:some]


def _below(numbers: range, bound: int) -> int:
    """Returns how many of ascending numbers are below a bound."""
    return len(range(numbers.start, min(numbers.stop, bound), numbers.step))


def _accesses(loop: scf.ForOp, commits: dict[SSAValue, Commits]) -> Iterator[tuple[SSAValue, pto.PointsOp]]:
    """Yields the ops on points in a loop, and in the loops of what it waits for, with the indices of these loops."""
    loops = [loop]
    for wait in loop.walk():
        if isinstance(wait, pto.WaitOp):
            loops += [found for commit in commits[wait.channel].found if (found := loop_of(commit)) is not None]
    for each in dict.fromkeys(loops):
        yield from ((each.body.block.args[0], op) for op in each.walk() if isinstance(op, pto.PointsOp))


def _sides(
    op: pto.PointsOp, index: SSAValue, iterations: range, known: dict[SSAValue, int]
) -> Iterator[tuple[range, int, int]]:
    """Yields the offsets along each axis that the loop moves, one for each iteration, with the tile's size and the axis's bound."""
    tile = op.tile if isinstance(op, pto.StoreMapOp) else op.results[0]
    for axis, size in zip(ints(op.dims), pto.tile_type(tile).sizes, strict=True):
        first, second = (_evaluated(op.offsets[axis], {**known, index: i}) for i in iterations[:2])
        if first is not None and second is not None and second > first:  # offsets are affine in the index
            step = second - first
            yield range(first, first + step * len(iterations), step), size, ints(op.bounds)[axis]


def _evaluated(value: SSAValue, known: dict[SSAValue, int]) -> int | None:
    """Returns an index as a number, or None."""
    match value.owner:
        case arith.AddiOp() | arith.MuliOp() as op:
            a, b = (_evaluated(v, known) for v in op.operands)
            if a is None or b is None:
                return None
            return a + b if isinstance(op, arith.AddiOp) else a * b
        case _:
            return known.get(value, constant_of(value))
