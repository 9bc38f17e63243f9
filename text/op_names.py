"""The names of ops."""

from __future__ import annotations

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation


def op_name(op: Operation) -> str:
    """Returns the name of an op as it is written, even if its dialect is not registered."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name
