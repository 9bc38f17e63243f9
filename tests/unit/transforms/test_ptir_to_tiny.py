"""`ptir-to-tiny` and `tiny-to-ptir` preserve the results of programs: one op each, and random ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.dialects import tiny
from ptir.dialects.common.shapes import element
from ptir.dialects.ptir import PTIR
from ptir.dialects.ptir.dims import sizes
from ptir.passes.environment import make_context
from ptir.passes.validation import Interpret, ValidatePasses
from ptir.runtime.devices import Emulator
from ptir.semantics.arrays.scalars import numpy_dtype
from ptir.semantics.interpreter import call
from ptir.semantics.samples import draw
from ptir.transforms.errors import NoTinyForm
from ptir.transforms.ptir_to_tiny import LOWERINGS, lower, lowering_error, require_tiny
from ptir.transforms.tiny_to_ptir import lift
from tests.random_programs.check import Checker
from tests.random_programs.generator import Options, generate
from tests.random_programs.rows.table import ROWS

from ..builders.amount import examples

pytestmark = pytest.mark.sampled(3)

DOWN, BACK = "ptir-to-tiny", "ptir-to-tiny,tiny-to-ptir"
OTHERS = "custom_call cond while scan yield tuple tuple_element composite"
NOT_AFFINE = {f"ptir.{name}" for name in OTHERS.split()}
"""Ops that are not lowered. Composites are inlined first."""
KEPT = {"ptir.gather", "ptir.dynamic_slice"}
"""Ops that are lowered to themselves, beside tiny ops."""


def run(text: str, pipeline: str) -> ModuleOp:
    return ptir.PassManager(pipeline).run(ptir.parse(text))


def names(module: ModuleOp) -> set[str]:
    return {op.name for op in module.walk()} - {"builtin.module", "func.func", "func.return"}


def same(a: Sequence[Any], b: Sequence[Any]) -> None:
    for x, y in zip(a, b, strict=True):
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        wide = [v if v.dtype.kind in "cbiu" else v.astype(np.float64) for v in (x, y)]
        np.testing.assert_array_equal(*wide)


# --- every op -----------------------------------------------------------------------------------


def test_every_op_has_a_row_or_is_not_affine():
    rows = {op.name for op in LOWERINGS}
    assert rows | NOT_AFFINE == {op.name for op in PTIR.operations}
    assert not rows & NOT_AFFINE


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", sorted(op.name for op in LOWERINGS if op.name in ROWS))
def test_an_op_means_the_same_in_tiny_and_back(name: str):
    checker = Checker({DOWN: DOWN, BACK: BACK})
    for index in range(3):
        case = generate(5, index, Options(frozenset({name}), functions=1, length=(1, 3), dynamic=0.2))
        problems = checker.check(case)
        assert not problems, f"{problems[0]}\n{case.module}"


@pytest.mark.parametrize("name", sorted(op.name for op in LOWERINGS if op.name in ROWS and op.name not in KEPT))
def test_an_op_of_known_sizes_does_not_stay(name: str):
    for index in range(3):
        case = generate(
            6, index, Options(frozenset({name}), ("f32", "si32", "i1"), functions=1, length=(1, 2), dynamic=0)
        )
        if not any(op.name == name for op in case.module.walk()):
            continue
        after = ptir.PassManager(DOWN).run(case.module.clone())
        left = [op for op in after.walk() if op.name == name]
        why = [lowering_error(op) for op in left]
        assert all(error is not None and "splits or joins elements" in error.message for error in why), after
        checks = [op for op in after.walk() if isinstance(op, tiny.BinaryOp) and op.fn.data in tiny.CHECKS]
        back = ptir.PassManager("tiny-to-ptir").run(after.clone())
        assert checks or not any(n.startswith("tiny.") for n in names(back)), back


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(2))
def test_random_programs_mean_the_same_in_tiny_and_back(seed: int):
    checker = Checker({DOWN: DOWN, BACK: BACK}, quick=True)
    for index in range(examples(8)):
        case = generate(seed + 40, index)
        problems = checker.check(case)
        assert not problems, f"{problems[0]}\n{case.module}"


# --- programs -----------------------------------------------------------------------------------

NETWORK = """
builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2x6x6x2xf32>, %w: tensor<3x3x1x4xf32>, %m: tensor<16x5xf32>, %g: tensor<5xf32>, %b: tensor<5xf32>)
    -> (tensor<2x5xf32>, tensor<2x2xf32>) {
  %0 = ptir.convolution %x, %w strides [1, 1] padding [(1, 1), (0, 2)] groups 2
     : (tensor<2x6x6x2xf32>, tensor<3x3x1x4xf32>) -> tensor<2x6x6x4xf32>
  %1 = ptir.reduce_window max %0 window [1, 3, 3, 1] strides [1, 4, 4, 1] padding [(0, 0), (0, 1), (1, 0), (0, 0)]
     : tensor<2x6x6x4xf32> -> tensor<2x2x2x4xf32>
  %2 = ptir.reshape %1 : tensor<2x2x2x4xf32> -> tensor<2x16xf32>
  %3 = ptir.dot_general %2, %m contract [1] x [0] : (tensor<2x16xf32>, tensor<16x5xf32>) -> tensor<2x5xf32>
  %4 = ptir.layer_norm %3, %g, %b axis 1 epsilon 1.0e-05 : tensor<2x5xf32>, tensor<5xf32>
  %5 = ptir.composite "softmax.v1" (%4) {axis = 1 : i64} : (tensor<2x5xf32>) -> tensor<2x5xf32> do (%z) {
    %m0 = ptir.reduce max %z axes [1] keepdims : tensor<2x5xf32> -> tensor<2x1xf32>
    %m1 = ptir.broadcast_to %m0 : tensor<2x1xf32> -> tensor<2x5xf32>
    %d = ptir.sub %z, %m1 : tensor<2x5xf32>
    %e = ptir.exp %d : tensor<2x5xf32>
    %s0 = ptir.reduce sum %e axes [1] keepdims : tensor<2x5xf32> -> tensor<2x1xf32>
    %s1 = ptir.broadcast_to %s0 : tensor<2x1xf32> -> tensor<2x5xf32>
    %p = ptir.div %e, %s1 : tensor<2x5xf32>
    ptir.yield %p : tensor<2x5xf32>
  }
  %v, %i = ptir.top_k largest %5 k 2 axis 1 : tensor<2x5xf32> -> tensor<2x2xf32>, tensor<2x2xsi64>
  func.return %5, %v : tensor<2x5xf32>, tensor<2x2xf32>
}
}
"""


def test_a_network_is_validated_pass_by_pass():
    module = ptir.parse(NETWORK)
    ptir.PassManager(BACK, instrumentations=[ValidatePasses([Interpret()])]).run(module)
    assert "tiny.movement" not in names(module)
    after = run(NETWORK, DOWN)
    assert {n for n in names(after) if n.startswith("ptir.")} <= KEPT


def test_a_convolution_against_its_definition():
    """2-D, with stride, dilation, uneven padding and groups, written out."""
    text = """
    builtin.module attributes {ptir.extensions} {
    func.func @f(%x: tensor<2x7x6x4xf32>, %w: tensor<3x2x2x6xf32>) -> tensor<2x4x4x6xf32> {
      %0 = ptir.convolution %x, %w strides [2, 1] padding [(2, 1), (-1, 1)] dilation [1, 2] groups 2
         : (tensor<2x7x6x4xf32>, tensor<3x2x2x6xf32>) -> tensor<2x4x4x6xf32>
      func.return %0 : tensor<2x4x4x6xf32>
    }
    }"""
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-4, 5, s).astype(np.float32) for s in ((2, 7, 6, 4), (3, 2, 2, 6)))
    want = np.zeros((2, 4, 4, 6), np.float32)
    for n, i, j, f, a, b, c in np.ndindex(2, 4, 4, 6, 3, 2, 2):
        y, z = 2 * i + a - 2, j + 2 * b + 1
        if 0 <= y < 7 and 1 <= z < 6:
            want[n, i, j, f] += x[n, y, z, f // 3 * 2 + c] * w[a, b, c, f]
    for pipeline in (DOWN, BACK):
        same(call(run(text, pipeline), "f", x, w), [want])


@pytest.mark.parametrize("groups", [1, 2])
def test_a_convolution_without_padding_reaches_kernels(groups: int):
    """Its windows are read in place: what the emulator computes of them is what the program means."""
    text = f"""
    builtin.module attributes {{ptir.extensions}} {{
    func.func @f(%x: tensor<1x7x9x4xbf16>, %w: tensor<3x3x{4 // groups}x8xbf16>) -> tensor<1x3x5x8xf32> {{
      %0 = ptir.convolution %x, %w strides [2, 1] dilation [1, 2] groups {groups} accum f32 out f32
         : (tensor<1x7x9x4xbf16>, tensor<3x3x{4 // groups}x8xbf16>) -> tensor<1x3x5x8xf32>
      func.return %0 : tensor<1x3x5x8xf32>
    }}
    }}"""
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-3, 4, s).astype(ml_dtypes.bfloat16) for s in ((1, 7, 9, 4), (3, 3, 4 // groups, 8)))
    same(ptir.compile(text, device=Emulator(), entry="f")(x, w), ptir.reference(text, x, w, entry="f"))


def test_a_concatenation_keeps_negative_zeros_and_nan():
    text = """
    func.func @f(%x: tensor<2xf32>, %y: tensor<1xf32>) -> tensor<5xf32> {
      %0 = ptir.concat %x, %y, %x axis 0 : (tensor<2xf32>, tensor<1xf32>, tensor<2xf32>) -> tensor<5xf32>
      func.return %0 : tensor<5xf32>
    }"""
    x, y = np.array([-0.0, np.nan], np.float32), np.array([np.inf], np.float32)
    for pipeline in (DOWN, BACK):
        (got,) = call(run(text, pipeline), "f", x, y)
        assert got.tobytes() == np.concatenate([x, y, x]).tobytes()


@pytest.mark.parametrize(
    "op",
    [
        "ptir.reduce sum %x axes [] : tensor<2xf32> -> tensor<2xf32>",
        "ptir.reduce_window sum %x window [1] : tensor<2xf32> -> tensor<2xf32>",
        "ptir.dot_general %x, %one contract [] x [] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>",
    ],
)
def test_a_sum_of_one_term_is_never_negative_zero(op: str):
    text = f"""func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {{
      %one = ptir.constant dense<1.0> : tensor<f32>
      %0 = {op}
      func.return %0 : tensor<2xf32>
    }}"""
    x = np.array([-0.0, -1.0], np.float32)
    for module in (ptir.parse(text), run(text, DOWN), run(text, BACK)):
        (got,) = call(module, "f", x)
        assert got.tobytes() == np.array([0.0, -1.0], np.float32).tobytes()


def test_a_maximum_of_padding_in_a_type_without_infinity():
    t = "tensor<2xf8E4M3FN>"
    text = f"""
    func.func @f(%x: {t}) -> tensor<3xf8E4M3FN> {{
      %0 = ptir.reduce_window max %x window [2] padding [(2, 0)] accum f8E4M3FN : {t} -> tensor<3xf8E4M3FN>
      func.return %0 : tensor<3xf8E4M3FN>
    }}"""
    x = np.array([-448, 2], ml_dtypes.float8_e4m3fn)
    for pipeline in (DOWN, BACK):
        same(call(run(text, pipeline), "f", x), [np.array([np.nan, -448, 2], x.dtype)])


@pytest.mark.parametrize("between", [(0, 1), (1, 2), (3, 2)])
def test_padding_between_elements(between: tuple[int, int]):
    x = np.arange(1, 7, dtype=np.int32).reshape(2, 3)
    want = np.full((1 + 2 + between[0], 3 + 2 * between[1] + 2), 9, np.int32)
    want[1 :: between[0] + 1, : -2 : between[1] + 1] = x
    result = f"tensor<{want.shape[0]}x{want.shape[1]}xsi32>"
    text = f"""
    func.func @f(%x: tensor<2x3xsi32>) -> {result} {{
      %0 = ptir.pad %x with 9 : si32 low [1, 0] high [0, 2] interior {list(between)} : tensor<2x3xsi32> -> {result}
      func.return %0 : {result}
    }}"""
    for pipeline in (DOWN, BACK):
        same(call(run(text, pipeline), "f", x), [want])


@pytest.mark.parametrize("padding", [(-3, 0), (-4, 1), (1, -4)])
def test_padding_that_removes_more_than_there_is(padding: tuple[int, int]):
    text = f"""
    func.func @f(%x: tensor<2xf32>) -> tensor<0xf32> {{
      %0 = ptir.reduce_window sum %x window [1] padding [{padding}] : tensor<2xf32> -> tensor<0xf32>
      func.return %0 : tensor<0xf32>
    }}"""
    module = run(text, DOWN)
    assert "ptir.reduce_window" not in str(module)
    same(call(module, "f", np.ones(2, np.float32)), [np.ones(0, np.float32)])


@pytest.mark.parametrize("kind", ["any", "all"])
def test_predicates(kind: str):
    text = f"""
    builtin.module attributes {{ptir.extensions}} {{
    func.func @f(%x: tensor<4x2xi1>) -> tensor<4xi1> {{
      %0 = ptir.reduce {kind} %x axes [1] : tensor<4x2xi1> -> tensor<4xi1>
      func.return %0 : tensor<4xi1>
    }}
    }}"""
    x = np.array([[False, False], [False, True], [True, False], [True, True]])
    for pipeline in (DOWN, BACK):
        same(call(run(text, pipeline), "f", x), [getattr(x, kind)(axis=1)])


def test_sizes_that_are_zero_in_a_run():
    """Beside a name that turns out to be 0 no `?` can be inferred: what would have to be reshaped stays."""
    t = "tensor<?x?x4xf32, #ptir.dims<_, T, _>>"
    text = f"""
    func.func @f(%x: {t}) -> tensor<?x?x1xf32, #ptir.dims<_, T, _>> {{
      %0 = ptir.reduce max %x axes [2] keepdims : {t} -> tensor<?x?x1xf32, #ptir.dims<_, T, _>>
      func.return %0 : tensor<?x?x1xf32, #ptir.dims<_, T, _>>
    }}"""
    for pipeline in (DOWN, BACK):
        same(call(run(text, pipeline), "f", np.zeros((3, 0, 4), np.float32)), [np.zeros((3, 0, 1), np.float32)])


# --- what stays ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lhs", "rhs", "accum", "product"),
    [
        ("bf16", "bf16", "f32", "f32"),
        ("bf16", "bf16", "f64", "f64"),
        ("f16", "f16", "f16", "f32"),
        ("bf16", "bf16", "f16", "f32"),
        ("f8E4M3FN", "f8E5M2", "f16", "f32"),
        ("f32", "f32", "f32", "f64"),
        ("f32", "f32", "bf16", "f64"),
        ("f64", "f64", "f32", "f64"),
        ("f64", "f64", "f64", "f64"),
        ("complex<f32>", "complex<f32>", "complex<f32>", "complex<f64>"),
        ("si8", "ui8", "si32", "si32"),
        ("si8", "ui8", "ui32", "si32"),
        ("si8", "ui8", "si8", "si16"),
        ("si32", "si32", "si8", "si32"),
        ("ui32", "si32", "si32", "si64"),
        ("ui64", "ui64", "si64", "ui64"),
    ],
)
def test_products_of_a_contraction_have_a_type_of_their_own(lhs: str, rhs: str, accum: str, product: str):
    a, b, out = f"tensor<3x5x{lhs}>", f"tensor<5x2x{rhs}>", f"tensor<3x2x{accum}>"
    dot = f"ptir.dot_general %a, %b contract [1] x [0] accum {accum} out {accum} : ({a}, {b}) -> {out}"
    text = f"func.func @f(%a: {a}, %b: {b}) -> {out} {{ %r = {dot} func.return %r : {out} }}"
    module = run(text, DOWN)
    (mul,) = [op for op in module.walk() if isinstance(op, tiny.BinaryOp)]
    assert str(element(mul.result)) == product
    signature = [(sizes(x), numpy_dtype(element(x))) for x in next(iter(ptir.parse(text).ops)).body.block.args]
    for number in range(8):
        arrays = draw("f", signature, 0, number).arrays
        same(call(module, "f", *arrays), ptir.reference(text, *arrays))
    assert "ptir.dot_general" in names(run(text, BACK)), "and back it is one contraction"


@pytest.mark.parametrize("accum", ["si64", "ui64", "i8"])
def test_where_no_type_holds_both_operands_they_are_multiplied_modulo_the_width(accum: str):
    a, b, out = "tensor<4xsi64>", "tensor<4xui64>", f"tensor<{accum}>"
    dot = f"ptir.dot_general %a, %b contract [0] x [0] accum {accum} out {accum} : ({a}, {b}) -> {out}"
    text = f"func.func @f(%a: {a}, %b: {b}) -> {out} {{ %r = {dot} func.return %r : {out} }}"
    module = run(text, DOWN)
    require_tiny(module)
    x = np.array([-1, -(2**63), 2**63 - 1, -5], np.int64)
    y = np.array([2**64 - 1, 3, 2**63 + 7, 9], np.uint64)
    (got,), (want,) = call(module, "f", x, y), ptir.reference(text, x, y)
    exact = sum(int(p) * int(q) for p, q in zip(x, y, strict=True))
    assert int(got) == int(want) and (int(got) - exact) % 2 ** (8 if accum == "i8" else 64) == 0


def test_all_that_stays_is_named():
    program = ptir.parse(
        """
        func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
          %u = "ptir.invented"(%x) : (tensor<4xf32>) -> tensor<4xf32>
          %s = ptir.add %x, %u : tensor<4xf32>
          %t = ptir.dim_cast %s : tensor<4xf32> -> tensor<?xf32, #ptir.dims<B>>
          func.return %s : tensor<4xf32>
        }""",
        make_context(allow_unregistered=True),
    )
    module = ptir.PassManager(DOWN).run(program)
    with pytest.raises(NoTinyForm, match=r"'ptir\.invented' has no form in tiny") as caught:
        require_tiny(module)
    assert [message for _, message in caught.value.notes] == [
        "'ptir.dim_cast' has no form in tiny: it asserts sizes that are checked at run time"
    ]
    assert "ptir.add" in caught.value.help and "ptir.cond" not in caught.value.help


def test_what_has_a_form_has_no_error():
    module = ptir.parse(NETWORK)
    ops = {op.name: lowering_error(op) for op in module.walk()}
    assert ops["ptir.top_k"] is None and ops["ptir.convolution"] is None and ops["func.func"] is None
    assert str(module) == str(ptir.parse(NETWORK))


def test_a_convolution_formed_in_vain_is_allowed():
    """Patches that are contracted become a convolution, an extension; here a size is not known, so that it stays."""
    x, w, out = "tensor<?x5x4xf32>", "tensor<12x2xf32>", "tensor<?x3x2xf32>"
    text = f"""
    func.func @f(%x: {x}, %w: {w}) -> {out} {{
      %0 = ptir.extract_patches %x window [3] : {x} -> tensor<?x3x12xf32>
      %1 = ptir.dot_general %0, %w contract [2] x [0] accum f32 out f32 : (tensor<?x3x12xf32>, {w}) -> {out}
      func.return %1 : {out}
    }}"""
    module = run(text, DOWN)
    assert names(module) == {"ptir.convolution", "tiny.movement"}
    assert "ptir.extensions" in module.attributes


# --- the documentation and the examples -----------------------------------------------------------


@pytest.mark.parametrize(("name", "module"), [("ptir-to-tiny", lower), ("tiny-to-ptir", lift)])
def test_the_example_of_the_docstring(name: str, module: ModuleType):
    before, after = re.findall(r"```mlir\n(.*?)```", module.__doc__ or "", re.DOTALL)
    assert str(run(before, name)) == str(ptir.parse(after))


def test_the_gpt2_block_comes_back_and_is_the_same_in_tiny_again():
    """All of it has a form in tiny; contractions are found with the axes that they were written with."""
    module = ptir.parse(Path(__file__).resolve().parents[3] / "examples" / "gpt2_block" / "block.mlir")
    tiny = ptir.PassManager(DOWN).run(module)
    assert all(name.startswith("tiny.") for name in names(tiny))
    back = ptir.PassManager("tiny-to-ptir").run(tiny.clone())
    assert all(name.startswith("ptir.") for name in names(back))
    assert ptir.PassManager(DOWN).run(back).is_structurally_equivalent(tiny)
