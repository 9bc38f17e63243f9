"""a5: more vector memory and accumulators than a3, fp8 operands, no stores from L1, and a left operand in column-major blocks."""

from __future__ import annotations

from dataclasses import replace

from . import a2
from .machine import KB

_A2 = a2.MACHINE
_FLOAT8 = ("f8E4M3FN", "f8E5M2")

MACHINE = replace(
    _A2,
    name="a5",
    memories={**_A2.memories, "Vec": 256 * KB, "Acc": 256 * KB},
    layouts={**_A2.layouts, "Left": ("Nz",), "Scale": ("ND", "Zz", "Nn")},
    stores=("Vec", "Acc"),
    products=(_A2.products or frozenset()) | {("f32", a, b) for a in _FLOAT8 for b in _FLOAT8},
    vector_types=(_A2.vector_types or frozenset()) | {*_FLOAT8},
    lacks={name: help for name, help in _A2.lacks.items() if name != "pto.tile.matmul.mx"},
)
