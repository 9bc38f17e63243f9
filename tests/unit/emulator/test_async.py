"""mbarriers, bulk copies, proxies and register flights, one rule at a time."""

# ruff: noqa: E501 (lines of CUDA stay whole)

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ptir.emulator import Memory, TensorMap, errors
from tests.unit.builders.ptx_kernels.blocks import HEAD, reported, run_block
from tests.unit.builders.ptx_kernels.launch import run_cuda


def check(body: str, fault: Any, *, threads: int = 64, seed: int | None) -> None:
    """Requires that `body` writes the reverse of x to y, or causes one of these faults."""
    x, y = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    with reported(fault):
        run_block(body, x, y, threads=threads, seed=seed)
    assert fault or np.array_equal(y, 63 - x)


START = "if (t == 0) {{ init(b, {}); init_fence(); }} __syncthreads(); "
ONE, ALL = START.format(1), START.format(64)
# Warp 1 produces, warp 0 consumes.
MBARRIERS: dict[str, tuple[str, Any]] = {
    "all arrive, all wait": (ALL + "s[t] = x[t]; arrive(b); wait(b, 0); y[t] = s[63 - t];", None),
    "all arrive, nobody waits": (ALL + "s[t] = x[t]; arrive(b); y[t] = s[63 - t];", errors.SharedRace),
    "arrive before the write": (ALL + "arrive(b); s[t] = x[t]; wait(b, 0); y[t] = s[63 - t];", errors.SharedRace),
    "relaxed arrival": (ALL + "s[t] = x[t]; arrive_relaxed(b); wait(b, 0); y[t] = s[63 - t];", errors.SharedRace),
    "two phases": (ALL + "for (int i = 0; i < 4; i++) { s[t] = x[t] + i; arrive(b); wait(b, (2 * i) & 1); y[t] = s[63 - t] - i; arrive(b); wait(b, (2 * i + 1) & 1); }", None),
    "one phase for two": (ALL + "for (int i = 0; i < 2; i++) { s[t] = x[t] + i; arrive(b); wait(b, i & 1); y[t] = s[63 - t] - i; }", errors.SharedRace),
    "polled": (ALL + "s[t] = x[t]; arrive(b); while (!test(b, 0)); y[t] = s[63 - t];", None),
    "polled by state": (ALL + "s[t] = x[t]; u64 c = arrive(b); while (!test_state(b, c)); y[t] = s[63 - t];", None),
    "elected arrival, __syncwarp": (START.format(2) + "s[t] = x[t]; __syncwarp(); if (t % 32 == 0) arrive(b); wait(b, 0); y[t] = s[63 - t];", None),
    "elected arrival": (START.format(2) + "s[t] = x[t]; if (t % 32 == 0) arrive(b); wait(b, 0); y[t] = s[63 - t];", errors.SharedRace),
    "elected wait, __syncwarp": (ALL + "s[t] = x[t]; arrive(b); if (t % 32 == 0) wait(b, 0); __syncwarp(); y[t] = s[63 - t];", None),
    "elected wait": (ALL + "s[t] = x[t]; arrive(b); if (t % 32 == 0) wait(b, 0); y[t] = s[63 - t];", errors.SharedRace),
    "elected arrival after reads, __syncwarp": (ONE + "s[t] = 63 - t; __syncthreads(); if (t < 32) { y[t] = s[t]; y[t + 32] = s[t + 32]; __syncwarp(); if (t == 0) arrive(b); } else { wait(b, 0); s[t - 32] = 1; }", None),
    "elected arrival after reads": (ONE + "s[t] = 63 - t; __syncthreads(); if (t < 32) { y[t] = s[t]; y[t + 32] = s[t + 32]; if (t == 0) arrive(b); } else { wait(b, 0); s[t - 32] = 1; }", errors.SharedRace),
    "one lane waits after another": ("if (t == 0) { init(b, 32); init(b + 1, 32); init_fence(); } __syncthreads(); if (t >= 32) { s[t] = x[t]; arrive(b); s[t - 32] = 5; arrive(b + 1); } else { if (t == 1) wait(b, 0); if (t == 0) wait(b + 1, 0); if (t == 1) y[1] = s[3]; }", errors.SharedRace),
    "one writes, arrives, others read": (ONE + "if (t == 32) { for (int i = 0; i < 64; i++) s[i] = x[i]; arrive(b); } wait(b, 0); y[t] = s[63 - t];", None),
    "overwritten before they have read": (START.format(33) + "if (t == 32) { for (int i = 0; i < 64; i++) s[i] = x[i]; arrive(b); s[3] = 9; } if (t < 32) { arrive(b); wait(b, 0); y[63 - t] = s[t]; }", (errors.SharedRace,)),
    "counts": (START.format(4) + "s[t] = x[t]; __syncwarp(); if (t % 32 == 0) arrive_n(b, 2); wait(b, 0); y[t] = s[63 - t];", None),
    "dropped": (ALL + "if (t >= 32) { s[t] = x[t]; s[t - 32] = x[t - 32]; drop(b); return; } arrive(b); wait(b, 0); y[t] = s[63 - t]; y[63 - t] = s[t]; arrive(b); wait(b, 1);", None),
    "too few come": (START.format(65) + "arrive(b); wait(b, 0);", errors.Deadlock),
    "too large a count": (START.format(4) + "if (t == 0) arrive_n(b, 5);", errors.MbarrierMisuse),
    "never initialized": ("if (t == 0) arrive(b + 1);", errors.MbarrierMisuse),
    "initialized with zero": ("if (t == 0) init(b, x[0]);", errors.MbarrierMisuse),
    "initialized twice": ("if (t == 0) { init(b, 1); init(b, 1); }", errors.MbarrierMisuse),
    "several phases by one instruction": (ONE + "arrive(b);", errors.MbarrierMisuse),
    "a parity of 2": (ALL + "arrive(b); wait(b, 2);", errors.MbarrierMisuse),
    "read as data": (ONE + "y[t] = (int)*(volatile u64*)b;", errors.MbarrierMisuse),
    "overwritten": (ONE + "__syncthreads(); if (t == 0) *(volatile u64*)b = 0;", errors.MbarrierMisuse),
    "no barrier behind init": ("if (t == 0) init(b, 64); arrive(b);", (errors.SharedRace, errors.MbarrierMisuse)),
    "misaligned": ("if (t == 0) init((u64*)((char*)b + 4), 1);", errors.Misaligned),
}  # fmt: skip


@pytest.mark.parametrize("seed", [None, 0, 1])
@pytest.mark.parametrize("name", MBARRIERS)
def test_mbarrier(name: str, seed: int | None):
    check(*MBARRIERS[name], seed=seed)


FETCH = ONE + "if (t == 0) { expect(b, 256); load(s, x, 256, b); } "
# Warp 1 fills half of s, which thread 0 then fetches.
OVER = "if (t == 0) {{ init(b, 1); init(b + 1, 1); init_fence(); }} __syncthreads(); if (t >= 32) {{ s[t] = 7; fence(); {}if (t == 32) arrive(b + 1); }} if (t == 0) {{ wait(b + 1, 0); expect(b, 256); load(s, x, 256, b); }} wait(b, 0); y[t] = s[63 - t];"
# The lanes fill s, thread 0 stores it to y.
LEAVE = "s[t] = x[63 - t]; fence(); __syncthreads(); if (t == 0) { store(y, s, 256); commit(); stored(); }"
COPIES: dict[str, tuple[str, Any]] = {
    "waited": (FETCH + "wait(b, 0); y[t] = s[63 - t];", None),
    "not waited": (FETCH + "y[t] = s[63 - t];", (errors.AsyncRace, errors.UninitializedMemory)),
    "over what a warp wrote, released by a lane": (OVER.format("__syncwarp(); "), None),
    "over what lanes wrote that have not released": (OVER.format(""), errors.AsyncRace),
    "waited by one, barrier": (FETCH + "if (t == 0) wait(b, 0); __syncthreads(); y[t] = s[63 - t];", None),
    "waited by one": (FETCH + "if (t == 0) wait(b, 0); y[t] = s[63 - t];", (errors.AsyncRace, errors.UninitializedMemory)),
    "too many bytes": (FETCH.replace("expect(b, 256)", "expect(b, 128)") + "wait(b, 0);", (errors.Deadlock, errors.AsyncRace)),
    "too few bytes": (FETCH.replace("expect(b, 256)", "expect(b, 512)") + "wait(b, 0);", errors.Deadlock),
    "expected apart": (FETCH.replace("expect(b, 256)", "expect_only(b, 256); arrive(b)") + "wait(b, 0); y[t] = s[63 - t];", None),
    "init not fenced": (FETCH.replace("init_fence(); ", "") + "wait(b, 0);", errors.MissingBarrierFence),
    "init fenced for the proxy": (FETCH.replace("init_fence()", "fence()") + "wait(b, 0); y[t] = s[63 - t];", None),
    "over data that were written": ("s[t] = 1; __syncthreads(); " + FETCH + "wait(b, 0);", errors.ProxyRace),
    "over data that were written, fenced": ("s[t] = 1; fence(); __syncthreads(); " + FETCH + "wait(b, 0); y[t] = s[63 - t];", None),
    "over data that are read": ("s[t] = 1; fence(); __syncthreads(); y[t] = s[t ^ 63]; " + FETCH.replace("__syncthreads(); if (t == 0) { expect", "if (t == 0) { expect"), errors.AsyncRace),
    "17 bytes": (FETCH.replace("load(s, x, 256", "load(s, x, 17"), errors.BadTensorCopy),
    "misaligned source": (FETCH.replace("load(s, x, 256", "load(s, x + 1, 240"), errors.BadTensorCopy),
    "beyond the array": (FETCH.replace("load(s, x, 256", "load(s, x + 16, 256"), errors.OutOfBounds),
    "beyond shared memory": (FETCH.replace("load(s, x, 256", "load((char*)b + 256, x, 256"), errors.OutOfBounds),
    "stored": (LEAVE, None),
    "stored, no proxy fence": (LEAVE.replace("fence(); ", ""), errors.ProxyRace),
    "stored, no barrier": (LEAVE.replace("__syncthreads(); ", ""), (errors.AsyncRace, errors.UninitializedMemory)),
    "stored, not waited": (LEAVE.replace("stored();", ""), errors.UnfinishedCopy),
    "stored, not committed": (LEAVE.replace("commit(); ", ""), errors.UnfinishedCopy),
    "stored, overwritten": (LEAVE + " s[t] = 0;", errors.AsyncRace),
    "stored, overwritten later": (LEAVE + " __syncthreads(); s[t] = 0;", None),
    "stored, overwritten after __syncwarp": (LEAVE + " __syncwarp(); if (t < 32) s[t] = 0;", None),
    "stored, overwritten by the lane that waited": (LEAVE + " if (t == 0) s[5] = 0;", None),
    "stored, overwritten by the warp of the lane that waited": (LEAVE + " if (t < 32) s[t] = 0;", errors.AsyncRace),
    "stored, waited for by another lane": (LEAVE.replace("stored(); }", "} if (t < 32) stored(); __syncwarp(); if (t < 32) s[t] = 0;"), None),
    "stored, waited for by the warp": (LEAVE.replace("stored(); }", "} if (t < 32) { stored(); s[t] = 0; }"), errors.AsyncRace),
    "stored, the warp waits for something else": (ALL + "arrive(b); " + LEAVE + " wait(b, 0); if (t < 32) s[t] = 0;", errors.AsyncRace),
    "stored, released by the lane that waited": (START.format(1) + LEAVE.replace("stored();", "stored(); arrive(b);") + "wait(b, 0); s[t] = 0;", None),
    "stored, released by another lane": (START.format(1) + LEAVE + " if (t == 32) arrive(b); wait(b, 0); s[t] = 0;", errors.AsyncRace),
    "minus one group": (LEAVE.replace("stored()", 'asm volatile("cp.async.bulk.wait_group -1;" ::: "memory")'), errors.BadOperand),
    "reduced": ("y[t] = 0; __syncthreads(); " + LEAVE.replace("store(y", "add(y"), None),
}  # fmt: skip


@pytest.mark.parametrize("seed", [None, 0, 1])
@pytest.mark.parametrize("name", COPIES)
def test_bulk_copy(name: str, seed: int | None):
    check(*COPIES[name], seed=seed)


# --- tensor maps -----------------------------------------------------------------------------------


def fetch_box(tensor: TensorMap, memory: Memory, start: tuple[int, ...], out: np.ndarray, address: str = "s") -> None:
    rank = len(start)
    coordinates = ", ".join(f"%{3 + i}" for i in range(rank))
    values = "".join(f', "r"({x})' for x in start)
    source = f"""{HEAD} extern "C" __global__ void k(const __grid_constant__ Map m, int* y) {{
      __shared__ __align__(1024) int s[1024]; __shared__ u64 b[1]; int t = threadIdx.x;
      {ONE} if (t == 0) {{ expect(b, {tensor.box_bytes}); asm volatile("cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {{{coordinates}}}], [%2];"
        :: "r"(at({address})), "l"(&m), "r"(at(b)){values} : "memory"); }}
      wait(b, 0); for (int i = t; i < {tensor.box_bytes // 4}; i += 64) y[i] = s[i]; }}"""
    run_cuda(source, tensor, out, arch="sm_90a", memory=memory)


@pytest.mark.parametrize(
    ("box", "start"),
    [((4, 16), (0, 0)), ((4, 16), (8, 3)), ((4, 16), (-3, -2)), ((4, 16), (60, 9)), ((4, 16), (100, 0))],
)
@pytest.mark.parametrize("swizzle", [0, 32])
def test_boxes_of_a_matrix(box: tuple[int, int], start: tuple[int, int], swizzle: int):
    """Rows of 32 bytes; chunk c of row r goes to c ^ (r / 4 % 2) under the 32-byte swizzle."""
    x = np.arange(10 * 64, dtype=np.uint16).reshape(10, 64)
    memory = Memory()
    y = np.zeros(box, np.uint16)
    fetch_box(TensorMap.of(x, memory.bind(x, readonly=True), box, swizzle=swizzle), memory, start, y)
    want = np.zeros(box, np.uint16)
    for r in range(4):
        for c in range(16):
            if 0 <= start[1] + r < 10 and 0 <= start[0] + c < 64:
                want[r, c] = x[start[1] + r, start[0] + c]
    if swizzle:
        want = np.stack([np.roll(row, 8 * (r // 4 % 2)) for r, row in enumerate(want)])
    assert np.array_equal(y, want)


@pytest.mark.parametrize("swizzle", [32, 64, 128])
def test_swizzles(swizzle: int):
    """The chunk's number is XORed with the number of the 128 bytes it is in, modulo the chunks of a span."""
    rows = 1024 // swizzle
    x = np.arange(rows * swizzle // 4, dtype=np.int32).reshape(rows, -1)
    memory, y = Memory(), np.zeros((64, 4), np.int32)
    fetch_box(TensorMap.of(x, memory.bind(x, readonly=True), x.shape, swizzle=swizzle), memory, (0, 0), y)
    chunks = x.reshape(64, 4)
    want = np.zeros_like(chunks)
    for i in range(64):
        want[i ^ (i // 8 % (swizzle // 16))] = chunks[i]
    assert np.array_equal(y, want)


def test_other_ranks_and_fills():
    x = np.arange(3 * 4 * 5 * 8, dtype=np.float32).reshape(3, 4, 5, 8)
    memory, y = Memory(), np.zeros((2, 2, 3, 8), np.float32)
    tensor = TensorMap.of(x, memory.bind(x, readonly=True), y.shape)
    fetch_box(tensor, memory, (0, 3, 1, 2), y)
    want = np.zeros_like(y)
    want[:1, :2, :2] = x[2:3, 1:3, 3:5]
    assert np.array_equal(y, want)
    line = TensorMap(tensor.address, 2, (40,), (), (16,), nan_fill=True)
    z = np.zeros(16, ml_dtypes.bfloat16)
    fetch_box(line, memory, (32,), z)
    assert (
        np.array_equal(z[:8].view(np.uint16), x.reshape(-1).view(np.uint16)[32:40])
        and np.isnan(z[8:].astype(np.float32)).all()
    )


def test_wrong_tensor_copies():
    x = np.zeros((8, 64), np.int32)
    memory = Memory()
    tensor = TensorMap.of(x, memory.bind(x, readonly=True), (8, 8))
    with pytest.raises(errors.Misaligned):
        fetch_box(tensor, memory, (0, 0), np.zeros((8, 8), np.int32), address="s + 4")
    with pytest.raises(errors.BadTensorCopy, match="rank 2, but the copy has rank 3"):
        fetch_box(tensor, memory, (0, 0, 0), np.zeros((8, 8), np.int32))
    with pytest.raises(errors.BadTensorCopy, match="no tensor map"):
        fetch_box(type("Raw", (bytes,), {"box_bytes": 256})(128), memory, (0, 0), np.zeros((8, 8), np.int32))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"address": 8}, "16-byte aligned"),
        ({"strides": (100,)}, "multiples of 16"),
        ({"box": (8, 257)}, "1, 256"),
        ({"box": (3, 8)}, "multiple of 16"),
        ({"swizzle": 32, "box": (16, 8)}, "exceed the swizzle"),
        ({"swizzle": 48}, "swizzle 48"),
        ({"sizes": (64,)}, "got 2 box sizes and 1 element strides, expected 1"),
        ({"element_bytes": 3}, "elements of 3 bytes"),
        ({"strides": (0,)}, "0 along an axis of more than one"),
        ({"strides": (-256,)}, "multiples of 16"),
        ({"strides": (1 << 40,), "sizes": (64, 1)}, "multiples of 16"),
        ({"nan_fill": True, "dtype": "s32"}, "elements of type s32 cannot be filled with NaN"),
    ],
)
def test_tensor_maps_that_the_driver_refuses(change: dict[str, Any], problem: str):
    fields: dict[str, Any] = {"address": 0, "element_bytes": 4, "sizes": (64, 8), "strides": (256,), "box": (8, 8)}
    with pytest.raises(errors.BadTensorMap, match=problem):
        TensorMap(**(fields | change))


def test_strides_of_axes_of_size_one():
    """As the driver has it: nothing multiplies them, and 0 will do."""
    x = np.arange(64, dtype=np.int32).reshape(1, 4, 16)
    for stride in (0, 16, 256, 1 << 39):
        memory, y = Memory(), np.zeros((1, 4, 8), np.int32)
        tensor = TensorMap(memory.bind(x, readonly=True), 4, (16, 4, 1), (64, stride), (8, 4, 1))
        fetch_box(tensor, memory, (8, 0, 0), y)
        assert np.array_equal(y, x[:, :, 8:])
    odd = np.lib.stride_tricks.as_strided(x, (1, 4, 1, 16), (7, 64, 3, 4))
    assert TensorMap.of(odd, 0, (1, 4, 1, 16)).strides == (64, 64, 64)


def test_element_strides():
    """Every second row; the innermost element stride is ignored."""
    x, y, memory = np.arange(128, dtype=np.int32).reshape(8, 16), np.zeros((3, 8), np.int32), Memory()
    tensor = TensorMap(memory.bind(x, readonly=True), 4, (16, 8), (64,), (8, 5), element_strides=(3, 2))
    fetch_box(tensor, memory, (8, 1), y)
    assert np.array_equal(y, x[1:6:2, 8:])


# --- the rest --------------------------------------------------------------------------------------


def test_elect():
    body = """u32 lane, yes; asm volatile("{.reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p;}" : "=r"(lane), "=r"(yes) : "r"(0xffffffffu));
      x[t] = yes; y[t] = lane; asm volatile("griddepcontrol.wait;" ::: "memory"); asm volatile("griddepcontrol.launch_dependents;");"""
    x, y = np.zeros(64, np.int32), np.ones(64, np.int32)
    run_block(body, x, y)
    assert np.flatnonzero(x).tolist() == [0, 32] and not y.any()


BARRIERS: dict[str, tuple[str, Any]] = {
    "producer arrives, consumer waits": ("if (t < 32) { s[t] = x[t]; asm volatile(\"bar.arrive 1, 64;\" ::: \"memory\"); } else { asm volatile(\"bar.sync 1, 64;\" ::: \"memory\"); y[t] = s[t - 32]; }", None),
    "producer writes after arriving": ("if (t < 32) { asm volatile(\"bar.arrive 1, 64;\" ::: \"memory\"); s[t] = x[t]; } else { asm volatile(\"bar.sync 1, 64;\" ::: \"memory\"); y[t] = s[t - 32]; }", (errors.SharedRace, errors.UninitializedMemory)),
    "arriving is no waiting": ("if (t >= 32) { s[t] = x[t]; asm volatile(\"bar.sync 1, 64;\" ::: \"memory\"); } else { asm volatile(\"bar.arrive 1, 64;\" ::: \"memory\"); y[t] = s[t + 32]; }", (errors.SharedRace, errors.UninitializedMemory)),
    "counts differ": ("if (t < 32) asm volatile(\"bar.sync 1, 64;\" ::: \"memory\"); else asm volatile(\"bar.sync 1, 96;\" ::: \"memory\");", errors.BarrierMisuse),
    "no whole warps": ("asm volatile(\"bar.sync 1, %0;\" :: \"r\"(x[33]) : \"memory\");", errors.BarrierMisuse),
    "no such barrier": ("asm volatile(\"bar.sync %0, 64;\" :: \"r\"(x[16]) : \"memory\");", errors.BarrierMisuse),
    "one barrier for two sets": ("asm volatile(\"bar.sync 1, 32;\" ::: \"memory\");", errors.BarrierMisuse),
    "a barrier each": ("asm volatile(\"bar.sync %0, 32;\" :: \"r\"(t / 32 + 1) : \"memory\");", None),
    "one after the other": ("if (t < 32) asm volatile(\"bar.sync 1, 32;\" ::: \"memory\"); __syncthreads(); if (t >= 32) asm volatile(\"bar.sync 1, 32;\" ::: \"memory\");", None),
}  # fmt: skip


@pytest.mark.parametrize("seed", [None, 0, 1])
@pytest.mark.parametrize("name", BARRIERS)
def test_named_barriers(name: str, seed: int | None):
    body, fault = BARRIERS[name]
    x, y = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    with reported(fault):
        run_block(body, x, y, seed=seed)


TRACKED = """u32 d = at(s + t * 4); asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(d), "l"(x + t * 4) : "memory");
  asm volatile("cp.async.mbarrier.arrive{}.shared::cta.b64 [%0];" :: "r"(at(b)) : "memory"); """
TRACKERS: dict[str, tuple[str, Any]] = {
    "counted, waited": (ALL + TRACKED.format(".noinc") + "wait(b, 0); y[t] = s[255 - t * 4];", None),
    "counted, not waited": (ALL + TRACKED.format(".noinc") + "y[t] = s[255 - t * 4];", errors.AsyncRace),
    "beside an arrival": (ALL + TRACKED.format("") + "arrive(b); wait(b, 0); y[t] = s[255 - t * 4];", None),
    "no arrival": (ALL + TRACKED.format("") + "wait(b, 0); y[t] = s[255 - t * 4];", errors.Deadlock),
    "copied after the arrival": (ALL + TRACKED.format(".noinc") + 'asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at(s + 512 + t * 4)), "l"(x) : "memory"); wait(b, 0); y[t] = s[512 + t];', errors.PendingCopy),
}  # fmt: skip


@pytest.mark.parametrize("name", TRACKERS)
def test_copies_that_an_mbarrier_tracks(name: str):
    body, fault = TRACKERS[name]
    x, y = np.arange(256, dtype=np.int32), np.zeros(64, np.int32)
    with reported(fault):
        run_block(body, x, y)
    assert fault or np.array_equal(y, 255 - 4 * np.arange(64))


def test_an_elected_wait_hears_of_third_warps():
    """Warp 1 writes and meets warp 2, which arrives; lane 0 of warp 0 waits for that, and its warp reads."""
    body = (
        START.format(32)
        + """if (t >= 64) { asm volatile("bar.sync 1, 64;" ::: "memory"); arrive(b); }
      else if (t >= 32) { s[t] = x[t]; asm volatile("bar.sync 1, 64;" ::: "memory"); }
      else { if (t == 0) wait(b, 0); __syncwarp(); y[t] = s[63 - t]; y[t + 32] = 31 - t; }"""
    )
    x, y = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    run_block(body, x, y, threads=96)
    assert np.array_equal(y, 63 - x)
    with pytest.raises(errors.SharedRace):
        run_block(body.replace("__syncwarp();", ""), x, y, threads=96)


def test_an_elected_copy_overwrites_what_third_warps_have_read():
    """Warps 1 and 2 read and meet, lane 0 of warp 1 arrives; lane 0 of warp 0 waits for that, and copies over what was read."""
    body = (
        "if (t < 64) s[t] = 7; fence(); "
        + START.format(1)
        + """if (t >= 32) { y[t - 32] = s[95 - t]; asm volatile("bar.sync 1, 64;" ::: "memory"); if (t == 32) arrive(b); }
      else if (t == 0) { wait(b, 0); expect(b, 256); load(s, x, 256, b); wait(b, 1); }"""
    )
    x, y = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    run_block(body, x, y, threads=96)
    assert (y == 7).all()
    with pytest.raises(errors.AsyncRace):
        run_block(body.replace('asm volatile("bar.sync 1, 64;" ::: "memory");', ""), x, y, threads=96)


@pytest.mark.parametrize(
    ("size", "shift", "fault"),
    [
        (16, 0, None),
        (6, 0, None),
        (0, 0, None),
        (17, 0, errors.BadCopySize),
        (-2, 0, errors.BadCopySize),
        (6, 4, errors.Misaligned),
        (0, 4, errors.Misaligned),
    ],
)
def test_copies_of_less_than_all(size: int, shift: int, fault: type[errors.EmulatorFault] | None):
    """The rest becomes zero; the source is aligned even when nothing of it is read."""
    source = """extern "C" __global__ void k(const char* x, int* y, int size, int shift) { __shared__ __align__(16) int s[128];
      int t = threadIdx.x; unsigned to = (unsigned)__cvta_generic_to_shared(s + t * 4);
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(x + t * 16 + shift), "r"(size) : "memory");
      asm volatile("cp.async.wait_all;" ::: "memory"); for (int i = 0; i < 4; i++) y[t * 4 + i] = s[t * 4 + i]; }"""
    x, y = np.arange(1, 529, dtype=np.uint16).view(np.uint8), np.zeros((32, 16), np.uint8)
    with reported(fault):
        run_cuda(source, x, y, size, shift, block=32)
    want = x[: 32 * 16].reshape(32, 16).copy()
    want[:, size:] = 0
    assert fault or np.array_equal(y, want)


PARTIAL: dict[str, tuple[str, Any]] = {
    "two of four warps": ("if (t < 64) { s[t] = x[t]; asm volatile(\"barrier.sync 3, 64;\" ::: \"memory\"); y[t] = s[63 - t]; }", None),
    "one arrives, one waits": ("if (t < 32) { s[t] = x[t]; s[t + 32] = x[t + 32]; asm volatile(\"barrier.arrive 3, 64;\" ::: \"memory\"); } else if (t < 64) { asm volatile(\"barrier.sync 3, 64;\" ::: \"memory\"); y[t] = s[63 - t]; y[t - 32] = s[95 - t]; }", None),
    "the one that arrives does not wait": ("if (t < 32) { asm volatile(\"barrier.arrive 3, 64;\" ::: \"memory\"); y[t] = s[t + 32]; } else if (t < 64) { s[t] = x[t]; asm volatile(\"barrier.sync 3, 64;\" ::: \"memory\"); }", (errors.SharedRace, errors.UninitializedMemory)),
    "too many wanted": ("if (t < 64) asm volatile(\"barrier.sync 3, 96;\" ::: \"memory\"); else if (t < 96) { asm volatile(\"barrier.sync 4, 64;\" ::: \"memory\"); }", errors.Deadlock),
    "different numbers": ("if (t < 32) asm volatile(\"barrier.sync 3, 64;\" ::: \"memory\"); else if (t < 64) asm volatile(\"barrier.sync 3, 96;\" ::: \"memory\");", errors.BarrierMisuse),
}  # fmt: skip


@pytest.mark.parametrize("seed", [None, 0])
@pytest.mark.parametrize("name", PARTIAL)
def test_partial_barriers(name: str, seed: int | None):
    check(*PARTIAL[name], threads=128, seed=seed)


def test_hints_do_nothing():
    """Prefetches, policies, programmatic launches and naps."""
    body = """asm volatile("cp.async.bulk.prefetch.L2.global [%0], 256;" :: "l"(x) : "memory");
      u64 p; asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 0.5;" : "=l"(p));
      asm volatile("griddepcontrol.launch_dependents;"); asm volatile("nanosleep.u32 100;"); y[t] = 63 - x[t] + (int)p;"""
    x, y = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    run_block(body, x, y)
    assert np.array_equal(y, 63 - x)


# --- bulk loads of what the kernel wrote -----------------------------------------------------------

FETCH = "if (t == 0) { expect(b, 256); load(s, y, 256, b); } wait(b, 0); y[t] = s[63 - t];"
INIT = "if (t == 0) { init(b, 1); init_fence(); } y[t] = x[t]; "
ALL = 'asm volatile("fence.proxy.async;" ::: "memory"); '
GLOBAL = 'asm volatile("fence.proxy.async.global;" ::: "memory"); '
WRITTEN: dict[str, tuple[str, Any]] = {
    "fenced by the writers": (INIT + ALL + "__syncthreads(); " + FETCH, None),
    "fenced by the writers, global": (INIT + GLOBAL + "__syncthreads(); " + FETCH, None),
    "fenced by the reader": (INIT + "__syncthreads(); " + ALL + FETCH, None),
    "not fenced": (INIT + "__syncthreads(); " + FETCH, errors.ProxyRace),
    "fenced too early": (ALL + INIT + "__syncthreads(); " + FETCH, errors.ProxyRace),
    "fenced by some": (INIT + "if (t < 32) " + ALL + "__syncthreads(); " + FETCH, errors.ProxyRace),
    "fenced before the barrier by the reader": (INIT + "if (t == 0) " + ALL + "__syncthreads(); " + FETCH, errors.ProxyRace),
    "fenced for shared memory": (INIT + "fence(); __syncthreads(); " + FETCH, errors.ProxyRace),
    "overwritten before it is read": (INIT + ALL + "__syncthreads(); " + FETCH.replace("wait(b, 0); y[t] = s[63 - t];", "if (t == 1) y[1] = 7; wait(b, 0);"), errors.GlobalRace),
    "no barrier": (INIT + ALL + FETCH, (errors.GlobalRace, errors.SharedRace, errors.MbarrierMisuse)),
}  # fmt: skip


@pytest.mark.parametrize("seed", [None, 0])
@pytest.mark.parametrize("name", WRITTEN)
def test_bulk_loads_of_what_the_kernel_wrote(name: str, seed: int | None):
    check(*WRITTEN[name], seed=seed)
