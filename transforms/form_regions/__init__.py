"""
`form-regions`: cuts a function of tiny ops into kernels and leaves a host function of launches.

```
func @f(tensors) { tiny … }      →      region.kernel @f_0 { load · tiny · yield }  …
                                        func @f(memrefs) { alloc · launch … · return }
```

Loops, branches and calls stay in the host function, on memrefs (`control.py`); the blocks inside them are cut into kernels, too.
Equal kernels are formed once and launched several times, whichever functions and blocks they come from; independent launches of one are
a group, which becomes one launch (`groups.py`).
Ops that may fail, such as divisions of integers, get the numbers by which kernels report them, in descending order.
`analysis/regions/fusion.py` decides what may be fused, from access maps that it computes from the IR, and the `strategy` what is
(`planning/fusion`). A `poly.view` in the input is checked against the IR and then removed.
Spec: `tensor-compiler.ja §4.1`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ...analysis.index.static_sizes import require_static, require_static_types
from ...analysis.poly.view import build_view
from ...analysis.regions.chained import Chained
from ...analysis.regions.fusion import NO_TEMPLATE, Fusion
from ...analysis.regions.kernel_ops import is_atomic_scatter
from ...analysis.regions.places import is_splat
from ...dialects import ptir, tiny
from ...dialects.common.strict import is_strict
from ...dialects.poly import ViewOp
from ...errors import StaleView, counted
from ...planning.attention import chained_problem, multiplies_again
from ...planning.fusion.strategies import Strategy, choice
from ...targets.architectures import ARCH_NAMES, arch_named
from ...targets.machines import machine_of
from ..ptir_to_tiny import require_tiny
from .failures import may_fail, may_leave
from .groups import form_groups
from .host import write_host
from .joined_rows import split_joined_rows
from .kernels import share_kernels
from .layers import outline_layers, passed_on
from .quotients import move_quotients
from .split_results import split_results
from .wide_operands import widen_operands
from .wide_softmax import widen_softmaxes


@dataclass(frozen=True)
class FormRegions(ModulePass):
    """Forms a `region.kernel` for each kernel of `Fusion`; the function becomes allocations and launches."""

    name = "form-regions"
    arch: str | None = None
    """The architecture of the kernels: with it, chained products that a template of the architecture computes, such as attention, are one kernel."""
    strategy: Strategy = "exact"
    """`exact` and `greedy` fuse by the cost model, `maximal` fuses whatever is legal, and `none` only movements."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        arch, strict = None if self.arch is None else arch_named(self.arch), is_strict(op)
        by_cost, by_tensors = self.strategy in ("exact", "greedy"), arch is not None and not strict
        functions = [o for o in op.body.block.ops if isinstance(o, FuncOp) and not o.is_declaration]
        _check_input(op, functions)
        layers = [each for function in functions if by_cost for each in outline_layers(op, function)]
        functions = [*(each.function for each in layers), *functions]
        _number_reports(functions)
        for scatter in [o for function in functions for o in function.body.walk() if is_atomic_scatter(o)]:
            own_fill(scatter)
        for function in functions if by_cost else ():
            split_results(function)
        machine = machine_of(ARCH_NAMES[0] if arch is None else arch.name)
        again = partial(multiplies_again, machine=machine)
        for function in functions if by_tensors else ():
            split_joined_rows(function)
            widen_softmaxes(function)
            move_quotients(function)
            widen_operands(function, again)
        choose = choice(self.strategy, machine)

        def chained(products: Sequence[Chained]) -> str | None:
            if strict:
                return "the sums of strict floats have an order"
            return NO_TEMPLATE if arch is None else chained_problem(products, arch)

        def fuse(block: FuncOp | Block) -> Fusion:
            return Fusion(block, chained, choose, by_cost, windows=by_tensors, again=again)

        formed, inner = dict[str, str](), passed_on(layers)
        for function in functions:
            write_host(op, function, formed, fuse, inner.get(function, ()))
        for each in layers:
            each.inline()
        if layers:
            share_kernels(op, formed)
        if by_cost:
            form_groups(op, functions[len(layers) :], machine)


def _check_input(module: ModuleOp, functions: Sequence[FuncOp]) -> None:
    """Checks that functions are of tiny ops of static sizes, and that views are those of the functions; erases the views."""
    for function in functions:
        require_tiny(function)
        require_static_types(function)
        require_static(function)
    for view in [o for o in module.body.block.ops if isinstance(o, ViewOp)]:
        _check_view(view, {f.sym_name.data: f for f in functions})
        Rewriter.erase_op(view)


def _number_reports(functions: Sequence[FuncOp]) -> None:
    """Numbers the ops that may fail, the last one first: kernels report these numbers, and the largest one is the first failure."""
    failing = [o for function in functions for o in function.body.walk() if may_fail(o) or may_leave(o)]
    for number, failed in enumerate(reversed(failing), start=1):
        failed.properties["report"] = IntegerAttr(number, i64)


def own_fill(scatter: ptir.ScatterReduceOp) -> None:
    """Gives a scatter whose initial elements are a splat constant, which others may use, a copy of it: it is updated in place."""
    source = scatter.x
    while isinstance(source.owner, tiny.MovementOp) and source.owner.value is None:
        source = source.owner.input
    if is_splat(source) and isinstance(op := scatter.x.owner, Operation) and not scatter.x.has_one_use():
        Rewriter.insert_op(copy := op.clone(), InsertPoint.before(scatter))
        scatter.operands[0] = copy.results[0]


def _check_view(view: ViewOp, functions: dict[str, FuncOp]) -> None:
    """Raises `StaleView` if a view differs from the view that is computed from the IR."""
    name = view.function.data
    if name not in functions:
        raise StaleView(
            view, function=name, block="its head", got=f"@{name}", want="the name of a function in the module"
        )
    shared = any(edge.anti or edge.output for edge in view.edges)
    fresh = build_view(functions[name], buffers=shared)
    for got, want in zip(view.body.block.ops, fresh.body.block.ops, strict=False):
        if (got.name, got.properties) != (want.name, want.properties):
            raise StaleView(
                got, function=name, block=got.properties.get("sym_name", "an edge"), got=str(got), want=str(want)
            )
    if len(view.body.block.ops) != len(fresh.body.block.ops):
        got, want = (counted(len(v.body.block.ops), "entry", "entries") for v in (view, fresh))
        raise StaleView(view, function=name, block="its end", got=got, want=want)
