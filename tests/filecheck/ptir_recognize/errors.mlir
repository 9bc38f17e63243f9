// RUN: ptir-opt %s --split-input-file --verify-diagnostics --ptir-recognize

// A composite that is not what it is called.

builtin.module attributes {ptir.extensions} {
  func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    // expected-error@+1 {{the composite is not a valid 'softmax.v1': the region does not match}}
    %0 = ptir.composite "softmax.v1" (%x) {axis = 0 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32> do (%y) {
      %1 = ptir.exp %y : tensor<4x4xf32>
      ptir.yield %1 : tensor<4x4xf32>
    }
    func.return %0 : tensor<4x4xf32>
  }
}

// -----

builtin.module attributes {ptir.extensions} {
  func.func @f(%z: tensor<4x4xf32>) -> tensor<4x4xf32> {
    // expected-error@+1 {{the composite is not a valid 'softmax.v1': 'axis' is 0 : i64, but 1 : i64 in the region}}
    %0 = ptir.composite "softmax.v1" (%z) {axis = 0 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32> do (%x) {
      %m = ptir.reduce max %x axes [1] keepdims : tensor<4x4xf32> -> tensor<4x1xf32>
      %a = ptir.broadcast_to %m : tensor<4x1xf32> -> tensor<4x4xf32>
      %d = ptir.sub %x, %a : tensor<4x4xf32>
      %e = ptir.exp %d : tensor<4x4xf32>
      %s = ptir.reduce sum %e axes [1] keepdims : tensor<4x4xf32> -> tensor<4x1xf32>
      %b = ptir.broadcast_to %s : tensor<4x1xf32> -> tensor<4x4xf32>
      %r = ptir.div %e, %b : tensor<4x4xf32>
      ptir.yield %r : tensor<4x4xf32>
    }
    func.return %0 : tensor<4x4xf32>
  }
}
