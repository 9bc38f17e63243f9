"""
Device memory: numpy arrays at emulated addresses, with checks on every access.

```
0x7c00_0000_0000  param     by-value parameters, when a kernel takes their address
0x7d00_0000_0000  local     one thread's stack
0x7e00_0000_0000  shared    one CTA's shared memory
0x7f00_0000_0000  global    buffers, as far from multiples of 256 as the arrays are from multiples of 16, with unmapped gaps between
```
An access beyond the end of an array therefore falls into a gap, never into another array (PTX ISA §5.1, state spaces).
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, Protocol, Self, cast

import numpy as np
import numpy.typing as npt

from ..errors import EmulatorFault, Misaligned, OutOfBounds, ReadOnlyMemory, UnbindableArray, UninitializedMemory
from ..isa.syntax import Module
from ..isa.types import CHUNK, Array
from ..violation import Violation, first, reject, relocated

PARAM_WINDOW = 0x7C00_0000_0000
LOCAL_WINDOW = 0x7D00_0000_0000
SHARED_WINDOW = 0x7E00_0000_0000
GLOBAL_WINDOW = 0x7F00_0000_0000
_VARIABLES = 0x7FF0_0000_0000  # apart from the arrays, so that a kernel's symbols do not depend on its arguments
_GAP = 1 << 16
_ALIGNMENT = 16
"""Width of the widest access in bytes. Rows of an array need not begin at multiples of it, which the emulator must see."""


def _address_space(size: int) -> int:
    """Returns the bytes of address space that an array of `size` bytes and the gap after it occupy."""
    return -(-size // _GAP) * _GAP + _GAP


class Buffer:
    """One array in device memory: its bytes, and a flag for each byte that has been written."""

    def __init__(self, name: str, base: int, data: npt.NDArray[np.uint8], readonly: bool, initialized: bool):
        self.name = name
        self.base = base
        self.size = data.size
        self.readonly = readonly
        self._data = data
        self._written = None if initialized else np.zeros(data.size, np.uint8)
        self._views: dict[tuple[bool, int], Array] = {}

    def _view(self, written: bool, size: int) -> Array:
        view = self._views.get((written, size))
        if view is None:
            base = self._written if written else self._data
            assert base is not None
            view = base[: base.size // size * size].view(CHUNK[size])
            self._views[written, size] = view
        return view

    def data(self, size: int) -> Array:
        """Returns the bytes as elements of `size` bytes; remaining bytes at the end are left out."""
        return self._view(False, size)

    def written(self, size: int) -> Array | None:
        """Returns flags of written bytes as elements of `size` bytes; None if all are written."""
        return None if self._written is None else self._view(True, size)

    def elements(self, addresses: Array, size: int) -> Array:
        """Returns the indices of the elements at these addresses in `data(size)`."""
        return ((addresses - np.uint64(self.base)) // np.uint64(size)).astype(np.int64)

    def __str__(self) -> str:
        return f"{self.name} [{self.base:#x}, {self.base + self.size:#x})"


class Watch(Protocol):
    """Detects races: a step reports its accesses to each buffer before they happen."""

    def among(self, positions: Array) -> Self: ...
    def read(self, buffer: Buffer, addresses: Array, size: int) -> None: ...
    def write(self, buffer: Buffer, addresses: Array, changed: Array, size: int, *, what: str = "store") -> None: ...
    def check_overwritten(self, addresses: Array, differs: Array) -> None: ...


def require_aligned(addresses: Array, size: int, align: int, access: str, space: str) -> None:
    wrong = addresses & addresses.dtype.type(align - 1)
    reject(wrong, Misaligned, access=access, size=size, space=space, address=addresses, align=align)


def require_inside(
    addresses: Array, size: int, stop: int, access: str, space: str, extent: str, begin: int = 0
) -> None:
    """Requires that the accesses of `size` bytes are between `begin` and `stop`; `extent` describes this range in a fault."""
    offsets = addresses.astype(np.int64, copy=False)
    outside = (offsets < begin) | (offsets + size > stop)
    reject(outside, OutOfBounds, access=access, size=size, space=space, address=addresses, extent=extent)


def require_written(flags: Array, addresses: Array, size: int, space: str) -> None:
    """Requires that all `size` bytes of each element are written; `flags` has a byte for each of them."""
    if size == 16:
        good = np.ascontiguousarray(flags).view(np.uint8).reshape(-1, 16).min(axis=1) != 0
    else:
        good = cast(Array, flags == int.from_bytes(b"\1" * size, "little"))
    if not good.all():
        reject(~good, UninitializedMemory, size=size, space=space, address=addresses)


def ones(size: int) -> npt.NDArray[Any]:
    """Returns the flags of one written element of `size` bytes."""
    return np.ones(size, np.uint8).view(CHUNK[size])


class Memory:
    """Global and constant memory. Arrays are used in place: kernels write to them directly."""

    def __init__(self):
        self._buffers: list[Buffer] = []
        self._bases: list[int] = []
        self._next = GLOBAL_WINDOW
        self._next_variable = _VARIABLES
        self._modules: dict[int, tuple[Module, dict[str, int]]] = {}
        self._recent: Buffer | None = None

    def bind(
        self, array: npt.NDArray[Any], *, readonly: bool = False, initialized: bool = True, name: str | None = None
    ) -> int:
        """
        Returns a device address for `array` (C-contiguous, any dtype), which is a multiple of 16 if the array's own address is. With
        `initialized=False`, an element must be stored before it is loaded. Raises `UnbindableArray`.
        """
        if not array.flags.c_contiguous:
            raise UnbindableArray(problem="it is not C-contiguous")
        if not readonly and not array.flags.writeable:
            raise UnbindableArray(problem="it is read-only and was not bound with readonly=True")
        data = array.reshape(-1).view(np.uint8)
        label = name or f"array {len(self._buffers)} ({array.dtype}{list(array.shape)})"
        base = self._next + data.ctypes.data % _ALIGNMENT
        self._next += _address_space(data.size + _ALIGNMENT)
        self._insert(Buffer(label, base, data, readonly, initialized))
        return base

    def _insert(self, buffer: Buffer) -> None:
        position = bisect_right(self._bases, buffer.base)
        self._bases.insert(position, buffer.base)
        self._buffers.insert(position, buffer)

    def bind_module(self, module: Module) -> dict[str, int]:
        """Returns the addresses of the module's `.global` and `.const` variables, which live as long as this memory."""
        known = self._modules.get(id(module))
        if known is None:
            symbols: dict[str, int] = {}
            for variable in module.variables:
                if variable.initial is None:
                    continue
                data = np.zeros(variable.size, np.uint8)
                data[: len(variable.initial)] = np.frombuffer(variable.initial, np.uint8)
                symbols[variable.name] = self._next_variable
                readonly = variable.space == "const"
                self._insert(Buffer(variable.name, self._next_variable, data, readonly, initialized=True))
                self._next_variable += _address_space(data.size)
            known = self._modules[id(module)] = (module, symbols)
        return known[1]

    def find(self, address: int) -> Buffer | None:
        """Returns the last buffer that starts at or before `address`, or None."""
        position = bisect_right(self._bases, address) - 1
        return self._buffers[position] if position >= 0 else None

    def load(self, addresses: Array, size: int, align: int, access: Watch | None = None) -> Array:
        """Loads `size` bytes (1, 2, 4, 8 or 16) at each address; `access` checks for races."""
        buffer = self._single(addresses, size, align, "read")
        if buffer is not None:
            return self._load(buffer, addresses, size, access)
        out = np.empty(addresses.size, CHUNK[size])
        for buffer, positions in self._groups(addresses, size, "read"):
            with relocated(positions):
                part = access.among(positions) if access else None
                out[positions] = self._load(buffer, addresses[positions], size, part)
        return out

    def store(self, addresses: Array, values: Array, size: int, align: int, access: Watch | None = None) -> None:
        """
        Stores `values` (elements of `size` bytes); where addresses coincide, the last lane wins. `access` checks for
        races.
        """
        buffer = self._single(addresses, size, align, "write")
        if buffer is not None:
            self._store(buffer, addresses, values, size, access)
            return
        for buffer, positions in self._groups(addresses, size, "write"):
            with relocated(positions):
                part = access.among(positions) if access else None
                self._store(buffer, addresses[positions], values[positions], size, part)

    def _load(self, buffer: Buffer, addresses: Array, size: int, access: Watch | None) -> Array:
        elements = buffer.elements(addresses, size)
        written = buffer.written(size)
        if written is not None:
            require_written(written[elements], addresses, size, "global")
        if access:
            access.read(buffer, addresses, size)
        return buffer.data(size)[elements]

    def atomic(self, addresses: Array, size: int, access: Watch) -> tuple[Array, Array]:
        """Returns the elements of the array that an atomic accesses, and the index of each lane's element."""
        buffer = self._single(addresses, size, size, "atomic")
        if buffer is None:
            self._groups(addresses, size, "atomic")
            raise Violation(EmulatorFault, 0, problem="one atomic instruction on several arrays is not executed")
        self._load(buffer, addresses, size, None)
        _require_writable(buffer, addresses, size)
        access.write(buffer, addresses, np.ones(addresses.size, np.bool_), size, what="atomic")
        return buffer.data(size), buffer.elements(addresses, size)

    def _store(self, buffer: Buffer, addresses: Array, values: Array, size: int, access: Watch | None) -> None:
        _require_writable(buffer, addresses, size)
        elements = buffer.elements(addresses, size)
        data = buffer.data(size)
        if access:
            access.write(buffer, addresses, data[elements] != values, size)
        data[elements] = values
        if access:
            access.check_overwritten(addresses, data[elements] != values)
        written = buffer.written(size)
        if written is not None:
            written[elements] = ones(size)

    def forget(self, addresses: Array, size: int) -> None:
        """Marks elements as not written, in buffers that record written bytes."""
        for address in addresses:
            buffer = self.find(int(address))
            if buffer is not None and (written := buffer.written(size)) is not None:
                written[buffer.elements(address, size)] = 0

    def _single(self, addresses: Array, size: int, align: int, access: str) -> Buffer | None:
        """Checks the alignment, and returns the buffer that contains all addresses, or None."""
        require_aligned(addresses, size, align, access, "global")
        if not addresses.size:
            return None
        low, high = int(addresses.min()), int(addresses.max())
        buffer = self._recent
        if buffer is None or not (buffer.base <= low and high + size <= buffer.base + buffer.size):
            buffer = self.find(low)
            if buffer is None or high + size > buffer.base + buffer.size:
                return None
            self._recent = buffer
        return buffer

    def _groups(self, addresses: Array, size: int, access: str) -> list[tuple[Buffer, Array]]:
        """Groups positions by buffer; raises a `Violation` if an address is in none."""
        if not addresses.size:
            return []
        bases = np.array(self._bases, np.uint64)
        ends = np.array([b.base + b.size for b in self._buffers], np.uint64)
        which = np.searchsorted(bases, addresses, side="right") - 1
        bad = which < 0
        if self._bases:
            bad |= (addresses > ends[which]) | (ends[which] - addresses < np.uint64(size))
        if bad.any():
            position = first(bad)
            address = int(addresses[position])
            near = self.find(address)
            extent = str(near) if near is not None and address < near.base + near.size + _GAP else "all memory"
            fields = {"access": access, "size": size, "space": "global", "address": address, "extent": extent}
            raise Violation(OutOfBounds, position, **fields)
        return [(self._buffers[int(i)], np.flatnonzero(which == i)) for i in np.unique(which)]


def _require_writable(buffer: Buffer, addresses: Array, size: int) -> None:
    if buffer.readonly:
        raise Violation(ReadOnlyMemory, 0, size=size, space="global", address=int(addresses[0]), extent=buffer)
