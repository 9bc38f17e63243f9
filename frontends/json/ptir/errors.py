"""Errors of PTIR JSON only. The codes are in the range of `common.errors`."""

from __future__ import annotations

from ....errors import SourceError


class WrongVersion(SourceError):
    """A program of an unsupported version of the contract."""

    code = "PTIR0642"
    template = "spec_version is '{got}', but only '{want}' can be read"
    hint = "export the program again, from a producer of {want}"


class NotReadYet(SourceError):
    """A legal part of a program that the dialect cannot express, or that expands to too many ops."""

    code = "PTIR0648"
    hint = "{help}"
