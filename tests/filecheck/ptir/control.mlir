// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s --print-op-generic | ptir-opt | filecheck %s
// RUN: ptir-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: @cond
func.func @cond(%p: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %r = ptir.cond %p (%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> then (%x, %y) {
  // CHECK-NEXT: %s = ptir.sub %x, %y : tensor<4xf32>
  // CHECK-NEXT: ptir.yield %s : tensor<4xf32>
  // CHECK-NEXT: } else (%u, %v) {
  // CHECK-NEXT: ptir.yield %v : tensor<4xf32>
  // CHECK-NEXT: }
  // GENERIC: %r = "ptir.cond"(%p, %a, %b) ({
  // GENERIC-NEXT: ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
  %r = ptir.cond %p (%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> then (%x, %y) {
    %s = ptir.sub %x, %y : tensor<4xf32>
    ptir.yield %s : tensor<4xf32>
  } else (%u, %v: tensor<4xf32>) {
    ptir.yield %v : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// Nothing comes in, nothing comes out, two values come out, attributes.
// CHECK-LABEL: @bare
func.func @bare(%p: tensor<i1>) -> (tensor<i8>, tensor<f32>) {
  // CHECK: ptir.cond %p : () -> () then {
  // CHECK-NEXT: ptir.yield
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ptir.yield
  // CHECK-NEXT: }
  ptir.cond %p : () -> () then {
    ptir.yield
  } else {
    ptir.yield
  }
  // CHECK: %i, %f = ptir.cond %p : () -> (tensor<i8>, tensor<f32>) attributes {hint = "likely"} then {
  %i, %f = ptir.cond %p : () -> (tensor<i8>, tensor<f32>) attributes {hint = "likely"} then {
    %0 = ptir.constant dense<1> : tensor<i8>
    %1 = ptir.constant dense<1.0> : tensor<f32>
    ptir.yield %0, %1 : tensor<i8>, tensor<f32>
  } else {
    %2 = ptir.constant dense<2> : tensor<i8>
    %3 = ptir.constant dense<2.0> : tensor<f32>
    ptir.yield %2, %3 : tensor<i8>, tensor<f32>
  }
  func.return %i, %f : tensor<i8>, tensor<f32>
}

// CHECK-LABEL: @while
func.func @while(%n: tensor<i32>, %x: tensor<?xf32, #ptir.dims<N>>) -> tensor<?xf32, #ptir.dims<N>> {
  // CHECK: %m, %y = ptir.while (%n, %x) : (tensor<i32>, tensor<?xf32, #ptir.dims<N>>) -> (tensor<i32>, tensor<?xf32, #ptir.dims<N>>) cond (%i, %a) {
  // CHECK: ptir.yield %more, %i, %a : tensor<i1>, tensor<i32>, tensor<?xf32, #ptir.dims<N>>
  // CHECK-NEXT: } do (%j, %b) {
  // CHECK: ptir.yield %next, %twice : tensor<i32>, tensor<?xf32, #ptir.dims<N>>
  // GENERIC: %m, %y = "ptir.while"(%n, %x) ({
  %m, %y = ptir.while (%n, %x) : (tensor<i32>, tensor<?xf32, #ptir.dims<N>>) -> (tensor<i32>, tensor<?xf32, #ptir.dims<N>>) cond (%i, %a) {
    %zero = ptir.constant dense<0> : tensor<i32>
    %more = ptir.compare gt %i, %zero : tensor<i32> -> tensor<i1>
    ptir.yield %more, %i, %a : tensor<i1>, tensor<i32>, tensor<?xf32, #ptir.dims<N>>
  } do (%j, %b) {
    %one = ptir.constant dense<1> : tensor<i32>
    %next = ptir.sub %j, %one : tensor<i32>
    %twice = ptir.add %b, %b : tensor<?xf32, #ptir.dims<N>>
    ptir.yield %next, %twice : tensor<i32>, tensor<?xf32, #ptir.dims<N>>
  }
  func.return %y : tensor<?xf32, #ptir.dims<N>>
}

// CHECK-LABEL: @scan
func.func @scan(%zero: tensor<2xf32>, %xs: tensor<?x2xf32, #ptir.dims<T, _>>, %ys: tensor<?xi8>) -> tensor<?x2xf32, #ptir.dims<T, _>> {
  // CHECK: %last, %sums = ptir.scan (%zero) over (%xs, %ys) : (tensor<2xf32>, tensor<?x2xf32, #ptir.dims<T, _>>, tensor<?xi8>) -> (tensor<2xf32>, tensor<?x2xf32, #ptir.dims<T, _>>) do (%sum, %x, %y) {
  // GENERIC: "ptir.scan"(%zero, %xs, %ys) <{operandSegmentSizes = array<i32: 1, 2>}> ({
  // GENERIC-NEXT: ^bb0(%sum: tensor<2xf32>, %x: tensor<2xf32>, %y: tensor<i8>):
  %last, %sums = ptir.scan (%zero) over (%xs, %ys) : (tensor<2xf32>, tensor<?x2xf32, #ptir.dims<T, _>>, tensor<?xi8>) -> (tensor<2xf32>, tensor<?x2xf32, #ptir.dims<T, _>>) do (%sum, %x, %y) {
    %next = ptir.add %sum, %x : tensor<2xf32>
    ptir.yield %next, %next : tensor<2xf32>, tensor<2xf32>
  }
  func.return %sums : tensor<?x2xf32, #ptir.dims<T, _>>
}

// Nothing is carried; a region in a region; a tuple goes through.
// CHECK-LABEL: @nested
func.func @nested(%p: tensor<i1>, %xs: tensor<3x4xf32>, %t: tuple<tensor<f32>, tensor<i8>>) -> (tensor<3x4xf32>, tuple<tensor<f32>, tensor<i8>>) {
  // CHECK: %ys = ptir.scan over (%xs) : (tensor<3x4xf32>) -> tensor<3x4xf32> do (%x) {
  // CHECK-NEXT: %y = ptir.scan over (%x) : (tensor<4xf32>) -> tensor<4xf32> do (%e) {
  %ys = ptir.scan over (%xs) : (tensor<3x4xf32>) -> tensor<3x4xf32> do (%x) {
    %y = ptir.scan over (%x) : (tensor<4xf32>) -> tensor<4xf32> do (%e) {
      %n = ptir.neg %e : tensor<f32>
      ptir.yield %n : tensor<f32>
    }
    ptir.yield %y : tensor<4xf32>
  }
  // CHECK: %u = ptir.cond %p (%t) : (tuple<tensor<f32>, tensor<i8>>) -> tuple<tensor<f32>, tensor<i8>> then (%v) {
  %u = ptir.cond %p (%t) : (tuple<tensor<f32>, tensor<i8>>) -> tuple<tensor<f32>, tensor<i8>> then (%v) {
    ptir.yield %v : tuple<tensor<f32>, tensor<i8>>
  } else (%w) {
    ptir.yield %w : tuple<tensor<f32>, tensor<i8>>
  }
  func.return %ys, %u : tensor<3x4xf32>, tuple<tensor<f32>, tensor<i8>>
}
