"""Conditions on positions whose integers are divided: isl's quotients and remainders are those of the program."""

from __future__ import annotations

import islpy as isl
import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

import ptir
from ptir.analysis.index import affine
from ptir.analysis.index.book import index_book
from ptir.analysis.index.positions import Positions
from ptir.passes.manager import PassManager

TEXT = """func.func @f(%x: tensor<50xf32>) -> tensor<50xi1> {
  %i = ptir.iota axis 0 : tensor<50xsi32>
  %s = ptir.constant dense<SHIFT> : tensor<50xsi32>
  %m = ptir.add %i, %s : tensor<50xsi32>
  %by = ptir.constant dense<BY> : tensor<50xsi32>
  %q = ptir.FN %m, %by : tensor<50xsi32>
  %two = ptir.constant dense<2> : tensor<50xsi32>
  %c = ptir.compare eq %q, %two : tensor<50xsi32> -> tensor<50xi1>
  func.return %c : tensor<50xi1>
}"""


@pytest.mark.parametrize(("fn", "of"), [("div", np.floor_divide), ("remainder", np.remainder)])
@pytest.mark.parametrize(("shift", "by"), [(0, 7), (3, 13), (-1, 7), (0, -7), (0, 1)])
def test_quotients_and_remainders(fn: str, of: np.ufunc, shift: int, by: int):
    """Of negative numbers, or by them, nothing is known: there a program's division rounds otherwise."""
    text = TEXT.replace("FN", fn).replace("SHIFT", str(shift)).replace("BY", str(by))
    module = ptir.parse(f"builtin.module attributes {{ptir.extensions}} {{ {text} }}")
    PassManager("ptir-to-tiny").run(module)
    (function,) = (op for op in module.body.block.ops if isinstance(op, FuncOp))
    (result,) = function.body.block.last_op.operands  # pyright: ignore[reportOptionalMemberAccess]
    found = Positions(index_book(function)).condition(result)
    if shift < 0 or by < 0:
        assert found is None
        return
    assert found is not None
    points = list[int]()
    inside = found.intersect(affine.box([50]))
    inside.foreach_point(lambda p: points.append(int(p.get_coordinate_val(isl.dim_type.set, 0).to_python())))
    assert sorted(points) == [i for i in range(50) if of(i + shift, by) == 2]
