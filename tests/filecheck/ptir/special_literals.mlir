// RUN: ptir-opt %s --verify-roundtrip
// RUN: ptir-opt %s | ptir-opt -p ptir-to-tiny | ptir-opt | filecheck %s

// Infinity and NaN survive printing and reading: masks and reduction identities are made of them.

// CHECK-NOT: e+
func.func @f() -> (tensor<2xf32>, tensor<1xbf16>) {
  %0 = ptir.constant dense<"0x000080FF000080FF"> : tensor<2xf32>
  %1 = ptir.constant dense<"0xC07F"> : tensor<1xbf16>
  func.return %0, %1 : tensor<2xf32>, tensor<1xbf16>
}
