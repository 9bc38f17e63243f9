"""At every level, printing and parsing is stable, in any order of properties; and the CUDA text contains what kernels use."""

from __future__ import annotations

import re

import pytest
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.passes.environment import make_context
from ptir.text.roundtrip import check_round_trip
from ptir.text.writing import print_module

PROGRAM = """
func.func @f(%x: tensor<256x64xbf16>, %w: tensor<64x256xbf16>, %b: tensor<256xf32>) -> tensor<256x256xbf16> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
     : (tensor<256x64xbf16>, tensor<64x256xbf16>) -> tensor<256x256xf32>
  %1 = ptir.broadcast_to %b : tensor<256xf32> -> tensor<256x256xf32>
  %2 = ptir.maximum %0, %1 : tensor<256x256xf32>
  %3 = ptir.cast %2 : tensor<256x256xf32> -> tensor<256x256xbf16>
  func.return %3 : tensor<256x256xbf16>
}
"""
LEVELS = [
    "ptir-to-tiny",
    "build-poly-view",
    "form-regions",
    "plan-regions{{arch={arch}}}",
    "region-to-pto",
    "pto-to-nv",
]


@pytest.fixture(scope="module", params=["sm80", "sm90"])
def levels(request: pytest.FixtureRequest) -> list[ModuleOp]:
    """Returns the program before and after each pass."""
    found = [ptir.parse(PROGRAM)]
    for stage in LEVELS:
        found.append(ptir.PassManager(stage.format(arch=request.param)).run(found[-1].clone()))
    return found


def test_every_level_is_a_fixed_point(levels: list[ModuleOp]):
    for module in levels:
        check_round_trip(module, make_context())


def test_the_order_of_properties_does_not_show(levels: list[ModuleOp]):
    """An op that is built has them in another order than one that is read."""
    for module in levels:
        other = module.clone()
        for op in other.walk():
            op.properties = dict(reversed(op.properties.items()))
        for generic in (True, False):
            assert print_module(other, generic=generic) == print_module(module, generic=generic)


@pytest.mark.parametrize("arch", ["sm80", "sm90"])
@pytest.mark.parametrize(
    ("dtype", "accum", "out"),
    [
        ("bf16", "f32", "bf16"),
        ("f16", "f32", "f32"),
        ("si8", "si32", "bf16"),
        ("f32", "f32", "f8E4M3FN"),
        ("f64", "f64", "f16"),
    ],
)
def test_cuda_defines_what_its_kernels_call(arch: str, dtype: str, accum: str, out: str):
    """Every device function of the text is called, and no comment has two names for one number."""
    text = f"""
    func.func @f(%x: tensor<64x64x{dtype}>, %w: tensor<64x64x{dtype}>) -> tensor<64x64x{out}> {{
      %0 = ptir.dot_general %x, %w contract [1] x [0] accum {accum} out {accum}
         : (tensor<64x64x{dtype}>, tensor<64x64x{dtype}>) -> tensor<64x64x{accum}>
      %1 = ptir.cast %0 : tensor<64x64x{accum}> -> tensor<64x64x{out}>
      func.return %1 : tensor<64x64x{out}>
    }}"""
    cuda = ptir.print_cuda(ptir.PassManager(f"ptir-to-cuda{{arch={arch}}}").run(ptir.parse(text)))
    for name in re.findall(r"^(?:template <.*> )?DEV [\w ]*?(\w+)\(", cuda, re.MULTILINE):
        assert len(re.findall(rf"\b{name}\b", cuda)) > len(re.findall(rf"DEV [\w ]*?\b{name}\(", cuda)), name
    constants = dict(re.findall(r"(\w+) = (\d+)", "".join(re.findall(r"constexpr int (.*);", cuda))))
    for ring, of in re.findall(r"const u32 smem_(\w) = .*// \w+ stages of (\w+ x \w+)", cuda):
        names = {"a": ("BM", "BK"), "b": ("BN", "BK")}.get(ring, ())
        for size in of.split(" x "):
            assert size.isdecimal() or (size in names and size in constants), (ring, of)
