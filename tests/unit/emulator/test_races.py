"""Races on global memory, which the emulator must report, and synchronized accesses, which it must not."""

# ruff: noqa: E501 (lines of CUDA stay whole)

from __future__ import annotations

import numpy as np
import pytest

from ptir.emulator import Report, errors
from tests.unit.builders.ptx_kernels.launch import run_cuda

HELPERS = """
typedef unsigned u32;
__device__ __forceinline__ void release_add(int* p) { asm volatile("red.release.gpu.global.add.s32 [%0], 1;" :: "l"(p) : "memory"); }
__device__ __forceinline__ void relaxed_add(int* p) { asm volatile("red.relaxed.gpu.global.add.s32 [%0], 1;" :: "l"(p) : "memory"); }
__device__ __forceinline__ void acq_rel_add(int* p) { int v; asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], 1;" : "=r"(v) : "l"(p) : "memory"); }
__device__ __forceinline__ void acq_rel_cta_add(int* p) { int v; asm volatile("atom.acq_rel.cta.global.add.s32 %0, [%1], 1;" : "=r"(v) : "l"(p) : "memory"); }
__device__ __forceinline__ int acquire(int* p) { int v; asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ __forceinline__ int relaxed(int* p) { int v; asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ __forceinline__ void release_store(int* p, int v) { asm volatile("st.release.gpu.global.s32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); }
__device__ __forceinline__ void relaxed_store(int* p, int v) { asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); }
"""
CTAS, THREADS = 4, 64


def run(
    body: str, *, seed: int | None = None, monkeypatch: pytest.MonkeyPatch | None = None
) -> tuple[np.ndarray, Report]:
    """Runs `body`, which uses x (integers), y (zeros), f (flags, zeros), t (thread id), c (CTA id) and n (number of CTAs)."""
    source = f"""{HELPERS} extern "C" __global__ void k(int* x, int* y, int* f) {{
      int t = threadIdx.x, c = blockIdx.x, n = gridDim.x; {body} }}"""
    x = np.arange(CTAS * THREADS, dtype=np.int32)
    y, f = np.zeros_like(x), np.zeros(16, np.int32)
    return y, run_cuda(source, x, y, f, grid=CTAS, block=THREADS, seed=seed, max_steps=50_000)


# Each CTA stores its part to x; the last one to arrive adds all parts.
LAST = "{write} {before} __shared__ int mine; if (t == 0) {{ {arrive} mine = {old}; }} __syncthreads(); {after} if (mine == n - 1) for (int i = 0; i < n; i++) y[t] += x[i * 64 + t];"


def last(
    before: str = "__threadfence(); __syncthreads();", after: str = "__threadfence();", old: str = "atomicAdd(f, 1)"
) -> str:
    return LAST.format(write="x[c * 64 + t] = c + t;", before=before, arrive="", old=old, after=after)


# CTA c waits for the flag of CTA c - 1, then updates the value that this has stored to y.
def serial(wait: str, signal: str, before: str = "__syncthreads();", after: str = "__syncthreads();") -> str:
    return f"if (t == 0) while ({wait} != c); {after} y[t] += x[c * 64 + t]; {before} if (t == 0) {signal};"


PATTERNS = {
    "last CTA sums, fences": (last(), None),
    "last CTA sums, one thread fences": (last("__syncthreads(); if (t == 0) __threadfence();"), None),
    "last CTA sums, no fence before": (last("__syncthreads();"), errors.GlobalRace),
    "last CTA sums, fence of the CTA only": (last("__threadfence_block(); __syncthreads();"), errors.GlobalRace),
    "last CTA sums, fence too early": ("__threadfence(); " + last("__syncthreads();"), errors.GlobalRace),
    "last CTA sums, no fence after": (last(after=""), errors.GlobalRace),
    "last CTA sums, no barrier before": (last("__threadfence();"), errors.GlobalRace),
    "semaphore, acquire and release": (serial("acquire(f)", "release_add(f)"), None),
    "semaphore, store release": (serial("acquire(f)", "release_store(f, c + 1)"), None),
    "semaphore, fences": (serial("relaxed(f)", "{ __threadfence(); relaxed_add(f); }", after="__threadfence(); __syncthreads();"), None),
    "semaphore, relaxed": (serial("relaxed(f)", "relaxed_add(f)"), errors.GlobalRace),
    "semaphore, only released": (serial("relaxed(f)", "release_add(f)"), errors.GlobalRace),
    "semaphore, only acquired": (serial("acquire(f)", "relaxed_store(f, c + 1)"), errors.GlobalRace),
    "semaphore, first released, then not": (serial("acquire(f)", "{ if (c == 0) release_store(f, 1); else relaxed_store(f, c + 1); }"), errors.GlobalRace),
    "semaphore, no barrier before": (serial("acquire(f)", "release_add(f)", before=""), errors.GlobalRace),
    "semaphore, no barrier after": (serial("acquire(f)", "release_add(f)", after=""), errors.GlobalRace),
    "semaphore, acq_rel": (serial("acquire(f)", "acq_rel_add(f)"), None),
    "semaphore, acq_rel of the CTA": (serial("acquire(f)", "acq_rel_cta_add(f)"), errors.GlobalRace),
    "semaphore, fence only behind the store": (serial("acquire(f)", "{ relaxed_add(f); __threadfence(); }"), errors.GlobalRace),
    "semaphore, fence before the load": (serial("(__threadfence(), relaxed(f))", "release_add(f)"), errors.GlobalRace),
    "semaphore, another flag is released": (serial("acquire(f)", "{ release_add(f + 1); relaxed_add(f); }"), errors.GlobalRace),
    "semaphore, another flag is acquired": (serial("(acquire(f + 1), relaxed(f))", "release_add(f)"), errors.GlobalRace),
    "semaphore, released by another warp": (serial("acquire(f)", "; __syncwarp(); if (t == 32) release_add(f)", before=""), errors.GlobalRace),
    "semaphore, reset in the end": (serial("acquire(f)", "{ if (c < n - 1) release_store(f, c + 1); else f[0] = 0; }"), None),
    "semaphore, signalled by a cas": (serial("acquire(f)", "{ __threadfence(); atomicCAS(f, c, c + 1); }"), None),
    "semaphore, a cas that fails signals nothing": (serial("acquire(f)", "{ __threadfence(); atomicCAS(f, -1, 0); relaxed_add(f + 1); *(volatile int*)f = c + 1; }").replace("__threadfence(); atomicCAS", "atomicCAS"), errors.GlobalRace),
    "semaphore, an older message behind a newer": (serial("(acquire(f), acquire(f + 1), acquire(f))", "{ release_add(f + 1); release_add(f); }"), None),
    "semaphore, cas": ("if (t == 0) { while (atomicCAS(f, c, c) != c); __threadfence(); } __syncthreads(); y[t] += x[c * 64 + t]; __syncthreads(); if (t == 0) { __threadfence(); atomicExch(f, c + 1); }", None),
}  # fmt: skip


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("name", PATTERNS)
def test_between_ctas(name: str, seed: int | None):
    body, fault = PATTERNS[name]
    if fault:
        with pytest.raises(fault, match=r"of CTA \(\d, 0, 0\)"):
            run(body, seed=seed)
        return
    y, _ = run(body, seed=seed)
    t = np.arange(THREADS)
    want = (CTAS * t + CTAS * (CTAS - 1) // 2) if "last" in name else 64 * sum(range(CTAS)) + CTAS * t
    assert np.array_equal(y[:THREADS], want)


@pytest.mark.parametrize("name", ["last CTA sums, fences", "semaphore, acquire and release"])
def test_between_batches_of_ctas(name: str, monkeypatch: pytest.MonkeyPatch):
    import importlib

    monkeypatch.setattr(importlib.import_module("ptir.emulator.engine.launch"), "MAX_LANES", 128)
    run(PATTERNS[name][0])
    with pytest.raises(errors.GlobalRace):
        run(PATTERNS["last CTA sums, no fence before"][0])


INSIDE = {
    "read of a neighbor's warp": ("y[c * 64 + t] = t; x[c * 64 + t] = y[c * 64 + 63 - t];", errors.GlobalRace),
    "read of a neighbor's warp, barrier": ("y[c * 64 + t] = t; __syncthreads(); x[c * 64 + t] = y[c * 64 + 63 - t];", None),
    "in a warp": ("y[c * 64 + t] = t; x[c * 64 + t] = y[c * 64 + (t ^ 1)];", errors.GlobalRace),
    "in a warp, __syncwarp": ("y[c * 64 + t] = t; __syncwarp(); x[c * 64 + t] = y[c * 64 + (t ^ 1)];", None),
    "read before another's write": ("int v = x[c * 64 + 63 - t]; x[c * 64 + t] = v + 1;", errors.GlobalRace),
    "read before another's write, barrier": ("int v = x[c * 64 + 63 - t]; __syncthreads(); x[c * 64 + t] = v + 1;", None),
    "read by another CTA": ("y[c * 64 + t] = y[(c * 64 + t + 64) % 256] + 1;", errors.GlobalRace),
    "read by two warps, written by the second": ("int v = x[c * 64 + t % 32]; y[c * 64 + t] = v; if (t >= 32) x[c * 64 + t - 32] = v + 1;", errors.GlobalRace),
    "read by two warps, written by the first": ("int v = x[c * 64 + t % 32]; y[c * 64 + t] = v; if (t < 32) x[c * 64 + t] = v + 1;", errors.GlobalRace),
    "read by all warps, written by the last": ("int v = x[c * 64]; y[c * 64 + t] = v; __syncwarp(); if (t == 63) x[c * 64] = v + 1;", errors.GlobalRace),
    "read by all warps, barrier": ("int v = x[c * 64]; y[c * 64 + t] = v; __syncthreads(); if (t == 63) x[c * 64] = v + 1;", None),
    "read by one warp after the other": ("int v = 0; if (t < 32) v = x[c * 64 + t]; __syncwarp(); if (t >= 32) x[c * 64 + t - 32] = x[c * 64 + t - 32] + 1; y[c * 64 + t] = v;", errors.GlobalRace),
    "one's own": ("y[c * 64 + t] = t; y[c * 64 + t] += 1; x[c * 64 + t] = y[c * 64 + t];", None),
    "equal values": ("y[0] = 7;", None),
    "differing values": ("y[0] = t;", errors.GlobalRace),
    "all read one, nobody writes it": ("y[c * 64 + t] = x[5];", None),
    "atomics of all": ("atomicAdd(y, 1); atomicMax(y + 1, t);", None),
    "plain store beside atomics": ("if (c == 0 && t == 0) y[0] = 5; else atomicAdd(y, 1);", errors.GlobalRace),
    "plain load beside atomics": ("atomicAdd(y, 1); x[c * 64 + t] = y[0];", errors.GlobalRace),
    "volatile load beside atomics": ("atomicAdd(y, 1); x[c * 64 + t] = *(volatile int*)y;", None),
}  # fmt: skip


@pytest.mark.parametrize("name", INSIDE)
def test_within_a_cta(name: str):
    body, fault = INSIDE[name]
    if fault:
        with pytest.raises(fault):
            run(body)
    else:
        run(body)


def test_polling_lets_the_others_run():
    """Every CTA waits for the one behind it; the last one starts the chain."""
    y, _ = run(
        "if (c < n - 1) { if (t == 0) while (acquire(f + c + 1) == 0); __syncthreads(); } y[c * 64 + t] = (c < n - 1 ? y[c * 64 + 64 + t] : 0) + 1; __syncthreads(); if (t == 0) release_store(f + c, 1);"
    )
    assert y.reshape(CTAS, THREADS)[:, 0].tolist() == [4, 3, 2, 1]


def test_waiting_within_a_warp():
    """A lane waits for another lane of its warp, which is behind it in the program."""
    body = "if (c == 0 && t < 32) { if (t == 31) { while (acquire(f) == 0); y[0] = 1; } else if (t == 3) release_store(f, 1); }"
    y, _ = run(body)
    assert y[0] == 1


DEADLOCKS = {
    "everyone waits for a flag that nobody raises": ("if (t == 0) while (acquire(f) == 0);", r"4 threads polling .* CTA \(3, 0, 0\): warp 0 polling array 2 \(int32\[16\]\) \+ 0 .*, CUDA line \d"),
    "the warps behind wait, too": ("if (t == 0) while (acquire(f + 3) == 0); __syncthreads(); y[t] = 1;", r"polling array 2 \(int32\[16\]\) \+ 12 .*; CTA \(0, 0, 0\): warp 1 waiting at barrier 0"),
    "one flag early": (serial("acquire(f) - 1", "release_add(f)"), r"4 threads poll"),
    "never signalled": (serial("acquire(f)", "t = 1"), r"3 threads poll"),
    "a lock that is never free": ("if (t == 0) while (atomicCAS(f, 1, 2) != 1);", r"4 threads poll"),
    "with a pause": ("if (t == 0) { unsigned ns = 8; while (acquire(f) == 0) { __nanosleep(ns); if (ns < 256) ns *= 2; } }", r"4 threads polling .* polling array 2"),
    "the rest of its warp waits": ("if (t == 0) while (acquire(f) == 0); __syncwarp(); y[t] = t;", r"4 threads poll"),
    "of a shared flag": ("volatile __shared__ int s; if (t == 0) s = 0; __syncthreads(); if (t == 0) while (s == 0); __syncthreads(); y[t] = 1;", r"polling shared memory"),
}  # fmt: skip


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize("name", DEADLOCKS)
def test_polling_for_nothing_is_a_deadlock(name: str, seed: int | None):
    body, message = DEADLOCKS[name]
    with pytest.raises(errors.Deadlock, match=message):
        run(body, seed=seed)


def test_loops_that_count_while_they_poll_end(monkeypatch: pytest.MonkeyPatch):
    y, _ = run("if (t == 0) { int i = 0; while (acquire(f) == 0 && ++i < 300); y[c * 64] = i; } __syncthreads();")
    assert y[0] == 300
    import importlib

    monkeypatch.setattr(importlib.import_module("ptir.emulator.engine.polling"), "_IDLE_ROUNDS", 50)
    with pytest.raises(errors.Deadlock, match="4 threads polling memory that no thread changes"):
        run("if (t == 0) { int i = 0; while (acquire(f) == 0 && ++i < 300); y[c * 64] = i; } __syncthreads();")


def test_polling_beside_changes_is_no_deadlock(monkeypatch: pytest.MonkeyPatch):
    """CTA 0 counts up while it polls; the others wait until it has counted far enough."""
    import importlib

    monkeypatch.setattr(importlib.import_module("ptir.emulator.engine.polling"), "_IDLE_ROUNDS", 50)
    y, _ = run(
        "if (t == 0) { if (c == 0) while (acquire(f) == 0) relaxed_add(f + 1); else { while (acquire(f + 1) < 200); release_store(f, 1); } } __syncthreads(); y[c * 64 + t] = 1;"
    )
    assert y.all()


def test_messages_of_other_times():
    """What is known of a CTA is the newest of what was heard, whatever came last."""
    body = """if (c == 0 && t == 0) { y[1] = 5; release_store(f, 1); y[2] = 6; release_store(f + 1, 1); }
      if (c == 1 && t == 0) { while (acquire(f + 1) == 0); while (acquire(f) == 0); y[64] = y[1] + y[2]; }"""
    y, _ = run(body)
    assert y[64] == 11


def test_waiting_for_a_later_batch_is_a_deadlock(monkeypatch: pytest.MonkeyPatch):
    """Nothing says that a later CTA runs beside an earlier one. An earlier one has run, whatever the batch."""
    import importlib

    monkeypatch.setattr(importlib.import_module("ptir.emulator.engine.launch"), "MAX_LANES", 128)
    run(PATTERNS["semaphore, acquire and release"][0])
    with pytest.raises(errors.Deadlock, match="2 of 4 CTAs have begun, and a GPU need not begin more"):
        run(
            "if (t == 0) while (acquire(f) != n - 1 - c); __syncthreads(); y[t] += 1; __syncthreads(); if (t == 0) release_add(f);"
        )


@pytest.mark.campaign
def test_a_grid_that_waits_in_line():
    """256 CTAs, each behind the one before or the one after it: rounds of polling cost little."""
    for turn in ("c", "n - 1 - c"):
        source = f"""{HELPERS} extern "C" __global__ void k(int* y, int* f) {{ int t = threadIdx.x, c = blockIdx.x, n = gridDim.x;
          if (t == 0) while (acquire(f) != {turn}); __syncthreads(); y[t] += c; __syncthreads(); if (t == 0) release_add(f); }}"""
        y, f = np.zeros(64, np.int32), np.zeros(1, np.int32)
        report = run_cuda(source, y, f, grid=256)
        assert (y == 256 * 255 // 2).all() and f[0] == 256
        assert report.steps < 256 * 24


PLACES = {
    "a load after a store": ("y[c * 64 + t] = t; x[c * 64 + t] = y[c * 64 + 63 - t];", "load", (0, 0), (0, 63)),
    "two stores of one step": ("if (t == 5) x[0] = c + 7;", "store", (0, 5), (3, 5)),
    "a store after a load": ("if (c == 0) y[t] = x[70]; __syncthreads(); if (c == 3 && t > 4) x[64 + t] = 7;", "store", (3, 6), (0, 63)),
    "a store after loads, the last by its own thread": ("if (c == 0 && t < 8) { y[t] = x[5]; if (t == 6) y[t] += x[5]; if (t > 4) x[t - 1] = 7; }", "store", (0, 6), (0, 0)),
}  # fmt: skip


@pytest.mark.parametrize("name", PLACES)
def test_fault_names_both_places(name: str):
    body, access, (cta, tid), (other_cta, other_tid) = PLACES[name]
    with pytest.raises(errors.GlobalRace) as caught:
        run(body)
    message = caught.value.message
    assert f"orders the {access} here after the access by tid {other_tid} of CTA ({other_cta}, 0, 0)" in message
    assert f"ctaid ({cta}, 0, 0), tid ({tid}, 0, 0)" in message
