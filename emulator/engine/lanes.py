"""The active lanes of a step, and the registers."""

from __future__ import annotations

import numpy as np

from ..errors import UninitializedRegister
from ..isa.syntax import Kernel
from ..isa.types import BITS, Array
from ..violation import reject


class Lanes:
    """
    A subset of a batch's lanes, ascending. If it is all of them, `select` is a slice, so that registers are read and
    replaced as a whole instead of gathered and scattered.
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
        """Returns one flag per lane of the batch."""
        if self._mask is None:
            self._mask = np.zeros(self.total, np.bool_)
            self._mask[self.index] = True
        return self._mask

    @property
    def bits(self) -> Array:
        """Returns the active lanes of each warp of the batch as a 32-bit mask."""
        if self._bits is None:
            self._bits = warp_bits(self.mask)
        return self._bits

    def among(self, positions: Array) -> Lanes:
        """Returns the lanes at these positions (indices or flags)."""
        return Lanes(self.index[positions], self.total)


def warp_bits(mask: Array) -> Array:
    """Packs one flag per lane into one u32 per warp, lane 0 lowest."""
    return np.packbits(mask.reshape(-1, 32), axis=1, bitorder="little").view(np.uint32).reshape(-1)


_REMEMBERED = 1 << 16


class Registers:
    """
    The registers of one batch, as unsigned bits `[lanes]`, allocated at the first write.

    `_written[r]` holds the lanes that have a value: None (no lane), the `Lanes` of the last write (sufficient for
    straight-line code, compared by identity), or a mask. `_checked` caches reads that were checked. `versions[r]` counts
    writes.
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
        """Returns the lanes' values; raises a `Violation` if one is undefined."""
        written = self._written[register]
        if written is not lanes and written is not self._everyone:
            self._require(register, lanes, written)
        value = self._values[register]
        assert value is not None
        return value[lanes.select]

    def put(self, register: int, lanes: Lanes, value: Array) -> None:
        """Sets the lanes' values, in the register's own dtype. A full write keeps `value` itself."""
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
        """Copies a register (`mov`). Undefined values may be copied (phi nodes and shuffles do); using them is an error."""
        written = self._written[source]
        if written is lanes or written is self._everyone:
            value = self.get(source, lanes)
            self.put(target, lanes, value.copy() if lanes.full else value)
            return
        value, defined = self.peek(source, lanes)
        self.put(target, lanes, value.copy() if lanes.full else value)
        self.forget(target, lanes, ~defined)

    def peek(self, register: int, lanes: Lanes) -> tuple[Array, Array]:
        """Returns the lanes' values, and flags of those that are defined."""
        value = self._values[register]
        if value is None:
            return np.zeros(lanes.count, self._dtypes[register]), np.zeros(lanes.count, np.bool_)
        return value[lanes.select], self._flags(register)[lanes.select]

    def forget(self, register: int, lanes: Lanes, undefined: Array) -> None:
        """Marks the value of the `undefined` lanes as undefined."""
        if undefined.any():
            self._checked.clear()
            kept = self._flags(register).copy()
            kept[lanes.index[undefined]] = False
            self._written[register] = kept

    def digest(self, lanes: Array) -> int:
        """Returns a hash of all registers of these lanes."""
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
        reject(~good, UninitializedRegister, register=self._names[register])
        if len(self._checked) >= _REMEMBERED:
            self._checked.clear()
        self._checked.add((register, lanes))
