"""Reads the input of a tool, and writes its output. A file is written only if there were no errors."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO

from ..passes.errors import Unwritable
from ..text.errors import Unreadable
from ..text.sources import read_source, read_stream

STDOUT = (None, "-", "/dev/stdout")


def read_input(path: str | None, mebibytes: int) -> str:
    """Returns the text of a file, or of standard input for None or `-`. Raises `TooLarge` if it exceeds `mebibytes` MiB."""
    if path not in (None, "-"):
        return read_source(path, mebibytes << 20)
    try:
        return read_stream(sys.stdin.buffer, "<stdin>", mebibytes << 20)
    except OSError as e:
        raise Unreadable(path="<stdin>", reason=e.strerror or str(e)) from e


def shown(path: str | None) -> str:
    """Returns the name of an input for messages and locations. Bytes of a file name that are not UTF-8 are escaped."""
    return "<stdin>" if path in (None, "-") else os.fsencode(path).decode("utf-8", "backslashreplace")


@dataclass
class Output:
    """
    The output to `path`, or to standard output for None or `-`.

    `commit` replaces the file atomically and keeps its mode; symbolic links are followed. Devices and pipes are written directly.
    Raises `Unwritable`: at construction if `path` is a directory or read-only, otherwise on writing.
    """

    path: str | None
    _data: BytesIO = field(default_factory=BytesIO)

    def __post_init__(self) -> None:
        if self.path in STDOUT:
            return
        if os.path.isdir(self.path):
            raise Unwritable(path=self.path, reason="it is a directory")
        if os.path.exists(self.path) and not os.access(self.path, os.W_OK):
            raise Unwritable(path=self.path, reason="Permission denied")

    def write(self, data: str | bytes) -> None:
        """Appends to the output."""
        if self.path not in STDOUT:
            self._data.write(data if isinstance(data, bytes) else data.encode("utf-8", "backslashreplace"))
            return
        try:
            if isinstance(data, bytes):
                sys.stdout.buffer.write(data)
            else:
                sys.stdout.write(data)
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as e:
            raise Unwritable(path="<stdout>", reason=e.strerror or str(e)) from e

    def commit(self) -> None:
        """Writes the file."""
        if self.path in STDOUT:
            return
        try:
            if os.path.exists(self.path) and not os.path.isfile(self.path):
                with open(self.path, "wb") as f:
                    f.write(self._data.getbuffer())
            else:
                _replace(os.path.realpath(self.path), self._data.getbuffer())
        except (OSError, ValueError) as e:  # ValueError: a NUL in the name
            raise Unwritable(path=self.path, reason=getattr(e, "strerror", None) or str(e)) from e


def write_file(path: str, data: str | bytes) -> None:
    """Writes a file as `Output` does. Raises `Unwritable`."""
    output = Output(path)
    output.write(data)
    output.commit()


def numbered(path: str, number: int) -> str:
    """Returns a distinct file name for each piece of the input: `r.mlir`, `r.1.mlir`, `r.2.mlir`."""
    if number == 0 or path in STDOUT or (os.path.exists(path) and not os.path.isfile(path)):
        return path
    stem, suffix = os.path.splitext(path)
    return f"{stem}.{number}{suffix}"


def _replace(path: str, data: memoryview) -> None:
    temporary = os.path.join(os.path.dirname(path), f".ptir-{os.getpid()}-{id(data):x}.tmp")
    with open(temporary, "xb") as f:
        try:
            f.write(data)
            f.flush()
            if os.path.exists(path):
                os.chmod(temporary, os.stat(path).st_mode & 0o7777)
            os.replace(temporary, path)
        finally:
            with suppress(OSError):
                os.unlink(temporary)
