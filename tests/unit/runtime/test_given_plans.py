"""Programs run with the plans that a user gives: the specification's own, and those whose rings have one slot."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import ptir
from ptir.errors import SourceError
from ptir.frontends.plan_files import read_plans
from ptir.planning.given import FOR_ALL, given_plans
from ptir.runtime.devices import Emulator
from tests.unit.frontends.test_plan_files import SPECIFICATION

M, N, K = 256, 192, 128
PROGRAM = f"""
func.func @f(%A: tensor<{M}x{K}xf16>, %B: tensor<{K}x{N}xf16>, %b: tensor<{N}xf32>) -> tensor<{M}x{N}xf32> {{
  %0 = ptir.dot_general %A, %B contract [1] x [0] accum f32 out f32 : (tensor<{M}x{K}xf16>, tensor<{K}x{N}xf16>) -> tensor<{M}x{N}xf32>
  %1 = ptir.broadcast_to %b : tensor<{N}xf32> -> tensor<{M}x{N}xf32>
  %2 = ptir.add %0, %1 : tensor<{M}x{N}xf32>
  %zero = ptir.constant dense<0.0> : tensor<f32>
  %zeros = ptir.broadcast_to %zero : tensor<f32> -> tensor<{M}x{N}xf32>
  %3 = ptir.maximum %2, %zeros : tensor<{M}x{N}xf32>
  func.return %3 : tensor<{M}x{N}xf32>
}}"""
"""tensor-compiler.ja §7.1: a product, a bias and a ReLU."""
JSON: dict[str, Any] = {
    "tile": [128, 64, 64],
    "stages": 2,
    "bind": {"m.o": "block.y", "n.o": "block.x", "m.i.o": "warp.y", "n.i.o": "warp.x"},
    "warp_tile": "64x64",
    "cache": [{"tensor": tensor, "where": "smem", "at": "k.i", "pingpong": True} for tensor in "AB"],
    "vectorize": {"axis": "n.i.i", "width": 8},
    "predicate_tail": ["m.i.i", "n.i.i", "k.i.i"],
    "epilogue": ["bias", "relu"],
    "layout_hints": {"A_swizzle": True, "B_swizzle": True, "C_stride": "row"},
    "algo_choice": {"matmul": "implicit_gemm"},
    "local_edges": [{"from": "sum_k", "to": "relu", "buffer": "reg"}],
}
"""The plan of tensor-compiler.ja §12.5 and §7.1, without its architecture."""
ROLES = "split m 128; split n 64; split k 64; roles cooperative; warp_tile 64x64; "
ONE_SLOT = "cache_read A smem at=k.i pingpong=false; cache_read B smem at=k.i pingpong=false"
PLANS = {
    "JSON": json.dumps(JSON),
    "statements": SPECIFICATION,
    "a ring by its edge": json.dumps(
        {**JSON, "stages": 3, "local_edges": [{"from": "A", "to": "sum_k", "buffer": "smem_ring", "depth": 3}]}
    ),
    "one slot": f"split m 64; split n 64; split k 32; {ONE_SLOT}; unroll k.o 2; fuse n.o m.o -> t; bind t block.x",
    "roles": f"{ROLES} pipeline k.i stages=3; unroll k.o 2; local_edges B -> sum smem_ring depth=3",
    "roles, one slot": f"{ROLES} {ONE_SLOT}",
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
@pytest.mark.parametrize("name", PLANS)
def test_a_given_plan_computes_the_same(name: str, arch: str):
    if "roles" in name and arch == "sm80":
        pytest.skip("roles need wgmma")
    plans = read_plans(PLANS[name])
    draw = np.random.default_rng(7)
    a, b = (draw.integers(-3, 4, shape).astype(np.float16) for shape in ((M, K), (K, N)))
    bias = draw.integers(-40, 41, N).astype(np.float32)
    device = Emulator()
    with given_plans({FOR_ALL: plans}):
        compiled = ptir.compile(PROGRAM, arch=arch, device=device)
        result = np.asarray(compiled(a, b, bias)[0])
    want = np.maximum(a.astype(np.float64) @ b.astype(np.float64) + bias, 0)
    np.testing.assert_array_equal(result, want)
    assert len(device.reports) == 1


def test_a_plan_is_pinned():
    """A kernel whose given plan spills is an error, and no other plan is tried; here the plan is refused before that."""
    with given_plans({FOR_ALL: read_plans("epilogue bias", "p")}), pytest.raises(SourceError, match=r"^p:1:1: "):
        ptir.compile(PROGRAM, device=Emulator())
