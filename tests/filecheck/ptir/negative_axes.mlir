// RUN: ptir-opt %s --verify-roundtrip | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s

// A negative axis stays as it was written.

// CHECK: ptir.dot_general %x, %w contract [-1] x [-2] : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xbf16>
// CHECK: ptir.reduce sum %x axes [-1] : tensor<4x8xbf16> -> tensor<4xbf16>
// CHECK: tiny.movement permute %x by [-1, 0] : tensor<4x8xbf16> -> tensor<8x4xbf16>
func.func @f(%x: tensor<4x8xbf16>, %w: tensor<8x2xbf16>) {
  %0 = ptir.dot_general %x, %w contract [-1] x [-2] : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xbf16>
  %1 = ptir.reduce sum %x axes [-1] : tensor<4x8xbf16> -> tensor<4xbf16>
  %2 = tiny.movement permute %x by [-1, 0] : tensor<4x8xbf16> -> tensor<8x4xbf16>
  func.return
}
