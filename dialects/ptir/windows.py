"""
Sliding windows: pooling and patches. Contract: *Windowed ops*, *Patch extraction*.

For example, a window of size 2, dilation 2 and stride 3 slides over an axis of 4 elements a, b, c, d, which has padding (1, 1) and
base dilation 2:

```
  p a . b . c . d p         padded size: low + (4 - 1) * base dilation + 1 + high = 9
  ^   ^                     a window spans (2 - 1) * dilation + 1 = 3
        ^   ^
              ^   ^         (9 - 3) / stride + 1 = 3 positions
```

Negative padding removes elements, at most all. If the window spans more than the padded axis, it has no position, and the
result has no elements. Cases that the contract does not define are as in StableHLO's `reduce_window`.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, StringAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from ...errors import RankMismatch, counted
from ..common.checks import check_attribute, check_rank, check_word
from ..common.ops import Parameter
from ..common.shapes import element, shape
from ..common.syntax import AttributeDirective, Axes, Keyword, axes_attr, ints, parse_int
from .base import AccumulatingOp, AnyTensor, TensorOp
from .dims import Size, product, sizes, tensor_type
from .domains import require_domain
from .reductions import REDUCTIONS
from .scalars import Scalar, ScalarAttr

Pairs = Sequence[tuple[int, int]]
"""Padding: the numbers of elements that are added before and after the elements of each axis."""


@dataclass(frozen=True)
class Window:
    """The parameters of a window along one axis."""

    size: int
    stride: int = 1
    low: int = 0
    high: int = 0
    dilation: int = 1
    base_dilation: int = 1

    @property
    def span(self) -> int:
        """The number of elements from the first to the last element of the window, both included."""
        return (self.size - 1) * self.dilation + 1

    def padded(self, size: int) -> int:
        """Returns the size of an axis of size `size` after base dilation and padding."""
        return max(0, self.low + (size and (size - 1) * self.base_dilation + 1) + self.high)

    def positions(self, size: int) -> int:
        """Returns the number of positions of the window along an axis of size `size`."""
        return max(0, (self.padded(size) - self.span) // self.stride + 1)

    @property
    def keeps_size(self) -> bool:
        """Whether an axis of any size has as many positions as elements."""
        return self.stride == self.base_dilation == 1 and self.low + self.high == self.span - 1

    def result(self, size: Size) -> Size:
        if isinstance(size, int):
            return self.positions(size)
        return size if self.keeps_size else None


class Padding(AttributeDirective):
    """Parses and prints padding as `[(1, 1), (0, 2)]`: `low` and `high` of each axis."""

    def parse_value(self, parser: Parser) -> Attribute:
        def pair() -> tuple[int, int]:
            parser.parse_punctuation("(")
            low = parse_int(parser)
            parser.parse_punctuation(",")
            high = parse_int(parser)
            parser.parse_punctuation(")")
            return low, high

        return padding_attr(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, pair))

    def print_value(self, printer: Printer, value: Attribute) -> None:
        flat = ints(cast(DenseArrayBase[IntegerType], value))
        with printer.in_square_brackets():
            printer.print_list(
                zip(flat[::2], flat[1::2], strict=True), lambda p: printer.print_string(f"({p[0]}, {p[1]})")
            )


def padding_attr(padding: Pairs) -> DenseArrayBase[IntegerType]:
    return axes_attr([size for pair in padding for size in pair])


def sliding(
    strides: Sequence[int] = (), padding: Pairs = (), dilation: Sequence[int] = (), base_dilation: Sequence[int] = ()
) -> dict[str, Attribute]:
    """Returns the properties of sliding windows; properties with default values are omitted."""
    out: dict[str, Attribute] = {"strides": axes_attr(strides)} if any(x != 1 for x in strides) else {}
    if any(map(any, padding)):
        out["padding"] = padding_attr(padding)
    ones = {"base_dilation": base_dilation, "dilation": dilation}  # in the order in which the parser adds them
    return out | {name: axes_attr(v) for name, v in ones.items() if any(x != 1 for x in v)}


class WindowOp(TensorOp, abc.ABC):
    """Base of ops whose windows slide over the axes `FIRST_AXIS`, `FIRST_AXIS + 1`, … of the first operand."""

    FIRST_AXIS: ClassVar[int] = 1
    strides = opt_prop_def(DenseArrayBase.constr(i64))
    padding = opt_prop_def(DenseArrayBase.constr(i64))
    dilation = opt_prop_def(DenseArrayBase.constr(i64))

    def __init__(self, operands: Sequence[SSAValue], dtype: Attribute, **parameters: Parameter):
        """`dtype` is the element type of the result; its sizes are computed from the operands and `parameters`."""
        super().__init__(operands, [operands[0].type], (), **parameters)
        self.results[0]._type = tensor_type(dtype, self.result_sizes())  # pyright: ignore[reportPrivateUsage]

    @property
    @abc.abstractmethod
    def window_sizes(self) -> tuple[int, ...]: ...

    @abc.abstractmethod
    def result_sizes(self) -> list[Size]: ...

    def windows(self) -> list[Window]:
        """Returns the window along each axis, in order."""
        sizes = self.window_sizes
        pads = self._list("padding", 2 * len(sizes), 0)
        strides, dilation, base = (self._list(name, len(sizes), 1) for name in ("strides", "dilation", "base_dilation"))
        return list(map(Window, sizes, strides, pads[::2], pads[1::2], dilation, base))

    def _list(self, name: str, count: int, default: int) -> tuple[int, ...]:
        attr = self.properties.get(name)
        values = (default,) * count if attr is None else ints(cast(DenseArrayBase[IntegerType], attr))
        problem = (
            f"has {counted(len(values), 'number')} for windows over {counted(len(self.window_sizes), 'axis', 'axes')}"
        )
        check_attribute(self, len(values) == count, name, problem, "give as many as the window has axes")
        return values

    def require_windows(self) -> list[Size]:
        """Returns the sizes of the result's axes along which windows slide. Checks the parameters of the windows."""
        windows = self.windows()
        for axis, window in enumerate(windows, self.FIRST_AXIS):
            for name, value in (
                ("window", window.size),
                ("strides", window.stride),
                ("dilation", window.dilation),
                ("base_dilation", window.base_dilation),
            ):
                check_attribute(self, value >= 1, name, f"is {value} for axis {axis}", "it must be at least 1")
        extents = sizes(self.operands[0])[self.FIRST_AXIS :]
        return [window.result(extent) for window, extent in zip(windows, extents, strict=False)]


@irdl_op_definition
class ReduceWindowOp(AccumulatingOp, WindowOp):
    """
    Reduces the elements of each window to one. Contract: *ReduceWindow*.

    `window` has a size for each axis. Padding, and the gaps between elements for a `base_dilation`, have the value of the
    identity of the reduction: 0, or the least or greatest value of the accumulator's type. Accumulation is as for
    `ptir.reduce`. As in StableHLO, the maximum and the minimum of a window with a NaN are NaN, and +0 is above -0. Optional
    parameters are written in this order: `strides`, `padding`, `base_dilation`, `dilation`, `accum`, `out`.

    ```mlir
    %1 = ptir.reduce_window max %0 window [1, 2, 2] strides [1, 2, 2] padding [(0, 0), (1, 1), (0, 0)]
       : tensor<3x8x8xf32> -> tensor<3x5x4xf32>
    ```
    """

    name = "ptir.reduce_window"
    FIRST_AXIS: ClassVar[int] = 0
    kind = prop_def(StringAttr)
    input = operand_def(AnyTensor)
    window = prop_def(DenseArrayBase.constr(i64))
    base_dilation = opt_prop_def(DenseArrayBase.constr(i64))
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    custom_directives = (Keyword, Axes, Padding)
    assembly_format = (
        "custom<Keyword>($kind) $input `window` custom<Axes>($window) (`strides` custom<Axes>($strides)^)? "
        "(`padding` custom<Padding>($padding)^)? (`base_dilation` custom<Axes>($base_dilation)^)? "
        "(`dilation` custom<Axes>($dilation)^)? (`accum` $accum_dtype^)? (`out` $out_dtype^)? "
        "attr-dict `:` type($input) `->` type($result)"
    )

    def __init__(
        self,
        kind: str,
        input: SSAValue,
        window: Sequence[int],
        *,
        strides: Sequence[int] = (),
        padding: Pairs = (),
        base_dilation: Sequence[int] = (),
        dilation: Sequence[int] = (),
        accum: Attribute | None = None,
        out: Attribute | None = None,
    ):
        super().__init__(
            [input],
            out or element(input),
            kind=kind,
            window=window,
            **sliding(strides, padding, dilation, base_dilation),
            accum_dtype=accum,
            out_dtype=out,
        )

    @property
    def window_sizes(self) -> tuple[int, ...]:
        return ints(self.window)

    def result_sizes(self) -> list[Size]:
        return self.require_windows()

    def verify_(self) -> None:
        check_word(self, "kind", self.kind.data, REDUCTIONS)
        check_rank(self, "the window", len(self.window), len(shape(self.input)))
        require_domain(self, element(self.input), "number" if self.kind.data == "sum" else "real")
        self.require_accum()
        self.require_result(self.result_sizes())


@irdl_op_definition
class ExtractPatchesOp(WindowOp):
    """
    Extracts the elements of each window into the last axis of the result (im2col). Contract: *ExtractPatches*.

    The input is channels-last, `[N, spatial…, C]`, with any number of spatial axes and a window size for each. The last axis
    of the result `[N, positions…, prod(window) * C]` has the elements of a window in row-major order, with C fastest.
    Padding has the value `pad_value`, by default 0.

    ```mlir
    %1 = ptir.extract_patches %0 window [3, 3] padding [(1, 1), (1, 1)] : tensor<1x8x8x4xf32> -> tensor<1x8x8x36xf32>
    %3 = ptir.extract_patches %2 window [2] strides [2] pad_value -1.0 : f32 : tensor<1x8x4xf32> -> tensor<1x4x8xf32>
    ```
    """

    name = "ptir.extract_patches"
    input = operand_def(AnyTensor)
    window = prop_def(DenseArrayBase.constr(i64))
    pad_value = opt_prop_def(ScalarAttr)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    custom_directives = (Axes, Padding, Scalar)
    assembly_format = (
        "$input `window` custom<Axes>($window) (`strides` custom<Axes>($strides)^)? "
        "(`padding` custom<Padding>($padding)^)? (`dilation` custom<Axes>($dilation)^)? "
        "(`pad_value` custom<Scalar>($pad_value)^)? attr-dict `:` type($input) `->` type($result)"
    )

    def __init__(
        self,
        input: SSAValue,
        window: Sequence[int],
        *,
        strides: Sequence[int] = (),
        padding: Pairs = (),
        dilation: Sequence[int] = (),
        pad_value: ScalarAttr | None = None,
    ):
        slides = sliding(strides, padding, dilation)
        super().__init__([input], element(input), window=window, **slides, pad_value=pad_value)

    @property
    def window_sizes(self) -> tuple[int, ...]:
        return ints(self.window)

    def result_sizes(self) -> list[Size]:
        batch, *_, channels = sizes(self.input)
        return [batch, *self.require_windows(), product(*self.window_sizes, channels)]

    def verify_(self) -> None:
        if len(shape(self.input)) != len(self.window) + 2:
            want = f"{len(self.window) + 2}: batch, one for each axis of the window, channels"
            raise RankMismatch(self, what="the input", got=len(shape(self.input)), want=want)
        dtype = element(self.input)
        if self.pad_value is not None:
            problem, help = f"is of type {self.pad_value.dtype}", f"write a value of the input's element type, {dtype}"
            check_attribute(self, self.pad_value.dtype == dtype, "pad_value", problem, help)
        self.require_tensor(self.result, dtype, self.result_sizes(), "the result")
