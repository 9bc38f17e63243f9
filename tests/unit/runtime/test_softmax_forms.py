"""A softmax between two products is one kernel in whatever form it is written, and gives what the program's own ops give."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.runtime.devices import Emulator
from tests.unit.builders.softmax_forms import FORMS, HEADS, KEYS, QUERIES, SIZE, expected, text_of


@pytest.mark.sampled(5)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
@pytest.mark.parametrize("name", FORMS)
def test_a_form(name: str, arch: str):
    """The first queries see no key: their results are NaN, or zero, as the program says."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((HEADS, n, SIZE)).astype(ml_dtypes.bfloat16) for n in (QUERIES, KEYS, KEYS))
    drop = rng.random((HEADS, QUERIES, KEYS)) < 0.8
    want, device = expected(name, q, k, v, drop), Emulator()
    text = text_of(name)
    arrays = (q, k, v, drop)
    (got,) = ptir.compile(text, arch=arch, device=device)(*arrays)
    assert len(device.reports) == 1
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    np.testing.assert_allclose(got, want, atol=2**-6 * np.nanmax(np.abs(want)), rtol=0)
