"""
Tile programs with guarded loads, masks, positions and loops over tiles: kernels are compared with the interpreter of `pto`.

The programs are written by hand, in the form that the lowering gives them, for each architecture, with and without tails.
"""

from __future__ import annotations

import re
from string import Template
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.passes.environment import make_context
from ptir.passes.manager import PassManager
from ptir.runtime.devices import Emulator
from ptir.semantics.interpreter import call
from ptir.text.parsing import parse_text
from ptir.text.verify import verify_module

pytestmark = pytest.mark.sampled(2)

ARCHS = ("sm80", "sm90")
NUMPY: dict[str, Any] = {
    "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f64": np.float64, "i1": np.bool_, "i8": np.int8, "ui8": np.uint8, "si16": np.int16, "i32": np.int32, "i64": np.int64, "ui32": np.uint32,
}  # fmt: skip
OF = "in [$M, $N] dims [0, 1]"
STORE = f'pto.tile.store.map %out, %y[%m, %n] by <"{{ [i0, i1] -> [(i0), (i1)] }}"> {OF} : $RESULT, memref<${{M}}x${{N}}x$OUT>'


def compare(
    body: str,
    inputs: str,
    dtype: str = "f32",
    out: str | None = None,
    sizes: tuple[int, int] = (7, 50),
    tile: tuple[int, int] = (4, 64),
    arch: str = "sm80",
    width: int = 4,
) -> Any:
    """
    Runs a tile program over the space `sizes` in the emulator and in the interpreter, which must agree bit by bit;
    returns the result. `body` computes `%out` from the memref `%x` of `inputs`; $T is its tile, $T[i32] that of a type.
    """
    (m, n), (rows, columns), out = sizes, tile, out or dtype
    numbers = {"M": m, "N": n, "DTYPE": dtype, "OUT": out, "X": f"memref<{inputs}x{dtype}>"}
    tiles = {name: f"!pto.tile<{rows}x{columns}x{t}>" for name, t in (("T", dtype), ("RESULT", out))}
    others = {name.upper(): f"!pto.tile<{rows}x{columns}x{name}>" for name in ("i1", "i32", "i64", "f32")}
    program = f"""
    pto.kernel @k(%x: $X align 16) -> (%y: memref<${{M}}x${{N}}x$OUT> align 256 gmem) plan #plan.schedule<{{
      arch = "{arch}", tile = [{rows}, {columns}], bind = {{m.o = "block.y", n.o = "block.x"}},
      vectorize = {{axis = "n.i.i", width = {width}}}, epilogue = []}}> {{
      pto.tiles (%m, %n) in [$M, $N] step [{rows}, {columns}] {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        {body}
        {STORE}
      }}
    }}
    func.func @f(%x: $X) -> memref<${{M}}x${{N}}x$OUT> {{
      %y = memref.alloc() : memref<${{M}}x${{N}}x$OUT>
      region.launch @k ins(%x : $X) outs(%y : memref<${{M}}x${{N}}x$OUT>)
      func.return %y : memref<${{M}}x${{N}}x$OUT>
    }}"""
    module = parse_text(Template(program).substitute(numbers | tiles | others), make_context())
    verify_module(module)
    x = numbers_of(dtype, tuple(map(int, inputs.split("x"))))
    (want,) = call(module, "f", x)
    (got,) = ptir.compile(module, arch=arch, device=Emulator(), entry="f")(x)
    np.testing.assert_array_equal(np.asarray(got), np.asarray(want).astype(NUMPY[out]), strict=True)
    return np.asarray(got)


def numbers_of(dtype: str, shape: tuple[int, ...]) -> Any:
    """Returns small integers, whose sums are exact in any order."""
    x = np.random.default_rng(3).integers(0 if dtype.startswith("ui") else -3, 4, shape)
    return (x > 0 if dtype == "i1" else x).astype(NUMPY[dtype])


PAD = """
%out = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(-1 + i0), (-2 + i1)] }"> in [$M, $N] dims [0, 1]
  where <"{ [i0, i1] : 0 < i0 < 6 and 2 <= i1 < 42 }"> : $X -> $T"""


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype", NUMPY)
def test_padded_loads(dtype: str, arch: str):
    """The memref holds no element for most points outside the set."""
    got = compare(PAD, "5x40", dtype, arch=arch)
    np.testing.assert_array_equal(got[1:6, 2:42], numbers_of(dtype, (5, 40)))
    assert not got[0].any() and not got[:, 42:].any()


@pytest.mark.parametrize("arch", ARCHS)
def test_masks_choose(arch: str):
    """A load at the points of a store is a vector load, despite the mask, whose set is a union with divisions."""
    body = """
    %a = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [$M, $N] dims [0, 1] : $X -> $T
    %p = pto.tile.mask [%m, %n] in [$M, $N] dims [0, 1]
      where <"{ [i0, i1] : (i0 + i1) mod 3 = 0 or i1 >= 5i0 + 7 or i0 = 2 }"> : $I1
    %q = pto.tile.expands 9.0 : f32 : $T
    %out = pto.tile.sel %p, %a, %q : $I1, $T"""
    x = numbers_of("f32", (7, 50))
    i, j = np.indices((7, 50))
    want = np.where(((i + j) % 3 == 0) | (j >= 5 * i + 7) | (i == 2), x, np.float32(9))
    for width in (1, 2, 4):
        np.testing.assert_array_equal(compare(body, "7x50", arch=arch, width=width), want)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype", ["i32", "i64", "ui32"])
def test_positions(dtype: str, arch: str):
    """Also negative ones, which wrap if the type has none."""
    body = '%out = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(-20 + 3i0 + floor((i1)/4))] }"> in [$M, $N] dims [0, 1] : $T'
    i, j = np.indices((7, 50))
    np.testing.assert_array_equal(compare(body, "1", dtype, arch=arch), (-20 + 3 * i + j // 4).astype(NUMPY[dtype]))


def test_large_numbers():
    """Positions, offsets and conditions that need 64 bits on the way."""
    at = "5000000000i0 - 499999999i1 + 2147483649*floor((i1)/7)"
    body = f'%out = pto.tile.iota [%m, %n] by <"{{ [i0, i1] -> [({at})] }}"> in [$M, $N] dims [0, 1] : $T'
    i, j = np.indices((7, 50))
    np.testing.assert_array_equal(compare(body, "1", "i64"), 5000000000 * i - 499999999 * j + 2147483649 * (j // 7))
    body = """
    %out = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(floor((1500000000i0 + i1)/1500000000))] }"> in [$M, $N] dims [0, 1]
      where <"{ [i0, i1] : 1500000000i0 + i1 < 6000000010 }"> : $X -> $T"""
    want = numbers_of("i8", (5,))[np.minimum(i, 4)] * (1500000000 * i + j < 6000000010)
    np.testing.assert_array_equal(compare(body, "5", "i8"), want)


SIZES = [((7, 50), (4, 64)), ((8, 128), (4, 64)), ((3, 33), (1, 32)), ((1, 1), (8, 32))]
"""Spaces and tiles: with tails along both axes, without tails, with a tail along the columns, and a space of one element."""


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype", ["f32", "bf16", "f16", "f64", "i8", "ui8", "si16", "i32", "i64"])
@pytest.mark.parametrize(("sizes", "tile"), SIZES)
def test_sums_over_one_axis(sizes: tuple[int, int], tile: tuple[int, int], dtype: str, arch: str):
    m, n = sizes
    zero = "0.0" if dtype[0] in "bf" else "0"
    body = f"""
    %c9 = arith.constant 9 : index
    %zero = pto.tile.expands {zero} : {dtype} : $T
    %out = scf.for %r = %c0 to %c9 step %c1 iter_args(%s = %zero) -> ($T) {{
      %e = pto.tile.load.map %x[%m, %n, %r] by <"{{ [i0, i1, i2] -> [(i2), (i0), (i1)] }}"> in [$M, $N, 9] dims [0, 1] : $X -> $T
      %t = pto.tile.add %s, %e : $T
      scf.yield %t : $T
    }}"""
    got = compare(body, f"9x{m}x{n}", dtype, sizes=sizes, tile=tile, arch=arch)
    x = numbers_of(dtype, (9, m, n))
    np.testing.assert_array_equal(
        got, (x.astype(np.int64) if zero == "0" else x.astype(np.float64)).sum(0).astype(NUMPY[dtype])
    )


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize(("sizes", "tile"), SIZES)
def test_windows(sizes: tuple[int, int], tile: tuple[int, int], arch: str):
    """A loop in a loop, over loads by a set: sums of 3 x 3 elements, some of them outside the array."""
    m, n = sizes
    body = f"""
    %c3 = arith.constant 3 : index
    %zero = pto.tile.expands 0.0 : f32 : $T
    %out = scf.for %r = %c0 to %c3 step %c1 iter_args(%s = %zero) -> ($T) {{
      %t = scf.for %q = %c0 to %c3 step %c1 iter_args(%u = %s) -> ($T) {{
        %e = pto.tile.load.map %x[%m, %n, %r, %q] by <"{{ [i0, i1, i2, i3] -> [(-1 + i0 + i2), (-1 + i1 + i3)] }}">
          in [$M, $N, 3, 3] dims [0, 1]
          where <"{{ [i0, i1, i2, i3] : 1 <= i0 + i2 <= {m} and 1 <= i1 + i3 <= {n} }}"> : $X -> $T
        %v = pto.tile.add %u, %e : $T
        scf.yield %v : $T
      }}
      scf.yield %t : $T
    }}"""
    got = compare(body, f"{m}x{n}", sizes=sizes, tile=tile, arch=arch)
    padded = np.pad(numbers_of("f32", sizes), 1)
    np.testing.assert_array_equal(got, sum(padded[r : r + m, q : q + n] for r in range(3) for q in range(3)))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype", ["f32", "bf16", "i32"])
def test_positions_of_maxima(dtype: str, arch: str):
    """Two tiles of different types are carried, and used after the loop; the loop starts at 1 and skips elements."""
    zero = "0.0" if dtype[0] in "bf" else "0"
    load = 'by <"{ [i0, i1, i2] -> [(i0), (i1), (i2)] }"> in [$M, $N, 12] dims [0, 1] : $X -> $T'
    body = f"""
    %c2 = arith.constant 2 : index
    %c12 = arith.constant 12 : index
    %least = pto.tile.expands {zero.replace("0", "-9", 1)} : {dtype} : $T
    %none = pto.tile.expands -1 : i32 : $I32
    %best, %at = scf.for %r = %c1 to %c12 step %c2 iter_args(%b = %least, %a = %none) -> ($T, $I32) {{
      %e = pto.tile.load.map %x[%m, %n, %r] {load}
      %i = pto.tile.iota [%m, %n, %r] by <"{{ [i0, i1, i2] -> [(i2)] }}"> in [$M, $N, 12] dims [0, 1] : $I32
      %more = pto.tile.cmp %e, %b {{cmpMode = #pto.cmp<GT>}} : $T -> $I1
      %c = pto.tile.sel %more, %e, %b : $I1, $T
      %d = pto.tile.sel %more, %i, %a : $I1, $I32
      scf.yield %c, %d : $T, $I32
    }}
    %p = pto.tile.cmp %best, %least {{cmpMode = #pto.cmp<GE>}} : $T -> $I1
    %out = pto.tile.sel %p, %at, %none : $I1, $I32"""
    got = compare(body, "5x40x12", dtype, "i32", (5, 40), arch=arch)
    np.testing.assert_array_equal(got, 1 + 2 * numbers_of(dtype, (5, 40, 12))[:, :, 1::2].astype(np.float64).argmax(-1))


def test_tiles_that_change_places():
    """The loop rotates three tiles; without iterations, it returns the initial ones."""
    body = """
    %c5 = arith.constant 5 : index
    %a = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [$M, $N] dims [0, 1] : $X -> $T
    %b = pto.tile.add %a, %a : $T
    %c = pto.tile.add %b, %b : $T
    %d, %e, %f = scf.for %r = %c0 to %c5 step %c1 iter_args(%u = %a, %v = %b, %w = %c) -> ($T, $T, $T) {
      scf.yield %v, %w, %u : $T, $T, $T
    }
    %g = scf.for %r = %c1 to %c1 step %c1 iter_args(%u = %f) -> ($T) {
      %t = pto.tile.add %u, %u : $T
      scf.yield %t : $T
    }
    %h = pto.tile.sub %g, %d : $T
    %out = pto.tile.mul %h, %e : $T"""
    x = numbers_of("f32", (7, 50))
    np.testing.assert_array_equal(compare(body, "7x50"), (2 * x - 4 * x) * x)


@pytest.mark.parametrize("arch", ARCHS)
def test_an_axis_before_the_tiles(arch: str):
    """The number of the block along it is part of the point."""
    t, m = "!pto.tile<4x64xf32>", "memref<3x5x70xf32>"
    module = parse_text(
        f"""
    pto.kernel @k(%x: {m} align 16) -> (%y: {m} align 256 gmem) plan #plan.schedule<{{
      arch = "{arch}", tile = [4, 64], vectorize = {{axis = "n.i.i", width = 4}}}}> {{
      pto.tiles (%b, %m, %n) in [3, 5, 70] step [1, 4, 64] {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %zero = pto.tile.expands 0.0 : f32 : {t}
        %s = scf.for %r = %c0 to %c3 step %c1 iter_args(%u = %zero) -> ({t}) {{
          %e = pto.tile.load.map %x[%b, %m, %n, %r] by <"{{ [b, i, j, r] -> [r, i, j] }}"> in [3, 5, 70, 3] dims [1, 2]
            where <"{{ [b, i, j, r] : r <= b }}"> : {m} -> {t}
          %v = pto.tile.add %u, %e : {t}
          scf.yield %v : {t}
        }}
        pto.tile.store.map %s, %y[%b, %m, %n] by <"{{ [b, i, j] -> [b, i, j] }}"> in [3, 5, 70] dims [1, 2] : {t}, {m}
      }}
    }}
    func.func @f(%x: {m}) -> {m} {{
      %y = memref.alloc() : {m}
      region.launch @k ins(%x : {m}) outs(%y : {m})
      func.return %y : {m}
    }}""",
        make_context(),
    )
    x = numbers_of("f32", (3, 5, 70))
    np.testing.assert_array_equal(call(module, "f", x)[0], x.cumsum(0))
    np.testing.assert_array_equal(ptir.compile(module, arch=arch, device=Emulator(), entry="f")(x)[0], x.cumsum(0))


# --- behind a contraction -------------------------------------------------------------------------


def contraction(size: tuple[int, int, int], arch: str, cluster: str) -> str:
    """
    Returns the tile program of x · w + b with another epilogue, which shifts b by a column and adds positions outside of a mask.
    """
    m, n, k = size
    text = f"""
    func.func @f(%x: tensor<{m}x{k}xbf16>, %w: tensor<{k}x{n}xbf16>, %b: tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32> {{
      %p = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<{m}x{k}xbf16>, tensor<{k}x{n}xbf16>) -> tensor<{m}x{n}xf32>
      %y = ptir.add %p, %b : tensor<{m}x{n}xf32>
      func.return %y : tensor<{m}x{n}xf32>
    }}"""
    to_pto = f"ptir-to-tiny,form-regions,plan-regions{{arch={arch}}},region-to-pto"
    text = str(PassManager(to_pto).run(ptir.parse(text))).replace("cluster = [1, 1]", f"cluster = {cluster}")
    moved, where = '"{ [i0, i1] -> [(i0), (-1 + i1)] }"', '"{ [i0, i1] : i1 > 0 }"'
    text, loads = re.subn(
        r"(load.map %b\[.*?\] by )<.*?>( in .*? dims \[0, 1\])", rf"\1<{moved}>\2 where <{where}>", text
    )
    store = re.search(r"pto.tile.store.map (%\w+), .*? : tile<(.*?)xf32>", text)
    assert loads == 1 and store is not None
    value, tile = store.groups()
    space = f"in [{m}, {n}] dims [0, 1]"
    return text.replace(
        f"pto.tile.store.map {value}",
        f"""
        %mask = pto.tile.mask [%m, %n] {space} where <"{{ [i0, i1] : (i0 + i1) mod 2 = 0 or i0 > 100 }}"> : tile<{tile}xi1>
        %at = pto.tile.iota [%m, %n] by <"{{ [i0, i1] -> [(2i0 + floor((i1)/3))] }}"> {space} : tile<{tile}xi32>
        %position = pto.tile.cvt %at : tile<{tile}xi32> -> tile<{tile}xf32>
        %chosen = pto.tile.sel %mask, {value}, %position : tile<{tile}xi1>, tile<{tile}xf32>
        pto.tile.store.map %chosen""",
    )


@pytest.mark.parametrize("size", [(130, 72, 64), (130, 70, 33), (128, 64, 32)])
@pytest.mark.parametrize(
    ("arch", "cluster", "staged"),
    [("sm80", "", False), ("sm90", "[1, 1]", True), ("sm90", "[2, 1]", True), ("sm90", "[1, 2]", True)],
)
def test_epilogues_of_contractions(size: tuple[int, int, int], arch: str, cluster: str, staged: bool):
    """Stores from registers and by TMA, whose epilogue computes outside of the box too; clusters with tiles beyond it."""
    m, n, k = size
    module = parse_text(contraction(size, arch, cluster), make_context())
    verify_module(module)
    x, w, b = numbers_of("bf16", (m, k)), numbers_of("bf16", (k, n)), numbers_of("f32", (m, n))
    i, j = np.indices((m, n))
    product = x.astype(np.float32) @ w.astype(np.float32) + np.pad(b, ((0, 0), (1, 0)))[:, :-1]
    want = np.where(((i + j) % 2 == 0) | (i > 100), product, (2 * i + j // 3).astype(np.float32))
    np.testing.assert_array_equal(call(module, "f", x, w, b)[0], want)
    compiled = ptir.compile(module, arch=arch, device=Emulator(), entry="f")
    assert ("tma_store" in compiled.cuda) == (staged and n % 4 == 0)
    np.testing.assert_array_equal(compiled(x, w, b)[0], want)


def test_a_convolution_of_a_number():
    """The operand has no axis that TMA could copy."""
    program = """module attributes {ptir.spec_version = "ptir.v0.4", ptir.extensions} {
func.func @f(%x: tensor<f16>, %w: tensor<1x2xf16>) -> tensor<1x2xf16> {
  %0 = ptir.reshape %x : tensor<f16> -> tensor<1x1xf16>
  %1 = ptir.convolution %0, %w : (tensor<1x1xf16>, tensor<1x2xf16>) -> tensor<1x2xf16>
  func.return %1 : tensor<1x2xf16>
}
}"""
    x, w = np.array(3, np.float16), np.array([[1, -2]], np.float16)
    for arch in ("sm80", "sm90"):
        (got,) = ptir.compile(ptir.parse(program), arch=arch, device=Emulator(), entry="f")(x, w)
        np.testing.assert_array_equal(got, [[3, -6]])
