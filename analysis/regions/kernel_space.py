"""
The index space that a kernel tiles, derived from the kernel's body.

```
      contraction:   (outer…, m, n, k)      one m and one n axis are tiled; k axes become one; the others are outer
      elementwise:   (outer…, m, n)         the output's axes; adjacent ones are merged where addresses allow it
```

Axes of one class are merged (`B×S` rows of a `[B, S, K]` operand become one `m`) if isl proves that every operand's address
stays free of divisions. The contracted axes always become one k: an operand whose address then divides is loaded element by
element.
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
from ..index.book import IndexBook, index_book
from ..index.info import Access
from ..index.static_sizes import require_sizes, results_of
from ..manager import analysis
from .contraction import Contraction, contractions
from .kernel_ops import require_in_kernel, require_unguarded

INDEX_LIMIT = 2**31 - 2**16
"""Kernels use 32-bit indices: merged axes stay below this, so that no tile exceeds them."""


@dataclass(frozen=True)
class KernelSpace:
    """
    `sizes` of the tile space in the order outer…, m, n and, for a contraction, k. `iteration` maps the whole space to the
    iteration axes of the contraction (or the output's axes); `start_map` maps the space without k to the axes of `start`,
    the value that the epilogue starts from.
    """

    book: IndexBook
    contraction: Contraction | None
    start: SSAValue
    sizes: tuple[int, ...]
    iteration: isl.MultiAff
    start_map: isl.MultiAff

    @property
    def outer(self) -> int:
        """The number of axes before m."""
        return len(self.sizes) - (3 if self.contraction else 2)

    @property
    def points(self) -> tuple[int, ...]:
        """The sizes without k."""
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
    """Returns the row-major element offset of index `at` in an array of `sizes`."""
    strides = affine.row_major_strides(sizes)
    exprs = [" + ".join(f"{s}*i{k}" for k, s in enumerate(strides)) or "0"]
    return affine.compose(affine.make_map(len(sizes), exprs), at, domain).get_at(0)


def is_affine(address: isl.Aff) -> bool:
    """Whether an address is free of divisions."""
    return address.dim(isl.dim_type.div) == 0


def stride(address: isl.Aff, axis: int) -> int:
    """The coefficient of an axis in an affine address, in elements."""
    return int(address.get_coefficient_val(isl.dim_type.in_, axis).to_python())


def kernel_space(kernel: region.RegionKernelOp) -> KernelSpace:
    """Returns the tile space. Raises `Unsupported` if the body exceeds what the kernel templates can compute."""
    ops = list(kernel.body.block.ops)
    require_sizes(results_of(ops), kernel)
    found = list(contractions(kernel).values())
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
        elif not isinstance(op, region.LoadOp):  # its type is checked at its users
            require_in_kernel(op, arch)
    return _tile_space(kernel)


@analysis
def _tile_space(kernel: region.RegionKernelOp) -> KernelSpace:
    for contraction in contractions(kernel).values():
        return _contraction_space(index_book(kernel), contraction)
    return _elementwise_space(index_book(kernel), stored_values(kernel)[0])


def operand_layouts(space: KernelSpace) -> tuple[str, str]:
    """
    Returns the layouts of the tiles of A (m x k) and B (k x n) in shared memory, as in global memory: `ND` with
    contiguous rows, `DN` with contiguous columns.
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
    """Maps the space without k to the axes of a stored value; None if the value does not read `start` one-to-one."""
    if root is space.start:
        return space.start_map
    if space.contraction is None:
        return None
    maps = [p.map for p in leaf_accesses(root, space.book, space.start) if p.value is space.start]
    back = affine.inverse(maps[0], shape(root), shape(space.start)) if len(maps) == 1 else None
    return None if back is None else affine.compose(back, space.start_map, space.points)


def contiguous_axis(kernel: region.RegionKernelOp, space: KernelSpace) -> str | None:
    """
    Returns which of m and n is contiguous in memory in the kernel's first output, or None. Plans follow it: `C_stride =
    "row"` stores vectors along n, "col" along m.
    """
    root = stored_values(kernel)[0]
    at = output_map(space, root)
    if at is None or not is_affine(address := linear_address(shape(root), at, space.points)):
        return None
    for axis, name in ((space.outer + 1, "n"), (space.outer, "m")):
        if space.points[axis] > 1 and stride(address, axis) == 1:
            return name
    return None


def stored_values(kernel: region.RegionKernelOp) -> list[SSAValue]:
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
    iteration = _axes_of_groups(order, sizes, c.sizes)
    rank = len(shape(c.out))
    kept = order[:-1]
    start_map = _axes_of_groups(kept, sizes[:-1], c.sizes[:rank])
    return KernelSpace(book, c, c.out, sizes, iteration, start_map)


def _elementwise_space(book: IndexBook, start: SSAValue) -> KernelSpace:
    sizes = shape(start)
    reads = leaf_accesses(start, book)
    groups = _merge(sizes, tuple(range(len(sizes))), reads, sizes)
    n = groups[-1] if groups else ()
    m = groups[-2] if len(groups) > 1 else ()
    order = [*groups[:-2], m, n]
    space = tuple(prod(sizes[a] for a in g) for g in order)
    axes = _axes_of_groups(order, space, sizes)
    return KernelSpace(book, None, start, space, axes, axes)


def leaf_accesses(root: SSAValue, book: IndexBook, to: SSAValue | None = None) -> list[Access]:
    """Returns the accesses, mapped from the root's axes, of the leaves (or of `to`) that `root` is computed from."""
    out: list[Access] = []
    sizes = shape(root)
    todo = [Access(root, affine.identity(len(sizes)))]
    seen: set[tuple[SSAValue, str]] = set()
    while todo:
        at = todo.pop()
        if (key := (at.value, affine.canonical_text(at.map))) in seen:
            continue
        seen.add(key)
        steps = () if at.value is to else book[at.value].accesses
        if not steps and not isinstance(at.value.owner, tiny.ConstOp):
            out.append(at)
        todo += [Access(s.value, affine.compose(s.map, at.map, sizes)) for s in steps]
    return out


def _widest(groups: Sequence[tuple[int, ...]], sizes: Sequence[int]) -> tuple[int, ...]:
    """Returns the group to tile: the largest one, the last on a tie; () stands for a size of 1."""
    return max(reversed(groups), key=lambda g: prod(sizes[a] for a in g), default=())


def _merge(
    sizes: Sequence[int], axes: tuple[int, ...], reads: Sequence[Access], out: Sequence[int]
) -> list[tuple[int, ...]]:
    """Joins adjacent `axes` while every address stays affine; drops axes of size 1."""
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
    ungroup = _axes_of_groups(order, space, sizes)
    addresses = [(shape(r.value), affine.compose(r.map, ungroup, space)) for r in reads]
    kept = affine.make_map(len(sizes), [f"i{a}" for a in range(len(out))])
    addresses.append((tuple(out), affine.compose(kept, ungroup, space)))
    return all(is_affine(linear_address(s, at, space)) for s, at in addresses)


def _axes_of_groups(order: Sequence[tuple[int, ...]], space: Sequence[int], sizes: Sequence[int]) -> isl.MultiAff:
    """Maps merged groups of axes back to the axes. An axis in no group has index 0."""
    exprs = ["0"] * len(sizes)
    for position, group in enumerate(order):
        steps = affine.row_major_strides([sizes[a] for a in group])
        for place, (a, step) in enumerate(zip(group, steps, strict=True)):
            quotient = f"floor(i{position}/{step})"
            exprs[a] = quotient if place == 0 else f"{quotient} - {sizes[a]}*floor(i{position}/{step * sizes[a]})"
    return affine.make_map(len(order), exprs).gist(affine.box(space))
