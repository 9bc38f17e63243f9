// RUN: ptir-opt %s --pass-pipeline='builtin.module(plan-regions{arch=sm80})' | filecheck %s

// A contraction gets a tile of three axes, with labels for its epilogue and the axes that need a guard.
// CHECK: region.kernel @matmul
// CHECK-SAME: plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", bind = {m.o = "block.y", n.o = "block.x", m.i.o = "warp.y", n.i.o = "warp.x"}
// CHECK-SAME: predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], epilogue = ["tanh"]
region.kernel @matmul(%x: memref<4x8xf32> align 16, %w: memref<8x2xf32> align 16) -> (%y: memref<4x2xf32> align 256 gmem) {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  %1 = region.load %w : memref<8x2xf32> -> tensor<8x2xf32>
  %2 = tiny.movement reshape %0 : tensor<4x8xf32> -> tensor<4x8x1xf32>
  %3 = tiny.binary mul %2, %1 : (tensor<4x8x1xf32>, tensor<8x2xf32>) -> tensor<4x8x2xf32>
  %4 = tiny.reduce sum %3 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
  %5 = tiny.unary tanh %4 : tensor<4x2xf32> -> tensor<4x2xf32>
  region.yield %5 : tensor<4x2xf32>
}

// The rest gets one of two.
// CHECK: region.kernel @exp
// CHECK-SAME: plan #plan.schedule<{arch = "sm80", tile = [1, 32], bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 4}, epilogue = ["exp"]}>
region.kernel @exp(%x: memref<4x8xf32> align 16) -> (%y: memref<4x8xf32> align 256 gmem) {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  %1 = tiny.unary exp %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  region.yield %1 : tensor<4x8xf32>
}

// A plan that is there stays, to the letter.
// CHECK: region.kernel @mine
// CHECK-SAME: plan #plan.schedule<{arch = "sm80", tile = [2, 8], vectorize = {axis = "n.i.i", width = 1}}> {
region.kernel @mine(%x: memref<4x8xf32> align 16) -> (%y: memref<4x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [2, 8], vectorize = {axis = "n.i.i", width = 1}}> {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  region.yield %0 : tensor<4x8xf32>
}
