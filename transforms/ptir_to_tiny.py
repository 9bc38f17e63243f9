"""
`ptir-to-tiny`: every `ptir` op as movement, unary, binary and reduce.

```
ptir.dot_general %x, %w contract [1] x [0] accum f32      (4x8 bf16, 8x2 bf16)

  %a = movement reshape %x                                4x8x1 bf16
  %b = movement reshape %w                                1x8x2 bf16
  %c = unary cast %a, %d = unary cast %b                  f32: exact, or an error
  %p = binary mul %c, %d                                  4x8x2 f32
  %r = reduce sum %p axes [1] accum f32                   4x2 f32
```

With `precision tf32` each operand is a `unary tf32` on its way to the product.

A contraction gets one axis for each batch, free and contract axis; nothing is collapsed, so that access maps
stay permutations. The result's axes come in the order batch, free of lhs, free of rhs; where the contract
axes stand among them is free, and is chosen so that the operands need the fewest permutes.

Composites are what their regions are. A movement or cast that would change nothing is not written. Ops of other
dialects, `tiny` included, stay as they are, and so do unused ops.

Spec: `tensor-compiler.ja §1.2, §2`; DESIGN §4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, ModuleOp, UnregisteredOp, f32, f64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.utils.hints import isa

from ..analysis.static_sizes import require_numbers
from ..dialects import ptir, tiny
from ..dialects.shapes import element, shape, widens_exactly
from .errors import InexactAccumulator, NoTinyForm
from .ptir_inline_composites import inline_composites

# --- writing tiny -------------------------------------------------------------------------------


@dataclass
class Writer:
    """Writes the tiny ops that stand for `source`, at its location; what changes nothing is not written."""

    source: Operation
    ops: list[Operation] = field(default_factory=list[Operation])

    def add(self, op: tiny.ConstOp | tiny.MovementOp | tiny.UnaryOp | tiny.BinaryOp | tiny.ReduceOp) -> SSAValue:
        op.location = self.source.location
        self.ops.append(op)
        return op.result

    def reshape(self, x: SSAValue, sizes: Sequence[int]) -> SSAValue:
        return x if shape(x) == tuple(sizes) else self.add(tiny.MovementOp("reshape", x, sizes))

    def permute(self, x: SSAValue, perm: Sequence[int]) -> SSAValue:
        if list(perm) == list(range(len(perm))):
            return x
        return self.add(tiny.MovementOp("permute", x, [shape(x)[p] for p in perm], perm))

    def expand(self, x: SSAValue, sizes: Sequence[int]) -> SSAValue:
        return x if shape(x) == tuple(sizes) else self.add(tiny.MovementOp("expand", x, sizes))

    def cast(self, x: SSAValue, dtype: Attribute) -> SSAValue:
        return x if element(x) == dtype else self.add(tiny.UnaryOp("cast", x, dtype))

    def widen(self, x: SSAValue, accum: Attribute) -> SSAValue:
        """`x` in the accumulator's type, which must hold every value of it."""
        dtype = element(x)
        if not widens_exactly(dtype, accum):
            raise InexactAccumulator(
                self.source, what=self.source.name, dtype=dtype, accum=accum, wider=_accumulator_for(dtype)
            )
        return self.cast(x, accum)

    def unary(self, fn: str, x: SSAValue) -> SSAValue:
        return self.add(tiny.UnaryOp(fn, x))

    def binary(self, fn: str, *inputs: SSAValue) -> SSAValue:
        return self.add(tiny.BinaryOp(fn, *inputs))

    def reduce(self, fn: str, x: SSAValue, axes: Sequence[int]) -> SSAValue:
        return self.add(tiny.ReduceOp(fn, x, axes, element(x))) if axes else x


def _accumulator_for(dtype: Attribute) -> Attribute:
    """The usual type that holds every value of `dtype`."""
    if isa(dtype, IntegerType):
        return IntegerType(max(32, dtype.width.data), dtype.signedness)
    if widens_exactly(dtype, f32):
        return f32
    return f64 if widens_exactly(dtype, f64) else dtype


# --- contractions -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layout:
    """
    The axes of a contraction's product, in order, each as (axis of lhs, axis of rhs), one of which may be
    None: that side has size 1 there. `summed` are the positions of the contract axes.
    """

    axes: tuple[tuple[int | None, int | None], ...]
    summed: tuple[int, ...]

    @property
    def left(self) -> list[int]:
        """The axes of lhs, in the product's order."""
        return [a for a, _ in self.axes if a is not None]

    @property
    def right(self) -> list[int]:
        return [b for _, b in self.axes if b is not None]

    @property
    def permutes(self) -> int:
        """How many of the operands this order makes permute."""
        return sum(list(side) != sorted(side) for side in (self.left, self.right))


def choose_layout(op: ptir.DotGeneralOp) -> Layout:
    """
    The order of the product's axes that permutes the fewest operands: contract axes before the free axes of
    rhs (as the spec writes a GEMM), last, or before the free axes of lhs, and among themselves as
    given, by lhs, or by rhs. The first of the best is taken.
    """
    batch_lhs, batch_rhs, contract_lhs, contract_rhs = op.axes()
    free_lhs, free_rhs = op.free_axes()
    batch = list(zip(batch_lhs, batch_rhs, strict=True))
    left = [(a, None) for a in free_lhs]
    right = [(None, b) for b in free_rhs]
    given = list(zip(contract_lhs, contract_rhs, strict=True))
    layouts: list[Layout] = []
    for pairs, at in product((given, sorted(given), sorted(given, key=lambda p: p[1])), (1, 2, 0)):
        groups: list[list[Any]] = [left, right]
        groups.insert(at, pairs)
        axes: tuple[tuple[int | None, int | None], ...] = tuple(batch + [a for group in groups for a in group])
        layouts.append(Layout(axes, tuple(i for i, a in enumerate(axes) if a in pairs)))
    return min(layouts, key=lambda layout: layout.permutes)


def _lower_dot_general(op: ptir.DotGeneralOp, write: Writer) -> SSAValue:
    layout = choose_layout(op)
    sides: list[SSAValue] = []
    for value, order, side in ((op.lhs, layout.left, 0), (op.rhs, layout.right, 1)):
        moved = write.permute(value, order)
        sizes = [1 if (a := pair[side]) is None else shape(value)[a] for pair in layout.axes]
        widened = write.widen(write.reshape(moved, sizes), op.accum)
        sides.append(widened if op.precision is None else write.unary(op.precision.data, widened))
    total = write.reduce("sum", write.binary("mul", *sides), layout.summed)
    return write.cast(total, element(op.result))


def _lower_reduce(op: ptir.ReduceOp, write: Writer) -> SSAValue:
    if op.kind.data not in ptir.REDUCTIONS:
        raise NoTinyForm(op, name=f"{op.name} {op.kind.data}", known=", ".join(ptir.REDUCTIONS))
    total = write.reduce(op.kind.data, write.widen(op.input, op.accum), op.axes())
    return write.reshape(write.cast(total, element(op.result)), shape(op.result))


# --- the table ----------------------------------------------------------------------------------

UNARY: Mapping[type[ptir.UnaryOp], str] = {
    ptir.NegOp: "neg",
    ptir.AbsOp: "abs",
    ptir.ExpOp: "exp",
    ptir.LogOp: "log",
    ptir.TanhOp: "tanh",
    ptir.ErfOp: "erf",
    ptir.RsqrtOp: "rsqrt",
    ptir.ReciprocalOp: "recip",
    ptir.SqrtOp: "sqrt",
}
BINARY: Mapping[type[ptir.BinaryOp], str] = {
    ptir.AddOp: "add",
    ptir.SubOp: "sub",
    ptir.MulOp: "mul",
    ptir.DivOp: "div",
    ptir.MaximumOp: "max",
    ptir.MinimumOp: "min",
}

Lowering = Callable[[Any, Writer], SSAValue]
LOWERINGS: Mapping[type[Operation], Lowering] = {
    **dict.fromkeys(UNARY, lambda op, write: write.unary(UNARY[type(op)], op.input)),
    **dict.fromkeys(BINARY, lambda op, write: write.binary(BINARY[type(op)], op.lhs, op.rhs)),
    ptir.ConstantOp: lambda op, write: write.add(tiny.ConstOp(op.value)),
    ptir.CompareOp: lambda op, write: write.binary(op.op.data, op.lhs, op.rhs),
    ptir.SelectOp: lambda op, write: write.binary("where", op.pred, op.on_true, op.on_false),
    ptir.ClampOp: lambda op, write: write.binary("min", write.binary("max", op.input, op.lo), op.hi),
    ptir.CastOp: lambda op, write: write.cast(op.input, element(op.result)),
    ptir.DotGeneralOp: _lower_dot_general,
    ptir.ReduceOp: _lower_reduce,
    ptir.ReshapeOp: lambda op, write: write.reshape(op.input, shape(op.result)),
    ptir.TransposeOp: lambda op, write: write.permute(op.input, op.permutation()),
    ptir.BroadcastToOp: lambda op, write: write.expand(op.input, shape(op.result)),
    ptir.DimCastOp: lambda op, write: op.input,
    ptir.StopGradientOp: lambda op, write: op.input,
}
"""What stands for each op, given a writer: one row an op."""


# --- the pass -----------------------------------------------------------------------------------


def _name(op: Operation) -> str:
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def require_lowerings(ops: Sequence[Operation]) -> None:
    """Every `ptir` op must have a row; all that have none are named at once."""
    without = [op for op in ops if _name(op).startswith("ptir.") and type(op) not in LOWERINGS]
    if without:
        notes = [(op, f"'{_name(op)}' neither") for op in without[1:]]
        known = ", ".join(sorted(t.name for t in LOWERINGS))
        raise NoTinyForm(without[0], name=_name(without[0]), known=known, notes=notes)


@dataclass(frozen=True)
class PtirToTiny(ModulePass):
    """Rewrites every `ptir` op into `tiny`; functions keep their signatures, the module its attributes."""

    name = "ptir-to-tiny"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        require_numbers(op)
        inline_composites(op)
        ops = list(op.walk())
        require_lowerings(ops)
        for old in ops:
            if lower := LOWERINGS.get(type(old)):
                write = Writer(old)
                result = lower(old, write)
                PatternRewriter(old).replace(old, write.ops, [result])
