"""Sums of rows in any layout that `nv.row_reduce` takes, in the emulator."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

import ptir
from ptir.runtime.devices import Emulator
from ptir.targets.layouts import parse_layout

KERNEL = """
builtin.module attributes {{gpu.container_module}} {{
  "gpu.module"() <{{sym_name = "kernels"}}> ({{
    "gpu.func"() <{{function_type = ({x}, {y}) -> (), kernel}}> ({{
    ^bb0(%x: {x}, %y: {y}):
      %c0 = arith.constant 0 : index
      %a = nv.map [%c0, %c0] {box} tile [{rows}, {columns}] ins(%x : {x}) addresses [{address}] widths [1] -> {row} {{
      ^bb0(%e: {type}):
        nv.yield %e : {type}
      }}
      %s = nv.row_reduce %a scratch 0 : {row} -> {sum} {{
      ^bb0(%e: {type}, %other: {type}):
        %0 = arith.addf %e, %other : {type}
        nv.yield %0 : {type}
      }}
      nv.map(%s : {sum}) [%c0, %c0] {box} tile [{rows}, 1] outs(%y : {y}) addresses [#poly.map<"{{ [i0, i1] -> [(i0)] }}">] widths [1] {{
      ^bb0(%e: {type}):
        nv.yield %e : {type}
      }}
      "gpu.return"() : () -> ()
    }}) {{sym_name = "k", gpu.known_block_size = array<i32: {threads}, 1, 1>}} : () -> ()
  }}) : () -> ()
  func.func @f(%x: {x}) -> {y} {{
    %y = memref.alloc() : {y}
    nv.launch @kernels::@k grid [1, 1, 1] block [{threads}, 1, 1] shared {shared}(%x, %y : {x}, {y})
    func.return %y : {y}
  }}
}}
"""
LAYOUTS = {
    "copies in lanes": ("lane(8: j, 2: 0, 2: i) warp(2: 8j)", "lane(8: 0, 2: 0, 2: i) warp(2: 0)"),
    "rows in registers": ("lane(8: j, 4: i) warp(2: 8j) reg(3: 4i)", "lane(8: 0, 4: i) warp(2: 0) reg(3: 4i)"),
    "both": ("lane(8: j, 2: 0, 2: i) warp(2: 8j) reg(2: 2i)", "lane(8: 0, 2: 0, 2: i) warp(2: 0) reg(2: 2i)"),
    "rows in warps": (
        "lane(16: 2j, 2: i) warp(2: 32j, 2: 2i) reg(2: j, 2: 4i)",
        "lane(16: 0, 2: i) warp(2: 0, 2: 2i) reg(2: 4i)",
    ),
}


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_sums_of_rows(name: str, dtype: str):
    layout = parse_layout(LAYOUTS[name][0])
    rows, columns, threads = layout.rows, layout.columns, 32 * prod(mode.radix for mode in layout.warps)
    row, total = (f"!nv.frag<{rows}x{n}x{dtype}, {text}>" for n, text in zip((columns, 1), LAYOUTS[name], strict=True))
    text = KERNEL.format(
        x=f"memref<{rows}x{columns}x{dtype}>",
        y=f"memref<{rows}x{dtype}>",
        box=f"in [{rows}, {columns}] dims [0, 1] guard []",
        rows=rows,
        columns=columns,
        address=f'#poly.map<"{{ [i0, i1] -> [({columns}i0 + i1)] }}">',
        row=row,
        sum=total,
        type=dtype,
        threads=threads,
        shared=16 * rows,
    )
    program = ptir.compile(text, arch="sm80", device=Emulator())
    x = np.arange(rows * columns).reshape(rows, columns).astype({"f32": np.float32, "f64": np.float64}[dtype])
    np.testing.assert_array_equal(program(x)[0], x.sum(1))
