"""Conversions between layouts: their steps, executed on sets of elements, and their kernels, executed in the emulator."""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptir
from ptir.runtime.devices import Emulator
from ptir.targets.conversions import Conversion, contiguous, conversion, digits, merged
from ptir.targets.layouts import Layout, Mode, layout_of, layout_text, parse_layout
from ptir.targets.mma import MMAS

from ..builders.amount import examples
from ..builders.conversion_programs import text

WARP = 32


def held(layout: Layout) -> list[list[tuple[int, int]]]:
    """Returns the element of each register of each lane."""
    places = ([*map(layout.lane, range(layout.threads))], [*map(layout.element, range(layout.count))])
    return [[(r + row, c + column) for r, c in places[1]] for row, column in places[0]]


def converted(steps: Conversion, source: list[list[tuple[int, int]]]) -> list[list[tuple[int, int]]]:
    """Executes the steps of a conversion on the registers of a warp."""

    def register(n: int) -> int:
        return sum(n // d.place % d.radix * place for d, place in steps.moves)

    result = [[registers[register(n)] for n in range(len(registers))] for registers in source]
    for bit, place in steps.exchanges:
        for lane in range(WARP):
            for n in range(len(result[0])):
                if not lane & bit and n // place % 2:  # the lower lane gives its upper register
                    other = lane | bit
                    result[lane][n], result[other][n - place] = result[other][n - place], result[lane][n]
    if steps.lanes:
        sources = [sum((lane >> own & 1) << k for k, own in enumerate(steps.lanes)) for lane in range(WARP)]
        result = [result[lane] for lane in sources]
    return result


@st.composite
def layouts(draw: st.DrawFn, count: int) -> list[Layout]:
    """Draws layouts of one warp's tile: its bits are dealt to lanes and registers, and an odd digit to the registers."""
    rows, columns = draw(st.integers(0, 4)), draw(st.integers(0, 4))
    columns = max(columns, 5 - rows)
    odd = draw(st.sampled_from((1, 3)))
    bits = [*(Mode(2, 1 << k, 0) for k in range(rows)), *(Mode(2, 0, 1 << k) for k in range(columns))]
    result: list[Layout] = []
    for _ in range(count):
        dealt = draw(st.permutations(bits))
        registers = draw(st.permutations([*dealt[5:], Mode(odd, 1 << rows, 0)]))
        result.append(layout_of(merged(dealt[:5]), (), merged(registers)))
    return result


@given(layouts(2))
def test_a_conversion_moves_each_element_where_it_belongs(pair: list[Layout]):
    source, result = pair
    steps = conversion(source, result)
    assert steps is not None
    assert converted(steps, held(source)) == held(result)
    assert len(steps.exchanges) == len(
        {d.stride for d in digits(source.lanes)} - {d.stride for d in digits(result.lanes)}
    )


@st.composite
def with_copies(draw: st.DrawFn, warps: int, pair: bool) -> list[Layout]:
    """
    Draws layouts of a block's tile: its bits, and some that number copies, are dealt to lanes and to 2^`warps` warps, the others to
    the registers. Those of a `pair` are of the same tile.
    """
    rows, columns, odd = draw(st.integers(0, 4)), draw(st.integers(1, 4)), draw(st.sampled_from((1, 3)))
    bits = [*(Mode(2, 1 << k, 0) for k in range(rows)), *(Mode(2, 0, 1 << k) for k in range(columns))]
    result: list[Layout] = []
    for _ in range(1 + pair):
        held = 5 + warps
        copies = draw(st.integers(max(0, held - len(bits)), min(held - 1, held - len(bits) + 5)))
        dealt = draw(st.permutations(bits))
        lanes = draw(st.permutations([*dealt[: held - copies], *[Mode(2, 0, 0)] * copies]))
        registers = draw(st.permutations([*dealt[held - copies :], Mode(odd, 1 << rows, 0)]))
        result.append(layout_of(merged(lanes[:5]), merged(lanes[5:]), merged(registers)))
    return result


@given(with_copies(0, False), st.data())
def test_copies_stay_copies(drawn: list[Layout], data: st.DataObject):
    """Lanes and registers that hold other elements, with as many copies of each."""
    (source,) = drawn
    modes = [[Mode(d.radix, *d.stride) for d in digits(part)] for part in (source.lanes, source.elements)]
    lanes, registers = (data.draw(st.permutations(part)) for part in modes)
    result = layout_of(merged(lanes), (), merged(registers))
    steps = conversion(source, result)
    assert steps is not None and not steps.exchanges
    assert converted(steps, held(source)) == held(result)


@given(layouts(1))
def test_no_conversion_moves_nothing(drawn: list[Layout]):
    (layout,) = drawn
    assert conversion(layout, layout) == Conversion(tuple((d, d.place) for d in digits(layout.elements)), (), ())


@given(layouts(1), st.sampled_from((1, 2, 4, 8)))
def test_contiguous_columns(drawn: list[Layout], width: int):
    (layout,) = drawn
    found = contiguous(layout, width)
    if found is None:  # the registers have too few bits of columns
        assert sum(d.radix == 2 and d.stride[1] > 0 for d in digits(layout.elements)) < width.bit_length() - 1
    else:
        assert found.contiguous >= width and conversion(layout, found) is not None


def test_other_elements_other_warps_and_fewer_copies_are_not_converted_by_shuffles():
    def spelled(lanes: list[Mode], elements: list[Mode], warps: list[Mode] | None = None) -> Layout:
        return layout_of(lanes, warps or [], elements)

    row, down = Mode(32, 0, 1), Mode(2, 1, 0)
    assert conversion(spelled([row], [down]), spelled([row], [Mode(2, 0, 32)])) is None
    assert conversion(spelled([row], [down]), spelled([row], [Mode(4, 1, 0)])) is None
    assert conversion(spelled([row], [], [down]), spelled([row], [down])) is None
    assert conversion(spelled([row], [], [down]), spelled([row], [], [Mode(2, 2, 0)])) is None
    halves = [Mode(16, 0, 1), Mode(2, 0, 0)]
    assert conversion(spelled(halves, [down]), spelled([Mode(16, 0, 1), down], [])) is None
    assert conversion(spelled([Mode(16, 0, 1), down], []), spelled(halves, [down])) is None
    assert conversion(spelled([row], []), spelled([row], [], [down])) is not None, "each warp holds a part"


def test_an_accumulator_by_rows_takes_two_exchanges():
    mma = MMAS["m16n8k16"].c
    whole = layout_of(mma.lanes, (), [*mma.elements, Mode(6, 0, 8)])
    four = contiguous(whole, 4)
    assert four is not None and layout_text(four) == "lane(2: 8j, 2: 4j, 8: i) reg(4: j, 3: 16j, 2: 8i)"
    assert contiguous(whole, 8) is None, "48 columns are not a multiple of 32"
    steps = conversion(whole, four)
    assert steps is not None and steps.exchanges == ((1, 2),) and not steps.lanes


DTYPES = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "bf16": ml_dtypes.bfloat16}


def agrees(pairs: Sequence[tuple[Layout, Layout]], dtype: str) -> Emulator:
    device = Emulator()
    program = ptir.compile(text(pairs, dtype), arch="sm80", device=device)
    arrays = [np.arange(a.rows * a.columns).reshape(a.rows, a.columns).astype(DTYPES[dtype]) for a, _ in pairs]
    for got, want in zip(program(*arrays), arrays, strict=True):
        np.testing.assert_array_equal(got, want)
    return device


PAIRS = {
    "exchanges": ("lane(4: 2j, 8: i) reg(2: j, 2: 8i, 4: 8j)", "lane(4: 8j, 8: i) reg(8: j, 2: 8i)"),
    "lanes": ("lane(32: j) reg(2: 32j, 3: i)", "lane(2: 2j, 2: j, 4: 4j, 2: 32j) reg(2: 16j, 3: i)"),
    "transposed": ("lane(8: j, 4: i) reg(2: 4i)", "lane(8: i, 4: j) reg(2: 4j)"),
    "renamed": ("lane(32: j) reg(2: i, 2: 32j)", "lane(32: j) reg(2: 32j, 2: i)"),
    "copies in other lanes": ("lane(16: j, 2: 0) reg(2: i)", "lane(2: 0, 16: j) reg(2: i)"),
    "all lanes": ("lane(16: j, 2: i)", "lane(16: j, 2: 0) reg(2: i)"),
    "one copy of two": ("lane(16: j, 2: 0) reg(2: i)", "lane(16: j, 2: i)"),
}


@pytest.mark.parametrize("dtype", DTYPES)
def test_converted_fragments_in_the_emulator(dtype: str):
    agrees([(parse_layout(a), parse_layout(b)) for a, b in PAIRS.values()], dtype)


@settings(max_examples=examples(4), deadline=None)
@given(st.integers(0, 3), st.sampled_from(list(DTYPES)), st.data())
def test_any_two_layouts_of_a_tile(warps: int, dtype: str, data: st.DataObject):
    """Each kernel has several pairs: in one warp or several, with copies of elements, with an odd number of registers."""
    pairs = [data.draw(with_copies(warps, True)) for _ in range(6)]
    agrees([(a, b) for a, b in pairs], dtype)


ACCUMULATOR = """
      %acc = nv.frag : !nv.frag<32x48xf32, C of m16n8k16>
      %a0 = nv.epilogue %acc : !nv.frag<32x48xf32, C of m16n8k16> [%c0, %c0] in [32, 48] dims [0, 1] guard [] tile [32, 48]
        addresses [] widths [] -> !nv.frag<32x48xf32, C of m16n8k16> {
      ^bb0(%e: f32):
        %i, %j = nv.point
        %c48 = arith.constant 48 : index
        %row = arith.muli %i, %c48 : index
        %at = arith.addi %row, %j : index
        %n = arith.index_cast %at : index to i32
        %f = arith.sitofp %n : i32 to f32
        nv.yield %f : f32
      }
"""


@pytest.mark.parametrize(
    "result", ["lane(4: 4j, 8: i) reg(4: j, 3: 16j, 4: 8i)", "lane(16: j, 2: 0) reg(3: 16j, 32: i)"]
)
def test_accumulators(result: str):
    """By shuffles, and through shared memory; tiles of the instruction are repeated three times along columns and twice along rows."""
    c = MMAS["m16n8k16"].c
    source = layout_of(c.lanes, (), [*c.elements, Mode(6, 0, 8), Mode(2, 16, 0)])
    program, spelled = text([(source, parse_layout(result))], "f32"), f"!nv.frag<32x48xf32, {layout_text(source)}>"
    begin, end = program.index("      %a0 = nv.map"), program.index("      %b0 =")
    program = program[:begin] + ACCUMULATOR + program[end:].replace(spelled, "!nv.frag<32x48xf32, C of m16n8k16>")
    (got,) = ptir.compile(program, arch="sm80", device=Emulator())(np.zeros((32, 48), np.float32))
    np.testing.assert_array_equal(got, np.arange(32 * 48).reshape(32, 48))


def test_memory_between_two_layouts_has_no_bank_conflicts():
    rows, columns = "lane(32: 4j) warp(4: i) reg(4: j, 4: 4i)", "lane(2: 4j, 16: i) warp(4: 32j) reg(4: j, 4: 8j)"
    (report,) = agrees([(parse_layout(rows), parse_layout(columns))], "f32").reports
    assert report.bank_conflicts == 0
