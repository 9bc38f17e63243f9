// RUN: ptir-opt %s -p ptir-flatten-tuples,ptir-to-tiny,tiny-emulate-int4,form-regions --split-input-file | filecheck %s

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    %v = memref.alloc() : memref<2xf32>
// CHECK-NEXT:    %i = memref.alloc() : memref<2xi64>
// CHECK-NEXT:    region.custom_call "acme.best.v1" ins(%x : memref<8xf32>) outs(%v, %i : memref<2xf32>, memref<2xi64>) attrs {count = 2 : i64} as (tensor<8xf32>) -> (tensor<2xf32>, tensor<2xi64>)
// CHECK-NEXT:    func.return %v, %i
func.func @f(%x: tensor<8xf32>) -> (tensor<2xf32>, tensor<2xi64>) {
  %v, %i = ptir.custom_call "acme.best.v1"(%x) {count = 2 : i64} : (tensor<8xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  func.return %v, %i : tensor<2xf32>, tensor<2xi64>
}

// -----

// The Python function gets 4-bit integers and returns a tuple; memrefs have the bytes and the elements.

// CHECK-LABEL: func.func @f(%x: memref<3xui8>) -> (memref<3xui8>, memref<2xf32>)
// CHECK:         region.custom_call "acme.pair.v1" ins(%x : memref<3xui8>) outs(%{{.*}}, %{{.*}} : memref<3xui8>, memref<2xf32>) attrs {} as (tensor<5xsi4>) -> tuple<tensor<5xsi4>, tensor<2xf32>>
func.func @f(%x: tensor<5xsi4>) -> (tensor<5xsi4>, tensor<2xf32>) {
  %t = ptir.custom_call "acme.pair.v1"(%x) : (tensor<5xsi4>) -> tuple<tensor<5xsi4>, tensor<2xf32>>
  %a = ptir.tuple_element %t[0] : tuple<tensor<5xsi4>, tensor<2xf32>> -> tensor<5xsi4>
  %b = ptir.tuple_element %t[1] : tuple<tensor<5xsi4>, tensor<2xf32>> -> tensor<2xf32>
  func.return %a, %b : tensor<5xsi4>, tensor<2xf32>
}
