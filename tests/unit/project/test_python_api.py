"""`import ptir`: its public names, the errors for wrong arguments, printed forms, and arrays by name."""

from __future__ import annotations

import ast
import inspect
import pickle
import pydoc
import re
import string
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from generator.errors import error_classes
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.utils.lexer import Input, Span

import ptir
from ptir.errors import PtirError, SourceError
from ptir.passes.environment import make_context
from ptir.text.errors import VerificationFailed
from ptir.text.suggest import WRITTEN

ROOT = Path(__file__).resolve().parents[3]

LINEAR = """
func.func @linear(%x: tensor<70x40xbf16>, %w: tensor<40x24xbf16>, %b: tensor<24xf32>) -> tensor<70x24xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
     : (tensor<70x40xbf16>, tensor<40x24xbf16>) -> tensor<70x24xf32>
  %1 = ptir.broadcast_to %b : tensor<24xf32> -> tensor<70x24xf32>
  %y = ptir.add %0, %1 : tensor<70x24xf32>
  func.return %y : tensor<70x24xf32>
}
"""
DOUBLE = """func.func @double(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = ptir.add %x, %x : tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}
"""
CALL = """func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func private @g(tensor<4xf32>) -> tensor<4xf32>
"""
BRANCHES = "func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {\ncf.br ^a\n^a:\nfunc.return %x : tensor<4x8xf32>\n}"
OUT = DOUBLE.replace("%x", "%out")
DECLARED = DOUBLE + "func.func private @g(tensor<4x8xf32>)"
X = np.ones((4, 8), np.float32)


def function(text: str) -> FuncOp:
    return next(op for op in ptir.parse(text).ops if isinstance(op, FuncOp))


# --- what there is ------------------------------------------------------------------------------


def test_everything_is_listed_and_documented():
    assert {"compile", "parse", "PtirError"} <= set(dir(ptir))
    assert set(ptir.__all__) <= set(dir(ptir))
    for name in ptir.__all__:
        assert inspect.getdoc(getattr(ptir, name)), name
    assert "compile(" in pydoc.render_doc(ptir, renderer=pydoc.plaintext)
    with pytest.raises(AttributeError):
        ptir.complie  # type: ignore[attr-defined]  # noqa: B018


def test_a_type_checker_sees_what_there_is():
    tree = ast.parse((ROOT / "__init__.py").read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imported = {
        alias.asname: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    assert imported == ptir._MODULE_OF  # type: ignore[attr-defined]


# --- errors ---------------------------------------------------------------------------------------


def test_every_error_prints_its_place_code_and_help():
    """All classes with the common constructor are raised with an op, with a position in a text, and with neither."""
    op = next(iter(ptir.parse(DOUBLE).walk()))
    span = Span(5, 6, Input("ab\ncd\n", "a.mlir"))
    plain = 0
    for error_class in set(error_classes()):
        if error_class.__init__ not in (PtirError.__init__, SourceError.__init__):
            continue
        plain += 1
        texts = (error_class.template, error_class.hint)
        parsed = [(name, form) for text in texts for _, name, form, _ in string.Formatter().parse(text) if name]
        fields: dict[str, Any] = {name: 3 if form else "@" for name, form in parsed}
        fields |= {name: 3 for name in fields if name in ("address", "value", "size")}
        needs_op = "{op." in error_class.template
        for about in [span] if issubclass(error_class, SourceError) else [op] if needs_op else [op, None]:
            error: Any = error_class(about, **fields)  # type: ignore[arg-type]
            where = "" if about is None else "a.mlir:2:3: " if about is span else "<string>:1:1: "
            assert str(error).startswith(f"{where}error[{error.code}]: {error.message}")
            assert error.help in str(error)
            assert (error.location is None) == (about is None)
            assert len(repr(error)) < 1000
    assert plain > 150


def test_an_error_goes_to_another_process_with_its_place():
    for wrong in ("func.func @f() {\n  foo\n}", "func.func @f(%x: tensor<4xf32>) {\ncf.br ^a\n^a:\nfunc.return\n}"):
        with pytest.raises(PtirError) as caught:
            ptir.compile(wrong)
        again = pickle.loads(pickle.dumps(caught.value))
        assert type(again) is type(caught.value) and str(again) == str(caught.value)
        assert again.location == caught.value.location and again.code == caught.value.code


def test_an_uncaught_error_says_what_a_tool_says():
    with pytest.raises(ptir.PtirError) as caught:
        ptir.compile(CALL)
    error = caught.value
    assert (error.code, error.location) == ("PTIR0470", ("<string>", 2, 8))
    printed = "".join(traceback.format_exception_only(error))
    assert printed.startswith(
        "ptir.analysis.errors.CallOfDeclaration: <string>:2:8: error[PTIR0470]: 'func.call' calls @g, which"
    )
    assert f"\n  help: {error.help}\nwhile running pass 'ptir-check-cuda'" in printed


def test_what_does_not_verify_is_listed_with_places():
    wrong = """func.func @f(%x: tensor<2x3xf32>) -> tensor<4xf32> {
  %0 = ptir.transpose %x [0, 2] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}"""
    with pytest.raises(VerificationFailed) as caught:
        ptir.compile(wrong)
    error = caught.value
    first, second = str(error).split("\n  ")[1:3]
    assert first.startswith(f"<string>:2:8: error[{error.code}]: ") and error.code not in ("PTIR0000", "PTIR0100")
    assert error.location == ("<string>", 2, 8)
    assert second.startswith(("  help: ", "<string>:3:3: error[PTIR0100]: 'func.return' "))


def test_a_syntax_error_is_printed_once():
    with pytest.raises(SourceError) as caught:
        ptir.parse("func.func @f(")
    printed = "".join(traceback.format_exception(caught.value))
    assert printed.count("xpected argument") == 1 and "<string>:1:14: error[PTIR0001]" in printed
    with pytest.raises(SourceError, match="is IR text"):
        ptir.parse("net")


@pytest.mark.parametrize(
    ("what", "code", "words"),
    [
        (lambda: ptir.parse(3), "PTIR0480", "the program is an int"),
        (lambda: ptir.parse(b"func"), "PTIR0480", "the program is a bytes"),
        (lambda: ptir.compile(None), "PTIR0480", "the program is None"),
        (lambda: ptir.PassManager(3), "PTIR0480", "the pipeline is an int"),
        (lambda: ptir.PassManager(["cse"]), "PTIR0480", "an element of the pipeline is a str"),
        (lambda: ptir.PassManager("cse", 3), "PTIR0480", "ctx is an int"),
        (lambda: ptir.PassManager("cse", verify="always"), "PTIR0480", "'each' or 'ends' or 'never'"),
        (lambda: ptir.PassManager("cse").run("file.mlir"), "PTIR0480", "ptir.parse makes one"),
        (lambda: ptir.reference(DOUBLE, [1, 2]), "PTIR0542", "got a list"),
        (lambda: ptir.reference(DOUBLE), "PTIR0542", "got nothing"),
        (lambda: ptir.reference(DOUBLE, X.astype(np.float64)), "PTIR0542", "dtype='float32'"),
        (lambda: ptir.bounds(DOUBLE, 3), "PTIR0542", "got an int"),
        (lambda: ptir.bounds(DOUBLE, X[:3]), "PTIR0542", "float32[3, 8]"),
        (lambda: ptir.compile(DOUBLE, arch="sm70"), "PTIR0101", "sm80"),
        (lambda: ptir.compile(DOUBLE, arch=[80]), "PTIR0480", "arch is a list"),
        (lambda: ptir.compile(DOUBLE, entry="g"), "PTIR0531", "@double"),
        (lambda: ptir.compile(DOUBLE, entry="@g"), "PTIR0531", "no function @g"),
        (lambda: ptir.reference(DECLARED, X, entry="g"), "PTIR0531", "@g is only declared"),
        (lambda: ptir.compile(DOUBLE, entry=3), "PTIR0480", "entry is an int"),
        (lambda: ptir.compile(DOUBLE, device=ptir.Emulator), "PTIR0480", "ptir.Emulator()"),
        (lambda: ptir.Emulator(seed="x"), "PTIR0480", "seed is a str"),
        (lambda: ptir.register_conversion_target("a", 3), "PTIR0480", "the target is an int"),
        (lambda: ptir.plan_buffers(function(DOUBLE)).arena(alignment="x"), "PTIR0480", "alignment is a str"),
        (lambda: ptir.compile(BRANCHES), "PTIR0210", "control flow"),
        (lambda: ptir.reference(BRANCHES, X), "PTIR0482", "cf.br"),
        (lambda: ptir.bounds(BRANCHES, X), "PTIR0482", "cf.br"),
        (lambda: ptir.run(OUT, out=X), "PTIR0481", "'out' is an option of the call"),
        (lambda: ptir.compile(DOUBLE, device="cuda"), "PTIR0480", "ptir.Gpu(0)"),
        (lambda: ptir.compile(DOUBLE, watch=3), "PTIR0480", "watch is an int"),
        (lambda: ptir.print_cuda(3), "PTIR0480", "the program is an int"),
        (lambda: ptir.print_cuda(ptir.parse(DOUBLE)), "PTIR0211", "ptir-to-cuda"),
        (lambda: ptir.plan_buffers(ptir.parse(DOUBLE)), "PTIR0480", "the function is a ModuleOp"),
        (lambda: ptir.entry_point_name(3), "PTIR0480", "the function is an int"),
        (lambda: ptir.structural_hash("x"), "PTIR0480", "the root is a str"),
        (lambda: ptir.walk_program(None), "PTIR0480", "the root is None"),
        (lambda: ptir.check_program_legality(ptir.parse(DOUBLE), "cuda"), "PTIR0480", "get_conversion_target"),
        (lambda: ptir.get_conversion_target(3), "PTIR0480", "the target is an int"),
        (lambda: ptir.register_conversion_target(3, "x"), "PTIR0480", "the name is an int"),
        (lambda: ptir.register_custom_call(3), "PTIR0480", "the target is an int"),
        (lambda: ptir.Gpu("a"), "PTIR0480", "the number of a GPU is a str"),
    ],
)
def test_what_is_of_the_wrong_kind_is_refused_with_a_code(what: Callable[[], object], code: str, words: str):
    with pytest.raises(PtirError) as caught:
        what()
    assert caught.value.code == code and words in str(caught.value)


def test_the_message_about_an_argument_of_the_wrong_kind():
    with pytest.raises(PtirError) as caught:
        ptir.PassManager("cse").run("file.mlir")  # pyright: ignore[reportArgumentType]
    assert str(caught.value) == (
        "error[PTIR0480]: the program is a str, expected a module\n"
        "  help: ptir.parse makes one from text or from a file"
    )


# --- programs -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def linear() -> ptir.Compiled:
    return ptir.compile(LINEAR, device=ptir.Emulator())


@pytest.fixture(scope="module")
def arrays() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    bf16 = ml_dtypes.bfloat16
    x, w = rng.standard_normal((70, 40)).astype(bf16), rng.standard_normal((40, 24)).astype(bf16)
    return {"x": x, "w": w, "b": rng.standard_normal(24).astype(np.float32)}


@pytest.mark.parametrize(
    ("what", "code", "words"),
    [
        (lambda p: p([1, 2], None, None), "PTIR0532", "argument 0 of @linear is a list"),
        (lambda p: p(), "PTIR0532", "takes 3 arrays, got 0"),
        (lambda p: p(X, X, X, X), "PTIR0532", "one too many"),
        (lambda p: p(X, X, X), "PTIR0532", "element type float32"),
        (lambda p: p(y=X), "PTIR0481", "it takes x, w, b"),
        (lambda p: p(xx=X), "PTIR0481", "did you mean 'x'?"),
        (lambda p: p(X, x=X), "PTIR0481", "given twice"),
        (lambda p: p(X, b=X), "PTIR0481", "argument 'w' of @linear is missing"),
        (lambda p: p(X, X, X, out=3), "PTIR0537", "out[0] of @linear is an int"),
        (lambda p: p(X, X, X, out=[X, X]), "PTIR0537", "returns 1 result, got 2"),
        (lambda p: p.graph(X, X, X), "PTIR0538", "ptir.to_device"),
        (lambda p: ptir.reference(p.program.module, X, X, X), "PTIR0542", "memref"),
    ],
)
def test_what_a_call_refuses(linear: ptir.Compiled, what: Callable[[Any], object], code: str, words: str):
    with pytest.raises(PtirError) as caught:
        what(linear)
    assert caught.value.code == code and words in str(caught.value)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"w": X}, "error[PTIR0481]: argument 'x' of @linear is missing\n  help: it takes x, w, b"),
        ({"xx": X}, "error[PTIR0481]: argument 'xx' of @linear does not exist\n  help: did you mean 'x'?"),
    ],
)
def test_the_message_about_a_keyword(linear: ptir.Compiled, given: dict[str, Any], problem: str):
    with pytest.raises(PtirError) as caught:
        linear(**given)
    assert str(caught.value).partition(": ")[2] == problem


def test_a_stream_is_none_of_the_emulator(linear: ptir.Compiled, arrays: dict[str, Any]):
    with pytest.raises(PtirError, match="PTIR0536"):
        linear(**arrays, stream="x")


def test_arrays_go_in_and_out_by_name(linear: ptir.Compiled, arrays: dict[str, Any]):
    results = linear(**arrays)
    (by_position,) = linear(*arrays.values())
    (mixed,) = linear(arrays["x"], b=arrays["b"], w=arrays["w"])
    np.testing.assert_array_equal(results.y, by_position)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(mixed, by_position)
    assert isinstance(results, tuple) and len(results) == 1
    want, bound = ptir.reference(LINEAR, **arrays).y, ptir.bounds(LINEAR, **arrays).y  # type: ignore[attr-defined]
    assert ((bound.lo <= results.y) & (results.y <= bound.hi)).all() and want.shape == (70, 24)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(ptir.run(LINEAR, **arrays, device=ptir.Emulator()).y, by_position)  # type: ignore[attr-defined]


def test_names_of_tuples_numbers_and_of_several_values():
    text = """
    func.func @f(%t: tuple<tensor<2xf32>, tensor<3xf32>>, %0: tensor<2xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>) {
      %a = ptir.tuple_element %t[0] : tuple<tensor<2xf32>, tensor<3xf32>> -> tensor<2xf32>
      %b = ptir.tuple_element %t[1] : tuple<tensor<2xf32>, tensor<3xf32>> -> tensor<3xf32>
      %1 = ptir.add %a, %0 : tensor<2xf32>
      func.return %1, %b, %1 : tensor<2xf32>, tensor<3xf32>, tensor<2xf32>
    }"""
    two, three = np.ones(2, np.float32), np.ones(3, np.float32)
    results: Any = ptir.reference(text, **{"t.1": three, "t.0": two, "arg1": two})
    assert results._fields == ("r0", "b", "r2") and results.b.shape == (3,)
    twice = (
        "func.func @f(%x_1: tensor<2xf32>, %x_2: tensor<2xf32>) -> tensor<2xf32> { func.return %x_1 : tensor<2xf32> }"
    )
    with pytest.raises(PtirError, match="give it by position"):
        ptir.reference(twice, x=two)
    assert len(ptir.reference(twice, two, two)) == 1


def test_nothing_that_is_shown_is_long(linear: ptir.Compiled, arrays: dict[str, Any]):
    linear(**arrays)
    module = ptir.parse(LINEAR)
    function = next(iter(module.ops))
    assert isinstance(module, ModuleOp) and isinstance(function, FuncOp)
    device: Any = linear.device
    assert "@linear(x: tensor<70x40xbf16>, w: " in repr(linear) and "-> (y: tensor<70x24xf32>)" in repr(linear)
    assert "sm_80" in repr(linear) and "linear_0" in repr(linear)
    for shown in (linear, linear.program, linear.program.binary, linear._executable, device, device.reports[0]):
        assert len(repr(shown)) < 600, type(shown)
    for shown in (ptir.plan_buffers(function), ptir.PassManager("ptir-to-cuda"), ptir.get_conversion_target("cuda")):
        assert len(repr(shown)) < 600, type(shown)
    many = ", ".join(f"%a{k}: tensor<4xf32>" for k in range(500))
    wide = ptir.compile(f"func.func @f({many}) -> tensor<4xf32> {{ func.return %a0 : tensor<4xf32> }}")
    assert len(repr(wide)) < 1000


# --- a first program, written wrongly ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "help"),
    [
        ("%y = ptir.matmul %x, %x : tensor<4x8xf32>", "write ptir.dot_general"),
        ("%y = ptir.relu %x : tensor<4x8xf32>", "write ptir.maximum"),
        ("%y = ptir.softmax %x : tensor<4x8xf32>", "examples/softmax.mlir"),
        ("%y = ptir.sum %x : tensor<4x8xf32>", "write ptir.reduce sum"),
        ("%y = stablehlo.add %x, %x : tensor<4x8xf32>", "did you mean 'ptir.add'?"),
        ("%y = exp(%x)", "did you mean 'ptir.exp'?"),
        ("%y = ptir.add %x, 1.0 : tensor<4x8xf32>", "ptir.constant dense<1.0>"),
        ("%y = ptir.exp %x", "ends with its types"),
        ("%y = ptir.constant 0.0 : tensor<4x8xf32>", "dense<0.0>"),
        ("%x = ptir.exp %x : tensor<4x8xf32>", "a name is defined once"),
    ],
)
def test_a_slip_of_a_newcomer_is_told_how_it_is_written(line: str, help: str):
    text = f"func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {{\n  {line}\n  func.return %y : tensor<4x8xf32>\n}}"
    with pytest.raises(SourceError) as caught:
        ptir.parse(text)
    assert help in caught.value.help


def test_what_is_suggested_exists():
    for word, text in WRITTEN.items():
        for name in re.findall(r"ptir\.\w+", text):
            assert make_context().get_optional_op(name) is not None, (word, name)
        assert make_context().get_optional_op(f"ptir.{word}") is None, word
        for path in re.findall(r"examples/\S+", text):
            assert (ROOT / path).is_file()


@pytest.mark.campaign
def test_an_error_within_an_error_is_its_message():
    """Every place that puts an exception into a text takes its message: `{error}` would have code and help twice."""
    found: list[str] = []
    for room in (
        "dialects",
        "semantics",
        "analysis",
        "transforms",
        "passes",
        "backends",
        "runtime",
        "frontends",
        "tools",
    ):
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.ExceptHandler) and node.name and _may_be_ours(node.type):
                    found += [f"{path.name}:{use.lineno}" for use in _spelt(node, node.name)]
    assert not found


def _may_be_ours(kind: ast.expr | None) -> bool:
    names = {n.id for n in ast.walk(kind) if isinstance(n, ast.Name)} if kind is not None else set[str]()
    return bool(names & {"PtirError", "VerifyException", "VerifyError", "Unsupported", "DiagnosticException"})


def _spelt(handler: ast.ExceptHandler, name: str) -> list[Any]:
    """
    Yields the places where an exception handler turns the exception into text: `str(e)`, `f"{e}"`, and arguments of log calls.
    """
    out: list[Any] = []
    for node in ast.walk(handler):
        if isinstance(node, ast.FormattedValue):
            parts: list[ast.expr] = [node.value]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("str", "log.debug", "log.info", "log.warning"):
            parts = node.args
        else:
            continue
        out += [p for p in parts if isinstance(p, ast.Name) and p.id == name]
    return out
