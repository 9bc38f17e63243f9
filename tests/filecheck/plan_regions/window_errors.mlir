// RUN: ptir-opt %s -p plan-regions --verify-diagnostics

// Windows are adjacent rows of the tile that is computed, which must not be transposed.

// expected-error@+1 {{layout_hints has C_stride col, but the epilogue reduces windows, which are adjacent rows}}
region.kernel @k(%x: memref<64x32xbf16> align 16, %w: memref<32x64xbf16> align 16) -> (%y: memref<16x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 32], stages = 2, warp_tile = "16x16", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], bind = {m.o = "block.y", n.o = "block.x", m.i.o = "warp.y", n.i.o = "warp.x"}, layout_hints = {C_stride = "col"}, vectorize = {axis = "m.i.i", width = 2}}> {
  %0 = region.load %x : memref<64x32xbf16> -> tensor<64x32xbf16>
  %1 = region.load %w : memref<32x64xbf16> -> tensor<32x64xbf16>
  %2 = tiny.unary cast %0 : tensor<64x32xbf16> -> tensor<64x32xf32>
  %3 = tiny.unary cast %1 : tensor<32x64xbf16> -> tensor<32x64xf32>
  %4 = tiny.movement reshape %2 : tensor<64x32xf32> -> tensor<64x32x1xf32>
  %5 = tiny.movement reshape %3 : tensor<32x64xf32> -> tensor<1x32x64xf32>
  %6 = tiny.binary mul %4, %5 : (tensor<64x32x1xf32>, tensor<1x32x64xf32>) -> tensor<64x32x64xf32>
  %7 = tiny.reduce sum %6 axes [1] accum f32 : tensor<64x32x64xf32> -> tensor<64x64xf32>
  %8 = tiny.movement reshape %7 : tensor<64x64xf32> -> tensor<16x4x64xf32>
  %9 = tiny.reduce max %8 axes [1] accum f32 : tensor<16x4x64xf32> -> tensor<16x64xf32>
  region.yield %9 : tensor<16x64xf32>
}
