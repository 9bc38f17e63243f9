"""
`--dump=frontend,tiny,indexbook,poly_view,poly_core,region,plan,pto,gpu,cu`: prints a program at the given levels.

The levels are those of the compiler (spec: `tensor-compiler.ja §9`). A level is printed in its last state, just before the pass
that lowers it. `indexbook`, `poly_view` and `plan` print the tables of that name without the program; `poly_core` prints Poly
Core's answers for each def-use edge of the tiny level; `cu` is the CUDA C++ of a module at level `gpu`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pkgutil import resolve_name

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ..errors import InvalidAttributeValue
from ..text.style import PLAIN, Style
from ..text.writing import text_of
from .manager import Instrumentation

LEVELS = ("frontend", "tiny", "indexbook", "poly_view", "poly_core", "region", "plan", "pto", "gpu", "cu")

_ANALYSES = {
    "indexbook": "ptir.analysis.index.describe:describe",
    "poly_core": "ptir.analysis.poly.describe:describe",
    "poly_view": "ptir.analysis.poly.view:build_view",
}
"""For each level that is an analysis of the tiny level, the function that describes a tiny function as text or as an op."""


def need_no_kernels(levels: Sequence[str]) -> bool:
    """Returns whether all `levels` are above `region`."""
    return set(levels) <= set(LEVELS[: LEVELS.index("region")])


def parse_levels(text: str) -> tuple[str, ...]:
    """Returns the levels of a comma-separated list, in the order of the compiler. Raises `InvalidAttributeValue`."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in LEVELS:
            raise InvalidAttributeValue(
                name="--dump", problem=f"names the unknown level '{name}'", help=f"levels: {', '.join(LEVELS)}"
            )
    return tuple(level for level in LEVELS if level in names)


def level_of(module: ModuleOp) -> str:
    """Returns the lowest level to which any operation of `module` belongs."""
    dialects = {op.name.partition(".")[0] for op in module.walk()}
    for dialect, level in (("nv", "gpu"), ("pto", "pto"), ("region", "region"), ("tiny", "tiny")):
        if dialect in dialects:
            planned = level == "region" and any(op.get_attr_or_prop("plan") for op in module.walk())
            return "plan" if planned else level
    return "frontend"


@dataclass
class Levels(Instrumentation):
    """
    Collects in `texts`, for each level in `wanted` that a run reaches, the last state of the module at this level.

    `print_cuda` prints the level `cu`; without it, `cu` is never reached. IR is printed in `style`.
    """

    wanted: Sequence[str]
    print_cuda: Callable[[ModuleOp], str] | None = None
    style: Style = PLAIN
    texts: dict[str, str] = field(default_factory=dict[str, str])
    _described: str | None = field(default=None, init=False)

    def see(self, module: ModuleOp) -> None:
        """Records the present state of the module."""
        level = level_of(module)
        if level in self.wanted:
            self.texts[level] = _plans(module) if level == "plan" else text_of(module, self.style)
        if level == "tiny" and (analyses := sorted(_ANALYSES.keys() & set(self.wanted))):
            from xdsl.dialects.func import FuncOp  # takes 20 ms to import

            functions = [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]
            text = "\n".join(map(text_of, functions))
            if text != self._described:  # the analyses depend on the functions only
                self._described = text
                for name in analyses:
                    found = map(resolve_name(_ANALYSES[name]), functions)
                    self.texts[name] = "\n".join(f if isinstance(f, str) else text_of(f) for f in found)
        if level == "gpu" and "cu" in self.wanted and self.print_cuda is not None:
            self.texts["cu"] = self.print_cuda(module)

    def after_pass(self, pass_: ModulePass, scope: Operation) -> None:
        if isinstance(module := scope.get_toplevel_object(), ModuleOp):
            self.see(module)

    def text(self) -> str:
        """Returns the text of every level that was reached, under its name, in the order of the compiler."""
        reached = [level for level in LEVELS if level in self.texts]
        return "\n".join(f"// -----// {level} //----- //\n{self.texts[level].rstrip()}\n" for level in reached)

    @property
    def missing(self) -> list[str]:
        """The levels that are wanted but not reached."""
        return [level for level in self.wanted if level not in self.texts]


def _plans(module: ModuleOp) -> str:
    """Returns the plans of a module as the JSON that `--plan` reads."""
    from ..dialects.region import RegionKernelOp

    kernels = [op for op in module.walk() if isinstance(op, RegionKernelOp)]
    plans = [f'"@{k.sym_name.data}": {k.plan.schedule().to_json()}' for k in kernels if k.plan is not None]
    return "{" + ",\n ".join(plans) + "}"
