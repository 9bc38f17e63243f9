"""
What this process can name: xDSL's dialects, passes and targets, ptir's, and those of other plugins.

Plugins come through the entry-point group `xdsl.universe`; ptir's own tables are there even when the
package was not installed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from pkgutil import resolve_name
from typing import NoReturn

from xdsl.context import Context
from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import XDSL_UNIVERSE, Universe
from xdsl.utils.target import Target

from .universe import PTIR

_REPLACED = {
    "transform-interpreter": partial(resolve_name, "ptir.passes.transform_schedules:TransformInterpreter"),
}
"""In place of xDSL's, which lets a schedule run every pass."""


@cache
def universe() -> Universe:
    """Everything, lazily loaded; found once a process."""
    found = Universe.get_multiverse()
    return Universe(
        all_dialects={**PTIR.all_dialects, **found.all_dialects},
        all_passes={**PTIR.all_passes, **found.all_passes, **_REPLACED},
        all_targets={**PTIR.all_targets, **found.all_targets},
    )


def available_dialects() -> dict[str, Callable[[], Dialect]]:
    """Dialect name → function that loads it."""
    return universe().all_dialects


def available_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Pass name → function that loads its class."""
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
"""xDSL's passes that open files or run programs. (`tests/unit/passes/test_outside.py` looks for them in the sources.)"""


def passes_for_inputs() -> Mapping[str, Callable[[], type[ModulePass]]]:
    """
    What a text may have run, be it a reproducer or a transform schedule. Loading any other pass is a PermissionError:
    those of `OUTSIDE`, and those of plugins, of which nobody here knows what they do.
    """

    def refuse() -> NoReturn:
        raise PermissionError

    inside = (PTIR.all_passes.keys() | XDSL_UNIVERSE.all_passes.keys()) - OUTSIDE
    return {name: factory if name in inside else refuse for name, factory in available_passes().items()}


def available_targets() -> dict[str, Callable[[], type[Target]]]:
    """Target name → function that loads its class."""
    return universe().all_targets


def make_context(*, allow_unregistered: bool = False) -> Context:
    """A context that knows every dialect and has loaded none."""
    ctx = Context(allow_unregistered=allow_unregistered)
    for name, factory in available_dialects().items():
        ctx.register_dialect(name, factory)
    return ctx
