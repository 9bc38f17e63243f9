"""
An on-disk cache of values by key, one file per value.

A value is written to a temporary file and renamed, so that concurrent processes and `kill -9` never leave a partial
entry. A hash of the key and the value precedes the value, so that damage is detected on reading. The least recently used
files are evicted when the total size exceeds `limit`. A cache that cannot be written is not an error.
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
"""Number of bytes of the hash before a value."""
_ABANDONED = 3600
"""Age at which a temporary file is deleted, in seconds: the process that wrote it is probably dead."""
_SLACK = 0.8
"""The fraction of the limit to which an eviction reduces the cache, so that not every write evicts."""


@dataclass(frozen=True)
class DiskCache:
    """A cache in one folder; `limit` is in bytes."""

    folder: Path
    limit: int

    def get(self, key: str) -> bytes | None:
        """Returns the value, or None if it is absent or damaged."""
        path = self._path(key)
        try:
            if not path.is_file():  # a pipe or a device would block, or never end
                return None
            data = path.read_bytes()
        except OSError:
            return None
        value = data[_HASH:]
        if _seal(path, value) != data[:_HASH]:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # the time of last use orders evictions
        return value

    def put(self, key: str, value: bytes) -> None:
        """Stores a value atomically, then evicts others if necessary."""
        path = self._path(key)
        temporary = ""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
                temporary = file.name
                file.write(_seal(path, value) + value)
            os.replace(temporary, path)
        except OSError:  # e.g. a full disk
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            return
        _unscanned[self.folder] = _unscanned.get(self.folder, self.limit) + len(value)
        if _unscanned[self.folder] * _SCANS >= self.limit:
            with contextlib.suppress(OSError):
                self._evict()
            _unscanned[self.folder] = 0

    def _path(self, key: str) -> Path:
        name = hashlib.sha256(key.encode()).hexdigest()
        return self.folder / name[:2] / name

    def _evict(self) -> None:
        """Deletes the least recently used files until the rest fits, and temporary files of dead processes."""
        used: list[tuple[float, int, str]] = []
        for entry in [e for part in os.scandir(self.folder) if part.is_dir() for e in os.scandir(part)]:
            with contextlib.suppress(OSError):  # another process may have deleted it
                status = entry.stat()
                used.append((status.st_mtime, status.st_size, entry.path))
        total = sum(size for _, size, _ in used)
        target = self.limit if total <= self.limit else int(_SLACK * self.limit)
        now = time.time()
        for modified, size, path in sorted(used):
            abandoned = os.path.basename(path).startswith(".") and now - modified > _ABANDONED
            if abandoned or total > target:
                with contextlib.suppress(OSError):
                    os.unlink(path)
                total -= size


_SCANS = 32
"""
A process scans a folder after its first write, and again after each 1/32 of the limit that it has written, because a scan takes as
long as a compilation.
"""
_unscanned: dict[Path, int] = {}
"""The bytes that this process has written to each folder since its last scan."""


def _seal(path: Path, value: bytes) -> bytes:
    """Returns the hash of a file's name (which is a hash of the key) and its value."""
    return hashlib.sha256(path.name.encode() + value).digest()
