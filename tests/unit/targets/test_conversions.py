"""Conversions between layouts: their steps, executed on sets of elements, and their kernels, executed in the emulator."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ptir
from ptir.runtime.devices import Emulator
from ptir.targets.conversions import Conversion, contiguous, conversion, digits, merged
from ptir.targets.layouts import Layout, Mode, layout_of, layout_text, parse_layout
from ptir.targets.mma import MMAS

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


def test_other_elements_other_warps_and_copies_are_not_converted():
    def spelled(lanes: list[Mode], elements: list[Mode], warps: list[Mode] | None = None) -> Layout:
        return layout_of(lanes, warps or [], elements)

    row, down = Mode(32, 0, 1), Mode(2, 1, 0)
    assert conversion(spelled([row], [down]), spelled([row], [Mode(2, 0, 32)])) is None
    assert conversion(spelled([row], [down]), spelled([row], [Mode(4, 1, 0)])) is None
    assert conversion(spelled([row], [], [down]), spelled([row], [down])) is None
    assert conversion(spelled([row], [], [down]), spelled([row], [], [Mode(2, 2, 0)])) is None
    assert (
        conversion(spelled([Mode(16, 0, 1), Mode(2, 0, 0)], []), spelled([Mode(16, 0, 1), Mode(2, 0, 0)], [])) is None
    )
    assert conversion(spelled([row], []), spelled([row], [], [down])) is not None, "each warp holds a part"


def test_an_accumulator_by_rows_takes_two_exchanges():
    mma = MMAS["m16n8k16"].c
    whole = layout_of(mma.lanes, (), [*mma.elements, Mode(6, 0, 8)])
    four = contiguous(whole, 4)
    assert four is not None and layout_text(four) == "lane(2: 8j, 2: 4j, 8: i) reg(4: j, 3: 16j, 2: 8i)"
    assert contiguous(whole, 8) is None, "48 columns are not a multiple of 32"
    steps = conversion(whole, four)
    assert steps is not None and steps.exchanges == ((1, 2),) and not steps.lanes


KERNEL = """
builtin.module attributes {{gpu.container_module}} {{
  "gpu.module"() <{{sym_name = "kernels"}}> ({{
    "gpu.func"() <{{function_type = ({memref}, {memref}) -> (), kernel}}> ({{
    ^bb0(%x: {memref}, %y: {memref}):
      %c0 = arith.constant 0 : index
      %a = nv.map [%c0, %c0] {box} ins(%x : {memref}) addresses [{address}] widths [1] -> {source} {{
      ^bb0(%e: {type}):
        nv.yield %e : {type}
      }}
      %b = nv.convert_layout %a : {source} -> {result}
      nv.map(%b : {result}) [%c0, %c0] {box} outs(%y : {memref}) addresses [{address}] widths [1] {{
      ^bb0(%e: {type}):
        nv.yield %e : {type}
      }}
      "gpu.return"() : () -> ()
    }}) {{sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>}} : () -> ()
  }}) : () -> ()
  func.func @f(%x: {memref}) -> {memref} {{
    %y = memref.alloc() : {memref}
    nv.launch @kernels::@k grid [1, 1, 1] block [32, 1, 1] shared 0(%x, %y : {memref}, {memref})
    func.return %y : {memref}
  }}
}}
"""
PAIRS = {
    "exchanges": ("lane(4: 2j, 8: i) reg(2: j, 2: 8i, 4: 8j)", "lane(4: 8j, 8: i) reg(8: j, 2: 8i)"),
    "lanes": ("lane(32: j) reg(2: 32j, 3: i)", "lane(2: 2j, 2: j, 4: 4j, 2: 32j) reg(2: 16j, 3: i)"),
    "transposed": ("lane(8: j, 4: i) reg(2: 4i)", "lane(8: i, 4: j) reg(2: 4j)"),
    "renamed": ("lane(32: j) reg(2: i, 2: 32j)", "lane(32: j) reg(2: 32j, 2: i)"),
}


DTYPES = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "bf16": ml_dtypes.bfloat16}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", PAIRS)
def test_a_converted_fragment_in_the_emulator(name: str, dtype: str):
    first = parse_layout(PAIRS[name][0])
    rows, columns = first.rows, first.columns
    source, result = (f"!nv.frag<{rows}x{columns}x{dtype}, {text}>" for text in PAIRS[name])
    text = KERNEL.format(
        memref=f"memref<{rows}x{columns}x{dtype}>",
        box=f"in [{rows}, {columns}] dims [0, 1] guard [] tile [{rows}, {columns}]",
        address=f'#poly.map<"{{ [i0, i1] -> [({columns}i0 + i1)] }}">',
        type=dtype,
        source=source,
        result=result,
    )
    program = ptir.compile(text, arch="sm80", device=Emulator())
    x = np.arange(rows * columns).reshape(rows, columns).astype(DTYPES[dtype])
    np.testing.assert_array_equal(program(x)[0], x)
