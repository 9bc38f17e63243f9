"""The forms in which programs write a softmax between two products: as `ptir` ops, and in f64 by NumPy."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any

HEADS, QUERIES, KEYS, SIZE = 2, 40, 52, 16
SCORES, ROWS = f"tensor<{HEADS}x{QUERIES}x{KEYS}xf32>", f"tensor<{HEADS}x{QUERIES}x1xf32>"
JOINED = f"tensor<{HEADS}x{QUERIES}x{KEYS + 1}xf32>"
"""The type of scores with a further column."""
KEEPS, ROW_KEEPS = SCORES.replace("f32", "i1"), ROWS.replace("f32", "i1")
BEFORE = 7
"""A query sees the keys up to so many before it: the first ones see none."""

MAX = f"%max = ptir.reduce max %x axes [2] keepdims : {SCORES} -> {ROWS}"
SUM = f"%sum = ptir.reduce sum %e axes [2] keepdims : {SCORES} -> {ROWS}"


def wide(name: str, row: str, rows: str = ROWS, scores: str = SCORES) -> str:
    return f"%{name} = ptir.broadcast_to %{row} : {rows} -> {scores}"


def shifted(by: str = "max") -> list[str]:
    """Returns the exponentials %e of the scores relative to a value of their row, and their sum."""
    return [wide("shift", by), f"%d = ptir.sub %x, %shift : {SCORES}", f"%e = ptir.exp %d : {SCORES}", SUM]


def divided(by: str = "sum", to: str = "p") -> list[str]:
    return [wide("divisor", by), f"%{to} = ptir.div %e, %divisor : {SCORES}"]


def zeroed(of: str, to: str, keep: str = "keep") -> str:
    return f"%{to} = ptir.select %{keep}, %{of}, %zero : {KEEPS}, {SCORES}"


def row(name: str, number: str) -> str:
    return f"%{name} = ptir.constant dense<{number}> : {ROWS}"


FINITE = [
    f"%f = ptir.is_finite %max : {ROWS} -> {ROW_KEEPS}",
    f"%m = ptir.select %f, %max, %zeros : {ROW_KEEPS}, {ROWS}",
]
NOT_EMPTY = [
    row("one", "1.0"),
    f"%z = ptir.compare eq %sum, %zeros : {ROWS} -> {ROW_KEEPS}",
    f"%sum2 = ptir.select %z, %one, %sum : {ROW_KEEPS}, {ROWS}",
]
SINK = [row("sink", "0.5"), f"%m = ptir.maximum %max, %sink : {ROWS}"]
SINKS = [f"%sd = ptir.sub %sink, %m : {ROWS}", f"%se = ptir.exp %sd : {ROWS}", f"%sum2 = ptir.add %sum, %se : {ROWS}"]
SCALE = f"%inverse = ptir.constant dense<1.25> : {SCORES}"


def lines(*parts: str | list[str]) -> list[str]:
    return [line for part in parts for line in ([part] if isinstance(part, str) else part)]


def shift_of(s: Array) -> Array:
    return s.max(-1, keepdims=True)


def weights_of(s: Array) -> Array:
    e = np.exp(s - shift_of(s))
    return e / e.sum(-1, keepdims=True)


def guarded(s: Array, total: Callable[[Array], Array]) -> Array:
    m = shift_of(s)
    e = np.exp(s - np.where(np.isfinite(m), m, 0))
    return e / total(e.sum(-1, keepdims=True))


def with_sink(s: Array) -> Array:
    m = np.maximum(shift_of(s), 0.5)
    e = np.exp(s - m)
    return e / (e.sum(-1, keepdims=True) + np.exp(0.5 - m))


def zeroed_sums(s: Array, keep: Array) -> Array:
    e = np.where(keep, np.exp(s - shift_of(s)), 0)
    return np.where(keep, e / np.maximum(e.sum(-1, keepdims=True), 1e-9), 0)


@dataclass(frozen=True)
class Form:
    """The ops from the scores %x to the weights %p, and the weights in f64 by scores, by what the mask keeps, and by what dropout keeps."""

    ops: list[str]
    weights: Callable[[Array, Array, Array], Array]


LOG = f"%log = ptir.log %sum : {ROWS}"
FORMS = {
    "exponentials of a log-softmax": Form(
        lines(
            MAX,
            shifted(),
            LOG,
            wide("logs", "log"),
            f"%l = ptir.sub %d, %logs : {SCORES}",
            f"%p = ptir.exp %l : {SCORES}",
        ),
        lambda s, keep, drop: weights_of(s),
    ),
    "relative to a log-sum-exp": Form(
        lines(
            *(MAX, shifted(), LOG, f"%lse = ptir.add %max, %log : {ROWS}", wide("logs", "lse")),
            *(f"%l = ptir.sub %x, %logs : {SCORES}", f"%p = ptir.exp %l : {SCORES}"),
        ),
        lambda s, keep, drop: weights_of(s),
    ),
    "a guarded maximum": Form(
        lines(MAX, FINITE, shifted("m"), divided()), lambda s, keep, drop: guarded(s, lambda total: total)
    ),
    "a guarded maximum and sum": Form(
        lines(MAX, FINITE, shifted("m"), NOT_EMPTY, divided("sum2")),
        lambda s, keep, drop: guarded(s, lambda total: np.where(total == 0, 1, total)),
    ),
    "a sink": Form(lines(MAX, SINK, shifted("m"), SINKS, divided("sum2")), lambda s, keep, drop: with_sink(s)),
    "a joined sink": Form(
        lines(
            *(row("sink", "0.5"), f"%xs = ptir.concat %x, %sink axis 2 : ({SCORES}, {ROWS}) -> {JOINED}"),
            *(
                f"%max = ptir.reduce max %xs axes [2] keepdims : {JOINED} -> {ROWS}",
                wide("shift", "max", scores=JOINED),
            ),
            *(f"%d = ptir.sub %xs, %shift : {JOINED}", f"%e = ptir.exp %d : {JOINED}"),
            *(
                f"%sum = ptir.reduce sum %e axes [2] keepdims : {JOINED} -> {ROWS}",
                wide("divisor", "sum", scores=JOINED),
            ),
            *(f"%w = ptir.div %e, %divisor : {JOINED}", f"%p = ptir.slice %w [0, 0, 0] : {JOINED} -> {SCORES}"),
        ),
        lambda s, keep, drop: with_sink(s),
    ),
    "weights without a mask set to zero": Form(
        lines(MAX, shifted(), divided(to="w"), zeroed("w", "p")), lambda s, keep, drop: np.where(keep, weights_of(s), 0)
    ),
    "NaN set to zero": Form(
        lines(
            *(MAX, shifted(), divided(to="w"), f"%nan = ptir.compare ne %w, %w : {SCORES} -> {KEEPS}"),
            f"%p = ptir.select %nan, %zero, %w : {KEEPS}, {SCORES}",
        ),
        lambda s, keep, drop: np.nan_to_num(weights_of(s)),
    ),
    "masked sums": Form(
        lines(
            *(MAX, wide("shift", "max"), f"%d = ptir.sub %x, %shift : {SCORES}", f"%e0 = ptir.exp %d : {SCORES}"),
            *(zeroed("e0", "e"), SUM, row("least", "1.0e-9"), f"%sum2 = ptir.maximum %sum, %least : {ROWS}"),
            *(divided("sum2", "w"), zeroed("w", "p")),
        ),
        lambda s, keep, drop: zeroed_sums(s, keep),
    ),
    "dropout by a product": Form(
        lines(
            *(MAX, shifted(), divided(to="w"), f"%kept = ptir.cast %drop : {KEEPS} -> {SCORES}"),
            *(f"%w2 = ptir.mul %w, %kept : {SCORES}", SCALE, f"%p = ptir.mul %w2, %inverse : {SCORES}"),
        ),
        lambda s, keep, drop: weights_of(s) * drop * 1.25,
    ),
    "dropout by a choice": Form(
        lines(
            *(MAX, FINITE, shifted("m"), NOT_EMPTY, divided("sum2", "w"), SCALE),
            *(f"%w2 = ptir.mul %w, %inverse : {SCORES}", zeroed("w2", "p", "drop")),
        ),
        lambda s, keep, drop: np.where(drop, guarded(s, lambda total: np.where(total == 0, 1, total)) * 1.25, 0),
    ),
}


NEEDS_MASK = ("weights without a mask set to zero", "masked sums")
"""The forms that use what the mask keeps."""


def ops_of(name: str, x: str, sizes: tuple[int, ...]) -> list[str]:
    """Returns the ops of a form for scores `x` of other `sizes`. They use %keep, %drop, and zeros of scores and of rows, %zero and %zeros."""
    text, (*outer, keys), last = "\n".join(FORMS[name].ops), sizes, len(sizes) - 1
    for of, size in ((JOINED, keys + 1), (SCORES, keys), (ROWS, 1)):
        text = text.replace(of[:-4], f"tensor<{''.join(f'{n}x' for n in (*outer, size))}")
    text = (
        text.replace("axes [2]", f"axes [{last}]")
        .replace("axis 2", f"axis {last}")
        .replace("[0, 0, 0]", str([0] * len(sizes)))
    )
    return re.sub(r"%x\b", x, text).split("\n")


def text_of(name: str) -> str:
    """Returns the program of a form: of queries, keys, values, and what dropout keeps."""
    q, k = (f"tensor<{HEADS}x{n}x{SIZE}xbf16>" for n in (QUERIES, KEYS))
    i, c = (f"tensor<{QUERIES}x{KEYS}x{t}>" for t in ("si32", "i1"))
    out, narrow = f"tensor<{HEADS}x{QUERIES}x{SIZE}xf32>", SCORES.replace("f32", "bf16")
    body = [
        f"%s = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : ({q}, {k}) -> {SCORES}",
        f"%scale = ptir.constant dense<0.25> : {SCORES}",
        f"%s1 = ptir.mul %s, %scale : {SCORES}",
        f"%i = ptir.iota axis 0 : {i}",
        f"%j = ptir.iota axis 1 : {i}",
        f"%before = ptir.constant dense<{BEFORE}> : {i}",
        f"%jb = ptir.add %j, %before : {i}",
        f"%le = ptir.compare le %jb, %i : {i} -> {c}",
        f"%keep = ptir.broadcast_to %le : {c} -> {KEEPS}",
        f"%none = ptir.constant dense<0xFF800000> : {SCORES}",
        f"%zero = ptir.constant dense<0.0> : {SCORES}",
        row("zeros", "0.0"),
        f"%x = ptir.select %keep, %s1, %none : {KEEPS}, {SCORES}",
        *FORMS[name].ops,
        f"%pb = ptir.cast %p : {SCORES} -> {narrow}",
        f"%o = ptir.dot_general %pb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : ({narrow}, {k}) -> {out}",
        f"func.return %o : {out}",
    ]
    args = f"%q: {q}, %k: {k}, %v: {k}, %drop: {KEEPS}"
    function = f"func.func @f({args}) -> {out} {{\n  " + "\n  ".join(body) + "\n}\n"
    return f"builtin.module attributes {{ptir.extensions}} {{\n{function}}}\n"


def expected(name: str, q: Array, k: Array, v: Array, drop: Array) -> Array:
    q, k, v = (array.astype(np.float64) for array in (q, k, v))
    keep = np.arange(KEYS)[None, :] + BEFORE <= np.arange(QUERIES)[:, None]
    with np.errstate(invalid="ignore"):
        s = np.where(keep, q @ k.swapaxes(-1, -2) * 0.25, -np.inf)
        return FORMS[name].weights(s, keep, drop) @ v
