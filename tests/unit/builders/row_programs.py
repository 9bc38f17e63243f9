"""PTIR programs that reduce the rows of `m` x `n` arrays: norms, softmax and its gradient, losses, argmax."""

from __future__ import annotations

from string import Template
from typing import Any

import ml_dtypes
import numpy as np

NUMPY: dict[str, Any] = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64, "i1": np.bool_,
    "si8": np.int8, "ui8": np.uint8, "si16": np.int16, "si32": np.int32, "ui32": np.uint32, "si64": np.int64,
}  # fmt: skip

SOFTMAX = """
  %max = ptir.reduce max %x axes [1] keepdims : $F -> $C
  %maxes = ptir.broadcast_to %max : $C -> $F
  %d = ptir.sub %x, %maxes : $F
  %e = ptir.exp %d : $F
  %sum = ptir.reduce sum %e axes [1] keepdims : $F -> $C
  %sums = ptir.broadcast_to %sum : $C -> $F"""
MEAN = """
  %n = ptir.constant dense<$N.0> : $C
  %total = ptir.reduce sum %x axes [1] keepdims : $F -> $C
  %mean = ptir.div %total, %n : $C
  %means = ptir.broadcast_to %mean : $C -> $F
  %d = ptir.sub %x, %means : $F
  %d2 = ptir.mul %d, %d : $F
  %total2 = ptir.reduce sum %d2 axes [1] keepdims : $F -> $C
  %variance = ptir.div %total2, %n : $C
  %small = ptir.constant dense<0.00001> : $C
  %v = ptir.add %variance, %small : $C
  %r = ptir.rsqrt %v : $C
  %rs = ptir.broadcast_to %r : $C -> $F
  %h = ptir.mul %d, %rs : $F"""
REDUCE = "%{0} = ptir.reduce {1} %x axes [1] : $X -> $E"

PROGRAMS: dict[str, tuple[str, str, str]] = {
    "softmax": ("%x: $F", SOFTMAX + "\n  %y = ptir.div %e, %sums : $F", "%y: $F"),
    "softmax_and_sum": ("%x: $F", SOFTMAX + "\n  %y = ptir.div %e, %sums : $F", "%y: $F, %sum: $C"),
    "log_softmax": ("%x: $F", SOFTMAX + """
  %l = ptir.log %sums : $F
  %y = ptir.sub %d, %l : $F""", "%y: $F"),
    "softmax of other types": ("%a: $X", "\n  %x = ptir.cast %a : $X -> $F" + SOFTMAX + """
  %q = ptir.div %e, %sums : $F
  %y = ptir.cast %q : $F -> $X""", "%y: $X"),
    "softmax_backward": ("%y: $F, %dy: $F", """
  %p = ptir.mul %y, %dy : $F
  %s = ptir.reduce sum %p axes [1] keepdims : $F -> $C
  %b = ptir.broadcast_to %s : $C -> $F
  %d = ptir.sub %dy, %b : $F
  %dx = ptir.mul %y, %d : $F""", "%dx: $F"),
    "layer_norm": ("%x: $F, %g: $G, %beta: $G", MEAN + """
  %gs = ptir.broadcast_to %g : $G -> $F
  %bs = ptir.broadcast_to %beta : $G -> $F
  %hg = ptir.mul %h, %gs : $F
  %y = ptir.add %hg, %bs : $F
  %mu = ptir.reshape %mean : $C -> $S
  %rstd = ptir.reshape %r : $C -> $S""", "%y: $F, %mu: $S, %rstd: $S"),
    "layer_norm_backward": ("%h: $F, %dy: $F, %rstd: $S, %g: $G", """
  %n = ptir.constant dense<$N.0> : $C
  %gs = ptir.broadcast_to %g : $G -> $F
  %dh = ptir.mul %dy, %gs : $F
  %t1 = ptir.reduce sum %dh axes [1] keepdims : $F -> $C
  %m1 = ptir.div %t1, %n : $C
  %b1 = ptir.broadcast_to %m1 : $C -> $F
  %p = ptir.mul %dh, %h : $F
  %t2 = ptir.reduce sum %p axes [1] keepdims : $F -> $C
  %m2 = ptir.div %t2, %n : $C
  %b2 = ptir.broadcast_to %m2 : $C -> $F
  %hb = ptir.mul %h, %b2 : $F
  %d1 = ptir.sub %dh, %b1 : $F
  %d2 = ptir.sub %d1, %hb : $F
  %r = ptir.reshape %rstd : $S -> $C
  %rs = ptir.broadcast_to %r : $C -> $F
  %dx = ptir.mul %d2, %rs : $F""", "%dx: $F"),
    "rms_norm": ("%a: $X, %b: $X, %g: $G", """
  %fa = ptir.cast %a : $X -> $F
  %fb = ptir.cast %b : $X -> $F
  %x = ptir.add %fa, %fb : $F
  %residual = ptir.cast %x : $F -> $X
  %sq = ptir.mul %x, %x : $F
  %t = ptir.reduce sum %sq axes [1] keepdims : $F -> $C
  %n = ptir.constant dense<$N.0> : $C
  %mean = ptir.div %t, %n : $C
  %small = ptir.constant dense<0.00001> : $C
  %v = ptir.add %mean, %small : $C
  %r = ptir.rsqrt %v : $C
  %rs = ptir.broadcast_to %r : $C -> $F
  %h = ptir.mul %x, %rs : $F
  %gs = ptir.broadcast_to %g : $G -> $F
  %hg = ptir.mul %h, %gs : $F
  %y = ptir.cast %hg : $F -> $X""", "%y: $X, %residual: $X"),
    "cross_entropy": ("%x: $F, %label: $L", SOFTMAX + """
  %i = ptir.iota axis 1 : $J
  %lc = ptir.reshape %label : $L -> $LC
  %ls = ptir.broadcast_to %lc : $LC -> $J
  %hot = ptir.compare eq %i, %ls : $J -> $P
  %none = ptir.constant dense<0.0> : $F
  %only = ptir.select %hot, %d, %none : $P, $F
  %target = ptir.reduce sum %only axes [1] keepdims : $F -> $C
  %l = ptir.log %sum : $C
  %loss = ptir.sub %l, %target : $C
  %y = ptir.reshape %loss : $C -> $S""", "%y: $S"),
    "first_maximum": ("%x: $X", """
  %max = ptir.reduce max %x axes [1] keepdims : $X -> $XC
  %maxes = ptir.broadcast_to %max : $XC -> $X
  %p = ptir.compare eq %x, %maxes : $X -> $P
  %i = ptir.iota axis 1 : $J
  %far = ptir.constant dense<$N> : $J
  %at = ptir.select %p, %i, %far : $P, $J
  %y = ptir.reduce min %at axes [1] : $J -> $L""", "%y: $L"),
    "argmax": ("%x: $X", """
  %at = ptir.argmax %x axis 1 : $X -> $L
  %max = ptir.reduce max %x axes [1] : $X -> $E""", "%at: $L, %max: $E"),
    "reductions": ("%x: $X", "".join(f"\n  {REDUCE.format(fn, fn)}" for fn in ("sum", "max", "min", "mul")),
                   "%sum: $E, %max: $E, %min: $E, %mul: $E"),
    "centered": ("%x: $X", """
  %s = ptir.reduce sum %x axes [1] keepdims : $X -> $XC
  %b = ptir.broadcast_to %s : $XC -> $X
  %y = ptir.sub %x, %b : $X""", "%y: $X"),
    "predicates": ("%p: $P, %q: $P", """
  %any = ptir.reduce any %p axes [1] keepdims : $P -> $PC
  %all = ptir.reduce all %q axes [1] : $P -> $PE
  %b = ptir.broadcast_to %any : $PC -> $P
  %y = ptir.xor %q, %b : $P""", "%y: $P, %all: $PE"),
    "accumulators": ("%x: $X", """
  %wide = ptir.reduce sum %x axes [1] accum f64 out f64 : $X -> $W
  %sum = ptir.reduce sum %x axes [1] accum f32 : $X -> $E
  %max = ptir.reduce max %x axes [1] : $X -> $E
  %y = ptir.sub %sum, %max : $E""", "%y: $E, %wide: $W"),
    "spread": ("%x: $F", """
  %max = ptir.reduce max %x axes [1] keepdims : $F -> $C
  %min = ptir.reduce min %x axes [1] keepdims : $F -> $C
  %maxes = ptir.broadcast_to %max : $C -> $F
  %repeated = ptir.reduce sum %maxes axes [1] keepdims : $F -> $C
  %d = ptir.sub %repeated, %min : $C
  %y = ptir.broadcast_to %d : $C -> $F
  %e = ptir.neg %x : $F""", "%y: $F, %min: $C, %e: $F"),
}  # fmt: skip
"""The arguments, the body and the results of each program, in which $F is an m x n array of f32, and so on."""


def text(name: str, m: int, n: int, dtype: str = "f32", outer: int = 0) -> str:
    """
    Returns a program as text; `dtype` is the element type of $X. With `outer`, arrays have the sizes outer x n x m: elements of
    adjacent rows are contiguous.
    """
    shapes = {
        "F": (m, n, "f32"), "C": (m, 1, "f32"), "S": (m, "f32"), "G": (n, "f32"), "W": (m, "f64"),
        "X": (m, n, dtype), "XC": (m, 1, dtype), "E": (m, dtype),
        "J": (m, n, "si32"), "L": (m, "si32"), "LC": (m, 1, "si32"), "P": (m, n, "i1"), "PC": (m, 1, "i1"), "PE": (m, "i1"),
    }  # fmt: skip
    if outer:
        shapes = {key: (n, 1, t) if key == "G" else (outer, *sizes[1:], m, t) for key, (*sizes, t) in shapes.items()}
    types = {key: f"tensor<{'x'.join(map(str, shape))}>" for key, shape in shapes.items()}
    args, body, results = PROGRAMS[name]
    pairs = [result.split(": ") for result in results.split(", ")]
    names, kinds = (", ".join(part) for part in zip(*pairs, strict=True))
    source = f"func.func @f({args}) -> ({kinds}) {{{body}\n  func.return {names} : {kinds}\n}}\n"
    return "module attributes {ptir.extensions} {\n" + Template(source).substitute(types | {"N": n}) + "}\n"


def adjacent(name: str, outer: int, m: int, n: int, dtype: str = "f32", seed: int = 0) -> list[Any]:
    """Returns arguments of a program whose arrays have the sizes outer x n x m."""
    found: list[Any] = []
    kinds = [arg.split(": $")[1] for arg in PROGRAMS[name][0].split(", ")]
    for kind, a in zip(kinds, arrays(name, outer * m, n, dtype, seed), strict=True):
        if kind == "G":
            found.append(a.reshape(n, 1))
        elif a.ndim == 1:
            found.append(a.reshape(outer, m))
        else:
            found.append(np.ascontiguousarray(a.reshape(outer, m, n).swapaxes(1, 2)))
    return found


def arrays(name: str, m: int, n: int, dtype: str = "f32", seed: int = 0) -> list[Any]:
    """
    Returns arguments of a program: normal numbers, small integers, positions below n. A third of the rows is positive and a third
    negative, so that zeros read beyond the end of a row would change the maximum or minimum.
    """
    rng = np.random.default_rng(seed)
    kinds = {"F": (m, n), "X": (m, n), "P": (m, n), "S": (m,), "L": (m,), "G": (n,)}
    found: list[Any] = []
    for arg in PROGRAMS[name][0].split(", "):
        kind = arg.split(": $")[1]
        shape, t = kinds[kind], NUMPY[{"P": "i1", "L": "si32", "X": dtype}.get(kind, "f32")]
        if kind == "L":
            found.append(rng.integers(0, n, shape).astype(t))
        elif kind == "P" or np.dtype(t).kind == "u":
            found.append(rng.integers(0, 4, shape).astype(t))
        else:
            numbers = rng.integers(-3, 4, shape) if np.dtype(t).kind == "i" else rng.standard_normal(shape) * 2
            shift = 4 * np.resize([0, 1, -1], m)[:, None] if len(shape) == 2 else 0
            found.append((numbers + shift).astype(t))
    return found
