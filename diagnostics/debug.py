"""`--debug`: prints the debug messages of ptir's packages with their locations in the program."""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import IO

from xdsl.ir import Operation

from .diagnostic import place_of
from .logs import Listener


class DebugLog(Listener):
    """
    Writes debug messages of this thread to `out`:

        m.mlir:3:8: debug[fusion]: this contraction is stored, not fused: it is read at 2 different indices of one root

    If `only` is not empty, messages of other Python modules are dropped; a module is named by its last component (`fusion`).
    """

    def __init__(self, out: IO[str], only: Collection[str] = ()):
        super().__init__(logging.DEBUG)
        self._out = out
        self._only = only

    def emit(self, record: logging.LogRecord) -> None:
        name = record.name.rpartition(".")[2]
        if record.levelno != logging.DEBUG or (self._only and name not in self._only):
            return
        op = getattr(record, "op", None)
        place = place_of(op) if isinstance(op, Operation) else None
        self._out.write(f"{f'{place}: ' if place else ''}debug[{name}]: {record.getMessage()}\n")
