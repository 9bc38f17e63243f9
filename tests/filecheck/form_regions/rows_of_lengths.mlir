// RUN: ptir-opt %s -p ptir-to-tiny,form-regions | filecheck %s

// Updates of 6 and of 2 elements are reduced to the elements of one array: rows of different lengths are two kernels.
// CHECK: func.func @lengths
// CHECK: region.launch @lengths_0
// CHECK: region.launch @lengths_1
builtin.module attributes {ptir.extensions} {
  func.func @lengths(%3: tensor<2x8x1xi32>, %2: tensor<6x1xi32>) -> (tensor<2x8x1xi32>, tensor<2x8x1xi32>) {
    %6 = ptir.constant dense<[[[2], [1]], [[7], [0]]]> : tensor<2x2x1xsi32>
    %7 = ptir.constant dense<[[[-3], [5]], [[5], [4]]]> : tensor<2x2x1xi32>
    %8 = ptir.scatter_reduce replace %3, %6, %7 axis -2 : tensor<2x8x1xi32>, tensor<2x2x1xsi32>, tensor<2x2x1xi32>
    %10 = ptir.constant dense<[3, -4]> : tensor<2xi32>
    %11 = ptir.constant dense<0> : tensor<2xi32>
    %13 = ptir.clamp %10, %11, %11 : tensor<2xi32>
    %14 = ptir.scatter_add %3, %13, %2 update_window_dims [0, 1] inserted_window_dims [0] scatter_dims_to_operand_dims [2, 1] index_vector_dim 0 : tensor<2x8x1xi32>, tensor<2xi32>, tensor<6x1xi32>
    func.return %8, %14 : tensor<2x8x1xi32>, tensor<2x8x1xi32>
  }
}
