"""Ops with structure: products, softmax, windows and images. Spec: `intentir-semantics §2.5, §2.6, §2.8`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, IntegerType, UnitAttr, f32, i64
from xdsl.ir import Attribute, TypeAttribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    opt_region_def,
    prop_def,
    traits_def,
)
from xdsl.traits import IsTerminator

from ...errors import RegionMismatch, ShapeMismatch
from ..common.checks import check_type, check_value
from ..common.ops import DialectOp
from ..common.shapes import is_float, normalize_axis
from ..ptir.domains import is_integer, require_kind
from .base import IntentOp, IntentTensor
from .broadcast import joint, may_agree
from .elementwise import BinaryOp, CastOp, UnaryOp, WhereOp
from .types import Dim, TensorType, shape_text, type_of

EPILOGUE_OPS = (UnaryOp, BinaryOp, WhereOp, CastOp)


@irdl_op_definition
class YieldOp(DialectOp):
    """
    Ends an epilogue with its result.

    ```mlir
    intent.yield %0 : !intent.tensor<[M, N], f16>
    ```
    """

    name = "intent.yield"
    value = operand_def(IntentTensor)
    traits = traits_def(IsTerminator())
    assembly_format = "$value attr-dict `:` type($value)"


@irdl_op_definition
class MatmulOp(IntentOp):
    """
    `out[…, m, n] = Σk lhs[…, m, k] · rhs[…, k, n]`; `transpose_lhs` and `transpose_rhs` exchange the last two axes of an operand first.
    Axes before the last two are broadcast like those of elementwise operands. Products are exact; they accumulate in `accum`, by
    default f32 (f64 for f64; integers in their own type), and the sum is cast to the type of the epilogue's argument, or without an
    epilogue to that of the result. The epilogue is an elementwise graph: its argument is the product, it may use any other value,
    and the value that it yields is the result.

    ```mlir
    %1 = intent.matmul %a, %b accum f32 : (!intent.tensor<[M, K], f16>, !intent.tensor<[K, N], f16>) -> !intent.tensor<[M, N], f16>
    %2 = intent.matmul %a, %b epilogue {
    ^bb0(%x: !intent.tensor<[M, N], f16>):
      %3 = intent.unary relu %x : !intent.tensor<[M, N], f16> -> !intent.tensor<[M, N], f16>
      intent.yield %3 : !intent.tensor<[M, N], f16>
    } : (!intent.tensor<[M, K], f16>, !intent.tensor<[K, N], f16>) -> !intent.tensor<[M, N], f16>
    ```
    """

    name = "intent.matmul"
    lhs = operand_def(IntentTensor)
    rhs = operand_def(IntentTensor)
    transpose_lhs = opt_prop_def(UnitAttr)
    transpose_rhs = opt_prop_def(UnitAttr)
    accum_dtype = opt_prop_def(TypeAttribute)
    epilogue = opt_region_def("single_block")
    assembly_format = (
        "$lhs `,` $rhs (`transpose_lhs` $transpose_lhs^)? (`transpose_rhs` $transpose_rhs^)? (`accum` $accum_dtype^)? "
        "(`epilogue` $epilogue^)? attr-dict `:` functional-type(operands, results)"
    )

    def inferred(self) -> TensorType:
        dtype = self.require_kind(self.lhs, "numbers", "an operand of matmul")
        self.require_element(self.rhs, dtype, "an operand of matmul")
        if self.accum_dtype is not None:
            require_kind(self, self.accum_dtype, dtype, "accum")
        dims: list[list[Dim]] = []
        for value, flag, what in ((self.lhs, self.transpose_lhs, "lhs"), (self.rhs, self.transpose_rhs, "rhs")):
            of = list(type_of(value).dims)
            check_type(self, len(of) >= 2, what, value.type, "matrices have at least two axes")
            dims.append([*of[:-2], of[-1], of[-2]] if flag is not None else of)
        (*outer_lhs, m, k), (*outer_rhs, k_rhs, n) = dims
        if not may_agree(k, k_rhs):
            raise ShapeMismatch(self, what="rhs", got=shape_text(dims[1]), want=f"{k} on the axis that is summed")
        outer, _ = joint(self, [outer_lhs, outer_rhs])
        return self._through_epilogue((*outer, m, n), dtype)

    @staticmethod
    def product_element(operand: Attribute, result: Attribute) -> Attribute:
        """Returns the element type of the product: that of the result, unless only one of the types is a float, or an integer."""
        return result if (is_float(operand), is_integer(operand)) == (is_float(result), is_integer(result)) else operand

    def _through_epilogue(self, dims: Sequence[Dim], dtype: Attribute) -> TensorType:
        if self.epilogue is None:
            return TensorType(dims, self.product_element(dtype, type_of(self.result).element_type))
        block = self.epilogue.block
        end = block.last_op
        if len(block.args) != 1 or not isinstance(block.args[0].type, TensorType):
            raise RegionMismatch(
                self, what="the arguments of the epilogue", got=len(block.args), want="one, the product"
            )
        if not isinstance(end, YieldOp):
            raise RegionMismatch(self, what="the end of the epilogue", got=end and end.name, want="intent.yield")
        for op in block.ops:
            if not isinstance(op, (*EPILOGUE_OPS, YieldOp)):
                raise RegionMismatch(op, what="an op of the epilogue", got=op.name, want="an elementwise op")
        require_kind(self, type_of(block.args[0]).element_type, dtype, "the product")
        self.require_shape(block.args[0], dims, "the product")
        return type_of(end.value)


@irdl_op_definition
class SoftmaxOp(IntentOp):
    """
    `exp(x - m) / Σ exp(x - m)` along `axis`, where `m` is the maximum along it. Floats narrower than f32 are computed in f32 and
    rounded once.

    ```mlir
    %1 = intent.softmax %0 axis -1 : !intent.tensor<[M, N], f32> -> !intent.tensor<[M, N], f32>
    ```
    """

    name = "intent.softmax"
    input = operand_def(IntentTensor)
    axis_attr = prop_def(IntegerAttr[IntegerType].constr(i64), prop_name="axis")
    assembly_format = "$input `axis` $axis attr-dict `:` type($input) `->` type($result)"

    def axis(self) -> int:
        """Returns the axis. A negative axis is normalized."""
        return normalize_axis(self, self.axis_attr.value.data, len(type_of(self.input).dims))

    def inferred(self) -> TensorType:
        self.axis()
        self.require_kind(self.input, "floats", "the operand of softmax")
        return type_of(self.input)


@irdl_op_definition
class DropoutOp(IntentOp):
    """
    `out[i] = r[i] > p ? x[i] / (1 - p) : 0`, with the random numbers of Triton's `tl.rand(seed, i, rounds)` for the row-major index `i`:
    Philox-4x32 with `rounds` rounds. For p = 1 every element is 0. Operands are f32; `p` is f32 and `seed` an integer, both of rank 0.

    ```mlir
    %1 = intent.dropout %x, %p, %seed rounds 10
       : (!intent.tensor<[N], f32>, !intent.tensor<[], f32>, !intent.tensor<[], i64>) -> !intent.tensor<[N], f32>
    ```
    """

    name = "intent.dropout"
    input = operand_def(IntentTensor)
    p = operand_def(IntentTensor)
    seed = operand_def(IntentTensor)
    rounds = prop_def(IntegerAttr[IntegerType].constr(i64))
    assembly_format = "$input `,` $p `,` $seed `rounds` $rounds attr-dict `:` functional-type(operands, results)"

    def inferred(self) -> TensorType:
        rounds = self.rounds.value.data
        check_value(self, 1 <= rounds <= 16, "rounds", rounds, "1 to 16")
        for value, what in ((self.input, "the operand of dropout"), (self.p, "p")):
            self.require_element(value, f32, what)
        self.require_kind(self.seed, "integers", "seed")
        for value, what in ((self.p, "p"), (self.seed, "seed")):
            self.require_rank(value, 0, what)
        return type_of(self.input)
