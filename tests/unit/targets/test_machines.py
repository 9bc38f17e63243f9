"""The machines for which plans are made: every number has a source, and together they give the rates of the data sheets."""

from __future__ import annotations

import pytest

from ptir.passes.errors import BadOptionValue
from ptir.targets.architectures import ARCHS
from ptir.targets.machines import MACHINES, Machine, machine_in, machine_of
from ptir.targets.mma import MMAS, WGMMAS

from ..planning.test_multistage import gemm, planned

NUMBERS = ("multiprocessors", "clock", "multiply_adds", "mma_share", "dram", "l2", "l2_clock", "shared_clock")
TFLOPS: dict[str, dict[str, float]] = {
    "a100": {"f16": 312, "tf32": 156, "i8": 624, "f64": 19.5, "f32": 19.5},
    "a40": {"f16": 149.7, "tf32": 74.8, "i8": 299.3, "f32": 37.4},
    "l40s": {"f16": 362, "tf32": 183, "f8": 733, "i8": 733, "f32": 91.6},
    "rtx4090": {"f16": 165.2, "tf32": 82.6, "f8": 330.3, "i8": 660.6, "f32": 82.6},
    "h100": {"f16": 989.4, "tf32": 494.7, "f8": 1978.9, "i8": 1978.9, "f64": 66.9, "f32": 66.9},
    "h200": {"f16": 989, "tf32": 494, "f8": 1979, "i8": 1979, "f64": 67, "f32": 67},
}
"""Dense TFLOP/s and TOP/s in the data sheets."""
GB_PER_SECOND = {"a100": 2039, "a40": 696, "l40s": 864, "rtx4090": 1008, "h100": 3350, "h200": 4800}


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_every_number_has_a_source(machine: Machine):
    assert set(machine.sources) == set(NUMBERS) and all(machine.sources.values())


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_rates_are_those_of_the_data_sheets(machine: Machine):
    for kind, tflops in TFLOPS[machine.name].items():
        got = 2 * machine.multiprocessors * machine.clock * machine.multiply_adds[kind] / 1000
        # the white paper gives H100's rates without tensor cores at a higher clock, 1.98 GHz
        assert got == pytest.approx(tflops, rel=0.09 if kind in ("f64", "f32") else 0.03), kind
    assert set(TFLOPS[machine.name]) <= set(machine.multiply_adds)
    assert machine.dram == GB_PER_SECOND[machine.name]
    assert machine.dram_share * machine.clock * machine.multiprocessors == pytest.approx(machine.dram)


def test_what_a_multiprocessor_gets():
    h100, h200, a100 = (MACHINES[name] for name in ("h100", "h200", "a100"))
    assert h100.rate(WGMMAS["m64k16"]) == 2048 and h100.rate(MMAS["m16n8k16"]) == pytest.approx(1331, abs=1)
    assert h100.rate(WGMMAS["m64k32_f8"]) == 2 * h100.rate(WGMMAS["m64k16"]) == 4 * h100.rate(WGMMAS["m64k8"])
    assert h100.rate(MMAS["m8n8k4"]) == 128 and a100.rate(MMAS["m16n8k16"]) == 1024
    assert h200.dram_share / h100.dram_share == pytest.approx(4800 / 3350)
    assert a100.l2_share == pytest.approx(47.4, abs=0.1)


@pytest.mark.parametrize(("arch", "name"), [("sm80", "a100"), ("sm86", "a40"), ("sm89", "l40s"), ("sm90", "h100")])
def test_each_architecture_has_a_machine(arch: str, name: str):
    machine = machine_of(arch)
    assert machine.name == name and machine.arch == arch and machine.limits is ARCHS[machine.arch]


def test_a_machine_of_another_architecture_is_refused():
    with pytest.raises(BadOptionValue, match="'machine' of 'plan-regions' is 'a100'") as failure:
        planned(gemm(64, 64, 64), "arch=sm90 machine=a100")
    assert failure.value.help == "for sm90 one of h100, h200"
    assert planned(gemm(64, 64, 64), "arch=sm90 machine=h200").arch == "sm90"


@pytest.mark.parametrize(
    ("product", "arch", "name"),
    [
        ("NVIDIA H100 80GB HBM3", "sm90", "h100"),
        ("NVIDIA GeForce RTX 4090", "sm89", "rtx4090"),
        ("NVIDIA A100-SXM4-80GB", "sm80", "a100"),
        ("NVIDIA RTX A4000", "sm86", None),
        ("NVIDIA H100 80GB HBM3", "sm80", None),
    ],
)
def test_the_machine_of_a_gpu_by_its_name(product: str, arch: str, name: str | None):
    found = machine_in(product, arch)
    assert (found and found.name) == name
