"""`semantics/pto`: each op against the oracle, with parts of operands that are not valid, and others that are valid but unspecified."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import ptir
from ptir.errors import PtirError
from ptir.semantics.interpreter import call
from tests.pto_programs.oracle import BINARY, COMPARE, UNARY, WHOLE
from tests.pto_programs.run import run

F, INT, MASK = "tile<4x32xf32>", "tile<4x32xi32>", "tile<4x32xi1>"
LOADS = """
func.func @f(%x: !pto.memref<16x64xf32>, %i: !pto.memref<16x64xi32>, %n: index, %s: f32, %k: i32) {
  %a = pto.tile.load %x[0, 0] {valid = [3, 20]} : pto.memref<16x64xf32>, tile<4x32xf32>
  %q = pto.tile.abs %a {valid = [4, 24]} : tile<4x32xf32>
  %b = pto.tile.load %x[4, 3] {valid = [%n, 32]} : pto.memref<16x64xf32>, tile<4x32xf32>
  %ia = pto.tile.load %i[0, 0] {valid = [3, 20]} : pto.memref<16x64xi32>, tile<4x32xi32>
  %iq = pto.tile.neg %ia {valid = [4, 24]} : tile<4x32xi32>
  %ib = pto.tile.load %i[4, 3] {valid = [%n, 32]} : pto.memref<16x64xi32>, tile<4x32xi32>
  %m = pto.tile.cmp %a, %b {cmpMode = #pto.cmp<GT>} : tile<4x32xf32> -> tile<4x32xi1>
  %row = pto.tile.load %x[8, 1] {valid = [%n, 1]} : pto.memref<16x64xf32>, tile<4x1xf32>
  %column = pto.tile.load %x[8, 1] {valid = [1, 28]} : pto.memref<16x64xf32>, tile<1x32xf32>
  %small = pto.tile.load %x[8, 9] {valid = [1, 12]} : pto.memref<16x64xf32>, tile<2x16xf32>
  %wide = pto.tile.load %x[0, 0] {valid = [3, 50]} : pto.memref<16x64xf32>, tile<4x64xf32>
  %wq = pto.tile.abs %wide {valid = [4, 64]} : tile<4x64xf32>
  %bt = pto.tile.trans %b : tile<4x32xf32> -> tile<32x4xf32>
  %rows = pto.tile.abs %a {valid = [4, 20]} : tile<4x32xf32>
  %columns = pto.tile.trans %rows {valid = [20, 4]} : tile<4x32xf32> -> tile<32x4xf32>
  %full = pto.tile.load %x[5, 3] {valid = [4, 20]} : pto.memref<16x64xf32>, tile<4x32xf32>
  %tall = pto.tile.trans %full : tile<4x32xf32> -> tile<32x4xf32>
  %some = pto.tile.extract %rows[0, 18] {valid = [4, 3]} : tile<4x32xf32> -> tile<4x4xf32>
  %cell = pto.tile.extract %rows[3, 18] {valid = [1, 3]} : tile<4x32xf32> -> tile<1x4xf32>
  %acc = pto.tile.load %x[3, 5] {valid = [4, 3]} : pto.memref<16x64xf32>, tile<4x4xf32>
  %bias = pto.tile.load %x[3, 5] {valid = [1, 3]} : pto.memref<16x64xf32>, tile<1x4xf32>
  %c32 = pto.constant 32 : i32
  %block = pto.tile.load %i[4, 3] {valid = [%n, 2]} : pto.memref<16x64xi32>, tile<4x2xi32>
  %bytes = pto.tile.muls %block, %c32 : tile<4x2xi32>, i32
  %list = pto.tile.ci %k : i32 -> tile<1x32xi32>
  %sorted = pto.tile.cvt %list {valid = [1, 20]} : tile<1x32xi32> -> tile<1x32xf32>
  %some_rows = pto.tile.load %x[0, 0] : pto.memref<16x64xf32>, tile<4x64xf32>
  %line = pto.tile.reshape %some_rows : tile<4x64xf32> -> tile<1x256xf32>
  %blocks, %from = pto.tile.sort32 %line : tile<1x256xf32> -> tile<1x256xf32>, tile<1x256xui32>
  %sq = pto.tile.abs %sorted {valid = [1, 24]} : tile<1x32xf32>
"""


def ops() -> Iterator[str]:
    """Yields the text of each op, for operands that are partly invalid and for such that are partly unspecified."""
    for p, i, wide, s in (("%a", "%ia", "%wide", "%sorted"), ("%q", "%iq", "%wq", "%sq")):
        yield from (f"{fn} {p} : {F}" for fn in UNARY if fn != "not")
        yield from (f"{fn} {i} : {INT}" for fn in ("neg", "abs", "not"))
        for fn in BINARY:
            if fn not in ("and", "or", "xor", "shl", "shr"):
                yield from (f"{fn} {p}, %b : {F}", f"{fn} %b, {p} {{valid = [2, 7]}} : {F}")
            yield f"{fn} {i}, %ib : {INT}"
        for fn in ("add", "sub", "mul", "div", "min", "max"):
            yield from (f"{fn}s {p}, %s : {F}, f32", f"{fn}s {i}, %k : {INT}, i32")
            yield f"part{fn} {p}, %b : {F}" if fn in ("add", "min", "max") else f"{fn} {p}, %b : {F}"
        yield from (f"part{fn} %b, {p} {{valid = [4, 32]}} : {F}" for fn in ("add", "max", "min"))
        yield from (f"{fn}s %s, {p} : f32, {F}" for fn in ("sub", "div"))
        for mode in COMPARE:
            yield f"cmp {p}, %b {{cmpMode = #pto.cmp<{mode}>}} : {F} -> {MASK}"
            yield f"cmps {i}, %k {{cmpMode = #pto.cmp<{mode}>}} : {INT}, i32 -> {MASK}"
        yield from (f"sel %m, {p}, %b : {MASK}, {F}", f"sels %m, {p}, %s : {MASK}, {F}, f32")
        for mode in WHOLE:
            yield from (f"cvt {p} {{rmode = #pto.round_mode<{mode}>}} : {F} -> tile<4x32x{t}>" for t in ("i8", "f16"))
        yield from (f"cvt {p} : {F} -> {INT}", f"cvt {i} : {INT} -> {F}")
        yield from (f"row{fn} {p} : {F} -> tile<4x1xf32>" for fn in ("sum", "max", "min", "prod"))
        yield from (f"col{fn} {p} : {F} -> tile<1x32xf32>" for fn in ("sum", "max", "min", "prod"))
        yield from (f"rowexpand{fn} {p}, %row : {F}, tile<4x1xf32>" for fn in ("add", "sub", "mul", "div"))
        yield from (f"colexpand{fn} {p}, %column : {F}, tile<1x32xf32>" for fn in ("add", "sub", "mul", "div"))
        yield from (f"trans {p} : {F} -> tile<32x4xf32>", f"reshape {p} : {F} -> tile<8x16xf32>")
        yield from (f"rowxor {p} by {by} : {F}" for by in (1, 2))
        yield from (f"extract {p}[{at}] : {F} -> tile<2x16xf32>" for at in ("1, 8", "%n, 3"))
        yield f"insert %small, {p}[1, 8] : tile<2x16xf32>, {F}"
        yield from (f"mov.{kind} {p} : {F} -> {F}" for kind in ("m2l", "m2r", "m2b", "m2s", "a2v", "v2v"))
        yield f"mov.fp {p}, %column : {F}, tile<1x32xf32> -> tile<4x32xf16>"
        yield f"matmul {p}, %bt : {F}, tile<32x4xf32> -> tile<4x4xf32>"
        yield f"matmul.acc %acc, {p}, %bt : tile<4x4xf32>, {F}, tile<32x4xf32> -> tile<4x4xf32>"
        yield f"matmul.bias {p}, %bt, %bias : {F}, tile<32x4xf32>, tile<1x4xf32> -> tile<4x4xf32>"
        if p == "%q":  # only some rows, columns or elements of the operands are unspecified
            for acc, a, b in (
                ("", "%rows", "%tall"),
                ("", "%full", "%columns"),
                ("%acc", "%full", "%columns"),
                ("%some", "%full", "%tall"),
            ):
                yield f"matmul{'.acc ' + acc + ',' if acc else ''} {a}, {b} : {'tile<4x4xf32>, ' if acc else ''}{F}, tile<32x4xf32> -> tile<4x4xf32>"
            yield f"matmul.bias %rows, %tall, %cell : {F}, tile<32x4xf32>, tile<1x4xf32> -> tile<4x4xf32>"
        yield f"gather {p}, %ib : {F}, {INT} -> {F}"
        yield from (f"gatherb {p}, %bytes{v} : {F}, tile<4x2xi32> -> tile<4x16xf32>" for v in ("", " {valid = [2, 9]}"))
        yield from (
            f"sort32 {wide}{v} : tile<4x64xf32> -> tile<4x64xf32>, tile<4x64xui32>" for v in ("", " {valid = [3, 33]}")
        )
        yield f"mrgsort {s}, {s} : tile<1x32xf32>, tile<1x32xf32> -> tile<1x64xf32>"
        for valid in ("", ", valid = [1, 20]"):
            yield f"mrgsort {s} {{blockLen = 4{valid}}} : tile<1x32xf32> -> tile<1x32xf32>"
    yield "mrgsort %blocks {blockLen = 32} : tile<1x256xf32> -> tile<1x256xf32>"
    yield from (
        "rowexpand %row : tile<4x1xf32> -> tile<4x32xf32>",
        "colexpand %column : tile<1x32xf32> -> tile<4x32xf32>",
    )
    yield from ("ci %k : i32 -> tile<1x32xi32>", "ci %k {descending, valid = [1, 5]} : i32 -> tile<1x32xi32>")
    yield from ("expands %s : f32 : tile<4x32xf32>", "expands 7 : i32 {valid = [%n, 5]} : tile<4x32xi32>")


def program() -> str:
    lines = [f"  %r{n}{', %c' + str(n) if 'sort32' in op else ''} = pto.tile.{op}" for n, op in enumerate(ops())]
    return LOADS + "\n".join(lines) + "\n  func.return\n}\n"


def arguments() -> tuple[object, ...]:
    rng = np.random.default_rng(3)
    x = (rng.permutation(16 * 64).reshape(16, 64) / 64 - 3.25).astype(np.float32)
    x[3:5] = x[8:10] = rng.integers(-9, 10, (2, 64)) / 4
    return x, rng.integers(1, 10, (16, 64)).astype(np.int32), 2, np.float32(1.25), 3


def test_each_op_agrees_with_the_oracle():
    checked = run(ptir.parse(program()), arguments())
    assert len(checked) >= 250 and len(set(checked)) >= 70


def test_tf32_rounds_the_operands_of_a_product():
    text = """
func.func @f(%x: f32) -> !pto.tile<4x4xf32> {
  %a = pto.tile.expands %x : f32 : tile<4x4xf32>
  %m = pto.tile.matmul %a, %a precision tf32 : tile<4x4xf32>, tile<4x4xf32> -> tile<4x4xf32>
  func.return %m : !pto.tile<4x4xf32>
}"""
    (got,) = call(ptir.parse(text), "f", np.float32(1 + 2**-12))
    assert (got == 4).all()


@pytest.mark.parametrize("at", [0, 1, 9])
def test_a_scatter_moves_to_rows(at: int):
    """Elements of each column are moved to rows, of which one may get several and others none."""
    text = """
func.func @f(%x: !pto.memref<4x32xf32>, %i: !pto.memref<4x32xi32>) {
  %a = pto.tile.load %x[0, 0] {valid = [3, 20]} : pto.memref<4x32xf32>, tile<4x32xf32>
  %j = pto.tile.load %i[0, 0] {valid = [3, 20]} : pto.memref<4x32xi32>, tile<4x32xi32>
  %q = pto.tile.abs %a {valid = [4, 20]} : tile<4x32xf32>
  %k = pto.tile.load %i[0, 0] {valid = [4, 20]} : pto.memref<4x32xi32>, tile<4x32xi32>
  %l = pto.tile.load %i[0, 0] {valid = [2, 20]} : pto.memref<4x32xi32>, tile<4x32xi32>
  %u = pto.tile.scatter %a, %l : tile<4x32xf32>, tile<4x32xi32> -> tile<10x32xf32>
  %r = pto.tile.scatter %a, %j : tile<4x32xf32>, tile<4x32xi32> -> tile<10x32xf32>
  %s = pto.tile.scatter %q, %k {valid = [10, 20]} : tile<4x32xf32>, tile<4x32xi32> -> tile<10x32xf32>
  %t = pto.tile.scatter %a, %j {valid = [9, 7]} : tile<4x32xf32>, tile<4x32xi32> -> tile<10x32xf32>
  func.return
}"""
    rng = np.random.default_rng(at)
    x = rng.permutation(128).reshape(4, 32).astype(np.float32)
    i = np.array([[at], [8], [3], [(at + 1) % 10]], np.int32) + np.zeros((1, 32), np.int32)
    i[1, ::3] = i[0, ::3]
    assert run(ptir.parse(text), (x, i)).count("pto.tile.scatter") == 4


ARRAYS_ONLY = {
    "neg": "%a {valid = [2, 32]} : tile<4x32xf32>",
    "matmul.mx": "%l, %s, %l, %t : tile<32x32xf8E4M3FN>, tile<32x1xf8E8M0FNU>, tile<32x32xf8E4M3FN>, tile<1x32xf8E8M0FNU> -> tile<32x32xf32>",
    "mov.fp": "%a, %c : tile<4x32xf32>, tile<1x32xf32> -> tile<4x32xf16>",
    "ci": "%k : i32 -> tile<1x32xi32>",
    "extract": "%a[0, 0] : tile<4x32xf32> -> tile<2x16xf32>",
    "insert": "%c, %a[0, 0] : tile<1x32xf32>, tile<4x32xf32>",
    "gather": "%a, %i : tile<4x32xf32>, tile<4x32xi32> -> tile<4x32xf32>",
    "gatherb": "%a, %j : tile<4x32xf32>, tile<4x4xi32> -> tile<4x32xf32>",
    "scatter": "%a, %i : tile<4x32xf32>, tile<4x32xi32> -> tile<4x32xf32>",
    "sort32": "%a : tile<4x32xf32> -> tile<4x32xf32>, tile<4x32xui32>",
    "mrgsort": "%c, %c : tile<1x32xf32>, tile<1x32xf32> -> tile<1x64xf32>",
    "partadd": "%a, %a : tile<4x32xf32>",
    "partmax": "%a, %a : tile<4x32xf32>",
    "partmin": "%a, %a : tile<4x32xf32>",
    "cvt": "%a {rmode = #pto.round_mode<CAST_FLOOR>} : tile<4x32xf32> -> tile<4x32xi32>",
}
"""Ops whose meaning is on arrays, not on intervals."""


@pytest.mark.parametrize("word", ARRAYS_ONLY)
def test_ops_on_arrays_have_no_intervals(word: str):
    results = "%r, %u" if word == "sort32" else "%r"
    text = f"""
func.func @f() {{
  %k = pto.constant 0 : i32
  %a = pto.tile.expands 1.0 : f32 : tile<4x32xf32>
  %c = pto.tile.expands 1.0 : f32 : tile<1x32xf32>
  %i = pto.tile.expands 0 : i32 : tile<4x32xi32>
  %j = pto.tile.expands 0 : i32 : tile<4x4xi32>
  %l = pto.tile.expands 1.0 : f8E4M3FN : tile<32x32xf8E4M3FN>
  %s = pto.tile.expands 1.0 : f8E8M0FNU : tile<32x1xf8E8M0FNU>
  %t = pto.tile.expands 1.0 : f8E8M0FNU : tile<1x32xf8E8M0FNU>
  {results} = pto.tile.{word} {ARRAYS_ONLY[word]}
  func.return
}}"""
    module = ptir.parse(text)
    with pytest.raises(PtirError) as found:
        ptir.bounds(module)
    assert found.value.op is not None and found.value.op.name == f"pto.tile.{word}"


def test_sizes_that_a_run_knows():
    """They are those of `valid`, or of the operands. A transposition does not say which of its sizes is which."""
    text = """func.func @f(%x: !pto.memref<8x32xf32>, %y: !pto.memref<8x32xf32>, %z: !pto.memref<8x1xf32>, %n: index) {
      %a = pto.tile.load %x[1, 0] {valid = [%n, 32]} : pto.memref<8x32xf32>, tile<?x32xf32>
      %b = pto.tile.neg %a : tile<?x32xf32>
      %r = pto.tile.rowsum %b : tile<?x32xf32> -> tile<?x1xf32>
      %c = pto.tile.rowexpandadd %b, %r : tile<?x32xf32>, tile<?x1xf32>
      pto.tile.store %c, %y[0, 0] : pto.memref<8x32xf32>, tile<?x32xf32>
      pto.tile.store %r, %z[0, 0] : pto.memref<8x1xf32>, tile<?x1xf32>
      func.return
    }"""
    x = np.arange(256, dtype=np.float32).reshape(8, 32)
    y, z = np.zeros_like(x), np.zeros((8, 1), np.float32)
    call(ptir.parse(text), "f", x, y, z, 3)
    sums = -x[1:4].sum(1, keepdims=True)
    np.testing.assert_array_equal(z[:4], [*sums, [0]])
    np.testing.assert_array_equal(y[:4], [*(sums - x[1:4]), np.zeros(32)])
    turned = text.replace("rowsum %b : tile<?x32xf32> -> tile<?x1xf32>", "trans %b : tile<?x32xf32> -> tile<32x?xf32>")
    turned = "\n".join(line for line in turned.split("\n") if "%c" not in line and "%r," not in line)
    with pytest.raises(PtirError, match=r"the sizes of !pto.tile<32x\?xf32> are not known"):
        call(ptir.parse(turned), "f", x, y, z, 3)
