"""`mapa`, `getctarank`, `st.async`, `barrier.cluster` (PTX ISA §9.7.9.23, §9.7.9.24, §9.7.13.3)."""

from __future__ import annotations

import numpy as np

from ..engine.lanes import Lanes
from ..engine.machine import Machine
from ..errors import PeerMemory
from ..isa.decode import Decoder, Reader, Step
from ..isa.syntax import Instruction
from ..isa.types import CHUNK, SCALARS, Array
from ..memory import memory
from ..memory.bulk_copy import BulkCopies
from ..violation import reject
from .barriers import require_converged
from .cluster import RANK_SHIFT, ClusterBarrier, Peers
from .mbarrier import Mbarriers

U32 = SCALARS["u32"]
_MASK = np.uint64((1 << RANK_SHIFT) - 1)


def _shared(ins: Instruction, d: Decoder, position: int) -> tuple[Reader, np.uint64]:
    """Returns a reader of a shared address that is an operand without brackets, and the base of its window (or 0)."""
    generic = "shared::cluster" not in ins.parts
    value = d.read(d.operand(position), SCALARS["u64" if ins.parts[-1] == "u64" else "u32"])
    window = np.uint64(memory.SHARED_WINDOW if generic else 0)
    if generic and ins.parts[-1] == "u32":
        d.fail("a generic address has 64 bits")
    return lambda m, lanes: np.broadcast_to(value(m, lanes), lanes.count).astype(np.uint64) - window, window


def build_mapa(ins: Instruction, d: Decoder) -> Step:
    """`mapa{.shared::cluster}.u32|u64 d, a, rank`: maps a shared address to the same offset in another CTA."""
    at, window = _shared(ins, d, 1)
    rank = d.read(d.operand(2), U32)
    type_ = d.scalar(ins.parts[-1])
    put = d.write(d.operand(0), type_)

    def step(m: Machine, lanes: Lanes) -> None:
        ranks = np.broadcast_to(rank(m, lanes), lanes.count).astype(np.uint64)
        size = m.launch.cluster_size
        reject(ranks >= size, PeerMemory, access="mapa", rank=ranks, problem=f"the cluster has {size} CTAs")
        there: Array = (at(m, lanes) & _MASK) + (ranks + np.uint64(1) << np.uint64(RANK_SHIFT)) + window
        put(m, lanes, there.astype(type_.dtype))

    return step


def build_getctarank(ins: Instruction, d: Decoder) -> Step:
    """`getctarank{.shared::cluster}.u32|u64 d, a`: the rank of the CTA that an address belongs to."""
    at, _ = _shared(ins, d, 1)
    put = d.write(d.operand(0), U32)

    def step(m: Machine, lanes: Lanes) -> None:
        _, ctas = m.part(Peers).locate(lanes.index, at(m, lanes))
        put(m, lanes, (ctas % m.launch.cluster_size).astype(np.uint32))

    return step


def build_cluster_barrier(ins: Instruction, d: Decoder) -> Step:
    """`barrier.cluster.arrive[.release|.relaxed][.aligned]` and `barrier.cluster.wait[.acquire][.aligned]`."""
    aligned, release = "aligned" in ins.parts, "relaxed" not in ins.parts

    def arrive(m: Machine, lanes: Lanes) -> None:
        if aligned:
            require_converged(m, lanes, ins.opcode)
        m.part(Mbarriers).publish(lanes, m.part(ClusterBarrier).arrive(lanes, release=release))
        m.note(lanes.index, "cluster.arrive", 0)
        m.synchronized()

    def wait(m: Machine, lanes: Lanes) -> None:
        if aligned:
            require_converged(m, lanes, ins.opcode)
        through = m.part(ClusterBarrier).wait(lanes)
        if not through.all():
            m.retry(lanes, through)
        if through.any():
            m.note(lanes.index[through], "cluster.wait", 0)
        m.synchronized()

    return arrive if ins.parts[2] == "arrive" else wait


def build_st_async(ins: Instruction, d: Decoder) -> Step:
    """`st.async{.weak}.shared::cluster.mbarrier::complete_tx::bytes{.v2|.v4}.b32|b64 [a], value, [mbar]`."""
    type_ = d.scalar(ins.parts[-1])
    where, mbarrier = d.address(d.operand(0)), d.address(d.operand(2))
    reads = [d.read(item, type_) for item in d.items(d.operand(1))]
    size = type_.bytes * len(reads)
    if size > 16:
        d.unknown()

    def step(m: Machine, lanes: Lanes) -> None:
        values = np.stack([np.broadcast_to(read(m, lanes), lanes.count) for read in reads], axis=1)
        chunks = np.ascontiguousarray(values).view(CHUNK[size]).reshape(lanes.count, 1)
        targets, bars = (np.broadcast_to(r(m, lanes), lanes.count).tolist() for r in (where, mbarrier))
        bulk = m.part(BulkCopies)
        for position, lane in enumerate(lanes.index.tolist()):
            m.at_position = position
            to = bulk.destination(lane, targets[position], bars[position], 0)
            bulk.load(lane, chunks[position], np.array([to.address]), to, "st.async")
        m.at_position = 0
        m.synchronized()

    return step
