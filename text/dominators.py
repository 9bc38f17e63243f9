"""
Dominator trees, by the algorithm of Cooper, Harvey and Kennedy (*A Simple, Fast Dominance Algorithm*), without recursion.

xDSL's `DominanceInfo` stores the set of all dominators of each block, which needs too much memory in regions of thousands of
blocks.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block, Region


class Dominators:
    """The dominator tree of the blocks of `region` that are reachable from its entry."""

    def __init__(self, region: Region):
        order = _postorder(region.first_block)[::-1]
        self._number = {id(block): i for i, block in enumerate(order)}
        """The index of each block in reverse postorder; a dominator has a smaller index than the blocks it dominates."""
        predecessors: list[list[int]] = [[] for _ in order]
        for i, block in enumerate(order):
            for successor in _successors(block):
                predecessors[self._number[id(successor)]].append(i)
        self._parent = [0] * len(order)
        """The immediate dominator of each block, both as indices; the entry, 0, is its own."""
        known = [True, *[False] * (len(order) - 1)]
        changed = True
        while changed:
            changed = False
            for i in range(1, len(order)):
                parent = -1
                for j in predecessors[i]:
                    if known[j]:
                        parent = j if parent < 0 else self._common(parent, j)
                if not known[i] or self._parent[i] != parent:
                    self._parent[i], known[i], changed = parent, True, True
        self._first, self._last = self._numbers_by_subtree()

    def dominates(self, a: Block, b: Block) -> bool:
        """Whether every path from the entry to `b` goes through `a`, or `b` is unreachable."""
        if (j := self._number.get(id(b))) is None:
            return True
        i = self._number.get(id(a))
        return i is not None and self._first[i] <= self._first[j] <= self._last[i]

    def _common(self, i: int, j: int) -> int:
        while i != j:
            if i > j:
                i = self._parent[i]
            else:
                j = self._parent[j]
        return i

    def _numbers_by_subtree(self) -> tuple[list[int], list[int]]:
        """Returns the preorder number of each block, and the largest preorder number in its subtree."""
        size = [1] * len(self._parent)
        for i in range(len(size) - 1, 0, -1):
            size[self._parent[i]] += size[i]
        first, free = [0] * len(size), [1] * len(size)
        for i in range(1, len(size)):
            parent = self._parent[i]
            first[i] = free[parent]
            free[parent] += size[i]
            free[i] = first[i] + 1
        return first, [number + size[i] - 1 for i, number in enumerate(first)]


def _postorder(entry: Block | None) -> list[Block]:
    if entry is None:
        return []
    order: list[Block] = []
    seen = {id(entry)}
    stack: list[tuple[Block, Iterator[Block]]] = [(entry, _successors(entry))]
    while stack:
        block, successors = stack[-1]
        if (successor := next(successors, None)) is None:
            order.append(block)
            stack.pop()
        elif id(successor) not in seen:
            seen.add(id(successor))
            stack.append((successor, _successors(successor)))
    return order


def _successors(block: Block) -> Iterator[Block]:
    """Yields the successors of `block` that are in the same region."""
    last = block.last_op
    return iter(()) if last is None else (s for s in last.successors if s.parent is block.parent)
