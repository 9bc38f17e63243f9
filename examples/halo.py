"""
Asks Poly Core what a tile of a convolution needs of the op before it, and how large a tile may be.

    python examples/halo.py
"""

from __future__ import annotations

import sys
from pathlib import Path

from xdsl.dialects.func import FuncOp

import ptir
from ptir.analysis.poly import PolyCore

CONV = Path(__file__).with_name("conv.mlir")


def main() -> int:
    module = ptir.PassManager("ptir-to-tiny").run(ptir.parse(CONV))
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    core = PolyCore(function, arch="sm90")
    print(core.can_compute_at("v0", "v8", {"i1": 8, "i2": 8}).why)  # tanh, in tiles of 8 x 8 positions
    for size in (4, 8, 16, 32):
        tile = {"i1": size, "i2": size}
        answer, buffer = core.can_compute_at("v0", "v8", tile), core.min_buffer_for_edge("v0", "v8", tile)
        read = " x ".join(str(extent.read) for extent in answer.extents.values())
        print(
            f"{size:2} x {size:2}: reads {read}, halo {answer.halo.bytes} bytes, {buffer.buffer} of {buffer.bytes} bytes"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
