// Errors in a file of plans are at their place in the file, and say what to do.

// RUN: echo "split m 128 split n 64" > %t.plan
// RUN: not ptir-opt %s -p plan-regions --plan=%t.plan 2>&1 | filecheck %s --check-prefix=SYNTAX
// SYNTAX: plan:1:13: error[PTIR0304]: expected ';' or the end, got 'split'
// SYNTAX: help: the statement is: split word INT

// RUN: echo "local_edges A sum reg" > %t.plan
// RUN: not ptir-opt %s -p plan-regions --plan=%t.plan 2>&1 | filecheck %s --check-prefix=ARROW
// ARROW: plan:1:15: error[PTIR0304]: expected '->', got 'sum'

// RUN: echo "arch sm80; vectorize n.i.i 3" > %t.plan
// RUN: not ptir-opt %s -p plan-regions --plan=%t.plan 2>&1 | filecheck %s --check-prefix=VALUE
// VALUE: plan:1:28: error[PTIR0483]: invalid plan: vectorize.width: unknown value 3

// RUN: echo '{"arch": "sm80",' > %t.plan
// RUN: echo ' "stages": 1e999}' >> %t.plan
// RUN: not ptir-opt %s -p plan-regions --plan=%t.plan 2>&1 | filecheck %s --check-prefix=RANGE
// RANGE: plan:2:12: error[PTIR0641]: number out of range

// RUN: echo "region @g; arch sm80" > %t.plan
// RUN: not ptir-opt %s -p plan-regions --plan=%t.plan 2>&1 | filecheck %s --check-prefix=REGION
// REGION: plan:1:1: error[PTIR0305]: the module has no region @g
// REGION: help: its regions are: @one, @two

// RUN: echo "arch sm80" > %t.plan
// RUN: not ptir-opt %s -p plan-regions --plan=%t.plan 2>&1 | filecheck %s --check-prefix=WHICH
// WHICH: plan:1:1: error[PTIR0305]: this plan is for no region, and the module has 2
// WHICH: help: begin with region @name, or write {"@name": …} in JSON; the regions are: @one, @two

// A plan that names what the region lacks.

// RUN: echo "region @one; epilogue bias relu" > %t.plan
// RUN: not ptir-opt %s -p plan-regions --plan=%t.plan 2>&1 | filecheck %s --check-prefix=LABEL
// LABEL: plan:1:14: error[PTIR0302]: the plan of @one does not fit it: it labels the epilogue ['bias', 'relu'], but the region computes ['add']

// RUN: echo "region @one; split m 16; split n 32; split k 16" > %t.plan
// RUN: not ptir-opt %s -p plan-regions --plan=%t.plan 2>&1 | filecheck %s --check-prefix=TILE
// TILE: plan:1:14: error[PTIR0302]: the plan of @one does not fit it: tile is [16, 32, 16]
// TILE: help: this region has no contraction: it needs tile = [BM, BN]

// RUN: echo "region @one; arch sm90" > %t.plan
// RUN: not ptir-opt %s -p plan-regions{arch=sm80} --plan=%t.plan 2>&1 | filecheck %s --check-prefix=ARCH
// ARCH: plan:1:19: error[PTIR0302]: the plan of @one does not fit it: it is for sm90

// RUN: not ptir-opt %s -p plan-regions --plan=%t.missing 2>&1 | filecheck %s --check-prefix=MISSING
// MISSING: error[PTIR0002]{{.*}}missing

region.kernel @one(%x: memref<8x32xf32> align 16) -> (%y: memref<8x32xf32> align 256 gmem) {
  %0 = region.load %x : memref<8x32xf32> -> tensor<8x32xf32>
  %1 = tiny.binary add %0, %0 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  region.yield %1 : tensor<8x32xf32>
}
region.kernel @two(%x: memref<8x32xf32> align 16) -> (%y: memref<8x32xf32> align 256 gmem) {
  %0 = region.load %x : memref<8x32xf32> -> tensor<8x32xf32>
  %1 = tiny.unary neg %0 : tensor<8x32xf32> -> tensor<8x32xf32>
  region.yield %1 : tensor<8x32xf32>
}
