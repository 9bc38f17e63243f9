"""
`tiny-emulate-int4`: computes with 4-bit integers in 8 bits. In memory, two of them are packed in a byte.

```
func @f(%x: tensor<7xsi4>) -> tensor<7xsi4>      func @f(%x: tensor<4xui8>) -> tensor<4xui8>
                                                   %0 = the halves of each byte, sign-extended     7xsi8
  %1 = unary neg %x                                %1 = unary neg %0                               7xsi8
                                                   %2 = (%1 << 4) >> 4                             wraps
  return %1                                        return low(%2) & 15 | high(%2) << 4             4xui8
```

Control flow carries 8-bit integers. Calls, like their callees, take and return bytes, and so do custom calls, whose attribute
`ptir.signature` has the types that the Python function sees.

Each op's result is in the range of the 4-bit type: casts saturate, and functions whose result may leave the range, such as sums,
wrap. The results of a function are packed by computing whole bytes, so that no two threads write the same byte. The attribute
`ptir.signature` keeps the function's type as callers see it. MLIR calls this narrow-type emulation. Spec:
`ptir-backend-contract.md`, *DTypes*; the order in memory is that of `ptir.bitcast`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeGuard, cast

from xdsl.context import Context
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FunctionType, IntegerType, ModuleOp, TensorType, i32
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from ..analysis.index.static_sizes import blocks_of, results_of
from ..analysis.program.statistics import count
from ..dialects import ptir, tiny
from ..dialects.common.shapes import element, is_tensor, is_unsigned, shape, tensor
from ..dialects.ptir import ScalarAttr
from ..dialects.ptir.dims import known_sizes, sizes
from ..dialects.ptir.packed import BYTE, SIGNATURE, is_packed, packed_size
from .ptir_to_tiny.writer import Writer
from .scalar_casts import limits

IN_RANGE = frozenset(("max", "min", "and", "or", "xor", "where", "sign", "relu", "remainder", "recip", *tiny.CHECKS))
"""Functions whose results are in the range of the 4-bit type if their operands are."""
CARRYING = (ptir.CondOp, ptir.WhileOp, ptir.ScanOp, ptir.YieldOp)
"""Ops that pass values on, in 8 bits."""
CALLS = (CallOp, ptir.CustomCallOp)
Emulation = Callable[[Any, Writer, Mapping[SSAValue, Attribute]], SSAValue]
"""
A function that writes the emulation of an op whose operands are already 8-bit integers. The mapping has the original type of each
value that was 4 bits wide.
"""


@dataclass(frozen=True)
class TinyEmulateInt4(ModulePass):
    """Computes with 4-bit integers in 8 bits; arguments and results become the bytes that hold them."""

    name = "tiny-emulate-int4"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in emulated_functions(op):
            count("operations on 4-bit integers", sum(1 for _ in emulate_int4(function)))


def emulated_functions(module: ModuleOp) -> list[FuncOp]:
    """
    Returns the functions whose ops on 4-bit integers all have static sizes and an emulation. Functions that pass each other 4-bit
    integers are emulated together, or not at all.
    """
    functions = [o for o in module.body.block.ops if isinstance(o, FuncOp)]
    refused = {f.sym_name.data for f in functions if not _has_emulation(f)}
    calls = [(f.sym_name.data, c.callee.string_value()) for f in functions for c in f.walk() if _passes_int4(c)]
    for _ in functions:
        refused |= {name for pair in calls if refused.intersection(pair) for name in pair}
    return [f for f in functions if f.sym_name.data not in refused]


def _has_emulation(function: FuncOp) -> bool:
    if len(function.body.blocks) != 1:
        return False
    values = [v for block in blocks_of(function) for v in (*block.args, *results_of(block.ops))]
    return all(known_sizes(sizes(v)) is not None for v in values if _is_int4(v.type)) and all(
        type(op) in EMULATIONS or isinstance(op, (*CARRYING, *CALLS, ReturnOp)) for op in _on_int4(function)
    )


def _on_int4(root: Operation) -> list[Operation]:
    """Returns the ops under `root` that take or return 4-bit integers."""
    return [op for op in root.walk() if any(_is_int4(v.type) for v in (*op.operands, *op.results))]


def _passes_int4(op: Operation) -> TypeGuard[CallOp]:
    return isinstance(op, CallOp) and any(_is_int4(v.type) for v in (*op.operands, *op.results))


def emulate_int4(function: FuncOp) -> Iterator[tuple[Operation, Sequence[Operation]]]:
    """
    Rewrites one of the `emulated_functions`. Yields each op on 4-bit integers with the ops that replace it, and, for each argument,
    the function with the ops that unpack the argument.
    """
    block, seen = function.body.block, function.function_type
    ops = _on_int4(function)
    narrow: dict[SSAValue, Attribute] = {}
    stored: dict[SSAValue, SSAValue] = {}
    for arg in [arg for arg in block.args if _is_int4(arg.type)]:
        write, array, hint = Writer(function), tensor(arg), arg.name_hint
        packed = Rewriter.replace_value_with_new_type(arg, TensorType(BYTE, [packed_size(array)]))
        packed.name_hint = hint
        value = _unpack(write, packed, array)
        packed.replace_uses_with_if(value, lambda use, write=write: use.operation not in write.ops)
        Rewriter.insert_op(write.ops, InsertPoint.at_start(block))
        narrow[value], stored[value] = array.element_type, packed
        yield function, write.ops
    for inner in blocks_of(function):
        for value in [v for v in inner.args if _is_int4(v.type)]:
            narrow |= _widened(value)
    for op in ops:
        write = Writer(op)
        if isinstance(op, CARRYING):
            for result in [r for r in op.results if _is_int4(r.type)]:
                narrow |= _widened(result)
        elif isinstance(op, CallOp | ptir.CustomCallOp):
            values = _called(op, write, narrow, stored)
            narrow |= {v: element(r) for v, r in zip(values, op.results, strict=True) if _is_int4(r.type)}
            PatternRewriter(op).replace(op, write.ops, values)
        elif op is block.last_op:
            pairs = zip(op.operands, seen.outputs, strict=True)
            results = [(stored.get(v) or _pack(write, v)) if _is_int4(t) else v for v, t in pairs]
            PatternRewriter(op).replace(op, [*write.ops, ReturnOp(*results)], [])
        else:
            dtype = element(op.results[0])
            value = EMULATIONS[type(op)](op, write, narrow)
            narrow |= {value: dtype} if is_packed(dtype) else {}
            PatternRewriter(op).replace(op, write.ops, [value])
        yield op, write.ops
    results = [v.type for v in block.last_op.operands] if block.last_op is not None else []
    own = FunctionType.from_lists([arg.type for arg in block.args], results)
    if own != seen:
        function.function_type = own
        function.attributes[SIGNATURE] = seen


def _widened(value: SSAValue) -> dict[SSAValue, Attribute]:
    """Makes the elements of a value that control flow carries 8 bits wide. Returns the value with its original element type."""
    t, hint = tensor(value), value.name_hint
    wide = Rewriter.replace_value_with_new_type(value, TensorType(_wide(t.element_type), t.get_shape()))
    wide.name_hint = hint
    return {wide: t.element_type}


def _called(
    op: CallOp | ptir.CustomCallOp,
    write: Writer,
    narrow: Mapping[SSAValue, Attribute],
    stored: Mapping[SSAValue, SSAValue],
) -> list[SSAValue]:
    """Writes a call that takes and returns bytes instead of 4-bit integers, and returns its results, unpacked."""
    operands = [(stored.get(v) or _pack(write, v)) if v in narrow else v for v in op.operands]
    types = [TensorType(BYTE, [packed_size(tensor(r))]) if _is_int4(r.type) else r.type for r in op.results]
    if isinstance(op, CallOp):
        call = CallOp(op.callee, operands, types)
        call.attributes = dict(op.attributes)
    else:
        call = ptir.CustomCallOp(op.target.data, operands, types, op.attrs)
        inputs = [TensorType(narrow[v], shape(v)) if v in narrow else v.type for v in op.inputs]
        own = FunctionType.from_lists(inputs, list(op.outputs.types))
        call.attributes = {SIGNATURE: own, **op.attributes}
    call.location = op.location
    write.ops.append(call)
    pairs = zip(op.results, call.results, strict=True)
    return [_unpack(write, new, tensor(old)) if _is_int4(old.type) else new for old, new in pairs]


def _is_int4(t: Attribute) -> bool:
    return is_tensor(t) and is_packed(t.element_type)


def _wide(dtype: Attribute) -> Attribute:
    """Returns the 8-bit integer type of the same signedness for a 4-bit type, and any other type as it is."""
    return IntegerType(8, dtype.signedness) if isa(dtype, IntegerType) and is_packed(dtype) else dtype


# --- bytes of two elements ------------------------------------------------------------------------


def _unpack(write: Writer, packed: SSAValue, array: TensorType[Attribute]) -> SSAValue:
    """Writes the elements of an array: shifts each half of a byte to the top, and down again, extended as its type requires."""
    wide, to, (size,) = _wide(array.element_type), array.get_shape(), shape(packed)
    is_low = write.binary("lt", write.add(tiny.IotaOp(i32, [2], 0)), write.literal(1, i32))
    high = write.reshape(packed, [size, 1])
    low = write.binary("shift_left", high, write.literal(4, BYTE))
    top = write.bitcast(write.binary("where", is_low, low, high), wide)
    flat = write.reshape(_extended(write, top, wide), [2 * size])
    return write.reshape(write.shrink(flat, [0], [prod(to)]), to)


def _pack(write: Writer, value: SSAValue) -> SSAValue:
    """Writes the bytes of an array; if its number of elements is odd, the high half of the last byte is 0."""
    count, dtype = prod(shape(value)), element(value)
    bits = write.bitcast(write.reshape(value, [count]), BYTE)
    pairs = write.reshape(write.pad(bits, [0], [count % 2], ScalarAttr.of(0, BYTE)), [-(-count // 2), 2])
    low, high = (write.reshape(write.shrink(pairs, [0, k], [-(-count // 2), 1]), [-(-count // 2)]) for k in (0, 1))
    low = low if is_unsigned(dtype) else write.binary("and", low, write.literal(15, BYTE))
    return write.binary("or", low, write.binary("shift_left", high, write.literal(4, BYTE)))


# --- elements -------------------------------------------------------------------------------------


def _extended(write: Writer, x: SSAValue, dtype: Attribute) -> SSAValue:
    """Writes the high 4 bits of each 8-bit element, extended by zeros or by the sign, as `dtype` requires."""
    shift = "shift_right_logical" if is_unsigned(dtype) else "shift_right_arithmetic"
    return write.binary(shift, x, write.literal(4, element(x)))


def _wrapped(write: Writer, x: SSAValue) -> SSAValue:
    """Writes the elements modulo 16, in the range of the 4-bit type."""
    return _extended(write, write.binary("shift_left", x, write.literal(4, element(x))), element(x))


def _saturated(write: Writer, x: SSAValue, dtype: Attribute) -> SSAValue:
    """Writes a cast to a 4-bit type: to 8 bits, which saturates, and then to the narrower range."""
    least, most = limits(cast(IntegerType, dtype))
    wide = write.cast(x, _wide(dtype))
    low = write.binary("max", wide, write.literal(least, element(wide)))
    return write.binary("min", low, write.literal(most, element(wide)))


def _const(op: tiny.ConstOp, write: Writer, narrow: Mapping[SSAValue, Attribute]) -> SSAValue:
    t = tensor(op.result)  # a literal stores 4-bit integers in bytes
    wide: Any = TensorType(_wide(t.element_type), t.get_shape())
    return write.add(tiny.ConstOp(DenseIntOrFPElementsAttr(wide, op.value.data)))


def _iota(op: tiny.IotaOp, write: Writer, narrow: Mapping[SSAValue, Attribute]) -> SSAValue:
    t = tensor(op.result)
    return _wrapped(write, write.add(tiny.IotaOp(_wide(t.element_type), t.get_shape(), op.axis())))


def _movement(op: tiny.MovementOp, write: Writer, narrow: Mapping[SSAValue, Attribute]) -> SSAValue:
    properties, t = dict(op.properties), tensor(op.result)
    if op.value is not None:
        number = op.value.dense.data
        properties["value"] = ScalarAttr.of(number.data, _wide(t.element_type))
    moved = TensorType(_wide(t.element_type), t.get_shape())
    return write.add(tiny.MovementOp.create(operands=op.operands, result_types=[moved], properties=properties))


def _unary(op: tiny.UnaryOp, write: Writer, narrow: Mapping[SSAValue, Attribute]) -> SSAValue:
    fn, x, dtype = op.fn.data, op.input, element(op.result)
    if fn == "cast":
        return _saturated(write, x, dtype) if is_packed(dtype) else write.cast(x, dtype)
    value = write.bitcast(x, _wide(dtype)) if fn == "bitcast" else write.unary(fn, x)
    return value if fn in IN_RANGE else _wrapped(write, value)


def _binary(op: tiny.BinaryOp, write: Writer, narrow: Mapping[SSAValue, Attribute]) -> SSAValue:
    fn, operands, dtype = op.fn.data, list(op.inputs), element(op.result)
    x = operands[0]
    if fn == "shift_right_logical":
        operands[0] = write.binary("and", x, write.literal(15, element(x)))
    elif fn == "shift_right_arithmetic":  # copies the highest of the 4 bits, even for unsigned integers
        top = write.binary("shift_left", x, write.literal(4, element(x)))
        operands[0] = write.binary(fn, top, write.literal(4, element(x)))
    value = write.binary(fn, *operands)
    return _wrapped(write, value) if is_packed(dtype) and fn not in IN_RANGE else value


def _reduce(op: tiny.ReduceOp, write: Writer, narrow: Mapping[SSAValue, Attribute]) -> SSAValue:
    fn, x, accum = op.fn.data, op.input, op.accum
    if is_packed(accum) and fn != "sum" and narrow.get(x) != accum:  # only sums wrap their elements
        x = _saturated(write, x, accum)
    total = write.reduce(fn, x, op.axes(), _wide(accum))
    if is_packed(accum) and 0 in sizes(x):  # the extremum of nothing is an end of the type
        return _saturated(write, total, accum)
    return _wrapped(write, total) if is_packed(accum) and fn in ("sum", "mul") else total


def _gather(op: ptir.GatherOp, write: Writer, narrow: Mapping[SSAValue, Attribute]) -> SSAValue:
    return write.add(ptir.GatherOp(op.x, op.indices, op.axis()))


def _dynamic_slice(op: ptir.DynamicSliceOp, write: Writer, narrow: Mapping[SSAValue, Attribute]) -> SSAValue:
    return write.add(ptir.DynamicSliceOp(op.x, op.start, sizes(op.result)))


def _scatter_reduce(op: ptir.ScatterReduceOp, write: Writer, narrow: Mapping[SSAValue, Attribute]) -> SSAValue:
    return write.add(ptir.ScatterReduceOp(op.kind.data, op.x, op.indices, op.updates, op.axis()))


EMULATIONS: Mapping[type[Operation], Emulation] = {
    tiny.ConstOp: _const,
    tiny.IotaOp: _iota,
    tiny.MovementOp: _movement,
    tiny.UnaryOp: _unary,
    tiny.BinaryOp: _binary,
    tiny.ReduceOp: _reduce,
    ptir.GatherOp: _gather,
    ptir.DynamicSliceOp: _dynamic_slice,
    ptir.ScatterReduceOp: _scatter_reduce,
}
"""The emulation of each op of a tensor program on 4-bit integers."""
