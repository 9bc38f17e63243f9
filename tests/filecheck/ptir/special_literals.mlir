// RUN: ptir-opt %s --verify-roundtrip
// RUN: ptir-opt %s | ptir-opt -p ptir-to-tiny | ptir-opt | filecheck %s

// Infinity and NaN survive printing and reading: masks and reduction identities are made of them.

// CHECK-LABEL: @f
// CHECK-NEXT: tiny.const dense<0xFF800000> : tensor<2xf32>
// CHECK-NEXT: tiny.const dense<0x7FC0> : tensor<1xbf16>
func.func @f() -> (tensor<2xf32>, tensor<1xbf16>) {
  %0 = ptir.constant dense<"0x000080FF"> : tensor<2xf32>
  %1 = ptir.constant dense<"0xC07F"> : tensor<1xbf16>
  func.return %0, %1 : tensor<2xf32>, tensor<1xbf16>
}

// A number that needs more than six digits and has no point is printed as its bits too.
// CHECK-LABEL: @g
// CHECK-NEXT: tiny.const dense<[0x4CEB79A3, -0.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: tiny.const dense<[0x7C00, 0xFC00, 5.960460e-08]> : tensor<3xf16>
// CHECK-NEXT: tiny.const dense<0x7FF0000000000000> : tensor<2xf64>
func.func @g() -> (tensor<2xf32>, tensor<3xf16>, tensor<2xf64>) {
  %0 = ptir.constant dense<[123456789.0, -0.0]> : tensor<2xf32>
  %1 = ptir.constant dense<[0x7C00, 0xFC00, 0x0001]> : tensor<3xf16>
  %2 = ptir.constant dense<0x7FF0000000000000> : tensor<2xf64>
  func.return %0, %1, %2 : tensor<2xf32>, tensor<3xf16>, tensor<2xf64>
}
