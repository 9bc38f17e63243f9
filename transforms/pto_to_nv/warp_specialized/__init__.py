"""`pto-to-nv` for SM90, plans with roles: the parts of a kernel, one file each."""
