"""Compilation by NVRTC without a GPU: resources, errors, remarks, the cache, SASS."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ptir.backends.cuda import nvrtc, sass
from ptir.backends.cuda.errors import (
    CudaCompileError,
    DisassemblerFailed,
    DisassemblerUnavailable,
    FatalCompilerRemark,
    KernelTooLarge,
    NvrtcUnavailable,
)
from ptir.backends.cuda.nvrtc import compile_cuda

SOURCE = """
extern "C" __global__ void first(float* x) { __shared__ float s[64]; s[threadIdx.x] = x[threadIdx.x];
  __syncthreads(); x[threadIdx.x] = s[63 - threadIdx.x] * 2 + 1; }
extern "C" __global__ void second(float* x) { x[0] = 1; }
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PTIR_CACHE_DIR", str(tmp_path))
    return tmp_path


def entries(cache: Path) -> list[Path]:
    return [p for p in cache.rglob("*") if p.is_file()]


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
def test_binary(arch: str):
    binary = compile_cuda(SOURCE, arch)
    assert binary.arch == arch and f".target {arch}" in binary.ptx and binary.cubin[:4] == b"\x7fELF"
    assert set(binary.kernels) == {"first", "second"}
    first, second = binary.kernels["first"], binary.kernels["second"]
    assert first.static_shared >= 256 and first.barriers == 1 and second.barriers == 0
    assert 0 < second.registers <= first.registers and first.stack == first.spill_stores == first.spill_loads == 0
    assert ".loc" in binary.ptx and "fma" not in binary.ptx  # the effects of -lineinfo and --fmad=false


def test_options_reach_the_compiler():
    assert "fma.rn.f32" in compile_cuda(SOURCE, "sm_80", ["--fmad=true"]).ptx
    assert ".reg" in compile_cuda(SOURCE, "sm_80", ["-DUNUSED=1"]).ptx


def test_spills_are_seen():
    body = "".join(f"float v{i} = x[{i} * 32 + threadIdx.x];" for i in range(64))
    body += "__syncthreads();" + "".join(f"x[{i} * 32 + threadIdx.x] = v{63 - i};" for i in range(64))
    kernel = f'extern "C" __global__ void __launch_bounds__(1024, 2) k(float* x) {{ {body} }}'
    resources = compile_cuda(kernel, "sm_80").kernels["k"]
    assert resources.registers <= 32 and resources.spill_stores > 0 and resources.stack > 0


@pytest.mark.parametrize(("arch", "limit"), [("sm_80", 0xC000), ("sm_90a", 0x38C00)])
def test_too_much_static_shared_memory_is_refused_with_the_numbers(arch: str, limit: int):
    body = "__shared__ int s[60000]; s[x[0]] = x[1]; __syncthreads(); x[2] = s[x[3]];"
    with pytest.raises(KernelTooLarge, match=f"@k takes 240000 bytes of static .* the limit is {limit}"):
        compile_cuda(f'extern "C" __global__ void k(int* x) {{ {body} }}', arch)


def test_an_instruction_with_more_operands_than_registers_is_refused_with_the_numbers():
    places = ",".join(f"%{k}" for k in range(64))
    operands = ", ".join(f'"+f"(d[{k}])' for k in range(64))
    wgmma = f"wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{{places}}}, %64, %65, 1, 1, 1, 0, 0;"
    body = f'float d[64] = {{}}; asm volatile("{wgmma}" : {operands} : "l"(a), "l"(b)); for (float x : d) *y++ = x;'
    kernel = f'extern "C" __global__ void __launch_bounds__(1024) k(unsigned long long a, unsigned long long b, float* y) {{ {body} }}'
    with pytest.raises(KernelTooLarge, match="@k has 64 registers a thread, and one instruction needs"):
        compile_cuda(kernel, "sm_90a")


def test_the_same_source_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PTIR_CACHE_MIB", "0")
    first, second = (compile_cuda(SOURCE, "sm_80") for _ in range(2))
    assert first == second and "Used" in first.log and "Compile time" not in first.log


def test_errors_carry_the_log():
    with pytest.raises(CudaCompileError) as caught:
        compile_cuda("__global__ void k() { nonsense; }", "sm_80")
    assert "nonsense" in caught.value.log and "nonsense" in caught.value.source
    assert str(caught.value) == (
        "error[PTIR0401]: NVRTC rejects the program for sm_80:\n"
        f"{caught.value.log}\n"
        "  help: the CUDA source is in the error's `source` attribute"
    )


def test_an_environment_without_nvrtc_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "cuda.bindings.nvrtc", None)
    with pytest.raises(NvrtcUnavailable) as caught:
        nvrtc._library.__wrapped__()  # pyright: ignore[reportPrivateUsage]
    assert str(caught.value) == (
        "error[PTIR0403]: NVRTC cannot be loaded: import of cuda.bindings.nvrtc halted; None in sys.modules\n"
        '  help: pip install "cuda-python>=13.0,<14" "nvidia-cuda-nvrtc>=13.0,<14"'
    )


def test_remarks_are_classified():
    log = """ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized
    ptxas info    : (C7517) something injected
    ptxas info    : (C7599) whatever"""
    assert [(r.number, r.kind) for r in nvrtc.parse_remarks(log)] == [
        ("C7510", "fatal"), ("C7517", "injected"), ("C7599", "other")
    ]  # fmt: skip
    (named,) = nvrtc.parse_remarks("ptxas info : (C7510) Potential Performance Loss: serialized in function 'k'")
    assert named.kernel == "k"


def test_fatal_remark_is_an_error():
    source = (
        """extern "C" __global__ void k(int* x) { asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); x[0] = 1; }"""
    )
    with pytest.raises(FatalCompilerRemark) as caught:
        compile_cuda(source, "sm_90a")
    binary = compile_cuda(source, "sm_90a", allow_remarks=True)
    assert str(caught.value) == (
        "error[PTIR0402]: ptxas C7508 for sm_90a: setmaxnreg is ignored\n"
        f"{binary.log}\n"
        "  help: pass `allow_remarks` to accept this code"
    )
    assert binary.remarks[0].kind == "fatal"


def test_cache_hits_and_survives_damage(cache: Path, monkeypatch: pytest.MonkeyPatch):
    first = compile_cuda(SOURCE, "sm_80")
    (entry,) = entries(cache)
    compiled = nvrtc._compile  # pyright: ignore[reportPrivateUsage]
    calls: list[str] = []

    def counting(source: str, arch: str, flags: tuple[str, ...]):
        calls.append(arch)
        return compiled(source, arch, flags)

    monkeypatch.setattr(nvrtc, "_compile", counting)
    assert compile_cuda(SOURCE, "sm_80") == first and not calls
    data = entry.read_bytes()
    for damaged in (b"", data[:100], data[:-1], data[:50] + b"x" + data[51:]):
        entry.write_bytes(damaged)
        assert compile_cuda(SOURCE, "sm_80").kernels == first.kernels
        assert entry.read_bytes()[:4] != b"" and len(entry.read_bytes()) > 1000
    assert len(calls) == 4 and entries(cache) == [entry]
    compile_cuda(SOURCE, "sm_80", ["-DA=1"])
    assert len(calls) == 5 and len(entries(cache)) == 2


def test_unwritable_cache_is_no_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PTIR_CACHE_DIR", "/proc/nowhere")
    assert compile_cuda(SOURCE, "sm_80").cubin


def test_sass_counts():
    pytest.importorskip("nvidia")
    try:
        sass.find_tool("nvdisasm")
    except DisassemblerUnavailable:
        pytest.skip("the test extra is not installed")
    counts = sass.counts(compile_cuda(SOURCE, "sm_80").cubin)
    assert counts["EXIT"] == 2 and counts["STG.E"] == 2 and counts["LDS"] == 1
    assert any(name.startswith("BAR.SYNC") for name in counts)


LISTING = """
.text.k:
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_0:
        /*0010*/                   HMMA.16816.F32 R4, R8, R12, R4 ;
.L_x_1:
        /*0020*/              @!P1 LDSM.16.M88.4 R8, [R2] ;
        /*0030*/                   HMMA.16816.F32 R4, R8, R12, R4 ;
        /*0040*/               @P0 BRA `(.L_x_1) ;
        /*0050*/                   BRA `(.L_x_2) ;
        /*0060*/               @P2 BRA `(.L_x_0) ;
.L_x_2:
        /*0070*/                   FFMA R0, R0, R0, R0 ;
        /*0080*/                   EXIT ;
.L_x_3:
        /*0090*/                   BRA `(.L_x_3);
.text.j:
        /*0000*/                   EXIT ;
"""


def test_loops_are_found_by_their_branches():
    functions = sass.read(LISTING)
    assert list(functions) == ["k", "j"] and [i.name for i in functions["j"]] == ["EXIT"]
    k = functions["k"]
    assert k[2].opcode == "LDSM.16.M88.4" and k[2].operands == "R8, [R2]" and k[4].target == 0x20
    assert [(loop[0].address, loop[-1].address) for loop in sass.loops(k)] == [(0x20, 0x40), (0x10, 0x60)]
    assert [i.address for i in sass.main_loop(k)] == [0x10, 0x20, 0x30, 0x40, 0x50, 0x60]
    assert [i.address for i in sass.main_loop([i for i in k if i.address != 0x10])] == [0x20, 0x30, 0x40]
    assert not sass.main_loop(functions["j"])


def test_missing_disassembler_is_named():
    with pytest.raises(DisassemblerUnavailable, match="no-such-tool") as caught:
        sass.find_tool("no-such-tool")
    assert str(caught.value) == (
        "error[PTIR0404]: cannot find no-such-tool in the nvidia packages of this environment\n"
        "  help: install the test extra: pip install 'ptir[test]'"
    )


def test_a_failure_of_the_disassembler_is_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    tool = tmp_path / "nvdisasm"
    tool.write_text("#!/bin/sh\necho this is no cubin >&2\nexit 1\n")
    tool.chmod(0o755)
    monkeypatch.setattr(sass, "find_tool", lambda _: tool)
    with pytest.raises(DisassemblerFailed) as caught:
        sass.disassemble(b"")
    assert str(caught.value) == "error[PTIR0405]: nvdisasm failed: this is no cubin"
