"""
Whether a function for larger sizes can serve arrays of smaller ones: on arrays that are padded at the end of their axes, it computes the
results of the smaller function at the first positions of its own results.

```
x: 3x8 ──▶ f for 3 rows ──▶ y: 3x4          x padded to 4x8 ──▶ f for 4 rows ──▶ 4x4, of which the first 3 rows are y
```

The functions are one function of tiny ops for two sets of sizes. It is so if each op reads, at each point that both have, the same elements
in both. The numbers of the padding do not matter then, as nothing reads them there. A sum along a padded axis, a reshape that puts other
axes behind it, and a constant that depends on the sizes are not so. An op that reads at indices given by data, such as a lookup of rows,
reads the same elements if it finds the same indices, and the axis along which they are has the same size. Spec: `tensor-compiler.ja §8` (ShapeSets).
"""

from __future__ import annotations

from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import SymbolTable

from ...dialects import tiny
from ...dialects.common.shapes import is_tensor, shape
from ...text.literals import splat
from ...text.op_names import op_name
from . import affine
from .book import IndexBook, index_book
from .info import Access, IndexInfo


def difference(small: FuncOp, large: FuncOp) -> tuple[Operation, str] | None:
    """
    Returns the first op of `small` to which the op of `large` does not correspond, with the reason, or None if `large` serves arrays of
    `small`. Both have one block and static sizes.
    """
    books = index_book(small), index_book(large)
    same: dict[SSAValue, SSAValue] = dict(zip(small.body.block.args, large.body.block.args, strict=True))
    ops = list(small.body.block.ops), list(large.body.block.ops)
    if len(ops[0]) != len(ops[1]):
        return small, "the sizes change which ops there are"
    for a, b in zip(*ops, strict=True):
        if [same.get(v) for v in a.operands] != list(b.operands):
            return a, "the sizes change which ops there are"
        if (why := _op_difference(a, b, books)) is not None:
            return a, why
        same.update(zip(a.results, b.results, strict=True))
    return None


def _op_difference(a: Operation, b: Operation, books: tuple[IndexBook, IndexBook]) -> str | None:
    if type(a) is not type(b):
        return "the sizes change which ops there are"
    if isinstance(a, tiny.ConstOp) and isinstance(b, tiny.ConstOp) and a.result.type != b.result.type:
        filled = _is_within(a.result, b.result) and splat(a.value) is not None and splat(a.value) == splat(b.value)
        return None if filled else "it is another constant"
    if isinstance(a, CallOp) and isinstance(b, CallOp) and a.callee != b.callee:
        callees = _callee(a), _callee(b)
        if callees[0] is None or callees[1] is None:
            return "it calls another function"
        return None if (found := difference(callees[0], callees[1])) is None else found[1]
    if (a.properties, a.attributes) != (b.properties, b.attributes):
        return "a parameter is another one"
    unknown = f"it is not known which elements {op_name(a)} reads"
    if a.regions:
        return unknown
    values = zip((*a.operands, *a.results), (*b.operands, *b.results), strict=True)
    if all(v.type == w.type for v, w in values):
        return None
    for v, w in zip(a.results, b.results, strict=True):
        if not _is_within(v, w):
            return "the result is larger for smaller sizes"
        if not isinstance(a, tiny.IotaOp | ReturnOp):
            why = _info_difference(books[0][v], books[1][w]) if v in books[0] else unknown
            if why is not None:
                return why
    return None


def _callee(call: CallOp) -> FuncOp | None:
    found = SymbolTable.lookup_symbol(call, call.callee)
    return found if isinstance(found, FuncOp) and not found.is_declaration else None


def _is_within(small: SSAValue, large: SSAValue) -> bool:
    if not (is_tensor(small.type) and is_tensor(large.type)):
        return small.type == large.type
    a, b = shape(small), shape(large)
    return len(a) == len(b) and all(x <= y for x, y in zip(a, b, strict=True))


def _info_difference(a: IndexInfo, b: IndexInfo) -> str | None:
    """Returns why an op reads other elements for larger sizes, at the points of the smaller ones."""
    # the indices are read at the same places, too: what they may be has equal bounds
    given = bool(a.positions and b.positions)
    if not given and (a.non_scop is not None or b.non_scop is not None):
        return a.non_scop or b.non_scop
    sizes = a.static_sizes
    if sizes[a.rank :] != b.static_sizes[b.rank :]:
        return f"it reads {'at indices given by data' if given else 'all elements'} along an axis of another size"
    if not all(_is_same(sizes, x, y) for x, y in zip(a.accesses, b.accesses, strict=True)):
        return "it reads other elements"
    return None


def _is_same(sizes: tuple[int, ...], a: Access, b: Access) -> bool:
    """Whether two accesses read the same elements, or have the same fill, at each point of a box."""
    if a.guard is None and b.guard is None:
        return affine.equal_on(sizes, a.map, b.map)
    with affine.quota(what="the comparison of two accesses"):
        space = affine.box(sizes)
        read, also = (space if x.guard is None else space.intersect(x.guard) for x in (a, b))
        if not read.is_equal(also) or (a.fill != b.fill and not space.is_subset(read)):
            return False
        return bool(a.map.as_map().intersect_domain(read).is_equal(b.map.as_map().intersect_domain(read)))
