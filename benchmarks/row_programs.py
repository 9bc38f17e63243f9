"""PTIR programs on rows that occur in networks: softmax, norms, cross entropy."""

from __future__ import annotations

from collections.abc import Callable


class Rows:
    """Writes a function on rows of `length` elements of type `dtype`, which it computes in f32."""

    def __init__(self, rows: int, length: int, dtype: str = "bf16"):
        self.rows, self.length, self.dtype = rows, length, dtype
        self.lines: list[str] = []
        self.args: list[str] = []

    @property
    def whole(self) -> str:
        return f"tensor<{self.rows}x{self.length}xf32>"

    @property
    def once(self) -> str:
        return f"tensor<{self.rows}x1xf32>"

    def add(self, text: str) -> str:
        self.lines.append(f"  %{len(self.lines)} = {text}")
        return f"%{len(self.lines) - 1}"

    def arg(self, shape: str, dtype: str = "") -> str:
        name, t = f"%a{len(self.args)}", f"tensor<{shape}x{dtype or self.dtype}>"
        self.args.append(f"{name}: {t}")
        return name if dtype else self.add(f"ptir.cast {name} : {t} -> tensor<{shape}xf32>")

    def matrix(self) -> str:
        return self.arg(f"{self.rows}x{self.length}")

    def vector(self) -> str:
        x = self.arg(f"{self.length}")
        return self.add(f"ptir.broadcast_to {x} : tensor<{self.length}xf32> -> {self.whole}")

    def number(self, value: float) -> str:
        c = self.add(f"ptir.constant dense<{value:e}> : tensor<f32>")
        return self.add(f"ptir.broadcast_to {c} : tensor<f32> -> {self.once}")

    def reduce(self, kind: str, x: str) -> str:
        return self.add(f"ptir.reduce {kind} {x} axes [1] keepdims accum f32 : {self.whole} -> {self.once}")

    def spread(self, x: str) -> str:
        return self.add(f"ptir.broadcast_to {x} : {self.once} -> {self.whole}")

    def unary(self, fn: str, x: str, t: str = "") -> str:
        return self.add(f"ptir.{fn} {x} : {t or self.whole}")

    def binary(self, fn: str, x: str, y: str, t: str = "") -> str:
        return self.add(f"ptir.{fn} {x}, {y} : {t or self.whole}")

    def stored(self, x: str) -> tuple[str, str]:
        t = f"tensor<{self.rows}x{self.length}x{self.dtype}>"
        return self.add(f"ptir.cast {x} : {self.whole} -> {t}"), t

    def text(self, *results: tuple[str, str]) -> str:
        values, types = ", ".join(r[0] for r in results), ", ".join(r[1] for r in results)
        head = f"func.func @rows({', '.join(self.args)}) -> ({types}) {{"
        return "\n".join([head, *self.lines, f"  func.return {values} : {types}", "}", ""])


def softmax(p: Rows) -> str:
    x = p.matrix()
    e = p.unary("exp", p.binary("sub", x, p.spread(p.reduce("max", x))))
    return p.text(p.stored(p.binary("div", e, p.spread(p.reduce("sum", e)))))


def _scaled(p: Rows, x: str, y: str) -> str:
    """Returns `y` divided by the root of the mean square of `x`."""
    mean = p.binary("div", p.reduce("sum", p.binary("mul", x, x)), p.number(p.length), p.once)
    root = p.unary("rsqrt", p.binary("add", mean, p.number(1e-5), p.once), p.once)
    return p.binary("mul", y, p.spread(root))


def rms_norm(p: Rows) -> str:
    x = p.matrix()
    return p.text(p.stored(p.binary("mul", _scaled(p, x, x), p.vector())))


def rms_norm_residual(p: Rows) -> str:
    x = p.binary("add", p.matrix(), p.matrix())
    return p.text(p.stored(p.binary("mul", _scaled(p, x, x), p.vector())), p.stored(x))


def layer_norm(p: Rows) -> str:
    x = p.matrix()
    mean = p.binary("div", p.reduce("sum", x), p.number(p.length), p.once)
    d = p.binary("sub", x, p.spread(mean))
    y = p.binary("mul", _scaled(p, d, d), p.vector())
    return p.text(p.stored(p.binary("add", y, p.vector())))


def cross_entropy(p: Rows) -> str:
    """`log Σ exp x - x[target]`, where `x[target]` is the sum of the elements whose column equals the target."""
    x, target = p.matrix(), p.arg(f"{p.rows}x1", "si32")
    m = p.reduce("max", x)
    e = p.unary("exp", p.binary("sub", x, p.spread(m)))
    log = p.binary("add", p.unary("log", p.reduce("sum", e), p.once), m, p.once)
    ints = p.whole.replace("f32", "si32")
    at = p.add(f"ptir.iota axis 1 : {ints}")
    wanted = p.add(f"ptir.broadcast_to {target} : tensor<{p.rows}x1xsi32> -> {ints}")
    hit = p.add(f"ptir.compare eq {at}, {wanted} : {ints} -> {p.whole.replace('f32', 'i1')}")
    zero = p.spread(p.number(0))
    picked = p.add(f"ptir.select {hit}, {x}, {zero} : {p.whole.replace('f32', 'i1')}, {p.whole}")
    return p.text((p.binary("sub", log, p.reduce("sum", picked), p.once), p.once))


PROGRAMS: dict[str, Callable[[Rows], str]] = {
    f.__name__: f for f in (softmax, rms_norm, rms_norm_residual, layer_norm, cross_entropy)
}
