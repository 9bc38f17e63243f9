"""
Layers for building PTIR programs in Python. Each function adds ops where the builder stands, and returns their result.

Arithmetic takes numbers and tensors; a number, or a tensor of lower rank or with axes of size 1, is broadcast to the other
operand. Activations are f32. A product rounds its left operand to the element type of the right one, which is that of the
weights, and accumulates in f32.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr, TensorType, UnitAttr, bf16, f16, f32, i32
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, SSAValue

from ptir.dialects import ptir as ops
from ptir.dialects.ptir.dims import Size, sizes, tensor_type

Values = Mapping[str, SSAValue]
TYPES: dict[str, Attribute] = {"f32": f32, "bf16": bf16, "f16": f16, "i32": i32}


# --- functions ----------------------------------------------------------------------------------


def parameter_types(shapes: Mapping[str, Sequence[int]], dtype: str) -> dict[str, TensorType[Attribute]]:
    """Returns the types of parameters: matrices and filters have `dtype`, vectors are f32."""
    return {name: tensor_type(TYPES[dtype] if len(shape) > 1 else f32, shape) for name, shape in shapes.items()}


def function(name: str, arguments: Mapping[str, Attribute], body: Callable[[Values], Values]) -> FuncOp:
    """Returns a function; `body` maps its arguments to its results, both by name."""
    op = FuncOp(name, (list(arguments.values()), []))
    with ImplicitBuilder(op.body) as values:
        for argument, value in zip(arguments, values, strict=True):
            value.name_hint = argument
        results = body(dict(zip(arguments, values, strict=True)))
        for result, value in results.items():
            value.name_hint = result
        ReturnOp(*results.values())
    op.function_type = FunctionType.from_lists(list(arguments.values()), [r.type for r in results.values()])
    return op


def call(callee: FuncOp, *arguments: SSAValue) -> list[SSAValue]:
    """Calls a function and returns its results."""
    return list(CallOp(callee.sym_name.data, arguments, callee.function_type.outputs.data).results)


def module(*functions: FuncOp) -> ModuleOp:
    """Returns a module that may use the extensions of the contract. Its entry is the last function; the others are private."""
    *private, entry = functions
    for op in private:
        op.sym_visibility = StringAttr("private")
    attributes = {"ptir.spec_version": StringAttr(ops.SPEC_VERSION), "ptir.extensions": UnitAttr()}
    return ModuleOp(list(functions), attributes | {"ptir.entry": StringAttr(entry.sym_name.data)})


# --- arithmetic ---------------------------------------------------------------------------------


def constant(value: float | int, dtype: Attribute = f32) -> SSAValue:
    return ops.ConstantOp(ops.ScalarAttr.of(value, dtype).dense).result


def full(value: float | int, shape: Sequence[Size], dtype: Attribute = f32) -> SSAValue:
    return broadcast(constant(value, dtype), shape)


def broadcast(x: SSAValue, shape: Sequence[Size]) -> SSAValue:
    return x if sizes(x) == tuple(shape) else ops.BroadcastToOp(x, shape).result


def cast(x: SSAValue, dtype: Attribute) -> SSAValue:
    return x if x.type.element_type == dtype else ops.CastOp(x, dtype).result


def aligned(x: SSAValue | float, y: SSAValue | float) -> tuple[SSAValue, SSAValue]:
    """Returns two operands of one shape."""
    if not isinstance(x, SSAValue):
        x = constant(x, y.type.element_type)
    if not isinstance(y, SSAValue):
        y = constant(y, x.type.element_type)
    left, right = sizes(x), sizes(y)
    rank = max(len(left), len(right))
    pairs = zip((1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right, strict=True)
    shape = [b if a == 1 else a for a, b in pairs]
    return broadcast(x, shape), broadcast(y, shape)


def binary(op: type[ops.BinaryOp]) -> Callable[[SSAValue | float, SSAValue | float], SSAValue]:
    return lambda x, y: op(*aligned(x, y)).result


def unary(op: type[ops.UnaryOp]) -> Callable[[SSAValue], SSAValue]:
    return lambda x: op(x).result


add, sub, mul, div = map(binary, (ops.AddOp, ops.SubOp, ops.MulOp, ops.DivOp))
maximum, remainder, logical_and, logical_or = map(binary, (ops.MaximumOp, ops.RemainderOp, ops.AndOp, ops.OrOp))
neg, exp, log, log1p, tanh, erf, sigmoid, rsqrt, logical_not = map(
    unary,
    (ops.NegOp, ops.ExpOp, ops.LogOp, ops.Log1pOp, ops.TanhOp, ops.ErfOp, ops.LogisticOp, ops.RsqrtOp, ops.NotOp),
)


def compare(how: str, x: SSAValue | float, y: SSAValue | float) -> SSAValue:
    return ops.CompareOp(how, *aligned(x, y)).result


def select(predicate: SSAValue, x: SSAValue | float, y: SSAValue | float, dtype: Attribute = f32) -> SSAValue:
    """Returns `x` where the predicate is true, else `y`; numbers become tensors of `dtype`."""
    x, y = (v if isinstance(v, SSAValue) else constant(v, dtype) for v in (x, y))
    return ops.SelectOp(predicate, *(broadcast(v, sizes(predicate)) for v in (x, y))).result


# --- movement -----------------------------------------------------------------------------------


def reshape(x: SSAValue, *shape: Size) -> SSAValue:
    return ops.ReshapeOp(x, shape).result


def transpose(x: SSAValue, *perm: int) -> SSAValue:
    return ops.TransposeOp(x, perm).result


def narrow(x: SSAValue, axis: int, start: int, size: int) -> SSAValue:
    """Returns `size` elements of one axis, from `start` on."""
    shape, starts = list(sizes(x)), [0] * len(sizes(x))
    shape[axis], starts[axis] = size, start
    return ops.SliceOp(x, starts, shape).result


def split(x: SSAValue, parts: int, axis: int = -1) -> list[SSAValue]:
    """Returns equal parts of one axis."""
    size = sizes(x)[axis] // parts
    return [narrow(x, axis, k * size, size) for k in range(parts)]


def iota(shape: Sequence[Size], axis: int) -> SSAValue:
    return ops.IotaOp(i32, shape, axis).result


def take(table: SSAValue, indices: SSAValue) -> SSAValue:
    """Returns rows of a table."""
    return ops.TakeOp(table, indices).result


# --- reductions and products --------------------------------------------------------------------


def reduce(kind: str, x: SSAValue, *axes: int, keepdims: bool = True) -> SSAValue:
    return ops.ReduceOp(kind, x, axes, keepdims=keepdims).result


def mean(x: SSAValue, *axes: int, keepdims: bool = True) -> SSAValue:
    return div(reduce("sum", x, *axes, keepdims=keepdims), math.prod(sizes(x)[a] for a in axes))


def softmax(x: SSAValue) -> SSAValue:
    """The stable softmax along the last axis."""
    e = exp(sub(x, reduce("max", x, -1)))
    return div(e, reduce("sum", e, -1))


def matmul(
    x: SSAValue,
    y: SSAValue,
    contract: tuple[Sequence[int], Sequence[int]],
    batch: tuple[Sequence[int], Sequence[int]] = ((), ()),
) -> SSAValue:
    return ops.DotGeneralOp(cast(x, y.type.element_type), y, contract, batch, f32, f32).result


def linear(x: SSAValue, w: SSAValue, b: SSAValue | None = None) -> SSAValue:
    """`x @ w + b` along the last axis of `x`."""
    y = matmul(x, w, ([len(sizes(x)) - 1], [0]))
    return y if b is None else add(y, b)


def conv(x: SSAValue, w: SSAValue, stride: int = 1, padding: int = 0) -> SSAValue:
    """A convolution of images `[N, H, W, C]` with filters `[R, S, C, F]`."""
    args = {"strides": [stride] * 2, "padding": [(padding, padding)] * 2, "accum": f32, "out": f32}
    return ops.ConvolutionOp(cast(x, w.type.element_type), w, **args).result


# --- norms and activations ----------------------------------------------------------------------


def layer_norm(x: SSAValue, g: SSAValue, b: SSAValue, epsilon: float = 1e-5) -> SSAValue:
    return ops.LayerNormOp(x, g, b, -1, epsilon).result


def rms_norm(x: SSAValue, g: SSAValue, epsilon: float = 1e-5) -> SSAValue:
    return mul(mul(x, rsqrt(add(mean(mul(x, x), -1), epsilon))), g)


def silu(x: SSAValue) -> SSAValue:
    return mul(x, sigmoid(x))


def gelu(x: SSAValue) -> SSAValue:
    """The exact one, by `erf`."""
    return mul(mul(x, 0.5), add(erf(mul(x, math.sqrt(0.5))), 1.0))


def gelu_tanh(x: SSAValue) -> SSAValue:
    """GPT-2's approximation."""
    inner = mul(add(x, mul(mul(mul(x, x), x), 0.044715)), math.sqrt(2 / math.pi))
    return mul(mul(x, 0.5), add(tanh(inner), 1.0))


# --- attention ----------------------------------------------------------------------------------


def heads(x: SSAValue, count: int) -> SSAValue:
    """`[B, S, heads * D]` to `[B, heads, S, D]`."""
    batch, tokens, features = sizes(x)
    return transpose(reshape(x, batch, tokens, count, features // count), 0, 2, 1, 3)


def joined_heads(x: SSAValue) -> SSAValue:
    """`[B, heads, S, D]` to `[B, S, heads * D]`."""
    batch, count, tokens, size = sizes(x)
    return reshape(transpose(x, 0, 2, 1, 3), batch, tokens, count * size)


def causal(queries: Size, keys: Size, first: SSAValue | int = 0) -> SSAValue:
    """The predicate `[queries, keys]` that a key is not after its query; `first` is the position of the first query."""
    shape = (queries, keys)
    return compare("ge", add(iota(shape, 0), first), iota(shape, 1))


def attention(q: SSAValue, k: SSAValue, v: SSAValue, seen: SSAValue | None = None) -> SSAValue:
    """
    Softmax attention of queries `[B, heads, …, S, D]` to keys and values `[B, heads, T, D]`; `seen`, `[S, T]`, says which keys
    a query sees. The products have the element type of the keys and values.
    """
    last = len(sizes(q)) - 1
    batch = ([0, 1], [0, 1])
    scores = mul(matmul(q, k, ([last], [3]), batch), 1 / math.sqrt(sizes(q)[-1]))
    if seen is not None:
        scores = add(scores, select(seen, 0.0, -math.inf))
    return matmul(softmax(scores), v, ([last], [2]), batch)


# --- control flow -------------------------------------------------------------------------------


def block(types: Sequence[Attribute], body: Callable[..., Sequence[SSAValue]]) -> Block:
    """Returns the block of a region that computes `body`."""
    op = Block(arg_types=types)
    with ImplicitBuilder(op) as values:
        ops.YieldOp(body(*values))
    return op


def scan(
    carried: Sequence[SSAValue], scanned: Sequence[SSAValue], body: Callable[..., Sequence[SSAValue]]
) -> Sequence[SSAValue]:
    """
    Loops over the first axis of `scanned`. `body` takes the carried values and a slice of each scanned one; it returns the next
    carried values, then rows to be stacked. It sees no other values.
    """
    slices = [tensor_type(x.type.element_type, sizes(x)[1:]) for x in scanned]
    return ops.ScanOp(carried, scanned, block([*(x.type for x in carried), *slices], body)).outputs


def while_loop(
    carried: Sequence[SSAValue], condition: Callable[..., SSAValue], body: Callable[..., Sequence[SSAValue]]
) -> Sequence[SSAValue]:
    """Replaces the carried values by those that `body` returns, while `condition` holds for them."""
    types = [x.type for x in carried]
    return ops.WhileOp(carried, block(types, lambda *xs: [condition(*xs), *xs]), block(types, body)).outputs
