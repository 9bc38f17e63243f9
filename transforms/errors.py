"""Failures of lowering: a program that verifies, but that a transform cannot take a level down."""

from __future__ import annotations

from ..errors import PtirError


class InexactAccumulator(PtirError):
    code = "PTIR0202"
    template = "{what} accumulates {dtype} in {accum}, which does not hold every {dtype}"
    mend = "cast to {accum} first if rounding is meant, or accumulate in {wider}"


class NoTinyForm(PtirError):
    code = "PTIR0203"
    template = "'{name}' has no form in tiny"
    mend = "write it with ops that have one: {known}"


class UnknownSpecVersion(PtirError):
    code = "PTIR0204"
    template = "the module is written in {got}, this compiler reads {want}"
    mend = "export it again as {want}"
