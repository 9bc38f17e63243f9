"""A rule that a plan must keep, as a row: tables of them are `rules.py` and `planning/warp_specialized/rules.py`."""

from __future__ import annotations

Rule = tuple[bool, str, str]
"""Whether it holds, what the plan does wrong, and what it must be."""


def asks(holds: bool, field: str, want: str) -> Rule:
    """A field that the lowering cannot honour."""
    return holds, f"{field} asks for what this lowering does not do", f"{field} must be: {want}"
