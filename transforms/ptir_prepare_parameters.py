"""
`ptir-prepare-parameters`: what depends on parameters only becomes a function of its own, to be run once.

A parameter is an argument that is the same in many calls, such as a weight: one with the attribute `ptir.parameter`, or
with one of the names that the option `parameters` gives.

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

Who calls with the same weights again and again calls `@f.prepare` once and `@f.apply` each time; `@f` is both, with the
signature and the meaning it had. `@f.apply` has the arguments of `@f` but for parameters that it does not use, and then what
was prepared. To have a size by its name is a use: what binds a name (`dialects/ptir/names.py`) goes where the name goes.

Not everything that could be prepared is worth it. A prepared value must not take more bytes than the parameters that it
is computed from (times `growth`): a bias broadcast over a batch, or bf16 weights cast to f32, would cost more to read
than to compute. Such an op stays, and its operands are looked at in its place. Views (reshape, slice, dim_cast) are not
prepared alone, nor is anything in a function that has no other arguments. Literals are copied to where they are used.
Control flow and what is inside of it stay.

Facts: folding of expressions of parameters only.
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
from xdsl.traits import Pure, SymbolTable
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from ..dialects import ptir
from ..dialects.common.shapes import element
from ..dialects.ptir.dims import sizes
from ..dialects.ptir.elementwise import StopGradientOp
from ..dialects.ptir.names import bound, introduced, names
from ..semantics.arrays.scalars import numpy_dtype
from .errors import NoSuchParameter, SymbolTaken

log = logging.getLogger(__name__)

PARAMETER = "ptir.parameter"
VIEWS = (ptir.ReshapeOp, ptir.SliceOp, ptir.DimCastOp, StopGradientOp)
"""Ops that a caller gains nothing by preparing."""


def parameters_of(function: FuncOp, names: Sequence[str]) -> list[BlockArgument]:
    """The arguments that are parameters, by attribute or by name."""
    attributes = function.arg_attrs.data if function.arg_attrs is not None else ()
    marked = [PARAMETER in a.data for a in attributes] or [False] * len(function.args)
    return [a for a, is_one in zip(function.args, marked, strict=True) if is_one or a.name_hint in names]


@dataclass
class Split:
    """Which values of a function are to be prepared."""

    parameters: Sequence[SSAValue]
    growth: float
    sources: dict[SSAValue, frozenset[SSAValue]] = field(default_factory=dict[SSAValue, frozenset[SSAValue]])
    """The parameters that a value depends on, for values that depend on nothing else; none for literals."""
    binders: dict[str, SSAValue] = field(default_factory=dict[str, SSAValue])
    """The first of these values to have a name."""
    worked: set[SSAValue] = field(default_factory=set[SSAValue])
    """Those of them that took more than views."""
    seen: set[SSAValue] = field(default_factory=set[SSAValue])

    def of(self, function: FuncOp) -> list[SSAValue]:
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
            if not isinstance(op, VIEWS) or any(v in self.worked for v in op.operands):
                self.worked.add(result)

    def _add(self, value: SSAValue, sources: frozenset[SSAValue]) -> None:
        self.sources[value] = sources
        for name in names([value]):
            self.binders.setdefault(name, value)

    def needs(self, op: Operation) -> Iterator[SSAValue]:
        """The op's operands, and what binds the names that its results have."""
        yield from op.operands
        found = (self.binders.get(name) for name in sorted(introduced(op)))
        yield from (value for value in found if value is not None and value.owner is not op)

    def _worth(self, value: SSAValue) -> Iterator[SSAValue]:
        """The value, if it is worth preparing, or else what is of its operands."""
        op = value.owner
        if not self.sources.get(value) or not isinstance(op, Operation) or value in self.seen:
            return
        self.seen.add(value)
        reason = self._reason(value)
        if reason is None:
            yield value
            return
        log.debug("%s is not prepared: %s", op.name, reason, extra={"op": op})
        for operand in op.operands:
            yield from self._worth(operand)

    def _reason(self, value: SSAValue) -> str | None:
        """Why the value is not worth preparing."""
        if value not in self.worked:
            return "it is a view"
        needed, held = byte_count(value), [byte_count(p) for p in self.sources[value]]
        known = [n for n in held if n is not None]
        if needed is None or len(known) != len(held):
            return "its size is not known"
        return f"it takes {needed} bytes, its parameters {sum(known)}" if needed > self.growth * sum(known) else None


def byte_count(value: SSAValue) -> int | None:
    """How many bytes a tensor takes, if its sizes are numbers."""
    if not isinstance(value.type, TensorType):
        return None
    numbers = [s for s in sizes(value) if isinstance(s, int)]
    return prod(numbers) * numpy_dtype(element(value)).itemsize if len(numbers) == len(sizes(value)) else None


def _is_plain(op: Operation) -> bool:
    return op.name.startswith("ptir.") and op.has_trait(Pure) and not op.regions


# --- writing the functions ------------------------------------------------------------------------


def _prepare(function: FuncOp, name: str, values: Sequence[SSAValue], plan: Split) -> tuple[FuncOp, list[SSAValue]]:
    """The function that computes `values`, and which of the arguments it takes."""
    needed: dict[SSAValue, None] = {}
    pending = list(values)
    while pending:
        if (value := pending.pop()) not in needed:
            needed[value] = None
            if isinstance(value.owner, Operation):
                pending += plan.needs(value.owner)
    owners = {value.owner for value in needed}
    ops = [op for op in function.body.block.ops if op in owners]
    taken = [a for a in function.args if a in needed]
    block = Block(arg_types=[a.type for a in taken])
    mapper: dict[SSAValue, SSAValue] = dict(zip(taken, block.args, strict=True))
    _copy_names(taken, block.args)
    for op in ops:
        block.add_op(_clone(op, mapper))
    block.add_op(ReturnOp(*(mapper[v] for v in values)))
    types = ([a.type for a in taken], [v.type for v in values])
    return FuncOp(name, types, Region(block), function.sym_visibility), list(taken)


def _apply(
    function: FuncOp, name: str, values: Sequence[SSAValue], parameters: Sequence[SSAValue]
) -> tuple[FuncOp, list[SSAValue]]:
    """The rest of the function, which takes `values` after its arguments but for parameters that it does not use."""
    mapper: dict[SSAValue, SSAValue] = {}
    block = Block(arg_types=[*(a.type for a in function.args), *(v.type for v in values)])
    _copy_names([*function.args, *values], block.args)
    mapper |= dict(zip([*function.args, *values], block.args, strict=True))
    for op in function.body.block.ops:
        copy = _clone(op, dict(mapper))
        block.add_op(copy)
        for old, new in zip(op.results, copy.results, strict=True):
            mapper.setdefault(old, new)
    outputs = function.function_type.outputs.data
    out = FuncOp(name, ([a.type for a in block.args], outputs), Region(block), function.sym_visibility)
    for op in reversed(list(block.ops)):
        if op.results and _is_plain(op) and is_trivially_dead(op):
            block.erase_op(op)
    count = len(function.args)
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


def _clone(op: Operation, mapper: dict[SSAValue, SSAValue]) -> Operation:
    copy = op.clone(mapper)
    copy.location = op.location
    return copy


def _copy_names(old: Sequence[SSAValue], new: Sequence[SSAValue]) -> None:
    for a, b in zip(old, new, strict=True):
        b.name_hint = a.name_hint


def _compose(
    function: FuncOp, prepare: FuncOp, apply: FuncOp, taken: Sequence[SSAValue], kept: Sequence[SSAValue]
) -> None:
    """`function` calls the two."""
    old = function.body.block
    block = Block(arg_types=[a.type for a in old.args])
    _copy_names(old.args, block.args)
    arguments: dict[SSAValue, SSAValue] = dict(zip(old.args, block.args, strict=True))
    first = CallOp(prepare.sym_name.data, [arguments[a] for a in taken], prepare.function_type.outputs.data)
    second = CallOp(
        apply.sym_name.data, [*(arguments[a] for a in kept), *first.results], apply.function_type.outputs.data
    )
    end = ReturnOp(*second.results)
    for op in (first, second, end):
        op.location = function.location
        block.add_op(op)
    function.detach_region(function.body)
    function.add_region(Region(block))


def split(function: FuncOp, values: Sequence[SSAValue], plan: Split, module: ModuleOp) -> None:
    """Moves `values` to a function of its own. Raises `SymbolTaken`."""
    name = function.sym_name.data
    symbols = [f"{name}.prepare", f"{name}.apply"]
    for taken_name in symbols:
        if (there := SymbolTable.lookup_symbol(module, StringAttr(taken_name))) is not None:
            raise SymbolTaken(function, name=taken_name, notes=[(there, "here")])
    prepare, taken = _prepare(function, symbols[0], values, plan)
    apply, kept = _apply(function, symbols[1], values, plan.parameters)
    _compose(function, prepare, apply, taken, kept)
    block = function.parent
    if block is not None:
        for new in (prepare, apply):
            new.location = function.location
        block.insert_ops_after([prepare, apply], function)


@dataclass(frozen=True)
class PtirPrepareParameters(ModulePass):
    """Moves what depends on parameters only into functions of its own."""

    name = "ptir-prepare-parameters"

    parameters: tuple[str, ...] = ()
    """Arguments that are parameters, beside those marked as such."""
    growth: float = 1.0
    """How many bytes may be prepared for each byte of parameters."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [f for f in op.ops if isinstance(f, FuncOp) and not f.is_declaration]
        known = {a.name_hint for f in functions for a in f.args}
        for name in self.parameters:
            if name not in known:
                raise NoSuchParameter(op, name=name, known=", ".join(sorted(filter(None, known))) or "none with a name")
        for function in functions:
            parameters = parameters_of(function, self.parameters)
            if len(function.body.blocks) != 1 or not 0 < len(parameters) < len(function.args):
                continue
            plan = Split(parameters, self.growth)
            if values := plan.of(function):
                split(function, values, plan, op)
