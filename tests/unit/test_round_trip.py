"""Text is a fixed point at every level: printed, parsed and printed again, in either form, whatever order properties are in."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.passes.environment import make_context
from ptir.passes.roundtrip import check_round_trip, print_module

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
    """The program before and after each pass."""
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
