"""a3: two of the dies of a2; a core is the same."""

from __future__ import annotations

from dataclasses import replace

from . import a2

MACHINE = replace(a2.MACHINE, name="a3")
