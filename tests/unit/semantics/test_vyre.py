"""The meaning of `vyre` programs: every op against Python's integers, buffers of each type, bounds, races, barriers, errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.ir import Block

import ptir
from ptir.dialects import vyre
from ptir.dialects.vyre.arithmetic import BINOPS, COMPARES
from ptir.dialects.vyre.types import ACCESSES, INTEGERS, MAX_UNIFORM_BYTES, PLANNED, DataType, boolean, i32, u32, u64
from ptir.semantics.errors import NoSuchFunction
from ptir.semantics.vyre import DivergentBarrier, TooLong, VyreRace, WrongBuffer, dispatch, find_program
from ptir.semantics.vyre.rules import TOTAL

EDGES = {
    u32: [0, 1, 2, 3, 7, 31, 32, 33, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1],
    i32: [0, 1, -1, 2, -2, 7, -7, 31, 32, 33, 2**31 - 1, -(2**31), -(2**31) + 1],
    u64: [0, 1, 2, 31, 32, 33, 63, 64, 65, 2**32 - 1, 2**32, 2**63, 2**64 - 1],
}


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def wrap(value: int, t: DataType) -> int:
    """Returns an integer reduced to a type, in two's complement."""
    value %= 2**t.BITS
    return value - 2**t.BITS if t == i32 and value >= 2**31 else value


ORACLE: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda a, b, w: a + b,
    "sub": lambda a, b, w: a - b,
    "mul": lambda a, b, w: a * b,
    "div": lambda a, b, w: truncated(a, b) if b else 0,
    "rem": lambda a, b, w: a - truncated(a, b) * b if b else 0,
    "min": lambda a, b, w: min(a, b),
    "max": lambda a, b, w: max(a, b),
    "shl": lambda a, b, w: a << b % w,
    "shr": lambda a, b, w: a >> b % w,
    "and": lambda a, b, w: a & b,
    "or": lambda a, b, w: a | b,
    "xor": lambda a, b, w: a ^ b,
    "eq": lambda a, b, w: a == b,
    "ne": lambda a, b, w: a != b,
    "lt": lambda a, b, w: a < b,
    "le": lambda a, b, w: a <= b,
    "gt": lambda a, b, w: a > b,
    "ge": lambda a, b, w: a >= b,
}


def numbers(t: DataType) -> type[np.generic]:
    return {u32: np.uint32, i32: np.int32, u64: np.uint64}[t]  # pyright: ignore[reportReturnType]


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
    a, b = (x.ravel() for x in np.meshgrid(np.array(EDGES[t], numbers(t)), np.array(EDGES[t], numbers(t))))
    compares = fn in COMPARES
    text = PAIRS.format(t=t.word, r="bool" if compares else t.word, op=f"{'compare' if compares else 'binop'} {fn}")
    got = run(text, {"a": a, "b": b, "y": np.zeros_like(a) if not compares else np.zeros(a.size, np.uint32)}, (3, 1, 1))
    want = [ORACLE[fn](x, y, t.BITS) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    if compares:
        assert got["y"].tolist() == [int(w) for w in want]
    else:
        assert got["y"].view(numbers(t)).tolist() == [wrap(w, t) for w in want]


CASTS = {
    ("u32", "i32"): lambda x: wrap(x, i32),
    ("u32", "u64"): lambda x: x,
    ("i32", "u32"): lambda x: wrap(x, u32),
    ("i32", "u64"): lambda x: wrap(x, u64),
    ("u64", "u32"): lambda x: wrap(x, u32),
    ("u64", "i32"): lambda x: wrap(x, i32),
    ("u64", "vec2u32"): lambda x: x,
    ("u32", "bool"): lambda x: int(x != 0),
    ("i32", "bool"): lambda x: int(x != 0),
    ("u64", "bool"): lambda x: int(x != 0),
    ("bool", "u32"): lambda x: int(x != 0),
    ("bool", "i32"): lambda x: int(x != 0),
    ("bool", "u64"): lambda x: int(x != 0),
    ("vec2u32", "u64"): lambda x: x,
}
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
TYPES: dict[str, Any] = {"u32": np.uint32, "i32": np.int32, "u64": np.uint64, "vec2u32": np.uint64, "bool": np.uint32}


@pytest.mark.parametrize(("of", "to"), CASTS, ids=lambda t: t)
def test_every_cast(of: str, to: str):
    a = np.array(EDGES[{"vec2u32": u64, "bool": u32, "u32": u32, "i32": i32, "u64": u64}[of]], TYPES[of])
    text = UNARY.format(t=of, r=to, op=f"cast %0 : !vyre.{of} to !vyre.{to}")
    got = run(text, {"a": a, "y": np.zeros(a.size, TYPES[to])})["y"].view(TYPES[to])
    assert got.tolist() == [CASTS[of, to](x) for x in a.tolist()]


@pytest.mark.parametrize("t", INTEGERS, ids=lambda t: t.word)
def test_negation_and_inversion(t: DataType):
    a = np.array(EDGES[t], numbers(t))
    for fn, oracle in (("neg", lambda x: -x), ("not", lambda x: -x - 1)):
        got = run(
            UNARY.format(t=t.word, r=t.word, op=f"unop {fn} %0 : !vyre.{t.word}"), {"a": a, "y": np.zeros_like(a)}
        )
        assert got["y"].view(numbers(t)).tolist() == [wrap(oracle(x), t) for x in a.tolist()]


def test_logic_of_booleans_and_of_vectors():
    a, b = np.array([0, 0, 1, 5], np.uint32), np.array([0, 1, 0, 7], np.uint32)  # any word but 0 is true
    for fn, want in (("and", [0, 0, 0, 1]), ("or", [0, 1, 1, 1]), ("xor", [0, 1, 1, 0])):
        text = PAIRS.format(t="bool", r="bool", op=f"binop {fn}")
        assert run(text, {"a": a, "b": b, "y": np.zeros(4, np.uint32)})["y"].tolist() == want
    a, b = (np.arange(12, dtype=np.uint32) * k for k in (0x10000001, 7))
    for fn in ("add", "mul", "div", "rem", "shl"):
        text = PAIRS.format(t="vec4u32", r="vec4u32", op=f"binop {fn}")
        want = [wrap(ORACLE[fn](x, y, 32), u32) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
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
  %five = vyre.constant 5 : !vyre.u32
  %at = vyre.binop mul %i, %five : !vyre.u32
  %x = vyre.constant 0x1234AB : !vyre.u32
  vyre.store %x, %y[%at] : !vyre.u32, !vyre.buffer<bytes, read_write>
}
"""


def test_a_stored_byte_leaves_the_others_and_out_of_bounds_nothing_is_stored():
    data = np.arange(12, dtype=np.uint8)
    got = run(STORES, {"y": data})["y"].view(np.uint8)
    want = data.copy()
    want[[0, 5, 10]] = 0xAB  # 15 is out of bounds
    assert got.tolist() == want.tolist()


ATOMIC = """
vyre.program @p workgroup [8, 1, 1] {{
  %y = vyre.buffer "y" binding 0 : !vyre.buffer<{t}, read_write>
  %old = vyre.buffer "old" binding 1 : !vyre.buffer<{t}, read_write>
  %x = vyre.buffer "x" binding 2 : !vyre.buffer<{t}, read_only>
  %i = vyre.position global x
  %v = vyre.load %x[%i] : !vyre.buffer<{t}, read_only> -> !vyre.{t}
  %0 = vyre.{op} -> !vyre.{t}
  vyre.store %0, %old[%i] : !vyre.{t}, !vyre.buffer<{t}, read_write>
}}
"""


@pytest.mark.parametrize("fn", ["add", "min", "max", "and", "or", "xor", "exchange", "compare_exchange"])
@pytest.mark.parametrize("t", [u32, i32], ids=lambda t: t.word)
def test_atomics(fn: str, t: DataType):
    x = np.array(EDGES[t][:8], numbers(t))
    y = np.array([7, 0, 5, 3, 1], numbers(t))  # the last three invocations are out of bounds
    buffer = f"!vyre.buffer<{t.word}, read_write>, !vyre.{t.word}"
    op = f"atomic {fn} %y[%i], %v : {buffer}"
    if fn == "compare_exchange":
        x[:2] = y[:2]
        op = f"compare_exchange %y[%i], %v, %v : {buffer}, !vyre.{t.word}"
    got = run(ATOMIC.format(t=t.word, op=op), {"y": y, "old": np.zeros(8, numbers(t)), "x": x})
    rule = ORACLE.get(fn, lambda a, b, w: b if fn == "exchange" or a == b else a)
    want = [wrap(rule(a, b, 32), t) for a, b in zip(y.tolist(), x.tolist(), strict=False)]
    assert got["y"].view(numbers(t)).tolist() == want
    assert got["old"].view(numbers(t)).tolist() == [*y.tolist(), 0, 0, 0]


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
  %two = vyre.constant 2 : !vyre.u32
  %six = vyre.constant 6 : !vyre.u32
  %twelve = vyre.constant 12 : !vyre.u32
  %a = vyre.binop mul %ly, %two : !vyre.u32
  %b = vyre.binop mul %lz, %six : !vyre.u32
  %c = vyre.binop mul %gy, %wx : !vyre.u32
  %g = vyre.binop add %c, %gx : !vyre.u32
  %d = vyre.binop mul %g, %twelve : !vyre.u32
  %e = vyre.binop add %a, %b : !vyre.u32
  %f = vyre.binop add %lx, %d : !vyre.u32
  %i = vyre.binop add %e, %f : !vyre.u32
  %v = vyre.vector %x, %y0, %lz, %g : !vyre.vec4u32
  vyre.store %v, %y[%i] : !vyre.vec4u32, !vyre.buffer<vec4u32, read_write>
}
"""


def test_positions():
    got = run(POSITIONS, {"y": np.zeros(4 * 48, np.uint32)}, (2, 2, 1))["y"].reshape(4, 2, 3, 2, 4)
    for g, z, y, x in np.ndindex(4, 2, 3, 2):
        assert got[g, z, y, x].tolist() == [g % 2 * 2 + x, g // 2 * 3 + y, z, g]


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
