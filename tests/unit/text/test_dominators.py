"""Dominators, compared with their definition: if a dominator of a block is removed, the block is unreachable."""

from __future__ import annotations

import random

import pytest
from xdsl.dialects import test
from xdsl.ir import Block, Region

from ptir.text.dominators import Dominators


def reached(blocks: list[Block], without: Block | None = None) -> set[Block]:
    todo = [blocks[0]] if blocks[0] is not without else []
    seen = set(todo)
    while todo:
        terminator = todo.pop().last_op
        for successor in terminator.successors if terminator is not None else ():
            if successor is not without and successor not in seen:
                seen.add(successor)
                todo.append(successor)
    return seen


@pytest.mark.parametrize("seed", range(200))
def test_dominators_are_what_their_definition_says(seed: int):
    r = random.Random(seed)
    blocks = [Block() for _ in range(r.randrange(1, 12))]
    region = Region(blocks)
    for block in blocks:
        block.add_op(test.TestTermOp(successors=r.choices(blocks[1:], k=r.randrange(3)) if len(blocks) > 1 else []))
    tree = Dominators(region)
    reachable = reached(blocks)
    for a in blocks:
        spared = reached(blocks, without=a)
        for b in blocks:
            assert tree.dominates(a, b) == (b not in reachable or a is b or b not in spared)


def test_an_empty_region_has_no_dominators():
    Dominators(Region())
