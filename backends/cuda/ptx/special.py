"""Special registers: `%tid`, `%ctaid`, `%laneid`, `%lanemask_lt`, … (PTX ISA §10)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .types import Array

Dim3 = tuple[int, int, int]


def special_register(
    name: str, thread: Array, cta: Array, block: Dim3, grid: Dim3, dynamic_shared: int, shared: int
) -> Array | None:
    """Its value for lanes given by their thread and CTA numbers; None when there is no such register."""
    base, _, axis = name[1:].partition(".")
    coordinates = {"tid": (thread, block), "ctaid": (cta, grid)}
    if base in coordinates and axis in ("x", "y", "z"):
        linear, (x, y, _) = coordinates[base]
        return {"x": linear % x, "y": linear // x % y, "z": linear // (x * y)}[axis]
    value = _constants(thread, cta, block, grid).get(name[1:])
    if name[1:] in ("dynamic_smem_size", "total_smem_size"):
        value = dynamic_shared if name[1] == "d" else shared
    return None if value is None else np.array(np.broadcast_to(value, thread.shape))


def _constants(thread: Array, cta: Array, block: Dim3, grid: Dim3) -> dict[str, Any]:
    """Without clusters, a CTA is a cluster of its own."""
    lane = thread % 32
    one = np.uint64(1)
    bit = one << lane.astype(np.uint64)
    warps = -(-(block[0] * block[1] * block[2]) // 32)
    constants: dict[str, Any] = {
        "laneid": lane,
        "warpid": thread // 32,
        "nwarpid": warps,
        "smid": cta,
        "nsmid": grid[0] * grid[1] * grid[2],
        "gridid": 1,
        "lanemask_eq": bit,
        "lanemask_lt": bit - one,
        "lanemask_le": (bit << one) - one,
        "lanemask_gt": ~((bit << one) - one) & np.uint64(0xFFFF_FFFF),
        "lanemask_ge": ~(bit - one) & np.uint64(0xFFFF_FFFF),
        "clock": 0,
        "clock64": 0,
        "globaltimer": 0,
        "cluster_ctarank": 0,
        "cluster_nctarank": 1,
    }
    for which, size in (("ntid", block), ("nctaid", grid), ("cluster_nctaid", (1, 1, 1)), ("cluster_ctaid", (0, 0, 0))):
        for letter, extent in zip("xyz", size, strict=True):
            constants[f"{which}.{letter}"] = extent
    return constants
