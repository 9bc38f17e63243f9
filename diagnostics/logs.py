"""Listening to what ptir's rooms log: any number of listeners side by side, each to a thread of its own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import ClassVar, Self

LOGGER = logging.getLogger("ptir")


class Listener(logging.Handler):
    """Hears what the thread that attaches it logs on the `ptir` logger, from `level` up."""

    _lock: ClassVar[threading.Lock] = threading.Lock()
    _attached: ClassVar[list[Listener]] = []
    _before: ClassVar[int] = logging.NOTSET
    """The logger's own level, set aside while there are listeners."""

    _thread: int | None = None

    @contextmanager
    def attached(self) -> Generator[Self]:
        """Listen for as long as the `with` lasts."""
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
    """As low as its own level, or lower where a listener asks for it."""
    LOGGER.setLevel(Listener._before)  # pyright: ignore[reportPrivateUsage]
    if listeners := Listener._attached:  # pyright: ignore[reportPrivateUsage]
        LOGGER.setLevel(min(LOGGER.getEffectiveLevel(), *(listener.level for listener in listeners)))
