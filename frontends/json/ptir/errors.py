"""What can be wrong with PTIR as JSON beside what can be with any form. Codes of `json_text.errors`."""

from __future__ import annotations

from ....errors import SourceError


class WrongVersion(SourceError):
    """A program of another version of the contract."""

    code = "PTIR0642"
    template = "spec_version is '{got}', and '{want}' is read here"
    hint = "export the program again, from a producer of {want}"


class NotReadYet(SourceError):
    """A legal part of a program that has no counterpart in the dialect, or unfolds to too much."""

    code = "PTIR0648"
    hint = "{help}"
