"""`pto-to-nv`, the warp-specialized template: persistent clusters; a producer warpgroup loads, consumers issue wgmma."""
