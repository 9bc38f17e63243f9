"""Movement ops. Spec: `tensor-compiler.ja §1.3`, the rules of *Movement*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from types import MappingProxyType

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, StringAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from ...errors import NegativePad, NegativeStride, UndeterminedSize, ViewOutOfBounds, counted
from ..common.checks import check_attribute, check_rank, check_value, check_word
from ..common.ops import Parameter
from ..common.shapes import element, normalize_axes
from ..common.syntax import Axes, Keyword, ints
from ..ptir import ScalarAttr, TensorOp
from ..ptir.base import AnyTensor
from ..ptir.dims import Size, sizes, sizes_text, tensor_type
from ..ptir.movement import padded, require_broadcast, require_reshape, require_value, require_window
from ..ptir.scalars import Number, Scalar

MOVEMENTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "reshape": (),
        "permute": ("perm",),
        "expand": (),
        "pad": ("low", "high", "value"),
        "shrink": ("start",),
        "view": ("offset", "strides"),
    }
)
"""The properties that each kind of movement has."""


@irdl_op_definition
class MovementOp(TensorOp):
    """
    Re-indexes elements. The result type has the sizes.

    - `reshape`: the result has the same elements in row-major order.
    - `permute by [1, 0]`: result axis `i` is operand axis `perm[i]`.
    - `expand`: right-aligned broadcast. Axes that the operand lacks, or that are 1 in its type, are repeated. Other sizes must
      be equal; for dynamic sizes this is checked at run time.
    - `pad low [1, 0] high [1, 2] value 0.0 : f32`: adds `low[i]` copies of the value before the elements of axis `i`, and
      `high[i]` copies after them. Neither is negative.
    - `shrink from [1, 0]`: the window that starts at this index and has the result's sizes.
    - `view offset 3 strides [8, 2]`: `result[i] = operand[offset + Σ strides·i]`, where the operand's elements are numbered in
      row-major order. Strides are not negative, and reads are in bounds. An element may be read several times.

    ```mlir
    %0 = tiny.movement permute %x by [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
    %1 = tiny.movement pad %x low [1, 0] high [1, 2] value 0.0 : f32 : tensor<4x8xf32> -> tensor<6x10xf32>
    %2 = tiny.movement view %x offset 3 strides [8, 2] : tensor<4x8xf32> -> tensor<2x3xf32>
    ```
    """

    name = "tiny.movement"
    kind = prop_def(StringAttr)
    input = operand_def(AnyTensor)
    perm = opt_prop_def(DenseArrayBase.constr(i64))
    low = opt_prop_def(DenseArrayBase.constr(i64))
    high = opt_prop_def(DenseArrayBase.constr(i64))
    value = opt_prop_def(ScalarAttr)
    start = opt_prop_def(DenseArrayBase.constr(i64))
    offset = opt_prop_def(IntegerAttr[IntegerType].constr(i64))
    strides = opt_prop_def(DenseArrayBase.constr(i64))
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    custom_directives = (Keyword, Axes, Scalar)
    assembly_format = (
        "custom<Keyword>($kind) $input (`by` custom<Axes>($perm)^)? (`low` custom<Axes>($low)^)? "
        "(`high` custom<Axes>($high)^)? (`value` custom<Scalar>($value)^)? (`from` custom<Axes>($start)^)? "
        "(`offset` $offset^)? (`strides` custom<Axes>($strides)^)? attr-dict `:` type($input) `->` type($result)"
    )

    def __init__(
        self,
        kind: str,
        input: SSAValue,
        sizes_: Sequence[Size],
        perm: Sequence[int] | None = None,
        **parameters: Parameter,
    ):
        """`parameters` are the properties `MOVEMENTS[kind]`. The class methods below build each kind."""
        super().__init__([input], [tensor_type(element(input), sizes_)], (), kind=kind, perm=perm, **parameters)

    @classmethod
    def reshape(cls, x: SSAValue, to: Sequence[Size]) -> MovementOp:
        return cls("reshape", x, to)

    @classmethod
    def permute(cls, x: SSAValue, perm: Sequence[int]) -> MovementOp:
        return cls("permute", x, [sizes(x)[p] for p in perm], perm)

    @classmethod
    def expand(cls, x: SSAValue, to: Sequence[Size]) -> MovementOp:
        return cls("expand", x, to)

    @classmethod
    def pad(cls, x: SSAValue, low: Sequence[int], high: Sequence[int], value: ScalarAttr | Number) -> MovementOp:
        fill = value if isinstance(value, ScalarAttr) else ScalarAttr.of(value, element(x))
        return cls("pad", x, padded(sizes(x), low, high, [0] * len(low)), low=low, high=high, value=fill)

    @classmethod
    def shrink(cls, x: SSAValue, start: Sequence[int], to: Sequence[Size]) -> MovementOp:
        return cls("shrink", x, to, start=start)

    @classmethod
    def view(cls, x: SSAValue, to: Sequence[Size], strides: Sequence[int], offset: int = 0) -> MovementOp:
        return cls("view", x, to, offset=offset, strides=strides)

    def permutation(self) -> tuple[int, ...]:
        """Returns the operand's axis for each result axis of `permute`. Negative axes are normalized."""
        return normalize_axes(self, _optional_ints(self.perm), len(sizes(self.input)), "perm")

    def pads(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Returns the numbers of values that `pad` adds before, and after, the elements of each axis."""
        return _optional_ints(self.low), _optional_ints(self.high)

    def starts(self) -> tuple[int, ...]:
        """Returns the start of `shrink`'s window."""
        return _optional_ints(self.start)

    def linear(self) -> tuple[int, tuple[int, ...]]:
        """Returns the offset and the strides of `view`, in elements of the operand."""
        return (0 if self.offset is None else self.offset.value.data), _optional_ints(self.strides)

    def verify_(self) -> None:
        kind = self.kind.data
        check_word(self, "kind", kind, MOVEMENTS)
        self.require_element(self.result, element(self.input), "the result")
        for name in dict.fromkeys(name for names in MOVEMENTS.values() for name in names):
            wanted = name in MOVEMENTS[kind]
            problem = f"is missing from {kind}" if wanted else f"is not a parameter of {kind}"
            help = f"{kind} takes {', '.join(MOVEMENTS[kind]) or 'no parameter'}"
            check_attribute(self, wanted == (name in self.properties), name, problem, help)
        source, want = sizes(self.input), sizes(self.result)
        match kind:
            case "reshape":
                require_reshape(self, source, want)
            case "permute":
                perm = self.permutation()
                check_rank(self, "perm", len(perm), len(source))
                self.require_shape(self.result, [source[p] for p in perm], "the result")
            case "expand":
                require_broadcast(self, source, want)
                # An axis is repeated only if its size is 1 in the type, so access maps depend on types alone.
                aligned = (*[None] * (len(want) - len(source)), *source)
                self.require_shape(self.result, [None if a == 1 else a for a in aligned], "the result")
            case "pad":
                self._require_pad(source)
            case "shrink":
                require_window(self, "start", self.starts(), source, want)
            case _:
                self._require_view(source, want)

    def _require_pad(self, source: Sequence[Size]) -> None:
        low, high = self.pads()
        for name, amounts in (("low", low), ("high", high)):
            check_rank(self, f"'{name}'", len(amounts), len(source))
            for axis, amount in enumerate(amounts):
                if amount < 0:
                    raise NegativePad(self, name=name, axis=axis, amount=amount)
        if self.value is not None:
            require_value(self, self.value, element(self.input))
        self.require_shape(self.result, padded(source, low, high, [0] * len(source)), "the result")

    def _require_view(self, source: Sequence[Size], want: Sequence[Size]) -> None:
        offset, strides = self.linear()
        check_rank(self, "'strides'", len(strides), len(want))
        for axis, stride in enumerate(strides):
            if stride < 0:
                raise NegativeStride(self, axis=axis, stride=stride)
        check_value(self, offset >= 0, "offset", offset, "the first element is 0")
        if None in want:
            raise UndeterminedSize(self, axis=want.index(None), why="a view has the sizes of its type")
        numbers = [s for s in want if isinstance(s, int)]
        known = [s for s in source if isinstance(s, int)]
        if len(numbers) == len(want) and len(known) == len(source):
            last = offset + sum(stride * (size - 1) for stride, size in zip(strides, numbers, strict=True))
            if 0 not in numbers and last >= prod(known):
                raise ViewOutOfBounds(self, shape=sizes_text(numbers), last=last, count=counted(prod(known), "element"))


def _optional_ints(attr: DenseArrayBase[IntegerType] | None) -> tuple[int, ...]:
    return () if attr is None else ints(attr)
