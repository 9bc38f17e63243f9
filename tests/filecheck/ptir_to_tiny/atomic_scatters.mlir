// RUN: ptir-opt %s -p ptir-to-tiny --split-input-file | filecheck %s

// A histogram: an index out of range fails as in ptir, and the counts are added in memory.

// CHECK-LABEL: func.func @histogram
// CHECK: %[[I:.*]] = tiny.binary require_index %{{.*}}, %i
// CHECK: %[[ZERO:.*]] = tiny.movement expand %{{.*}} : tensor<si32> -> tensor<256xsi32>
// CHECK-NEXT: %[[SUM:.*]] = ptir.scatter_reduce add %[[ZERO]], %[[I]], %one axis 0 : tensor<256xsi32>, tensor<9000xsi32>, tensor<9000xsi32>
// CHECK-NEXT: func.return %[[SUM]]
func.func @histogram(%i: tensor<9000xsi32>) -> tensor<256xsi32> {
  %one = ptir.constant dense<1> : tensor<9000xsi32>
  %0 = ptir.segment_reduce sum %one, %i : (tensor<9000xsi32>, tensor<9000xsi32>) -> tensor<256xsi32>
  func.return %0 : tensor<256xsi32>
}

// -----

// No atomic operation has 8 bits: sums are wrapped at the end. An empty segment is the least value of its own type.

// CHECK-LABEL: func.func @narrow
// CHECK: tiny.unary cast %x : tensor<900xsi8> -> tensor<900xsi32>
// CHECK-NEXT: tiny.unary cast %u : tensor<9000xsi8> -> tensor<9000xsi32>
// CHECK-NEXT: ptir.scatter_reduce add
// CHECK-NEXT: tiny.movement reshape %{{.*}} : tensor<900xsi32> -> tensor<900x1xsi32>
// CHECK-NEXT: tiny.reduce sum %{{.*}} axes [1] accum si8
// CHECK: tiny.const dense<-128> : tensor<si8>
// CHECK: ptir.scatter_reduce max %{{.*}} : tensor<900xsi32>
// CHECK-NEXT: tiny.unary cast %{{.*}} : tensor<900xsi32> -> tensor<900xsi8>
func.func @narrow(%x: tensor<900xsi8>, %i: tensor<9000xsi64>, %u: tensor<9000xsi8>) -> (tensor<900xsi8>, tensor<900xsi8>) {
  %0 = ptir.scatter_reduce add %x, %i, %u axis 0 : tensor<900xsi8>, tensor<9000xsi64>, tensor<9000xsi8>
  %1 = ptir.segment_reduce max %u, %i : (tensor<9000xsi8>, tensor<9000xsi64>) -> tensor<900xsi8>
  func.return %0, %1 : tensor<900xsi8>, tensor<900xsi8>
}

// -----

// Rows of one index: the row is the first axis, and the index of all its elements.

// CHECK-LABEL: func.func @rows
// CHECK: %[[I:.*]] = tiny.binary require_index
// CHECK-NEXT: %[[IDS:.*]] = tiny.movement expand %[[I]] : tensor<900x1xsi32> -> tensor<900x64xsi32>
// CHECK-NEXT: %[[SUM:.*]] = ptir.scatter_reduce add %x, %[[IDS]], %u axis 0
// CHECK-NEXT: func.return %[[SUM]]
func.func @rows(%x: tensor<500x64xui64>, %i: tensor<900x1xsi32>, %u: tensor<900x64xui64>) -> tensor<500x64xui64> {
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1
    : tensor<500x64xui64>, tensor<900x1xsi32>, tensor<900x64xui64>
  func.return %0 : tensor<500x64xui64>
}

// -----

// Floats are summed in a fixed order, few pairs are compared, unique ids are checked, and the last update replaces an element.

// CHECK-LABEL: func.func @others
// CHECK-NOT: ptir.scatter_reduce
// CHECK: func.return
func.func @others(%f: tensor<900xf32>, %x: tensor<900xsi32>, %i: tensor<9000xsi32>, %v: tensor<9000xf32>, %u: tensor<9000xsi32>, %j: tensor<90xsi32>, %w: tensor<90xsi32>)
    -> (tensor<900xf32>, tensor<900xsi32>, tensor<900xsi32>, tensor<9000xsi32>) {
  %0 = ptir.scatter_reduce add %f, %i, %v axis 0 : tensor<900xf32>, tensor<9000xsi32>, tensor<9000xf32>
  %1 = ptir.scatter_reduce replace %x, %i, %u axis 0 : tensor<900xsi32>, tensor<9000xsi32>, tensor<9000xsi32>
  %2 = ptir.scatter_reduce add %x, %j, %w axis 0 : tensor<900xsi32>, tensor<90xsi32>, tensor<90xsi32>
  %3 = ptir.segment_reduce sum %u, %i unique : (tensor<9000xsi32>, tensor<9000xsi32>) -> tensor<9000xsi32>
  func.return %0, %1, %2, %3 : tensor<900xf32>, tensor<900xsi32>, tensor<900xsi32>, tensor<9000xsi32>
}
