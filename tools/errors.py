"""Errors of the tools."""

from __future__ import annotations

from ..errors import PtirError


class BadInputs(PtirError):
    code = "PTIR0620"
    template = "{problem}"
    hint = "{help}"
