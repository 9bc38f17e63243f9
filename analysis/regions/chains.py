"""Finds the values that the kernel of a contraction may store instead of its result."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import SSAValue

from ...dialects import tiny
from .contraction import Contraction
from .kernel import bytes_of
from .places import is_leaf
from .upstream import upstream


def chains(found: Mapping[SSAValue, Contraction]) -> dict[SSAValue, list[SSAValue]]:
    """
    Returns, for each contraction, the values that its kernel can store instead of its result: each is the only use of the one before
    and needs no other reduction. The last one is the cheapest: none is smaller, and other kernels need not read what it adds.
    """
    out: dict[SSAValue, list[SSAValue]] = {}
    last: set[SSAValue] = set()
    """The last values of the chains so far, which a later chain can read."""

    def reduces(value: SSAValue) -> bool:
        """Whether a reduction is needed to compute a value from what is stored."""
        needed = upstream([value], lambda v: v in last or is_leaf(v))
        return any(isinstance(v.owner, tiny.ReduceOp) and v not in last for v in needed)

    for c in found.values():
        chain = [c.out]
        here = c.out
        while (use := here.get_user_of_unique_use()) is not None:
            reshapes = isinstance(use, tiny.MovementOp) and use.kind.data == "reshape"
            elementwise = reshapes or isinstance(use, tiny.UnaryOp | tiny.BinaryOp)
            if not elementwise or any(reduces(v) for v in use.operands if v is not here):
                break
            here = use.results[0]
            chain.append(here)
        least = min(map(bytes_of, chain))
        while bytes_of(chain[-1]) > least:
            chain.pop()
        out[c.out] = chain
        last.add(chain[-1])
    return out
