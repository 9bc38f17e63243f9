// RUN: ptir-opt %s --verify-roundtrip | filecheck %s
// RUN: ptir-opt %s --verify-roundtrip --print-op-generic | filecheck %s --check-prefix=GENERIC

// Bits stay bits: signs, payloads, signalling NaNs, the sign of zero in a list that is no splat.

func.func @specials() {
  // CHECK:   arith.constant 0xFFC1 : bf16
  // GENERIC: "arith.constant"() <{value = 0xFFC1 : bf16}>
  %0 = arith.constant 0xFFC1 : bf16
  // CHECK:   arith.constant dense<[0.000000e+00, -0.000000e+00]> : tensor<2xf32>
  // GENERIC: dense<[0.000000e+00, -0.000000e+00]> : tensor<2xf32>
  %1 = arith.constant dense<[0.0, -0.0]> : tensor<2xf32>
  // CHECK:   arith.constant dense<[0x7F800000, 0xFF800000, 0x7FA00000, 0xFFC00001]> : tensor<4xf32>
  // GENERIC: dense<[0x7F800000, 0xFF800000, 0x7FA00000, 0xFFC00001]> : tensor<4xf32>
  %2 = arith.constant dense<[0x7F800000, 0xFF800000, 0x7FA00000, 0xFFC00001]> : tensor<4xf32>
  // CHECK:   arith.constant dense<0x7C00> : tensor<8xf16>
  // GENERIC: dense<0x7C00> : tensor<8xf16>
  %3 = arith.constant dense<0x7C00> : tensor<8xf16>
  // CHECK:   arith.constant dense<[0xFE, 0x7D]> : vector<2xf8E5M2>
  // GENERIC: dense<[0xFE, 0x7D]> : vector<2xf8E5M2>
  %4 = arith.constant dense<[0xFE, 0x7D]> : vector<2xf8E5M2>
  // CHECK:   arith.constant 4.940660e-324 : f64
  // GENERIC: value = 4.940660e-324 : f64
  %5 = arith.constant 5.0e-324 : f64
  // CHECK:   arith.constant 3.40282347e+38 : f32
  // GENERIC: value = 3.40282347e+38 : f32
  %6 = arith.constant 3.40282347e+38 : f32
  func.return
}
