"""PTIR programs of contractions of `m` x `k` and `k` x `n` matrices that are computed elementwise from stored values."""

from __future__ import annotations

from string import Template
from typing import Any

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.region import RegionKernelOp
from ptir.planning.template import Request
from ptir.planning.warp_specialized import WarpSpecialized
from ptir.planning.warp_specialized.resources import Shape
from ptir.runtime.compile import TO_REGIONS

NUMPY: dict[str, Any] = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "si8": np.int8,
    "ui8": np.uint8, "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
}  # fmt: skip

DOT = """
  %y = ptir.dot_general %a, %b contract [1] x [0] accum f32 out f32 : ($AB, $BB) -> $Y"""
FROM_FLOAT = """
  %b = ptir.cast %bf : $BF -> $BB"""

PROGRAMS: dict[str, tuple[str, str]] = {
    "cast": ("%a: $AB, %q: $Q", "\n  %b = ptir.cast %q : $Q -> $BB" + DOT),
    "cast of a": ("%q: $P, %b: $BB", "\n  %a = ptir.cast %q : $P -> $AB" + DOT),
    "by column": ("%a: $AB, %q: $Q, %s: tensor<${n}xf32>", """
  %f = ptir.cast %q : $Q -> $BF
  %t = ptir.broadcast_to %s : tensor<${n}xf32> -> $BF
  %bf = ptir.mul %f, %t : $BF""" + FROM_FLOAT + DOT),
    "by row": ("%a: $AB, %q: $Q, %s: tensor<${k}x1xf32>, %z: tensor<${k}x1xf32>", """
  %f = ptir.cast %q : $Q -> $BF
  %t = ptir.broadcast_to %s : tensor<${k}x1xf32> -> $BF
  %u = ptir.broadcast_to %z : tensor<${k}x1xf32> -> $BF
  %g = ptir.sub %f, %u : $BF
  %bf = ptir.mul %g, %t : $BF""" + FROM_FLOAT + DOT),
    "by group": ("%a: $AB, %q: $Q, %s: tensor<${g}x1x${n}xf32>", """
  %f0 = ptir.cast %q : $Q -> $BF
  %f = ptir.reshape %f0 : $BF -> tensor<${g}x8x${n}xf32>
  %t = ptir.broadcast_to %s : tensor<${g}x1x${n}xf32> -> tensor<${g}x8x${n}xf32>
  %h = ptir.mul %f, %t : tensor<${g}x8x${n}xf32>
  %bf = ptir.reshape %h : tensor<${g}x8x${n}xf32> -> $BF""" + FROM_FLOAT + DOT),
    "transposed": ("%a: $AB, %q: tensor<${n}x${k}x$src>, %s: tensor<${n}x1xf32>", """
  %f = ptir.cast %q : tensor<${n}x${k}x$src> -> tensor<${n}x${k}xf32>
  %t = ptir.broadcast_to %s : tensor<${n}x1xf32> -> tensor<${n}x${k}xf32>
  %h = ptir.mul %f, %t : tensor<${n}x${k}xf32>
  %c = ptir.cast %h : tensor<${n}x${k}xf32> -> tensor<${n}x${k}xbf16>
  %b = ptir.transpose %c [1, 0] : tensor<${n}x${k}xbf16> -> $BB""" + DOT),
    "not zero at zero": ("%p: $P, %q: $Q", """
  %pf = ptir.cast %p : $P -> $AF
  %c = ptir.constant dense<0.015625> : $AF
  %ps = ptir.mul %pf, %c : $AF
  %af = ptir.exp %ps : $AF
  %a = ptir.cast %af : $AF -> $AB
  %qf = ptir.cast %q : $Q -> $BF
  %inf = ptir.constant dense<"0x0000803F"> : $BF
  %bf = ptir.div %inf, %qf : $BF""" + FROM_FLOAT + DOT),
    "two sources": ("%p: $AB, %q: $AB, %b: $BB", """
  %a = ptir.add %p, %q : $AB""" + DOT),
    "row before": ("%p: $AB, %s: tensor<${k}xf32>, %b: $BB", """
  %l0 = ptir.pad %p with 0.0 : bf16 low [1, 0] high [0, 0] interior [0, 0] : $AB -> tensor<${m1}x${k}xbf16>
  %l = ptir.slice %l0 [0, 0] : tensor<${m1}x${k}xbf16> -> $AB
  %lf = ptir.cast %l : $AB -> $AF
  %pf = ptir.cast %p : $AB -> $AF
  %d = ptir.sub %lf, %pf : $AF
  %t = ptir.broadcast_to %s : tensor<${k}xf32> -> $AF
  %e = ptir.mul %d, %t : $AF
  %af = ptir.add %e, %pf : $AF
  %a = ptir.cast %af : $AF -> $AB""" + DOT),
    "padded by numbers": ("%a: $AB, %q: $Q", """
  %f = ptir.cast %q : $Q -> $BF
  %u0 = ptir.pad %f with 2.0 : f32 low [0, 0] high [1, 0] interior [0, 0] : $BF -> tensor<${k1}x${n}xf32>
  %u = ptir.slice %u0 [1, 0] : tensor<${k1}x${n}xf32> -> $BF
  %e = ptir.abs %f : $BF
  %v0 = ptir.pad %e with 3.0 : f32 low [1, 0] high [0, 0] interior [0, 0] : $BF -> tensor<${k1}x${n}xf32>
  %v = ptir.slice %v0 [0, 0] : tensor<${k1}x${n}xf32> -> $BF
  %w0 = ptir.pad %v with 0.0 : f32 low [0, 1] high [0, 0] interior [0, 0] : $BF -> tensor<${k}x${n1}xf32>
  %w = ptir.slice %w0 [0, 0] : tensor<${k}x${n1}xf32> -> $BF
  %bf = ptir.add %u, %w : $BF""" + FROM_FLOAT + DOT),
    "gelu": ("%p: $AB, %b: $BB", """
  %f = ptir.cast %p : $AB -> $AF
  %c = ptir.constant dense<0.70710678> : $AF
  %half = ptir.constant dense<0.5> : $AF
  %one = ptir.constant dense<1.0> : $AF
  %e = ptir.mul %f, %c : $AF
  %erf = ptir.erf %e : $AF
  %e1 = ptir.add %erf, %one : $AF
  %xh = ptir.mul %f, %half : $AF
  %h = ptir.mul %xh, %e1 : $AF
  %a = ptir.cast %h : $AF -> $AB""" + DOT),
    "norm": ("%p: $AB, %g: tensor<${k}xf32>, %b: $BB", """
  %x = ptir.cast %p : $AB -> $AF
  %square = ptir.mul %x, %x : $AF
  %total = ptir.reduce sum %square axes [1] keepdims : $AF -> tensor<${m}x1xf32>
  %small = ptir.constant dense<0.5> : tensor<${m}x1xf32>
  %v = ptir.add %total, %small : tensor<${m}x1xf32>
  %r = ptir.rsqrt %v : tensor<${m}x1xf32>
  %rs = ptir.broadcast_to %r : tensor<${m}x1xf32> -> $AF
  %h = ptir.mul %x, %rs : $AF
  %gs = ptir.broadcast_to %g : tensor<${k}xf32> -> $AF
  %hg = ptir.mul %h, %gs : $AF
  %a = ptir.cast %hg : $AF -> $AB""" + DOT),
    "f32": ("%p: tensor<${m}x${k}xf16>, %b: $BF", """
  %a = ptir.cast %p : tensor<${m}x${k}xf16> -> $AF
  %y = ptir.dot_general %a, %b contract [1] x [0] accum f32 out f32 : ($AF, $BF) -> $Y"""),
    "tf32": ("%a: $AF, %q: tensor<${k}x${n}xbf16>", """
  %f = ptir.cast %q : tensor<${k}x${n}xbf16> -> $BF
  %b = ptir.exp %f : $BF
  %y = ptir.dot_general %a, %b contract [1] x [0] precision tf32 : ($AF, $BF) -> $Y"""),
    "f64": ("%p: $AF, %b: tensor<${k}x${n}xf64>", """
  %a = ptir.cast %p : $AF -> tensor<${m}x${k}xf64>
  %d = ptir.dot_general %a, %b contract [1] x [0] accum f64 out f64 : (tensor<${m}x${k}xf64>, tensor<${k}x${n}xf64>) -> tensor<${m}x${n}xf64>
  %y = ptir.cast %d : tensor<${m}x${n}xf64> -> $Y"""),
    "i8": ("%p: $AF, %b: tensor<${k}x${n}xi8>", """
  %one = ptir.constant dense<1.0> : $AF
  %f = ptir.add %p, %one : $AF
  %a = ptir.cast %f : $AF -> tensor<${m}x${k}xi8>
  %d = ptir.dot_general %a, %b contract [1] x [0] accum i32 out i32 : (tensor<${m}x${k}xi8>, tensor<${k}x${n}xi8>) -> tensor<${m}x${n}xi32>
  %y = ptir.cast %d : tensor<${m}x${n}xi32> -> $Y"""),
    "batches": ("%a: $A2, %q: tensor<2x${k}x${n}x$src>, %s: tensor<2x1x${n}xf32>", """
  %f = ptir.cast %q : tensor<2x${k}x${n}x$src> -> tensor<2x${k}x${n}xf32>
  %t = ptir.broadcast_to %s : tensor<2x1x${n}xf32> -> tensor<2x${k}x${n}xf32>
  %h = ptir.mul %f, %t : tensor<2x${k}x${n}xf32>
  %c = ptir.cast %h : tensor<2x${k}x${n}xf32> -> $B2
  %d = ptir.dot_general %a, %c batch [0] x [0] contract [2] x [1] accum f32 out f32 : ($A2, $B2) -> $Y2
  %y = ptir.reduce max %d axes [0] : $Y2 -> $Y"""),
}  # fmt: skip
"""The arguments and the body of each program; its result is %y."""
KERNELS = {"norm": 2, "batches": 2}
"""The number of kernels of the programs that have several: they also compute row sums, or the maximum over batches."""


def text(name: str, m: int, k: int, n: int, src: str = "i8") -> str:
    """Returns @f of a program; `src` is the element type of the stored values."""
    args, body = PROGRAMS[name]
    types = {
        "AB": f"{m}x{k}xbf16",
        "BB": f"{k}x{n}xbf16",
        "AF": f"{m}x{k}xf32",
        "BF": f"{k}x{n}xf32",
        "Y": f"{m}x{n}xf32",
    }
    types |= {"P": f"{m}x{k}x{src}", "Q": f"{k}x{n}x{src}"}
    types |= {"A2": f"2x{m}x{k}xbf16", "B2": f"2x{k}x{n}xbf16", "Y2": f"2x{m}x{n}xf32"}
    names = {key: f"tensor<{value}>" for key, value in types.items()}
    names |= {"m": str(m), "k": str(k), "n": str(n), "g": str(k // 8), "src": src}
    names |= {f"{axis}1": str(size + 1) for axis, size in (("m", m), ("k", k), ("n", n))}
    return Template(f"func.func @f({args}) -> $Y {{{body}\n  func.return %y : $Y\n}}\n").substitute(names)


def warp_specialized(source: str, shape: Shape) -> ModuleOp:
    """Returns the regions of a program, whose contractions have a warp-specialized plan of this shape."""
    module = ptir.PassManager(TO_REGIONS).run(ptir.parse(source))
    for kernel in [op for op in module.ops if isinstance(op, RegionKernelOp)]:
        template = WarpSpecialized(Request.of(kernel, "sm90"))
        if template.matches:
            kernel.plan = ScheduleAttr(template.plan(shape))
    return module


def arrays(source: str, seed: int = 0) -> list[Any]:
    """Returns random arguments of the function without zeros: integers of the whole range, floats with magnitudes near 1."""
    rng = np.random.default_rng(seed)
    out: list[Any] = []
    head = source.split("->")[0]
    for spec in (part.split(">")[0] for part in head.split("tensor<")[1:]):
        *sizes, dtype = spec.split("x")
        shape, t = tuple(map(int, sizes)), NUMPY[dtype]
        if np.dtype(t).kind in "iu" and dtype.endswith("i8"):
            info = np.iinfo(t)
            drawn = rng.integers(info.min, info.max, shape, t, endpoint=True)
            out.append(np.where(drawn == 0, t(1), drawn))
        else:
            out.append((rng.choice([-1, 1], shape) * (0.5 + rng.random(shape))).astype(t))
    return out
