"""
A command as a process: its standard streams, its exit status, and never a traceback.

Nothing of the package is imported before `run_command` stands guard: an interrupt while xDSL loads is an interrupt
like any other.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import TextIOWrapper
from typing import cast

INTERRUPTED = 130


def run_command(command: Callable[[Sequence[str]], int], argv: Sequence[str] | None = None) -> None:
    """Run `command` on `argv`, or the process's arguments; anything but success ends in `SystemExit`."""
    argv = sys.argv[1:] if argv is None else list(argv)
    status = 1
    try:
        _mend_streams()
        status = _status(command, argv)
        if not status:
            _flush()
    except BrokenPipeError:  # the reader has gone
        status = 1
    except KeyboardInterrupt:
        status = INTERRUPTED
    except BaseException as error:  # xDSL has an error that is no `Exception`
        status = 1
        _report(error, traceback=any(arg.lstrip("-") in ("debug", "debug=true", "debug=1") for arg in argv))
    if status:
        _discard_output()
        sys.exit(status)


def _status(command: Callable[[Sequence[str]], int], argv: Sequence[str]) -> int:
    try:
        return command(argv)
    except SystemExit as e:  # argparse, after --help and after an error
        return e.code if isinstance(e.code, int) else int(e.code is not None)


def _report(error: BaseException, *, traceback: bool) -> None:
    from ..diagnostics.rendering import render_error, wants_color

    if traceback:
        from traceback import print_exception

        print_exception(error)
    sys.stderr.write(render_error(error, color=wants_color(sys.stderr)))


# --- streams ------------------------------------------------------------------------------------


def _mend_streams() -> None:
    """
    Text goes out whatever is in it: names of files need not be UTF-8. The result is UTF-8 in every locale, as IR is.

    Python has None for a stream that was closed, and gives its number to the next file opened. What stands in
    for it fails as a closed stream does, but for stderr: success is success when nobody wants to read about it.
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
    """Where stdout cannot be written, keep the interpreter from trying it again, and complaining, at exit."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
