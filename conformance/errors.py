"""Errors of certification."""

from __future__ import annotations

from ..errors import PtirError


class MixedTracks(PtirError):
    """Ops of several tracks are certified together, or an op computes with strict and with approximate floats."""

    code = "PTIR0597"
    template = "{problem}"
    hint = "{help}"


class UnknownSubject(PtirError):
    """An op that is to be certified, or an input of it, is not one that there is."""

    code = "PTIR0598"
    template = "{problem}"
    hint = "{help}"


class MissingOracle(PtirError):
    """A library that an oracle computes with is not installed."""

    code = "PTIR0599"
    template = "correct rounding cannot be judged: {problem}"
    hint = "pip install ptir[conform]"
