"""
Kernels on rows in Triton, and a program that compiles them ahead of time (`triton_server.py`).

Each program instance computes one row. A kernel named `…_tutorial` reads the row once for each reduction and once for the
result, as Triton's tutorial 05 does; the others keep the row in registers, as its tutorial 02 does for softmax.
"""

from __future__ import annotations

from typing import Any

import triton  # pyright: ignore[reportMissingImports]
import triton.language as tl  # pyright: ignore[reportMissingImports]
from triton.backends.compiler import GPUTarget  # pyright: ignore[reportMissingImports]
from triton.compiler import ASTSource  # pyright: ignore[reportMissingImports]
from triton_server import serve


@triton.jit
def softmax(x, y, stride, n, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + at, mask=at < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * stride + at, (e / tl.sum(e, axis=0)).to(y.dtype.element_ty), mask=at < n)


@triton.jit
def rms_norm(x, y, w, stride, n, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + at, mask=at < n, other=0.0).to(tl.float32)
    r = tl.rsqrt(tl.sum(v * v, axis=0) / n + 1e-5)
    g = tl.load(w + at, mask=at < n, other=0.0).to(tl.float32)
    tl.store(y + row * stride + at, (v * r * g).to(y.dtype.element_ty), mask=at < n)


@triton.jit
def layer_norm(x, y, w, b, stride, n, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + at, mask=at < n, other=0.0).to(tl.float32)
    d = tl.where(at < n, v - tl.sum(v, axis=0) / n, 0.0)
    r = tl.rsqrt(tl.sum(d * d, axis=0) / n + 1e-5)
    g = tl.load(w + at, mask=at < n, other=0.0).to(tl.float32)
    o = tl.load(b + at, mask=at < n, other=0.0).to(tl.float32)
    tl.store(y + row * stride + at, (d * r * g + o).to(y.dtype.element_ty), mask=at < n)


@triton.jit
def layer_norm_tutorial(x, y, w, b, stride, n, BLOCK: tl.constexpr):
    x += tl.program_id(0) * stride
    y += tl.program_id(0) * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + at, mask=at < n, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / n
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        d = tl.where(at < n, tl.load(x + at, mask=at < n, other=0.0).to(tl.float32) - mean, 0.0)
        total += d * d
    r = 1 / tl.sqrt(tl.sum(total, axis=0) / n + 1e-5)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        g, o = tl.load(w + at, mask=at < n), tl.load(b + at, mask=at < n)
        v = tl.load(x + at, mask=at < n, other=0.0).to(tl.float32)
        tl.store(y + at, ((v - mean) * r * g + o).to(y.dtype.element_ty), mask=at < n)


KERNELS = {f.__name__: f for f in (softmax, rms_norm, layer_norm, layer_norm_tutorial)}


def compiled(kernel: str, length: int, warps: int, arch: int) -> Any:
    """Compiles a kernel for rows of `length` bf16 elements. As in a call, Triton is told which sizes are multiples of 16."""
    function = KERNELS[kernel]
    names = function.arg_names
    kinds = {"stride": "i32", "n": "i32", "BLOCK": "constexpr"}
    signature = {name: kinds.get(name, "*bf16") for name in names}
    aligned = [name for name in names if signature[name] == "*bf16" or (signature[name] == "i32" and length % 16 == 0)]
    source = ASTSource(
        fn=function,
        signature=signature,
        constexprs={"BLOCK": triton.next_power_of_2(length)},
        attrs={(names.index(name),): [["tt.divisibility", 16]] for name in aligned},
    )
    return triton.compile(source, target=GPUTarget("cuda", arch, 32), options={"num_warps": warps})


if __name__ == "__main__":
    serve(compiled)
