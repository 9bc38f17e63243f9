"""
`--dump=frontend,tiny,indexbook,poly_view,poly_core,region,plan,pto,gpu,cu`: a program at the levels asked for.

The levels are those of the compiler (spec: `tensor-compiler.ja §9`). A level shows its last state: what stood
there before the pass that left it. `indexbook`, `poly_view` and `plan` show the tables of that name and not the
program around them, `poly_core` the answers for each edge between tiny values; `cu` is the CUDA C++ of a module that
has reached `gpu`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ..errors import InvalidAttributeValue
from ..text.style import PLAIN, Style
from ..text.writing import text_of
from .manager import Instrumentation

if TYPE_CHECKING:
    from xdsl.dialects.func import FuncOp

LEVELS = ("frontend", "tiny", "indexbook", "poly_view", "poly_core", "region", "plan", "pto", "gpu", "cu")

ANALYSED = LEVELS[: LEVELS.index("region")]
"""The levels of whole programs, before any kernel is formed."""


def is_analysed(wanted: Sequence[str]) -> bool:
    """Whether no kernel need be formed for these levels."""
    return set(wanted) <= set(ANALYSED)


def parse_levels(text: str) -> tuple[str, ...]:
    """The levels that a comma-separated list names, in the order of the compiler. Raises `InvalidAttributeValue`."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in LEVELS:
            raise InvalidAttributeValue(name="--dump", problem=f"names '{name}'", help=f"levels: {', '.join(LEVELS)}")
    return tuple(level for level in LEVELS if level in names)


def level_of(module: ModuleOp) -> str:
    """The level that a module has reached: that of its lowest operations."""
    dialects = {op.name.partition(".")[0] for op in module.walk()}
    for dialect, level in (
        ("nv", "gpu"),
        ("pto", "pto"),
        ("region", "region"),
        ("tiny", "tiny"),
    ):
        if dialect in dialects:
            planned = level == "region" and any(op.get_attr_or_prop("plan") for op in module.walk())
            return "plan" if planned else level
    return "frontend"


@dataclass
class Levels(Instrumentation):
    """
    Collects in `texts`, for each of the levels `wanted` that a run reaches, its last state.

    `print_cuda` makes the text of level `cu`; without it that level is never reached. `style` is
    about IR.
    """

    wanted: Sequence[str]
    print_cuda: Callable[[ModuleOp], str] | None = None
    style: Style = PLAIN
    texts: dict[str, str] = field(default_factory=dict[str, str])
    _described: str | None = field(default=None, init=False)

    def see(self, module: ModuleOp) -> None:
        """Note what the module is like now."""
        level = level_of(module)
        if level in self.wanted:
            self.texts[level] = self._plans(module) if level == "plan" else text_of(module, self.style)
        described = {"indexbook": self._books, "poly_view": self._views, "poly_core": self._answers}
        if level == "tiny" and (found := described.keys() & set(self.wanted)):
            functions = self._functions(module)
            text = "\n".join(map(text_of, functions))
            if text != self._described:  # printing what is written beside functions changes none
                self._described = text
                self.texts |= {name: described[name](functions) for name in sorted(found)}
        if level == "gpu" and "cu" in self.wanted and self.print_cuda is not None:
            self.texts["cu"] = self.print_cuda(module)

    def after_pass(self, pass_: ModulePass, scope: Operation) -> None:
        top = scope
        while (parent := top.parent_op()) is not None:
            top = parent
        if isinstance(top, ModuleOp):
            self.see(top)

    def text(self) -> str:
        """Every level reached, in the order of the compiler, each under its name."""
        reached = [level for level in LEVELS if level in self.texts]
        return "\n".join(f"// -----// {level} //----- //\n{self.texts[level].rstrip()}\n" for level in reached)

    @property
    def missing(self) -> list[str]:
        """The levels wanted and not reached."""
        return [level for level in self.wanted if level not in self.texts]

    @staticmethod
    def _views(functions: Sequence[FuncOp]) -> str:
        from ..analysis.poly.view import build_view

        return "\n".join(text_of(build_view(function)) for function in functions)

    @staticmethod
    def _plans(module: ModuleOp) -> str:
        from ..dialects.region import RegionKernelOp

        kernels = [op for op in module.walk() if isinstance(op, RegionKernelOp)]
        return "\n".join(f"@{k.sym_name.data} = {k.plan.schedule().to_json()}" for k in kernels if k.plan is not None)

    @staticmethod
    def _books(functions: Sequence[FuncOp]) -> str:
        from ..analysis.index.describe import describe

        return "\n".join(map(describe, functions))

    @staticmethod
    def _answers(functions: Sequence[FuncOp]) -> str:
        from ..analysis.poly.describe import describe

        return "\n".join(map(describe, functions))

    @staticmethod
    def _functions(module: ModuleOp) -> list[FuncOp]:
        from xdsl.dialects.func import FuncOp  # 20 ms that a run without --dump does not need

        return [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]
