"""
Writes `block.mlir`: one block of GPT-2 (124M) in PTIR, batch 1, 128 tokens of 768 features, 12 heads, f32.

    python examples/gpt2_block/make.py

Attention is in the contract's canonical form (*Canonical attention*): keys transposed, scores scaled, a mask of 0 and -Inf
added, the stable softmax, all in f32. `reference.py` is the same block by hand.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

BATCH, TOKENS, FEATURES, HEADS = 1, 128, 768, 12
HEAD = FEATURES // HEADS
EPSILON = 1e-5
PARAMETERS = {
    "ln1_g": (FEATURES,),
    "ln1_b": (FEATURES,),
    "qkv_w": (FEATURES, 3 * FEATURES),
    "qkv_b": (3 * FEATURES,),
    "out_w": (FEATURES, FEATURES),
    "out_b": (FEATURES,),
    "ln2_g": (FEATURES,),
    "ln2_b": (FEATURES,),
    "up_w": (FEATURES, 4 * FEATURES),
    "up_b": (4 * FEATURES,),
    "down_w": (4 * FEATURES, FEATURES),
    "down_b": (FEATURES,),
}
"""Name to shape, in the order of the function's arguments after `x`."""
INPUT = (BATCH, TOKENS, FEATURES)
PLACE = Path(__file__).resolve().parent / "block.mlir"
Shape = Sequence[int]


def tensor(shape: Shape, dtype: str = "f32") -> str:
    return f"tensor<{''.join(f'{n}x' for n in shape)}{dtype}>"


@dataclass
class Text:
    """Lines of a function; each method writes an op and gives the name of its result."""

    lines: list[str] = field(default_factory=list)

    def op(self, name: str, text: str) -> str:
        self.lines.append(f"  %{name} = {text}")
        return name

    def unary(self, name: str, fn: str, x: str, shape: Shape) -> str:
        return self.op(name, f"ptir.{fn} %{x} : {tensor(shape)}")

    def binary(self, name: str, fn: str, x: str, y: str, shape: Shape) -> str:
        return self.op(name, f"ptir.{fn} %{x}, %{y} : {tensor(shape)}")

    def number(self, name: str, value: float, shape: Shape) -> str:
        self.op(f"{name}_0", f"ptir.constant dense<{value!r}> : tensor<f32>")
        return self.spread(name, f"{name}_0", (), shape)

    def spread(self, name: str, x: str, old: Shape, new: Shape) -> str:
        return self.op(name, f"ptir.broadcast_to %{x} : {tensor(old)} -> {tensor(new)}")

    def linear(self, name: str, x: str, parameters: str, old: int, new: int) -> str:
        weight, out = (old, new), (BATCH, TOKENS, new)
        self.op(
            f"{name}_xw",
            f"ptir.dot_general %{x}, %{parameters}_w contract [2] x [0] accum f32 out f32\n"
            f"     : ({tensor((BATCH, TOKENS, old))}, {tensor(weight)}) -> {tensor(out)}",
        )
        self.spread(f"{name}_bias", f"{parameters}_b", (new,), out)
        return self.binary(name, "add", f"{name}_xw", f"{name}_bias", out)

    def norm(self, name: str, x: str, parameters: str) -> str:
        axis = f"axis -1 epsilon {EPSILON:e} : {tensor(INPUT)}, {tensor((FEATURES,))}"
        return self.op(name, f"ptir.layer_norm %{x}, %{parameters}_g, %{parameters}_b {axis}")

    def heads(self, name: str, qkv: str, part: int) -> str:
        """Queries, keys or values as [B, H, S, D]."""
        whole, flat, split = (BATCH, TOKENS, 3 * FEATURES), (BATCH, TOKENS, FEATURES), (BATCH, TOKENS, HEADS, HEAD)
        self.op(f"{name}_f", f"ptir.slice %{qkv} [0, 0, {part * FEATURES}] : {tensor(whole)} -> {tensor(flat)}")
        self.op(f"{name}_s", f"ptir.reshape %{name}_f : {tensor(flat)} -> {tensor(split)}")
        moved = tensor((BATCH, HEADS, TOKENS, HEAD))
        return self.op(name, f"ptir.transpose %{name}_s [0, 2, 1, 3] : {tensor(split)} -> {moved}")


def attention(t: Text, x: str) -> str:
    """Causal self-attention with its output projection."""
    rows, keys = (BATCH, HEADS, TOKENS, HEAD), (BATCH, HEADS, HEAD, TOKENS)
    scores, sums, square = (BATCH, HEADS, TOKENS, TOKENS), (BATCH, HEADS, TOKENS, 1), (TOKENS, TOKENS)
    t.linear("qkv", x, "qkv", FEATURES, 3 * FEATURES)
    for part, name in enumerate(("q", "k", "v")):
        t.heads(name, "qkv", part)
    t.op("kt", f"ptir.transpose %k [0, 1, 3, 2] : {tensor(rows)} -> {tensor(keys)}")
    form = "batch [0, 1] x [0, 1] contract [3] x [2] accum f32 out f32"
    t.op("raw", f"ptir.dot_general %q, %kt {form}\n     : ({tensor(rows)}, {tensor(keys)}) -> {tensor(scores)}")
    t.number("scale", 1 / math.sqrt(HEAD), scores)
    t.binary("scaled", "mul", "raw", "scale", scores)
    t.op("query", f"ptir.iota axis 0 : {tensor(square, 'si32')}")
    t.op("key", f"ptir.iota axis 1 : {tensor(square, 'si32')}")
    t.op("seen", f"ptir.compare ge %query, %key : {tensor(square, 'si32')} -> {tensor(square, 'i1')}")
    t.number("zero", 0.0, square)
    t.op("never_0", 'ptir.constant dense<"0x000080FF"> : tensor<f32>')
    t.spread("never", "never_0", (), square)
    t.op("mask_0", f"ptir.select %seen, %zero, %never : {tensor(square, 'i1')}, {tensor(square)}")
    t.spread("mask", "mask_0", square, scores)
    t.binary("z", "add", "scaled", "mask", scores)
    for name, kind, of in (("m", "max", "z"), ("s", "sum", "e")):
        reduced = "axes [3] keepdims accum f32 out f32"
        t.op(f"{name}_0", f"ptir.reduce {kind} %{of} {reduced} : {tensor(scores)} -> {tensor(sums)}")
        t.spread(name, f"{name}_0", sums, scores)
        if name == "m":
            t.binary("d", "sub", "z", "m", scores)
            t.unary("e", "exp", "d", scores)
    t.binary("p", "div", "e", "s", scores)
    t.op("mixed", f"ptir.dot_general %p, %v {form}\n     : ({tensor(scores)}, {tensor(rows)}) -> {tensor(rows)}")
    back = (BATCH, TOKENS, HEADS, HEAD)
    t.op("mixed_t", f"ptir.transpose %mixed [0, 2, 1, 3] : {tensor(rows)} -> {tensor(back)}")
    t.op("joined", f"ptir.reshape %mixed_t : {tensor(back)} -> {tensor(INPUT)}")
    return t.linear("attended", "joined", "out", FEATURES, FEATURES)


def gelu(t: Text, x: str, shape: Shape) -> str:
    """GPT-2's: x / 2 · (1 + tanh(√(2/π) (x + 0.044715 x³)))."""
    t.binary("x2", "mul", x, x, shape)
    t.binary("x3", "mul", "x2", x, shape)
    t.number("c3", 0.044715, shape)
    t.binary("cubic", "mul", "x3", "c3", shape)
    t.binary("inner", "add", x, "cubic", shape)
    t.number("c1", math.sqrt(2 / math.pi), shape)
    t.binary("argument", "mul", "inner", "c1", shape)
    t.unary("bend", "tanh", "argument", shape)
    t.number("one", 1.0, shape)
    t.binary("gate", "add", "bend", "one", shape)
    t.number("half", 0.5, shape)
    t.binary("halved", "mul", x, "half", shape)
    return t.binary("active", "mul", "halved", "gate", shape)


def block() -> list[str]:
    """The lines of a block: `%x` goes in, `%y` comes out."""
    t = Text()
    attended = attention(t, t.norm("normed", "x", "ln1"))
    middle = t.binary("middle", "add", "x", attended, INPUT)
    up = t.linear("up", t.norm("normed2", middle, "ln2"), "up", FEATURES, 4 * FEATURES)
    down = t.linear("down", gelu(t, up, (BATCH, TOKENS, 4 * FEATURES)), "down", 4 * FEATURES, FEATURES)
    t.binary("y", "add", middle, down, INPUT)
    return t.lines


def text(layers: int = 1) -> str:
    """The module, of one block or of `layers`, one after the other; then names begin with the number of theirs."""

    def name(layer: int, plain: str) -> str:
        if plain == "x":
            return "x" if layer == 0 else name(layer - 1, "y")
        return plain if layers == 1 else f"l{layer}.{plain}"

    of = range(layers)
    arguments = {"x": INPUT} | {name(k, p): shape for k in of for p, shape in PARAMETERS.items()}
    spelt = ",\n    ".join(f"%{argument}: {tensor(shape)}" for argument, shape in arguments.items())
    lines = [
        "// Written by make.py.",
        'builtin.module attributes {ptir.spec_version = "ptir.v0.4"} {',
        f"func.func @block(\n    {spelt}) -> {tensor(INPUT)} {{",
        *(re.sub(r"%(\w+)", lambda m, k=k: f"%{name(k, m[1])}", line) for k in of for line in block()),
        f"  func.return %{name(layers - 1, 'y')} : {tensor(INPUT)}",
        "}",
        "}",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PLACE.write_text(text(), encoding="utf-8")
