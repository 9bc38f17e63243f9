// RUN: ptir-opt %s -p 'plan-regions{arch=sm90}' --split-input-file --verify-diagnostics

// expected-error@+1 {{cluster has a value that this lowering does not support}}
region.kernel @k(%x: memref<512x64xf32> align 16) -> (%y: memref<512x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [32, 256], warp_tile = "32x32", cluster = [1, 2], bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "m.i.i", width = 4}, epilogue = ["sub"], layout_hints = {C_stride = "col"}}> {
  %0 = region.load %x : memref<512x64xf32> -> tensor<512x64xf32>
  %1 = tiny.reduce max %0 axes [0] accum f32 : tensor<512x64xf32> -> tensor<64xf32>
  %2 = tiny.movement expand %1 : tensor<64xf32> -> tensor<512x64xf32>
  %3 = tiny.binary sub %0, %2 : (tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<512x64xf32>
  region.yield %3 : tensor<512x64xf32>
}
