"""Layer normalization. Contract: *Fused and convenience ops*."""

from __future__ import annotations

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, f64, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import VarConstraint, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from ..common.checks import check_value
from ..common.shapes import element
from .base import AnyTensor, AxisOp, SameType, default_accum
from .dims import sizes
from .domains import require_domain


@irdl_op_definition
class LayerNormOp(AxisOp):
    """
    Normalizes along `axis`, then scales and shifts. Contract: *LayerNorm*.

    Let T be the element type, A its default accumulator type (f32 for floats up to f32, f64 for f64), and n the size of the axis.
    The result is defined as follows; each operation is rounded to A:

    ```
    v    = cast(x, A)
    mean = sum(v, axis) / n
    d    = v - mean
    var  = sum(d * d, axis) / n                  the biased variance
    y    = d * rsqrt(var + epsilon)              epsilon is first rounded to A
    out  = cast(y * cast(gamma, A) + cast(beta, A), T)
    ```

    `mean` and `var` are broadcast along `axis`; `gamma` and `beta`, of shape `[n]` and type T, along the other axes.

    ```mlir
    %y = ptir.layer_norm %x, %gamma, %beta axis -1 epsilon 1.0e-05 : tensor<4x8xbf16>, tensor<8xbf16>
    ```
    """

    name = "ptir.layer_norm"
    input = operand_def(SameType)
    gamma = operand_def(VarConstraint("F", AnyTensor))
    beta = operand_def(VarConstraint("F", AnyTensor))
    axis_attr = prop_def(IntegerAttr[IntegerType].constr(i64), prop_name="feature_axis")
    epsilon = prop_def(FloatAttr.constr(f64))
    result = result_def(SameType)
    traits = traits_def(Pure())
    assembly_format = (
        "$input `,` $gamma `,` $beta `axis` $feature_axis `epsilon` $epsilon "
        "attr-dict `:` type($result) `,` type($gamma)"
    )

    def __init__(self, input: SSAValue, gamma: SSAValue, beta: SSAValue, axis: int, epsilon: float):
        super().__init__([input, gamma, beta], [input.type], feature_axis=axis, epsilon=float(epsilon))

    @property
    def accum(self) -> Attribute:
        return default_accum(element(self.input))

    def verify_(self) -> None:
        dtype = element(self.input)
        require_domain(self, dtype, "float")
        self.require_tensor(self.gamma, dtype, [sizes(self.input)[self.axis()]], "gamma")
        epsilon = self.epsilon.value.data
        check_value(self, epsilon >= 0, "epsilon", epsilon, "it must be a number of at least 0")
