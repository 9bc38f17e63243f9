"""CPU time, which other load on the machine disturbs less than wall-clock time."""

from __future__ import annotations

import resource


def cpu_seconds() -> float:
    """Returns the user and system time of this process and of the children it has waited for, in seconds."""
    return _seconds(resource.RUSAGE_SELF) + children_seconds()


def children_seconds() -> float:
    """Returns the user and system time of the children that this process has waited for, in seconds."""
    return _seconds(resource.RUSAGE_CHILDREN)


def _seconds(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime
