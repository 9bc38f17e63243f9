// RUN: ptir-opt %s -p 'ptir-to-tiny,cse,form-regions{arch=sm90},plan-regions{arch=sm90 attention=streaming_softmax_2pass},region-to-pto' | filecheck %s
// RUN: ptir-opt %s -p 'ptir-to-tiny,cse,form-regions{arch=sm90},plan-regions{arch=sm90 attention=online_softmax},region-to-pto' | filecheck %s --check-prefix=ONCE

// The first kernel stores the maximum and the sum of each row; the second one multiplies the rounded weights; a third has the row's result.
// CHECK: pto.kernel @f_0(%q: {{.*}}, %k: {{.*}}, %v: {{.*}}) -> (%maxima: memref<4xf32> align 16 deferred, %sums: memref<4xf32> align 16 deferred)
// CHECK-NOT: pto.tile.load.map %v
// CHECK: pto.tile.rowmax
// CHECK: pto.tile.rowsum
// CHECK-NOT: pto.tile.mov.v2l
// CHECK: pto.tile.store.map {{.*}}, %maxima[%m, %n] by <"{ [i0, i1] -> [(i0)] }">
// CHECK: pto.tile.store.map {{.*}}, %sums[%m, %n]
// CHECK: pto.kernel @f_0_again(%q: {{.*}}, %k: {{.*}}, %v: {{.*}}, %maxima: {{.*}}, %sums: {{.*}}) -> (%y: memref<4x64xf32>
// CHECK-SAME: attention = "recompute"
// CHECK: pto.tile.load.map %maxima
// CHECK: pto.tile.fma
// CHECK: pto.tile.exp2
// CHECK: pto.tile.mul
// CHECK: pto.tile.cvt
// CHECK: pto.tile.mov.v2l
// CHECK-NOT: pto.tile.rowmax
// CHECK: pto.kernel @f_0_rows_0(%maxima: {{.*}}) -> (%max: memref<4x1xf32>
// CHECK: region.launch @f_0 ins(%q, %k, %v
// CHECK: region.launch @f_0_again ins(%q, %k, %v
// CHECK: region.launch @f_0_rows_0 ins
// ONCE-NOT: again
// ONCE: attention = "online_softmax"
// ONCE-NOT: again
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
