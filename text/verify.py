"""
Verifies a whole module and reports every failing operation in program order.

xDSL's own `module.verify()` stops at the first failure, prints the whole module into the exception and does not check
dominance. Here one walk verifies each operation and checks that the definition of each operand dominates the use. For nearly
all uses two set look-ups suffice:

    func.func @f(%a) {        open:  the blocks around the current operation
      %b = …                  past:  the operations that were visited completely, with their regions
      scf.if … {
        use %a, %b            ◀── %a is an argument of an open block; %b is past and in an open block: both dominate
      }
    }

The dominator tree decides uses across the blocks of a region with several blocks.

As in MLIR, but unlike in xDSL, the encodings of tensor types, the discardable attributes and the bytes of literals are verified
too. The size equalities that ops imply must not contradict each other (`known_sizes.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from pkgutil import resolve_name
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    NoneAttr,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    TupleType,
    UnregisteredOp,
)
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Block, ErasedSSAValue, Operation, Region, SSAValue
from xdsl.parser.core import ForwardDeclaredValue
from xdsl.traits import IsolatedFromAbove, IsTerminator, NoTerminator, OpTrait, SymbolTable
from xdsl.utils.exceptions import VerifyException

from ..errors import PtirError, message_of
from .dominators import Dominators
from .errors import (
    NestedTooDeeply,
    RedefinedSymbol,
    SeesOutside,
    UseBeforeDefinition,
    VerificationFailed,
    VerifierCrashed,
)
from .known_sizes import KNOWN, KnownSizes
from .literals import require_elements
from .verified import VERIFIED, verify_once

_ATTRIBUTES: Mapping[str, str] = {
    "ptir.spec_version": "ptir.dialects.ptir.module:verify_spec_version",
    "ptir.extensions": "ptir.dialects.ptir.module:verify_extensions",
    "ptir.entry": "ptir.dialects.ptir.module:verify_entry",
    "ptir.strict_floats": "ptir.dialects.tiny.strict:verify_strict_floats",
    "ptir.signature": "ptir.dialects.ptir.packed:verify_signature",
}
"""The verifiers of discardable attributes by name: functions of the operation and the attribute's value."""

_UPSTREAM: Mapping[str, str] = {
    "scf.if": "ptir.text.control_flow:verify_if",
    "scf.while": "ptir.text.control_flow:verify_while",
}
"""Further verifiers of xDSL's operations, by name."""

_GRAPH_REGIONS = frozenset({"builtin.module", "hw.module", "irdl.operation", "pdl.pattern"})
"""Operations with graph regions, in which dominance is not required."""


def verify_module(module: Operation, *, when: str = "") -> None:
    """Raises `VerificationFailed` with every failing operation under `module`; `when` is appended to its message."""
    if failures := find_failures(module):
        raise VerificationFailed(failures, when)


def find_failures(module: Operation) -> list[tuple[Operation, Exception]]:
    """Returns the operations under `module` that do not verify, each with its error, in program order."""
    return _Walk().run(module)


class _Walk:
    """One verification. An explicit stack allows any depth of regions."""

    def __init__(self) -> None:
        self.failures: list[tuple[Operation, Exception]] = []
        self._open: set[int] = set()
        self._past: set[int] = set()
        self._found: dict[int, list[PtirError]] = {}
        """Errors of operations that the walk has not reached yet, by operation."""
        self._trees: dict[int, Dominators] = {}
        self._symbols: dict[int, dict[str, Operation]] = {}
        """For each symbol table, its operations by symbol."""
        self._sizes = KnownSizes()

    def run(self, module: Operation) -> list[tuple[Operation, Exception]]:
        sizes, verified = KNOWN.set(self._sizes), VERIFIED.set(set())
        try:
            return self._run(module)
        finally:
            KNOWN.reset(sizes)
            VERIFIED.reset(verified)

    def _run(self, module: Operation) -> list[tuple[Operation, Exception]]:
        self._verify(module)
        stack = [self._inside(module)]
        while stack:
            if (op := next(stack[-1], None)) is None:
                stack.pop()
                continue
            self._verify(op)
            if op.regions:
                stack.append(self._inside(op))
            else:
                self._past.add(id(op))
        # A verifier may crash because it inspects another operation that is invalid: then only that operation is reported.
        return [f for f in self.failures if not isinstance(f[1], VerifierCrashed)] or self.failures

    def _inside(self, op: Operation) -> Iterator[Operation]:
        """Yields the operations directly inside `op`, and then adds `op` to `past`."""
        function = isinstance(op, FuncOp)
        for region in op.regions:
            for block in region.blocks:
                self._open.add(id(block))
                with self._sizes.block(new_function=function):
                    yield from block.ops
                self._open.remove(id(block))
        self._past.add(id(op))

    def _verify(self, op: Operation) -> None:
        self.failures += ((op, error) for error in self._found.pop(id(op), ()))
        try:
            _verify_structure(op)
            _verify_types(op)
            _verify_literals(op)
            if op.attributes:
                _verify_attributes(op)
            if not (_has_trait(type(op), SymbolTable) and self._note_redefinitions(op)):
                self._verify_rules(op)
        except VerifyException as e:
            if not ("IsolatedFromAbove" in message_of(e) and self._note_outside_values(op)):
                self.failures.append((op, e))
        except RecursionError:
            self.failures.append((op, NestedTooDeeply(op, what="verify")))
        except Exception as e:
            crash = VerifierCrashed(op, name=op.name, reason=f"{type(e).__name__}: {e}")
            crash.__cause__ = e
            self.failures.append((op, crash))
        else:
            self._verify_uses(op)

    def _verify_rules(self, op: Operation) -> None:
        """
        Runs the operation's own verifier, except for `func.call`: xDSL requires exactly the types of the callee's signature, but
        here a call may also give sizes to its dynamic dimensions.
        """
        if not (
            isinstance(op, CallOp) and resolve_name("ptir.dialects.ptir.signatures:is_instance")(op, self._callee(op))
        ):
            if (rule := _UPSTREAM.get(op.name)) is not None:
                resolve_name(rule)(op)
            verify_once(op)

    def _callee(self, call: CallOp) -> Operation | None:
        """Looks up the callee in constant time. (xDSL searches linearly.)"""
        name, table = call.properties.get("callee"), call.parent_op()
        if not isinstance(name, SymbolRefAttr):
            return None
        while table is not None and not _has_trait(type(table), SymbolTable):
            table = table.parent_op()
        if id(table) not in self._symbols or name.nested_references.data:
            return SymbolTable.lookup_symbol(call, name)
        return self._symbols[id(table)].get(name.root_reference.data)

    def _note_redefinitions(self, table: Operation) -> bool:
        """Records errors at redefined symbols, since the verifier of `table` reports no location. Returns whether any exist."""
        first = self._symbols[id(table)] = dict[str, Operation]()
        redefined = False
        for op in (op for region in table.regions for block in region.blocks for op in block.ops):
            name = op.get_attr_or_prop("sym_name")
            if isinstance(name, StringAttr) and first.setdefault(name.data, op) is not op:
                notes = [(first[name.data], "first defined here")]
                self._found.setdefault(id(op), []).append(RedefinedSymbol(op, name=name.data, notes=notes))
                redefined = True
        return redefined

    def _note_outside_values(self, isolated: Operation) -> bool:
        """Records errors at uses of outside values in `isolated`: xDSL reports no location. Returns whether any exist."""
        inside: set[int] = set()
        uses: list[tuple[Operation, int, SSAValue]] = []
        stack = [isolated]
        while stack:
            for region in stack.pop().regions:
                for block in region.blocks:
                    inside.add(id(block))
                    for op in block.ops:
                        uses += ((op, index, operand) for index, operand in enumerate(op.operands))
                        if not _has_trait(type(op), IsolatedFromAbove):
                            stack.append(op)
        found = False
        for op, index, value in uses:
            owner = value.owner
            home, definition = (owner, owner.parent_op()) if isinstance(owner, Block) else (owner.parent, owner)
            if id(home) not in inside:
                error = SeesOutside(op, index=index, name=isolated.name, notes=[(definition, "defined here")])
                self._found.setdefault(id(op), []).append(error)
                found = True
        return found

    def _verify_uses(self, op: Operation) -> None:
        for index, operand in enumerate(op._operands):  # pyright: ignore[reportPrivateUsage]
            if isinstance(operand, ForwardDeclaredValue):  # the parser's placeholder: the definition is inside of `op`
                self.failures.append((op, UseBeforeDefinition(op, index=index)))
                continue
            owner = operand.owner
            if isinstance(owner, Block):
                dominates = id(owner) in self._open
            else:
                dominates = id(owner) in self._past and id(owner.parent) in self._open
            if not dominates and not self._dominates(operand, op):
                definition = owner.parent_op() if isinstance(owner, Block) else owner
                error = UseBeforeDefinition(op, index=index, notes=[(definition, "defined here")])
                self.failures.append((op, error))

    def _dominates(self, value: SSAValue, user: Operation) -> bool:
        """Whether `value` dominates `user`. Called if the two look-ups did not decide."""
        owner = value.owner
        home = owner if isinstance(owner, Block) else owner.parent
        if home is None or (region := home.parent) is None or user.parent is None:
            return False
        block = region.find_ancestor_block_in_region(user.parent)
        if block is None or _is_graph(region):
            return block is not None
        if id(region) not in self._trees:
            self._trees[id(region)] = Dominators(region)
        return block is not home and self._trees[id(region)].dominates(home, block)


@cache
def _has_trait(op_type: type[Operation], trait: type[OpTrait]) -> bool:
    return op_type.has_trait(trait)


def _verify_types(op: Operation) -> None:
    """Verifies the types of the values that `op` defines, and those in its properties."""
    arguments = (argument for region in op.regions for block in region.blocks for argument in block.args)
    _verify_each((value.type for value in chain(op.results, arguments)), op)
    _verify_each(op.properties.values(), op)


def _verify_each(types: Iterable[Attribute], op: Operation) -> None:
    for t in types:
        if isinstance(t, TensorType):
            if (
                type(t.encoding) is not NoneAttr
                and (verify := getattr(t.encoding, "verify_encoding", None)) is not None
            ):
                verify(t, op)
        elif isinstance(t, TupleType):
            _verify_each(t.types, op)
        elif isinstance(t, FunctionType):
            _verify_each((*t.inputs, *t.outputs), op)


def _verify_literals(op: Operation) -> None:
    for name, value in chain(op.properties.items(), op.attributes.items()):
        for literal in _literals(value):
            require_elements(literal, name, op)


def _literals(value: Attribute) -> Iterator[DenseIntOrFPElementsAttr]:
    """Yields the literals in an attribute, nested ones included."""
    if isinstance(value, DenseIntOrFPElementsAttr):
        yield cast("DenseIntOrFPElementsAttr", value)
    elif isinstance(value, ArrayAttr):
        for inner in cast("ArrayAttr[Attribute]", value):
            yield from _literals(inner)
    elif isinstance(value, DictionaryAttr):
        for inner in value.data.values():
            yield from _literals(inner)


def _verify_attributes(op: Operation) -> None:
    for name, value in op.attributes.items():
        if (verify := _ATTRIBUTES.get(name)) is not None:
            resolve_name(verify)(op, value)


def _verify_structure(op: Operation) -> None:
    """
    Checks what `Operation.verify` checks before it calls `verify_`.

    `Operation.verify(verify_nested_ops=False)` is not used because it prints the top-level operation into the exception
    whenever `verify_` fails.
    """
    for operand in op._operands:  # pyright: ignore[reportPrivateUsage]
        if isinstance(operand, ErasedSSAValue):
            raise VerifyException("uses a value whose definition was erased")
    block = op.parent
    region = None if block is None else block.parent
    if op._successors:  # pyright: ignore[reportPrivateUsage]
        if block is None or region is None:
            raise VerifyException("has successors but is not in a block")
        if block.last_op is not op:
            raise VerifyException("has successors but does not end its block")
        for successor in op.successors:
            if successor.parent is not region:
                raise VerifyException("branches to a block of another region")
    if block is not None and region is not None and block.last_op is op:
        parent = region.parent
        no_terminator = parent is None or _has_trait(type(parent), NoTerminator)
        one_block = region.first_block is region.last_block
        if (not one_block or not no_terminator) and not _has_trait(type(op), IsTerminator):
            raise VerifyException("ends its block but is not a terminator, such as func.return")
    if op.regions and not _has_trait(type(op), NoTerminator):
        for region in op.regions:
            entry = region.first_block
            if entry is not None and entry is region.last_block and entry.first_op is None:
                raise VerifyException("has an empty block where a terminator is expected")


def _is_graph(region: Region) -> bool:
    parent = region.parent
    return parent is None or isinstance(parent, ModuleOp | UnregisteredOp) or parent.name in _GRAPH_REGIONS
