"""
The smallest buffer between a producer and its consumer, and its synchronization.

- *reg*: each iteration point of a tile reads one element that no other point of the tile reads, so that the same thread
  computes and uses it; the buffer has one element per output of the tile. Or a tile has one output and reads one element.
- *smem_ring*: threads share elements, and two or three boxes of a tile fit the shared memory that a block may use.
- *gmem*: a tile cannot compute what it needs, or it does not fit.

Spec: `tensor-compiler.ja §1.6`, `§4.2` for the shared memory that a plan may assume.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...targets.architectures import Arch
from .answers import Barrier, MinBuffer
from .footprint import Footprint
from .ranges import Read
from .tiling import Tiling

DEPTHS = (3, 2)
"""Numbers of slots that a ring may have, best first: with three, a copy can overlap two steps."""

SHARE = (8, 10)
"""Maximum share of a block's shared memory that a ring may take (8/10); the rest is for other operands."""


def is_one_to_one(reads: Sequence[Read], tiles: Tiling) -> bool:
    """Whether each element is read at most once in a tile."""
    if len(reads) != 1:
        return False
    (read,) = reads
    points = tiles.over(read.sizes)
    if read.guard is not None:
        points = points.intersect_range(read.guard)
    return bool(points.reverse().flat_range_product(read.map.as_map()).is_injective())


def min_buffer(reads: Sequence[Read], tiles: Tiling, read: Footprint, size: int, arch: Arch) -> MinBuffer:
    """Returns the buffer of an edge whose producer can be computed in the consumer's tiles; elements have `size` bytes."""
    box = None if read.box is None else read.box * size
    if is_one_to_one(reads, tiles):
        why = "each point of a tile reads one element, which no other point of the tile reads"
        return MinBuffer("reg", why, None, None if tiles.outputs is None else tiles.outputs * size)
    if tiles.outputs == 1 and read.box == 1:
        return MinBuffer("reg", "a tile is one output, which reads one element, however often", None, size)
    if box is None:
        return MinBuffer("gmem", "how much a tile reads depends on symbolic sizes: it may not fit shared memory")
    most = arch.shared_per_block * SHARE[0] // SHARE[1]
    budget = f"{most:,}, {SHARE[0]}/{SHARE[1]} of a block's shared memory on {arch.name}"
    shared = "points of a tile read the same elements" if len(reads) == 1 else f"a tile reads it on {len(reads)} paths"
    for depth in DEPTHS:
        if depth * box <= most:
            return MinBuffer(
                "smem_ring", f"{shared}; {depth} boxes of {box:,} bytes fit in {budget}", depth, depth * box
            )
    return MinBuffer("gmem", f"{shared}; {DEPTHS[-1]} boxes of {box:,} bytes do not fit in {budget}")


def barrier(buffer: MinBuffer, copied: bool, arch: Arch) -> Barrier:
    """
    Returns the synchronization between writes and reads of a buffer. `copied` says that asynchronous copies from global
    memory write it.
    Source: PTX ISA, *Asynchronous copy*, *mbarrier*.
    """
    if buffer.buffer == "reg":
        return Barrier("none")
    if buffer.buffer == "gmem":
        return Barrier("kernel", ("the producer's kernel ends before the consumer's begins",))
    assert buffer.depth is not None and buffer.bytes is not None  # a ring has both
    if arch.has_tma:
        tx = (
            f"arrive.expect_tx {buffer.bytes // buffer.depth}"
            if copied
            else "fence.proxy.async where wgmma reads it, arrive"
        )
        return Barrier(
            "mbarrier",
            (
                "wait empty[slot]",
                f"write the slot: full[slot] {tx}",
                "wait full[slot]",
                "read the slot",
                "arrive empty[slot]",
            ),
        )
    if copied:
        wait = f"cp.async.wait_group {buffer.depth - 2}"
        return Barrier(
            "commit/wait",
            (wait, "bar.sync", f"copy the box {buffer.depth - 1} ahead", "cp.async.commit_group", "read the slot"),
        )
    return Barrier("bar.sync", ("write the slot", "bar.sync", "read the slot"))
