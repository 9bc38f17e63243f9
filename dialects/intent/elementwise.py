"""Elementwise ops, constants and casts. Spec: `intentir-semantics §2.1, §2.2`."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, IntegerType, StringAttr, i1, i64
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, var_operand_def

from ...errors import OperandCountMismatch
from ..common.checks import check_value, check_word
from ..common.shapes import normalize_axis
from ..common.syntax import Keyword
from ..ptir.scalars import ScalarAttr
from .base import Amount, IntentOp, IntentTensor, check_scale
from .broadcast import joint
from .types import TensorType, type_of

UNARIES = {
    "exp": "floats",
    "rsqrt": "floats",
    "floor": "floats",
    "relu": "numbers",
    "abs": "numbers",
    "not": "booleans",
    "identity": "any type",
    "layout_cast": "any type",
}
"""The functions of `intent.unary`, and the elements on which they are defined."""
ARITHMETIC = ("add", "sub", "mul", "div", "max", "min")
COMPARISONS = ("ne", "lt", "le", "gt", "ge")
LOGIC = ("and", "or")
BINARIES = (*ARITHMETIC, *COMPARISONS, *LOGIC)


@irdl_op_definition
class UnaryOp(IntentOp):
    """
    `out[i] = fn(x[i])`: `exp`, `rsqrt` and `floor` of floats, `relu`, which is max(x, 0), and `abs` of numbers, `not` of booleans.
    `identity` and `layout_cast` return their operand; layouts have no meaning.

    ```mlir
    %1 = intent.unary exp %0 : !intent.tensor<[M, N], f32> -> !intent.tensor<[M, N], f32>
    ```
    """

    name = "intent.unary"
    fn = prop_def(StringAttr)
    input = operand_def(IntentTensor)
    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($fn) $input attr-dict `:` type($input) `->` type($result)"

    def inferred(self) -> TensorType:
        fn = self.fn.data
        check_word(self, "fn", fn, UNARIES)
        self.require_kind(self.input, UNARIES[fn], f"the operand of {fn}")
        return type_of(self.input)


@irdl_op_definition
class BinaryOp(IntentOp):
    """
    `out = fn(lhs, rhs)`, pointwise. Operands are broadcast: axes of size 1 are repeated, and an operand of lower rank is placed
    where its sizes agree, else aligned on the right (`dialects/intent/broadcast.py`).

    `add`, `sub`, `mul`, `div`, `max` and `min` take numbers. Floats are rounded once in their type; integers wrap, and their division
    truncates. `ne`, `lt`, `le`, `gt` and `ge` compare numbers (of NaN only `ne` is true); `and` and `or` take booleans.

    ```mlir
    %1 = intent.binary sub %x, %max : (!intent.tensor<[M, N], f32>, !intent.tensor<[M], f32>) -> !intent.tensor<[M, N], f32>
    ```
    """

    name = "intent.binary"
    fn = prop_def(StringAttr)
    lhs = operand_def(IntentTensor)
    rhs = operand_def(IntentTensor)
    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($fn) $lhs `,` $rhs attr-dict `:` functional-type(operands, results)"

    def inferred(self) -> TensorType:
        fn = self.fn.data
        check_word(self, "fn", fn, BINARIES)
        dtype = self.require_kind(self.lhs, "booleans" if fn in LOGIC else "numbers", f"an operand of {fn}")
        self.require_element(self.rhs, dtype, f"an operand of {fn}")
        dims, _ = joint(self, [type_of(v).dims for v in self.operands])
        return TensorType(dims, i1 if fn in COMPARISONS else dtype)


@irdl_op_definition
class WhereOp(IntentOp):
    """
    `out = predicate ? on_true : on_false`, with the broadcasting of `intent.binary`.

    ```mlir
    %1 = intent.where %p, %a, %b : (!intent.tensor<[M, N], i1>, !intent.tensor<[M, N], f32>, !intent.tensor<[], f32>) -> !intent.tensor<[M, N], f32>
    ```
    """

    name = "intent.where"
    predicate = operand_def(IntentTensor)
    on_true = operand_def(IntentTensor)
    on_false = operand_def(IntentTensor)
    assembly_format = "$predicate `,` $on_true `,` $on_false attr-dict `:` functional-type(operands, results)"

    def inferred(self) -> TensorType:
        self.require_kind(self.predicate, "booleans", "the predicate")
        dtype = type_of(self.on_true).element_type
        self.require_element(self.on_false, dtype, "an operand of where")
        dims, _ = joint(self, [type_of(v).dims for v in self.operands])
        return TensorType(dims, dtype)


@irdl_op_definition
class CastOp(IntentOp):
    """
    Converts each element to the result's type, as `ptir.cast` does: to floats with one rounding, from floats to integers by
    truncation with saturation and NaN to 0; to booleans, whether it differs from 0.

    ```mlir
    %1 = intent.cast %0 : !intent.tensor<[M], f16> -> !intent.tensor<[M], f32>
    ```
    """

    name = "intent.cast"
    input = operand_def(IntentTensor)
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def inferred(self) -> TensorType:
        return TensorType(type_of(self.input).dims, type_of(self.result).element_type)


@irdl_op_definition
class ConstOp(IntentOp):
    """
    A number in every element: a scalar, or an expression of symbols, which is computed exactly (roots in f64). It is rounded once to
    the result's type.

    ```mlir
    %0 = intent.const 1.0e-5 : f64 : !intent.tensor<[], f32>
    %1 = intent.const expr "1 / sqrt(D)" : !intent.tensor<[], f32>
    ```
    """

    name = "intent.const"
    value = prop_def(Attribute)
    custom_directives = (Amount,)
    assembly_format = "custom<Amount>($value) attr-dict `:` type($result)"

    def inferred(self) -> TensorType:
        check_value(
            self, isinstance(self.value, ScalarAttr | StringAttr), "value", self.value, "a scalar or an expression"
        )
        check_scale(self, "value", self.value)
        return type_of(self.result)


@irdl_op_definition
class IotaOp(IntentOp):
    """
    Counts 0, 1, 2, … along `axis`; the numbers repeat along all other axes.

    ```mlir
    %0 = intent.iota axis 1 : !intent.tensor<[M, N], i32>
    ```
    """

    name = "intent.iota"
    axis_attr = prop_def(IntegerAttr[IntegerType].constr(i64), prop_name="axis")
    assembly_format = "`axis` $axis attr-dict `:` type($result)"

    def axis(self) -> int:
        """Returns the axis. A negative axis is normalized."""
        return normalize_axis(self, self.axis_attr.value.data, len(type_of(self.result).dims))

    def inferred(self) -> TensorType:
        self.axis()
        self.require_kind(self.result, "numbers", "the result")
        return type_of(self.result)


@irdl_op_definition
class GatherOp(IntentOp):
    """
    `out[i…] = data[index0[i…], index1[i…], …]`: one index for each axis of `data`, broadcast like elementwise operands. An index
    out of range is an error of the run.

    ```mlir
    %1 = intent.gather %data[%i, %j] : (!intent.tensor<[M, N], f32>, !intent.tensor<[K], i32>, !intent.tensor<[K], i32>) -> !intent.tensor<[K], f32>
    ```
    """

    name = "intent.gather"
    data = operand_def(IntentTensor)
    indices = var_operand_def(IntentTensor)
    assembly_format = "$data `[` $indices `]` attr-dict `:` functional-type(operands, results)"

    def inferred(self) -> TensorType:
        data, rank = type_of(self.data), len(type_of(self.data).dims)
        if len(self.indices) != rank or not rank:
            raise OperandCountMismatch(
                self, what="gather", want=f"one index for each axis of the data ({rank})", got=len(self.indices)
            )
        for index in self.indices:
            self.require_kind(index, "integers", "an index")
        dims, _ = joint(self, [type_of(v).dims for v in self.indices])
        return TensorType(dims, data.element_type)
