"""Clean-up passes in any order keep every bit of tiny programs: a sample of `python -m tests.cleanup_orders`."""

from __future__ import annotations

import numpy as np
import pytest

import ptir
from tests.cleanup_orders.__main__ import check
from tests.cleanup_orders.programs import PASSES, generate

WRAPS = """
func.func @f(%a: tensor<4xsi8>, %b: tensor<4xsi8>) -> tensor<si32> {
  %m = tiny.binary mul %a, %b : (tensor<4xsi8>, tensor<4xsi8>) -> tensor<4xsi8>
  %s = tiny.reduce sum %m axes [0] accum si32 : tensor<4xsi8> -> tensor<si32>
  %dead = tiny.unary neg %m : tensor<4xsi8> -> tensor<4xsi8>
  func.return %s : tensor<si32>
}"""


@pytest.mark.parametrize("pass_", PASSES)
def test_a_product_wraps_whether_or_not_it_has_another_use(pass_: str):
    a = np.array([100, 50, -77, 3], np.int8)
    after = ptir.PassManager(pass_).run(ptir.parse(WRAPS))
    assert "neg" not in str(after)
    for program in (WRAPS, after):
        assert int(ptir.reference(program, a, a)[0]) == 6


def test_random_programs():
    found = [check(generate(1, number), number) for number in range(150)]
    assert not [f for f in found if f["problem"]]
    assert sum(f["ops"][0] != f["ops"][1] for f in found) > 60, "the passes have work to do"
