"""
The estimated time of memory-bound kernels, such as those of the rows template. It follows from the bytes that they move and from
the number of blocks: few blocks do not have enough loads in flight to reach the machine's bandwidth.

```
a softmax of 4 rows of a million floats, on A100:
  streamed by 4 blocks:    two reads and a write, 48 MB at 154 GB/s
  cut into parts:          four kernels at 2 TB/s
```
"""

from __future__ import annotations

from ..targets.machines import Machine
from .cost import LATENCY

BLOCK_BYTES = 16384
"""Number of bytes that a block has in flight: four loads of 16 bytes for each of 256 threads."""
LAUNCH = 3000
"""Clocks from the end of a kernel to the first load of the next one: about two microseconds."""


def memory_clocks(machine: Machine, size: int, blocks: int, kernels: int = 1, in_flight: int = BLOCK_BYTES) -> float:
    """
    Returns the clocks in which `kernels` kernels of `blocks` blocks each move `size` bytes in total. A block has `in_flight` bytes in
    flight.
    """
    bandwidth = machine.dram_share * machine.multiprocessors
    return (kernels - 1) * LAUNCH + kernels * LATENCY + size / min(bandwidth, blocks * in_flight / LATENCY)
