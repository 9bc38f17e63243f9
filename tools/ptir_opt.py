"""The command `ptir-opt`, which is implemented in `driver`."""

from __future__ import annotations

from collections.abc import Sequence

from .console import run_command


def main(argv: Sequence[str] | None = None) -> None:
    """Entry point of the command line. Never ends in a traceback without `--debug`."""
    run_command(_run, argv)


def _run(argv: Sequence[str]) -> int:
    from .driver import Driver

    return Driver(argv).run()


if __name__ == "__main__":
    main()
