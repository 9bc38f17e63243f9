"""Attention as programs of `ptir` ops, and its results in f64 by NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.grid.machines import NUMPY

from .softmax_forms import FORMS, ops_of

Array = Any


@dataclass(frozen=True)
class Case:
    """
    Attention of `queries` to `keys` in `batch` x `heads` x `group` heads, of which `group` share their keys. `order` has the axes of the
    arrays: batch, heads, (group,) positions, elements. `mask`: none, causal, window, prefix (whose first keys all queries see), chunk (of 40
    positions), lengths, documents; `bias`: none, alibi, tensor. The quotient is that of the weights.
    """

    queries: int = 100
    keys: int = 100
    size: int = 64
    value_size: int = 0
    batch: int = 1
    heads: int = 1
    group: int = 1
    mask: str = "none"
    bias: str = "none"
    cap: float = 0.0
    dtype: str = "bf16"
    result: str = ""
    """The type of the result, if it is not `dtype`."""
    heads_last: bool = False
    reciprocal: bool = False
    window: int = 70
    fill: str = "-inf"
    """What masked scores are: -inf, or a number; or that -inf is added to them."""
    log_sums: bool = False
    """Whether the logarithms of the sums of exponentials of the scores are a second result, of batch, heads, group and queries."""
    also: str = ""
    """What else of batch, heads, group, queries and keys is a result, the last one: scores, weights, rounded weights, or sums over queries."""
    transposed: str = ""
    """The arrays among q, k and v of which elements of adjacent positions are contiguous."""
    scales_queries: bool = False
    """Whether the queries are multiplied by the scale, in their type, and not the scores."""
    rotates: str = ""
    """
    How queries are rotated by angles of their positions before: `halves` of heads, in the type of the queries, or `pairs` of elements,
    in f32. The cosines and the sines are arguments.
    """
    form: str = ""
    """The form of the softmax among `softmax_forms.FORMS`. With dropout, what it keeps is the last argument."""

    narrow: bool = False
    """Whether scores are rounded to `dtype`, in which the softmax is computed, without a form or a reciprocal."""

    @property
    def columns(self) -> int:
        return self.value_size or self.size

    def array_shape(self, name: str) -> tuple[int, ...]:
        b, h, g = self.batch, self.heads, self.group
        of = {
            "q": (b, h, g, self.queries, self.size),
            "k": (b, h, 1, self.keys, self.size),
            "v": (b, h, 1, self.keys, self.columns),
            "y": (b, h, g, self.queries, self.columns),
            "lengths": (b,),
            "documents": (max(self.queries, self.keys),),
            "bias": (h, self.queries, self.keys),
            "drop": (b, h, g, self.queries, self.keys),
            **dict.fromkeys(("cos", "sin"), (self.queries, self.size // 2)),
        }[name]
        return tuple(of[a] for a in self.order(name)) if name in ("q", "k", "v", "y") else of

    def order(self, name: str) -> tuple[int, ...]:
        """Returns the axes of an array among batch, heads, group, positions and elements, in the order in which it has them."""
        axes = (0, 3, 1, 2, 4) if self.heads_last else (0, 1, 2, 3, 4)
        return tuple({3: 4, 4: 3}.get(a, a) for a in axes) if name in self.transposed else axes

    def inverse_order(self, name: str) -> list[int]:
        return [self.order(name).index(axis) for axis in range(5)]

    @property
    def names(self) -> list[str]:
        further = {"lengths": ["lengths"], "documents": ["documents"]}.get(self.mask, [])
        bias, drop = self.bias == "tensor", self.form.startswith("dropout")
        tables = ["cos", "sin"] if self.rotates else []
        return ["q", "k", "v", *further, *(["bias"] if bias else []), *(["drop"] if drop else []), *tables]

    def element(self, name: str) -> str:
        return {"lengths": "si32", "documents": "si32", "bias": "f32", "cos": "f32", "sin": "f32", "drop": "i1"}.get(
            name, self.dtype
        )

    def arrays(self, spread: float = 1.0) -> list[Array]:
        rng = np.random.default_rng(self.queries * 1000 + self.keys)
        made: dict[str, Array] = {}
        for name in self.names:
            shape = self.array_shape(name)
            if name == "lengths":
                made[name] = rng.integers(1, self.keys + 1, shape).astype(np.int32)
            elif name == "documents":
                made[name] = np.sort(rng.integers(0, 3, shape)).astype(np.int32)
            elif name == "drop":
                made[name] = rng.random(shape) < 0.8
            elif name in ("cos", "sin"):
                turn, angles = (
                    getattr(np, name),
                    np.arange(shape[0])[:, None] / 100.0 ** (np.arange(shape[1]) / shape[1]),
                )
                made[name] = turn(angles).astype(np.float32)
            else:
                x = rng.standard_normal(shape) * (1.0 if name in ("v", "bias") else spread)
                made[name] = x.astype(np.float32 if name == "bias" else NUMPY[self.dtype])
        return list(made.values())

    # --- the result -------------------------------------------------------------------------------

    def kept(self, further: dict[str, Array], queries: Array | None = None) -> Array:
        """
        Returns which scores of `queries`, by default of all, are kept, as an array that broadcasts to batch, heads, group, queries, keys.
        """
        q, k = (np.arange(self.queries) if queries is None else queries)[:, None], np.arange(self.keys)[None, :]
        match self.mask:
            case "causal":
                return k <= q
            case "window":
                return (k <= q) & (k > q - self.window)
            case "prefix":
                return (k <= q) | (k < 30)
            case "chunk":
                return (k // 40) == (q // 40)
            case "lengths":
                return k < further["lengths"][:, None, None, None, None]
            case "documents":
                ids = further["documents"]
                return ids[q] == ids[k]
            case _:
                return np.ones((len(q), self.keys), bool)

    def scores(self, *arrays: Array, queries: Array | None = None) -> Array:
        """Returns the scores of `queries`, by default of all; all batches and heads have these."""
        if queries is None:
            queries = np.arange(self.queries)
        given = dict(zip(self.names, arrays, strict=True))
        q, k = (given[name].astype(np.float64).transpose(self.inverse_order(name)) for name in "qk")
        if self.rotates:
            q = self.rotated(q, given["cos"], given["sin"])
        if self.scales_queries:
            q, k = (q * self.number(self.scale)).astype(NUMPY[self.dtype]).astype(np.float64), k / self.scale
        s = q[..., queries, :] @ k.swapaxes(-1, -2) * self.scale
        if self.cap:
            s = self.cap * np.tanh(s / self.cap)
        if self.bias == "alibi":
            s = s + (np.arange(self.keys)[None, :] - queries[:, None]) * 0.125
        if self.bias == "tensor":
            s = s + given["bias"][None, :, None, queries].astype(np.float64)
        s = np.where(self.kept(given, queries), s, -np.inf if self.fill == "added" else float(self.fill))
        return s.astype(NUMPY[self.dtype]).astype(np.float64) if self.narrow else s

    def rotated(self, q: Array, cos: Array, sin: Array) -> Array:
        """Returns the rotated queries, rounded as in the program."""
        cos, sin, dtype = cos.astype(np.float64), sin.astype(np.float64), NUMPY[self.dtype]
        if self.rotates == "pairs":
            a, b = q[..., ::2], q[..., 1::2]
            both = np.stack([a * cos - b * sin, b * cos + a * sin], -1)
            return both.reshape(q.shape).astype(dtype).astype(np.float64)
        half, turned = self.size // 2, list[Array]()
        for x, table in ((q, cos), (np.concatenate([-q[..., half:], q[..., :half]], -1), sin)):
            wide = np.concatenate([table, table], -1).astype(dtype).astype(np.float64)
            turned.append((x * wide).astype(dtype).astype(np.float64))
        return sum(turned).astype(dtype).astype(np.float64)

    def expected(self, *arrays: Array, queries: Array | None = None) -> Array:
        """Returns the results of `queries`, by default of all."""
        s, v = self.scores(*arrays, queries=queries), arrays[2].astype(np.float64).transpose(self.inverse_order("v"))
        given = dict(zip(self.names, arrays, strict=True))
        with np.errstate(invalid="ignore"):
            if self.form:
                y = FORMS[self.form].weights(s, self.kept(given, queries), given.get("drop")) @ v
            else:
                p = np.exp(s - s.max(-1, keepdims=True))
                y = (p / p.sum(-1, keepdims=True)) @ v
        return y.transpose(self.order("y"))

    def expected_log_sums(self, *arrays: Array) -> Array:
        s = self.scores(*arrays)
        with np.errstate(invalid="ignore"):
            m = s.max(-1)
            return m + np.log(np.exp(s - m[..., None]).sum(-1))

    def expected_also(self, *arrays: Array) -> Array:
        """Returns the further result, in f64."""
        s, given = self.scores(*arrays), dict(zip(self.names, arrays, strict=True))
        if self.also == "scores":
            return np.broadcast_to(s, (self.batch, self.heads, self.group, self.queries, self.keys))
        with np.errstate(invalid="ignore"):
            if self.form:
                p = FORMS[self.form].weights(s, self.kept(given), given.get("drop"))
            else:
                p = np.exp(s - s.max(-1, keepdims=True))
                p /= p.sum(-1, keepdims=True)
        return p.sum(-2) if self.also == "sums over queries" else p

    @property
    def scale(self) -> float:
        return float(np.float32(self.size**-0.5))

    def number(self, number: float) -> float:
        """Returns a number as rounded to the type of the arrays."""
        return float(NUMPY[self.dtype](number))

    # --- the program ------------------------------------------------------------------------------

    def tensor(self, shape: tuple[int, ...], dtype: str) -> str:
        return f"tensor<{''.join(f'{n}x' for n in shape)}{dtype}>"

    def rotation(self, full: tuple[int, ...]) -> list[str]:
        """Returns the lines that compute the rotated queries %qr of the shape `full` from %qx, %cos and %sin."""
        *outer, n, size = full
        half, of_pairs = size // 2, (*outer, n, size // 2, 2)
        q, part, table = self.tensor(full, self.dtype), self.tensor((*outer, n, half), self.dtype), (n, half)
        lines = list[str]()
        if self.rotates == "halves":
            double, narrow = self.tensor((n, size), "f32"), self.tensor((n, size), self.dtype)
            tables = self.tensor(table, "f32")
            for name in ("cos", "sin"):
                lines += [
                    f"%{name}2 = ptir.concat %{name}, %{name} axis 1 : ({tables}, {tables}) -> {double}",
                    f"%{name}n = ptir.cast %{name}2 : {double} -> {narrow}",
                    f"%{name}x = ptir.broadcast_to %{name}n : {narrow} -> {q}",
                ]
            return [
                *lines,
                f"%qa = ptir.slice %qx [0, 0, 0, 0, 0] : {q} -> {part}",
                f"%qb = ptir.slice %qx [0, 0, 0, 0, {half}] : {q} -> {part}",
                f"%qn = ptir.neg %qb : {part}",
                f"%qh = ptir.concat %qn, %qa axis 4 : ({part}, {part}) -> {q}",
                f"%qe = ptir.mul %qx, %cosx : {q}",
                f"%qo = ptir.mul %qh, %sinx : {q}",
                f"%qr = ptir.add %qe, %qo : {q}",
            ]
        wide, pairs, one = (self.tensor(s, "f32") for s in (full, of_pairs, (*outer, n, half, 1)))
        lines += [f"%qf = ptir.cast %qx : {q} -> {wide}", f"%qp = ptir.reshape %qf : {wide} -> {pairs}"]
        for number, name in enumerate("ab"):
            lines.append(f"%q{name} = ptir.slice %qp [0, 0, 0, 0, 0, {number}] : {pairs} -> {one}")
        for name in ("cos", "sin"):
            lines.append(
                f"%{name}r = ptir.reshape %{name} : {self.tensor(table, 'f32')} -> {self.tensor((*table, 1), 'f32')}"
            )
            lines.append(f"%{name}x = ptir.broadcast_to %{name}r : {self.tensor((*table, 1), 'f32')} -> {one}")
        products = [("ac", "a", "cos"), ("bs", "b", "sin"), ("bc", "b", "cos"), ("as", "a", "sin")]
        return [
            *lines,
            *(f"%q{name} = ptir.mul %q{x}, %{y}x : {one}" for name, x, y in products),
            f"%qe = ptir.sub %qac, %qbs : {one}",
            f"%qo = ptir.add %qbc, %qas : {one}",
            f"%qy = ptir.concat %qe, %qo axis 5 : ({one}, {one}) -> {pairs}",
            f"%qz = ptir.reshape %qy : {pairs} -> {wide}",
            f"%qr = ptir.cast %qz : {wide} -> {q}",
        ]

    @property
    def text(self) -> str:
        b, h, g, n, m = self.batch, self.heads, self.group, self.queries, self.keys
        lines: list[str] = []
        full, flat = (b, h, g, n, m), (n, m)
        f, i, p = self.tensor(full, "f32"), self.tensor(flat, "si32"), self.tensor(full, "i1")
        args = ", ".join(f"%{a}: {self.tensor(self.array_shape(a), self.element(a))}" for a in self.names)

        def moved(name: str, shape: tuple[int, ...]) -> str:
            """Transposes and broadcasts an argument to batch, heads, group, positions, elements, and returns its type."""
            t, at = self.tensor(self.array_shape(name), self.dtype), f"%{name}"
            if (axes := self.inverse_order(name)) != sorted(axes):
                to = self.tensor(tuple(self.array_shape(name)[a] for a in axes), self.dtype)
                lines.append(f"%{name}t = ptir.transpose {at} {axes} : {t} -> {to}")
                t, at = to, f"%{name}t"
            to = self.tensor(shape, self.dtype)
            lines.append(f"%{name}x = ptir.broadcast_to {at} : {t} -> {to}")
            return to

        q, k = moved("q", (b, h, g, n, self.size)), moved("k", (b, h, g, m, self.size))
        batch, left = "batch [0, 1, 2] x [0, 1, 2]", "%qx"
        if self.rotates:
            left = "%qr"
            lines += self.rotation((b, h, g, n, self.size))
        if self.scales_queries:
            lines.append(f"%qc = ptir.constant dense<{self.number(self.scale)!r}> : {q}")
            lines.append(f"%qs = ptir.mul {left}, %qc : {q}")
            left = "%qs"
        lines.append(
            f"%s = ptir.dot_general {left}, %kx {batch} contract [4] x [4] accum f32 out f32 : ({q}, {k}) -> {f}"
        )
        x, count = "%s", 0

        def op(text: str) -> None:
            nonlocal x, count
            count += 1
            lines.append(f"%x{count} = {text} : {f}")
            x = f"%x{count}"

        def constant(number: str, t: str) -> str:
            nonlocal count
            count += 1
            lines.append(f"%c{count} = ptir.constant dense<{number}> : {t}")
            return f"%c{count}"

        if not self.scales_queries:
            op(f"ptir.mul {x}, {constant(repr(self.scale), f)}")
        if self.cap:
            op(f"ptir.mul {x}, {constant(repr(1 / self.cap), f)}")
            op(f"ptir.tanh {x}")
            op(f"ptir.mul {x}, {constant(repr(self.cap), f)}")
        lines.append(f"%i = ptir.iota axis 0 : {i}")
        lines.append(f"%j = ptir.iota axis 1 : {i}")
        if self.bias == "alibi":
            ff = self.tensor(flat, "f32")
            lines.append(f"%ji = ptir.sub %j, %i : {i}")
            lines.append(f"%jf = ptir.cast %ji : {i} -> {ff}")
            lines.append(f"%slope = ptir.constant dense<0.125> : {ff}")
            lines.append(f"%ramp = ptir.mul %jf, %slope : {ff}")
            lines.append(f"%ramps = ptir.broadcast_to %ramp : {ff} -> {f}")
            op(f"ptir.add {x}, %ramps")
        if self.bias == "tensor":
            t, one = self.tensor((h, n, m), "f32"), self.tensor((1, h, 1, n, m), "f32")
            lines.append(f"%biasr = ptir.reshape %bias : {t} -> {one}")
            lines.append(f"%biasx = ptir.broadcast_to %biasr : {one} -> {f}")
            op(f"ptir.add {x}, %biasx")
        if self.mask != "none":
            c = self.tensor(flat, "i1")
            compare = f"{i} -> {c}"
            if self.mask in ("causal", "window", "prefix"):
                lines.append(f"%le = ptir.compare le %j, %i : {compare}")
                keep = "%le"
                if self.mask == "window":
                    lines.append(f"%jw = ptir.add %j, {constant(str(self.window), i)} : {i}")
                    lines.append(f"%in = ptir.compare gt %jw, %i : {compare}")
                    lines.append(f"%both = ptir.and %le, %in : {c}")
                    keep = "%both"
                if self.mask == "prefix":
                    lines.append(f"%in = ptir.compare lt %j, {constant('30', i)} : {compare}")
                    lines.append(f"%both = ptir.or %le, %in : {c}")
                    keep = "%both"
            elif self.mask == "chunk":
                for name in "ij":
                    lines.append(f"%{name}c = ptir.div %{name}, {constant('40', i)} : {i}")
                lines.append(f"%same = ptir.compare eq %ic, %jc : {compare}")
                keep = "%same"
            elif self.mask == "documents":
                ids = self.tensor(self.array_shape("documents"), "si32")
                for name, count_, axis in (("di", n, (n, 1)), ("dj", m, (1, m))):
                    lines.append(f"%{name}s = ptir.slice %documents [0] : {ids} -> {self.tensor((count_,), 'si32')}")
                    lines.append(
                        f"%{name}r = ptir.reshape %{name}s : {self.tensor((count_,), 'si32')} -> {self.tensor(axis, 'si32')}"
                    )
                    lines.append(f"%{name} = ptir.broadcast_to %{name}r : {self.tensor(axis, 'si32')} -> {i}")
                lines.append(f"%same = ptir.compare eq %di, %dj : {compare}")
                keep = "%same"
            if self.mask == "lengths":
                ls, one, c = (self.tensor(t, d) for t, d in (((b,), "si32"), ((b, 1, 1, 1, 1), "si32"), (full, "i1")))
                wide = self.tensor(full, "si32")
                lines += [
                    f"%lr = ptir.reshape %lengths : {ls} -> {one}",
                    f"%lx = ptir.broadcast_to %lr : {one} -> {wide}",
                    f"%jx = ptir.broadcast_to %j : {i} -> {wide}",
                    f"%keep = ptir.compare lt %jx, %lx : {wide} -> {c}",
                ]
            else:
                lines.append(f"%keep = ptir.broadcast_to {keep} : {c} -> {p}")
            fill = "0xFF800000" if self.fill in ("-inf", "added") else self.fill
            lines.append(f"%none = ptir.constant dense<{fill}> : {f}")
            kept = constant("0.0", f) if self.fill == "added" else x
            lines.append(f"%xm = ptir.select %keep, {kept}, %none : {p}, {f}")
            if self.fill == "added":
                lines.append(f"%xa = ptir.add {x}, %xm : {f}")
            x = "%xa" if self.fill == "added" else "%xm"
        dtype = self.dtype if self.narrow else "f32"
        r = self.tensor((b, h, g, n, 1), dtype)
        if self.narrow:
            wide, f = f, self.tensor(full, dtype)
            lines.append(f"%xn = ptir.cast {x} : {wide} -> {f}")
            x = "%xn"
        if self.form:
            lines.append(f"%zero = ptir.constant dense<0.0> : {f}")
            lines.append(f"%zeros = ptir.constant dense<0.0> : {r}")
            lines += ops_of(self.form, x, full)
        else:
            lines += [
                f"%max = ptir.reduce max {x} axes [4] keepdims : {f} -> {r}",
                f"%maxx = ptir.broadcast_to %max : {r} -> {f}",
                f"%d = ptir.sub {x}, %maxx : {f}",
                f"%e = ptir.exp %d : {f}",
                f"%sum = ptir.reduce sum %e axes [4] keepdims : {f} -> {r}",
            ]
            if self.reciprocal:
                lines += [f"%inv = ptir.reciprocal %sum : {r}", f"%invx = ptir.broadcast_to %inv : {r} -> {f}"]
                lines.append(f"%p = ptir.mul %e, %invx : {f}")
            else:
                lines += [f"%sumx = ptir.broadcast_to %sum : {r} -> {f}", f"%p = ptir.div %e, %sumx : {f}"]
        pb, v = self.tensor(full, self.dtype), moved("v", (b, h, g, m, self.columns))
        o = self.tensor((b, h, g, n, self.columns), "f32")
        weights = "%p" if self.narrow else "%pb"
        lines += [
            *([] if self.narrow else [f"%pb = ptir.cast %p : {f} -> {pb}"]),
            f"%o = ptir.dot_general {weights}, %vx {batch} contract [4] x [3] accum f32 out f32 : ({pb}, {v}) -> {o}",
        ]
        result, out = "%o", o
        if self.heads_last:
            out = self.tensor(self.array_shape("y"), "f32")
            lines.append(f"%ot = ptir.transpose %o [0, 3, 1, 2, 4] : {o} -> {out}")
            result = "%ot"
        y = self.tensor(self.array_shape("y"), self.result or self.dtype)
        lines.append(f"%y = ptir.cast {result} : {out} -> {y}")
        found = {"%y": y}
        if self.log_sums:
            found["%lse"] = rows = self.tensor((b, h, g, n), "f32")
            lines += [f"%log = ptir.log %sum : {r}", f"%ml = ptir.add %max, %log : {r}"]
            lines.append(f"%lse = ptir.reshape %ml : {r} -> {rows}")
        match self.also:
            case "scores":
                found[x] = f
            case "weights":
                found["%p"] = f
            case "rounded weights":
                found["%pb"] = pb
            case "sums over queries":
                found["%ps"] = columns = self.tensor((b, h, g, m), "f32")
                lines.append(f"%ps = ptir.reduce sum %p axes [3] : {f} -> {columns}")
            case _:
                pass
        results, types = ", ".join(found), ", ".join(found.values())
        body = "\n".join(f"  {line}" for line in lines)
        function = f"func.func @attention({args}) -> ({types}) {{\n{body}\n  func.return {results} : {types}\n}}\n"
        return f"builtin.module attributes {{ptir.extensions}} {{\n{function}}}\n"
