// RUN: ptir-opt %s --split-input-file --verify-diagnostics

func.func @f() {
  // expected-error@+1 {{'offset' is 8}}
  %0 = nv.shared_array at 8 : memref<4x8xf32>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{the array is memref<?x8xf32>; its size must be static}}
  %0 = nv.shared_array at 0 : memref<?x8xf32>
  func.return
}

// -----

func.func @f(%x: memref<8xui16>, %i: index) {
  // expected-error@+1 {{the element is ui16; expected i16}}
  %0 = nv.load_element %x[%i] : memref<8xui16>, ui16
  func.return
}

// -----

func.func @f(%x: memref<8xf32>, %i: index, %v: f16) {
  // expected-error@+1 {{the element is f16; expected f32}}
  nv.store_element %v, %x[%i] : f16, memref<8xf32>
  func.return
}

// -----

// Arrays may overlap, but are in the block's shared memory.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8xf32>, index) -> (), kernel}> ({
  ^bb0(%x: memref<8xf32>, %n: index):
    %0 = nv.shared_array at 0 : memref<32xf32>
    %1 = nv.shared_array at 64 : memref<16xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()
func.func @f(%x: memref<8xf32>, %n: index) {
  // expected-error@+1 {{'shared' is 127}}
  nv.launch @kernels::@k grid [1, 1, 1] block [32, 1, 1] shared 127(%x, %n : memref<8xf32>, index)
  func.return
}
