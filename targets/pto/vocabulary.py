"""Ops that groups of targets lack, each with what to do instead."""

from __future__ import annotations

_SPELLED = "run pto-legalize{target=…}, which writes loads, loops and moves of PTO ISA"
EXTENSIONS = {
    **dict.fromkeys(("pto.tiles", "pto.combine", "pto.channel", "pto.process"), _SPELLED),
    **dict.fromkeys((f"pto.channel.{op}" for op in ("acquire", "commit", "wait", "release")), _SPELLED),
    **dict.fromkeys((f"pto.tile.{op}.map" for op in ("load", "store", "scatter")), _SPELLED),
    **dict.fromkeys((f"pto.tile.{op}" for op in ("mask", "report", "iota", "fma")), _SPELLED),
    **dict.fromkeys((f"pto.tile.mov.{op}" for op in ("m2v", "v2l", "v2r", "v2a")), _SPELLED),
    "pto.tile.rowxor": "form the regions without an architecture, which exchanges no rows",
}
"""Ops that only GPUs have."""
GPU_FUNCTIONS = {
    f"pto.tile.{fn}": "write it with exp, log and arithmetic"
    for fn in (
        "exp2", "sin", "cos", "floor", "ceil", "round", "log1p", "expm1", "tanh", "erf", "erfc", "sign", "tf32", "pow",
        "rowprod", "colprod",
    )
}  # fmt: skip
"""Functions that no instruction of PTO ISA computes."""
NO_GPU_FORM = {
    "pto.tile.assign": "tiles of a GPU have no addresses: lower the program as it is before pto-bufferize",
    "pto.tile.matmul.mx": "multiply the operands by their scales, and use matmul",
}
"""Ops of PTO ISA that the lowering to GPUs does not take."""
