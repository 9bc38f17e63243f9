"""The embedding API of `import ptir`; see the package's docstring."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from .errors import PtirError, SourceError, counted, require, require_module
from .passes.environment import make_context
from .text.parsing import parse_file, parse_text

if TYPE_CHECKING:
    from .runtime.compiled import Compiled
    from .runtime.launch import Device
    from .semantics.arrays.scalars import Array
    from .semantics.bounds import Interval
    from .tuning.lookup import TunedPlans

log = logging.getLogger(__name__)


def parse(source: str | Path, ctx: Context | None = None) -> ModuleOp:
    """
    Parses a file or IR text and returns the module. A `Path`, or a one-line string that ends in `.mlir`, names a file.

    Raises `SourceError` at a syntax error, `Unreadable` for a file that cannot be read.
    """
    require(source, str | Path, "the program", "IR text, or the path of a file")
    ctx = ctx or make_context()
    if isinstance(source, Path) or (source.endswith(".mlir") and "\n" not in source):
        return parse_file(source, ctx)
    try:
        return parse_text(source, ctx, "<string>")
    except SourceError as error:
        if len(source.split()) == 1:
            error.help = "the argument is IR text: only a Path, or a string that ends in .mlir, is the name of a file"
        raise


def compile(
    source: str | Path | ModuleOp,
    *,
    arch: str = "sm80",
    entry: str | None = None,
    device: Device | None = None,
    strategy: str = "exact",
    watch: Callable[[str, ModuleOp], None] | None = None,
    allow_spills: bool = False,
    tuned: str | Path | bool | None = None,
    strict: bool = False,
    requests: Mapping[str, int] | None = None,
) -> Compiled:
    """
    Compiles a module at any level to a cubin for `arch`, such as `sm80` or `sm90`; no GPU is needed. The module is not
    changed. If `entry` is given, functions that it does not reach are omitted. The program runs on `device`, a `ptir.Gpu`
    or a `ptir.Emulator`; if it is None, the arrays of the first call determine it. `strategy`
    says what is fused: `exact`, `greedy`, `maximal` or `none` (`docs/fusion.md`). `watch(pass, module)` is called after every pass.

    Raises `PtirError`s with a code and a location, also for a kernel that spills registers under the plan that its source prescribes,
    unless `allow_spills` is true. A kernel that spills under every candidate plan takes the one that spills least, with a warning.

    With `strict`, floats are strict, as if the module had the attribute `ptir.strict_floats`: the results have the bits of
    `reference(…, strict=True)` on every architecture (`docs/strict.md`).

    `tuned` is a file of tuned plans, which `ptir-tune` writes. By default, it is the one that `$PTIR_TUNED` names, or else
    `~/.local/share/ptir/tuned.sqlite`, if it exists; False means none. Kernels use their tuned plans for the machine: that of `device`,
    if it is a GPU, or the first one of `arch`. A plan that cannot be used is refused with a warning.

    If sizes of the arguments are dynamic, kernels are compiled at the first call with arrays of new sizes, or ahead by
    `Compiled.compile_for`. Then only the function to run, with those that it calls, is compiled. With `requests`, the number of calls by
    their sizes (`{"B=8,S=128": 900}`, what `Compiled.requests` has counted), sizes are grouped into shape sets, and there is one compiled
    program for each set, which serves smaller arrays where that can be proved (`docs/tuning.md`). Raises `InvalidSizes` for others.
    """
    from .analysis.index.static_sizes import is_dynamic
    from .analysis.program.signature import Signature, entry_function
    from .dialects.common.strict import make_strict
    from .planning.fusion.strategies import strategy_named
    from .runtime.compile import compile_module, keep_only
    from .runtime.compiled import Compiled
    from .targets.architectures import arch_named

    require(arch, str, "arch", "a name such as 'sm80'")
    require(entry, str | None, "entry", "the name of a function")
    _require_device(device)
    require(strategy, str, "strategy", "a name such as 'exact'")
    chosen = strategy_named(strategy)
    require(watch, Callable | None, "watch", "a function of a pass's name and a module")
    require(tuned, str | Path | bool | None, "tuned", "the path of a file of tuned plans, or False")
    require(strict, bool, "strict", "True or False")
    require(requests, Mapping | None, "requests", "the number of calls by their sizes, such as {'B=8': 900}")
    plans = _tuned_plans(tuned, arch, device)
    ctx = make_context()
    module = source.clone() if isinstance(source, ModuleOp) else parse(source, ctx)
    if strict:
        make_strict(module)
    if entry is not None:
        keep_only(module, entry_function(module, entry).sym_name.data)
    if any(map(is_dynamic, module.ops)):
        arch_named(arch)
        options: dict[str, Any] = {"arch": arch, "device": device, "strategy": strategy, "allow_spills": allow_spills}
        part = partial(compile, **options, watch=watch, tuned=False if plans is None else plans.path)
        return _compile_dynamic(module, ctx, entry, part, device, watch, plans, requests)
    if requests:
        from .transforms.specialize_sizes import parse_sizes, require_sizes

        for text in requests:
            require_sizes(function := entry_function(module, entry), parse_sizes(function, text))
    functions = [o for o in module.ops if isinstance(o, FuncOp) and not o.is_declaration]
    signatures = {o.sym_name.data: Signature.of(o) for o in functions}
    program = compile_module(
        module, arch, ctx, watch, strategy=chosen, allow_spills=allow_spills, tuned=plans or (lambda kernel: None)
    )
    return Compiled(program, entry, device, signatures)


def _tuned_plans(chosen: str | Path | bool | None, arch: str, device: Device | None) -> TunedPlans | None:
    """Returns the tuned plans for the machine of `device`, or the first one of `arch`, if there is a file of them."""
    from .targets.architectures import arch_named
    from .targets.machines import machine_in, machine_of

    if chosen is None or chosen is False:  # most programs have none: find this out without importing the tuner
        from .runtime.tuned_file import default_path

        if chosen is False or (path := default_path()) is None or not path.is_file():
            return None
    from .tuning.lookup import tuned_plans

    name = arch_named(arch).name
    return tuned_plans(chosen, machine_in(device.name, name) or machine_of(name) if device else machine_of(name))


def _compile_dynamic(
    module: ModuleOp,
    ctx: Context,
    entry: str | None,
    compile_static: Callable[..., Compiled],
    device: Device | None,
    watch: Callable[[str, ModuleOp], None] | None,
    plans: TunedPlans | None,
    requests: Mapping[str, int] | None,
) -> Compiled:
    """
    Compiles a program with dynamic sizes, for each set of sizes of its arguments when it is first used. `compile_static` is `compile`
    with its options.
    """
    from .analysis.program.signature import entry_function
    from .analysis.program.structural_hash import structural_hash
    from .passes.manager import PassManager
    from .runtime.compiled import CompiledForSizes, CompiledInParts
    from .text.verify import verify_module
    from .transforms.specialize_sizes import SpecializeSizes, sizes_by_key

    verify_module(module)
    function = entry_function(module, entry)
    name = function.sym_name.data

    def compile_part(static: ModuleOp, name: str) -> Compiled:
        if watch is not None:
            watch("specialize-sizes", static)
        return compile_static(static, entry=name)

    def compile_for(sizes: Mapping[str, int]) -> Compiled:
        static = module.clone()
        text = ",".join(f"{key}={size}" for key, size in sizes.items())
        try:
            PassManager([SpecializeSizes(text, name)], ctx, verify_input=False).run(static)
        except PtirError as error:
            from .runtime.in_parts import ALONE, InParts

            if not any(isinstance(op, ALONE) for op in function.walk()):
                raise
            log.info("@%s runs in parts: %s", name, error.message)
            executable = InParts(function, module, compile_part)
            return CompiledInParts(executable, device)
        return compile_part(static, name)

    if not sizes_by_key(function):
        return compile_for({})
    shared = None
    if requests:
        from .runtime.padding import SharedSizes

        shared = SharedSizes(module, function, requests)
        log.info("@%s has %s", name, counted(len(shared.sets), "shape set"))
    compiled = CompiledForSizes(function, compile_for, device, shared)
    if plans is not None:
        plans.count_at_end(compiled, compiled.requests, structural_hash(function))
    return compiled


def _require_device(device: object) -> None:
    if device is not None and (isinstance(device, type) or not callable(getattr(device, "run", None))):
        help = "ptir.Emulator() needs no GPU, ptir.Gpu(0) is the first one; without device= the arrays determine it"
        require(device, type(None), "device", "a device", help)


def run(
    source: str | Path | ModuleOp,
    *arrays: Any,
    arch: str = "sm80",
    entry: str | None = None,
    device: Device | None = None,
    out: Any = None,
    stream: object = None,
    **named: Any,
) -> tuple[Any, ...]:
    """Compiles a program and returns its results; see `compile` and `Compiled`."""
    return compile(source, arch=arch, entry=entry, device=device)(*arrays, out=out, stream=stream, **named)


def reference(
    source: str | Path | ModuleOp, *arrays: Array, entry: str | None = None, strict: bool = False, **named: Array
) -> tuple[Array, ...]:
    """
    Runs a program at any level above nv in the interpreters of `semantics/` and returns the results. NumPy arrays are
    passed by position or by name and returned as a named tuple, as in `Compiled`; a tuple is passed as one array per element.
    With `strict`, the program runs as if its module had the attribute `ptir.strict_floats`.

    IR text is verified before it runs; a `ModuleOp` is assumed to be valid. Raises `PtirError`s with a code and a location,
    such as `ArgumentMismatch` for an array of another shape or element type, and `NameConflict` if dimensions of one name
    have different sizes.
    """
    from .semantics.interpreter import call

    return _interpreted(call, source, arrays, named, entry, strict)


def bounds(
    source: str | Path | ModuleOp, *arrays: Array, entry: str | None = None, **named: Array
) -> tuple[Interval, ...]:
    """
    Returns an `Interval` for each result of a ptir program: its arrays `.lo` and `.hi`, of the result's shape, enclose every
    correct float result (`semantics/bounds/__init__.py`). Takes the arguments of `reference` and raises the same errors;
    also `NoBounds` for an op that has no error bounds.
    """
    from .semantics.bounds import bounds as intervals

    return _interpreted(intervals, source, arrays, named, entry)


def _interpreted(
    run: Callable[..., tuple[Any, ...]],
    source: str | Path | ModuleOp,
    arrays: Sequence[Any],
    named: Mapping[str, Any],
    entry: str | None,
    strict: bool = False,
) -> tuple[Any, ...]:
    from .analysis.program.signature import Signature, entry_function
    from .dialects.common.strict import make_strict
    from .text.verify import verify_module

    module = source
    if not isinstance(module, ModuleOp):
        module = parse(module)
        if strict:
            make_strict(module)
        verify_module(module)
    elif strict:
        make_strict(module := module.clone())
        verify_module(module)
    function = entry_function(module, entry)
    signature = Signature.of(function)
    arrays = signature.in_order(arrays, named)
    return signature.results_type._make(run(module, function.sym_name.data, *arrays))


def print_cuda(module: ModuleOp) -> str:
    """Returns the CUDA C++ of a module at the nv level. Raises `WrongLevel` for a module at another level."""
    from .backends.cuda.emit import print_cuda as emit

    require_module(module)
    return emit(module)
