// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt --print-op-generic | ptir-opt | filecheck %s

// CHECK: func.func @f
func.func @f(%x: memref<?xui32>, %i: i32, %v: i32, %p: i1) {
  // CHECK-NEXT: %0 = nv.shared_words : memref<64xui32>
  %0 = nv.shared_words : memref<64xui32>
  // CHECK-NEXT: %1 = nv.load_word %0[%i] if %p : memref<64xui32>
  %1 = nv.load_word %0[%i] if %p : memref<64xui32>
  // CHECK-NEXT: nv.store_word %1, %x[%i] if %p : memref<?xui32>
  nv.store_word %1, %x[%i] if %p : memref<?xui32>
  // CHECK-NEXT: %2 = nv.atomic_word add %v, %x[%i] if %p : memref<?xui32>
  %2 = nv.atomic_word add %v, %x[%i] if %p : memref<?xui32>
  // CHECK-NEXT: %3 = nv.atomic_word min %v, %x[%i] if %p signed : memref<?xui32>
  %3 = nv.atomic_word min %v, %x[%i] if %p signed : memref<?xui32>
  // CHECK-NEXT: %4 = nv.compare_exchange_word %2, %v, %x[%i] if %p : memref<?xui32>
  %4 = nv.compare_exchange_word %2, %v, %x[%i] if %p : memref<?xui32>
  // CHECK-NEXT: %5 = nv.float_word fma_bf16 %4, %v, %v
  %5 = nv.float_word fma_bf16 %4, %v, %v
  func.return
}
