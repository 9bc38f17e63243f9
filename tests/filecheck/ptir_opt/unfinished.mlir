// RUN: not ptir-opt %s 2>&1 | filecheck %s
// RUN: not ptir-opt %S/Inputs/slash_star.mlir 2>&1 | filecheck %s --check-prefix=STAR

// CHECK:      unfinished.mlir:{{[0-9]+}}:{{[0-9]+}}: error[PTIR0001]: the file ends inside a region
// CHECK:      unfinished.mlir:[[LINE:[0-9]+]]:{{[0-9]+}}: note: this region is never closed
// CHECK-NEXT:   scf.if %c {
// CHECK-NEXT:             ^

// STAR:      slash_star.mlir:2:3: error[PTIR0001]: /* */ comments are not supported
// STAR:      help: comments begin with // and end with the line
func.func @f(%c: i1) {
  scf.if %c {
    scf.yield
  func.return
