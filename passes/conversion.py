"""
Targets of conversion by name, and the way to them.

```python
ptir.conversion_targets()  # ('cuda',)
target = ptir.get_conversion_target("cuda{arch=sm90}")
for error in ptir.check_program_legality(module, target):
    print(error.op.name, error.message)
nv = ptir.convert_program(module, target)  # a module of its own; `module` is not changed
```

A target's class is imported when its name is used. `register_conversion_target` adds one to this process.

Contract: *Conversion infrastructure*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
    """The names of all targets, sorted."""
    return tuple(sorted({*CONVERSION_TARGETS, *_REGISTERED}))


def register_conversion_target(name: str, target: str | type[ConversionTarget]) -> None:
    """
    Makes a target known as `name`: its class, or where that is, as `"module:Class"`, to be imported when it is used.

    Raises `InvalidAttributeValue` if the name is no word or means another target already.
    """
    require(name, str, "the name", "text")
    require(target, str | type, "the target", "a class, or where it is as 'module:Class'")
    if not name.replace("-", "_").isidentifier():
        raise InvalidAttributeValue(name="name", problem=f"is '{name}'", help="letters, digits, - and _")
    known = _REGISTERED.get(name, CONVERSION_TARGETS.get(name))
    if known is not None and known != target:
        raise InvalidAttributeValue(
            name="name", problem=f"is '{name}', which is taken by {known}", help="choose another"
        )
    _REGISTERED[name] = target


def get_conversion_target(text: str) -> ConversionTarget:
    """
    The target that `text` names, with its options: `cuda`, `cuda{arch=sm90}`.

    Raises `UnknownTarget`, `UnknownOption` and `BadOptionValue`, each with the place in `text`.
    """
    from .pipeline import build_target

    require(text, str, "the target", "text, such as cuda{arch=sm90}")
    return build_target(text, {name: _loader(name) for name in conversion_targets()}, "<conversion target>")


def _loader(name: str) -> Callable[[], type[ConversionTarget]]:
    def load_it() -> type[ConversionTarget]:
        target = _REGISTERED.get(name, CONVERSION_TARGETS.get(name))
        return resolve_name(target) if isinstance(target, str) else target  # pyright: ignore[reportReturnType]

    return load_it


def require_legal(module: ModuleOp, target: ConversionTarget) -> None:
    """Raises the error of a program that is not legal; if there are several, `NotLegal`, which holds them all."""
    errors = check_program_legality(module, target)
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise NotLegal([(error.op or module, error) for error in errors], f" {target.name}")


def convert_program(module: ModuleOp, target: ConversionTarget, ctx: Context | None = None) -> ModuleOp:
    """
    The program as a module of the target's level. Raises what `require_legal` does, or a pass of the target's.
    """
    from .manager import PassManager

    require_legal(module, target)
    return PassManager(target.pipeline, ctx).run(module.clone())


@dataclass(frozen=True)
class PtirCheckLegality(ModulePass):
    """Tells of every op that a target of conversion does not take, and why; changes nothing."""

    name = "ptir-check-legality"
    target: str
    """The target, with its options: cuda, 'cuda{arch=sm90}'."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        require_legal(op, get_conversion_target(self.target))


@dataclass(frozen=True)
class PtirCheckCuda(ModulePass):
    """`ptir-check-legality` for the target cuda, with which `ptir-to-cuda` begins: nothing is lowered halfway."""

    name = "ptir-check-cuda"
    arch: str = "sm80"
    """The architecture of the kernels, in any spelling: `sm80`, `sm_90a`."""

    def __post_init__(self) -> None:
        from ..targets.architectures import arch_named

        arch_named(self.arch)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from ..transforms.cuda_conversion import CudaConversion

        require_legal(op, CudaConversion(self.arch))
