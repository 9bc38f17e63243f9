"""
`ptir-prepare-parameters`: moves ops that depend only on parameters to a separate function, which needs to run only once.

A parameter is an argument that is the same in many calls, such as a weight: it has the attribute `ptir.parameter`, or the option
`parameters` lists its name.

```
func.func @f(%x, %w {ptir.parameter}) {        func.func @f(%x, %w {ptir.parameter}) {
  %0 = ptir.transpose %w [1, 0]                  %0 = func.call @f.prepare(%w)
  %1 = ptir.exp %0                               %1 = func.call @f.apply(%x, %0)
  %2 = ptir.mul %x, %1                           func.return %1
  func.return %2                               }
}                                              func.func @f.prepare(%w) {
                                         →       %0 = ptir.transpose %w [1, 0]
                                                 %1 = ptir.exp %0
                                                 func.return %1
                                               }
                                               func.func @f.apply(%x, %p {ptir.parameter}) {
                                                 %0 = ptir.mul %x, %p
                                                 func.return %0
                                               }
```

Callers that use the same weights many times call `@f.prepare` once and `@f.apply` each time; `@f` calls both, and keeps its
signature and meaning. `@f.apply` takes the arguments of `@f`, except for parameters that it does not use, followed by the
prepared values. A dynamic size's name in a type is a use of that name: the value that binds it (`dialects/ptir/names.py`)
is needed, too.

Not every value that could be prepared is worth it. A prepared value must not take more bytes than the parameters that it
is computed from (times `growth`): a bias broadcast over a batch, or bf16 weights cast to f32, would cost more to read
than to compute. Such an op stays, and its operands are considered instead. Views (reshape, slice, dim_cast) are not
prepared alone, and functions without other arguments are not changed. Literals are copied to their uses. Control flow and its
regions stay.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, TensorType, UnitAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import Pure, SymbolTable
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from ..dialects import ptir
from ..dialects.common.shapes import element
from ..dialects.ptir.dims import known_sizes, sizes
from ..dialects.ptir.elementwise import StopGradientOp
from ..dialects.ptir.names import bound, introduced, names
from ..semantics.arrays.scalars import numpy_dtype
from .errors import NoSuchParameter, SymbolTaken

log = logging.getLogger(__name__)

PARAMETER = "ptir.parameter"
VIEWS = (ptir.ReshapeOp, ptir.SliceOp, ptir.DimCastOp, StopGradientOp)
"""Ops that are not worth preparing alone."""


def parameters_of(function: FuncOp, names: Sequence[str]) -> list[BlockArgument]:
    """Returns the arguments that are parameters, by attribute or by name."""
    return [a for a in function.args if PARAMETER in _attributes(function, a.index) or a.name_hint in names]


@dataclass
class Split:
    """Chooses the values of a function to prepare."""

    parameters: Sequence[SSAValue]
    growth: float
    sources: dict[SSAValue, frozenset[SSAValue]] = field(default_factory=dict[SSAValue, frozenset[SSAValue]])
    """Maps each value that depends only on parameters to these parameters, and literals to an empty set."""
    binders: dict[str, SSAValue] = field(default_factory=dict[str, SSAValue])
    """Maps the name of a dynamic size to the first value in `sources` whose type has it."""
    computed: set[SSAValue] = field(default_factory=set[SSAValue])
    """The values in `sources` that are not just views of parameters."""
    seen: set[SSAValue] = field(default_factory=set[SSAValue])

    def prepared_values(self, function: FuncOp) -> list[SSAValue]:
        for parameter in self.parameters:
            self._add(parameter, frozenset({parameter}))
        for op in function.body.block.ops:
            self._learn(op)
        chosen: dict[SSAValue, None] = {}
        for op in function.body.block.ops:
            if not any(r in self.sources for r in op.results):
                for value in op.operands:
                    chosen |= dict.fromkeys(self._worth(value))
        return list(chosen)

    def _learn(self, op: Operation) -> None:
        if not _is_plain(op) or not all(v in self.sources for v in op.operands):
            return
        if not introduced(op) <= self.binders.keys() | bound(op):
            return
        for result in op.results:
            self._add(result, frozenset(p for v in self.needs(op) for p in self.sources[v]))
            if not isinstance(op, VIEWS) or any(v in self.computed for v in op.operands):
                self.computed.add(result)

    def _add(self, value: SSAValue, sources: frozenset[SSAValue]) -> None:
        self.sources[value] = sources
        for name in names([value]):
            self.binders.setdefault(name, value)

    def needs(self, op: Operation) -> Iterator[SSAValue]:
        """Yields the op's operands, and the values that bind the names of dynamic sizes in its results' types."""
        yield from op.operands
        for name in sorted(introduced(op)):
            if (binder := self.binders.get(name)) is not None and binder.owner is not op:
                yield binder

    def _worth(self, value: SSAValue) -> Iterator[SSAValue]:
        """Yields `value` if it is worth preparing; otherwise, the values worth preparing from which it is computed."""
        op = value.owner
        if not self.sources.get(value) or not isinstance(op, Operation) or value in self.seen:
            return
        self.seen.add(value)
        if (reason := self._reason(value)) is None:
            yield value
            return
        log.debug("%s is not prepared: %s", op.name, reason, extra={"op": op})
        for operand in op.operands:
            yield from self._worth(operand)

    def _reason(self, value: SSAValue) -> str | None:
        """Returns the reason why the value is not worth preparing, or None if it is."""
        if value not in self.computed:
            return "it is a view"
        needed, held = byte_count(value), [byte_count(p) for p in self.sources[value]]
        known = [n for n in held if n is not None]
        if needed is None or len(known) != len(held):
            return "its size is not known"
        return f"it takes {needed} bytes, its parameters {sum(known)}" if needed > self.growth * sum(known) else None


def byte_count(value: SSAValue) -> int | None:
    """Returns the size of a tensor in bytes, or None if a size is not known or the value is not a tensor."""
    if not isinstance(value.type, TensorType) or (known := known_sizes(sizes(value))) is None:
        return None
    return prod(known) * numpy_dtype(element(value)).itemsize


def _is_plain(op: Operation) -> bool:
    return op.name.startswith("ptir.") and op.has_trait(Pure) and not op.regions


# --- writing the functions ------------------------------------------------------------------------


def _block_for(values: Sequence[SSAValue]) -> tuple[Block, dict[SSAValue, SSAValue]]:
    """Returns a block with an argument for each value, of its type and name, and a map from the values to the arguments."""
    block = Block(arg_types=[value.type for value in values])
    for value, arg in zip(values, block.args, strict=True):
        arg.name_hint = value.name_hint
    return block, dict(zip(values, block.args, strict=True))


def _prepare(function: FuncOp, name: str, values: Sequence[SSAValue], plan: Split) -> tuple[FuncOp, list[SSAValue]]:
    """Returns a function that computes `values`, and the arguments of `function` that it takes."""
    needed: set[SSAValue] = set()
    pending = list(values)
    while pending:
        if (value := pending.pop()) not in needed:
            needed.add(value)
            if isinstance(value.owner, Operation):
                pending += plan.needs(value.owner)
    owners = {value.owner for value in needed}
    taken: list[SSAValue] = [a for a in function.args if a in needed]
    block, mapper = _block_for(taken)
    block.add_ops([op.clone(mapper) for op in function.body.block.ops if op in owners])
    block.add_op(ReturnOp(*(mapper[v] for v in values)))
    types = ([a.type for a in taken], [v.type for v in values])
    return FuncOp(name, types, Region(block), function.sym_visibility), taken


def _apply(
    function: FuncOp, name: str, values: Sequence[SSAValue], parameters: Sequence[SSAValue]
) -> tuple[FuncOp, list[SSAValue]]:
    """
    Returns a function that computes the results from `values`, and the arguments of `function` that it takes before them:
    all except unused parameters.
    """
    count = len(function.args)
    block, mapper = _block_for([*function.args, *values])
    block.add_ops([op.clone(mapper) for op in function.body.block.ops])
    for value, arg in zip(values, block.args[count:], strict=True):
        mapper[value].replace_all_uses_with(arg)
    outputs = function.function_type.outputs.data
    out = FuncOp(name, ([a.type for a in block.args], outputs), Region(block), function.sym_visibility)
    for op in reversed(list(block.ops)):
        if op.results and _is_plain(op) and is_trivially_dead(op):
            block.erase_op(op)
    kept = [i for i, a in enumerate(block.args) if i >= count or a.uses or function.args[i] not in parameters]
    wanted = names(r for op in block.walk() for r in op.results) - names(block.args[i] for i in kept)
    for i, argument in enumerate(block.args):
        if names([argument]) & wanted:
            kept.append(i)
            wanted -= names([argument])
    kept.sort()
    attributes = [{**_attributes(function, i), **({PARAMETER: UnitAttr()} if i >= count else {})} for i in kept]
    for i in reversed(range(len(block.args))):
        if i not in kept:
            block.erase_arg(block.args[i])
    out.update_function_type()
    out.arg_attrs = ArrayAttr([DictionaryAttr(a) for a in attributes])
    out.res_attrs = function.res_attrs
    return out, [function.args[i] for i in kept if i < count]


def _attributes(function: FuncOp, index: int) -> dict[str, Attribute]:
    if function.arg_attrs is None or index >= len(function.args):
        return {}
    return dict(function.arg_attrs.data[index].data)


def split(function: FuncOp, values: Sequence[SSAValue], plan: Split, module: ModuleOp) -> None:
    """Moves the computation of `values` to one function and the rest to another; `function` calls both. Raises `SymbolTaken`."""
    name = function.sym_name.data
    symbols = [f"{name}.prepare", f"{name}.apply"]
    for taken_name in symbols:
        if (there := SymbolTable.lookup_symbol(module, StringAttr(taken_name))) is not None:
            raise SymbolTaken(function, name=taken_name, notes=[(there, "here")])
    prepare, taken = _prepare(function, symbols[0], values, plan)
    apply, kept = _apply(function, symbols[1], values, plan.parameters)
    block, mapper = _block_for(function.args)
    first = CallOp(symbols[0], [mapper[a] for a in taken], prepare.function_type.outputs.data)
    arguments = [*(mapper[a] for a in kept), *first.results]
    second = CallOp(symbols[1], arguments, apply.function_type.outputs.data)
    block.add_ops([first, second, end := ReturnOp(*second.results)])
    function.detach_region(function.body)
    function.add_region(Region(block))
    for new in (prepare, apply, first, second, end):
        new.location = function.location
    Rewriter.insert_op([prepare, apply], InsertPoint.after(function))


@dataclass(frozen=True)
class PtirPrepareParameters(ModulePass):
    """Moves ops that depend only on parameters into functions of their own."""

    name = "ptir-prepare-parameters"

    parameters: tuple[str, ...] = ()
    """Names of arguments that are parameters, in addition to arguments with the attribute."""
    growth: float = 1.0
    """Maximum number of bytes to prepare for each byte of parameters."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [f for f in op.ops if isinstance(f, FuncOp) and not f.is_declaration]
        known = {a.name_hint for f in functions for a in f.args if a.name_hint}
        for name in self.parameters:
            if name not in known:
                help = f"the named arguments are: {', '.join(sorted(known))}" if known else "no argument has a name"
                raise NoSuchParameter(op, name=name, help=help)
        for function in functions:
            parameters = parameters_of(function, self.parameters)
            if len(function.body.blocks) != 1 or not 0 < len(parameters) < len(function.args):
                continue
            plan = Split(parameters, self.growth)
            if values := plan.prepared_values(function):
                split(function, values, plan, op)
