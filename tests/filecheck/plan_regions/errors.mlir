// RUN: ptir-opt %s --pass-pipeline='builtin.module(plan-regions{arch=sm80})' --split-input-file --verify-diagnostics

// expected-error@+1 {{the plan of @k does not fit it: it is for sm90}}
region.kernel @k(%x: memref<4x8xf32> align 16) -> (%y: memref<4x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [2, 8], vectorize = {axis = "n.i.i", width = 1}}> {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  region.yield %0 : tensor<4x8xf32>
}

// -----

// expected-error@+1 {{its ring takes 262144 bytes of shared memory, the limit is 166912}}
region.kernel @k(%x: memref<4x8xf32> align 16) -> (%y: memref<4x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [128, 128, 128], stages = 4, warp_tile = "64x64", vectorize = {axis = "n.i.i", width = 1}}> {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  region.yield %0 : tensor<4x8xf32>
}

// -----

region.kernel @k(%x: memref<4x8xf32> align 16) -> (%y: memref<4xf32> align 256 gmem) {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  // expected-error@+1 {{a max reduction outside of a contraction is not supported yet}}
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<4x8xf32> -> tensor<4xf32>
  region.yield %1 : tensor<4xf32>
}

// -----

// An empty tensor has no tiles.

region.kernel @k(%x: memref<4x0xf32> align 16) -> (%y: memref<0x4xf32> align 256 gmem) {
  // expected-error@+1 {{the shape of tensor<4x0xf32> is not supported yet}}
  %0 = region.load %x : memref<4x0xf32> -> tensor<4x0xf32>
  %1 = tiny.movement reshape %0 : tensor<4x0xf32> -> tensor<0x4xf32>
  region.yield %1 : tensor<0x4xf32>
}
