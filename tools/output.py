"""Where a tool's result goes: standard output at once, or a file that appears only when all went well."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from io import StringIO

from ..passes.errors import Unwritable


@dataclass
class Output:
    """Standard output, or a file that appears only when all went well."""

    path: str | None
    _text: StringIO = field(default_factory=StringIO)

    def write(self, text: str) -> None:
        """Add to the result."""
        if self.path in (None, "-"):
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            self._text.write(text)

    def commit(self) -> None:
        """All went well: make the file appear. Raises `Unwritable`."""
        if self.path is None or self.path == "-":
            return
        try:
            if os.path.exists(self.path) and not os.path.isfile(self.path):
                # /dev/null, a pipe: nothing to replace.
                with open(self.path, "w", encoding="utf-8") as f:
                    f.write(self._text.getvalue())
                return
            _replace(os.path.realpath(self.path), self._text.getvalue())
        except OSError as e:
            raise Unwritable(path=self.path, reason=e.strerror or str(e)) from e


def _replace(path: str, text: str) -> None:
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "x", encoding="utf-8") as f:
            f.write(text)
        if os.path.exists(path):
            os.chmod(temporary, os.stat(path).st_mode & 0o7777)
        os.replace(temporary, path)
    finally:
        with suppress(OSError):
            os.unlink(temporary)
