"""What can be wrong with a tiny program as JSON beside what can be with any form. Codes 0650 to 0654."""

from __future__ import annotations

from ....errors import SourceError


class Cycle(SourceError):
    """Values that are computed from each other."""

    code = "PTIR0650"
    template = "value {name} is computed from itself: {path}"
    hint = "a program is a graph without cycles"


class AmbiguousAxis(SourceError):
    """The name of a size that several axes have."""

    code = "PTIR0651"
    template = "axis {name} is ambiguous: axes {axes} of {shape} have that size"
    hint = "write the number of the axis"


class UnknownType(SourceError):
    """A type that is not written and does not follow from what is."""

    code = "PTIR0652"
    template = "the type of {name} does not follow: {why}"
    hint = "declare {name} in 'values'"
