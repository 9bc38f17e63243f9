"""Facts about tile programs for PTO: memory accesses, hazards between pipes, live ranges, addresses."""
