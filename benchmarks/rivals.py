"""
Kernels of PyTorch and Triton for a workload, timed like this project's: in a CUDA graph, with sets of buffers that take turns.

A product's are `torch`, which is eager PyTorch: `matmul`, `addmm` with a bias, `_scaled_mm` for fp8, `_int_mm` for integers, and
a call for each further op of the epilogue; `compiled`, the same with `torch.compile`; and `triton`, the faster of the kernels of
`triton_gemm.py`. Attention without a mask or with a causal one has `flash` and `cudnn`, the backends of
`scaled_dot_product_attention`; any other has `flex`, a compiled `flex_attention`, whose mask of blocks is made before it is timed.
A convolution's is `cudnn`, the faster of two calls and of the call that cuDNN fuses, with channels last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from attentions import Attention
from convolutions import Convolution
from products import Product
from workload import Array, Workload

from ptir.runtime.gpu import Gpu
from ptir.runtime.replay import l2_bytes, runs_of, sets_of_buffers

Tensors = dict[str, Any]
Call = Callable[[Tensors], Any]
TRITON_TILE, TRITON_STAGES = (128, 256, 64), 3


def rivals(torch: Any, work: Workload) -> Iterator[tuple[str, Callable[[], Call]]]:
    """
    Yields the name of each rival and a factory of its function, which takes the tensors of `tensors_of` by name. A rival may store
    its result in the tensor `y`.
    """
    match work:
        case Attention() if work.mask in ("none", "causal") and work.bias == "none" and not work.cap:
            yield "flash", lambda: attention(torch, work, "FLASH_ATTENTION")
            yield "cudnn", lambda: attention(torch, work, "CUDNN_ATTENTION")
        case Attention():
            yield "flex", lambda: flex_attention(torch, work)
        case Convolution():
            yield "cudnn", lambda: convolution(torch, work, fused=False)
            yield "cudnn fused", lambda: convolution(torch, work, fused=True)
        case Product():
            yield "torch", lambda: eager(torch, work)
            if work.epilogue:
                yield "compiled", lambda: torch.compile(eager(torch, work), dynamic=False)
            if fits_triton(work):
                for form in ("tma", "specialised"):
                    yield f"triton {form}", lambda form=form: in_triton(torch, work, form)
        case _:
            raise TypeError(f"no rival computes a {type(work).__name__}")


def tensors_of(torch: Any, work: Workload, arrays: Sequence[Array]) -> Tensors:
    """Returns the arguments in the layouts and types that PyTorch's kernels read, and further tensors that the rivals need."""
    found = {name: upload(torch, a) for name, a in zip(work.shapes, arrays, strict=True)}
    match work:
        case Attention():
            found |= {name: found[name].flatten(1, 2) for name in "qkv"}  # heads and group
        case Convolution():
            found["x"] = found["x"].permute(0, 3, 1, 2)
            found["w"] = found["w"].permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
            found["bias"] = found["bias"].to(torch.bfloat16)
        case Product():
            *batch, m, n, _ = work.sizes
            kind = {"bf16": "bfloat16", "f16": "float16", "si32": "int32", "f64": "float64"}.get(work.result, "float32")
            found["y"] = torch.empty((*batch, m, n), dtype=getattr(torch, kind), device="cuda")
            found["one"] = torch.ones((), dtype=torch.float32, device="cuda")
        case _:
            pass
    return found


def attention(torch: Any, work: Attention, backend: str) -> Call:
    module = import_module("torch.nn.attention")
    how = {"is_causal": work.mask == "causal", "scale": work.scale, "enable_gqa": work.group > 1}

    def call(t: Tensors) -> Any:
        with module.sdpa_kernel(getattr(module.SDPBackend, backend)):
            return torch.nn.functional.scaled_dot_product_attention(t["q"], t["k"], t["v"], **how)

    return call


def flex_attention(torch: Any, work: Attention) -> Call:
    module = import_module("torch.nn.attention.flex_attention")
    compiled = torch.compile(module.flex_attention, dynamic=False)
    blocks: list[Any] = []

    def kept(t: Tensors) -> Callable[..., Any]:
        """Returns the mask as a function of batch, head, query and key."""
        match work.mask:
            case "causal":
                return lambda b, h, q, k: k <= q
            case "window":
                return lambda b, h, q, k: (k <= q) & (k > q - work.window)
            case "documents":
                return lambda b, h, q, k: t["documents"][q] == t["documents"][k]
            case "lengths":
                return lambda b, h, q, k: k < t["lengths"][b]
            case _:
                raise NotImplementedError(f"mask {work.mask}")

    def call(t: Tensors) -> Any:
        def scored(score: Any, b: Any, h: Any, q: Any, k: Any) -> Any:
            if work.cap:
                score = work.cap * torch.tanh(score / work.cap)
            if work.bias == "alibi":
                score = score + (k - q) * 0.125
            return score + t["bias"][h // work.group, q, k] if work.bias == "tensor" else score

        if work.mask != "none" and not blocks:
            batch = work.batch if work.mask == "lengths" else None
            blocks.append(module.create_block_mask(kept(t), batch, None, work.queries, work.keys, device="cuda"))
        how = {"block_mask": next(iter(blocks), None), "scale": work.scale, "enable_gqa": work.group > 1}
        return compiled(t["q"], t["k"], t["v"], score_mod=scored if work.cap or work.bias != "none" else None, **how)

    return call


def convolution(torch: Any, work: Convolution, *, fused: bool) -> Call:
    torch.backends.cudnn.benchmark = True
    strides, pads, ones = ((n, n) for n in (work.stride, work.pad, 1))

    def call(t: Tensors) -> Any:
        given = t["x"], t["w"], t["bias"], strides, pads, ones, work.groups
        return torch.cudnn_convolution_relu(*given) if fused else torch.relu(torch.nn.functional.conv2d(*given))

    return call


def eager(torch: Any, product: Product) -> Call:
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


def in_triton(torch: Any, product: Product, form: str) -> Call:
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

    def __init__(self, gpu: Gpu, torch: Any, work: Workload, arrays: Sequence[Array], call: Call):
        self.torch = torch
        first = tensors_of(torch, work, arrays)
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


def torch_version() -> str | None:
    """Returns the version of PyTorch, or None if it is not installed or cannot use the GPU."""
    try:
        torch: Any = import_module("torch")
    except ImportError:
        return None
    return str(torch.__version__) if torch.cuda.is_available() else None
