"""
Reads a Schedule Plan from JSON, whose fields are those of `#plan.schedule<{…}>`. `Schedule.to_json` writes it.

Spec: `tensor-compiler.ja §1.7`, `§12.5`.
"""

from __future__ import annotations

from ...dialects.plan.schedule import Schedule
from .common.decoding import Form, decode

_FORM = Form(Schedule, 'a plan is an object: {"arch": "sm80", "tile": [128, 64, 64], …}')


def read_plan(text: str, name: str = "<plan>") -> Schedule:
    """Reads a plan from `text`, the content of the file `name`. Raises `SourceError` at the invalid field."""
    plan, _ = decode(text, name, _FORM)
    return plan
