"""Facts computed from tile programs: what of them a target cannot hold or compute."""
