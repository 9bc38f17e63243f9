"""
Arrays of an npz file, which may be damaged or lie: of each array its header is read and judged before anything is allocated,
and no more is read than the header says.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from ..semantics.arrays.scalars import Array
from .errors import BadInputs

HEADER = 1 << 14
"""What holds the header of any array of numbers; NumPy reads no longer one."""
F8E5M2 = b"'<f1'"
"""What NumPy writes for that type of ml_dtypes, and does not read."""


class Npz:
    """An open npz file. Everything raises `BadInputs` that names the file, and the array at fault."""

    def __init__(self, path: Path):
        self.path = path
        with self._reading(f"cannot read {path}", "give an .npz file, as numpy.savez writes it"):
            if path.exists() and not path.is_file():
                raise OSError("it is no regular file")
            self._zip = zipfile.ZipFile(path)
        self._members = {info.filename.removesuffix(".npy"): info for info in self._zip.infolist()}

    def __enter__(self) -> Npz:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    @property
    def names(self) -> list[str]:
        return list(self._members)

    def array(self, name: str, judge: Callable[[tuple[int, ...], int], None]) -> Array:
        """One of `names`, if `judge` does not object to its shape and the bytes of an element."""
        info = self._members[name]
        damaged = "store the array again: the file is damaged, or no array of numbers"
        with self._reading(f"cannot read array '{name}' of {self.path}", damaged), self._zip.open(info) as stream:
            start = stream.read(HEADER)
            head = BytesIO(start.replace(F8E5M2, b"'|V1'", 1))
            shape, in_columns, dtype = _header(head)
            dtype = np.dtype(ml_dtypes.float8_e5m2) if F8E5M2 in start[: head.tell()] else dtype
            if dtype.hasobject:
                raise ValueError("its elements are Python objects")
            if min(shape, default=0) < 0:
                raise ValueError(f"its header says {dtype}{list(shape)}")
        judge(shape, dtype.itemsize)
        size = prod(shape) * dtype.itemsize
        with self._reading(f"cannot read array '{name}' of {self.path}", damaged), self._zip.open(info) as stream:
            stream.read(head.tell())
            data = bytearray(stream.read(size))
            if len(data) != size or stream.read(1):  # the last read also compares the checksum
                raise ValueError(f"its header says {dtype}{list(shape)}, and the file holds more or less")
            return np.frombuffer(data, dtype).reshape(shape, order="F" if in_columns else "C")

    @contextmanager
    def _reading(self, problem: str, help: str) -> Generator[None]:
        try:
            yield
        except Exception as e:  # zipfile, its decompressors and NumPy raise whatever damage leads them to
            reason = str(e).splitlines()[0] if str(e) else type(e).__name__
            raise BadInputs(problem=f"{problem}: {reason}", help=help) from e


def _header(head: BytesIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether in columns, and element type."""
    match np.lib.format.read_magic(head):
        case (1, 0):
            return np.lib.format.read_array_header_1_0(head)
        case (2, 0):
            return np.lib.format.read_array_header_2_0(head)
        case version:
            raise ValueError(f"it has version {version} of NumPy's format, and 1.0 and 2.0 are read")
