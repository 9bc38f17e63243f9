"""Elementwise ops. Spec: `tensor-compiler.ja §1.3`, the rules of *Unary* and *Binary*."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from xdsl.dialects.builtin import IntegerAttr, IntegerType, StringAttr, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure

from ...errors import NotBroadcastable, OperandCountMismatch, UnsupportedType
from ...text.known_sizes import Size, equate, may_be_equal, merge
from ..common.checks import check_value, check_word
from ..common.report import check_number
from ..common.shapes import element
from ..common.syntax import Keyword
from ..ptir import TensorOp
from ..ptir.base import AnyTensor
from ..ptir.dims import sizes, sizes_text, tensor_type
from ..ptir.domains import require_castable
from ..ptir.functions import bit_width
from .vocabulary import BINARIES, CHECKS, COMPARISONS, UNARIES, problem_with


def _require_defined(op: TensorOp, fn: str, dtype: Attribute) -> None:
    if problem := problem_with(fn, dtype):
        raise UnsupportedType(op, what="the element type", got=dtype, want=problem)


@irdl_op_definition
class UnaryOp(TensorOp):
    """
    `out[i] = fn(x[i])`. The functions are

    - those of the `ptir` ops `neg`, `abs`, `exp`, `exp2`, `log`, `tanh`, `erf`, `sqrt`, `rsqrt`, `recip` (`ptir.reciprocal`), `sin`,
      `cos`, `floor`, `ceil`, `round`, `sign`, `log1p`, `expm1`, `erfc`, `sigmoid` (`ptir.logistic`) and `not`;
    - `relu`, which is `max(x, 0)`, `gelu`, which is `x/2 · (1 + erf(x/√2))`, and `silu`, which is `x · sigmoid(x)`. They are
      computed in f32 (f64 for f64) and rounded once. `gelu` and `silu` of -Inf are NaN;
    - `cast`, which converts to the result's element type like `ptir.cast`, and `bitcast`, which reinterprets the bits as an
      element type of equal width;
    - `is_finite`, whose result is i1;
    - `tf32`, which rounds f32 to 10 bits of fraction, to nearest with ties away from zero; the result is f32 (PTX ISA
      §9.7.9.21, `cvt.rna.tf32.f32`).

    ```mlir
    %1 = tiny.unary exp %0 : tensor<4xf32> -> tensor<4xf32>
    ```
    """

    name = "tiny.unary"
    fn = prop_def(StringAttr)
    input = operand_def(AnyTensor)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($fn) $input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, fn: str, input: SSAValue, dtype: Attribute | None = None):
        """`dtype` is the target type of a cast or bitcast."""
        result = tensor_type(i1 if fn == "is_finite" else dtype or element(input), sizes(input))
        super().__init__([input], [result], fn=fn)

    def verify_(self) -> None:
        fn, dtype, out = self.fn.data, element(self.input), element(self.result)
        check_word(self, "fn", fn, UNARIES)
        self.require_shape(self.result, sizes(self.input), "the result")
        _require_defined(self, fn, dtype)
        match fn:
            case "cast":
                require_castable(self, dtype, out, "the cast")
            case "bitcast":
                _require_defined(self, fn, out)
                if bit_width(dtype) != bit_width(out):
                    want = f"it must have the {bit_width(dtype)} bits of {dtype}"
                    raise UnsupportedType(self, what="the result's element type", got=out, want=want)
            case _:
                self.require_element(self.result, i1 if fn == "is_finite" else dtype, "the result")


@irdl_op_definition
class BinaryOp(TensorOp):
    """
    `out = fn(lhs, rhs)` with right-aligned broadcast: an axis that an operand lacks, or that is 1 in its type, is repeated.
    Other sizes must be equal; for dynamic sizes this is checked at run time.

    The functions are those of the `ptir` ops `add`, `sub`, `mul`, `div`, `max` (`ptir.maximum`), `min` (`ptir.minimum`), `pow`,
    `remainder`, `and`, `or`, `xor`, `shift_left`, `shift_right_arithmetic` and `shift_right_logical`; the comparisons `lt`,
    `le`, `eq`, `ge`, `gt` and `ne`, whose result is i1; `where`, which takes its predicate first and then the two choices; and
    `require_index`, `require_sorted` and `require_unique`, which take a predicate and a value, and return the value. Where the
    predicate does not hold, it is a run-time error: an index out of range, or indices that are not sorted or not unique as promised.
    Results are rounded, or wrap, in the type of the operands.

    `report`, which `form-regions` sets, is the number with which a kernel reports a failure: a zero divisor of integers, or a
    predicate that does not hold. The numbers descend in the order of the program. Without it the op is known not to fail.

    ```mlir
    %1 = tiny.binary where %p, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
    """

    name = "tiny.binary"
    fn = prop_def(StringAttr)
    inputs = var_operand_def(AnyTensor)
    report = opt_prop_def(IntegerAttr.constr(i64))
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    custom_directives = (Keyword,)
    assembly_format = (
        "custom<Keyword>($fn) $inputs (`report` $report^)? attr-dict `:` functional-type($inputs, $result)"
    )

    def __init__(self, fn: str, *inputs: SSAValue):
        """Raises `NotBroadcastable` if the operands' sizes are incompatible."""
        want = joint_sizes(None, [sizes(value) for value in inputs])
        dtype = i1 if fn in COMPARISONS else element(inputs[-1])
        super().__init__([inputs], [tensor_type(dtype, want)], fn=fn)

    def verify_(self) -> None:
        fn = self.fn.data
        check_word(self, "fn", fn, BINARIES)
        want = 3 if fn == "where" else 2
        if len(self.inputs) != want:
            raise OperandCountMismatch(self, what=fn, got=len(self.inputs), want=f"{want} operands")
        joint = joint_sizes(self, [sizes(value) for value in self.inputs])
        for value in self.inputs:
            for size, common in zip(reversed(sizes(value)), reversed(joint), strict=False):
                if size != 1:
                    equate(self, size, common, "an operand's axis")
        self.require_shape(self.result, joint, "the result")
        dtype = element(self.inputs[-1])
        if fn == "where" or fn in CHECKS:
            self.require_element(self.inputs[0], i1, "the predicate")
        if fn not in CHECKS:
            self.require_element(self.inputs[-2], dtype, f"an operand of {fn}")
        _require_defined(self, fn, dtype)
        self.require_element(self.result, i1 if fn in COMPARISONS else dtype, "the result")
        if self.report is not None:
            help = "integer divisions and requirements report"
            check_value(self, self.failure is not None, "report", f"on {fn} of {dtype}", help)
            check_number(self, self.report)

    @property
    def failure(self) -> str | None:
        """How the op may fail, as one of `FAILURES`: as an integer division or remainder, or as a check. Otherwise None."""
        divides = self.fn.data in ("div", "remainder") and isinstance(element(self.result), IntegerType)
        return "division" if divides else CHECKS.get(self.fn.data)


def is_product(op: object) -> TypeGuard[BinaryOp]:
    """Whether an op is a multiplication."""
    return isinstance(op, BinaryOp) and op.fn.data == "mul"


def joint_sizes(op: Operation | None, shapes: Sequence[Sequence[Size]]) -> tuple[Size, ...]:
    """
    Returns the right-aligned broadcast of `shapes`. A size is the most precise of those given: a number, else a name. Raises
    `NotBroadcastable` at `op`.
    """
    out: tuple[Size, ...] = ()
    for shape in shapes:
        rank = max(len(out), len(shape))
        left, right = ((*[1] * (rank - len(s)), *s) for s in (out, shape))
        joint: list[Size] = []
        for a, b in zip(left, right, strict=True):
            if 1 not in (a, b) and not may_be_equal(a, b):
                raise NotBroadcastable(op, got=sizes_text(out), want=sizes_text(shape), a=a, b=b)
            joint.append(b if a == 1 else a if b == 1 else merge(a, b))
        out = tuple(joint)
    return out
