// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s

// A negative axis is read, and printed so that it can be read again.

// CHECK: ptir.dot_general %x, %w contract [{{-1|1}}] x [{{-2|0}}] : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xbf16>
func.func @f(%x: tensor<4x8xbf16>, %w: tensor<8x2xbf16>) {
  %0 = ptir.dot_general %x, %w contract [-1] x [-2] : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xbf16>
  func.return
}
