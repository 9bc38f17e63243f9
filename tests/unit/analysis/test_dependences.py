"""Dependences between statements, compared with an execution that records the last write and reads of each memory location."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import prod

import islpy as isl
import numpy as np
import pytest
from xdsl.dialects.builtin import TupleType, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

import ptir
from ptir.analysis.index.describe import value_names
from ptir.analysis.poly.dependences import Dependence, dependences
from ptir.analysis.program.buffers import BufferPlan, plan_buffers
from ptir.dialects import tiny
from ptir.dialects.common.shapes import shape
from ptir.dialects.ptir import CustomCallOp, NegOp
from ptir.dialects.ptir.dims import tensor_type
from ptir.dialects.ptir.tuples import TupleElementOp, TupleOp, leaves
from ptir.errors import Unsupported

Point = tuple[int, ...]
Pairs = dict[tuple[str, SSAValue, SSAValue], set[tuple[Point, Point]]]
"""Maps kind, source and target to pairs of a target's point and a source's point."""


# --- what isl says, point by point ------------------------------------------------------------------


def points(m: isl.Map) -> set[tuple[Point, Point]]:
    found: set[tuple[Point, Point]] = set()
    split = m.dim(isl.dim_type.in_)

    def note(point: isl.Point) -> None:
        at = [
            int(point.get_coordinate_val(isl.dim_type.set, k).to_python())
            for k in range(m.space.wrap().dim(isl.dim_type.set))
        ]
        found.add((tuple(at[:split]), tuple(at[split:])))

    m.wrap().foreach_point(note)
    return found


def said(found: list[Dependence]) -> Pairs:
    out: Pairs = {}
    for d in found:
        out.setdefault((d.kind, d.source, d.target), set()).update(points(d.relation))
    return {key: pairs for key, pairs in out.items() if pairs}


# --- what a run does --------------------------------------------------------------------------------


def reads(op: Operation) -> Iterator[tuple[SSAValue, Point, int]]:
    """Yields each operand, the points at which it is read, and the row-major index of the element read there."""
    for operand in op.operands if not isinstance(op, TupleOp | TupleElementOp) else ():
        elements = np.arange(prod(shape(operand))).reshape(shape(operand))
        match op:
            case tiny.MovementOp() if op.kind.data == "permute":
                at = elements.transpose(op.permutation())
            case tiny.MovementOp() if op.kind.data == "reshape":
                at = elements.reshape(shape(op.result))
            case tiny.MovementOp() if op.kind.data == "pad":
                at = np.pad(elements, list(zip(*op.pads(), strict=True)), constant_values=-1)
            case tiny.MovementOp() if op.kind.data == "shrink":
                at = elements[tuple(slice(b, b + s) for b, s in zip(op.starts(), shape(op.result), strict=True))]
            case tiny.MovementOp() if op.kind.data == "view":
                offset, strides = op.linear()
                grid = np.indices(shape(op.result))
                at = elements.reshape(-1)[offset + sum(s * g for s, g in zip(strides, grid, strict=True))]
            case tiny.ReduceOp():
                kept = [a for a in range(elements.ndim) if a not in op.axes()]
                at = elements.transpose([*kept, *op.axes()])
            case _:
                at = np.broadcast_to(elements, shape(op.results[0]))
        yield from ((operand, point, int(element)) for point, element in np.ndenumerate(at) if element >= 0)


def ran(function: FuncOp, plan: BufferPlan | None) -> Pairs:
    """Executes a function and returns its dependences. Without a plan, every value has memory of its own."""
    written: dict[tuple[object, int], tuple[SSAValue, Point]] = {}
    since: dict[tuple[object, int], set[tuple[SSAValue, Point]]] = {}
    out: Pairs = {}

    def place(value: SSAValue, element: int, tensor: int = 0) -> tuple[object, int]:
        if plan is None:
            return (value, tensor), element
        where = plan.places[value][tensor]
        slot = plan.memories[where.memory].slot
        return (f"memory {where.memory}" if slot is None else slot), element

    def note(kind: str, source: tuple[SSAValue, Point], target: tuple[SSAValue, Point]) -> None:
        if all(isinstance(v.owner, Operation) and v.owner.name.startswith("tiny") for v in (source[0], target[0])):
            out.setdefault((kind, source[0], target[0]), set()).add((target[1], source[1]))

    for op in function.body.block.ops:
        for result in op.results:
            for operand, point, element in reads(op):
                at = place(operand, element)
                if at in written:
                    note("true", written[at], (result, point))
                since.setdefault(at, set()).add((result, point))
            shapes = enumerate(shape(t) for t in leaves([result.type]))
            elements = ((k, *e) for k, of in shapes for e in enumerate(product(*map(range, of))))
            for tensor, element, point in elements:
                at = place(result, element, tensor)
                for reader in since.pop(at, ()):
                    note("anti", reader, (result, point))
                if at in written:
                    note("output", written[at], (result, point))
                written[at] = result, point
    return out


# --- programs ---------------------------------------------------------------------------------------

SHAPES = ([6], [2, 3], [3, 2], [1, 6], [2, 1, 3])


def random_function(rng: random.Random, length: int, *, foreign: bool) -> FuncOp:
    block = Block(arg_types=[tensor_type(f32, [2, 3])])
    values: list[SSAValue] = list(block.args)
    for _ in range(length):
        x = rng.choice(values[-3:])
        rank = len(shape(x))
        match rng.choice(
            ["reshape", "permute", "unary", "binary", "reduce", "pad", "view", *["foreign", "tuple"] * foreign]
        ):
            case "reshape" if prod(shape(x)) == 6:
                op = tiny.MovementOp.reshape(x, rng.choice(SHAPES))
            case "permute":
                op = tiny.MovementOp.permute(x, rng.sample(range(rank), rank))
            case "binary":
                fitting = [v for v in values if shape(v) in (shape(x), (1,) * rank)]
                op = tiny.BinaryOp("add", x, rng.choice(fitting))
            case "reduce" if rank > 1:
                y = tiny.ReduceOp("sum", x, [rng.randrange(rank)], f32)
                block.add_op(y)
                op = tiny.MovementOp.expand(y.result, [6 // prod(shape(y.result)), *shape(y.result)])
            case "pad":
                y = tiny.MovementOp.pad(x, [low := rng.randrange(3)] * rank, [1] * rank, 0.0)
                block.add_op(y)
                op = tiny.MovementOp.shrink(y.result, [rng.randint(0, low + 1)] * rank, shape(x))
            case "view":
                offset, *strides = rng.choice([(0, 3, 1), (0, 1, 2), (1, 0, 2), (2, 1, 1)])
                op = tiny.MovementOp.view(x, [2, 3], strides, offset)
            case "foreign":
                op = NegOp(x)
            case "tuple":
                first, second = (rng.choice(values[-3:]) for _ in range(2))
                pair = [tensor_type(f32, shape(v)) for v in (first, second)]
                both = TupleOp([first, second])
                called = CustomCallOp("test.pair.v1", [], [TupleType(pair)])
                block.add_ops([both, called])
                op = TupleElementOp(rng.choice([both.result, called.results[0]]), rng.randrange(2))
            case _:
                op = tiny.UnaryOp("neg", x)
        block.add_op(op)
        values.append(op.results[0])
    block.add_op(ReturnOp(values[-1]))
    return FuncOp("f", ([a.type for a in block.args], [values[-1].type]), Region(block))


@pytest.mark.parametrize("seed", range(40))
def test_values_alone_have_the_true_dependences_of_a_run(seed: int):
    function = random_function(random.Random(seed), 8, foreign=seed % 2 == 1)
    function.verify()
    found = dependences(function)
    assert {d.kind for d in found} <= {"true"}
    assert said(found) == ran(function, None)


@pytest.mark.parametrize("seed", range(40))
def test_shared_memory_has_the_dependences_of_a_run(seed: int):
    function = random_function(random.Random(seed), 12, foreign=seed % 2 == 1)
    plan = plan_buffers(function)
    got, want = said(dependences(function, plan)), ran(function, plan)
    assert got.keys() == want.keys()
    assert got == want


@pytest.mark.sampled(1)
def test_a_plan_that_shares_keeps_the_true_dependences_of_the_values():
    """Each op reads the elements that its operand wrote, so both the plan and the flow analysis are right."""
    kinds: set[str] = set()
    for seed in range(20):
        function = random_function(random.Random(seed), 12, foreign=False)
        shared = said(dependences(function, plan_buffers(function)))
        kinds |= {kind for kind, _, _ in shared}
        assert {key: p for key, p in shared.items() if key[0] == "true"} == said(dependences(function))
    assert kinds == {"true", "anti", "output"}


@pytest.mark.parametrize("perm", [[0, 1], [1, 0]])
def test_an_op_that_writes_where_it_reads(perm: list[int]):
    """All reads of an op precede its writes. If another op also reads an element, the write depends on that read, too."""
    function = parse(f"""
func.func @f(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {{
  %0 = tiny.unary exp %x : tensor<3x3xf32> -> tensor<3x3xf32>
  %1 = tiny.movement permute %0 by {perm} : tensor<3x3xf32> -> tensor<3x3xf32>
  %2 = tiny.unary neg %1 : tensor<3x3xf32> -> tensor<3x3xf32>
  func.return %2 : tensor<3x3xf32>
}}""")
    plan = plan_buffers(function)
    v0, v1, _ = (op.results[0] for op in list(function.body.block.ops)[:3])
    plan = replace(plan, places={**plan.places, v1: plan.places[v0]})
    got = said(dependences(function, plan))
    assert got == ran(function, plan)
    assert got["anti", v1, v1] == {((i, j), (i, j) if perm == [0, 1] else (j, i)) for i in range(3) for j in range(3)}


def parse(text: str) -> FuncOp:
    function = next(iter(ptir.parse(text).ops))
    assert isinstance(function, FuncOp)
    return function


NAMED = """
func.func @f(%x: tensor<?x4xf32, #ptir.dims<B, _>>) -> tensor<?x4xf32, #ptir.dims<B, _>> {
  %0 = tiny.unary exp %x : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<?x4xf32, #ptir.dims<B, _>>
  %1 = tiny.unary neg %0 : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<?x4xf32, #ptir.dims<B, _>>
  %2 = tiny.unary exp %1 : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<?x4xf32, #ptir.dims<B, _>>
  %3 = tiny.unary exp %2 : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<?x4xf32, #ptir.dims<B, _>>
  func.return %3 : tensor<?x4xf32, #ptir.dims<B, _>>
}"""


def test_sizes_that_are_names():
    function = parse(NAMED)
    names = value_names(function)
    found = dependences(function, plan_buffers(function))
    spelt = {(d.kind, names[d.source], names[d.target]): str(d.relation) for d in found}
    assert spelt["output", "v0", "v2"] == "[B] -> { [i0, i1] -> [i0, i1] : 0 <= i0 < B and 0 <= i1 <= 3 }"
    assert set(spelt) == {
        ("true", "v0", "v1"),
        ("true", "v1", "v2"),
        ("true", "v2", "v3"),
        ("anti", "v1", "v2"),
        ("output", "v0", "v2"),
    }


def test_shapes_that_share_memory_at_a_place_that_is_not_affine_are_refused():
    text = NAMED.replace(
        "  %1 = tiny.unary neg %0 : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<?x4xf32, #ptir.dims<B, _>>",
        "  %a = tiny.movement permute %0 by [1, 0] : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<4x?xf32, #ptir.dims<_, B>>\n"
        "  %b = tiny.unary exp %a : tensor<4x?xf32, #ptir.dims<_, B>> -> tensor<4x?xf32, #ptir.dims<_, B>>\n"
        "  %1 = tiny.movement permute %b by [1, 0] : tensor<4x?xf32, #ptir.dims<_, B>> -> tensor<?x4xf32, #ptir.dims<B, _>>",
    )
    function = parse(text)
    with pytest.raises(Unsupported, match="in memory shared with other shapes"):
        dependences(function, plan_buffers(function))
