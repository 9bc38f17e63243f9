"""The structural hash does not depend on names and locations, but on everything else."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr
from xdsl.dialects.func import FuncOp

import ptir
from ptir.analysis.program.structural_hash import structural_hash

PROGRAM = """
builtin.module attributes {ptir.extensions} {
  func.func @f(%x: tensor<?x?x4xf32, #ptir.dims<B, N, _>>, %y: tensor<?x?x4xf32, #ptir.dims<B, N, _>>, %p: tensor<i1>)
      -> tensor<?x4xf32, #ptir.dims<B, _>> {
    %a = ptir.sub %x, %y : tensor<?x?x4xf32, #ptir.dims<B, N, _>>
    %b = ptir.reduce sum %a axes [1] accum f32 : tensor<?x?x4xf32, #ptir.dims<B, N, _>> -> tensor<?x4xf32, #ptir.dims<B, _>>
    %c = ptir.constant dense<[1.0, 2.0, 3.0, 0.0]> : tensor<4xf32>
    %d = ptir.broadcast_to %c : tensor<4xf32> -> tensor<?x4xf32, #ptir.dims<B, _>>
    %e = ptir.add %b, %d {note = "kept", list = [1, 2]} : tensor<?x4xf32, #ptir.dims<B, _>>
    %g = func.call @g(%e) : (tensor<?x4xf32, #ptir.dims<B, _>>) -> tensor<?x4xf32, #ptir.dims<B, _>>
    %h = ptir.cond %p (%g) : (tensor<?x4xf32, #ptir.dims<B, _>>) -> tensor<?x4xf32, #ptir.dims<B, _>> then (%u) {
      %v = ptir.neg %u : tensor<?x4xf32, #ptir.dims<B, _>>
      ptir.yield %v : tensor<?x4xf32, #ptir.dims<B, _>>
    } else (%w) {
      ptir.yield %w : tensor<?x4xf32, #ptir.dims<B, _>>
    }
    func.return %h : tensor<?x4xf32, #ptir.dims<B, _>>
  }
  func.func private @g(%z: tensor<?x4xf32, #ptir.dims<M, _>>) -> tensor<?x4xf32, #ptir.dims<M, _>> {
    %r = ptir.abs %z : tensor<?x4xf32, #ptir.dims<M, _>>
    func.return %r : tensor<?x4xf32, #ptir.dims<M, _>>
  }
  func.func private @k(%z: tensor<?x4xf32, #ptir.dims<M, _>>) -> tensor<?x4xf32, #ptir.dims<M, _>> {
    %r = ptir.neg %z : tensor<?x4xf32, #ptir.dims<M, _>>
    func.return %r : tensor<?x4xf32, #ptir.dims<M, _>>
  }
}
"""


def edited(*edits: tuple[str, str]) -> str:
    text = PROGRAM
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return text


def of(text: str) -> str:
    return structural_hash(ptir.parse(text))


def first(text: str) -> str:
    """Returns the hash of the first function."""
    return structural_hash(next(op for op in ptir.parse(text).ops if isinstance(op, FuncOp)))


BEFORE = of(PROGRAM), first(PROGRAM)


@pytest.mark.parametrize(
    "edits",
    [
        [("%a", "%other"), ("%x", "%first")],
        [("@f(", "@another(")],
        [("@g", "@helper")],
        [("<B, N, _>", "<Batch, Length, _>"), ("<B, _>", "<Batch, _>")],
        [("<M, _>", "<B, _>")],
        [('{note = "kept", list = [1, 2]}', '{list = [1, 2], note = "kept"}')],
        [("    %b =", "\n\n      %b =")],
    ],
)
def test_names_and_places_do_not_count(edits):
    assert (of(edited(*edits)), first(edited(*edits))) == BEFORE


def test_locations_do_not_count():
    module = ptir.parse(PROGRAM)
    for number, op in enumerate(module.walk()):
        op.location = FileLineColLoc(StringAttr("elsewhere"), IntAttr(number), IntAttr(1))
        for result in op.results:
            result.name_hint = None
    assert structural_hash(module) == BEFORE[0]


SINGLE = [
    ("ptir.sub %x, %y", "ptir.sub %y, %x"),
    ("ptir.sub %x", "ptir.add %x"),
    ("ptir.neg %u", "ptir.abs %u"),
    ("reduce sum", "reduce max"),
    ("accum f32", "accum f64"),
    (" accum f32", ""),
    ("[1.0, 2.0, 3.0, 0.0]", "[1.0, 2.0, 3.5, 0.0]"),
    ("[1.0, 2.0, 3.0, 0.0]", "[1.0, 2.0, 3.0, -0.0]"),
    ('"kept"', '"changed"'),
    ("note =", "notes ="),
    ("[1, 2]", "[2, 1]"),
    ("[1, 2]", "[1, 2, 3]"),
    ("[1, 2]", "[1, 2 : i32]"),
    ("@g(%e)", "@k(%e)"),
    ("ptir.yield %w", "%n = ptir.neg %w : tensor<?x4xf32, #ptir.dims<B, _>>\n ptir.yield %n"),
    ("ptir.add %b, %d", "ptir.add %b, %b"),
    ("func.return %h", "func.return %g"),
    ("ptir.abs %z", "ptir.exp %z"),
]


@pytest.mark.parametrize("edit", SINGLE)
def test_every_single_change_counts_in_the_function(edit):
    assert first(edited(edit)) != BEFORE[1]


@pytest.mark.parametrize(
    "edit",
    [
        *SINGLE,
        ("private @k", "@k"),
        ("attributes {ptir.extensions}", "attributes {ptir.extensions, more}"),
        ("ptir.neg %z", "ptir.abs %z"),
    ],
)
def test_every_single_change_counts_in_the_module(edit):
    assert of(edited(edit)) != BEFORE[0]


def test_all_changes_give_different_hashes():
    assert len({first(edited(edit)) for edit in SINGLE}) == len(SINGLE)


def test_an_uncalled_function_is_no_part_of_another():
    assert first(edited(("ptir.neg %z", "ptir.abs %z"))) == BEFORE[1]


ADD = "func.func @f(%x: {0}, %y: {1}) -> {0} {{ func.return %x : {0} }}"


def test_equal_names_of_dimensions_count_and_spelling_does_not():
    def pair(a: str, b: str) -> str:
        return of(ADD.format(f"tensor<?x?xf32, #ptir.dims<{a}>>", f"tensor<?x?xf32, #ptir.dims<{b}>>"))

    assert pair("A, B", "A, B") == pair("X, Y", "X, Y")
    assert pair("A, B", "B, A") == pair("B, A", "A, B")
    assert (
        len(
            {
                pair("A, B", "A, B"),
                pair("A, B", "B, A"),
                pair("A, B", "A, C"),
                pair("A, A", "A, A"),
                pair("A, _", "A, _"),
            }
        )
        == 5
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tensor<4xf32>", "tensor<4xf16>"),
        ("tensor<4xf32>", "tensor<5xf32>"),
        ("tensor<4xf32>", "tensor<?xf32>"),
        ("tensor<4xsi8>", "tensor<4xui8>"),
        ("tensor<4xsi8>", "tensor<4xi8>"),
        ("tensor<2x2xf32>", "tensor<4xf32>"),
        ("tensor<4xf8E4M3FN>", "tensor<4xf8E5M2>"),
        ("tensor<4xcomplex<f32>>", "tensor<4xcomplex<f64>>"),
    ],
)
def test_types_count(one: str, other: str):
    assert of(ADD.format(one, one)) != of(ADD.format(other, other))


def test_types_of_results_count():
    def spread(to: str) -> str:
        return of(f"func.func @f(%x: tensor<f32>) {{ %0 = ptir.broadcast_to %x : tensor<f32> -> {to}\n func.return }}")

    assert spread("tensor<4xf32>") != spread("tensor<5xf32>")


@pytest.mark.parametrize("bits", ["0x7FC00001", "0x7FC00000", "0x7F800000", "0xFF800000", "0x00000000", "0x80000000"])
def test_the_bytes_of_literals_count(bits: str):
    def literal(text: str) -> str:
        return of(f"func.func @f() {{ %0 = ptir.constant dense<{text}> : tensor<2xf32>\n func.return }}")

    assert literal(f"[{bits}, 1.0]") != literal("[1.0, 1.0]")
    assert literal(f"[{bits}, 1.0]") == literal(f"[{bits}, 1.0]")
    assert literal("2.0") == literal("[2.0, 2.0]")


def test_zeros_of_both_signs_and_payloads_are_different_literals():
    def literal(text: str) -> str:
        return of(f"func.func @f() {{ %0 = ptir.constant dense<{text}> : tensor<2xf32>\n func.return }}")

    found = {literal(t) for t in ("0.0", "-0.0", "[0.0, -0.0]", "[-0.0, 0.0]", '"0x010000000000C07F"')}
    assert len(found) == 5


def test_functions_are_told_apart_by_their_place():
    one = "func.func @{0}(%x: tensor<2xf32>) {{ %0 = ptir.neg %x : tensor<2xf32>\n func.return }}"
    other = "func.func @{0}(%x: tensor<2xf32>) {{ %0 = ptir.exp %x : tensor<2xf32>\n func.return }}"
    assert of(one.format("a") + other.format("b")) == of(one.format("b") + other.format("a"))
    assert of(one.format("a") + other.format("b")) != of(other.format("a") + one.format("b"))


def test_the_entry_counts_and_its_name_does_not():
    def module(entry: str, *names: str) -> str:
        functions = " ".join(f"func.func @{name}() {{ func.return }}" for name in names)
        return of(f'builtin.module attributes {{ptir.entry = "{entry}"}} {{ {functions} }}')

    assert module("f", "f", "g") == module("main", "main", "other") == module("g", "g", "f")
    assert module("g", "f", "g") == module("main", "other", "main")
    assert len({module("f", "f", "g"), module("g", "f", "g")}) == 2


def test_recursion_ends():
    text = """
    func.func @{a}(%x: tensor<2xf32>) -> tensor<2xf32> {{
      %0 = func.call @{b}(%x) : (tensor<2xf32>) -> tensor<2xf32>
      func.return %0 : tensor<2xf32>
    }}
    func.func @{b}(%x: tensor<2xf32>) -> tensor<2xf32> {{
      %0 = func.call @{c}(%x) : (tensor<2xf32>) -> tensor<2xf32>
      func.return %0 : tensor<2xf32>
    }}"""
    assert first(text.format(a="a", b="b", c="a")) == first(text.format(a="b", b="a", c="b"))
    assert first(text.format(a="a", b="b", c="a")) != first(text.format(a="a", b="b", c="b"))


def test_blocks_and_where_they_lead_count():
    text = """
    func.func @f(%p: i1) -> tensor<2xf32> {{
      %a = ptir.constant dense<1.0> : tensor<2xf32>
      %b = ptir.constant dense<2.0> : tensor<2xf32>
      "cf.cond_br"(%p)[{0}] <{{operandSegmentSizes = array<i32: 1, 0, 0>}}> : (i1) -> ()
    ^one:
      func.return %a : tensor<2xf32>
    ^two:
      func.return %b : tensor<2xf32>
    }}"""
    assert of(text.format("^one, ^two")) != of(text.format("^two, ^one"))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", ["0", "1", "12345"])
def test_the_process_does_not_count(seed: str):
    code = "import sys, ptir; from ptir.analysis.program.structural_hash import structural_hash as h\n"
    code += "print(h(ptir.parse(sys.stdin.read())))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=PROGRAM,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
    )
    assert done.stdout.strip() == BEFORE[0]
