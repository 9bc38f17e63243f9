"""
Compiles CUDA C++ to PTX and cubin with NVRTC, which needs no driver and no GPU.

Results are cached on disk (`disk_cache.py`) by source, architecture, options and NVRTC's version. `--fmad=false` keeps
the compiler from contracting a * b + c where the IR does not; `-lineinfo` lets faults name CUDA lines, and adds 0.6 % to the
instructions that NVRTC executes (`benchmarks/results/2026-11-28-compile-time-attention.md`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import zip_longest
from pathlib import Path
from textwrap import shorten
from typing import Any, Literal

import msgspec

from ...errors import InvalidAttributeValue
from .disk_cache import DiskCache
from .errors import CudaCompileError, FatalCompilerRemark, KernelTooLarge, NvrtcUnavailable

UNUSED = 177
"""NVRTC's warning about an unused variable: a kernel need not use every constant of its plan."""
STANDARD_OPTIONS = (
    "-minimal",
    "-std=c++17",
    "--fmad=false",
    "-lineinfo",
    "--ptxas-options=-v",
    f"--diag-suppress={UNUSED}",
)
FILE_NAME = "kernel.cu"
"""The name of the source in NVRTC's messages."""
CACHE_MIB = 512
"""Default limit of the cache's size, in MiB; `$PTIR_CACHE_MIB` overrides it."""
_FORMAT = 5
"""Version of the format of the cache's entries."""

FATAL_REMARKS = {
    "C7508": "setmaxnreg is ignored",
    **{f"C{number}": "wgmma is serialized" for number in range(7510, 7516)},
    "C7602": "not enough registers",
}
"""ptxas remarks which mean (as measurements show) that a kernel lost an optimization that its plan relies on."""

INJECTED_REMARKS = {"C7517": "a wgmma wait was injected", "C7519": "a wgmma fence was injected"}
"""ptxas remarks about synchronization that ptxas added because the source lacks it; the result is correct."""


@dataclass(frozen=True)
class Resources:
    """The resources of one kernel as ptxas reports them; sizes in bytes."""

    registers: int = 0
    barriers: int = 0
    stack: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    static_shared: int = 0
    constant: int = 0


@dataclass(frozen=True)
class Remark:
    """A `(C7510) …` line of ptxas; `kernel` is empty if the line names none."""

    number: str
    text: str
    kernel: str = ""

    @property
    def kind(self) -> Literal["fatal", "injected", "other"]:
        return "fatal" if self.number in FATAL_REMARKS else "injected" if self.number in INJECTED_REMARKS else "other"


@dataclass(frozen=True)
class Binary:
    """A compiled CUDA program: `ptx` for the emulator, `cubin` for the driver."""

    ptx: str
    cubin: bytes
    log: str
    arch: str
    kernels: dict[str, Resources]
    remarks: tuple[Remark, ...] = field(default=())

    def __repr__(self) -> str:
        kernels = shorten(", ".join(self.kernels), 200, placeholder=" …")
        return f"Binary({self.arch}, kernels {kernels or 'none'})"


def compile_cuda(source: str, arch: str, options: Sequence[str] = (), *, allow_remarks: bool = False) -> Binary:
    """
    Compiles `source` for `arch` (`sm_80`, `sm_90a`, …) with the standard options and `options`.

    Raises `CudaCompileError` with NVRTC's log, `KernelTooLarge` if a kernel exceeds the limits of a block, and, unless
    `allow_remarks`, `FatalCompilerRemark` for a remark of `FATAL_REMARKS`.
    """
    flags = (f"-arch={arch}", *STANDARD_OPTIONS, *options)
    cache, key = _cache(), _key(source, flags)
    known = cache.get(key)
    binary = None if known is None else _decode(known)
    if binary is None:
        binary = _compile(source, arch, flags)
        cache.put(key, _encode(binary))
    fatal = [remark for remark in binary.remarks if remark.kind == "fatal"]
    if fatal and not allow_remarks:
        number = fatal[0].number
        raise FatalCompilerRemark(remark=number, arch=arch, meaning=FATAL_REMARKS[number], log=binary.log)
    return binary


@cache
def _library() -> Any:
    """Returns cuda-python's NVRTC bindings; the import takes 60 ms."""
    try:
        nvrtc: Any = import_module("cuda.bindings.nvrtc")
        _check(nvrtc, nvrtc.nvrtcVersion())
    except Exception as error:
        raise NvrtcUnavailable(reason=str(error).strip()) from error
    return nvrtc


@cache
def nvrtc_version() -> str:
    """Returns NVRTC's version as `major.minor`."""
    nvrtc = _library()
    major, minor = _check(nvrtc, nvrtc.nvrtcVersion())
    return f"{major}.{minor}"


def _check(nvrtc: Any, answer: Any) -> Any:
    status, *values = answer
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise RuntimeError(str(nvrtc.nvrtcGetErrorString(status)[1].decode()))
    return values[0] if len(values) == 1 else values


def _fetch(nvrtc: Any, program: Any, what: str) -> bytes:
    """Returns one of a program's outputs: `what` is `ProgramLog`, `PTX` or `CUBIN`."""
    buffer = bytes(_check(nvrtc, getattr(nvrtc, f"nvrtcGet{what}Size")(program)))
    _check(nvrtc, getattr(nvrtc, f"nvrtcGet{what}")(program, buffer))
    return buffer


def _compile(source: str, arch: str, flags: Sequence[str]) -> Binary:
    nvrtc = _library()
    program = _check(nvrtc, nvrtc.nvrtcCreateProgram(source.encode(), FILE_NAME.encode(), 0, [], []))
    try:
        status = nvrtc.nvrtcCompileProgram(program, len(flags), [flag.encode() for flag in flags])[0]
        log = _CLOCK.sub("", _fetch(nvrtc, program, "ProgramLog").replace(b"\0", b"").decode(errors="replace")).strip()
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            _check_shared(log)
            _check_registers(log)
            error = CudaCompileError(arch=arch, log=log or str(status))
            error.source, error.log = source, log
            raise error
        ptx = _fetch(nvrtc, program, "PTX").replace(b"\0", b"").decode()
        cubin = _fetch(nvrtc, program, "CUBIN")
    finally:
        nvrtc.nvrtcDestroyProgram(program)
    return Binary(ptx, cubin, log, arch, parse_resources(log), parse_remarks(log))


# --- ptxas' log ------------------------------------------------------------------------------------

_CLOCK = re.compile(r"^ptxas info\s*: Compile time = .*\n?", re.MULTILINE)
"""The only line of a log that differs from run to run."""
_SHARED = re.compile(r"function '([^']+)' uses too much shared data \((0x[0-9a-f]+) bytes, (0x[0-9a-f]+) max\)")
_REGISTERS = re.compile(r"\(C7602\) Insufficient registers \((\d+)\).* in function (\w+)\..* target of (\d+)")
_FUNCTION = re.compile(r"function '([^']+)'")

_ENTRY = re.compile(r"Compiling entry function '([^']+)'")
_AMOUNTS = {
    "registers": re.compile(r"Used (\d+) registers"),
    "barriers": re.compile(r"used (\d+) barriers"),
    "stack": re.compile(r"(\d+) bytes stack frame"),
    "spill_stores": re.compile(r"(\d+) bytes spill stores"),
    "spill_loads": re.compile(r"(\d+) bytes spill loads"),
    "static_shared": re.compile(r"(\d+) bytes smem"),
    "constant": re.compile(r"(\d+) bytes cmem\[0\]"),
}


def parse_resources(log: str) -> dict[str, Resources]:
    """Returns the resources of each kernel from a log made with `--ptxas-options=-v`."""
    kernels: dict[str, Resources] = {}
    starts = list(_ENTRY.finditer(log))
    for start, following in zip_longest(starts, starts[1:]):
        text = log[start.end() : following.start() if following else len(log)]
        found = {name: pattern.search(text) for name, pattern in _AMOUNTS.items()}
        kernels[start[1]] = Resources(**{name: int(match[1]) for name, match in found.items() if match})
    return kernels


def _check_shared(log: str) -> None:
    """Raises `KernelTooLarge` if the log says that a kernel has too much static shared memory."""
    if (match := _SHARED.search(log)) is not None:
        used, limit = (int(match[k], 16) for k in (2, 3))
        problem = f"takes {used} bytes of static shared memory per block, but the limit is {limit}"
        raise KernelTooLarge(kernel=match[1], problem=problem, help="make its tiles smaller, or the memory dynamic")


def _check_registers(log: str) -> None:
    """Raises `KernelTooLarge` if the log says that one instruction's operands exceed a thread's registers."""
    if (match := _REGISTERS.search(log)) is not None:
        problem = f"has {match[1]} registers a thread, and one instruction needs {match[3]}"
        raise KernelTooLarge(kernel=match[2], problem=problem, help="use a smaller warp_tile, or fewer of them")


def parse_remarks(log: str) -> tuple[Remark, ...]:
    """Returns the numbered remarks of a log."""
    remarks: list[Remark] = []
    for line in log.splitlines():
        match = re.search(r"\b(C7\d{3})\b", line)
        if match:
            named = _FUNCTION.search(line)
            remarks.append(Remark(match[1], line.strip(), named[1] if named else ""))
    return tuple(remarks)


# --- the cache -------------------------------------------------------------------------------------


def cache_directory() -> Path:
    """Returns `$PTIR_CACHE_DIR`, else `~/.cache/ptir`."""
    chosen = os.environ.get("PTIR_CACHE_DIR")
    return Path(chosen) if chosen else Path.home() / ".cache" / "ptir"


def _cache() -> DiskCache:
    text = os.environ.get("PTIR_CACHE_MIB") or str(CACHE_MIB)
    if not text.isdecimal():
        raise InvalidAttributeValue(name="PTIR_CACHE_MIB", problem=f"is '{text}'", help="give a number of MiB")
    return DiskCache(cache_directory() / "nvrtc", int(text) << 20)


def _key(source: str, flags: Sequence[str]) -> str:
    return repr((_FORMAT, nvrtc_version(), _release(), tuple(flags), source))


@cache
def _release() -> str:
    """Returns the release of NVRTC's package, which is more precise than its own `major.minor`."""
    try:
        return version("nvidia-cuda-nvrtc")
    except PackageNotFoundError:
        return ""


def _encode(binary: Binary) -> bytes:
    return msgspec.json.encode(binary)


def _decode(entry: bytes) -> Binary | None:
    """Returns the program of a cache entry, or None if the entry holds anything else."""
    try:
        return msgspec.json.decode(entry, type=Binary)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
