"""A small program of each family of kernels, with the plan that the planner makes for it, and other plans of its kernel."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.backends.cuda.emit import emit_cuda
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Schedule
from ptir.dialects.region import RegionKernelOp
from ptir.passes.manager import PassManager
from ptir.runtime.compile import to_regions
from tests.unit.builders.attention_cases import Case

PRODUCT = """
func.func @f(%x: tensor<256x64xbf16>, %w: tensor<64x256xbf16>, %b: tensor<256xf32>) -> tensor<256x256xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<256x64xbf16>, tensor<64x256xbf16>) -> tensor<256x256xf32>
  %1 = ptir.broadcast_to %b : tensor<256xf32> -> tensor<256x256xf32>
  %2 = ptir.add %0, %1 : tensor<256x256xf32>
  func.return %2 : tensor<256x256xf32>
}"""
CONVOLUTION = """
builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2x8x8x64xbf16>, %w: tensor<3x3x64x64xbf16>) -> tensor<2x8x8x64xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<2x8x8x64xbf16>, tensor<3x3x64x64xbf16>) -> tensor<2x8x8x64xf32>
  %1 = ptir.logistic %0 : tensor<2x8x8x64xf32>
  func.return %1 : tensor<2x8x8x64xf32>
}}"""
ROWS = """
func.func @f(%x: tensor<64x{n}xf32>) -> tensor<64x{n}xf32> {{
  %0 = ptir.reduce sum %x axes [1] keepdims : tensor<64x{n}xf32> -> tensor<64x1xf32>
  %1 = ptir.broadcast_to %0 : tensor<64x1xf32> -> tensor<64x{n}xf32>
  %2 = ptir.sub %x, %1 : tensor<64x{n}xf32>
  func.return %2 : tensor<64x{n}xf32>
}}"""
ADJACENT = """
func.func @f(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %0 = ptir.reduce sum %x axes [0] keepdims : tensor<64x256xf32> -> tensor<1x256xf32>
  %1 = ptir.broadcast_to %0 : tensor<1x256xf32> -> tensor<64x256xf32>
  %2 = ptir.sub %x, %1 : tensor<64x256xf32>
  func.return %2 : tensor<64x256xf32>
}"""
COLUMNS = """
func.func @f(%x: tensor<4096x256xf32>) -> tensor<256xf32> {
  %0 = ptir.reduce sum %x axes [0] : tensor<4096x256xf32> -> tensor<256xf32>
  func.return %0 : tensor<256xf32>
}"""
ELEMENTWISE = """
func.func @f(%x: tensor<256x512xf32>, %b: tensor<512xf32>) -> tensor<256x512xf32> {
  %0 = ptir.broadcast_to %b : tensor<512xf32> -> tensor<256x512xf32>
  %1 = ptir.add %x, %0 : tensor<256x512xf32>
  func.return %1 : tensor<256x512xf32>
}"""
SCATTER = """
func.func @f(%x: tensor<4096xsi32>) -> tensor<256xsi32> {
  %one = ptir.constant dense<1> : tensor<4096xsi32>
  %0 = ptir.segment_reduce sum %one, %x : (tensor<4096xsi32>, tensor<4096xsi32>) -> tensor<256xsi32>
  func.return %0 : tensor<256xsi32>
}"""

LAYOUTS = """
func.func @f(%x: tensor<256x512xf32>) -> tensor<512x256xf32> {
  %0 = ptir.transpose %x [1, 0] : tensor<256x512xf32> -> tensor<512x256xf32>
  %1 = ptir.abs %0 : tensor<512x256xf32>
  func.return %1 : tensor<512x256xf32>
}"""

PROGRAMS: Mapping[str, tuple[str, str]] = {
    "product on sm80": (PRODUCT, "arch=sm80 stages=3"),
    "product on sm90": (PRODUCT, "arch=sm90 stages=3"),
    "convolution on sm80": (CONVOLUTION, "arch=sm80"),
    "convolution on sm90": (CONVOLUTION, "arch=sm90"),
    "attention on sm80": (Case(256, 256, 64).text, "arch=sm80"),
    "attention on sm90": (Case(256, 256, 64).text, "arch=sm90"),
    "rows": (ROWS.format(n=1024), "arch=sm80"),
    "rows of clusters": (ROWS.format(n=65536), "arch=sm90"),
    "adjacent rows": (ADJACENT, "arch=sm80"),
    "columns": (COLUMNS, "arch=sm80"),
    "elementwise": (ELEMENTWISE, "arch=sm80"),
    "layouts": (LAYOUTS, "arch=sm80"),
    "scatter": (SCATTER, "arch=sm80"),
}
"""The program of each family, and the options of `plan-regions`."""


@cache
def regions(family: str) -> ModuleOp:
    """Returns the module of a family's program, whose regions have plans."""
    text, options = PROGRAMS[family]
    arch = options.split("=")[1].split()[0]
    return PassManager(f"{to_regions(arch)},plan-regions{{{options}}}").run(ptir.parse(text))


def kernel_of(module: ModuleOp) -> RegionKernelOp:
    """Returns the last kernel of a module."""
    return [op for op in module.body.block.ops if isinstance(op, RegionKernelOp)][-1]


def plan_of(family: str) -> dict[str, Any]:
    """Returns the fields of the plan that the planner makes for a family's kernel."""
    plan = kernel_of(regions(family)).plan
    assert plan is not None
    return plan.schedule().to_dict()


def with_plan(family: str, fields: Mapping[str, Any]) -> ModuleOp:
    """Returns a copy of the family's module whose last kernel has another plan, checked by `plan-regions`."""
    module = regions(family).clone()
    kernel_of(module).plan = ScheduleAttr(msgspec.convert(fields, Schedule))
    return PassManager(f"plan-regions{{{PROGRAMS[family][1]}}}").run(module)


def cuda_of(module: ModuleOp) -> str:
    """Returns the CUDA C++ of a copy of a module with plans."""
    return emit_cuda(PassManager("region-to-pto,pto-to-nv").run(module.clone())).text
