"""
IntentIR's JSON: a function with named tensors, a list of ops, and what is said about it.

`import_json` and `export_json` convert between a text and a module; `docs/intent.md` describes the form.
Spec: `intentir-semantics.md`.
"""

from __future__ import annotations

from .program import json_schema as json_schema
from .reading import import_json as import_json
from .writing import export_json as export_json
