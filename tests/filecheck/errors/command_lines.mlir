// RUN: rm -f %t
// RUN: ptir-run %s --entry twice --random 0 --target reference -o %t.npz

// The codes of command lines, of what they name, and of comments that --verify-diagnostics reads.

// RUN: not ptir-opt %s --no-such-option 2>>%t
// CHECK: ptir-opt: error[PTIR0612]: unrecognized arguments: --no-such-option

// RUN: not ptir-opt %s %s 2>>%t
// CHECK: ptir-opt: error[PTIR0612]: only one input file is allowed, and '{{.*}}command_lines.mlir' is another

// RUN: not ptir-opt %s --run-reproducer --cse 2>>%t
// CHECK: ptir-opt: error[PTIR0612]: --run-reproducer takes the pipeline from the file: give no passes

// RUN: not ptir-opt %s --run-reproducer 2>>%t
// CHECK: error[PTIR0614]: '{{.*}}command_lines.mlir' is not a reproducer: it has no pipeline
// CHECK: help: a reproducer ends in {-# external_resources: { mlir_reproducer: { pipeline: "…" } } #-}

// RUN: not ptir-opt %s -o %t.none/m.mlir 2>>%t
// CHECK: error[PTIR0608]: cannot write '{{.*}}.none/m.mlir': No such file or directory

// RUN: not ptir-opt %s -p ptir-to-tiny --dump=plan 2>>%t
// CHECK: error[PTIR0615]: the program was never at level plan in builtin.module(ptir-to-tiny)
// CHECK: help: without passes, --dump runs ptir-to-cuda, which reaches every level below that of the program

// RUN: not ptir-opt %s --dump=plam 2>>%t
// CHECK: error[PTIR0101]: '--dump' names the unknown level 'plam'
// CHECK: help: levels: frontend, tiny, indexbook, poly_view, poly_core, region, plan, pto, gpu, cu

// RUN: not ptir-opt %s --verify-diagnostics 2>>%t
// CHECK: {{.*}}error[PTIR0610]: malformed expectation
// CHECK: help: write: // expected-error @+1 {{[{][{]}}text}}, once for each diagnostic
// CHECK: {{.*}}error[PTIR0610]: bad regular expression: missing ), unterminated subpattern at position 0
// CHECK: {{.*}}error[PTIR0611]: expected error "nothing of the kind" was not produced

// RUN: not ptir-translate %s 2>>%t
// CHECK: ptir-translate: error[PTIR0612]: one of the arguments --import-json --export-json --import-tiny-json --export-tiny-json --import-region-json --export-region-json --import-intent-json --export-intent-json --export-poly-json --json-schema is required

// RUN: not ptir-run %s 2>>%t
// CHECK: error[PTIR0531]: the module has 2 functions: give the name of one
// CHECK: help: the functions are: @add, @twice

// RUN: not ptir-run %s --entry nope 2>>%t
// CHECK: error[PTIR0531]: there is no function @nope
// CHECK: help: the functions are: @add, @twice

// RUN: not ptir-run %s --entry declared 2>>%t
// CHECK: error[PTIR0531]: @declared is only declared
// CHECK: help: the functions are: @add, @twice

// RUN: not ptir-run %s --entry add 2>>%t
// CHECK: {{.*}}error[PTIR0620]: @add takes x, y, but no inputs are given
// CHECK: help: --inputs=FILE.npz gives arrays by these names, --random=SEED makes them

// RUN: not ptir-run %s --entry add --inputs %s 2>>%t
// CHECK: error[PTIR0620]: cannot read {{.*}}command_lines.mlir: File is not a zip file
// CHECK: help: give an .npz file, as numpy.savez writes it

// RUN: not ptir-run %s --entry add --inputs %t.npz 2>>%t
// CHECK: {{.*}}error[PTIR0620]: {{.*}}.npz has no array 'x'
// CHECK: help: the function needs x, y; the file has r0

// RUN: not ptir-run %s --entry add --random 0 --arch sm12 2>>%t
// CHECK: error[PTIR0101]: 'arch' is 'sm12'
// CHECK: help: one of sm80, sm86, sm89, sm90

func.func private @declared()
func.func @add(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{nothing of the kind}}
  %0 = ptir.add %x, %y : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error
  // expected-error-re @+1 {{{{(}}}}
  %0 = ptir.add %x, %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// RUN: filecheck %s --match-full-lines --input-file=%t
