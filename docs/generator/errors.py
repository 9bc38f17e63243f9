"""The page of all error codes."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

from ptir.errors import PtirError

from .tables import NOTICE, table


def errors_page() -> str:
    """Returns the page of all error classes, sorted by code."""
    rows: list[list[object]] = []
    for error in sorted(set(error_classes()), key=lambda e: (e.code, e.__module__, e.__qualname__)):
        if error.template != "{message}":
            rows.append([f"`{error.code}`", error.__name__, *map(message, (error.template, error.hint))])
    intro = (
        "# Errors\n\nAn error in the input has a code, a location and, if there is one, a hint. "
        "`{…}` stands for text that the message fills in.\n\n"
    )
    return NOTICE + intro + table(["code", "class", "message", "help"], rows) + "\n"


def message(template: str) -> str:
    """Returns the first line of a template as code in a table."""
    text = template.split("\n")[0].replace("{{", "{").replace("}}", "}").replace("`", "'").replace("|", "\\|")
    return f"`{text}`" if text not in ("", "{help}") else ""


def error_classes() -> Iterator[type[PtirError]]:
    """Yields every subclass of `PtirError` in the package."""
    for folder in (
        "dialects",
        "semantics",
        "analysis",
        "transforms",
        "passes",
        "backends",
        "runtime",
        "frontends",
        "tuning",
        "verification",
        "conformance",
        "tools",
    ):
        package = importlib.import_module(f"ptir.{folder}")
        for module in pkgutil.walk_packages(package.__path__, f"ptir.{folder}."):
            importlib.import_module(module.name)
    importlib.import_module("ptir.intent")
    waiting = [PtirError]
    while waiting:
        subclasses = waiting.pop().__subclasses__()
        waiting += subclasses
        yield from (c for c in subclasses if c.__module__.startswith("ptir."))
