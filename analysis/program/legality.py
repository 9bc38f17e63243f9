"""
Reports all ops of a program that a conversion target does not support, with the reasons.

A conversion target takes optimized PTIR to a module of its own level; code generation and packaging are not part of the
conversion. `passes/conversion.py` has the table of targets by name.

Contract: *Conversion infrastructure* (`check_program_legality`, registry of conversion targets).
"""

from __future__ import annotations

import abc
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.arg_spec import ArgSpecConvertible

from ...errors import PtirError, require, require_module
from .walk import walk_program


@dataclass(frozen=True)
class ConversionTarget(ArgSpecConvertible, abc.ABC):
    """
    A target that programs can be converted to. Like a pass, it has its options as fields: `cuda{arch=sm90}`.

    ```python
    @dataclass(frozen=True)
    class Mine(ConversionTarget):
        name = "mine"

        def diagnostics(self, module): ...
        @property
        def pipeline(self): return "ptir-decompose,my-lowering"

    register_conversion_target("mine", Mine)
    ```
    """

    name: ClassVar[str]

    @abc.abstractmethod
    def diagnostics(self, module: ModuleOp) -> Iterable[PtirError]:
        """Yields (does not raise) an error for each op that is not legal, with a code, a reason and a hint."""

    @property
    @abc.abstractmethod
    def pipeline(self) -> str:
        """The passes that convert a legal program."""


def check_program_legality(module: ModuleOp, target: ConversionTarget) -> list[PtirError]:
    """
    Returns the target's errors in program order; empty if the program is legal. The module is not changed.

    >>> for error in check_program_legality(module, get_conversion_target("cuda")):     # doctest: +SKIP
    ...     print(error.op.name, error.code, error.message, error.help)
    """
    require_module(module)
    require(target, ConversionTarget, "the target", "a target of conversion", "ptir.get_conversion_target makes one")
    order: dict[Operation | None, int] = {module: -1, None: -1}
    for number, visit in enumerate(walk_program(module)):
        order.setdefault(visit.op, number)
    return sorted(target.diagnostics(module), key=lambda error: order.get(error.op, -1))
