// RUN: not ptir-opt %s -p plan-regions 2>&1 | filecheck %s --check-prefix=PLAN
// RUN: not ptir-opt %s -p region-to-pto 2>&1 | filecheck %s --check-prefix=PTO
// RUN: not ptir-opt %s -p 'ptir-to-tiny,form-regions,pto-to-nv' 2>&1 | filecheck %s --check-prefix=NV
// RUN: ptir-opt %s -p 'ptir-to-cuda,plan-regions,region-to-pto,pto-to-nv' | filecheck %s --check-prefix=AGAIN

// A lowering of kernels refuses a program that has not come down to its level, and leaves one that is below it alone.

// PLAN:  wrong_level.mlir:[[# @LINE + 14]]:8: error[PTIR0211]: 'ptir.neg' does not belong in the input of plan-regions
// PLAN:  help: run ptir-to-tiny,form-regions first
// PTO:   error[PTIR0211]: 'ptir.neg' does not belong in the input of region-to-pto
// NV:    error[PTIR0211]: 'region.kernel' does not belong in the input of pto-to-nv
// NV:    help: run plan-regions,region-to-pto first
// AGAIN: nv.launch

// A function that is left behind is seen beside others that have come down.
// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions' -o %t
// RUN: echo 'func.func @late(%%x: tensor<4xf32>) { %%0 = tiny.unary neg %%x : tensor<4xf32> -> tensor<4xf32> func.return }' >> %t
// RUN: not ptir-opt %t -p plan-regions 2>&1 | filecheck %s --check-prefix=LATE
// LATE:  error[PTIR0211]: 'tiny.unary' does not belong in the input of plan-regions

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.neg %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
