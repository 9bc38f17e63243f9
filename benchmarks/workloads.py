"""What `gpu.py` compares and times, the most informative workloads first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attentions
from attentions import Attention
from convolutions import CONVOLUTIONS
from products import TYPES, Product
from workload import Workload

__all__ = ["CONVOLUTIONS", "TYPES", "Attention"]

COMPARED = ((1, 1, 1), (1, 768, 3072), (150, 70, 130), (128, 128, 128), (256, 384, 512), (333, 1027, 65),
            (16, 512, 256), (512, 8, 256), (3, 64, 48, 80), (264, 520, 192))  # fmt: skip
EXACT = ((), ("relu",), ("bias", "residual"))
"""Epilogues that map integers to integers, so that results on integers must be exact."""

SQUARES = (4096, 8192, 2048, 16384, 1024, 512)
LLAMA = {
    "7B qkv": (12288, 4096),
    "7B out": (4096, 4096),
    "7B gate and up": (22016, 4096),
    "7B down": (4096, 11008),
    "70B qkv": (10240, 8192),
    "70B out": (8192, 8192),
    "70B gate and up": (57344, 8192),
    "70B down": (8192, 28672),
}
"""n and k of the projections in Llama 2; q, k and v are one projection, and so are gate and up."""
TOKENS = (4096, 1, 16, 64, 512)
"""m of the projections: the tokens of a prompt, then the next token of one user, and of many users."""
PLAIN = {"bf16": "bf16", "f16": "f16", "fp8": "bf16", "i8": "", "tf32": "", "f32": "", "f64": ""}
"""The type of a stored result, by the type of the operands; '' means the accumulator's type."""


def compared(shapes: Sequence[Sequence[int]] = COMPARED) -> Iterator[Product]:
    """Yields every type with every shape; epilogues, layouts of w and types of the result take turns."""
    for number, dtype in enumerate(TYPES):
        for at, sizes in enumerate(shapes):
            turn = number + at
            out = PLAIN[dtype] if turn % 2 else ""
            yield Product(dtype, tuple(sizes), out, EXACT[turn % 3], turn % 4 >= 2)


def plain(dtype: str, *sizes: int, transposed: bool = False, epilogue: tuple[str, ...] = ()) -> Product:
    return Product(dtype, sizes, PLAIN[dtype], epilogue, transposed)


def squares(sizes: Sequence[int] = SQUARES) -> Iterator[Product]:
    for n in sizes:
        yield plain("bf16", n, n, n)
    for n in sizes:
        yield plain("f16", n, n, n)


def epilogues(n: int = 8192) -> Iterator[Product]:
    for m, size in ((n, n), (n // 2, n // 2)):
        for steps in (("bias",), ("bias", "gelu"), ("residual",), ("bias", "gelu", "residual")):
            yield plain("bf16", m, size, size, transposed=True, epilogue=steps)


def others() -> Iterator[Product]:
    for n in (4096, 8192):
        yield plain("fp8", n, n, n, transposed=True)
        yield plain("i8", n, n, n, transposed=True)
        yield plain("bf16", n, n, n, transposed=True)
        yield plain("tf32", n, n, n, transposed=True)
    yield plain("fp8", 16, 8192, 8192, transposed=True)
    yield plain("bf16", 32, 1024, 1024, 128)
    yield plain("bf16", 64, 512, 512, 512)
    yield plain("bf16", 8, 2048, 2048, 2048)
    yield plain("bf16", 4096, 4096, 512)
    yield plain("bf16", 256, 256, 16384)
    yield plain("f64", 4096, 4096, 4096)
    yield plain("f32", 4096, 4096, 4096)


def llama(tokens: Sequence[int] = TOKENS) -> Iterator[Product]:
    for m in tokens:
        for n, k in LLAMA.values():
            yield plain("bf16", m, n, k, transposed=True)


def timed() -> dict[str, list[Workload]]:
    """Returns the workloads of each group, in the order in which they are timed."""
    return {
        "squares": list(squares()),
        "attention": [*attentions.timed()],
        "convolutions": list(CONVOLUTIONS),
        "epilogues": list(epilogues()),
        "others": list(others()),
        "llama": list(llama()),
    }
