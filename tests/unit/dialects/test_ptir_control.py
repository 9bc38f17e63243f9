"""Control flow, compared with Python's loops and branches, and properties that are not known statically."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

import ptir
from ptir.dialects.ptir import AddOp, CondOp, ScanOp, WhileOp, YieldOp
from ptir.passes.errors import MeaningChanged
from ptir.passes.validation import Interpret, ValidatePasses
from ptir.semantics.bounds import check
from ptir.semantics.errors import DivisionByZero, NameConflict, NoBounds, SizeMismatch, TooManyIterations, UnknownSize
from ptir.semantics.ptir.control import at_most
from ptir.text.verify import verify_module

from ..builders.amount import examples
from ..builders.ptir_strategies import DTYPES, array, seeds

I32 = np.int32


def f(signature: str, *body: str, extensions: bool = False) -> ModuleOp:
    """Returns @f with this signature. It returns %r, unless the body ends with its own func.return."""
    result = signature.split("->")[1].strip()
    end = [] if "func.return" in body[-1] else [f"func.return %r : {result}"]
    text = "\n".join([f"func.func @f{signature} {{", *body, *end, "}"])
    module = ptir.parse(f"builtin.module attributes {{ptir.extensions}} {{ {text} }}" if extensions else text)
    verify_module(module)
    return module


# --- cond -----------------------------------------------------------------------------------------

BRANCH = f(
    "(%p: tensor<i1>, %a: tensor<2xsi32>, %b: tensor<2xsi32>) -> tensor<2xsi32>",
    """%r = ptir.cond %p (%a, %b) : (tensor<2xsi32>, tensor<2xsi32>) -> tensor<2xsi32> then (%x, %y) {
      %0 = ptir.div %x, %y : tensor<2xsi32>
      ptir.yield %0 : tensor<2xsi32>
    } else (%u, %v) {
      %1 = ptir.sub %u, %v : tensor<2xsi32>
      ptir.yield %1 : tensor<2xsi32>
    }""",
)


@given(p=st.booleans(), a=st.lists(st.integers(-9, 9), min_size=2, max_size=2), b=st.integers(1, 5))
@settings(max_examples=examples(20))
def test_cond_is_if(p: bool, a: list[int], b: int):
    got = ptir.reference(BRANCH, np.array(p), np.array(a, I32), np.array([b, b], I32))[0]
    assert got.tolist() == ([int(x / b) for x in a] if p else [x - b for x in a])


def test_the_other_region_does_not_run():
    zeros = np.zeros(2, I32)
    assert ptir.reference(BRANCH, np.array(False), zeros, zeros)[0].tolist() == [0, 0]
    with pytest.raises(DivisionByZero):
        ptir.reference(BRANCH, np.array(True), zeros, zeros)


def test_a_branch_with_tuples_and_nothing():
    t = "tuple<tensor<f32>, tensor<i8>>"
    module = f(
        f"(%p: tensor<i1>, %t: {t}) -> {t}",
        "ptir.cond %p : () -> () then {\nptir.yield\n} else {\nptir.yield\n}",
        f"%r = ptir.cond %p (%t) : ({t}) -> {t} then (%x) {{\nptir.yield %x : {t}\n}} else (%y) {{",
        f"%f = ptir.tuple_element %y[0] : {t} -> tensor<f32>",
        "%n = ptir.neg %f : tensor<f32>",
        f"%i = ptir.tuple_element %y[1] : {t} -> tensor<i8>",
        f"%z = ptir.tuple %n, %i : {t}",
        f"ptir.yield %z : {t}\n}}",
    )
    for p, want in ((True, 3.0), (False, -3.0)):
        a, b = ptir.reference(module, np.array(p), np.float32(3), np.int8(7))
        assert (a, b) == (want, 7)


# --- while ----------------------------------------------------------------------------------------

GCD = f(
    "(%a: tensor<si64>, %b: tensor<si64>) -> tensor<si64>",
    """%r, %zero = ptir.while (%a, %b) : (tensor<si64>, tensor<si64>) -> (tensor<si64>, tensor<si64>) cond (%x, %y) {
      %0 = ptir.constant dense<0> : tensor<si64>
      %more = ptir.compare ne %y, %0 : tensor<si64> -> tensor<i1>
      ptir.yield %more, %x, %y : tensor<i1>, tensor<si64>, tensor<si64>
    } do (%x1, %y1) {
      %q = ptir.div %x1, %y1 : tensor<si64>
      %m = ptir.mul %q, %y1 : tensor<si64>
      %rest = ptir.sub %x1, %m : tensor<si64>
      ptir.yield %y1, %rest : tensor<si64>, tensor<si64>
    }""",
)


@given(a=st.integers(0, 10**6), b=st.integers(0, 10**6))
@settings(max_examples=examples(30))
def test_while_is_while(a: int, b: int):
    assert ptir.reference(GCD, np.int64(a), np.int64(b))[0] == math.gcd(a, b)


COUNT = """%0 = ptir.constant dense<0> : tensor<si32>
    %r, %last = ptir.while (%0, %n) : (tensor<si32>, tensor<si32>) -> (tensor<si32>, tensor<si32>) cond (%i, %k) {
      %1 = ptir.constant dense<1> : tensor<si32>
      %j = ptir.add %i, %1 : tensor<si32>
      %more = ptir.compare lt %j, %k : tensor<si32> -> tensor<i1>
      ptir.yield %more, %j, %k : tensor<i1>, tensor<si32>, tensor<si32>
    } do (%i1, %k1) {
      ptir.yield %i1, %k1 : tensor<si32>, tensor<si32>
    }"""
COUNTER = f("(%n: tensor<si32>) -> tensor<si32>", COUNT)
"""A loop whose counter is incremented in `cond`, also in the last evaluation, when the loop ends."""


def test_the_results_are_what_the_last_cond_gave():
    assert ptir.reference(COUNTER, I32(5))[0] == 5
    assert ptir.reference(COUNTER, I32(-3))[0] == 1


def test_the_stack_does_not_grow_with_the_rounds():
    assert ptir.reference(COUNTER, I32(3000))[0] == 3000  # more iterations than Python's recursion limit, 1000


def test_a_size_may_change_from_round_to_round():
    t = "tensor<?xf32>"
    module = f(
        f"(%n: tensor<si32>, %x: {t}) -> {t}",
        f"""%k, %r = ptir.while (%n, %x) : (tensor<si32>, {t}) -> (tensor<si32>, {t}) cond (%i, %y) {{
          %0 = ptir.constant dense<0> : tensor<si32>
          %more = ptir.compare gt %i, %0 : tensor<si32> -> tensor<i1>
          ptir.yield %more, %i, %y : tensor<i1>, tensor<si32>, {t}
        }} do (%j, %z) {{
          %1 = ptir.constant dense<1> : tensor<si32>
          %next = ptir.sub %j, %1 : tensor<si32>
          %longer = ptir.concat %z, %z axis 0 : ({t}, {t}) -> {t}
          ptir.yield %next, %longer : tensor<si32>, {t}
        }}""",
    )
    assert ptir.reference(module, I32(3), np.array([1, 2], np.float32))[0].tolist() == [1, 2] * 8


FOREVER = f(
    "(%x: tensor<f32>) -> tensor<f32>",
    """%r = ptir.while (%x) : (tensor<f32>) -> tensor<f32> cond (%y) {
      %more = ptir.constant dense<true> : tensor<i1>
      ptir.yield %more, %y : tensor<i1>, tensor<f32>
    } do (%z) {
      %next = ptir.custom_call "test.step.v1"(%z) : (tensor<f32>) -> tensor<f32>
      ptir.yield %next : tensor<f32>
    }""",
)


def test_a_loop_without_end_can_be_interrupted():
    def step(x: Any) -> Any:
        if x == 100:
            raise KeyboardInterrupt
        return x + np.float32(1)

    with ptir.register_custom_call("test.step.v1", step), pytest.raises(KeyboardInterrupt):
        ptir.reference(FOREVER, np.float32(0))


def test_rounds_can_be_limited():
    with at_most(5):
        assert ptir.reference(COUNTER, I32(6))[0] == 6
    with at_most(5), pytest.raises(TooManyIterations, match="does not end within 5 iterations") as caught:
        ptir.reference(COUNTER, I32(7))
    assert str(caught.value) == (
        "<string>:3:17: error[PTIR0576]: the loop does not end within 5 iterations\n"
        "  help: it may not terminate on these values; ptir.reference and ptir-run have no limit"
    )
    assert ptir.reference(COUNTER, I32(7))[0] == 7


# --- scan -----------------------------------------------------------------------------------------

ROW, ROWS, FACTORS = "tensor<2xf32>", "tensor<?x2xf32>", "tensor<?xf32>"
RUNNING = f(
    f"(%s: {ROW}, %x: {ROWS}, %k: {FACTORS}) -> ({ROW}, {ROWS}, {FACTORS})",
    f"""%last, %sums, %ks = ptir.scan (%s) over (%x, %k) : ({ROW}, {ROWS}, {FACTORS}) -> ({ROW}, {ROWS}, {FACTORS}) do (%sum, %row, %f) {{
      %wide = ptir.broadcast_to %f : tensor<f32> -> {ROW}
      %p = ptir.mul %row, %wide : {ROW}
      %next = ptir.add %sum, %p : {ROW}
      %n = ptir.neg %f : tensor<f32>
      ptir.yield %next, %next, %n : {ROW}, {ROW}, tensor<f32>
    }}
    func.return %last, %sums, %ks : {ROW}, {ROWS}, {FACTORS}""",
)


@given(x=st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4), st.integers(-4, 4)), max_size=6))
@settings(max_examples=examples(20))
def test_scan_is_a_loop_over_the_leading_axis(x: list[tuple[int, int, int]]):
    table = np.array(x, np.float32).reshape(-1, 3)
    start = np.array([1, 2], np.float32)
    last, sums, ks = ptir.reference(RUNNING, start, table[:, 1:], table[:, 0])
    a, b = 1, 2
    want: list[list[int]] = []
    for k, p, q in x:
        a, b = a + k * p, b + k * q
        want.append([a, b])
    assert last.tolist() == [a, b]
    assert sums.shape == (len(x), 2) and sums.tolist() == want
    assert ks.dtype == np.float32 and ks.tolist() == [-k for k, _, _ in x]


@pytest.mark.parametrize("dtype", DTYPES)
@given(shape=st.lists(st.sampled_from([0, 1, 2, 3]), min_size=1, max_size=4), seed=seeds)
@settings(max_examples=examples(6))
def test_slices_and_rows_of_every_type(dtype: str, shape: list[int], seed: int):
    x = array(shape, dtype, seed)
    whole, row = (f"tensor<{''.join(f'{n}x' for n in s)}{dtype}>" for s in (shape, shape[1:]))
    module = f(
        f"(%x: {whole}) -> ({row}, {whole})",
        f"%zero = ptir.constant dense<{'(0.0, 0.0)' if 'complex' in dtype else '0.0' if 'f' in dtype else 'false' if dtype == 'i1' else 0}> : {row}",
        f"%last, %all = ptir.scan (%zero) over (%x) : ({row}, {whole}) -> ({row}, {whole}) do (%c, %e) {{",
        f"ptir.yield %e, %e : {row}, {row}\n}}\nfunc.return %last, %all : {row}, {whole}",
    )
    last, stacked = ptir.reference(module, x)
    assert stacked.dtype == x.dtype and stacked.shape == x.shape and stacked.tobytes() == x.tobytes()
    want = x[-1] if len(x) else np.zeros(shape[1:], x.dtype)
    assert last.dtype == x.dtype and np.asarray(last).tobytes() == np.asarray(want).tobytes()


def test_scanned_inputs_have_one_length():
    with pytest.raises(SizeMismatch, match="the leading axis of scanned input 1 has size 3 in this run, expected 4"):
        ptir.reference(RUNNING, np.zeros(2, np.float32), np.zeros((4, 2), np.float32), np.zeros(3, np.float32))


def test_a_named_time_axis_is_held_to_its_name():
    module = f(
        "(%x: tensor<?xf32, #ptir.dims<T>>, %y: tensor<?xf32, #ptir.dims<T>>) -> tensor<?xf32, #ptir.dims<T>>",
        """%r = ptir.scan over (%x, %y) : (tensor<?xf32, #ptir.dims<T>>, tensor<?xf32, #ptir.dims<T>>) -> tensor<?xf32, #ptir.dims<T>> do (%a, %b) {
          %0 = ptir.add %a, %b : tensor<f32>
          ptir.yield %0 : tensor<f32>
        }""",
    )
    x = np.arange(3, dtype=np.float32)
    assert ptir.reference(module, x, x)[0].tolist() == [0, 2, 4]
    with pytest.raises(NameConflict):
        ptir.reference(module, x, x[:2])


GROWING = f(
    "(%x: tensor<?xf32>, %t: tensor<?xi8>) -> tensor<?x?xf32>",
    """%c, %r = ptir.scan (%x) over (%t) : (tensor<?xf32>, tensor<?xi8>) -> (tensor<?xf32>, tensor<?x?xf32>) do (%y, %e) {
      %z = ptir.concat %y, %y axis 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      ptir.yield %z, %y : tensor<?xf32>, tensor<?xf32>
    }""",
)


def test_rows_have_one_shape():
    x = np.ones(2, np.float32)
    assert ptir.reference(GROWING, x, np.zeros(1, np.int8))[0].shape == (1, 2)
    with pytest.raises(SizeMismatch, match=r"a row has size \[4\] in this run, expected \[2\], the first row's"):
        ptir.reference(GROWING, x, np.zeros(2, np.int8))


def test_nothing_stacked_of_a_size_that_nobody_knows():
    with pytest.raises(UnknownSize):
        ptir.reference(GROWING, np.ones(2, np.float32), np.zeros(0, np.int8))
    named = f(
        "(%x: tensor<?xf32, #ptir.dims<N>>, %t: tensor<?xi8>) -> tensor<?x?xf32, #ptir.dims<_, N>>",
        """%r = ptir.scan over (%t) : (tensor<?xi8>) -> tensor<?x?xf32, #ptir.dims<_, N>> do (%e) {
          %z = ptir.rng_uniform : tensor<?xf32, #ptir.dims<N>>
          ptir.yield %z : tensor<?xf32, #ptir.dims<N>>
        }""",
    )
    assert ptir.reference(named, np.ones(5, np.float32), np.zeros(0, np.int8))[0].shape == (0, 5)


def test_loops_in_loops():
    """A matrix product as a scan of scans, with a branch that leaves out odd columns."""
    module = f(
        "(%a: tensor<3x4xsi32>, %b: tensor<4x5xsi32>) -> tensor<3x5xsi32>",
        """%rows = ptir.broadcast_to %b : tensor<4x5xsi32> -> tensor<3x4x5xsi32>
        %r = ptir.scan over (%a, %rows) : (tensor<3x4xsi32>, tensor<3x4x5xsi32>) -> tensor<3x5xsi32> do (%row, %m) {
          %zero = ptir.constant dense<0> : tensor<5xsi32>
          %sum = ptir.scan (%zero) over (%row, %m) : (tensor<5xsi32>, tensor<4xsi32>, tensor<4x5xsi32>) -> tensor<5xsi32> do (%s, %e, %v) {
            %0 = ptir.constant dense<0> : tensor<si32>
            %p = ptir.compare ne %e, %0 : tensor<si32> -> tensor<i1>
            %n = ptir.cond %p (%s, %e, %v) : (tensor<5xsi32>, tensor<si32>, tensor<5xsi32>) -> tensor<5xsi32> then (%s1, %e1, %v1) {
              %w = ptir.broadcast_to %e1 : tensor<si32> -> tensor<5xsi32>
              %q = ptir.mul %w, %v1 : tensor<5xsi32>
              %t = ptir.add %s1, %q : tensor<5xsi32>
              ptir.yield %t : tensor<5xsi32>
            } else (%s2, %e2, %v2) {
              ptir.yield %s2 : tensor<5xsi32>
            }
            ptir.yield %n : tensor<5xsi32>
          }
          ptir.yield %sum : tensor<5xsi32>
        }""",
    )
    rng = np.random.default_rng(0)
    a, b = rng.integers(-1, 2, (3, 4)).astype(I32), rng.integers(-9, 9, (4, 5)).astype(I32)
    assert np.array_equal(ptir.reference(module, a, b)[0], a @ b)


# --- building -------------------------------------------------------------------------------------


def test_constructors_infer_the_result_types():
    module = f(
        "(%p: tensor<i1>, %c: tensor<f32>, %x: tensor<?xf32, #ptir.dims<T>>, %y: tensor<7xf32>) -> tensor<f32>",
        "func.return %c : tensor<f32>",
    )
    p, c, x, y = module.body.block.first_op.regions[0].block.args  # pyright: ignore[reportOptionalMemberAccess]

    def body(*types: Any, results: int, predicate: bool = False) -> Any:
        block = Block(arg_types=types)
        total = AddOp(block.args[-1], block.args[-1])
        flag = ptir.parse("func.func @g() {\n%0 = ptir.constant dense<true> : tensor<i1>\nfunc.return\n}").body.block
        constant = flag.first_op.regions[0].block.first_op  # pyright: ignore[reportOptionalMemberAccess]
        constant.detach()
        ops = [constant, total] if predicate else [total]
        block.add_ops([*ops, YieldOp([*(constant.results if predicate else ()), *[total.result] * results])])
        return block

    scalar = c.type
    assert CondOp(p, [c], body(scalar, results=1), body(scalar, results=1)).result_types == (scalar,)
    loop = WhileOp([c], body(scalar, results=1, predicate=True), body(scalar, results=1))
    loop.verify()
    assert loop.result_types == (scalar,)
    scan = ScanOp([c], [x, y], body(scalar, scalar, scalar, results=2))
    scan.verify()
    assert scan.result_types == (scalar, y.type) and scan.carry_count == 1 and list(scan.stacked) == [scan.outputs[1]]
    assert ScanOp([], [x], body(scalar, results=1)).result_types == (x.type,)


# --- bounds ---------------------------------------------------------------------------------------


def test_bounds_follow_a_certain_predicate():
    x = np.arange(6, dtype=np.float32).reshape(3, 2) / 7
    start, factors = np.ones(2, np.float32), np.array([0.1, 0.2, 0.3], np.float32)
    for result, interval in zip(
        ptir.reference(RUNNING, start, x, factors), ptir.bounds(RUNNING, start, x, factors), strict=True
    ):
        assert check(result, interval).ok
        assert not check(result + np.float32(0.01), interval).ok
    for module, args in ((GCD, (np.int64(36), np.int64(60))), (BRANCH, (np.array(True), I32([7, 8]), I32([2, 2])))):
        (interval,) = ptir.bounds(module, *args)
        assert np.array_equal(interval.lo, interval.hi) and np.array_equal(
            interval.lo, ptir.reference(module, *args)[0]
        )
    empty = ptir.bounds(RUNNING, start, x[:0], factors[:0])
    assert [i.shape for i in empty] == [(2,), (0, 2), (0,)]


def test_no_bounds_where_rounding_may_change_the_predicate():
    module = f(
        "(%x: tensor<f32>) -> tensor<f32>",
        """%e = ptir.exp %x : tensor<f32>
        %one = ptir.constant dense<1.0> : tensor<f32>
        %p = ptir.compare lt %e, %one : tensor<f32> -> tensor<i1>
        %r = ptir.cond %p (%x) : (tensor<f32>) -> tensor<f32> then (%y) {
          ptir.yield %y : tensor<f32>
        } else (%z) {
          %n = ptir.neg %z : tensor<f32>
          ptir.yield %n : tensor<f32>
        }""",
    )
    with pytest.raises(NoBounds, match=r"ptir.cond where rounding may change the predicate"):
        ptir.bounds(module, np.float32(0))
    assert ptir.bounds(module, np.float32(-1))[0].lo == -1
    assert ptir.bounds(module, np.float32(1))[0].hi == -1


# --- passes ---------------------------------------------------------------------------------------


class ExchangeRegions(ModulePass):
    """A pass that is wrong: it exchanges the regions of an op."""

    name = "exchange-regions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for sub in [o for o in op.walk() if isinstance(o, CondOp)]:
            a, b = sub.true_region.detach_block(0), sub.false_region.detach_block(0)
            sub.true_region.add_block(b)
            sub.false_region.add_block(a)


def test_validation_runs_control_flow(caplog: pytest.LogCaptureFixture):
    for module in (GCD, COUNTER, RUNNING):
        ptir.PassManager("cse,dce", instrumentations=[ValidatePasses([Interpret()])]).run(module.clone())
    assert not caplog.records
    with pytest.raises(MeaningChanged):
        ptir.PassManager([ExchangeRegions()], instrumentations=[ValidatePasses([Interpret()])]).run(BRANCH.clone())


@pytest.mark.campaign
def test_validation_does_not_wait_for_a_loop_without_end(caplog: pytest.LogCaptureFixture):
    module = f(
        "(%x: tensor<i8>) -> tensor<i8>",
        """%r = ptir.while (%x) : (tensor<i8>) -> tensor<i8> cond (%y) {
          %more = ptir.constant dense<true> : tensor<i1>
          ptir.yield %more, %y : tensor<i1>, tensor<i8>
        } do (%z) {
          ptir.yield %z : tensor<i8>
        }""",
    )
    ptir.PassManager("cse", instrumentations=[ValidatePasses([Interpret()])]).run(module)
    assert "it is undefined on all samples" in caplog.text


STATIC = f(
    "(%x: tensor<3xf32>) -> tensor<3xf32>",
    """%r = ptir.scan over (%x) : (tensor<3xf32>) -> tensor<3xf32> do (%e) {
      ptir.yield %e : tensor<f32>
    }""",
)


@pytest.mark.parametrize("module", [GCD, BRANCH, STATIC], ids=["while", "cond", "scan"])
def test_it_stays_between_tiny_ops_and_the_host_executes_it(module: ModuleOp):
    tiny = ptir.PassManager("ptir-to-tiny").run(module.clone())
    names = {op.name for op in tiny.walk() if op.name.startswith("ptir.")}
    assert len(names - {"ptir.yield"}) == 1
    ptir.PassManager("form-regions").run(tiny)
    assert not any(op.name.startswith("ptir.") for op in tiny.walk())
