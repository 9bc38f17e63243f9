"""
The `tiny` dialect: four op kinds and a leaf, level two.

Every tensor program of the family is movement, unary, binary and reduce. A contraction is movement,
`mul` and `reduce sum`: there is no op for it, and the detector in `analysis/` finds it by access maps.

```mlir
%a = tiny.movement reshape %x : tensor<4x8xf32> -> tensor<4x8x1xf32>
%b = tiny.movement reshape %w : tensor<8x2xf32> -> tensor<1x8x2xf32>
%p = tiny.binary mul %a, %b : (tensor<4x8x1xf32>, tensor<1x8x2xf32>) -> tensor<4x8x2xf32>
%c = tiny.reduce sum %p axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
```

Spec: `tensor-compiler.ja §1.2`, `§12.1`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    StringAttr,
    TensorType,
    f32,
    i1,
    i64,
)
from xdsl.ir import Attribute, Dialect, SSAValue, TypeAttribute
from xdsl.irdl import (
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure

from ..errors import (
    ElementCountMismatch,
    InvalidAttributeValue,
    OperandCountMismatch,
    RankMismatch,
    UnsupportedType,
)
from .ptir import REDUCTIONS, LiteralOp, TensorOp
from .shapes import (
    broadcast,
    element,
    element_count,
    is_float,
    is_predicate,
    normalize_axes,
    shape,
)
from .syntax import Axes, Keyword, axes_attr, ints

MOVEMENTS = ("reshape", "permute", "expand")
"""The kinds that have a meaning here yet; §1.2 also names pad, shrink and view."""
FLOAT_UNARIES = ("exp", "log", "tanh", "erf", "sqrt", "rsqrt", "recip")
UNARIES = ("neg", "abs", *FLOAT_UNARIES, "tf32", "cast")
COMPARISONS = ("lt", "le", "eq", "ge", "gt", "ne")
ARITHMETIC = ("add", "sub", "mul", "div", "max", "min")
BINARIES = (*ARITHMETIC, *COMPARISONS, "where")

AnyTensor = base(TensorType)


def _require_word(op: TensorOp, name: str, word: str, words: Sequence[str]) -> None:
    if word not in words:
        raise InvalidAttributeValue(op, name=name, problem=f"is '{word}'", help=f"one of {', '.join(words)}")


@irdl_op_definition
class ConstOp(LiteralOp):
    """A leaf: a dense literal."""

    name = "tiny.const"


@irdl_op_definition
class MovementOp(TensorOp):
    """
    Elements under another index: `reshape` (row-major), `permute` (result axis `i` is operand axis
    `perm[i]`) or `expand` (right-aligned broadcast). Spec: §1.3, the rules of *Movement*.

    ```mlir
    %0 = tiny.movement permute %x by [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    ```
    """

    name = "tiny.movement"
    kind = prop_def(StringAttr)
    input = operand_def(AnyTensor)
    perm = opt_prop_def(DenseArrayBase.constr(i64))
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    custom_directives = (Keyword, Axes)
    assembly_format = (
        "custom<Keyword>($kind) $input (`by` custom<Axes>($perm)^)? attr-dict `:` type($input) `->` type($result)"
    )

    def __init__(self, kind: str, input: SSAValue, sizes: Sequence[int], perm: Sequence[int] | None = None):
        super().__init__(
            operands=[input],
            properties={"kind": StringAttr(kind), "perm": axes_attr(perm) if perm is not None else None},
            result_types=[TensorType(element(input), sizes)],
        )

    def permutation(self) -> tuple[int, ...]:
        perm = ints(self.perm) if self.perm is not None else ()
        return normalize_axes(self, perm, len(shape(self.input)), "perm")

    def verify_(self) -> None:
        _require_word(self, "kind", self.kind.data, MOVEMENTS)
        self.require_element(self.result, element(self.input), "the result")
        got, want = shape(self.input), shape(self.result)
        if (self.perm is not None) != (self.kind.data == "permute"):
            raise InvalidAttributeValue(
                self,
                name="perm",
                problem=f"does not fit {self.kind.data}",
                help="permute takes perm, the others do not",
            )
        match self.kind.data:
            case "reshape":
                if element_count(got) != element_count(want):
                    raise ElementCountMismatch(
                        self, what="the result", got=element_count(want), want=element_count(got)
                    )
            case "permute":
                perm = self.permutation()
                if len(perm) != len(got):
                    raise RankMismatch(self, what="perm", got=len(perm), want=len(got))
                self.require_shape(self.result, [got[p] for p in perm], "the result")
            case _:
                self.require_shape(self.result, broadcast(self, got, want), "the result")


@irdl_op_definition
class UnaryOp(TensorOp):
    """
    `out[i] = fn(x[i])`; `cast` converts to the result's element type as `ptir.cast` does, `tf32` rounds f32 to 10 bits
    of fraction, to nearest with ties away from zero, and leaves it f32 (PTX ISA §9.7.9.21, `cvt.rna.tf32.f32`).

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
        result = TensorType(dtype or element(input), shape(input))
        super().__init__(operands=[input], properties={"fn": StringAttr(fn)}, result_types=[result])

    def verify_(self) -> None:
        fn = self.fn.data
        _require_word(self, "fn", fn, UNARIES)
        self.require_shape(self.result, shape(self.input), "the result")
        if fn == "cast":
            return
        dtype = element(self.input)
        self.require_element(self.result, dtype, "the result")
        if is_predicate(dtype) or (fn in FLOAT_UNARIES and not is_float(dtype)) or (fn == "tf32" and dtype != f32):
            raise UnsupportedType(self, what="the element type", got=dtype, want=f"{fn} is not defined on it")


@irdl_op_definition
class BinaryOp(TensorOp):
    """
    `out = fn(lhs, rhs)` with right-aligned broadcasting of size-1 axes. Comparisons give i1; `where` takes
    its predicate first and then the two choices. Spec: §1.3, the rule of *Binary*.

    ```mlir
    %1 = tiny.binary where %p, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
    """

    name = "tiny.binary"
    fn = prop_def(StringAttr)
    inputs = var_operand_def(AnyTensor)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($fn) $inputs attr-dict `:` functional-type($inputs, $result)"

    def __init__(self, fn: str, *inputs: SSAValue):
        sizes: tuple[int, ...] = ()
        for value in inputs:
            sizes = broadcast(self, sizes, shape(value))
        dtype = i1 if fn in COMPARISONS else element(inputs[-1])
        super().__init__(
            operands=[list(inputs)], properties={"fn": StringAttr(fn)}, result_types=[TensorType(dtype, sizes)]
        )

    def verify_(self) -> None:
        fn = self.fn.data
        _require_word(self, "fn", fn, BINARIES)
        want = 3 if fn == "where" else 2
        if len(self.inputs) != want:
            raise OperandCountMismatch(self, what=fn, got=len(self.inputs), want=want)
        sizes: tuple[int, ...] = ()
        for value in self.inputs:
            sizes = broadcast(self, sizes, shape(value))
        self.require_shape(self.result, sizes, "the result")
        dtype = element(self.inputs[-1])
        self.require_element(self.inputs[-2], dtype, f"an operand of {fn}")
        if fn == "where":
            self.require_element(self.inputs[0], i1, "the predicate")
        if fn in ARITHMETIC and is_predicate(dtype):
            raise UnsupportedType(self, what="the element type", got=dtype, want=f"{fn} is defined on numbers")
        self.require_element(self.result, i1 if fn in COMPARISONS else dtype, "the result")


@irdl_op_definition
class ReduceOp(TensorOp):
    """
    Folds `axes` away, rounding to `accum` as it goes; the result has that type. Spec: §1.3, *Reduce*.

    ```mlir
    %1 = tiny.reduce sum %0 axes [1] accum f32 : tensor<4x8xf32> -> tensor<4xf32>
    ```
    """

    name = "tiny.reduce"
    fn = prop_def(StringAttr)
    input = operand_def(AnyTensor)
    reduce_axes = prop_def(DenseArrayBase.constr(i64))
    accum = prop_def(TypeAttribute)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    custom_directives = (Keyword, Axes)
    assembly_format = (
        "custom<Keyword>($fn) $input `axes` custom<Axes>($reduce_axes) `accum` $accum attr-dict "
        "`:` type($input) `->` type($result)"
    )

    def __init__(self, fn: str, input: SSAValue, axes: Sequence[int], accum: Attribute):
        kept = [s for a, s in enumerate(shape(input)) if a not in axes]
        super().__init__(
            operands=[input],
            properties={"fn": StringAttr(fn), "reduce_axes": axes_attr(axes), "accum": accum},
            result_types=[TensorType(accum, kept)],
        )

    def axes(self) -> tuple[int, ...]:
        return normalize_axes(self, ints(self.reduce_axes), len(shape(self.input)), "axes")

    def verify_(self) -> None:
        _require_word(self, "fn", self.fn.data, REDUCTIONS)
        axes = self.axes()
        self.require_shape(self.result, [s for a, s in enumerate(shape(self.input)) if a not in axes], "the result")
        self.require_element(self.result, self.accum, "the result")


Tiny = Dialect("tiny", [ConstOp, MovementOp, UnaryOp, BinaryOp, ReduceOp], [])
