"""
Runs trials in a process of their own, because a candidate may crash or hang the process that compiles or runs it.

A child reads requests from its standard input and writes outcomes to its standard output: JSON, preceded by its length in eight bytes. It
ends when its input ends, and so does not outlive its parent, even if that is killed. Each thread that calls `run_isolated` has a child,
which is replaced when it has crashed, or was killed because it did not answer in time. Messages hold data only.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import IO

import msgspec

from .trial import Outcome, Task, run

COMMAND = (sys.executable, "-m", "ptir.tuning.child")
_LENGTH = 8


class Child:
    """A process that runs trials, one after the other; it is started at the first one."""

    def __init__(self, command: Sequence[str] = COMMAND):
        self.command = command
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, task: Task, limit: float) -> Outcome:
        """Returns the outcome of a trial; `crashed` or `hung` if the process ends, or does not answer within `limit` seconds."""
        if self._process is None:
            self._process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            _started.add(self)
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        try:
            write(process.stdin, msgspec.json.encode(task))
            answer = read(process.stdout, time.monotonic() + limit)
            return msgspec.json.decode(answer, type=Outcome)
        except TimeoutError:
            self.close()
            return Outcome(word="hung", reason=f"no answer within {limit:g} seconds")
        except (OSError, EOFError, msgspec.MsgspecError):
            self.close()  # does not change the status of a process that has ended
            return Outcome(word="crashed", reason=_end(process.returncode))
        except BaseException:  # such as an interrupt: the answer that is on its way belongs to no later request
            self.close()
            raise

    def close(self) -> None:
        """Ends the process."""
        process, self._process = self._process, None
        _started.discard(self)
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()


def _end(status: int) -> str:
    if status >= 0:
        return f"the process ended with status {status}"
    try:
        return f"the process was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"the process was ended by signal {-status}"


class _OfThread(threading.local):
    """The child of a thread."""

    def __init__(self) -> None:
        self.child = Child()


_own = _OfThread()
_started: set[Child] = set()
"""The children whose process has been started and not ended."""


def end_children() -> None:
    """Ends all children of this process. Their threads then return `crashed`."""
    for child in tuple(_started):
        if (process := child._process) is not None:  # pyright: ignore[reportPrivateUsage]
            process.kill()


def run_isolated(task: Task, limit: float) -> Outcome:
    """Runs a trial in this thread's child process."""
    return _own.child.run(task, limit)


def write(stream: IO[bytes], data: bytes) -> None:
    stream.write(len(data).to_bytes(_LENGTH, "little") + data)
    stream.flush()


def read(stream: IO[bytes], deadline: float | None = None) -> bytes:
    """Returns the next message. Raises `EOFError` at the end, `TimeoutError` after the deadline (of `time.monotonic`)."""
    return _exactly(stream.fileno(), int.from_bytes(_exactly(stream.fileno(), _LENGTH, deadline), "little"), deadline)


def _exactly(descriptor: int, size: int, deadline: float | None) -> bytes:
    data = bytearray()
    while len(data) < size:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        if not select.select([descriptor], [], [], left)[0]:
            raise TimeoutError
        part = os.read(descriptor, min(size - len(data), 1 << 20))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def serve() -> None:
    """Answers requests until the input ends."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a trial prints is no answer
        while True:
            try:
                request = read(sys.stdin.buffer)
            except EOFError:
                return
            write(answers, msgspec.json.encode(run(msgspec.json.decode(request, type=Task))))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the parent, which then closes the input
    serve()
