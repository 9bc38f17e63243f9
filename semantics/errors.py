"""Failures of interpretation: a program that verifies, run on values that it has no meaning for."""

from __future__ import annotations

from ..errors import PtirError


class DivisionByZero(PtirError):
    code = "PTIR0540"
    template = "integer division by zero"
    mend = "guard the divisor with a select: the contract gives no value for x / 0"


class NoSuchFunction(PtirError):
    code = "PTIR0541"
    template = "the module has no function @{name}"
    mend = "it has {known}"


class ArgumentMismatch(PtirError):
    code = "PTIR0542"
    template = "@{name} takes {want}, got {got}"


class NoBounds(PtirError):
    code = "PTIR0543"
    template = "no error bound is known for {what}"


class IndexOutsideMemref(PtirError):
    code = "PTIR0544"
    template = "the access reaches {index} of {memref}"
    mend = "the guard box must keep the map inside of the memref"


class ChannelMisuse(PtirError):
    code = "PTIR0545"
    template = "{problem}"
    mend = "{help}"


class ChannelDeadlock(PtirError):
    code = "PTIR0546"
    template = "the tile stops here: {problem}"
    mend = "deepen the ring, or interleave the channels in the same order on both sides"


class StoreConflict(PtirError):
    code = "PTIR0547"
    template = "element {index} is written twice: {problem}"
    mend = "tiles run in any order, so each element belongs to one of them"
