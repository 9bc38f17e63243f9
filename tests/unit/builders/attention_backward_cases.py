"""The backward pass of attention as programs of `ptir` ops, and its results in f64 by NumPy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.grid.machines import NUMPY
from tests.unit.builders.attention_cases import Case

Array = Any


@dataclass(frozen=True)
class BackwardCase(Case):
    """
    The gradients of attention. Its weights are computed again from the scores: by a softmax, or, with `given`, relative to `lse`, the
    logarithm of the sum of the exponentials of each row, which is an argument then, as is the result `o` of the attention. The row sums
    are those of weights and their gradients, or, with `given`, of `o` and its gradient. With `forward`, the program also computes `o` and,
    unless it takes the weights as they are, `lse`, and returns `o` first.
    """

    given: bool = True
    forward: bool = False

    def array_shape(self, name: str) -> tuple[int, ...]:
        if name == "lse":
            return self.batch, self.heads, self.group, self.queries, 1
        return super().array_shape({"o": "y", "do": "y", "dq": "q", "dk": "k", "dv": "v"}.get(name, name))

    def element(self, name: str) -> str:
        return "f32" if name == "lse" else super().element(name)

    @property
    def names(self) -> list[str]:
        return [*super().names, "do", *(["o", "lse"] if self.given and not self.forward else [])]

    # --- arrays -----------------------------------------------------------------------------------

    def arrays(self, spread: float = 1.0) -> list[Array]:
        rng = np.random.default_rng(self.queries)
        of_forward = Case(**{name: getattr(self, name) for name in Case.__dataclass_fields__})
        arrays = of_forward.arrays(spread)
        given = dict(zip(of_forward.names, arrays, strict=True))
        made = [rng.standard_normal(self.array_shape("do")).astype(NUMPY[self.dtype])]
        if self.given and not self.forward:
            x, _, v = self.scored(given)
            most = np.maximum(x.max(-1, keepdims=True), -1e30)
            sums = np.exp(x - most).sum(-1, keepdims=True)
            made.append(self.ordered(np.exp(x - most) / np.maximum(sums, 1e-30) @ v).astype(NUMPY[self.dtype]))
            made.append((most + np.log(np.maximum(sums, 1e-30))).astype(np.float32))
        return [*arrays, *made]

    def ordered(self, x: Array) -> Array:
        """Returns an array of batch, heads, group, positions, elements in the order of the arguments."""
        return np.ascontiguousarray(x.transpose(0, 3, 1, 2, 4)) if self.heads_last else x

    def scored(self, given: dict[str, Array]) -> tuple[Array, Array, Array]:
        """Returns the masked scores, their derivatives by the products of queries and keys, and the values, in f64."""
        q, k, v = (given[name].astype(np.float64) for name in "qkv")
        if self.heads_last:
            q, k, v = (x.transpose(0, 2, 3, 1, 4) for x in (q, k, v))
        s = q @ k.swapaxes(-1, -2) * self.scale
        slope = np.full_like(s, self.scale)
        if self.cap:
            s = self.cap * np.tanh(s / self.cap)
            slope = slope * (1 - (s / self.cap) ** 2)
        if self.bias == "alibi":
            s = s + (np.arange(self.keys)[None, :] - np.arange(self.queries)[:, None]) * 0.125
        if self.bias == "tensor":
            s = s + given["bias"].astype(np.float64)[None, :, None]
        return np.where(self.kept(given), s, -np.inf if self.fill == "added" else float(self.fill)), slope, v

    def expected(self, *arrays: Array) -> tuple[Array, ...]:
        """Returns the gradients of queries, keys and values in f64."""
        given = dict(zip(self.names, arrays, strict=True))
        x, slope, v = self.scored(given)
        q, k, do = (given[name].astype(np.float64) for name in ("q", "k", "do"))
        if self.heads_last:
            q, k, do = (x.transpose(0, 2, 3, 1, 4) for x in (q, k, do))
        with np.errstate(invalid="ignore"):
            if "lse" in given:
                p = np.exp(x - given["lse"].astype(np.float64))
            else:
                p = np.exp(x - x.max(-1, keepdims=True))
                p = p / p.sum(-1, keepdims=True)
            dp = do @ v.swapaxes(-1, -2)
            if "o" in given:
                o = given["o"].astype(np.float64)
                sums = (do * (o.transpose(0, 2, 3, 1, 4) if self.heads_last else o)).sum(-1, keepdims=True)
            else:
                sums = (p * dp).sum(-1, keepdims=True)
            ds = p * (dp - sums) * slope
            dk, dv = (ds.swapaxes(-1, -2) @ q).sum(2, keepdims=True), (p.swapaxes(-1, -2) @ do).sum(2, keepdims=True)
            return tuple(map(self.ordered, (*([p @ v] if self.forward else []), ds @ k, dk, dv)))

    # --- the program ------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        b, h, g, n, m, d, c = self.batch, self.heads, self.group, self.queries, self.keys, self.size, self.columns
        forward = super().text
        head, _, _ = forward.partition("  %max = ")
        found = re.search(r"%max = ptir.reduce max (%\w+)", forward)
        assert found is not None
        x, lines = found[1], list[str]()
        full, f, r = (self.tensor(shape, "f32") for shape in ((b, h, g, n, m), (b, h, g, n, c), (b, h, g, n, 1)))
        low, do, k = (self.tensor(shape, self.dtype) for shape in ((b, h, g, n, m), (b, h, g, n, c), (b, h, g, m, d)))
        q, v = self.tensor((b, h, g, n, d), self.dtype), self.tensor((b, h, g, m, c), self.dtype)
        lines += self.moved("do", "dox", (b, h, g, n, c)) + self.moved("v", "vx", (b, h, g, m, c))
        if self.forward or not self.given:
            tail = forward[len(head) : forward.index("  %pb = ")]
            lines += [line.strip() for line in tail.splitlines() if not line.startswith("  %v")]
        batch, both = "batch [0, 1, 2] x [0, 1, 2]", "batch [0, 1] x [0, 1] contract [2, 3] x [2, 3] accum f32 out f32"
        if self.forward:
            first = "%p0" if self.given else "%p"
            lines[-1] = lines[-1].replace("%p =", f"{first} =")
            lines += [
                f"%p0b = ptir.cast {first} : {full} -> {low}",
                f"%o0 = ptir.dot_general %p0b, %vx {batch} contract [4] x [3] accum f32 out f32 : ({low}, {v}) -> {f}",
                f"%ox = ptir.cast %o0 : {f} -> {do}",
            ]
        if self.forward and self.given:
            lines += [f"%logs = ptir.log %sum : {r}", f"%lse = ptir.add %max, %logs : {r}"]
        if self.given:
            lines += [] if self.forward else self.moved("o", "ox", (b, h, g, n, c))
            lines += [
                f"%lsex = ptir.broadcast_to %lse : {r} -> {full}",
                f"%shifted = ptir.sub {x}, %lsex : {full}",
                f"%p = ptir.exp %shifted : {full}",
            ]
        dkt, dvt = self.tensor((b, h, m, d), "f32"), self.tensor((b, h, m, c), "f32")
        lines += [
            f"%pb = ptir.cast %p : {full} -> {low}",
            f"%dv0 = ptir.dot_general %pb, %dox {both} : ({low}, {do}) -> {dvt}",
            f"%dp = ptir.dot_general %dox, %vx {batch} contract [4] x [4] accum f32 out f32 : ({do}, {v}) -> {full}",
        ]
        if self.given:
            lines += [
                f"%dof = ptir.cast %dox : {do} -> {f}",
                f"%of = ptir.cast %ox : {do} -> {f}",
                f"%prod = ptir.mul %dof, %of : {f}",
                f"%rows = ptir.reduce sum %prod axes [4] keepdims : {f} -> {r}",
            ]
        else:
            lines += [
                f"%prod = ptir.mul %p, %dp : {full}",
                f"%rows = ptir.reduce sum %prod axes [4] keepdims : {full} -> {r}",
            ]
        lines += [
            f"%rowsx = ptir.broadcast_to %rows : {r} -> {full}",
            f"%diff = ptir.sub %dp, %rowsx : {full}",
            f"%ds0 = ptir.mul %p, %diff : {full}",
        ]
        ds = "%ds0"
        if self.cap:  # the third op on the scores is the hyperbolic tangent
            tanh = re.search(r"(%\w+) = ptir.tanh", forward)
            assert tanh is not None
            lines += [
                f"%one = ptir.constant dense<1.0> : {full}",
                f"%square = ptir.mul {tanh[1]}, {tanh[1]} : {full}",
                f"%slopes = ptir.sub %one, %square : {full}",
                f"%ds1 = ptir.mul %ds0, %slopes : {full}",
            ]
            ds = "%ds1"
        lines += [
            f"%dsb = ptir.cast {ds} : {full} -> {low}",
            f"%dq0 = ptir.dot_general %dsb, %kx {batch} contract [4] x [3] accum f32 out f32 : ({low}, {k}) -> {self.tensor((b, h, g, n, d), 'f32')}",
            f"%dk0 = ptir.dot_general %dsb, %qx {both} : ({low}, {q}) -> {dkt}",
        ]
        results: list[str] = []
        for name, scaled in (("dq", True), ("dk", True), ("dv", False)):
            here, shape = f"%{name}0", (b, h, g, n, d) if name == "dq" else (b, h, m, c if name == "dv" else d)
            t = self.tensor(shape, "f32")
            if scaled:
                lines.append(f"%{name}c = ptir.constant dense<{self.scale!r}> : {t}")
                lines.append(f"%{name}1 = ptir.mul {here}, %{name}c : {t}")
                here = f"%{name}1"
            to = self.tensor(shape, self.dtype)
            lines.append(f"%{name}2 = ptir.cast {here} : {t} -> {to}")
            five = shape if name == "dq" else (b, h, 1, *shape[2:])
            if five != shape:
                lines.append(f"%{name}3 = ptir.reshape %{name}2 : {to} -> {self.tensor(five, self.dtype)}")
            else:
                lines.append(f"%{name}3 = ptir.reshape %{name}2 : {to} -> {to}")
            if self.heads_last:
                out = self.tensor(self.array_shape(name), self.dtype)
                lines.append(
                    f"%{name} = ptir.transpose %{name}3 [0, 3, 1, 2, 4] : {self.tensor(five, self.dtype)} -> {out}"
                )
                results.append(f"%{name}")
            else:
                results.append(f"%{name}3")
        if self.forward:
            y = self.tensor(self.array_shape("y"), self.dtype)
            lines += [f"%y = ptir.transpose %ox [0, 3, 1, 2, 4] : {do} -> {y}"] if self.heads_last else []
            results.insert(0, "%y" if self.heads_last else "%ox")
        args = ", ".join(f"%{a}: {self.tensor(self.array_shape(a), self.element(a))}" for a in self.names)
        outs = ", ".join(
            self.tensor(self.array_shape(name), self.dtype) for name in (*["y"] * self.forward, "dq", "dk", "dv")
        )
        body = head[head.index("{\n", head.index("func.func")) + 2 :] + "".join(f"  {line}\n" for line in lines)
        function = (
            f"func.func @backward({args}) -> ({outs}) {{\n{body}  func.return {', '.join(results)} : {outs}\n}}\n"
        )
        return f"builtin.module attributes {{ptir.extensions}} {{\n{function}}}\n"

    def moved(self, name: str, to: str, shape: tuple[int, ...]) -> list[str]:
        """Returns the ops that transpose and broadcast an argument to batch, heads, group, positions, elements."""
        lines, t, at = list[str](), self.tensor(self.array_shape(name), self.dtype), f"%{name}"
        if self.heads_last:
            now = self.tensor(tuple(self.array_shape(name)[a] for a in (0, 2, 3, 1, 4)), self.dtype)
            lines.append(f"%{name}t = ptir.transpose {at} [0, 2, 3, 1, 4] : {t} -> {now}")
            t, at = now, f"%{name}t"
        return [*lines, f"%{to} = ptir.broadcast_to {at} : {t} -> {self.tensor(shape, self.dtype)}"]
