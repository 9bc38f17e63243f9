"""The programs whose kernels are mutated: a table, so that another dtype or another plan is another row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import ptir
from ptir.analysis.regions.kernel_space import kernel_space
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Cache, Schedule, Vectorize
from ptir.dialects.region import RegionKernelOp
from ptir.passes.manager import PassManager
from ptir.planning.rules import epilogue_labels, tails
from ptir.runtime.compile import TO_REGIONS, Program, compile_module
from tests.grid.plans import multiprocessors
from tests.unit.builders.programs import CONTRACTIONS, Draft, Value, planned

Size = tuple[int, int, int]


def batched_kn(d: Draft, s: Size, t: str) -> list[Value]:
    """[B, K, M] · [B, N, K], the first operand transposed, the second row by row of the result's columns."""
    return [d.dot(d.arg(2, s[2], s[0], dtype=t), d.arg(2, s[1], s[2], dtype=t), [1], [2], [0])]


@dataclass(frozen=True)
class Kernel:
    """A program of a size (M, N, K) in a dtype under a plan; `shows` says what of the template it is here for."""

    program: Callable[[Draft, Size, str], Any]
    size: Size
    dtype: str
    plan: dict[str, Any]
    shows: str
    blocks: int = 0
    """With roles: how many multiprocessors there are."""

    def draft(self) -> Draft:
        d = Draft()
        d.results = tuple(self.program(d, self.size, self.dtype))
        return d

    def compile(self) -> Program:
        if "roles" not in self.plan:
            return ptir.compile(planned(self.draft(), **self.plan)).program
        module = PassManager(TO_REGIONS).run(ptir.parse(self.draft().text))
        (kernel,) = (op for op in module.ops if isinstance(op, RegionKernelOp))
        space = kernel_space(kernel)
        left = {"predicate_tail": tails(self.plan["tile"], space), "epilogue": epilogue_labels(kernel, space)}
        kernel.plan = ScheduleAttr(Schedule(**ROLES, **left, **self.plan))
        with multiprocessors(self.blocks):
            return compile_module(module, "sm90")


ROLES: dict[str, Any] = {
    "arch": "sm90",
    "cache": (Cache(tensor="A"), Cache(tensor="B")),
    "vectorize": Vectorize(axis="n.i.i", width=8),
}


KERNELS: dict[str, Kernel] = {
    "tails": Kernel(
        CONTRACTIONS["short_output"], (150, 70, 130), "bf16", {"tile": (64, 32, 32), "warp_tile": "32x16", "stages": 3},
        "bf16, bias and relu, every axis guarded, 4-byte copies",
    ),
    "aligned": Kernel(
        CONTRACTIONS["short_output"], (256, 128, 192), "bf16", {"tile": (128, 64, 32), "warp_tile": "64x32", "stages": 4},
        "bf16, whole tiles, 16-byte copies, six steps through four stages",
    ),
    "batched": Kernel(
        batched_kn, (72, 40, 168), "f16", {"tile": (32, 32, 32), "warp_tile": "16x16", "stages": 3},
        "f16, batched, first operand transposed, tails of 8 along every axis",
    ),
    "cluster": Kernel(
        CONTRACTIONS["short_output"], (300, 136, 200), "bf16",
        {"tile": (128, 128, 64), "warp_tile": "64x128", "stages": 3, "roles": "cooperative", "cluster": (2, 1)},
        "bf16, blocks 2 x 1 that share B, bias and relu, TMA stores, a tile past the end", 2,
    ),
    "pingpong": Kernel(
        CONTRACTIONS["both_transposed"], (136, 40, 328), "f16",
        {"tile": (64, 32, 64), "warp_tile": "64x32", "stages": 2, "roles": "pingpong"},
        "f16, warpgroups take turns with the six tiles of one block, A across k, sums staged for TMA", 1,
    ),
    "stream_k": Kernel(
        CONTRACTIONS["weights_nk"], (67, 33, 197), "bf16",
        {"tile": (64, 32, 64), "warp_tile": "64x32", "stages": 2, "roles": "cooperative",
         "algo_choice": {"matmul": "stream_k"}},
        "bf16, rows of no 16 bytes: copies by threads, six blocks share the steps, stores by lanes", 7,
    ),
}  # fmt: skip
"""By name. Sizes are small, yet every stage is filled and emptied more than once, with a tail behind."""


def integers(d: Draft) -> list[Any]:
    """Integers whose sums f32 holds exactly."""
    return d.arrays(11, True)


def specials(d: Draft) -> list[Any]:
    """The same with zeros of both signs, infinities and NaN among them."""
    return _mixed(d.arrays(11, True))


def numbers(d: Draft) -> list[Any]:
    """Random numbers with specials among them."""
    return _mixed(d.arrays(12, False))


def _mixed(arrays: list[Any]) -> list[Any]:
    for array in arrays:
        if array.dtype.kind not in "iub":
            flat = array.reshape(-1)
            values = np.array([0.0, -0.0, np.nan, np.inf, -np.inf])[: flat.size]
            flat[: values.size] = values.astype(array.dtype)
    return arrays


def same(got: Any, wanted: Any) -> bool:
    """Bit for bit, NaN aside: `wanted` is float64, and holds what the type of `got` can."""
    return got.shape == wanted.shape and np.array_equal(np.asarray(got, np.float64), wanted, equal_nan=True)
