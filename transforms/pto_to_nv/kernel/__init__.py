"""`pto-to-nv`: what the kernels of all architectures have in common, one file each."""
