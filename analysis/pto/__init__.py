"""Facts about tile programs for PTO: what a target cannot hold or compute, memory accesses, hazards between pipes, live ranges."""
