// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions{arch=sm90},plan-regions{arch=sm90},region-to-pto,pto-to-nv' | filecheck %s

// TMA does not repeat a row, so threads copy the keys, and no plan has roles.
// CHECK: "gpu.func"
// CHECK-NOT: nv.role
// CHECK: nv.cp_async
// CHECK: nv.mma_sync
func.func @repeated(%q: tensor<64x64xbf16>, %key: tensor<1x64xbf16>, %v: tensor<80x64xbf16>) -> tensor<64x64xf32> {
  %k = ptir.broadcast_to %key : tensor<1x64xbf16> -> tensor<80x64xbf16>
  %s = ptir.dot_general %q, %k contract [1] x [1] accum f32 out f32 : (tensor<64x64xbf16>, tensor<80x64xbf16>) -> tensor<64x80xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<64x80xf32> -> tensor<64x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<64x1xf32> -> tensor<64x80xf32>
  %d = ptir.sub %s, %maxes : tensor<64x80xf32>
  %e = ptir.exp %d : tensor<64x80xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<64x80xf32> -> tensor<64x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<64x1xf32> -> tensor<64x80xf32>
  %w = ptir.div %e, %sums : tensor<64x80xf32>
  %wb = ptir.cast %w : tensor<64x80xf32> -> tensor<64x80xbf16>
  %y = ptir.dot_general %wb, %v contract [1] x [0] accum f32 out f32 : (tensor<64x80xbf16>, tensor<80x64xbf16>) -> tensor<64x64xf32>
  func.return %y : tensor<64x64xf32>
}
