"""Errors of the tuner."""

from __future__ import annotations

from ..errors import PtirError, SourceError


class NotATunedFile(PtirError):
    """A file of tuned plans cannot be opened, was made by something else, or is damaged."""

    code = "PTIR0310"
    template = "{path}: {problem}"
    hint = "{help}"


class ExecutorUnavailable(PtirError):
    """The tuner cannot run its trials where it was asked to."""

    code = "PTIR0311"
    template = "--executor={name}: {problem}"
    hint = "{help}"


class NothingToTune(PtirError):
    """A program has no kernel that could be tuned."""

    code = "PTIR0312"
    template = "nothing to tune: {problem}"
    hint = "{help}"


class InvalidTunedText(SourceError):
    """A text with tuned plans has a value that no tuned plan can have."""

    code = "PTIR0313"
    template = "{problem}"
    hint = "{help}"
