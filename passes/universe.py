"""
The plugin through which every xDSL tool finds ptir's dialects, passes and targets: `xdsl-opt -p ptir-to-tiny`.

pyproject.toml names `PTIR` under the entry-point group `xdsl.universe`. Every xDSL tool imports this module at its start, so
it must be cheap to import.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pkgutil import resolve_name
from typing import Any

from xdsl.universe import Universe

from .registry import DIALECTS, PASSES, TARGETS


def factories(table: Mapping[str, str]) -> dict[str, Callable[[], Any]]:
    """Returns, for each name in a table of the registry, a function that imports its object."""
    return {name: partial(resolve_name, path) for name, path in table.items()}


PTIR = Universe(
    all_dialects=factories(DIALECTS),
    all_passes=factories(
        {
            **PASSES,
            "ptir-to-cuda": "ptir.passes.ptir_to_cuda:PtirToCuda",
            "ptir-to-pto": "ptir.passes.ptir_to_pto:PtirToPto",
        }
    ),
    all_targets=factories(TARGETS),
)
