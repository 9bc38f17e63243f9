// RUN: ptir-opt %s --verify-roundtrip | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// CHECK-LABEL: func.func @reads
func.func @reads(%x: tensor<4x6xf32>, %i: tensor<2x6xsi32>, %k: tensor<4x0xi64>, %s: tensor<2xsi64>, %u: tensor<1x6xf32>, %z: tensor<0xi32>, %r: tensor<f32>) {
  // CHECK-NEXT: %0 = ptir.take %x, %i : (tensor<4x6xf32>, tensor<2x6xsi32>) -> tensor<2x6x6xf32>
  %0 = ptir.take %x, %i : (tensor<4x6xf32>, tensor<2x6xsi32>) -> tensor<2x6x6xf32>
  // CHECK-NEXT: %1 = ptir.gather %x, %i axis 0 : (tensor<4x6xf32>, tensor<2x6xsi32>) -> tensor<2x6xf32>
  %1 = ptir.gather %x, %i axis 0 : (tensor<4x6xf32>, tensor<2x6xsi32>) -> tensor<2x6xf32>
  // CHECK-NEXT: %2 = ptir.gather %x, %k axis -1 : (tensor<4x6xf32>, tensor<4x0xi64>) -> tensor<4x0xf32>
  %2 = ptir.gather %x, %k axis -1 : (tensor<4x6xf32>, tensor<4x0xi64>) -> tensor<4x0xf32>
  // CHECK-NEXT: %3 = ptir.dynamic_slice %x, %s : (tensor<4x6xf32>, tensor<2xsi64>) -> tensor<4x1xf32>
  %3 = ptir.dynamic_slice %x, %s : (tensor<4x6xf32>, tensor<2xsi64>) -> tensor<4x1xf32>
  // CHECK-NEXT: %4 = ptir.dynamic_update_slice %x, %u, %s : tensor<4x6xf32>, tensor<1x6xf32>, tensor<2xsi64>
  %4 = ptir.dynamic_update_slice %x, %u, %s : tensor<4x6xf32>, tensor<1x6xf32>, tensor<2xsi64>
  // CHECK-NEXT: %5 = ptir.dynamic_slice %r, %z : (tensor<f32>, tensor<0xi32>) -> tensor<f32>
  %5 = ptir.dynamic_slice %r, %z : (tensor<f32>, tensor<0xi32>) -> tensor<f32>
  func.return
}

// CHECK-LABEL: func.func @writes
func.func @writes(%x: tensor<4x6xf32>, %i: tensor<2x6xsi32>, %u: tensor<2x6xf32>, %v: tensor<3x2xsi64>, %w: tensor<3xf32>, %e: tensor<3x6xf32>, %n: tensor<3xi32>, %b: tensor<4x6xi1>, %c: tensor<2x6xi1>) {
  // CHECK-NEXT: %0 = ptir.scatter_reduce add %x, %i, %u axis 0 : tensor<4x6xf32>, tensor<2x6xsi32>, tensor<2x6xf32>
  %0 = ptir.scatter_reduce add %x, %i, %u axis 0 : tensor<4x6xf32>, tensor<2x6xsi32>, tensor<2x6xf32>
  // CHECK-NEXT: %1 = ptir.scatter_reduce max %x, %i, %u axis -2 : tensor<4x6xf32>, tensor<2x6xsi32>, tensor<2x6xf32>
  %1 = ptir.scatter_reduce max %x, %i, %u axis -2 : tensor<4x6xf32>, tensor<2x6xsi32>, tensor<2x6xf32>
  // CHECK-NEXT: %2 = ptir.scatter_reduce min %x, %i, %u axis 0 : tensor<4x6xf32>, tensor<2x6xsi32>, tensor<2x6xf32>
  %2 = ptir.scatter_reduce min %x, %i, %u axis 0 : tensor<4x6xf32>, tensor<2x6xsi32>, tensor<2x6xf32>
  // CHECK-NEXT: %3 = ptir.scatter_reduce replace %b, %i, %c axis 0 : tensor<4x6xi1>, tensor<2x6xsi32>, tensor<2x6xi1>
  %3 = ptir.scatter_reduce replace %b, %i, %c axis 0 : tensor<4x6xi1>, tensor<2x6xsi32>, tensor<2x6xi1>
  // Points.
  // CHECK-NEXT: %4 = ptir.scatter_add %x, %v, %w update_window_dims [] inserted_window_dims [0, 1] scatter_dims_to_operand_dims [1, 0] index_vector_dim 1 : tensor<4x6xf32>, tensor<3x2xsi64>, tensor<3xf32>
  %4 = ptir.scatter_add %x, %v, %w update_window_dims [] inserted_window_dims [0, 1] scatter_dims_to_operand_dims [1, 0] index_vector_dim 1 : tensor<4x6xf32>, tensor<3x2xsi64>, tensor<3xf32>
  // Rows, each index a vector of its own.
  // CHECK-NEXT: %5 = ptir.scatter_add %x, %n, %e update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] : tensor<4x6xf32>, tensor<3xi32>, tensor<3x6xf32>
  %5 = ptir.scatter_add %x, %n, %e update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] : tensor<4x6xf32>, tensor<3xi32>, tensor<3x6xf32>
  // CHECK-NEXT: %6 = ptir.scatter_add %x, %n, %e update_window_dims [-1] inserted_window_dims [-2] scatter_dims_to_operand_dims [-2] index_vector_dim 1 : tensor<4x6xf32>, tensor<3xi32>, tensor<3x6xf32>
  %6 = ptir.scatter_add %x, %n, %e update_window_dims [-1] inserted_window_dims [-2] scatter_dims_to_operand_dims [-2] index_vector_dim 1 : tensor<4x6xf32>, tensor<3xi32>, tensor<3x6xf32>
  // CHECK-NEXT: %7 = ptir.segment_reduce sum %e, %n : (tensor<3x6xf32>, tensor<3xi32>) -> tensor<0x6xf32>
  %7 = ptir.segment_reduce sum %e, %n : (tensor<3x6xf32>, tensor<3xi32>) -> tensor<0x6xf32>
  // CHECK-NEXT: %8 = ptir.segment_reduce max %w, %n accum f64 sorted unique : (tensor<3xf32>, tensor<3xi32>) -> tensor<9xf32>
  %8 = ptir.segment_reduce max %w, %n accum f64 sorted unique : (tensor<3xf32>, tensor<3xi32>) -> tensor<9xf32>
  // CHECK-NEXT: %9 = ptir.segment_reduce min %w, %n unique : (tensor<3xf32>, tensor<3xi32>) -> tensor<9xf32>
  %9 = ptir.segment_reduce min %w, %n unique : (tensor<3xf32>, tensor<3xi32>) -> tensor<9xf32>
  func.return
}

// Sizes that are not numbers.

// CHECK-LABEL: func.func @dynamic
func.func @dynamic(%x: tensor<?x6xf32, #ptir.dims<V, _>>, %t: tensor<?xsi32, #ptir.dims<B>>, %i: tensor<?x6xsi32>, %u: tensor<?x6xf32>, %s: tensor<?xsi32>, %k: tensor<?x6xf32, #ptir.dims<B, _>>) {
  // CHECK-NEXT: -> tensor<?x6xf32, #ptir.dims<B, _>>
  %0 = ptir.take %x, %t : (tensor<?x6xf32, #ptir.dims<V, _>>, tensor<?xsi32, #ptir.dims<B>>) -> tensor<?x6xf32, #ptir.dims<B, _>>
  // CHECK-NEXT: -> tensor<?x6xf32>
  %1 = ptir.gather %x, %i axis 0 : (tensor<?x6xf32, #ptir.dims<V, _>>, tensor<?x6xsi32>) -> tensor<?x6xf32>
  // CHECK-NEXT: -> tensor<?x2xf32, #ptir.dims<V, _>>
  %2 = ptir.dynamic_slice %x, %s : (tensor<?x6xf32, #ptir.dims<V, _>>, tensor<?xsi32>) -> tensor<?x2xf32, #ptir.dims<V, _>>
  // CHECK-NEXT: ptir.dynamic_update_slice
  %3 = ptir.dynamic_update_slice %x, %u, %s : tensor<?x6xf32, #ptir.dims<V, _>>, tensor<?x6xf32>, tensor<?xsi32>
  // CHECK-NEXT: ptir.scatter_reduce
  %4 = ptir.scatter_reduce add %x, %i, %u axis 0 : tensor<?x6xf32, #ptir.dims<V, _>>, tensor<?x6xsi32>, tensor<?x6xf32>
  // CHECK-NEXT: ptir.scatter_add
  %5 = ptir.scatter_add %x, %t, %k update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] : tensor<?x6xf32, #ptir.dims<V, _>>, tensor<?xsi32, #ptir.dims<B>>, tensor<?x6xf32, #ptir.dims<B, _>>
  // CHECK-NEXT: -> tensor<?x6xf32, #ptir.dims<V, _>>
  %6 = ptir.segment_reduce sum %k, %t : (tensor<?x6xf32, #ptir.dims<B, _>>, tensor<?xsi32, #ptir.dims<B>>) -> tensor<?x6xf32, #ptir.dims<V, _>>
  func.return
}
