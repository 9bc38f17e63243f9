"""Which lanes execute a step, and the registers they execute it on."""

from __future__ import annotations

import numpy as np

from ..errors import UninitialisedRegister
from ..isa.syntax import Kernel
from ..isa.types import BITS, Array
from ..violation import Violation, first


class Lanes:
    """
    Some lanes of a batch, ascending. When they are all of them, `select` is a slice, and registers are
    read and replaced whole instead of gathered and scattered.
    """

    __slots__ = ("_bits", "_mask", "count", "full", "index", "select", "total")

    def __init__(self, index: Array, total: int):
        self.index = index
        self.count = int(index.size)
        self.total = total
        self.full = self.count == total
        self.select: slice | Array = slice(None) if self.full else index
        self._mask: Array | None = None
        self._bits: Array | None = None

    @property
    def mask(self) -> Array:
        """One flag for each lane of the batch."""
        if self._mask is None:
            self._mask = np.zeros(self.total, np.bool_)
            self._mask[self.index] = True
        return self._mask

    @property
    def bits(self) -> Array:
        """The active lanes of each warp as a 32-bit mask, `[warps of the batch]`."""
        if self._bits is None:
            self._bits = warp_bits(self.mask)
        return self._bits

    def among(self, positions: Array) -> Lanes:
        """Those of these lanes whose position is given (or flagged)."""
        return Lanes(self.index[positions], self.total)


def warp_bits(mask: Array) -> Array:
    """A flag a lane as one u32 a warp, lane 0 lowest."""
    return np.packbits(mask.reshape(-1, 32), axis=1, bitorder="little").view(np.uint32).reshape(-1)


_REMEMBERED = 1 << 16


class Registers:
    """
    The registers of one batch, as unsigned bits, `[lanes]` each, made when first written.

    `_written[r]` tells which lanes have a value: None (no lane), the `Lanes` of the last write (enough for
    straight-line code, compared by identity), or a mask; `_checked` are reads that it has been asked about.
    `versions[r]` counts its writes.
    """

    def __init__(self, kernel: Kernel, everyone: Lanes):
        self._names = list(kernel.registers)
        self._dtypes = [BITS[type_.bits] for type_ in kernel.registers.values()]
        self._values: list[Array | None] = [None] * len(self._names)
        self._written: list[Lanes | Array | None] = [None] * len(self._names)
        self.versions = [0] * len(self._names)
        self._checked: set[tuple[int, Lanes]] = set()
        self._everyone = everyone

    def get(self, register: int, lanes: Lanes) -> Array:
        """The lanes' values; a lane that was never given one is a `Violation`."""
        written = self._written[register]
        if written is not lanes and written is not self._everyone:
            self._require(register, lanes, written)
        value = self._values[register]
        assert value is not None
        return value[lanes.select]

    def put(self, register: int, lanes: Lanes, value: Array) -> None:
        """Set the lanes' values, in the register's own dtype. A full write keeps `value` itself."""
        self.versions[register] += 1
        if lanes.full:
            if value.shape != (lanes.count,):
                value = np.full(lanes.count, value)
            self._values[register] = value
            self._written[register] = self._everyone
            return
        old = self._values[register]
        if old is None:
            old = self._values[register] = np.zeros(lanes.total, self._dtypes[register])
        old[lanes.index] = value
        written = self._written[register]
        if written is None:
            self._written[register] = lanes
        elif written is not lanes and written is not self._everyone:
            if isinstance(written, Lanes):
                written = written.mask.copy()
            written[lanes.index] = True
            self._written[register] = written

    def copy(self, target: int, source: int, lanes: Lanes) -> None:
        """`mov`: an undefined value may be moved about (phi nodes and shuffles do), only its use is an error."""
        written = self._written[source]
        if written is lanes or written is self._everyone:
            value = self.get(source, lanes)
            self.put(target, lanes, value.copy() if lanes.full else value)
            return
        value, defined = self.peek(source, lanes)
        self.put(target, lanes, value.copy() if lanes.full else value)
        self.forget(target, lanes, ~defined)

    def peek(self, register: int, lanes: Lanes) -> tuple[Array, Array]:
        """The lanes' values, and which of them were ever given one."""
        value = self._values[register]
        if value is None:
            return np.zeros(lanes.count, self._dtypes[register]), np.zeros(lanes.count, np.bool_)
        return value[lanes.select], self._flags(register)[lanes.select]

    def forget(self, register: int, lanes: Lanes, undefined: Array) -> None:
        """The `undefined` ones of these lanes have no value."""
        if undefined.any():
            self._checked.clear()
            kept = self._flags(register).copy()
            kept[lanes.index[undefined]] = False
            self._written[register] = kept

    def digest(self, lanes: Array) -> int:
        """A number that stands for what all registers of these lanes hold."""
        return hash(tuple(0 if value is None else hash(value[lanes].tobytes()) for value in self._values))

    def _flags(self, register: int) -> Array:
        written = self._written[register]
        if written is None:
            return np.zeros(self._everyone.total, np.bool_)
        return written.mask if isinstance(written, Lanes) else written

    def _require(self, register: int, lanes: Lanes, written: Lanes | Array | None) -> None:
        if (register, lanes) in self._checked:
            return
        good = self._flags(register)[lanes.select]
        if self._values[register] is None or not good.all():
            raise Violation(UninitialisedRegister, first(~good), register=self._names[register])
        if len(self._checked) >= _REMEMBERED:
            self._checked.clear()
        self._checked.add((register, lanes))
