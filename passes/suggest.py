"""'Did you mean': the names nearest to a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], *, count: int = 1) -> list[str]:
    """At most `count` of `known` that look like `name`, best first."""
    from difflib import get_close_matches  # only needed once something is wrong

    return get_close_matches(name, list(known), n=count, cutoff=0.5)


def did_you_mean(name: str, known: Iterable[str], *, count: int = 1, otherwise: str = "") -> str:
    """
    A help line.

    >>> did_you_mean("csee", ["cse", "dce"])
    "did you mean 'cse'?"
    """
    near = nearest(name, known, count=count)
    return "did you mean " + " or ".join(f"'{n}'" for n in near) + "?" if near else otherwise
