"""`pto-to-nv`, the multistage template: all warps copy with cp.async into a ring of stages and multiply with mma.sync."""
