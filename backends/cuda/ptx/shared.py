"""
Shared memory of a batch of CTAs: bytes, bounds, first writes, copies in flight, races, bank conflicts.

The shadow has one entry per granule (4 bytes; less in kernels with narrower accesses): who wrote last and at
which clock, when each warp read last, whether a `cp.async` to it is in flight. Two accesses of different
threads, one of them a write, must be ordered by `Clocks`; writes of equal bytes are let pass.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from ..errors import Misaligned, OutOfBounds, PendingCopy, SharedRace, UninitialisedMemory
from .clocks import Clocks
from .memory import all_written, ones
from .types import CHUNK, Array
from .violation import Violation, first

BASE = 1024
"""Shared addresses start here, so that a swizzle on absolute addresses is not right by accident."""

_WHOLE_WARP = -1


class SharedMemory:
    """`size` bytes for each of `ctas` CTAs of `warps` warps (32 lanes each)."""

    def __init__(self, ctas: int, warps: int, size: int, granule: int, clocks: Clocks):
        self.size = size
        self.stride = max(16, -(-size // 16) * 16)
        self.granule = granule
        self._clocks = clocks
        self._warps = warps
        total = ctas * self.stride
        self._data = np.zeros(total, np.uint8)
        self._written = np.zeros(total, np.uint8)
        granules = total // granule
        self._writer = np.full(granules, -1, np.int32)
        self._write_clock = np.full(granules, -1, np.int32)
        self._atomic = np.zeros(granules, np.bool_)
        self._pending = np.zeros(granules, np.bool_)
        self._reader = np.full(granules, -2, np.int32)
        self._read_clock = np.full((granules, warps), -1, np.int32)
        self._lane_base = (np.arange(ctas * warps * 32) // (warps * 32)) * self.stride - BASE

    def load(self, lanes: Array, addresses: Array, size: int, align: int, *, collective: bool = False) -> Array:
        """`size` bytes a lane. `collective`: the warp reads as one (ldmatrix)."""
        flat = self._place(lanes, addresses, size, align, "read")
        if not size:
            return np.empty(lanes.size, CHUNK[16])
        good = all_written(self._written.view(CHUNK[size])[flat // size], size)
        granules = self._granules(flat, size)
        owners = lanes[:, None]
        self._check_pending(granules, addresses, "read")
        if not good.all():
            position = first(~good)
            raise Violation(UninitialisedMemory, position, size=size, space="shared", address=int(addresses[position]))
        self._check_writer(granules, owners, addresses, "read")
        warps = owners // 32
        self._read_clock[granules, warps % self._warps] = self._clocks.now(warps)
        self._reader[granules] = _WHOLE_WARP if collective else owners
        return self._data.view(CHUNK[size])[flat // size]

    def store(self, lanes: Array, addresses: Array, values: Array, size: int, align: int) -> None:
        """Store elements of `size` bytes."""
        flat = self._place(lanes, addresses, size, align, "write")
        granules = self._granules(flat, size)
        owners = lanes[:, None]
        elements = flat // size
        data = self._data.view(CHUNK[size])
        self._check_pending(granules, addresses, "write")
        changed = cast(Array, data[elements] != values)
        if changed.any():
            self._check_writer(granules[changed], owners[changed], addresses[changed], "write", changed)
        self._check_readers(granules, owners, addresses)
        data[elements] = values
        self._written.view(CHUNK[size])[elements] = ones(size)
        self._claim(granules, owners)
        differs = data[elements] != values
        if differs.any():
            position = first(differs)
            self._race(position, "write-write", "write", addresses, int(self._writer[granules[position, 0]]))

    def update(self, lanes: Array, addresses: Array, size: int) -> Array:
        """Check an atomic on each address and mark it; the elements' indices in `data(size)`."""
        flat = self._place(lanes, addresses, size, size, "atomic")
        granules = self._granules(flat, size)
        owners = lanes[:, None]
        self._check_pending(granules, addresses, "atomic")
        good = all_written(self._written.view(CHUNK[size])[flat // size], size)
        if not good.all():
            position = first(~good)
            raise Violation(UninitialisedMemory, position, size=size, space="shared", address=int(addresses[position]))
        plain = self._atomic[granules].min(axis=1) == 0
        self._check_writer(granules[plain], owners[plain], addresses[plain], "atomic", plain)
        self._check_readers(granules, owners, addresses)
        self._claim(granules, owners)
        self._atomic[granules] = True
        return flat // size

    def data(self, size: int) -> Array:
        """All CTAs' bytes as elements of `size` bytes."""
        return self._data.view(CHUNK[size])

    def begin_copy(self, lanes: Array, addresses: Array, size: int) -> Array:
        """A cp.async of `size` bytes a lane is issued: from here on nobody may touch its destination."""
        flat = self._place(lanes, addresses, size, size, "cp.async")
        granules = self._granules(flat, size)
        owners = lanes[:, None]
        self._check_pending(granules, addresses, "write")
        self._check_writer(granules, owners, addresses, "cp.async")
        self._check_readers(granules, owners, addresses)
        self._claim(granules, owners)
        clash = (self._writer[granules] != owners).any(axis=1)
        if clash.any():
            position = first(clash)
            self._race(position, "write-write", "cp.async", addresses, int(self._writer[granules[position, 0]]))
        self._pending[granules] = True
        return flat

    def finish_copy(self, lanes: Array, flat: Array, values: Array, size: int) -> None:
        """The issuing threads waited: their data is there, for them and for who synchronises with them."""
        self._data.view(CHUNK[size])[flat // size] = values
        self._written.view(CHUNK[size])[flat // size] = ones(size)
        granules = self._granules(flat, size)
        self._pending[granules] = False
        self._claim(granules, lanes[:, None])

    # --- the shadow --------------------------------------------------------------------------------

    def _place(self, lanes: Array, addresses: Array, size: int, align: int, access: str) -> Array:
        """Positions in `_data`, after the checks of bounds and alignment."""
        offsets = addresses.astype(np.int64)
        bad = (offsets < BASE) | (offsets + size > BASE + self.size)
        if bad.any():
            position = first(bad)
            raise Violation(
                OutOfBounds,
                position,
                access=access,
                size=size,
                space="shared",
                address=int(addresses[position]),
                extent=f"the CTA's shared memory [{BASE:#x}, {BASE + self.size:#x})",
            )
        wrong = offsets & (align - 1)
        if wrong.any():
            position = first(wrong != 0)
            raise Violation(
                Misaligned,
                position,
                access=access,
                size=size,
                space="shared",
                address=int(addresses[position]),
                align=align,
            )
        return offsets + self._lane_base[lanes]

    def _granules(self, flat: Array, size: int) -> Array:
        """The granules each access touches, `[lanes, granules]`."""
        start = (flat // self.granule)[:, None]
        count = size // self.granule
        return start if count <= 1 else start + np.arange(count)

    def _claim(self, granules: Array, owners: Array) -> None:
        self._writer[granules] = owners
        self._write_clock[granules] = self._clocks.now(owners // 32)
        self._atomic[granules] = False

    def _check_pending(self, granules: Array, addresses: Array, access: str) -> None:
        bad = self._pending[granules]
        if bad.any():
            position = first(bad)
            raise Violation(PendingCopy, position, access=access, address=int(addresses[position]))

    def _check_writer(
        self, granules: Array, owners: Array, addresses: Array, access: str, among: Array | None = None
    ) -> None:
        """The last write of another thread must happen before this access. `among` selected the lanes."""
        writers = self._writer[granules]
        seen = self._clocks.seen[owners // 32, (writers // 32) % self._warps]
        bad = (seen <= self._write_clock[granules]) & (writers != owners)
        if bad.any():
            position = first(bad)
            lane = position if among is None else int(np.flatnonzero(among)[position])
            kind = "write-read" if access == "read" else "write-write"
            self._race(lane, kind, access, addresses[position:], int(writers[bad][0]), shifted=lane)

    def _check_readers(self, granules: Array, owners: Array, addresses: Array) -> None:
        """All reads by other threads must happen before this write."""
        warps = owners // 32
        bad = self._clocks.seen[warps] <= self._read_clock[granules]
        if not bad.any():
            return
        readers = self._reader[granules]
        own = np.arange(self._warps) == (warps % self._warps)[..., None]
        bad &= ~(own & ((readers == owners) | (readers == _WHOLE_WARP))[..., None])
        if bad.any():
            position, _, warp = (int(i[0]) for i in np.nonzero(bad))
            reader = int(readers[bad.any(axis=2)][0])
            if reader < 0 or reader // 32 % self._warps != warp:
                reader = warp * 32
            self._race(position, "read-write", "write", addresses, reader)

    def _race(
        self, position: int, kind: str, access: str, addresses: Array, other: int, shifted: int | None = None
    ) -> None:
        address = int(addresses[0 if shifted is not None else position])
        thread = int(other) % (self._warps * 32)
        raise Violation(SharedRace, position, kind=kind, access=access, address=address, other=thread)


def excess_wavefronts(lanes: Array, addresses: Array, size: int) -> int:
    """
    Bank conflicts of one access by these lanes: wavefronts beyond the ideal, summed over warps.

    32 banks of 4 bytes; an access of 8 (16) bytes runs in phases of 16 (8) lanes; lanes that want the same
    word share it.
    """
    ways = 32 if size <= 4 else 128 // size
    unit = max(size, 4)
    words = addresses.astype(np.int64) // unit
    slots = (lanes // ways) * ways + words % ways
    if np.bincount(slots).max() <= 1:
        return 0
    depth = np.bincount(np.unique((slots << 24) | (words & 0xFFFFFF)) >> 24)
    depth = np.pad(depth, (0, -depth.size % ways)).reshape(-1, ways).max(axis=1)
    return int(np.maximum(depth - 1, 0).sum())
