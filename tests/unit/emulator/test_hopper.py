"""What else Hopper kernels use: tensor stores and reductions, setmaxnreg, st.async, partial barriers."""

# ruff: noqa: E501 (lines of CUDA stay whole)

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.emulator import Memory, TensorMap, errors, launch, parse
from tests.unit.emulator.test_cluster import HEAD

Array = np.ndarray[Any, np.dtype[Any]]


# --- tensor stores ---------------------------------------------------------------------------------


def leave_box(
    tensor: TensorMap, memory: Memory, start: tuple[int, ...], data: Array, *, reduce: str = "", body: str = ""
) -> None:
    """`data` goes to shared memory as it is and from there to the tensor."""
    rank = len(start)
    coordinates = ", ".join(f"%{2 + i}" for i in range(rank))
    values = "".join(f', "r"({x})' for x in start)
    what = (
        f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{reduce}.tile"
        if reduce
        else f"cp.async.bulk.tensor.{rank}d.global.shared::cta.tile"
    )
    source = f"""{HEAD} extern "C" __global__ void k(const __grid_constant__ Map m, const int* x) {{
      __shared__ __align__(1024) int s[4096]; int t = threadIdx.x;
      for (int i = t; i < {data.nbytes // 4}; i += 64) s[i] = x[i];
      {body or "fence(); __syncthreads();"}
      if (t == 0) {{ asm volatile("prefetch.tensormap [%0];" :: "l"(&m) : "memory");
        asm volatile("{what}.bulk_group [%1, {{{coordinates}}}], [%0];" :: "r"(at(s)), "l"(&m){values} : "memory");
        commit(); stored(); }} }}"""
    args = [tensor, memory.bind(np.ascontiguousarray(data))]
    launch(parse(compile_cuda(source, "sm_90a").ptx), "k", grid=1, block=64, args=args, memory=memory)


@pytest.mark.parametrize(
    ("shape", "box", "start"),
    [
        ((64,), (16,), (56,)),
        ((20, 64), (8, 16), (0, 0)),
        ((20, 64), (8, 16), (-8, 15)),
        ((20, 72), (8, 16), (64, 18)),
        ((20, 64), (8, 16), (100, 0)),
        ((3, 5, 16), (2, 4, 8), (8, -1, 2)),
        ((2, 3, 5, 16), (1, 2, 4, 8), (12, 2, 2, 1)),
        ((2, 2, 3, 5, 16), (2, 1, 2, 4, 8), (-3, -1, 1, 1, 0)),
    ],
)
def test_boxes_that_leave_the_tensor_are_clipped(shape: tuple[int, ...], box: tuple[int, ...], start: tuple[int, ...]):
    y = np.zeros(shape, np.uint16)
    data = np.arange(1, 1 + np.prod(box), dtype=np.uint16).reshape(box)
    memory = Memory()
    leave_box(TensorMap.of(y, memory.bind(y), box), memory, start, data)
    want = np.zeros(shape, np.uint16)
    for index in np.ndindex(*box):
        to = tuple(i + s for i, s in zip(index, start[::-1], strict=True))
        if all(0 <= i < n for i, n in zip(to, shape, strict=True)):
            want[to] = data[index]
    assert np.array_equal(y, want)


@pytest.mark.parametrize(
    "dtype", [np.float32, np.int32, np.uint32, np.float16, ml_dtypes.bfloat16], ids=lambda t: np.dtype(t).name
)
def test_added_to_a_tensor(dtype: Any):
    rng = np.random.default_rng(1)
    y, data = (rng.integers(0, 50, shape).astype(dtype) for shape in ((12, 64), (8, 16)))
    want = y.copy()
    want[6:, 56:] += data[:6, :8]
    memory = Memory()
    leave_box(TensorMap.of(y, memory.bind(y), (8, 16)), memory, (56, 6), data, reduce="add")
    assert np.array_equal(y, want)


def test_extremes_of_a_tensor():
    rng = np.random.default_rng(2)
    y, data = (rng.integers(-50, 50, (8, 16)).astype(np.int32) for _ in range(2))
    want = np.maximum(y, data)
    memory = Memory()
    leave_box(TensorMap.of(y, memory.bind(y), (8, 16)), memory, (0, 0), data, reduce="max")
    assert np.array_equal(y, want)


def test_a_reduction_needs_the_element_type():
    y, memory = np.zeros((8, 16), np.float32), Memory()
    tensor = TensorMap(memory.bind(y), 4, (16, 8), (64,), (16, 8))
    with pytest.raises(errors.BadTensorCopy, match="does not say"):
        leave_box(tensor, memory, (0, 0), y.copy(), reduce="add")
    with pytest.raises(errors.BadTensorMap, match="elements of f16"):
        TensorMap(tensor.address, 4, (16, 8), (64,), (16, 8), dtype="f16")


def leave_written(
    tensor: TensorMap, memory: Memory, start: tuple[int, ...], written: Array, unfenced: Array, reduce: bool
) -> None:
    """A store of 1, 2, … at the places of shared memory that are `written`; the `unfenced` ones behind the fence."""
    rank, places = len(start), "".join(f', "r"({x})' for x in start)
    coordinates = ", ".join(f"%{2 + i}" for i in range(rank))
    what = (
        "cp.reduce.async.bulk.tensor.%dd.global.shared::cta.add"
        if reduce
        else "cp.async.bulk.tensor.%dd.global.shared::cta"
    )
    kind = {2: "unsigned short", 4: "unsigned"}[tensor.element_bytes]
    source = f"""{HEAD} extern "C" __global__ void k(const __grid_constant__ Map m, const char* written, const char* unfenced) {{
      __shared__ __align__(1024) {kind} s[{written.size}]; int t = threadIdx.x;
      for (int i = t; i < {written.size}; i += 64) if (written[i] && !unfenced[i]) s[i] = i + 1;
      fence(); if (t == 0) for (int i = 0; i < {written.size}; i++) if (unfenced[i]) s[i] = i + 1;
      __syncthreads();
      if (t == 0) {{ asm volatile("{what % rank}.tile.bulk_group [%1, {{{coordinates}}}], [%0];" :: "r"(at(s)), "l"(&m){places} : "memory");
        commit(); stored(); }} }}"""
    args = [tensor, memory.bind(written.astype(np.int8)), memory.bind(unfenced.astype(np.int8))]
    launch(parse(compile_cuda(source, "sm_90a").ptx), "k", grid=1, block=64, args=args, memory=memory)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(24))
def test_what_a_store_clips_is_not_read(seed: int):
    """Shared memory holds only what stays in the tensor; what is clipped may even be written without a fence."""
    r = np.random.default_rng(seed)
    dtype = np.dtype([np.uint16, np.uint32][seed % 2])
    rank, unit = int(r.integers(1, 4)), 16 // dtype.itemsize
    swizzle = int(r.choice([0, 32, 64, 128]))
    row = unit * int(r.integers(1, (swizzle or 64) // 16 + 1))
    if swizzle:
        row = swizzle // dtype.itemsize
    box = (*(int(n) for n in r.integers(1, 6, rank - 1)), row)
    shape = (*(int(n) for n in r.integers(1, 8, rank - 1)), unit * int(r.integers(1, 6)))
    start = tuple(int(r.integers(-b // 2, n)) for b, n in zip(box, shape, strict=True))[::-1]
    y, want, memory = np.zeros(shape, dtype), np.zeros(shape, dtype), Memory()
    inside = np.zeros(int(np.prod(box)), np.bool_)
    for position, index in enumerate(np.ndindex(*box)):
        to = tuple(i + s for i, s in zip(index, start[::-1], strict=True))
        if all(0 <= i < n for i, n in zip(to, shape, strict=True)):
            byte = position * dtype.itemsize
            place = (byte ^ (byte >> 7 & (swizzle // 16 - 1 if swizzle else 0)) << 4) // dtype.itemsize
            inside[place] = True
            want[to] = place + 1
    tensor, outside = TensorMap.of(y, memory.bind(y), box, swizzle=swizzle), ~inside
    leave_written(tensor, memory, start, inside, np.zeros_like(inside), bool(seed % 3 == 0))
    assert np.array_equal(y, want)
    if tensor.element_bytes == 4:
        y[...] = 0
        leave_written(tensor, memory, start, inside | outside, outside, bool(seed % 3 == 0))
        assert np.array_equal(y, want)
    if inside.any():
        one = np.arange(inside.size) == np.flatnonzero(inside)[-1]
        with pytest.raises(errors.UninitializedMemory):
            leave_written(tensor, memory, start, inside & ~one, np.zeros_like(inside), False)
        with pytest.raises(errors.ProxyRace):
            leave_written(tensor, memory, start, inside, one, False)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("__syncthreads();", errors.ProxyRace),
        ("__syncthreads(); if (t == 0) fence(); __syncthreads();", None),  # a fence behind the barrier will do
        ("if (t < 32) fence(); __syncthreads();", errors.ProxyRace),
        ("fence();", (errors.AsyncRace, errors.UninitializedMemory)),
    ],
)
def test_the_proxy_fence_of_a_store(body: str, fault: Any):
    y, data = np.zeros((8, 16), np.int32), np.arange(128, dtype=np.int32).reshape(8, 16)
    memory = Memory()
    tensor = TensorMap.of(y, memory.bind(y), (8, 16))
    if fault:
        with pytest.raises(fault):
            leave_box(tensor, memory, (0, 0), data, body=body)
    else:
        leave_box(tensor, memory, (0, 0), data, body=body)
        assert np.array_equal(y, data)


# --- setmaxnreg ------------------------------------------------------------------------------------

DEC, INC = "setmaxnreg.dec.sync.aligned.u32 {};", "setmaxnreg.inc.sync.aligned.u32 {};"
REGISTERS: dict[str, tuple[str, str, str, Any]] = {
    "given and taken": (DEC.format(40), INC.format(232), "", None),
    "exactly": (DEC.format(24), INC.format(240), "", None),
    "too many": (DEC.format(40), INC.format(240), "", errors.Deadlock),
    "never given": ("", INC.format(176), "", errors.Deadlock),
    "given late": ("bar.sync 1, 384; " + DEC.format(40), "bar.sync 1, 384; " + INC.format(232), "", None),
    "given too late": ("bar.sync 1, 384; " + DEC.format(40), INC.format(232) + " bar.sync 1, 384;", "", errors.Deadlock),
    "raised by dec": (DEC.format(176), "", "", errors.RegisterPool),
    "lowered by inc": (DEC.format(40), INC.format(160), "", errors.RegisterPool),
    "not a multiple of 8": (DEC.format(44), "", "", errors.BadOperand),
    "too few": (DEC.format(16), "", "", errors.BadOperand),
    "part of a warpgroup": (DEC.format(40), "", "@part bra WORK;", (errors.DivergentWarp, errors.Deadlock)),
    "given back": (DEC.format(40), INC.format(232) + DEC.format(160) + INC.format(232), "", None),
}  # fmt: skip


@pytest.mark.parametrize("seed", [None, 0, 1])
@pytest.mark.parametrize("name", REGISTERS)
def test_register_pool(name: str, seed: int | None):
    """384 threads of 168 registers: a producer warpgroup and two that work."""
    first, others, part, fault = REGISTERS[name]
    text = f""".version 8.0
.target sm_90a
.address_size 64
.visible .entry k() .maxntid 384 .minnctapersm 1
{{ .reg .pred p, part; .reg .u32 t;
  mov.u32 t, %tid.x; setp.ge.u32 p, t, 128; setp.lt.u32 part, t, 32;
  {part}
  @p bra WORK; {first} ret;
WORK: {others} ret; }}"""
    run = {"grid": 2, "block": 384, "args": [], "memory": Memory(), "seed": seed}
    if fault:
        with pytest.raises(fault) as caught:
            launch(parse(text), "k", **run)
        if fault is errors.Deadlock:
            assert "registers of the CTA's pool" in caught.value.message
    else:
        launch(parse(text), "k", **run)


def test_registers_of_the_launch():
    """The caller may say what ptxas gave a thread; `.maxnreg` says it too."""
    text = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k() {} {{ setmaxnreg.inc.sync.aligned.u32 128; ret; }}"""
    run: dict[str, Any] = {"grid": 1, "block": 128, "args": [], "memory": Memory()}
    launch(parse(text.format("")), "k", **run)  # nothing is known
    launch(parse(text.format("")), "k", registers=128, **run)
    with pytest.raises(errors.Deadlock):
        launch(parse(text.format("")), "k", registers=120, **run)
    with pytest.raises(errors.RegisterPool):
        launch(parse(text.format(".maxnreg 136")), "k", **run)


# --- the rest --------------------------------------------------------------------------------------

PUT = 'asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" :: "r"(map(s + t, you)), "r"(x[64 * block + t]), "r"(map(b, you)) : "memory");'
BEGIN = "u32 you = me ^ 1; if (t == 0) { init(b, 1); init_fence(); } meet(); if (t == 0) expect(b, 256); "
ASYNC: dict[str, tuple[str, Any]] = {
    "waited": (BEGIN + PUT + "wait(b, 0); out[t] = s[t];", None),
    "not waited": (BEGIN + PUT + "out[t] = s[t]; meet();", (errors.AsyncRace, errors.UninitializedMemory)),
    "another CTA's barrier": (BEGIN + PUT.replace("map(b, you)", "map(b, me)") + "wait(b, 0);", errors.BadTensorCopy),
    "more than expected": (BEGIN.replace("256", "252") + PUT + "wait(b, 0); out[t] = s[t];", (errors.Deadlock, errors.AsyncRace, errors.PeerExited)),
    "over what is read": (BEGIN.replace("meet()", "s[t] = t; meet(); out[t] = s[t ^ 1]") + PUT + "wait(b, 0);", errors.AsyncRace),
    "over what was written": (BEGIN.replace("meet()", "s[t] = t; meet()") + PUT + "wait(b, 0); out[t] = s[t];", None),
}  # fmt: skip


@pytest.mark.parametrize("seed", [None, 0])
@pytest.mark.parametrize("name", ASYNC)
def test_st_async(name: str, seed: int | None):
    from tests.unit.emulator.test_cluster import run

    body, fault = ASYNC[name]
    x, y = np.arange(256, dtype=np.int32), np.zeros(256, np.int32)
    if fault:
        with pytest.raises(fault):
            run(body, x, y, seed=seed)
    else:
        run(body, x, y, seed=seed)
        assert np.array_equal(y.reshape(4, 64), x.reshape(4, 64)[[1, 0, 3, 2]])


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
    from tests.unit.emulator.test_async import run

    body, fault = PARTIAL[name]
    x, y = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    if fault:
        with pytest.raises(fault):
            run(body, x, y, threads=128, seed=seed)
    else:
        run(body, x, y, threads=128, seed=seed)
        assert np.array_equal(y, 63 - x)


def test_hints_do_nothing():
    """Prefetches, policies, programmatic launches and naps."""
    from tests.unit.emulator.test_async import run

    body = """asm volatile("cp.async.bulk.prefetch.L2.global [%0], 256;" :: "l"(x) : "memory");
      u64 p; asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 0.5;" : "=l"(p));
      asm volatile("griddepcontrol.launch_dependents;"); asm volatile("nanosleep.u32 100;"); y[t] = 63 - x[t] + (int)p;"""
    x, y = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    run(body, x, y)
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
    from tests.unit.emulator.test_async import run

    body, fault = WRITTEN[name]
    x, y = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    if fault:
        with pytest.raises(fault):
            run(body, x, y, seed=seed)
    else:
        run(body, x, y, seed=seed)
        assert np.array_equal(y, 63 - x)
