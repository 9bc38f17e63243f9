"""`pto-to-nv` for SM80: the parts of a kernel, one file each."""
