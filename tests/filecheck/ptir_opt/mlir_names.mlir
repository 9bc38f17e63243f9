// RUN: not ptir-opt %s --loop-invariant-code-motion 2>&1 | filecheck %s --check-prefix=LICM
// RUN: not ptir-opt %s -p 'func.func(topological-sort)' 2>&1 | filecheck %s --check-prefix=SORT
// RUN: not ptir-opt %s --emit-bytecode 2>&1 | filecheck %s --check-prefix=BYTECODE
// RUN: not ptir-opt %s -load-pass-plugin=x.so 2>&1 | filecheck %s --check-prefix=PLUGIN
// RUN: ptir-opt %s --inline --sccp --symbol-dce --canonicalize --cse --licm --strip-debuginfo | filecheck %s
// RUN: xdsl-opt %s -p 'inline,sccp,symbol-dce,strip-debuginfo' | filecheck %s
// RUN: ptir-opt %s --strip-debuginfo --print-debuginfo | filecheck %s --check-prefix=STRIP
// RUN: ptir-opt %s --help | filecheck %s --check-prefix=HELP

// LICM:     error[PTIR0612]: unrecognized arguments: --loop-invariant-code-motion
// LICM:     help: this pass is called 'licm' here
// SORT:     -p:1:11: error[PTIR0602]: unknown pass 'topological-sort'
// SORT:     help: definitions must dominate their uses here
// BYTECODE: help: IR is text here
// PLUGIN:   help: install a Python package with an entry point xdsl.universe

// CHECK-LABEL: func.func @f(
// CHECK-NEXT:    func.return %x
// CHECK-NOT:   func.func

// STRIP:       func.return %0 : tensor<4xf32> loc(unknown)
// STRIP-NOT:   mlir_names

// HELP:        passes of ptir:
// HELP:          plan-regions {{.*}}Schedule Plan
// HELP-NEXT:       arch=<str>  The architecture of the kernels: sm80, sm_90a … (default: sm80)
// HELP:          inline {{.*}}calls of functions by their bodies
// HELP:        ptir-to-cuda{arch strategy stages conv tolerance fused} = ptir-check-cuda,ptir-flatten-tuples,ptir-to-tiny
// HELP:        passes of xDSL
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
