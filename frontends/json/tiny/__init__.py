"""
Tiny programs as JSON: the spec's form of the smallest vocabulary, in and out.

`import_json` makes a module of a text, `export_json` a text of a module. `docs/tiny_json.md` describes the form.
Spec: `tensor-compiler.ja §1.2`, `§12.1`.
"""

from __future__ import annotations

from .program import json_schema as json_schema
from .reading import import_json as import_json
from .writing import export_json as export_json
