"""Rows of ops with regions, tuples and calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import TensorType, TupleType
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute, Block, SSAValue

from ptir.dialects import ptir
from ptir.dialects.ptir.dims import sizes, tensor_type

from ..dtypes import ALL, spelling
from ..maker import Maker, NothingFits
from .row import Row, Table

DEPTH = 2
"""Maximum nesting depth of regions."""


def some(m: Maker, least: int = 0, most: int = 3) -> list[SSAValue]:
    return [m.any_of(ALL) for _ in range(m.rng.randint(least, most))]


def region(m: Maker, types: Sequence[Attribute], actuals: Sequence[tuple[int, ...]]) -> Maker:
    """Returns the maker of a region with these arguments, after adding some ops."""
    from ..generator import grow

    if m.depth >= DEPTH:
        raise NothingFits
    child = m.child(Block(arg_types=list(types)), list(actuals))
    grow(child, m.rng.randint(0, 3))
    return child


def tensors(values: Sequence[SSAValue]) -> list[SSAValue]:
    return [v for v in values if isinstance(v.type, TensorType)]


def cond(m: Maker) -> None:
    inputs = some(m)
    types, actuals = [v.type for v in inputs], [m.actual(v) for v in inputs]
    yes = region(m, types, actuals)
    made = tensors(yes.values)
    out = [m.rng.choice(made) for _ in range(m.rng.randint(0, 2))] if made else []
    no = region(m, types, actuals)
    others = [no.of_type(v.type, yes.actual(v)) for v in out]
    yes.block.add_op(ptir.YieldOp(out))
    no.block.add_op(ptir.YieldOp(others))
    m.emit(ptir.CondOp(m.tensor("i1", []), inputs, yes.block, no.block), *(yes.actual(v) for v in out))


def while_(m: Maker) -> None:
    """Adds a loop that a counter ends."""
    inputs = [m.constant("si32", m.rng.choice((0, 1, 2))), *some(m, 0, 2)]
    types, actuals = [v.type for v in inputs], [m.actual(v) for v in inputs]
    test, body = region(m, types, actuals), region(m, types, actuals)
    (more,) = test.emit(ptir.CompareOp("lt", test.block.args[0], test.constant("si32", 3)))
    carried = [test.block.args[0], *(test.of_type(v.type, m.actual(v)) for v in inputs[1:])]
    test.block.add_op(ptir.YieldOp([more, *carried]))
    (following,) = body.emit(ptir.AddOp(body.block.args[0], body.constant("si32", 1)))
    body.block.add_op(ptir.YieldOp([following, *(body.of_type(v.type, m.actual(v)) for v in inputs[1:])]))
    m.emit(ptir.WhileOp(inputs, test.block, body.block), *actuals)


def scan(m: Maker) -> None:
    x = m.any_of(ALL, rank=range(1, 5))
    scanned, carried = [x, *([m.like(x)] if m.rng.random() < 0.3 else [])], some(m, 0, 2)
    slices = [tensor_type(v.type.element_type, sizes(v)[1:]) for v in scanned]  # pyright: ignore
    types = [*(v.type for v in carried), *slices]
    actuals = [*(m.actual(v) for v in carried), *(m.actual(v)[1:] for v in scanned)]
    body = region(m, types, actuals)
    rows = [m.rng.choice(tensors(body.values)) for _ in range(m.rng.randint(0, 2))]
    rows = [r for r in rows if len(body.actual(r)) < m.options.max_rank]
    ends = [body.of_type(v.type, m.actual(v)) for v in carried]
    body.block.add_op(ptir.YieldOp([*ends, *rows]))
    length = m.actual(x)[0]
    if any(not all(isinstance(s, int | str) for s in sizes(r)) for r in rows) and not length:
        raise NothingFits
    stacked = [(length, *body.actual(r)) for r in rows]
    m.emit(ptir.ScanOp(carried, scanned, body.block), *(m.actual(v) for v in carried), *stacked)


def composite(m: Maker) -> None:
    inputs = some(m, 1, 3)
    body = region(m, [v.type for v in inputs], [m.actual(v) for v in inputs])
    out = [m.rng.choice(tensors(body.values)) for _ in range(m.rng.randint(1, 2))]
    body.block.add_op(ptir.YieldOp(out))
    m.emit(ptir.CompositeOp("tests.some.v1", inputs, body.block), *(body.actual(v) for v in out))


def tuples(m: Maker) -> None:
    """Adds a tuple, and an op that takes one of its elements."""
    parts = some(m, 1, 3)
    (whole,) = m.emit(ptir.TupleOp(parts))
    k = m.rng.randrange(len(parts))
    m.emit(ptir.TupleElementOp(whole, k), m.actual(parts[k]))


def custom_call(m: Maker) -> None:
    x = m.any_of(ALL, static=True)
    pair = m.rng.random() < 0.3
    types = [TupleType((x.type, x.type))] if pair else [x.type]  # pyright: ignore
    found = m.emit(ptir.CustomCallOp("tests.flip.v1", [x], types, {"both": pair, "axes": [0]}))
    if pair:
        m.emit(ptir.TupleElementOp(found[0], m.rng.randrange(2)))


def call(m: Maker) -> None:
    """Adds a call of an earlier function. The operands have static types, which match the types of its arguments."""
    if not m.functions or m.args is None:
        raise NothingFits
    function, inputs, outputs = m.rng.choice(m.functions)
    t = function.function_type
    arguments = [m.tensor(spelling(i.element_type), n) for i, n in zip(t.inputs, inputs, strict=True)]
    results = [TensorType(o.element_type, list(n)) for o, n in zip(t.outputs, outputs, strict=True)]
    if any(not s for n in outputs for s in n):
        raise NothingFits
    m.emit(CallOp(function.sym_name.data, arguments, results), *outputs)
    m.violated |= bool(m.options.violations)


def row(build: Callable[[Maker], Any], weight: float = 0.5, *, extension: bool = False) -> Row:
    return Row(build, ALL, weight, extension)


ROWS: Table = {
    "ptir.cond": row(cond),
    "ptir.while": row(while_),
    "ptir.scan": row(scan),
    "ptir.composite": row(composite, extension=True),
    "ptir.tuple": row(tuples),
    "ptir.custom_call": row(custom_call),
    "func.call": row(call),
}
