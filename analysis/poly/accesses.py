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
"""Maximum number of isl operations for one query; they take one or two seconds."""

FEW_POINTS = 1 << 14
"""Maximum number of iteration points for which a footprint is enumerated; with more, isl computes it."""


class ProgramAccesses:
    """
    The accesses between the ops of `program`, all in one block. Compositions and footprints are computed on demand. A query
    raises `TooComplex` after `max_operations` isl operations.
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
        # Footprints by the text of the reads, because most layers of a network have equal reads.
        self._footprints: dict[tuple[tuple[str, ...], Tiling], Footprint] = {}

    def value(self, ref: ValueRef) -> SSAValue:
        """Returns the value that `ref` refers to. Raises `UnknownValue` if it is not a tensor of the program."""
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
        """Returns one read for every path from the consumer back to the producer. Raises `NotAffine` and `TooComplex`."""
        key = (producer, consumer)
        if key not in self._reads:
            self._reads[key] = self.paths.reads(producer, consumer)
        return self._reads[key]

    def footprint(self, producer: SSAValue, consumer: SSAValue, tiles: Tiling) -> Footprint:
        """Returns the elements of the producer that `tiles` of the consumer read, on all paths. Raises `NotAffine`, `TooComplex`."""
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
        """Computes a footprint with isl or, if that is too complex, by enumeration with a higher limit on points."""
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
        """Yields the pairs of a tensor operand and a tensor result of each op, without repetition."""
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
    """Returns the names that values have in the enclosing function; without one, operands and results are numbered in order."""
    around = ops[0].parent_op() if ops else None
    if isinstance(around, FuncOp):
        return value_names(around)
    results = [result for op in ops for result in op.results]
    outside = dict.fromkeys(operand for op in ops for operand in op.operands if operand not in results)
    return {v: f"arg{k}" for k, v in enumerate(outside)} | {v: f"v{k}" for k, v in enumerate(results)}
