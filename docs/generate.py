"""
Writes the generated part of the documentation: the tour of the levels, the guides, the reference pages.

    python docs/generate.py        (make docs)

`PAGES` has every generated file; `tests/unit/project/test_docs.py` compares them with the committed files. The
prose of a guide is in its `.md.in`; the prose of the reference pages is in docstrings.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from generator.conformance import conformance_page
from generator.dialects import Examples, dialect_page
from generator.errors import errors_page
from generator.guides import guide
from generator.opt_guide import opt_guide
from generator.passes import passes_page, rules_page
from generator.tour import tour
from generator.vyre import vyre_guide

from ptir.frontends.plan_dsl import STATEMENTS
from ptir.passes.registry import DIALECTS

DOCS = Path(__file__).resolve().parent


def plans() -> str:
    """Returns `plans.md.in` with the grammar of plans as statements."""
    grammar = "\n".join(["program := (statement? ';')* statement?", *(f"{k} := {v}" for k, v in STATEMENTS.items())])
    return guide("plans.md.in").replace("{{grammar}}", grammar)


def _pages() -> dict[str, Callable[[], str]]:
    examples = cache(Examples)
    out: dict[str, Callable[[], str]] = {
        f"reference/dialects/{name}.md": lambda name=name: dialect_page(name, examples()) for name in DIALECTS
    }
    out["reference/passes.md"] = passes_page
    out["reference/rules.md"] = rules_page
    out["reference/errors.md"] = errors_page
    out["reference/conformance.md"] = conformance_page
    more = {"tour.md": tour, "ptir_opt.md": opt_guide, "plans.md": plans, "vyre.md": vyre_guide}
    for source in sorted(DOCS.rglob("*.md.in")):
        name = str(source.relative_to(DOCS).with_suffix(""))
        out[name] = more.get(name, partial(guide, f"{name}.in"))
    return out


PAGES = _pages()
"""What writes each generated file, by its path below `docs/`."""


def main() -> None:
    for name, page in PAGES.items():
        path, text = DOCS / name, page()
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            print(f"wrote docs/{name}")


if __name__ == "__main__":
    sys.exit(main())
