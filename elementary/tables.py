"""
The frozen tables and constants of the functions: `tables.txt`, which `python -m tests.elementary.tables` computes with 400 bits.

A paragraph of the file is a name and rows of binary64 numbers, as hexadecimal floating literals of C. A constant is a table of one row.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

FILE = Path(__file__).with_name("tables.txt")


@cache
def load() -> dict[str, npt.NDArray[np.float64]]:
    """Returns all tables by name, each as an array of rows and columns."""
    tables: dict[str, npt.NDArray[np.float64]] = {}
    for paragraph in FILE.read_text().split("\n\n"):
        name, *rows = paragraph.strip().splitlines()
        tables[name] = np.array([[float.fromhex(word) for word in row.split()] for row in rows])
    return tables


def constants(name: str) -> list[float]:
    """Returns the numbers of a table of one row."""
    (row,) = load()[name].tolist()
    return row


def constant(name: str) -> float:
    (value,) = constants(name)
    return value
