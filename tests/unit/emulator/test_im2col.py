"""TMA loads in im2col mode, against a reference that walks the box pixel by pixel (PTX ISA §5.5.4)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.emulator import Memory, TensorMap, errors, launch, parse

SOURCE = r"""
struct __align__(64) Map { char bytes[128]; };
#define KERNEL(rank, coordinates, offsets) \
extern "C" __global__ void load##rank(const __grid_constant__ Map map, unsigned* y, int c, int w, int h, int d, int n, \
                                      int ow, int oh, int od, int bytes) { \
  extern __shared__ __align__(1024) char smem[]; \
  __shared__ __align__(8) unsigned long long bar; \
  unsigned to = (unsigned)__cvta_generic_to_shared(smem), b = (unsigned)__cvta_generic_to_shared(&bar), done = 0; \
  if (threadIdx.x == 0) { \
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b) : "memory"); \
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); \
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(bytes) : "memory"); \
    asm volatile("cp.async.bulk.tensor." #rank "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes " \
                 "[%0], [%1, " coordinates "], [%2], " offsets ";" \
      ::"r"(to), "l"(&map), "r"(b), "r"(c), "r"(w), "r"(h), "r"(d), "r"(n), "h"((short)ow), "h"((short)oh), "h"((short)od) : "memory"); \
  } \
  __syncthreads(); \
  while (!done) \
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" \
                 : "=r"(done) : "r"(b) : "memory"); \
  for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) y[i] = ((unsigned*)smem)[i]; \
}
KERNEL(3, "{%3, %4, %7}", "{%8}")
KERNEL(4, "{%3, %4, %5, %7}", "{%8, %9}")
KERNEL(5, "{%3, %4, %5, %6, %7}", "{%8, %9, %10}")
"""


@cache
def module() -> Any:
    return parse(compile_cuda(SOURCE, "sm_90a", allow_remarks=True).ptx)


def fetch(x: np.ndarray, tensor: TensorMap, memory: Memory, first: tuple[int, ...], offsets: tuple[int, ...]) -> Any:
    """Loads a box; `first` is n, the spatial coordinates and c, `offsets` one a spatial dimension, outermost first."""
    spatial = [*first[1:-1][::-1], 0, 0][:3]
    filters = [*offsets[::-1], 0, 0][:3]
    y = np.zeros(tensor.box[::-1], x.dtype)
    args = [tensor, memory.bind(y), first[-1], *spatial, first[0], *filters, y.nbytes]
    kernel = f"load{x.ndim}"
    launch(module(), kernel, grid=1, block=64, args=args, memory=memory, dynamic_shared=y.nbytes, registers=40)
    return y


def expected(x: np.ndarray, lower: Any, upper: Any, steps: Any, box: Any, first: Any, offsets: Any) -> np.ndarray:
    """Walks the filter bases: w moves first, and wraps to its lower corner."""
    images, *size, depth = x.shape
    last = [s - 1 + u for s, u in zip(size, upper, strict=True)]
    n, *base, c = first
    channels, pixels = box
    out = np.zeros((pixels, channels), x.dtype)
    for row in out:
        at = [b + o for b, o in zip(base, offsets, strict=True)]
        if 0 <= n < images and all(0 <= a < s for a, s in zip(at, size, strict=True)):
            part = x[(n, *at)][max(c, 0) : c + channels]
            row[: len(part)] = part
        for d in reversed(range(len(size))):
            base[d] += steps[d]
            if base[d] <= last[d]:
                break
            base[d] = lower[d]
        else:
            n += 1
    assert depth >= 0
    return out


def map_of(x: np.ndarray, memory: Memory, lower: Any, upper: Any, steps: Any, box: tuple[int, int]) -> TensorMap:
    sizes, strides = x.shape[::-1], x.strides[-2::-1]
    inner = (1, *steps[::-1], 1)
    return TensorMap(
        memory.bind(x, readonly=True), 4, sizes, strides, box, 0, inner, lower=lower[::-1], upper=upper[::-1]
    )


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_loads_walk_the_filter_bases(rank: int):
    rng = np.random.default_rng(rank)
    done = 0
    while done < 25:
        images, depth = int(rng.integers(1, 4)), int(rng.integers(1, 4)) * 4
        size, steps = (tuple(map(int, rng.integers(1, high, rank))) for high in (7, 4))
        lower, upper = (tuple(map(int, rng.integers(-3, 3, rank))) for _ in range(2))
        bases = [(s - 1 + u - low) // step + 1 for s, u, low, step in zip(size, upper, lower, steps, strict=True)]
        if min(bases) < 1:
            continue
        x = rng.integers(0, 99, (images, *size, depth)).astype(np.float32)
        box = int(rng.integers(1, 3)) * 4, int(rng.integers(1, 40))
        base = [low + step * int(rng.integers(0, b)) for low, step, b in zip(lower, steps, bases, strict=True)]
        first = int(rng.integers(0, images)), *base, int(rng.integers(0, depth // 4 + 1)) * 4
        offsets = tuple(map(int, rng.integers(0, 5, rank)))
        memory = Memory()
        got = fetch(x, map_of(x, memory, lower, upper, steps, box), memory, first, offsets)
        assert np.array_equal(got, expected(x, lower, upper, steps, box, first, offsets)), (
            x.shape,
            lower,
            upper,
            steps,
        )
        done += 1


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"lower": (-129, 0)}, "corners .* are not in"),
        ({"upper": (0, 128)}, "corners .* are not in"),
        ({"lower": (0,), "upper": (0,)}, "corners of 1 and 1 dimensions, expected 2"),
        ({"upper": (-9, 0)}, "leave no filter bases"),
        ({"box": (8, 1025)}, "1024 pixels"),
        ({"box": (8, 8, 1, 1)}, "got 4 box sizes"),
        ({"element_strides": (1, 9, 1, 1)}, "element strides"),
    ],
)
def test_im2col_maps_that_the_driver_refuses(change: dict[str, Any], problem: str):
    fields: dict[str, Any] = {"address": 0, "element_bytes": 4, "sizes": (8, 4, 4, 2), "strides": (32, 128, 512)}
    fields |= {"box": (8, 16), "lower": (-1, -1), "upper": (-1, -1)}
    assert TensorMap(**fields).bases == (4, 4)
    with pytest.raises(errors.BadTensorMap, match=problem):
        TensorMap(**(fields | change))


@pytest.mark.parametrize(
    ("first", "offsets", "problem"),
    [
        ((0, 0, 0, 0), (0, 256), "offsets"),
        ((0, 0, -2, 0), (0, 0), "not a filter base"),
        ((0, 1, 0, 0), (0, 0), "not a"),
    ],
)
def test_a_load_begins_at_a_filter_base(first: tuple[int, ...], offsets: tuple[int, int], problem: str):
    x, memory = np.zeros((2, 4, 4, 8), np.float32), Memory()
    tensor = map_of(x, memory, (-2, -1), (1, 1), (2, 1), (8, 4))
    with pytest.raises(errors.BadTensorCopy, match=problem):
        fetch(x, tensor, memory, first, offsets)
