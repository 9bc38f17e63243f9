"""The words by which a plan may name the ops of an epilogue: functions, those of the specification, and names of Tiny JSON."""

from __future__ import annotations

from functools import cache

import pytest
from xdsl.dialects.builtin import StringAttr

import ptir
from ptir.analysis.regions.kernel_space import kernel_space
from ptir.dialects.region import RegionKernelOp
from ptir.dialects.tiny.vocabulary import OP_NAME
from ptir.passes.manager import PassManager
from ptir.planning.epilogue import edge_ends, epilogue_ops, labels_match

T, B = "tensor<32x32xf32>", "tensor<32xf32>"
STEPS = {
    "bias": f"%b1 = ptir.broadcast_to %b : {B} -> {T}\n  %y = ptir.add %x, %b1 : {T}",
    "residual": f"%y = ptir.add %x, %r : {T}",
    "relu": f"%z0 = ptir.constant dense<0.0> : tensor<f32>\n  %z = ptir.broadcast_to %z0 : tensor<f32> -> {T}\n  %y = ptir.maximum %x, %z : {T}",
    "silu": f"%s = ptir.logistic %x : {T}\n  %y = ptir.mul %x, %s : {T}",
    "gelu": f"""%c0 = ptir.constant dense<0.70710678> : tensor<f32>
  %c = ptir.broadcast_to %c0 : tensor<f32> -> {T}
  %h0 = ptir.constant dense<0.5> : tensor<f32>
  %h = ptir.broadcast_to %h0 : tensor<f32> -> {T}
  %o0 = ptir.constant dense<1.0> : tensor<f32>
  %o = ptir.broadcast_to %o0 : tensor<f32> -> {T}
  %1 = ptir.mul %x, %c : {T}
  %2 = ptir.erf %1 : {T}
  %3 = ptir.add %2, %o : {T}
  %4 = ptir.mul %x, %h : {T}
  %y = ptir.mul %4, %3 : {T}""",
    "square of sigmoid": f"%s = ptir.logistic %x : {T}\n  %y = ptir.mul %s, %s : {T}",
    "abs": f"%y = ptir.abs %x : {T}",
}
"""The ops of a step that computes `%y` from `%x`."""


@cache
def kernel_of(*steps: str) -> RegionKernelOp:
    """Returns the region of a product that these steps follow."""
    lines, value = list[str](), "%v0"
    for number, step in enumerate(steps, start=1):
        names = {"%x": value, "%y": f"%v{number}"}
        text = STEPS[step]
        for name in ("%b1", "%z0", "%z", "%s", "%c0", "%c", "%h0", "%h", "%o0", "%o", "%1", "%2", "%3", "%4"):
            text = text.replace(f"{name} ", f"{name.replace('%', f'%t{number}')} ").replace(
                f"{name},", f"{name.replace('%', f'%t{number}')},"
            )
        lines.append(text.replace("%x", names["%x"]).replace("%y", names["%y"]))
        value = f"%v{number}"
    text = f"""builtin.module attributes {{ptir.extensions}} {{
func.func @f(%a: tensor<32x64xbf16>, %w: tensor<64x32xbf16>, %b: {B}, %r: {T}) -> {T} {{
  %v0 = ptir.dot_general %a, %w contract [1] x [0] accum f32 out f32 : (tensor<32x64xbf16>, tensor<64x32xbf16>) -> {T}
  {chr(10).join(lines)}
  func.return {value} : {T}
}}}}"""
    module = PassManager("ptir-to-tiny,form-regions").run(ptir.parse(text))
    (kernel,) = (op for op in module.body.block.ops if isinstance(op, RegionKernelOp))
    return kernel


@pytest.mark.parametrize(
    ("steps", "labels", "match"),
    [
        (("bias", "relu"), ("bias", "relu"), True),
        (("bias", "relu"), ("add", "max"), True),
        (("bias", "relu"), ("bias", "max"), True),
        (("bias", "relu"), ("relu", "bias"), False),
        (("bias", "relu"), ("bias",), False),
        (("bias", "relu"), ("bias", "relu", "relu"), False),
        (("bias", "relu"), ("residual", "relu"), False),
        (("residual",), ("residual",), True),
        (("residual",), ("bias",), False),
        (("bias", "residual", "silu"), ("bias", "residual", "silu"), True),
        (("silu",), ("sigmoid", "mul"), True),
        (("silu",), ("gelu",), False),
        (("gelu",), ("gelu",), True),
        (("gelu",), ("silu",), False),
        (("bias", "gelu", "residual"), ("bias", "gelu", "residual"), True),
        (("square of sigmoid",), ("silu",), False),
        (("abs",), ("relu",), False),
        ((), (), True),
    ],
)
def test_labels(steps: tuple[str, ...], labels: tuple[str, ...], match: bool):
    kernel = kernel_of(*steps)
    assert labels_match(labels, epilogue_ops(kernel, kernel_space(kernel))) == match


def test_names_of_tiny_json():
    kernel = kernel_of("bias", "relu").clone()
    space = kernel_space(kernel)
    ops = epilogue_ops(kernel, space)
    ops[0].attributes[OP_NAME] = StringAttr("bias_add")
    assert space.contraction is not None
    space.contraction.op.attributes[OP_NAME] = StringAttr("product")
    assert labels_match(("bias_add", "relu"), ops) and not labels_match(("bias_add",), ops)
    sums, after = edge_ends(kernel, space)
    assert sums == {"sum", "sum_k", "product"} and after == {"add", "bias", "bias_add", "max", "relu"}
