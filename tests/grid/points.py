"""
The axes of the grid with their values, and the points that they span.

A point determines a compilation: the program, its sizes and layouts, the plan and the architecture. `legal` rejects combinations,
each with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import product
from typing import Any

from .machines import FLOATS, Dot, Machine
from .plans import PLANS


@dataclass(frozen=True)
class Shape:
    batch: tuple[int, ...]
    m: int
    n: int
    k: int

    @property
    def work(self) -> int:
        """Number of multiplications."""
        count = self.m * self.n * self.k
        for size in self.batch:
            count *= size
        return count


SHAPES = {
    "x".join(map(str, (*batch, m, n, k))): Shape(batch, m, n, k)
    for batch, m, n, k in (
        ((), 1, 2, 1),
        ((), 1, 3072, 768),
        ((), 150, 70, 130),
        ((), 128, 128, 128),
        ((), 256, 384, 512),
        ((), 333, 1027, 65),
        ((), 8, 512, 256),
        ((), 16, 1024, 512),
        ((), 512, 16, 384),
        ((), 3, 5, 2000),
        ((), 32, 48, 128),
        ((), 17, 19, 70),
        ((3,), 64, 48, 80),
        ((2, 5), 33, 17, 40),
    )
}
"""The shapes by name, which is batch…xMxNxK."""
SMALL = ("1x2x1", "17x19x70", "32x48x128")
"""Shapes that are combined with all programs: two elements, tails along every axis, and rows of whole 16-byte chunks."""


@dataclass(frozen=True)
class Dtype:
    operand: str
    accum: str
    out: str
    narrow: str
    """The type to which the epilogue `narrow` casts."""
    precision: str = ""
    bytes: int = 2
    right: str = ""
    """The type of the right operand, if it differs."""

    @property
    def warps(self) -> bool:
        """Whether the multistage template supports the type."""
        return not self.operand.startswith("f8")

    @property
    def warpgroups(self) -> bool:
        """Whether the warp-specialized template supports the type."""
        return self.operand != "f64" and (self.operand != "f32" or self.precision == "tf32")


DTYPES = {
    "bf16": Dtype("bf16", "f32", "f32", "bf16"),
    "f16": Dtype("f16", "f32", "f32", "f16"),
    "bf16_out": Dtype("bf16", "f32", "bf16", "f16"),
    "tf32": Dtype("f32", "f32", "f32", "bf16", "tf32", 4),
    "f32": Dtype("f32", "f32", "f32", "f16", bytes=4),
    "f64": Dtype("f64", "f64", "f64", "bf16", bytes=8),
    "i8": Dtype("i8", "i32", "i32", "i8", bytes=1),
    "ui8": Dtype("ui8", "i32", "i32", "ui8", bytes=1),
    "i8_ui8": Dtype("i8", "i32", "i32", "i8", bytes=1, right="ui8"),
    "e4m3": Dtype("f8E4M3FN", "f32", "f32", "bf16", bytes=1),
    "e5m2_out": Dtype("f8E5M2", "f32", "bf16", "f16", bytes=1),
    "e4m3_e5m2": Dtype("f8E4M3FN", "f32", "f32", "f8E4M3FN", bytes=1, right="f8E5M2"),
}
LAYOUTS = tuple("".join(p) for p in product("rc", "rc", ("", "t")))
"""Layouts of A and B, row-major (r) or column-major (c); with t, the result is transposed."""
WARP_ARCHES = ("sm80", "sm86", "sm89", "sm90")


# --- epilogues ----------------------------------------------------------------------------------


def _none(on: Machine, c: Any, p: Point) -> Any:
    return c


def _bias(on: Machine, c: Any, p: Point) -> Any:
    return on.binary("add", c, on.spread(on.argument((p.sizes.n,), p.types.out), c))


def _bias_relu(on: Machine, c: Any, p: Point) -> Any:
    c = _bias(on, c, p)
    return on.binary("maximum", c, on.number(0, c))


def _scale_clamp(on: Machine, c: Any, p: Point) -> Any:
    """Scales each column, subtracts an offset from each row, and clamps. The two must not be fused to an FMA."""
    c = c if p.is_float else on.cast(c, "f32")
    dtype = p.types.out if p.is_float else "f32"
    c = on.binary("mul", c, on.spread(on.argument((p.sizes.n,), dtype), c))
    c = on.binary("sub", c, on.spread(on.argument((p.sizes.m, 1), dtype), c))
    low, high = on.number(-20, c), on.number(30, c)
    c = on.select(on.less(c, low), low, c)
    return on.select(on.less(high, c), high, c)


def _narrow(on: Machine, c: Any, p: Point) -> Any:
    """Casts to the narrower type; integers are clamped to its range first."""
    if not p.is_float:
        low, high = (0, 255) if p.types.narrow == "ui8" else (-128, 127)
        c = on.binary("minimum", on.binary("maximum", c, on.number(low, c)), on.number(high, c))
    return on.cast(c, p.types.narrow)


def _gelu(fn: str) -> Any:
    def epilogue(on: Machine, c: Any, p: Point) -> Any:
        """Returns gelu(c / 8) plus a residual. Without the division, most arguments would be where gelu is linear or 0."""
        x = on.binary("mul", c, on.number(0.125, c))
        if fn == "erf":
            inner = on.binary("mul", x, on.number(0.7071067811865476, x))
        else:
            cube = on.binary("mul", on.binary("mul", x, x), x)
            inner = on.binary("add", x, on.binary("mul", cube, on.number(0.044715, x)))
            inner = on.binary("mul", inner, on.number(0.7978845608028654, x))
        half = on.binary("mul", x, on.number(0.5, x))
        y = on.binary("mul", half, on.binary("add", on.unary(fn, inner), on.number(1, x)))
        return on.binary("add", y, on.argument((*p.sizes.batch, p.sizes.m, p.sizes.n), p.types.out))

    return epilogue


EPILOGUES = {
    "none": _none,
    "bias": _bias,
    "bias_relu": _bias_relu,
    "gelu_erf": _gelu("erf"),
    "gelu_tanh": _gelu("tanh"),
    "scale_clamp": _scale_clamp,
    "narrow": _narrow,
}
INEXACT = ("gelu_erf", "gelu_tanh")


# --- points -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    """One compilation: the names of its values on all axes."""

    shape: str
    dtype: str
    layout: str
    epilogue: str
    plan: str = "own"
    arch: str = "sm80"

    def __str__(self) -> str:
        return " ".join(str(getattr(self, axis)) for axis in AXES)

    @cached_property
    def sizes(self) -> Shape:
        return SHAPES[self.shape]

    @cached_property
    def types(self) -> Dtype:
        return DTYPES[self.dtype]

    @property
    def is_float(self) -> bool:
        return self.types.out in FLOATS

    @property
    def sums(self) -> Dot:
        a, b = self.layout[:2]
        t = self.types
        return Dot(len(self.sizes.batch), (int(a == "r"), int(b == "c")), t.accum, t.out, t.precision)

    @property
    def aligned(self) -> bool:
        """Whether the rows of A and B are whole chunks of 16 bytes in any layout."""
        s = self.sizes
        return all(size * self.types.bytes % 16 == 0 for size in (s.m, s.n, s.k))

    def program(self, on: Machine) -> Any:
        """Executes the point's program on a machine. Returns the result."""
        s, t, (a, b) = self.sizes, self.types, self.layout[:2]
        x = on.argument((*s.batch, *((s.m, s.k) if a == "r" else (s.k, s.m))), t.operand)
        y = on.argument((*s.batch, *((s.k, s.n) if b == "r" else (s.n, s.k))), t.right or t.operand)
        c = EPILOGUES[self.epilogue](on, on.dot(x, y, self.sums), self)
        return on.turn(c) if self.layout.endswith("t") else c


AXES = tuple(f.name for f in fields(Point))
VALUES: Mapping[str, tuple[str, ...]] = {
    "shape": tuple(SHAPES),
    "dtype": tuple(DTYPES),
    "layout": LAYOUTS,
    "epilogue": tuple(EPILOGUES),
    "plan": tuple(PLANS),
    "arch": WARP_ARCHES,
}


def template(arch: str) -> Mapping[str, tuple[str, ...]]:
    """Returns the values of all axes for a template: multistage for `sm80`, warp-specialized for `sm90`."""
    roles = arch == "sm90"
    return {
        **VALUES,
        "dtype": tuple(name for name, t in DTYPES.items() if (t.warpgroups if roles else t.warps and not t.right)),
        "plan": tuple(name for name, plan in PLANS.items() if plan.roles == roles),
        "arch": ("sm90",) if roles else WARP_ARCHES,
    }


def legal(p: Point) -> bool:
    """Whether the point can be compiled, and is not implied by another point."""
    if p.epilogue in INEXACT and not p.is_float:
        return False  # erf and tanh need floats
    if p.epilogue == "bias" and p.is_float:
        return False  # bias_relu contains it
    if PLANS[p.plan].roles and not (p.types.warpgroups and p.arch == "sm90"):
        return False
    if p.plan == "staged" and (p.layout.endswith("t") or p.sizes.n % 16 or p.epilogue == "narrow"):
        return False  # rejected: TMA cannot store such results
    return (p.types.warps or PLANS[p.plan].roles) and PLANS[p.plan].splits(p.sizes.k, p.types.bytes)


def everything() -> Iterator[Point]:
    """Yields all legal points."""
    return (p for values in product(*VALUES.values()) if legal(p := Point(*values)))
