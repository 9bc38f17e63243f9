"""
`sccp`: sparse conditional constant propagation, on xDSL's dataflow solver.

```
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %p = ptir.constant dense<true> : tensor<i1>
  %r = ptir.cond %p (%x) … then (%a) {                     %r = ptir.cond %p (%x) … then (%a) {
    %c = ptir.constant dense<1.0> : tensor<4xf32>            …
    ptir.yield %c                                          } else (%b) {
  } else (%b) {                                   →          …
    ptir.yield %b                                          }
  }                                                        %c = ptir.constant dense<1.0> : tensor<4xf32>
  func.return %r                                           func.return %c
```

Only reachable code is analyzed. The analysis follows the regions of `ptir.cond`, `ptir.while` and `ptir.scan`, of `scf.if`,
`scf.for` and `scf.while`, the targets of `cf.br` and `cf.cond_br`, and calls of private functions. Constants are propagated
into a function if every reference to it is a call, and from its results to its calls. Unreachable code and branches on
constants are left to `canonicalize` and `symbol-dce`.

In the lattice, a value is first unknown, then one constant, then varying. `ptir` ops are folded as by `ptir-canonicalize`,
other ops by xDSL's folders or, if they are pure ops on integers, by its interpreter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import copysign
from typing import ClassVar, cast

from xdsl.analysis.dataflow import ChangeResult, DataFlowAnalysis, DataFlowSolver, ProgramPoint
from xdsl.analysis.dead_code_analysis import Executable
from xdsl.analysis.sparse_analysis import PropagatingLattice
from xdsl.context import Context
from xdsl.dialects import arith, cf, scf
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.folder import Folder
from xdsl.interpreter import Interpreter
from xdsl.interpreters import register_implementations
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import ConstantLike, Pure
from xdsl.transforms.dead_code_elimination import is_trivially_dead
from xdsl.utils.exceptions import InterpretationError
from xdsl.utils.hints import isa

from ..analysis.program.statistics import count
from ..analysis.program.symbols import SymbolTables, references, visibility
from ..dialects import ptir
from ..dialects.ptir.control import CondOp, ScanOp, WhileOp
from .op_writer import Declined
from .ptir_rules.constants import Constants
from .ptir_rules.engine import FOLD_LIMIT
from .ptir_rules.folding import fold
from .ptir_rules.write import Writer


@dataclass(frozen=True)
class Sccp(ModulePass):
    """Propagates constants through reachable code, into and out of functions and regions."""

    name = "sccp"
    specializes_private: ClassVar[bool] = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        solver = DataFlowSolver(ctx)
        analysis = solver.load(Propagation)
        solver.initialize_and_run(op)
        for block in list(op.walk_blocks(reverse=True)):  # inner blocks first: outer ops may be erased
            if analysis.is_live(block):
                _replace_constants(block, analysis)


def _replace_constants(block: Block, analysis: Propagation) -> None:
    for arg in block.args:
        if block.first_op is not None:
            _replace(arg, analysis.constant(arg), block.first_op)
    for op in list(block.ops):
        if op.has_trait(ConstantLike):
            continue
        constants = [analysis.constant(result) for result in op.results]
        for result, constant in zip(op.results, constants, strict=True):
            _replace(result, constant, op)
        if constants and None not in constants and is_trivially_dead(op):
            block.erase_op(op)


def _replace(value: SSAValue, constant: Operation | None, at: Operation) -> None:
    """Replaces the uses of `value` by a copy of `constant` before `at`. Does nothing if there are no uses or `constant` is None."""
    if constant is None or value.first_use is None:
        return
    new = constant.create(properties=constant.properties, result_types=constant.result_types, location=at.location)
    new.results[0].name_hint = value.name_hint
    at.parent.insert_op_before(new, at)  # pyright: ignore[reportOptionalMemberAccess]
    value.replace_all_uses_with(new.results[0])
    count("values replaced by constants")


# --- the lattice --------------------------------------------------------------------------------


class Known(PropagatingLattice):
    """A value's lattice element: unknown until `reached`; then `constant`, the op that produces it, or None if the value varies."""

    reached = False
    constant: Operation | None = None

    def add(self, constant: Operation | None) -> ChangeResult:
        """Joins the element with a constant that the value may have, or with varying if `constant` is None."""
        if self.reached and (self.constant is None or _same(self.constant, constant)):
            return ChangeResult.NO_CHANGE
        self.reached, self.constant = True, None if self.reached else constant
        return ChangeResult.CHANGE

    def __str__(self) -> str:
        return f"{self.constant or 'varying'}" if self.reached else "unknown"


def _same(a: Operation | None, b: Operation | None) -> bool:
    """Returns whether two constants are equal bit for bit."""
    if a is b or a is None or b is None:
        return a is b
    if type(a) is not type(b) or a.properties.keys() != b.properties.keys():
        return False
    return a.result_types == b.result_types and all(_same_bits(a.properties[k], b.properties[k]) for k in a.properties)


def _same_bits(a: Attribute, b: Attribute) -> bool:
    """Returns whether two attributes are equal, including the sign of a float zero, which `==` ignores. A NaN equals nothing."""
    if isinstance(a, FloatAttr) and isinstance(b, FloatAttr):
        x, y = a.value.data, b.value.data
        return a.get_type() == b.get_type() and x == y and copysign(1, x) == copysign(1, y)
    return a == b


# --- the analysis -------------------------------------------------------------------------------


@dataclass(eq=False)
class Propagation(DataFlowAnalysis):
    """
    Propagates constants. Each visit of an op propagates the lattice elements of its operands; the solver visits it again when
    one of them changes.
    """

    solver: DataFlowSolver
    _tables: SymbolTables = field(default_factory=SymbolTables)
    _calls: dict[Operation, list[CallOp]] = field(default_factory=dict[Operation, list[CallOp]])
    """Maps each called function to its calls."""
    _entries: set[Operation] = field(default_factory=set[Operation])
    """Functions with a reference that is not a call, so that their arguments are not known."""

    def constant(self, value: SSAValue) -> Operation | None:
        return self._known(value).constant

    def is_live(self, block: Block) -> bool:
        return self.get_or_create_state(block, Executable).live

    def initialize(self, op: Operation) -> None:
        self._interpreter = Interpreter(ModuleOp([]))
        register_implementations(self._interpreter, self.solver.context)
        for inner in op.walk():
            for reference in references(inner):
                symbol = next(reversed(self._tables.resolve(inner, reference)), None)
                if isinstance(symbol, FuncOp):
                    if isinstance(inner, CallOp):
                        self._calls.setdefault(symbol, []).append(inner)
                    else:
                        self._entries.add(symbol)
        self._enter_all(op)

    def visit(self, point: ProgramPoint) -> None:
        op = point.op
        if op is None or op.parent is None or not self.is_live(op.parent):
            return
        match op:
            case FuncOp():
                if visibility(op) == "public" or op in self._entries or op not in self._calls:
                    self._enter_all(op)
            case CallOp():
                self._call(op)
            case ReturnOp():
                for call in self._calls.get(op.parent_op() or op, ()):
                    if call.parent is not None and self.is_live(call.parent):
                        self._flow(op.operands, call.results)
            case cf.BranchOp():
                self._enter(op.successor, op.arguments)
            case cf.ConditionalBranchOp():
                if self._may_be(op.cond, True):
                    self._enter(op.then_block, op.then_arguments)
                if self._may_be(op.cond, False):
                    self._enter(op.else_block, op.else_arguments)
            case CondOp():
                self._choose(op, op.pred, op.inputs)
            case scf.IfOp():
                self._choose(op, op.cond, ())
            case WhileOp() | scf.WhileOp():
                self._loop(op, *op.regions)
            case scf.ForOp():
                self._repeat(op, op.body, op.iter_args, op.body.block.args[1:])
            case ScanOp():
                self._repeat(op, op.body_region, op.carried, op.body_region.block.args[: op.carry_count])
            case _ if op.regions or op.successors:
                self._enter_all(op)
                for block in op.successors:
                    self._enter_freely(block)
                self._set(op.results, None)
            case _ if op.results:
                self._fold(op)
            case _:
                pass
        parent = op.parent_op()
        if op.next_op is None and isinstance(parent, CondOp | WhileOp | ScanOp | scf.IfOp | scf.WhileOp | scf.ForOp):
            self.visit(ProgramPoint.before(parent))

    # --- control flow -----------------------------------------------------------------------------

    def _call(self, call: CallOp) -> None:
        callee = next(reversed(self._tables.resolve(call, call.callee)), None)
        if not isinstance(callee, FuncOp) or callee.is_declaration:
            self._set(call.results, None)
            return
        self._enter(callee.body.blocks[0], call.arguments)
        for block in callee.body.blocks:
            if isinstance(end := block.last_op, ReturnOp) and self.is_live(block):
                self._flow(end.operands, call.results)

    def _choose(self, op: Operation, predicate: SSAValue, inputs: Sequence[SSAValue]) -> None:
        for taken, region in zip((True, False), op.regions, strict=True):
            if self._may_be(predicate, taken) and region.blocks:
                self._enter(region.block, inputs)
                self._flow(_yielded(region), op.results)

    def _loop(self, op: Operation, condition: Region, body: Region) -> None:
        self._enter(condition.block, op.operands)
        predicate, *carried = _yielded(condition)
        if self._may_be(predicate, True):
            self._enter(body.block, carried)
            self._flow(_yielded(body), condition.block.args)
        if self._may_be(predicate, False):
            self._flow(carried, op.results)

    def _repeat(self, op: Operation, body: Region, inits: Sequence[SSAValue], carried: Sequence[SSAValue]) -> None:
        """Propagates through a loop with any number of iterations. Arguments and results that are not carried vary."""
        self._set([arg for arg in body.block.args if arg not in carried], None)
        self._set(op.results[len(carried) :], None)
        self._enter(body.block, ())
        for values in (inits, _yielded(body)[: len(carried)]):
            self._flow(values, carried)
            self._flow(values, op.results[: len(carried)])

    def _may_be(self, predicate: SSAValue, wanted: bool) -> bool:
        known = self._known(predicate)
        match known.constant:
            case None:
                return known.reached
            case arith.ConstantOp(value=IntegerAttr() as value):
                return bool(value.value.data) == wanted
            case ptir.ConstantOp() as constant:
                return any(constant.value.data.data) == wanted
            case _:
                return True

    # --- liveness and values ----------------------------------------------------------------------

    def _enter_all(self, op: Operation) -> None:
        for region in op.regions:
            if region.blocks:
                self._enter_freely(region.blocks[0])

    def _enter_freely(self, block: Block) -> None:
        self._set(block.args, None)
        self._enter(block, ())

    def _enter(self, block: Block, values: Sequence[SSAValue]) -> None:
        """Marks the block as reachable, with `values` for its first arguments."""
        self._flow(values, block.args[: len(values)])
        if self.get_or_create_state(block, Executable).set_to_live().value:
            for op in block.ops:
                self.solver.enqueue((ProgramPoint.before(op), self))

    def _flow(self, values: Sequence[SSAValue], targets: Sequence[SSAValue]) -> None:
        for value, target in zip(values, targets, strict=True):
            if (known := self._known(value)).reached:
                self._set([target], known.constant)

    def _set(self, values: Iterable[SSAValue], constant: Operation | None) -> None:
        """Joins each value with the constant, or with varying if the constant is None or has another type."""
        for value in values:
            state = self._known(value)
            fits = constant is not None and constant.result_types == (value.type,)
            self.propagate_if_changed(state, state.add(constant if fits else None))

    def _known(self, value: SSAValue) -> Known:
        state = self.get_or_create_state(value, Known)
        state.use_def_subscribe(self)
        return state

    # --- folding ----------------------------------------------------------------------------------

    def _fold(self, op: Operation) -> None:
        if op.has_trait(ConstantLike, value_if_unregistered=False):
            return self._set(op.results, op)
        known = [self._known(operand) for operand in op.operands]
        if not all(k.reached for k in known):
            return None
        constants = [k.constant for k in known if k.constant is not None]
        if not constants or len(constants) < len(known) or not op.has_trait(Pure, value_if_unregistered=False):
            return self._set(op.results, None)
        copy = op.clone({old: new.results[0] for old, new in zip(op.operands, constants, strict=True)})
        folded = self._fold_ptir(copy) if op.dialect_name() == "ptir" else self._fold_other(copy, constants)
        for result, constant in zip(op.results, folded or [None] * len(op.results), strict=True):
            self._set([result], constant)
        copy.erase()
        return None

    def _fold_ptir(self, op: Operation) -> list[Operation] | None:
        write = Writer(op, Constants(FOLD_LIMIT))
        with suppress(Declined):
            constants = [v.owner for v in fold(op, write) if isinstance(v.owner, ptir.ConstantOp)]
            if len(constants) == len(op.results):
                return list(constants)
        write.drop()
        return None

    def _fold_other(self, op: Operation, constants: Sequence[Operation]) -> list[Operation] | None:
        is_shift = isinstance(op, arith.ShLIOp | arith.ShRSIOp | arith.ShRUIOp)
        if is_shift and not 0 <= _integer(constants[1]) < _width(op.results[0].type):
            return None  # the result is poison, but the interpreter would shift
        if (folded := Folder(self.solver.context).try_fold(op)) is not None:
            owners = [value.owner for value in folded[0]]
            ops = [o for o in owners if isinstance(o, Operation) and o.has_trait(ConstantLike)]
            return ops if len(ops) == len(owners) and all(map(_fits_index, ops)) else None
        try:
            args = tuple(self._interpreter.run_op(constant, ())[0] for constant in constants)
            results = self._interpreter.run_op(op, args)
        except (InterpretationError, ArithmeticError, AssertionError, ValueError):
            return None  # for a divisor of 0, the interpreter raises an AssertionError
        made: list[Operation] = []
        for type, value in zip(op.result_types, results, strict=True):
            if not isinstance(value, int) or not isinstance(type, IntegerType | IndexType):
                return None
            made.append(arith.ConstantOp.from_int_and_width(int(value), cast(IntegerType, type), truncate_bits=True))
        return made if all(map(_fits_index, made)) else None


def _integer(constant: Operation) -> int:
    """Returns the value of an integer constant, or -1 for other constants."""
    value = constant.properties.get("value")
    return value.value.data if isa(value, IntegerAttr) else -1


def _width(type: Attribute) -> int:
    return type.width.data if isa(type, IntegerType) else 64


def _fits_index(constant: Operation) -> bool:
    """Returns whether a constant of type `index` fits 64 bits, which xDSL does not ensure. Returns True for other types."""
    return not isinstance(constant.results[0].type, IndexType) or -(1 << 63) <= _integer(constant) < 1 << 63


def _yielded(region: Region) -> Sequence[SSAValue]:
    end = region.block.last_op
    return () if end is None else end.operands
