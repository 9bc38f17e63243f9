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
// CHECK: math.sin %
// CHECK: math.cos %
// CHECK: math.floor %
// CHECK: math.ceil %
// CHECK: math.roundeven %
// CHECK: math.log1p %
// CHECK: math.expm1 %
// CHECK: nv.erfc %
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
  %9 = tiny.unary sin %8 : tensor<64x64xf32> -> tensor<64x64xf32>
  %10 = tiny.unary cos %9 : tensor<64x64xf32> -> tensor<64x64xf32>
  %11 = tiny.unary floor %10 : tensor<64x64xf32> -> tensor<64x64xf32>
  %12 = tiny.unary ceil %11 : tensor<64x64xf32> -> tensor<64x64xf32>
  %13 = tiny.unary round %12 : tensor<64x64xf32> -> tensor<64x64xf32>
  %14 = tiny.unary log1p %13 : tensor<64x64xf32> -> tensor<64x64xf32>
  %15 = tiny.unary expm1 %14 : tensor<64x64xf32> -> tensor<64x64xf32>
  %16 = tiny.unary erfc %15 : tensor<64x64xf32> -> tensor<64x64xf32>
  func.return %16 : tensor<64x64xf32>
}
