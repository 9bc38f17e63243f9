"""Bugs seeded into the SM90 GEMM's CUDA text: each must be reported or, if that is impossible, give wrong results."""

# ruff: noqa: E501 (lines of CUDA stay whole)

from __future__ import annotations

import pytest

from ptir.emulator import errors
from tests.unit.builders.ptx_kernels.gemm import WARP_SPECIALIZED, Bug

# Omitted, because they are right: accumulating onto zeros in the first step; `fence.proxy.async` after the barrier,
# in the thread that stores (a proxy fence anywhere on the causality path suffices).
BUGS = [
    Bug('no wait full', '                wait(base + FULL + 8 * stage, turn / STAGES % 2);\n', '', errors.UninitializedMemory),
    Bug('full parity', 'turn / STAGES % 2);\n                wgmma_fence', 'turn / STAGES % 2 ^ 1);\n                wgmma_fence', errors.UninitializedMemory),
    Bug('full stage shifted', 'wait(base + FULL + 8 * stage,', 'wait(base + FULL + 8 * ((turn + 1) % STAGES),', errors.AsyncRace),
    Bug('no wait empty', '                    wait(base + EMPTY + 8 * stage, turn / STAGES % 2 ^ 1);\n', '', errors.AsyncRace),
    Bug('empty parity', 'turn / STAGES % 2 ^ 1)', 'turn / STAGES % 2)', errors.Deadlock),
    Bug('empty stage shifted', 'wait(base + EMPTY + 8 * stage,', 'wait(base + EMPTY + 8 * ((turn + 1) % STAGES),', errors.Deadlock),
    Bug('expect bytes short', 'expect_bytes(full, STAGE_BYTES)', 'expect_bytes(full, A_BYTES)', errors.AsyncRace),
    Bug('expect bytes long', 'expect_bytes(full, STAGE_BYTES)', 'expect_bytes(full, STAGE_BYTES + 16)', errors.Deadlock),
    Bug('arrive instead of expect', 'expect_bytes(full, STAGE_BYTES)', 'arrive(full)', errors.AsyncRace),
    Bug('no expect', '                    expect_bytes(full, STAGE_BYTES);\n', '', errors.Deadlock),
    Bug('full count 2', 'barrier_init(base + FULL + 8 * s, 1)', 'barrier_init(base + FULL + 8 * s, 2)', errors.Deadlock),
    Bug('empty count 1', 'barrier_init(base + EMPTY + 8 * s, CONSUMERS)', 'barrier_init(base + EMPTY + 8 * s, 1)', errors.MbarrierMisuse),
    Bug('empty count 3', 'barrier_init(base + EMPTY + 8 * s, CONSUMERS)', 'barrier_init(base + EMPTY + 8 * s, 3)', errors.Deadlock),
    Bug('no init fence', '        fence_barriers();\n', '', errors.MissingBarrierFence),
    Bug('no sync after init', '    __syncthreads();\n    if (group == 0)', '    if (group == 0)', errors.SharedRace),
    Bug('no arrive in loop', '                if (k > 0 && thread == 0) arrive(base + EMPTY + 8 * ((turn + STAGES - 1) % STAGES));\n', '', errors.Deadlock),
    Bug('arrive stage current', 'if (k > 0 && thread == 0) arrive(base + EMPTY + 8 * ((turn + STAGES - 1) % STAGES));', 'if (k > 0 && thread == 0) arrive(base + EMPTY + 8 * stage);', errors.Deadlock),
    Bug('arrive current every k', 'if (k > 0 && thread == 0) arrive(base + EMPTY + 8 * ((turn + STAGES - 1) % STAGES));', 'if (thread == 0) arrive(base + EMPTY + 8 * stage);', errors.AsyncRace),
    Bug('arrive by all', 'if (k > 0 && thread == 0) arrive', 'if (k > 0) arrive', errors.MbarrierMisuse),
    Bug('arrive before wait', '                wgmma_wait<1>();  // the step before is done: its stage is free\n                if (k > 0 && thread == 0) arrive(base + EMPTY + 8 * ((turn + STAGES - 1) % STAGES));', '                if (k > 0 && thread == 0) arrive(base + EMPTY + 8 * ((turn + STAGES - 1) % STAGES));\n                wgmma_wait<1>();', errors.AsyncRace),
    Bug('no last arrive', '                arrive(base + EMPTY + 8 * ((turn + STAGES - 1) % STAGES));\n                wait_store_read', '                wait_store_read', errors.Deadlock),
    Bug('no wgmma fence', '                wgmma_fence();\n', '', errors.MissingWgmmaFence),
    Bug('no commit', '                wgmma_commit();\n', '', errors.AsyncRace),
    Bug('wait<1> dropped', '                wgmma_wait<1>();  // the step before is done: its stage is free\n', '', errors.AsyncRace),
    Bug('wait<1> -> wait<2>', 'wgmma_wait<1>()', 'wgmma_wait<2>()', errors.AsyncRace),
    Bug('wait<0> dropped', '            wgmma_wait<0>();\n', '', errors.RegisterInFlight),
    Bug('wait<0> -> wait<1>', 'wgmma_wait<0>()', 'wgmma_wait<1>()', errors.RegisterInFlight),
    Bug('SBO 512', '(u64)64 << 32', '(u64)32 << 32', None),
    Bug('swizzle none', '(u64)1 << 62', '(u64)0 << 62', None),
    Bug('swizzle 64', '(u64)1 << 62', '(u64)2 << 62', None),
    Bug('k advance 16B', 'descriptor(a) + 2 * kk', 'descriptor(a) + kk', None),
    Bug('k advance b', 'descriptor(b) + 2 * kk', 'descriptor(b) + 4 * kk', errors.AsyncRace),
    Bug('address field not >>4', '(u64)((at & 0x3FFFF) >> 4)', '(u64)((at & 0x3FFFF) >> 3)', errors.AsyncRace),
    Bug('keep never', 'k + kk > 0', '0', None),
    Bug('keep k>0', 'k + kk > 0', 'k > 0', None),
    Bug('A row of group', '(group - 1) * 64 * TILE_K * 2', '(group - 1) * 32 * TILE_K * 2', None),
    Bug('no store read wait', '                wait_store_read();\n', '', errors.AsyncRace),
    Bug('no meet before staging', '            meet(group);  // the tile before has left the staging buffer\n', '', errors.AsyncRace),
    Bug('no async fence', '            fence_async();\n', '', errors.ProxyRace),
    Bug('no meet before store', '            fence_async();\n            meet(group);\n', '            fence_async();\n', errors.AsyncRace),
    Bug('no commit store', '                commit_store();\n', '', errors.AsyncRace),
    Bug('no final store wait', '        if (thread == 0) wait_store();\n', '', errors.UnfinishedCopy),
    Bug('meet wrong count', 'bar.sync %0, 128', 'bar.sync %0, 96', errors.UninitializedMemory),
    Bug('meet too many', 'bar.sync %0, 128', 'bar.sync %0, 160', errors.Deadlock),
    Bug('meet same barrier', 'meet(group);  // the', 'meet(1);  // the', errors.BarrierMisuse),
    Bug('TMA x y swapped', 'k * TILE_K, tile / columns * TILE_M', 'tile / columns * TILE_M, k * TILE_K', None),
    Bug('store x y swapped', 'tile % columns * TILE_N, tile / columns * TILE_M + (group - 1) * 64', 'tile / columns * TILE_M + (group - 1) * 64, tile % columns * TILE_N', None),
    Bug("B to A's place", 'load_box(a + A_BYTES', 'load_box(a', errors.AsyncRace),
    Bug('ring longer than memory', 'STAGES = 3', 'STAGES = 4', errors.OutOfBounds),
    Bug('acc pair order', 'd[4 * i], d[4 * i + 1]', 'd[4 * i + 1], d[4 * i]', None),
    Bug('acc rows', '8 * TILE_N * 4, d', '4 * TILE_N * 4, d', errors.SharedRace),
    Bug('two produce', 'threadIdx.x / 32 == 0 && elected()', 'threadIdx.x / 32 < 2 && elected()', errors.MbarrierMisuse),
    Bug('store from other group', 'store_box(&C, out,', 'store_box(&C, base + OUT,', errors.AsyncRace),
    Bug('turn not kept', 'for (int k = 0; k < steps; k++, turn++) {\n                const int stage = turn % STAGES;\n                const u32 a = base + stage * STAGE_BYTES + (g', 'for (int k = 0; k < steps; k++, turn++) {\n                const int stage = k % STAGES;\n                const u32 a = base + stage * STAGE_BYTES + (g', errors.AsyncRace),
]  # fmt: skip


@pytest.mark.sampled(10)
@pytest.mark.parametrize("bug", BUGS, ids=lambda b: b.name)
def test_seeded_bug(bug: Bug):
    bug.check(WARP_SPECIALIZED, 256, 128, 320)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", [1, 2])
def test_seeded_bug_under_another_schedule(seed: int):
    """A race is one under every schedule."""
    for bug in (b for b in BUGS if b.fault in (errors.ProxyRace, errors.MissingWgmmaFence, errors.RegisterInFlight)):
        with pytest.raises(bug.fault):
            WARP_SPECIALIZED.run(256, 128, 320, source=bug.source(WARP_SPECIALIZED), seed=seed)


def test_a_deadlock_says_who_waits_for_what():
    bug = next(b for b in BUGS if b.name == "expect bytes long")
    with pytest.raises(errors.Deadlock) as caught:
        WARP_SPECIALIZED.run(128, 64, 128, source=bug.source(WARP_SPECIALIZED))
    message = caught.value.message
    assert "CTA (0, 0, 0): warps 4-11 waiting at mbarrier 0x1a400" in message
    assert "wants parity 0, is in phase 0: missing 16 bytes" in message
