"""What all tests of a process share."""

from __future__ import annotations

import gc

import pytest


def pytest_collection_finish(session: pytest.Session) -> None:
    """Thousands of collected tests and the modules they import live until the end: Python need not look at them again and again."""
    gc.collect()
    gc.freeze()
