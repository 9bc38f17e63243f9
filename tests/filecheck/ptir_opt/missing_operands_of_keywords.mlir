// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// A keyword of an optional group needs what it introduces.

func.func @f(%x: tensor<4x8xf16>) -> tensor<4xf16> {
  // expected-error@+1 {{expected the attribute 'accum_dtype'}}
  %0 = ptir.reduce sum %x axes [1] accum : tensor<4x8xf16> -> tensor<4xf16>
  func.return %0 : tensor<4xf16>
}

// -----

func.func @f(%x: tensor<4x8xf16>, %w: tensor<8x4xf16>) -> tensor<4x4xf16> {
  // expected-error@+1 {{expected the attribute 'out_dtype'}}
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out : (tensor<4x8xf16>, tensor<8x4xf16>) -> tensor<4x4xf16>
  func.return %0 : tensor<4x4xf16>
}

// -----

func.func @f(%b: !nv.mbarrier<4>, %slot: index) {
  // expected-error@+1 {{expected the operand 'block'}}
  nv.mbarrier.arrive %b[%slot] at : !nv.mbarrier<4>
  func.return
}
