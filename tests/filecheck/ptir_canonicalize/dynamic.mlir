// RUN: ptir-opt %s -p ptir-canonicalize --validate-passes | filecheck %s

// Sizes that are not numbers: equal names are equal sizes, of others nothing is known, and what only a run can tell stays.

// CHECK: func.func @named(%x: tensor<?x3xf32, #ptir.dims<B, _>>, %y: tensor<?x3xf32, #ptir.dims<B, _>>) -> (tensor<?x3xf32, #ptir.dims<B, _>>, tensor<3x?xf32, #ptir.dims<_, B>>, tensor<?x3xi32, #ptir.dims<B, _>>) {
// CHECK-NEXT: %0 = ptir.sub %x, %y : tensor<?x3xf32, #ptir.dims<B, _>>
// CHECK-NEXT: %1 = ptir.transpose %x [1, 0] : tensor<?x3xf32, #ptir.dims<B, _>> -> tensor<3x?xf32, #ptir.dims<_, B>>
// CHECK-NEXT: %2 = ptir.sub %0, %x : tensor<?x3xf32, #ptir.dims<B, _>>
// CHECK-NEXT: %3 = ptir.constant dense<0> : tensor<i32>
// CHECK-NEXT: %4 = ptir.broadcast_to %3 : tensor<i32> -> tensor<?x3xi32, #ptir.dims<B, _>>
// CHECK-NEXT: func.return %2, %1, %4 : tensor<?x3xf32, #ptir.dims<B, _>>, tensor<3x?xf32, #ptir.dims<_, B>>, tensor<?x3xi32, #ptir.dims<B, _>>
func.func @named(%x: tensor<?x3xf32, #ptir.dims<B, _>>, %y: tensor<?x3xf32, #ptir.dims<B, _>>) -> (tensor<?x3xf32, #ptir.dims<B, _>>, tensor<3x?xf32, #ptir.dims<_, B>>, tensor<?x3xi32, #ptir.dims<B, _>>) {
  %0 = ptir.neg %y : tensor<?x3xf32, #ptir.dims<B, _>>
  %1 = ptir.add %x, %0 : tensor<?x3xf32, #ptir.dims<B, _>>
  %2 = ptir.transpose %x [1, 0] : tensor<?x3xf32, #ptir.dims<B, _>> -> tensor<3x?xf32, #ptir.dims<_, B>>
  %3 = ptir.transpose %2 [1, 0] : tensor<3x?xf32, #ptir.dims<_, B>> -> tensor<?x3xf32, #ptir.dims<B, _>>
  %4 = ptir.sub %1, %3 : tensor<?x3xf32, #ptir.dims<B, _>>
  %5 = ptir.cast %x : tensor<?x3xf32, #ptir.dims<B, _>> -> tensor<?x3xi32, #ptir.dims<B, _>>
  %6 = ptir.sub %5, %5 : tensor<?x3xi32, #ptir.dims<B, _>>
  func.return %4, %2, %6 : tensor<?x3xf32, #ptir.dims<B, _>>, tensor<3x?xf32, #ptir.dims<_, B>>, tensor<?x3xi32, #ptir.dims<B, _>>
}

// CHECK: func.func @sunk(%x: tensor<3xf32>, %y: tensor<?x3xf32, #ptir.dims<B, _>>) -> tensor<?x3xf32, #ptir.dims<B, _>> {
// CHECK-NEXT: %0 = ptir.exp %x : tensor<3xf32>
// CHECK-NEXT: %1 = ptir.broadcast_to %0 : tensor<3xf32> -> tensor<?x3xf32, #ptir.dims<B, _>>
// CHECK-NEXT: %2 = ptir.add %1, %y : tensor<?x3xf32, #ptir.dims<B, _>>
// CHECK-NEXT: func.return %2 : tensor<?x3xf32, #ptir.dims<B, _>>
func.func @sunk(%x: tensor<3xf32>, %y: tensor<?x3xf32, #ptir.dims<B, _>>) -> tensor<?x3xf32, #ptir.dims<B, _>> {
  %0 = ptir.broadcast_to %x : tensor<3xf32> -> tensor<?x3xf32, #ptir.dims<B, _>>
  %1 = ptir.exp %0 : tensor<?x3xf32, #ptir.dims<B, _>>
  %2 = ptir.constant dense<1.0> : tensor<f32>
  %3 = ptir.broadcast_to %2 : tensor<f32> -> tensor<?x3xf32, #ptir.dims<B, _>>
  %4 = ptir.mul %1, %3 : tensor<?x3xf32, #ptir.dims<B, _>>
  %5 = ptir.add %4, %y : tensor<?x3xf32, #ptir.dims<B, _>>
  func.return %5 : tensor<?x3xf32, #ptir.dims<B, _>>
}

// The sizes between are promises that a run checks.
// CHECK: func.func @checked(%x: tensor<?xf32>, %y: tensor<?x4xf32, #ptir.dims<B, _>>) -> (tensor<2x4xf32>, tensor<?xf32, #ptir.dims<C>>, tensor<?xf32>) {
// CHECK-NEXT: %0 = ptir.broadcast_to %x : tensor<?xf32> -> tensor<1xf32>
// CHECK-NEXT: %1 = ptir.broadcast_to %0 : tensor<1xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %2 = ptir.reshape %y : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<12xf32>
// CHECK-NEXT: %3 = ptir.reshape %2 : tensor<12xf32> -> tensor<?xf32, #ptir.dims<C>>
// CHECK-NEXT: %4 = ptir.dim_cast %x : tensor<?xf32> -> tensor<7xf32>
// CHECK-NEXT: %5 = ptir.dim_cast %4 : tensor<7xf32> -> tensor<?xf32>
// CHECK-NEXT: func.return %1, %3, %5 : tensor<2x4xf32>, tensor<?xf32, #ptir.dims<C>>, tensor<?xf32>
func.func @checked(%x: tensor<?xf32>, %y: tensor<?x4xf32, #ptir.dims<B, _>>) -> (tensor<2x4xf32>, tensor<?xf32, #ptir.dims<C>>, tensor<?xf32>) {
  %0 = ptir.broadcast_to %x : tensor<?xf32> -> tensor<1xf32>
  %1 = ptir.broadcast_to %0 : tensor<1xf32> -> tensor<2x4xf32>
  %2 = ptir.reshape %y : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<12xf32>
  %3 = ptir.reshape %2 : tensor<12xf32> -> tensor<?xf32, #ptir.dims<C>>
  %4 = ptir.dim_cast %x : tensor<?xf32> -> tensor<7xf32>
  %5 = ptir.dim_cast %4 : tensor<7xf32> -> tensor<?xf32>
  func.return %1, %3, %5 : tensor<2x4xf32>, tensor<?xf32, #ptir.dims<C>>, tensor<?xf32>
}

// Both operands have one size, which a run checks: neither may go.
// CHECK: func.func @unnamed(%x: tensor<?xi32>, %y: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
// CHECK-NEXT: %0 = ptir.sub %x, %y : tensor<?xi32>
// CHECK-NEXT: %1 = ptir.add %0, %y : tensor<?xi32>
// CHECK-NEXT: %2 = ptir.sub %x, %x : tensor<?xi32>
// CHECK-NEXT: func.return %1, %2, %x : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
func.func @unnamed(%x: tensor<?xi32>, %y: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %0 = ptir.sub %x, %y : tensor<?xi32>
  %1 = ptir.add %0, %y : tensor<?xi32>
  %2 = ptir.sub %x, %x : tensor<?xi32>
  %3 = ptir.neg %x : tensor<?xi32>
  %4 = ptir.neg %3 : tensor<?xi32>
  func.return %1, %2, %4 : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}

// CHECK: func.func @kept_names(%x: tensor<?x4xf32, #ptir.dims<B, _>>) -> (tensor<?x4xf32>, tensor<?x4xf32, #ptir.dims<B, _>>, tensor<?x2x2xf32, #ptir.dims<B, _, _>>) {
// CHECK-NEXT: %0 = ptir.reshape %x : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<?x4xf32>
// CHECK-NEXT: %1 = ptir.reshape %x : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<?x2x2xf32, #ptir.dims<B, _, _>>
// CHECK-NEXT: func.return %0, %x, %1 : tensor<?x4xf32>, tensor<?x4xf32, #ptir.dims<B, _>>, tensor<?x2x2xf32, #ptir.dims<B, _, _>>
func.func @kept_names(%x: tensor<?x4xf32, #ptir.dims<B, _>>) -> (tensor<?x4xf32>, tensor<?x4xf32, #ptir.dims<B, _>>, tensor<?x2x2xf32, #ptir.dims<B, _, _>>) {
  %0 = ptir.reshape %x : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<?x4xf32>
  %1 = ptir.slice %x [0, 0] : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<?x4xf32, #ptir.dims<B, _>>
  %2 = ptir.reshape %x : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<4x?xf32, #ptir.dims<_, B>>
  %3 = ptir.reshape %2 : tensor<4x?xf32, #ptir.dims<_, B>> -> tensor<?x2x2xf32, #ptir.dims<B, _, _>>
  func.return %0, %1, %3 : tensor<?x4xf32>, tensor<?x4xf32, #ptir.dims<B, _>>, tensor<?x2x2xf32, #ptir.dims<B, _, _>>
}

// What forgets a size checks nothing; what promises one stays.
// CHECK: func.func @promises(%x: tensor<?x4xf32, #ptir.dims<B, _>>, %y: tensor<?xf32>) -> (tensor<?x4xf32, #ptir.dims<B, _>>, tensor<?x4xf32, #ptir.dims<N, _>>, tensor<3xf32>) {
// CHECK-NEXT: %0 = ptir.dim_cast %x : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<?x4xf32, #ptir.dims<N, _>>
// CHECK-NEXT: %1 = ptir.dim_cast %y : tensor<?xf32> -> tensor<?xf32, #ptir.dims<M>>
// CHECK-NEXT: %2 = ptir.dim_cast %1 : tensor<?xf32, #ptir.dims<M>> -> tensor<3xf32>
// CHECK-NEXT: func.return %x, %0, %2 : tensor<?x4xf32, #ptir.dims<B, _>>, tensor<?x4xf32, #ptir.dims<N, _>>, tensor<3xf32>
func.func @promises(%x: tensor<?x4xf32, #ptir.dims<B, _>>, %y: tensor<?xf32>) -> (tensor<?x4xf32, #ptir.dims<B, _>>, tensor<?x4xf32, #ptir.dims<N, _>>, tensor<3xf32>) {
  %0 = ptir.dim_cast %x : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<?x?xf32>
  %1 = ptir.dim_cast %0 : tensor<?x?xf32> -> tensor<?x4xf32, #ptir.dims<B, _>>
  %2 = ptir.dim_cast %0 : tensor<?x?xf32> -> tensor<?x4xf32, #ptir.dims<N, _>>
  %3 = ptir.dim_cast %y : tensor<?xf32> -> tensor<?xf32, #ptir.dims<M>>
  %4 = ptir.dim_cast %3 : tensor<?xf32, #ptir.dims<M>> -> tensor<3xf32>
  func.return %1, %2, %4 : tensor<?x4xf32, #ptir.dims<B, _>>, tensor<?x4xf32, #ptir.dims<N, _>>, tensor<3xf32>
}

// B may be 0, and then nothing is divided.
// CHECK: func.func @not_sunk(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<?x4xi32, #ptir.dims<B, _>> {
// CHECK-NEXT: %0 = ptir.broadcast_to %x : tensor<4xi32> -> tensor<?x4xi32, #ptir.dims<B, _>>
// CHECK-NEXT: %1 = ptir.broadcast_to %y : tensor<4xi32> -> tensor<?x4xi32, #ptir.dims<B, _>>
// CHECK-NEXT: %2 = ptir.div %0, %1 : tensor<?x4xi32, #ptir.dims<B, _>>
// CHECK-NEXT: func.return %2 : tensor<?x4xi32, #ptir.dims<B, _>>
func.func @not_sunk(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<?x4xi32, #ptir.dims<B, _>> {
  %0 = ptir.broadcast_to %x : tensor<4xi32> -> tensor<?x4xi32, #ptir.dims<B, _>>
  %1 = ptir.broadcast_to %y : tensor<4xi32> -> tensor<?x4xi32, #ptir.dims<B, _>>
  %2 = ptir.div %0, %1 : tensor<?x4xi32, #ptir.dims<B, _>>
  func.return %2 : tensor<?x4xi32, #ptir.dims<B, _>>
}
