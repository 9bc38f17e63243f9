"""Tensor stores and reductions by TMA: clipped boxes, element types, proxy fences."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ptir.emulator import Memory, TensorMap, errors
from tests.unit.builders.ptx_kernels.blocks import CLUSTER_HEAD as HEAD
from tests.unit.builders.ptx_kernels.blocks import reported
from tests.unit.builders.ptx_kernels.launch import run_cuda

Array = np.ndarray[Any, np.dtype[Any]]


# --- tensor stores ---------------------------------------------------------------------------------


def leave_box(
    tensor: TensorMap, memory: Memory, start: tuple[int, ...], data: Array, *, reduce: str = "", body: str = ""
) -> None:
    """Copies `data` to shared memory, and from there to the tensor by a TMA store."""
    rank = len(start)
    coordinates = ", ".join(f"%{2 + i}" for i in range(rank))
    values = "".join(f', "r"({x})' for x in start)
    what = (
        f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{reduce}.tile"
        if reduce
        else f"cp.async.bulk.tensor.{rank}d.global.shared::cta.tile"
    )
    source = f"""{HEAD} extern "C" __global__ void k(const __grid_constant__ Map m, const int* x) {{
      __shared__ __align__(1024) int s[4096]; int t = threadIdx.x;
      for (int i = t; i < {data.nbytes // 4}; i += 64) s[i] = x[i];
      {body or "fence(); __syncthreads();"}
      if (t == 0) {{ asm volatile("prefetch.tensormap [%0];" :: "l"(&m) : "memory");
        asm volatile("{what}.bulk_group [%1, {{{coordinates}}}], [%0];" :: "r"(at(s)), "l"(&m){values} : "memory");
        commit(); stored(); }} }}"""
    run_cuda(source, tensor, np.ascontiguousarray(data), arch="sm_90a", memory=memory)


@pytest.mark.parametrize(
    ("shape", "box", "start"),
    [
        ((64,), (16,), (56,)),
        ((20, 64), (8, 16), (0, 0)),
        ((20, 64), (8, 16), (-8, 15)),
        ((20, 72), (8, 16), (64, 18)),
        ((20, 64), (8, 16), (100, 0)),
        ((3, 5, 16), (2, 4, 8), (8, -1, 2)),
        ((2, 3, 5, 16), (1, 2, 4, 8), (12, 2, 2, 1)),
        ((2, 2, 3, 5, 16), (2, 1, 2, 4, 8), (-3, -1, 1, 1, 0)),
    ],
)
def test_boxes_that_leave_the_tensor_are_clipped(shape: tuple[int, ...], box: tuple[int, ...], start: tuple[int, ...]):
    y = np.zeros(shape, np.uint16)
    data = np.arange(1, 1 + np.prod(box), dtype=np.uint16).reshape(box)
    memory = Memory()
    leave_box(TensorMap.of(y, memory.bind(y), box), memory, start, data)
    want = np.zeros(shape, np.uint16)
    for index in np.ndindex(*box):
        to = tuple(i + s for i, s in zip(index, start[::-1], strict=True))
        if all(0 <= i < n for i, n in zip(to, shape, strict=True)):
            want[to] = data[index]
    assert np.array_equal(y, want)


@pytest.mark.parametrize(
    "dtype", [np.float32, np.int32, np.uint32, np.float16, ml_dtypes.bfloat16], ids=lambda t: np.dtype(t).name
)
def test_added_to_a_tensor(dtype: Any):
    rng = np.random.default_rng(1)
    y, data = (rng.integers(0, 50, shape).astype(dtype) for shape in ((12, 64), (8, 16)))
    want = y.copy()
    want[6:, 56:] += data[:6, :8]
    memory = Memory()
    leave_box(TensorMap.of(y, memory.bind(y), (8, 16)), memory, (56, 6), data, reduce="add")
    assert np.array_equal(y, want)


def test_extremes_of_a_tensor():
    rng = np.random.default_rng(2)
    y, data = (rng.integers(-50, 50, (8, 16)).astype(np.int32) for _ in range(2))
    want = np.maximum(y, data)
    memory = Memory()
    leave_box(TensorMap.of(y, memory.bind(y), (8, 16)), memory, (0, 0), data, reduce="max")
    assert np.array_equal(y, want)


def test_a_reduction_needs_the_element_type():
    y, memory = np.zeros((8, 16), np.float32), Memory()
    tensor = TensorMap(memory.bind(y), 4, (16, 8), (64,), (16, 8))
    with pytest.raises(errors.BadTensorCopy, match="has no element type"):
        leave_box(tensor, memory, (0, 0), y.copy(), reduce="add")
    with pytest.raises(errors.BadTensorMap, match="elements of type f16"):
        TensorMap(tensor.address, 4, (16, 8), (64,), (16, 8), dtype="f16")


def leave_written(
    tensor: TensorMap, memory: Memory, start: tuple[int, ...], written: Array, unfenced: Array, reduce: bool
) -> None:
    """Stores 1, 2, … from the places of shared memory in `written`; those in `unfenced` are written after the fence."""
    rank, places = len(start), "".join(f', "r"({x})' for x in start)
    coordinates = ", ".join(f"%{2 + i}" for i in range(rank))
    what = (
        "cp.reduce.async.bulk.tensor.%dd.global.shared::cta.add"
        if reduce
        else "cp.async.bulk.tensor.%dd.global.shared::cta"
    )
    kind = {2: "unsigned short", 4: "unsigned"}[tensor.element_bytes]
    source = f"""{HEAD} extern "C" __global__ void k(const __grid_constant__ Map m, const char* written, const char* unfenced) {{
      __shared__ __align__(1024) {kind} s[{written.size}]; int t = threadIdx.x;
      for (int i = t; i < {written.size}; i += 64) if (written[i] && !unfenced[i]) s[i] = i + 1;
      fence(); if (t == 0) for (int i = 0; i < {written.size}; i++) if (unfenced[i]) s[i] = i + 1;
      __syncthreads();
      if (t == 0) {{ asm volatile("{what % rank}.tile.bulk_group [%1, {{{coordinates}}}], [%0];" :: "r"(at(s)), "l"(&m){places} : "memory");
        commit(); stored(); }} }}"""
    run_cuda(source, tensor, written.astype(np.int8), unfenced.astype(np.int8), arch="sm_90a", memory=memory)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(24))
def test_what_a_store_clips_is_not_read(seed: int):
    """Shared memory holds only what stays in the tensor; what is clipped may even be written without a fence."""
    r = np.random.default_rng(seed)
    dtype = np.dtype([np.uint16, np.uint32][seed % 2])
    rank, unit = int(r.integers(1, 4)), 16 // dtype.itemsize
    swizzle = int(r.choice([0, 32, 64, 128]))
    row = unit * int(r.integers(1, (swizzle or 64) // 16 + 1))
    if swizzle:
        row = swizzle // dtype.itemsize
    box = (*(int(n) for n in r.integers(1, 6, rank - 1)), row)
    shape = (*(int(n) for n in r.integers(1, 8, rank - 1)), unit * int(r.integers(1, 6)))
    start = tuple(int(r.integers(-b // 2, n)) for b, n in zip(box, shape, strict=True))[::-1]
    y, want, memory = np.zeros(shape, dtype), np.zeros(shape, dtype), Memory()
    inside = np.zeros(int(np.prod(box)), np.bool_)
    for position, index in enumerate(np.ndindex(*box)):
        to = tuple(i + s for i, s in zip(index, start[::-1], strict=True))
        if all(0 <= i < n for i, n in zip(to, shape, strict=True)):
            byte = position * dtype.itemsize
            place = (byte ^ (byte >> 7 & (swizzle // 16 - 1 if swizzle else 0)) << 4) // dtype.itemsize
            inside[place] = True
            want[to] = place + 1
    tensor, outside = TensorMap.of(y, memory.bind(y), box, swizzle=swizzle), ~inside
    leave_written(tensor, memory, start, inside, np.zeros_like(inside), bool(seed % 3 == 0))
    assert np.array_equal(y, want)
    if tensor.element_bytes == 4:
        y[...] = 0
        leave_written(tensor, memory, start, inside | outside, outside, bool(seed % 3 == 0))
        assert np.array_equal(y, want)
    if inside.any():
        one = np.arange(inside.size) == np.flatnonzero(inside)[-1]
        with pytest.raises(errors.UninitializedMemory):
            leave_written(tensor, memory, start, inside & ~one, np.zeros_like(inside), False)
        with pytest.raises(errors.ProxyRace):
            leave_written(tensor, memory, start, inside, one, False)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("__syncthreads();", errors.ProxyRace),
        ("__syncthreads(); if (t == 0) fence(); __syncthreads();", None),  # a fence after the barrier suffices
        ("if (t < 32) fence(); __syncthreads();", errors.ProxyRace),
        ("fence();", (errors.AsyncRace, errors.UninitializedMemory)),
    ],
)
def test_the_proxy_fence_of_a_store(body: str, fault: Any):
    y, data = np.zeros((8, 16), np.int32), np.arange(128, dtype=np.int32).reshape(8, 16)
    memory = Memory()
    tensor = TensorMap.of(y, memory.bind(y), (8, 16))
    with reported(fault):
        leave_box(tensor, memory, (0, 0), data, body=body)
    assert fault or np.array_equal(y, data)
