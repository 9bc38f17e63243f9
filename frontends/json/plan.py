"""
A Schedule Plan as JSON: the fields of `#plan.schedule<{…}>`. `Schedule.to_json` writes it.

Spec: `tensor-compiler.ja §1.7`, `§12.5`.
"""

from __future__ import annotations

from ...dialects.plan.schedule import Schedule
from .common.decoding import Form, decode

_FORM = Form(Schedule, 'a plan is an object: {"arch": "sm80", "tile": [128, 64, 64], …}')


def read_plan(text: str, name: str = "<plan>") -> Schedule:
    """The plan that `text`, of the file `name`, is. Raises `SourceError` with the place of the field at fault."""
    plan, _ = decode(text, name, _FORM)
    return plan
