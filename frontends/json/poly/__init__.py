"""
A Poly-View as JSON: the spec's form, out only. What a view says is recomputed and never read.

`export_json` makes a text of the one `poly.view` of a module; `docs/tiny_json.md` describes the form. Spec:
`tensor-compiler.ja §12.3`.
"""

from __future__ import annotations

from .view import json_schema as json_schema
from .writing import export_json as export_json
