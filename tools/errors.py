"""Errors of the tools."""

from __future__ import annotations

from ..errors import PtirError


class BadInputs(PtirError):
    """The inputs of a program are missing, cannot be read, or do not match the function's arguments."""

    code = "PTIR0620"
    template = "{problem}"
    hint = "{help}"
