"""Equal layers are fused once: what they compute, what they cost and which sections count as layers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp

import ptir
from ptir.dialects.common.shapes import shape
from ptir.dialects.region import LaunchOp
from ptir.passes.environment import make_context
from ptir.passes.manager import PassManager
from ptir.text.parsing import parse_text
from ptir.transforms import form_regions
from ptir.transforms.form_regions.layers import Layers, outline_layers
from tests.fusion_orders.answer import shuffled

X, H, W, V = "tensor<8x192xf32>", "tensor<8x16xf32>", "tensor<192x16xf32>", "tensor<16x192xf32>"


def layer(k: int, x: str) -> str:
    """Returns a layer: a norm, a masked product, another product that is added to `x`, and a value that is a result of the program."""
    return f"""
      %s{k} = ptir.reduce sum {x} axes [1] keepdims : {X} -> tensor<8x1xf32>
      %b{k} = ptir.broadcast_to %s{k} : tensor<8x1xf32> -> {X}
      %n{k} = ptir.sub {x}, %b{k} : {X}
      %h{k} = ptir.dot_general %n{k}, %u{k} contract [1] x [0] accum f32 out f32 : ({X}, {W}) -> {H}
      %m{k} = ptir.mul %h{k}, %mask : {H}
      %t{k} = ptir.tanh %m{k} : {H}
      %y{k} = ptir.dot_general %t{k}, %v{k} contract [1] x [0] accum f32 out f32 : ({H}, {V}) -> {X}
      %g{k} = ptir.broadcast_to %scale : tensor<192xf32> -> {X}
      %p{k} = ptir.mul %y{k}, %g{k} : {X}
      %x{k + 1} = ptir.add {x}, %p{k} : {X}
      %c{k} = ptir.neg %h{k} : {H}"""


def program(layers: int, *, other: int | None = None) -> str:
    """Returns a program of equal layers; with `other`, this one computes something else."""
    weights = ", ".join(f"%u{k}: {W}, %v{k}: {V}" for k in range(layers))
    body = "".join(layer(k, f"%x{k}") for k in range(layers))
    body = body if other is None else body.replace(f"ptir.tanh %m{other}", f"ptir.exp %m{other}")
    caches, types = "".join(f", %c{k}" for k in range(layers)), f", {H}" * layers
    return f"""
    func.func @f(%x: {X}, %scale: tensor<192xf32>, {weights}) -> ({X}{types}) {{
      %i = ptir.iota axis 1 : tensor<8x16xsi32>
      %mask = ptir.cast %i : tensor<8x16xsi32> -> {H}
      %x0 = ptir.abs %x : {X}{body}
      %r = ptir.neg %x{layers} : {X}
      func.return %r{caches} : {X}{types}
    }}"""


def tiny(text: str) -> ModuleOp:
    return PassManager("ptir-to-tiny,cse").run(parse_text(text, make_context()))


def found(module: ModuleOp) -> list[Layers]:
    functions = [o for o in module.ops if isinstance(o, FuncOp)]
    return [each for f in functions for each in outline_layers(module, f)]


def formed(module: ModuleOp, strategy: str = "exact") -> ModuleOp:
    return PassManager(f"form-regions{{arch=sm80 strategy={strategy}}}").run(module)


@contextmanager
def without_layers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(form_regions, "outline_layers", lambda *_: list[Layers]())
        yield


def arrays(text: str) -> list[Any]:
    rng = np.random.default_rng(1)
    function = next(o for o in tiny(text).ops if isinstance(o, FuncOp))
    return [rng.standard_normal(shape(a)).astype(np.float32) / 8 for a in function.body.block.args]


def test_the_layers_between_the_first_and_the_last_are_calls_of_one_function():
    module = tiny(program(6))
    ((each,),) = [found(module)]
    assert len(each.calls) == 4
    assert len([o for o in module.walk() if isinstance(o, CallOp)]) == 4
    module.verify()
    # The value that is passed on, a result of the program, and what is computed from less than it has: the broadcast of the scale, the mask.
    assert [str(t) for t in each.function.function_type.outputs] == [X, H]
    assert [str(t) for t in each.function.function_type.inputs] == [X, W, V, "tensor<192xf32>"]


@pytest.mark.parametrize("strategy", ["exact", "greedy"])
def test_results_and_launches_are_those_of_the_whole(strategy: str, monkeypatch: pytest.MonkeyPatch):
    text = program(5)
    got = formed(tiny(text), strategy)
    with without_layers(monkeypatch):
        want = formed(tiny(text), strategy)
    data = arrays(text)
    for y, z in zip(ptir.reference(got, *data), ptir.reference(text, *data), strict=True):
        np.testing.assert_allclose(y, z, rtol=1e-5, atol=1e-5)

    def numbers(module: ModuleOp) -> list[int]:
        return [sum(isinstance(o, kind) for o in module.walk()) for kind in (LaunchOp, CallOp, FuncOp)]

    assert numbers(got) == numbers(want)


def test_the_order_of_the_ops_does_not_matter():
    kernels: set[tuple[str, ...]] = set()
    for seed in (0, 1, 2):
        module = tiny(program(5))
        if seed:
            shuffled(next(o for o in module.ops if isinstance(o, FuncOp)), seed)
        ((each,),) = [found(module)]
        kernels.add((*(o.name for o in each.function.body.block.ops), str(len(each.calls))))
    assert len(kernels) == 1


def with_ops(text: str, ops: str, called: str = "") -> str:
    """Returns a program with `ops` before its result, `%q` among them, and two functions, one of which calls the other, which computes `called`."""
    functions = f"""
    func.func private @g(%a: {X}) -> {X} {{ %z = func.call @h(%a) : ({X}) -> {X} func.return %z : {X} }}
    func.func private @h(%a: {X}) -> {X} {{ %z = {called} func.return %z : {X} }}"""
    return text.replace("%r = ptir.neg ", f"{ops}\n%r = ptir.sub %q, ") + functions * bool(called)


def nested(op: str) -> str:
    """Returns a condition whose first branch computes an op."""
    return f"""%p = ptir.constant dense<true> : tensor<i1>
    %q = ptir.cond %p (%x) : ({X}) -> {X} then (%a) {{ %z = {op} ptir.yield %z : {X} }} else (%b) {{ ptir.yield %b : {X} }}"""


CUSTOM, OTHER = f'ptir.custom_call "acme.f.v1"(%a) : ({X}) -> {X}', f"ptir.neg %a : {X}"
CALL = f"%q = func.call @g(%x) : ({X}) -> {X}"


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (program(3), []),
        (program(4), [2]),
        (program(7, other=6), [4]),
        (program(9, other=4), [2, 2]),
        (program(5, other=2), []),
        (program(5).replace("192", "96"), []),
        (with_ops(program(5), "%q = " + CUSTOM.replace("%a", "%x")), []),
        (with_ops(program(5), nested(CUSTOM)), []),
        (with_ops(program(5), nested(OTHER)), [3]),
        (with_ops(program(5), CALL, CUSTOM), []),
        (with_ops(program(5), CALL, OTHER), [3]),
    ],
)
def test_what_counts_as_layers(text: str, calls: list[int]):
    """
    At least four equal ones, side by side, of which the first and the last one stay; none of rows that kernels of products reduce, and none
    beside custom calls, whose order stays, wherever these are.
    """
    assert [len(each.calls) for each in found(tiny(text))] == calls


def test_a_chain_without_products_is_no_layer():
    ops = [f"%{k + 1} = ptir.{'exp' if k % 8 else 'neg'} %{k} : {X}" for k in range(64)]
    text = f"func.func @f(%0: {X}) -> {X} {{ {' '.join(ops)} func.return %64 : {X} }}"
    assert not found(tiny(text.replace("%0:", "%a:").replace(" %0 ", " %a ")))
