"""Clean-up passes in any order preserve the bits of results of tiny programs: a sample of `python -m tests.cleanup_orders`."""

from __future__ import annotations

import numpy as np
import pytest

import ptir
from tests.cleanup_orders.__main__ import check, same_bits
from tests.cleanup_orders.programs import PASSES, generate

from ..builders.amount import examples

WRAPS = """
func.func @f(%a: tensor<4xsi8>, %b: tensor<4xsi8>) -> tensor<si32> {
  %m = tiny.binary mul %a, %b : (tensor<4xsi8>, tensor<4xsi8>) -> tensor<4xsi8>
  %s = tiny.reduce sum %m axes [0] accum si32 : tensor<4xsi8> -> tensor<si32>
  %dead = tiny.unary neg %m : tensor<4xsi8> -> tensor<4xsi8>
  func.return %s : tensor<si32>
}"""


FACTOR = """
func.func @f(%a: tensor<1xf32>, %b: tensor<3x1xf32>) -> tensor<1xf64> {
  %m = tiny.binary mul %a, %b : (tensor<1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %s = tiny.reduce sum %m axes [0] accum f64 : tensor<3x1xf32> -> tensor<1xf64>
  %dead = tiny.unary neg %m : tensor<3x1xf32> -> tensor<3x1xf32>
  func.return %s : tensor<1xf64>
}"""


@pytest.mark.parametrize("pass_", PASSES)
def test_a_product_wraps_whether_or_not_it_has_another_use(pass_: str):
    a = np.array([100, 50, -77, 3], np.int8)
    after = ptir.PassManager(pass_).run(ptir.parse(WRAPS))
    assert "neg" not in str(after)
    for program in (WRAPS, after):
        assert int(ptir.reference(program, a, a)[0]) == 6


@pytest.mark.parametrize(("left", "right"), [(np.inf, (1, 2, 0)), (-1, (1, -1, 0)), (-0.0, (1, -1, 0))])
def test_a_factor_that_is_summed_alone_is_not_taken_out_of_the_sum(left: float, right: tuple[float, ...]):
    """x·inf + x·0 is NaN; -1·1 + -1·-1 is +0."""
    before = ptir.parse(FACTOR)
    after = ptir.PassManager("dce").run(before.clone())
    x, y = np.array([left], np.float32), np.array(right, np.float32)[:, None]
    a, b = (ptir.reference(module, x, y)[0] for module in (before, after))
    assert same_bits(a, b)


def test_random_programs():
    found = [check(generate(1, number), number) for number in range(examples(150))]
    assert not [f for f in found if f["problem"]]
    assert sum(f["ops"][0] != f["ops"][1] for f in found) > examples(150) // 3, "the passes have work to do"
