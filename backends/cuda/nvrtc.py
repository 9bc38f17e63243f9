"""
CUDA C++ → PTX and cubin, by NVRTC: no driver, no GPU.

Results are cached on disk (`disk_cache.py`) by source, architecture, options and NVRTC's version.
`--fmad=false` is on, because a contraction the IR did not ask for would make results depend on the compiler's
mood; `-lineinfo` lets faults name CUDA lines.
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
"""What NVRTC warns of where a kernel has no use for a number of its plan."""
STANDARD_OPTIONS = (
    "-std=c++17",
    "--fmad=false",
    "-lineinfo",
    "--ptxas-options=-v",
    f"--diag-suppress={UNUSED}",
)
FILE_NAME = "kernel.cu"
"""What NVRTC calls the source in its messages."""
CACHE_MIB = 512
"""How much the cache holds unless `$PTIR_CACHE_MIB` says otherwise."""
_FORMAT = 5  # of the cache's entries

FATAL_REMARKS = {
    "C7508": "setmaxnreg is ignored",
    "C7510": "wgmma is serialised",
    "C7511": "wgmma is serialised",
    "C7512": "wgmma is serialised",
    "C7513": "wgmma is serialised",
    "C7514": "wgmma is serialised",
    "C7515": "wgmma is serialised",
    "C7602": "not enough registers",
}
"""ptxas remarks after which the kernel is not the one that was meant (`facts/gpu.md`, measured)."""

INJECTED_REMARKS = {"C7517": "a wgmma wait was injected", "C7519": "a wgmma fence was injected"}
"""ptxas repaired something the source should have said: a finding, never a wrong result."""


@dataclass(frozen=True)
class Resources:
    """What ptxas says one kernel takes; sizes in bytes."""

    registers: int = 0
    barriers: int = 0
    stack: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    static_shared: int = 0
    constant: int = 0


@dataclass(frozen=True)
class Remark:
    """A `(C7510) …` line of ptxas; `kernel` is empty where it names none."""

    number: str
    text: str
    kernel: str = ""

    @property
    def kind(self) -> Literal["fatal", "injected", "other"]:
        return "fatal" if self.number in FATAL_REMARKS else "injected" if self.number in INJECTED_REMARKS else "other"


@dataclass(frozen=True)
class Binary:
    """A compiled CUDA program: text for the emulator, `cubin` for the driver."""

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
    Compile `source` for `arch` (`sm_80`, `sm_90a`, …) with the standard options and `options`.

    Raises `CudaCompileError` with NVRTC's log, `KernelTooLarge` where a block has not that much static shared
    memory, and `FatalCompilerRemark` when ptxas accepted the program but gave up on what makes it fast, unless
    `allow_remarks`.
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
    """cuda-python's NVRTC bindings, imported on first use (60 ms)."""
    try:
        nvrtc: Any = import_module("cuda.bindings.nvrtc")
        _check(nvrtc, nvrtc.nvrtcVersion())
    except Exception as error:
        raise NvrtcUnavailable(reason=str(error).strip()) from error
    return nvrtc


@cache
def nvrtc_version() -> str:
    """NVRTC's version as `major.minor`."""
    nvrtc = _library()
    major, minor = _check(nvrtc, nvrtc.nvrtcVersion())
    return f"{major}.{minor}"


def _check(nvrtc: Any, answer: Any) -> Any:
    status, *values = answer
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise RuntimeError(str(nvrtc.nvrtcGetErrorString(status)[1].decode()))
    return values[0] if len(values) == 1 else values


def _fetch(nvrtc: Any, program: Any, what: str) -> bytes:
    """One of a program's texts (`ProgramLog`, `PTX`, `CUBIN`)."""
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


# --- reading ptxas' log ----------------------------------------------------------------------------

_CLOCK = re.compile(r"^ptxas info\s*: Compile time = .*\n?", re.MULTILINE)
"""The only thing in a log that is not the same every time."""
_SHARED = re.compile(r"function '([^']+)' uses too much shared data \((0x[0-9a-f]+) bytes, (0x[0-9a-f]+) max\)")
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
    """Resources of each kernel, from a log made with `--ptxas-options=-v`."""
    kernels: dict[str, Resources] = {}
    starts = list(_ENTRY.finditer(log))
    for start, following in zip_longest(starts, starts[1:]):
        text = log[start.end() : following.start() if following else len(log)]
        found = {name: pattern.search(text) for name, pattern in _AMOUNTS.items()}
        kernels[start[1]] = Resources(**{name: int(match[1]) for name, match in found.items() if match})
    return kernels


def _check_shared(log: str) -> None:
    """Raises `KernelTooLarge` with the numbers, where ptxas refused static shared memory."""
    if (match := _SHARED.search(log)) is not None:
        used, limit = (int(match[k], 16) for k in (2, 3))
        problem = f"takes {used} bytes of static shared memory a block, the limit is {limit}"
        raise KernelTooLarge(kernel=match[1], problem=problem, help="make its tiles smaller, or the memory dynamic")


_REGISTERS = re.compile(r"\(C7602\) Insufficient registers \((\d+)\).* in function (\w+)\..* target of (\d+)")


def _check_registers(log: str) -> None:
    """Raises `KernelTooLarge` with the numbers, where ptxas found no way to hold one instruction's operands."""
    if (match := _REGISTERS.search(log)) is not None:
        problem = f"has {match[1]} registers a thread, and one instruction needs {match[3]}"
        raise KernelTooLarge(kernel=match[2], problem=problem, help="use a smaller warp_tile, or fewer of them")


def parse_remarks(log: str) -> tuple[Remark, ...]:
    """The numbered remarks of ptxas, classified."""
    remarks: list[Remark] = []
    for line in log.splitlines():
        match = re.search(r"\b(C7\d{3})\b", line)
        if match:
            named = _FUNCTION.search(line)
            remarks.append(Remark(match[1], line.strip(), named[1] if named else ""))
    return tuple(remarks)


# --- the cache -------------------------------------------------------------------------------------


def cache_directory() -> Path:
    """`$PTIR_CACHE_DIR`, else `~/.cache/ptir`."""
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
    """The release of the package that NVRTC came in, which says more than NVRTC's own `major.minor`."""
    try:
        return version("nvidia-cuda-nvrtc")
    except PackageNotFoundError:
        return ""


def _encode(binary: Binary) -> bytes:
    return msgspec.json.encode(binary)


def _decode(entry: bytes) -> Binary | None:
    """The program that an entry holds; None if it holds anything else, whoever sealed it."""
    try:
        return msgspec.json.decode(entry, type=Binary)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
