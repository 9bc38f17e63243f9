"""
`mma.sync` on types other than 16-bit floats, and `stmatrix`, element by element, by the layouts of the PTX ISA §9.7.14.5 (f64:
.8 … .11; 8-bit: .5 … .7), which this file implements independently.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.unit.builders.ptx_kernels.launch import run_cuda

E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2


@dataclass(frozen=True)
class Shape:
    """An mma shape with `per` elements per register. `letter` is the constraint of A's and B's registers, `out` that of C's."""

    name: str
    rows: int
    depth: int
    a: Any
    b: Any
    out: Any
    per: int = 4
    letter: str = "r"
    arch: str = "sm_80"


SHAPES = [
    Shape("m16n8k32.row.col.s32.s8.s8.s32", 16, 32, np.int8, np.int8, np.int32),
    Shape("m16n8k32.row.col.s32.u8.s8.s32", 16, 32, np.uint8, np.int8, np.int32),
    Shape("m16n8k32.row.col.s32.s8.u8.s32", 16, 32, np.int8, np.uint8, np.int32),
    Shape("m16n8k32.row.col.s32.u8.u8.s32", 16, 32, np.uint8, np.uint8, np.int32),
    Shape("m16n8k16.row.col.s32.u8.u8.s32", 16, 16, np.uint8, np.uint8, np.int32),
    Shape("m8n8k16.row.col.s32.s8.s8.s32", 8, 16, np.int8, np.int8, np.int32),
    Shape("m16n8k4.row.col.f32.tf32.tf32.f32", 16, 4, np.float32, np.float32, np.float32, per=1),
    Shape("m16n8k32.row.col.f32.e4m3.e4m3.f32", 16, 32, E4M3, E4M3, np.float32, arch="sm_89"),
    Shape("m16n8k32.row.col.f32.e5m2.e4m3.f32", 16, 32, E5M2, E4M3, np.float32, arch="sm_89"),
    Shape("m16n8k32.row.col.f16.e4m3.e5m2.f16", 16, 32, E4M3, E5M2, np.float16, arch="sm_89"),
    Shape("m8n8k4.row.col.f64.f64.f64.f64", 8, 4, np.float64, np.float64, np.float64, 1, "d"),
    Shape("m16n8k4.row.col.f64.f64.f64.f64", 16, 4, np.float64, np.float64, np.float64, 1, "d", "sm_90"),
    Shape("m16n8k8.row.col.f64.f64.f64.f64", 16, 8, np.float64, np.float64, np.float64, 1, "d", "sm_90"),
    Shape("m16n8k16.row.col.f64.f64.f64.f64", 16, 16, np.float64, np.float64, np.float64, 1, "d", "sm_90"),
]


def multiply(shape: Shape, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Computes A [2, rows, k] times B [2, k, 8] plus C by two warps. Lanes get their elements by the maps of the PTX ISA."""
    rows, k, per = shape.rows, shape.depth, shape.per
    na, nb, nc = rows * k // 32, k // 4, rows // 4
    fa, fb, fc = np.zeros((2, 32, na), shape.a), np.zeros((2, 32, nb), shape.b), np.zeros((2, 32, nc), shape.out)
    for lane in range(32):
        g, t = lane >> 2, lane & 3
        for i in range(na):  # ISA: row = g, or g + 8 in every other group of registers; columns follow
            register = i // per
            row = g + 8 * (register & 1) if rows == 16 else g
            column = t * per + i % per + 4 * per * (register >> 1 if rows == 16 else register)
            fa[:, lane, i] = a[:, row, column]
        for i in range(nb):
            fb[:, lane, i] = b[:, t * per + i % per + 4 * per * (i // per), g]
        for i in range(nc):
            fc[:, lane, i] = c[:, g + 8 * (i >> 1), 2 * t + (i & 1)]
    word = {"r": "unsigned", "d": "double"}[shape.letter]
    ra, rb, rc = (
        n * np.dtype(d).itemsize // (8 if word == "double" else 4)
        for n, d in ((na, shape.a), (nb, shape.b), (nc, shape.out))
    )
    out = "f" if shape.out is np.float32 else shape.letter
    result = {"f": "float", "r": "unsigned", "d": "double"}[out]
    names = lambda start, n: "{" + ",".join(f"%{start + i}" for i in range(n)) + "}"  # noqa: E731
    source = f"""extern "C" __global__ void k(const {word}* a, const {word}* b, {result}* c) {{
      int t = threadIdx.x; a += t * {ra}; b += t * {rb}; c += t * {rc};
      asm volatile("mma.sync.aligned.{shape.name} {names(0, rc)}, {names(rc, ra)}, {names(rc + ra, rb)}, {names(0, rc)};"
        : {", ".join(f'"+{out}"(c[{i}])' for i in range(rc))}
        : {", ".join(f'"{shape.letter}"(a[{i}])' for i in range(ra))}, {", ".join(f'"{shape.letter}"(b[{i}])' for i in range(rb))}); }}"""
    run_cuda(source, fa, fb, fc, arch=shape.arch)
    got = np.zeros((2, rows, 8), shape.out)
    for lane in range(32):
        g, t = lane >> 2, lane & 3
        for i in range(nc):
            got[:, g + 8 * (i >> 1), 2 * t + (i & 1)] = fc[:, lane, i]
    return got


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
def test_mma(shape: Shape):
    rng = np.random.default_rng(1)
    low = 0 if np.uint8 in (shape.a, shape.b) else -4
    a, b = rng.integers(low, 5, (2, shape.rows, shape.depth)), rng.integers(low, 5, (2, shape.depth, 8))
    c = rng.integers(-9, 10, (2, shape.rows, 8))
    got = multiply(shape, a.astype(shape.a), b.astype(shape.b), c.astype(shape.out))
    assert np.array_equal(got, (a @ b + c).astype(shape.out))


@pytest.mark.parametrize("shape", [s for s in SHAPES if s.out is np.int32], ids=lambda s: s.name)
def test_bytes_of_every_value(shape: Shape):
    """Sums beyond 32 bits wrap."""
    rng = np.random.default_rng(2)
    limits = [np.iinfo(t) for t in (shape.a, shape.b)]
    a = rng.integers(limits[0].min, limits[0].max, (2, shape.rows, shape.depth), endpoint=True)
    b = rng.integers(limits[1].min, limits[1].max, (2, shape.depth, 8), endpoint=True)
    c = rng.choice([2**31 - 1, -(2**31), 0], (2, shape.rows, 8))
    got = multiply(shape, a.astype(shape.a), b.astype(shape.b), c.astype(np.int32))
    assert np.array_equal(got, (a @ b + c).astype(np.uint32).astype(np.int32))


def test_tensor_floats_are_truncated():
    """Hardware takes the upper 19 bits of a register whatever the others hold; so do we, without rounding."""
    shape = Shape("m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, np.float32, np.float32, np.float32, per=1)
    rng = np.random.default_rng(3)
    a, b = rng.integers(-8, 9, (2, 16, 8)).astype(np.float32), rng.integers(-8, 9, (2, 8, 8)).astype(np.float32)
    c = np.zeros((2, 16, 8), np.float32)
    dirty = [(x.view(np.uint32) | rng.integers(0, 1 << 13, x.shape, np.uint32)).view(np.float32) for x in (a, b)]
    assert np.array_equal(multiply(shape, *dirty, c), a @ b)


def test_integers_wrap_or_saturate():
    shape = SHAPES[0]
    a, b = np.full((2, 16, 32), 127, np.int8), np.full((2, 32, 8), 127, np.int8)
    c = np.full((2, 16, 8), 2**31 - 5, np.int32)
    assert (multiply(shape, a, b, c) == np.int32(2**31 - 5 + 32 * 127 * 127 - 2**32)).all()
    sated = Shape("m16n8k32.row.col.satfinite.s32.s8.s8.s32", 16, 32, np.int8, np.int8, np.int32)
    assert (multiply(sated, a, b, c) == 2**31 - 1).all()


def test_fp8_specials():
    shape = next(s for s in SHAPES if s.a is E4M3)
    a, b, c = np.zeros((2, 16, 32), E4M3), np.zeros((2, 32, 8), E4M3), np.zeros((2, 16, 8), np.float32)
    a[0, 0, 0], b[0, 0, 0] = np.nan, 1
    a[1, 3, 31], b[1, 31, 2] = 448, -448
    got = multiply(shape, a, b, c)
    assert np.isnan(got[0, 0, 0]) and got[1, 3, 2] == -448 * 448 and np.count_nonzero(got[1]) == 1


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("trans", ["", ".trans"])
def test_stmatrix(count: int, trans: str):
    """Lane l holds elements (l / 4, 2 (l % 4)) … of each matrix; lanes 8i … 8i + 7 address the rows of matrix i."""
    names = ",".join(f"%{i + 1}" for i in range(count))
    inputs = ", ".join(f'"r"(x[t * {count} + {i}])' for i in range(count))
    source = f"""extern "C" __global__ void k(const unsigned* x, unsigned short* y) {{ __shared__ __align__(16) unsigned short s[32 * 8];
      int t = threadIdx.x; for (int i = t; i < 256; i += 32) s[i] = 0; __syncthreads();
      unsigned at = (unsigned)__cvta_generic_to_shared(s + (31 - t) * 8);
      asm volatile("stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [%0], {{{names}}};" :: "r"(at), {inputs} : "memory");
      __syncthreads(); for (int i = t; i < 256; i += 32) y[i] = s[i]; }}"""
    x = np.arange(1, 64 * count + 1, dtype=np.uint16).reshape(32, count, 2)
    y = np.zeros((32, 8), np.uint16)
    run_cuda(source, x, y, arch="sm_90", block=32)
    want = np.zeros((32, 8), np.uint16)
    for matrix in range(count):
        for lane in range(32):
            for half in range(2):
                row, column = lane // 4, 2 * (lane % 4) + half
                if trans:
                    row, column = column, row
                want[31 - (8 * matrix + row), column] = x[lane, matrix, half]
    assert np.array_equal(y, want)
