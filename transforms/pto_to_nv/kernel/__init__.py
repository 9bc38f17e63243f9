"""`pto-to-nv`: the parts of the lowering that the templates share."""
