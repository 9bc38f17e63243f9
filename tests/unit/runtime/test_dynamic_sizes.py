"""Programs with dynamic sizes: kernels are compiled once for each set of sizes, and compute what NumPy computes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import ptir
from ptir.analysis.index.static_sizes import is_dynamic
from ptir.analysis.program.signature import entry_function
from ptir.backends.cuda import emit
from ptir.frontends.json.tiny import import_json
from ptir.runtime import sizes as binding
from ptir.runtime.sizes import bound_sizes
from ptir.text.verify import verify_module
from ptir.transforms.specialize_sizes import specialize
from tests.random_programs.check import run, same
from tests.random_programs.generator import Options, generate

SPEC = """{
  "ops": [
    {"op":"Movement","name":"a_reshape","kind":"reshape","inputs":["A"],"outputs":["A_r"],"attrs":{"new_shape":["M","K","1"]}},
    {"op":"Movement","name":"b_reshape","kind":"reshape","inputs":["B"],"outputs":["B_r"],"attrs":{"new_shape":["1","K","N"]}},
    {"op":"Binary","name":"mul","fn":"mul","inputs":["A_r","B_r"],"outputs":["T"]},
    {"op":"Reduce","name":"sum_k","fn":"sum","inputs":["T"],"outputs":["C0"],"axes":["K"]},
    {"op":"Movement","name":"bias_expand","kind":"expand","inputs":["bias"],"outputs":["bias_mn"],"attrs":{"new_shape":["M","N"]}},
    {"op":"Binary","name":"bias_add","fn":"add","inputs":["C0","bias_mn"],"outputs":["C1"]},
    {"op":"Unary","name":"relu","fn":"relu","inputs":["C1"],"outputs":["C2"]}
  ],
  "values": {
    "A":{"dtype":"fp16","shape":["M","K"]},
    "B":{"dtype":"fp16","shape":["K","N"]},
    "bias":{"dtype":"fp16","shape":["N"]},
    "A_r":{"dtype":"fp16","shape":["M","K","1"]},
    "B_r":{"dtype":"fp16","shape":["1","K","N"]},
    "T":{"dtype":"fp16","shape":["M","K","N"]},
    "C2":{"dtype":"fp16","shape":["M","N"]}
  }
}"""
"""The example of the spec, `tensor-compiler.ja §1.2`."""

ATTEND = """
func.func @attend(%q: tensor<?xf32, #ptir.dims<D>>, %keys: tensor<?x?xf32, #ptir.dims<S, D>>)
    -> tensor<?xf32, #ptir.dims<S>> {
  %0 = ptir.dot_general %keys, %q contract [1] x [0] : (tensor<?x?xf32, #ptir.dims<S, D>>, tensor<?xf32, #ptir.dims<D>>)
    -> tensor<?xf32, #ptir.dims<S>>
  func.return %0 : tensor<?xf32, #ptir.dims<S>>
}
"""


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The CUDA sources that are compiled."""
    sources: list[str] = []
    compile_cuda = emit.compile_cuda

    def counted(source: str, *args: Any, **named: Any) -> Any:
        sources.append(source)
        return compile_cuda(source, *args, **named)

    monkeypatch.setattr(emit, "compile_cuda", counted)
    return sources


def small(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).integers(-2, 3, shape)


def test_the_spec_example_runs_for_any_sizes(compiled: list[str]):
    program = ptir.compile(import_json(SPEC), device=ptir.Emulator())
    for m, k, n in ((5, 16, 8), (16, 8, 24), (5, 16, 8), (1, 1, 1), (0, 3, 2), (2, 0, 3)):
        a, b, bias = (small(*s).astype(np.float16) for s in ((m, k), (k, n), (n,)))
        (got,) = program(a, b, bias)
        want = np.maximum(a.astype(np.float64) @ b.astype(np.float64) + bias, 0)
        assert got.shape == (m, n) and np.array_equal(got, want)
    assert len(compiled) == 5


def test_sizes_are_bound_once_for_equal_shapes(monkeypatch: pytest.MonkeyPatch):
    bound: list[Any] = []
    monkeypatch.setattr(binding, "bound_sizes", lambda *given: bound.append(given) or bound_sizes(*given))
    program = ptir.compile(ATTEND, device=ptir.Emulator())
    q, keys = small(4).astype(np.float32), small(3, 4).astype(np.float32)
    for s in (2, 3, 2, 3, 3):
        assert np.array_equal(program(q, keys[:s])[0], keys[:s] @ q)
    assert len(bound) == 2


def test_a_growing_axis_compiles_once_a_size(compiled: list[str]):
    program = ptir.compile(ATTEND, device=ptir.Emulator())
    ahead = program.compile_for(S=2, D=4)
    assert len(compiled) == 1 and "compiled for 1 set" in repr(program)
    q, keys = small(4).astype(np.float32), small(3, 4).astype(np.float32)
    for _ in range(2):
        for s in (1, 2, 3):
            assert np.array_equal(program(q, keys=keys[:s])[0], keys[:s] @ q)
    assert len(compiled) == 3
    assert program.compile_for(D=4, S=2) is ahead and ahead.compile_for() is ahead
    assert np.array_equal(ahead(q, keys[:2])[0], keys[:2] @ q) and "__global__" in ahead.cuda
    program.close()


V, TWO = "tensor<?xf32>", "tensor<?x?xf32, #ptir.dims<{}>>"
CONTRADICTIONS = {
    "a slice that begins beyond the end": (
        f"func.func @f(%x: {V}) -> {V} {{\n  %s = ptir.slice %x [5] : {V} -> {V}\n  func.return %s : {V}\n}}",
        (3,),
        "a window of size ? at offset 5 exceeds the extent of 3",
    ),
    "one name of two sizes": (
        f"func.func @f(%x: {TWO.format('B, C')}) -> {TWO.format('D, D')} {{\n"
        f"  %s = ptir.dim_cast %x : {TWO.format('B, C')} -> {TWO.format('D, D')}\n  func.return %s : {TWO.format('D, D')}\n}}",
        (4, 5),
        "axis 1 of result 0: D = 4 and 5 are known to differ",
    ),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_sizes_that_contradict_each_other(name: str):
    source, sizes, text = CONTRADICTIONS[name]
    with pytest.raises(ptir.PtirError, match=re.escape(text)):
        ptir.compile(source, device=ptir.Emulator())(np.zeros(sizes, np.float32))


CALLS = f"""
func.func private @twice(%x: {V}) -> {V} {{
  %y = ptir.add %x, %x : {V}
  func.return %y : {V}
}}
func.func @f(%x: {V}, %y: {V}) -> ({V}, {V}) {{
  %a = func.call @twice(%x) : ({V}) -> {V}
  %b = func.call @twice(%y) : ({V}) -> {V}
  func.return %a, %b : {V}, {V}
}}"""


def test_a_function_is_called_with_several_sizes():
    x, y = np.arange(3, dtype=np.float32), np.arange(5, dtype=np.float32)
    a, b = ptir.compile(CALLS, entry="f", device=ptir.Emulator())(x, y)
    assert np.array_equal(a, x + x) and np.array_equal(b, y + y)


@pytest.mark.parametrize(
    ("call", "code", "text"),
    [
        (lambda p: p.compile_for(S=2), "PTIR0218", "D is missing"),
        (lambda p: p.compile_for(S=2, D=-1), "PTIR0218", "D is -1"),
        (lambda p: (p.compile_for(S=2, D=1), p.compile_for(S=2.0, D=True)), "PTIR0218", "S is 2.0"),
        (lambda p: p.compile_for(S=2, D=1, T=1), "PTIR0218", "no size T"),
        (lambda p: p.compile_for(S=2, D=1).compile_for(S=2), "PTIR0218", "no size S"),
        (lambda p: p.cuda, "PTIR0218", "no sizes"),
        (lambda p: p(small(4)), "PTIR0532", "missing"),
        (lambda p: p(small(4), [1]), "PTIR0532", "list"),
        (lambda p: p(small(4), small(4)), "PTIR0562", "shape"),
        (lambda p: p(small(4), small(2, 3)), "PTIR0561", "the name D is 4"),
        (lambda p: p(small(4), small(2, 4)), "PTIR0532", "float32"),
    ],
)
def test_errors(call: Any, code: str, text: str):
    with pytest.raises(ptir.PtirError, match=text) as error:
        call(ptir.compile(ATTEND, device=ptir.Emulator()))
    assert error.value.code == code


@pytest.mark.sampled(2)
@pytest.mark.parametrize("index", range(40))
def test_a_specialized_program_computes_the_same(index: int):
    """Random programs of all ops, with calls and regions, on arrays whose sizes include 0 and 1."""
    case = generate(5, index, Options(dynamic=1.0))
    for name, arrays in case.inputs.items():
        module = case.module.clone()
        function = entry_function(module, name)
        specialize(module, function, bound_sizes(function, [np.shape(a) for a in arrays]))
        assert not is_dynamic(entry_function(module, name))
        verify_module(module)
        assert same(run(case.module, name, arrays), run(module, name, arrays))
