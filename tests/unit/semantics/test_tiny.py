"""`semantics/tiny/__init__.py`, compared with NumPy; and `ptir-to-tiny`, by running random programs before and after it."""

from __future__ import annotations

from dataclasses import dataclass, field

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import builtin, func
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FunctionType, ModuleOp, StringAttr, TensorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.parser import Parser
from xdsl.rewriter import InsertPoint
from xdsl.utils.test_value import create_ssa_value

from ptir.dialects import ptir, tiny
from ptir.dialects.common.shapes import element, is_float, shape
from ptir.semantics.arrays.scalars import numpy_dtype
from ptir.semantics.interpreter import call
from ptir.transforms.ptir_to_tiny import PtirToTiny, choose_layout

from ..builders.amount import examples


def context() -> Context:
    ctx = Context(allow_unregistered=True)
    for dialect in (builtin.Builtin, func.Func, ptir.PTIR, tiny.Tiny):
        ctx.load_dialect(dialect)
    return ctx


def parse(text: str) -> ModuleOp:
    module = Parser(context(), text).parse_module()
    module.verify()
    return module


def lower(module: ModuleOp) -> ModuleOp:
    after = module.clone()
    PtirToTiny().apply(context(), after)
    after.verify()
    assert not [op.name for op in after.walk() if op.name.startswith("ptir.")]
    return after


# --- random programs ----------------------------------------------------------------------------

DTYPES = (builtin.f32, builtin.bf16, builtin.f16, builtin.i32, builtin.i8)
SHAPES = ((), (3,), (1, 4), (2, 3), (2, 1, 3), (0, 2), (2, 3, 2))
FLOAT_UNARY = (ptir.ExpOp, ptir.LogOp, ptir.TanhOp, ptir.ErfOp, ptir.RsqrtOp, ptir.ReciprocalOp)
NUMBER_UNARY = (ptir.NegOp, ptir.AbsOp)
BINARY = (ptir.AddOp, ptir.SubOp, ptir.MulOp, ptir.MaximumOp, ptir.MinimumOp)


@dataclass
class Program:
    """A function under construction. Any earlier value may be an operand."""

    draw: st.DrawFn
    block: Block = field(default_factory=Block)
    values: list[SSAValue] = field(default_factory=list)

    def pick(self) -> SSAValue:
        return self.draw(st.sampled_from(self.values))

    def add(self, op: Operation) -> SSAValue:
        Builder(InsertPoint.at_end(self.block)).insert(op)
        self.values.append(op.results[0])
        return op.results[0]

    def alike(self, x: SSAValue) -> SSAValue:
        """Returns another value of x's type."""
        return self.draw(st.sampled_from([v for v in self.values if v.type == x.type]))

    def step(self) -> None:
        x = self.pick()
        dtype, sizes, draw = element(x), shape(x), self.draw
        number = dtype != builtin.i1
        kinds = ["transpose", "reshape", "broadcast", "compare", "select", "constant", "cast"]
        kinds += ["unary", "binary", "clamp", "reduce", "dot"] * number
        match draw(st.sampled_from(kinds)):
            case "unary":
                self.add(draw(st.sampled_from(NUMBER_UNARY + FLOAT_UNARY * is_float(dtype)))(x))
            case "binary":
                self.add(draw(st.sampled_from((*BINARY, *((ptir.DivOp,) * is_float(dtype)))))(x, self.alike(x)))
            case "clamp":
                self.add(ptir.ClampOp(x, self.alike(x), self.alike(x)))
            case "compare":
                self.add(ptir.CompareOp(draw(st.sampled_from(ptir.COMPARISONS)), x, self.alike(x)))
            case "select":
                y = self.alike(x)
                p = self.add(ptir.CompareOp("lt", x, y))
                self.add(ptir.SelectOp(p, x, self.alike(x)))
            case "cast":
                self.add(ptir.CastOp(x, draw(st.sampled_from(DTYPES))))
            case "constant":
                t = TensorType(draw(st.sampled_from(DTYPES)), draw(st.sampled_from(SHAPES)))
                self.add(ptir.ConstantOp(DenseIntOrFPElementsAttr.from_list(t, [draw(st.integers(-3, 3))])))
            case "transpose":
                self.add(ptir.TransposeOp(x, draw(st.permutations(range(len(sizes))))))
            case "reshape":
                self.add(ptir.ReshapeOp(x, draw(st.sampled_from([sizes, (1, *sizes), (int(np.prod(sizes)),)]))))
            case "broadcast":
                wider = tuple(draw(st.integers(1, 3)) if s == 1 else s for s in sizes)
                self.add(ptir.BroadcastToOp(x, draw(st.sampled_from([wider, (2, *wider)]))))
            case "reduce":
                axes = draw(st.lists(st.sampled_from(range(len(sizes))), unique=True)) if sizes else []
                out = draw(st.sampled_from([None, dtype]))
                kind = draw(st.sampled_from(ptir.REDUCTIONS))
                self.add(ptir.ReduceOp(kind, x, axes, keepdims=draw(st.booleans()), out=out))
            case _:
                self.dot(x)

    def dot(self, x: SSAValue) -> None:
        y = self.draw(st.sampled_from([v for v in self.values if element(v) == element(x)]))
        left, right = list(range(len(shape(x)))), list(range(len(shape(y))))
        groups: list[list[tuple[int, int]]] = [[], []]
        for group in groups:
            for _ in range(self.draw(st.integers(0, 2))):
                pairs = [(a, b) for a in left for b in right if shape(x)[a] == shape(y)[b]]
                if not pairs:
                    break
                pair = self.draw(st.sampled_from(pairs))
                group.append(pair)
                left.remove(pair[0])
                right.remove(pair[1])
        spelt = [([p[0] for p in g], [p[1] for p in g]) for g in groups]
        if len(left) + len(right) + len(groups[1]) <= 4:
            rounds = element(x) == builtin.f32 and self.draw(st.booleans())
            wide = builtin.i32 if element(x) == builtin.i8 and self.draw(st.booleans()) else None
            precision = "tf32" if rounds else None
            self.add(ptir.DotGeneralOp(x, y, spelt[0], spelt[1], wide, wide, precision=precision))


@st.composite
def programs(draw: st.DrawFn) -> ModuleOp:
    """Draws a module with a function @f of three arguments, which returns all of its values."""
    types = [TensorType(draw(st.sampled_from(DTYPES)), draw(st.sampled_from(SHAPES))) for _ in range(3)]
    program = Program(draw, Block(arg_types=types))
    program.values.extend(program.block.args)
    for _ in range(draw(st.integers(1, 10))):
        program.step()
    results = program.values[len(types) :] or list(program.values)
    Builder(InsertPoint.at_end(program.block)).insert(func.ReturnOp(*results))
    function = func.FuncOp("f", FunctionType.from_lists(types, [v.type for v in results]), Region(program.block))
    module = ModuleOp([function])
    module.verify()
    return module


@given(module=programs(), seed=st.integers(0, 9))
@settings(max_examples=examples(200))
def test_random_programs_mean_the_same_in_tiny(module: ModuleOp, seed: int):
    function = next(iter(module.ops))
    assert isinstance(function, func.FuncOp)
    rng = np.random.default_rng(seed)
    arrays = [rng.integers(-4, 5, shape(t)).astype(numpy_dtype(element(t))) for t in function.function_type.inputs]
    before, after = call(module, "f", *arrays), call(lower(module), "f", *arrays)
    for a, b in zip(before, after, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_array_equal(a.astype(np.float64), b.astype(np.float64))


# --- tiny on its own ----------------------------------------------------------------------------


@pytest.mark.parametrize(("left", "right"), [("4x1x3", "2x1"), ("3", "4x2x3"), ("1x1x1", "4x2x3"), ("4x0x3", "1x3")])
@pytest.mark.parametrize("axes", [[0], [1], [2], [0, 2], [0, 1, 2]])
@pytest.mark.parametrize("dtype", ["f32", "i32"])
def test_summed_products_broadcast(left: str, right: str, axes: list[int], dtype: str):
    sides = [tuple(int(n) for n in side.split("x")) for side in (left, right)]
    sizes = np.broadcast_shapes(*sides)
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-9, 9, s).astype({"f32": np.float32, "i32": np.int32}[dtype]) for s in sides)
    want = (a.astype(np.int64) * b.astype(np.int64)).sum(axis=tuple(axes))
    full, out = ("tensor<" + "".join(f"{n}x" for n in s) + f"{dtype}>" for s in (sizes, want.shape))
    module = parse(f"""
    func.func @f(%a: tensor<{left}x{dtype}>, %b: tensor<{right}x{dtype}>) -> {out} {{
      %p = tiny.binary mul %a, %b : (tensor<{left}x{dtype}>, tensor<{right}x{dtype}>) -> {full}
      %r = tiny.reduce sum %p axes {axes} accum {dtype} : {full} -> {out}
      func.return %r : {out}
    }}""")
    np.testing.assert_array_equal(call(module, "f", a, b)[0], want)


@pytest.mark.sampled(1)
def test_big_contractions_stay_in_memory():
    """2048³ products would be 34 GB in f32."""
    n = 2048
    module = parse(f"""
    func.func @f(%a: tensor<{n}x{n}x1xf32>, %b: tensor<1x{n}x{n}xf32>) -> tensor<{n}x{n}xf32> {{
      %p = tiny.binary mul %a, %b : (tensor<{n}x{n}x1xf32>, tensor<1x{n}x{n}xf32>) -> tensor<{n}x{n}x{n}xf32>
      %r = tiny.reduce sum %p axes [1] accum f32 : tensor<{n}x{n}x{n}xf32> -> tensor<{n}x{n}xf32>
      func.return %r : tensor<{n}x{n}xf32>
    }}""")
    a = np.ones((n, n, 1), np.float32)
    assert np.all(call(module, "f", a, a.reshape(1, n, n))[0] == n)


def test_where_takes_its_predicate_first_and_reduces_have_identities():
    module = parse("""
    func.func @f(%p: tensor<2xi1>, %a: tensor<3x2xf32>, %b: tensor<f32>) -> (tensor<3x2xf32>, tensor<f32>) {
      %w = tiny.binary where %p, %a, %b : (tensor<2xi1>, tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
      %e = tiny.const dense<> : tensor<0xf32>
      %m = tiny.reduce max %e axes [0] accum f32 : tensor<0xf32> -> tensor<f32>
      func.return %w, %m : tensor<3x2xf32>, tensor<f32>
    }""")
    a = np.arange(6, dtype=np.float32).reshape(3, 2)
    got, empty = call(module, "f", np.array([True, False]), a, np.array(9, np.float32))
    assert got.tolist() == [[0, 9], [2, 9], [4, 9]]
    assert empty == -np.inf


# --- what the pass promises ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lhs", "rhs", "contract", "batch", "permutes"),
    [
        ((4, 8), (8, 2), ([1], [0]), ([], []), 0),  # x · w
        ((4, 8), (2, 8), ([1], [1]), ([], []), 0),  # x · wᵀ
        ((8, 4), (8, 2), ([0], [0]), ([], []), 0),  # xᵀ · w
        ((8, 4), (2, 8), ([0], [1]), ([], []), 1),
        ((3, 4, 8), (3, 8, 2), ([2], [1]), ([0], [0]), 0),
        ((4, 3, 8), (3, 8, 2), ([2], [1]), ([1], [0]), 1),
        ((4, 5, 8), (8, 5, 2), ([2, 1], [0, 1]), ([], []), 1),
        ((4, 5, 8), (5, 8, 2), ([2, 1], [1, 0]), ([], []), 0),
    ],
)
def test_layouts_permute_as_little_as_can_be(lhs, rhs, contract, batch, permutes):
    a, b = (create_ssa_value(TensorType(builtin.f32, s)) for s in (lhs, rhs))
    layout = choose_layout(ptir.DotGeneralOp(a, b, contract, batch))
    assert layout.permutes == permutes
    assert len(layout.axes) == len(lhs) + len(rhs) - len(contract[0]) - len(batch[0])  # nothing is collapsed


def test_locations_names_and_dead_ops_survive():
    module = parse("""
    func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
      %unused = ptir.exp %a : tensor<2xf32>
      %kept = ptir.clamp %a, %a, %a : tensor<2xf32>
      func.return %kept : tensor<2xf32>
    }""")
    place = builtin.FileLineColLoc(StringAttr("m"), builtin.IntAttr(3), builtin.IntAttr(5))
    for op in module.walk():
        op.location = place
    after = lower(module)
    ops = [op for op in after.walk() if op.name.startswith("tiny.")]
    assert [op.name for op in ops] == ["tiny.unary", "tiny.binary", "tiny.binary"]
    assert all(op.location == place for op in ops)
    assert ops[0].results[0].name_hint == "unused" and ops[2].results[0].name_hint == "kept"


def test_half_precision_values_survive_bf16():
    """The exact cast to f32 and back is the identity on every bf16."""
    bits = np.arange(1 << 16, dtype=np.uint16).view(ml_dtypes.bfloat16)
    module = parse("""
    func.func @f(%a: tensor<65536xbf16>) -> tensor<65536xbf16> {
      %w = tiny.unary cast %a : tensor<65536xbf16> -> tensor<65536xf32>
      %r = tiny.unary cast %w : tensor<65536xf32> -> tensor<65536xbf16>
      func.return %r : tensor<65536xbf16>
    }""")
    np.testing.assert_array_equal(call(module, "f", bits)[0].astype(np.float32), bits.astype(np.float32))
