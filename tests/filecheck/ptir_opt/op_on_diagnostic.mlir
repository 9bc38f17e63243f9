// RUN: not ptir-opt %s --mlir-print-op-on-diagnostic 2>&1 | filecheck %s
// RUN: not ptir-opt %s --mlir-print-op-on-diagnostic=false 2>&1 | filecheck %s --check-prefix=PLAIN
// RUN: not ptir-opt %s --mlir-print-stacktrace-on-diagnostic 2>&1 | filecheck %s --check-prefix=TRACE
// RUN: ptir-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --output-split-marker=//// --split-input-file | filecheck %s --check-prefix=UNSAFE

// CHECK: error[PTIR0100]
// CHECK: note: see current operation: %0 = "ptir.exp"(%x) : (tensor<4xf32>) -> tensor<5xf32>
// PLAIN-NOT: see current operation
// TRACE: Traceback (most recent call last)
// RUN: echo 'func.func @f() {' > %t && echo '  ptir.expp' >> %t && echo '  ptir.neeg' >> %t
// RUN: not ptir-opt %t --mlir-print-op-on-diagnostic 2>&1 | filecheck %s --check-prefix=UNKNOWN
// UNKNOWN: error[PTIR0003]: operation 'ptir.expp' is not registered
// UNKNOWN: error[PTIR0003]: operation 'ptir.neeg' is not registered
// UNSAFE: ptir.exp %x
// UNSAFE: {{^}}////{{$}}
func.func @f(%x: tensor<4xf32>) {
  %0 = "ptir.exp"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  func.return
}

// -----
