"""Reductions of columns against the reference's bounds: positions of the axes, sizes, element types, and the same bits again."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType

import ptir
from ptir.runtime.devices import Emulator
from ptir.semantics.arrays.scalars import numpy_dtype
from ptir.semantics.bounds import bounds, check

from ..builders.column_programs import PROGRAMS
from ..builders.column_programs import text as source

DTYPES = {"moments": ("f32", "bf16", "f16")}
SIZES = ((1, 8), (2, 3), (7, 33), (31, 64), (64, 24), (100, 200), (257, 40), (40, 520), (200, 1))


def run(text: str, arch: str, inputs: list[Any] | None = None) -> tuple[Any, list[Any], Emulator]:
    """Returns the results in the emulator, the inputs, and the device."""
    device, rng = Emulator(), np.random.default_rng(5)
    compiled = ptir.compile(text, arch=arch, device=device)
    types = [cast(TensorType[Any], t) for _, t in compiled.signature.arguments]
    inputs = inputs or [rng.integers(0, 3, t.get_shape()).astype(numpy_dtype(t.element_type)) for t in types]
    return compiled(*inputs), inputs, device


CASES = [
    (name, *sizes, dtype, ("sm80", "sm90")[k % 2])
    for name in PROGRAMS
    for k, (sizes, dtype) in enumerate(
        (s, d) for s in SIZES for d in DTYPES.get(name, ("f32", "bf16", "f64", "si32", "ui8", "si64"))
    )
]


@pytest.mark.sampled(7)
@pytest.mark.parametrize(("name", "rows", "columns", "dtype", "arch"), CASES)
def test_programs(name: str, rows: int, columns: int, dtype: str, arch: str):
    text = source(name, rows, columns, dtype)
    got, inputs, _ = run(text, arch)
    for k, (result, want) in enumerate(zip(got, bounds(ptir.parse(text), "f", *inputs), strict=True)):
        assert (report := check(result, want)).ok, f"result {k}: {report}"


@pytest.mark.parametrize("columns", [64, 256])
def test_rows_are_read_once(columns: int):
    """
    No row is loaded twice, and the bias once for each output, in two halves of sectors. No bank is accessed twice at a time,
    and the same bits come out again.
    """
    text = source("moments", 64, columns, "bf16")
    got, inputs, device = run(text, "sm80")
    (report,) = device.reports
    loads = sum(c.sectors for opcode, c in report.by_opcode.items() if "ld.global" in opcode)
    assert loads * 32 <= inputs[0].nbytes + 6 * inputs[1].nbytes
    assert report.bank_conflicts == 0
    again, _, _ = run(text, "sm80", inputs)
    np.testing.assert_array_equal(got[0], again[0])


def test_groups_of_few_elements_are_reduced_by_a_thread_each():
    """A block each would leave most of its lanes idle, and there would be as many blocks as groups."""
    few, many = (
        f"""
        func.func @f(%x: tensor<1000x{rows}x4xf32>) -> tensor<1000x4xf32> {{
          %0 = ptir.reduce sum %x axes [1] : tensor<1000x{rows}x4xf32> -> tensor<1000x4xf32>
          func.return %0 : tensor<1000x4xf32>
        }}"""
        for rows in (8, 40)
    )
    for text, reduces in ((few, False), (many, True)):
        results, inputs, _ = run(text, "sm80")
        np.testing.assert_array_equal(results[0], inputs[0].sum(1))
        assert ("__shfl" in ptir.compile(text).cuda) == reduces
