"""Mutants that no candidate can tell from the intent, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping

EQUIVALENT: Mapping[str, str] = {}
"""From `intent: mutation` to the reason."""
