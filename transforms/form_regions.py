"""
`form-regions`: cuts a function of tiny ops into kernels and leaves a host function of launches.

```
func @f(tensors) { tiny … }      →      region.kernel @f_0 { load · tiny · yield }  …
                                        func @f(memrefs) { alloc · launch … · return }
```

Equal kernels are formed once and launched several times, whichever functions they come from.
Integer divisions whose divisor may be zero, and gathers whose indices may be out of range, get the numbers by which kernels report
them, in descending order.
`analysis/regions/fusion.py` decides what is fused, from access maps that it computes from the IR. A `poly.view` in the
input is checked against the IR and then removed.
Spec: `tensor-compiler.ja §4.1`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import FunctionType, IntegerAttr, MemRefType, ModuleOp, StringAttr, UnitAttr, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ..analysis.index.static_sizes import require_static, require_static_types
from ..analysis.poly.view import build_view
from ..analysis.program.statistics import count
from ..analysis.program.structural_hash import structural_hash
from ..analysis.regions.fusion import Fusion, Kernel
from ..dialects import ptir, region, tiny
from ..dialects.common.kernel import free_symbol
from ..dialects.common.shapes import shape, tensor
from ..dialects.poly import ViewOp
from ..errors import StaleView, Unsupported, counted
from ..semantics.arrays.scalars import dense_array
from .ptir_to_tiny import require_tiny

ARGUMENT_ALIGNMENT = 16
"""Alignment, in bytes, that the runtime requires of every array that a caller passes."""
BUFFER_ALIGNMENT = 256
"""Alignment, in bytes, that every device guarantees for its allocations (`cuMemAlloc`; the emulator's is larger)."""


@dataclass(frozen=True)
class FormRegions(ModulePass):
    """Forms a `region.kernel` for each kernel of `Fusion`; the function becomes allocations and launches."""

    name = "form-regions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        views = [o for o in op.body.block.ops if isinstance(o, ViewOp)]
        functions = [o for o in op.body.block.ops if isinstance(o, FuncOp) and not o.is_declaration]
        for function in functions:
            require_tiny(function)
            require_static_types(function)
            require_static(function)
        for view in views:
            _check_view(view, {f.sym_name.data: f for f in functions})
            Rewriter.erase_op(view)
        failing = [o for function in functions for o in function.body.walk() if may_divide_by_zero(o) or may_leave(o)]
        for number, reporting in enumerate(reversed(failing), start=1):
            reporting.properties["report"] = IntegerAttr(number, i64)
        formed: dict[str, str] = {}
        for function in functions:
            _Outliner(op, function, Fusion(function), formed).run()


def may_divide_by_zero(op: Operation) -> bool:
    """Returns whether an op divides integers, unless the divisor has constant elements none of which is zero."""
    if not (isinstance(op, tiny.BinaryOp) and op.divides_integers):
        return False
    divisor = op.inputs[1].owner
    while isinstance(divisor, tiny.MovementOp):
        if divisor.value is not None and not any(divisor.value.dense.data.data):
            return True
        divisor = divisor.input.owner
    return not (isinstance(divisor, tiny.ConstOp) and np.all(dense_array(divisor.value)))


def may_leave(op: Operation) -> bool:
    """Returns whether an op reads at indices that may be out of range, unless they have constant elements."""
    if not isinstance(op, ptir.GatherOp):
        return False
    indices = op.indices.owner
    while isinstance(indices, tiny.MovementOp) and indices.value is None:
        indices = indices.input.owner
    if not isinstance(indices, tiny.ConstOp):
        return True
    numbers = dense_array(indices.value)
    return bool(np.any((numbers < 0) | (numbers >= shape(op.x)[op.axis()])))


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


def memref_type(value: SSAValue) -> MemRefType[Attribute]:
    t = tensor(value)
    return MemRefType(t.element_type, t.get_shape())


class _Outliner:
    """Moves the kernels out of one function, which becomes the host function that launches them."""

    def __init__(self, module: ModuleOp, function: FuncOp, fusion: Fusion, formed: dict[str, str]):
        self.module = module
        self.formed = formed
        """The symbols of the kernels of all functions by their structural hashes."""
        self.function = function
        self.fusion = fusion
        last = function.body.block.last_op
        self.results: list[SSAValue] = list(last.operands) if last is not None else []
        """The values that the function returns."""
        self.buffers: dict[SSAValue, SSAValue] = {}
        self.kernels = 0
        """The number of kernels formed of this function."""

    def run(self) -> None:
        old = self.function.body.block
        host = _memref_block(old.args)
        self.buffers |= zip(old.args, host.args, strict=True)
        builder = Builder(InsertPoint.at_end(host))

        def add(op: Operation, like: Operation) -> Operation:
            op.location = like.location
            return builder.insert(op)

        for kernel in self.fusion.kernels:
            leaves = kernel.leaves()
            for leaf in (v for v in leaves if v not in self.buffers):
                self._constant(builder, leaf)
            for root in kernel.roots:
                t = memref_type(root)
                self.buffers[root] = add(
                    memref.AllocOp.get(t.element_type, shape=t.get_shape()), self._owner(root)
                ).results[0]
            ins = [self.buffers[v] for v in leaves]
            outs = [self.buffers[r] for r in kernel.roots]
            add(region.LaunchOp(self._kernel(kernel, leaves), ins, outs), self._owner(kernel.roots[0]))
        for result in (v for v in self.results if v not in self.buffers):
            self._constant(builder, result)
        last = old.last_op
        if last is not None:
            add(ReturnOp(*(self.buffers[v] for v in self.results)), last)
        self.function.body.detach_block(old)
        self.function.body.add_block(host)
        self.function.function_type = FunctionType.from_lists(
            [a.type for a in host.args], [self.buffers[v].type for v in self.results]
        )
        old.erase(safe_erase=False)

    def _owner(self, value: SSAValue) -> Operation:
        """Returns the op that defines `value`, or the function if it is an argument."""
        return value.owner if isinstance(value.owner, Operation) else self.function

    def _constant(self, builder: Builder, value: SSAValue) -> None:
        """Turns a dense literal into a global that the host function passes to kernels."""
        op = value.owner
        if not isinstance(op, tiny.ConstOp):
            raise Unsupported(self.function, what=f"reading {value}", need="report this program")
        name = free_symbol(self.module, f"{self.function.sym_name.data}_const{self.fusion.order[op]}")
        t = memref_type(value)
        stored = memref.GlobalOp.get(
            StringAttr(name), t, op.value, sym_visibility=StringAttr("private"), constant=UnitAttr()
        )
        self.module.body.block.insert_op_before(stored, self.function)
        get = memref.GetGlobalOp(name, t)
        stored.location = get.location = op.location
        self.buffers[value] = builder.insert(get).memref

    def _kernel(self, kernel: Kernel, leaves: list[SSAValue]) -> str:
        """
        Clones the kernel's ops, in program order, between loads and a yield. Returns the symbol of the kernel, or of an equal one that
        was formed before.
        """
        block = _memref_block((*leaves, *kernel.roots))
        mapping: dict[SSAValue, SSAValue] = {}
        for arg, value in zip(block.args, leaves, strict=False):
            load = region.LoadOp(arg)
            load.result.name_hint = value.name_hint or None
            load.location = self._owner(value).location
            block.add_op(load)
            mapping[value] = load.result
        for op in sorted(kernel.ops(), key=lambda o: self.fusion.order[o]):
            if op.results[0] in leaves:
                continue
            clone = op.clone(mapping)
            clone.location = op.location
            block.add_op(clone)
        done = region.YieldOp([mapping[r] for r in kernel.roots])
        done.location = self._owner(kernel.roots[-1]).location
        block.add_op(done)
        outside = set(self.results)
        op = region.RegionKernelOp(
            free_symbol(self.module, f"{self.function.sym_name.data}_{self.kernels}"),
            len(leaves),
            [
                BUFFER_ALIGNMENT if isinstance(v.owner, Operation) else ARGUMENT_ALIGNMENT
                for v in (*leaves, *kernel.roots)
            ],
            ["gmem" if r in outside else "deferred" for r in kernel.roots],
            Region(block),
        )
        op.location = self._owner(kernel.roots[0]).location
        if (known := self.formed.get(digest := structural_hash(op))) is not None:
            op.erase()
            count("launches of a kernel that is formed already")
            return known
        self.formed[digest] = name = op.sym_name.data
        self.kernels += 1
        count("kernels formed")
        count("operations in kernels", len(list(block.ops)))
        count("buffers between kernels", sum(r not in outside for r in kernel.roots))
        self.module.body.block.insert_op_before(op, self.function)
        return name


def _memref_block(values: Sequence[SSAValue]) -> Block:
    """Returns a block with a memref argument for each tensor in `values`, with the tensor's name."""
    block = Block(arg_types=[memref_type(v) for v in values])
    for arg, value in zip(block.args, values, strict=True):
        arg.name_hint = value.name_hint or None
    return block
