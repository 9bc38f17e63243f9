// RUN: rm -f %t

// The codes of pipelines, passes and targets. Each command line is followed by what it says.

// RUN: not ptir-opt %s -p csee 2>>%t
// CHECK: {{.*}}error[PTIR0602]: unknown pass 'csee'
// CHECK: help: did you mean 'cse'?

// RUN: not ptir-opt %s -p 'func.func(topological-sort)' 2>>%t
// CHECK: {{.*}}error[PTIR0602]: unknown pass 'topological-sort'
// CHECK: help: definitions must dominate their uses here: the verifier checks it, and every pass keeps it

// RUN: not ptir-opt %s -p 'func.fun(cse)' 2>>%t
// CHECK: {{.*}}error[PTIR0617]: unknown operation 'func.fun'
// CHECK: help: did you mean 'func.func'?

// RUN: not ptir-opt %s --pass-pipeline='builtin.module(func.func(cse)' 2>>%t
// CHECK: {{.*}}error[PTIR0601]: this '(' is never closed

// RUN: not ptir-opt %s -p 'plan-regions{arch=sm80,stages=3}' 2>>%t
// CHECK: {{.*}}error[PTIR0601]: options are separated by spaces: write a space before 'stages'

// RUN: not ptir-opt %s -p 'builtin.module(cse),builtin.module(dce)' 2>>%t
// CHECK: {{.*}}error[PTIR0601]: write one builtin.module(…) around the whole pipeline

// RUN: not ptir-opt %s -p 'convert-scf-to-openmp{collaps=1}' 2>>%t
// CHECK: {{.*}}error[PTIR0603]: pass 'convert-scf-to-openmp' has no option 'collaps'
// CHECK: help: did you mean 'collapse'? valid options: collapse, nested, schedule, chunk

// RUN: not ptir-opt %s -p 'cse{x=1}' 2>>%t
// CHECK: {{.*}}error[PTIR0603]: pass 'cse' has no option 'x'
// CHECK: help: it takes no options

// RUN: not ptir-opt %s -p 'ptir-to-cuda{arhc=sm80}' 2>>%t
// CHECK: {{.*}}error[PTIR0603]: pipeline 'ptir-to-cuda' has no option 'arhc'
// CHECK: help: did you mean 'arch'? valid options: arch, strategy, stages, conv, tolerance, fused

// RUN: not ptir-opt %s -p 'convert-scf-to-openmp{collapse=many}' 2>>%t
// CHECK: {{.*}}error[PTIR0604]: option 'collapse' of 'convert-scf-to-openmp' is 'many', expected an integer

// RUN: not ptir-opt %s -p 'ptir-check-legality' 2>>%t
// CHECK: {{.*}}error[PTIR0604]: option 'target' of 'ptir-check-legality' is required

// RUN: not ptir-opt %s -p 'ptir-check-legality{target=cuda{arch=sm12}}' 2>>%t
// CHECK: {{.*}}error[PTIR0601]: expected a space or '}' after the value

// RUN: not ptir-opt %s -p 'ptir-check-legality{target=cud}' 2>>%t
// CHECK: {{.*}}error[PTIR0607]: unknown target 'cud'
// CHECK: help: did you mean 'cuda'?

// RUN: not ptir-opt %s -t cudaa 2>>%t
// CHECK: {{.*}}error[PTIR0607]: unknown target 'cudaa'
// CHECK: help: did you mean 'cuda'?

// RUN: not ptir-opt %s -t 'cuda{x=1}' 2>>%t
// CHECK: {{.*}}error[PTIR0603]: target 'cuda' has no option 'x'
// CHECK: help: it takes no options

// RUN: not ptir-opt %s -p 'func.func(ptir.neg(cse))' 2>>%t
// CHECK: {{.*}}error[PTIR0605]: cannot run passes on 'ptir.neg' alone: it is not isolated from above
// CHECK: help: anchor the pipeline on an operation that sees no outside values, such as func.func

// RUN: not ptir-opt %s -p 'transform-interpreter' 2>>%t
// CHECK: error[PTIR0600]: ModuleOp( builtin.module { …} ) could not find a nested named sequence with name: __transform_main

// RUN: not ptir-opt %s -p 'apply-pdl{pdl-file=%s}' 2>>%t
// CHECK: {{.*}}error[PTIR0041]: pass 'apply-pdl' failed on its options or its input: Currently only dialect resources are supported
// CHECK: help: see the options of the pass: --list-passes

// RUN: not ptir-opt %s -p 'mlir-opt{executable=false}' 2>>%t
// CHECK: {{.*}}error[PTIR0041]: pass 'mlir-opt' failed on its options or its input: Error executing mlir-opt pass
// CHECK: help: see the options of the pass: --list-passes

// RUN: not ptir-opt %s -p 'apply-pdl{pdl-file=%s.missing}' 2>>%t
// CHECK: {{.*}}error[PTIR0604]: option 'pdl-file' of 'apply-pdl' is '{{.*}}pipelines.mlir.missing', which is not a file

// RUN: not ptir-opt %s --run-reproducer 2>>%t
// CHECK: {{.*}}error[PTIR0040]: pass 'mlir-opt' has effects outside of the program, and no input may run it
// CHECK: help: if you trust the input, name the pass on the command line: -p 'mlir-opt{…}'

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.neg %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(mlir-opt)"
    }
  }
#-}

// RUN: filecheck %s --match-full-lines --input-file=%t
