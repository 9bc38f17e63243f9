"""The points: a random program of one family of kernels, and random changes to its plan. Operands are small integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.unit.builders.attention_cases import Case

ACCUM = {"bf16": "f32", "f16": "f32", "f32": "f32", "si8": "si32"}
SIZES = (1, 7, 16, 31, 32, 64, 100, 128, 130, 192)


@dataclass(frozen=True)
class PlanPoint:
    """A program whose last kernel is of `family`, the architecture, and the random numbers for its plan."""

    number: int
    family: str
    arch: str
    text: str
    random: Random


def product(random: Random) -> str:
    m, n, k = (random.choice(SIZES) for _ in "mnk")
    dtype = random.choice(tuple(ACCUM))
    accum = ACCUM[dtype]
    x, w, y = f"tensor<{m}x{k}x{dtype}>", f"tensor<{k}x{n}x{dtype}>", f"tensor<{m}x{n}x{accum}>"
    args, lines = [f"%x: {x}", f"%w: {w}"], []
    lines.append(f"%0 = ptir.dot_general %x, %w contract [1] x [0] accum {accum} out {accum} : ({x}, {w}) -> {y}")
    last = "%0"
    for step in random.sample(("bias", "residual", "abs"), random.randint(0, 3)):
        match step:
            case "bias":
                args.append(f"%b: tensor<{n}x{accum}>")
                lines += [
                    f"%bs = ptir.broadcast_to %b : tensor<{n}x{accum}> -> {y}",
                    f"%c = ptir.add {last}, %bs : {y}",
                ]
                last = "%c"
            case "residual":
                args.append(f"%r: {y}")
                lines.append(f"%d = ptir.add {last}, %r : {y}")
                last = "%d"
            case _:
                lines.append(f"%e = ptir.abs {last} : {y}")
                last = "%e"
    return function(args, lines, last, y)


def convolution(random: Random) -> str:
    images, size, channels, filters = (
        random.choice((1, 2)),
        random.choice((4, 7, 8)),
        *random.choices((8, 16, 32, 64), k=2),
    )
    x, w = f"tensor<{images}x{size}x{size}x{channels}xbf16>", f"tensor<3x3x{channels}x{filters}xbf16>"
    y = f"tensor<{images}x{size}x{size}x{filters}xf32>"
    op = f"%0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : ({x}, {w}) -> {y}"
    return f"builtin.module attributes {{ptir.extensions}} {{\n{function([f'%x: {x}', f'%w: {w}'], [op], '%0', y)}\n}}"


def rows(random: Random) -> str:
    m, n = random.choice((1, 5, 32, 60)), random.choice((33, 64, 500, 1024, 2048))
    x, s = f"tensor<{m}x{n}xf32>", f"tensor<{m}x1xf32>"
    how = random.choice(("sum", "max"))
    lines = [f"%0 = ptir.reduce {how} %x axes [1] keepdims : {x} -> {s}", f"%1 = ptir.broadcast_to %0 : {s} -> {x}"]
    return function([f"%x: {x}"], [*lines, f"%2 = ptir.sub %x, %1 : {x}"], "%2", x)


def columns(random: Random) -> str:
    m, n = random.choice((500, 1024, 3000)), random.choice((32, 64, 100, 256))
    x, s = f"tensor<{m}x{n}xf32>", f"tensor<{n}xf32>"
    return function([f"%x: {x}"], [f"%0 = ptir.reduce sum %x axes [0] : {x} -> {s}"], "%0", s)


def elementwise(random: Random) -> str:
    m, n = random.choice(SIZES), random.choice((*SIZES, 1000))
    x, b = f"tensor<{m}x{n}xf32>", f"tensor<{n}xf32>"
    lines = [f"%0 = ptir.broadcast_to %b : {b} -> {x}", f"%1 = ptir.mul %x, %0 : {x}", f"%2 = ptir.add %1, %x : {x}"]
    return function([f"%x: {x}", f"%b: {b}"], lines, "%2", x)


def attention(random: Random) -> str:
    return Case(random.choice((16, 64, 100)), random.choice((64, 100, 256)), random.choice((16, 32, 64))).text


def function(args: Sequence[str], lines: Sequence[str], result: str, kind: str) -> str:
    body = "\n".join(f"  {line}" for line in lines)
    return f"func.func @f({', '.join(args)}) -> {kind} {{\n{body}\n  func.return {result} : {kind}\n}}"


FAMILIES = {
    "product": product,
    "convolution": convolution,
    "rows": rows,
    "columns": columns,
    "elementwise": elementwise,
    "attention": attention,
}


def point(number: int, seed: int = 0) -> PlanPoint:
    """Returns the point with a number; products are more frequent, as they have the most fields."""
    random = Random(f"plans/{seed}/{number}")
    family = random.choice(("product", "product", "product", *FAMILIES))
    return PlanPoint(number, family, random.choice(("sm80", "sm90")), FAMILIES[family](random), random)


def changes(random: Random, plan: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns new values of fields of a plan, in random order; many of them are not legal, or not together."""
    axes = ("m.i.i", "n.i.i", "k.i.i")[: len(plan["tile"])]
    sizes = (8, 16, 32, 64, 128)
    tile = [random.choice((*sizes, side, side, side)) for side in plan["tile"]]
    fused = [{"axes": random.choice((["m.o", "n.o"], ["n.o", "m.o"])), "into": "tile"}]
    single = [{"tensor": tensor, "pingpong": False} for tensor in "AB"]
    warps = random.choice(({}, {"m.i.o": "warp.x", "n.i.o": "warp.y"}))
    pools: dict[str, Any] = {
        "tile": {
            "tile": tile,
            "warp_tile": f"{tile[0] // random.choice((1, 2, 4)) or 1}x{tile[1] // random.choice((1, 2, 4)) or 1}",
        },
        "stages": {"stages": random.randint(2, 6)},
        "cache": {"cache": single, "stages": 1, "local_edges": []},
        "split": {
            "split": random.randint(2, 5),
            "algo_choice": {"matmul": random.choice(("splitk_serial", "splitk_parallel"))},
        },
        "keys": {"split": 2, "algo_choice": {"attention": "split_kv"}},
        "stream": {"algo_choice": {"matmul": "stream_k"}},
        "bind": {"bind": {"m.o": "block.x", "n.o": "block.y", **warps}},
        "fuse": {"fuse": fused, "bind": {"tile": "block.x", **warps}},
        "reorder": {"reorder": random.choice((["n.o", "m.o"], ["m.o", "n.o"]))},
        "order": {"order": random.choice(("col", "grouped_2", "grouped_4"))},
        "unroll": {"unroll": {"k.o": random.randint(2, 5)}},
        "cluster": {"cluster": random.choice(([1, 2], [2, 1], [2, 2], [1, 4]))},
        "roles": {"roles": random.choice(("cooperative", "pingpong"))},
        "multiprocessors": {"multiprocessors": random.choice((1, 2, 3))},
        "vectorize": {"vectorize": {**plan["vectorize"], "width": random.choice((1, 2, 4, 8))}},
        "predicate_tail": {"predicate_tail": list(axes)},
        "swizzle": {"layout_hints": {**plan.get("layout_hints", {}), random.choice(("A_swizzle", "B_swizzle")): False}},
        "stride": {"layout_hints": {"C_stride": "col"}, "vectorize": {"axis": "m.i.i", "width": 4}},
        "edges": {"local_edges": random.choice(([], [{"from": tensor, "to": "sum", "depth": 2} for tensor in "AB"]))},
    }
    found = list(pools.values())
    random.shuffle(found)
    return found
