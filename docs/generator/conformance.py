"""The table of every op on every element type, from the latest report of the campaign."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from ptir.transforms.ptir_to_tiny import LOWERINGS

from .tables import NOTICE, ROOT, table

GROUPS = {
    "integers": re.compile(r"[su]?i(4|8|16|32|64)"),
    "floats": re.compile(r"bf16|f\d.*"),
    "complex numbers": re.compile(r"complex.*"),
}
"""Element types that one row of the table lists by a common name if it has all of them."""


def conformance_page() -> str:
    """Returns the table of every op that `ptir-to-tiny` lowers on every element type, from the latest campaign's report."""
    path = max((ROOT / "tests" / "conformance" / "results").glob("*.json"))
    found = msgspec.json.decode(path.read_bytes())["cells"]
    every = {c["cell"]["dtype"] for c in found}
    rows: list[list[object]] = []
    for op in LOWERINGS:
        states: dict[str, list[dict[str, Any]]] = {}
        for outcome in (c for c in found if c["cell"]["op"] == op.name):
            problems = [f"{arch}: {problem.partition(':')[0]}" for arch, problem in outcome["problems"].items()]
            states.setdefault("; ".join(problems) or "sm80, sm90", []).append(outcome)
        for state, outcomes in states.items():
            families = {family for o in outcomes for family in o["families"]}
            types = type_names([o["cell"]["dtype"] for o in outcomes], every)
            rows.append([f"`{op.name}`", types, ", ".join(sorted(families)), state])
        if not states:
            rows.append([f"`{op.name}`", "", "", "not run"])
    text = f"""# Every affine op on every element type

Each op that `ptir-to-tiny` lowers was compiled for both architectures on each element type that its verifier admits, with
operands of rank 0 and 5, without elements, of one element, of prime sizes, and next to the size of a tile. The emulator's
results are those of the reference: bit for bit for integers and `i1`, within the bounds for floats and complex numbers.
`python -m tests.conformance` runs the {len(found)} cells; this was on {path.stem}.

The families are those of the kernels; where there is none, nothing is computed. The state is the architectures on which the
results are right, or the code of the error.

"""
    return (
        NOTICE.replace("docstrings", "campaign's report")
        + text
        + table(["op", "types", "family", "state"], rows)
        + "\n"
    )


def type_names(types: Sequence[str], every: set[str]) -> str:
    """Returns the names of element types, with one name for all types of a group."""
    out: list[str] = []
    left = list(types)
    for name, pattern in GROUPS.items():
        group = {t for t in every if pattern.fullmatch(t)}
        if group <= set(left):
            left = [t for t in left if t not in group]
            out.append(name)
    return ", ".join([*(f"`{t}`" for t in left), *out])
