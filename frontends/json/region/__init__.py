"""
Region JSON, the spec's form of kernels: memrefs at the border, a body of tiny ops, each bound by `let`, and a `yield`.

The ops are those of Tiny JSON (`../tiny`). The host function is not part of the form. Spec: `tensor-compiler.ja §12.4`.
"""

from __future__ import annotations

from .form import json_schema as json_schema
from .reading import import_json as import_json
from .writing import export_json as export_json
