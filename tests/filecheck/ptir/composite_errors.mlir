// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of a composite.

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ptir.composite' is an extension of PTIR v0.4}}
  %0 = ptir.composite "some.v1" (%x) : (tensor<4xf32>) -> tensor<4xf32> do (%y) {
    ptir.yield %y : tensor<4xf32>
  }
  func.return
}

// -----

builtin.module attributes {ptir.extensions} {
  func.func @f(%x: tensor<4xf32>) {
    // expected-error@+1 {{'name' is 'some'}}
    %0 = ptir.composite "some" (%x) : (tensor<4xf32>) -> tensor<4xf32> do (%y) {
      ptir.yield %y : tensor<4xf32>
    }
    func.return
  }
}

// -----

builtin.module attributes {ptir.extensions} {
  func.func @f(%x: tensor<4xf32>) {
    // expected-error@+1 {{'name' is 'some thing.v1'}}
    %0 = ptir.composite "some thing.v1" (%x) : (tensor<4xf32>) -> tensor<4xf32> do (%y) {
      ptir.yield %y : tensor<4xf32>
    }
    func.return
  }
}

// -----

builtin.module attributes {ptir.extensions} {
  func.func @f(%x: tensor<4xf32>) {
    // expected-error@+1 {{'kind' is tensor<4xf32>}}
    %0 = ptir.composite "some.v1" (%x) {kind = tensor<4xf32>} : (tensor<4xf32>) -> tensor<4xf32> do (%y) {
      ptir.yield %y : tensor<4xf32>
    }
    func.return
  }
}

// -----

builtin.module attributes {ptir.extensions} {
  func.func @f(%x: tensor<4xf32>) {
    // expected-error@+1 {{'mixed' is [1 : i64, "a"]}}
    %0 = ptir.composite "some.v1" (%x) {mixed = [1, "a"]} : (tensor<4xf32>) -> tensor<4xf32> do (%y) {
      ptir.yield %y : tensor<4xf32>
    }
    func.return
  }
}

// -----

builtin.module attributes {ptir.extensions} {
  func.func @f(%x: tensor<4xf32>) {
    // expected-error@+1 {{'deep' is [[1 : i64]]}}
    %0 = ptir.composite "some.v1" (%x) {deep = [[1]]} : (tensor<4xf32>) -> tensor<4xf32> do (%y) {
      ptir.yield %y : tensor<4xf32>
    }
    func.return
  }
}

// -----

builtin.module attributes {ptir.extensions} {
  func.func @f(%x: tensor<4xf32>) {
    // expected-error@+1 {{the parameters of 'do': got (tensor<5xf32>), expected (tensor<4xf32>)}}
    %0 = ptir.composite "some.v1" (%x) : (tensor<4xf32>) -> tensor<5xf32> do (%y: tensor<5xf32>) {
      ptir.yield %y : tensor<5xf32>
    }
    func.return
  }
}

// -----

builtin.module attributes {ptir.extensions} {
  func.func @f(%x: tensor<4xf32>) {
    // expected-note@+1 {{of this op}}
    %0 = ptir.composite "some.v1" (%x) : (tensor<4xf32>) -> tensor<5xf32> do (%y) {
      // expected-error@+1 {{the results of 'do': got (tensor<4xf32>), expected (tensor<5xf32>)}}
      ptir.yield %y : tensor<4xf32>
    }
    func.return
  }
}

// -----

builtin.module attributes {ptir.extensions} {
  // expected-note@+1 {{defined here}}
  func.func @f(%x: tensor<4xf32>) {
    %0 = ptir.composite "some.v1" (%x) : (tensor<4xf32>) -> tensor<4xf32> do (%y) {
      // expected-error@+1 {{outside}}
      %1 = ptir.neg %x : tensor<4xf32>
      ptir.yield %1 : tensor<4xf32>
    }
    func.return
  }
}

// -----

builtin.module attributes {ptir.extensions} {
  func.func @f(%x: tensor<4xf32>) {
    // expected-error@+1 {{'ptir.composite' has an empty block where a terminator is expected}}
    %0 = ptir.composite "some.v1" (%x) : (tensor<4xf32>) -> tensor<4xf32> do (%y) {
    }
    func.return
  }
}

// -----

builtin.module attributes {ptir.extensions} {
  func.func @f(%x: tensor<4xf32>) {
    // expected-error@+1 {{string literal expected for the composite's name}}
    %0 = ptir.composite some (%x) : (tensor<4xf32>) -> tensor<4xf32> do (%y) {
      ptir.yield %y : tensor<4xf32>
    }
    func.return
  }
}
