"""Text → program of this version of the contract, or an error at its place in the text."""

from __future__ import annotations

import msgspec

from ....dialects.ptir.module import SPEC_VERSION
from ..common.decoding import Form
from ..common.decoding import decode as decode_form
from ..common.places import Places
from .errors import WrongVersion
from .program import Program, Version
from .table import PAYLOADS, UNITS


def decode(text: str, name: str) -> tuple[Program, Places]:
    """The program that `text` is, and where its parts stand. Raises `SourceError`."""
    return decode_form(text, name, _FORM)


def _wrong_version(text: str, places: Places) -> WrongVersion | None:
    try:
        version = msgspec.json.decode(text, type=Version).spec_version
    except (msgspec.DecodeError, RecursionError):
        return None
    if version == SPEC_VERSION:
        return None
    return WrongVersion(places.span(["spec_version"]), got=version, want=SPEC_VERSION)


def _meant(word: str) -> str:
    if word in UNITS:
        return f'an operation without fields is a word: "op": "{word}"'
    if word in PAYLOADS:
        return f'an operation with fields is an object: "op": {{"{word}": …}}'
    return ""


_FORM = Form(Program, "a program is JSON; IR is read by --export-json", _meant, _wrong_version)
