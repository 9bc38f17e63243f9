"""Processes that run trials: one crashes, one hangs, one answers nonsense; the next trial gets a new one."""

from __future__ import annotations

import sys

import pytest

from ptir.tuning.child import Child
from ptir.tuning.trial import Task

PROTOCOL = """
import os, signal, sys, time
def read(n):
    data = b""
    while len(data) < n:
        part = os.read(0, n - len(data))
        if not part:
            sys.exit(0)
        data += part
    return data
while True:
    request = read(int.from_bytes(read(8), "little"))
    if b"crash" in request: os.kill(os.getpid(), signal.SIGSEGV)
    if b"leave" in request: os._exit(3)
    if b"hang" in request: time.sleep(1000)
    answer = b"no JSON" if b"nonsense" in request else b'{"word": "measured", "reason": "%d", "seconds": 1.0}' % os.getpid()
    os.write(1, len(answer).to_bytes(8, "little") + answer)
"""
CASES = {
    "crash": ("crashed", "the process was ended by SIGSEGV"),
    "leave": ("crashed", "the process ended with status 3"),
    "hang": ("hung", "no answer within 0.3 seconds"),
    "nonsense": ("crashed", "the process was ended by SIGKILL"),
}


def task(text: str) -> Task:
    return Task(kernel=text, plan="{}", machine="a100", how="model", estimate=1.0)


def test_a_child_is_replaced_when_it_fails_and_only_then():
    child = Child([sys.executable, "-S", "-c", PROTOCOL])
    first = child.run(task("fine"), 30)
    assert first.word == "measured" and child.run(task("fine"), 30) == first
    for what, (word, reason) in CASES.items():
        outcome = child.run(task(what), 0.3 if what == "hang" else 30)
        assert (outcome.word, outcome.reason, outcome.seconds) == (word, reason, None)
        following = child.run(task("fine"), 30)
        assert following.word == "measured" and following.reason != first.reason
        first = following
    child.close()


def test_a_child_ends_with_its_input():
    child = Child([sys.executable, "-S", "-c", PROTOCOL])
    child.run(task("fine"), 30)
    process = child._process  # pyright: ignore[reportPrivateUsage]
    assert process is not None and process.stdin is not None
    process.stdin.close()
    assert process.wait(30) == 0
    child.close()


@pytest.mark.campaign
def test_a_real_trial_runs_in_a_child():
    """A child imports the compiler, which takes a second."""
    child = Child()
    outcome = child.run(task("this is no kernel"), 60)
    assert outcome.word == "crashed"
    child.close()
