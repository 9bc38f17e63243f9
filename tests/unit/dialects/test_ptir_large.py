"""Programs that verify but are too large for the interpreter, or for constant folding. They cause an error with a code at an op,
whether the program is run as it is or simplified first."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from xdsl.pattern_rewriter import PatternRewriteWalker

import ptir
from ptir.errors import InvalidAttributeValue
from ptir.semantics.bounds import check
from ptir.semantics.errors import ArgumentMismatch, TooLarge
from ptir.text.verify import verify_module
from ptir.transforms.errors import NoSuchRule
from ptir.transforms.ptir_canonicalize import simplify


def f(result: str, body: str, arguments: str = "") -> str:
    return f"builtin.module attributes {{ptir.extensions}} {{ func.func @f({arguments}) -> {result} {{\n{body}\nfunc.return %0 : {result}\n}} }}"


def ones(rank: int) -> str:
    return "tensor<" + "1x" * rank + "f32>"


SCALAR = "%c = ptir.constant dense<1.0> : tensor<f32>\n"


def windows(rank: int) -> str:
    return (
        f"{SCALAR}%r = ptir.reshape %c : tensor<f32> -> {ones(rank)}\n%0 = ptir.reduce_window sum %r window "
        f"[{', '.join('1' * rank)}] : {ones(rank)} -> {ones(rank)}"
    )


VAST, HUGE = "tensor<1000000000000000xf32>", "tensor<9223372036854775807xf32>"
TILED, SQUARE, DEEP = "tensor<4611686018427387904xf32>", "tensor<4294967296x4294967296xf32>", ones(70)
EMPTY = "tensor<0x4294967296x4294967296xf32>"
TOO_LARGE = {
    "iota": f("tensor<100000000000000xf32>", "%0 = ptir.iota axis 0 : tensor<100000000000000xf32>"),
    "elements": f(VAST, f"%0 = ptir.iota axis 0 : {VAST}"),
    "random": f(HUGE, f"%0 = ptir.rng_uniform : {HUGE}"),
    "tile": f(TILED, f"%c = ptir.iota axis 0 : tensor<1xf32>\n%0 = ptir.tile %c [4611686018427387904] : tensor<1xf32> -> {TILED}"),
    "broadcast": f(SQUARE, f"{SCALAR}%0 = ptir.broadcast_to %c : tensor<f32> -> {SQUARE}"),
    "axes": f(DEEP, f"{SCALAR}%0 = ptir.reshape %c : tensor<f32> -> {DEEP}"),
    "no elements": f(EMPTY, f"%0 = ptir.iota axis 0 : {EMPTY}"),
    "windows": f(
        "tensor<1xf32>",
        "%c = ptir.constant dense<1.0> : tensor<1xf32>\n%0 = ptir.reduce_window sum %c window [100000000000000] "
        "padding [(0, 99999999999999)] : tensor<1xf32> -> tensor<1xf32>",
    ),
    "axes of windows": f(ones(33), windows(33)),
}  # fmt: skip


@pytest.mark.parametrize("by", [None, "ptir-canonicalize"])
@pytest.mark.parametrize("name", TOO_LARGE)
def test_too_large_for_the_interpreter(name: str, by: str | None) -> None:
    module = ptir.parse(TOO_LARGE[name])
    verify_module(module)
    if by is not None:
        module = ptir.PassManager(by).run(module)
    with pytest.raises(TooLarge, match="is too large for the interpreter") as caught:
        ptir.reference(module)
    assert caught.value.op is not None and caught.value.op.name.startswith("ptir.")


def test_windows_over_as_many_axes_as_their_view_may_have() -> None:
    (got,) = ptir.reference(f(ones(32), windows(32)))
    assert got.shape == (1,) * 32 and got.item() == 1


def test_windows_are_not_computed_beforehand() -> None:
    body = (
        "%c = ptir.constant dense<1.0> : tensor<8xf32>\n"
        "%0 = ptir.reduce_window sum %c window [3] : tensor<8xf32> -> tensor<6xf32>"
    )
    assert "ptir.reduce_window" in str(ptir.PassManager("ptir-canonicalize").run(ptir.parse(f("tensor<6xf32>", body))))


def test_a_function_that_calls_itself() -> None:
    text = "func.func @f(%x: tensor<f32>) -> tensor<f32> { %0 = func.call @f(%x) : (tensor<f32>) -> tensor<f32> func.return %0 : tensor<f32> }"
    with pytest.raises(TooLarge, match="nested too deeply") as caught:
        ptir.reference(text, np.float32(1))
    assert caught.value.op is not None and caught.value.op.name == "func.call"
    assert not hasattr(caught.value, "__notes__")  # xDSL would add one print of the module per call


@pytest.mark.parametrize("by", [None, "ptir-canonicalize"])
def test_a_contraction_of_more_axes_than_there_are_letters(by: str | None) -> None:
    x, out = ones(30), ones(58)
    body = f"{SCALAR}%r = ptir.reshape %c : tensor<f32> -> {x}\n%0 = ptir.dot_general %r, %r contract [0] x [0] : ({x}, {x}) -> {out}"
    module = ptir.parse(f(out, body))
    if by is not None:
        module = ptir.PassManager(by).run(module)
    (got,) = ptir.reference(module)
    assert got.shape == (1,) * 58 and got.item() == 1


@pytest.mark.parametrize(("value", "spelt"), [([1.0, 2.0], "a list"), (None, "None"), (2.0, "a float")])
def test_what_is_no_array(value: Any, spelt: str) -> None:
    text = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> { func.return %x : tensor<2xf32> }"
    with pytest.raises(ArgumentMismatch) as caught:
        ptir.reference(text, value)
    assert str(caught.value) == (
        f"<string>:1:1: error[PTIR0542]: @f takes tensor<2xf32>, got {spelt}\n"
        "  help: argument 0 does not fit; numpy.asarray(…, dtype='float32') converts, reshape(…) gives a shape"
    )


def test_nested_regions_settle_in_one_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    walks = Counter[str]()
    rewrite = PatternRewriteWalker.rewrite_region
    populate = PatternRewriteWalker._populate_worklist  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(PatternRewriteWalker, "_populate_worklist", lambda s, r: (walks.update("w"), populate(s, r))[1])
    module = ptir.parse(nested(40))
    simplify(module)
    assert "ptir.cond" not in str(module) and rewrite is PatternRewriteWalker.rewrite_region
    assert walks["w"] <= 4


def nested(depth: int) -> str:
    body = f"ptir.yield %a{depth} : tensor<f32>"
    for i in reversed(range(depth)):
        body = (
            f"%p{i} = ptir.compare eq %a{i}, %a{i} : tensor<f32> -> tensor<i1>\n"
            f"%r{i} = ptir.cond %p{i} (%a{i}) : (tensor<f32>) -> tensor<f32> then (%a{i + 1}) {{\n{body}\n}} "
            f"else (%b{i}) {{ ptir.yield %b{i} : tensor<f32> }}\nptir.yield %r{i} : tensor<f32>"
        )
    body = body.removesuffix("ptir.yield %r0 : tensor<f32>")
    return f"func.func @f(%a0: tensor<f32>) -> tensor<f32> {{ {body} func.return %r0 : tensor<f32> }}"


def test_options_that_make_no_sense() -> None:
    module = ptir.parse("func.func @f() { func.return }")
    with pytest.raises(InvalidAttributeValue, match="'fold_limit' is -1"):
        ptir.PassManager("ptir-canonicalize{fold-limit=-1}").run(module)
    with pytest.raises(NoSuchRule) as caught:
        ptir.PassManager("ptir-canonicalize{rules=foo}").run(module)
    assert "docs/reference/rules.md" in caught.value.help


@pytest.mark.parametrize("axis", [0, 31, 63])
def test_indices_along_one_of_64_axes(axis: int) -> None:
    shape = [2 if a == axis else 1 for a in range(64)]
    of = "x".join(map(str, shape))
    t, i = f"tensor<{of}xf32>", f"tensor<{of}xsi64>"
    text = f"""builtin.module attributes {{ptir.extensions}} {{ func.func @f(%x: {t}, %i: {i}) -> ({t}, {i}, {t}, {t}) {{
      %v, %k = ptir.top_k largest %x k 2 axis {axis} : {t} -> {t}, {i}
      %s = ptir.scatter_reduce add %x, %i, %x axis {axis} : {t}, {i}, {t}
      %g = ptir.gather %x, %i axis {axis} : ({t}, {i}) -> {t}
      func.return %v, %k, %s, %g : {t}, {i}, {t}, {t} }} }}"""
    x, at = np.array([1, 3], np.float32).reshape(shape), np.array([1, 0], np.int64).reshape(shape)
    got = ptir.reference(text, x, at)
    assert all(check(r, i).ok for r, i in zip(got, ptir.bounds(text, x, at), strict=True))
    assert all(r.shape == tuple(shape) for r in got)
    assert [r.reshape(-1).tolist() for r in got] == [[3, 1], [1, 0], [4, 4], [3, 1]]


@pytest.mark.parametrize(
    "op",
    [
        "ptir.stop_gradient %x : tensor<2x2xf32>",
        "ptir.transpose %x [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>",
        "tiny.movement reshape %x : tensor<2x2xf32> -> tensor<2x2xf32>",
    ],
)
def test_results_are_no_views_of_the_arguments(op: str) -> None:
    text = f"func.func @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {{ %0 = {op} func.return %0 : tensor<2x2xf32> }}"
    x = np.zeros((3, 2), np.float32)
    (result,) = ptir.reference(text, x[1:])
    result[:] = 5
    assert not x.any()
