"""
Triton's side of `compile_time.py`: compiles a GEMM ahead of time as often as it is asked, with cold caches.

Runs in an environment that has Triton; no GPU and no PyTorch are needed. Each line of its input is a JSON object with
`tile`, `stages`, `warps` and `dtype`; each line of its output has `seconds` and what came out.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from typing import Any

import triton  # pyright: ignore[reportMissingImports]
import triton.language as tl  # pyright: ignore[reportMissingImports]
from processor_time import cpu_seconds
from triton.backends.compiler import GPUTarget  # pyright: ignore[reportMissingImports]
from triton.compiler import ASTSource  # pyright: ignore[reportMissingImports]


@triton.jit
def gemm(a, b, c, M, N, K, sam, sbk, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(1) * BM + tl.arange(0, BM)
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    at_a = a + m[:, None] * sam + k[None, :]
    at_b = b + k[:, None] * sbk + n[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(at_a), tl.load(at_b), acc)
        at_a += BK
        at_b += BK * sbk
    tl.store(c + m[:, None] * scm + n[None, :], acc)


def compiled(tile: list[int], stages: int, warps: int, dtype: str) -> Any:
    """The kernel for sm_80; sizes and strides are arguments, multiples of 16."""
    sizes = ("M", "N", "K", "sam", "sbk", "scm")
    blocks = dict(zip(("BM", "BN", "BK"), tile))  # noqa: B905
    pointers = {"a": f"*{dtype}", "b": f"*{dtype}", "c": "*fp32"}
    signature = pointers | dict.fromkeys(sizes, "i32") | dict.fromkeys(blocks, "constexpr")
    attributes = {(k,): [["tt.divisibility", 16]] for k in range(len(pointers) + len(sizes))}
    source = ASTSource(fn=gemm, signature=signature, constexprs=blocks, attrs=attributes)
    options = {"num_warps": warps, "num_stages": stages}
    return triton.compile(source, target=GPUTarget("cuda", 80, 32), options=options)


def main() -> None:
    print(json.dumps({"version": triton.__version__}), flush=True)
    for line in sys.stdin:
        case = json.loads(line)
        with tempfile.TemporaryDirectory() as cold:
            os.environ["TRITON_CACHE_DIR"] = cold
            start, cpu = time.perf_counter(), cpu_seconds()
            kernel = compiled(**case)
            seconds, cpu = time.perf_counter() - start, cpu_seconds() - cpu
        ptx = kernel.asm["ptx"]
        answer = {
            "seconds": seconds,
            "cpu_seconds": cpu,
            "cubin": len(kernel.asm["cubin"]),
            "shared": kernel.metadata.shared,
        }
        print(json.dumps(answer | {"mma": ptx.count("mma.sync"), "cp_async": ptx.count("cp.async.cg")}), flush=True)


if __name__ == "__main__":
    main()
