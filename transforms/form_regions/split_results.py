"""
Stores the parts of a product where results need them: one kernel computes a projection of queries, keys and values with its split.

```
%y: 128x2304 = …product…                             %r = permute (reshape %y : 128x3x768) : 3x128x768
%q = permute (reshape (shrink %y from [0, 0]))   →   %s = permute (reshape %r) : 3x12x128x64        one array, stored by the product
%k = permute (reshape (shrink %y from [0, 768]))     %q = reshape (shrink %s from [0, 0, 0, 0])     a row of it
```

The parts are equal windows along one axis, with the same reshapes and permutes after them; one at least is a result, others may be read
by kernels, and together they are all that reads the product.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...analysis.regions.chains import chains
from ...analysis.regions.contraction import contractions
from ...analysis.regions.result_rows import ROW_ALIGNMENT
from ...dialects import tiny
from ...dialects.common.shapes import element, shape
from ...dialects.common.syntax import ints
from ...targets.mma import element_bytes

Chain = list[tiny.MovementOp]
"""A window of an array, and the reshapes and permutes after it."""


def split_results(function: FuncOp) -> None:
    """Rewrites the split results of the products of a function."""
    last = function.body.block.last_op
    results = set(last.operands) if last is not None else set[SSAValue]()
    values = (v for op in function.body.block.ops for v in op.results)
    found: dict[SSAValue, list[Chain]] = {v: parts for v in values if (parts := _parts(v, results))}
    for chain in chains(contractions(function)).values() if found else ():
        if (value := next((v for v in reversed(chain) if v in found), None)) is not None:
            _join(value, found[value])


def _parts(value: SSAValue, results: set[SSAValue]) -> list[Chain]:
    """Returns the chains of the parts of a value, in order; none if they are not all that reads it, or no two are alike."""
    if value.has_one_use() or not value.uses:
        return []
    found: dict[int, Chain] = {}
    for use in value.uses:
        op = use.operation
        if not isinstance(op, tiny.MovementOp) or op.kind.data != "shrink" or op.start is None:
            return []
        axes = [a for a, (whole, part) in enumerate(zip(shape(value), shape(op.result), strict=True)) if whole != part]
        if len(axes) != 1 or ints(op.start)[axes[0]] in found:
            return []
        found[ints(op.start)[axes[0]]] = [op, *_after(op, results)]
    length = min(map(len, found.values()))
    parts = [found[start][:length] for start in sorted(found)]
    first = parts[0]
    axis = next(a for a, n in enumerate(shape(value)) if n != shape(first[0].result)[a])
    size = shape(first[0].result)[axis]
    alike = all(
        (shape(part[0].result), [_form(op) for op in part[1:]])
        == (shape(first[0].result), [_form(op) for op in first[1:]])
        for part in parts
    )
    aligned = prod(shape(first[-1].result)) * element_bytes(element(value)) % ROW_ALIGNMENT == 0
    whole = sorted(found) == [k * size for k in range(len(parts))] and len(parts) * size == shape(value)[axis]
    stored = any(part[-1].result in results for part in parts)
    return parts if alike and aligned and whole and stored else []


def _after(op: tiny.MovementOp, results: set[SSAValue]) -> Iterator[tiny.MovementOp]:
    """Yields the reshapes and permutes after a window, up to the first value that is a result, or that others read as well."""
    while op.result not in results:
        use = op.result.get_user_of_unique_use()
        if not isinstance(use, tiny.MovementOp) or use.kind.data not in ("reshape", "permute"):
            return
        yield (op := use)


def _form(op: tiny.MovementOp) -> object:
    return op.kind, op.perm, op.result.type


def _join(value: SSAValue, parts: list[Chain]) -> None:
    """Replaces the parts of a value by the rows of one array."""
    window, *after = parts[0]
    sizes, count = shape(value), len(parts)
    axis = next(a for a, n in enumerate(sizes) if n != shape(window.result)[a])
    front = [axis, *(a for a in range(len(sizes) + 1) if a != axis)]
    split = (*sizes[:axis], count, sizes[axis] // count, *sizes[axis + 1 :])
    made = [tiny.MovementOp.reshape(value, split)]
    made.append(tiny.MovementOp.permute(made[-1].result, front))
    for op in after:
        x = made[-1].result
        if op.perm is None:
            made.append(tiny.MovementOp.reshape(x, (count, *shape(op.result))))
        else:
            made.append(tiny.MovementOp.permute(x, [0, *(p + 1 for p in ints(op.perm))]))
    stacked = made[-1].result
    for index, part in enumerate(parts):
        row = shape(part[-1].result)
        found = tiny.MovementOp.shrink(stacked, [index, *(0 for _ in row)], (1, *row))
        made += [found, tiny.MovementOp.reshape(found.result, row)]
        made[-1].result.name_hint = part[-1].result.name_hint
    for op in made:
        op.location = window.location
    owner = value.owner
    assert isinstance(owner, Operation)
    Rewriter.insert_op(made, InsertPoint.after(owner))
    for part, row in zip(parts, made[len(made) - 2 * count + 1 :: 2], strict=True):
        part[-1].result.replace_all_uses_with(row.result)
        for op in reversed(part):
            Rewriter.erase_op(op)
