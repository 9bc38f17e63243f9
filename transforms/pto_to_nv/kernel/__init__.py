"""`pto-to-nv`: what the kernels of both templates share."""
