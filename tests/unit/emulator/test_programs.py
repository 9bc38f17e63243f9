"""Kernels with undefined behavior, which the emulator must report, and legal ones, which it must not."""

# ruff: noqa: E501 (lines of CUDA stay whole)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.emulator import Memory, Report, errors, launch, parse
from tests.unit.builders.ptx_kernels.launch import run_cuda

HEAD = 'typedef unsigned u32; extern "C" __global__ void '


def run(body: str, *arrays: Any, shared: int = 0, head: str = "", **options: Any) -> Report:
    """Runs a kernel `k(…)` with this body."""
    return run_cuda(head + HEAD + body, *arrays, dynamic_shared=shared, **options)


def test_fault_names_kernel_cta_thread_line_and_array():
    x = np.zeros(100, np.float32)
    with pytest.raises(errors.OutOfBounds) as caught:
        run("k(float* x) {\n  int i = blockIdx.x * 64 + threadIdx.x;\n  x[i] = 1;\n}", x, grid=2)
    message = caught.value.message
    assert "kernel k, ctaid (1, 0, 0), tid (36, 0, 0), CUDA line 3" in message
    assert "write of 4 bytes at global address" in message and "array 0 (float32[100])" in message
    assert caught.value.code == "PTIR0511"


def test_inlined_lines_lead_outwards():
    head = "__device__ __forceinline__ void put(float* p) {\n  *p = 1;\n}\n"
    with pytest.raises(errors.OutOfBounds, match="CUDA line 2, inlined at 5"):
        run("k(float* x) {\n  put(x + threadIdx.x);\n}", np.zeros(3, np.float32), head=head)


GLOBAL_FAULTS = {
    "read before the array": ("k(int* x) { x[0] = x[(int)threadIdx.x - 1]; }", errors.OutOfBounds),
    "misaligned": ("k(char* x) { *(int*)(x + threadIdx.x) = 1; }", errors.Misaligned),
    "misaligned vector": ("k(int* x) { ((int4*)(x + 2))[threadIdx.x] = make_int4(1, 2, 3, 4); }", errors.Misaligned),
    "null": ("k(int* x) { *(volatile int*)8 = 1; }", errors.OutOfBounds),
    "division by zero": ("k(int* x) { x[threadIdx.x] = 7 / x[threadIdx.x]; }", errors.DivisionByZero),
    "trap": ("k(int* x) { if (threadIdx.x == 3) __trap(); }", errors.Trap),
    "CTAs contradict": ("k(int* x) { x[threadIdx.x] = blockIdx.x; }", errors.GlobalRace),
    "endless": ("k(volatile int* x) { while (x[0] == 0); }", errors.Deadlock),
}


@pytest.mark.parametrize("name", GLOBAL_FAULTS)
def test_global_fault(name: str):
    body, fault = GLOBAL_FAULTS[name]
    with pytest.raises(fault):
        run(body, np.zeros(256, np.int32), grid=2, max_steps=5000)


LOADED = {
    "the last is not used": ("x + 4", "p + q + r", None),
    "the last is used": ("x + 4", "p + q + r + s", errors.OutOfBounds),
    "the first is beyond the end": ("x + 8", "p", errors.OutOfBounds),
    "the vector is not aligned": ("x + 1", "p + q + r", errors.Misaligned),
}


@pytest.mark.parametrize("name", LOADED)
def test_elements_of_vectors_that_are_loaded_and_not_used(name: str):
    """NVRTC merges loads of three elements to one of four, of which the last may be beyond the end of an array."""
    at, value, fault = LOADED[name]
    load = 'asm volatile("ld.global.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(p), "=r"(q), "=r"(r), "=r"(s) : "l"'
    body, y = f"k(int* x, int* y) {{ int p, q, r, s; {load}({at})); y[0] = {value}; }}", np.zeros(1, np.int32)
    if fault is None:
        run(body, np.arange(7, dtype=np.int32), y, block=1)
        assert y[0] == 4 + 5 + 6
    else:
        with pytest.raises(fault):
            run(body, np.arange(7, dtype=np.int32), y, block=1)


def test_stores_to_readonly_arrays_and_reads_of_unwritten_ones():
    module = parse(compile_cuda(HEAD + "k(int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }", "sm_80").ptx)
    for options, fault in (
        (({"initialized": False}, {}), errors.UninitializedMemory),
        (({}, {"readonly": True}), errors.ReadOnlyMemory),
    ):
        memory = Memory()
        args = [memory.bind(np.zeros(32, np.int32), **o) for o in options]
        with pytest.raises(fault):
            launch(module, "k", grid=1, block=32, args=args, memory=memory)


RACES = {
    "no barrier": ("s[t] = x[t]; x[t] = s[63 - t];", errors.SharedRace),
    "barrier": ("s[t] = x[t]; __syncthreads(); x[t] = s[63 - t];", None),
    "overwritten too early": ("s[t] = x[t]; __syncthreads(); x[t] = s[63 - t]; s[t] = 1;", errors.SharedRace),
    "overwritten in time": ("s[t] = x[t]; __syncthreads(); x[t] = s[63 - t]; __syncthreads(); s[t] = 1;", None),
    "one's own": ("s[t] = x[t]; x[t] = s[t] + 1; s[t] = 2;", None),
    "in a warp, without __syncwarp": ("s[t] = x[t]; x[t] = s[t ^ 1];", errors.SharedRace),
    "in a warp, with __syncwarp": ("s[t] = x[t]; __syncwarp(); x[t] = s[t ^ 1];", None),
    "__syncwarp across warps": ("s[t] = x[t]; __syncwarp(); x[t] = s[t ^ 32];", errors.SharedRace),
    "two write differing": ("s[t / 2] = t; x[t] = s[t / 2];", errors.SharedRace),
    "two write the same": ("s[0] = 7; __syncthreads(); x[t] = s[0];", None),
    "atomics": ("if (t == 0) s[0] = 0; __syncthreads(); atomicAdd(&s[0], 1); __syncthreads(); x[t] = s[0];", None),
    "atomics, read too early": ("if (t == 0) s[0] = 0; __syncthreads(); atomicAdd(&s[0], 1); x[t] = s[0];", errors.SharedRace),
    "atomics, cleared too late": ("if (t == 0) s[0] = 0; atomicAdd(&s[0], 1);", errors.SharedRace),
    "never written": ("x[t] = s[t];", errors.UninitializedMemory),
    "beyond": ("s[t * 2] = 1;", errors.OutOfBounds),
    "named barrier": ('s[t] = x[t]; asm volatile("bar.sync 1, 64;" ::: "memory"); x[t] = s[63 - t];', None),
    "barriers of one warp each": ('s[t] = x[t]; asm volatile("bar.sync %0, 32;" :: "r"(t / 32 + 1) : "memory"); x[t] = s[63 - t];', errors.SharedRace),
    "divergent barrier": ("if (t < 16) __syncthreads(); x[t] = 1;", errors.DivergentWarp),
    "two barriers for two halves": ("if (t % 2) __syncthreads(); else { x[t] = 1; __syncthreads(); } x[t] = 2;", errors.DivergentWarp),
    "early return": ("if (t >= 40) return; s[t] = x[t]; __syncthreads(); x[t] = s[39 - t];", None),
    "barrier some never reach": ('if (t < 32) asm volatile("bar.sync 1, 64;" ::: "memory");', errors.Deadlock),
    "exited warps": ("if (t < 32) return; s[t] = x[t]; __syncthreads(); x[t] = s[95 - t];", None),
}  # fmt: skip


@pytest.mark.parametrize("name", RACES)
def test_shared_memory(name: str):
    body, fault = RACES[name]
    text = f"k(volatile int* x) {{ __shared__ volatile int v[64]; int* s = (int*)v; int t = threadIdx.x; {body} }}"
    text = text.replace("int* s = (int*)v", "volatile int* s = v").replace("atomicAdd(&s", "atomicAdd((int*)&s")
    x = np.arange(64, dtype=np.int32)
    if fault is None:
        run(text, x)
    else:
        with pytest.raises(fault):
            run(text, x)


def test_half_word_stores_of_neighbors_do_not_race():
    x = np.arange(64, dtype=np.uint16)
    body = "k(unsigned short* x) { __shared__ unsigned short s[64]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[63 - threadIdx.x]; }"
    run(body, x)
    assert np.array_equal(x, np.arange(64)[::-1])


COPY = """
__device__ void copy(void* to, const void* from, int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "r"((u32)__cvta_generic_to_shared(to)), "l"(from), "r"(bytes) : "memory"); }
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ void wait() { asm volatile("cp.async.wait_group %0;" :: "n"(N) : "memory"); }
"""
COPIES = {
    "waited": ("copy(&s[t], &x[t], 4); commit(); wait<0>(); x[t] = s[t] + 1;", None),
    "not waited": ("copy(&s[t], &x[t], 4); commit(); x[t] = s[t];", errors.PendingCopy),
    "not committed": ("copy(&s[t], &x[t], 4); wait<0>(); x[t] = s[t];", errors.PendingCopy),
    "waited for the older group": ("copy(&s[t], &x[t], 4); commit(); copy(&s[t + 64], &x[t], 4); commit(); wait<1>(); x[t] = s[t] + 1;", None),
    "waited for the wrong group": ("copy(&s[t], &x[t], 4); commit(); copy(&s[t + 64], &x[t], 4); commit(); wait<1>(); x[t] = s[t + 64];", errors.PendingCopy),
    "another's, no barrier": ("copy(&s[t], &x[t], 4); commit(); wait<0>(); x[t] = s[63 - t];", errors.SharedRace),
    "another's, barrier before the wait": ("copy(&s[t], &x[t], 4); commit(); __syncthreads(); wait<0>(); x[t] = s[63 - t];", errors.SharedRace),
    "overwritten in flight": ("copy(&s[t], &x[t], 4); commit(); s[t] = 1;", errors.PendingCopy),
    "zero bytes of nowhere": ("copy(&s[t], &x[1 << 20], 0); commit(); wait<0>(); x[t] = s[t] + t + 1;", None),
    "three bytes": ("copy(&s[t], &x[t], 3); commit(); wait<0>(); x[t] = s[t] + 1;", None),
    "nowhere": ("copy(&s[t], &x[1 << 20], 4);", errors.OutOfBounds),
}  # fmt: skip


@pytest.mark.parametrize("name", COPIES)
def test_async_copies(name: str):
    body, fault = COPIES[name]
    text = f"k(int* x) {{ __shared__ int s[128]; int t = threadIdx.x; {body} }}"
    x = np.arange(64, dtype=np.int32)
    if fault:
        with pytest.raises(fault):
            run(text, x, head="typedef unsigned u32;" + COPY)
    else:
        run(text, x, head="typedef unsigned u32;" + COPY)
        assert np.array_equal(x, np.arange(64) + 1)


def test_uninitialized_register_is_named():
    body = 'k(int* x) { int d; asm volatile("{.reg .b32 q; add.s32 %0, q, 1;}" : "=r"(d)); x[threadIdx.x] = d; }'
    with pytest.raises(errors.UninitializedRegister, match="register q"):
        run(body, np.zeros(64, np.int32))


def test_unknown_opcode_names_itself_and_its_line():
    body = 'k(int* x) { int d; asm volatile("bmsk.clamp.b32 %0, 0, 4;" : "=r"(d)); x[0] = d; }'
    with pytest.raises(errors.UnknownOpcode, match=r"PTX line \d+: .*'bmsk.clamp.b32'"):
        run(body, np.zeros(64, np.int32))


def test_launch_errors():
    x = np.zeros(64, np.int32)
    with pytest.raises(errors.BadLaunch, match="1 argument expected"):
        run("k(int* x) { }", x, 3)
    with pytest.raises(errors.BadLaunch, match="shared memory"):
        run("k(int* x) { }", x, shared=1 << 20)
    with pytest.raises(errors.BadLaunch, match="128 threads a block, but at most 64"):
        run("__launch_bounds__(64) k(int* x) { }", x, block=128)
    with pytest.raises(errors.NoSuchKernel, match="it has k"):
        module = parse(compile_cuda(HEAD + "k(int* x) { }", "sm_80").ptx)
        launch(module, "other", grid=1, block=1, args=[0], memory=Memory())
    with pytest.raises(errors.UnbindableArray):
        Memory().bind(np.zeros((4, 4))[:, ::2])


# --- what works ------------------------------------------------------------------------------------


def test_divergent_loops_meet_again():
    x = np.arange(200, dtype=np.int32)
    body = """k(int* x, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i >= n) return;
      int v = x[i], steps = 0; while (v > 1) { v = v % 2 ? 3 * v + 1 : v / 2; steps++; } x[i] = steps; }"""
    run(body, x, 200, grid=4)

    def collatz(v: int) -> int:
        steps = 0
        while v > 1:
            v, steps = (3 * v + 1 if v % 2 else v // 2), steps + 1
        return steps

    assert x.tolist() == [collatz(i) for i in range(200)]


def test_grid_and_block_coordinates_in_three_dimensions():
    y = np.full((2, 3, 4, 2, 3, 5), -1, np.int32)  # grid z y x, block z y x
    body = """k(int* y) {
      int g = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
      int b = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
      y[g * blockDim.x * blockDim.y * blockDim.z + b] = blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z
        + 1000 * threadIdx.x + 10000 * threadIdx.y + 100000 * threadIdx.z; }"""
    run(body, y, grid=(4, 3, 2), block=(5, 3, 2))
    z = np.indices(y.shape)
    assert np.array_equal(y, z[2] + 10 * z[1] + 100 * z[0] + 1000 * z[5] + 10000 * z[4] + 100000 * z[3])


def test_structs_locals_constants_and_switches():
    head = "struct P { float* p; int n; float s; }; __constant__ float c[4] = {1.5f, 2.f, 3.f, 4.f}; __device__ int hits = 0;"
    body = """k(P q, const int* pick) { int i = threadIdx.x; float a[8];
      for (int j = 0; j < 8; j++) a[j] = q.s * j; float v = a[pick[i]] + c[i & 3];
      switch (i & 7) { case 0: v += 1; break; case 1: v *= 2; break; case 2: v -= 3; break; case 3: v = 4; break;
        case 4: v = -v; break; case 5: v /= 2; break; case 6: v = v * v; break; default: atomicAdd(&hits, 1); }
      __syncthreads(); q.p[i] = v + hits; }"""
    y, pick = np.zeros(64, np.float32), np.random.default_rng(0).integers(0, 8, 64).astype(np.int32)
    memory = Memory()
    block = memory.bind(y).to_bytes(8, "little") + np.int32(64).tobytes() + np.float32(0.5).tobytes()
    run(body, block, pick, head=head, memory=memory)
    for i in range(64):
        v = 0.5 * int(pick[i]) + [1.5, 2, 3, 4][i & 3]
        v = [v + 1, v * 2, v - 3, 4, -v, v / 2, v * v, v][i & 7]
        assert y[i] == v + 8


def test_warp_exchange():
    body = """k(u32* y) { u32 t = threadIdx.x, v = t * t; u32* p = y + t; const u32 all = 0xffffffffu;
      p[0] = __shfl_xor_sync(all, v, 5); p[64] = __shfl_up_sync(all, v, 3, 16); p[128] = __shfl_down_sync(all, v, 7);
      p[192] = __shfl_sync(all, v, t + 1, 8); p[256] = __ballot_sync(all, t % 3 == 0); p[320] = __any_sync(all, t == 40);
      p[384] = __reduce_add_sync(all, v); p[448] = __match_any_sync(all, t % 5);
      p[512] = t % 2 ? __activemask() : 0; p[576] = __syncthreads_count(t % 3 == 0); }"""
    y = np.zeros((10, 2, 32), np.uint32)
    run(body, y)
    for w in range(2):
        t = [w * 32 + i for i in range(32)]
        v = [i * i for i in t]
        bits = lambda test, t=t: sum(1 << i for i in range(32) if test(t[i]))  # noqa: E731
        want = [
            [v[i ^ 5] for i in range(32)],
            [v[i - 3] if i % 16 >= 3 else v[i] for i in range(32)],
            [v[i + 7] if i + 7 < 32 else v[i] for i in range(32)],
            [v[i // 8 * 8 + (t[i] + 1) % 8] for i in range(32)],
            [bits(lambda x: x % 3 == 0)] * 32,
            [int(w == 1)] * 32,
            [sum(v)] * 32,
            [bits(lambda x, r=t[i] % 5: x % 5 == r) for i in range(32)],
            None,
            [22] * 32,
        ]
        for row, expected in enumerate(want):
            if expected is not None:
                assert y[row, w].tolist() == expected, row
        assert all(y[8, w, i] >> i & 1 for i in range(1, 32, 2))


def test_shuffle_with_an_absent_lane():
    body = "k(int* x) { int t = threadIdx.x; if (t < 40) x[t] = __shfl_xor_sync(0xffffffffu, t, 16); }"
    with pytest.raises(errors.UndefinedShuffle, match="reads lane 16"):
        run(body, np.zeros(64, np.int32))


EXCHANGE = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 have, .param .u32 use)
{{
.reg .b32 lane, given, used, lo, hi; .reg .b64 to, at, v, w; .reg .pred p, q;
ld.param.u64 to, [out]; ld.param.u32 given, [have]; ld.param.u32 used, [use];
mov.u32 lane, %laneid; shr.u32 given, given, lane; and.b32 given, given, 1; setp.ne.u32 p, given, 0;
shr.u32 used, used, lane; and.b32 used, used, 1; setp.ne.u32 q, used, 0;
@p mul.wide.u32 v, lane, 0x10001;
mov.b64 {{lo, hi}}, v;
{ops}
mov.b64 w, {{lo, hi}};
mul.wide.u32 at, lane, 8; add.u64 to, to, at;
@q st.global.b64 [to], w;
ret;
}}"""


def exchange(ops: str, have: np.ndarray, use: np.ndarray) -> np.ndarray:
    """Runs `ops` on a register that the lanes in `have` initialize; the lanes in `use` store the result."""
    out, memory = np.full(32, -1, np.int64), Memory()
    bits = [sum(1 << int(i) for i in np.flatnonzero(flags)) for flags in (have, use)]
    launch(parse(EXCHANGE.format(ops=ops)), "k", grid=1, block=32, args=[memory.bind(out), *bits], memory=memory)
    return out


@pytest.mark.parametrize("seed", range(40))
def test_shuffles_of_what_some_lanes_have(seed: int):
    """Only a lane that uses the value of a lane without one is wrong."""
    r = np.random.default_rng(seed)
    mode, offset = str(r.choice(["up", "down", "bfly", "idx"])), int(r.integers(0, 32))
    lane = np.arange(32)
    source = {"up": lane - offset, "down": lane + offset, "bfly": lane ^ offset, "idx": lane * 0 + offset}[mode]
    source = np.where((source < 0) | (source > 31), lane, source)
    shuffle = "shfl.sync.{0}.b32 {1}, {1}, {2}, {3}, -1;"
    ops = "".join(shuffle.format(mode, part, offset, 0 if mode == "up" else 31) for part in ("lo", "hi"))
    have = r.random(32) < 0.5
    use = have[source]
    got = exchange(ops, have, use)
    assert np.array_equal(got, np.where(use, source * 0x10001, -1))
    if not use.all():
        wrong = use | (lane == r.choice(np.flatnonzero(~use)))
        with pytest.raises(errors.UninitializedRegister):
            exchange(ops, have, wrong)


@pytest.mark.parametrize(
    "op", ["redux.sync.add.s32 lo, lo, -1;", "match.any.sync.b32 lo, lo, -1;", "match.all.sync.b32 lo|p, lo, -1;"]
)
def test_reductions_use_every_lane(op: str):
    have = np.arange(32) != 9
    with pytest.raises(errors.UninitializedRegister, match=r"(?s)register lo .*tid \(9, 0, 0\)"):
        exchange(op, have, np.arange(32) == 3)


PARTIAL = """.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{{
	.reg .f64 %fd<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [k_param_0];
	mov.f64 %fd1, 0d4000000000000000;
	st.global.v2.f64 [%rd1], {{{items}}};
	{rest}
	ret;
}}
"""


def test_an_undefined_element_of_a_vector_is_stored_as_undefined():
    """NVRTC stores vectors of which it overwrites an element at once. Read, or alone, such an element is an error."""

    def run(items: str, rest: str) -> Any:
        out, memory = np.zeros(2), Memory()
        args = [memory.bind(out, initialized=False)]
        launch(parse(PARTIAL.format(items=items, rest=rest)), "k", grid=1, block=1, args=args, memory=memory)
        return out

    assert run("%fd1, %fd2", "st.global.f64 [%rd1+8], %fd1;").tolist() == [2, 2]
    assert run("%fd1, %fd2", "ld.global.f64 %fd3, [%rd1];").tolist() == [2, 0]
    with pytest.raises(errors.UninitializedMemory):
        run("%fd1, %fd2", "ld.global.f64 %fd3, [%rd1+8];")
    with pytest.raises(errors.UninitializedRegister, match="register %fd2"):
        run("%fd2, %fd3", "")


UPPER = """.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{{
	.reg .b16 %rs<3>;
	.reg .b32 %r<3>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [k_param_0];
	mov.u16 %rs1, 7;
	{rest}
	mov.b32 %r1, {{%rs1, %rs2}};
	shl.b32 %r2, %r1, {shift};
	st.global.u32 [%rd1], %r2;
	ret;
}}
"""


def test_bits_that_no_instruction_writes_may_be_packed_and_discarded():
    """LLVM packs a register without a value where it discards those bits; kept, they are ones. One that is written later is an error."""

    def run(shift: int, rest: str = "") -> int:
        out, memory = np.zeros(1, np.uint32), Memory()
        launch(
            parse(UPPER.format(shift=shift, rest=rest)), "k", grid=1, block=1, args=[memory.bind(out)], memory=memory
        )
        return int(out[0])

    assert run(16) == 7 << 16
    assert run(0) == 0xFFFF0007
    with pytest.raises(errors.UninitializedRegister, match="register %r1"):
        run(16, "setp.eq.u16 p, %rs1, 7;\n@!p mov.u16 %rs2, 1;".replace("setp", ".reg .pred p;\nsetp"))


LATE = """.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{
	.reg .pred %p<2>;
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [k_param_0];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	mov.u32 %r2, 5;
	setp.lt.u32 %p1, %r1, 9;
	@%p1 bra $late;
$join:
	bar.sync 0;
	shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;
	st.global.u32 [%rd3], %r3;
	ret;
$late:
	mov.u32 %r2, 7;
	bra $join;
}
"""


def test_code_placed_behind_the_meeting_point():
    """Lanes wait at a barrier for lanes of their warp that are at a larger program counter."""
    y, memory = np.zeros(64, np.int32), Memory()
    launch(parse(LATE), "k", grid=1, block=64, args=[memory.bind(y)], memory=memory)
    assert y.tolist() == [7 if (i ^ 1) < 9 else 5 for i in range(64)]


def test_atomics_on_one_place():
    y, f = np.zeros(4, np.uint32), np.zeros(1, np.float32)
    body = """k(u32* y, float* f) { u32 i = blockIdx.x * 64 + threadIdx.x; atomicAdd(y, 1); atomicMax(y + 1, i);
      atomicOr(y + 2, 1u << (i & 31)); atomicInc(y + 3, 9); atomicAdd(f, 0.5f); }"""
    run(body, y, f, grid=3)
    assert y.tolist() == [192, 191, 0xFFFFFFFF, 192 % 10] and f[0] == 96


def test_bank_conflicts_are_counted():
    def conflicts(index: str) -> int:
        body = f"k(int* x) {{ __shared__ int s[2048]; int t = threadIdx.x; s[{index}] = t; __syncwarp(); x[t] = s[{index}]; }}"
        return run(body, np.zeros(64, np.int32)).bank_conflicts

    assert conflicts("t") == 0
    assert conflicts("t * 2") == 2 * 2 * 1
    assert conflicts("t * 32") == 2 * 2 * 31
    assert conflicts("t * 33 % 2048") == 0


def test_calls_of_device_functions():
    head = """struct P { float x, y; int n; };
    __device__ __noinline__ float f(float a, int n) { float s = 0; for (int i = 0; i < n; i++) { s += a * i; if (s > 100) return s; } return s; }
    __device__ __noinline__ P g(P p, float* q) { p.x += f(p.y, p.n); q[threadIdx.x] = p.x; p.y = -1; return p; }
    __device__ __noinline__ void h(float* q) { q[threadIdx.x] += 1; }
    """
    body = "k(float* x) { int t = threadIdx.x; P p = {1.f * t, 2.f, t % 5}; if (t % 2) p = g(p, x + 64); __syncthreads(); if (t % 3 == 0) h(x + 64); x[t] = f(p.x, t) + p.y; }"
    x = np.zeros(128, np.float32)
    run(body, x, head=head)

    def f(a: float, n: int) -> float:
        total = 0.0
        for i in range(n):
            total += a * i
            if total > 100:
                return total
        return total

    for t in range(64):
        first = t + (f(2.0, t % 5) if t % 2 else 0)
        assert x[t] == f(first, t) + (-1 if t % 2 else 2)
        assert x[64 + t] == (first if t % 2 else 0) + (t % 3 == 0)


def test_recursion_is_refused():
    head = "__device__ __noinline__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2) * n; }\n"
    with pytest.raises(errors.UnknownOpcode, match="call"):
        run("k(int* x) { x[threadIdx.x] = f(x[threadIdx.x]); }", np.zeros(64, np.int32), head=head)
