"""
The GPUs that the planner targets: their rates and bandwidths, each number with its source.

An architecture (`architectures.py`) is what code is compiled for; a machine is a product of that architecture.
`plan-regions{arch=sm90 machine=h200}` plans for one machine; the default is the first machine of the architecture.

Rates are dense multiply-adds per multiprocessor and clock, by operand type: the data sheet's TFLOP/s divided by
2 · multiprocessors · clock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from .architectures import ARCHS, Arch, ArchName
from .mma import Mma

TENSOR_SYNC = ("m16n8k16", "m16n8k8", "m16n8k32")
"""The `mma.sync` instructions whose rate is multiplied by `Machine.mma_share`."""


@dataclass(frozen=True, eq=False)
class Machine:
    """One GPU product. `sources` cites the source of each number by the name of its field."""

    name: str
    product: str
    arch: ArchName
    multiprocessors: int
    clock: float
    """Boost clock, in GHz."""
    multiply_adds: dict[str, int]
    """Dense multiply-adds per multiprocessor and clock, by `Mma.kind`."""
    mma_share: float
    """The fraction of the tensor cores' rate that `mma.sync` reaches, for 16- and 8-bit types and tf32."""
    dram: int
    """Bandwidth of device memory, in GB/s."""
    l2: int
    """Size of the L2 cache, in MB."""
    l2_clock: int
    """Bandwidth from L2 to all multiprocessors together, in bytes per clock."""
    shared_clock: int
    """Bandwidth of one multiprocessor's shared memory, in bytes per clock."""
    sources: dict[str, str]

    @property
    def limits(self) -> Arch:
        return ARCHS[self.arch]

    def rate(self, mma: Mma) -> float:
        """Returns the multiply-adds per multiprocessor and clock that the instruction `mma` reaches."""
        dense = self.multiply_adds[mma.kind]
        return dense * self.mma_share if mma.name in TENSOR_SYNC else dense

    @property
    def dram_share(self) -> float:
        """Bandwidth from device memory to one multiprocessor when all of them load, in bytes per clock."""
        return self.dram / self.clock / self.multiprocessors

    @property
    def l2_share(self) -> float:
        """Bandwidth from L2 to one multiprocessor when all of them load, in bytes per clock."""
        return self.l2_clock / self.multiprocessors


_GUIDE = "CUDA C++ Programming Guide, shared memory: 32 banks of 4 bytes"
_PEERS = "not published; assumed equal to A100's per multiprocessor"
_SYNC_ONLY = {"mma_share": "mma.sync is its only tensor-core instruction", "shared_clock": _GUIDE}
_H100 = Machine(
    "h100",
    "H100 SXM",
    "sm90",
    132,
    1.83,
    {"f16": 2048, "tf32": 1024, "f8": 4096, "i8": 4096, "f64": 128, "f32": 128},
    0.65,
    3350,
    50,
    5120,
    128,
    {
        "multiprocessors": "H100 white paper, H100 SXM5",
        "clock": "H100 white paper: 989.4 TFLOP/s of bf16 are 2 · 132 · 2048 · 1.83 GHz",
        "multiply_adds": "H100 white paper: fourth-generation tensor cores, twice A100's and fp8; FP32 and FP64 cores",
        "mma_share": "measured by others on H100: mma.sync reaches about 65 % of cuBLAS, which uses wgmma",
        "dram": "H100 data sheet, SXM",
        "l2": "H100 white paper",
        "l2_clock": "8986 GB/s at 1755 MHz (doi 10.1016/j.ultsonch.2023.106546, table 3): 5120 bytes a clock, as A100",
        "shared_clock": _GUIDE,
    },
)
_H200_DRAM = "H200 data sheet, SXM: the multiprocessors and rates are those of H100, only the memory differs"

MACHINES = {
    machine.name: machine
    for machine in (
        Machine(
            "a100",
            "A100 SXM 80GB",
            "sm80",
            108,
            1.41,
            {"f16": 1024, "tf32": 512, "i8": 2048, "f64": 64, "f32": 64},
            1.0,
            2039,
            40,
            5120,
            128,
            _SYNC_ONLY
            | {
                "multiprocessors": "A100 white paper",
                "clock": "A100 white paper",
                "multiply_adds": "A100 white paper: 312 TFLOP/s of bf16, 156 of tf32, 624 TOP/s of i8, 19.5 of f64 and f32",
                "dram": "A100 data sheet, 80GB SXM",
                "l2": "A100 white paper",
                "l2_clock": "A100 white paper: 5120 bytes a clock",
            },
        ),
        Machine(
            "a40",
            "A40",
            "sm86",
            84,
            1.74,
            {"f16": 512, "tf32": 256, "i8": 1024, "f64": 2, "f32": 128},
            1.0,
            696,
            6,
            4032,
            128,
            _SYNC_ONLY
            | {
                "multiprocessors": "A40 data sheet: 10752 CUDA cores, 128 each",
                "clock": "A40 data sheet: 149.7 TFLOP/s of bf16 are 2 · 84 · 512 · 1.74 GHz",
                "multiply_adds": "GA102 white paper",
                "dram": "A40 data sheet",
                "l2": "GA102 white paper",
                "l2_clock": _PEERS,
            },
        ),
        Machine(
            "l40s",
            "L40S",
            "sm89",
            142,
            2.52,
            {"f16": 512, "tf32": 256, "f8": 1024, "i8": 1024, "f64": 2, "f32": 128},
            1.0,
            864,
            96,
            6816,
            128,
            _SYNC_ONLY
            | {
                "multiprocessors": "L40S data sheet: 18176 CUDA cores, 128 each",
                "clock": "L40S product brief, boost",
                "multiply_adds": "Ada white paper",
                "dram": "L40S data sheet",
                "l2": "Ada white paper, AD102 as in L40S",
                "l2_clock": _PEERS,
            },
        ),
        Machine(
            "rtx4090",
            "GeForce RTX 4090",
            "sm89",
            128,
            2.52,
            {"f16": 256, "tf32": 128, "f8": 512, "i8": 1024, "f64": 2, "f32": 128},
            1.0,
            1008,
            72,
            6144,
            128,
            _SYNC_ONLY
            | {
                "multiprocessors": "Ada white paper, table 2: 16384 CUDA cores, 128 each",
                "clock": "Ada white paper, table 2, boost",
                "multiply_adds": "Ada white paper, table 2: TFLOP/s with f32 accumulators: 165.2 of bf16, 82.6 of tf32, 330.3 of f8; 660.6 of i8",
                "dram": "Ada white paper, table 2",
                "l2": "Ada white paper, table 2",
                "l2_clock": _PEERS,
            },
        ),
        _H100,
        replace(_H100, name="h200", product="H200 SXM", dram=4800, sources=_H100.sources | {"dram": _H200_DRAM}),
    )
}
"""The machines by name."""


def machine_of(arch: str) -> Machine:
    """Returns the default machine of an architecture."""
    return next(machine for machine in MACHINES.values() if machine.arch == arch)


def machine_in(product: str, arch: str) -> Machine | None:
    """Returns the machine of an architecture whose name is a word of a GPU's name, such as `NVIDIA H100 80GB HBM3`, or None."""
    words = product.upper().replace("-", " ").split()
    names = {*words, *(first + second for first, second in pairwise(words))}
    return next((m for m in MACHINES.values() if m.arch == arch and m.name.upper() in names), None)
