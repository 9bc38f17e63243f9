"""
Conversion targets by name: checks whether a program is legal for a target, and converts it.

```python
ptir.conversion_targets()  # ('cuda',)
target = ptir.get_conversion_target("cuda{arch=sm90}")
for error in ptir.check_program_legality(module, target):
    print(error.op.name, error.message)
nv = ptir.convert_program(module, target)  # a new module; `module` is not changed
```

The class of a target is imported when its name is used. `register_conversion_target` adds a target for this process.

Contract: *Conversion infrastructure*.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pkgutil import resolve_name

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ..analysis.program.legality import ConversionTarget, check_program_legality
from ..errors import InvalidAttributeValue, require
from .errors import NotLegal
from .registry import CONVERSION_TARGETS

_REGISTERED: dict[str, str | type[ConversionTarget]] = {}


def conversion_targets() -> tuple[str, ...]:
    """Returns the sorted names of all targets."""
    return tuple(sorted({*CONVERSION_TARGETS, *_REGISTERED}))


def register_conversion_target(name: str, target: str | type[ConversionTarget]) -> None:
    """
    Registers a target by its class, or by `"module:Class"`, which is imported when the target is used.

    Raises `InvalidAttributeValue` if the name is not a word or is taken by another target.
    """
    require(name, str, "the name", "text")
    require(target, str | type, "the target", "a class, or its place as 'module:Class'")
    if not name.replace("-", "_").isidentifier():
        raise InvalidAttributeValue(name="name", problem=f"is '{name}'", help="write letters, digits, - and _ only")
    known = _REGISTERED.get(name, CONVERSION_TARGETS.get(name))
    if known is not None and known != target:
        problem = f"is '{name}', which is taken by {known}"
        raise InvalidAttributeValue(name="name", problem=problem, help="choose another name")
    _REGISTERED[name] = target


def get_conversion_target(text: str) -> ConversionTarget:
    """
    Returns the target that `text` names, with its options: `cuda`, `cuda{arch=sm90}`.

    Raises `UnknownTarget`, `UnknownOption` and `BadOptionValue`, each with the place in `text`.
    """
    from .pipeline import build_target

    require(text, str, "the target", "text, such as cuda{arch=sm90}")
    return build_target(text, {name: partial(_load, name) for name in conversion_targets()}, "<conversion target>")


def _load(name: str) -> type[ConversionTarget]:
    target = _REGISTERED.get(name, CONVERSION_TARGETS.get(name))
    return resolve_name(target) if isinstance(target, str) else target  # pyright: ignore[reportReturnType]


def require_legal(module: ModuleOp, target: ConversionTarget) -> None:
    """Raises the error of an illegal operation or, if there are several, `NotLegal` with all of them."""
    errors = check_program_legality(module, target)
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise NotLegal([(error.op or module, error) for error in errors], f" {target.name}")


def convert_program(module: ModuleOp, target: ConversionTarget, ctx: Context | None = None) -> ModuleOp:
    """Returns a copy of `module` that the target's passes have lowered. Raises the errors of `require_legal` and of the passes."""
    from .manager import PassManager

    require_legal(module, target)
    return PassManager(target.pipeline, ctx).run(module.clone())


@dataclass(frozen=True)
class PtirCheckLegality(ModulePass):
    """Reports every op that is not legal for a conversion target, with the reason; changes nothing."""

    name = "ptir-check-legality"
    target: str
    """The target, with its options: cuda, 'cuda{arch=sm90}'."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        require_legal(op, get_conversion_target(self.target))


@dataclass(frozen=True)
class PtirCheckCuda(ModulePass):
    """`ptir-check-legality` for the target cuda: the first pass of `ptir-to-cuda`, so that an illegal program is not lowered."""

    name = "ptir-check-cuda"
    arch: str = "sm80"
    """The architecture of the kernels, in any spelling: `sm80`, `sm_90a`."""

    def __post_init__(self) -> None:
        from ..targets.architectures import arch_named

        arch_named(self.arch)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from ..transforms.cuda_conversion import CudaConversion

        require_legal(op, CudaConversion(self.arch))
