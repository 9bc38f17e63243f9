"""
The meaning of the `intent` dialect: the results of a function on NumPy arrays under a binding of its symbols.

`bind` infers a binding from shapes, `run` computes. Sizes that a verifier leaves open are checked, assumptions of the contract
too. An op rounds as `ptir` does: floats once per op, sums once. Spec: `intentir-semantics §1.2, §1.3`.
"""

from __future__ import annotations

from .binding import Binding as Binding
from .binding import assumption_that_fails as assumption_that_fails
from .binding import bind as bind
from .binding import concrete_shape as concrete_shape
from .evaluation import run as run
