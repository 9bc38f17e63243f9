// RUN: ptir-opt %s --ptir-decompose=ops=take,gather,scatter_reduce,scatter_add | filecheck %s
// RUN: ptir-opt %s --ptir-decompose=ops=take,gather,scatter_reduce,scatter_add --ptir-decompose=ops=take,gather,scatter_reduce,scatter_add > /dev/null
// RUN: ptir-opt %s --ptir-decompose | filecheck %s --check-prefix=ASKED

// ASKED: ptir.take
// ASKED: ptir.gather
// ASKED: ptir.scatter_reduce
// ASKED: ptir.scatter_add

// CHECK-LABEL: func.func @take
// CHECK-NEXT: %0 = ptir.reshape %i : tensor<2x3xsi32> -> tensor<6x1xsi32>
// CHECK-NEXT: %1 = ptir.broadcast_to %0 : tensor<6x1xsi32> -> tensor<6x4xsi32>
// CHECK-NEXT: %2 = ptir.gather %x, %1 axis 0 : (tensor<9x4xf32>, tensor<6x4xsi32>) -> tensor<6x4xf32>
// CHECK-NEXT: %{{.*}} = ptir.reshape %2 : tensor<6x4xf32> -> tensor<2x3x4xf32>
func.func @take(%x: tensor<9x4xf32>, %i: tensor<2x3xsi32>) -> tensor<2x3x4xf32> {
  %0 = ptir.take %x, %i : (tensor<9x4xf32>, tensor<2x3xsi32>) -> tensor<2x3x4xf32>
  func.return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @gather
// CHECK-NEXT: ptir.broadcast_to
// CHECK-NEXT: %0 = ptir.transpose %x [1, 0] : tensor<9x4xf32> -> tensor<4x9xf32>
// CHECK-NEXT: %1 = ptir.take %0, %i : (tensor<4x9xf32>, tensor<2xsi64>) -> tensor<2x9xf32>
// CHECK-NEXT: %{{.*}} = ptir.transpose %1 [1, 0] : tensor<2x9xf32> -> tensor<9x2xf32>
func.func @gather(%x: tensor<9x4xf32>, %i: tensor<2xsi64>) -> tensor<9x2xf32> {
  %j = ptir.broadcast_to %i : tensor<2xsi64> -> tensor<9x2xsi64>
  %0 = ptir.gather %x, %j axis 1 : (tensor<9x4xf32>, tensor<9x2xsi64>) -> tensor<9x2xf32>
  func.return %0 : tensor<9x2xf32>
}

// CHECK-LABEL: func.func @reduce
// CHECK-NEXT: %0 = ptir.iota axis 1 : tensor<2x4xsi32>
// CHECK-NEXT: %1 = ptir.reshape %i : tensor<2x4xsi32> -> tensor<2x4x1xsi32>
// CHECK-NEXT: %2 = ptir.reshape %0 : tensor<2x4xsi32> -> tensor<2x4x1xsi32>
// CHECK-NEXT: %3 = ptir.concat %1, %2 axis 2
// CHECK-NEXT: %{{.*}} = ptir.scatter_add %x, %3, %u update_window_dims [] inserted_window_dims [0, 1] scatter_dims_to_operand_dims [0, 1] index_vector_dim 2
func.func @reduce(%x: tensor<9x4xf32>, %i: tensor<2x4xsi32>, %u: tensor<2x4xf32>) -> tensor<9x4xf32> {
  %0 = ptir.scatter_reduce add %x, %i, %u axis 0 : tensor<9x4xf32>, tensor<2x4xsi32>, tensor<2x4xf32>
  func.return %0 : tensor<9x4xf32>
}

// CHECK-LABEL: func.func @add
// CHECK: ptir.scatter_reduce add {{.*}} axis 0 : tensor<9x4xf32>, tensor<2x4xsi32>, tensor<2x4xf32>
func.func @add(%x: tensor<9x4xf32>, %i: tensor<2x1xsi32>, %u: tensor<2x4xf32>) -> tensor<9x4xf32> {
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1
     : tensor<9x4xf32>, tensor<2x1xsi32>, tensor<2x4xf32>
  func.return %0 : tensor<9x4xf32>
}

// Other kinds, windows that are part of a row, indices of two axes, and one index for each element have no other form.

// CHECK-LABEL: func.func @stays
// CHECK-NEXT: ptir.scatter_reduce max
// CHECK-NEXT: ptir.scatter_add
// CHECK-NEXT: ptir.scatter_add
// CHECK-NEXT: ptir.gather
func.func @stays(%x: tensor<9x4xf32>, %i: tensor<2x4xsi32>, %u: tensor<2x4xf32>, %v: tensor<2x3xf32>, %w: tensor<4xf32>, %k: tensor<2x1xsi32>) -> tensor<2x4xf32> {
  %0 = ptir.scatter_reduce max %x, %i, %u axis 0 : tensor<9x4xf32>, tensor<2x4xsi32>, tensor<2x4xf32>
  %1 = ptir.scatter_add %0, %k, %v update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1
     : tensor<9x4xf32>, tensor<2x1xsi32>, tensor<2x3xf32>
  %2 = ptir.scatter_add %1, %i, %w update_window_dims [] inserted_window_dims [0, 1] scatter_dims_to_operand_dims [0, 1] index_vector_dim 0
     : tensor<9x4xf32>, tensor<2x4xsi32>, tensor<4xf32>
  %3 = ptir.gather %2, %i axis 0 : (tensor<9x4xf32>, tensor<2x4xsi32>) -> tensor<2x4xf32>
  func.return %3 : tensor<2x4xf32>
}

// Rows without elements are parts of rows with one: the indices are checked.

// CHECK-LABEL: func.func @take_nothing
// CHECK: %[[ROWS:.*]] = ptir.gather %{{.*}}, %{{.*}} axis 0 : (tensor<9x1xf32>, tensor<3x1xsi32>) -> tensor<3x1xf32>
// CHECK-NEXT: ptir.slice %[[ROWS]] [0, 0] : tensor<3x1xf32> -> tensor<3x0xf32>
func.func @take_nothing(%x: tensor<9x0xf32>, %i: tensor<3xsi32>) -> tensor<3x0xf32> {
  %0 = ptir.take %x, %i : (tensor<9x0xf32>, tensor<3xsi32>) -> tensor<3x0xf32>
  func.return %0 : tensor<3x0xf32>
}
