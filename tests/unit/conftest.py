"""Settings of all unit tests, and the selection of the cases that run."""

from __future__ import annotations

import gc
import os
from collections import Counter
from zlib import crc32

import hypothesis
import pytest

from .builders.amount import QUICK, THINNING, WHOLE, examples

OF_KERNELS = ("runtime", "transforms", "emulator", "planning", "backends")
"""Folders whose tests compile and emulate kernels, which takes most of the time."""

# The user's tuned plans would change kernels.
os.environ["PTIR_TUNED"] = ""

# As rare as in the tools: with Python's thresholds, collections take 6% of the time.
gc.set_threshold(100_000, 20, 20)

# Every run draws the same examples, without a deadline.
hypothesis.settings.register_profile("gate", max_examples=examples(100), derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("gate")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """
    Selects the cases to run. By default (`make test`), these are all of a test marked `sampled(1)`, one of `n * THINNING` of a
    test marked `sampled(n)`, one of two of other tests of kernels, and none of a test marked `campaign`. The first one depends on the
    test's name. With `PTIR_QUICK` in the environment, they are the first case of each test, and none of a sampled test; with
    `PTIR_WHOLE`, all cases. A case that is named on the command line always runs.
    """
    if WHOLE or config.option.keyword or any("::" in word for word in config.args):
        return
    seen: Counter[str] = Counter()
    cases = Counter(item.nodeid.partition("[")[0] for item in items)

    def runs(item: pytest.Item) -> bool:
        if item.get_closest_marker("campaign") is not None:
            return False
        mark, test = item.get_closest_marker("sampled"), item.nodeid.partition("[")[0]
        index, seen[test] = seen[test], seen[test] + 1
        if QUICK:
            return mark is None and index == 0
        if mark is None:
            step = 2 if item.path.parent.name in OF_KERNELS else 1
        else:
            step = 1 if mark.args[0] == 1 else mark.args[0] * THINNING
        return index % step == crc32(test.encode()) % min(step, cases[test])

    selected = [item for item in items if runs(item)]
    chosen = set(selected)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = selected


def pytest_collection_finish(session: pytest.Session) -> None:
    """Excludes the collected tests and imported modules from garbage collection, because they live until the end."""
    gc.collect()
    gc.freeze()
