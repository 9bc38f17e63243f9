// RUN: ptir-opt %s -p 'specialize-sizes{sizes="B=8,y[1]=4"}' --verify-roundtrip | filecheck %s
// RUN: ptir-opt %s -p 'specialize-sizes{sizes="B=8,y[1]=4"},inline,symbol-dce,ptir-to-cuda{arch=sm80}' -t cuda | filecheck %s --check-prefix=CUDA

// Sizes follow from those of the arguments; a cast that casts nothing is removed; the callee is copied.
// CHECK-LABEL: func.func @f(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> (tensor<8x4xf32>, tensor<29xf32>) {
// CHECK-NEXT:    %0 = ptir.dot_general {{.*}} -> tensor<8x4xf32>
// CHECK-NEXT:    %1 = func.call @g_8_4(%0) : (tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:    %r = ptir.reshape %1 : tensor<8x4xf32> -> tensor<32xf32>
// CHECK-NEXT:    %s = ptir.slice %r [3] : tensor<32xf32> -> tensor<29xf32>
// CHECK-NEXT:    func.return
// CHECK:       func.func private @g_8_4(%x: tensor<8x4xf32>) -> tensor<8x4xf32>
// The original is not rewritten.
// CHECK:       func.func private @g(%x: tensor<?x?xf32>) -> tensor<?x?xf32>
// CUDA: __global__
builtin.module attributes {ptir.entry = "f"} {
  func.func @f(%x: tensor<?x16xf32, #ptir.dims<B, _>>, %y: tensor<16x?xf32>) -> (tensor<?x4xf32, #ptir.dims<B, _>>, tensor<?xf32>) {
    %0 = ptir.dot_general %x, %y contract [1] x [0] : (tensor<?x16xf32, #ptir.dims<B, _>>, tensor<16x?xf32>) -> tensor<?x?xf32, #ptir.dims<B, _>>
    %1 = ptir.dim_cast %0 : tensor<?x?xf32, #ptir.dims<B, _>> -> tensor<?x4xf32, #ptir.dims<B, _>>
    %2 = func.call @g(%1) : (tensor<?x4xf32, #ptir.dims<B, _>>) -> tensor<?x4xf32, #ptir.dims<B, _>>
    %r = ptir.reshape %2 : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<?xf32>
    %s = ptir.slice %r [3] : tensor<?xf32> -> tensor<?xf32>
    func.return %2, %s : tensor<?x4xf32, #ptir.dims<B, _>>, tensor<?xf32>
  }
  func.func private @g(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %0 = ptir.add %x, %x : tensor<?x?xf32>
    func.return %0 : tensor<?x?xf32>
  }
}
