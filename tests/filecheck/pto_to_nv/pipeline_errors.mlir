// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm80}' --split-input-file --verify-diagnostics

// Programs that no kernel computes.

func.func @ieee(%x: tensor<4xf8E4M3>) -> tensor<4xf8E4M3> {
  // expected-error@+1 {{the element type is f8E4M3}}
  %0 = ptir.add %x, %x : tensor<4xf8E4M3>
  func.return %0 : tensor<4xf8E4M3>
}
