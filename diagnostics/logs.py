"""Listeners to the `ptir` logger. Each listens to one thread; any number can be attached at the same time."""

from __future__ import annotations

import logging
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import ClassVar, Self

LOGGER = logging.getLogger("ptir")


class Listener(logging.Handler):
    """Handles the messages of at least `level` that the thread that attached it sends to the `ptir` logger."""

    _lock: ClassVar[threading.Lock] = threading.Lock()
    _attached: ClassVar[list[Listener]] = []
    _before: ClassVar[int] = logging.NOTSET
    """The level that the logger had before the first listener was attached."""

    _thread: int | None = None

    @contextmanager
    def attached(self) -> Generator[Self]:
        """Attaches the listener for the duration of the block."""
        self._thread = threading.get_ident()
        with Listener._lock:
            if not Listener._attached:
                Listener._before = LOGGER.level
            Listener._attached.append(self)
            LOGGER.addHandler(self)
            _set_level()
        try:
            yield self
        finally:
            with Listener._lock:
                Listener._attached.remove(self)
                LOGGER.removeHandler(self)
                _set_level()

    def filter(self, record: logging.LogRecord) -> bool:
        return record.thread == self._thread and super().filter(record)


def _set_level() -> None:
    """Sets the logger's level to the minimum of its own level and the levels of the listeners."""
    LOGGER.setLevel(Listener._before)  # pyright: ignore[reportPrivateUsage]
    if listeners := Listener._attached:  # pyright: ignore[reportPrivateUsage]
        LOGGER.setLevel(min(LOGGER.getEffectiveLevel(), *(listener.level for listener in listeners)))
