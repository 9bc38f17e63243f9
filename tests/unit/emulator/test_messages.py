"""The complete message of each fault of the emulator."""

# ruff: noqa: E501 (messages stay whole)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptir.emulator import Memory, TensorMap, launch, parse
from ptir.emulator.errors import (
    BadLaunch,
    BadOperand,
    BadTensorMap,
    EmulatorFault,
    NoSuchKernel,
    PtxSyntaxError,
    UnbindableArray,
    UnknownOpcode,
)

KERNEL = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a) {{ .reg .pred p, q; .reg .b32 t, r<4>; .reg .f32 f<4>; .reg .b64 x, d<2>;
.shared .align 1024 .b8 s[8192]; .shared .align 8 .b64 bar; ld.param.u64 x, [a]; mov.u32 t, %tid.x; setp.eq.u32 p, t, 0;
{} ret; }}"""
"""
A kernel with an array `x` of 64 zeros, `s` and `bar` in shared memory, the thread's id `t`, and a predicate `p` of the first
thread.
"""
WORDS = {
    "$FILL": "@p st.shared.v4.b32 [s], {t, t, t, t};",
    "$STORE": "cp.async.bulk.global.shared::cta.bulk_group [x], [s], 16;",
    "$READY": (
        "mad.lo.u32 r0, t, 64, s; st.shared.v4.b32 [r0], {0, 0, 0, 0}; st.shared.v4.b32 [r0+16], {0, 0, 0, 0}; st.shared.v4.b32 [r0+32], {0, 0, 0, 0}; st.shared.v4.b32 [r0+48], {0, 0, 0, 0}; "
        "fence.proxy.async; bar.sync 0; mov.b64 d0, 0x4000004000010040; mov.f32 f0, 0f00000000; mov.f32 f1, f0; mov.f32 f2, f0; mov.f32 f3, f0;"
    ),
    "$WGMMA": "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {f0, f1, f2, f3}, d0, d0, 1, 1, 1, 0, 0;",
}

FAULTS: list[tuple[str, dict[str, Any], str]] = [
    (
        "mov.b64 d0, 8; st.global.b32 [d0], t;",
        {},
        "error[PTIR0511]: write of 4 bytes at global address 0x8 is outside all memory\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: st.global.b32 [d0], t",
    ),
    (
        "add.s64 d0, x, 1; @p ld.global.b32 r0, [d0];",
        {},
        "error[PTIR0512]: read of 4 bytes at global address 0x7f0000000001 is not 4-byte aligned\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: @p ld.global.b32 r0, [d0]",
    ),
    (
        "@p ld.shared.b32 r0, [s];",
        {},
        "error[PTIR0513]: read of 4 bytes at shared address 0x400, which was never written\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: @p ld.shared.b32 r0, [s]",
    ),
    (
        "add.s32 r0, r1, 1;",
        {},
        "error[PTIR0514]: register r1 is read before it is written\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: add.s32 r0, r1, 1",
    ),
    (
        "@p st.global.b32 [x], t;",
        {"readonly": True},
        "error[PTIR0515]: write of 4 bytes at global address 0x7f0000000000 to read-only array 0 (int32[64]) [0x7f0000000000, 0x7f0000000100)\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: @p st.global.b32 [x], t",
    ),
    (
        "mad.lo.u32 r0, t, 4, s; st.shared.b32 [r0], t; xor.b32 r0, r0, 128; ld.shared.b32 r1, [r0];",
        {"block": 64},
        "error[PTIR0516]: write-read race on shared address 0x480: no barrier orders the read here after the access by tid 32\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: ld.shared.b32 r1, [r0]\n"
        "  help: put __syncthreads() (or __syncwarp() within a warp) between the two accesses",
    ),
    (
        "@p cp.async.ca.shared.global [s], [x], 4; @p ld.shared.b32 r0, [s];",
        {},
        "error[PTIR0517]: read of shared address 0x400 while a cp.async to it is in flight\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: @p ld.shared.b32 r0, [s]\n"
        "  help: put cp.async.wait_group and then a barrier between the copy and this access",
    ),
    (
        "@p bar.sync 0;",
        {},
        "error[PTIR0518]: bar.sync needs converged lanes: lanes 0x00000001 are here, but 0xffffffff are alive\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: @p bar.sync 0",
    ),
    (
        "setp.lt.u32 q, t, 32; @q bar.sync 1, 64;",
        {"block": 64},
        "error[PTIR0519]: deadlock: CTA (0, 0, 0): warp 0 waiting at barrier 1 (1 warp arrived, it needs 64 threads), PTX line 6\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: @q bar.sync 1, 64",
    ),
    (
        "mov.b32 r0, 0; div.s32 r1, t, r0;",
        {},
        "error[PTIR0520]: integer division by zero has no defined value\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: div.s32 r1, t, r0",
    ),
    (
        "@p trap;",
        {},
        "error[PTIR0521]: the kernel executed trap\n  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: @p trap",
    ),
    (
        "LOOP: add.s32 t, t, 1; bra LOOP;",
        {"max_steps": 100},
        "error[PTIR0522]: the kernel has not ended after 100 steps\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: add.s32 t, t, 1\n"
        "  help: raise `max_steps`, or look for a loop that waits for another CTA",
    ),
    (
        "@!p bra END; shfl.sync.bfly.b32 r0, t, 1, 31, 1; END:",
        {},
        "error[PTIR0523]: shfl.sync reads lane 1, which does not take part\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: shfl.sync.bfly.b32 r0, t, 1, 31, 1",
    ),
    (
        "mov.u32 r0, %ctaid.x; mad.wide.u32 d0, r0, 4, x; @p st.global.b32 [d0], t; xor.b32 r0, r0, 1; mad.wide.u32 d0, r0, 4, x; @p ld.global.b32 r1, [d0];",
        {"grid": 2},
        "error[PTIR0524]: write-read race on global address 0x7f0000000004: nothing orders the load here after the access by tid 0 of CTA (1, 0, 0)\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: @p ld.global.b32 r1, [d0]\n"
        "  help: let one CTA own each element, use atomics, or order the two accesses by a release and an acquire",
    ),
    (
        "$FILL @p $STORE",
        {},
        "error[PTIR0526]: bulk store of shared address 0x400 through the async proxy, but tid 0 wrote it through the generic proxy and no fence.proxy.async lies between\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: @p cp.async.bulk.global.shared::cta.bulk_group [x], [s], 16\n"
        "  help: execute fence.proxy.async in the writing threads before the barrier",
    ),
    (
        "$FILL fence.proxy.async; @p $STORE @p cp.async.bulk.commit_group; @p st.shared.b32 [s], t;",
        {},
        "error[PTIR0527]: race on shared address 0x400: nothing orders the write here after a bulk store by warp 0 that still reads it\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: @p st.shared.b32 [s], t\n"
        "  help: wait for the mbarrier's phase, the wgmma group or the bulk group in between",
    ),
    (
        "$READY wgmma.fence.sync.aligned; $WGMMA add.f32 f1, f0, f0;",
        {"block": 128},
        "error[PTIR0528]: register f0 is read while a wgmma on it is in flight\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: add.f32 f1, f0, f0\n"
        "  help: wait with wgmma.wait_group first",
    ),
    (
        "$READY $WGMMA",
        {"block": 128},
        "error[PTIR0529]: wgmma takes register f0, which was read or written after the last wgmma.fence\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {f0, f1, f2, f3}, d0, d0, 1, 1, 1, 0, 0\n"
        "  help: put wgmma.fence.sync.aligned between the access and the wgmma",
    ),
    (
        "$READY mov.b64 d0, 0x4080004000010040; wgmma.fence.sync.aligned; $WGMMA",
        {"block": 128},
        "error[PTIR0550]: the wgmma descriptor of B (0x4080004000010040) sets bits that must be zero\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {f0, f1, f2, f3}, d0, d0, 1, 1, 1, 0, 0",
    ),
    (
        "@p mbarrier.init.shared.b64 [bar], 1; @p ld.shared.b64 d0, [bar];",
        {},
        "error[PTIR0551]: mbarrier at shared address 0x400: plain read of an mbarrier\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: @p ld.shared.b64 d0, [bar]",
    ),
    (
        "@p mbarrier.init.shared.b64 [bar], 1; @p mbarrier.arrive.shared.b64 d0, [bar]; @p mbarrier.arrive.shared.b64 d0, [bar], 2;",
        {},
        "error[PTIR0551]: mbarrier at shared address 0x400: 2 arrivals, its phase waits for 1\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: @p mbarrier.arrive.shared.b64 d0, [bar], 2",
    ),
    (
        "@p mbarrier.init.shared.b64 [bar], 1; fence.proxy.async; @p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [x], 8, [bar];",
        {},
        "error[PTIR0553]: cp.async.bulk: the size of 8 bytes is not a multiple of 16\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: @p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [x], 8, [bar]",
    ),
    (
        "$FILL fence.proxy.async; @p $STORE @p cp.async.bulk.commit_group;",
        {},
        "error[PTIR0554]: the CTA ends while a bulk store still reads its shared memory\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: ret\n"
        "  help: wait for it before the last thread exits",
    ),
    (
        "@p mbarrier.init.shared.b64 [bar], 1; @p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [x], 16, [bar];",
        {},
        "error[PTIR0555]: an asynchronous copy uses the mbarrier at shared address 0x2400, whose initialization the async proxy does not see\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: @p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [x], 16, [bar]\n"
        "  help: put fence.mbarrier_init.release.cluster (or fence.proxy.async) after mbarrier.init",
    ),
    (
        "setp.lt.u32 q, t, 32; @q bar.sync 1, 64; @!q bar.sync 1, 96;",
        {"block": 96},
        "error[PTIR0556]: barrier 1: it is used with 96 threads here, but with 64 by the threads that wait there\n"
        "  kernel k, ctaid (0, 0, 0), tid (32, 0, 0), PTX line 6: @!q bar.sync 1, 96\n"
        "  help: give each set of warps a barrier of its own, and all of them the same thread count",
    ),
    (
        "mov.b32 r0, 17; @p cp.async.cg.shared.global [s], [x], 16, r0;",
        {},
        "error[PTIR0557]: cp.async of 16 bytes has a source size of 17 bytes, which is undefined\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: @p cp.async.cg.shared.global [s], [x], 16, r0\n"
        "  help: use a source size of at most the size of the copy",
    ),
    (
        "mapa.shared::cluster.u32 r0, s, 1; ld.shared::cluster.b32 r1, [r0];",
        {"grid": 2, "cluster": 2},
        "error[PTIR0558]: read of the shared memory of CTA rank 1 of the cluster: that CTA may not have begun\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: ld.shared::cluster.b32 r1, [r0]\n"
        "  help: synchronize the CTAs of the cluster (barrier.cluster) before the first such access",
    ),
    (
        "mov.u32 r1, %cluster_ctarank; xor.b32 r1, r1, 1; barrier.cluster.arrive; barrier.cluster.wait; mapa.shared::cluster.u32 r0, s, r1; @p st.shared::cluster.b32 [r0], t;",
        {"grid": 2, "cluster": 2},
        "error[PTIR0559]: CTA rank 0 of the cluster ends, and its shared memory with it, while warp 0 of CTA rank 1 may still access it\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: ret\n"
        "  help: synchronize the cluster (barrier.cluster) before its CTAs end, or wait for the last arrivals and copies",
    ),
    (
        "setmaxnreg.inc.sync.aligned.u32 128;",
        {"block": 128, "registers": 136},
        "error[PTIR0560]: setmaxnreg: cannot raise the registers to 128 in a warp that has more (136)\n"
        "  kernel k, ctaid (0, 0, 0), tid (0, 0, 0), PTX line 6: setmaxnreg.inc.sync.aligned.u32 128",
    ),
]


def run(body: str, *, readonly: bool = False, grid: int = 1, block: int = 32, **options: Any) -> None:
    """Runs a kernel with this body."""
    for word, text in WORDS.items():
        body = body.replace(word, text)
    memory = Memory()
    array = memory.bind(np.zeros(64, np.int32), readonly=readonly)
    launch(parse(KERNEL.format(body)), "k", grid=grid, block=block, args=[array], memory=memory, **options)


@pytest.mark.parametrize(("body", "options", "message"), FAULTS)
def test_faults(body: str, options: dict[str, Any], message: str):
    with pytest.raises(EmulatorFault) as caught:
        run(body, **options)
    assert str(caught.value) == message


TEXTS = [
    ("bra NOWHERE;", "error[PTIR0501]: PTX line 6: label 'NOWHERE' is not visible here: 'bra NOWHERE'"),
    ("add.s32 r0, t.;", "error[PTIR0501]: PTX line 6: unreadable operand 't.': 'add.s32 r0, t.'"),
    (
        "bmsk.clamp.b32 r0, 0, 4;",
        "error[PTIR0502]: PTX line 6: the emulator does not execute 'bmsk.clamp.b32': 'bmsk.clamp.b32 r0, 0, 4'",
    ),
    ("elect.sync r0, -1;", "error[PTIR0503]: PTX line 6: unexpected number of destinations: 1: 'elect.sync r0, -1'"),
    (
        "setp.eq.u32 {p, q, p}, t, r0;",
        "error[PTIR0503]: PTX line 6: unexpected number of destinations: 3: 'setp.eq.u32 {p, q, p}, t, r0'",
    ),
]


@pytest.mark.parametrize(("body", "message"), TEXTS)
def test_texts(body: str, message: str):
    with pytest.raises((PtxSyntaxError, UnknownOpcode, BadOperand)) as caught:
        run(body)
    assert str(caught.value) == message


LAUNCHES: list[tuple[str, dict[str, Any], str]] = [
    ("other", {}, "error[PTIR0504]: the module has no kernel 'other'; it has k"),
    ("k", {"args": [0, 1]}, "error[PTIR0505]: kernel 'k' cannot be launched: 1 argument expected, got 2"),
    (
        "k",
        {"dynamic_shared": 1 << 20},
        "error[PTIR0505]: kernel 'k' cannot be launched: 1048576 bytes of shared memory, but at most 232448 are possible",
    ),
    (
        "k",
        {"grid": 3, "cluster": 2},
        "error[PTIR0505]: kernel 'k' cannot be launched: grid (3, 1, 1) is not a multiple of the cluster (2, 1, 1)",
    ),
]


@pytest.mark.parametrize(("kernel", "options", "message"), LAUNCHES)
def test_launches(kernel: str, options: dict[str, Any], message: str):
    arguments: dict[str, Any] = {"grid": 1, "block": 32, "args": [0], "memory": Memory(), **options}
    with pytest.raises((NoSuchKernel, BadLaunch)) as caught:
        launch(parse(KERNEL.format("")), kernel, **arguments)
    assert str(caught.value) == message


def test_addresses_are_aligned_as_the_arrays_are():
    """Rows of an array need not begin at multiples of 16 bytes."""
    memory, room = Memory(), np.zeros(80, np.uint8)
    rows = room[-room.ctypes.data % 16 :]
    assert [memory.bind(rows[start:]) % 256 for start in (0, 8, 12, 16)] == [0, 8, 12, 0]


def test_arrays_and_tensor_maps():
    with pytest.raises(UnbindableArray) as caught:
        Memory().bind(np.zeros((4, 4))[:, ::2])
    assert str(caught.value) == "error[PTIR0506]: this array cannot be device memory: it is not C-contiguous"
    with pytest.raises(BadTensorMap) as caught:
        TensorMap(0, 3, (64, 8), (256,), (8, 8))
    assert str(caught.value) == "error[PTIR0552]: invalid tensor map: elements of 3 bytes are not supported"
