"""
`ptir-flatten-tuples`: passes the elements of tuples separately.

```
func @f(%t: tuple<A, B>) -> tuple<B, A> {            func @f(%t.0: A, %t.1: B) -> (B, A) {
  %a = ptir.tuple_element %t[0]
  %b = ptir.tuple_element %t[1]                 →
  %r = ptir.tuple %b, %a
  func.return %r                                       func.return %t.1, %t.0
}                                                    }
```

Functions, calls, control flow and composites take and return the elements, in order and recursively. A custom call whose Python function
returns tuples keeps the types of that function in `ptir.signature`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FunctionType, ModuleOp, TupleType, i32
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ..analysis.program.statistics import count
from ..dialects import ptir
from ..dialects.ptir.calls import SIGNATURE
from ..dialects.ptir.tuples import elements, leaves
from ..errors import Unsupported
from ..text.op_names import op_name

PASSING = (ptir.CondOp, ptir.WhileOp, ptir.ScanOp, ptir.CompositeOp, ptir.CustomCallOp, ptir.YieldOp, CallOp, ReturnOp)
"""The ops that pass tuples on."""
SEGMENTS = "operandSegmentSizes"


@dataclass(frozen=True)
class PtirFlattenTuples(ModulePass):
    """Replaces tuples by their elements, in signatures, calls and control flow."""

    name = "ptir-flatten-tuples"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        count("operations that passed tuples", sum(1 for _ in flatten_tuples(op)))


def flatten_tuples(module: ModuleOp) -> Iterator[tuple[Operation, Operation]]:
    """Removes the tuples of a module. Yields each op that passed one with the op that replaces it, after the replacement."""
    for function in [op for op in module.walk() if isinstance(op, FuncOp)]:
        yield from _Flattener(function).run()


def _has_tuple(types: Iterable[Attribute]) -> bool:
    return any(isinstance(t, TupleType) for t in types)


@dataclass
class _Flattener:
    function: FuncOp
    parts: dict[SSAValue, list[SSAValue]] = field(default_factory=dict[SSAValue, "list[SSAValue]"])
    """The elements of each tuple, recursively."""
    erased: list[Operation] = field(default_factory=list[Operation])
    """Ops of the current block that have been replaced."""

    def run(self) -> Iterator[tuple[Operation, Operation]]:
        function, t = self.function, self.function.function_type
        for region in function.regions:
            for block in region.blocks:
                yield from self.flatten_block(block)
        if _has_tuple((*t.inputs, *t.outputs)):
            if function.arg_attrs is not None:
                pairs = zip(t.inputs, function.arg_attrs, strict=True)
                function.arg_attrs = ArrayAttr(attrs for one, attrs in pairs for _ in leaves([one]))
            function.res_attrs = None
            function.function_type = FunctionType.from_lists(list(leaves(t.inputs)), list(leaves(t.outputs)))
            yield function, function

    def flat(self, values: Iterable[SSAValue]) -> list[SSAValue]:
        return [part for v in values for part in self.parts.get(v, [v])]

    def flatten_block(self, block: Block) -> Iterator[tuple[Operation, Operation]]:
        outside, self.erased = self.erased, []
        tuples = [arg for arg in block.args if isinstance(arg.type, TupleType)]
        for arg in tuples:
            made = [block.insert_arg(t, arg.index) for t in leaves([arg.type])]
            self.name_parts(arg, made)
        for op in list(block.ops):
            yield from self.flatten_op(op)
        while self.erased:  # users before what they use
            Rewriter.erase_op(self.erased.pop())
        for arg in tuples:
            block.erase_arg(arg)
        self.erased = outside

    def name_parts(self, value: SSAValue, made: Sequence[SSAValue]) -> None:
        """Makes `made` the elements of a tuple, with names such as `t.0` and, in a nested tuple, `t.1.0`."""
        self.parts[value] = list(made)
        if value.name_hint is not None:
            for part, path in zip(made, _paths(value.type), strict=True):
                part.name_hint = f"{value.name_hint}{path}"

    def flatten_op(self, op: Operation) -> Iterator[tuple[Operation, Operation]]:
        match op:
            case ptir.TupleOp():
                self.parts[op.result] = self.flat(op.elements)
                self.erased.append(op)
                return
            case ptir.TupleElementOp():
                types, index = elements(op.input.type), op.index.value.data
                start = len(list(leaves(types[:index])))
                found = self.parts[op.input][start : start + len(list(leaves([types[index]])))]
                if isinstance(op.result.type, TupleType):
                    self.parts[op.result] = found
                else:
                    op.result.replace_all_uses_with(found[0])
                self.erased.append(op)
                return
            case _:
                pass
        for region in op.regions:
            for block in region.blocks:
                yield from self.flatten_block(block)
        if _has_tuple(v.type for v in (*op.operands, *op.results)):
            if not isinstance(op, PASSING):
                raise Unsupported(op, what=f"a tuple in '{op_name(op)}'", need="ptir and func ops pass tuples")
            yield op, self.rebuilt(op)

    def rebuilt(self, op: Operation) -> Operation:
        """Replaces an op that passes tuples by one that passes their elements."""
        properties, attributes = dict(op.properties), dict(op.attributes)
        if isinstance(segments := properties.get(SEGMENTS), DenseArrayBase):
            sizes, at = list[int](), 0
            for size in segments.get_values():
                sizes.append(len(self.flat(op.operands[at : at + int(size)])))
                at += int(size)
            properties[SEGMENTS] = DenseArrayBase.from_list(i32, sizes)
        if isinstance(op, ptir.CustomCallOp):
            attributes[SIGNATURE] = op.signature
        new = type(op).create(
            operands=self.flat(op.operands),
            result_types=list(leaves(op.result_types)),
            properties=properties,
            attributes=attributes,
            regions=[op.detach_region(region) for region in list(op.regions)],
        )
        new.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(op))
        results = list(new.results)
        for old in op.results:
            mine = [results.pop(0) for _ in leaves([old.type])]
            if isinstance(old.type, TupleType):
                self.name_parts(old, mine)
            else:
                mine[0].name_hint = old.name_hint
                old.replace_all_uses_with(mine[0])
        self.erased.append(op)
        return new


def _paths(t: Attribute) -> Iterator[str]:
    """Yields the positions of the leaves of a type, such as `.0` and `.1.0`."""
    if isinstance(t, TupleType):
        for k, element in enumerate(t.types):
            yield from (f".{k}{path}" for path in _paths(element))
    else:
        yield ""
