"""
Elementwise kernels with pads, pieces and several outputs: results equal the interpreter's, and each kernel accesses each byte of
its arrays once.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType

import ptir
from ptir.runtime.devices import Emulator
from ptir.semantics.arrays.scalars import numpy_dtype
from ptir.semantics.interpreter import call

ROPE = """
func.func @f(%x: tensor<2x6x$2nx$T>, %c: tensor<6x$nxf32>, %s: tensor<6x$nxf32>) -> tensor<2x6x$2nx$T> {
  %a = ptir.slice %x [0, 0, 0] : tensor<2x6x$2nx$T> -> tensor<2x6x$nx$T>
  %b = ptir.slice %x [0, 0, $n] : tensor<2x6x$2nx$T> -> tensor<2x6x$nx$T>
  %p = ptir.cast %a : tensor<2x6x$nx$T> -> tensor<2x6x$nxf32>
  %q = ptir.cast %b : tensor<2x6x$nx$T> -> tensor<2x6x$nxf32>
  %cos = ptir.broadcast_to %c : tensor<6x$nxf32> -> tensor<2x6x$nxf32>
  %sin = ptir.broadcast_to %s : tensor<6x$nxf32> -> tensor<2x6x$nxf32>
  %0 = ptir.mul %p, %cos : tensor<2x6x$nxf32>
  %1 = ptir.mul %q, %sin : tensor<2x6x$nxf32>
  %2 = ptir.mul %p, %sin : tensor<2x6x$nxf32>
  %3 = ptir.mul %q, %cos : tensor<2x6x$nxf32>
  %4 = ptir.sub %0, %1 : tensor<2x6x$nxf32>
  %5 = ptir.add %2, %3 : tensor<2x6x$nxf32>
  %6 = ptir.concat %4, %5 axis 2 : (tensor<2x6x$nxf32>, tensor<2x6x$nxf32>) -> tensor<2x6x$2nxf32>
  %7 = ptir.cast %6 : tensor<2x6x$2nxf32> -> tensor<2x6x$2nx$T>
  func.return %7 : tensor<2x6x$2nx$T>
}"""
SPLIT = """
func.func @f(%x: tensor<6x$3nx$T>) -> (tensor<6x$nx$T>, tensor<6x$nx$T>, tensor<6x$nx$T>) {
  %0 = ptir.slice %x [0, 0] : tensor<6x$3nx$T> -> tensor<6x$nx$T>
  %1 = ptir.slice %x [0, $n] : tensor<6x$3nx$T> -> tensor<6x$nx$T>
  %2 = ptir.slice %x [0, $2n] : tensor<6x$3nx$T> -> tensor<6x$nx$T>
  func.return %0, %1, %2 : tensor<6x$nx$T>, tensor<6x$nx$T>, tensor<6x$nx$T>
}"""
CONCAT = """
func.func @f(%x: tensor<6x$nx$T>, %y: tensor<6x$2nx$T>) -> tensor<6x$3nx$T> {
  %0 = ptir.concat %x, %y axis 1 : (tensor<6x$nx$T>, tensor<6x$2nx$T>) -> tensor<6x$3nx$T>
  func.return %0 : tensor<6x$3nx$T>
}"""
UNEQUAL = """
func.func @f(%x: tensor<6x$nx$T>, %y: tensor<6x5x$T>, %z: tensor<6x$2nx$T>) -> tensor<6x$mx$T> {
  %0 = ptir.concat %x, %y, %z axis 1 : (tensor<6x$nx$T>, tensor<6x5x$T>, tensor<6x$2nx$T>) -> tensor<6x$mx$T>
  func.return %0 : tensor<6x$mx$T>
}"""
ROWS = """
func.func @f(%x: tensor<3x$nx$T>, %y: tensor<3x$nx$T>) -> tensor<6x$nx$T> {
  %0 = ptir.concat %x, %y axis 0 : (tensor<3x$nx$T>, tensor<3x$nx$T>) -> tensor<6x$nx$T>
  func.return %0 : tensor<6x$nx$T>
}"""
CHAIN = """
func.func @f(%x: tensor<6x$nx$T>) -> (tensor<6x$nx$T>, tensor<6x$nx$T>, tensor<6x$nxi1>) {
  %0 = ptir.add %x, %x : tensor<6x$nx$T>
  %1 = ptir.maximum %0, %x : tensor<6x$nx$T>
  %2 = ptir.compare eq %1, %x : tensor<6x$nx$T> -> tensor<6x$nxi1>
  func.return %0, %1, %2 : tensor<6x$nx$T>, tensor<6x$nx$T>, tensor<6x$nxi1>
}"""
FRAME = """
func.func @f(%x: tensor<6x$nx$T>) -> tensor<8x$mx$T> {
  %0 = ptir.pad %x with $ZERO : $T low [1, 8] high [1, $h] interior [0, 0] : tensor<6x$nx$T> -> tensor<8x$mx$T>
  func.return %0 : tensor<8x$mx$T>
}"""
FILLED = FRAME.replace("$ZERO", "$SEVEN").replace("[1, 8]", "[0, 1]").replace("[1, $h]", "[2, 12]")
TRIANGLE = """
func.func @f(%x: tensor<6x$nx$T>, %y: tensor<6x$nx$T>) -> tensor<6x$nx$T> {
  %0 = ptir.iota axis 0 : tensor<6x$nxsi32>
  %1 = ptir.iota axis 1 : tensor<6x$nxsi32>
  %2 = ptir.compare le %0, %1 : tensor<6x$nxsi32> -> tensor<6x$nxi1>
  %3 = ptir.select %2, %x, %y : tensor<6x$nxi1>, tensor<6x$nx$T>
  func.return %3 : tensor<6x$nx$T>
}"""
PROGRAMS = {
    "rope": ROPE, "split": SPLIT, "concat": CONCAT, "unequal": UNEQUAL, "rows": ROWS, "chain": CHAIN, "frame": FRAME,
    "filled": FILLED, "triangle": TRIANGLE,
}  # fmt: skip
FLOATS, ALL = ("f32", "bf16", "f16", "f64"), ("f32", "bf16", "si8", "ui8", "si32", "si64", "i1", "complex<f32>")
DTYPES = {"rope": FLOATS, "chain": ("f32", "bf16", "si8", "si64")}


def source(name: str, n: int, dtype: str) -> str:
    high = 8 if n % 8 == 0 else 5
    m = 3 * n + 5 if name == "unequal" else n + 8 + high if name == "frame" else n + 13
    zero, seven = (
        ("(0.0, 0.0)", "(7.0, 1.0)") if "complex" in dtype else ("0.0", "7.0") if dtype[0] in "bf" else ("0", "7")
    )
    zero, seven = ("false", "true") if dtype == "i1" else (zero, seven)
    numbers = {"$2n": 2 * n, "$3n": 3 * n, "$n": n, "$m": m, "$h": high, "$T": dtype, "$ZERO": zero, "$SEVEN": seven}
    text = PROGRAMS[name]
    for place, value in numbers.items():
        text = text.replace(place, str(value))
    return text


def run(text: str, arch: str) -> tuple[Any, list[Any], Any]:
    """Returns the results in the emulator, the inputs, and the reports of the launches."""
    device, rng = Emulator(), np.random.default_rng(5)
    compiled = ptir.compile(text, arch=arch, device=device)
    types = [cast(TensorType[Any], t) for _, t in compiled.signature.arguments]
    inputs: list[Any] = [rng.integers(0, 5, t.get_shape()).astype(numpy_dtype(t.element_type)) for t in types]
    got = compiled(*inputs)
    for result, want in zip(got, call(ptir.parse(text), "f", *inputs), strict=True):
        np.testing.assert_array_equal(result, want)
    return got, inputs, device.reports


CASES = [
    (name, n, dtype, ("sm80", "sm90")[k % 2])
    for name in PROGRAMS
    for k, (n, dtype) in enumerate((n, d) for n in (1, 3, 32, 33, 64, 200) for d in DTYPES.get(name, ALL))
]


@pytest.mark.sampled(7)
@pytest.mark.parametrize(("name", "n", "dtype", "arch"), CASES)
def test_programs(name: str, n: int, dtype: str, arch: str):
    _, _, reports = run(source(name, n, dtype), arch)
    assert len(reports) == 1


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
@pytest.mark.parametrize("name", ["split", "concat", "rows", "chain", "frame"])
def test_each_byte_is_accessed_once(name: str, dtype: str):
    """No sector is read twice, except those that two warps share: a row of `frame` has 26."""
    got, inputs, (report,) = run(source(name, 64, dtype), "sm80")
    least = sum(a.nbytes for a in (*inputs, *got)) / 32
    sectors = sum(c.sectors for opcode, c in report.by_opcode.items() if "global" in opcode)
    assert sectors <= least + 2


def test_rotary_embedding_reads_its_operand_once():
    got, inputs, (report,) = run(source("rope", 64, "bf16"), "sm80")
    x, c, s = (a.nbytes / 32 for a in inputs)
    sectors = {
        way: sum(c.sectors for o, c in report.by_opcode.items() if way in o) for way in ("ld.global", "st.global")
    }
    assert sectors == {"ld.global": x + 2 * (c + s), "st.global": got[0].nbytes / 32}
