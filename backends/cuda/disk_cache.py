"""
A cache on disk: values by key, each a file that is whole or not there.

A value is written to a temporary file and renamed, with a hash of itself and its key in front, so that neither a
second process nor a `kill -9` leaves half of one, and damage is seen when it is read. The least recently used go when the files
together pass `limit` bytes. A cache that cannot be written is no error.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

_HASH = 32
_ABANDONED = 3600
"""Seconds after which the temporary file of a process that died may go."""
_SLACK = 0.8
"""How full the cache is left by a clean-up, so that not every write is one."""


@dataclass(frozen=True)
class DiskCache:
    """The files of one folder; `limit` is in bytes."""

    folder: Path
    limit: int

    def get(self, key: str) -> bytes | None:
        """The value, or None where it is absent or damaged."""
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        value = data[_HASH:]
        if _seal(path, value) != data[:_HASH]:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # used just now
        return value

    def put(self, key: str, value: bytes) -> None:
        """Store a value, whole or not at all, and make room for it."""
        path = self._path(key)
        temporary = ""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
                temporary = file.name
                file.write(_seal(path, value) + value)
            os.replace(temporary, path)
        except OSError:  # a full disk leaves nothing behind
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            return
        with contextlib.suppress(OSError):
            self._clean_up()

    def _path(self, key: str) -> Path:
        name = hashlib.sha256(key.encode()).hexdigest()
        return self.folder / name[:2] / name

    def _clean_up(self) -> None:
        """Drop what was used longest ago until the rest fits, and what dead processes left behind."""
        used: list[tuple[float, int, str]] = []
        for entry in [e for part in os.scandir(self.folder) if part.is_dir() for e in os.scandir(part)]:
            with contextlib.suppress(OSError):  # another process may have dropped it
                status = entry.stat()
                used.append((status.st_mtime, status.st_size, entry.path))
        total = sum(size for _, size, _ in used)
        room = self.limit if total <= self.limit else int(_SLACK * self.limit)
        now = time.time()
        for modified, size, path in sorted(used):
            abandoned = os.path.basename(path).startswith(".") and now - modified > _ABANDONED
            if abandoned or total > room:
                with contextlib.suppress(OSError):
                    os.unlink(path)
                total -= size


def _seal(path: Path, value: bytes) -> bytes:
    """What stands in front of a value: it belongs to this key and is whole."""
    return hashlib.sha256(path.name.encode() + value).digest()
