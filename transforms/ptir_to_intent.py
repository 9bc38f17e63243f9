"""
`ptir-to-intent`: raises functions of `ptir` to the `intent` dialect, if its vocabulary has their ops.

```
func.func @f(%x: tensor<?x8xf32, #ptir.dims<M, _>>) …       →    intent.func @f(%x: !intent.tensor<[M, 8], f32>) …
  %0 = ptir.reduce sum %x axes [1] …                               %0 = intent.reduce sum %x axes [1] …
  %1 = ptir.neg %0                                                 %1 = intent.binary mul %0, -1
  %2 = ptir.dot_general %a, %b contract [0] x [1] …                %2 = intent.matmul (transposed, reshaped) …
```

Names of sizes become symbols. An op without a form, such as a sort, is an error. Spec: `intentir-semantics §2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce, singledispatchmethod
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, ModuleOp, Signedness, TensorType, i1, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.hints import isa

from ..dialects import intent, ptir
from ..dialects.common.shapes import element
from ..dialects.common.syntax import axes_attr
from ..dialects.intent import symbols
from ..dialects.intent import types as intent_types
from ..dialects.intent.symbols import Node
from ..dialects.intent.types import DTYPES, type_of
from ..dialects.ptir.base import default_accum
from ..dialects.ptir.dims import sizes
from ..dialects.ptir.scalars import ScalarAttr
from ..errors import PtirError
from ..text.literals import splat
from .intent_lower_macros import Writer, dim

_UNARY: dict[type[Operation], str] = {
    ptir.ExpOp: "exp",
    ptir.RsqrtOp: "rsqrt",
    ptir.FloorOp: "floor",
    ptir.AbsOp: "abs",
    ptir.StopGradientOp: "identity",
}
_BINARY: dict[type[Operation], str] = {
    ptir.AddOp: "add",
    ptir.SubOp: "sub",
    ptir.MulOp: "mul",
    ptir.DivOp: "div",
    ptir.MaximumOp: "max",
    ptir.MinimumOp: "min",
}
_LOGIC: dict[type[Operation], str] = {ptir.AndOp: "and", ptir.OrOp: "or", ptir.NotOp: "not"}


class NoIntentForm(PtirError):
    """A part of a program that has no form in the `intent` dialect."""

    code = "PTIR0224"
    template = "{what} cannot be raised to intent"
    hint = "{help}"


@dataclass(frozen=True)
class PtirToIntent(ModulePass):
    """Raises functions of `ptir` to the `intent` dialect."""

    name = "ptir-to-intent"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raised = [(f, raise_function(f)) for f in op.body.block.ops if isinstance(f, FuncOp)]
        for function, made in raised:
            op.body.block.insert_op_before(made, function)
            function.detach()
            function.erase()
        for name in ("ptir.spec_version", "ptir.extensions", "ptir.entry"):
            op.attributes.pop(name, None)


def raise_function(function: FuncOp) -> intent.FuncOp:
    """Returns the function in the `intent` dialect. Raises `NoIntentForm`."""
    if function.is_declaration or len(function.body.blocks) != 1:
        raise NoIntentForm(function, what=f"@{function.sym_name.data}, which is no single block", help="give it a body")
    made = intent.FuncOp(function.sym_name.data, Raising(function).block)
    made.location = function.location
    return made


class Raising:
    """The raising of one function: `block` is its body."""

    def __init__(self, function: FuncOp):
        self.block = Block()
        self.values: dict[SSAValue, SSAValue] = {}
        for argument in function.body.block.args:
            made = self.block.insert_arg(self.type(argument, function), len(self.block.args))
            made.location, made.name_hint = argument.location, argument.name_hint or f"arg{argument.index}"
            self.values[argument] = made
        for op in function.body.block.ops:
            self.write = Writer()
            operands = [self.values[v] for v in op.operands]
            if isinstance(op, ReturnOp):
                self.write.ops.append(intent.ReturnOp([operands]))
            else:
                value = self.raised(op, *operands)
                to = self.type(op.results[0], op)
                if value.type != to:
                    value = self.write.reshape(value, to)
                value.name_hint = value.name_hint or op.results[0].name_hint
                self.values[op.results[0]] = value
            for made in self.write.ops:
                made.location = op.location
                self.block.add_op(made)

    def type(self, value: SSAValue, op: Operation) -> intent_types.TensorType:
        t = value.type
        if not isinstance(t, TensorType) or None in (of := sizes(value)) or 0 in of:
            raise NoIntentForm(op, what=f"the type {t}", help="name its sizes: #ptir.dims<M, N>; none of them is 0")
        dtype = _signless(element(value))
        if dtype not in DTYPES.values():
            raise NoIntentForm(op, what=f"the element type {dtype}", help=f"its types are {', '.join(DTYPES)}")
        for name in of:
            if isinstance(name, str) and not symbols.SYMBOL.fullmatch(name):
                raise NoIntentForm(op, what=f"the size {name}", help="symbols have letters, digits and underscores")
        return intent_types.TensorType([s for s in of if s is not None], dtype)

    @singledispatchmethod
    def raised(self, op: Operation, *args: SSAValue) -> SSAValue:
        """Writes an op and returns its value."""
        fn = _UNARY.get(type(op)) or _BINARY.get(type(op))
        logic = _LOGIC.get(type(op))
        if logic is not None and element(op.operands[0]) == i1:
            fn = logic
        if fn is None:
            raise NoIntentForm(
                op, what=op.name, help="ptir-decompose writes some ops in others; see docs/intent.md for the vocabulary"
            )
        if isinstance(op, ptir.DivOp | ptir.AddOp) and element(op.operands[0]) == i1:
            raise NoIntentForm(op, what=f"{op.name} of i1", help="use and, or, not")
        return self.write.unary(fn, *args) if len(args) == 1 else self.write.binary(fn, args[0], args[1])

    @raised.register
    def _(self, op: ptir.NegOp, x: SSAValue) -> SSAValue:
        return self.write.binary("mul", x, -1)

    @raised.register
    def _(self, op: ptir.ReciprocalOp, x: SSAValue) -> SSAValue:
        return self.write.binary("div", self.write.const(1, type_of(x).element_type), x)

    @raised.register
    def _(self, op: ptir.CompareOp, x: SSAValue, y: SSAValue) -> SSAValue:
        fn = op.op.data
        if element(op.lhs) == i1:
            raise NoIntentForm(op, what="a comparison of i1", help="use and, or, not")
        return self.write.unary("not", self.write.binary("ne", x, y)) if fn == "eq" else self.write.binary(fn, x, y)

    @raised.register
    def _(self, op: ptir.SelectOp, *args: SSAValue) -> SSAValue:
        return self.write.where(*args)

    @raised.register
    def _(self, op: ptir.CastOp, x: SSAValue) -> SSAValue:
        return self.write.cast(x, _signless(element(op.result)))

    @raised.register
    def _(self, op: ptir.ConstantOp) -> SSAValue:
        to = self.type(op.result, op)
        data = splat(op.value)
        if data is None:
            raise NoIntentForm(op, what="a constant with different elements", help="pass it as an argument")
        scalar = ScalarAttr.of(data, to.element_type)
        number = scalar.dense.get_values()[0]
        wide = ScalarAttr.of(bool(number), i1) if to.element_type == i1 else None
        if wide is None and isinstance(number, int):
            if not -(2**63) <= number < 2**63:
                raise NoIntentForm(op, what=f"the constant {number}", help="it does not fit in 64 bits")
            wide = ScalarAttr.of(number, i64)
        return self.write.add(
            intent.ConstOp, to=to, value=wide or ScalarAttr.of(float(cast(float, number)), DTYPES["f64"])
        )

    @raised.register
    def _(self, op: ptir.IotaOp) -> SSAValue:
        return self.write.add(intent.IotaOp, to=self.type(op.result, op), axis=op.axis())

    @raised.register
    def _(self, op: ptir.BroadcastToOp, x: SSAValue) -> SSAValue:
        to = self.type(op.result, op)
        rank = len(type_of(x).dims)
        return self.write.broadcast(x, to.dims, range(len(to.dims) - rank, len(to.dims)))

    @raised.register
    def _(self, op: ptir.TransposeOp, x: SSAValue) -> SSAValue:
        return self.write.add(intent.TransposeOp, x, perm=axes_attr(op.permutation()))

    @raised.register
    def _(self, op: ptir.ReshapeOp, x: SSAValue) -> SSAValue:
        return self.write.reshape(x, self.type(op.result, op))

    @raised.register
    def _(self, op: ptir.ReduceOp, x: SSAValue) -> SSAValue:
        fn, dtype = op.kind.data, element(op.input)
        if fn not in ("sum", "max", "any"):
            raise NoIntentForm(op, what=f"ptir.reduce {fn}", help="sum, max and any have a form")
        if fn == "sum" and op.accum != default_accum(dtype):
            raise NoIntentForm(
                op, what=f"a sum of {dtype} in {op.accum}", help=f"it accumulates in {default_accum(dtype)}"
            )
        wide = self.write.cast(x, op.out) if op.out != dtype else x
        if op.out != dtype and (fn != "sum" or op.out != op.accum):
            raise NoIntentForm(op, what=f"a {fn} of {dtype} with a result of {op.out}", help="insert a cast")
        axes = axes_attr(op.axes())
        return self.write.add(intent.ReduceOp, wide, fn=fn, reduce_axes=axes, keepdims=op.keepdims is not None)

    @raised.register
    def _(self, op: ptir.TakeOp, x: SSAValue, indices: SSAValue) -> SSAValue:
        rest, rank = type_of(x).dims[1:], len(type_of(indices).dims)
        dims = (*type_of(indices).dims, *rest)
        rows = self.write.broadcast(indices, [*type_of(indices).dims, *[1] * len(rest)], range(rank))
        return self.write.gather(x, rows, *(self.write.iota(dims, rank + k) for k in range(len(rest))))

    @raised.register
    def _(self, op: ptir.DotGeneralOp, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        if op.precision is not None or element(op.lhs) != element(op.rhs):
            raise NoIntentForm(op, what="this product", help="operands have one type, and no precision")
        bl, br, cl, cr = op.axes()
        fl, fr = op.free_axes()

        def matrix(x: SSAValue, batch: Sequence[int], first: Sequence[int], second: Sequence[int]) -> SSAValue:
            """Orders axes, and makes one axis of each group but the batch."""
            order = [*batch, *first, *second]
            dims = [size_of(x, a) for a in batch] + [product(x, first), product(x, second)]
            if order != sorted(order):
                x = self.write.add(intent.TransposeOp, x, perm=axes_attr(order))
            to = intent_types.TensorType(list(map(dim, dims)), type_of(x).element_type)
            return x if type_of(x) == to else self.write.reshape(x, to)

        result = self.type(op.result, op)
        left, right = matrix(lhs, bl, fl, cl), matrix(rhs, br, cr, fr)
        product_dims = [*type_of(left).dims[:-1], type_of(right).dims[-1]]
        return self.write.add(
            intent.MatmulOp,
            left,
            right,
            to=intent_types.TensorType(product_dims, result.element_type),
            accum_dtype=op.accum,
        )


def _signless(dtype: Attribute) -> Attribute:
    """Returns the type without a sign for a signed integer: the dialect's integers are signed unless they are unsigned."""
    if isa(dtype, IntegerType) and dtype.signedness.data == Signedness.SIGNED:
        return IntegerType(dtype.width.data)
    return dtype


def size_of(x: SSAValue, axis: int) -> Node:
    return type_of(x).sizes[axis]


def product(x: SSAValue, axes: Sequence[int]) -> Node:
    """Returns the product of the sizes of some axes."""
    return reduce(lambda a, b: ("*", a, b) if a != 1 else b, (size_of(x, a) for a in axes), 1)
