"""
Joins kernels that share what they read: of the same rows, of the same columns, of inner products, and elementwise ones of one shape.

Kernels are joined only where a template computes both, and where neither reads a result of the other, except for elementwise ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from ...dialects.common.shapes import shape
from ..index import affine
from ..index.book import IndexBook
from .attention import Attention
from .chained import SIDE_BY_SIDE, Chained, NotChained
from .contraction_space import are_joined, have_same_rows
from .kernel import MAX_OUTPUTS, Kernel
from .places import Slice
from .row_space import row_space
from .slices import Slicer


@dataclass
class Joins:
    """
    Joins the kernels of a block. `chained` are its chained products; `problem` returns why no kernel computes some of them, or None. Roots
    in `alone` have kernels of their own. `apart` gets the chained products that are not joined, with the reasons.
    """

    book: IndexBook
    slicer: Slicer
    chained: Mapping[SSAValue, Chained]
    problem: Callable[[Sequence[Chained]], str | None]
    alone: set[SSAValue]
    apart: dict[SSAValue, NotChained]

    def join(self, kernels: list[Kernel], elementwise: set[SSAValue]) -> list[Kernel]:
        """Returns kernels of a list, of which some are joined. `elementwise` are the roots that no contraction computes."""
        self._join_arrays(kernels)
        self._join_chained(kernels)
        return self._join_elementwise(kernels, elementwise)

    def _join_arrays(self, kernels: list[Kernel]) -> None:
        """Joins kernels without contractions that reduce the same rows or columns of the same arrays."""
        free = [k for k in kernels if k.anchor is None]
        for kernel in list(free):
            for other in free:
                if other is not kernel and (self._share_rows(other, kernel) or self._share_columns(other, kernel)):
                    other.slices += kernel.slices
                    free.remove(kernel)
                    kernels.remove(kernel)
                    break

    def _join_chained(self, kernels: list[Kernel]) -> None:
        """Joins kernels of chained products that are computed in the same space, and of which none reads a result of another."""
        every = {out: c for out, c in self.chained.items() if not isinstance(c, Attention)}
        of_chained = [k for k in kernels if k.anchor is not None and k.anchor.out in every]
        self.apart.clear()
        for number, kernel in enumerate(of_chained):
            for other in of_chained[:number]:
                both = [every[k.anchor.out] for k in (other, kernel) if k.anchor is not None]
                if other.beside is not None or not have_same_rows(both):
                    continue
                product = both[1].product
                if (why := self._why_apart(other, kernel, both)) is None:
                    other.beside = kernel
                    kernels.remove(kernel)
                    self.apart.pop(product.out, None)
                    break
                self.apart[product.out] = NotChained(product.op, why, SIDE_BY_SIDE)

    def _why_apart(self, kernel: Kernel, other: Kernel, both: Sequence[Chained]) -> str | None:
        """Returns why two kernels of chained products, whose weights have the same rows, are not joined, or None if they can be."""
        roots = {*kernel.roots, *other.roots}
        if not self.alone.isdisjoint(roots) or not roots.isdisjoint([*kernel.leaves(), *other.leaves()]):
            return "one reads what is computed from the other"
        if not are_joined(both):
            columns = [prod(c.product.sizes[axis] for axis in c.product.n) for c in both]
            return f"their results have different numbers of columns: {columns[0]} and {columns[1]}"
        return self.problem(both)

    def _share_rows(self, known: Kernel, new: Kernel) -> bool:
        """
        Whether a kernel of rows can also compute the slices of another kernel: the slices have the same rows, and read no arrays that
        the kernel does not read. Neither has an anchor, or reads a result of the other.
        """
        slices, roots = [*known.slices, *new.slices], {*known.roots, *new.roots}
        return (
            known.reduces_rows
            and not any(s.loops for s in slices)
            and len(slices) <= MAX_OUTPUTS
            and self.alone.isdisjoint(roots)
            and roots.isdisjoint(v for s in slices for v in s.stored)
            and set().union(*map(_whole, new.slices)) <= {v for s in known.slices for v in s.stored}
            and row_space(self.book, slices) is not None
        )

    def _share_columns(self, known: Kernel, new: Kernel) -> bool:
        """
        Whether a kernel of column reductions can also compute those of another kernel: all have results of one shape and reduce equally
        many elements, one of the kernels reads all arrays that the other reduces, and neither reads a result of the other.
        """
        if not (known.reduces_columns and new.reduces_columns and shape(known.roots[0]) == shape(new.roots[0])):
            return False
        slices, roots = [*known.slices, *new.slices], {*known.roots, *new.roots}
        counts = {prod(self.book[v].static_sizes[self.book[v].rank :]) for v in known.shared | new.shared}
        arrays, others = ({value for s in k.slices for value in s.stored} for k in (known, new))
        long, longer = ({value for s in k.slices for value in _whole(s)} for k in (known, new))
        return (
            len(counts) == 1
            and len(slices) <= MAX_OUTPUTS
            and self.alone.isdisjoint(roots)
            and roots.isdisjoint(arrays | others)
            and bool(long & longer)
            and (longer <= arrays or long <= others)
        )

    def _join_elementwise(self, kernels: Sequence[Kernel], elementwise: set[SSAValue]) -> list[Kernel]:
        """Joins kernels of elementwise slices of the same shape, if they read the same array or one reads an output of the other."""
        out: list[Kernel] = []
        for kernel in kernels:
            s = kernel.slices[0]
            if kernel.elementwise and s.root not in self.alone:
                for known in out:
                    if known.elementwise and len(known.slices) < MAX_OUTPUTS and _share(known, s):
                        stops = {r for r in elementwise if r not in known.roots}
                        known.slices.append(self.slicer.slice(s.root, stops))
                        break
                else:
                    out.append(kernel)
            else:
                out.append(kernel)
        return out


def _whole(s: Slice) -> set[SSAValue]:
    """The stored values that a slice reads with at least as many elements as its rows have."""
    rows = s.rows
    count = prod(s.sizes) if rows is None else prod(s.sizes[a] for a in rows.rows) * rows.length
    return {value for value in s.stored if prod(shape(value)) >= count}


def _share(known: Kernel, s: Slice) -> bool:
    """
    Whether elementwise slice `s` can join the kernel `known`: it must have the shape of the kernel's outputs, and must read either
    an output at the same index, or an array that the kernel also reads and that has at least as many elements as `s`.
    """
    sizes = shape(s.root)
    if any(shape(root) != sizes for root in known.roots):
        return False
    outputs = [leaf for leaf in s.leaves if leaf.value in known.roots]
    same = affine.identity(len(sizes))
    if any(leaf.positions or not affine.equal_on(sizes, leaf.at, same) for leaf in outputs):
        return False
    arrays = {leaf.value for known_slice in known.slices for leaf in known_slice.leaves}
    return bool(outputs) or any(leaf.value in arrays and prod(shape(leaf.value)) >= prod(sizes) for leaf in s.leaves)
