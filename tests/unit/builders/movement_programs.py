"""
Random programs with many patterns that `ptir-canonicalize` simplifies: chains of movements, literals, equal operands.

Elements are a few small numbers, zeros of both signs, infinities and NaN, so that sums do not depend on their order.
"""

from __future__ import annotations

from math import prod
from random import Random

import numpy as np
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float8E4M3FNType,
    IntegerType,
    ModuleOp,
    Signedness,
    TensorType,
    UnitAttr,
    f32,
    i1,
    i8,
    i32,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ptir.dialects import ptir as tensors
from ptir.dialects.common.shapes import element, is_float, is_predicate, shape
from ptir.dialects.ptir.control import CondOp, ScanOp, WhileOp, YieldOp
from ptir.dialects.ptir.elementwise import CastOp, ClampOp, SelectOp
from ptir.semantics.arrays.scalars import Array, cast, numpy_dtype
from ptir.transforms.ptir_rules.constants import dense, literal_bytes
from ptir.transforms.ptir_rules.matching import OPS

UI8 = IntegerType(8, Signedness.UNSIGNED)
DTYPES: tuple[Attribute, ...] = (i8, UI8, f32, BFloat16Type(), Float8E4M3FNType(), i32)
INTEGERS = (i8, UI8, i32)
LARGEST = 200


class Grower:
    """Adds random ops to a block, mostly on the latest values."""

    def __init__(self, rng: Random, block: Block, dtypes: tuple[Attribute, ...]):
        self.rng, self.block, self.dtypes = rng, block, dtypes
        self.values: list[SSAValue] = list(block.args)
        self.chained = False
        """Whether ops use only the latest value."""

    def add(self, op: Operation) -> SSAValue:
        if all(prod(shape(r)) <= LARGEST for r in op.results):
            self.block.add_op(op)
            self.values += op.results
        return self.values[-1]

    def any(self) -> SSAValue:
        if self.chained:
            return self.values[-1]
        recent = self.values[-4:] if self.rng.random() < 0.7 else self.values
        return self.rng.choice(recent)

    def array(self, type: TensorType[Attribute], count: int | None = None) -> Array:
        """Returns small numbers; for floats, also zeros of both signs, infinities and NaN. `count` = 1 gives equal elements."""
        dtype, of = numpy_dtype(type.element_type), type.get_shape()
        pool = [0, 1] if is_predicate(type.element_type) else [0, 1, 2, 3, -1, -2]
        pool += [-0.0, 0.5, np.inf, -np.inf, np.nan] if is_float(type.element_type) else []
        drawn = cast(np.array(self.rng.choices(pool, k=prod(of) if count is None else count), np.float64), dtype)
        return np.full(of, drawn[0], dtype) if count == 1 else drawn.reshape(of)

    def literal(self, type: TensorType[Attribute], value: Array) -> SSAValue:
        return self.add(tensors.ConstantOp(dense(type, literal_bytes(value))))

    def constant(self, type: Attribute) -> SSAValue:
        """Adds a literal, of one number or several, or a broadcast of a literal."""
        assert isinstance(type, TensorType)
        if self.rng.random() < 0.3:
            return self.literal(type, self.array(type))
        if self.rng.random() < 0.5:
            return self.literal(type, self.array(type, 1))
        scalar = TensorType(type.element_type, [])
        return self.add(tensors.BroadcastToOp(self.literal(scalar, self.array(scalar)), shape(type)))

    def like(self, value: SSAValue) -> SSAValue:
        """Returns another value of the same type, or a literal."""
        found = [v for v in self.values if v.type == value.type]
        return self.constant(value.type) if self.rng.random() < 0.4 else self.rng.choice(found[-5:])

    # --- ops --------------------------------------------------------------------------------------

    def unary(self) -> None:
        v = self.any()
        if is_predicate(element(v)):
            self.add(OPS["not"](v))
        else:
            self.add(self.rng.choice((tensors.NegOp, tensors.AbsOp, tensors.NegOp))(v))

    def binary(self) -> None:
        v = self.any()
        names = ("and", "or", "xor") if is_predicate(element(v)) else ("add", "sub", "mul", "maximum", "minimum", "add")
        if element(v) in INTEGERS:
            names = (*names, "and", "or", "xor", "shift_left")
        operands = [v, self.like(v)]
        self.rng.shuffle(operands)
        self.add(OPS[self.rng.choice(names)](*operands))

    def compare(self) -> None:
        v = self.any()
        if self.rng.random() < 0.3:
            casts = [self.add(CastOp(w, f32)) for w in (v, self.like(v))]
            self.add(tensors.CompareOp(self.rng.choice(tensors.COMPARISONS), *casts))
            return
        names = ("eq", "ne") if is_predicate(element(v)) else tensors.COMPARISONS
        self.add(tensors.CompareOp(self.rng.choice(names), v, self.like(v)))

    def select(self) -> None:
        predicates = [v for v in self.values if is_predicate(element(v))]
        if predicates:
            pred = self.rng.choice(predicates)
            found = [v for v in self.values if shape(v) == shape(pred)]
            v = self.rng.choice(found)
            self.add(SelectOp(self.like(pred), v, self.like(v)))

    def clamp(self) -> None:
        v = self.any()
        if not is_predicate(element(v)):
            self.add(ClampOp(v, self.like(v), self.like(v)))

    def cast(self) -> None:
        self.add(CastOp(self.any(), self.rng.choice((*self.dtypes, i1))))

    def reshape(self) -> None:
        v = self.any()
        left, new = prod(shape(v)), list[int]()
        for f in (2, 2, 3, 2, 3, 5, 7):
            if left and left % f == 0:
                left //= f
                new.append(f) if self.rng.random() < 0.6 or not new else new.__setitem__(-1, new[-1] * f)
        new.append(left) if left != 1 or not new else None
        for _ in range(self.rng.randint(0, 2)):
            new.insert(self.rng.randint(0, len(new)), 1)
        self.add(tensors.ReshapeOp(v, new))

    def transpose(self) -> None:
        v = self.any()
        self.add(tensors.TransposeOp(v, self.rng.sample(range(len(shape(v))), len(shape(v)))))

    def broadcast(self) -> None:
        v = self.any()
        of = [self.rng.choice((1, 2, 3)) if s == 1 else s for s in shape(v)]
        self.add(tensors.BroadcastToOp(v, [*(self.rng.choice((1, 2)) for _ in range(self.rng.randint(0, 2))), *of]))

    def slice(self) -> None:
        v = self.any()
        starts = [self.rng.randint(0, s) if self.rng.random() < 0.4 else 0 for s in shape(v)]
        of = [
            self.rng.randint(min(1, s - b), s - b) if self.rng.random() < 0.5 else s - b
            for b, s in zip(starts, shape(v), strict=True)
        ]
        self.add(tensors.SliceOp(v, starts, of))

    def concat(self) -> None:
        v = self.any()
        if rank := len(shape(v)):
            axis = self.rng.randrange(rank)
            if self.rng.random() < 0.4:
                at = self.rng.randint(0, shape(v)[axis])
                of = list(shape(v))
                cut = [tensors.SliceOp(v, [b if a == axis else 0 for a in range(rank)], [*of[:axis], n, *of[axis + 1 :]])
                       for b, n in ((0, at), (at, of[axis] - at))]  # fmt: skip
                pieces = [self.add(c) for c in cut]
            else:
                pieces = [v, *(self.like(v) for _ in range(self.rng.randint(0, 2)))]
            self.add(tensors.ConcatOp(pieces, axis))

    def pad(self) -> None:
        v = self.any()
        rank = len(shape(v))
        low, high, between = ([self.rng.choice((0, 0, 1)) for _ in range(rank)] for _ in range(3))
        between = between if self.rng.random() < 0.2 else [0] * rank
        value = bool(self.rng.randint(0, 1)) if is_predicate(element(v)) else self.rng.choice((0, 1))
        self.add(tensors.PadOp(v, float(value) if is_float(element(v)) else value, low, high, between))

    def tile(self) -> None:
        v = self.any()
        self.add(tensors.TileOp(v, [self.rng.choice((1, 1, 2)) for _ in shape(v)]))

    def iota(self) -> None:
        of = [self.rng.choice((1, 2, 3)) for _ in range(self.rng.randint(1, 3))]
        self.add(tensors.IotaOp(self.rng.choice(self.dtypes), of, self.rng.randrange(len(of))))

    def reduce(self) -> None:
        v = self.any()
        rank = len(shape(v))
        kind = self.rng.choice(("any", "all") if is_predicate(element(v)) else ("sum", "max", "min"))
        if isinstance(v.owner, tensors.ReduceOp):
            kind = v.owner.kind.data
        axes = self.rng.sample(range(rank), self.rng.randint(0, min(rank, 2)))
        self.add(tensors.ReduceOp(kind, v, sorted(axes), keepdims=self.rng.random() < 0.4))

    def dot(self) -> None:
        v, w = self.any(), self.any()
        pairs = [(a, b) for a, s in enumerate(shape(v)) for b, t in enumerate(shape(w)) if s == t]
        if self.chained or self.rng.random() < 0.5:
            w = v
            pairs = [(a, a) for a in range(len(shape(v)))]
        if element(v) == element(w) and not is_predicate(element(v)) and pairs:
            a, b = self.rng.choice(pairs)
            self.add(tensors.DotGeneralOp(v, w, ([a], [b])))

    def cond(self) -> None:
        v = self.any()
        pred = self.block.args[-1]
        if self.rng.random() < 0.5:
            pred = self.literal(TensorType(i1, []), np.array(self.rng.random() < 0.5))
        regions: list[Region] = []
        for _ in range(2):
            inner = Grower(self.rng, Block(arg_types=[v.type]), self.dtypes)
            if is_predicate(element(v)) or self.rng.random() < 0.3:
                inner.block.add_op(YieldOp([inner.values[0]]))
            else:
                inner.block.add_op(YieldOp([inner.add(tensors.NegOp(inner.values[0]))]))
            regions.append(Region(inner.block))
        self.add(CondOp(pred, [v], *regions))

    def loop(self) -> None:
        """Adds a while loop that does not iterate, or a scan, which may have no iterations."""
        v = self.any()
        if self.rng.random() < 0.5 or not shape(v):
            first, then = Block(arg_types=[v.type]), Block(arg_types=[v.type])
            stop = tensors.ConstantOp(dense(TensorType(i1, []), literal_bytes(np.array(False))))
            first.add_op(stop)
            first.add_op(YieldOp([stop.result, first.args[0]]))
            then.add_op(YieldOp([then.args[0]]))
            self.add(WhileOp([v], first, then))
        else:
            row = TensorType(element(v), shape(v)[1:])
            body = Block(arg_types=[v.type, row])
            body.add_op(YieldOp([body.args[0], body.args[1]]))
            self.add(ScanOp([v], [v], body))

    def chain(self) -> None:
        """Adds a chain of movements."""
        moves = (
            Grower.transpose,
            Grower.broadcast,
            Grower.slice,
            Grower.concat,
            Grower.iota,
            Grower.reshape,
            Grower.pad,
            Grower.tile,
            Grower.reduce,
        )
        self.rng.choice(moves)(self)
        self.chained = True
        for _ in range(self.rng.randint(1, 2)):
            self.rng.choice((*moves, Grower.transpose, Grower.slice, Grower.dot, Grower.dot))(self)
        self.chained = False

    OPS = (
        *(unary, binary, binary, compare, select, clamp, cast, cast, reshape, transpose, broadcast),
        *(slice, slice, concat, pad, tile, iota, reduce, reduce, dot, cond, loop),
    )


def program(seed: int) -> tuple[ModuleOp, list[Array]]:
    """Returns a program `@f` and its arguments."""
    rng = Random(seed)
    dtypes = tuple(rng.sample(DTYPES, 2))
    types = [TensorType(rng.choice(dtypes), _extents(rng)) for _ in range(3)]
    types[1] = types[0]
    types.append(TensorType(i1, []))
    block = Block(arg_types=types)
    grower = Grower(rng, block, dtypes)
    ops = [*rng.sample(Grower.OPS, 4), Grower.chain]
    for _ in range(rng.randint(3, 16)):
        rng.choice(ops)(grower)
    results = [v for v in grower.values if not v.uses and v not in block.args][-5:] or [grower.values[-1]]
    block.add_op(ReturnOp(*results))
    function = FuncOp("f", (types, [r.type for r in results]), Region(block))
    return ModuleOp([function], {"ptir.extensions": UnitAttr()}), [grower.array(t) for t in types]


def _extents(rng: Random) -> list[int]:
    return [0 if rng.random() < 0.04 else rng.choice((1, 2, 2, 3, 3)) for _ in range(rng.randint(0, 4))]
