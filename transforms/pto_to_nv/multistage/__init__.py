"""`pto-to-nv` for SM80, and for plans without roles: the parts of a kernel, one file each."""
