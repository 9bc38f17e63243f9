"""
Which ops of a program a target does not take, and why: all of them, not the first.

A target of conversion consumes optimised PTIR and gives a module of its own level; what is made of that, code and its
packaging, is no part of the conversion. `passes/conversion.py` knows the targets by name.

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
    Where a program can be converted to. Its fields are its options, as those of a pass are: `cuda{arch=sm90}`.

    ```python
    @dataclass(frozen=True)
    class Mine(ConversionTarget):
        name = "mine"

        def objections(self, module): ...
        @property
        def pipeline(self): return "ptir-decompose,my-lowering"

    register_conversion_target("mine", Mine)
    ```
    """

    name: ClassVar[str]

    @abc.abstractmethod
    def objections(self, module: ModuleOp) -> Iterable[PtirError]:
        """
        What keeps the program from being converted: for each op that is not legal an error that is not raised, with a code,
        a reason and a hint.
        """

    @property
    @abc.abstractmethod
    def pipeline(self) -> str:
        """The passes that convert a program that is legal."""


def check_program_legality(module: ModuleOp, target: ConversionTarget) -> list[PtirError]:
    """
    What the target objects to, in the order of the program; nothing if the program is legal. The module is not changed.

    >>> for error in check_program_legality(module, get_conversion_target("cuda")):     # doctest: +SKIP
    ...     print(error.op.name, error.code, error.message, error.help)
    """
    require_module(module)
    require(target, ConversionTarget, "the target", "a target of conversion", "ptir.get_conversion_target makes one")
    order: dict[Operation | None, int] = {module: -1, None: -1}
    for number, visit in enumerate(walk_program(module)):
        order.setdefault(visit.op, number)
    return sorted(target.objections(module), key=lambda error: order.get(error.op, -1))
