"""The meaning of `vyre` programs: every op against Python's integers, buffers of each type, bounds, races, barriers, errors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.ir import Block

import ptir
from ptir.conformance import integers
from ptir.conformance.values import numbers_of, words_of
from ptir.dialects import vyre
from ptir.dialects.vyre.arithmetic import BINOPS, CASTS, COMPARES
from ptir.dialects.vyre.types import (
    ACCESSES,
    FLOATS,
    INTEGERS,
    MAX_UNIFORM_BYTES,
    PLANNED,
    DataType,
    boolean,
    i32,
    u32,
    u64,
    vec2u32,
)
from ptir.semantics.errors import NoSuchFunction
from ptir.semantics.vyre import DivergentBarrier, TooLong, VyreRace, WrongBuffer, dispatch, find_program
from ptir.semantics.vyre.rules import TOTAL

EDGES = {
    u32: [0, 1, 2, 3, 7, 31, 32, 33, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1],
    i32: [0, 1, -1, 2, -2, 7, -7, 31, 32, 33, 2**31 - 1, -(2**31), -(2**31) + 1],
    u64: [0, 1, 2, 31, 32, 33, 63, 64, 65, 2**32 - 1, 2**32, 2**63, 2**64 - 1],
}


def run(text: str, buffers: dict[str, Any], workgroups: Sequence[int] = (1, 1, 1), **options: Any) -> dict[str, Any]:
    return dispatch(find_program(ptir.parse(text)), buffers, workgroups, **options)


PAIRS = """
vyre.program @p workgroup [64, 1, 1] {{
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<{t}, read_only>
  %b = vyre.buffer "b" binding 1 : !vyre.buffer<{t}, read_only>
  %y = vyre.buffer "y" binding 2 : !vyre.buffer<{r}, read_write>
  %i = vyre.position global x
  %0 = vyre.load %a[%i] : !vyre.buffer<{t}, read_only> -> !vyre.{t}
  %1 = vyre.load %b[%i] : !vyre.buffer<{t}, read_only> -> !vyre.{t}
  %2 = vyre.{op} %0, %1 : !vyre.{t}
  vyre.store %2, %y[%i] : !vyre.{r}, !vyre.buffer<{r}, read_write>
}}
"""


@pytest.mark.parametrize("t", INTEGERS, ids=lambda t: t.word)
@pytest.mark.parametrize("fn", [*BINOPS, *COMPARES])
def test_every_op_of_two_integers(fn: str, t: DataType):
    a, b = zip(*product(EDGES[t], EDGES[t]), strict=True)
    out, kind = (boolean, "compare") if fn in COMPARES else (t, "binop")
    rule = integers.COMPARES[fn] if fn in COMPARES else integers.binary(fn, t)
    want = words_of(map(rule, a, b), out)
    text = PAIRS.format(t=t.word, r=out.word, op=f"{kind} {fn}")
    got = run(text, {"a": words_of(a, t), "b": words_of(b, t), "y": np.zeros_like(want)}, (3, 1, 1))
    assert got["y"].tolist() == want.ravel().tolist()


UNARY = """
vyre.program @p workgroup [16, 1, 1] {{
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<{t}, read_only>
  %y = vyre.buffer "y" binding 2 : !vyre.buffer<{r}, read_write>
  %i = vyre.position global x
  %0 = vyre.load %a[%i] : !vyre.buffer<{t}, read_only> -> !vyre.{t}
  %1 = vyre.{op}
  vyre.store %1, %y[%i] : !vyre.{r}, !vyre.buffer<{r}, read_write>
}}
"""


def unary(op: str, of: DataType, to: DataType, elements: Sequence[Any]) -> list[Any]:
    """Returns the results of an op, as numbers."""
    target = f" to !vyre.{to.word}" if op == "cast" else ""
    text = UNARY.format(t=of.word, r=to.word, op=f"{op} %0 : !vyre.{of.word}{target}")
    got = run(text, {"a": words_of(elements, of), "y": np.zeros(len(elements) * to.words, np.uint32)})["y"]
    return numbers_of(got.reshape(-1, to.words), to)


@pytest.mark.parametrize(("of", "to"), [(a, b) for a in CASTS for b in CASTS[a] if not {a, b} & {*FLOATS}], ids=str)
def test_every_cast(of: DataType, to: DataType):
    others = {boolean: [0, 1], vec2u32: [(x % 2**32, x >> 32) for x in EDGES[u64]]}
    elements = others[of] if of in others else EDGES[of]
    want = numbers_of(words_of(map(integers.cast(of, to), elements), to), to)
    assert unary("cast", of, to, elements) == want


@pytest.mark.parametrize("fn", ["neg", "not"])
@pytest.mark.parametrize("t", INTEGERS, ids=lambda t: t.word)
def test_negation_and_inversion(fn: str, t: DataType):
    want = numbers_of(words_of(map(integers.unary(fn, t), EDGES[t]), t), t)
    assert unary(f"unop {fn}", t, t, EDGES[t]) == want


def test_logic_of_booleans_and_of_vectors():
    a, b = np.array([0, 0, 1, 5], np.uint32), np.array([0, 1, 0, 7], np.uint32)  # any word but 0 is true
    for fn, want in (("and", [0, 0, 0, 1]), ("or", [0, 1, 1, 1]), ("xor", [0, 1, 1, 0])):
        text = PAIRS.format(t="bool", r="bool", op=f"binop {fn}")
        assert run(text, {"a": a, "b": b, "y": np.zeros(4, np.uint32)})["y"].tolist() == want
    a, b = (np.arange(12, dtype=np.uint32) * k for k in (0x10000001, 7))
    for fn in ("add", "mul", "div", "rem", "shl"):
        text = PAIRS.format(t="vec4u32", r="vec4u32", op=f"binop {fn}")
        want = words_of(map(integers.binary(fn, u32), a.tolist(), b.tolist()), u32).ravel().tolist()
        assert run(text, {"a": a, "b": b, "y": np.zeros(12, np.uint32)})["y"].tolist() == want


BYTES = """
vyre.program @p workgroup [16, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<bytes, read_only>
  %y = vyre.buffer "y" binding 1 : !vyre.buffer<u32, read_write>
  %i = vyre.position global x
  %0 = vyre.load %a[%i] : !vyre.buffer<bytes, read_only> -> !vyre.u32
  %1 = vyre.load_word %a[%i] : !vyre.buffer<bytes, read_only>
  %n = vyre.buf_len %a : !vyre.buffer<bytes, read_only>
  %c16 = vyre.constant 16 : !vyre.u32
  %j = vyre.binop add %i, %c16 : !vyre.u32
  %k = vyre.binop add %j, %c16 : !vyre.u32
  vyre.store %0, %y[%i] : !vyre.u32, !vyre.buffer<u32, read_write>
  vyre.store %1, %y[%j] : !vyre.u32, !vyre.buffer<u32, read_write>
  vyre.store %n, %y[%k] : !vyre.u32, !vyre.buffer<u32, read_write>
}
"""


def test_bytes_are_packed_little_endian_and_their_length_counts_words():
    data = np.arange(200, 212, dtype=np.uint8)
    y = run(BYTES, {"a": data, "y": np.zeros(48, np.uint32)})["y"]
    assert y[:16].tolist() == [*data.tolist(), 0, 0, 0, 0]
    assert y[16:32].tolist() == [*data.view("<u4").tolist(), *[0] * 13]
    assert set(y[32:].tolist()) == {3}


STORES = """
vyre.program @p workgroup [4, 1, 1] {
  %y = vyre.buffer "y" binding 0 : !vyre.buffer<bytes, read_write>
  %i = vyre.position global x
  %seven = vyre.constant 7 : !vyre.u32
  %at = vyre.binop mul %i, %seven : !vyre.u32
  %x = vyre.constant 0x1234AB : !vyre.u32
  vyre.store %x, %y[%at] : !vyre.u32, !vyre.buffer<bytes, read_write>
}
"""


def test_a_stored_byte_leaves_the_others_and_out_of_bounds_nothing_is_stored():
    data = np.arange(20, dtype=np.uint8)
    got = run(STORES, {"y": data})["y"].view(np.uint8)
    want = data.copy()
    want[[0, 7, 14]] = 0xAB  # 21 is out of bounds
    assert got.tolist() == want.tolist()


ATOMIC = """
vyre.program @p workgroup [8, 1, 1] {{
  %y = vyre.buffer "y" binding 0 : !vyre.buffer<{t}, read_write>
  %old = vyre.buffer "old" binding 1 : !vyre.buffer<{t}, read_write>
  %x = vyre.buffer "x" binding 2 : !vyre.buffer<{t}, read_only>
  %i = vyre.position global x
  %v = vyre.load %x[%i] : !vyre.buffer<{t}, read_only> -> !vyre.{t}
  %inverted = vyre.unop not %v : !vyre.{t}
  %0 = vyre.{op} -> !vyre.{t}
  vyre.store %0, %old[%i] : !vyre.{t}, !vyre.buffer<{t}, read_write>
}}
"""


@pytest.mark.parametrize("fn", ["add", "min", "max", "and", "or", "xor", "exchange", "compare_exchange"])
@pytest.mark.parametrize("t", [u32, i32], ids=lambda t: t.word)
def test_atomics(fn: str, t: DataType):
    x, y = EDGES[t][:8], [7, 0, 5, 3, 1]  # the last three invocations are out of bounds
    buffer = f"!vyre.buffer<{t.word}, read_write>, !vyre.{t.word}"
    op = f"atomic {fn} %y[%i], %v : {buffer}"
    if fn == "compare_exchange":
        x = [*y[:2], *x[2:]]
        op = f"compare_exchange %y[%i], %v, %inverted : {buffer}, !vyre.{t.word}"
    buffers = {"y": words_of(y, t), "old": np.zeros(8, np.uint32), "x": words_of(x, t)}
    got = run(ATOMIC.format(t=t.word, op=op), buffers)
    chosen = {"exchange": lambda a, b: b, "compare_exchange": lambda a, b: ~b if a == b else a}
    rule = chosen[fn] if fn in chosen else integers.binary(fn, t)
    assert got["y"].tolist() == words_of(map(rule, y, x), t).ravel().tolist()
    assert got["old"].tolist() == [*y, 0, 0, 0]


POSITIONS = """
vyre.program @p workgroup [2, 3, 2] {
  %y = vyre.buffer "y" binding 0 : !vyre.buffer<vec4u32, read_write>
  %lx = vyre.position local x
  %ly = vyre.position local y
  %lz = vyre.position local z
  %gx = vyre.position workgroup x
  %gy = vyre.position workgroup y
  %wx = vyre.position workgroups x
  %x = vyre.position global x
  %y0 = vyre.position global y
  %z0 = vyre.position global z
  %gz = vyre.position workgroup z
  %wy = vyre.position workgroups y
  %two = vyre.constant 2 : !vyre.u32
  %six = vyre.constant 6 : !vyre.u32
  %twelve = vyre.constant 12 : !vyre.u32
  %a = vyre.binop mul %ly, %two : !vyre.u32
  %b = vyre.binop mul %lz, %six : !vyre.u32
  %deep = vyre.binop mul %gz, %wy : !vyre.u32
  %high = vyre.binop add %deep, %gy : !vyre.u32
  %c = vyre.binop mul %high, %wx : !vyre.u32
  %g = vyre.binop add %c, %gx : !vyre.u32
  %d = vyre.binop mul %g, %twelve : !vyre.u32
  %e = vyre.binop add %a, %b : !vyre.u32
  %f = vyre.binop add %lx, %d : !vyre.u32
  %i = vyre.binop add %e, %f : !vyre.u32
  %v = vyre.vector %x, %y0, %z0, %g : !vyre.vec4u32
  vyre.store %v, %y[%i] : !vyre.vec4u32, !vyre.buffer<vec4u32, read_write>
}
"""


@pytest.mark.parametrize("groups", [(2, 2, 1), (2, 1, 2), (1, 3, 2)])
def test_positions(groups: tuple[int, int, int]):
    nx, ny, nz = groups
    count = nx * ny * nz
    got = run(POSITIONS, {"y": np.zeros(4 * 12 * count, np.uint32)}, groups)["y"].reshape(count, 2, 3, 2, 4)
    for g, z, y, x in np.ndindex(count, 2, 3, 2):
        assert got[g, z, y, x].tolist() == [g % nx * 2 + x, g // nx % ny * 3 + y, g // nx // ny * 2 + z, g]


CONTROL = """
vyre.program @p workgroup [4, 1, 1] {
  %y = vyre.buffer "y" binding 0 : !vyre.buffer<vec2u32, read_write>
  %z = vyre.buffer "z" binding 1 : !vyre.buffer<vec2u32, read_write>
  %i = vyre.position global x
  %one = vyre.constant 1 : !vyre.u32
  %ten = vyre.constant 10 : !vyre.u32
  %odd = vyre.binop and %i, %one : !vyre.u32
  %c = vyre.cast %odd : !vyre.u32 to !vyre.bool
  %ii = vyre.vector %i, %i : !vyre.vec2u32
  %tens = vyre.vector %ten, %one : !vyre.vec2u32
  %s = vyre.select %c, %i, %ten : !vyre.u32
  %v = vyre.select %c, %ii, %tens : !vyre.vec2u32
  %r, %w = vyre.if %c -> (!vyre.u32, !vyre.vec2u32) {
    %0 = vyre.binop add %i, %ten : !vyre.u32
    vyre.yield %0, %v : !vyre.u32, !vyre.vec2u32
  } else {
    vyre.yield %s, %v : !vyre.u32, !vyre.vec2u32
  }
  %never = vyre.compare gt %i, %ten : !vyre.u32
  %some = vyre.if %never -> (!vyre.vec2u32) {
    vyre.yield %ii : !vyre.vec2u32
  } else {
    vyre.yield %w : !vyre.vec2u32
  }
  %sum, %last = vyre.for %k = %one to %i iter (%a = %r, %b = %some) -> (!vyre.u32, !vyre.vec2u32) {
    %2 = vyre.binop add %a, %k : !vyre.u32
    %3 = vyre.vector %k, %a : !vyre.vec2u32
    vyre.yield %2, %3 : !vyre.u32, !vyre.vec2u32
  }
  %out = vyre.vector %sum, %s : !vyre.vec2u32
  vyre.store %out, %y[%i] : !vyre.vec2u32, !vyre.buffer<vec2u32, read_write>
  vyre.store %last, %z[%i] : !vyre.vec2u32, !vyre.buffer<vec2u32, read_write>
}
"""


def test_branches_and_loops():
    """Of numbers and of vectors: a select, an if whose branches some invocations take or none, a loop that carries two values."""
    got = run(CONTROL, {"y": np.zeros(8, np.uint32), "z": np.zeros(8, np.uint32)})
    for i in range(4):
        chosen, total, last = (i, i + 10, (i, i)) if i % 2 else (10, 10, (10, 1))
        for k in range(1, i):
            total, last = total + k, (k, total)
        assert got["y"].reshape(4, 2)[i].tolist() == [total, chosen]
        assert got["z"].reshape(4, 2)[i].tolist() == [*last]


# --- races and barriers -------------------------------------------------------------------------

SHARED = """
vyre.program @p workgroup [4, 1, 1] {{
  %y = vyre.buffer "y" binding 0 : !vyre.buffer<u32, read_write>
  %w = vyre.buffer "w" count 4 : !vyre.buffer<u32, workgroup>
  %i = vyre.position local x
  %g = vyre.position global x
  %zero = vyre.constant 0 : !vyre.u32
  %one = vyre.constant 1 : !vyre.u32
  %two = vyre.constant 2 : !vyre.u32
  %j = vyre.binop xor %i, %one : !vyre.u32
  %c = vyre.compare lt %i, %two : !vyre.u32
  {body}
}}
"""
RW, WG = "!vyre.buffer<u32, read_write>", "!vyre.buffer<u32, workgroup>"
PUT, GET = f"vyre.store %g, %w[%i] : !vyre.u32, {WG}", f"%x = vyre.load %w[%j] : {WG} -> !vyre.u32"
KEEP = f"vyre.store %x, %y[%g] : !vyre.u32, {RW}"
ADD = f"%a = vyre.atomic add %y[%zero], %one : {RW}, !vyre.u32 -> !vyre.u32"
FREE = {
    "ordered by a barrier": [PUT, "vyre.barrier", GET, KEEP],
    "read before it is written": [GET, "vyre.barrier", PUT, KEEP],
    "its own element": [PUT, f"%x = vyre.load %w[%i] : {WG} -> !vyre.u32", KEEP],
    "a counter": [ADD],
    "a counter, read after a barrier": [ADD, "vyre.barrier", f"%x = vyre.load %y[%zero] : {RW} -> !vyre.u32"],
    **{f"a counter, by {fn}": [ADD.replace("add", fn)] for fn in ("min", "max", "and", "or", "xor")},
    "out of bounds": [f"vyre.store %g, %w[%two] : !vyre.u32, {WG}".replace("%two", "%far")],
}
READ = f"%x = vyre.load %y[%zero] : {RW} -> !vyre.u32"
ORDER = "the order of the atomic of element 0 of 'y' by invocation 0 races"
RACES = {
    "no barrier": ([PUT, GET, KEEP], "the load of element 1 of 'w' by invocation 0 races with invocation 1"),
    "the barrier is too early": (["vyre.barrier", GET, PUT], "the store of element 0 of 'w' by invocation 0 races"),
    "one element": (
        [f"vyre.store %i, %y[%zero] : !vyre.u32, {RW}"],
        "the store of element 0 of 'y' by invocation 0 races with invocation 3",
    ),
    "two of four": (
        ["%h = vyre.binop shr %i, %one : !vyre.u32", f"vyre.store %i, %y[%h] : !vyre.u32, {RW}"],
        "the store of element 0 of 'y' by invocation 0 races with invocation 1",
    ),
    "a counter that is read": ([ADD, READ], "the load of element 0 of 'y' by invocation 0 races with invocation 3"),
    "a counter whose value is used": ([ADD, f"vyre.store %a, %y[%g] : !vyre.u32, {RW}"], ORDER),
    "two kinds of atomics": ([ADD, ADD.replace("%a =", "%b =").replace("add", "max")], ORDER),
    "exchange": ([ADD.replace("add", "exchange")], ORDER),
    "an atomic after a store": (
        [f"vyre.store %i, %y[%i] : !vyre.u32, {RW}", ADD],
        "the atomic of element 0 of 'y' by invocation 1 races with invocation 0",
    ),
}


@pytest.mark.parametrize("name", FREE)
def test_no_race(name: str):
    lines = ["%far = vyre.constant 4 : !vyre.u32", *FREE[name]]
    run(SHARED.format(body="\n  ".join(lines)), {"y": np.zeros(4, np.uint32)})


@pytest.mark.parametrize("name", RACES)
def test_race(name: str):
    lines, message = RACES[name]
    with pytest.raises(VyreRace) as caught:
        run(SHARED.format(body="\n  ".join(lines)), {"y": np.zeros(4, np.uint32)})
    assert message in caught.value.message and caught.value.location is not None


def test_nothing_orders_two_workgroups():
    lines = [f"vyre.store %g, %y[%i] : !vyre.u32, {RW}", "vyre.barrier"]
    run(SHARED.format(body="\n  ".join(lines)), {"y": np.zeros(4, np.uint32)})
    with pytest.raises(VyreRace) as caught:
        run(SHARED.format(body="\n  ".join(lines)), {"y": np.zeros(4, np.uint32)}, (2,))
    message = (
        "error[PTIR0590]: the store of element 0 of 'y' by invocation 0 races with invocation 4. Fix: put a vyre.barrier between them, "
        "use atomics whose result is not used, or other elements."
    )
    assert message in str(caught.value)


def test_a_race_with_an_access_before_a_barrier_of_another_workgroup():
    """Which invocation it was is no longer known."""
    lines = [
        "%group = vyre.position workgroup x",
        "%second = vyre.compare eq %group, %one : !vyre.u32",
        f"vyre.if %second {{\n vyre.store %i, %y[%i] : !vyre.u32, {RW}\n }}",
        "vyre.barrier",
        "%first = vyre.compare eq %group, %zero : !vyre.u32",
        f"vyre.if %first {{\n vyre.store %i, %y[%i] : !vyre.u32, {RW}\n }}",
    ]
    message = "the store of element 0 of 'y' by invocation 0 races with invocations of another workgroup"
    with pytest.raises(VyreRace, match=message):
        run(SHARED.format(body="\n  ".join(lines)), {"y": np.zeros(4, np.uint32)}, (2,))


def test_too_much_workgroup_memory_is_refused_before_it_is_there():
    text = SHARED.format(body="").replace('"w" count 4', f'"w" count {1 << 20}')
    run(text, {"y": np.zeros(4, np.uint32)}, (1,))
    with pytest.raises(WrongBuffer, match="the dispatch has 4,194,304,000 bytes of workgroup memory"):
        run(text, {"y": np.zeros(4, np.uint32)}, (1000,))


def test_a_barrier_that_some_invocations_do_not_reach():
    body = "vyre.if %c {\n vyre.barrier\n }"
    with pytest.raises(DivergentBarrier) as caught:
        run(SHARED.format(body=body), {"y": np.zeros(4, np.uint32)})
    assert (
        "error[PTIR0591]: 2 of 4 invocations of workgroup 0 come to a barrier. Fix: move it out of the vyre.if or vyre.for that some of "
        "them leave." in str(caught.value)
    )


@pytest.mark.parametrize("reach", [0, 1, 4])
def test_a_barrier_is_for_all_or_none(reach: int):
    lines = [
        f"%n = vyre.constant {reach} : !vyre.u32",
        "%some = vyre.compare lt %i, %n : !vyre.u32",
        f"vyre.if %some {{\n {PUT}\n vyre.barrier\n {GET}\n }}",
    ]
    text = SHARED.format(body="\n  ".join(lines))
    if reach != 1:
        run(text, {"y": np.zeros(8, np.uint32)}, (2,))
        return
    with pytest.raises(DivergentBarrier, match="1 of 4 invocations of workgroup 0 come to a barrier"):
        run(text, {"y": np.zeros(8, np.uint32)}, (2,))


def test_the_low_bits_of_a_word_are_a_float_of_16_bits():
    """What is above them is ignored, as the table of total rules says."""
    body = """%h = vyre.bitcast %big : !vyre.u32 to !vyre.preview<bf16>
  %r = vyre.bitcast %h : !vyre.preview<bf16> to !vyre.u32
  vyre.store %r, %y[%i] : !vyre.u32, !vyre.buffer<u32, read_write>"""
    text = SHARED.format(body=f"%big = vyre.constant 4275878552 : !vyre.u32\n  {body}")
    assert run(text, {"y": np.zeros(4, np.uint32)})["y"].tolist() == [4275878552 % 65536] * 4


def test_the_table_of_total_rules_is_complete():
    assert len(TOTAL) == 20 and all(len(row) == 2 and all(row) for row in TOTAL)


def test_workgroup_memory_is_zero_at_first_and_each_workgroup_has_its_own():
    body = "\n  ".join([GET, PUT.replace("%w[%i]", "%w[%j]"), f"%z = vyre.load %w[%j] : {WG} -> !vyre.u32", KEEP])
    got = run(SHARED.format(body=body), {"y": np.full(8, 9, np.uint32)}, (2,))
    assert got["y"].tolist() == [0] * 8


# --- the interface ------------------------------------------------------------------------------


def test_a_dispatch_that_takes_too_long_is_ended():
    body = "%n = vyre.constant 4294967295 : !vyre.u32\n  vyre.for %k = %zero to %n {\n  }"
    with pytest.raises(TooLong) as caught:
        run(SHARED.format(body=body), {"y": np.zeros(4, np.uint32)}, limit=1 << 16)
    assert (
        "error[PTIR0592]: the dispatch takes more than 65,536 steps. Fix: dispatch fewer workgroups, or raise the limit."
        in str(caught.value)
    )
    with pytest.raises(TooLong):
        run(SHARED.format(body=""), {"y": np.zeros(4, np.uint32)}, (65535, 65535, 65535))


@pytest.mark.parametrize(
    ("buffers", "message"),
    [
        ({}, "error[PTIR0593]: no array for buffer 'y' is given. Fix: pass the buffers y."),
        ({"y": np.zeros(4, np.uint32), "z": np.zeros(1)}, "the program has no buffer 'z'. Fix: pass the buffers y."),
        ({"y": np.zeros(7, np.uint8)}, "the array for buffer 'y' has 7 bytes. Fix: pass a multiple of 4 bytes."),
    ],
)
def test_wrong_arrays(buffers: dict[str, Any], message: str):
    with pytest.raises(WrongBuffer) as caught:
        run(SHARED.format(body=""), buffers)
    assert message in str(caught.value)


def test_a_buffer_with_a_count_takes_as_many_elements():
    text = SHARED.format(body="").replace('"y" binding 0', '"y" binding 0 count 4')
    with pytest.raises(WrongBuffer, match=r"has 12 bytes\. Fix: pass 16 bytes"):
        run(text, {"y": np.zeros(3, np.uint32)})


def test_arrays_of_the_host_are_not_changed_and_no_workgroup_does_nothing():
    data = np.arange(12, dtype=np.uint8)
    assert not np.array_equal(run(STORES, {"y": data})["y"].view(np.uint8), data)
    assert data.tolist() == list(range(12))
    assert run(STORES, {"y": data}, (0, 1, 1))["y"].view(np.uint8).tolist() == data.tolist()


def test_a_program_is_found_by_its_name():
    module = ptir.parse(STORES + STORES.replace("@p", "@q"))
    assert find_program(module, "q").sym_name.data == "q"
    for name in ("r", None):
        with pytest.raises(NoSuchFunction, match="it has p, q"):
            find_program(module, name)


def test_an_op_of_another_dialect_has_no_meaning():
    program = find_program(ptir.parse(STORES))
    program.body.block.insert_op_before(
        ptir.parse("func.func @f() { func.return }").body.block.first_op.clone(), program.body.block.first_op
    )  # pyright: ignore[reportOptionalMemberAccess, reportArgumentType]
    with pytest.raises(WrongBuffer, match=r"'func\.func' has no meaning in a program"):
        dispatch(program, {"y": np.zeros(4, np.uint32)})


# --- types --------------------------------------------------------------------------------------


def test_sizes_of_the_types():
    """Spec: `vyre-ir-types`, the table of stable types and its example."""
    sizes = {t.word: t.min_bytes for t in (*INTEGERS, boolean, vyre.Vec2U32(), vyre.Vec4U32(), vyre.Bytes())}
    assert sizes == {"u32": 4, "i32": 4, "u64": 8, "bool": 4, "vec2u32": 8, "vec4u32": 16, "bytes": 0}
    assert vyre.SignatureAttr([u32, u32], u32).min_input_bytes() == 8
    assert vyre.SignatureAttr([vyre.PreviewType("f16"), vyre.Bytes()], u32).min_input_bytes() == 2


def test_the_signature_of_an_op():
    text = (
        """vyre.op @f(%a: !vyre.buffer<bytes, read_only>, %n: !vyre.u64) -> !vyre.u64 { vyre.return %n : !vyre.u64 }"""
    )
    (op,) = ptir.parse(text).ops
    assert isinstance(op, vyre.OpOp)
    assert op.signature == vyre.SignatureAttr([vyre.Bytes(), u64], u64)


@pytest.mark.parametrize("kind", [vyre.U128, vyre.F32, vyre.F16, vyre.BF16, vyre.Tensor], ids=lambda k: k.name)
def test_a_planned_type_cannot_be_constructed(kind: type):
    with pytest.raises(vyre.PlannedType, match="is planned, not stable: it "):
        kind()


def test_programs_are_built_in_python():
    body = Block()
    program = vyre.ProgramOp("empty", body, (1, 1, 1))
    assert [op.name for op in body.ops] == ["vyre.yield"]
    assert dispatch(program, {}) == {}


def test_conventions_in_python():
    assert vyre.ConventionAttr().buffers() == {
        0: ("input", "read_only"),
        1: ("output", "read_write"),
        2: ("params", "uniform"),
    }
    assert vyre.ConventionAttr(9).buffers()[9] == ("lookup table", "read_only")
    assert str(vyre.ConventionAttr(9)) == "#vyre.convention<v2, lookup_binding = 9>"


def test_the_planned_types_are_in_order():
    assert [*PLANNED] == ["u128", "f32", "f16", "bf16", "tensor"]
    assert [plan.min_bytes for plan in PLANNED.values()] == [16, 4, 2, 2, 0]
    assert [plan.wgsl for plan in PLANNED.values()] == ["vec4<u32>", "f32", "f16", "u16", "array<T>"]


def test_the_shape_of_a_planned_tensor():
    for t in (vyre.PreviewTensorType("f16", [2, "seq_len", 8], [64, 8, 1]), vyre.PreviewTensorType("u32", ["n"])):
        (op,) = ptir.parse(f'"test.op"() {{t = {t}}} : () -> ()').ops
        assert op.attributes["t"] == t


def test_accesses_are_those_of_the_specification():
    """Readable, writable, atomic."""
    table = {name: (a.readable, a.writable, a.atomic) for name, a in ACCESSES.items()}
    assert table == {
        "read_only": (True, False, False),
        "read_write": (True, True, True),
        "uniform": (True, False, False),
        "workgroup": (True, True, False),
    }
    assert MAX_UNIFORM_BYTES == 65536


def test_messages_say_what_to_do():
    text = (Path(__file__).parents[2] / "filecheck" / "vyre" / "errors.mlir").read_text("utf-8")
    messages = re.findall(r"expected-error\S* \{\{(.*)\}\}", text)
    assert sum(". Fix: " in message for message in messages) > 60
    assert not [m for m in messages if ". Fix: " in m and not m.endswith(".")]
