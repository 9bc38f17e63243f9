"""CUDA functions that wrap one PTX instruction each, and functions that launch a kernel body with them."""

# ruff: noqa: E501 (lines of CUDA stay whole)

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest

from ptir.emulator import Report
from tests.unit.builders.ptx_kernels.launch import run_cuda

HEAD = """
typedef unsigned u32; typedef unsigned long long u64;
struct alignas(64) Map { u64 opaque[16]; };
#define D __device__ __forceinline__
D u32 at(const void* p) { return (u32)__cvta_generic_to_shared(p); }
D void init(u64* b, u32 n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(b)), "r"(n) : "memory"); }
D void init_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
D u64 arrive(u64* b) { u64 s; asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(s) : "r"(at(b)) : "memory"); return s; }
D void arrive_n(u64* b, u32 n) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" :: "r"(at(b)), "r"(n) : "memory"); }
D void arrive_relaxed(u64* b) { asm volatile("mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" :: "r"(at(b)) : "memory"); }
D void drop(u64* b) { asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" :: "r"(at(b)) : "memory"); }
D void expect(u64* b, u32 n) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(at(b)), "r"(n) : "memory"); }
D void expect_only(u64* b, u32 n) { asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" :: "r"(at(b)), "r"(n) : "memory"); }
D bool test(u64* b, u32 p) { u32 r; asm volatile("{.reg .pred q; mbarrier.test_wait.parity.shared::cta.b64 q, [%1], %2; selp.u32 %0, 1, 0, q;}" : "=r"(r) : "r"(at(b)), "r"(p) : "memory"); return r; }
D bool test_state(u64* b, u64 s) { u32 r; asm volatile("{.reg .pred q; mbarrier.test_wait.shared::cta.b64 q, [%1], %2; selp.u32 %0, 1, 0, q;}" : "=r"(r) : "r"(at(b)), "l"(s) : "memory"); return r; }
D void wait(u64* b, u32 p) { asm volatile("{.reg .pred q; A_%=: mbarrier.try_wait.parity.shared::cta.b64 q, [%0], %1; @!q bra A_%=;}" :: "r"(at(b)), "r"(p) : "memory"); }
D void load(void* d, const void* s, u32 n, u64* b) { asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(at(d)), "l"(s), "r"(n), "r"(at(b)) : "memory"); }
D void store(void* d, const void* s, u32 n) { asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(d), "r"(at(s)), "r"(n) : "memory"); }
D void add(void* d, const void* s, u32 n) { asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" :: "l"(d), "r"(at(s)), "r"(n) : "memory"); }
D void commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
D void stored() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
D void fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
"""

CLUSTER_HEAD = (
    HEAD
    + """
D u32 rank() { u32 r; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
D u32 map(const void* p, u32 r) { u32 a; asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(at(p)), "r"(r)); return a; }
D int* map_generic(const void* p, u32 r) { u64 a; asm volatile("mapa.u64 %0, %1, %2;" : "=l"(a) : "l"(p), "r"(r)); return (int*)a; }
D u32 rank_of(u32 a) { u32 r; asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(r) : "r"(a)); return r; }
D void come() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
D void come_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
D void go() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
D void meet() { come(); go(); }
D int get(u32 a) { int v; asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(v) : "r"(a) : "memory"); return v; }
D void put(u32 a, int v) { asm volatile("st.shared::cluster.s32 [%0], %1;" :: "r"(a), "r"(v) : "memory"); }
D int add_to(u32 a, int v) { int o; asm volatile("atom.shared::cluster.add.s32 %0, [%1], %2;" : "=r"(o) : "r"(a), "r"(v) : "memory"); return o; }
D void tell(u32 a) { asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(a) : "memory"); }
D void tell_cta(u32 a) { asm volatile("mbarrier.arrive.release.cta.shared::cluster.b64 _, [%0];" :: "r"(a) : "memory"); }
D void tell_n(u32 a, u32 n) { asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], %1;" :: "r"(a), "r"(n) : "memory"); }
D void tell_tx(u32 a, u32 n) { asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" :: "r"(a), "r"(n) : "memory"); }
D void hear(u64* b, u32 p) { asm volatile("{.reg .pred q; A_%=: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 q, [%0], %1; @!q bra A_%=;}" :: "r"(at(b)), "r"(p) : "memory"); }
D void send(void* d, const void* s, u32 n, u64* b, unsigned short m) { asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" :: "r"(at(d)), "l"(s), "r"(n), "r"(at(b)), "h"(m) : "memory"); }
"""
)


def reported(fault: Any) -> AbstractContextManager[Any]:
    """Returns a context that expects one of these faults, or none."""
    return pytest.raises(fault) if fault else nullcontext()


def run_block(
    body: str, *arrays: Any, threads: int = 64, seed: int | None = None, params: str = "int* x, int* y"
) -> None:
    source = f"""{HEAD} extern "C" __global__ void k({params}) {{
      __shared__ __align__(1024) int s[1024]; __shared__ u64 b[4]; int t = threadIdx.x; {body} }}"""
    run_cuda(source, *arrays, arch="sm_90a", block=threads, seed=seed)


def run_cluster(
    body: str,
    *arrays: Any,
    cluster: Any = 2,
    grid: Any = 4,
    threads: int = 64,
    seed: int | None = None,
    attribute: str = "",
) -> Report:
    source = f"""{CLUSTER_HEAD} extern "C" __global__ void {attribute} k(int* x, int* y) {{
      __shared__ __align__(1024) int s[1024]; __shared__ u64 b[4]; int t = threadIdx.x; u32 me = rank();
      int block = blockIdx.x; int* out = y + 64 * block; {body} }}"""
    return run_cuda(source, *arrays, arch="sm_90a", grid=grid, block=threads, seed=seed, cluster=cluster)
