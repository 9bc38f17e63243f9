"""What all tests of a process share, and which cases of a test the gate runs."""

from __future__ import annotations

import gc
import os
from collections import Counter

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """
    Of a test marked `sampled(n)` the gate runs every n-th case, of one marked `campaign` none; who asks for a case gets it,
    and with `PTIR_WHOLE` in the environment every case runs.
    """
    if "PTIR_WHOLE" in os.environ or config.option.keyword or any("::" in word for word in config.args):
        return
    seen: Counter[str] = Counter()
    left: list[pytest.Item] = []
    for item in items:
        if item.get_closest_marker("campaign") is not None:
            left.append(item)
        elif (mark := item.get_closest_marker("sampled")) is not None:
            test = item.nodeid.partition("[")[0]
            if seen[test] % mark.args[0]:
                left.append(item)
            seen[test] += 1
    dropped = set(left)
    items[:] = [item for item in items if item not in dropped]
    config.hook.pytest_deselected(items=left)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Thousands of collected tests and the modules they import live until the end: Python need not look at them again and again."""
    gc.collect()
    gc.freeze()
