"""Special registers: `%tid`, `%ctaid`, `%laneid`, `%lanemask_lt`, … (PTX ISA §10)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .types import Array

Dim3 = tuple[int, int, int]


def cta_numbers(grid: Dim3, cluster: Dim3) -> Array:
    """The CTAs of a grid (x fastest) in the order in which they run: cluster by cluster, and by rank within one."""
    extents = [n for size, part in zip(grid[::-1], cluster[::-1], strict=True) for n in (size // part, part)]
    numbers = np.arange(grid[0] * grid[1] * grid[2]).reshape(extents)
    return numbers.transpose(0, 2, 4, 1, 3, 5).reshape(-1)


def special_register(
    name: str, thread: Array, cta: Array, block: Dim3, grid: Dim3, cluster: Dim3, dynamic_shared: int, shared: int
) -> Array | None:
    """Its value for lanes given by their thread and CTA numbers; None when there is no such register."""
    base, _, axis = name[1:].partition(".")
    place = _split(cta, grid)
    coordinates = {
        "tid": _split(thread, block),
        "ctaid": place,
        "clusterid": [at // extent for at, extent in zip(place, cluster, strict=True)],
        "cluster_ctaid": [at % extent for at, extent in zip(place, cluster, strict=True)],
    }
    if base in coordinates and axis in ("x", "y", "z"):
        return coordinates[base]["xyz".index(axis)]
    if base == "cluster_ctarank":
        x, y, z = coordinates["cluster_ctaid"]
        return x + cluster[0] * (y + cluster[1] * z)
    value = _constants(thread, cta, block, grid, cluster).get(name[1:])
    if name[1:] in ("dynamic_smem_size", "total_smem_size"):
        value = dynamic_shared if name[1] == "d" else shared
    return None if value is None else np.array(np.broadcast_to(value, thread.shape))


def _split(linear: Array, size: Dim3) -> list[Array]:
    x, y, _ = size
    return [linear % x, linear // x % y, linear // (x * y)]


def _constants(thread: Array, cta: Array, block: Dim3, grid: Dim3, cluster: Dim3) -> dict[str, Any]:
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
        "cluster_nctarank": cluster[0] * cluster[1] * cluster[2],
        "is_explicit_cluster": cluster != (1, 1, 1),
    }
    clusters = tuple(size // part for size, part in zip(grid, cluster, strict=True))
    for which, size in (("ntid", block), ("nctaid", grid), ("cluster_nctaid", cluster), ("nclusterid", clusters)):
        for letter, extent in zip("xyz", size, strict=True):
            constants[f"{which}.{letter}"] = extent
    return constants
