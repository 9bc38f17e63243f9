"""
Dynamic sizes and their names, tuples, and attributes of a module: the checks of verifiers, and those at run time.

The oracle of the random programs is a shape checker written from DESIGN §4. It does not use the dialect's types and ops, only the
requirements of each line of a program on the sizes.
"""

from __future__ import annotations

import itertools
import logging
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, TupleType, UnitAttr, f32
from xdsl.irdl import IRDLOperation, irdl_op_definition, traits_def
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

import ptir
from ptir.dialects import ptir as dialect
from ptir.dialects.ptir.base import Extension
from ptir.dialects.ptir.dims import DimsAttr, Size, may_be_equal, merge, product, sizes, tensor_type, total
from ptir.dialects.ptir.tuples import leaves
from ptir.errors import (
    ExtensionNotEnabled,
    InvalidAttributeValue,
    InvalidDims,
    PtirError,
    SizesDiffer,
    UnknownSpecVersion,
    Unsupported,
    UnsupportedType,
)
from ptir.passes.errors import FunctionLost, MeaningChanged
from ptir.passes.validation import Interpret, ValidatePasses
from ptir.semantics.errors import NameConflict, OperandShapesDiffer, UnknownSize, Violation, WrongShape
from ptir.semantics.samples import draw_shapes
from ptir.text.errors import VerificationFailed
from ptir.text.known_sizes import KNOWN
from ptir.text.verify import find_failures, verify_module

from ..builders.amount import examples

BOTH = pytest.mark.parametrize("run", [ptir.reference, ptir.bounds])
"""Runs a test with the interpreters of arrays and of intervals, which make the same checks."""

Run = Callable[..., Sequence[object]]


def zeros(*shapes: int | tuple[int, ...]) -> list[np.ndarray]:
    return [np.zeros(shape, np.float32) for shape in shapes]


def t(*of: Size) -> str:
    """Returns the text of an f32 tensor type."""
    names = (
        f", #ptir.dims<{', '.join(s if isinstance(s, str) else '_' for s in of)}>"
        if any(isinstance(s, str) for s in of)
        else ""
    )
    return f"tensor<{''.join(f'{s}x' if isinstance(s, int) else '?x' for s in of)}f32{names}>"


# --- sizes ---------------------------------------------------------------------------------------


def test_sizes_and_types_are_one():
    for of in [(), (3,), (None,), ("B",), ("B", None, 3, "C", "B"), (0, None)]:
        assert sizes(tensor_type(f32, of)) == of
        assert str(tensor_type(f32, of)) == t(*of)
        assert sizes(tensor_type(f32, sizes(tensor_type(f32, of)))) == of


def test_arithmetic_on_sizes():
    assert merge() is None
    assert merge(None, "B", 3, None) == 3
    assert merge("B", 3) == merge(3, "B") == 3
    assert merge(None, "B", None) == merge("B") == "B"
    assert merge(None, None) is None
    assert total(2, 3) == 5
    assert total(2, None) is None
    assert total("B", 1) is None
    assert total() == 0
    assert product(2, 3) == 6
    assert product() == 1
    assert product(1, "B", 1) == "B"
    assert product(2, "B") is None
    assert product("B", "C") is None
    assert product("B", 0, None) == 0
    assert product(1, None) is None
    for a, b, want in [(3, 3, 1), (3, 4, 0), ("B", "B", 1), ("B", "C", 0), (3, "B", 1), (None, 3, 1), ("B", None, 1)]:
        assert may_be_equal(a, b) == may_be_equal(b, a) == bool(want)


@pytest.mark.parametrize("name", ["", "a b", "3", "B>", "é", "a-b"])
def test_names_are_identifiers(name: str):
    if not name:
        assert DimsAttr([name]) == DimsAttr([None])
        return
    with pytest.raises(InvalidAttributeValue, match=r"'ptir\.dims' names a dimension"):
        DimsAttr([name])


def test_sizes_of_a_type_that_does_not_verify():
    with pytest.raises(InvalidDims, match="1 name for 2 dimensions"):
        sizes(
            ptir.parse(
                "func.func private @f(tensor<?x?xf32, #ptir.dims<B>>)"
            ).body.block.first_op.function_type.inputs.data[0]
        )  # pyright: ignore


def test_what_is_known_ends_with_the_verification():
    text = f"func.func @f(%x: {t('B')}) {{ %0 = ptir.dim_cast %x : {t('B')} -> {t(3)} func.return }}"
    for number in (3, 4):
        verify_module(ptir.parse(text.replace("tensor<3x", f"tensor<{number}x")))
    assert KNOWN.get() is None


# --- the attributes of a module -------------------------------------------------------------------


@irdl_op_definition
class _Extra(IRDLOperation):
    name = "extra.op"
    traits = traits_def(Extension())


def test_extensions_are_gated():
    (failure,) = find_failures(ModuleOp([ModuleOp([_Extra()])]))
    assert isinstance(failure[1], ExtensionNotEnabled)
    assert isinstance(failure[0], _Extra)
    enabled = {"ptir.extensions": UnitAttr()}
    assert not find_failures(ModuleOp([_Extra()], enabled))
    # The innermost module decides. An op without a module is not restricted.
    assert find_failures(ModuleOp([ModuleOp([_Extra()])], enabled))
    assert not find_failures(ModuleOp([ModuleOp([_Extra()], enabled)]))
    assert not find_failures(_Extra())


OTHER_VERSION = 'builtin.module attributes {ptir.spec_version = "ptir.v0.3"} { func.func @f() { func.return } }'


@pytest.mark.parametrize("tool", [ptir.reference, ptir.bounds, ptir.compile])
def test_every_way_in_refuses_other_versions(tool: Callable[[str], object]):
    with pytest.raises(VerificationFailed) as caught:
        tool(OTHER_VERSION)
    ((_, error),) = caught.value.failures
    assert isinstance(error, UnknownSpecVersion)
    assert error.code == "PTIR0204"
    tool(OTHER_VERSION.replace("v0.3", "v0.4")) if tool is not ptir.compile else None


# --- names in a run -------------------------------------------------------------------------------


@BOTH
def test_equal_names_of_arguments_are_equal_sizes(run: Run):
    text = f"func.func @f(%a: {t('B', 2)}, %b: {t(2, 'B')}) -> {t('B', 2)} {{ func.return %a : {t('B', 2)} }}"
    run(text, *zeros((5, 2), (2, 5)))
    run(text, *zeros((0, 2), (2, 0)))
    with pytest.raises(NameConflict) as caught:
        run(text, *zeros((5, 2), (2, 4)))
    assert caught.value.code == "PTIR0561"
    assert caught.value.message == "the name B is 5 in axis 0 of argument 0 of @f, but 4 in axis 1 of argument 1 of @f"


@BOTH
def test_within_one_argument(run: Run):
    text = f"func.func @f(%a: {t('B', 'B')}) {{ func.return }}"
    run(text, *zeros((3, 3)))
    with pytest.raises(NameConflict, match=r"3 in axis 0 of argument 0 of @f, but 4 in axis 1 of argument 0"):
        run(text, *zeros((3, 4)))


@BOTH
def test_a_name_first_met_on_a_result_binds(run: Run):
    text = f"""func.func @f(%a: {t(None)}, %b: {t(None)}) -> {t("N")} {{
      %0 = ptir.dim_cast %a : {t(None)} -> {t("N")}
      %1 = ptir.dim_cast %b : {t(None)} -> {t("N")}
      %2 = ptir.add %0, %1 : {t("N")}
      func.return %2 : {t("N")} }}"""
    run(text, *zeros(3, 3))
    with pytest.raises(NameConflict) as caught:
        run(text, *zeros(3, 1))
    assert "3 in axis 0 of result 0 of ptir.dim_cast, but 1 in axis 0 of result 0" in caught.value.message
    ((op, note),) = caught.value.notes
    assert isinstance(op, dialect.DimCastOp)
    assert note == "N is 3 here"


@BOTH
def test_results_are_held_to_numbers(run: Run):
    text = f"func.func @f(%a: {t(None, 2)}) -> {t(3, 2)} {{ %0 = ptir.dim_cast %a : {t(None, 2)} -> {t(3, 2)} func.return %0 : {t(3, 2)} }}"
    run(text, *zeros((3, 2)))
    with pytest.raises(
        WrongShape, match=r"result 0 of ptir.dim_cast has shape \[4, 2\], but its type is tensor<3x2xf32>"
    ):
        run(text, *zeros((4, 2)))


@BOTH
def test_elementwise_operands_never_broadcast(run: Run):
    predicate = "tensor<?xi1>"
    for op, operands in [
        (f"ptir.add %a, %b : {t(None)}", "ab"),
        (f"ptir.maximum %b, %a : {t(None)}", "ba"),
        (f"ptir.compare lt %a, %b : {t(None)} -> {predicate}", "ab"),
        (f"ptir.clamp %a, %a, %b : {t(None)}", "aab"),
        (f"ptir.select %p, %a, %b : {predicate}, {t(None)}", "pab"),
    ]:
        text = f"func.func @f(%p: {predicate}, %a: {t(None)}, %b: {t(None)}) {{ %0 = {op} func.return }}"
        arrays = [np.zeros(3, np.bool_), *zeros(3, 3)]
        run(text, *arrays)
        for position in {"pab".index(o) for o in operands}:
            wrong = list(arrays)
            wrong[position] = wrong[position][:1]
            with pytest.raises(OperandShapesDiffer) as caught:
                run(text, *wrong)
            assert caught.value.code == "PTIR0564"
            assert "[3]" in caught.value.message
            assert "[1]" in caught.value.message


def test_a_size_that_nothing_says():
    text = f"func.func @f(%a: {t()}) -> {t('N')} {{ %0 = ptir.broadcast_to %a : {t()} -> {t('N')} func.return %0 : {t('N')} }}"
    with pytest.raises(UnknownSize, match=r"axis 0 of result 0 of ptir.broadcast_to is N, which is not bound yet"):
        ptir.reference(text, *zeros(()))
    bound = text.replace("%a: ", f"%n: {t(2, 'N')}, %a: ")
    (result,) = ptir.reference(bound, *zeros((2, 5), ()))
    assert result.shape == (5,)


CALLS = f"""
func.func @id(%x: {t("N")}) -> {t("N")} {{ func.return %x : {t("N")} }}
func.func @same(%x: {t("N")}, %y: {t("N")}) -> {t("N")} {{
  %0 = func.call @id(%y) : ({t("N")}) -> {t("N")}
  func.return %0 : {t("N")} }}
func.func @f(%a: {t("N")}, %b: {t("M")}, %c: {t(None)}) -> {t("N")} {{
  %0 = func.call @id(%b) : ({t("M")}) -> {t("M")}
  %2 = ptir.add %a, %a : {t("N")}
  %1 = func.call @same(%a, %c) : ({t("N")}, {t(None)}) -> {t("N")}
  func.return %1 : {t("N")} }}
"""


@BOTH
def test_calls_have_names_of_their_own(run: Run):
    run(CALLS, *zeros(3, 4, 3), entry="f")
    with pytest.raises(NameConflict, match="N is 3 in axis 0 of argument 0 of @same, but 5 in axis 0 of argument 1"):
        run(CALLS, *zeros(3, 4, 5), entry="f")


@BOTH
def test_what_a_call_returns_is_held_to_its_type(run: Run):
    text = f"""
    func.func @g(%x: {t(None)}) -> {t("K")} {{ %0 = ptir.dim_cast %x : {t(None)} -> {t("K")} func.return %0 : {t("K")} }}
    func.func @f(%x: {t(None)}) -> {t(3)} {{ %0 = func.call @g(%x) : ({t(None)}) -> {t(3)} func.return %0 : {t(3)} }}"""
    run(text, *zeros(3), entry="f")
    with pytest.raises(WrongShape, match=r"result 0 of func.call has shape \[2\]"):
        run(text, *zeros(2), entry="f")


def test_regions_share_the_names_of_their_function():
    text = f"""func.func @f(%a: {t("N")}, %b: {t(None)}) {{
      %one = arith.constant 1 : index
      %two = arith.constant 2 : index
      %0 = scf.for %i = %one to %two step %one iter_args(%x = %a) -> ({t("N")}) {{
        %1 = ptir.dim_cast %b : {t(None)} -> {t("N")}
        scf.yield %1 : {t("N")}
      }}
      func.return }}"""
    ptir.reference(text, *zeros(3, 3))
    with pytest.raises(NameConflict, match="3 in axis 0 of argument 0 of @f, but 4 in axis 0 of result 0"):
        ptir.reference(text, *zeros(3, 4))


BRANCHES = f"""
func.func @f(%p: tensor<i1>, %a: {t("N")}, %b: {t(None)}) -> {t("N")} {{
  %0 = ptir.cond %p (%a, %b) : ({t("N")}, {t(None)}) -> {t("N")} then (%x, %y) {{
    %1 = ptir.dim_cast %y : {t(None)} -> {t("N")}
    ptir.yield %1 : {t("N")}
  }} else (%x, %y) {{
    %2 = ptir.dim_cast %y : {t(None)} -> {t("M")}
    ptir.yield %x : {t("N")}
  }}
  func.return %0 : {t("N")} }}"""


def test_only_the_branch_that_is_run_says_something():
    (result,) = ptir.reference(BRANCHES, np.array(False), *zeros(3, 4))
    assert result.shape == (3,)
    (result,) = ptir.reference(BRANCHES, np.array(True), *zeros(3, 3))
    with pytest.raises(
        NameConflict, match=r"3 in axis 0 of argument 1 of @f, but 4 in axis 0 of result 0 of ptir.dim_cast"
    ):
        ptir.reference(BRANCHES, np.array(True), *zeros(3, 4))


@BOTH
def test_arguments_are_held_to_the_types_of_the_callee(run: Run):
    text = f"""
    func.func @g(%x: {t(3)}) {{ func.return }}
    func.func @f(%x: {t(None)}) {{ func.call @g(%x) : ({t(None)}) -> () func.return }}"""
    run(text, *zeros(3), entry="f")
    with pytest.raises(WrongShape, match=r"argument 0 of @g has shape \[4\], but its type is tensor<3xf32>"):
        run(text, *zeros(4), entry="f")


# --- tuples ---------------------------------------------------------------------------------------

TUPLES = f"""
func.func @f(%t: tuple<{t("B")}, tuple<{t("B", 2)}, tuple<>>>, %z: {t("B")}) -> (tuple<tuple<{t("B", 2)}>, {t("B")}>, {t("B")}) {{
  %a = ptir.tuple_element %t[0] : tuple<{t("B")}, tuple<{t("B", 2)}, tuple<>>> -> {t("B")}
  %i = ptir.tuple_element %t[1] : tuple<{t("B")}, tuple<{t("B", 2)}, tuple<>>> -> tuple<{t("B", 2)}, tuple<>>
  %b = ptir.tuple_element %i[0] : tuple<{t("B", 2)}, tuple<>> -> {t("B", 2)}
  %s = ptir.add %a, %z : {t("B")}
  %p = ptir.tuple %b : tuple<{t("B", 2)}>
  %q = ptir.tuple %p, %s : tuple<tuple<{t("B", 2)}>, {t("B")}>
  func.return %q, %a : tuple<tuple<{t("B", 2)}>, {t("B")}>, {t("B")}
}}
"""


def test_tuples_are_given_and_returned_as_their_elements():
    a, b, z = (np.arange(n, dtype=np.float32) for n in (3, 6, 3))
    got = ptir.reference(TUPLES, a, b.reshape(3, 2), z)
    for result, want in zip(got, (b.reshape(3, 2), a + a, a), strict=True):
        np.testing.assert_array_equal(result, want)
    assert [i.shape for i in ptir.bounds(TUPLES, a, b.reshape(3, 2), z)] == [(3, 2), (3,), (3,)]
    with pytest.raises(
        NameConflict,
        match="3 in axis 0 of element 0 of argument 0 of @f, but 4 in axis 0 of element 0 of element 1 of argument 0",
    ):
        ptir.reference(TUPLES, a, np.zeros((4, 2), np.float32), z)
    with pytest.raises(PtirError, match="takes tensor<"):
        ptir.reference(TUPLES, a, b, z)


def test_leaves():
    inner = TupleType((tensor_type(f32, (1,)), TupleType(())))
    assert [str(x) for x in leaves([inner, tensor_type(f32, (2,))])] == [t(1), t(2)]


def test_ops_are_built_with_the_types_they_have():
    block = ptir.parse(f"func.func @f(%a: {t('B')}, %b: {t(4)}) {{ func.return }}").body.block.first_op.body.block  # pyright: ignore
    a, b = block.args
    pair = dialect.TupleOp([a, b])
    assert pair.result.type == TupleType((a.type, b.type))
    assert dialect.TupleElementOp(pair.result, 1).result.type == b.type
    assert dialect.DimCastOp(a, [7]).result.type == b.type.__class__(f32, [7])
    for op in (pair, dialect.TupleElementOp(pair.result, 1), dialect.DimCastOp(a, ["C"])):
        op.verify_()
    with pytest.raises(VerifyException):
        dialect.TupleElementOp(pair.result, 2).verify_()
    with pytest.raises(UnsupportedType, match="a tuple is needed"):
        dialect.TupleElementOp(a, 0)


# --- below ptir -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "what", "at"),
    [
        (f"func.func @f(%a: {t(4, 'B')}) {{ func.return }}", r"dimension 1 \(B\) of tensor<4x\?xf32", "func.func"),
        (f"func.func @f(%a: {t(None)}) {{ func.return }}", r"dimension 0 of tensor<\?xf32>", "func.func"),
    ],
)
def test_compiled_programs_have_static_sizes(text: str, what: str, at: str):
    with pytest.raises(Unsupported, match=what) as caught:
        ptir.PassManager("ptir-to-cuda").run(ptir.parse(text))
    assert caught.value.op is not None
    assert caught.value.op.name == at
    assert "a static size is needed" in caught.value.help


# --- samples --------------------------------------------------------------------------------------


class _Pass(ModulePass):
    name = "test-pass"

    def apply(self, ctx: object, op: ModuleOp) -> None: ...


def learn(text: str, **options: int) -> tuple[ModuleOp, ValidatePasses]:
    module = ptir.parse(text)
    verify_module(module)
    validate = ValidatePasses([Interpret()], **options)  # pyright: ignore[reportArgumentType]
    validate.before_pass(_Pass(), module)
    return module, validate


def shapes_of(validate: ValidatePasses) -> list[list[tuple[int, ...]]]:
    (baseline,) = validate._known.values()  # pyright: ignore[reportPrivateUsage]
    return [[a.shape for a in expected.sample.arrays] for expected in baseline.expected]


def test_sizes_are_drawn_by_name():
    text = (
        f"func.func @f(%a: {t('B', 'C')}, %b: {t('C', 'B', 2)}) -> {t('B', 'C')} {{ func.return %a : {t('B', 'C')} }}"
    )
    _, validate = learn(text, samples=48)
    drawn = shapes_of(validate)
    assert len(drawn) == 48
    assert all(b == (*reversed(a), 2) for a, b in drawn)
    assert len({a for a, _ in drawn}) > 8
    assert any(a[0] != a[1] for a, _ in drawn)
    assert {0, 1, 2, 13} <= {n for a, _ in drawn for n in a}


def test_refused_sizes_are_drawn_again():
    text = f"""func.func @f(%a: {t(None)}, %b: {t(None)}, %c: {t(None, "N")}) -> {t(None)} {{
      %0 = ptir.add %a, %b : {t(None)}
      %1 = ptir.dim_cast %c : {t(None, "N")} -> {t(19, "N")}
      %2 = ptir.reshape %1 : {t(19, "N")} -> {t(38, None)}
      func.return %0 : {t(None)} }}"""
    _, validate = learn(text, samples=8)
    drawn = shapes_of(validate)
    assert len(drawn) >= 4
    assert all(a == b and c[0] == 19 and c[1] % 2 == 0 for a, b, c in drawn)


def test_programs_of_dynamic_sizes_are_compared():
    text = f"func.func @f(%a: {t('B')}, %b: {t('B')}) -> {t('B')} {{ %0 = ptir.add %a, %b : {t('B')} func.return %0 : {t('B')} }}"
    module, validate = learn(text)
    validate.after_pass(_Pass(), module)
    (add,) = (op for op in module.walk() if isinstance(op, dialect.AddOp))
    Rewriter.replace_op(add, dialect.SubOp(add.lhs, add.rhs))
    with pytest.raises(MeaningChanged):
        validate.after_pass(_Pass(), module)


def test_names_are_part_of_a_public_signature():
    module, validate = learn(f"func.func @f(%a: {t('B')}, %b: {t('C')}) {{ func.return }}")
    (f,) = module.ops
    (g,) = ptir.parse(f"func.func @f(%a: {t('B')}, %b: {t('B')}) {{ func.return }}").ops
    Rewriter.replace_op(f, g.clone())
    with pytest.raises(FunctionLost, match="has another signature"):
        validate.after_pass(_Pass(), module)


def test_what_has_no_meaning_on_any_size_is_said(caplog: pytest.LogCaptureFixture):
    text = f"func.func @f(%a: {t()}) -> {t('N')} {{ %0 = ptir.broadcast_to %a : {t()} -> {t('N')} func.return %0 : {t('N')} }}"
    with caplog.at_level(logging.WARNING):
        _, validate = learn(text)
    assert not validate._known  # pyright: ignore[reportPrivateUsage]
    assert "@f is not validated: it is undefined on all samples" in caplog.text


def test_samples_of_static_signatures_need_no_sizes():
    rng = np.random.default_rng(0)
    assert draw_shapes(rng, [(2, 3), (), (0,)]) == [(2, 3), (), (0,)]
    drawn = {draw_shapes(rng, [("B", None)], likely=[99])[0] for _ in range(200)}
    assert any(99 in shape for shape in drawn)
    for _ in range(100):
        (b, _, three), (again,) = draw_shapes(rng, [("B", "C", 3), ("B",)])
        assert (b, three) == (again, 3)


def test_ptir_run_draws_sizes(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    from ptir.tools.ptir_run import main

    program = tmp_path / "f.mlir"
    program.write_text(
        f"""func.func @f(%a: {t("B", 4)}, %t: tuple<{t("B")}, {t(None)}>) -> ({t("B", 4)}, tuple<{t(7)}>) {{
          %0 = ptir.add %a, %a : {t("B", 4)}
          %1 = ptir.tuple_element %t[1] : tuple<{t("B")}, {t(None)}> -> {t(None)}
          %2 = ptir.dim_cast %1 : {t(None)} -> {t(7)}
          %3 = ptir.tuple %2 : tuple<{t(7)}>
          func.return %0, %3 : {t("B", 4)}, tuple<{t(7)}> }}"""
    )

    def run(*arguments: str) -> tuple[int, str]:
        status = 0
        try:
            main([str(program), "--target", "reference", *arguments])
        except SystemExit as stopped:
            status = int(stopped.code or 0)
        out = capsys.readouterr()
        return status, out.out + out.err

    status, text = run("--random", "0", "--compare", "reference")
    assert status == 0, text
    assert "r1: float32[7]" in text
    arrays = tmp_path / "in.npz"
    np.savez(arrays, **{"a": zeros((5, 4))[0], "t.0": zeros(5)[0], "t.1": zeros(7)[0]})
    status, text = run("--inputs", str(arrays))
    assert (status, "r0: float32[5, 4]" in text) == (0, True), text
    np.savez(arrays, **{"a": zeros((5, 4))[0], "t.0": zeros(6)[0], "t.1": zeros(7)[0]})
    status, text = run("--inputs", str(arrays))
    assert status == 1
    assert "error[PTIR0561]: the name B is 5 in axis 0 of argument 0 of @f, but 6" in text
    np.savez(arrays, **{"a": zeros((5, 3))[0], "t.0": zeros(5)[0], "t.1": zeros(7)[0]})
    status, text = run("--inputs", str(arrays))
    assert status == 1
    assert "array 'a' has shape [5, 3], %a has [B, 4]" in text


# --- random programs ------------------------------------------------------------------------------


class Refused(Exception):
    """Raised by the checker if sizes do not match."""


@dataclass
class Checker:
    """The sizes that names have in a run."""

    names: dict[str, int] = field(default_factory=dict[str, int])
    shapes: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])

    def meet(self, declared: Sequence[Size], shape: tuple[int, ...]) -> None:
        for size, number in zip(declared, shape, strict=True):
            known = size if isinstance(size, int) else number if size is None else self.names.setdefault(size, number)
            if known != number:
                raise Refused
        self.shapes.append(shape)

    def said(self, size: Size, own: int) -> int:
        return size if isinstance(size, int) else own if size is None else self.names[size]


@dataclass
class Program:
    """A program: lines of text, each with its requirements on the sizes."""

    arguments: list[tuple[Size, ...]]
    types: list[tuple[Size, ...]] = field(default_factory=list[tuple[Size, ...]])
    lines: list[str] = field(default_factory=list[str])
    rules: list[Callable[[Checker], tuple[int, ...]]] = field(
        default_factory=list[Callable[[Checker], tuple[int, ...]]]
    )

    def __post_init__(self) -> None:
        self.types = list(self.arguments)

    def add(self, text: str, of: tuple[Size, ...], rule: Callable[[Checker], tuple[int, ...]]) -> None:
        self.lines.append(f"%v{len(self.types)} = {text}")
        self.types.append(of)
        self.rules.append(rule)

    @property
    def text(self) -> str:
        arguments = ", ".join(f"%v{k}: {t(*a)}" for k, a in enumerate(self.arguments))
        results = range(len(self.arguments), len(self.types))
        types = ", ".join(t(*self.types[k]) for k in results)
        returned = f"func.return {', '.join(f'%v{k}' for k in results)} : {types}" if results else "func.return"
        return f"func.func @f({arguments}) -> ({types}) {{\n  " + "\n  ".join([*self.lines, returned]) + "\n}"

    def check(self, shapes: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Returns the shapes of the results. Raises `Refused`."""
        checker = Checker()
        for of, shape in zip(self.arguments, shapes, strict=True):
            checker.meet(of, shape)
        for of, rule in zip(self.types[len(self.arguments) :], self.rules, strict=True):
            checker.meet(of, rule(checker))
        return checker.shapes[len(self.arguments) :]


NAMES = ("A", "B", "C")


def elementwise(rng: random.Random, program: Program) -> None:
    a = rng.randrange(len(program.types))
    b = rng.choice([k for k, of in enumerate(program.types) if of == program.types[a]])

    def rule(c: Checker) -> tuple[int, ...]:
        if c.shapes[a] != c.shapes[b]:
            raise Refused
        return c.shapes[a]

    program.add(f"ptir.add %v{a}, %v{b} : {t(*program.types[a])}", program.types[a], rule)


def dim_cast(rng: random.Random, program: Program) -> None:
    a = rng.randrange(len(program.types))
    of = program.types[a]
    choices: list[Size] = [*NAMES, "D", None, 1, 2, 3]
    want = tuple(rng.choice([s, s, *(c for c in choices if isinstance(s, str) or may_be_equal(s, c))]) for s in of)
    program.add(f"ptir.dim_cast %v{a} : {t(*of)} -> {t(*want)}", want, lambda c: c.shapes[a])


def transpose(rng: random.Random, program: Program) -> None:
    a = rng.randrange(len(program.types))
    perm = rng.sample(range(len(program.types[a])), len(program.types[a]))
    want = tuple(program.types[a][p] for p in perm)
    line = f"ptir.transpose %v{a} {perm} : {t(*program.types[a])} -> {t(*want)}"
    program.add(line, want, lambda c: tuple(c.shapes[a][p] for p in perm))


def broadcast(rng: random.Random, program: Program) -> None:
    a = rng.randrange(len(program.types))
    of = program.types[a]
    said: list[Size] = [1, 2, 3, *{s for of in program.arguments for s in of if isinstance(s, str)}]
    leading = [rng.choice(said) for _ in range(rng.randrange(2))]
    kept = [rng.choice([s, *(w for w in said if s == 1 or may_be_equal(s, w))]) for s in of]
    want = (*leading, *kept)

    def rule(c: Checker) -> tuple[int, ...]:
        shape = (1,) * len(leading) + c.shapes[a]
        out = tuple(c.said(w, n) for w, n in zip(want, shape, strict=True))
        if any(n not in (1, w) for n, w in zip(shape, out, strict=True)):
            raise Refused
        return out

    program.add(f"ptir.broadcast_to %v{a} : {t(*of)} -> {t(*want)}", want, rule)


def reshape(rng: random.Random, program: Program) -> None:
    a = rng.randrange(len(program.types))
    of = program.types[a]
    static = all(isinstance(s, int) for s in of)
    factor = rng.choice([1, 1, 2, 3])
    if static and math.prod(s for s in of if isinstance(s, int)) % factor:
        factor = 1
    want: tuple[Size, ...] = rng.choice([(None,), (factor, None), (None, factor)])

    if want == (None,):
        factor = 1

    def rule(c: Checker) -> tuple[int, ...]:
        count = math.prod(c.shapes[a])
        if count % factor:
            raise Refused
        return tuple(count // factor if s is None else factor for s in want)

    program.add(f"ptir.reshape %v{a} : {t(*of)} -> {t(*want)}", want, rule)


@st.composite
def programs(draw: st.DrawFn) -> tuple[Program, random.Random]:
    rng = draw(st.randoms(use_true_random=False))
    some: list[Size] = ["A", "A", "B", "C", None, 2, 3]
    program = Program([tuple(rng.choice(some) for _ in range(rng.randrange(3))) for _ in range(rng.randrange(1, 4))])
    for _ in range(draw(st.integers(1, 5))):
        rng.choice([elementwise, dim_cast, dim_cast, dim_cast, transpose, broadcast, reshape])(rng, program)
    return program, rng


def assignments(program: Program, numbers: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """Yields all shapes of the arguments in which equal names have equal sizes."""
    names = sorted({s for of in program.arguments for s in of if isinstance(s, str)})
    unnamed = sum(s is None for of in program.arguments for s in of)
    for drawn in itertools.product(numbers, repeat=len(names) + unnamed):
        bound, rest = dict(zip(names, drawn, strict=False)), iter(drawn[len(names) :])
        yield [
            tuple(s if isinstance(s, int) else next(rest) if s is None else bound[s] for s in of)
            for of in program.arguments
        ]


def meets(program: Program, shapes: list[tuple[int, ...]]) -> bool:
    try:
        program.check(shapes)
    except Refused:
        return False
    return True


@settings(max_examples=examples(120))
@given(programs())
def test_random_programs_run_exactly_on_the_sizes_that_fit(drawn: tuple[Program, random.Random]):
    program, rng = drawn
    module = ptir.parse(program.text)
    fitting = (shapes for shapes in assignments(program, (1, 2, 3)) if meets(program, shapes))
    if failures := find_failures(module):
        assert all(isinstance(error, SizesDiffer) for _, error in failures), (program.text, failures)
        assert next(fitting, None) is None, program.text
        event("refused by the verifier")
        return
    given_ = [*itertools.islice(fitting, 2)]
    some = list(itertools.islice(assignments(program, (0, 2, 3)), 40))
    given_ += rng.sample(some, min(2, len(some)))
    given_.append([tuple(s if isinstance(s, int) else rng.randrange(4) for s in of) for of in program.arguments])
    for shapes in given_:
        arrays = zeros(*shapes)
        for run in (ptir.reference, ptir.bounds):
            if meets(program, shapes):
                event("runs")
                assert [r.shape for r in run(module, *arrays)] == program.check(shapes), (program.text, shapes)
            else:
                event("refused in the run")
                with pytest.raises(Violation) as caught:
                    run(module, *arrays)
                assert caught.value.code.startswith("PTIR05")
