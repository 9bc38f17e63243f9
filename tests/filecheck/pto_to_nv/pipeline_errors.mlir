// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm80}' --split-input-file --verify-diagnostics

// A zero divisor is an error, which a kernel cannot report.

func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{'ptir.div' on i32 in a kernel is not supported yet}}
  %0 = ptir.div %x, %x : tensor<4xi32>
  func.return %0 : tensor<4xi32>
}

// -----

func.func @narrow(%x: tensor<4xui4>) -> tensor<4xui4> {
  // expected-error@+1 {{'ptir.add' on ui4 in a kernel is not supported yet}}
  %0 = ptir.add %x, %x : tensor<4xui4>
  func.return %0 : tensor<4xui4>
}

// -----

func.func @to_narrow(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{'ptir.cast' on si4 in a kernel is not supported yet}}
  %0 = ptir.cast %x : tensor<4xi32> -> tensor<4xsi4>
  // expected-error@+1 {{'ptir.cast' on si4 in a kernel is not supported yet}}
  %1 = ptir.cast %0 : tensor<4xsi4> -> tensor<4xi32>
  func.return %1 : tensor<4xi32>
}

// -----

// SM80 has no conversions of fp8, nor tensor cores for it.

func.func @eight(%x: tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN> {
  // expected-error@+1 {{'ptir.add' on f8E4M3FN in a kernel is not supported yet}}
  %0 = ptir.add %x, %x : tensor<4xf8E4M3FN>
  func.return %0 : tensor<4xf8E4M3FN>
}

// -----

func.func @to_eight(%x: tensor<4xf32>) -> tensor<4xf8E5M2> {
  // expected-error@+1 {{'ptir.cast' on f8E5M2 in a kernel is not supported yet}}
  %0 = ptir.cast %x : tensor<4xf32> -> tensor<4xf8E5M2>
  func.return %0 : tensor<4xf8E5M2>
}

// -----

func.func @ieee(%x: tensor<4xf8E4M3>) -> tensor<4xf8E4M3> {
  // expected-error@+1 {{the element type is f8E4M3}}
  %0 = ptir.add %x, %x : tensor<4xf8E4M3>
  func.return %0 : tensor<4xf8E4M3>
}

// -----

func.func @mixed(%x: tensor<4x8xf8E4M3FN>, %w: tensor<8x2xf8E5M2>) -> tensor<4x2xf32> {
  // expected-error@+1 {{'ptir.dot_general' on f8E5M2 in a kernel is not supported yet}}
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x8xf8E4M3FN>, tensor<8x2xf8E5M2>) -> tensor<4x2xf32>
  func.return %0 : tensor<4x2xf32>
}

// -----

// A sum of terms that no kernel computes.

func.func @sum(%x: tensor<4x8xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{'ptir.div' on i32 in a kernel is not supported yet}}
  %y = ptir.div %x, %x : tensor<4x8xi32>
  %0 = ptir.reduce sum %y axes [1] : tensor<4x8xi32> -> tensor<4xi32>
  func.return %0 : tensor<4xi32>
}
