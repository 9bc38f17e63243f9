"""CPU time, which other load on the machine disturbs less than wall-clock time."""

from __future__ import annotations

import resource


def cpu_seconds() -> float:
    """Returns the user and system time of this process and of the children it has waited for, in seconds."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in used)
