"""
Infers the sizes of all values of a function from those of its arguments.

The types of operands are static when an op is visited, so that its results follow:

1. a result whose type the op's declaration shares with an operand, as in elementwise ops, has the operand's type;
2. otherwise each dynamic size of a result gets a name that is new. The op's verifier then says which numbers the names equal, as
   it does for named sizes of programs (`text/known_sizes.py`);
3. a size that the verifier leaves open has a rule in `_open_sizes`, or is a name that is known already.

A name stands for one number in a function, including its regions, from its first occurrence on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TupleType
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.irdl.constraints import VerificationContext
from xdsl.irdl.operations import VarIRConstruct, irdl_op_verify_arg_list
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from ..dialects import ptir, tiny
from ..dialects.common.shapes import element, is_tensor, shape, shape_text
from ..dialects.common.syntax import axes_attr, ints
from ..dialects.ptir.composite import CompositeOp
from ..dialects.ptir.dims import sizes, tensor_type
from ..dialects.ptir.sizes import inferred
from ..dialects.ptir.tuples import TupleElementOp, TupleOp, elements, leaves
from ..errors import PtirError, SizesDiffer
from ..semantics.errors import OperandShapesDiffer, UnknownSize
from ..semantics.tiny.movement import require_broadcastable
from ..text.known_sizes import KNOWN, KnownSizes, Size
from .errors import SizeDependsOnData

Types = Sequence[Attribute]


def rebuilt(t: Attribute, types: Iterator[Attribute]) -> Attribute:
    """Returns the next of `types` or, for a tuple type, a tuple type of the next ones: the inverse of `leaves`."""
    return TupleType(tuple(rebuilt(e, types) for e in t.types)) if isinstance(t, TupleType) else next(types)  # pyright: ignore[reportArgumentType]


def with_sizes(t: Attribute, size: Callable[[int, int, Size], Size]) -> Attribute:
    """Returns `t` with each dynamic size replaced by `size(leaf, axis, old size)`; leaves are the tensors of a tuple, in order."""
    types = [
        tensor_type(x.element_type, [s if isinstance(s, int) else size(k, a, s) for a, s in enumerate(sizes(x))])
        if is_tensor(x)
        else x
        for k, x in enumerate(leaves([t]))
    ]
    return rebuilt(t, iter(types))


@dataclass
class SizeInference:
    """
    Gives the values of one function, a copy of another, types with static sizes. `origins` maps its ops to those of the other
    function, which keep their types. `call` returns the types of the results of a call, or a verifier of the call.
    """

    origins: dict[Operation, Operation]
    call: Callable[[CallOp], Types | Callable[[], object]]
    known: dict[str, int] = field(default_factory=dict[str, int])
    """The numbers for which the names of sizes stand."""

    def region(self, owner: Operation, region: Region, arguments: Types) -> Types:
        """Infers the sizes in a region, given the types of its arguments. Returns the types of the operands of its terminator."""
        for arg, t in zip(region.block.args, arguments, strict=True):
            self._define(owner, arg, t, f"argument {arg.index}")
        for op in list(region.block.ops):
            self._visit(op)
        return region.block.last_op.operand_types if region.block.last_op is not None else ()

    def _visit(self, op: Operation) -> None:
        types = self._result_types(op)
        for k, (result, t) in enumerate(zip(op.results, types, strict=True)):
            self._define(op, result, t, f"result {k}")
        if isinstance(op, ptir.DimCastOp) and op.input.type == op.result.type:
            Rewriter.replace_op(op, [], [op.input])

    def _define(self, op: Operation, value: SSAValue, t: Attribute, place: str) -> None:
        """Sets the type of a value, and binds the names in its old type. Raises `SizesDiffer` if a size contradicts it."""
        for old, new in zip(leaves([value.type]), leaves([t]), strict=True):
            if not is_tensor(old):
                continue
            for axis, (size, number) in enumerate(zip(sizes(old), shape(new), strict=True)):
                want = self.known.setdefault(size, number) if isinstance(size, str) else size
                if want not in (None, number):
                    a = f"{size} = {want}" if isinstance(size, str) else want
                    raise SizesDiffer(op, what=f"axis {axis} of {place}", a=a, b=number)
        value._type = t  # pyright: ignore[reportPrivateUsage]

    def _result_types(self, op: Operation) -> Types:
        match op:
            case ptir.CondOp():
                types = op.inputs.types
                then, other = (self.region(op, r, types) for r in (op.true_region, op.false_region))
                return self._same(op, then, other, "'then' and 'else'")
            case ptir.WhileOp():
                carried = op.inputs.types
                self._same(op, self.region(op, op.cond_region, carried)[1:], carried, "'cond'")
                return self._same(op, self.region(op, op.body_region, carried), carried, "'do'")
            case ptir.ScanOp():
                carried, length = op.carried.types, shape(op.scanned[0])[:1]
                slices = [tensor_type(element(x), shape(x)[1:]) for x in op.scanned]
                ends = self.region(op, op.body_region, [*carried, *slices])
                rows = [tensor_type(element(t), length + shape(t)) for t in ends[len(carried) :]]
                return [*self._same(op, ends[: len(carried)], carried, "'do'"), *rows]
            case CompositeOp():
                return self.region(op, op.body, op.inputs.types)
            case TupleOp():
                return [TupleType(tuple(e.type for e in op.elements))]  # pyright: ignore[reportArgumentType]
            case TupleElementOp():
                return [elements(op.input.type)[op.index.value.data]]
            case CallOp():
                found = self.call(op)
                return self._verified(op, found) if callable(found) else found
            case _:
                return self._verified(op, op.verify_) if op.results else ()

    def _same(self, op: Operation, got: Types, want: Types, place: str) -> Types:
        """Returns `got`, which must be equal to `want`. Raises `SizeDependsOnData`."""
        for a, b in zip(leaves(got), leaves(want), strict=True):
            if a != b:
                sizes_ = [shape_text(shape(t)) for t in (a, b)]
                raise SizeDependsOnData(op, name=op.name, place=place, got=sizes_[0], want=sizes_[1])
        return got

    def _verified(self, op: Operation, verify: Callable[[], object]) -> Types:
        """Returns the types of the op's results by the rules 1 to 3 above; `verify` is the op's verifier."""
        declared, shared = list(op.result_types), _shared_types(op)
        bound = [with_sizes(t, lambda _, __, size: self.known.get(size) if size else None) for t in declared]  # pyright: ignore
        names: list[str] = []

        def new_name(*_: object) -> str:
            names.append(f"_{len(names)}")
            return names[-1]

        found = KnownSizes()
        token = KNOWN.set(found)
        try:
            _set_types(op, [a or with_sizes(b, new_name) for a, b in zip(shared, bound, strict=True)])
            verify()
        except PtirError:
            _set_types(op, bound)
            verify()  # fails, too, with a message without the new names
            raise
        finally:
            KNOWN.reset(token)
        types: list[Attribute] = []
        for k, (old, new) in enumerate(zip(declared, op.result_types, strict=True)):
            t = with_sizes(new, lambda _, __, name: size if isinstance(size := found.known(str(name)), int) else None)
            if rules := _open_sizes(op, old, t):
                t = with_sizes(t, lambda _, axis, __, rules=rules: rules[axis])
            types.append(t)
            self._require_known(op, k, old, t)
        _set_types(op, types)
        verify()
        if isinstance(op, tiny.BinaryOp | tiny.MovementOp):
            origin = self.origins[op]
            if isinstance(origin, tiny.BinaryOp) or op.properties["kind"].data == "expand":  # pyright: ignore
                values = [*op.operands, *op.results]
                require_broadcastable(op, [*origin.operands, *origin.results], [shape(v) for v in values])
        _set_types(op, declared)
        return types

    def _require_known(self, op: Operation, k: int, declared: Attribute, t: Attribute) -> None:
        """Raises `UnknownSize` for a dynamic size in `t`, the type that was inferred for result `k`."""
        for old, new in zip(leaves([declared]), leaves([t]), strict=True):
            for axis, size in enumerate(sizes(new) if is_tensor(new) else ()):
                if size is None:
                    name = sizes(old)[axis]
                    problem = f"{name}, which is not bound yet" if name else "? without a name"
                    raise UnknownSize(op, axis=axis, what=f"result {k} of {op.name}", type=declared, problem=problem)


def _shared_types(op: Operation) -> Sequence[Attribute | None]:
    """
    Returns for each result of an op the type that the op's declaration shares with an operand, or None. Raises `OperandShapesDiffer`
    if operands of a shared type have different types.
    """
    if not isinstance(op, IRDLOperation):
        return [None] * len(op.results)
    context, definition = VerificationContext(), op.get_irdl_definition()
    try:
        irdl_op_verify_arg_list(op, definition, VarIRConstruct.OPERAND, context)
    except VerifyException:
        *others, last = (shape_text(shape(v)) for v in op.operands)
        raise OperandShapesDiffer(op, name=op.name, got=f"{', '.join(others)} and {last}") from None
    if len(definition.results) != len(op.results):
        return [None] * len(op.results)
    constraints = [d.constr for _, d in definition.results]
    known = context.attr_variables
    return [c.infer(context, length=1)[0] if c.can_infer(known, length_known=True) else None for c in constraints]


def _open_sizes(op: Operation, declared: Attribute, partial: Attribute) -> Sequence[Size]:
    """
    Returns the sizes of a result for those that are open in the type `partial`, or nothing. In the type `declared` they are `?` or
    names that have no number yet. The rules are the interpreter's.
    """
    if not isinstance(op, ptir.MovementOp | tiny.MovementOp | ptir.DynamicSliceOp):
        return ()
    source, open_, names = shape(op.operands[0]), sizes(partial), sizes(declared)
    match op.kind.data if isinstance(op, tiny.MovementOp) else op.name:
        case "reshape" | "ptir.reshape" if open_.count(None) == 1:
            return [inferred(source, [s for s in open_ if s is not None])] * len(open_)
        case "expand" | "ptir.broadcast_to":
            aligned = (*[None] * (len(open_) - len(source)), *source)
            return [None if n == 1 and name else n for n, name in zip(aligned, names, strict=True)]
        case "shrink" | "ptir.slice" | "ptir.dynamic_slice":
            starts = ints(op.properties.get("starts") or op.properties.get("start") or axes_attr([0] * len(source)))  # pyright: ignore
            rest = zip(source, starts, names, strict=True)
            return [None if name else max(extent - start, 0) for extent, start, name in rest]
        case _:
            return ()


def _set_types(op: Operation, types: Types) -> None:
    for result, t in zip(op.results, types, strict=True):
        result._type = t  # pyright: ignore[reportPrivateUsage]
