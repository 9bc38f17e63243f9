// RUN: not ptir-opt %s -p 'cse,form-regions,cse' --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | filecheck %s --check-prefix=FIRST
// RUN: not ptir-opt %t.mlir --run-reproducer 2>&1 | filecheck %s --check-prefix=AGAIN
// RUN: not ptir-opt %s -p 'cse,form-regions,cse' --mlir-pass-pipeline-crash-reproducer=%t.mlir --mlir-pass-pipeline-local-reproducer > /dev/null 2>&1
// RUN: filecheck %s --check-prefix=LOCAL --input-file=%t.mlir
// RUN: ptir-opt %s -p 'cse,ptir-canonicalize{fast=false fold-limit=4}' --mlir-generate-reproducer=%t.mlir -o /dev/null
// RUN: ptir-opt %t.mlir --run-reproducer --dump-pass-pipeline 2>&1 >/dev/null | filecheck %s --check-prefix=PIPELINE
// RUN: not ptir-opt %s --run-reproducer 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not ptir-opt %s --run-reproducer --cse 2>&1 | filecheck %s --check-prefix=BOTH

// FIRST:      reproducer.mlir:[[# @LINE + 10]]:8: error[PTIR0211]
// FIRST:      note: reproducer written to {{.*}}.mlir
// AGAIN:      error[PTIR0211]: 'ptir.add' does not belong in the input of form-regions
// LOCAL-NOT:  // RUN
// LOCAL:      pipeline: "builtin.module(form-regions)"
// PIPELINE:   builtin.module(cse,ptir-canonicalize{fold-limit=4})
// NONE:       error[PTIR0614]: {{.*}} is not a reproducer
// BOTH:       error[PTIR0612]: --run-reproducer takes the pipeline from the file

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.add %x, %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
