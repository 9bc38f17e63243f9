"""Errors of the execution of programs."""

from __future__ import annotations

from ...errors import PtirError
from ..errors import Violation


class VyreRace(Violation):
    """Two invocations access an element in an order that nothing defines, and the order may change the result."""

    code = "PTIR0590"
    template = "{what} of element {element} of '{name}' by invocation {lane} races with {other}. Fix: {fix}."


class DivergentBarrier(Violation):
    code = "PTIR0591"
    template = (
        "{arrived} of {size} invocations of workgroup {group} come to a barrier. Fix: move it out of the vyre.if or vyre.for "
        "that some of them leave."
    )


class TooLong(PtirError):
    code = "PTIR0592"
    template = "the dispatch takes more than {limit:,} steps. Fix: dispatch fewer workgroups, or raise the limit."


class WrongBuffer(PtirError):
    code = "PTIR0593"
    template = "{problem}. Fix: {fix}."
