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
