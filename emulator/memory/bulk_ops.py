"""`cp.async.bulk*` and `cp.reduce.async.bulk*` instructions (PTX ISA §9.7.9.25.4, §9.7.9.27)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NoReturn

import numpy as np

from ..engine.lanes import Lanes
from ..engine.machine import Machine
from ..errors import BadTensorCopy
from ..isa.decode import Decoder, Reader, Step
from ..isa.syntax import Address, Instruction, Vector
from ..isa.types import PACKED, SCALARS, Array
from ..sync.mbarrier_ops import shared_address
from ..violation import Violation, reject
from .atomics import OPERATIONS, combine
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


def commit(m: Machine, lanes: Lanes) -> None:
    m.part(BulkCopies).commit(lanes)


def build_wait(ins: Instruction, d: Decoder) -> Step:
    pending = d.count(d.operand(0))
    return lambda m, lanes: m.part(BulkCopies).wait(lanes, pending)


@cache
def _reduction(opcode: str, type_name: str) -> _Reduction | None:
    """
    Returns the reduction of `cp.reduce…`, or None for plain copies. The element type `type_name` is the tensor map's, or
    the opcode's if there is no tensor map.
    """
    kind = next((p for p in opcode.split(".") if p in OPERATIONS), None)
    if kind is None:
        return None
    type_ = PACKED.get(f"{type_name}x2") or SCALARS[type_name]
    return _Reduction(type_.bytes, combine(kind, type_, None, flushes=True), type_.dtype)


# --- operands --------------------------------------------------------------------------------------


def _map_and_start(ins: Instruction, d: Decoder, position: int) -> tuple[Reader, list[Reader]]:
    """Returns readers of `[map, {x, y, …}]`."""
    operand = d.operand(position)
    rank = next((int(p[0]) for p in ins.parts if p in ("1d", "2d", "3d", "4d", "5d")), 0)
    if not isinstance(operand, Address) or len(operand.coordinates) != rank:
        d.fail(f"a {rank}-d copy needs a tensor map and {rank} coordinates")
    return d.address(operand), [d.read(c, S32) for c in operand.coordinates]


def _filter_offsets(d: Decoder, count: int) -> list[Reader]:
    """Returns readers of the offsets of a copy in im2col mode, `{ow, oh, …}`."""
    operand = d.operand(3)
    if not isinstance(operand, Vector) or len(operand.items) != count:
        d.fail(f"an im2col copy of rank {count + 2} has {count} offsets")
    return [d.read(o, SCALARS["u16"]) for o in operand.items]


def _tensor_map(m: Machine, lanes: Lanes, address: int, rank: int) -> TensorMap:
    """Returns the tensor map at a generic address (a kernel parameter, constant or global memory)."""
    if address % 64:
        _fail("TMA", f"the tensor map at {address:#x} is not 64-byte aligned")
    known = decode_map(_map_bytes(m, lanes, address))
    if known is None:
        _fail("TMA", f"there is no tensor map at {address:#x}")
    if len(known.sizes) != rank:
        _fail("TMA", f"the map has rank {len(known.sizes)}, but the copy has rank {rank}")
    return known


def _fail(what: str, problem: str) -> NoReturn:
    raise Violation(BadTensorCopy, 0, what=what, problem=problem)


def _map_bytes(m: Machine, lanes: Lanes, address: int) -> bytes:
    offset = address - PARAM_WINDOW
    if 0 <= offset <= len(m.parameters) - BYTES:
        return m.parameters[offset : offset + BYTES]
    one = Lanes(lanes.index[:1], lanes.total)
    words = [load(m, one, "", np.array([address + 16 * i], np.uint64), 16, 16) for i in range(BYTES // 16)]
    return np.concatenate(words).tobytes()


def _each(m: Machine, lanes: Lanes, *columns: Array) -> Any:
    """Yields each lane with its operands as ints, and makes it the lane that a fault is reported for."""
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
    """Returns a reader of a multicast's CTA mask, which returns 0 if the copy is no multicast."""
    if "multicast::cluster" not in ins.parts:
        return lambda m, lanes: np.zeros(lanes.count, np.int64)
    mask = d.read(d.operand(position), SCALARS["u16"])

    def read(m: Machine, lanes: Lanes) -> Array:
        values = np.broadcast_to(mask(m, lanes), lanes.count)
        reject(values == 0, BadTensorCopy, what="multicast", problem="the mask names no CTA")
        _note(m, lanes, "multicast", values)
        return values

    return read


def build_tensor_copy(ins: Instruction, d: Decoder) -> Step:
    return _build_tensor_load(ins, d) if "mbarrier::complete_tx::bytes" in ins.parts else _build_tensor_store(ins, d)


def _build_tensor_load(ins: Instruction, d: Decoder) -> Step:
    """`cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier… [dst], [map, {x, y}], [mbar] {, {ow}} {, mask}`."""
    is_im2col = "im2col" in ins.parts
    target, mbarrier, mask = d.address(d.operand(0)), d.address(d.operand(2)), _mask(ins, d, 4 if is_im2col else 3)
    where, coordinates = _map_and_start(ins, d, 1)
    filter_offsets = _filter_offsets(d, len(coordinates) - 2) if is_im2col else []

    def step(m: Machine, lanes: Lanes) -> None:
        starts = [np.broadcast_to(c(m, lanes), lanes.count) for c in coordinates]
        maps, targets, bars = (spread(r, m, lanes) for r in (where, target, mbarrier))
        starts += [np.broadcast_to(o(m, lanes), lanes.count) for o in filter_offsets]
        _note(m, lanes, "tensor load", maps, targets, bars, *starts)
        bulk = m.part(BulkCopies)
        rank = len(coordinates)
        for lane, at, to, bar, ranks, *start in _each(m, lanes, maps, targets, bars, mask(m, lanes), *starts):
            tensor = _tensor_map(m, lanes, at, rank)
            if tensor.is_im2col != is_im2col:
                _fail("TMA", f"the map is {'' if tensor.is_im2col else 'not '}in im2col mode, unlike the copy")
            bulk.load_box(lane, tensor, start[:rank], bulk.destination(lane, to, bar, ranks), start[rank:])
        m.synchronized()

    return step


def build_load(ins: Instruction, d: Decoder) -> Step:
    """`cp.async.bulk.shared::cluster.global.mbarrier… [dst], [src], size, [mbar] {, mask}`."""
    target, source, mbarrier = (d.address(d.operand(i)) for i in (0, 1, 3))
    size, mask = d.read(d.operand(2), U32), _mask(ins, d, 4)

    def step(m: Machine, lanes: Lanes) -> None:
        columns = [*(spread(r, m, lanes) for r in (source, target, size, mbarrier)), mask(m, lanes)]
        bulk = m.part(BulkCopies)
        for lane, at, to, count, bar, ranks in _each(m, lanes, *columns):
            bulk.load_bytes(lane, at, count, bulk.destination(lane, to, bar, ranks))
        m.synchronized()

    return step


def _build_tensor_store(ins: Instruction, d: Decoder) -> Step:
    """`cp[.reduce].async.bulk.tensor.2d.global.shared::cta[.add].bulk_group [map, {x, y}], [src]`."""
    where, coordinates = _map_and_start(ins, d, 0)
    source, reduces = shared_address(ins, d, 1), "reduce" in ins.parts

    def step(m: Machine, lanes: Lanes) -> None:
        starts = [np.broadcast_to(c(m, lanes), lanes.count) for c in coordinates]
        columns = [spread(where, m, lanes), source(m, lanes), *starts]
        _note(m, lanes, "tensor store", *columns)
        for lane, at, place, *start in _each(m, lanes, *columns):
            tensor = _tensor_map(m, lanes, at, len(start))
            if tensor.is_im2col:
                _fail("TMA", "the map is in im2col mode, unlike the copy")
            if reduces and not tensor.dtype:
                _fail("cp.reduce.async.bulk.tensor", "the tensor map has no element type")
            m.part(BulkCopies).store_box(lane, tensor, start, place, _reduction(ins.opcode, tensor.dtype))

    return step


def build_store(ins: Instruction, d: Decoder) -> Step:
    """`cp[.reduce].async.bulk.global.shared::cta.bulk_group[.add.f32] [dst], [src], size`."""
    target, source, size = d.address(d.operand(0)), shared_address(ins, d, 1), d.read(d.operand(2), U32)
    reduction = _reduction(ins.opcode, ins.parts[-1])

    def step(m: Machine, lanes: Lanes) -> None:
        columns = [spread(target, m, lanes), source(m, lanes), spread(size, m, lanes)]
        for lane, at, place, count in _each(m, lanes, *columns):
            m.part(BulkCopies).store_bytes(lane, at, place, count, reduction)

    return step
