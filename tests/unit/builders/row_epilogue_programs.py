"""Contractions of `m` x `k` and `k` x `n` whose rows are reduced after them, in PTIR."""

from __future__ import annotations

from string import Template

DOT = """
  %y = ptir.dot_general %a, %b contract [1] x [0] accum f32 out f32 : ($A, $B) -> $Y"""
SOFTMAX = """
  %max = ptir.reduce max %y axes [1] keepdims : $Y -> $C
  %maxes = ptir.broadcast_to %max : $C -> $Y
  %d = ptir.sub %y, %maxes : $Y
  %e = ptir.exp %d : $Y
  %sum = ptir.reduce sum %e axes [1] keepdims : $Y -> $C
  %sums = ptir.broadcast_to %sum : $C -> $Y
  %p = ptir.div %e, %sums : $Y"""

PROGRAMS: dict[str, tuple[str, str, str]] = {
    "softmax": ("%a: $A, %b: $B", DOT + SOFTMAX, "%p: $Y"),
    "softmax in bf16": ("%a: $A, %b: $B", DOT + SOFTMAX + "\n  %q = ptir.cast %p : $Y -> $Z", "%q: $Z"),
    "product and softmax": ("%a: $A, %b: $B", DOT + SOFTMAX, "%y: $Y, %p: $Y"),
    "rms norm of a residual": ("%a: $A, %b: $B, %res: $Z, %bias: tensor<${n}xf32>, %g: tensor<${n}xf32>", DOT + """
  %rf = ptir.cast %res : $Z -> $Y
  %biases = ptir.broadcast_to %bias : tensor<${n}xf32> -> $Y
  %t = ptir.add %y, %biases : $Y
  %x = ptir.add %t, %rf : $Y
  %square = ptir.mul %x, %x : $Y
  %total = ptir.reduce sum %square axes [1] keepdims : $Y -> $C
  %small = ptir.constant dense<0.5> : $C
  %v = ptir.add %total, %small : $C
  %r = ptir.rsqrt %v : $C
  %rs = ptir.broadcast_to %r : $C -> $Y
  %h = ptir.mul %x, %rs : $Y
  %gs = ptir.broadcast_to %g : tensor<${n}xf32> -> $Y
  %p = ptir.mul %h, %gs : $Y""", "%p: $Y, %x: $Y"),
    "integers": ("%a: tensor<${m}x${k}xi8>, %b: tensor<${k}x${n}xi8>", """
  %y = ptir.dot_general %a, %b contract [1] x [0] accum i32 out i32 : (tensor<${m}x${k}xi8>, tensor<${k}x${n}xi8>) -> tensor<${m}x${n}xi32>
  %max = ptir.reduce max %y axes [1] keepdims : tensor<${m}x${n}xi32> -> tensor<${m}x1xi32>
  %maxes = ptir.broadcast_to %max : tensor<${m}x1xi32> -> tensor<${m}x${n}xi32>
  %p = ptir.sub %y, %maxes : tensor<${m}x${n}xi32>""", "%p: tensor<${m}x${n}xi32>"),
    "f32": ("%a: tensor<${m}x${k}xf32>, %b: tensor<${k}x${n}xf32>", """
  %y = ptir.dot_general %a, %b contract [1] x [0] accum f32 out f32 : (tensor<${m}x${k}xf32>, tensor<${k}x${n}xf32>) -> $Y""" + SOFTMAX, "%p: $Y"),
    "tf32": ("%a: tensor<${m}x${k}xf32>, %b: tensor<${k}x${n}xf32>", """
  %y = ptir.dot_general %a, %b contract [1] x [0] precision tf32 : (tensor<${m}x${k}xf32>, tensor<${k}x${n}xf32>) -> $Y""" + SOFTMAX, "%p: $Y"),
    "quantized": ("%a: $A, %q: tensor<${k}x${n}xi8>", "\n  %b = ptir.cast %q : tensor<${k}x${n}xi8> -> $B" + DOT + """
  %c = ptir.constant dense<0.015625> : $Y
  %s = ptir.mul %y, %c : $Y""" + SOFTMAX.replace("%y", "%s"), "%p: $Y"),
}  # fmt: skip
"""The arguments, the body and the results of each program. Each is one kernel if n is at most 128, or 64 for f32."""


def text(name: str, m: int, k: int, n: int) -> str:
    """@f of a program."""
    args, body, results = PROGRAMS[name]
    types = {"A": f"{m}x{k}xbf16", "B": f"{k}x{n}xbf16", "Y": f"{m}x{n}xf32", "Z": f"{m}x{n}xbf16", "C": f"{m}x1xf32"}
    names = {key: f"tensor<{value}>" for key, value in types.items()} | {"m": str(m), "k": str(k), "n": str(n)}
    values = [part.split(":")[0].strip() for part in results.split(",")]
    of = ", ".join(part.split(":")[1].strip() for part in results.split(","))
    done = f"func.return {', '.join(values)} : {of}"
    return Template(f"func.func @f({args}) -> ({of}) {{{body}\n  {done}\n}}\n").substitute(names)
