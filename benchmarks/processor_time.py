"""CPU time, which other load on the machine disturbs less than wall-clock time."""

from __future__ import annotations

import resource


def cpu_seconds() -> float:
    """User and system time of this process and of those it has waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in used)
