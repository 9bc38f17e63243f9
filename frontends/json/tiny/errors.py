"""Errors of Tiny JSON only. Codes 0650 to 0654."""

from __future__ import annotations

from ....errors import SourceError


class Cycle(SourceError):
    """Values that depend on each other."""

    code = "PTIR0650"
    template = "value {name} depends on itself: {path}"
    hint = "a program is a graph without cycles"


class AmbiguousAxis(SourceError):
    """An axis that is named by a size which several axes have."""

    code = "PTIR0651"
    template = "axis {name} is ambiguous: axes {axes} of {shape} have that size"
    hint = "write the number of the axis"


class UnknownType(SourceError):
    """A type that is not declared and cannot be inferred."""

    code = "PTIR0652"
    template = "the type of {name} cannot be inferred: {why}"
    hint = "declare {name} in 'values'"
