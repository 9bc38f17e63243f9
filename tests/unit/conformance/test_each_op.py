"""Each op of the dialect and of its library equals its oracle on a few inputs of each kind, in the interpreter."""

from __future__ import annotations

import pytest

from ptir.conformance.certify import Options, certify
from ptir.conformance.running import backend
from ptir.conformance.subjects import subjects


@pytest.mark.sampled(16)
@pytest.mark.parametrize("name", subjects())
def test_each_op(name: str):
    found = certify([subjects()[name]], Options([backend("interpreter")], count=24))
    assert found.status == "PASS", found.text()
