"""Warp-wide exchange: `shfl`, `vote`, `match`, `redux`, `activemask`, `bar.warp` (PTX ISA §9.7.9, §9.7.13)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.lanes import Lanes
from ..engine.machine import Machine
from ..errors import DivergentWarp, UndefinedShuffle
from ..violation import reject
from .decode import Decoder, Step
from .syntax import Instruction
from .types import SCALARS, Array

U32, PRED = SCALARS["u32"], SCALARS["pred"]
_LANE = np.arange(32, dtype=np.uint32)


def participants(m: Machine, lanes: Lanes, mask: Array, what: str) -> Array:
    """
    Returns the participating lanes of each lane's warp, as bits. Raises a `Violation` if a live lane in `mask` does not
    execute this step, or if a lane that executes it is not in `mask`.
    """
    warps = lanes.index // 32
    active = lanes.bits[warps]
    named = np.broadcast_to(mask, lanes.count) & m.alive_bits()[warps]
    me = np.uint32(1) << (lanes.index % 32).astype(np.uint32)
    bad = (named & ~active).astype(np.bool_) | ((named & me) == 0)
    problem = "the mask is {:#010x}, but lanes {:#010x} are here"
    reject(bad, DivergentWarp, what=what, problem=lambda at: problem.format(int(named[at]), int(active[at])))
    return named


def build_shfl(ins: Instruction, d: Decoder) -> Step:
    """
    `shfl.sync.mode.b32 d[|p], a, b, c, mask`; c packs a clamp and a segment mask. A value that is undefined in the source
    lane is undefined in the destination.
    """
    mode = ins.parts[2]
    outputs = d.destinations()
    put = d.poke(outputs[0], U32)
    put_valid = d.write(outputs[1], PRED) if len(outputs) > 1 else None
    value = d.peek(d.operand(1), U32)
    offset, control, mask = (d.read(d.operand(i), U32) for i in range(2, 5))

    def step(m: Machine, lanes: Lanes) -> None:
        participants(m, lanes, mask(m, lanes), "shfl.sync")
        lane = lanes.index % 32
        c = control(m, lanes).astype(np.int64)
        b = offset(m, lanes).astype(np.int64) & 31
        segment, clamp = (c >> 8) & 31, c & 31
        least = lane & segment
        most = least | (clamp & ~segment)
        source, valid = {
            "up": (lane - b, lane - b >= most),
            "down": (lane + b, lane + b <= most),
            "bfly": (lane ^ b, (lane ^ b) <= most),
            "idx": (least | (b & ~segment), (least | (b & ~segment)) <= most),
        }[mode]
        wanted = lanes.index - lane + np.where(valid, source, lane)
        reject(~lanes.mask[wanted], UndefinedShuffle, what="shfl.sync", source=wanted % 32)
        whole, defined = np.zeros(lanes.total, np.uint32), np.zeros(lanes.total, np.bool_)
        whole[lanes.select], defined[lanes.select] = value(m, lanes)
        put(m, lanes, whole[wanted], defined[wanted])
        if put_valid:
            put_valid(m, lanes, np.broadcast_to(valid, lanes.count).copy())

    return step


def build_vote(ins: Instruction, d: Decoder) -> Step:
    _, _, mode, _ = ins.parts
    vote = d.read(d.operand(1), PRED)
    mask = d.read(d.operand(2), U32)
    put = d.write(d.operand(0), U32 if mode == "ballot" else PRED)

    def step(m: Machine, lanes: Lanes) -> None:
        named = participants(m, lanes, mask(m, lanes), "vote.sync")
        flags = np.zeros(lanes.total, np.bool_)
        flags[lanes.select] = vote(m, lanes)
        ballot = Lanes(np.flatnonzero(flags), lanes.total).bits[lanes.index // 32] & named
        result: Array = {
            "ballot": ballot,
            "any": ballot != 0,
            "all": ballot == named,
            "uni": (ballot == 0) | (ballot == named),
        }[mode]
        put(m, lanes, result)

    return step


def build_activemask(ins: Instruction, d: Decoder) -> Step:
    put = d.write(d.operand(0), U32)
    return lambda m, lanes: put(m, lanes, lanes.bits[lanes.index // 32])


def _table(m: Machine, lanes: Lanes, value: Any, named: Array) -> tuple[Array, Array]:
    """Returns the 32 values of each lane's warp, and flags of the participating ones, both `[lanes, 32]`."""
    whole = np.zeros(lanes.total, np.asarray(value).dtype)
    whole[lanes.select] = value
    return whole.reshape(-1, 32)[lanes.index // 32], (named[:, None] >> _LANE & np.uint32(1)).astype(np.bool_)


_REDUCE: dict[str, tuple[Callable[..., Any], Callable[[Any], int]]] = {
    "add": (np.add.reduce, lambda limits: 0),
    "min": (np.minimum.reduce, lambda limits: limits.max),
    "max": (np.maximum.reduce, lambda limits: limits.min),
    "and": (np.bitwise_and.reduce, lambda limits: -1 if limits.min else limits.max),
    "or": (np.bitwise_or.reduce, lambda limits: 0),
    "xor": (np.bitwise_xor.reduce, lambda limits: 0),
}
"""For each reduction its numpy function, and its neutral element for the limits of an integer type."""


def build_redux(ins: Instruction, d: Decoder) -> Step:
    _, _, name, type_name = ins.parts
    type_ = d.scalar(type_name)
    put, value, mask = d.write(d.operand(0), type_), d.read(d.operand(1), type_), d.read(d.operand(2), U32)
    reduce, neutral = _REDUCE[name]
    empty = neutral(np.iinfo(type_.dtype))

    def step(m: Machine, lanes: Lanes) -> None:
        named = participants(m, lanes, mask(m, lanes), "redux.sync")
        values, chosen = _table(m, lanes, value(m, lanes), named)
        put(m, lanes, reduce(np.where(chosen, values, empty), axis=1, dtype=type_.dtype))

    return step


def build_match(ins: Instruction, d: Decoder) -> Step:
    _, mode, _, type_name = ins.parts
    type_ = d.scalar(type_name)
    outputs = d.destinations()
    put = d.write(outputs[0], U32)
    put_all = d.write(outputs[1], PRED) if len(outputs) > 1 else None
    value, mask = d.read(d.operand(1), type_), d.read(d.operand(2), U32)

    def step(m: Machine, lanes: Lanes) -> None:
        named = participants(m, lanes, mask(m, lanes), "match.sync")
        mine = np.broadcast_to(value(m, lanes), lanes.count)
        values, chosen = _table(m, lanes, mine, named)
        equal = ((values == mine[:, None]) & chosen) @ (np.uint64(1) << _LANE.astype(np.uint64))
        matched = equal.astype(np.uint32)
        if mode == "all":
            matched = np.where(matched == named, named, np.uint32(0))
        put(m, lanes, matched)
        if put_all:
            put_all(m, lanes, matched == named)

    return step


def build_barrier(ins: Instruction, d: Decoder) -> Step:
    """Builds `bar.warp.sync mask`, which orders the memory accesses of the named lanes."""
    mask = d.read(d.operand(0), U32)

    def step(m: Machine, lanes: Lanes) -> None:
        participants(m, lanes, mask(m, lanes), "bar.warp.sync")
        m.clocks.converge(np.flatnonzero(lanes.bits))
        m.note(lanes.index, "bar.warp", 0)

    return step
