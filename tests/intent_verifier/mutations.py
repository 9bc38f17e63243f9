"""
Wrong candidates: an intent with one mutation.

The kinds of mutations are those of the facts about IntentIR (reduce axis, reduce scale, dropped mask, softmax axis, transposition,
broadcast dims, swapped elementwise op, changed constant, output aliasing an input), and those that kernels written by hand have:

| kind | the error that it stands for |
| --- | --- |
| `operand order`, `other operand` | a wrong pointer |
| `dropped op` | a forgotten step |
| `last lost` | a guard that is off by one |
| `neighbor` | an index that is off by one |
| `negated`, `doubled` | a wrong sign or factor |
| `truncated` | an intermediate result in a type that is too narrow |
| `swapped choices`, `negated mask` | a wrong predicate |
| `reduce function`, `transposed operand`, `dropped epilogue`, `window`, `iota axis`, `index order` | a wrong attribute |

Each is applied at each site where the result still verifies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, UnitAttr, f64, i1, i32, i64
from xdsl.ir import Operation, SSAValue

from ptir.dialects import intent
from ptir.dialects.common.shapes import is_float
from ptir.dialects.intent import symbols
from ptir.dialects.intent.elementwise import ARITHMETIC, COMPARISONS, LOGIC
from ptir.dialects.intent.types import TensorType, type_of
from ptir.dialects.ptir.scalars import ScalarAttr
from ptir.errors import PtirError
from ptir.intent import Intent
from ptir.passes.environment import make_context
from ptir.transforms.intent_lower_macros import IntentLowerMacros, Writer

Change = Callable[[Any], None]
UNARY = ("exp", "rsqrt", "floor", "relu", "abs", "identity")


@dataclass(frozen=True)
class Mutation:
    """A change of one site: an op, by its number and name, or an argument."""

    site: str
    kind: str
    change: Change

    @property
    def name(self) -> str:
        return f"{self.kind} at {self.site}"

    def applied(self, source: Intent) -> Intent | None:
        """Returns the mutant, or None if it does not verify: then no candidate has this error."""
        module = source.module.clone()
        try:
            self.change(next(op for op in module.ops if isinstance(op, intent.FuncOp)))
            return Intent(module)
        except PtirError:
            return None


def mutations(source: Intent) -> Iterator[Mutation]:
    """Yields each kind of mutation at each of its sites."""
    for k, op in enumerate(source.function.body.walk()):
        for kind, change in (*_changes(op), *_values(op)):
            yield Mutation(f"{k} {op.name}", kind, lambda f, k=k, c=change: c(list(f.body.walk())[k]))
    for k, arg in enumerate(source.function.inputs):
        if arg.uses.get_length():
            for kind, change in _replacements(arg):
                yield Mutation(f"%{arg.name_hint}", kind, lambda f, k=k, c=change: c(f.inputs[k]))


def lowered(source: Intent) -> Intent:
    """Returns the intent with its macros written in the other ops: a candidate with more sites."""
    module = source.module.clone()
    IntentLowerMacros().apply(make_context(), module)
    return Intent(module)


# --- mutations of an op -----------------------------------------------------------------------------


def _changes(op: Operation) -> Iterator[tuple[str, Change]]:
    yield from _operands(op)
    match op:
        case intent.UnaryOp() | intent.BinaryOp():
            for group in (ARITHMETIC, COMPARISONS, LOGIC, UNARY):
                for fn in group if op.fn.data in group else ():
                    if fn != op.fn.data:
                        yield f"{fn} for {op.fn.data}", _set(fn=StringAttr(fn))
        case intent.ReduceOp():
            yield from _reductions(op)
        case intent.SoftmaxOp():
            for axis in set(range(_rank(op.input))) - {op.axis()}:
                yield f"softmax axis {axis}", _set(axis=IntegerAttr(axis, i64))
        case intent.WhereOp():
            yield "dropped mask", lambda o: o.results[0].replace_all_uses_with(o.on_true)
            yield "swapped choices", lambda o: setattr(o, "operands", [o.predicate, o.on_false, o.on_true])
        case intent.ConstOp():
            yield from _constants(op)
        case intent.IotaOp():
            for axis in set(range(_rank(op.result))) - {op.axis()}:
                yield f"iota axis {axis}", _set(axis=IntegerAttr(axis, i64))
        case intent.MatmulOp():
            yield from _products(op)
        case intent.Conv2dOp():
            yield from _windows(op)
        case intent.TransposeOp():
            yield "reshape for a transposition", _reshaped
        case intent.BroadcastInDimOp():
            yield "broadcast dims", lambda o: o.properties.update(broadcast_dims=_axes([*reversed(o.axes())]))
        case intent.GatherOp():
            yield "index order", lambda o: setattr(o, "operands", [o.operands[0], *reversed(o.operands[1:])])
        case intent.ResizeOp():
            yield "fraction bits", _set(fraction_bits=IntegerAttr(1, i64))
        case intent.DropoutOp():
            yield "rounds", _set(rounds=IntegerAttr(op.rounds.value.data - 1, i64))
        case _:
            pass


def _operands(op: Operation) -> Iterator[tuple[str, Change]]:
    """Yields exchanged operands, and the first and the last other value of the type that is defined before."""
    what = "output aliases" if isinstance(op, intent.ReturnOp) else "other operand"
    if isinstance(op, intent.BinaryOp) and op.fn.data not in ("add", "mul", "max", "min", "ne", *LOGIC):
        yield "operand order", lambda o: setattr(o, "operands", [o.rhs, o.lhs])
    known = list(enumerate(_before(op)))
    for k, value in enumerate(op.operands):
        others = [(j, v) for j, v in known if v is not value and v.type == value.type and not _are_equal(v, value)]
        for j, other in dict.fromkeys((*others[:1], *others[-1:])):
            yield (
                f"{what} {k} {_name(other, j)}",
                lambda o, k=k, j=j: o.operands.__setitem__(k, list(_before(o))[j]),
            )
    if op.results and op.results[0].uses.get_length():
        for k, value in enumerate(op.operands):
            if value.type == op.results[0].type:
                yield (
                    f"dropped op, operand {k}",
                    lambda o, k=k: o.results[0].replace_all_uses_with(o.operands[k]),
                )


def _are_equal(a: SSAValue, b: SSAValue) -> bool:
    """Whether two values are the same constant."""
    x, y = a.owner, b.owner
    return isinstance(x, intent.ConstOp) and isinstance(y, intent.ConstOp) and x.value == y.value


def _before(op: Operation) -> Iterator[SSAValue]:
    function = intent.function_of(op)
    if function is None:
        return
    yield from function.inputs
    for other in function.body.block.ops:
        if other is op or other.is_ancestor(op):
            return
        yield from other.results


def _name(value: SSAValue, number: int) -> str:
    return f"%{value.name_hint}" if value.name_hint else f"#{number}"


def _reductions(op: intent.ReduceOp) -> Iterator[tuple[str, Change]]:
    axes = op.axes()
    for axis in set(range(_rank(op.input))) - set(axes):
        yield f"reduce axis {axis}", _set(reduce_axes=_axes([axis, *axes[1:]]))
    if op.scale is not None:
        yield "dropped scale", lambda o: o.properties.pop("scale")
        yield "other scale", _set(scale=ScalarAttr.of(0.3, f64))
    if op.fn.data != "any":
        other = "max" if op.fn.data == "sum" else "sum"
        yield f"{other} for {op.fn.data}", lambda o: (o.properties.pop("scale", None), _set(fn=StringAttr(other))(o))


def _constants(op: intent.ConstOp) -> Iterator[tuple[str, Change]]:
    if isinstance(op.value, StringAttr):
        for what in ("({}) + 1", "0 - ({})", "2 * ({})"):
            yield f"constant {what.format('c')}", _set(value=StringAttr(what.format(op.value.data)))
        return
    value = op.value.dense.get_values()[0]
    for other in dict.fromkeys((value + 1, -value, value * 2, 0)):
        if other != value:
            yield (
                f"constant {other}",
                _set(value=ScalarAttr.of(float(other) if is_float(op.value.dtype) else int(other), op.value.dtype)),
            )


def _products(op: intent.MatmulOp) -> Iterator[tuple[str, Change]]:
    for flag in ("transpose_lhs", "transpose_rhs"):
        yield (
            flag,
            lambda o, flag=flag: (
                o.properties.pop(flag) if flag in o.properties else o.properties.update({flag: UnitAttr()})
            ),
        )
    yield "operand order", lambda o: setattr(o, "operands", [o.rhs, o.lhs])
    if op.epilogue is not None:
        yield "dropped epilogue", _without_epilogue


def _without_epilogue(op: intent.MatmulOp) -> None:
    block = op.epilogue.block  # type: ignore[union-attr]
    cast(Operation, block.last_op).operands[0] = block.args[0]


def _windows(op: intent.Conv2dOp) -> Iterator[tuple[str, Change]]:
    for name, values in (("stride", [1, 1]), ("padding", [0, 0]), ("padding", [2, 0]), ("dilation", [2, 2])):
        yield f"{name} {values}", _with_result(name, values)


def _with_result(name: str, values: list[int]) -> Change:
    """Sets an attribute, and the type of the result that it implies if nothing else uses it."""

    def change(op: intent.Conv2dOp) -> None:
        op.properties[name] = _axes(values)
        op.result._type = op.inferred()  # pyright: ignore[reportPrivateUsage]

    return change


def _reshaped(op: intent.TransposeOp) -> None:
    write = Writer()
    _insert(op, write, write.reshape(op.input, type_of(op.result)))


def _set(**given: Any) -> Change:
    return lambda op: op.properties.update(given)


def _axes(axes: list[int]) -> DenseArrayBase[Any]:
    return DenseArrayBase.from_list(i64, axes)


def _rank(value: SSAValue) -> int:
    return len(type_of(value).dims)


# --- mutations of a value ---------------------------------------------------------------------------


def _values(op: Operation) -> Iterator[tuple[str, Change]]:
    if isinstance(op, intent.IntentOp) and op.result.uses.get_length() and not isinstance(op, intent.ConstOp):
        for kind, change in _replacements(op.result):
            yield kind, lambda o, c=change: c(o.results[0])


def _replacements(value: SSAValue) -> Iterator[tuple[str, Change]]:
    """Yields the mutations that replace a value, wherever it is used, by one that is computed from it."""
    dims, dtype = type_of(value).dims, type_of(value).element_type
    for axis, dim in enumerate(dims):
        if dim != 1:
            yield f"last lost, axis {axis}", _replaced(_without_last, axis)
            if _varies(value, axis):
                yield f"neighbor, axis {axis}", _replaced(_neighbor, axis)
    if dtype == i1:
        yield "negated mask", _replaced(lambda write, x: write.unary("not", x))
        return
    yield "negated", _replaced(lambda write, x: write.binary("sub", write.const(0, type_of(x).element_type), x))
    yield "doubled", _replaced(lambda write, x: write.binary("add", x, x))
    if is_float(dtype) and not _is_whole(value):
        yield "truncated", _replaced(lambda write, x: write.cast(write.cast(x, i32), type_of(x).element_type))


def _varies(value: SSAValue, axis: int) -> bool:
    """Returns False for a value that repeats along an axis by its definition."""
    match value.owner:
        case intent.ConstOp():
            return False
        case intent.IotaOp() as op:
            return axis == op.axis()
        case intent.BroadcastInDimOp() as op:
            return axis in op.axes() and _varies(op.input, op.axes().index(axis))
        case intent.UnaryOp() | intent.BinaryOp() | intent.CastOp() as op:
            same = [v for v in op.operands if type_of(v).dims]
            if all(len(type_of(v).dims) == len(type_of(value).dims) for v in same):
                return any(_varies(v, axis) for v in same)
    return type_of(value).dims[axis] != 1


def _is_whole(value: SSAValue) -> bool:
    """Whether the elements of a float value are integers by definition."""
    match value.owner:
        case intent.UnaryOp() as op:
            return op.fn.data == "floor"
        case intent.IotaOp():
            return True
        case intent.CastOp() as op:
            return not is_float(type_of(op.input).element_type) or _is_whole(op.input)
        case _:
            return False


def _replaced(make: Callable[..., SSAValue], *more: Any) -> Change:
    def change(value: SSAValue) -> None:
        write = Writer()
        _insert(value, write, make(write, value, *more))

    return change


def _insert(at: SSAValue | Operation, write: Writer, value: SSAValue) -> None:
    """Inserts ops after a value is defined, and replaces its other uses."""
    old = at.results[0] if isinstance(at, Operation) else at
    owner = old.owner
    block = owner.parent if isinstance(owner, Operation) else owner
    assert block is not None
    if isinstance(owner, Operation):
        block.insert_ops_after(write.ops, owner)
    elif (first := block.first_op) is not None:
        block.insert_ops_before(write.ops, first)
    old.replace_uses_with_if(value, lambda use: use.operation not in write.ops)


def _without_last(write: Writer, x: SSAValue, axis: int) -> SSAValue:
    dims = type_of(x).dims
    kept = write.binary("lt", write.iota(dims, axis), _text(dims[axis], "- 1"))
    zero = write.const(0, type_of(x).element_type)
    full = write.broadcast(write.reshape(kept, TensorType([dims[axis]], i1)), dims, [axis])
    return write.where(full, x, write.broadcast(zero, dims, []))


def _neighbor(write: Writer, x: SSAValue, axis: int) -> SSAValue:
    dims = type_of(x).dims
    places: list[SSAValue] = []
    for k in range(len(dims)):
        place = write.iota(dims, k)
        if k == axis:
            place = write.binary("min", write.binary("add", place, 1), _text(dims[axis], "- 1"))
        places.append(write.broadcast(write.reshape(place, TensorType([dims[k]], i64)), dims, [k]))
    return write.gather(x, *places)


def _text(dim: int | str, more: str) -> symbols.Node:
    return symbols.parse(f"({dim}) {more}", symbols.SIZE)
