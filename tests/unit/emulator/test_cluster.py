"""Clusters: their barrier, distributed shared memory, remote arrivals and multicasts, one rule at a time."""

# ruff: noqa: E501 (lines of CUDA stay whole)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptir.emulator import errors
from tests.unit.builders.ptx_kernels.blocks import reported, run_cluster

# --- who is where ----------------------------------------------------------------------------------


def test_special_registers():
    names = [
        "cluster_ctaid.x",
        "cluster_ctaid.y",
        "cluster_nctaid.x",
        "cluster_nctaid.y",
        "cluster_ctarank",
        "cluster_nctarank",
    ]
    names += ["clusterid.x", "clusterid.y", "nclusterid.x", "nclusterid.y", "is_explicit_cluster"]
    place = f"y[(blockIdx.y * gridDim.x + blockIdx.x) * {len(names)} + "
    moves = {"u": "mov.u32 %0, %%{};", "p": "{{.reg .pred p; mov.pred p, %%{}; selp.u32 %0, 1, 0, p;}}"}
    texts = [moves["p" if name[0] == "i" else "u"].format(name) for name in names]
    reads = "".join(f'asm volatile("{text}" : "=r"(v)); {place}{i}] = v; ' for i, text in enumerate(texts))
    y = np.zeros((6, 4, len(names)), np.int32)
    run_cluster(f"u32 v; if (t == 0) {{ {reads} }}", np.zeros(1, np.int32), y, cluster=(2, 3), grid=(4, 6))
    for cy in range(6):
        for cx in range(4):
            rank = cx % 2 + 2 * (cy % 3)
            assert y[cy, cx].tolist() == [cx % 2, cy % 3, 2, 3, rank, 6, cx // 2, cy // 3, 2, 2, 1]


@pytest.mark.parametrize(
    ("cluster", "grid"), [((1, 2), (4, 4)), ((2, 2), (4, 2)), ((1, 2, 2), (2, 2, 2)), ((2, 1, 3), (2, 2, 3))]
)
def test_clusters_along_other_axes(cluster: tuple[int, ...], grid: tuple[int, ...]):
    """Each CTA reads its number in the grid from the next rank, whose place follows from the coordinates."""
    body = """int number = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; u32 n;
      asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(n)); s[t] = number; meet();
      y[number] = get(map(s + t, (me + 1) % n)); meet();"""
    gx, gy, gz = (*grid, 1)[:3]
    cx, cy, cz = (*cluster, 1)[:3]
    y, want = np.zeros((gz, gy, gx), np.int32), np.zeros((gz, gy, gx), np.int32)
    run_cluster(body, np.zeros(1, np.int32), y, cluster=cluster, grid=grid, threads=1)
    for z, row, x in np.ndindex(gz, gy, gx):
        rank = (x % cx + cx * (row % cy + cy * (z % cz)) + 1) % (cx * cy * cz)
        there = (z // cz * cz + rank // (cx * cy), row // cy * cy + rank // cx % cy, x // cx * cx + rank % cx)
        want[z, row, x] = (there[0] * gy + there[1]) * gx + there[2]
    assert np.array_equal(y, want)


def test_the_kernel_may_ask_for_a_cluster():
    y = np.zeros(256, np.int32)
    body = "s[t] = me; meet(); out[t] = get(map(s + t, me ^ 1)); meet();"
    run_cluster(body, np.zeros(1, np.int32), y, cluster=None, attribute="__cluster_dims__(2, 1, 1)")
    assert np.array_equal(y.reshape(4, 64), np.array([[1], [0], [1], [0]]).repeat(64, 1))
    with pytest.raises(errors.BadLaunch, match="the kernel requires"):
        run_cluster(body, np.zeros(1, np.int32), y, cluster=4, attribute="__cluster_dims__(2, 1, 1)")


@pytest.mark.parametrize(
    ("cluster", "grid", "problem"),
    [(2, 3, "not a multiple"), ((1, 2), (2, 3), "not a multiple"), (16, 16, "at most 8"), (0, 2, "at most 8")],
)
def test_bad_clusters(cluster: Any, grid: Any, problem: str):
    with pytest.raises(errors.BadLaunch, match=problem):
        run_cluster("", np.zeros(1, np.int32), np.zeros(1, np.int32), cluster=cluster, grid=grid)


# --- the barrier and distributed shared memory -----------------------------------------------------

START = "if (t == 0) {{ init(b, {}); init_fence(); }} meet(); "
OTHER = "u32 you = me ^ 1; "
# Each CTA writes x[block] to its peer: out[t] = x of the peer.
GIVE = OTHER + "s[t] = x[64 * block + t]; meet(); out[t] = get(map(s + t, you)); meet();"
RULES: dict[str, tuple[str, Any]] = {
    "read": (GIVE, None),
    "read, generic": (GIVE.replace("get(map(s + t, you))", "*map_generic(s + t, you)"), None),
    "read before the barrier": (GIVE.replace("x[64 * block + t]; meet();", "x[64 * block + t];"), errors.PeerMemory),
    "relaxed arrival": (GIVE.replace("x[64 * block + t]; meet();", "x[64 * block + t]; come_relaxed(); go();"), errors.SharedRace),
    "written behind the barrier": (OTHER + "meet(); s[t] = x[64 * block + t]; out[t] = get(map(s + t, you)); meet();", (errors.SharedRace, errors.UninitializedMemory)),
    "read, no barrier at the end": (GIVE.replace("you)); meet();", "you));"), errors.PeerExited),
    "read, arrival at the end": (GIVE.replace("you)); meet();", "you)); come();"), errors.PeerExited),
    "read after the end": (GIVE.replace("out[t]", 'if (me == 1) asm volatile("exit;"); out[t]'), errors.PeerExited),
    "overwritten": (GIVE.replace("you)); meet();", "you)); s[t] = 0; meet();"), errors.SharedRace),
    "overwritten behind a barrier": (GIVE + " s[t] = 0;", None),
    "__syncthreads is for one CTA": (GIVE.replace("you)); meet();", "you)); __syncthreads(); s[t] = 0; meet();"), errors.SharedRace),
    "written": (OTHER + "meet(); put(map(s + t, you), x[64 * block + t]); meet(); out[t] = s[t];", None),
    "written, generic": (OTHER + "meet(); *map_generic(s + t, you) = x[64 * block + t]; meet(); out[t] = s[t];", None),
    "written, no barrier": (OTHER + "meet(); put(map(s + t, you), x[64 * block + t]); out[t] = s[t];", (errors.SharedRace, errors.UninitializedMemory, errors.PeerExited)),
    "both write": (OTHER + "meet(); put(map(s + t, 0), x[64 * block + t]); meet(); out[t] = x[64 * (block ^ 1) + t];", errors.SharedRace),
    "both add": (OTHER + "s[t] = 0; meet(); add_to(map(s + t, 0), x[64 * block + t]); add_to(map(s + t, 1), x[64 * block + t]); meet(); out[t] = s[t] - x[64 * block + t];", None),
    "the own rank": (OTHER + "s[t] = x[64 * (block ^ 1) + t]; meet(); out[t] = get(map(s + t, me)); out[t] += 1000 * (rank_of(map(s, you)) - you) + 1000 * (rank_of(at(s)) - me);", None),
    "no such rank": (OTHER + "meet(); out[t] = get(map(s + t, 2)); meet();", errors.PeerMemory),
    "a plain access": (OTHER + 's[t] = 1; meet(); int v; asm volatile("ld.shared.s32 %0, [%1];" : "=r"(v) : "r"(map(s + t, you)) : "memory"); out[t] = v; meet();', errors.OutOfBounds),
    "beyond the end": (OTHER + "meet(); out[t] = get(map(s + t, you) + (1 << 20)); meet();", errors.OutOfBounds),
    "one CTA does not come": (OTHER + START.format(1) + "if (block == 1) wait(b, 0); meet();", errors.Deadlock),
    "a thread arrives twice": ("come(); come(); go();", errors.BarrierMisuse),
    "a thread waits without arriving": ("go();", errors.BarrierMisuse),
    "half a warp": ("if (t % 2) { come(); } go();", (errors.DivergentWarp, errors.BarrierMisuse)),
    "those who have exited need not come": (OTHER + "s[t] = x[64 * block + t]; meet(); out[t] = get(map(s + t, you)); if (t >= 32) { meet(); return; } meet(); meet();", None),
    "split arrival": (OTHER + "s[t] = x[64 * block + t]; come(); int v = x[64 * (block ^ 1) + t]; go(); out[t] = get(map(s + t, you)) * 2 - v; come(); go();", None),
    "written between arrival and wait": (OTHER + "come(); s[t] = x[64 * block + t]; go(); out[t] = get(map(s + t, you)); meet();", (errors.SharedRace, errors.UninitializedMemory)),
    "a named barrier for one warp after the other": (GIVE + 'if (t < 32) asm volatile("barrier.sync 1, 32;" ::: "memory"); __syncthreads(); if (t >= 32) asm volatile("barrier.sync 1, 32;" ::: "memory");', None),
    "a named barrier for either warp": (GIVE + 'asm volatile("barrier.sync 1, 32;" ::: "memory");', errors.BarrierMisuse),
    # mbarriers of the peer
    "remote arrival": (OTHER + START.format(64) + "put(map(s + t, you), x[64 * block + t]); tell(map(b, you)); hear(b, 0); out[t] = s[t]; meet();", None),
    "remote arrival of CTA scope": (OTHER + START.format(64) + "put(map(s + t, you), x[64 * block + t]); tell_cta(map(b, you)); hear(b, 0); out[t] = s[t]; meet();", errors.SharedRace),
    "remote arrival before the write": (OTHER + START.format(64) + "tell(map(b, you)); put(map(s + t, you), x[64 * block + t]); hear(b, 0); out[t] = s[t]; meet();", errors.SharedRace),
    "remote arrival, not waited": (OTHER + START.format(64) + "put(map(s + t, you), x[64 * block + t]); tell(map(b, you)); out[t] = s[t]; meet();", (errors.SharedRace, errors.UninitializedMemory)),
    "remote arrival, the last one": (OTHER + START.format(64) + "put(map(s + t, you), x[64 * block + t]); tell(map(b, you)); hear(b, 0); out[t] = s[t];", None),
    "remote arrival that nobody awaits": (OTHER + START.format(64) + "put(map(s + t, you), x[64 * block + t]); tell(map(b, you)); hear(b, 0); out[t] = s[t]; tell(map(b, you));", errors.PeerExited),
    "remote counts": (OTHER + START.format(4) + "put(map(s + t, you), x[64 * block + t]); __syncwarp(); if (t % 32 == 0) tell_n(map(b, you), 2); hear(b, 0); out[t] = s[t]; meet();", None),
    "remote counts, too many": (OTHER + START.format(4) + "if (t % 32 == 0) tell_n(map(b, you), 3); hear(b, 0); meet();", errors.MbarrierMisuse),
    "remote counts, too few": (OTHER + START.format(65) + "tell(map(b, you)); hear(b, 0); meet();", errors.Deadlock),
    "nobody initialized it": (OTHER + START.format(64) + "tell(map(b + 1, you)); meet();", errors.MbarrierMisuse),
    "initialized without a cluster barrier": (OTHER + START.format(64).replace("meet()", "__syncthreads()") + "tell(map(b, you)); hear(b, 0); meet();", (errors.PeerMemory, errors.MbarrierMisuse)),
    "initialized behind the cluster barrier": (OTHER + "meet(); " + START.format(64).replace("meet()", "__syncthreads()") + "tell(map(b, you)); hear(b, 0); meet();", (errors.SharedRace, errors.MbarrierMisuse)),
    "init fence, relaxed arrival": (OTHER + START.format(64).replace("meet()", "come_relaxed(); go()") + "put(map(s + t, you), x[64 * block + t]); tell(map(b, you)); hear(b, 0); out[t] = s[t]; meet();", None),
    "no init fence, relaxed arrival": (OTHER + START.format(64).replace("meet()", "come_relaxed(); go()").replace("init_fence();", "") + "tell(map(b, you)); hear(b, 0); meet();", errors.SharedRace),
    "used between arrival and wait": (OTHER + "meet(); if (t == 0) { init(b, 64); init_fence(); } __syncwarp(); come_relaxed(); tell(map(b, you)); go(); hear(b, 0); meet();", (errors.SharedRace, errors.MbarrierMisuse)),
    "relaxed arrival before the init fence": (OTHER + "if (t == 0) init(b, 64); __syncwarp(); come_relaxed(); if (t == 0) init_fence(); __syncwarp(); go(); tell(map(b, you)); hear(b, 0); meet();", errors.SharedRace),
}  # fmt: skip


def check(body: str, fault: Any, seed: int | None) -> None:
    """Requires that `body` copies to each CTA the part of x of its peer, or causes one of these faults."""
    x, y = np.arange(256, dtype=np.int32), np.zeros(256, np.int32)
    with reported(fault):
        run_cluster(body, x, y, seed=seed)
    assert fault or np.array_equal(y.reshape(4, 64), x.reshape(4, 64)[[1, 0, 3, 2]])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", [None, 0, 1])
@pytest.mark.parametrize("name", RULES)
def test_rule(name: str, seed: int | None):
    check(*RULES[name], seed)


# --- copies to several CTAs ------------------------------------------------------------------------

# Rank 0 sends x[0:64] to both; each CTA also gets 64 of its own.
BOTH = START.format(1) + "if (t == 0) { expect(b, 256); if (me == 0) send(s, x, 256, b, 3); } "
LAST = "wait(b, 0); out[t] = s[t]; "
COPIES: dict[str, tuple[str, Any]] = {
    "multicast": (BOTH + LAST, None),
    "each half to both": (START.format(1) + "if (t == 0) { expect(b, 256); send(s + 32 * me, x + 32 * me, 128, b, 3); } " + LAST, None),
    "only to itself": (BOTH.replace("b, 3)", "b, 1)") + LAST, errors.Deadlock),
    "to one that is not there": (BOTH.replace("b, 3)", "b, 7)") + LAST, errors.BadTensorCopy),
    "to nobody": (BOTH.replace("b, 3)", "b, 0)") + LAST, errors.BadTensorCopy),
    "not expected by the other": (BOTH.replace("expect(b, 256);", "if (me == 0) expect(b, 256); else arrive(b);") + LAST, errors.AsyncRace),
    "not waited by the other": (BOTH + "if (me == 0) wait(b, 0); out[t] = s[t];", (errors.AsyncRace, errors.UninitializedMemory, errors.PeerExited)),
    "the other leaves": (BOTH + "if (me == 1) return; " + LAST, errors.PeerExited),
    "no cluster barrier": (BOTH.replace("meet()", "__syncthreads()") + LAST, (errors.PeerMemory, errors.MbarrierMisuse)),
    "no init fence": (BOTH.replace("init_fence();", "") + LAST, errors.MissingBarrierFence),
    "over what the other reads": (BOTH.replace("meet();", "s[t] = 1; fence(); meet(); out[t] = s[t ^ 1];") + LAST, errors.AsyncRace),
    "over what the other wrote": (BOTH.replace("meet();", "s[t] = 1; meet();") + LAST, errors.ProxyRace),
    "over what the other wrote, fenced": (BOTH.replace("meet();", "s[t] = 1; fence(); meet();") + LAST, None),
}  # fmt: skip


@pytest.mark.parametrize("seed", [None, 0, 1])
@pytest.mark.parametrize("name", COPIES)
def test_multicast(name: str, seed: int | None):
    body, fault = COPIES[name]
    x, y = np.arange(64, dtype=np.int32), np.zeros(256, np.int32)
    if fault:
        with pytest.raises(fault):
            run_cluster(body, x, y, seed=seed)
    else:
        report = run_cluster(body, x, y, seed=seed)
        assert np.array_equal(y.reshape(4, 64), np.stack([x] * 4))
        assert report.bytes["async_load"] == 4 * 256


# --- st.async ----------------------------------------------------------------------------------------

PUT = 'asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" :: "r"(map(s + t, you)), "r"(x[64 * block + t]), "r"(map(b, you)) : "memory");'
BEGIN = "u32 you = me ^ 1; if (t == 0) { init(b, 1); init_fence(); } meet(); if (t == 0) expect(b, 256); "
ST_ASYNC: dict[str, tuple[str, Any]] = {
    "waited": (BEGIN + PUT + "wait(b, 0); out[t] = s[t];", None),
    "not waited": (BEGIN + PUT + "out[t] = s[t]; meet();", (errors.AsyncRace, errors.UninitializedMemory)),
    "another CTA's barrier": (BEGIN + PUT.replace("map(b, you)", "map(b, me)") + "wait(b, 0);", errors.BadTensorCopy),
    "more than expected": (BEGIN.replace("256", "252") + PUT + "wait(b, 0); out[t] = s[t];", (errors.Deadlock, errors.AsyncRace, errors.PeerExited)),
    "over what is read": (BEGIN.replace("meet()", "s[t] = t; meet(); out[t] = s[t ^ 1]") + PUT + "wait(b, 0);", errors.AsyncRace),
    "over what was written": (BEGIN.replace("meet()", "s[t] = t; meet()") + PUT + "wait(b, 0); out[t] = s[t];", None),
}  # fmt: skip


@pytest.mark.parametrize("seed", [None, 0])
@pytest.mark.parametrize("name", ST_ASYNC)
def test_st_async(name: str, seed: int | None):
    check(*ST_ASYNC[name], seed)
