"""The targets by name."""

from __future__ import annotations

from ...errors import InvalidAttributeValue
from . import a2, a3, a5, sm80, sm90
from .machine import PtoMachine

MACHINES: dict[str, PtoMachine] = {m.name: m for m in (each.MACHINE for each in (a2, a3, a5, sm80, sm90))}


def machine_named(name: str) -> PtoMachine:
    """Returns the target of a name, or raises `InvalidAttributeValue`."""
    if name not in MACHINES:
        raise InvalidAttributeValue(name="target", problem=f"is '{name}'", help=f"one of {', '.join(MACHINES)}")
    return MACHINES[name]
