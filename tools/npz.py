"""
Reads arrays from an npz file, which may be damaged or malicious: the header of each array is checked before memory is
allocated, and no more data is read than the header declares.
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
"""Maximum size of an array's header in bytes, as in NumPy."""
F8E5M2 = b"'<f1'"
"""NumPy's text for the type `ml_dtypes.float8_e5m2`, which NumPy writes but cannot read."""


class Npz:
    """An open npz file. Its methods raise `BadInputs`, which names the file and the array."""

    def __init__(self, path: Path):
        self.path = path
        with self._reading(f"cannot read {path}", "give an .npz file, as numpy.savez writes it"):
            if path.exists() and not path.is_file():
                raise OSError("it is not a regular file")
            self._zip = zipfile.ZipFile(path)
        self._members = {info.filename.removesuffix(".npy"): info for info in self._zip.infolist()}

    def __enter__(self) -> Npz:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    @property
    def names(self) -> list[str]:
        return list(self._members)

    def array(self, name: str, check: Callable[[tuple[int, ...], int], None]) -> Array:
        """Returns the array `name`. `check` is called with its shape and element size in bytes before it is read, and may raise."""
        info = self._members[name]
        problem = f"cannot read array '{name}' of {self.path}"
        help = "store the array again: the file is damaged, or not an array of numbers"
        with self._reading(problem, help), self._zip.open(info) as stream:
            start = stream.read(HEADER)
            head = BytesIO(start.replace(F8E5M2, b"'|V1'", 1))
            shape, in_columns, dtype = _header(head)
            dtype = np.dtype(ml_dtypes.float8_e5m2) if F8E5M2 in start[: head.tell()] else dtype
            if dtype.hasobject:
                raise ValueError("its elements are Python objects")
            if min(shape, default=0) < 0:
                raise ValueError(f"its header has the invalid type {dtype}{list(shape)}")
        check(shape, dtype.itemsize)
        size = prod(shape) * dtype.itemsize
        with self._reading(problem, help), self._zip.open(info) as stream:
            stream.read(head.tell())
            data = bytearray(stream.read(size))
            if len(data) != size or stream.read(1):  # the last read also compares the checksum
                raise ValueError(f"its header says {dtype}{list(shape)}, but its data has another size")
            return np.frombuffer(data, dtype).reshape(shape, order="F" if in_columns else "C")

    @contextmanager
    def _reading(self, problem: str, help: str) -> Generator[None]:
        try:
            yield
        except Exception as e:  # zipfile, its decompressors and NumPy raise many types for damaged files
            reason = str(e).splitlines()[0] if str(e) else type(e).__name__
            raise BadInputs(problem=f"{problem}: {reason}", help=help) from e


def _header(head: BytesIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Returns an array's shape, whether it is in column-major order, and its element type."""
    match np.lib.format.read_magic(head):
        case (1, 0):
            return np.lib.format.read_array_header_1_0(head)
        case (2, 0):
            return np.lib.format.read_array_header_2_0(head)
        case version:
            raise ValueError(f"it has version {version} of NumPy's format, and 1.0 and 2.0 are read")
