// RUN: ptir-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: memref<8xf32>, %i: i32, %p: i1) {
  // expected-error@+1 {{the array is memref<8xf32>; an array of one axis of integers of 32 bits is needed}}
  %0 = nv.load_word %x[%i] if %p : memref<8xf32>
  func.return
}

// -----

func.func @f(%x: memref<8x2xui32>, %i: i32, %p: i1) {
  // expected-error@+1 {{the array is memref<8x2xui32>; an array of one axis of integers of 32 bits is needed}}
  nv.store_word %i, %x[%i] if %p : memref<8x2xui32>
  func.return
}

// -----

func.func @f(%x: memref<8xui64>, %i: i32, %p: i1) {
  // expected-error@+1 {{the array is memref<8xui64>; an array of one axis of integers of 32 bits is needed}}
  %0 = nv.compare_exchange_word %i, %i, %x[%i] if %p : memref<8xui64>
  func.return
}

// -----

func.func @f(%x: memref<8xui32>, %i: i32, %p: i1) {
  // expected-error@+1 {{'kind' is 'inc'}}
  %0 = nv.atomic_word inc %i, %x[%i] if %p : memref<8xui32>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{the array is memref<?xui32>; its size must be static}}
  %0 = nv.shared_words : memref<?xui32>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{the array is memref<8xi1>; an array of one axis of integers of 32 bits is needed}}
  %0 = nv.shared_words : memref<8xi1>
  func.return
}

// -----

func.func @f(%x: i32) {
  // expected-error@+1 {{'fn' is 'add_f64'}}
  %0 = nv.float_word add_f64 %x, %x
  func.return
}

// -----

func.func @f(%x: i32) {
  // expected-error@+1 {{'the number of operands' is '1'}}
  %0 = nv.float_word add_f32 %x
  func.return
}
