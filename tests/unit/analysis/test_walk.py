"""The walk of a program, and the names of entry points."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.func import FuncOp

import ptir
from ptir.analysis.program.entry_points import entry_point_name, mangled
from ptir.analysis.program.walk import walk_program

LOOP = """
func.func @f(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %a = ptir.neg %x : tensor<4xf32>
  %b = ptir.cond %p (%a) : (tensor<4xf32>) -> tensor<4xf32> then (%u) {
    ptir.yield %u : tensor<4xf32>
  } else (%w) {
    %v = ptir.exp %w : tensor<4xf32>
    ptir.yield %v : tensor<4xf32>
  }
  func.return %b : tensor<4xf32>
}
func.func private @g(tensor<4xf32>)
"""


def test_the_order_and_the_paths():
    got = [(v.op.name.split(".")[1], v.path, v.leaving) for v in walk_program(ptir.parse(LOOP))]
    assert got == [
        ("func", (0, 0, 0), False),
        ("neg", (0, 0, 0, 0, 0, 0), False),
        ("cond", (0, 0, 0, 0, 0, 1), False),
        ("yield", (0, 0, 0, 0, 0, 1, 0, 0, 0), False),
        ("exp", (0, 0, 0, 0, 0, 1, 1, 0, 0), False),
        ("yield", (0, 0, 0, 0, 0, 1, 1, 0, 1), False),
        ("cond", (0, 0, 0, 0, 0, 1), True),
        ("return", (0, 0, 0, 0, 0, 2), False),
        ("func", (0, 0, 0), True),
        ("func", (0, 0, 1), False),
        ("func", (0, 0, 1), True),
    ]


def test_a_path_leads_to_its_operation():
    module = ptir.parse(LOOP)
    for visit in walk_program(module):
        op = module
        for k in range(0, len(visit.path), 3):
            region, block, number = visit.path[k : k + 3]
            op = list(op.regions[region].blocks[block].ops)[number]
        assert op is visit.op
        assert visit.depth == len(visit.path) // 3


def test_a_function_can_be_the_root():
    function = next(iter(ptir.parse(LOOP).ops))
    assert next(walk_program(function)).path == (0, 0, 0)


# --- entry points -------------------------------------------------------------------------------


def unmangled(name: str) -> str:
    """Inverts `mangled` by the rules of its docstring."""
    data = re.sub(r"Z(Z|[0-9a-f]{2})", lambda m: "Z" if m[1] == "Z" else f"\x00{m[1]}", name)
    raw = re.sub(rb"\x00([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), data.encode())
    return raw.decode("utf-8")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1))
def test_a_mangled_name_is_an_identifier_and_can_be_read_back(name: str):
    out = mangled(name)
    assert re.fullmatch(r"[A-Za-z0-9_]+", out)
    assert "__" not in out
    assert out[0] != "_" != out[-1]
    assert unmangled(out) == name


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("linear", "linear"),
        ("a_b", "a_b"),
        ("a__b", "a_Z5fb"),
        ("_a_", "Z5faZ5f"),
        ("a-b", "aZ2db"),
        ("Zoo", "ZZoo"),
        ("π", "ZcfZ80"),
    ],
)
def test_the_scheme(name: str, want: str):
    assert mangled(name) == want


def function(name: str, op: str = "exp", value: str = "x") -> FuncOp:
    text = (
        f'func.func @"{name}"(%{value}: tensor<4xf32>) -> tensor<4xf32> {{\n  %r = ptir.{op} %{value} : tensor<4xf32>\n'
    )
    (found,) = ptir.parse(text + "  func.return %r : tensor<4xf32>\n}").ops
    assert isinstance(found, FuncOp)
    return found


def test_entry_points():
    name = entry_point_name(function("linear"))
    assert re.fullmatch(r"ptir_linear_[0-9a-f]{16}", name)
    assert entry_point_name(function("linear", value="y")) == name
    assert entry_point_name(function("linear"), "cuda") == name.replace("ptir_", "ptir_cuda_")


def test_entry_points_of_different_functions_differ():
    some = [function("a_b"), function("a-b"), function("a__b"), function("a_b", "log"), function("a_b_", "log")]
    assert len({entry_point_name(f) for f in some}) == len(some)
