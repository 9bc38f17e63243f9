"""The counters of a launch: instruction classes, bytes by level, sectors and wavefronts, per line; and locations in the IR."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from ptir.emulator import Report, errors
from ptir.emulator.engine.units import unit
from tests.unit.builders.ptx_kernels.launch import run_cuda


def run(body: str, *arrays: np.ndarray, **options: Any) -> Report:
    return run_cuda('extern "C" __global__ void ' + body, *arrays, **options)


@pytest.mark.parametrize(
    ("index", "per_request"),
    [
        ("t", 4),
        ("2 * t", 8),
        ("8 * t", 32),
        ("t + 1", 5),
        ("0", 1),
        ("t / 2", 2),
        ("31 - t % 32 + t / 32 * 32", 4),
        ("t % 2 * 16 + t / 2", 4),
    ],
)
def test_sectors(index: str, per_request: int):
    """32 lanes of 4 bytes are 4 sectors at best."""
    report = run(
        f"k(const int* x, int* y) {{ int t = threadIdx.x; y[t] = x[{index}]; }}",
        np.zeros(1024, np.int32),
        np.zeros(64, np.int32),
        grid=3,
    )
    loads = next(c for name, c in report.by_opcode.items() if name.startswith("ld.global"))
    assert loads.requests == 3 * 2 and loads.sectors == 6 * per_request
    assert report.requests == 12 and report.sectors == 6 * per_request + 6 * 4


def test_vectors_are_whole_requests():
    report = run(
        "k(const int4* x, int4* y) { y[threadIdx.x] = x[threadIdx.x]; }",
        np.zeros((64, 4), np.int32),
        np.zeros((64, 4), np.int32),
    )
    assert report.requests == 4 and report.sectors_per_request == 16
    assert report.bytes == {"global_load": 1024, "global_store": 1024}


def test_levels_and_wavefronts():
    body = """k(const int* x, int* y) { __shared__ int s[64]; int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  y[t] = s[t * 2 % 64];
  atomicAdd(y + 64, 1); }"""
    report = run(body, np.zeros(64, np.int32), np.zeros(65, np.int32))
    assert report.bytes == dict.fromkeys(
        ("global_load", "global_store", "global_atomic", "shared_load", "shared_store"), 256
    )
    assert (
        report.lines[2].wavefronts == 2
        and report.lines[2].conflicts == 0
        and report.lines[2].bytes["global_load"] == 256
    )
    assert report.lines[4].wavefronts == 4 and report.lines[4].conflicts == 2
    assert report.wavefronts == 6 and report.bank_conflicts == report.conflicts == 2
    assert report.lines[5].sectors == 2
    assert sum(report.classes.values()) == sum(report.opcodes.values()) == report.lane_instructions
    assert report.classes["synchronization"] == 64 and report.classes["memory"] == 64 * 5 + 64 * 2  # … and 2 parameters


UNITS = {
    "fma.rn.f32": "FFMA", "add.rn.ftz.f32": "FADD", "mul.f64": "DMUL", "fma.rn.f16x2": "HFMA", "mad.lo.s32": "IMAD",
    "mul.wide.u32": "IMAD", "mad.lo.cc.u32": "IMAD", "add.s64": "IADD", "shl.b32": "SHF", "lop3.b32": "LOP3",
    "min.s32": "IMNMX", "max.NaN.f32": "FMNMX", "dp4a.s32.s32": "IDP", "ex2.approx.ftz.f32": "MUFU",
    "rcp.approx.f32": "MUFU", "rcp.rn.f32": "DIV", "div.rn.f32": "DIV", "cvt.rn.bf16x2.f32": "CVT",
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32": "HMMA", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32": "HMMA",
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32": "IMMA", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64": "DMMA",
    "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32": "QMMA", "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16": "HGMMA",
    "wgmma.fence.sync.aligned": "WARPGROUP", "ldmatrix.sync.aligned.m8n8.x4.shared.b16": "LDSM", "ld.shared.v4.u32": "LDS",
    "ld.shared::cta.u32": "LDS", "st.global.v2.f64": "STG", "ld.param.u64": "LDC", "ld.u32": "LD", "red.global.add.f32": "RED",
    "atom.global.add.u32": "ATOMG", "cp.async.cg.shared.global": "LDGSTS", "cp.async.commit_group": "LDGDEPBAR",
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes": "UBLKCP", "bar.sync": "BAR", "bra.uni": "BRA",
    "shfl.sync.bfly.b32": "SHFL", "setp.lt.s32": "SETP", "selp.b32": "SEL", "ret": "EXIT", "prefetch.global.L2": "prefetch",
}  # fmt: skip


def test_units():
    assert {opcode: unit(opcode) for opcode in UNITS} == UNITS


def test_copies_count_the_banks_they_write():
    """Rows of 128 bytes: 8 lanes that write one column of chunks want the same banks."""
    body = """k(const char* x) { __shared__ __align__(128) char s[4096]; int t = threadIdx.x;
      unsigned to = (unsigned)__cvta_generic_to_shared(s) + INDEX * 16;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(x + t * 16) : "memory");
      asm volatile("cp.async.wait_all;" ::: "memory"); }"""
    for index, conflicts in (("t", 0), ("t % 8 * 8 + t / 8", 28)):
        report = run(body.replace("INDEX", f"({index})"), np.zeros(512, np.uint8), block=32)
        assert (report.wavefronts, report.conflicts) == (4 + conflicts, conflicts)
        assert report.wavefronts_per_line == report.wavefronts / 4 and report.bytes["shared_store"] == 0


def test_text_and_json():
    report = run("k(float* x) { x[threadIdx.x] *= 2; }", np.zeros(64, np.float32))
    text = str(report)
    for part in (
        "float",
        "memory",
        "4 global requests, 16 sectors (4.00 a request)",
        "256 bytes",
        "   1              4.00",
    ):
        assert part in text, text
    data = json.loads(json.dumps(report.to_dict()))
    assert data["bytes"] == {"global_load": 256, "global_store": 256} and data["lines"]["1"]["sectors"] == 16
    assert data["units"]["LDG"] == 64 and data["by_opcode"]["ld.global.f32"]["sectors_per_request"] == 4
    assert data["classes"]["float"] == 64 and data["sectors_per_request"] == 4 and data["steps"] == report.steps


def test_faults_know_their_cuda_lines():
    body = "k(int* x) {\n  x[threadIdx.x] = 1;\n}"
    with pytest.raises(errors.OutOfBounds, match=r"CUDA line 2, PTX line") as caught:
        run(body, np.zeros(3, np.int32))
    assert caught.value.lines == (2,)


def test_schedules_of_divergent_code():
    """Collatz lengths, with barriers between: warps are drawn, results are not."""
    body = """k(int* x) { __shared__ int s[256]; int t = threadIdx.x, v = x[blockIdx.x * 256 + t], n = 0;
      while (v > 1) { v = v % 2 ? 3 * v + 1 : v / 2; n++; } s[t] = n; __syncthreads();
      int sum = 0; for (int i = 0; i < 8; i++) { sum += s[(t + i * 32) % 256]; __syncthreads(); s[t] += i; __syncthreads(); }
      x[blockIdx.x * 256 + t] = sum + __shfl_xor_sync(0xffffffffu, n, 3); }"""
    results, steps = [], set()
    for seed in (None, 0, 1, 2):
        x = np.arange(512, dtype=np.int32)
        steps.add(run(body, x, grid=2, block=256, seed=seed).steps)
        results.append(x)
    assert all(np.array_equal(results[0], r) for r in results) and len(steps) == 4


@pytest.mark.parametrize("seed", range(3))
def test_races_show_under_every_schedule(seed: int):
    body = "k(int* x) { __shared__ int s[256]; int t = threadIdx.x; s[t] = x[t]; __syncwarp(); x[t] = s[255 - t]; }"
    with pytest.raises((errors.SharedRace, errors.UninitializedMemory)):
        run(body, np.zeros(256, np.int32), block=256, seed=seed)


def traced(body: str, **sizes: int) -> int:
    body = f"k(const float* x, float* y) {{ int t = threadIdx.x; {body} }}"
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    return run(body, x, y, grid=2, block=32, trace=True, **sizes).trace


def test_traces():
    """Arithmetic does not show, nor how addresses are computed; addresses, widths, threads, order and barriers do."""
    own = "int i = blockIdx.x * 32 + t;"
    plain = traced(f"{own} y[i] = x[i] + 1; __syncthreads();")
    assert plain and plain == traced(f"{own} y[i] = x[i] * 3; __syncthreads();")
    assert plain == traced("unsigned i = t; if (blockIdx.x) i += 32; y[i] = x[i] + 1; __syncthreads();")
    others = [
        f"{own} y[i] = x[i ^ 1] + 1; __syncthreads();",
        f"{own} y[i] = x[i] + 1;",
        f"{own} if (t < 31) y[i] = x[i] + 1; __syncthreads();",
        f"{own} y[i] = x[i] + 1; __syncthreads(); __syncthreads();",
        f"{own} __syncthreads(); y[i] = x[i] + 1;",
        f"{own} if (t < 16) ((float2*)y)[i - blockIdx.x * 16] = ((float2*)x)[t]; __syncthreads();",
    ]  # fmt: skip
    assert len({plain, *(traced(body) for body in others)}) == 1 + len(others)
