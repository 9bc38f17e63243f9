// A plan is for a region by its name, or by the first digits of its structural hash, which --explain-plan prints.

// RUN: echo "region @two; split m 2; split n 32; region @one; split m 4; split n 32" > %t.plan
// RUN: ptir-opt %s -p plan-regions --plan=%t.plan | filecheck %s --check-prefix=NAMES
// NAMES: region.kernel @one
// NAMES-SAME: tile = [4, 32]
// NAMES: region.kernel @two
// NAMES-SAME: tile = [2, 32]

// RUN: echo "{\"@one\": {\"tile\": [4, 32]}}" > %t.plan
// RUN: ptir-opt %s -p plan-regions --plan=%t.plan | filecheck %s --check-prefix=JSON
// JSON: region.kernel @one
// JSON-SAME: tile = [4, 32]
// JSON: region.kernel @two
// JSON-SAME: tile = [1, 256]

// RUN: ptir-opt %s -p plan-regions --explain-plan 2>&1 >%t.out | filecheck %s --check-prefix=HASH
// HASH: @one on a100: 1x256; 1 considered, 0 rejected (#{{[0-9a-f]+}})

// A file is opened only if the command line names it: neither a reproducer nor a schedule can open one.

// RUN: echo "region @one; split m 4; split n 32" > %t.plan
// RUN: ptir-opt %s -p plan-regions{from=%t.plan} --mlir-generate-reproducer=%t.mlir | filecheck %s --check-prefix=FROM
// FROM: tile = [4, 32]
// RUN: not ptir-opt %t.mlir --run-reproducer 2>&1 | filecheck %s --check-prefix=NOT-OPENED
// NOT-OPENED: error[PTIR0306]: plan-regions{from={{.*}}.plan} may not open a file
// NOT-OPENED: help: only files that the command line names are opened: give --plan={{.*}}.plan
// RUN: ptir-opt %t.mlir --run-reproducer --plan=%t.plan | filecheck %s --check-prefix=FROM

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
