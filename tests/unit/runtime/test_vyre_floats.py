"""Strict float ops as CUDA, in the emulator, and as WGSL, on an adapter, have the bits of the interpreter."""

from __future__ import annotations

import re

import numpy as np
import pytest
from xdsl.context import Context

import ptir
from ptir.backends.cuda.emit import compile_text, emit_cuda
from ptir.backends.wgsl.printer import WgslPrinter
from ptir.dialects.vyre.floats import IDENTITY, STRICT
from ptir.elementary.vocabulary import COMPARISONS, FORMATS, FUNCTIONS
from ptir.runtime.vyre import PtxPrograms
from ptir.runtime.wgsl import NoAdapter, WgslProgram, device
from ptir.semantics.vyre import dispatch, find_program
from ptir.transforms.vyre_inline import VyreInline
from ptir.transforms.vyre_to_nv import VyreToNv
from tests.unit.builders.vyre_floats import applied, words_of

OPS = [
    *((f"strict {op}", count, "") for op, (_, count) in STRICT.items()),
    *((f"compare {op}", 2, "") for op in COMPARISONS),
    *(("cast", 1, t) for t in ("!vyre.u32", "!vyre.i32", *(f"!vyre.preview<{f}>" for f in FORMATS))),
]
SIZE = 256

MIXED = """
vyre.program @p workgroup [64, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %o = vyre.buffer "o" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_write>
  %i = vyre.position global x
  %one = vyre.constant 1 : !vyre.u32
  %j = vyre.binop add %i, %one : !vyre.u32
  %x = vyre.load %a[%i] : !vyre.buffer<!vyre.preview<f32>, read_only> -> !vyre.preview<f32>
  %y = vyre.load %a[%j] : !vyre.buffer<!vyre.preview<f32>, read_only> -> !vyre.preview<f32>
  %p = vyre.strict fmul %x, %y : !vyre.preview<f32>
  %s = vyre.strict fadd %p, %x : !vyre.preview<f32>
  %c = vyre.compare lt %s, %y : !vyre.preview<f32>
  %t = vyre.select %c, %s, %y : !vyre.preview<f32>
  %h = vyre.cast %t : !vyre.preview<f32> to !vyre.preview<f16>
  %w = vyre.cast %h : !vyre.preview<f16> to !vyre.preview<f32>
  vyre.store %w, %o[%i] : !vyre.preview<f32>, !vyre.buffer<!vyre.preview<f32>, read_write>
}
"""
REDUCE = """
vyre.program @p workgroup [32, 1, 1] {{
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %o = vyre.buffer "o" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_write>
  %i = vyre.position global x
  %r = vyre.{op} : {types}
  vyre.store %r, %o[%i] : !vyre.preview<f32>, !vyre.buffer<!vyre.preview<f32>, read_write>
}}
"""
BUFFER = "!vyre.buffer<!vyre.preview<f32>, read_only>"
REDUCTIONS = [
    *((f"reduce {order} {fn} %a[%i] count 11", BUFFER) for fn in IDENTITY for order in ("strict", "tree")),
    ("reduce tree fadd %a[%i] count 1", BUFFER),
    ("dot %a[%i], %a[%i] count 6 steps[2, 5]", f"{BUFFER}, {BUFFER}"),
]


def check(text: str, buffers: dict[str, np.ndarray], workgroups: int, on: str) -> None:
    """Compares a program with the interpreter, on `ptx` or on `wgsl`."""
    module = ptir.parse(text)
    want = dispatch(find_program(module), buffers, [workgroups])["o"]
    program = PtxPrograms.compile(module) if on == "ptx" else WgslProgram(module)
    np.testing.assert_array_equal(program.dispatch(buffers, [workgroups])["o"], want)


@pytest.fixture(params=["ptx", "wgsl"])
def on(request: pytest.FixtureRequest) -> str:
    if request.param == "wgsl":
        try:
            device()
        except NoAdapter as error:
            pytest.skip(str(error))
    return request.param


def test_a_program_of_floats(on: str):
    """Small products, subnormals, infinities and NaN among them; no multiply-add is formed."""
    (x,) = words_of("f32", 1, 128)
    check(MIXED, {"a": x, "o": np.zeros(128, np.float32)}, 2, on)


STRICT_OPS = """
vyre.program @p workgroup [64, 1, 1] {
  %o = vyre.buffer "o" binding 0 : !vyre.buffer<!vyre.preview<f32>, read_write>
  %i = vyre.position global x
  %x = vyre.load %o[%i] : !vyre.buffer<!vyre.preview<f32>, read_write> -> !vyre.preview<f32>
  %p = vyre.strict fmul %x, %x : !vyre.preview<f32>
  %s = vyre.strict fadd %p, %x : !vyre.preview<f32>
  %q = vyre.strict fdiv %s, %p : !vyre.preview<f32>
  %r = vyre.strict fsqrt %q : !vyre.preview<f32>
  %t = vyre.strict fsin %r : !vyre.preview<f32>
  vyre.store %t, %o[%i] : !vyre.preview<f32>, !vyre.buffer<!vyre.preview<f32>, read_write>
}
"""


def test_ptx_fuses_flushes_and_approximates_nothing():
    """Division and roots are those of the hardware, rounded; the sine is binary64. What `div.rn` expands to is below PTX."""
    module = ptir.parse(STRICT_OPS)
    VyreToNv().apply(Context(), module)
    ptx = compile_text(emit_cuda(module), "compute_80").ptx
    for word in ("mul.rn.f32", "add.rn.f32", "div.rn.f32", "sqrt.rn.f32", ".f64"):
        assert word in ptx, word
    for word in (".ftz", ".approx", ".full", "fma.rn.f32", "mad.f32", "tf32"):
        assert word not in ptx, word


def test_wgsl_has_no_floats():
    """An adapter may fuse and flush floats; all are integers."""
    module = ptir.parse(STRICT_OPS)
    VyreInline().apply(Context(), module)
    wgsl = WgslPrinter(find_program(module)).text()
    assert "u32" in wgsl and not re.search(r"\bf(16|32)\b|[0-9]f\b", wgsl)


@pytest.mark.campaign
@pytest.mark.parametrize(("op", "types"), REDUCTIONS, ids=str)
def test_reductions(op: str, types: str, on: str):
    x = np.random.default_rng(3).normal(size=40).astype(np.float32)
    check(REDUCE.format(op=op, types=types), {"a": x, "o": np.zeros(32, np.float32)}, 1, on)


@pytest.mark.campaign
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(("op", "count", "result"), OPS, ids=str)
def test_each_op(op: str, count: int, result: str, format: str, on: str):
    if result == f"!vyre.preview<{format}>":
        return
    if on == "wgsl" and op in ("strict ferf", "strict ferfc") and format != "f32":
        pytest.skip("their tables take half a minute to compile, and are those of f32")
    arguments = words_of(format, count, SIZE) + [np.zeros(SIZE, np.uint32)] * (3 - count)
    buffers = {**dict(zip("abc", arguments, strict=True)), "o": np.zeros(SIZE, np.uint32)}
    check(applied(op, count, format, result), buffers, SIZE // 64, on)


def test_every_function_has_a_case():
    assert {f"strict f{name}" for name in FUNCTIONS} <= {op for op, _, _ in OPS}
