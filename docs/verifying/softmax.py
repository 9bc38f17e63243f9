"""Writes softmax.ptx. Triton is installed apart from this project; no GPU is needed."""

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def softmax(x, y, n, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * n + at, mask=at < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * n + at, e / tl.sum(e, axis=0), mask=at < n)


types = {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"}
kernel = triton.compile(
    ASTSource(fn=softmax, signature=types, constexprs={"BLOCK": 64}),
    target=GPUTarget("cuda", 80, 32),
    options={"num_warps": 2},
)
with open("softmax.ptx", "w") as file:
    file.write(kernel.asm["ptx"])
print("threads:", 32 * kernel.metadata.num_warps, "shared:", kernel.metadata.shared)
