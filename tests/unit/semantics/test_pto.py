"""`semantics/pto/__init__.py`: the results of tile programs, and the errors of undefined ones."""

from __future__ import annotations

from contextlib import nullcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.dialects import pto
from ptir.errors import PtirError
from ptir.passes.environment import make_context
from ptir.semantics.arrays.scalars import FUNCTIONS
from ptir.semantics.errors import ChannelDeadlock, ChannelMisuse, DivisionByZero, IndexOutsideMemref, StoreConflict
from ptir.semantics.interpreter import call, interpreter
from ptir.semantics.pto.channels import Channel, check
from ptir.text.parsing import parse_text
from ptir.text.verify import verify_module
from tests.unit.builders.attention_programs import Attention

TILE = "!pto.tile<4x4xf16, #pto.tile_info<loc=Mat>>"
RING = f"!pto.channel<$DEPTH, [{TILE}]>"
PRODUCE = """
  pto.process {
    scf.for %i = %c0 to %c8 step %c4 {
      pto.channel.acquire %ring : $RING
      %t = pto.tile.load.map %x[%m, %n, %i] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [6, 4, 7] dims [0, 2] : memref<6x7xf16> -> $TILE
      pto.channel.commit %ring, %t : $RING, $TILE
    }
  }"""
CONSUME = """
  %sum = scf.for %i = %c0 to %c8 step %c4 iter_args(%s = %zero) -> (!pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>) {
    %t = pto.channel.wait %ring : $RING -> $TILE
    %l = pto.tile.mov.m2l %t : $TILE -> tile<4x4xf16, #pto.tile_info<loc=Left>>
    %r = pto.tile.mov.m2r %t : $TILE -> tile<4x4xf16, #pto.tile_info<loc=Right>>
    %u = pto.tile.matmul.acc %s, %l, %r : tile<4x4xf32, #pto.tile_info<loc=Acc>>,
        tile<4x4xf16, #pto.tile_info<loc=Left>>, tile<4x4xf16, #pto.tile_info<loc=Right>> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
    pto.channel.release %ring : $RING
    scf.yield %u : !pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>
  }"""
STORE = """
  %v = pto.tile.mov.a2v %sum : tile<4x4xf32, #pto.tile_info<loc=Acc>> -> tile<4x4xf32>
  pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 4] dims [0, 1] : tile<4x4xf32>, memref<6x4xf32>"""


def program(
    *parts: str, types: str = "memref<6x7xf16>", out: str = "memref<6x4xf32>", grid: str = "[6, 4]", depth: int = 2
) -> ModuleOp:
    """Returns @f with one tile program, which consists of these parts. $RING and $TILE stand for types."""
    ring = RING.replace("$DEPTH", str(depth))
    body = "\n".join(parts).replace("$RING", ring).replace("$TILE", TILE)
    text = f"""
pto.kernel @k(%x: {types} align 16) -> (%y: {out} align 16 gmem) {{
pto.tiles (%m, %n) in {grid} step [4, 4] {{
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %zero = pto.tile.expands 0.0 : f32 : tile<4x4xf32, #pto.tile_info<loc=Acc>>
  %ring = pto.channel : {ring}
  {body}
}} }}
func.func @f(%x: {types}) -> {out} {{
  %y = memref.alloc() : {out}
  region.launch @k ins(%x : {types}) outs(%y : {out})
  func.return %y : {out}
}}"""
    module = parse_text(text, make_context())
    verify_module(module)
    return module


X = np.arange(42).reshape(6, 7).astype(np.float16)


def run(*parts: str, x: Any = X, **options: Any) -> Any:
    return call(program(*parts, **options), "f", x)[0]


def squares() -> Any:
    """Returns the expected result of PRODUCE, CONSUME and STORE: the sum of each padded 4×4 tile, squared."""
    padded = np.zeros((8, 8))
    padded[:6, :7] = X
    tiles = [[padded[r : r + 4, c : c + 4] for c in (0, 4)] for r in (0, 4)]
    return np.concatenate([sum(t @ t for t in row) for row in tiles])[:6].astype(np.float32)


def test_a_ring_of_tiles():
    np.testing.assert_array_equal(run(PRODUCE, CONSUME, STORE), squares())


def test_the_accumulator_rounds_once_a_tile():
    x = np.zeros((6, 7), np.float16)
    x[0, 0], x[0, 4] = 4096, 2**-8
    got = run(PRODUCE, CONSUME, STORE, x=x)
    assert got[0, 0] == np.float32(np.float32(2.0**24) + np.float32(2.0**-16))
    x[0, :3], x[1:3, 0] = (4096, 1, 1), 1
    assert run(PRODUCE, CONSUME, STORE, x=x)[0, 0] == 2**24 + 2


def test_an_accumulator_is_rescaled():
    """`mov.v2a` is the inverse of `mov.a2v`; the next product adds to the rescaled accumulator."""
    half = CONSUME.replace(
        "%u = ",
        """%v = pto.tile.mov.a2v %s : tile<4x4xf32, #pto.tile_info<loc=Acc>> -> tile<4x4xf32>
    %h = pto.tile.expands 0.5 : f32 : tile<4x4xf32>
    %hv = pto.tile.mul %v, %h : tile<4x4xf32>
    %ha = pto.tile.mov.v2a %hv : tile<4x4xf32> -> tile<4x4xf32, #pto.tile_info<loc=Acc>>
    %u = """,
    ).replace("acc %s,", "acc %ha,")
    padded = np.zeros((8, 8))
    padded[:6, :7] = X
    tiles = [[padded[r : r + 4, c : c + 4] for c in (0, 4)] for r in (0, 4)]
    want = np.concatenate([row[0] @ row[0] / 2 + row[1] @ row[1] for row in tiles])[:6].astype(np.float32)
    np.testing.assert_array_equal(run(PRODUCE, half, STORE), want)


def test_fma_rounds_once():
    """Against exact fractions: products that cancel, halves of the last place, results that overflow, subnormals, infinities."""
    rng = np.random.default_rng(3)
    special = np.array([0, 1, 1 + 2**-23, 1 - 2**-24, 2**-126, 2**-149, 3e38, 2**12 + 1, -(1 + 2**-23)], np.float32)
    a, b, c = (x.ravel() for x in np.meshgrid(special, special, special))
    x, y = rng.standard_normal((2, 500)).astype(np.float32)
    a, b, c = np.concatenate([a, x, x]), np.concatenate([b, y, y]), np.concatenate([c, -x * y, x[::-1] * 2**-20])
    got = FUNCTIONS["fma"](a, b, c)
    for p, q, r, result in zip(a, b, c, got, strict=True):
        exact = Fraction(float(p)) * Fraction(float(q)) + Fraction(float(r))
        if not np.isfinite(result):
            assert abs(exact) >= Fraction(2) ** 128 - Fraction(2) ** 103
            continue
        below, above = (
            Fraction(float(np.nextafter(result, np.float32(end))))
            for end in (-np.inf, np.inf)
            if np.isfinite(np.nextafter(result, np.float32(end)))
        )
        error = abs(exact - Fraction(float(result)))
        near = min(abs(exact - below), abs(exact - above))
        even = result.view(np.int32) % 2 == 0
        assert error < near or (error == near and even), (p, q, r, result)
    infinite = np.array([np.inf, np.inf, 1], np.float32), np.array([0, 1, np.inf], np.float32)
    np.testing.assert_array_equal(FUNCTIONS["fma"](*infinite, np.float32([1, -np.inf, 2])), [np.nan, np.nan, np.inf])


def wrong(error: type[PtirError], message: str, *parts: str, **options: Any) -> None:
    with pytest.raises(error, match=message) as raised:
        run(*parts, **options)
    assert raised.value.op is not None, "the error names no op"


# --- the channel's protocol ---------------------------------------------------------------------


def test_a_wait_needs_a_commit():
    wrong(ChannelMisuse, "waits on an empty channel", CONSUME, PRODUCE, STORE)
    wrong(ChannelMisuse, "waits on an empty channel", PRODUCE.replace("%c8", "%c4"), CONSUME, STORE)


def test_a_commit_needs_an_acquire():
    wrong(
        ChannelMisuse,
        "commits a slot that was not acquired",
        PRODUCE.replace("pto.channel.acquire %ring : $RING", ""),
        CONSUME,
        STORE,
    )


def test_a_release_needs_a_wait():
    twice = "pto.channel.release %ring : $RING\n"
    wrong(ChannelMisuse, "releases a slot that was not waited for", PRODUCE, CONSUME.replace(twice, twice * 2), STORE)


def test_a_ring_must_end_empty():
    release = "pto.channel.release %ring : $RING"
    wrong(ChannelMisuse, "waits for a slot that is never released", PRODUCE, CONSUME.replace(release, ""), STORE)
    wrong(ChannelMisuse, "commits tiles that are never waited for", PRODUCE, CONSUME.replace("%c8", "%c4"), STORE)
    acquire = "pto.channel.acquire %ring : $RING\n"
    wrong(
        ChannelMisuse,
        "acquires a slot that is never committed",
        PRODUCE.replace(acquire, acquire * 2),
        CONSUME,
        STORE,
    )


def test_a_tile_is_gone_after_its_release():
    early = CONSUME.replace("    pto.channel.release %ring : $RING\n", "")
    early = early.replace("    %l = ", "    pto.channel.release %ring : $RING\n    %l = ")
    wrong(ChannelMisuse, "reads a tile whose slot has been released", PRODUCE, early, STORE)


def test_a_channel_has_one_producer():
    half = PRODUCE.replace("%c8", "%c4")
    wrong(ChannelMisuse, "two processes produce into this channel", half, half, CONSUME, STORE)


def test_a_channel_has_one_consumer():
    first = "  pto.process {\n" + CONSUME.replace("%c8", "%c4") + "\n  }"
    wrong(
        ChannelMisuse, "two processes consume from this channel", PRODUCE, first, CONSUME.replace("%c0", "%c4"), STORE
    )


def test_a_producer_must_stand_beside_its_consumer():
    """In a single process, nothing frees a slot while the producer waits for it."""
    inline = PRODUCE.replace("  pto.process {\n", "")[: -len("\n  }")].replace("step %c4", "step %c1")
    parts = ("%c1 = arith.constant 1 : index", inline, CONSUME.replace("step %c4", "step %c1"), STORE)
    wrong(ChannelDeadlock, "all 2 slots of the channel are taken", *parts)
    assert np.isfinite(run(*parts, depth=8)).all()


def test_a_ring_must_be_deep_enough_for_the_order_of_its_consumer():
    """The producer fills one ring before the other; the consumer reads both in turns."""
    fill = PRODUCE.replace("step %c4", "step %c1")[: -len("\n  }")]
    fill_other = fill.replace("%ring", "%other").replace("  pto.process {\n", "")
    release = "    pto.channel.release %ring : $RING\n"
    drain_other = release + "    %o = pto.channel.wait %other : $RING -> $TILE\n" + release.replace("%ring", "%other")
    parts = (
        "%c1 = arith.constant 1 : index",
        "%other = pto.channel : $RING",
        f"{fill}{fill_other}\n  }}",
        CONSUME.replace("step %c4", "step %c1").replace(release, drain_other),
        STORE,
    )
    wrong(ChannelDeadlock, "all 2 slots of the channel are taken", *parts)
    wrong(ChannelDeadlock, "all 6 slots of the channel are taken", *parts, depth=6)
    # Seven slots suffice for eight tiles: the consumer frees a slot before it reads from the other ring.
    assert np.isfinite(run(*parts, depth=7)).all()


@pytest.mark.parametrize(
    ("producer", "consumer", "message"),
    [
        ("aA cA aB cB aA cA aB cB", "wB wA rA wB wA rA rB rB", None),
        ("aA cA aB cB aA cA aB cB", "wB wB wA rA wA rA rB rB", "all 1 slots"),
        ("aA cA", "wA rA wA rA", "never committed"),
        ("aB aB cB cB", "wB rB wB rB", None),
        ("aB aB aB cB", "wB rB", "all 2 slots"),
    ],
)
def test_interleavings(producer: str, consumer: str, message: str | None):
    """Two processes that acquire, commit, wait for and release slots of the channels A, of depth 1, and B, of depth 2."""
    channels = {name: Channel(pto.ChannelOp(pto.ChannelType(depth, []))) for name, depth in (("A", 1), ("B", 2))}
    kinds = {"a": pto.AcquireOp, "c": lambda of: pto.CommitOp(of, []), "w": pto.WaitOp, "r": pto.ReleaseOp}
    traces = [
        [(kinds[s[0]](channels[s[1]].op.result), channels[s[1]]) for s in text.split()] for text in (producer, consumer)
    ]
    with pytest.raises(ChannelDeadlock, match=message) if message else nullcontext():
        check(traces)


# --- memory -------------------------------------------------------------------------------------


def test_a_map_must_stay_inside_of_its_memref():
    wrong(
        IndexOutsideMemref,
        r"the access reaches element \[0, 7\] of memref<6x7xf16>",
        PRODUCE.replace("[(i0), (i2)]", "[(i0), (i2 + 1)]"),
        CONSUME,
        STORE,
    )
    wrong(IndexOutsideMemref, "the access reaches 1 axes", PRODUCE.replace("[(i0), (i2)]", "[(i0)]"), CONSUME, STORE)
    wrong(IndexOutsideMemref, r"element \[-1, 0\]", PRODUCE.replace("[(i0), (i2)]", "[(i0 - 1), (i2)]"), CONSUME, STORE)


def test_tiles_may_not_store_to_one_element():
    wrong(
        StoreConflict,
        r"element \[0, 0\] is written twice: another tile has stored it",
        PRODUCE,
        CONSUME,
        STORE.replace("[(i0), (i1)]", "[(i0 - 4*floor(i0/4)), (i1)]"),
    )
    wrong(
        StoreConflict,
        r"element \[0, 0\] is written twice: the map sends two points of the tile to it",
        PRODUCE,
        CONSUME,
        STORE.replace("[(i0), (i1)]", "[(i0), (i1 - i1)]"),
    )


def test_an_element_that_no_tile_stores_is_not_a_number():
    got = run(PRODUCE, CONSUME, STORE, grid="[4, 4]")
    np.testing.assert_array_equal(got[:4], squares()[:4])
    assert np.isnan(got[4:]).all()


def test_a_scatter_updates_the_rows_that_indices_name():
    """Two rows are added to one, and rows that no index names stay."""
    text = """
pto.kernel @k(%i: memref<4xi32> align 16, %u: memref<4x8xi32> align 16) -> (%y: memref<9x8xi32> align 16 updated) {
  pto.tiles (%m, %n) in [4, 8] step [4, 8] {
    %p = pto.tile.load.map %i[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 8] dims [0, 1] : memref<4xi32> -> tile<4x1xi32>
    %v = pto.tile.load.map %u[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 8] dims [0, 1] : memref<4x8xi32> -> tile<4x8xi32>
    pto.tile.scatter.map add %v, %y[%m, %n] at (%p : tile<4x1xi32>) by <"{ [i0, i1, i2] -> [(i2), (i1)] }">
      in [4, 8, 9] dims [0, 1] : tile<4x8xi32>, memref<9x8xi32>
  }
}
func.func @f(%i: memref<4xi32>, %u: memref<4x8xi32>, %y: memref<9x8xi32>) {
  region.launch @k ins(%i, %u : memref<4xi32>, memref<4x8xi32>) outs(%y : memref<9x8xi32>)
  func.return
}"""
    rows, updates = np.array([2, 8, 2, 0], np.int32), np.arange(1, 33, dtype=np.int32).reshape(4, 8)
    y = np.full((9, 8), 100, np.int32)
    want = y.copy()
    np.add.at(want, rows, updates)
    call(ptir.parse(text), "f", rows, updates, y)
    np.testing.assert_array_equal(y, want)


def test_padding_is_zero_and_computed_with():
    body = """
  %t = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [5, 3] dims [0, 1] : memref<5x3xi32> -> tile<4x4xi32>
  %one = pto.tile.expands 12 : i32 : tile<4x4xi32>
  %q = pto.tile.div %one, %t : tile<4x4xi32>
  pto.tile.store.map %q, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [5, 3] dims [0, 1] : tile<4x4xi32>, memref<5x3xi32>"""
    x = np.arange(1, 16, dtype=np.int32).reshape(5, 3)
    got = run(body, x=x, types="memref<5x3xi32>", out="memref<5x3xi32>", grid="[5, 3]")
    np.testing.assert_array_equal(got, 12 // x)


def test_partial_results_of_groups():
    """Each half of a row has two partial results, each of every other element of the half."""
    tile, parts = "!pto.tile<4x8xi32>", "!pto.tile<4x4xi32>"
    body = f"""
  %t = pto.tile.load.map %x[%m, %n] by <"{{ [i0, i1] -> [(i0), (i1)] }}"> in [4, 8] dims [0, 1] : memref<4x8xi32> -> {tile}
  %s = pto.tile.rowsum %t run 1 group 4 : {tile} -> {parts}
  %e = pto.tile.rowexpand %s run 1 group 4 : {parts} -> {tile}
  pto.tile.store.map %e, %y[%m, %n] by <"{{ [i0, i1] -> [(i0), (i1)] }}"> in [4, 8] dims [0, 1] : {tile}, memref<4x8xi32>"""
    x = np.random.default_rng(0).integers(0, 99, (4, 8)).astype(np.int32)
    got = run(body, x=x, types="memref<4x8xi32>", out="memref<4x8xi32>", grid="[4, 4]")
    halves = x.reshape(4, 2, 2, 2).sum(2, keepdims=True)
    np.testing.assert_array_equal(got, np.broadcast_to(halves, (4, 2, 2, 2)).reshape(4, 8))


# --- attention ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "case",
    [
        Attention(130, 100, size=16, causal=True, tile=32, stages=4, multiprocessors=1),
        Attention(300, 100, size=16, window=20, sinks=1, causal=True, tile=32, stages=4, exponential="exp2"),
        Attention(3, 70, size=24, heads=2, group=2, value_size=16, exponential="exp", tile=32, stages=4),
    ],
)
def test_a_tile_program_of_attention(case: Attention):
    """Index arithmetic in the bounds of loops, rescaled accumulators, computed operands, channels of one slot; against NumPy in f64."""
    arrays = case.arrays()
    (got,) = call(ptir.parse(case.text), "attention", *arrays)
    want = case.expected(*arrays)
    assert np.abs(got.astype(np.float64) - want).max() < 2**-7 * np.abs(want).max()


def test_arithmetic_on_indices():
    """Unsigned ops read a negative index as a large one; signed ops do not."""
    text = "\n".join(
        f"%{op} = arith.{op} %a, %b : index" for op in ("divui", "remui", "minui", "maxui", "minsi", "maxsi")
    )
    returned = "%divui, %remui, %minui, %maxui, %minsi, %maxsi : " + ", ".join(["index"] * 6)
    types = ", ".join(["index"] * 6)
    module = ptir.parse(f"func.func @f(%a: index, %b: index) -> ({types}) {{\n{text}\nfunc.return {returned}\n}}")
    run_f = interpreter(module).call_op
    assert run_f("f", (17, 5)) == (3, 2, 5, 17, 5, 17)
    assert run_f("f", (-1, 5)) == (((1 << 64) - 1) // 5, 0, 5, -1, -1, 5)


def launched(kernel: str, x: str, out: str, scratch: tuple[str, ...] = ()) -> ModuleOp:
    """Returns @f, which launches `@k` on an argument of type `x`, and returns all that it writes."""
    outs = [out, *scratch]
    allocs = "\n".join(f"  %y{n} = memref.alloc() : {t}" for n, t in enumerate(outs))
    names, types = ", ".join(f"%y{n}" for n in range(len(outs))), ", ".join(outs)
    module = parse_text(
        f"{kernel}\nfunc.func @f(%x: {x}) -> ({types}) {{\n{allocs}\n"
        f"  region.launch @k ins(%x : {x}) outs({names} : {types})\n  func.return {names} : {types}\n}}",
        make_context(),
    )
    verify_module(module)
    return module


def test_the_parts_of_a_split_are_added():
    """The body of the combine runs once: what it adds to is -1 before."""
    acc = "tile<4x4xi32, #pto.tile_info<loc=Acc>>"
    kernel = f"""
pto.kernel @k(%x: memref<3x8x4xi32> align 16) -> (%y: memref<8x4xi32> align 16 gmem,
    %ws: memref<2x4x4xi32> align 16 workspace, %count: memref<2xi32> align 4 counters) {{
  pto.tiles (%m, %n) in [8, 4] step [4, 4] split %s of 3 {{
    %t = pto.tile.load.map %x[%m, %n, %s] by <"{{ [i0, i1, i2] -> [(i2), (i0), (i1)] }}"> in [8, 4, 3] dims [0, 1]
      : memref<3x8x4xi32> -> tile<4x4xi32>
    %acc = pto.tile.mov.v2a %t : tile<4x4xi32> -> {acc}
    pto.combine serial %acc across %s in %ws counters %count : {acc}, memref<2x4x4xi32>, memref<2xi32> {{
    ^bb0(%sum: !pto.{acc}):
      %v = pto.tile.mov.a2v %sum : {acc} -> tile<4x4xi32>
      %old = pto.tile.load.map %y[%m, %n] by <"{{ [i0, i1] -> [(i0), (i1)] }}"> in [8, 4] dims [0, 1] : memref<8x4xi32> -> tile<4x4xi32>
      %w = pto.tile.add %v, %old : tile<4x4xi32>
      pto.tile.store.map %w, %y[%m, %n] by <"{{ [i0, i1] -> [(i0), (i1)] }}"> in [8, 4] dims [0, 1] : tile<4x4xi32>, memref<8x4xi32>
    }}
  }}
}}"""
    x = np.arange(96, dtype=np.int32).reshape(3, 8, 4)
    module = launched(kernel, "memref<3x8x4xi32>", "memref<8x4xi32>", ("memref<2x4x4xi32>", "memref<2xi32>"))
    np.testing.assert_array_equal(call(module, "f", x)[0], x.sum(0) - 1)


@pytest.mark.parametrize(("place", "reported"), [(3, 7), (7, -1), (99, -1)])
def test_a_report_keeps_the_greatest_number(place: int, reported: int):
    """The status word, which holds -1, is not written if the predicate holds nowhere in the box."""
    kernel = """
pto.kernel @k(%x: memref<8xi32> align 16) -> (%status: memref<1xi32> align 16 status) {
  pto.tiles (%m) in [6] step [8] {
    %t = pto.tile.load.map %x[%m] by <"{ [i0] -> [(i0)] }"> in [8] dims [0] : memref<8xi32> -> tile<8xi32>
    %z = pto.tile.expands 0 : i32 : tile<8xi32>
    %p = pto.tile.cmp %t, %z {cmpMode = #pto.cmp<NE>} : tile<8xi32> -> tile<8xi1>
    %a = pto.tile.report division %t if %p number 7 to %status [%m] in [6] dims [0] : tile<8xi32>, tile<8xi1>, memref<1xi32>
    %b = pto.tile.report division %a if %p number 2 to %status [%m] in [6] dims [0] : tile<8xi32>, tile<8xi1>, memref<1xi32>
  }
}"""
    module = launched(kernel, "memref<8xi32>", "memref<1xi32>")
    assert call(module, "f", (np.arange(8) == place).astype(np.int32))[0].tolist() == [reported]


@pytest.mark.parametrize(("fn", "want"), [("div", 1), ("rem", 0)])
def test_an_integer_divisor_may_be_zero_in_the_grid_only(fn: str, want: int):
    """There it may lie outside of the box; after the grid it is an error again."""
    kernel = f"""
pto.kernel @k(%x: memref<4xi32> align 16) -> (%y: memref<4xi32> align 16 gmem) {{
  pto.tiles (%m) in [4] step [8] {{
    %t = pto.tile.load.map %x[%m] by <"{{ [i0] -> [(i0)] }}"> in [4] dims [0] : memref<4xi32> -> tile<8xi32>
    %u = pto.tile.{fn} %t, %t : tile<8xi32>
    pto.tile.store.map %u, %y[%m] by <"{{ [i0] -> [(i0)] }}"> in [4] dims [0] : tile<8xi32>, memref<4xi32>
  }}
}}
func.func @g() {{
  %z = pto.tile.expands 0 : i32 : tile<8xi32>
  %u = pto.tile.{fn} %z, %z : tile<8xi32>
  func.return
}}"""
    run = interpreter(launched(kernel, "memref<4xi32>", "memref<4xi32>"))
    assert run.call_op("f", (np.full(4, 3, np.int32),))[0].tolist() == [want] * 4
    with pytest.raises(DivisionByZero):
        run.call_op("g", ())


def test_points_outside_of_the_box_read_no_element():
    """Not even the first one, of an array that has no other."""
    kernel = """
pto.kernel @k(%x: memref<1xf32> align 16) -> (%y: memref<1xf32> align 16 gmem) {
  pto.tiles (%m) in [1] step [4] {
    %t = pto.tile.load.map %x[%m] by <"{ [i0] -> [(i0)] }"> in [1] dims [0] : memref<1xf32> -> tile<4xf32>
    pto.tile.store.map %t, %y[%m] by <"{ [i0] -> [(i0)] }"> in [1] dims [0] : tile<4xf32>, memref<1xf32>
  }
}"""
    assert call(launched(kernel, "memref<1xf32>", "memref<1xf32>"), "f", np.array([5], np.float32))[0] == [5]


def test_points_outside_of_a_set_are_neither_read_nor_stored():
    kernel = """
pto.kernel @k(%x: memref<4xf32> align 16) -> (%y: memref<8xf32> align 16 gmem) {
  pto.tiles (%m) in [8] step [8] {
    %t = pto.tile.load.map %x[%m] by <"{ [i0] -> [(i0)] }"> in [8] dims [0] where <"{ [i0] : 1 <= i0 <= 2 }"> : memref<4xf32> -> tile<8xf32>
    pto.tile.store.map %t, %y[%m] by <"{ [i0] -> [(i0)] }"> in [8] dims [0] where <"{ [i0] : i0 <= 5 }"> : tile<8xf32>, memref<8xf32>
  }
}"""
    (got,) = call(launched(kernel, "memref<4xf32>", "memref<8xf32>"), "f", np.arange(5, 9, dtype=np.float32))
    assert got[:6].tolist() == [0, 6, 7, 0, 0, 0] and np.isnan(got[6:]).all()


def test_two_points_of_a_tile_do_not_store_one_element():
    kernel = """
pto.kernel @k(%x: memref<4xf32> align 16) -> (%y: memref<3xf32> align 16 gmem) {
  pto.tiles (%m) in [4] step [4] {
    %t = pto.tile.load.map %x[%m] by <"{ [i0] -> [(i0)] }"> in [4] dims [0] : memref<4xf32> -> tile<4xf32>
    pto.tile.store.map %t, %y[%m] by <"{ [i0] -> [(i0 - floor((i0)/3))] }"> in [4] dims [0] : tile<4xf32>, memref<3xf32>
  }
}"""
    with pytest.raises(StoreConflict, match="two points of the tile"):
        call(launched(kernel, "memref<4xf32>", "memref<3xf32>"), "f", np.zeros(4, np.float32))
