"""Source texts: reads them with a size limit, decodes and splits them, and attaches them to locations."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO

from xdsl.dialects.builtin import StringAttr
from xdsl.utils.lexer import Input, Span

from .errors import NotText, TooLarge, Unreadable

DEFAULT_MAX_BYTES = 1 << 30
"""Default of `--max-input-size`, in bytes (1024 MiB)."""

_BLOCK = 1 << 20


def read_source(path: str | Path, max_bytes: int = DEFAULT_MAX_BYTES) -> str:
    """Returns the text of a file. Raises `Unreadable`, `NotText`, or, if it has more than `max_bytes`, `TooLarge`."""
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            if stat.S_ISREG(status.st_mode) and status.st_size > max_bytes:
                raise TooLarge(path=path, size=_mebibytes(status.st_size), limit=_mebibytes(max_bytes))
            return read_stream(file, str(path), max_bytes)
    except OSError as e:
        raise Unreadable(path=path, reason=e.strerror or str(e)) from e
    except ValueError as e:  # a NUL in the file name
        raise Unreadable(path=path, reason=str(e)) from e


def read_stream(stream: IO[bytes], name: str, max_bytes: int = DEFAULT_MAX_BYTES) -> str:
    """Returns the text of an open file, such as standard input. Raises `NotText`, or `TooLarge` after `max_bytes`."""
    data = bytearray()
    while block := stream.read(_BLOCK):
        data += block
        if len(data) > max_bytes:
            raise TooLarge(path=name, size=f"more than {_mebibytes(max_bytes)}", limit=_mebibytes(max_bytes))
        if b"\0" in block:
            break  # this is not text, and the stream may be endless, such as /dev/zero
    return decode_source(data, name)


def decode_source(data: bytes | bytearray, name: str) -> str:
    """Decodes the bytes of a text. Raises `NotText` at the first invalid byte. A byte order mark is skipped."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        reason = f"{e.reason} 0x{data[e.start]:02x}" if e.start < len(data) else e.reason
        raise NotText(Span(e.start, e.start + 1, Input(bytes(data), name)), path=name, reason=reason) from e
    if (nul := text.find("\0")) >= 0:
        raise NotText(Span(nul, nul + 1, Input(text, name)), path=name, reason="it contains a NUL")
    return text.removeprefix("\ufeff")


def _mebibytes(size: int) -> str:
    return f"{size / (1 << 20):.6g} MiB"


# --- splitting ----------------------------------------------------------------------------------

SEPARATOR = "// -----"


@dataclass(frozen=True)
class Chunk:
    """A part of a file, and the number of its first line."""

    text: str
    first_line: int


def split_input(text: str) -> list[Chunk]:
    """
    Splits a text at lines that are `// -----`, with or without trailing blanks.

    Such a line cannot be in a string, since IR strings do not span lines.

    >>> [chunk.first_line for chunk in split_input("a\\n// -----\\nb\\n")]
    [1, 3]
    """
    chunks: list[Chunk] = []
    lines: list[str] = []
    first = 1
    for number, line in enumerate(text.split("\n"), start=1):
        if line.rstrip() == SEPARATOR:
            chunks.append(Chunk("".join(f"{kept}\n" for kept in lines), first))
            lines, first = [], number + 1
        else:
            lines.append(line)
    chunks.append(Chunk("\n".join(lines), first))
    return chunks


_NEAR_SEPARATOR = re.compile(r"^[ \t]*//[ \t]*-{4,6}[ \t\r]*$", re.MULTILINE)


def near_separators(text: str) -> Iterator[Span[str]]:
    """
    Yields comments that resemble a separator of `split_input` but are not one, such as `//-----` and `// ----`.

    >>> [span.text for span in near_separators("a\\n// -----\\nb\\n//-----\\n")]
    ['//-----']
    """
    source = Input(text, "")
    for match in _NEAR_SEPARATOR.finditer(text):
        if match.group().rstrip() != SEPARATOR:
            yield Span(match.start(), match.end(), source)


# --- texts by location --------------------------------------------------------------------------


class Source:
    """A text that locations refer to. It is split into lines once, at the first use."""

    def __init__(self, text: str):
        self._text = text

    @cached_property
    def _lines(self) -> list[str]:
        return self._text.split("\n")

    def line(self, number: int) -> str | None:
        """Returns a line, counted from 1, or None if there is none."""
        return self._lines[number - 1].rstrip("\r") if 0 < number <= len(self._lines) else None


_SOURCE = "_ptir_source"


def file_name(source: Input[str]) -> StringAttr:
    """
    Returns the file name for the locations in a text, with a reference to the text. Diagnostics can then show its lines as long
    as an operation from it exists, and no global table of texts is needed.
    """
    name = StringAttr(source.name)
    object.__setattr__(name, _SOURCE, Source(source.content))
    return name


def source_of(name: StringAttr) -> Source | None:
    """Returns the text that `file_name` attached to a name, or None."""
    return getattr(name, _SOURCE, None)
