"""
Writes the kernels of a module as Region JSON. The host function, which launches them, has no form and is left out.

A kernel that is more than loads, tiny ops and a yield, such as one that reads elements at given indices, or that has a plan, is refused:
nothing else is left out.
"""

from __future__ import annotations

from typing import Any

import msgspec
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.ir import Region as IRRegion

from ....dialects.common.kernel import UPDATED
from ....dialects.common.shapes import memref_of
from ....dialects.common.syntax import ints
from ....dialects.region import LoadOp, RegionKernelOp, YieldOp
from ..common.errors import NotInTheForm
from ..common.layout import Layout, format_json
from ..tiny.values import write_dtype
from ..tiny.writing import TinyWriter
from .form import FORM, Document, Input, MemRef, Output, Region, Statement

_REGION: Layout = {"inputs": {}, "outputs": {}, "body": {}, "values": {}}


def export_json(module: ModuleOp) -> str:
    """Returns the kernels of a verified module in JSON. Raises `NotInTheForm` for a kernel that the form cannot express."""
    kernels = [op for op in module.ops if isinstance(op, RegionKernelOp)]
    if not kernels:
        raise NotInTheForm(module, form=FORM, what="a module without kernels", help="run form-regions first")
    found = [_region(k) for k in kernels]
    document = Document(region=found[0]) if len(found) == 1 else Document(regions=found)
    fields: dict[str, Any] = msgspec.to_builtins(document, builtin_types=(bytes,))
    return format_json(fields, {"region": _REGION, "regions": {"*": _REGION}}) + "\n"


def _region(kernel: RegionKernelOp) -> Region:
    if kernel.plan is not None:
        help = "plans have a form of their own: export the kernel before plan-regions"
        raise NotInTheForm(kernel, form=FORM, what="a kernel with a plan", help=help)
    for word, output in zip(kernel.materialize, kernel.outputs, strict=True):
        if word.data == UPDATED:
            raise NotInTheForm(
                kernel,
                form=FORM,
                what=f"the updated output {output.name_hint or ''}",
                help="its elements are not all stored",
            )
    writer = TinyWriter()
    stores = [writer.names.of_value(o) for o in kernel.outputs]
    function = _function(kernel)
    program = writer.program(ModuleOp([function]))
    block = function.body.block
    loads = [writer.names[argument] for argument in block.args]
    stored = [writer.names[v] for v in block.last_op.operands] if block.last_op is not None else []
    of_inputs, of_outputs = ints(kernel.alignments)[: len(loads)], ints(kernel.alignments)[len(loads) :]
    inputs = [Input(n, _memref(m, a)) for n, m, a in zip(loads, kernel.inputs, of_inputs, strict=True)]
    outputs = [
        Output(n, _memref(m, a), "gmem" if word.data == "gmem" else "deferred")
        for n, m, a, word in zip(stores, kernel.outputs, of_outputs, kernel.materialize, strict=True)
    ]
    body = [Statement(let=op.outputs[0], op=op) for op in program.ops]
    body.append(Statement(stores=[f"{value} -> {name}" for value, name in zip(stored, stores, strict=True)]))
    values = {name: value for name, value in program.values.items() if name not in loads}
    return Region(kernel.sym_name.data, inputs, outputs, body, values)


def _function(kernel: RegionKernelOp) -> FuncOp:
    """Returns the function of tensors that a kernel computes."""
    types = [TensorType(memref_of(m).element_type, memref_of(m).get_shape()) for m in kernel.inputs]
    block = Block(arg_types=types)
    mapping: dict[SSAValue, SSAValue] = {}
    for argument, memref in zip(block.args, kernel.inputs, strict=True):
        argument.name_hint = memref.name_hint
    for op in kernel.body.block.ops:
        if isinstance(op, LoadOp) and isinstance(memref := op.memref, BlockArgument):
            mapping[op.result] = block.args[memref.index]
        elif isinstance(op, YieldOp):
            block.add_op(ReturnOp(*(mapping[v] for v in op.values)))
        else:
            clone = op.clone(mapping)
            clone.location = op.location
            block.add_op(clone)
    results = [v.type for v in block.last_op.operands] if block.last_op is not None else []
    return FuncOp(kernel.sym_name.data, (types, results), IRRegion(block))


def _memref(value: SSAValue, alignment: int) -> MemRef:
    t = memref_of(value)
    strides = [n for n in t.get_strides() or () if n is not None]
    return MemRef(list(t.get_shape()), strides, alignment, write_dtype(t.element_type))
