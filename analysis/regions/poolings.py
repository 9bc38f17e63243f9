"""
Poolings of the results of convolutions, and why the kernels of these do not compute them (`windows.py` has those that they do).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...dialects import tiny
from ...dialects.common.shapes import shape
from ..index import affine
from .contraction import LookThrough, find_pattern, look_through
from .fusion import Fusion
from .kernel import Kernel


def poolings(fusion: Fusion) -> Iterator[tuple[tiny.ReduceOp, str]]:
    """Yields the reductions of windows of stored results of convolutions, each with the reason why it has a kernel of its own."""
    convolutions = {root for kernel in fusion.kernels if _is_convolution(kernel, fusion) for root in kernel.roots}
    for kernel in fusion.kernels:
        if kernel.anchor is None and convolutions & set(kernel.leaves()):
            for op in fusion.order:
                if op in kernel.ops() and isinstance(op, tiny.ReduceOp) and _reduces_windows(op, fusion):
                    yield op, _reason(op, fusion)


def _reason(op: tiny.ReduceOp, fusion: Fusion) -> str:
    slicer = fusion.slicer.without_cuts()
    if not slicer.windows:
        return "floats are strict, or no architecture is given"
    match slicer.window(op):
        case str(why):
            return why
        case None:
            return "it reduces more than the result of one convolution, element by element"
        case _:
            return "the result is also read elsewhere, or one kernel is not faster"


def _is_convolution(kernel: Kernel, fusion: Fusion) -> bool:
    found = None if kernel.anchor is None else find_pattern(kernel.anchor.op, fusion.book)
    return found is not None and found[1].pattern == "conv"


def _reduces_windows(op: tiny.ReduceOp, fusion: Fusion) -> bool:
    """Whether an index of what is reduced depends on a kept axis and a reduced one."""
    info = fusion.book[op.result]
    through = LookThrough(rounds=False, casts=True, expands=True, pads=True, accum=op.accum)
    access, _ = look_through(info.accesses[0], fusion.book, info.sizes, through)
    indices = [affine.terms(access.map.get_at(axis)) for axis in range(len(shape(access.value)))]
    return any(terms and min(terms[0], default=0) < info.rank <= max(terms[0], default=0) for terms in indices)
