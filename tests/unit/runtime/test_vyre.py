"""`vyre` programs on all backends: random programs, dispatches of PTX and of WGSL, and what they refuse."""

from __future__ import annotations

import re
import sys
from collections import Counter

import numpy as np
import pytest

import ptir
from ptir.backends.wgsl.printer import print_wgsl
from ptir.backends.wgsl.watched import has_loops, watch_loops
from ptir.dialects import vyre
from ptir.dialects.vyre.arithmetic import BINOPS, COMPARES
from ptir.runtime.vyre import PtxPrograms
from ptir.runtime.wgsl import InvalidShader, LoopEnded, NoAdapter, WgslProgram, device
from ptir.semantics.vyre import WrongBuffer, dispatch, find_program
from ptir.text.verify import verify_module
from ptir.text.writing import print_module
from tests.unit.builders.vyre_floats import applied
from tests.vyre_programs.check import check
from tests.vyre_programs.generator import generate

COPY = """
vyre.program @copy workgroup [4, 1, 1] {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %i = vyre.position global x
  %x = vyre.load %in[%i] : !vyre.buffer<u32, read_only> -> !vyre.u32
  vyre.store %x, %out[%i] : !vyre.u32, !vyre.buffer<u32, read_write>
}
"""
IN, OUT = np.arange(6, dtype=np.uint32) + 9, np.zeros(6, np.uint32)


@pytest.fixture(scope="module")
def adapter() -> str:
    try:
        return device().adapter.info["description"]
    except NoAdapter as error:
        pytest.skip(str(error))


def has_adapter() -> bool:
    try:
        return device() is not None
    except NoAdapter:
        return False


# --- random programs ----------------------------------------------------------------------------


@pytest.mark.parametrize("count", [8, pytest.param(300, marks=pytest.mark.campaign)])
def test_backends_agree_on_random_programs(count: int):
    """With an adapter, WGSL is among the backends. `python -m tests.vyre_programs` checks thousands."""
    assert not {k: v for first in range(0, count, 8) for k, v in check(range(first, first + 8), has_adapter()).items()}


@pytest.mark.campaign
def test_random_programs_have_every_op_verify_and_round_trip():
    names: Counter[str] = Counter()
    changed = 0
    for seed in range(60):
        case = generate(seed, floats=seed % 2 == 1)
        verify_module(case.module)
        names.update(op.name for op in case.module.walk())
        if seed % 10 == 0:
            text = print_module(case.module)
            assert print_module(ptir.parse(text)) == text
            assert print_module(generate(seed).module) == text
            got = dispatch(find_program(case.module), case.buffers, case.workgroups)
            changed += sum(not np.array_equal(got[k], case.buffers[k]) for k in ("out", "counters", "own"))
    alone = {"vyre.approximate", "vyre.dot", "vyre.reduce"}  # tested one by one (test_vyre_floats.py)
    assert {op.name for op in vyre.Vyre.operations} - alone <= names.keys()
    assert changed >= 10


MAPPING = """
vyre.program @types workgroup [1, 1, 1] {
  %0 = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_only>
  %1 = vyre.buffer "b" binding 1 : !vyre.buffer<i32, read_only>
  %2 = vyre.buffer "c" binding 2 : !vyre.buffer<u64, read_write>
  %3 = vyre.buffer "d" binding 3 : !vyre.buffer<vec2u32, read_write>
  %4 = vyre.buffer "e" binding 4 : !vyre.buffer<vec4u32, read_write>
  %5 = vyre.buffer "f" binding 5 : !vyre.buffer<bool, read_write>
  %6 = vyre.buffer "g" binding 6 : !vyre.buffer<bytes, read_write>
  %7 = vyre.buffer "h" count 3 : !vyre.buffer<u64, workgroup>
}
"""


def test_the_mapping_to_wgsl():
    """Spec: `vyre-ir-types`, the column WGSL mapping."""
    text = print_wgsl(ptir.parse(MAPPING))
    assert re.findall(r"array<(\S+?)(?:, 3)?>;", text) == [
        "u32", "i32", "vec2<u32>", "vec2<u32>", "vec4<u32>", "u32", "u32", "vec2<u32>",
    ]  # fmt: skip


EDGES = {
    "u32": np.array([0, 1, 2, 7, 31, 32, 2**31 - 1, 2**31, 2**32 - 1], np.uint32),
    "i32": np.array([0, 1, -1, 7, -7, 31, 32, 2**31 - 1, -(2**31)], np.int32),
    "u64": np.array([0, 1, 31, 33, 64, 2**32 - 1, 2**32, 2**63, 2**64 - 1], np.uint64),
}


def every_op(t: str) -> str:
    """Returns a program that applies every op of two integers of a type."""
    lines = [
        f'  %{name} = vyre.buffer "{name}" binding {k} : !vyre.buffer<{t}, read_only>' for k, name in enumerate("ab")
    ]
    lines.append(f'  %y = vyre.buffer "y" binding 2 : !vyre.buffer<{t}, read_write>\n  %i = vyre.position global x')
    lines += [f"  %x{name} = vyre.load %{name}[%i] : !vyre.buffer<{t}, read_only> -> !vyre.{t}" for name in "ab"]
    lines.append(
        f"  %count = vyre.constant {len(BINOPS) + len(COMPARES)} : !vyre.u32\n  %at = vyre.binop mul %i, %count : !vyre.u32"
    )
    for k, fn in enumerate((*BINOPS, *COMPARES)):
        op = "binop" if fn in BINOPS else "compare"
        lines.append(f"  %r{k} = vyre.{op} {fn} %xa, %xb : !vyre.{t}")
        if op == "compare":
            lines.append(f"  %s{k} = vyre.cast %r{k} : !vyre.bool to !vyre.{t}")
        lines.append(f"  %k{k} = vyre.constant {k} : !vyre.u32\n  %at{k} = vyre.binop add %at, %k{k} : !vyre.u32")
        value = f"%{'s' if op == 'compare' else 'r'}{k}"
        lines.append(f"  vyre.store {value}, %y[%at{k}] : !vyre.{t}, !vyre.buffer<{t}, read_write>")
    return "\n".join([f"vyre.program @{t} workgroup [27, 1, 1] {{", *lines, "}"])


def test_every_op_is_bit_equal_on_all_backends():
    """The interpreter is compared with Python's integers in `tests/unit/semantics/test_vyre.py`."""
    module = ptir.parse("\n".join(map(every_op, EDGES)))
    ptx = PtxPrograms.compile(module)
    for t, edges in EDGES.items():
        a, b = (np.ascontiguousarray(x.ravel()) for x in np.meshgrid(edges, edges))
        buffers = {"a": a, "b": b, "y": np.zeros(a.size * (len(BINOPS) + len(COMPARES)), a.dtype)}
        want = dispatch(find_program(module, t), buffers, (3,))["y"]
        assert np.array_equal(ptx.dispatch(buffers, (3,), t)["y"], want), t
        if has_adapter():
            assert np.array_equal(WgslProgram(module, t).dispatch(buffers, (3,))["y"], want), t


# --- dispatches ---------------------------------------------------------------------------------


def test_ptx_takes_buffers_by_name_and_leaves_them():
    compiled = PtxPrograms.compile(ptir.parse(COPY))
    assert compiled.dispatch({"in": IN, "out": OUT}, (1,))["out"].tolist() == [9, 10, 11, 12, 0, 0]
    assert compiled.dispatch({"in": IN, "out": OUT[:0]}, (2,))["out"].size == 0
    assert compiled.dispatch({"in": IN, "out": OUT}, (0, 5))["out"].tolist() == [0] * 6
    with pytest.raises(WrongBuffer, match="no array for buffer 'out' is given"):
        compiled.dispatch({"in": IN})
    assert not OUT.any()


def test_wgsl_takes_buffers_by_name_and_leaves_them(adapter: str):
    compiled = WgslProgram(ptir.parse(COPY))
    assert compiled.dispatch({"in": IN, "out": OUT}, (1,))["out"].tolist() == [9, 10, 11, 12, 0, 0]
    assert compiled.dispatch({"in": IN, "out": OUT}, (0, 5))["out"].tolist() == [0] * 6
    with pytest.raises(
        WrongBuffer, match=r"the array for buffer 'out' is empty, which WebGPU does not bind\. Fix: pass"
    ):
        compiled.dispatch({"in": IN, "out": OUT[:0]}, (2,))
    with pytest.raises(
        WrongBuffer, match=r"a dispatch of 70000 x 1 x 1 workgroups\. Fix: use at most 65535 along an axis"
    ):
        compiled.dispatch({"in": IN, "out": OUT}, (70000,))
    assert not OUT.any()


LOOPS = """
vyre.program @p workgroup [1, 1, 1] {
  %y = vyre.buffer "y" binding 0 : !vyre.buffer<u32, read_write>
  %i = vyre.position global x
  %inner = vyre.constant 7000 : !vyre.u32
  %n = vyre.buf_len %y : !vyre.buffer<u32, read_write>
  %r = vyre.for %j = %i to %n iter (%a = %i) -> (!vyre.u32) {
    %s = vyre.for %k = %i to %inner iter (%b = %a) -> (!vyre.u32) {
      %c = vyre.binop add %b, %k : !vyre.u32
      vyre.yield %c : !vyre.u32
    }
    vyre.yield %s : !vyre.u32
  }
  vyre.store %r, %y[%i] : !vyre.u32, !vyre.buffer<u32, read_write>
}
"""


def test_an_adapter_that_ends_loops_early_is_found_out(adapter: str):
    """llvmpipe ends the loops of an invocation after 65,535 iterations in all."""
    compiled = WgslProgram(ptir.parse(LOOPS))
    assert (compiled.watched is not None) == device().adapter.info["device"].startswith("llvmpipe")
    for n in (9, 10):
        want = n * sum(range(7000)) % 2**32
        if compiled.watched is None or n == 9:
            assert compiled.dispatch({"y": np.zeros(n, np.uint32)})["y"][0] == want
        else:
            with pytest.raises(LoopEnded) as caught:
                compiled.dispatch({"y": np.zeros(n, np.uint32)})
            message = "error[PTIR0589]: the loops of @p are ended before their last iteration by llvmpipe"
            assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "count"), [(LOOPS, 2), (every_op("u64"), 1), (applied("strict fsin", 1, "f32"), 1)], ids=str
)
def test_every_loop_is_watched(text: str, count: int):
    """Nested ones, that of divisions, and that of the instructions of a float function."""
    shader = print_wgsl(ptir.parse(text))
    watched = watch_loops(shader, 9)
    assert len(re.findall(r"\bfor \(", shader)) == watched.count(") { atomicStore(&ended_early, 1u); }") == count
    assert not has_loops(watched)


def test_without_wgpu_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    device.cache_clear()
    monkeypatch.setitem(sys.modules, "wgpu", None)
    with pytest.raises(NoAdapter) as caught:
        WgslProgram(ptir.parse(COPY))
    device.cache_clear()
    message = "error[PTIR0594]: WGSL cannot be executed here: wgpu is not installed (import of wgpu halted; None in sys.modules)"
    assert message in str(caught.value) and "pip install ptir[wgsl]" in caught.value.help


def test_a_shader_that_the_implementation_refuses(adapter: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ptir.runtime.wgsl.WgslPrinter.text", lambda self: "fn main() { let x = 1u + 1i; }")
    with pytest.raises(InvalidShader) as caught:
        WgslProgram(ptir.parse(COPY))
    assert "error[PTIR0595]: the WGSL of @copy is refused: Validation Error" in str(caught.value)
