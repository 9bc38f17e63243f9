"""Special registers: `%tid`, `%ctaid`, `%laneid`, `%lanemask_lt`, … (PTX ISA §10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .types import Array

Dim3 = tuple[int, int, int]


def dim3(size: Sequence[int] | int) -> Dim3:
    """Returns `size` as (x, y, z), with 1 for missing extents."""
    x, y, z = (*((size,) if isinstance(size, int) else size), 1, 1)[:3]
    return int(x), int(y), int(z)


def cta_numbers(grid: Dim3, cluster: Dim3) -> Array:
    """Returns the linear indices (x fastest) of a grid's CTAs, cluster by cluster, sorted by rank within a cluster."""
    extents = [n for size, part in zip(grid[::-1], cluster[::-1], strict=True) for n in (size // part, part)]
    numbers = np.arange(grid[0] * grid[1] * grid[2]).reshape(extents)
    return numbers.transpose(0, 2, 4, 1, 3, 5).reshape(-1)


def special_registers(
    thread: Array, cta: Array, block: Dim3, grid: Dim3, cluster: Dim3, dynamic_shared: int, shared: int
) -> dict[str, Any]:
    """Returns the values of the special registers by name, for lanes with these thread and CTA indices."""
    place = _split(cta, grid)
    within = [at % extent for at, extent in zip(place, cluster, strict=True)]
    clusters = tuple(size // part for size, part in zip(grid, cluster, strict=True))
    vectors: dict[str, Any] = {
        "tid": _split(thread, block),
        "ctaid": place,
        "clusterid": [at // extent for at, extent in zip(place, cluster, strict=True)],
        "cluster_ctaid": within,
        "ntid": block,
        "nctaid": grid,
        "cluster_nctaid": cluster,
        "nclusterid": clusters,
    }
    registers = {f"%{name}.{axis}": vectors[name][i] for name in vectors for i, axis in enumerate("xyz")}
    registers["%cluster_ctarank"] = within[0] + cluster[0] * (within[1] + cluster[1] * within[2])
    registers["%dynamic_smem_size"], registers["%total_smem_size"] = dynamic_shared, shared
    return registers | {f"%{name}": value for name, value in _scalars(thread, cta, block, grid, cluster).items()}


def _split(linear: Array, size: Dim3) -> list[Array]:
    x, y, _ = size
    return [linear % x, linear // x % y, linear // (x * y)]


def _scalars(thread: Array, cta: Array, block: Dim3, grid: Dim3, cluster: Dim3) -> dict[str, Any]:
    lane = thread % 32
    one = np.uint64(1)
    bit = one << lane.astype(np.uint64)
    warps = -(-(block[0] * block[1] * block[2]) // 32)
    return {
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


_ONE = (1, 1, 1)
SPECIAL_REGISTERS = frozenset(special_registers(np.zeros(1, np.int64), np.zeros(1, np.int64), _ONE, _ONE, _ONE, 0, 0))
"""The names of the special registers. `%clock` and other timers are constant."""
