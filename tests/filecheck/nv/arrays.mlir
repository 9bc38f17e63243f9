// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt --print-op-generic | ptir-opt | filecheck %s

// CHECK: func.func @f
func.func @f(%x: memref<4x8xui16>, %i: index, %v: i16) {
  // CHECK-NEXT: %0 = nv.shared_array at 1024 : memref<4x8xi1>
  %0 = nv.shared_array at 1024 : memref<4x8xi1>
  // CHECK-NEXT: %1 = nv.load_element %0[%i] : memref<4x8xi1>, i1
  %1 = nv.load_element %0[%i] : memref<4x8xi1>, i1
  // CHECK-NEXT: nv.store_element %v, %x[%i] : i16, memref<4x8xui16>
  nv.store_element %v, %x[%i] : i16, memref<4x8xui16>
  func.return
}
