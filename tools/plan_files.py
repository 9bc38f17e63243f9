"""The files of plans that a command line names."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext

from .output import read_input, shown


def plans_in(paths: Iterable[str], for_all: str | None, mebibytes: int) -> AbstractContextManager[None]:
    """
    Reads the files of plans `paths`, and `for_all`, which is for all runs of `plan-regions`. Returns the context manager in which
    passes find them. Raises `SourceError`, and `TooLarge` if a file exceeds `mebibytes` MiB.
    """
    named = {path: path for path in paths}
    if not named and for_all is None:
        return nullcontext()
    from ..frontends.plan_files import read_plans
    from ..planning.given import FOR_ALL, given_plans

    if for_all is not None:
        named |= {for_all: for_all, FOR_ALL: for_all}
    return given_plans({key: read_plans(read_input(path, mebibytes), shown(path)) for key, path in named.items()})
