"""Loads and stores in all state spaces, scalars and vectors (PTX ISA §9.7.9)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import counted
from ..engine.lanes import Lanes
from ..engine.machine import Machine, Part
from ..isa.decode import Decoder, Reader, Step, Writer, registers
from ..isa.syntax import Address, Instruction, Symbol
from ..isa.types import CHUNK, SCALARS, Array
from ..sync.races import GlobalRaces
from ..violation import Violation, relocated
from . import memory
from .memory import ones, require_aligned, require_inside, require_written
from .shared import SharedMemory

FAR = "shared::cluster"
"""The state space of the shared memory of all CTAs of a cluster, which includes generic shared addresses."""
SPACES = ("param", "global", "shared", "local", "const")
_STRONG = ("acquire", "release", "relaxed", "volatile")
"""Modifiers of strong accesses, which do not race with each other; volatile is treated as relaxed."""


class LocalMemory(Part):
    """`size` bytes of stack per lane."""

    def __init__(self, m: Machine):
        super().__init__(m)
        self.size = max(16, -(-m.program.local_bytes // 16) * 16)
        self._data = np.zeros(m.lane_count * self.size, np.uint8)
        self._written = np.zeros(m.lane_count * self.size, np.uint8)

    def _elements(self, lanes: Array, addresses: Array, size: int, align: int, access: str) -> Array:
        require_inside(addresses, size, self.size, access, "local", f"the thread's {self.size} bytes of local memory")
        require_aligned(addresses, size, align, access, "local")
        return (addresses.astype(np.int64) + lanes * self.size) // size

    def load(self, lanes: Array, addresses: Array, size: int, align: int) -> Array:
        elements = self._elements(lanes, addresses, size, align, "read")
        require_written(self._written.view(CHUNK[size])[elements], addresses, size, "local")
        return self._data.view(CHUNK[size])[elements]

    def store(self, lanes: Array, addresses: Array, values: Array, size: int, align: int) -> None:
        elements = self._elements(lanes, addresses, size, align, "write")
        self._data.view(CHUNK[size])[elements] = values
        self._written.view(CHUNK[size])[elements] = ones(size)


# --- accesses in any space -------------------------------------------------------------------------


def load(
    m: Machine, lanes: Lanes, space: str, addresses: Array, size: int, align: int, *, strong: bool = False
) -> Array:
    """Loads `size` bytes per lane from `space` ('' is generic)."""
    if space == "global":
        m.count_global(lanes.index, addresses, size, "global_load")
        return m.memory.load(addresses, size, align, m.part(GlobalRaces).access(lanes, strong=strong))
    if space == "const":
        return m.memory.load(addresses, size, align)
    if space in ("shared", FAR):
        m.count_shared(lanes.index, addresses, size, "shared_load")
        return m.part(SharedMemory).load(lanes.index, addresses, size, align, far=space == FAR)
    if space == "local":
        return m.part(LocalMemory).load(lanes.index, addresses, size, align)
    if space == "param":
        return m.load_parameter(addresses, size)
    out = np.empty(lanes.count, CHUNK[size])
    for where, window, positions in _route(addresses):
        with relocated(positions):
            at = addresses[positions] - window
            out[positions] = load(m, lanes.among(positions), where, at, size, align, strong=strong)
    return out


def store(
    m: Machine,
    lanes: Lanes,
    space: str,
    addresses: Array,
    values: Array,
    size: int,
    align: int,
    *,
    strong: bool = False,
) -> None:
    """Stores elements of `size` bytes to `space`."""
    if space in ("global", "const"):
        m.count_global(lanes.index, addresses, size, "global_store")
        m.memory.store(addresses, values, size, align, m.part(GlobalRaces).access(lanes, strong=strong))
    elif space in ("shared", FAR):
        m.count_shared(lanes.index, addresses, size, "shared_store")
        m.part(SharedMemory).store(lanes.index, addresses, values, size, align, far=space == FAR)
        m.polling.changed()
    elif space == "local":
        m.part(LocalMemory).store(lanes.index, addresses, values, size, align)
    else:
        for where, window, positions in _route(addresses):
            with relocated(positions):
                at = addresses[positions] - window
                store(m, lanes.among(positions), where, at, values[positions], size, align, strong=strong)


def _route(addresses: Array) -> list[tuple[str, Any, Array]]:
    """Groups generic addresses by window (PTX ISA §6.4.1.1): returns each window's state space, base and positions."""
    windows = (
        ("global", memory.GLOBAL_WINDOW),
        (FAR, memory.SHARED_WINDOW),
        ("local", memory.LOCAL_WINDOW),
        ("param", memory.PARAM_WINDOW),
    )
    found: list[tuple[str, Any, Array]] = []
    rest = np.ones(addresses.size, np.bool_)
    for space, base in windows:
        inside = rest & (addresses >= np.uint64(base))
        if inside.any():
            found.append((space, np.uint64(0 if space == "global" else base), np.flatnonzero(inside)))
            rest &= ~inside
    if rest.any():
        found.append(
            ("global", np.uint64(0), np.flatnonzero(rest))
        )  # addresses in no window are reported as out of bounds
    return found


# --- builders --------------------------------------------------------------------------------------


class _Access:
    """The modifiers of `ld` and `st`."""

    def __init__(self, ins: Instruction, d: Decoder):
        modifiers = [m.partition("::")[0] for m in ins.parts[1:-1]]
        self.type = d.scalar(ins.parts[-1])
        self.space = FAR if FAR in ins.parts else next((m for m in modifiers if m in SPACES), "")
        self.count = next((int(m[1:]) for m in modifiers if m in ("v2", "v4")), 1)
        self.items = d.items(d.operand(1 if ins.parts[0] == "st" else 0))
        if len(self.items) != self.count:
            d.fail(f"the instruction moves {counted(self.count, 'element')}, got {len(self.items)}")
        self.size = self.type.bytes * self.count
        self.order = next((m for m in modifiers if m in _STRONG), "weak")
        self.wide = "cta" not in modifiers
        self.element = np.dtype(f"u{self.type.bytes}")
        if self.size not in CHUNK:
            d.unknown()


def build_ld(ins: Instruction, d: Decoder) -> Step:
    access = _Access(ins, d)
    address = d.operand(1)
    puts = [d.write(item, access.type) for item in access.items]
    if access.space == "param" and isinstance(address, Address) and isinstance(address.base, Symbol):
        return _build_parameter(d, access, address, puts)
    where = d.address(address)
    space, size, element, count = access.space, access.size, access.element, access.count
    dtype = access.type.dtype
    strong, acquires = access.order != "weak", access.order == "acquire"
    used = [i for i, item in enumerate(access.items) if any(d.named[name] > 1 for name in registers((item,)))]
    if 0 < len(used) < count and not strong:
        # NVRTC fills up vectors with elements that it does not use, which may lie beyond the end of an array.
        return _build_partial(where, access, {i: puts[i] for i in used})

    def step(m: Machine, lanes: Lanes) -> None:
        addresses = spread(where, m, lanes)
        chunk = load(m, lanes, space, addresses, size, size, strong=strong)
        if strong:
            m.polled(lanes, addresses)
            m.part(GlobalRaces).acquire(lanes, addresses, fenced=not acquires)
        if count == 1:
            puts[0](m, lanes, chunk.view(dtype))
            return
        parts = chunk.view(element).reshape(-1, count)
        for i, put in enumerate(puts):
            put(m, lanes, parts[:, i].copy().view(dtype))

    return step


def _build_partial(where: Reader, access: _Access, puts: dict[int, Writer]) -> Step:
    """Builds a load of some elements of a vector, whose address is that of the whole vector."""
    bytes, dtype = access.type.bytes, access.type.dtype

    def step(m: Machine, lanes: Lanes) -> None:
        addresses = spread(where, m, lanes)
        require_aligned(addresses, access.size, access.size, "read", access.space)
        for i, put in puts.items():
            put(
                m,
                lanes,
                load(m, lanes, access.space, addresses + addresses.dtype.type(i * bytes), bytes, bytes).view(dtype),
            )

    return step


def spread(where: Reader, m: Machine, lanes: Lanes) -> Array:
    """Returns one address per lane; a constant address is broadcast."""
    addresses = where(m, lanes)
    return addresses if addresses.ndim else np.full(lanes.count, addresses)


def _build_parameter(d: Decoder, access: _Access, address: Address, puts: list[Any]) -> Step:
    """Builds a load of a kernel parameter, which is uniform."""
    base = address.base
    assert isinstance(base, Symbol)
    parameter = d.parameters.get(base.name)
    start = address.offset + base.offset
    if parameter is None or start < 0 or start + access.size > parameter.size:
        d.fail(f"an access of {counted(access.size, 'byte')} at {start} is outside '{base.name}'")
    begin = parameter.offset + start

    def step(m: Machine, lanes: Lanes) -> None:
        values = np.frombuffer(m.parameters, access.type.dtype, len(puts), begin)
        for put, value in zip(puts, values, strict=True):
            put(m, lanes, np.array(value))

    return step


def build_st(ins: Instruction, d: Decoder) -> Step:
    access = _Access(ins, d)
    where = d.address(d.operand(0))
    reads = [d.read(item, access.type) for item in access.items]
    peeks = [d.peek(item, SCALARS[f"u{access.type.bits}"]) for item in access.items]
    space, size, element, count = access.space, access.size, access.element, access.count
    if space in ("param", "const"):
        d.unknown()
    strong, releases, wide = access.order != "weak", access.order == "release", access.wide

    def step(m: Machine, lanes: Lanes) -> None:
        values = np.empty((lanes.count, count), element)
        undefined: Array | None = None
        try:
            for i, read in enumerate(reads):
                values[:, i] = read(m, lanes).view(element)
        except Violation:
            # NVRTC may store a vector before all its elements have values, and later overwrite those that had none.
            values, defined = (np.stack(part, axis=1) for part in zip(*(peek(m, lanes) for peek in peeks), strict=True))
            if space != "global" or not defined.any(axis=1).all():
                raise
            undefined = ~defined
        addresses = spread(where, m, lanes)
        store(m, lanes, space, addresses, values.view(CHUNK[size]).reshape(-1), size, size, strong=strong)
        if undefined is not None:
            at = addresses[:, None] + np.arange(count, dtype=np.uint64) * np.uint64(element.itemsize)
            m.memory.forget(at[undefined], element.itemsize)
        if strong and wide:
            m.part(GlobalRaces).release(lanes, addresses, fenced=not releases)

    return step


def build_createpolicy(ins: Instruction, d: Decoder) -> Step:
    put = d.write(d.operand(0), SCALARS["u64"])
    return lambda m, lanes: put(m, lanes, np.zeros(lanes.count, np.uint64))
