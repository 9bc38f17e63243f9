"""The accesses between the ops of a program, and the elements of a producer that a tile reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from ...dialects.common.shapes import element
from ...targets.architectures import arch_named
from ...targets.mma import element_bytes
from ..errors import TooComplex, UnknownValue
from ..index import affine
from ..index.book import IndexBook, index_book
from ..index.describe import value_names
from ..index.linearize import product
from .footprint import Footprint, enumerated_footprint, footprint
from .ranges import Read
from .reads import Paths
from .tiling import Tile, Tiling, tiling

ValueRef = SSAValue | Operation | str
"""A value: itself, the op that computes it, or its name (`arg0, arg1, …`, `v0, v1, …` in program order)."""

MAX_OPERATIONS = 400_000
"""Limit on isl's operations for one query; they take one or two seconds."""

FEW_POINTS = 1 << 10
"""Limit on the points of a consumer that are enumerated before isl is used."""


class ProgramAccesses:
    """
    The accesses of ops in one block (those of `program`). They are composed, and their footprints are computed, on demand.
    Raises `TooComplex` after `max_operations` of isl.
    """

    def __init__(
        self,
        program: FuncOp | Iterable[Operation],
        arch: str = "sm80",
        *,
        max_operations: int = MAX_OPERATIONS,
    ):
        self.ops = tuple(program.body.block.ops if isinstance(program, FuncOp) else program)
        self.arch = arch_named(arch)
        self.book = index_book(program) if isinstance(program, FuncOp) else IndexBook(self.ops)
        self.paths = Paths(self.book, {op: k for k, op in enumerate(self.ops)})
        self.names = _names(self.ops)
        self.max_operations = max_operations
        self._values = {name: value for value, name in self.names.items()}
        self._reads: dict[tuple[SSAValue, SSAValue], tuple[Read, ...]] = {}
        self._footprints: dict[tuple[tuple[str, ...], Tiling], Footprint] = {}  # most layers of a network are alike

    def value(self, ref: ValueRef) -> SSAValue:
        """Resolves a reference. Raises `UnknownValue` if it is not in the program, or has no axes."""
        value = self._values.get(ref) if isinstance(ref, str) else ref
        if isinstance(value, Operation):
            value = value.results[0] if len(value.results) == 1 else None
        if value is not None and value in self.names and isinstance(value.type, TensorType):
            return value
        what = ref.name if isinstance(ref, Operation) else str(ref)
        where = ref if isinstance(ref, Operation) else None
        raise UnknownValue(where, name=what, names=", ".join(self._values))

    def tiling(self, consumer: SSAValue, tile: Tile) -> Tiling:
        info = self.book[consumer]
        return tiling(info.iteration, info.rank, tile)

    def reads(self, producer: SSAValue, consumer: SSAValue) -> tuple[Read, ...]:
        """Returns every path from the consumer back to the producer. Raises `NotAffine` and `TooComplex`."""
        key = (producer, consumer)
        if key not in self._reads:
            self._reads[key] = self.paths.reads(producer, consumer)
        return self._reads[key]

    def footprint(self, producer: SSAValue, consumer: SSAValue, tiles: Tiling) -> Footprint:
        """Returns the footprint of tiles in the producer, on all paths. Raises `NotAffine` and `TooComplex`."""
        with self.quota(producer, consumer):
            reads = self.reads(producer, consumer)
        key = (tuple(read.text for read in reads), tiles)
        if key not in self._footprints:
            try:
                self._footprints[key] = enumerated_footprint(reads, tiles, FEW_POINTS)
            except TooComplex:
                self._footprints[key] = self._by_isl(producer, consumer, tiles, reads)
        return self._footprints[key]

    def _by_isl(self, producer: SSAValue, consumer: SSAValue, tiles: Tiling, reads: Sequence[Read]) -> Footprint:
        """Returns the footprint by isl; if that is too complex, by enumerating points up to a higher limit."""
        try:
            with self.quota(producer, consumer):
                return footprint(reads, tiles)
        except TooComplex as isl_error:
            try:
                return enumerated_footprint(reads, tiles)
            except TooComplex:
                raise isl_error from None

    def quota(self, producer: SSAValue, consumer: SSAValue) -> AbstractContextManager[None]:
        return affine.quota(
            self.max_operations, f"the footprint of a tile of {self.names[consumer]} in {self.names[producer]}"
        )

    def depends(self, producer: SSAValue, consumer: SSAValue) -> bool:
        """Whether the consumer depends on the producer, directly or not."""
        return consumer in self.paths.dependents(producer, consumer)

    def edges(self) -> Iterator[tuple[SSAValue, SSAValue]]:
        """Yields the tensor operands of each op, without repetition, with each tensor result."""
        for op in self.ops:
            for result in op.results:
                if isinstance(result.type, TensorType):
                    for operand in dict.fromkeys(op.operands):
                        if isinstance(operand.type, TensorType):
                            yield operand, result

    def element_size(self, value: SSAValue) -> int:
        return element_bytes(element(value))

    def bytes_of(self, value: SSAValue) -> int | None:
        number, names = product([axis.size for axis in self.book[value].axes])
        return None if names else number * self.element_size(value)

    @staticmethod
    def owner(value: SSAValue) -> Operation | None:
        return value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()


def _names(ops: Sequence[Operation]) -> dict[SSAValue, str]:
    """Returns the names in the enclosing function; outside of a function, operands and results are numbered in order."""
    around = ops[0].parent_op() if ops else None
    if isinstance(around, FuncOp):
        return value_names(around)
    results = [result for op in ops for result in op.results]
    outside = dict.fromkeys(operand for op in ops for operand in op.operands if operand not in results)
    return {v: f"arg{k}" for k, v in enumerate(outside)} | {v: f"v{k}" for k, v in enumerate(results)}
