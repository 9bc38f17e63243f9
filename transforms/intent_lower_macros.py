"""
`intent-lower-macros`: writes ops with a compound meaning in the other ops of the dialect, with the same results: bit for bit, but for
the order in which a convolution or a resampling adds.

```
%y = intent.rope %x, %cos, %sin        →    %half = intent.gather %x[%i, …, d + D/2 modulo D]
                                            %c, %s = intent.gather %cos[%i, d modulo D/2], …
                                            %y = where(d < D/2, x·c - half·s, half·s + x·c)
```

Positions are computed by integers, whatever the symbols are. Fixed-point arithmetic of 8-bit images is exact in f32, or f64, where a
shift to the right is a product with a power of two and a `floor`. Spec: `intentir-semantics §2.8`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from math import log

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, f32, f64, i8, i16, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from ..dialects import intent
from ..dialects.common.ops import Parameter, properties
from ..dialects.common.syntax import axes_attr, ints
from ..dialects.intent import symbols
from ..dialects.intent.symbols import Node
from ..dialects.intent.types import Dim, TensorType, size, type_of
from ..dialects.ptir.scalars import ScalarAttr


@dataclass(frozen=True)
class IntentLowerMacros(ModulePass):
    """Writes `rope`, `conv2d`, `correlation`, `resize`, `warp` and `upsample_bicubic2d_aa` in the other ops of the dialect."""

    name = "intent-lower-macros"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for macro in [o for o in op.walk() if isinstance(o, intent.MacroOp)]:
            write = Writer()
            value = lowered(macro, write)
            if value.type != macro.result.type:
                value = write.reshape(value, type_of(macro.result))
            for made in write.ops:
                made.location = macro.location
            hint = macro.result.name_hint
            PatternRewriter(macro).replace(macro, write.ops, [value])
            for made in write.ops:  # the rewriter names them all after the macro
                made.results[0].name_hint = hint if made.results[0] is value else None


@dataclass
class Writer:
    """Creates ops, whose result types are inferred unless they are given."""

    ops: list[Operation] = field(default_factory=list[Operation])

    def add(
        self, kind: type[Operation], *operands: SSAValue, to: TensorType | None = None, **given: Parameter
    ) -> SSAValue:
        made = kind.create(operands=operands, result_types=[to or type_of(operands[0])], properties=properties(**given))
        if to is None and isinstance(made, intent.IntentOp):
            made.results[0]._type = made.inferred()  # pyright: ignore[reportPrivateUsage]
        self.ops.append(made)
        return made.results[0]

    def unary(self, fn: str, x: SSAValue) -> SSAValue:
        return self.add(intent.UnaryOp, x, fn=fn)

    def binary(self, fn: str, x: SSAValue, y: SSAValue | Node) -> SSAValue:
        """`y` may be the expression of a number in the type of `x`."""
        other = y if isinstance(y, SSAValue) else self.const(y, type_of(x).element_type)
        return self.add(intent.BinaryOp, x, other, fn=fn)

    def where(self, p: SSAValue, x: SSAValue, y: SSAValue | Node) -> SSAValue:
        other = y if isinstance(y, SSAValue) else self.const(y, type_of(x).element_type)
        return self.add(intent.WhereOp, p, x, other)

    def const(self, value: Node, dtype: Attribute) -> SSAValue:
        if isinstance(value, int | float):
            amount: Attribute = ScalarAttr.of(value, f64 if isinstance(value, float) else i64)
        else:
            amount = StringAttr(symbols.text(value))
        return self.add(intent.ConstOp, to=TensorType([], dtype), value=amount)

    def cast(self, x: SSAValue, dtype: Attribute) -> SSAValue:
        return self.add(intent.CastOp, x, to=TensorType(type_of(x).dims, dtype))

    def iota(self, dims: Sequence[Dim], axis: int, dtype: Attribute = i64) -> SSAValue:
        """Returns the numbers of axis `axis` of an array with sizes `dims`; other axes have size 1."""
        kept = [d if k == axis else 1 for k, d in enumerate(dims)]
        return self.add(intent.IotaOp, to=TensorType(kept, dtype), axis=axis)

    def gather(self, data: SSAValue, *indices: SSAValue) -> SSAValue:
        return self.add(intent.GatherOp, data, *indices)

    def sum(self, x: SSAValue, *axes: int, keepdims: bool = False) -> SSAValue:
        return self.add(intent.ReduceOp, x, fn="sum", reduce_axes=axes_attr(axes), keepdims=keepdims)

    def reshape(self, x: SSAValue, to: TensorType) -> SSAValue:
        return self.add(intent.ReshapeOp, x, to=TensorType(to.dims, type_of(x).element_type))

    def broadcast(self, x: SSAValue, dims: Sequence[Dim], at: Sequence[int]) -> SSAValue:
        to = TensorType(dims, type_of(x).element_type)
        return self.add(intent.BroadcastInDimOp, x, to=to, broadcast_dims=axes_attr(at))

    def shifted_right(self, x: SSAValue, bits: int) -> SSAValue:
        """Returns floor(x / 2^bits) of integers of at most 24 bits, as f32."""
        wide = x if type_of(x).element_type == f32 else self.cast(x, f32)
        return self.unary("floor", self.binary("mul", wide, 2.0**-bits))

    def byte(self, x: SSAValue) -> SSAValue:
        """Returns integers, in a type of more bits, modulo 256 in the range of a signed byte."""
        dtype = type_of(x).element_type
        wraps = self.cast(self.shifted_right(self.binary("add", x, 128), 8), dtype)
        return self.binary("sub", x, self.binary("mul", wraps, 256))


def dim(node: Node) -> Dim:
    """Returns the size of an expression."""
    number = symbols.constant(symbols.polynomial(node))
    return symbols.text(node) if number is None else number


@singledispatch
def lowered(op: Operation, write: Writer) -> SSAValue:
    """Writes the value of a macro."""
    raise AssertionError(op.name)


@lowered.register
def _(op: intent.RopeOp, write: Writer) -> SSAValue:
    dims = type_of(op.input).dims
    width = size(dims[3])
    half: Node = ("//", width, 2)
    at = [write.iota(dims, k) for k in range(4)]
    is_first = write.binary("lt", at[3], half)
    partner = write.where(is_first, write.binary("add", at[3], half), write.binary("sub", at[3], half))
    angle = write.where(is_first, at[3], write.binary("sub", at[3], half))
    other = write.gather(op.input, at[0], at[1], at[2], partner)
    rows = [
        write.add(
            intent.BroadcastInDimOp, a, to=TensorType([dims[0], 1, 1, dims[3]], i64), broadcast_dims=axes_attr(range(4))
        )
        for a in (at[0], angle)
    ]
    c, s = (write.gather(table, *rows) for table in (op.cos, op.sin))
    along, across = write.binary("mul", op.input, c), write.binary("mul", other, s)
    return write.where(is_first, write.binary("sub", along, across), write.binary("add", across, along))


@lowered.register
def _(op: intent.Conv2dOp, write: Writer) -> SSAValue:
    batch, channels, *image = map(size, type_of(op.input).dims)
    filters, depth, *window = map(size, type_of(op.weight).dims)
    *_, height, width = map(size, type_of(op.result).dims)
    groups, dtype = op.groups.value.data, type_of(op.input).element_type
    del channels
    dims = list(map(dim, (batch, groups, depth, *window, height, width)))
    n, g, c, i, j, y, x = (write.iota(dims, k) for k in range(7))
    channel = write.binary("add", write.binary("mul", g, depth), c)
    places: list[SSAValue] = []
    inside: SSAValue | None = None
    for extent, out, tap, s, p, d in zip(
        image, (y, x), (i, j), ints(op.stride), ints(op.padding), ints(op.dilation), strict=True
    ):
        at = write.binary("sub", write.binary("add", write.binary("mul", out, s), write.binary("mul", tap, d)), p)
        holds = write.binary("and", write.binary("ge", at, 0), write.binary("lt", at, extent))
        inside = holds if inside is None else write.binary("and", inside, holds)
        places.append(write.binary("min", write.binary("max", at, 0), ("-", extent, 1)))
    patches = write.gather(op.input, n, channel, *places)
    if inside is not None:
        patches = write.where(inside, patches, write.const(0.0, dtype))
    taps: Node = ("*", depth, ("*", window[0], window[1]))
    positions: Node = ("*", height, width)
    part: Node = ("//", filters, groups)
    matrix = write.reshape(patches, TensorType(list(map(dim, (batch, groups, taps, positions))), dtype))
    filtered = write.reshape(op.weight, TensorType([1, groups, dim(part), dim(taps)], dtype))
    sums = write.add(intent.MatmulOp, filtered, matrix)
    out = write.reshape(sums, TensorType(list(map(dim, (batch, filters, height, width))), dtype))
    if op.bias is None:
        return out
    return write.binary("add", out, write.broadcast(op.bias, type_of(out).dims, [1]))


@lowered.register
def _(op: intent.CorrelationOp, write: Writer) -> SSAValue:
    depth, height, width = type_of(op.lhs).dims
    channels = type_of(op.result).dims[0]
    dims = (channels, depth, height, width)
    c, k, h, w = (write.iota(dims, axis) for axis in range(4))
    at = write.binary("sub", w, c)
    moved = write.cast(write.gather(op.rhs, k, h, write.binary("max", at, 0)), i32)
    terms = write.binary("mul", write.cast(op.lhs, i32), moved)
    sums = write.sum(write.where(write.binary("ge", at, 0), terms, 0), 1)
    # Powers of two: e^(k ln 2) is within 2^-20 of 2^k, which floor(x + 1/2) makes exact.
    power = write.binary("mul", write.cast(write.iota([32], 0), f64), log(2))
    powers = write.unary("floor", write.binary("add", write.unary("exp", power), 0.5))
    scaled = write.unary("floor", write.binary("div", write.cast(sums, f64), write.gather(powers, op.shift)))
    whole = write.cast(scaled, i64)
    wraps = write.unary("floor", write.binary("div", write.binary("add", scaled, 128.0), 256.0))
    return write.cast(write.binary("sub", whole, write.binary("mul", write.cast(wraps, i64), 256)), i8)


@lowered.register
def _(op: intent.ResizeOp, write: Writer) -> SSAValue:
    channels, height, width = map(size, type_of(op.input).dims)
    bits = op.fraction_bits.value.data
    value = write.cast(op.input, i32)
    dims = [dim(channels), dim(height), dim(("*", 2, width))]

    def along(axis: int, extent: Node) -> SSAValue:
        """Resizes axis `axis` of `value` to `dims`."""
        at = [write.iota(dims, k) for k in range(3)]
        before = write.binary("div", at[axis], 2)
        after = write.binary("min", write.binary("add", before, 1), ("-", extent, 1))
        odd = write.binary("sub", at[axis], write.binary("mul", before, 2))
        fraction = write.cast(write.binary("mul", odd, 2 ** (bits - 1)), i32)
        ends = [write.gather(value, *(tap if k == axis else a for k, a in enumerate(at))) for tap in (before, after)]
        rest = write.binary("sub", write.const(2**bits, i32), fraction)
        mixed = write.binary("add", write.binary("mul", ends[0], rest), write.binary("mul", ends[1], fraction))
        return write.cast(write.shifted_right(mixed, bits), i32)

    value = along(2, width)
    dims[1] = dim(("*", 2, height))
    return write.cast(along(1, height), i8)


@lowered.register
def _(op: intent.WarpOp, write: Writer) -> SSAValue:
    dims = type_of(op.input).dims
    offset = write.reshape(op.offset, TensorType([1, *dims[1:]], i16))
    whole = write.cast(write.shifted_right(offset, 8), i16)
    rest = write.binary("sub", offset, write.binary("mul", whole, 256))
    fraction = write.byte(rest)
    c, h, w = (write.iota(dims, axis) for axis in range(3))
    right = write.byte(write.binary("sub", write.byte(w), write.cast(whole, i64)))
    left = write.byte(write.binary("sub", right, 1))

    def pixels(at: SSAValue) -> SSAValue:
        clipped = write.binary("min", write.binary("max", at, 0), ("-", size(dims[2]), 1))
        found = write.cast(write.gather(op.input, c, h, clipped), i16)
        return write.where(write.binary("ge", at, 0), found, 0)

    r, l = pixels(right), pixels(left)  # noqa: E741
    mixed = write.binary("add", write.binary("mul", r, 256), write.binary("mul", write.binary("sub", l, r), fraction))
    return write.cast(write.shifted_right(mixed, 8), i8)


@lowered.register
def _(op: intent.UpsampleBicubic2dAaOp, write: Writer) -> SSAValue:
    sizes = list(map(size, type_of(op.input).dims))
    *_, height, width = map(size, type_of(op.result).dims)
    value = op.input
    for axis, out in ((3, width), (2, height)):
        value = _resampled(value, sizes, axis, out, write)
        sizes[axis] = out
    return value


def _resampled(x: SSAValue, sizes: Sequence[Node], axis: int, out: Node, write: Writer) -> SSAValue:
    """Resamples an axis: a weighted sum over the inputs of a window, whose number depends on the output."""
    extent = sizes[axis]
    largest: Node = ("max", extent, out)
    twice: Node = ("*", 2, out)
    taps: Node = ("+", ("//", ("*", 4, largest), out), 1)
    o, k = (write.iota([dim(out), dim(taps)], a) for a in range(2))
    center = write.binary("mul", write.binary("add", write.binary("mul", o, 2), 1), extent)

    def bound(reach: Node, limit: Callable[[SSAValue], SSAValue]) -> SSAValue:
        return write.binary("div", limit(write.binary("add", center, reach)), twice)

    start = bound(("-", out, ("*", 4, largest)), lambda v: write.binary("max", v, 0))
    end = write.binary("min", bound(("+", out, ("*", 4, largest)), lambda v: v), extent)
    at = write.binary("add", start, k)
    inside = write.binary("lt", at, end)
    offset = write.binary("add", write.binary("sub", write.binary("mul", at, twice), center), out)
    d = write.binary("div", write.cast(write.unary("abs", offset), f64), ("*", 2, largest))

    def polynomial(*coefficients: float) -> SSAValue:
        value: SSAValue = write.binary("mul", d, coefficients[0])
        for c in coefficients[1:-1]:
            value = write.binary("mul", write.binary("add", value, c), d) if c else write.binary("mul", value, d)
        return write.binary("add", value, coefficients[-1])

    far = write.where(write.binary("lt", d, 2.0), polynomial(-0.5, 2.5, -4.0, 2.0), 0.0)
    raw = write.where(inside, write.where(write.binary("lt", d, 1.0), polynomial(1.5, -2.5, 0.0, 1.0), far), 0.0)
    weights = write.cast(write.binary("div", raw, write.sum(raw, 1, keepdims=True)), f32)
    dims = (
        [dim(n) for k, n in enumerate(sizes) if k < axis]
        + [dim(out)]
        + [dim(n) for n in sizes[axis + 1 :]]
        + [dim(taps)]
    )

    def placed(v: SSAValue) -> SSAValue:
        """Gives an array of outputs and taps the axes of `dims`."""
        kept = [d if k in (axis, 4) else 1 for k, d in enumerate(dims)]
        return write.broadcast(v, kept, [axis, 4])

    source = write.binary("min", at, ("-", extent, 1))
    places = [placed(source) if k == axis else write.iota(dims, k) for k in range(4)]
    taken = write.where(placed(inside), write.gather(x, *places), 0.0)
    return write.sum(write.binary("mul", taken, placed(weights)), 4)
