"""`semantics/pto_async`: hazards between pipes, and schedules; events, pipelines and addresses leave results as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptir.dialects import pto
from ptir.errors import PtirError
from ptir.semantics.errors import Hazard
from ptir.semantics.pto_async.hazards import races, redundant_waits
from ptir.semantics.pto_async.schedules import all_orders, execute, order
from ptir.semantics.pto_async.timing import timing
from ptir.semantics.pto_async.trace import Trace, trace
from tests.pto_programs.loops import ARRAYS, Program
from tests.pto_programs.redundant_waits import counts_of, flipped, runs
from tests.pto_programs.schedules import check, condition_case, loop_case, parse, transform, vocabulary_case

TILE = "tile<8x8xf32>"
ARRAY = "pto.memref<64x8xf32>"
EVENT = "!pto.event<producer = #pto.op<{}>>"
LOAD, ADD, STORE, NEG = (f", {EVENT.format(word)}" for word in ("TLOAD", "TADD", "TSTORE_VEC", "TNEG"))


def run_of(body: str, *, variant: str | None = None) -> Trace:
    """Returns the trace of a function of two arrays."""
    module = parse(f"func.func @f(%x: !{ARRAY}, %y: !{ARRAY}) {{\n{body}\n  func.return\n}}")
    if variant is not None:
        transform(module, variant)
    arrays = [np.arange(512, dtype=np.float32).reshape(64, 8) + 1000 * k for k in range(2)]
    return trace(module, "f", *arrays)


def kinds(run: Trace) -> list[tuple[str, str, str]]:
    return [(r.kind, *(op.name.removeprefix("pto.tile.") for op in (r.first, r.second))) for r in races(run)]


def at(tile: str, name: str, address: int) -> str:
    return f"  {name} = pto.tile.assign {tile} at [{address}] : {TILE}\n"


RAW = f"""
  %t, %e = pto.tile.load %x[0, 0] : {ARRAY}, {TILE}{LOAD}
  %u, %f = pto.tile.add %t, %t : {TILE}{ADD}"""
WAR = f"""
  %t, %e = pto.tile.load %x[0, 0] : {ARRAY}, {TILE}{LOAD}
  {at("%t", "%t1", 0)}
  %u, %f = pto.tile.add %t1, %t1 wait(%e) : {TILE}{ADD}
  {at("%u", "%u1", 4096)}
  %v, %g = pto.tile.load %x[8, 0] : {ARRAY}, {TILE}{LOAD}
  {at("%v", "%v1", 224)}"""
GLOBAL = f"""
  %t, %e = pto.tile.load %x[0, 0] : {ARRAY}, {TILE}{LOAD}
  %f = pto.tile.store %t, %y[4, 0] wait(%e) : {ARRAY}, {TILE}{STORE}
  %u, %g = pto.tile.load %y[8, 0] : {ARRAY}, {TILE}{LOAD}
  %v, %h = pto.tile.load %y[12, 0] : {ARRAY}, {TILE}{LOAD}"""
ID = """
  %t, %e = pto.tile.load %x[0, 0] : A, T, !pto.event<producer = #pto.op<TLOAD>, eid = 0>
  %a, %f = pto.tile.neg %t wait(%e) : T, !pto.event<producer = #pto.op<TNEG>>
  %u, %g = pto.tile.load %x[8, 0] : A, T, !pto.event<producer = #pto.op<TLOAD>, eid = 0>
  %b, %h = pto.tile.neg %u wait(%g) : T, !pto.event<producer = #pto.op<TNEG>>""".replace(" A,", f" {ARRAY},").replace(
    "T,", f"{TILE},"
)

FLAG = "!pto.event<producer = #pto.op<TLOAD>, eid = 0>"
RECORDED_ID = f"""
  %t, %e = pto.tile.load %x[0, 0] : {ARRAY}, {TILE}{LOAD}
  %r = pto.event.record : {FLAG}
  %a, %f = pto.tile.neg %t wait(%r) : {TILE}{NEG}
  %u, %g = pto.tile.load %x[8, 0] : {ARRAY}, {TILE}{LOAD}
  %s = pto.event.record : {FLAG}
  %b, %h = pto.tile.neg %u wait(%s) : {TILE}{NEG}"""

LATE_WAIT = f"""
  %t, %e = pto.tile.load %x[0, 0] : {ARRAY}, {TILE}{LOAD}
  %r = pto.event.record : {FLAG}
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  scf.for %i = %0 to %2 step %1 {{
    %late = arith.cmpi eq, %i, %1 : index
    scf.if %late {{
      %a, %f = pto.tile.neg %t wait(%r) : {TILE}{NEG}
    }} else {{
      pto.sync
    }}
    %u, %g = pto.tile.load %x[8, 0] : {ARRAY}, {TILE}{LOAD}
    %s = pto.event.record : {FLAG}
    %b, %h = pto.tile.neg %u wait(%s) : {TILE}{NEG}
    pto.sync
  }}"""
"""The wait for `%r` is at the entry of the loop, although its instruction is one of the second iteration."""


@pytest.mark.parametrize(
    "body, want",
    [
        (RAW, [("RAW", "load", "add")]),
        (WAR, [("WAR", "add", "load")]),
        (GLOBAL, [("RAW", "store", "load")]),
        (ID, [("ID", "neg", "load")]),
        (RECORDED_ID, [("ID", "neg", "pto.event.record")]),
        (RECORDED_ID.replace("%x[8, 0] :", "%x[8, 0] wait(%f) :"), []),
        (LATE_WAIT, []),
        (LATE_WAIT.replace("else {\n      pto.sync\n", "else {\n"), [("ID", "neg", "pto.event.record")]),
        (RAW.replace("%t : ", "%t wait(%e) : "), []),
        (WAR.replace("[224]", "[256]"), []),
        (RAW.replace("\n  %u", "\n  pto.sync\n  %u"), []),
        (RAW.replace("\n  %u", "\n  pto.sync wait(%e)\n  %u"), []),
        (RAW.replace("%u, %f =", "%u =").replace(ADD, ""), []),  # a synchronous op waits for all earlier ones
    ],
)
def test_the_hazards_of_a_program(body: str, want: list[tuple[str, str, str]]):
    assert kinds(run_of(body)) == want


def test_a_hazard_names_both_ops():
    with pytest.raises(Hazard) as error:
        raise races(run_of(RAW))[0].error()
    assert str(error.value).startswith(
        "<string>:4:12: error[PTIR0596]: reads memory in an order that is not determined (RAW)"
    )
    assert "let this op wait for an event, or run pto-insert-events" in str(error.value)
    ((first, note),) = error.value.notes
    assert first is not None and first.name == "pto.tile.load" and "no event orders the two" in note


def outcomes(run: Trace, limit: int = 200) -> set[Any]:
    """Returns the distinct results of the schedules of a small program; a schedule that is reported has the result None."""
    found: set[Any] = set()
    for steps in all_orders(run, limit):
        try:
            found.add(tuple(a.tobytes() for a in execute(run, steps)))
        except PtirError:
            found.add(None)
    return found


def test_all_schedules_of_small_programs():
    """Programs without races have one outcome, and those with races have several, or one that is reported."""
    assert len(list(all_orders(run_of(GLOBAL)))) > 1
    assert len(outcomes(run_of(RAW.replace("%t : ", "%t wait(%e) : ")))) == 1
    assert outcomes(run_of(RAW)) > {None}
    stored = f"\n  %i = pto.tile.store %u, %x[0, 0] wait(%g) : {ARRAY}, {TILE}{STORE}"
    assert len(outcomes(run_of(GLOBAL + stored))) == 2
    assert len(outcomes(run_of(GLOBAL.replace("[8, 0] :", "[8, 0] wait(%f) :") + stored))) == 1
    used = f"\n  %i = pto.tile.store %u1, %y[0, 0] wait(%f) : {ARRAY}, {TILE}{STORE}"
    assert None in outcomes(run_of(WAR + used))


@pytest.mark.parametrize("seed", range(12))
def test_each_event_of_straight_code_is_needed(seed: int):
    """Without one of them there is a race; one more is redundant."""
    module = parse(Program(seed, 14, depth=0).text)
    transform(module, "buffers" if seed % 2 else "events")
    arrays = [np.zeros((64, 8), np.float32)] * ARRAYS
    run = trace(module, "f", *arrays, 1)
    assert not races(run) and not redundant_waits(run)
    waits = [(step.op, operand) for step in run.steps for operand, _ in step.waits]
    assert waits and all(races(run, frozenset({wait})) for wait in waits)
    (first, *_, last) = [op for op in module.walk() if isinstance(op, pto.InstructionOp)]
    assert first.event is not None and first.event not in last.waits
    from ptir.transforms.operand_segments import set_operands

    set_operands(last, "waits", [*last.waits, first.event])
    (extra,) = redundant_waits(trace(module, "f", *arrays, 1))
    assert extra[0] is last


LOOP = f"""
  %c0 = pto.constant 0 : index
  %c8 = pto.constant 8 : index
  %c64 = pto.constant 64 : index
  scf.for %i = %c0 to %c64 step %c8 {{
    %t = pto.tile.load %x[%i, 0] : {ARRAY}, {TILE}
    %u = pto.tile.add %t, %t : {TILE}
    pto.tile.store %u, %y[%i, 0] : {ARRAY}, {TILE}
  }}"""


@pytest.mark.parametrize("variant", ["events", "buffers", "pipeline"])
def test_each_event_of_a_loop_is_needed(variant: str):
    run = run_of(LOOP, variant=variant)
    assert not races(run) and not redundant_waits(run)
    assert {operand for step in run.steps for operand, _ in step.waits}


@pytest.mark.parametrize("seed", [5, 8])
def test_each_event_of_random_loops_is_needed(seed: int):
    """A store in one row and loads of each second block do not overlap, and an iteration is never beyond the last one of its loop."""
    text, args = loop_case(seed)
    module = parse(text)
    transform(module, "events")
    runs = [trace(module, "f", *args[:-1], n) for n in range(4)]
    assert not any(races(run) for run in runs) and not redundant_waits(*runs)


EXCHANGED = f"""
  %c0 = pto.constant 0 : index
  %c1 = pto.constant 1 : index
  %c5 = pto.constant 5 : index
  %a = pto.tile.load %x[0, 0] : {ARRAY}, {TILE}
  %b = pto.tile.load %x[8, 0] : {ARRAY}, {TILE}
  %t:2 = scf.for %i = %c0 to END step %c1 iter_args(%u = %a, %v = %b) -> (!pto.{TILE}, !pto.{TILE}) {{
    scf.yield %v, %u : !pto.{TILE}, !pto.{TILE}
  }}
  pto.tile.store %t#0, %y[0, 0] : {ARRAY}, {TILE}"""
"""After an odd number of iterations, the store needs the second load."""
ENDED = f"""
  %c0 = pto.constant 0 : index
  %c1 = pto.constant 1 : index
  %c8 = pto.constant 8 : index
  %t = pto.tile.load %y[0, 0] : {ARRAY}, {TILE}
  scf.for %i = %c0 to %n step %c1 {{
    %at = pto.muli %i, %c8 : index
    pto.tile.store %t, %x[0, 0] : {ARRAY}, {TILE}
    pto.tile.store %t, %x[%at, 0] : {ARRAY}, {TILE}
  }}
  %u = pto.tile.load %x[0, 0] : {ARRAY}, {TILE}"""
"""The load needs the second store of the loop if that is its only iteration."""


@pytest.mark.parametrize("body", [EXCHANGED.replace("END", "%c5"), EXCHANGED.replace("END", "%n"), ENDED])
def test_any_iteration_may_be_the_last(body: str):
    module = parse(f"func.func @f(%x: !{ARRAY}, %y: !{ARRAY}, %n: index) {{{body}\n  func.return\n}}")
    transform(module, "events")
    for n in range(5):
        assert not races(trace(module, "f", np.zeros((64, 8), np.float32), np.zeros((64, 8), np.float32), n)), n


def test_a_loop_without_iterations_orders_nothing():
    body = f"""
  %c0 = pto.constant 0 : index
  %c1 = pto.constant 1 : index
  %n = pto.muli %c0, %c1 : index
  %t = pto.tile.load %x[0, 0] : {ARRAY}, {TILE}
  scf.for %i = %c0 to %n step %c1 {{
    %u = pto.tile.add %t, %t : {TILE}
  }}
  %v = pto.tile.neg %t : {TILE}"""
    assert not races(run_of(body, variant="events"))


def test_iterations_of_an_inner_loop_are_compared_in_each_of_the_outer_one():
    """Only in the first iteration of an outer loop does a store of this program write what a load of the iteration before has read."""
    text, args = loop_case(172)
    module = parse(text)
    transform(module, "events")
    assert not races(trace(module, "f", *args))


def test_a_pipelined_loop_is_faster():
    """Load, sum and store take one cycle each: eight iterations take 24 cycles, and overlap when tiles have two buffers."""
    one, two = (timing(run_of(LOOP, variant=v), lambda op: 100) for v in ("buffers", "pipeline"))
    assert one.busy == two.busy and one.busy["V"] == 800
    assert two.cycles < one.cycles and two.overlap > 0.7


@pytest.mark.parametrize("seed", [150, 343])
def test_flags_of_loops_are_waited_for_before_they_are_set_again(seed: int):
    """After a loop whose number of iterations is unknown, the flag of its last iteration was that of its only one."""
    module = parse(Program(seed).text)
    transform(module, "buffers")
    assert not races(trace(module, "f", *[np.zeros((64, 8), np.float32)] * ARRAYS, 1))


CHOSEN = f"""
  %c0 = pto.constant 0 : index
  %c1 = pto.constant 1 : index
  %c5 = pto.constant 5 : index
  %c8 = pto.constant 8 : index
  %t = pto.tile.load %x[0, 0] : {ARRAY}, {TILE}
  %u = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %t) -> (!pto.{TILE}) {{
    %at = pto.muli %i, %c8 : index
    %p = arith.cmpi eq, %i, %n : index
    %b = scf.if %p -> (!pto.{TILE}) {{
      %l = pto.tile.load %y[%at, 0] : {ARRAY}, {TILE}
      %s = pto.tile.add %a, %l : {TILE}
      pto.tile.store %s, %x[%at, 0] : {ARRAY}, {TILE}
      scf.yield %s : !pto.{TILE}
    }} else {{
      %l = pto.tile.load %x[%at, 0] : {ARRAY}, {TILE}
      pto.tile.store %l, %y[%at, 0] : {ARRAY}, {TILE}
      scf.yield %l : !pto.{TILE}
    }}
    %c = pto.tile.neg %b : {TILE}
    scf.yield %c : !pto.{TILE}
  }}
  pto.tile.store %u, %y[0, 0] : {ARRAY}, {TILE}"""
"""Each branch writes what the other one reads, in another iteration."""


@pytest.mark.parametrize("variant", ["events", "buffers"])
def test_events_order_either_branch(variant: str):
    module = parse(f"func.func @f(%x: !{ARRAY}, %y: !{ARRAY}, %n: index) {{{CHOSEN}\n  func.return\n}}")
    transform(module, variant)
    arrays = [np.arange(512, dtype=np.float32).reshape(64, 8)] * 2
    runs = [trace(module, "f", *arrays, n) for n in (0, 3, 9)]
    assert not any(map(races, runs))
    waits = {(step.op, operand) for run in runs for step in run.steps for operand, _ in step.waits}
    assert sum(any(races(run, frozenset({wait})) for run in runs) for wait in waits) >= len(waits) - 1


EITHER = f"""
  %a = pto.tile.load %x[0, 0] : {ARRAY}, {TILE}
  %b = pto.tile.load %x[8, 0] : {ARRAY}, {TILE}
  %u = pto.tile.neg %a : {TILE}
  %r:2 = scf.if %p -> (!pto.{TILE}, !pto.{TILE}) {{
    %s = pto.tile.neg %b : {TILE}
    scf.yield %b, %a : !pto.{TILE}, !pto.{TILE}
  }} else {{
    scf.yield %a, %b : !pto.{TILE}, !pto.{TILE}
  }}
  %v = pto.tile.relu %r#RESULT : {TILE}"""
"""The first result is `%b` only where an instruction of the same pipe has waited for `%b`."""


@pytest.mark.parametrize(("result", "waits"), [(0, 2), (1, 3)])
def test_a_branch_that_returns_a_tile_may_have_waited_for_it(result: int, waits: int):
    body = EITHER.replace("RESULT", str(result))
    module = parse(f"func.func @f(%x: !{ARRAY}, %p: i1) {{{body}\n  func.return\n}}")
    transform(module, "events")
    assert sum(len(op.waits) for op in module.walk() if isinstance(op, pto.InstructionOp)) == waits
    runs = [trace(module, "f", np.zeros((64, 8), np.float32), p) for p in (0, 1)]
    assert not any(map(races, runs)) and not redundant_waits(*runs)


@pytest.mark.parametrize("seed", [15, 19])
def test_each_event_of_random_conditions_is_needed(seed: int):
    """In the second program, an event that a barrier has replaced needs no wait before its flag is set again."""
    text, flags = flipped(condition_case(seed)[0])
    module = parse(text)
    transform(module, "events")
    counts, redundant = counts_of(module, runs(module, flags, seed))
    assert counts["waits"] and not counts["races"] and not redundant


def test_an_inner_loop_may_pass_on_what_the_outer_one_carries():
    body = f"""
  %c0 = pto.constant 0 : index
  %c1 = pto.constant 1 : index
  %c3 = pto.constant 3 : index
  %a = pto.tile.load %x[0, 0] : {ARRAY}, {TILE}
  %b = pto.tile.load %x[8, 0] : {ARRAY}, {TILE}
  %t:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%u = %a, %v = %b) -> (!pto.{TILE}, !pto.{TILE}) {{
    %n = pto.tile.neg %v : {TILE}
    %w = scf.for %j = %c0 to %c1 step %c1 iter_args(%z = %u) -> (!pto.{TILE}) {{
      scf.yield %z : !pto.{TILE}
    }}
    scf.yield %n, %w : !pto.{TILE}, !pto.{TILE}
  }}
  pto.tile.store %t#0, %y[0, 0] : {ARRAY}, {TILE}
  pto.tile.store %t#1, %y[8, 0] : {ARRAY}, {TILE}"""
    run = run_of(body, variant="buffers")
    assert not races(run)
    (_, got), x = execute(run, run.steps), np.arange(512, dtype=np.float32).reshape(64, 8)
    np.testing.assert_array_equal(got[:16], np.concatenate([x[8:16], -x[:8]]))


@pytest.mark.sampled(40)
@pytest.mark.parametrize("seed", range(40))
def test_schedules_of_conditions_agree(seed: int):
    check(*condition_case(seed), seed, count=1)


@pytest.mark.parametrize("seed", [20])
def test_schedules_of_loops_agree(seed: int):
    check(*loop_case(seed), seed, count=2)


def test_schedules_of_the_vocabulary_agree():
    check(*vocabulary_case(1), 1, count=1)


def test_pipes_run_ahead_as_far_as_events_allow():
    run = run_of(LOOP, variant="events")
    steps = order(run, lambda ready: min(ready, key=lambda s: s.pipe))
    assert sorted(s.number for s in steps) == list(range(len(run.steps)))
    assert [s.number for s in steps] != sorted(s.number for s in steps)
