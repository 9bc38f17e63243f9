"""Direct convolutions whose threads sum adjacent windows: results are NumPy's, and what windows share is loaded once."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.analysis.regions import pieces

PROGRAM = """builtin.module attributes {{ptir.extensions}} {{
func.func @f(%x: tensor<{size}x{c}x{t}>, %w: tensor<{k}x{k}x1x{f}x{t}>) -> tensor<{out}x{f}xf32> {{
  %0 = ptir.convolution %x, %w strides [{s}, {s}] padding [({p}, {p}), ({p}, {p})] dilation [{d}, {d}] groups {c} accum f32 out f32
     : (tensor<{size}x{c}x{t}>, tensor<{k}x{k}x1x{f}x{t}>) -> tensor<{out}x{f}xf32>
  func.return %0 : tensor<{out}x{f}xf32>
}}
}}"""
DTYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("arch", "t", "size", "c", "f", "k", "s", "d", "loads"),
    [
        ("sm80", "bf16", (2, 9, 8), 16, 16, 7, 1, 1, 7 * 8),
        ("sm90", "bf16", (1, 9, 7), 8, 8, 3, 1, 1, 3 * 7),
        ("sm80", "f32", (1, 8, 12), 8, 8, 3, 2, 1, 3 * 12),
        ("sm90", "f16", (1, 10, 12), 16, 16, 3, 1, 2, 3 * 10),
        ("sm80", "bf16", (1, 8, 8), 8, 16, 3, 1, 1, None),
        ("sm90", "bf16", (1, 6, 6), 3, 3, 3, 1, 1, None),
    ],
)
def test_windows_side_by_side(
    arch: str,
    t: str,
    size: tuple[int, int, int],
    c: int,
    f: int,
    k: int,
    s: int,
    d: int,
    loads: int | None,
    monkeypatch: pytest.MonkeyPatch,
):
    """`loads` is the number of vectors of the image that a thread loads, if channels are vectors: none of columns that are all padding."""
    monkeypatch.setattr(pieces, "POINTS", 1)
    p = d * (k // 2)
    out = (size[0], *((n + 2 * p - d * (k - 1) - 1) // s + 1 for n in size[1:]))
    by = {"size": "x".join(map(str, size)), "out": "x".join(map(str, out))}
    text = PROGRAM.format(c=c, f=f, k=k, s=s, d=d, p=p, t=t, **by)
    rng = np.random.default_rng(5)
    x, w = (rng.integers(-4, 5, n).astype(DTYPES[t]) for n in ((*size, c), (k, k, 1, f)))
    compiled = ptir.compile(text, arch=arch, device=ptir.Emulator())
    (y,) = compiled(x, w)
    padded = np.pad(x.astype(float), ((0, 0), (p, p), (p, p), (0, 0)))
    want = np.zeros(y.shape)
    for i in range(k):
        for j in range(k):
            rows, columns = (slice(a * d, a * d + s * (n - 1) + 1, s) for a, n in ((i, out[1]), (j, out[2])))
            want += np.repeat(padded[:, rows, columns], f // c, axis=3) * w[i, j, 0].astype(float)
    assert np.array_equal(y, want)
    if loads is not None:
        assert len(set(re.findall(r"\bx_in\d*\b", str(compiled.program.cuda)))) == loads
