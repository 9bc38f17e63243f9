"""Memory that is reused within a call: ranges of an arena, and the last uses of values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import MemRefType, f32
from xdsl.dialects.func import FuncOp

import ptir
from ptir.analysis.program.signature import entry_function
from ptir.runtime.arena import Arena
from ptir.runtime.emulated_call import EmulatedCall
from ptir.runtime.host import Buffer, read_host
from ptir.runtime.planned_call import arena_size
from ptir.runtime.steps import Allocate, Body, Call, If, Read, Row, While
from tests.unit.builders.host_programs import PROGRAMS


def test_a_range_that_is_given_back_is_the_first_to_be_taken():
    arena = Arena(2048)
    a, b, c = (arena.take(n) for n in (1, 256, 257))
    assert a and b and c and [(r.start, r.end) for r in (a, b, c)] == [(0, 256), (256, 512), (512, 1024)]
    a.release()
    c.release()
    again = arena.take(300)
    assert again and again.start == 512, "the gap of 256 bytes is too small"
    assert arena.take(1024) and arena.take(257) is None
    b.release()
    joined = arena.take(512)
    assert joined and (joined.start, joined.end) == (0, 512), "free neighbors are one gap"
    assert arena.peak == 2048


def test_a_range_is_free_when_its_last_user_releases_it():
    arena = Arena(256)
    taken = arena.take(1)
    assert taken
    taken.retain()
    taken.release()
    assert arena.take(1) is None
    taken.release()
    assert arena.take(1)


def test_a_buffer_that_only_kernels_use_may_have_more_axes_than_an_array():
    """The lowering of an op on 64 axes, such as `ptir.tile`, may split them."""
    module = ptir.parse("func.func @f() { func.return }")
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    call = EmulatedCall(read_host(module, function), 256, lambda *_: None, lambda _: None)
    taken = Arena(256, np.empty(256, np.uint8)).take(8)
    assert taken
    assert call.place(Buffer("fresh", MemRefType(f32, [2] + [1] * 64)), taken).at.tobytes() == b"\xff" * 8


def test_values_die_after_their_last_use():
    inner = Body((), (Row(makes=(7,), reads=(1, 9)),), (7,))
    body = Body(
        (0, 1),
        (Allocate(makes=(2,)), Read(makes=(3,), reads=(0,)), If(makes=(4,), reads=(3,), bodies=(inner, inner)),
         Allocate(makes=(5,)), Call(makes=(6,), reads=(4, 2), function="g")),
        (6, 2),
    )  # fmt: skip
    assert inner.free == {1, 9} and inner.kept == (7,) and inner.dead == ((),)
    assert body.free == {9}
    assert [set(d) for d in body.dead] == [set(), {0}, {1, 3}, {5}, set()], "5 is never used; 1 is used in the branches"
    assert body.moved == ((), (), (), (), (4,)), "the caller keeps 2, which it returns"
    assert set(body.kept) == {2, 6}


def test_a_loop_does_not_take_over_what_its_bodies_use():
    once = Body((3,), (Read(makes=(4,), reads=(1,)),), (4, 3))
    body = Body((0, 1), (While(makes=(2,), reads=(0, 1), bodies=(once, Body((5,), (), (5,)))),), (2,))
    assert body.moved == ((0,),) and body.dead == ((1,),)


BRANCHES = """
func.func @f(%p: tensor<i1>, %x: tensor<16x16xbf16>) -> tensor<16x16xbf16> {
  %r = ptir.cond %p (%x) : (tensor<16x16xbf16>) -> tensor<16x16xbf16> then (%a) {
    $THEN : tensor<16x16xbf16>
  } else (%a) {
    $ELSE : tensor<16x16xbf16>
  }
  func.return %r : tensor<16x16xbf16>
}"""
SQUARE = "ptir.dot_general {0}, {0} contract [1] x [0] : (tensor<16x16xbf16>, tensor<16x16xbf16>) -> tensor<16x16xbf16>"


def test_the_arena_is_large_enough_for_each_branch():
    long = f"%b = {SQUARE.format('%a')}\n    %c = {SQUARE.format('%b')}\n    ptir.yield %c"
    sizes = set[int]()
    for then, otherwise in ((long, "ptir.yield %a"), ("ptir.yield %a", long)):
        program = ptir.compile(BRANCHES.replace("$THEN", then).replace("$ELSE", otherwise)).program
        sizes.add(arena_size(read_host(program.module, entry_function(program.module, None))))
    assert sizes == {1024}, "two arrays of 512 bytes, at multiples of 256"


@pytest.mark.parametrize("name", ["scan of rows of 12 bytes", "calls", "matrices"])
def test_memory_that_is_reused_too_early_shows_in_the_emulator(name: str, monkeypatch: pytest.MonkeyPatch):
    """Every buffer is given up where it is made, so that the next one overwrites it."""
    program = PROGRAMS[name]
    arguments = program.arguments[-1]
    want = ptir.reference(program.text, *arguments)

    place = EmulatedCall.place

    def early(self: Any, buffer: Any, taken: Any) -> Any:
        made = place(self, buffer, taken)
        taken.arena.give(taken)
        taken.users += 1 << 20  # never given back again
        return made

    monkeypatch.setattr(EmulatedCall, "place", early)
    got = ptir.compile(program.text, device=ptir.Emulator())(*arguments)
    assert not all(np.array_equal(g, w) for g, w in zip(got, want, strict=True))
