"""
The operations that a verification of a module has verified: the verifier of a whole kernel first verifies the operations in it, and the walk
over the module need not do so again.
"""

from __future__ import annotations

from contextvars import ContextVar

from xdsl.ir import Operation

VERIFIED: ContextVar[set[int] | None] = ContextVar("VERIFIED", default=None)
"""The identities of the operations that the current verification has verified; None outside of one."""


def verify_once(op: Operation) -> None:
    """Runs the verifier of an operation without its regions, unless the current verification has done so without an error."""
    verified = VERIFIED.get()
    if verified is not None and id(op) in verified:
        return
    op.verify_()
    if verified is not None:
        verified.add(id(op))
