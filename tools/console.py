"""
Runs a command as a process: sets up its standard streams, reports exceptions as diagnostics, and sets its exit status.

The rest of the package is only imported inside `run_command`, so that an interrupt during the import of xDSL is handled too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import TextIOWrapper
from traceback import print_exception
from typing import cast

INTERRUPTED = 130
"""The exit status of a process that SIGINT ended: 128 + 2."""


def run_command(command: Callable[[Sequence[str]], int], argv: Sequence[str] | None = None) -> None:
    """Runs `command` on `argv`, by default the arguments of the process. Raises `SystemExit` unless it succeeds."""
    argv = sys.argv[1:] if argv is None else list(argv)
    status = 1
    try:
        _repair_streams()
        status = _status(command, argv)
        if not status:
            _flush()
    except BrokenPipeError:  # the reader has closed the pipe
        status = 1
    except KeyboardInterrupt:
        status = INTERRUPTED
    except BaseException as error:  # xDSL's parse errors of options are not `Exception`s
        from ..diagnostics.diagnostic import diagnose
        from ..diagnostics.rendering import report

        status = 1
        if any(arg.lstrip("-") in ("debug", "debug=true", "debug=1") for arg in argv):
            print_exception(error)
        report(diagnose(error))
    if status:
        _discard_output()
        sys.exit(status)


def _status(command: Callable[[Sequence[str]], int], argv: Sequence[str]) -> int:
    try:
        return command(argv)
    except SystemExit as e:  # argparse, after --help and after an error
        return e.code if isinstance(e.code, int) else int(e.code is not None)


# --- streams ------------------------------------------------------------------------------------


def _repair_streams() -> None:
    """
    Makes the standard streams accept any text, such as file names that are not UTF-8, and stdout write UTF-8 in every locale.

    If a stream was closed, Python sets it to None, and the next file that is opened gets its file descriptor. Such a stream is
    replaced: using stdin or stdout then fails as on a closed stream, and stderr discards what is written.
    """
    for name, flags, mode in (
        ("stdin", os.O_WRONLY, "r"),
        ("stdout", os.O_RDONLY, "w"),
        ("stderr", os.O_WRONLY, "w"),
    ):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.open(os.devnull, flags), mode, encoding="utf-8"))  # noqa: SIM115
    for stream, encoding in ((sys.stdout, "utf-8"), (sys.stderr, None)):
        if isinstance(stream, TextIOWrapper):
            cast(TextIOWrapper, stream).reconfigure(encoding=encoding, errors="backslashreplace")


def _flush() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as e:
        from ..passes.errors import Unwritable

        raise Unwritable(path="<stdout>", reason=e.strerror or str(e)) from e


def _discard_output() -> None:
    """Redirects stdout to the null device if it cannot be written, so that flushing it at exit does not fail."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
