"""`cp.async.bulk*` and `cp.reduce.async.bulk*` instructions (PTX ISA §9.7.9.25.4, §9.7.9.27)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..engine.lanes import Lanes
from ..engine.machine import Machine
from ..errors import BadTensorCopy
from ..isa.decode import Decoder, Reader, Step
from ..isa.syntax import Address, Instruction
from ..isa.types import PACKED, SCALARS, Array
from ..sync.mbarrier_ops import shared_address
from ..violation import Violation, first
from .atomics import combine
from .bulk_copy import BulkCopies
from .memops import load, spread
from .memory import PARAM_WINDOW
from .tensor_map import BYTES, TensorMap, decode_map

U32, S32 = SCALARS["u32"], SCALARS["s32"]


@dataclass(frozen=True)
class _Reduction:
    """The reduction of `cp.reduce.async.bulk` on elements of `width` bytes."""

    width: int
    function: Any
    dtype: Any

    def __call__(self, old: Array, new: Array) -> Array:
        return self.function(old.view(self.dtype), new.view(self.dtype)).astype(self.dtype).view(old.dtype)


def build_bulk(ins: Instruction, d: Decoder) -> Step:
    """Builds `cp.async.bulk…` and `cp.reduce.async.bulk…`."""
    parts = [p for p in ins.parts if p not in ("cp", "reduce", "async", "bulk")]
    if parts == ["commit_group"]:
        return lambda m, lanes: m.part(BulkCopies).commit(lanes)
    if parts[:1] == ["wait_group"] and parts[1:] in ([], ["read"]):
        pending = d.count(d.operand(0))
        return lambda m, lanes: m.part(BulkCopies).wait(lanes, pending)
    if parts[:1] == ["prefetch"]:
        return lambda m, lanes: None
    if "im2col" in parts or any(p.startswith(("tile::", "cta_group")) for p in parts):
        d.unknown()
    names = [p.partition("::")[0] for p in parts]
    tensor = names[0] == "tensor"
    places = [n for n in names if n in ("shared", "global")]
    if places == ["shared", "global"] and "mbarrier" in names:
        return _build_tensor_load(ins, d) if tensor else _build_load(ins, d)
    if places != ["global", "shared"] or "bulk_group" not in names:
        d.unknown()
    reduction = _reduction(ins, d, parts) if "reduce" in ins.parts else None
    if tensor:
        return _build_tensor_store(ins, d, reduction)
    return _build_store(ins, d, reduction(parts[-1]) if reduction else None)


def _reduction(ins: Instruction, d: Decoder, parts: list[str]) -> Callable[[str], _Reduction]:
    """Returns the reduction by element type, which a tensor map or (without one) the opcode gives."""
    kind = next((p for p in parts if p in ("add", "min", "max", "inc", "dec", "and", "or", "xor")), None)
    if kind is None:
        d.unknown()

    @cache
    def of(name: str) -> _Reduction:
        type_ = PACKED[f"{name}x2"] if f"{name}x2" in PACKED else SCALARS[name]
        return _Reduction(type_.bytes, combine(kind, type_, None, flushes=True), type_.dtype)

    if "tensor" not in parts:
        d.scalar(parts[-1])
    return of


# --- operands --------------------------------------------------------------------------------------


def _map_and_start(ins: Instruction, d: Decoder, position: int) -> tuple[Reader, list[Reader]]:
    """Returns readers of `[map, {x, y, …}]`."""
    operand = d.operand(position)
    rank = next((int(p[0]) for p in ins.parts if p in ("1d", "2d", "3d", "4d", "5d")), 0)
    if not isinstance(operand, Address) or len(operand.coordinates) != rank:
        d.fail(f"a {rank}-d copy needs a tensor map and {rank} coordinates")
    return d.address(operand), [d.read(c, S32) for c in operand.coordinates]


def _tensor_map(m: Machine, lanes: Lanes, address: int, rank: int) -> TensorMap:
    """Returns the tensor map at a generic address (a kernel parameter, constant or global memory)."""
    if address % 64:
        problem = f"the tensor map at {address:#x} is not 64-byte aligned"
        raise Violation(BadTensorCopy, 0, what="TMA", problem=problem)
    data = _map_bytes(m, lanes, address)
    maps = m.part(BulkCopies).maps
    known = maps.get(data)
    if known is None:
        known = decode_map(data)
        if known is None:
            raise Violation(BadTensorCopy, 0, what="TMA", problem=f"there is no tensor map at {address:#x}")
        maps[data] = known
    if len(known.sizes) != rank:
        problem = f"the map has rank {len(known.sizes)}, the copy {rank}"
        raise Violation(BadTensorCopy, 0, what="TMA", problem=problem)
    return known


def _map_bytes(m: Machine, lanes: Lanes, address: int) -> bytes:
    offset = address - PARAM_WINDOW
    if 0 <= offset <= len(m.parameters) - BYTES:
        return m.parameters[offset : offset + BYTES]
    one = Lanes(lanes.index[:1], lanes.total)
    words = [load(m, one, "", np.array([address + 16 * i], np.uint64), 16, 16) for i in range(BYTES // 16)]
    return np.concatenate(words).tobytes()


def _each(m: Machine, lanes: Lanes, *columns: Array) -> Any:
    """Yields each lane with its operands as ints."""
    rows = zip(*(np.broadcast_to(c, lanes.count).tolist() for c in columns), strict=True)
    for position, (lane, row) in enumerate(zip(lanes.index.tolist(), rows, strict=True)):
        m.at_position = position
        yield (lane, *row)
    m.at_position = 0


def _note(m: Machine, lanes: Lanes, what: str, *values: Array) -> None:
    """Adds an operation and its operands to the trace."""
    for k, value in enumerate(values):
        m.note(lanes.index, what, value, k)


# --- builders --------------------------------------------------------------------------------------


def _mask(ins: Instruction, d: Decoder, position: int) -> Callable[[Machine, Lanes], Array]:
    """Returns a reader of a multicast's CTA mask; 0 without multicast."""
    if "multicast::cluster" not in ins.parts:
        return lambda m, lanes: np.zeros(lanes.count, np.int64)
    mask = d.read(d.operand(position), SCALARS["u16"])

    def read(m: Machine, lanes: Lanes) -> Array:
        values = np.broadcast_to(mask(m, lanes), lanes.count)
        if (values == 0).any():
            raise Violation(BadTensorCopy, first(values == 0), what="multicast", problem="the mask names no CTA")
        _note(m, lanes, "multicast", values)
        return values

    return read


def _build_tensor_load(ins: Instruction, d: Decoder) -> Step:
    """`cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier… [dst], [map, {x, y}], [mbar] {, mask}`."""
    target, mbarrier, mask = d.address(d.operand(0)), d.address(d.operand(2)), _mask(ins, d, 3)
    where, coordinates = _map_and_start(ins, d, 1)

    def step(m: Machine, lanes: Lanes) -> None:
        starts = [np.broadcast_to(c(m, lanes), lanes.count) for c in coordinates]
        maps, targets, bars = (spread(r, m, lanes) for r in (where, target, mbarrier))
        _note(m, lanes, "tensor load", maps, targets, bars, *starts)
        bulk = m.part(BulkCopies)
        for lane, at, to, bar, who, *start in _each(m, lanes, maps, targets, bars, mask(m, lanes), *starts):
            bulk.load_box(lane, _tensor_map(m, lanes, at, len(start)), start, bulk.destination(lane, to, bar, who))
        m.synchronized()

    return step


def _build_load(ins: Instruction, d: Decoder) -> Step:
    """`cp.async.bulk.shared::cluster.global.mbarrier… [dst], [src], size, [mbar] {, mask}`."""
    target, source, mbarrier = (d.address(d.operand(i)) for i in (0, 1, 3))
    size, mask = d.read(d.operand(2), U32), _mask(ins, d, 4)

    def step(m: Machine, lanes: Lanes) -> None:
        columns = [*(spread(r, m, lanes) for r in (source, target, size, mbarrier)), mask(m, lanes)]
        bulk = m.part(BulkCopies)
        for lane, at, to, count, bar, who in _each(m, lanes, *columns):
            bulk.load_bytes(lane, at, count, bulk.destination(lane, to, bar, who))
        m.synchronized()

    return step


def _build_tensor_store(ins: Instruction, d: Decoder, reduction: Callable[[str], _Reduction] | None) -> Step:
    """`cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [map, {x, y}], [src]`."""
    where, coordinates = _map_and_start(ins, d, 0)
    source = shared_address(ins, d, 1)

    def step(m: Machine, lanes: Lanes) -> None:
        starts = [np.broadcast_to(c(m, lanes), lanes.count) for c in coordinates]
        _note(m, lanes, "tensor store", spread(where, m, lanes), source(m, lanes), *starts)
        for lane, at, place, *start in _each(m, lanes, spread(where, m, lanes), source(m, lanes), *starts):
            tensor = _tensor_map(m, lanes, at, len(start))
            if reduction and not tensor.dtype:
                problem = "the map does not say what its elements are"
                raise Violation(BadTensorCopy, 0, what="cp.reduce.async.bulk.tensor", problem=problem)
            m.part(BulkCopies).store_box(lane, tensor, start, place, reduction(tensor.dtype) if reduction else None)

    return step


def _build_store(ins: Instruction, d: Decoder, reduction: Any) -> Step:
    """`cp.async.bulk.global.shared::cta.bulk_group [dst], [src], size`."""
    target, source, size = d.address(d.operand(0)), shared_address(ins, d, 1), d.read(d.operand(2), U32)

    def step(m: Machine, lanes: Lanes) -> None:
        columns = [spread(target, m, lanes), source(m, lanes), spread(size, m, lanes)]
        for lane, at, place, count in _each(m, lanes, *columns):
            m.part(BulkCopies).store_bytes(lane, at, place, count, reduction)

    return step
