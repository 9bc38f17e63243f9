"""
ptir inside a Python program: read or build a module, run passes on it, compile it, call it, check the numbers.

    python examples/embed.py

Needs no GPU: without one the kernels run in the PTX emulator.
"""

from __future__ import annotations

import sys

import ml_dtypes
import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, StringAttr, TensorType, bf16, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

import ptir
from ptir.dialects import ptir as tensors
from ptir.passes.manager import Instrumentation
from ptir.passes.validation import Interpret, ValidatePasses
from ptir.semantics.bounds import check
from ptir.transforms.form_regions import FormRegions
from ptir.transforms.plan_regions import PlanRegions
from ptir.transforms.ptir_to_tiny import PtirToTiny

TEXT = """
func.func @layer(%x: tensor<70x40xbf16>, %w: tensor<40x24xbf16>, %b: tensor<24xf32>) -> tensor<70x24xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
     : (tensor<70x40xbf16>, tensor<40x24xbf16>) -> tensor<70x24xf32>
  %1 = ptir.broadcast_to %b : tensor<24xf32> -> tensor<70x24xf32>
  %2 = ptir.add %0, %1 : tensor<70x24xf32>
  %3 = ptir.constant dense<0.0> : tensor<f32>
  %4 = ptir.broadcast_to %3 : tensor<f32> -> tensor<70x24xf32>
  %5 = ptir.maximum %2, %4 : tensor<70x24xf32>
  func.return %5 : tensor<70x24xf32>
}
"""


def build(rows: int, inner: int, columns: int) -> ModuleOp:
    """`max(x @ w + b, 0)` op by op; what `TEXT` says for 70, 40 and 24."""
    sizes = [rows, columns]
    inputs = [TensorType(bf16, [rows, inner]), TensorType(bf16, [inner, columns]), TensorType(f32, [columns])]
    function = FuncOp("layer", (inputs, [TensorType(f32, sizes)]))
    with ImplicitBuilder(function.body) as (x, w, b):
        product = tensors.DotGeneralOp(x, w, contract=([1], [0]), accum=f32, out=f32)
        bias = tensors.BroadcastToOp(b, sizes)
        total = tensors.AddOp(product.result, bias.result)
        zero = tensors.ConstantOp(DenseIntOrFPElementsAttr.from_list(TensorType(f32, []), [0.0]))
        zeros = tensors.BroadcastToOp(zero.result, sizes)
        ReturnOp(tensors.MaximumOp(total.result, zeros.result).result)
    for name, argument in zip("xwb", function.body.block.args, strict=True):
        argument.name_hint = name
    return ModuleOp([function], {"ptir.spec_version": StringAttr(tensors.SPEC_VERSION)})


class CountOperations(Instrumentation):
    """Says how large the module is after every pass."""

    def after_pass(self, pass_: ModulePass, scope: Operation) -> None:
        print(f"  after {pass_.name}: {sum(1 for _ in scope.walk())} operations")


def main() -> int:
    # A module from text, and the same one from Python.
    parsed, built = ptir.parse(TEXT), build(70, 40, 24)
    same = [op.name for op in parsed.walk()] == [op.name for op in built.walk()]
    print(f"parsed and built: {'the same operations' if same else 'DIFFERENT'}")

    # A pipeline is text, as for ptir-opt, or a list of pass objects.
    # Instrumentations see every pass; this one also runs the program before and after it, and compares.
    print("a pipeline from text, each pass validated:")
    watching = [CountOperations(), ValidatePasses([Interpret()])]
    manager = ptir.PassManager("ptir-to-tiny,form-regions,plan-regions{arch=sm80}", instrumentations=watching)
    by_text = manager.run(built.clone())
    slowest = max(manager.timer.passes, key=lambda span: span.seconds)
    print(f"slowest pass: {slowest.name}, {1e3 * slowest.seconds:.0f} ms")
    by_list = ptir.PassManager([PtirToTiny(), FormRegions(), PlanRegions(arch="sm80")]).run(built.clone())
    equal = str(by_text) == str(by_list)
    print(f"a pipeline from passes: {'the same IR' if equal else 'DIFFERENT'}")

    # Compile from any level: the regions above carry their plan, and only the rest of the way is left.
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal(shape).astype(ml_dtypes.bfloat16) for shape in ((70, 40), (40, 24)))
    b = rng.standard_normal(24).astype(np.float32)
    layer = ptir.compile(by_text, arch="sm80")
    (y,) = layer(x, w, b)
    print(f"ran on {layer.device.name if layer.device else '?'}: {y.dtype}{list(y.shape)}")

    # The interpreter says what the program means; the bounds say how far a correct machine may be from that.
    (want,), (bound,) = ptir.reference(built, x, w, b), ptir.bounds(built, x, w, b)
    within = check(y, bound).ok
    verdict = "within the bound" if within else "PAST THE BOUND"
    print(f"largest error against the reference: {np.abs(y - want).max():.2g}, {verdict}")
    return 0 if same and equal and within else 1


if __name__ == "__main__":
    sys.exit(main())
