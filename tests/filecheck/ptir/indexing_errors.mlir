// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of the verifiers of the ops that read and write where indices say.

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2xui32>) {
  // expected-error@+1 {{the element type of the indices is ui32; indices are si32 or si64}}
  %0 = ptir.take %x, %i : (tensor<4x6xf32>, tensor<2xui32>) -> tensor<2x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2xsi16>) {
  // expected-error@+1 {{the element type of the indices is si16; indices are si32 or si64}}
  %0 = ptir.take %x, %i : (tensor<4x6xf32>, tensor<2xsi16>) -> tensor<2x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2xf32>) {
  // expected-error@+1 {{the element type of the indices is f32; indices are si32 or si64}}
  %0 = ptir.take %x, %i : (tensor<4x6xf32>, tensor<2xf32>) -> tensor<2x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<f32>, %i: tensor<2xsi32>) {
  // expected-error@+1 {{axis 0 is out of range for rank 0}}
  %0 = ptir.take %x, %i : (tensor<f32>, tensor<2xsi32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2xsi32>) {
  // expected-error@+1 {{the result has element type f16, expected f32}}
  %0 = ptir.take %x, %i : (tensor<4x6xf32>, tensor<2xsi32>) -> tensor<2x6xf16>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2xsi32>) {
  // expected-error@+1 {{the result has shape [6, 2], expected [2, 6]}}
  %0 = ptir.take %x, %i : (tensor<4x6xf32>, tensor<2xsi32>) -> tensor<6x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2x6xi8>) {
  // expected-error@+1 {{the element type of the indices is i8; indices are si32 or si64}}
  %0 = ptir.gather %x, %i axis 0 : (tensor<4x6xf32>, tensor<2x6xi8>) -> tensor<2x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2x6xi32>) {
  // expected-error@+1 {{axis 2 is out of range for rank 2}}
  %0 = ptir.gather %x, %i axis 2 : (tensor<4x6xf32>, tensor<2x6xi32>) -> tensor<2x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2x5xi32>) {
  // expected-error@+1 {{the tensor of indices has shape [2, 5], expected [?, 6]}}
  %0 = ptir.gather %x, %i axis 0 : (tensor<4x6xf32>, tensor<2x5xi32>) -> tensor<2x5xf32>
  func.return
}

// -----

// torch.gather takes fewer; the contract does not.

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2xi32>) {
  // expected-error@+1 {{the tensor of indices has shape [2], expected [?, 6]}}
  %0 = ptir.gather %x, %i axis 0 : (tensor<4x6xf32>, tensor<2xi32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2x6xi32>) {
  // expected-error@+1 {{the result has shape [4, 6], expected [2, 6]}}
  %0 = ptir.gather %x, %i axis 0 : (tensor<4x6xf32>, tensor<2x6xi32>) -> tensor<4x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2x6xi32>) {
  // expected-error@+1 {{the result has element type f16, expected f32}}
  %0 = ptir.gather %x, %i axis 0 : (tensor<4x6xf32>, tensor<2x6xi32>) -> tensor<2x6xf16>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2xui64>) {
  // expected-error@+1 {{the element type of the start is ui64; indices are si32 or si64}}
  %0 = ptir.dynamic_slice %x, %i : (tensor<4x6xf32>, tensor<2xui64>) -> tensor<1x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi64>) {
  // expected-error@+1 {{the start has shape [3], expected [2]}}
  %0 = ptir.dynamic_slice %x, %i : (tensor<4x6xf32>, tensor<3xsi64>) -> tensor<1x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2x1xsi64>) {
  // expected-error@+1 {{the start has shape [2, 1], expected [2]}}
  %0 = ptir.dynamic_slice %x, %i : (tensor<4x6xf32>, tensor<2x1xsi64>) -> tensor<1x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2xsi64>) {
  // expected-error@+1 {{the result has element type f16, expected f32}}
  %0 = ptir.dynamic_slice %x, %i : (tensor<4x6xf32>, tensor<2xsi64>) -> tensor<1x6xf16>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2xsi64>) {
  // expected-error@+1 {{the result has rank 1, expected 2}}
  %0 = ptir.dynamic_slice %x, %i : (tensor<4x6xf32>, tensor<2xsi64>) -> tensor<6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2xsi64>) {
  // expected-error@+1 {{axis 0: a window of size 5 at offset 0 exceeds the extent of 4}}
  %0 = ptir.dynamic_slice %x, %i : (tensor<4x6xf32>, tensor<2xsi64>) -> tensor<5x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %u: tensor<1x6xf32>, %s: tensor<2xf32>) {
  // expected-error@+1 {{the element type of the start is f32; indices are si32 or si64}}
  %0 = ptir.dynamic_update_slice %x, %u, %s : tensor<4x6xf32>, tensor<1x6xf32>, tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %u: tensor<1x6xf32>, %s: tensor<1xsi64>) {
  // expected-error@+1 {{the start has shape [1], expected [2]}}
  %0 = ptir.dynamic_update_slice %x, %u, %s : tensor<4x6xf32>, tensor<1x6xf32>, tensor<1xsi64>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %u: tensor<1x6xf16>, %s: tensor<2xsi64>) {
  // expected-error@+1 {{the update has element type f16, expected f32}}
  %0 = ptir.dynamic_update_slice %x, %u, %s : tensor<4x6xf32>, tensor<1x6xf16>, tensor<2xsi64>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %u: tensor<1x1x6xf32>, %s: tensor<2xsi64>) {
  // expected-error@+1 {{the update has rank 3, expected 2}}
  %0 = ptir.dynamic_update_slice %x, %u, %s : tensor<4x6xf32>, tensor<1x1x6xf32>, tensor<2xsi64>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %u: tensor<1x7xf32>, %s: tensor<2xsi64>) {
  // expected-error@+1 {{axis 1: a window of size 7 at offset 0 exceeds the extent of 6}}
  %0 = ptir.dynamic_update_slice %x, %u, %s : tensor<4x6xf32>, tensor<1x7xf32>, tensor<2xsi64>
  func.return
}

// -----

// The result has the type of the operand.

func.func @f(%x: tensor<4xf32>, %u: tensor<1xf32>, %s: tensor<1xsi64>) {
  // expected-error@+1 {{attribute tensor<4xf32> expected}}
  %0 = "ptir.dynamic_update_slice"(%x, %u, %s) : (tensor<4xf32>, tensor<1xf32>, tensor<1xsi64>) -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2x6xsi32>, %u: tensor<2x6xf32>) {
  // expected-error@+1 {{'kind' is 'mean'}}
  %0 = ptir.scatter_reduce mean %x, %i, %u axis 0 : tensor<4x6xf32>, tensor<2x6xsi32>, tensor<2x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xi1>, %i: tensor<2x6xsi32>, %u: tensor<2x6xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.scatter_reduce is defined on numbers}}
  %0 = ptir.scatter_reduce add %x, %i, %u axis 0 : tensor<4x6xi1>, tensor<2x6xsi32>, tensor<2x6xi1>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xcomplex<f32>>, %i: tensor<2x6xsi32>, %u: tensor<2x6xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.scatter_reduce is defined on real numbers}}
  %0 = ptir.scatter_reduce max %x, %i, %u axis 0 : tensor<4x6xcomplex<f32>>, tensor<2x6xsi32>, tensor<2x6xcomplex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xcomplex<f32>>, %i: tensor<2x6xsi32>, %u: tensor<2x6xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.scatter_reduce is defined on real numbers}}
  %0 = ptir.scatter_reduce min %x, %i, %u axis 0 : tensor<4x6xcomplex<f32>>, tensor<2x6xsi32>, tensor<2x6xcomplex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2x6xsi32>, %u: tensor<2x6xf32>) {
  // expected-error@+1 {{'ptir.scatter_reduce mul' is an extension of PTIR v0.4}}
  %0 = ptir.scatter_reduce mul %x, %i, %u axis 0 : tensor<4x6xf32>, tensor<2x6xsi32>, tensor<2x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2x6xui32>, %u: tensor<2x6xf32>) {
  // expected-error@+1 {{the element type of the indices is ui32; indices are si32 or si64}}
  %0 = ptir.scatter_reduce add %x, %i, %u axis 0 : tensor<4x6xf32>, tensor<2x6xui32>, tensor<2x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2x6xsi32>, %u: tensor<2x6xf32>) {
  // expected-error@+1 {{axis -3 is out of range for rank 2}}
  %0 = ptir.scatter_reduce add %x, %i, %u axis -3 : tensor<4x6xf32>, tensor<2x6xsi32>, tensor<2x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2x6xsi32>, %u: tensor<2x6xf32>) {
  // expected-error@+1 {{the tensor of indices has shape [2, 6], expected [4, ?]}}
  %0 = ptir.scatter_reduce add %x, %i, %u axis 1 : tensor<4x6xf32>, tensor<2x6xsi32>, tensor<2x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2x6xsi32>, %u: tensor<2x6xf16>) {
  // expected-error@+1 {{the tensor of updates has element type f16, expected f32}}
  %0 = ptir.scatter_reduce add %x, %i, %u axis 0 : tensor<4x6xf32>, tensor<2x6xsi32>, tensor<2x6xf16>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<2x6xsi32>, %u: tensor<3x6xf32>) {
  // expected-error@+1 {{the tensor of updates has shape [3, 6], expected [2, 6]}}
  %0 = ptir.scatter_reduce add %x, %i, %u axis 0 : tensor<4x6xf32>, tensor<2x6xsi32>, tensor<3x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xi1>, %i: tensor<3xsi32>, %u: tensor<3x6xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.scatter_add is defined on numbers}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] : tensor<4x6xi1>, tensor<3xsi32>, tensor<3x6xi1>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xi8>, %u: tensor<3x6xf32>) {
  // expected-error@+1 {{the element type of the indices is i8; indices are si32 or si64}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] : tensor<4x6xf32>, tensor<3xi8>, tensor<3x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi32>, %u: tensor<3x6xf16>) {
  // expected-error@+1 {{the tensor of updates has element type f16, expected f32}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] : tensor<4x6xf32>, tensor<3xsi32>, tensor<3x6xf16>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi32>, %u: tensor<3x6xf32>) {
  // expected-error@+1 {{axis 2 is out of range for rank 2}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [2] inserted_window_dims [0] scatter_dims_to_operand_dims [0] : tensor<4x6xf32>, tensor<3xsi32>, tensor<3x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi32>, %u: tensor<3x6xf32>) {
  // expected-error@+1 {{axis 1 is given twice in update_window_dims}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1, 1] inserted_window_dims [] scatter_dims_to_operand_dims [0] : tensor<4x6xf32>, tensor<3xsi32>, tensor<3x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi32>, %u: tensor<3x6xf32>) {
  // expected-error@+1 {{'update_window_dims' is [1, 0], which is not ascending}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1, 0] inserted_window_dims [] scatter_dims_to_operand_dims [0] : tensor<4x6xf32>, tensor<3xsi32>, tensor<3x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi32>, %u: tensor<3x6xf32>) {
  // expected-error@+1 {{axis 2 is out of range for rank 2}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [2] scatter_dims_to_operand_dims [0] : tensor<4x6xf32>, tensor<3xsi32>, tensor<3x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi32>, %u: tensor<3x6xf32>) {
  // expected-error@+1 {{axis 0 is given twice in inserted_window_dims}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [] inserted_window_dims [0, 0] scatter_dims_to_operand_dims [0] : tensor<4x6xf32>, tensor<3xsi32>, tensor<3x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi32>, %u: tensor<3x6xf32>) {
  // expected-error@+1 {{'inserted_window_dims' is [1, 0], which is not ascending}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [] inserted_window_dims [1, 0] scatter_dims_to_operand_dims [0] : tensor<4x6xf32>, tensor<3xsi32>, tensor<3x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi32>, %u: tensor<3x6xf32>) {
  // expected-error@+1 {{axis 3 is out of range for rank 2}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [3] : tensor<4x6xf32>, tensor<3xsi32>, tensor<3x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3x2xsi32>, %u: tensor<3x6xf32>) {
  // expected-error@+1 {{axis 0 is given twice in scatter_dims_to_operand_dims}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0, 0] index_vector_dim 1 : tensor<4x6xf32>, tensor<3x2xsi32>, tensor<3x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi32>, %u: tensor<3x6xf32>) {
  // expected-error@+1 {{'update_window_dims' and 'inserted_window_dims' are [1] and [] for an x of rank 2}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [] scatter_dims_to_operand_dims [0] : tensor<4x6xf32>, tensor<3xsi32>, tensor<3x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi32>, %u: tensor<3x6xf32>) {
  // expected-error@+1 {{'update_window_dims' and 'inserted_window_dims' are [1] and [0, 1] for an x of rank 2}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [0, 1] scatter_dims_to_operand_dims [0] : tensor<4x6xf32>, tensor<3xsi32>, tensor<3x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3x2xsi32>, %u: tensor<3x6xf32>) {
  // expected-error@+1 {{'scatter_dims_to_operand_dims' is [0] for vectors of length 2}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : tensor<4x6xf32>, tensor<3x2xsi32>, tensor<3x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi32>, %u: tensor<3x6xf32>) {
  // expected-error@+1 {{'scatter_dims_to_operand_dims' is [0, 1] for vectors of length 1}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0, 1] : tensor<4x6xf32>, tensor<3xsi32>, tensor<3x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi32>, %u: tensor<3x6xf32>) {
  // expected-error@+1 {{axis 2 is out of range for rank 1}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 2 : tensor<4x6xf32>, tensor<3xsi32>, tensor<3x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi32>, %u: tensor<3x6xf32>) {
  // expected-error@+1 {{axis -2 is out of range for rank 1}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim -2 : tensor<4x6xf32>, tensor<3xsi32>, tensor<3x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi32>, %u: tensor<3x1x6xf32>) {
  // expected-error@+1 {{the tensor of updates has rank 3, expected 2}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] : tensor<4x6xf32>, tensor<3xsi32>, tensor<3x1x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi32>, %u: tensor<4x6xf32>) {
  // expected-error@+1 {{the tensor of updates has shape [4, 6], expected [3, ?]}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] : tensor<4x6xf32>, tensor<3xsi32>, tensor<4x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi32>, %u: tensor<6x2xf32>) {
  // expected-error@+1 {{the tensor of updates has shape [6, 2], expected [?, 3]}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [0] inserted_window_dims [0] scatter_dims_to_operand_dims [0] : tensor<4x6xf32>, tensor<3xsi32>, tensor<6x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi32>, %u: tensor<3x7xf32>) {
  // expected-error@+1 {{axis 1: a window of size 7 at offset 0 exceeds the extent of 6}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] : tensor<4x6xf32>, tensor<3xsi32>, tensor<3x7xf32>
  func.return
}

// -----

func.func @f(%x: tensor<0x6xf32>, %i: tensor<3xsi32>, %u: tensor<3x6xf32>) {
  // expected-error@+1 {{axis 0: a window of size 1 at offset 0 exceeds the extent of 0}}
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] : tensor<0x6xf32>, tensor<3xsi32>, tensor<3x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<6x4xf32>, %i: tensor<6xsi32>) {
  // expected-error@+1 {{'kind' is 'mul'}}
  %0 = ptir.segment_reduce mul %x, %i : (tensor<6x4xf32>, tensor<6xsi32>) -> tensor<3x4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<6x4xi1>, %i: tensor<6xsi32>) {
  // expected-error@+1 {{the element type is i1; ptir.segment_reduce is defined on numbers}}
  %0 = ptir.segment_reduce sum %x, %i : (tensor<6x4xi1>, tensor<6xsi32>) -> tensor<3x4xi1>
  func.return
}

// -----

func.func @f(%x: tensor<6x4xcomplex<f32>>, %i: tensor<6xsi32>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.segment_reduce is defined on real numbers}}
  %0 = ptir.segment_reduce max %x, %i : (tensor<6x4xcomplex<f32>>, tensor<6xsi32>) -> tensor<3x4xcomplex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<6x4xi1>, %i: tensor<6xsi32>) {
  // expected-error@+1 {{the element type is i1; ptir.segment_reduce is defined on real numbers}}
  %0 = ptir.segment_reduce min %x, %i : (tensor<6x4xi1>, tensor<6xsi32>) -> tensor<3x4xi1>
  func.return
}

// -----

func.func @f(%x: tensor<6x4xf32>, %i: tensor<6xsi32>) {
  // expected-error@+1 {{accum is si32; it must be of the same kind as f32}}
  %0 = ptir.segment_reduce sum %x, %i accum si32 : (tensor<6x4xf32>, tensor<6xsi32>) -> tensor<3x4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<6x4xf32>, %i: tensor<6xf32>) {
  // expected-error@+1 {{the element type of the segment ids is f32; indices are si32 or si64}}
  %0 = ptir.segment_reduce sum %x, %i : (tensor<6x4xf32>, tensor<6xf32>) -> tensor<3x4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<f32>, %i: tensor<si32>) {
  // expected-error@+1 {{axis 0 is out of range for rank 0}}
  %0 = ptir.segment_reduce sum %x, %i : (tensor<f32>, tensor<si32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<6x4xf32>, %i: tensor<5xsi32>) {
  // expected-error@+1 {{the tensor of segment ids has shape [5], expected [6]}}
  %0 = ptir.segment_reduce sum %x, %i : (tensor<6x4xf32>, tensor<5xsi32>) -> tensor<3x4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<6x4xf32>, %i: tensor<6x4xsi32>) {
  // expected-error@+1 {{the tensor of segment ids has shape [6, 4], expected [6]}}
  %0 = ptir.segment_reduce sum %x, %i : (tensor<6x4xf32>, tensor<6x4xsi32>) -> tensor<3x4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<6x4xf32>, %i: tensor<6xsi32>) {
  // expected-error@+1 {{the result has element type f16, expected f32}}
  %0 = ptir.segment_reduce sum %x, %i : (tensor<6x4xf32>, tensor<6xsi32>) -> tensor<3x4xf16>
  func.return
}

// -----

func.func @f(%x: tensor<6x4xf32>, %i: tensor<6xsi32>) {
  // expected-error@+1 {{the result has shape [3, 5], expected [?, 4]}}
  %0 = ptir.segment_reduce sum %x, %i : (tensor<6x4xf32>, tensor<6xsi32>) -> tensor<3x5xf32>
  func.return
}

// -----

func.func @f(%x: tensor<6x4xf32>, %i: tensor<6xsi32>) {
  // expected-error@+1 {{the result has shape [3], expected [?, 4]}}
  %0 = ptir.segment_reduce sum %x, %i : (tensor<6x4xf32>, tensor<6xsi32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<6x4xf32>, %i: tensor<6xsi32>) {
  // expected-error@+1 {{cannot infer the ? of axis 0}}
  %0 = ptir.segment_reduce sum %x, %i : (tensor<6x4xf32>, tensor<6xsi32>) -> tensor<?x4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<6x4xf32>, %i: tensor<6x4xsi32>) {
  // expected-error@+1 {{'number' is 0}}
  %0 = ptir.gather %x, %i axis 0 report 0 : (tensor<6x4xf32>, tensor<6x4xsi32>) -> tensor<6x4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<6x4xsi32>, %i: tensor<6x4xsi32>) {
  // expected-error@+1 {{'number' is 0}}
  %0 = ptir.scatter_reduce add %x, %i, %x axis 0 report 0 : tensor<6x4xsi32>, tensor<6x4xsi32>, tensor<6x4xsi32>
  func.return
}
