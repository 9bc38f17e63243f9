"""
Compares an implementation, the *candidate*, with an intent, in layers:

1. `well-formed`: the verifiers of the dialect;
2. `obligations`: statements about sizes and indices that must hold for all symbols, proved by SMT (`obligations.py`);
3. `differential`: equal results on random, boundary, metamorphic and exhaustive small cases (`differential.py`);
4. `stability`: equal results on values that overflow or cancel in an unstable formula;
5. `determinism`: equal bits in every run and, for kernels, no races.

A layer is `PASS`, `FAIL` or `UNKNOWN`. A `FAIL` has a counterexample, shrunk to small sizes and values. The contract limits the cases:
what its assumptions exclude is never generated. Under a `FULL` contract, they are all. Under a `PARTIAL` one, some may be missing: an
obligation that does not hold and a difference on extreme values are `UNKNOWN`. `OUT_OF_SCOPE` promises nothing: all is `UNKNOWN`.
Spec: `intentir-semantics §4`.
"""

from __future__ import annotations

from .candidates import Candidate as Candidate
from .report import Report as Report
from .verify import LAYERS as LAYERS
from .verify import verify as verify
