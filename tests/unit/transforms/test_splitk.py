"""
Split-K: results do not depend on the order in which blocks finish, bit for bit, only on the order of the parts of k.

On integer-valued inputs, results must equal those without a split. On random inputs, the oracle is NumPy's f32 sum, in ascending
order, of the results of the unsplit kernel on each part of k. Bugs seeded into the kernels must be detected.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.dialects import nv
from ptir.emulator.errors import Deadlock, EmulatorFault
from ptir.passes.manager import PassManager
from ptir.runtime.compile import Program
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from ptir.runtime.host import launch_of
from ptir.semantics.bounds import check
from ptir.semantics.interpreter import call
from ptir.targets.architectures import ARCHS

from ..builders.programs import Draft, draft, planned

pytestmark = pytest.mark.sampled(4)

MODES = ("serial", "parallel")
PLAN: dict[str, Any] = {"tile": (32, 32, 32), "warp_tile": "16x16", "stages": 2, "local_edges": ()}


def split(parts: int, mode: str, **changes: Any) -> dict[str, Any]:
    return {**PLAN, "split": parts, "algo_choice": {"matmul": f"splitk_{mode}"}, **changes}


def compiled(d: Draft, plan: dict[str, Any], seed: int | None = None) -> ptir.Compiled:
    return ptir.compile(planned(d, **plan), device=Emulator(seed=seed), entry=d.name)


def bits(a: Any) -> Any:
    """Returns bits for comparison, where zeros are equal."""
    a = np.asarray(a)
    return np.where(a == 0, np.zeros_like(a), a)


def agree(d: Draft, plan: dict[str, Any], seeds: Sequence[int | None] = (None,)) -> None:
    """Requires equal results on integers from split and unsplit kernels, the interpreters of both higher levels, and NumPy."""
    arrays = d.arrays(5, integers=True)
    wanted = compiled(d, PLAN)(*arrays)
    program = compiled(d, plan).program
    tiles = PassManager("region-to-pto").run(planned(d, **plan))
    for seed in seeds:
        got = execute(program, arrays, Emulator(seed=seed), d.name)
        for one, other, oracle in zip(got, wanted, d.oracle(arrays), strict=True):
            np.testing.assert_array_equal(bits(one), bits(other), strict=True)
            np.testing.assert_array_equal(bits(one), bits(np.asarray(oracle).astype(one.dtype)))
    for one, other in zip(call(tiles, d.name, *arrays), wanted, strict=True):
        np.testing.assert_array_equal(bits(one), bits(other), strict=True)


# --- results ------------------------------------------------------------------------------------


@pytest.mark.sampled(9)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "name",
    [
        "relu",
        "residual",
        "batched_nk_biased",
        "x_transposed",
        "short_output",
        "mask_output",
        "transposed_then_biased",
        "two_results_one_transposed",
        "chained_both_kept",
        "constant_weights",
    ],
)
def test_programs(name: str, mode: str):
    """Tails along m, n and k, batches, epilogues of several operands, several outputs and several kernels."""
    agree(draft(name, (33, 47, 90), "bf16"), split(3, mode, tile=(32, 32, 16)))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("k", "parts"),
    [(128, 4), (128, 2), (96, 3), (97, 4), (95, 3), (65, 3), (33, 2), (300, 5), (300, 10), (130, 2)],
)
def test_parts_of_k(k: int, parts: int, mode: str):
    """Whole parts, and last parts of fewer steps, of one element, and with steps that lie beyond k."""
    agree(draft("short_output", (17, 40, k), "f16"), split(parts, mode))


@pytest.mark.parametrize("k", [230, 330])
def test_a_step_for_each_slot(k: int):
    """Pointers begin at a block's part of k; the last part has fewer steps, or a tail."""
    agree(draft("short_output", (17, 40, k), "f16"), split(2, "serial", stages=3, unroll={"k.o": 3}))


@pytest.mark.campaign
@pytest.mark.parametrize("mode", MODES)
def test_blocks_in_any_order(mode: str):
    d = draft("residual", (40, 36, 120), "bf16")
    agree(d, split(4, mode), seeds=range(6))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("warp_tile", ["32x32", "32x16", "16x64", "64x32"])
def test_one_warp_and_many(warp_tile: str, mode: str):
    """Each warp has its share of a slot."""
    agree(draft("none", (70, 76, 90), "bf16"), split(2, mode, tile=(64, 64, 32), warp_tile=warp_tile))


@pytest.mark.campaign
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("blocks", [1, 5])
def test_few_blocks_at_once(blocks: int, mode: str, monkeypatch: pytest.MonkeyPatch):
    """A GPU runs as many blocks as have room, in the order of their numbers: nobody may wait for a later one."""
    monkeypatch.setattr(import_module("ptir.emulator.engine.launch"), "MAX_LANES", blocks * 128)
    agree(draft("batched", (40, 70, 90), "bf16"), split(3, mode))


# --- the order of the sum -----------------------------------------------------------------------


def parts_in_order(arrays: Sequence[Any], k: int, part: int) -> Any:
    """Returns ((p0 + p1) + p2) + … in f32, where each p is the result of the unsplit kernel on a part of k."""
    x, w = arrays
    total: Any = None
    for start in range(0, k, part):
        size = min(part, k - start)
        (p,) = compiled(unbiased(x.shape[0], w.shape[1], size), PLAN)(
            np.ascontiguousarray(x[:, start : start + size]), w[start : start + size].copy()
        )
        total = p if total is None else np.add(total, p, dtype=np.float32)
    return total


def unbiased(m: int, n: int, k: int) -> Draft:
    d = Draft()
    d.results = (d.dot(d.arg(m, k), d.arg(k, n)),)
    return d


@cache
def ordered() -> tuple[Draft, Sequence[Any], Any]:
    d = unbiased(40, 36, 200)
    arrays = d.arrays(3, integers=False)
    return d, arrays, parts_in_order(arrays, 200, 64)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_parts_are_added_in_ascending_order(mode: str, seed: int | None):
    d, arrays, wanted = ordered()
    (got,) = compiled(d, split(4, mode), seed)(*arrays)
    assert got.tobytes() == wanted.tobytes()


def test_another_order_has_other_bits():
    """What the test above compares is not the same in all orders."""
    d, (x, w), wanted = ordered()
    turned = np.concatenate([x[:, 128:192], x[:, 64:128], x[:, :64], x[:, 192:]], axis=1)
    also = np.concatenate([w[128:192], w[64:128], w[:64], w[192:]])
    (got,) = compiled(d, split(4, "serial"))(np.ascontiguousarray(turned), also)
    assert got.tobytes() != wanted.tobytes()
    (whole,) = compiled(d, PLAN)(x, w)
    assert whole.tobytes() != wanted.tobytes()


PARTS = """
pto.kernel @k(%x: memref<3x4xf32> align 16)
    -> (%y: memref<4xf32> align 16 gmem, %ws: memref<3x4xf32> align 16 workspace,
        %count: memref<1xi32> align 4 counters) {
  pto.tiles (%m) in [4] step [4] split %s of 3 {
    %acc = pto.tile.load.map %x[%s, %m] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [3, 4] dims [1]
        : memref<3x4xf32> -> !pto.tile<4xf32, #pto.tile_info<loc=Acc>>
    pto.combine MODE %acc across %s in %ws counters %count : tile<4xf32, #pto.tile_info<loc=Acc>>, memref<3x4xf32>, memref<1xi32> {
    ^bb0(%sum: !pto.tile<4xf32, #pto.tile_info<loc=Acc>>):
      %v = pto.tile.mov.a2v %sum : tile<4xf32, #pto.tile_info<loc=Acc>> -> tile<4xf32>
      pto.tile.store.map %v, %y[%m] by <"{ [i0] -> [(i0)] }"> in [4] dims [0] : tile<4xf32>, memref<4xf32>
    }
  }
}
func.func @f(%x: memref<3x4xf32>) -> (memref<4xf32>, memref<1xi32>) {
  %y = memref.alloc() : memref<4xf32>
  %ws = memref.alloc() : memref<3x4xf32>
  %count = region.zeros : memref<1xi32>
  region.launch @k ins(%x : memref<3x4xf32>) outs(%y, %ws, %count : memref<4xf32>, memref<3x4xf32>, memref<1xi32>)
  func.return %y, %count : memref<4xf32>, memref<1xi32>
}
"""


@pytest.mark.parametrize("mode", MODES)
def test_the_interpreter_adds_in_ascending_order(mode: str):
    """2²⁴ + 1 is 2²⁴ in f32."""
    big = np.float32(2**24)
    x = np.array([[big, 1, 1, big], [1, -big, 1, 1], [-big, big, 1, 1]], np.float32)
    module = ptir.parse(PARTS.replace("MODE", mode))
    y, count = call(module, "f", x)
    assert y.tolist() == [0, 1, 3, big] and count.tolist() == [0]
    interval, zero = ptir.bounds(module, x, entry="f")
    assert check(y, interval).ok and check(count, zero).ok
    assert not check(y + np.float32(4), interval).ok


@pytest.mark.parametrize("mode", MODES)
def test_random_inputs_stay_in_bounds(mode: str):
    d = draft("gelu_erf", (33, 47, 90), "f16")
    arrays = d.arrays(7, integers=False)
    (interval,) = ptir.bounds(d.text, *arrays)
    plan = split(3, mode)
    for got in (
        compiled(d, plan)(*arrays)[0],
        call(PassManager("region-to-pto").run(planned(d, **plan)), d.name, *arrays)[0],
    ):
        assert (report := check(got, interval)).ok, str(report)


# --- text by hand -------------------------------------------------------------------------------


def by_hand(dtype: str, accum: str, plan: str, k: int = 70) -> str:
    """Returns a region with a plan, and its host function, for `x · w` of 20 x k and k x 24 plus a bias."""
    a, b, c = f"20x{k}x{dtype}", f"{k}x24x{dtype}", f"20x24x{accum}"

    def widened(what: str, sizes: str) -> str:
        if dtype == accum:
            return f"tiny.movement reshape {what} : tensor<{sizes}{dtype}> -> tensor<{sizes}{accum}>"
        return f"tiny.unary cast {what} : tensor<{sizes}{dtype}> -> tensor<{sizes}{accum}>"

    return f"""
region.kernel @k(%x: memref<{a}> align 16, %w: memref<{b}> align 16, %b: memref<24x{accum}> align 16)
    -> (%y: memref<{c}> align 16 gmem)
    plan #plan.schedule<{{arch = "sm80", {plan}, cache = [{{tensor = "A"}}, {{tensor = "B"}}],
                         predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], epilogue = ["add"]}}> {{
  %0 = region.load %x : memref<{a}> -> tensor<{a}>
  %1 = region.load %w : memref<{b}> -> tensor<{b}>
  %2 = region.load %b : memref<24x{accum}> -> tensor<24x{accum}>
  %3 = {widened("%0", f"20x{k}x")}
  %4 = {widened("%1", f"{k}x24x")}
  %5 = tiny.movement reshape %3 : tensor<20x{k}x{accum}> -> tensor<20x{k}x1x{accum}>
  %6 = tiny.binary mul %5, %4 : (tensor<20x{k}x1x{accum}>, tensor<{k}x24x{accum}>) -> tensor<20x{k}x24x{accum}>
  %7 = tiny.reduce sum %6 axes [1] accum {accum} : tensor<20x{k}x24x{accum}> -> tensor<{c}>
  %8 = tiny.binary add %7, %2 : (tensor<{c}>, tensor<24x{accum}>) -> tensor<{c}>
  region.yield %8 : tensor<{c}>
}}
func.func @f(%x: memref<{a}>, %w: memref<{b}>, %b: memref<24x{accum}>) -> (memref<{c}>, memref<{c}>) {{
  %0 = memref.alloc() : memref<{c}>
  region.launch @k ins(%x, %w, %b : memref<{a}>, memref<{b}>, memref<24x{accum}>) outs(%0 : memref<{c}>)
  %1 = memref.alloc() : memref<{c}>
  region.launch @k ins(%x, %w, %b : memref<{a}>, memref<{b}>, memref<24x{accum}>) outs(%1 : memref<{c}>)
  func.return %0, %1 : memref<{c}>, memref<{c}>
}}
"""


TYPES = {
    "bf16": (ml_dtypes.bfloat16, "f32", np.float32, 16),
    "f16": (np.float16, "f32", np.float32, 16),
    "f32": (np.float32, "f32", np.float32, 16),
    "si8": (np.int8, "si32", np.int32, 32),
    "f64": (np.float64, "f64", np.float64, 16),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", TYPES)
def test_an_edited_plan(dtype: str, mode: str):
    """Only the text of the plan requests the split. The kernel is launched twice, with each accumulator type."""
    element, accum, sum_type, bk = TYPES[dtype]
    plan = f'tile = [16, 32, {bk}], stages = 2, warp_tile = "16x16", vectorize = {{axis = "n.i.i", width = 2}}'
    rng = np.random.default_rng(0)
    x, w, b = (rng.integers(-8, 9, sizes) for sizes in ((20, 70), (70, 24), (24,)))
    want = (x @ w + b).astype(sum_type)
    arrays = x.astype(element), w.astype(element), b.astype(sum_type)
    for chosen in (plan, f'{plan}, split = 3, algo_choice = {{matmul = "splitk_{mode}"}}'):
        run = ptir.compile(by_hand(dtype, accum, chosen), device=Emulator())
        assert ("region.zeros" in str(run.program.module)) == ("split" in chosen)
        for got in run(*arrays):
            np.testing.assert_array_equal(got, want, strict=True)


def test_scratch_is_the_launchs_own():
    """The workspace is nobody's output and the counters start and end at zero."""
    d = draft("none", (40, 40, 64), "bf16")
    module = compiled(d, split(2, "serial")).program.module
    (op,) = (o for o in module.walk() if isinstance(o, nv.LaunchOp))
    call_ = launch_of(module, op)
    workspace, counters = len(op.arguments) - 2, len(op.arguments) - 1
    assert (call_.workspace, call_.counters) == ({workspace}, {counters})
    assert call_.written == {workspace - 1}
    assert call_.grid == (2, 2, 2)


# --- bugs put in on purpose ---------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_counters_that_nobody_zeroed(mode: str):
    d = draft("none", (40, 40, 90), "bf16")
    tiles = str(PassManager("region-to-pto").run(planned(d, **split(3, mode))))
    text = tiles.replace("region.zeros", "memref.alloc()")
    assert text != tiles
    with pytest.raises(EmulatorFault, match="a counter, is not zero"):
        ptir.compile(text, device=Emulator(), entry=d.name)(*d.arrays(5, integers=True))


def test_blocks_that_are_numbered_against_their_turns(monkeypatch: pytest.MonkeyPatch):
    """They finish if all blocks are resident. If not, the first one waits for one that has not started."""
    d, program, arrays, wanted = victim("serial")
    text = program.cuda.replace("(int)blockIdx.z", "(2 - (int)blockIdx.z)")
    turned = replace(program, cuda=text, binary=compile_cuda(text, ARCHS["sm80"].target), origins=())
    (got,) = execute(turned, arrays, Emulator(), d.name)
    np.testing.assert_array_equal(got, wanted[0])
    monkeypatch.setattr(import_module("ptir.emulator.engine.launch"), "MAX_LANES", 128)
    with pytest.raises(Deadlock):
        execute(turned, arrays, Emulator(), d.name)


BUGS: dict[str, tuple[str, str, str]] = {
    # name: the mode, a pattern in the CUDA text, its replacement
    "nobody waits": ("serial", r"while \(load_acquire\(counter\) != turn\) \{\}", ";"),
    "wait without acquire": ("serial", r"ld\.acquire\.gpu\.global", "ld.relaxed.gpu.global"),
    "pass without release": ("serial", r"st\.release\.gpu\.global", "st.relaxed.gpu.global"),
    "no barrier after the wait": (
        "serial",
        r"(while \(load_acquire\(counter\) != turn\) \{\}\n)  __syncthreads\(\);",
        r"\1",
    ),
    "no barrier before the pass": (
        "serial",
        r"  __syncthreads\(\);\n(  if \(threadIdx.x == 0\) store_release)",
        r"\1",
    ),
    "nobody stores": ("serial", r"store_global_float\(at\w*, acc\[i\]\[j\]\);", ";"),
    "the turn is kept": ("serial", r"semaphore_release\((counters \+ [^,]*), 0\);", r"semaphore_release(\1, 1);"),
    "counts in without acquire": ("parallel", r"atom\.acq_rel\.gpu", "atom.release.gpu"),
    "counts in without release": ("parallel", r"atom\.acq_rel\.gpu", "atom.acquire.gpu"),
    "counts in before all have stored": (
        "parallel",
        r"__syncthreads\(\);\n  bool last = false;",
        "bool last = false;",
    ),
    "the first is the last": ("parallel", r"== parts - 1;", "== 0;"),
    "counts one too far": ("parallel", r"count_in\(counter, parts - 1\)", "count_in(counter, parts)"),
    "adds one part less": ("parallel", r"(int added = 0; added < )2", r"\g<1>1"),
    "one slot for all": ("parallel", r"\(long long\)\(share\w*\)", "(long long)(tile)"),
    "the lanes' order differs": (
        "serial",
        r"(store_global_float\(at\w*, acc\[i\]\[)j(\])",
        r"\g<1>(j + 1) % 2\2",
    ),
}


@cache
def victim(mode: str) -> tuple[Draft, Program, Sequence[Any], Sequence[Any]]:
    d = draft("none", (40, 40, 90), "bf16")
    program = compiled(d, split(3, mode)).program
    arrays = d.arrays(5, integers=True)
    return d, program, arrays, execute(program, arrays, Emulator(), d.name)


@pytest.mark.parametrize("bug", BUGS)
def test_seeded_bugs(bug: str):
    mode, pattern, replacement = BUGS[bug]
    d, program, arrays, wanted = victim(mode)
    text, count = re.subn(pattern, replacement, program.cuda)
    assert count and text != program.cuda, "the printer changed: correct the pattern"
    broken = replace(program, cuda=text, binary=compile_cuda(text, ARCHS["sm80"].target), origins=())
    for seed in (None, 1, 2, 3):
        try:
            got = execute(broken, arrays, Emulator(seed=seed), d.name)
        except EmulatorFault:
            return
        if any((a != b).any() for a, b in zip(got, wanted, strict=True)):
            return
    pytest.fail(f"{bug}: nobody saw it")
