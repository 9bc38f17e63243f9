"""
The cluster GEMM is right under every schedule. Bugs seeded into its CUDA text must be reported or, if that is impossible, give
wrong results.

The emulator cannot detect some bugs that fail on a GPU: a missing `__syncwarp` before an aligned instruction, if the compiler
makes the warp converge anyway; fewer registers than ptxas allocates; and anything about speed.
"""

# ruff: noqa: E501 (lines of CUDA stay whole)

from __future__ import annotations

import numpy as np
import pytest

from ptir.emulator import errors
from tests.unit.builders.ptx_kernels.gemm import CLUSTER, Bug


@pytest.mark.sampled(2)
@pytest.mark.parametrize("shape", [(256, 128, 64), (512, 256, 320), (300, 136, 136), (1, 8, 8), (129, 72, 200)])
def test_exact(shape: tuple[int, int, int]):
    """Ragged shapes too; the second CTA of a cluster may have no rows at all."""
    got, want, _ = CLUSTER.run(*shape)
    assert np.array_equal(got, want)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(4))
def test_the_schedule_does_not_matter(seed: int):
    got, want, report = CLUSTER.run(300, 136, 200, ctas=4, seed=seed)
    assert np.array_equal(got, want)
    _, _, straight = CLUSTER.run(300, 136, 200, ctas=4)
    assert report.bytes == straight.bytes


def test_counters():
    """Each CTA loads A and half of B, and both halves arrive in both."""
    _, _, report = CLUSTER.run(256, 128, 128)
    assert report.bytes["async_load"] == 2 * 2 * (128 + 128) * 64 * 2
    assert report.bytes["async_store"] == 256 * 128 * 2
    assert report.bytes["shared_store"] == 256 * 128 * 2


EMPTY = "wait(base + EMPTY + 8 * stage, turn / STAGES % 2 ^ 1);"
FULL = "wait(base + FULL + 8 * stage, turn / STAGES % 2);"
SEND = "send_box(b + me * PART, &B, full, k * TILE_K, column + me * (TILE_N / CLUSTER), 3, policy);"
FREE = "if (k > 0 && thread < CLUSTER) arrive_in(base + EMPTY + 8 * before, thread);"
LAST = "            if (thread < CLUSTER) arrive_in(base + EMPTY + 8 * ((turn + STAGES - 1) % STAGES), thread);\n"
BUGS = [
    # the ring
    Bug("no wait full", FULL, "", (errors.UninitializedMemory, errors.AsyncRace)),
    Bug("full parity", FULL, FULL.replace("% 2)", "% 2 ^ 1)"), (errors.UninitializedMemory, errors.AsyncRace)),
    Bug("full stage shifted", FULL, FULL.replace("8 * stage", "8 * before"), (errors.AsyncRace, errors.Deadlock)),
    Bug("no wait empty", EMPTY, "", errors.AsyncRace),
    Bug("empty parity", EMPTY, EMPTY.replace(" ^ 1", ""), errors.Deadlock),
    Bug("empty stage shifted", EMPTY, EMPTY.replace("8 * stage", "8 * ((turn + 1) % STAGES)"), (errors.Deadlock, errors.AsyncRace)),
    Bug("expects its own part only", "expect_bytes(full, STAGE_BYTES)", "expect_bytes(full, A_BYTES + PART)", (errors.AsyncRace, errors.Deadlock)),
    Bug("expects too much", "expect_bytes(full, STAGE_BYTES)", "expect_bytes(full, STAGE_BYTES + PART)", errors.Deadlock),
    Bug("no expect", "expect_bytes(full, STAGE_BYTES);", "", errors.Deadlock),
    Bug("expect in one CTA", "expect_bytes(full, STAGE_BYTES);", "if (me == 0) expect_bytes(full, STAGE_BYTES);", errors.Deadlock),
    Bug("empty counts one CTA", "CLUSTER * CONSUMERS);", "CONSUMERS);", (errors.AsyncRace, errors.MbarrierMisuse, errors.Deadlock)),
    Bug("empty counts too many", "CLUSTER * CONSUMERS);", "CLUSTER * CONSUMERS + 1);", errors.Deadlock),
    Bug("full counts both", "barrier_init(base + FULL + 8 * s, 1)", "barrier_init(base + FULL + 8 * s, 2)", errors.Deadlock),
    Bug("arrives at home only", FREE, FREE.replace("before, thread)", "before, me)"), (errors.AsyncRace, errors.MbarrierMisuse, errors.Deadlock)),
    Bug("arrives in the other only", FREE, FREE.replace("before, thread)", "before, me ^ 1)"), (errors.AsyncRace, errors.MbarrierMisuse, errors.Deadlock)),
    Bug("arrives in rank 0", FREE, FREE.replace("before, thread)", "before, 0)"), (errors.AsyncRace, errors.MbarrierMisuse, errors.Deadlock)),
    Bug("one arrival", FREE, FREE.replace("thread < CLUSTER", "thread < 1"), errors.Deadlock),
    Bug("three arrivals", FREE, FREE.replace("thread < CLUSTER", "thread < 3"), errors.PeerMemory),
    Bug("no arrival", FREE, "", errors.Deadlock),
    Bug("arrives for the stage in use", FREE, FREE.replace("k > 0 && ", "").replace("before", "stage"), (errors.AsyncRace, errors.MbarrierMisuse)),
    Bug("arrives before the wgmma is done", "wgmma_wait<1>();  // the step before is done: its stage is free\n                " + FREE, FREE + "\n                wgmma_wait<1>();", errors.AsyncRace),
    Bug("no last arrival", LAST, "", errors.Deadlock),
    Bug("last arrival at home only", LAST, LAST.replace("STAGES), thread)", "STAGES), me)"), (errors.AsyncRace, errors.MbarrierMisuse, errors.Deadlock)),
    Bug("arrival of CTA scope", "mbarrier.arrive.release.cluster.shared::cluster", "mbarrier.arrive.release.cta.shared::cluster", errors.AsyncRace),
    Bug("relaxed arrival", "mbarrier.arrive.release.cluster.shared::cluster", "mbarrier.arrive.relaxed.cluster.shared::cluster", errors.AsyncRace),
    Bug("ring longer than memory", "STAGES = 3", "STAGES = 4", errors.OutOfBounds),
    Bug("turn of a tile", "const int stage = turn % STAGES, before", "const int stage = k % STAGES, before", (errors.AsyncRace, errors.Deadlock, errors.UninitializedMemory)),
    # the multicast
    Bug("mask: itself", SEND, SEND.replace(", 3,", ", 1 << me,"), errors.Deadlock),
    Bug("mask: the other", SEND, SEND.replace(", 3,", ", 2 >> me,"), (errors.Deadlock, errors.UninitializedMemory, errors.AsyncRace)),
    Bug("mask: rank 0", SEND, SEND.replace(", 3,", ", 1,"), (errors.Deadlock, errors.AsyncRace)),
    Bug("mask: beyond the cluster", SEND, SEND.replace(", 3,", ", 7,"), errors.BadTensorCopy),
    Bug("mask: nobody", SEND, SEND.replace(", 3,", ", me,"), errors.BadTensorCopy),
    Bug("both send the first half", SEND, SEND.replace("column + me * (TILE_N / CLUSTER)", "column"), None),
    Bug("both to the first half", SEND, SEND.replace("b + me * PART", "b"), (errors.AsyncRace, errors.UninitializedMemory)),
    Bug("halves exchanged", SEND, SEND.replace("b + me * PART", "b + (me ^ 1) * PART"), None),
    Bug("to A's place", SEND, SEND.replace("b + me * PART", "a + me * PART"), (errors.AsyncRace, errors.UninitializedMemory)),
    Bug("to the empty barrier", SEND, SEND.replace("full, k", "full + 8 * STAGES, k"), (errors.Deadlock, errors.AsyncRace)),
    Bug("to the next full barrier", SEND, SEND.replace("full, k", "base + FULL + 8 * ((turn + 1) % STAGES), k"), (errors.Deadlock, errors.AsyncRace)),
    Bug("unaligned", SEND, SEND.replace("b + me * PART", "b + me * PART + 64"), errors.Misaligned),
    Bug("rows of the other CTA", "(tile / columns * CLUSTER + me) * TILE_M, column", "(tile / columns * CLUSTER + (me ^ 1)) * TILE_M, column", None),
    Bug("x and y exchanged", "load_box(a, &A, full, k * TILE_K, row)", "load_box(a, &A, full, row, k * TILE_K)", None),
    Bug("loaded, not sent", "load_box(a, &A, full, k * TILE_K, row)", "load_box(there(a, me ^ 1), &A, there(full, me ^ 1), k * TILE_K, row)", None),
    Bug("barrier in another CTA", "load_box(a, &A, full, k * TILE_K, row)", "load_box(a, &A, there(full, me ^ 1), k * TILE_K, row)", errors.BadTensorCopy),
    Bug("two produce", "threadIdx.x / 32 == 0 && elected()", "threadIdx.x / 32 < 2 && elected()", (errors.MbarrierMisuse, errors.AsyncRace)),
    # the cluster
    Bug("no cluster barrier", "    cluster_begins();\n", "    __syncthreads();\n", (errors.PeerMemory, errors.MbarrierMisuse)),
    Bug("no barrier at all", "    cluster_begins();\n", "", (errors.PeerMemory, errors.MbarrierMisuse, errors.SharedRace)),
    Bug("no init fence", "        fence_barriers();\n", "", (errors.SharedRace, errors.MissingBarrierFence)),
    Bug("no wait at the start", "barrier.cluster.arrive.relaxed.aligned;\\nbarrier.cluster.wait.acquire.aligned;", "barrier.cluster.arrive.relaxed.aligned;", (errors.PeerMemory, errors.MbarrierMisuse, errors.SharedRace, errors.BarrierMisuse)),
    Bug("no arrival at the start", "barrier.cluster.arrive.relaxed.aligned;\\nbarrier.cluster.wait.acquire.aligned;", "barrier.cluster.wait.acquire.aligned;", errors.BarrierMisuse),
    Bug("no cluster barrier at the end", "    cluster_ends();\n", "", errors.PeerExited),
    Bug("__syncthreads at the end", "    cluster_ends();\n", "    __syncthreads();\n", errors.PeerExited),
    Bug("relaxed arrival at the end", "barrier.cluster.arrive.release.aligned", "barrier.cluster.arrive.relaxed.aligned", errors.PeerExited),
    # registers
    Bug("nothing given back", '        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");\n', "", errors.Deadlock),
    Bug("too much asked for", "setmaxnreg.inc.sync.aligned.u32 232", "setmaxnreg.inc.sync.aligned.u32 240", errors.Deadlock),
    Bug("lowered by inc", "setmaxnreg.dec.sync.aligned.u32 40", "setmaxnreg.inc.sync.aligned.u32 40", errors.RegisterPool),
    Bug("by one warp", 'asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");', 'if (threadIdx.x < 32) asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");', (errors.DivergentWarp, errors.Deadlock)),
    # wgmma
    Bug("no wgmma fence", "                wgmma_fence();\n", "", errors.MissingWgmmaFence),
    Bug("no commit", "                wgmma_commit();\n", "", errors.AsyncRace),
    Bug("wait<1> dropped", "                wgmma_wait<1>();  // the step before is done: its stage is free\n", "", errors.AsyncRace),
    Bug("wait<0> dropped", "            wgmma_wait<0>();\n", "", errors.RegisterInFlight),
    Bug("SBO", "(u64)64 << 32", "(u64)32 << 32", None),
    Bug("swizzle 64", "(u64)1 << 62", "(u64)2 << 62", None),
    Bug("no swizzle", "(u64)1 << 62", "(u64)0 << 62", None),
    Bug("base offset", "(u64)1 << 62", "(u64)1 << 62 | (u64)1 << 49", errors.BadDescriptor),
    Bug("k of A", "descriptor(a) + 2 * kk", "descriptor(a) + kk", None),
    Bug("k of B", "descriptor(b) + 2 * kk", "descriptor(b) + kk", None),
    Bug("keeps nothing", "k + kk > 0", "0", None),
    Bug("keeps the tile before", "k + kk > 0", "turn + kk > 0", None),
    # the epilogue
    Bug("no wait for the store", "            if (thread == 0) wait_store_read();\n            meet", "            meet", errors.AsyncRace),
    Bug("no barrier before staging", "            meet(group);  // the tile before has left the staging buffer\n", "", errors.AsyncRace),
    Bug("no proxy fence", "            fence_async();\n", "", errors.ProxyRace),
    Bug("proxy fence of one thread", "            fence_async();\n            meet(group);", "            if (thread > 0) fence_async();\n            meet(group);", errors.ProxyRace),
    Bug("no barrier before the store", "            fence_async();\n            meet(group);\n", "            fence_async();\n", (errors.AsyncRace, errors.UninitializedMemory)),
    Bug("one barrier for both groups", "meet(group);  // the", "meet(1);  // the", errors.BarrierMisuse),
    Bug("no commit of the store", "                commit_store();\n", "", (errors.AsyncRace, errors.UnfinishedCopy)),
    Bug("no wait at the end", "        if (thread == 0) wait_store_read();\n    }", "    }", errors.UnfinishedCopy),
    Bug("second panel forgotten", "                store_box(&C, out + PANEL, tile % columns * TILE_N + 64, y);\n", "", None),
    Bug("panel stored twice", "store_box(&C, out + PANEL,", "store_box(&C, out,", None),
    Bug("the other group's staging", "store_box(&C, out,", "store_box(&C, base + OUT,", (errors.AsyncRace, errors.UninitializedMemory)),
    Bug("stmatrix not swizzled", "(chunk ^ row) % 8", "chunk % 8", None),
    Bug("stmatrix of the wrong lanes", "thread / 32 * 16 + lane % 16", "thread / 32 * 16 + lane % 8", errors.SharedRace),
    Bug("stmatrix, columns before rows", "chunk = 2 * j + lane / 16", "chunk = 2 * j + lane / 8 % 2", errors.SharedRace),
    Bug("stmatrix transposed", "m8n8.x4.shared", "m8n8.x4.trans.shared", None),
    Bug("pairs exchanged", '"f"(high), "f"(low)', '"f"(low), "f"(high)', None),
    Bug("rows of the group", "TILE_M + (group - 1) * 64;", "TILE_M + (group - 1) * 32;", errors.GlobalRace),
]  # fmt: skip


@pytest.mark.sampled(12)
@pytest.mark.parametrize("bug", BUGS, ids=lambda b: b.name)
def test_seeded_bug(bug: Bug):
    bug.check(CLUSTER, 512, 128, 256)
