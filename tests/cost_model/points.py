"""
The points of the campaign: small programs of each family of kernels. The family follows from the number, so that kernels with even numbers,
to which constants are fitted, are of the same families as the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tests.plan_grid.points import PlanPoint, columns, convolution, elementwise, function
from tests.unit.builders.attention_cases import Case

SIZES = (16, 32, 64, 96, 100, 128, 192, 250, 256, 512)
PRODUCTS = {
    "sm80": ("bf16", "f16", "si8", "f32", "f32 precision tf32", "f64"),
    "sm90": ("bf16", "f16", "si8", "f8E4M3FN", "f32 precision tf32"),
}
"""The element types of products, with what a tensor core needs to be told."""


def product(random: Random, arch: str) -> str:
    """A product with an epilogue of up to three ops; each operand may be transposed, and B may be computed from integers and scales."""
    m, n, k = (random.choice(SIZES) for _ in "mnk")
    dtype, _, how = random.choice(PRODUCTS[arch]).partition(" ")
    accum = {"si8": "si32", "f64": "f64"}.get(dtype, "f32")
    (ca, sx), (cb, sw) = random.choice(((1, (m, k)), (0, (k, m)))), random.choice(((0, (k, n)), (1, (n, k))))
    (x, w), y = (f"tensor<{a}x{b}x{dtype}>" for a, b in (sx, sw)), f"tensor<{m}x{n}x{accum}>"
    args, lines, right = [f"%x: {x}", f"%w: {w}"], [], "%w"
    if dtype == "bf16" and random.random() < 0.25:
        q = w.replace(dtype, "si8")
        args[1], right = f"%w: {q}", "%wc"
        lines.append(f"%wc = ptir.cast %w : {q} -> {w}")
    kinds = f"contract [{ca}] x [{cb}] accum {accum} out {accum}{' ' * bool(how)}{how}"
    lines.append(f"%0 = ptir.dot_general %x, {right} {kinds} : ({x}, {w}) -> {y}")
    names = ("bias", "residual", "abs") if accum == "si32" else ("bias", "residual", "abs", "tanh", "exp")
    return epilogue(random.sample(names, random.randint(0, 3)), args, lines, (m, n, accum))


def epilogue(names: Sequence[str], args: list[str], lines: list[str], of: tuple[int, int, str]) -> str:
    """Returns the function whose value `%0` passes the named ops."""
    (m, n, dtype), last = of, "%0"
    y, b = f"tensor<{m}x{n}x{dtype}>", f"tensor<{n}x{dtype}>"
    for name in names:
        if name in ("bias", "residual"):
            args.append(f"%{name}: {b if name == 'bias' else y}")
            added = f"%{name}"
            if name == "bias":
                added = "%wide"
                lines.append(f"%wide = ptir.broadcast_to %bias : {b} -> {y}")
            lines.append(f"%after_{name} = ptir.add {last}, {added} : {y}")
        else:
            lines.append(f"%after_{name} = ptir.{name} {last} : {y}")
        last = f"%after_{name}"
    return function(args, lines, last, y)


def rows(random: Random) -> str:
    """A softmax, a norm or a difference to the mean, of rows whose elements, or whose adjacent rows, are contiguous."""
    m, n = random.choice((1, 5, 32, 60)), random.choice((33, 64, 200, 500, 1024, 2048))
    along, dtype = (1, random.choice(("f32", "bf16"))) if random.random() < 0.7 else (0, "f32")
    m, n = (m, n) if along else (min(n, 256), max(m, 32))
    x, s = f"tensor<{m}x{n}x{dtype}>", f"tensor<{m}x1x{dtype}>" if along else f"tensor<1x{n}x{dtype}>"
    lines = list[str]()

    def reduced(how: str, value: str) -> str:
        name = f"%{how}{len(lines)}"
        accum = " accum f32" if how == "sum" and dtype != "f32" else ""
        lines.append(f"{name} = ptir.reduce {how} {value} axes [{along}] keepdims{accum} : {x} -> {s}")
        lines.append(f"{name}x = ptir.broadcast_to {name} : {s} -> {x}")
        return f"{name}x"

    def op(name: str, *values: str) -> str:
        lines.append(f"%v{len(lines)} = ptir.{name} {', '.join(values)} : {x}")
        return lines[-1].split()[0]

    match random.choice(("softmax", "square", "difference")):
        case "softmax":
            e = op("exp", op("sub", "%x", reduced("max", "%x")))
            last = op("div", e, reduced("sum", e))
        case "square":
            last = op("mul", "%x", op("rsqrt", reduced("sum", op("mul", "%x", "%x"))))
        case _:
            last = op("sub", "%x", reduced(random.choice(("sum", "max")), "%x"))
    return function([f"%x: {x}"], lines, last, x)


def layouts(random: Random) -> str:
    """A permutation of axes, alone or with a function or another array."""
    sizes = [random.choice((8, 30, 32, 64)) for _ in range(3)]
    axes, dtype = random.sample(range(3), 3), random.choice(("f32", "bf16"))
    axes = [1, 0, 2] if axes == [0, 1, 2] else axes
    x, y = (f"tensor<{'x'.join(map(str, found))}x{dtype}>" for found in (sizes, [sizes[a] for a in axes]))
    args, lines = [f"%x: {x}"], [f"%0 = ptir.transpose %x {axes} : {x} -> {y}"]
    match random.choice(("none", "tanh", "add")):
        case "none":
            return function(args, lines, "%0", y)
        case "tanh":
            return function(args, [*lines, f"%1 = ptir.tanh %0 : {y}"], "%1", y)
        case _:
            return function([*args, f"%z: {y}"], [*lines, f"%1 = ptir.add %0, %z : {y}"], "%1", y)


def attention(random: Random) -> str:
    """Attention without a mask, or with a causal one."""
    queries, keys, size = random.choice((32, 64, 100)), random.choice((64, 100, 128)), random.choice((16, 32, 64, 128))
    mask = random.choice(("none", "causal"))
    return Case(queries, max(keys, queries), size, mask=mask, dtype=random.choice(("bf16", "f16"))).text


FAMILIES = (
    ("product", "sm80"),
    ("product", "sm90"),
    ("rows", None),
    ("convolution", "sm80"),
    ("elementwise", None),
    ("product", "sm80"),
    ("product", "sm90"),
    ("attention", "sm80"),
    ("layouts", None),
    ("convolution", "sm90"),
    ("columns", None),
    ("attention", "sm90"),
    ("rows", None),
)
"""The families in the order of the points, two of each; None stands for any architecture."""


def point(number: int, seed: int = 0) -> PlanPoint:
    """Returns the point with a number."""
    random = Random(f"cost/{seed}/{number}")
    family, arch = FAMILIES[number // 2 % len(FAMILIES)]
    arch = arch or random.choice(("sm80", "sm90"))
    match family:
        case "product":
            text = product(random, arch)
        case "convolution":
            text = convolution(random)
        case "elementwise":
            text = elementwise(random)
        case "columns":
            text = columns(random)
        case _:
            text = {"rows": rows, "layouts": layouts, "attention": attention}[family](random)
    return PlanPoint(number, family, arch, text, random)
