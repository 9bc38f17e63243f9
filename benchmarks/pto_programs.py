"""
Tile programs for PTO, as text: a matrix product.

An output tile has two accumulators, side by side. The inner loop loads a tile of each operand, moves the left one and both halves of the right
one to the operands of the matmul, and adds their products to the accumulators. While one accumulator is stored, the other one is computed.
"""

from __future__ import annotations


def gemm(size: int = 512, m: int = 128, n: int = 128, k: int = 64) -> str:
    """Returns @gemm of square f16 matrices, with f32 accumulators, in tiles of m x 2n x k."""
    a, b, c = (f"pto.memref<{size}x{size}x{t}>" for t in ("f16", "f16", "f32"))
    acc = f"tile<{m}x{n}xf32, #pto.tile_info<loc=Acc, layout=Nz>>"
    left, right = (f"tile<{t}, #pto.tile_info<loc={loc}>>" for t, loc in ((f"{m}x{k}xf16", "Left, layout=Zz"), (f"{k}x{n}xf16", "Right, layout=Zn")))
    mat_a, mat_b = (f"tile<{s}xf16, #pto.tile_info<loc=Mat, layout=Nz>>" for s in (f"{m}x{k}", f"{k}x{2 * n}"))

    def step(index: str, products: tuple[str, str], x: str = "") -> str:
        halves = "".join(
            f"""
      %r{h}{x} = pto.tile.extract %b{x}[0, {h * n}] : {mat_b} -> {right}
      {products[h]}"""
            for h in (0, 1)
        )
        return f"""
      %a{x} = pto.tile.load %A[%i, {index}] : {a}, {mat_a}
      %b{x} = pto.tile.load %B[{index}, %j0] : {b}, {mat_b}
      %l{x} = pto.tile.mov.m2l %a{x} : {mat_a} -> {left}{halves}"""

    def first(h: int) -> str:
        return f"%s{h} = pto.tile.matmul %lx, %r{h}x : {left}, {right} -> {acc}"

    def rest(h: int) -> str:
        return f"%t{h} = pto.tile.matmul.acc %u{h}, %l, %r{h} : {acc}, {left}, {right} -> {acc}"

    return f"""
module attributes {{pto.target = #pto.target<a3>}} {{
func.func @gemm(%A: !{a}, %B: !{b}, %C: !{c}) {{
  %c0 = pto.constant 0 : index
  %size = pto.constant {size} : index
  %m = pto.constant {m} : index
  %n = pto.constant {n} : index
  %two_n = pto.constant {2 * n} : index
  %kt = pto.constant {k} : index
  scf.for %i = %c0 to %size step %m {{
    scf.for %j0 = %c0 to %size step %two_n {{
      %j1 = pto.addi %j0, %n : index{step("%c0", (first(0), first(1)), "x")}
      %sum:2 = scf.for %k = %kt to %size step %kt iter_args(%u0 = %s0, %u1 = %s1) -> (!pto.{acc}, !pto.{acc}) {{{step("%k", (rest(0), rest(1)))}
        scf.yield %t0, %t1 : !pto.{acc}, !pto.{acc}
      }}
      pto.tile.store %sum#0, %C[%i, %j0] : {c}, {acc}
      pto.tile.store %sum#1, %C[%i, %j1] : {c}, {acc}
    }}
  }}
  func.return
}}
}}"""
