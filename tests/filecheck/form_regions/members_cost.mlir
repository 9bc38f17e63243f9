// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions{arch=sm90}' | filecheck %s

// Combining the members saves their way through memory. On sm90, it also costs wgmma, since warps hold an accumulator of each member: where k
// is long, the products are stored.
// CHECK-LABEL: region.kernel @long_0(%x: memref<2x512x8192xbf16> align 16, %w: memref<2x8192x512xbf16> align 16) -> (%0: memref<2x512x512xf32> align 256 deferred)
// CHECK-LABEL: region.kernel @long_1
// CHECK-LABEL: region.kernel @short_0
// CHECK-NOT: region.kernel @short
func.func @long(%x: tensor<2x512x8192xbf16>, %w: tensor<2x8192x512xbf16>) -> tensor<1x512x512xf32> {
  %0 = ptir.dot_general %x, %w batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x512x8192xbf16>, tensor<2x8192x512xbf16>) -> tensor<2x512x512xf32>
  %1 = ptir.slice %0 [0, 0, 0] : tensor<2x512x512xf32> -> tensor<1x512x512xf32>
  %2 = ptir.slice %0 [1, 0, 0] : tensor<2x512x512xf32> -> tensor<1x512x512xf32>
  %3 = ptir.mul %1, %2 : tensor<1x512x512xf32>
  func.return %3 : tensor<1x512x512xf32>
}
func.func @short(%x: tensor<2x512x64xbf16>, %w: tensor<2x64x512xbf16>) -> tensor<1x512x512xf32> {
  %0 = ptir.dot_general %x, %w batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x512x64xbf16>, tensor<2x64x512xbf16>) -> tensor<2x512x512xf32>
  %1 = ptir.slice %0 [0, 0, 0] : tensor<2x512x512xf32> -> tensor<1x512x512xf32>
  %2 = ptir.slice %0 [1, 0, 0] : tensor<2x512x512xf32> -> tensor<1x512x512xf32>
  %3 = ptir.mul %1, %2 : tensor<1x512x512xf32>
  func.return %3 : tensor<1x512x512xf32>
}
