"""
GEMM kernels in Triton, and a program that compiles them ahead of time (`triton_server.py`). The forms are

    pointers      a block for each tile, and loads by pointers: the classic matmul with `tl.load`
    tma           persistent blocks, tensor descriptors, tiles in groups: Triton's tutorial 09
    specialised   the same with `warp_specialize=True`
"""

from __future__ import annotations

from typing import Any

import triton  # pyright: ignore[reportMissingImports]
import triton.language as tl  # pyright: ignore[reportMissingImports]
from triton.backends.compiler import GPUTarget  # pyright: ignore[reportMissingImports]
from triton.compiler import ASTSource  # pyright: ignore[reportMissingImports]
from triton_server import serve

FORMS = {"pointers": 8, "tma": 8, "specialised": 4}
"""The forms with their `num_warps` for a tile of 128x256; `specialised` counts only one of the consumer warpgroups."""
GROUP, PROCESSORS = 8, 132
"""Number of tiles along m in a group, and of multiprocessors of the GPU."""


@triton.jit
def pointers(a, b, c, M, N, K, sam, sbk, sbn, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(1) * BM + tl.arange(0, BM)
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    at_a = a + m[:, None] * sam + k[None, :]
    at_b = b + k[:, None] * sbk + n[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(at_a), tl.load(at_b), acc)
        at_a += BK
        at_b += BK * sbk
    tl.store(c + m[:, None] * scm + n[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def persistent(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
               PROCESSORS: tl.constexpr, TRANSPOSED: tl.constexpr, SPECIALISED: tl.constexpr):  # fmt: skip
    x = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    if TRANSPOSED:
        w = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    else:
        w = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    y = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    down, along = tl.cdiv(M, BM), tl.cdiv(N, BN)
    for tile in tl.range(
        tl.program_id(0), down * along, PROCESSORS, flatten=not SPECIALISED, warp_specialize=SPECIALISED
    ):
        group = tile // (GROUP * along)
        high = min(down - group * GROUP, GROUP)
        m = (group * GROUP + tile % (GROUP * along) % high) * BM
        n = tile % (GROUP * along) // high * BN
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(tl.cdiv(K, BK)):
            if TRANSPOSED:
                acc = tl.dot(x.load([m, k * BK]), w.load([n, k * BK]).T, acc)
            else:
                acc = tl.dot(x.load([m, k * BK]), w.load([k * BK, n]), acc)
        y.store([m, n], acc.to(c.dtype.element_ty))


def compiled(
    arch: int, form: str, tile: list[int], stages: int, warps: int, dtype: str, out: str, transposed: bool
) -> Any:
    """Compiles a kernel for sm_80 or sm_90; sizes and strides are arguments, which are 1 or multiples of 16."""
    kernel, constants = constants_of(form, tile, transposed)
    pointed = {"a": dtype, "b": dtype, "c": out}
    signature = {
        name: "constexpr" if name in constants else f"*{pointed[name]}" if name in pointed else "i32"
        for name in kernel.arg_names
    }
    aligned = {(k,): [["tt.divisibility", 16]] for k, name in enumerate(signature) if name not in constants}
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=aligned)
    options = {"num_warps": warps, "num_stages": stages}
    return triton.compile(source, target=GPUTarget("cuda", arch, 32), options=options)


def constants_of(form: str, tile: list[int], transposed: bool) -> tuple[Any, dict[str, Any]]:
    """Returns the kernel of a form, and the values of its compile-time arguments."""
    constants: dict[str, Any] = dict(zip(("BM", "BN", "BK"), tile, strict=True))
    if form == "pointers":
        return pointers, constants | {"sbk" if transposed else "sbn": 1}
    constants |= {"GROUP": GROUP, "PROCESSORS": PROCESSORS, "TRANSPOSED": transposed}
    return persistent, constants | {"SPECIALISED": form == "specialised"}


if __name__ == "__main__":
    serve(compiled)
