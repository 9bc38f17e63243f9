"""Convolution, an extension: the contract has patch extraction and contraction. Contract: *Patch extraction*."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import Pure

from ...errors import InvalidAttributeValue, RankMismatch, UnsupportedType
from ..common.shapes import are_paired, element, shape
from ..common.syntax import Axes
from .base import AnyTensor, Extension, default_accum
from .dims import Size, sizes, tensor_type
from .domains import require_castable, require_domain, require_kind
from .windows import Padding, Pairs, WindowOp, sliding


@irdl_op_definition
class ConvolutionOp(WindowOp):
    """
    The sum of each window times a filter. An extension of the contract, which writes it as `ptir.extract_patches` and
    `ptir.dot_general`.

    The input is `[N, spatial…, C]`, the filter `[window…, C / groups, F]`, the result `[N, positions…, F]`. With one group
    the op contracts the patches (padded with 0) with the filter reshaped to `[prod(window) * C, F]`. With more, the channels
    and the F features are cut into `groups` equal runs, and each run of features reads its run of channels only. Products,
    `accum` and `out` are as for `ptir.dot_general`. The window is not flipped.

    ```mlir
    %y = ptir.convolution %x, %w strides [2, 2] padding [(1, 1), (1, 1)] groups 2 accum f32
       : (tensor<1x8x8x4xbf16>, tensor<3x3x2x6xbf16>) -> tensor<1x4x4x6xbf16>
    ```
    """

    name = "ptir.convolution"
    input = operand_def(AnyTensor)
    filter = operand_def(AnyTensor)
    groups = opt_prop_def(IntegerAttr.constr(i64))
    accum_dtype = opt_prop_def(TypeAttribute)
    out_dtype = opt_prop_def(TypeAttribute)
    result = result_def(AnyTensor)
    traits = traits_def(Pure(), Extension())
    custom_directives = (Axes, Padding)
    assembly_format = (
        "$input `,` $filter (`strides` custom<Axes>($strides)^)? (`padding` custom<Padding>($padding)^)? "
        "(`dilation` custom<Axes>($dilation)^)? (`groups` $groups^)? (`accum` $accum_dtype^)? (`out` $out_dtype^)? "
        "attr-dict `:` `(` type($input) `,` type($filter) `)` `->` type($result)"
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
    ):
        super().__init__(
            operands=[input, filter],
            properties={
                **sliding(strides, padding, dilation),
                "groups": None if groups == 1 else IntegerAttr(groups, i64),
                "accum_dtype": accum,
                "out_dtype": out,
            },
            result_types=[input.type],
        )
        self.results[0]._type = tensor_type(out or element(input), self.slid_sizes())  # pyright: ignore[reportPrivateUsage]

    @property
    def window_sizes(self) -> tuple[int, ...]:
        return shape(self.filter)[:-2]

    @property
    def accum(self) -> Attribute:
        return self.accum_dtype or default_accum(element(self.input))

    @property
    def group_count(self) -> int:
        return 1 if self.groups is None else self.groups.value.data

    def slid_sizes(self) -> list[Size]:
        """The result's sizes."""
        return [sizes(self.input)[0], *self.require_windows(self.input), sizes(self.filter)[-1]]

    def verify_(self) -> None:
        window, dtype, other = self.window_sizes, element(self.input), element(self.filter)
        if len(shape(self.filter)) != len(shape(self.input)) or len(shape(self.input)) < 2:
            want = f"{max(len(shape(self.input)), 2)}, as the input: an axis for each of its spatial axes, channels, features"
            raise RankMismatch(self, what="the filter", got=len(shape(self.filter)), want=want)
        if any(size < 0 for size in window):
            raise UnsupportedType(
                self, what="the filter", got=self.filter.type, want="its window has sizes that are numbers"
            )
        if not are_paired(dtype, other):
            self.require_element(self.filter, dtype, "the filter")
        if dtype != other and (self.accum_dtype is None or self.out_dtype is None):
            name = "accum" if self.accum_dtype is None else "out"
            problem = f"has no default for {dtype} x {other}"
            raise InvalidAttributeValue(self, name=name, problem=problem, help="write accum and out")
        require_domain(self, dtype, "number")
        require_kind(self, self.accum, dtype, "accum")
        require_castable(self, self.accum, self.out_dtype or dtype, "out")
        channels, features = sizes(self.input)[-1], sizes(self.filter)[-1]
        groups = self.group_count
        for size, what in ((channels, "channels"), (features, "features")):
            if groups < 1 or (isinstance(size, int) and size % groups):
                problem = f"is {groups}, which does not divide {size} {what}"
                raise InvalidAttributeValue(self, name="groups", problem=problem, help="groups are of equal size")
        wanted = channels if groups == 1 else channels // groups if isinstance(channels, int) else None
        self.require_shape(self.filter, [*window, wanted, features], "the filter")
        self.require_shape(self.result, self.slid_sizes(), "the result")
        self.require_element(self.result, self.out_dtype or dtype, "the result")
