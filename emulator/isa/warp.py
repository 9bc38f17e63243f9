"""Warp-wide exchange: `shfl`, `vote`, `match`, `redux`, `activemask`, `bar.warp` (PTX ISA §9.7.9, §9.7.13)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.lanes import Lanes
from ..engine.machine import Machine
from ..errors import DivergentWarp, UndefinedShuffle
from ..violation import Violation, first
from .decode import Builder, Decoder, Step
from .syntax import Instruction
from .types import SCALARS, Array

U32, PRED = SCALARS["u32"], SCALARS["pred"]
_LANE = np.arange(32, dtype=np.uint32)


def members(m: Machine, lanes: Lanes, mask: Array, what: str) -> Array:
    """
    The lanes that take part with each lane, as bits. A live lane that `mask` names must execute this very
    step, and a lane that executes it must be named.
    """
    warps = lanes.index // 32
    active = lanes.bits[warps]
    named = np.broadcast_to(mask, lanes.count) & m.alive_bits()[warps]
    me = np.uint32(1) << (lanes.index % 32).astype(np.uint32)
    bad = (named & ~active).astype(np.bool_) | ((named & me) == 0)
    if bad.any():
        position = first(bad)
        problem = f"the mask is {int(named[position]):#010x}, lanes {int(active[position]):#010x} are here"
        raise Violation(DivergentWarp, position, what=what, problem=problem)
    return named


def build_shfl(ins: Instruction, d: Decoder) -> Step:
    """
    `shfl.sync.mode.b32 d[|p], a, b, c, mask`; c packs a clamp and a segment mask. Who gets the value of a lane that
    has none has none either.
    """
    mode = ins.parts[2]
    outputs = d.destinations()
    put = d.poke(outputs[0], U32)
    put_valid = d.write(outputs[1], PRED) if len(outputs) > 1 else None
    value = d.peek(d.operand(1), U32)
    offset, control, mask = (d.read(d.operand(i), U32) for i in range(2, 5))

    def step(m: Machine, lanes: Lanes) -> None:
        members(m, lanes, mask(m, lanes), "shfl.sync")
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
        absent = ~lanes.mask[wanted]
        if absent.any():
            position = first(absent)
            raise Violation(UndefinedShuffle, position, what="shfl.sync", source=int(wanted[position] % 32))
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
        named = members(m, lanes, mask(m, lanes), "vote.sync")
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
    """For each lane its warp's 32 values, and which of them take part: both `[lanes, 32]`."""
    whole = np.zeros(lanes.total, np.asarray(value).dtype)
    whole[lanes.select] = value
    return whole.reshape(-1, 32)[lanes.index // 32], (named[:, None] >> _LANE & np.uint32(1)).astype(np.bool_)


_REDUCE: dict[str, tuple[Callable[..., Any], int]] = {
    "add": (np.add.reduce, 0),
    "min": (np.minimum.reduce, 1),
    "max": (np.maximum.reduce, -1),
    "and": (np.bitwise_and.reduce, 2),
    "or": (np.bitwise_or.reduce, 0),
    "xor": (np.bitwise_xor.reduce, 0),
}


def build_redux(ins: Instruction, d: Decoder) -> Step:
    _, _, name, type_name = ins.parts
    type_ = d.scalar(type_name)
    put, value, mask = d.write(d.operand(0), type_), d.read(d.operand(1), type_), d.read(d.operand(2), U32)
    reduce, neutral = _REDUCE[name]
    limits = np.iinfo(type_.dtype)
    empty = {0: 0, 1: limits.max, -1: limits.min, 2: np.array(0xFFFF_FFFF, np.uint32).view(type_.dtype)[()]}[neutral]

    def step(m: Machine, lanes: Lanes) -> None:
        named = members(m, lanes, mask(m, lanes), "redux.sync")
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
        named = members(m, lanes, mask(m, lanes), "match.sync")
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


def warp_barrier(ins: Instruction, d: Decoder) -> Step:
    """`bar.warp.sync mask`: orders the memory accesses of the named lanes."""
    mask = d.read(d.operand(0), U32)

    def step(m: Machine, lanes: Lanes) -> None:
        members(m, lanes, mask(m, lanes), "bar.warp.sync")
        m.clocks.converge(np.flatnonzero(lanes.bits))
        m.note(lanes.index, "bar.warp", 0)

    return step


TABLE: dict[str, Builder] = {
    "shfl": build_shfl,
    "vote": build_vote,
    "activemask": build_activemask,
    "redux": build_redux,
    "match": build_match,
}
