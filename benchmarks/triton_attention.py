"""
Attention in Triton as its tutorial 06 computes it, and a program that compiles it ahead of time (`triton_server.py`).

A block has `BM` queries of one head. It goes over the keys in tiles of `BN`, first over those that the causal mask leaves whole, then
over those that it cuts. The forms are

    pointers      loads by pointers, which the loop carries
    descriptors   tensor descriptors, which are TMA on sm_90
"""

from __future__ import annotations

from typing import Any

import triton  # pyright: ignore[reportMissingImports]
import triton.language as tl  # pyright: ignore[reportMissingImports]
from triton.backends.compiler import GPUTarget  # pyright: ignore[reportMissingImports]
from triton.compiler import ASTSource  # pyright: ignore[reportMissingImports]
from triton_server import serve


@triton.jit
def over(out, total, most, x, k, v, first, low, high, scale, m, SIZE: tl.constexpr, BN: tl.constexpr, CUT: tl.constexpr,
         DESCRIPTORS: tl.constexpr):  # fmt: skip
    """Adds the keys from `low` to `high` of the head whose first row is `first`; `scale` is that of the scores, times log2 e."""
    n = tl.arange(0, BN)
    if not DESCRIPTORS:
        at = (first + low + n)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
        k += at
        v += at
    for start in tl.range(low, high, BN):
        if DESCRIPTORS:
            keys = k.load([first + start, 0])
        else:
            keys = tl.load(k)
            k += BN * SIZE
        scores = tl.dot(x, keys.T)
        if CUT:
            scores = scores * scale + tl.where(m[:, None] >= (start + n)[None, :], 0, -1.0e6)
            now = tl.maximum(most, tl.max(scores, 1))
            scores -= now[:, None]
        else:
            now = tl.maximum(most, tl.max(scores, 1) * scale)
            scores = scores * scale - now[:, None]
        p = tl.math.exp2(scores)
        factor = tl.math.exp2(most - now)
        total = total * factor + tl.sum(p, 1)
        out = out * factor[:, None]
        if DESCRIPTORS:
            values = v.load([first + start, 0])
        else:
            values = tl.load(v)
            v += BN * SIZE
        out = tl.dot(p.to(values.dtype), values, out)
        most = now
    return out, total, most


@triton.jit
def attention(q, k, v, y, rows, N, scale, SIZE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr,
              DESCRIPTORS: tl.constexpr):  # fmt: skip
    """`rows` is the number of queries of all heads, `N` that of a head, which is also that of its keys."""
    tl.assume(N % BN == 0)
    start, first = tl.program_id(0) * BM, tl.program_id(1) * N
    m = start + tl.arange(0, BM)
    at = (first + m)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    if DESCRIPTORS:
        x = tl.make_tensor_descriptor(q, [rows, SIZE], [SIZE, 1], [BM, SIZE]).load([first + start, 0])
        k = tl.make_tensor_descriptor(k, [rows, SIZE], [SIZE, 1], [BN, SIZE])
        v = tl.make_tensor_descriptor(v, [rows, SIZE], [SIZE, 1], [BN, SIZE])
    else:
        x = tl.load(q + at)
    scale *= 1.44269504
    out, total = tl.zeros([BM, SIZE], tl.float32), tl.zeros([BM], tl.float32) + 1.0
    most = tl.zeros([BM], tl.float32) - float("inf")
    whole = start if CAUSAL else N
    out, total, most = over(out, total, most, x, k, v, first, 0, whole, scale, m, SIZE, BN, False, DESCRIPTORS)
    if CAUSAL:
        end = start + BM
        out, total, most = over(out, total, most, x, k, v, first, start, end, scale, m, SIZE, BN, True, DESCRIPTORS)
    result = (out / total[:, None]).to(y.dtype.element_ty)
    if DESCRIPTORS:
        tl.make_tensor_descriptor(y, [rows, SIZE], [SIZE, 1], [BM, SIZE]).store([first + start, 0], result)
    else:
        tl.store(y + at, result)


def compiled(arch: int, form: str, size: int, causal: bool, tile: tuple[int, int], warps: int, stages: int) -> Any:
    """Compiles the kernel for sm_80 or sm_90, in bf16, for heads of `size` elements and tiles of queries and keys."""
    constants = {"SIZE": size, "BM": tile[0], "BN": tile[1], "CAUSAL": causal, "DESCRIPTORS": form == "descriptors"}
    kinds = {"rows": "i32", "N": "i32", "scale": "fp32"} | dict.fromkeys(constants, "constexpr")
    names = attention.arg_names
    signature = {name: kinds.get(name, "*bf16") for name in names}
    source = ASTSource(
        fn=attention,
        signature=signature,
        constexprs=constants,
        attrs={(k,): [["tt.divisibility", 16]] for k, name in enumerate(names) if signature[name] in ("*bf16", "i32")},
    )
    options = {"num_warps": warps, "num_stages": stages}
    return triton.compile(source, target=GPUTarget("cuda", arch, 32), options=options)


if __name__ == "__main__":
    serve(compiled)
