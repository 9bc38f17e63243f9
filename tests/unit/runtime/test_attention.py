"""Attention compiled from programs of `ptir` ops, and run in the emulator, against NumPy in f64."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from msgspec import UNSET, structs

import ptir
from ptir.analysis.index.book import index_book
from ptir.analysis.index.positions import Positions
from ptir.analysis.regions.kernel_space import kernel_space
from ptir.analysis.regions.key_ranges import Masks, key_ranges
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import MAX_RESCALE_THRESHOLD
from ptir.dialects.region import RegionKernelOp
from ptir.passes.manager import PassManager
from ptir.runtime.compile import Program, compile_module
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from ptir.semantics.bounds import check
from tests.grid.machines import NUMPY
from tests.unit.builders.attention_cases import Case

TOLERANCE = {"bf16": 2**-6, "f16": 2**-9}
CASES = {
    "plain": Case(100, 100),
    "causal": Case(200, 200, mask="causal", heads=2, group=2),
    "window": Case(300, 300, mask="window"),
    "prefix": Case(200, 200, mask="prefix"),
    "chunks of positions": Case(100, 100, mask="chunk"),
    "an added mask": Case(200, 200, mask="causal", fill="added"),
    "a mask of a finite number": Case(200, 200, mask="causal", fill="-5.0"),
    "documents": Case(150, 150, mask="documents"),
    "lengths": Case(70, 90, mask="lengths", batch=2),
    "alibi": Case(100, 100, mask="causal", bias="alibi"),
    "a tensor of biases": Case(60, 100, bias="tensor", heads=2),
    "capped scores": Case(65, 100, cap=3.0),
    "value size": Case(130, 70, size=40, value_size=24),
    "heads after positions": Case(100, 100, mask="causal", batch=2, heads=2, group=2, heads_last=True),
    "reciprocal": Case(65, 129, size=16, reciprocal=True, dtype="f16"),
    "decode": Case(1, 257, group=4),
    "one query": Case(1, 129, 32, heads=2),
    "transposed queries and keys": Case(70, 96, 40, transposed="qk"),
    "scaled queries": Case(70, 200, 72, mask="causal", heads=2, group=2, heads_last=True, scales_queries=True),
    "scaled queries of large heads": Case(70, 40, 256, scales_queries=True),
    "scaled transposed queries": Case(72, 96, 40, dtype="f16", transposed="q", scales_queries=True),
    "one scaled query": Case(1, 129, 128, group=4, scales_queries=True),
    "rotated halves of queries": Case(65, 47, 24, mask="causal", heads=2, group=2, heads_last=True, rotates="halves"),
    "rotated pairs of one query": Case(1, 40, 64, group=3, rotates="pairs", scales_queries=True),
    "transposed values": Case(40, 64, 24, heads=2, heads_last=True, transposed="v"),
    "fewer keys than queries": Case(70, 13, mask="causal"),
    "one key, which some queries see": Case(70, 1, 24, mask="window", window=20),
}


@cache
def compiled(case: Case, arch: str = "sm90") -> Program:
    return compile_module(ptir.parse(case.text), arch)


def run(case: Case, arrays: list[np.ndarray], arch: str = "sm90") -> np.ndarray:
    device = Emulator()
    (got,) = execute(compiled(case, arch), arrays, device)
    assert len(device.reports) == 1
    return got.astype(np.float64)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("case", "parts"),
    [
        (Case(1, 257, 64, scales_queries=True), 2),
        (Case(3, 400, 32, heads=2, group=2, mask="causal", log_sums=True), 3),
        (Case(200, 400, 32, mask="causal", heads=2, heads_last=True), 2),
        (Case(5, 300, 24, mask="lengths", batch=2, log_sums=True), 2),
    ],
    ids=["one query", "parts without keys", "many queries", "rows without keys"],
)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_parts_of_the_keys_are_combined(case: Case, parts: int, arch: str):
    module = ptir.parse(case.text)
    PassManager(f"ptir-to-tiny,cse,form-regions{{arch={arch}}},plan-regions{{arch={arch} split={parts}}}").run(module)
    arrays = case.arrays()
    if case.mask == "lengths":
        arrays[3] = np.array([0, 10], np.int32)
    device, want = Emulator(), case.expected(*arrays)
    got, *rows = execute(compile_module(module, arch), arrays, device)
    assert len(device.reports) == 2 + len(rows)
    np.testing.assert_allclose(got.astype(np.float64), want, atol=2**-6 * np.nanmax(np.abs(want)), rtol=0)
    for row in rows:
        np.testing.assert_allclose(row, case.expected_log_sums(*arrays), atol=1e-5, rtol=1e-6)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "case",
    [
        Case(70, 90, 32, mask="lengths", batch=2, group=2, log_sums=True),
        Case(200, 130, 40, 24, heads=2, heads_last=True, mask="causal", fill="added"),
        Case(65, 129, bias="tensor", cap=3.0, dtype="f16", reciprocal=True),
        Case(70, 100, 40, mask="causal", heads=2, group=2, heads_last=True, scales_queries=True, log_sums=True),
    ],
    ids=["rows without keys", "an added mask", "capped scores", "scaled queries"],
)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_two_passes_over_the_keys(case: Case, arch: str):
    """Weights are rounded one by one, as in the program: results that are rounded in the same order are nearer than those of one pass."""
    module = ptir.parse(case.text)
    plan = f"plan-regions{{arch={arch} attention=streaming_softmax_2pass}}"
    PassManager(f"ptir-to-tiny,cse,form-regions{{arch={arch}}},{plan}").run(module)
    arrays = case.arrays()
    if case.mask == "lengths":
        arrays[3] = np.array([0, 60], np.int32)
    device, want = Emulator(), case.expected(*arrays)
    got, *rows = execute(compile_module(module, arch), arrays, device)
    assert len(device.reports) == 2 + len(rows)
    np.testing.assert_allclose(
        got.astype(np.float64), want, atol=TOLERANCE[case.dtype] * np.nanmax(np.abs(want)), rtol=0
    )
    for row in rows:
        np.testing.assert_allclose(row, case.expected_log_sums(*arrays), atol=1e-5, rtol=1e-6)


@pytest.mark.parametrize(
    "case",
    [
        Case(70, 90, 32, mask="lengths", batch=2, heads_last=True, log_sums=True),
        Case(100, 100, 32, mask="causal", fill="added", group=2, log_sums=True),
    ],
    ids=["a row without keys", "a scale that exponents take"],
)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_log_sums_are_a_second_result(case: Case, arch: str):
    """A row without keys has the sum NaN, of exp(-inf - -inf), as in the program."""
    q, k, v, *lengths = case.arrays()
    arrays = [q, k, v, *(np.array([0, 60], np.int32) for _ in lengths)]
    device, want, sums = Emulator(), case.expected(*arrays), case.expected_log_sums(*arrays)
    got, rows = execute(compiled(case, arch), arrays, device)
    assert len(device.reports) == 1
    np.testing.assert_allclose(got.astype(np.float64), want, atol=2**-6 * np.nanmax(np.abs(want)), rtol=0)
    np.testing.assert_allclose(rows, sums, atol=1e-5, rtol=1e-6)


@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    "case",
    [
        Case(100, 70, mask="causal", heads=2, group=2, also="weights"),
        Case(70, 90, 32, mask="lengths", batch=2, heads_last=True, log_sums=True, also="rounded weights"),
        Case(65, 80, 24, form="dropout by a choice", mask="causal", fill="-1000000000.0", also="weights"),
        Case(65, 80, 24, mask="window", fill="added", rotates="halves", also="scores"),
        Case(70, 90, 40, 24, cap=3.0, bias="tensor", dtype="f16", also="sums over queries"),
        Case(2, 600, 128, heads=2, also="weights"),
    ],
    ids=["grouped heads", "rows without keys", "dropout", "rotated queries", "sums", "few queries"],
)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_weights_that_are_also_read_elsewhere(case: Case, arch: str):
    """A second kernel computes them again, from the maxima and the sums of rows that the first one stores; of a few queries, they are stored."""
    arrays = case.arrays()
    if case.mask == "lengths":
        arrays[3] = np.array([0, 60], np.int32)
    device, want, also = Emulator(), case.expected(*arrays), case.expected_also(*arrays)
    got, *_, found = execute(compiled(case, arch), arrays, device)
    rounded, of_sums = case.also.startswith("rounded"), case.also.startswith("sums")
    assert len(device.reports) == 2 + (case.queries == 2 or of_sums or bool(case.rotates))
    np.testing.assert_allclose(
        got.astype(np.float64), want, atol=TOLERANCE[case.dtype] * np.nanmax(np.abs(want)), rtol=0
    )
    np.testing.assert_allclose(
        found.astype(np.float64), also, rtol=TOLERANCE[case.dtype] if rounded else 1e-4, atol=1e-6
    )


@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_rotated_queries_are_stored_where_values_take_their_registers(arch: str):
    case = Case(16, 16, 128, 256, rotates="halves")
    arrays, device = case.arrays(), Emulator()
    (got,), want = execute(compiled(case, arch), arrays, device), case.expected(*arrays)
    assert len(device.reports) == 2
    np.testing.assert_allclose(got.astype(np.float64), want, atol=TOLERANCE["bf16"] * np.abs(want).max(), rtol=0)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("dtype", ["bf16", "f16"])
@pytest.mark.parametrize(
    "case",
    [
        Case(70, 90, 32, mask="lengths", batch=2, heads=2, group=2, narrow=True),
        Case(100, 200, 64, mask="causal", cap=30.0, narrow=True),
    ],
    ids=["rows without keys", "causal"],
)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_a_softmax_in_the_type_of_the_arrays(case: Case, dtype: str, arch: str):
    """Scores and weights are rounded; what is between is computed in f32, and is within the bound of the program's own types."""
    case = replace(case, dtype=dtype)
    arrays = case.arrays()
    if case.mask == "lengths":
        arrays[3] = np.array([0, 60], np.int32)
    got, want = run(case, arrays, arch), case.expected(*arrays)
    np.testing.assert_allclose(got, want, atol=TOLERANCE[dtype] * np.nanmax(np.abs(want)), rtol=0)
    (bound,) = ptir.bounds(case.text, *arrays)
    assert (report := check(got.astype(NUMPY[dtype]), bound)).ok, str(report)


SHARED_WEIGHTS = """
func.func @f(%q: tensor<40x32xbf16>, %k: tensor<48x32xbf16>, %v: tensor<3x48x32xbf16>)
    -> (tensor<3x40x32xf32>, tensor<40x48xf32>) {
  %s = ptir.dot_general %q, %k contract [1] x [1] accum f32 out f32 : (tensor<40x32xbf16>, tensor<48x32xbf16>) -> tensor<40x48xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<40x48xf32> -> tensor<40x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<40x1xf32> -> tensor<40x48xf32>
  %d = ptir.sub %s, %maxes : tensor<40x48xf32>
  %e = ptir.exp %d : tensor<40x48xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<40x48xf32> -> tensor<40x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<40x1xf32> -> tensor<40x48xf32>
  %w = ptir.div %e, %sums : tensor<40x48xf32>
  %wb = ptir.cast %w : tensor<40x48xf32> -> tensor<40x48xbf16>
  %wr = ptir.reshape %wb : tensor<40x48xbf16> -> tensor<1x40x48xbf16>
  %wx = ptir.broadcast_to %wr : tensor<1x40x48xbf16> -> tensor<3x40x48xbf16>
  %y = ptir.dot_general %wx, %v batch [0] x [0] contract [2] x [1] accum f32 out f32
    : (tensor<3x40x48xbf16>, tensor<3x48x32xbf16>) -> tensor<3x40x32xf32>
  func.return %y, %w : tensor<3x40x32xf32>, tensor<40x48xf32>
}
"""


@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_weights_that_several_batches_share_are_stored(arch: str):
    """Each row would be stored by the blocks of several batches."""
    rng = np.random.default_rng(1)
    q, k, v = (rng.standard_normal(of).astype(NUMPY["bf16"]) for of in ((40, 32), (48, 32), (3, 48, 32)))
    s = q.astype(np.float64) @ k.astype(np.float64).T
    want = np.exp(s - s.max(-1, keepdims=True))
    want /= want.sum(-1, keepdims=True)
    got, weights = ptir.compile(SHARED_WEIGHTS, arch=arch, device=Emulator())(q, k, v)
    np.testing.assert_allclose(weights, want, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(got, want @ v.astype(np.float64), atol=2**-6, rtol=0)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
@pytest.mark.parametrize("name", CASES)
def test_attention(name: str, arch: str):
    case = CASES[name]
    arrays = case.arrays()
    want = case.expected(*arrays)
    np.testing.assert_allclose(run(case, arrays, arch), want, atol=TOLERANCE[case.dtype] * np.abs(want).max(), rtol=0)


def rising(case: Case, rise: float) -> list[np.ndarray]:
    """Returns arrays whose scores rise by 2 to `rise` every 176 keys in the rows of every third warp, by less in others, or fall."""
    q, k, v = case.arrays()
    q[:], k[:] = 0, 0
    q[..., 0] = np.array([1, 0.5, -1])[np.arange(case.queries) // 16 % 3]
    steps = np.arange(case.keys) // 176 + np.linspace(-1, 0, case.keys) / 8
    k[..., 0] = rise * np.log(2) / case.scale * steps
    return [q, k, v]


@pytest.mark.campaign
@pytest.mark.parametrize(("rise", "dtype"), [(3.5, "bf16"), (9.0, "bf16"), (7.0, "f16")])
def test_maxima_that_rise_by_less_and_by_more_than_the_threshold(rise: float, dtype: str):
    case = Case(100, 880, dtype=dtype)
    arrays = rising(case, rise)
    want = case.expected(*arrays)
    np.testing.assert_allclose(run(case, arrays), want, atol=TOLERANCE[dtype] * np.abs(want).max(), rtol=0)


@pytest.mark.campaign
def test_rescaling_is_skipped():
    """With the threshold 0, results are bit for bit those of rescaling for every tile of keys; and ever fewer multiplications run."""
    case = Case(64, 880)
    module = ptir.parse(case.text)
    PassManager("ptir-to-tiny,cse,form-regions{arch=sm90},plan-regions{arch=sm90}").run(module)
    (kernel,) = (op for op in module.body.block.ops if isinstance(op, RegionKernelOp))
    assert kernel.plan is not None
    plan, results, counts = kernel.plan.schedule(), list[np.ndarray](), list[int]()
    assert plan.rescale_threshold == MAX_RESCALE_THRESHOLD
    for threshold in (UNSET, 0, plan.rescale_threshold):
        kernel.plan = ScheduleAttr(structs.replace(plan, rescale_threshold=threshold))
        device = Emulator()
        (got,) = execute(compile_module(module.clone(), "sm90"), rising(case, 3.5), device)
        results.append(got)
        counts.append(
            sum(c.lanes for name, c in device.reports[0].by_opcode.items() if name.startswith("mul.") and "f32" in name)
        )
    assert results[0].tobytes() == results[1].tobytes()
    assert counts[0] > counts[1] > counts[2]


@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_rows_without_keys_large_scores_and_masked_nan(arch: str):
    """
    A query without keys has no result, as the program divides zero by zero. Scores of 1e4 overflow nothing. NaN in a key that a mask
    hides does not leak.
    """
    case = CASES["documents"]
    q, k, v, documents = case.arrays(spread=36.0)
    documents = np.repeat(np.arange(3), 50).astype(np.int32)
    k[..., 50:100, :] = np.nan
    want = case.expected(q, k, v, documents)
    got = run(case, [q, k, v, documents], arch)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    assert np.isnan(want).any(-1).sum() == 50
    whole = ~np.isnan(want)
    assert np.abs(got - want)[whole].max() < TOLERANCE["bf16"] * np.abs(want[whole]).max()
    hidden = CASES["lengths"]
    q, k, v, lengths = hidden.arrays()
    lengths = np.array([0, 60], np.int32)
    got, want = run(hidden, [q, k, v, lengths], arch), hidden.expected(q, k, v, lengths)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    assert np.isnan(got[0]).all()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("dtype", ["bf16", "f16"])
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_huge_scores_of_a_product(arch: str, dtype: str):
    """Only the largest scores of a row have weights, equal ones if they are equal; others are less by one unit in the last place, or more."""
    case = Case(64, 300, 16, dtype=dtype)
    q, k, v = case.arrays()
    sizes = 2.0 ** np.linspace(4, 15 if dtype == "f16" else 108, case.queries // 4).round()
    sizes = np.concatenate([sizes, -sizes, sizes, -sizes])
    q[:] = np.where(abs(sizes) < 2**14, sizes, sizes * (1 + np.arange(case.queries) / 128))[:, None]
    key, size = np.arange(case.keys), 2.0**13
    k[..., ::2] = np.where(key > 170, size * 2, size)[:, None]
    k[..., 1::2] = np.where(key % 50 < 3, 0, size * 2.0**-22)[:, None] * np.where(key > 170, 2, 1)[:, None]
    want = case.expected(q, k, v)
    got = run(case, [q, k, v], arch)
    assert not np.isnan(want).any()
    np.testing.assert_allclose(got, want, atol=TOLERANCE[dtype] * np.abs(want).max(), rtol=0)


@pytest.mark.parametrize("parts", [1, 2])
def test_special_scores_and_what_masks_hide(parts: int):
    """Infinite and NaN scores give what the program's own ops give; infinite keys behind a mask leave no trace."""
    case = Case(70, 300, 32, bias="tensor", log_sums=True)
    q, k, v, bias = case.arrays()
    bias[:, :, 40:60] = bias[:, 5] = bias[:, 6, :299] = -np.inf
    bias[:, 7], bias[:, 8, 3], bias[:, 9, 7], bias[:, 10], bias[:, 11, 250] = 1e4, np.inf, np.nan, -1e4, np.nan
    masked = Case(70, 300, 32, mask="lengths", log_sums=True)
    hidden = k.copy()
    hidden[..., 100:, :] = np.inf
    for form, arrays in ((case, [q, k, v, bias]), (masked, [q, hidden, v, np.array([100], np.int32)])):
        module = ptir.parse(form.text)
        PassManager(f"ptir-to-tiny,cse,form-regions{{arch=sm90}},plan-regions{{arch=sm90 split={parts}}}").run(module)
        got, rows = execute(compile_module(module, "sm90"), arrays, Emulator())
        with np.errstate(invalid="ignore"):
            want, sums = form.expected(*arrays), form.expected_log_sums(*arrays)
        np.testing.assert_allclose(got.astype(np.float64), want, atol=2**-6 * np.nanmax(np.abs(want)), rtol=0)
        np.testing.assert_allclose(rows, sums, atol=1e-5, rtol=1e-6)


@pytest.mark.parametrize("sizes", [{"queries": 0}, {"keys": 0}, {"batch": 0}], ids=str)
def test_empty_arrays(sizes: dict[str, int]):
    """Queries without any keys have no weights, whose sum of products is 0."""
    case = Case(**{"queries": 10, "keys": 10, "size": 32, **sizes})
    arrays = [np.zeros(case.array_shape(name), NUMPY[case.dtype]) for name in case.names]
    (got,) = execute(compiled(case), arrays, Emulator())
    assert got.shape == case.array_shape("y")
    assert not got.any()


@pytest.mark.parametrize("fill", ["-1.0e9", "-3.4e38"])
def test_huge_numbers_instead_of_masked_scores(fill: str):
    """Tiles and rows without a kept score have equal weights, until a kept score has all the weight."""
    window = Case(300, 300, mask="window", window=20, fill=fill)
    arrays = window.arrays()
    want = window.expected(*arrays)
    np.testing.assert_allclose(run(window, arrays), want, atol=TOLERANCE["bf16"] * np.abs(want).max(), rtol=0)
    padded = Case(70, 90, mask="lengths", batch=2, fill=fill, dtype="f16")
    q, k, v, _ = padded.arrays()
    lengths = np.array([0, 60], np.int32)
    want = padded.expected(q, k, v, lengths)
    got = run(padded, [q, k, v, lengths])
    np.testing.assert_allclose(got, want, atol=TOLERANCE["f16"] * np.abs(want).max(), rtol=0)


def test_huge_biases():
    case = CASES["a tensor of biases"]
    *qkv, bias = case.arrays()
    bias[:, :20] = np.float32(-3.4e38)
    bias[:, 20:, 50:] = -1e30
    want = case.expected(*qkv, bias)
    np.testing.assert_allclose(run(case, [*qkv, bias]), want, atol=TOLERANCE["bf16"] * np.abs(want).max(), rtol=0)


REPEATED = """func.func @f(%q: tensor<2x4x70x32xbf16>, %k: tensor<2x2x40x32xbf16>, %v: tensor<2x2x40x32xbf16>) -> tensor<2x4x70x32xf32> {
  %k1 = ptir.reshape %k : tensor<2x2x40x32xbf16> -> tensor<2x2x1x40x32xbf16>
  %k2 = ptir.broadcast_to %k1 : tensor<2x2x1x40x32xbf16> -> tensor<2x2x2x40x32xbf16>
  %k3 = ptir.reshape %k2 : tensor<2x2x2x40x32xbf16> -> tensor<8x40x32xbf16>
  %v1 = ptir.reshape %v : tensor<2x2x40x32xbf16> -> tensor<2x2x1x40x32xbf16>
  %v2 = ptir.broadcast_to %v1 : tensor<2x2x1x40x32xbf16> -> tensor<2x2x2x40x32xbf16>
  %v3 = ptir.reshape %v2 : tensor<2x2x2x40x32xbf16> -> tensor<8x40x32xbf16>
  %q1 = ptir.reshape %q : tensor<2x4x70x32xbf16> -> tensor<8x70x32xbf16>
  %s = ptir.dot_general %q1, %k3 batch [0] x [0] contract [2] x [2] accum f32 out f32
    : (tensor<8x70x32xbf16>, tensor<8x40x32xbf16>) -> tensor<8x70x40xf32>
  %scale = ptir.constant dense<SCALE> : tensor<8x70x40xf32>
  %x = ptir.mul %s, %scale : tensor<8x70x40xf32>
  %max = ptir.reduce max %x axes [2] keepdims : tensor<8x70x40xf32> -> tensor<8x70x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<8x70x1xf32> -> tensor<8x70x40xf32>
  %d = ptir.sub %x, %maxes : tensor<8x70x40xf32>
  %e = ptir.exp %d : tensor<8x70x40xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<8x70x40xf32> -> tensor<8x70x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<8x70x1xf32> -> tensor<8x70x40xf32>
  %p = ptir.div %e, %sums : tensor<8x70x40xf32>
  %w = ptir.cast %p : tensor<8x70x40xf32> -> tensor<8x70x40xbf16>
  %o = ptir.dot_general %w, %v3 batch [0] x [0] contract [2] x [1] accum f32 out f32
    : (tensor<8x70x40xbf16>, tensor<8x40x32xbf16>) -> tensor<8x70x32xf32>
  %y = ptir.reshape %o : tensor<8x70x32xf32> -> tensor<2x4x70x32xf32>
  func.return %y : tensor<2x4x70x32xf32>
}"""


def test_keys_and_values_that_are_repeated_for_the_heads_of_a_group():
    """Heads and batch may be one axis, whose index divided by the size of a group is that of the keys."""
    case = Case(70, 40, 32, batch=2, heads=2, group=2)
    q, k, v = case.arrays()
    want = case.expected(q, k, v)
    q, k, v = q.reshape(2, 4, 70, 32), k[:, :, 0], v[:, :, 0]
    device = Emulator()
    (got,) = execute(compile_module(ptir.parse(REPEATED.replace("SCALE", repr(case.scale))), "sm90"), [q, k, v], device)
    assert len(device.reports) == 1
    np.testing.assert_allclose(got.reshape(want.shape), want, atol=2**-6 * np.abs(want).max(), rtol=0)


@pytest.mark.parametrize("scale", ["3.0e38", "1.0e-40"])
def test_scales_whose_multiples_are_no_normal_numbers(scale: str):
    case = Case(70, 40, 32, batch=2, heads=2, group=2)
    q, k, v = case.arrays()
    q = (q.astype(np.float32) / 1000).astype(q.dtype)
    want = case.expected(q.astype(np.float64) * (float(scale) / case.scale), k, v)
    (got,) = execute(
        compile_module(ptir.parse(REPEATED.replace("SCALE", scale)), "sm90"),
        [q.reshape(2, 4, 70, 32), k[:, :, 0], v[:, :, 0]],
        Emulator(),
    )
    np.testing.assert_allclose(got.reshape(want.shape), want, atol=2**-6 * np.abs(want).max(), rtol=0)


def test_a_mask_of_scores_that_is_added_to_itself():
    """Both operands of the sum are the same mask: nothing else is masked."""
    case = Case(70, 40, 32, batch=2, heads=2, group=2)
    q, k, v = case.arrays()
    kept = q.astype(np.float64) @ k.astype(np.float64).swapaxes(-1, -2) > 0
    want = kept / kept.sum(-1, keepdims=True) @ v.astype(np.float64)
    mask = """  %zero = ptir.constant dense<0.0> : tensor<8x70x40xf32>
  %none = ptir.constant dense<0xFF800000> : tensor<8x70x40xf32>
  %kept = ptir.compare gt %s, %zero : tensor<8x70x40xf32> -> tensor<8x70x40xi1>
  %mask = ptir.select %kept, %zero, %none : tensor<8x70x40xi1>, tensor<8x70x40xf32>
  %x = ptir.add %mask, %mask : tensor<8x70x40xf32>
"""
    text = re.sub(r"  %scale = .*\n  %x = .*\n", mask, REPEATED)
    (got,) = execute(
        compile_module(ptir.parse(text), "sm90"), [q.reshape(2, 4, 70, 32), k[:, :, 0], v[:, :, 0]], Emulator()
    )
    np.testing.assert_allclose(got.reshape(want.shape), want, atol=2**-6 * np.abs(want).max(), rtol=0)


def test_scores_without_a_scale():
    """Nothing is between the first product and the softmax: the program may have scaled the queries."""
    case = Case(70, 40, 32, batch=2, heads=2, group=2)
    q, k, v = case.arrays()
    want = case.expected(q.astype(np.float64) / case.scale, k, v)
    text = re.sub(r"%x\b", "%s", re.sub(r"  %(scale|x) = .*\n", "", REPEATED))
    (got,) = execute(
        compile_module(ptir.parse(text), "sm90"), [q.reshape(2, 4, 70, 32), k[:, :, 0], v[:, :, 0]], Emulator()
    )
    np.testing.assert_allclose(got.reshape(want.shape), want, atol=2**-6 * np.abs(want).max(), rtol=0)


@pytest.mark.parametrize("form", ["div", "reciprocal"])
def test_a_quotient_after_the_second_product(form: str):
    case = Case(70, 40, 32, batch=2, heads=2, group=2)
    q, k, v = case.arrays()
    want = case.expected(q, k, v)
    r, y = "tensor<8x70x1xf32>", "tensor<8x70x32xf32>"
    divisor = f"  %t = ptir.reciprocal %sum : {r}\n" if form == "reciprocal" else ""
    quotient = f"""{divisor}  %u = ptir.broadcast_to {"%t" if divisor else "%sum"} : {r} -> {y}
  %o2 = ptir.{"mul" if divisor else "div"} %o, %u : {y}
  %y = ptir.reshape %o2"""
    text = re.sub(r"  %(sums|p) = .*\n", "", REPEATED).replace("ptir.cast %p", "ptir.cast %e")
    text = text.replace("SCALE", repr(case.scale)).replace("  %y = ptir.reshape %o", quotient)
    device, arrays = Emulator(), [q.reshape(2, 4, 70, 32), k[:, :, 0], v[:, :, 0]]
    (got,) = execute(compile_module(ptir.parse(text), "sm90"), arrays, device)
    assert len(device.reports) == 1
    np.testing.assert_allclose(got.reshape(want.shape), want, atol=2**-6 * np.abs(want).max(), rtol=0)
    other = text.replace("reduce sum %e", "reduce sum %x")
    module = ptir.parse(other)
    PassManager("ptir-to-tiny,cse,form-regions{arch=sm90}").run(module)
    assert sum(isinstance(op, RegionKernelOp) for op in module.body.block.ops) > 1


# --- tiles that are skipped ---------------------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "case",
    [
        Case(300, 300, mask="causal"),
        Case(300, 300, mask="causal", fill="added"),
        Case(300, 300, mask="window"),
        Case(300, 300, mask="prefix"),
        Case(100, 330, mask="causal"),
        Case(330, 100, mask="causal"),
        Case(513, 513, mask="window", window=1),
        Case(513, 513, mask="window", window=200),
        Case(300, 300, mask="chunk"),
        Case(100, 100),
    ],
    ids=lambda case: f"{case.mask}-{case.fill}-{case.queries}-{case.keys}-{case.window}",
)
@pytest.mark.parametrize(("rows", "keys"), [(64, 64), (128, 48), (64, 80)])
def test_tiles_of_keys(case: Case, rows: int, keys: int):
    """The ranges have the tiles with a kept score, and those without a mask have kept scores only, as NumPy counts them."""
    module = ptir.parse(case.text)
    PassManager("ptir-to-tiny,cse,form-regions{arch=sm90}").run(module)
    (kernel,) = (op for op in module.body.block.ops if isinstance(op, RegionKernelOp))
    space = kernel_space(kernel)
    assert space.attention is not None
    ranges = key_ranges(Masks(space, Positions(index_book(kernel))), rows, keys)
    kept = np.broadcast_to(case.kept({}), (case.queries, case.keys))
    for m in range(0, case.queries, rows):
        tiles = [kept[m : m + rows, n : n + keys] for n in range(0, case.keys, keys)]
        first, whole, cut, last = (b.at(m, keys) for b in (ranges.first, ranges.whole, ranges.cut, ranges.last))
        needed = [j for j, tile in enumerate(tiles) if tile.any()]
        assert (first, last) == (needed[0], needed[-1] + 1)
        assert first <= whole <= last
        assert cut <= last
        cut = max(whole, cut)
        unmasked = [j for j, tile in enumerate(tiles) if tile.all() and tile.shape[1] == keys]
        assert set(range(whole, cut)) <= set(unmasked)
        assert len(unmasked) == cut - whole or m + rows > case.queries


@pytest.mark.campaign
@pytest.mark.parametrize(
    "case",
    [
        Case(100, 300),
        Case(300, 300, mask="causal"),
        Case(300, 300, mask="causal", fill="added"),
        Case(500, 500, mask="window", window=30),
        Case(500, 500, mask="window", window=200),
        Case(400, 400, mask="window", window=1),
        Case(400, 400, mask="prefix"),
        Case(100, 500, mask="causal"),
        Case(500, 100, mask="causal"),
        Case(500, 500, mask="chunk"),
    ],
    ids=lambda case: f"{case.mask}-{case.fill}-{case.queries}-{case.keys}-{case.window}",
)
def test_only_tiles_with_a_kept_score_are_loaded(case: Case):
    """Each tile of queries loads itself, and its keys and values from the first tile with a kept score to the last one."""
    device, program = Emulator(), compiled(case)
    execute(program, case.arrays(), device)
    (report,) = device.reports
    (loads,) = (c.lanes for name, c in report.by_opcode.items() if "shared::cluster.global" in name)
    rows, _, keys = (
        next(op for op in program.module.walk() if "nv.plan" in op.attributes).attributes["nv.plan"].schedule().tile
    )
    kept = np.broadcast_to(case.kept({}), (case.queries, case.keys))
    needed = [np.flatnonzero(kept[m : m + rows].any(0)) // keys for m in range(0, case.queries, rows)]
    assert loads == sum(1 + 2 * (tiles[-1] + 1 - tiles[0]) for tiles in needed)


def masks_in_loops(case: Case) -> list[int]:
    """Returns the number of masks of positions in each loop over keys."""
    module = ptir.parse(case.text)
    PassManager("ptir-to-tiny,cse,form-regions{arch=sm90},plan-regions{arch=sm90},region-to-pto").run(module)
    return [loop.count("pto.tile.mask") for loop in re.split(r"= scf.for", str(module))[1:]]


def test_whole_tiles_have_no_mask():
    """The range with a mask comes first, as every tile of queries has a tile of keys in it."""
    assert masks_in_loops(Case(300, 300, mask="causal")) == [1, 0]


def test_keys_beyond_the_last_one_are_masked_once():
    """A causal mask has none of them if there are as many keys as queries."""
    assert masks_in_loops(Case(100, 100, mask="causal")) == [1]
    assert masks_in_loops(Case(100, 90, mask="causal")) == [2]


# --- what is not fused --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"reduce sum %e axes \[4\]", "reduce sum %s axes [4]"),
        (r"ptir.sub (%\w+), %maxx", r"ptir.sub %maxx, \1"),
        (r"exp %d", "exp %s"),
    ],
    ids=["another sum", "another sign", "no maximum"],
)
def test_other_programs_have_kernels_of_their_own(pattern: str, replacement: str):
    text, count = re.subn(pattern, replacement, Case(32, 32).text)
    assert count == 1
    module = ptir.parse(text)
    PassManager("ptir-to-tiny,cse,form-regions{arch=sm90}").run(module)
    assert sum(isinstance(op, RegionKernelOp) for op in module.body.block.ops) > 1
