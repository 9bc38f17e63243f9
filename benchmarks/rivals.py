"""
Kernels of PyTorch and Triton for a product, timed like this project's: in a CUDA graph, with sets of buffers that take turns.

`torch` is eager PyTorch: `matmul`, `addmm` with a bias, `_scaled_mm` for fp8, `_int_mm` for integers, and a call for each
further op of the epilogue. `compiled` is the same with `torch.compile`. `triton` is the faster of the kernels of
`triton_gemm.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from gpu_timing import l2_bytes, runs_of, sets_of_buffers
from products import Array, Product

from ptir.runtime.gpu import Gpu

Tensors = dict[str, Any]
TRITON_TILE, TRITON_STAGES = (128, 256, 64), 3


def rivals(torch: Any, product: Product) -> Iterator[tuple[str, Callable[[], Callable[[Tensors], Any]]]]:
    """
    Yields the name of each rival and a factory of its function, which takes the tensors by name. A rival may store its result
    in the tensor `y`.
    """
    yield "torch", lambda: eager(torch, product)
    if product.epilogue:
        yield "compiled", lambda: torch.compile(eager(torch, product), dynamic=False)
    if fits_triton(product):
        for form in ("tma", "specialised"):
            yield f"triton {form}", lambda form=form: in_triton(torch, product, form)


def eager(torch: Any, product: Product) -> Callable[[Tensors], Any]:
    torch.backends.cuda.matmul.allow_tf32 = bool(product.type.precision)
    added = product.epilogue[:1] == ("bias",)

    def call(t: Tensors) -> Any:
        x, w = t["x"], t["w"].mT if product.transposed else t["w"]
        if product.dtype == "fp8":
            y = torch._scaled_mm(x, w, scale_a=t["one"], scale_b=t["one"], out_dtype=torch.bfloat16)
        elif product.dtype == "i8":
            y = torch._int_mm(x, w, out=t["y"])
        elif added:
            y = torch.addmm(t["bias"], x, w)
        else:
            y = torch.matmul(x, w) if product.epilogue else torch.matmul(x, w, out=t["y"])
        for step in product.epilogue[added:]:
            match step:
                case "relu":
                    y = torch.relu(y)
                case "gelu":
                    y = torch.nn.functional.gelu(y, approximate="tanh")
                case _:
                    y = y + t[step]
        return y

    return call


def fits_triton(product: Product) -> bool:
    """Returns whether the kernels of `triton_gemm.py`, which have no masks, can compute the product."""
    whole = all(size % tile == 0 for size, tile in zip(product.sizes, TRITON_TILE, strict=False))
    return product.dtype in ("bf16", "f16") and len(product.sizes) == 3 and not product.epilogue and whole


def in_triton(torch: Any, product: Product, form: str) -> Callable[[Tensors], Any]:
    gemm, triton = import_module("triton_gemm"), import_module("triton")
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    kernel, constants = gemm.constants_of(form, list(TRITON_TILE), product.transposed)

    def call(t: Tensors) -> Any:
        kernel[(gemm.PROCESSORS,)](
            t["x"], t["w"], t["y"], *product.sizes, **constants, num_warps=gemm.FORMS[form], num_stages=TRITON_STAGES
        )

    return call


class TorchReplay:
    """A function of tensors in a CUDA graph."""

    def __init__(self, gpu: Gpu, torch: Any, product: Product, arrays: Sequence[Array], call: Callable[[Tensors], Any]):
        self.torch = torch
        first = {name: upload(torch, a) for name, a in zip(product.shapes, arrays, strict=True)}
        *batch, m, n, _ = product.sizes
        result = {"bf16": "bfloat16", "f16": "float16", "si32": "int32", "f64": "float64"}.get(
            product.result, "float32"
        )
        first["y"] = torch.empty((*batch, m, n), dtype=getattr(torch, result), device="cuda")
        first["one"] = torch.ones((), dtype=torch.float32, device="cuda")
        bytes_ = sum(t.numel() * t.element_size() for t in first.values())
        count = sets_of_buffers(bytes_, l2_bytes(gpu), torch.cuda.mem_get_info()[0])
        self.sets = [first, *({name: t.clone() for name, t in first.items()} for _ in range(count - 1))]
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):  # PyTorch requires warm-up runs on another stream before a capture
            for tensors in self.sets[:3]:
                call(tensors)
        torch.cuda.synchronize()
        self.runs = runs_of(self._between(lambda: call(self.sets[1])), count)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            for run in range(self.runs):
                call(self.sets[run % count])
        self.seconds()

    def seconds(self) -> float:
        """Replays the graph; returns the time of one run in seconds."""
        return self._between(self.graph.replay) / self.runs

    def _between(self, launch: Callable[[], object]) -> float:
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        launch()
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end)) / 1000

    def close(self) -> None:
        """Frees the GPU's memory."""
        self.graph = None
        self.sets.clear()
        self.torch.cuda.empty_cache()


def upload(torch: Any, a: Array) -> Any:
    """Returns a tensor with the same bits; types of ml_dtypes, which PyTorch does not know, are uploaded as integers."""
    names = {"bfloat16": "bfloat16", "float8_e4m3fn": "float8_e4m3fn"}
    if a.dtype.name not in names:
        return torch.from_numpy(a).to("cuda")
    bits = torch.from_numpy(a.view(np.int16 if a.itemsize == 2 else np.int8)).to("cuda")
    return bits.view(getattr(torch, names[a.dtype.name]))
