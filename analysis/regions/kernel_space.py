"""
The index space that the tiles of a kernel cut up, found from the kernel's body.

```
   contraction:   (outer…, m, n, k)      one m and one n axis are tiled, all of k is one, the rest is outer
   elementwise:   (outer…, m, n)         of the output's axes, adjacent ones merged where addresses allow
```

Axes of one class are merged (`B×S` rows of a `[B, S, K]` operand become one `m`) when every operand's
address stays free of divisions, which isl decides. The contracted axes always become one k: an operand
whose address then divides is loaded element by element.
Spec: `tensor-compiler.ja §3.5` (`lhs_idx`, `rhs_idx`, `out_idx`, `reduce_idx`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

import islpy as isl
from xdsl.ir import SSAValue

from ...dialects import region, tiny
from ...dialects.common.shapes import shape
from ...errors import Unsupported
from ..index import affine
from ..index.book import IndexBook
from ..index.info import Access
from ..index.static_sizes import require_sizes, results_of
from .contraction import Contraction, find_contraction
from .kernel_ops import require_in_kernel, require_unguarded

INDEX_LIMIT = 2**31 - 2**16
"""Kernels count with 32 bits: merged axes stay below this, so that no tile reaches past it."""


@dataclass(frozen=True)
class KernelSpace:
    """
    `sizes` of the tile space in the order outer…, m, n and, with a contraction, k. `iteration` maps the whole
    space to the iteration axes of the contraction (or the axes of the output); `values` maps the space
    without k to the contraction's output (or the output) that the epilogue starts from.
    """

    book: IndexBook
    contraction: Contraction | None
    start: SSAValue
    sizes: tuple[int, ...]
    iteration: isl.MultiAff
    values: isl.MultiAff

    @property
    def outer(self) -> int:
        """The number of axes before m."""
        return len(self.sizes) - (3 if self.contraction else 2)

    @property
    def points(self) -> tuple[int, ...]:
        """Sizes without k."""
        return self.sizes[: self.outer + 2]

    @property
    def m(self) -> int:
        return self.sizes[self.outer]

    @property
    def n(self) -> int:
        return self.sizes[self.outer + 1]

    @property
    def k(self) -> int:
        return self.sizes[self.outer + 2] if self.contraction else 1


def linear_address(sizes: Sequence[int], at: isl.MultiAff, domain: Sequence[int]) -> isl.Aff:
    """The row-major element offset of index `at` in an array of `sizes`."""
    strides = affine.row_major(sizes)
    exprs = [" + ".join(f"{s}*i{k}" for k, s in enumerate(strides)) or "0"]
    return affine.compose(affine.make_map(len(sizes), exprs), at, domain).get_at(0)


def is_affine(address: isl.Aff) -> bool:
    """Free of divisions."""
    return address.dim(isl.dim_type.div) == 0


def stride(address: isl.Aff, axis: int) -> int:
    """The coefficient of an axis in an affine address, in elements."""
    return int(address.get_coefficient_val(isl.dim_type.in_, axis).to_python())


def kernel_space(kernel: region.RegionKernelOp) -> KernelSpace:
    """Raises `Unsupported` if the body holds more than the kernel templates can compute."""
    ops = list(kernel.body.block.ops)
    require_sizes(results_of(ops), kernel)
    book = IndexBook(ops)
    found = [c for op in ops if (c := find_contraction(op, book)) is not None]
    if len(found) > 1:
        raise Unsupported(
            found[1].op,
            what="a second contraction in one region",
            need="split the region here: one kernel computes one contraction",
        )
    arch = None if kernel.plan is None else kernel.plan.schedule().arch
    interior = {op for c in found for op in (c.op, *c.interior)}
    for op in ops:
        if op in interior:
            require_unguarded(op)
        elif not isinstance(op, region.LoadOp):  # what reads it has its type
            require_in_kernel(op, arch)
    if found:
        return _contraction_space(book, found[0])
    return _elementwise_space(book, yielded(kernel)[0])


def operand_layouts(space: KernelSpace) -> tuple[str, str]:
    """
    How the tiles of A (m x k) and B (k x n) lie in shared memory: `ND` with their rows contiguous, `DN` with
    their columns, whichever memory is contiguous along.
    """
    c, m = space.contraction, space.outer
    if c is None:
        return "ND", "ND"
    return _layout(space, c.lhs, m, m + 2), _layout(space, c.rhs, m + 2, m + 1)


def _layout(space: KernelSpace, operand: Access, row: int, column: int) -> str:
    at = affine.compose(operand.map, space.iteration, space.sizes)
    address = linear_address(shape(operand.value), at, space.sizes)
    if not is_affine(address):
        return "ND"
    return "DN" if stride(address, row) == 1 and stride(address, column) != 1 else "ND"


def output_map(space: KernelSpace, root: SSAValue) -> isl.MultiAff | None:
    """From the space without k to the axes of a stored value, where that reads what the space starts from one-to-one."""
    if root is space.start:
        return space.values
    if space.contraction is None:
        return None
    maps = [p.map for p in paths(root, space.book, space.start) if p.value is space.start]
    back = affine.inverse(maps[0], shape(root), shape(space.start)) if len(maps) == 1 else None
    return None if back is None else affine.compose(back, space.values, space.points)


def contiguous_axis(kernel: region.RegionKernelOp, space: KernelSpace) -> str | None:
    """
    Which of m and n neighbours in memory lie along where the kernel's first output is stored, None for neither. A
    plan follows it: `C_stride = "row"` stores neighbours along n at once, "col" along m.
    """
    root = yielded(kernel)[0]
    at = output_map(space, root)
    if at is None or not is_affine(address := linear_address(shape(root), at, space.points)):
        return None
    for axis, name in ((space.outer + 1, "n"), (space.outer, "m")):
        if space.points[axis] > 1 and stride(address, axis) == 1:
            return name
    return None


def yielded(kernel: region.RegionKernelOp) -> list[SSAValue]:
    """The values that the kernel stores."""
    last = kernel.body.block.last_op
    return list(last.operands) if last is not None else []


def _contraction_space(book: IndexBook, c: Contraction) -> KernelSpace:
    reads = (c.lhs, c.rhs)
    batch, ms, ns, ks = (_merge(c.sizes, axes, reads, shape(c.out)) for axes in (c.batch, c.m, c.n, c.k))
    m, n = _widest(ms, c.sizes), _widest(ns, c.sizes)
    k = tuple(a for g in ks for a in g)
    outer = [g for g in (*batch, *ms, *ns) if g not in (m, n)]
    order = [*outer, m, n, k]
    sizes = tuple(prod(c.sizes[a] for a in g) for g in order)
    iteration = _spread(order, sizes, c.sizes)
    rank = len(shape(c.out))
    kept = order[:-1]
    values = _spread(kept, sizes[:-1], c.sizes[:rank])
    return KernelSpace(book, c, c.out, sizes, iteration, values)


def _elementwise_space(book: IndexBook, start: SSAValue) -> KernelSpace:
    sizes = shape(start)
    reads = paths(start, book)
    groups = _merge(sizes, tuple(range(len(sizes))), reads, sizes)
    n = groups[-1] if groups else ()
    m = groups[-2] if len(groups) > 1 else ()
    order = [*groups[:-2], m, n]
    space = tuple(prod(sizes[a] for a in g) for g in order)
    spread = _spread(order, space, sizes)
    return KernelSpace(book, None, start, space, spread, spread)


def paths(root: SSAValue, book: IndexBook, to: SSAValue | None = None) -> list[Access]:
    """
    Everything that `root` is computed from and that has no operands itself, or is `to`, each with a map from
    the root's axes; one entry for every different map.
    """
    out: list[Access] = []
    sizes = shape(root)
    todo = [Access(root, affine.identity(len(sizes)))]
    seen: set[tuple[SSAValue, str]] = set()
    while todo:
        at = todo.pop()
        if (key := (at.value, affine.text(at.map))) in seen:
            continue
        seen.add(key)
        steps = () if at.value is to else book[at.value].accesses
        if not steps and not isinstance(at.value.owner, tiny.ConstOp):
            out.append(at)
        todo += [Access(s.value, affine.compose(s.map, at.map, sizes)) for s in steps]
    return out


def _widest(groups: Sequence[tuple[int, ...]], sizes: Sequence[int]) -> tuple[int, ...]:
    """The group to tile: the one with most elements, the last of equals; () stands for a size of 1."""
    return max(reversed(groups), key=lambda g: prod(sizes[a] for a in g), default=())


def _merge(
    sizes: Sequence[int], axes: tuple[int, ...], reads: Sequence[Access], out: Sequence[int]
) -> list[tuple[int, ...]]:
    """Joins neighbours of `axes` while every address stays affine; axes of size 1 vanish."""
    groups: list[tuple[int, ...]] = [(a,) for a in axes if sizes[a] != 1]
    joined = True
    while joined:
        joined = False
        for left, right in pairwise(groups):
            if prod(sizes[a] for a in left + right) < INDEX_LIMIT and _mergeable(sizes, left + right, reads, out):
                at = groups.index(left)
                groups[at : at + 2] = [left + right]
                joined = True
                break
    return groups


def _mergeable(sizes: Sequence[int], group: tuple[int, ...], reads: Sequence[Access], out: Sequence[int]) -> bool:
    others = [(a,) for a in range(len(sizes)) if a not in group]
    order = [group, *others]
    space = [prod(sizes[a] for a in g) for g in order]
    spread = _spread(order, space, sizes)
    addresses = [(shape(r.value), affine.compose(r.map, spread, space)) for r in reads]
    kept = affine.make_map(len(sizes), [f"i{a}" for a in range(len(out))])
    addresses.append((tuple(out), affine.compose(kept, spread, space)))
    return all(is_affine(linear_address(s, at, space)) for s, at in addresses)


def _spread(order: Sequence[tuple[int, ...]], space: Sequence[int], sizes: Sequence[int]) -> isl.MultiAff:
    """From the space of merged groups back to single axes; an axis in no group is at 0."""
    exprs = ["0"] * len(sizes)
    for position, group in enumerate(order):
        steps = affine.row_major([sizes[a] for a in group])
        for place, (a, step) in enumerate(zip(group, steps, strict=True)):
            quotient = f"floor(i{position}/{step})"
            exprs[a] = quotient if place == 0 else f"{quotient} - {sizes[a]}*floor(i{position}/{step * sizes[a]})"
    return affine.make_map(len(order), exprs).gist(affine.box(space))
