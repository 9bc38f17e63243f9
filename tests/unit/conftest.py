"""Settings of all unit tests, and the selection of those that run."""

from __future__ import annotations

import gc
import os
import subprocess
from collections import Counter
from pathlib import Path
from zlib import crc32

import hypothesis
import pytest
from hypothesis.internal.conjecture import providers

from .builders.amount import QUICK, THINNING, WHOLE, examples

OF_KERNELS = ("runtime", "transforms", "emulator", "planning", "backends")
"""Folders whose tests compile and emulate kernels, which takes most of the time."""
OF_CAMPAIGNS = (
    *("test_convolution_grid.py", "test_examples.py", "test_fuzz.py", "test_gpu_benchmark.py", "test_grid.py"),
    *("test_intent_verifier.py", "test_models.py", "test_mutation.py", "test_quality.py", "test_random_programs.py"),
)
"""Other files of such tests: parts of campaigns and of static measurements."""
ONE_OF = 20
"""The gate runs one of so many tests of kernels, others for each tree of files: what to raise when it takes too long."""
SAMPLED_ONE_OF = 5
"""The same for tests of kernels marked `sampled(n)`, of whose cases one runs."""
MANY = 8
"""Of a test of something else, every second case runs if there are so many."""

# The user's tuned plans would change kernels.
os.environ["PTIR_TUNED"] = ""

# As rare as in the tools: with Python's thresholds, collections take 6% of the time.
gc.set_threshold(100_000, 20, 20)

# Every run draws the same examples, without a deadline.
hypothesis.settings.register_profile("gate", max_examples=examples(100), derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("gate")
# Not with constants of whichever modules this process has imported, which are also slow to find.
providers.is_local_module_file = lambda path: False


def head() -> str:
    """Returns the tree of files of the commit that is checked out, or nothing where there is none."""
    command = ["git", "-c", "safe.directory=*", "-C", str(Path(__file__).parent), "rev-parse", "HEAD^{tree}"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


TREE = head()


def pytest_report_header() -> str:
    return f"one of {ONE_OF} tests of kernels, those of tree {TREE[:8] or '(none)'}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """
    Selects the tests to run. By default (`make test`), these are all cases of a test marked `sampled(1)`, one of `n * THINNING`
    of a test marked `sampled(n)`, of which one of `SAMPLED_ONE_OF` runs if it is of kernels, one of `ONE_OF` other tests of kernels,
    counting each case, half of the cases of others that have `MANY`, and none marked `campaign`. Which ones depends on the commit's
    files and the test's name, so that each commit runs others, and the same ones wherever it runs. With `PTIR_QUICK` in the
    environment, they are the first case of each test, and none of a sampled test; with `PTIR_WHOLE`, all tests. A test that is
    named on the command line always runs, and so do those of a file that is named, without the campaigns.
    """
    if WHOLE or config.option.keyword or any("::" in word for word in config.args):
        return
    named = all(word.endswith(".py") for word in config.args)
    seen: Counter[str] = Counter()
    cases = Counter(item.nodeid.partition("[")[0] for item in items)

    def runs(item: pytest.Item) -> bool:
        if named or item.get_closest_marker("campaign") is not None:
            return item.get_closest_marker("campaign") is None
        mark, test = item.get_closest_marker("sampled"), item.nodeid.partition("[")[0]
        index, seen[test] = seen[test], seen[test] + 1
        if QUICK:
            return mark is None and index == 0
        first = crc32((TREE + test).encode())
        of_kernels = item.path.parent.name in OF_KERNELS or item.path.name in OF_CAMPAIGNS
        if mark is None:
            return (index + first) % (ONE_OF if of_kernels else 1 if cases[test] < MANY else 2) == 0
        if mark.args[0] == 1:
            return True
        step = mark.args[0] * THINNING
        return index % step == first % min(step, cases[test]) and not (of_kernels and first // step % SAMPLED_ONE_OF)

    selected = [item for item in items if runs(item)]
    chosen = set(selected)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = selected


def pytest_collection_finish(session: pytest.Session) -> None:
    """Excludes the collected tests and imported modules from garbage collection, because they live until the end."""
    gc.collect()
    gc.freeze()
