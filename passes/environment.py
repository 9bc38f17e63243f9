"""
The dialects, passes and targets that are available in this process, from xDSL, ptir and other plugins.

Plugins are found by the entry-point group `xdsl.universe`; ptir's tables are available even if the package is not installed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import NoReturn

from xdsl.context import Context
from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import XDSL_UNIVERSE, Universe
from xdsl.utils.target import Target

from .universe import PTIR, factories

_REPLACED = factories({"transform-interpreter": "ptir.passes.transform_schedules:TransformInterpreter"})
"""Replacements for passes of xDSL: its own `transform-interpreter` would let a schedule run any pass."""


@cache
def universe() -> Universe:
    """Returns all dialects, passes and targets; each is imported when it is used."""
    found = Universe.get_multiverse()
    return Universe(
        all_dialects={**PTIR.all_dialects, **found.all_dialects},
        all_passes={**PTIR.all_passes, **found.all_passes, **_REPLACED},
        all_targets={**PTIR.all_targets, **found.all_targets},
    )


def available_dialects() -> dict[str, Callable[[], Dialect]]:
    """Returns the functions that load the dialects, by name."""
    return universe().all_dialects


def available_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Returns the functions that load the classes of passes, by name."""
    return universe().all_passes


OUTSIDE = frozenset(
    {
        "apply-eqsat-pdl",
        "apply-eqsat-pdl-interp",
        "apply-pdl",
        "apply-pdl-interp",
        "eqsat-add-costs",
        "mlir-opt",
    }
)
"""xDSL's passes that open files or run programs. (`tests/unit/passes/test_outside.py` checks the list against xDSL's sources.)"""


def passes_for_inputs() -> Mapping[str, Callable[[], type[ModulePass]]]:
    """
    Returns the functions that load the passes that a reproducer or a transform schedule may name. They raise `PermissionError` for
    the passes in `OUTSIDE`, and for passes of other plugins, which may have any effect.
    """

    def refuse() -> NoReturn:
        raise PermissionError

    inside = (PTIR.all_passes.keys() | XDSL_UNIVERSE.all_passes.keys()) - OUTSIDE
    return {name: factory if name in inside else refuse for name, factory in available_passes().items()}


def available_targets() -> dict[str, Callable[[], type[Target]]]:
    """Returns the functions that load the classes of targets, by name."""
    return universe().all_targets


def make_context(*, allow_unregistered: bool = False) -> Context:
    """Returns a context in which every dialect is registered and none is loaded."""
    ctx = Context(allow_unregistered=allow_unregistered)
    for name, factory in available_dialects().items():
        ctx.register_dialect(name, factory)
    return ctx
