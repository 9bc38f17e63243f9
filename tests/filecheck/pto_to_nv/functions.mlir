// RUN: ptir-opt %s -p 'form-regions,plan-regions{arch=sm80},region-to-pto,pto-to-nv' | filecheck %s

// Each function of tiny that is one op on a scalar.

// CHECK: nv.epilogue
// CHECK: arith.negf %
// CHECK: math.absf %
// CHECK: math.exp %
// CHECK: math.log %
// CHECK: math.sqrt %
// CHECK: math.rsqrt %
// CHECK: arith.divf %
// CHECK: math.tanh %
// CHECK: math.erf %
// CHECK: nv.yield
func.func @functions(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tiny.unary neg %x : tensor<64x64xf32> -> tensor<64x64xf32>
  %1 = tiny.unary abs %0 : tensor<64x64xf32> -> tensor<64x64xf32>
  %2 = tiny.unary exp %1 : tensor<64x64xf32> -> tensor<64x64xf32>
  %3 = tiny.unary log %2 : tensor<64x64xf32> -> tensor<64x64xf32>
  %4 = tiny.unary sqrt %3 : tensor<64x64xf32> -> tensor<64x64xf32>
  %5 = tiny.unary rsqrt %4 : tensor<64x64xf32> -> tensor<64x64xf32>
  %6 = tiny.unary recip %5 : tensor<64x64xf32> -> tensor<64x64xf32>
  %7 = tiny.unary tanh %6 : tensor<64x64xf32> -> tensor<64x64xf32>
  %8 = tiny.unary erf %7 : tensor<64x64xf32> -> tensor<64x64xf32>
  func.return %8 : tensor<64x64xf32>
}
