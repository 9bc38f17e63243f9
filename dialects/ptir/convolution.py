"""Convolution, an extension of the contract, which has only patch extraction (*Patch extraction*) and contraction."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import Pure

from ...errors import RankMismatch
from ..common.checks import check_attribute, check_type
from ..common.shapes import element, require_precision, shape
from ..common.syntax import Axes, Keyword
from .base import AccumulatingOp, AnyTensor, Extension
from .contraction import require_factors
from .dims import Size, sizes
from .windows import Padding, Pairs, WindowOp, sliding


@irdl_op_definition
class ConvolutionOp(AccumulatingOp, WindowOp):
    """
    Convolution: the sum of the products of each window with a filter, which is not flipped. An extension of the contract, where
    it is a `ptir.extract_patches` and a `ptir.dot_general`.

    The input is `[N, spatial…, C]`, the filter `[window…, C / groups, F]`, the result `[N, positions…, F]`. With one group the op
    contracts the patches of the input, padded with 0, with the filter reshaped to `[prod(window) * C, F]`. With several groups,
    the channels and the features are divided into `groups` equal parts, and a part of the features depends only on its part of
    the channels. Products, `accum`, `out` and `precision` are as for `ptir.dot_general`.

    ```mlir
    %y = ptir.convolution %x, %w strides [2, 2] padding [(1, 1), (1, 1)] groups 2 accum f32
       : (tensor<1x8x8x4xbf16>, tensor<3x3x2x6xbf16>) -> tensor<1x4x4x6xbf16>
    ```
    """

    name = "ptir.convolution"
    input = operand_def(AnyTensor)
    filter = operand_def(AnyTensor)
    groups = opt_prop_def(IntegerAttr.constr(i64))
    precision = opt_prop_def(StringAttr)
    result = result_def(AnyTensor)
    traits = traits_def(Pure(), Extension())
    custom_directives = (Axes, Keyword, Padding)
    assembly_format = (
        "$input `,` $filter (`strides` custom<Axes>($strides)^)? (`padding` custom<Padding>($padding)^)? "
        "(`dilation` custom<Axes>($dilation)^)? (`groups` $groups^)? (`accum` $accum_dtype^)? (`out` $out_dtype^)? "
        "(`precision` custom<Keyword>($precision)^)? attr-dict `:` `(` type($input) `,` type($filter) `)` `->` type($result)"
    )

    def __init__(
        self,
        input: SSAValue,
        filter: SSAValue,
        *,
        strides: Sequence[int] = (),
        padding: Pairs = (),
        dilation: Sequence[int] = (),
        groups: int = 1,
        accum: Attribute | None = None,
        out: Attribute | None = None,
        precision: str | None = None,
    ):
        super().__init__(
            [input, filter],
            out or element(input),
            **sliding(strides, padding, dilation),
            groups=None if groups == 1 else groups,
            accum_dtype=accum,
            out_dtype=out,
            precision=precision,
        )

    @property
    def window_sizes(self) -> tuple[int, ...]:
        return shape(self.filter)[:-2]

    @property
    def group_count(self) -> int:
        return 1 if self.groups is None else self.groups.value.data

    def result_sizes(self) -> list[Size]:
        return [sizes(self.input)[0], *self.require_windows(), sizes(self.filter)[-1]]

    def verify_(self) -> None:
        window = self.window_sizes
        if len(shape(self.filter)) != len(shape(self.input)) or len(shape(self.input)) < 2:
            want = f"{max(len(shape(self.input)), 2)}, as the input: an axis for each of its spatial axes, channels, features"
            raise RankMismatch(self, what="the filter", got=len(shape(self.filter)), want=want)
        static = all(size >= 0 for size in window)
        check_type(self, static, "the filter", self.filter.type, "the sizes of its window must be static")
        require_factors(self, "the filter")
        channels, features = sizes(self.input)[-1], sizes(self.filter)[-1]
        groups = self.group_count
        for size, what in ((channels, "channels"), (features, "features")):
            divides = groups >= 1 and (not isinstance(size, int) or size % groups == 0)
            problem = f"is {groups}, which does not divide {size} {what}"
            check_attribute(self, divides, "groups", problem, "groups are of equal size")
        wanted = channels if groups == 1 else channels // groups if isinstance(channels, int) else None
        self.require_shape(self.filter, [*window, wanted, features], "the filter")
        self.require_result(self.result_sizes())
        require_precision(self, self.precision, (element(self.input), self.accum))
