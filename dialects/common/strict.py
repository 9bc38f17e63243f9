"""Whether the floats of a program are strict: its results then have the same bits on every machine."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation

STRICT = "ptir.strict_floats"
"""The attribute of a module whose floats are strict (`dialects/tiny/strict.py`)."""


def make_strict(module: ModuleOp) -> None:
    """Makes the floats of a module strict; it must be verified after that."""
    module.attributes[STRICT] = UnitAttr()


def is_strict(op: Operation | None) -> bool:
    """Returns whether `op` is in a module with the attribute `ptir.strict_floats`, or is one."""
    while op is not None:
        if STRICT in op.attributes:
            return True
        op = op.parent_op()
    return False
