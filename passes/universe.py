"""
The plugin through which every xDSL tool on the machine sees ptir: `xdsl-opt -p ptir-to-tiny` works.

pyproject.toml names `PTIR` under the entry-point group `xdsl.universe`. This module must stay cheap to
import: every xDSL tool imports it at every start.
"""

from __future__ import annotations

from functools import partial
from pkgutil import resolve_name

from xdsl.universe import Universe

from .registry import dialect_factories, pass_factories, target_factories

PTIR = Universe(
    all_dialects=dialect_factories(),
    all_passes=pass_factories() | {"ptir-to-cuda": partial(resolve_name, "ptir.passes.ptir_to_cuda:PtirToCuda")},
    all_targets=target_factories(),
)
