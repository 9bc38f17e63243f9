// Plans that the machine cannot hold are refused with the number that overflowed. With `fit` they are reduced: first their stages, then
// their warp tile, their vectors and their tile. A remark says so.

// RUN: echo "split m 128; split n 128; split k 128; warp_tile 64x64; pipeline k.i stages=4" > %t.plan
// RUN: not ptir-opt %s -p plan-regions --plan=%t.plan 2>&1 | filecheck %s --check-prefix=REFUSED
// REFUSED: plan:1:{{[0-9]+}}: error[PTIR0303]: no plan of @k fits sm80: its ring takes 262144 bytes of shared memory, the limit is 166912
// RUN: ptir-opt %s -p plan-regions{fit=true} --plan=%t.plan -o %t.out 2>&1 | filecheck %s --check-prefix=STAGES
// STAGES: remark: the plan of @k is reduced: its ring takes 262144 bytes of shared memory, the limit is 166912; stages 4 → 2
// RUN: filecheck %s --input-file %t.out --check-prefix=STAGES-IR
// STAGES-IR: tile = [128, 128, 128], stages = 2, warp_tile = "64x64"

// RUN: echo "split m 128; split n 128; split k 32; warp_tile 128x128; pipeline k.i stages=2" > %t.plan
// RUN: ptir-opt %s -p plan-regions{fit=true} --plan=%t.plan -o %t.out 2>&1 | filecheck %s --check-prefix=WARP
// WARP: remark: the plan of @k is reduced: its accumulators and fragments take 576 registers a thread, the limit is 255; warp_tile 128x128 → 32x128
// RUN: filecheck %s --input-file %t.out --check-prefix=WARP-IR
// WARP-IR: tile = [128, 128, 32], stages = 2, warp_tile = "32x128"

// RUN: echo "split m 256; split n 256; split k 256; warp_tile 64x64; pipeline k.i stages=2" > %t.plan
// RUN: ptir-opt %s -p plan-regions{fit=true} --plan=%t.plan -o %t.out 2>&1 | filecheck %s --check-prefix=TILE
// TILE: remark: the plan of @k is reduced: {{.*}}; tile [256, 256, 256] → [64, 256, 128]

// Another plan of the planner's list, as after a spill, is a fallback, too.

// RUN: ptir-opt %s -p plan-regions{fallback=1} -o %t.out 2>&1 | filecheck %s --check-prefix=FALLBACK
// FALLBACK: remark: @k falls back on plan 1: {{.*}} → {{.*}}

region.kernel @k(%x: memref<128x128xbf16> align 256, %w: memref<128x128xbf16> align 256) -> (%y: memref<128x128xf32> align 256 gmem) {
  %0 = region.load %x : memref<128x128xbf16> -> tensor<128x128xbf16>
  %1 = region.load %w : memref<128x128xbf16> -> tensor<128x128xbf16>
  %2 = tiny.unary cast %0 : tensor<128x128xbf16> -> tensor<128x128xf32>
  %3 = tiny.unary cast %1 : tensor<128x128xbf16> -> tensor<128x128xf32>
  %4 = tiny.movement reshape %2 : tensor<128x128xf32> -> tensor<128x128x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<128x128x1xf32>, tensor<128x128xf32>) -> tensor<128x128x128xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<128x128x128xf32> -> tensor<128x128xf32>
  region.yield %6 : tensor<128x128xf32>
}
