// RUN: ptir-opt %s -p 'ptir-to-tiny,cse,form-regions{arch=sm90},plan-regions{arch=sm90 split=2},region-to-pto' | filecheck %s
// RUN: ptir-opt %s -p 'ptir-to-tiny,cse,form-regions{arch=sm90},plan-regions{arch=sm90 split=1},region-to-pto' | filecheck %s --check-prefix=WHOLE

// Each block has a part of the keys; a kernel for each result combines the parts.
// CHECK: pto.kernel @f_0(%q: {{.*}}, %k: {{.*}}, %v: {{.*}}) -> (%products: memref<2x4x64xf32> align 16 deferred, %maxima: memref<2x4x1xf32> align 16 deferred, %sums: memref<2x4x1xf32> align 16 deferred, %row_maxima: memref<2x4xf32> align 16 deferred, %row_sums: memref<2x4xf32> align 16 deferred)
// CHECK: pto.tiles (%part, %m, %n) in [2, 4, 64] step [1, 64, 64] {
// CHECK: %part_begin = arith.muli %part
// CHECK: %part_end = arith.addi %part_begin
// CHECK: arith.maxui
// CHECK: arith.minui
// CHECK: pto.tile.store.map {{.*}}, %products[%part, %m, %n] by <"{ [i0, i1, i2] -> [(i0), (i1), (i2)] }"> in [2, 4, 64] dims [1, 2]
// CHECK: pto.tile.store.map {{.*}}, %maxima[%part, %m, %n] by <"{ [i0, i1, i2] -> [(i0), (i1), (0)] }"> in [2, 4, 64] dims [1, 2]
// CHECK: pto.kernel @f_0_combine_0(%row_maxima: {{.*}}) -> (%max: memref<4x1xf32>
// CHECK: pto.kernel @f_0_combine_1(%products: {{.*}}) -> (%y: memref<4x64xf32>
// CHECK: region.launch @f_0 ins(%q, %k, %v
// CHECK: region.launch @f_0_combine_0 ins
// CHECK: region.launch @f_0_combine_1 ins
// WHOLE-NOT: %part
// WHOLE-NOT: combine
func.func @f(%q: tensor<4x64xbf16>, %k: tensor<512x64xbf16>, %v: tensor<512x64xbf16>) -> (tensor<4x64xf32>, tensor<4x1xf32>) {
  %s = ptir.dot_general %q, %k contract [1] x [1] accum f32 out f32 : (tensor<4x64xbf16>, tensor<512x64xbf16>) -> tensor<4x512xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<4x512xf32> -> tensor<4x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<4x1xf32> -> tensor<4x512xf32>
  %d = ptir.sub %s, %maxes : tensor<4x512xf32>
  %e = ptir.exp %d : tensor<4x512xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<4x512xf32> -> tensor<4x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<4x1xf32> -> tensor<4x512xf32>
  %w = ptir.div %e, %sums : tensor<4x512xf32>
  %wb = ptir.cast %w : tensor<4x512xf32> -> tensor<4x512xbf16>
  %y = ptir.dot_general %wb, %v contract [1] x [0] accum f32 out f32 : (tensor<4x512xbf16>, tensor<512x64xbf16>) -> tensor<4x64xf32>
  func.return %y, %max : tensor<4x64xf32>, tensor<4x1xf32>
}
