"""`--debug`: what ptir's rooms log while they work, with the place in the program."""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Generator
from contextlib import contextmanager
from typing import IO

from xdsl.ir import Operation

from .diagnostics import place_of


class DebugLog(logging.Handler):
    """
    Writes debug messages of this thread to `out` as they come:

        m.mlir:3:8: debug[fusion]: the contraction is read at 2 different indices of one root

    `only` are the modules listened to, by the last part of their name; none means all.
    """

    def __init__(self, out: IO[str], only: Collection[str] = ()):
        super().__init__(logging.DEBUG)
        self._out = out
        self._only = only
        self._thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        name = record.name.rpartition(".")[2]
        if record.levelno != logging.DEBUG or record.thread != self._thread or (self._only and name not in self._only):
            return
        op = getattr(record, "op", None)
        place = place_of(op) if isinstance(op, Operation) else None
        self._out.write(f"{f'{place}: ' if place else ''}debug[{name}]: {record.getMessage()}\n")

    @contextmanager
    def attached(self) -> Generator[None]:
        """Listen for as long as the `with` lasts."""
        logger = logging.getLogger("ptir")
        level = logger.level
        logger.addHandler(self)
        logger.setLevel(logging.DEBUG)
        try:
            yield
        finally:
            logger.removeHandler(self)
            logger.setLevel(level)
