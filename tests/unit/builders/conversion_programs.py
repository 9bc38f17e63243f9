"""Programs whose kernel copies matrices through fragments, converted from one layout to another."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ptir.targets.architectures import WARP
from ptir.targets.conversions import conversion
from ptir.targets.layouts import Layout, layout_text

KERNEL = """
builtin.module attributes {{gpu.container_module}} {{
  "gpu.module"() <{{sym_name = "kernels"}}> ({{
    "gpu.func"() <{{function_type = ({types}) -> (), kernel}}> ({{
    ^bb0({args}):
      %c0 = arith.constant 0 : index
{body}      "gpu.return"() : () -> ()
    }}) {{sym_name = "k", gpu.known_block_size = array<i32: {threads}, 1, 1>}} : () -> ()
  }}) : () -> ()
  func.func @f({ins}) -> ({results}) {{
{allocs}    nv.launch @kernels::@k grid [1, 1, 1] block [{threads}, 1, 1] shared {shared}({names} : {types})
    func.return {outs} : {results}
  }}
}}
"""
REGISTER_BYTES = {"f32": 4, "f64": 8, "i8": 1, "bf16": 4}
CONVERSION = """
      %a{n} = nv.map [%c0, %c0] {box} ins(%x{n} : {memref}) addresses [{address}] widths [1] -> {source} {{
      ^bb0(%e: {type}):
        nv.yield %e : {type}
      }}
      %b{n} = nv.convert_layout %a{n} {scratch}: {source} -> {result}
      nv.map(%b{n} : {result}) [%c0, %c0] {box} outs(%y{n} : {memref}) addresses [{address}] widths [1] {{
      ^bb0(%e: {type}):
        nv.yield %e : {type}
      }}
"""


def text(pairs: Sequence[tuple[Layout, Layout]], dtype: str) -> str:
    """Returns @f, whose kernel copies a matrix for each pair: it is loaded in the first layout, and stored in the second."""
    body, memrefs, at = "", list[str](), 0
    for n, (source, result) in enumerate(pairs):
        rows, columns = source.rows, source.columns
        memrefs.append(f"memref<{rows}x{columns}x{dtype}>")
        shuffled = conversion(source, result) is not None
        body += CONVERSION.format(
            n=n,
            memref=memrefs[-1],
            box=f"in [{rows}, {columns}] dims [0, 1] guard [] tile [{rows}, {columns}]",
            address=f'#poly.map<"{{ [i0, i1] -> [({columns}i0 + i1)] }}">',
            type=dtype,
            source=f"!nv.frag<{rows}x{columns}x{dtype}, {layout_text(source)}>",
            result=f"!nv.frag<{rows}x{columns}x{dtype}, {layout_text(result)}>",
            scratch="" if shuffled else f"scratch {at} ",
        )
        at += 0 if shuffled else -(-rows * columns * REGISTER_BYTES[dtype] // 16) * 16
    names = [[f"%{name}{n}" for n in range(len(pairs))] for name in "xy"]
    return KERNEL.format(
        types=", ".join(2 * memrefs),
        args=", ".join(f"{name}: {t}" for part in names for name, t in zip(part, memrefs, strict=True)),
        ins=", ".join(f"{name}: {t}" for name, t in zip(names[0], memrefs, strict=True)),
        results=", ".join(memrefs),
        allocs="".join(f"    {name} = memref.alloc() : {t}\n" for name, t in zip(names[1], memrefs, strict=True)),
        names=", ".join([*names[0], *names[1]]),
        outs=", ".join(names[1]),
        body=body,
        threads=WARP * prod(mode.radix for mode in pairs[0][0].warps),
        shared=at,
    )
