"""
The state of a program under construction: its values, the function's arguments, and the run-time sizes for `?` and names.

A row of the table of ops asks the maker for operands (`any_of`, `of_type`, `constant`, `indices`), builds its op with the
dialect's own constructor and passes it to `emit`. The sizes of each value at run time are known (`actual`), even if its type has
`?` or a name, so that operands can be chosen that match when the program runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ptir.dialects import ptir
from ptir.dialects.ptir.dims import Size, sizes, tensor_type
from ptir.text.literals import dense

from .dtypes import ATTRIBUTES, INDICES, NUMPY, spelling
from .values import bytes_of, small

EXTENTS = (1, 2, 3, 4, 5, 7)
RARE_EXTENTS = (0, 1, 1, 11, 13)
NAMES = ("B", "S", "T")


@dataclass(frozen=True)
class Options:
    """Options of random programs."""

    ops: frozenset[str] | None = None
    """Names of the allowed ops; None for all ops in the table."""
    dtypes: tuple[str, ...] = tuple(ATTRIBUTES)
    extensions: bool = True
    dynamic: float = 0.3
    """Fraction of functions that have dynamic sizes."""
    violations: float = 0.0
    """Probability that an index or a divisor is left unguarded."""
    length: tuple[int, int] = (1, 14)
    """Minimum and maximum number of ops of a function, approximately."""
    functions: int = 3
    """Maximum number of functions of a module."""
    max_rank: int = 5
    max_elements: int = 400
    reuse: float = 0.75
    """Probability that an operand is an existing value."""
    extents: tuple[int, ...] = EXTENTS
    """The sizes to draw from."""
    more_extents: tuple[int, ...] = (1, 2, 3)
    """The sizes to draw from for axes that an op adds to those of its operand."""
    empty: bool = True
    """Whether sizes may be 0."""
    max_literal: int = 400
    """Maximum number of elements of a literal; larger ones become arguments."""
    results: int = 6
    """Maximum number of results of a function, not counting one that is drawn from all values."""
    float8: float = 1.0
    """Fraction of functions that may have fp8 types."""
    packed: float = 0.0
    """Fraction of control flow and functions that take or return tuples."""
    closed: bool = False
    """Whether all values have types in `dtypes`, including accumulators, indices and predicates."""

    def allows(self, name: str) -> bool:
        return self.ops is None or name in self.ops


@dataclass
class Maker:
    """Builds one block. Nested regions have makers of their own, which share the function's arguments and sizes."""

    rng: Random
    options: Options
    block: Block
    names: dict[str, int]
    """The size of each name at run time."""
    args: list[SSAValue] | None
    """The function's arguments, to which new ones may be added; None in a region that is isolated from above."""
    values: list[SSAValue] = field(default_factory=list[SSAValue])
    shapes: dict[SSAValue, tuple[int, ...]] = field(default_factory=dict[SSAValue, tuple[int, ...]])
    """The sizes of each value at run time."""
    functions: list[Any] = field(default_factory=list[Any])
    """The functions before this one, with the sizes of their arguments and results."""
    depth: int = 0
    violated: bool = False
    """Whether a guard was left out, so that a run may end in an error."""
    few: tuple[str, ...] = ()
    """The types that the function uses where possible."""
    around: Maker | None = None
    """The maker of the enclosing region."""

    # --- operands -------------------------------------------------------------------------------

    def actual(self, value: SSAValue) -> tuple[int, ...]:
        """Returns the sizes of a value at run time."""
        return self.shapes[value]

    def dtype(self, *groups: Sequence[str]) -> str:
        """Returns one of the types in `groups`: one of the function's few types or, if none fits, one that the options allow."""
        admitted = [name for group in groups for name in group]
        for allowed in (self.few, self.options.dtypes, () if self.options.closed else admitted):
            if found := [name for name in admitted if name in allowed]:
                return self.rng.choice(found)
        raise NothingFits

    def open(self, names: Sequence[str]) -> list[str]:
        """Returns the types in `names` that accumulators, indices and other secondary operands and results may have."""
        return [n for n in names if not self.options.closed or n in self.options.dtypes]

    def shape(self, rank: int | None = None) -> tuple[int, ...]:
        """Returns a random shape with at most `max_elements` elements."""
        rng = self.rng
        rank = rng.choice(range(self.options.max_rank + 1)) if rank is None else rank
        while True:
            out = tuple(rng.choice(RARE_EXTENTS if rng.random() < 0.15 else self.options.extents) for _ in range(rank))
            if not self.options.empty:
                out = tuple(max(1, n) for n in out)
            if np.prod(out, dtype=int) <= self.options.max_elements:
                return out

    def any_of(
        self,
        *groups: Sequence[str],
        rank: range = range(6),
        static: bool = False,
        where: Callable[[SSAValue], bool] = bool,
    ) -> SSAValue:
        """Returns a value of one of these element types, mostly an existing one. Raises `NothingFits`."""
        names = {name for group in groups for name in group}
        found = [
            v
            for v in self.values
            if isinstance(v.type, TensorType)
            and spelling(v.type.element_type) in names
            and len(self.actual(v)) in rank
            and (not static or self.is_static(v))
            and (where is bool or where(v))
        ]
        if found and self.rng.random() < self.options.reuse:
            # Newer values are preferred, so that programs have long def-use chains.
            return self.rng.choice(found[len(found) // 2 :] if self.rng.random() < 0.6 else found)
        for _ in range(50):
            n = self.rng.choice([r for r in rank if r <= self.options.max_rank] or [min(rank)])
            value = self.fresh(self.dtype(*groups), self.shape(n), static=static)
            if where is bool or where(value):
                return value
        if found:
            return self.rng.choice(found)
        raise NothingFits

    def is_static(self, value: SSAValue) -> bool:
        return all(isinstance(s, int) for s in sizes(value))

    def like(self, value: SSAValue) -> SSAValue:
        """Returns a value of the same type and sizes."""
        return self.of_type(value.type, self.actual(value))

    def of_type(self, t: Attribute, actual: tuple[int, ...]) -> SSAValue:
        """Returns a value of exactly this type with these sizes."""
        found = [v for v in self.values if v.type == t and self.actual(v) == actual]
        if found and self.rng.random() < 0.7:
            return self.rng.choice(found)
        return self.fresh_of(t, actual)

    def tensor(self, dtype: str, shape: Sequence[int]) -> SSAValue:
        """Returns a value of this element type and static shape."""
        return self.of_type(TensorType(ATTRIBUTES[dtype], list(shape)), tuple(shape))

    def spell_sizes(self, shape: Sequence[int], static: bool = False) -> tuple[Size, ...]:
        """Returns the sizes of a type, in which some numbers are replaced by `?` or names."""
        if static or not self.names:
            return tuple(shape)
        out: list[Size] = []
        for n in shape:
            named = [name for name, size in self.names.items() if size == n]
            roll = self.rng.random()
            out.append(self.rng.choice(named) if named and roll < 0.6 else None if roll > 0.9 else n)
        return tuple(out)

    def named(self, shape: Sequence[int]) -> tuple[Size, ...]:
        """Like `spell_sizes`, but only with names in the types of the function's arguments, which are bound at run time."""
        top = self
        while top.around is not None:
            top = top.around
        bound = {s for a in top.args or () for s in sizes(a) if isinstance(s, str)}
        out: list[Size] = []
        for n in shape:
            names = sorted(name for name in bound if self.names[name] == n)
            out.append(self.rng.choice(names) if names and self.rng.random() < 0.5 else n)
        return tuple(out)

    def fresh(self, dtype: str, shape: Sequence[int], static: bool = False) -> SSAValue:
        """Returns a new argument or constant."""
        named = static or self.rng.random() < 0.4
        t = tensor_type(ATTRIBUTES[dtype], self.spell_sizes(shape, static=named))
        return self.fresh_of(t, tuple(shape))

    def fresh_of(self, t: Attribute, actual: tuple[int, ...]) -> SSAValue:
        assert isinstance(t, TensorType)
        static = DYNAMIC_INDEX not in t.get_shape()
        dtype = spelling(t.element_type)
        if self.args is not None and (not static or self.rng.random() < 0.7):
            return self.argument(t, actual)
        if not static:
            raise NothingFits
        count = np.prod(actual, dtype=int)
        if (count == 0 or count > self.options.max_literal) and self.args is not None:
            return self.argument(t, actual)
        return self.constant(dtype, small(self.rng, dtype, actual))

    def argument(self, t: Attribute, actual: tuple[int, ...]) -> SSAValue:
        """Adds an argument to the function."""
        assert self.args is not None
        entry = self.args[0].owner if self.args else self.block
        assert isinstance(entry, Block)
        value = entry.insert_arg(t, len(entry.args))
        self.args.append(value)
        return self.note(value, actual)

    def constant(self, dtype: str, array: Any) -> SSAValue:
        """Adds a literal with the elements of `array`."""
        array = np.asarray(array, NUMPY[dtype])
        t = TensorType(ATTRIBUTES[dtype], list(array.shape))
        attribute = dense(t, bytes_of(array))
        (value,) = self.emit(ptir.ConstantOp(attribute), array.shape)
        return value

    # --- indices --------------------------------------------------------------------------------

    def loose(self) -> bool:
        """Decides whether to leave out a guard, and records it."""
        if self.rng.random() < self.options.violations:
            top = self
            while top.around is not None:
                top = top.around
            top.violated = True
            return True
        return False

    def indices(self, limit: int, shape: Sequence[int], low: int = 0) -> SSAValue:
        """Returns indices in `[low, limit)`: a literal, or computed values that are clamped."""
        dtype = self.index_type()
        if limit <= low and np.prod(shape, dtype=int):
            raise NothingFits
        if self.loose():
            low, limit = low - 1, limit + 2
        rng = np.random.default_rng(self.rng.getrandbits(32))
        if self.rng.random() < 0.5 or not self.options.allows("ptir.clamp") or self.args is None:
            return self.constant(dtype, rng.integers(low, max(limit, low + 1), tuple(shape)))
        x = self.tensor(dtype, shape)
        least, most = (self.splat(dtype, n, shape) for n in (low, max(limit, low + 1) - 1))
        return self.emit(ptir.ClampOp(x, least, most), tuple(shape))[0]

    def index_type(self) -> str:
        """Returns an element type for indices."""
        found = self.open(INDICES)
        if not found:
            raise NothingFits
        return self.rng.choice(found)

    def splat(self, dtype: str, number: Any, shape: Sequence[int]) -> SSAValue:
        """Returns a literal whose elements are all the same number."""
        return self.constant(dtype, np.full(tuple(shape), number).astype(NUMPY[dtype]))

    def distinct(self, count: int, length: int, ordered: bool) -> list[int]:
        """Returns `length` different numbers below `count`."""
        found = self.rng.sample(range(count), length)
        return sorted(found) if ordered else found

    # --- ops ------------------------------------------------------------------------------------

    def emit(self, op: Operation, *shapes: Sequence[int]) -> tuple[SSAValue, ...]:
        """Appends an op. `shapes` are the sizes of its results at run time, by default those of their types."""
        if (
            op.name.startswith("ptir.") and not op.regions
        ):  # calls and regions need what is around them: the module is verified
            op.verify()
        self.block.add_op(op)
        for k, result in enumerate(op.results):
            if isinstance(result.type, TensorType):
                given = shapes[k] if k < len(shapes) else result.type.get_shape()
                self.note(result, tuple(given))
        return tuple(op.results)

    def note(self, value: SSAValue, actual: tuple[int, ...]) -> SSAValue:
        assert DYNAMIC_INDEX not in actual, f"the sizes of {value} must be given"
        self.values.append(value)
        self.shapes[value] = actual
        return value

    def child(self, block: Block, actuals: Sequence[tuple[int, ...]]) -> Maker:
        """Returns the maker of a nested region that uses only its block's arguments, which have these sizes."""
        out = Maker(
            self.rng, self.options, block, self.names, None, shapes=self.shapes, depth=self.depth + 1, few=self.few
        )
        out.around = self
        for value, actual in zip(block.args, actuals, strict=True):
            out.note(value, actual)
        return out


class NothingFits(Exception):
    """Raised if there are no operands for an op here; another op is tried instead."""
