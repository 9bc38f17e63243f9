// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// A function becomes the launch of a kernel of one block. Each op is a loop over its elements, by all threads, and a barrier. Tiles
// whose memory is used at different times share it: %v is where %a was.

module attributes {pto.target = #pto.target<sm80>} {
func.func @elements(%x: !pto.memref<16x64xf32>, %s: f32, %y: !pto.memref<16x64xf32>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<16x64xf32>, tile<16x64xf32>
  %b = pto.tile.adds %a, %s : tile<16x64xf32>, f32
  %v = pto.tile.exp %b : tile<16x64xf32>
  pto.tile.store %v, %y[0, 0] : pto.memref<16x64xf32>, tile<16x64xf32>
  func.return
}
}

// CHECK: "gpu.func"() <{function_type = (memref<16x64xf32>, f32, memref<16x64xf32>) -> (), kernel}> ({
// CHECK-NEXT: ^bb0(%x: memref<16x64xf32>, %s: f32, %y: memref<16x64xf32>):
// CHECK-NEXT: %0 = arith.constant 64 : index
// CHECK-NEXT: %1 = arith.constant 256 : index
// CHECK-NEXT: %2 = arith.constant 1024 : index
// CHECK-NEXT: %a = nv.shared_array at 0 : memref<16x64xf32>
// CHECK-NEXT: %b = nv.shared_array at 4096 : memref<16x64xf32>
// CHECK-NEXT: %v = nv.shared_array at 0 : memref<16x64xf32>
// CHECK-NEXT: %3 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT: scf.for %e = %3 to %2 step %1 {
// CHECK-NEXT: %c = arith.remui %e, %0 : index
// CHECK-NEXT: %r = arith.divui %e, %0 : index
// CHECK-NEXT: %4 = arith.muli %r, %0 : index
// CHECK-NEXT: %5 = arith.addi %4, %c : index
// CHECK-NEXT: %x_1 = nv.load_element %x[%5] : memref<16x64xf32>, f32
// CHECK-NEXT: nv.store_element %x_1, %a[%e] : f32, memref<16x64xf32>
// CHECK-NEXT: } {nv.comment = "load"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: scf.for %e_1 = %3 to %2 step %1 {
// CHECK-NEXT: %x_2 = nv.load_element %a[%e_1] : memref<16x64xf32>, f32
// CHECK-NEXT: %6 = arith.addf %x_2, %s : f32
// CHECK-NEXT: nv.store_element %6, %b[%e_1] : f32, memref<16x64xf32>
// CHECK-NEXT: } {nv.comment = "adds"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: scf.for %e_2 = %3 to %2 step %1 {
// CHECK-NEXT: %x_3 = nv.load_element %b[%e_2] : memref<16x64xf32>, f32
// CHECK-NEXT: %7 = math.exp %x_3 : f32
// CHECK-NEXT: nv.store_element %7, %v[%e_2] : f32, memref<16x64xf32>
// CHECK-NEXT: } {nv.comment = "exp"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: scf.for %e_3 = %3 to %2 step %1 {
// CHECK-NEXT: %c_1 = arith.remui %e_3, %0 : index
// CHECK-NEXT: %r_1 = arith.divui %e_3, %0 : index
// CHECK-NEXT: %x_4 = nv.load_element %v[%e_3] : memref<16x64xf32>, f32
// CHECK-NEXT: %8 = arith.muli %r_1, %0 : index
// CHECK-NEXT: %9 = arith.addi %8, %c_1 : index
// CHECK-NEXT: nv.store_element %x_4, %y[%9] : f32, memref<16x64xf32>
// CHECK-NEXT: } {nv.comment = "store"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: "gpu.return"() : () -> ()
// CHECK-NEXT: }) {sym_name = "elements", gpu.known_block_size = array<i32: 256, 1, 1>} : () -> ()
// CHECK-NEXT: }) : () -> ()
// CHECK-NEXT: func.func @elements(%x: memref<16x64xf32>, %s: f32, %y: memref<16x64xf32>) {
// CHECK-NEXT: nv.launch @kernels::@elements grid [1, 1, 1] block [256, 1, 1] shared 8192(%x, %s, %y : memref<16x64xf32>, f32, memref<16x64xf32>)
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// -----

// A loop is over the valid elements of a tile. A view is a place in the array and strides.

module attributes {pto.target = #pto.target<sm80>} {
func.func @views(%x: !pto.memref<64x128xi8>, %i: index, %n: index, %y: !pto.memref<?x32xi8>) {
  %v = pto.memref.subview %x[%i, 4] [16, 32] [2, 1] : pto.memref<64x128xi8> to pto.memref<16x32xi8, strided<[256, 1], offset: ?>>
  %a = pto.tile.load %v[0, 0] {valid = [%n, 30]} : pto.memref<16x32xi8, strided<[256, 1], offset: ?>>, tile<16x32xi8>
  pto.tile.store %a, %y[1, 0] : pto.memref<?x32xi8>, tile<16x32xi8>
  func.return
}
}

// CHECK: "gpu.func"() <{function_type = (memref<64x128xi8>, index, index, memref<?x32xi8>) -> (), kernel}> ({
// CHECK-NEXT: ^bb0(%x: memref<64x128xi8>, %i: index, %n: index, %y: memref<?x32xi8>):
// CHECK-NEXT: %0 = arith.constant 32 : index
// CHECK-NEXT: %1 = arith.constant 256 : index
// CHECK-NEXT: %2 = arith.constant 30 : index
// CHECK-NEXT: %3 = arith.constant 4 : index
// CHECK-NEXT: %4 = arith.constant 128 : index
// CHECK-NEXT: %a = nv.shared_array at 0 : memref<16x32xi8>
// CHECK-NEXT: %5 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT: %6 = arith.muli %i, %4 : index
// CHECK-NEXT: %7 = arith.addi %6, %3 : index
// CHECK-NEXT: %8 = arith.muli %n, %2 : index
// CHECK-NEXT: scf.for %e = %5 to %8 step %1 {
// CHECK-NEXT: %c = arith.remui %e, %2 : index
// CHECK-NEXT: %r = arith.divui %e, %2 : index
// CHECK-NEXT: %9 = arith.muli %r, %1 : index
// CHECK-NEXT: %10 = arith.addi %7, %9 : index
// CHECK-NEXT: %11 = arith.addi %10, %c : index
// CHECK-NEXT: %x_1 = nv.load_element %x[%11] : memref<64x128xi8>, i8
// CHECK-NEXT: %12 = arith.muli %r, %0 : index
// CHECK-NEXT: %13 = arith.addi %12, %c : index
// CHECK-NEXT: nv.store_element %x_1, %a[%13] : i8, memref<16x32xi8>
// CHECK-NEXT: } {nv.comment = "load"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: %14 = arith.muli %n, %2 : index
// CHECK-NEXT: scf.for %e_1 = %5 to %14 step %1 {
// CHECK-NEXT: %c_1 = arith.remui %e_1, %2 : index
// CHECK-NEXT: %r_1 = arith.divui %e_1, %2 : index
// CHECK-NEXT: %15 = arith.muli %r_1, %0 : index
// CHECK-NEXT: %16 = arith.addi %15, %c_1 : index
// CHECK-NEXT: %x_2 = nv.load_element %a[%16] : memref<16x32xi8>, i8
// CHECK-NEXT: %17 = arith.muli %r_1, %0 : index
// CHECK-NEXT: %18 = arith.addi %0, %17 : index
// CHECK-NEXT: %19 = arith.addi %18, %c_1 : index
// CHECK-NEXT: nv.store_element %x_2, %y[%19] : i8, memref<?x32xi8>
// CHECK-NEXT: } {nv.comment = "store"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: "gpu.return"() : () -> ()
// CHECK-NEXT: }) {sym_name = "views", gpu.known_block_size = array<i32: 256, 1, 1>} : () -> ()
// CHECK-NEXT: }) : () -> ()
// CHECK-NEXT: func.func @views(%x: memref<64x128xi8>, %i: index, %n: index, %y: memref<?x32xi8>) {
// CHECK-NEXT: nv.launch @kernels::@views grid [1, 1, 1] block [256, 1, 1] shared 512(%x, %i, %n, %y : memref<64x128xi8>, index, index, memref<?x32xi8>)
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// -----

// A row is reduced by one thread; narrow floats are added in f32. What is broadcast is read at column 0.

module attributes {pto.target = #pto.target<sm80>} {
func.func @rows(%x: !pto.memref<4x8xf16>, %y: !pto.memref<4x8xf16>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<4x8xf16>, tile<4x8xf16>
  %r = pto.tile.rowsum %a : tile<4x8xf16> -> tile<4x1xf16>
  %b = pto.tile.rowexpanddiv %a, %r : tile<4x8xf16>, tile<4x1xf16>
  pto.tile.store %b, %y[0, 0] : pto.memref<4x8xf16>, tile<4x8xf16>
  func.return
}
}

// CHECK: "gpu.func"() <{function_type = (memref<4x8xf16>, memref<4x8xf16>) -> (), kernel}> ({
// CHECK-NEXT: ^bb0(%x: memref<4x8xf16>, %y: memref<4x8xf16>):
// CHECK-NEXT: %0 = arith.constant 1 : index
// CHECK-NEXT: %1 = arith.constant 4 : index
// CHECK-NEXT: %2 = arith.constant 8 : index
// CHECK-NEXT: %3 = arith.constant 256 : index
// CHECK-NEXT: %4 = arith.constant 32 : index
// CHECK-NEXT: %a = nv.shared_array at 0 : memref<4x8xf16>
// CHECK-NEXT: %r = nv.shared_array at 64 : memref<4x1xf16>
// CHECK-NEXT: %b = nv.shared_array at 96 : memref<4x8xf16>
// CHECK-NEXT: %5 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT: scf.for %e = %5 to %4 step %3 {
// CHECK-NEXT: %c = arith.remui %e, %2 : index
// CHECK-NEXT: %r_1 = arith.divui %e, %2 : index
// CHECK-NEXT: %6 = arith.muli %r_1, %2 : index
// CHECK-NEXT: %7 = arith.addi %6, %c : index
// CHECK-NEXT: %x_1 = nv.load_element %x[%7] : memref<4x8xf16>, f16
// CHECK-NEXT: nv.store_element %x_1, %a[%e] : f16, memref<4x8xf16>
// CHECK-NEXT: } {nv.comment = "load"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: scf.for %e_1 = %5 to %1 step %3 {
// CHECK-NEXT: %8 = arith.muli %e_1, %2 : index
// CHECK-NEXT: %x_2 = nv.load_element %a[%8] : memref<4x8xf16>, f16
// CHECK-NEXT: %9 = arith.extf %x_2 : f16 to f32
// CHECK-NEXT: %acc = scf.for %k = %0 to %2 step %0 iter_args(%acc_1 = %9) -> (f32) {
// CHECK-NEXT: %10 = arith.muli %e_1, %2 : index
// CHECK-NEXT: %11 = arith.addi %10, %k : index
// CHECK-NEXT: %x_3 = nv.load_element %a[%11] : memref<4x8xf16>, f16
// CHECK-NEXT: %12 = arith.extf %x_3 : f16 to f32
// CHECK-NEXT: %13 = arith.addf %acc_1, %12 : f32
// CHECK-NEXT: scf.yield %13 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %14 = arith.truncf %acc : f32 to f16
// CHECK-NEXT: nv.store_element %14, %r[%e_1] : f16, memref<4x1xf16>
// CHECK-NEXT: } {nv.comment = "rowsum"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: scf.for %e_2 = %5 to %4 step %3 {
// CHECK-NEXT: %r_2 = arith.divui %e_2, %2 : index
// CHECK-NEXT: %x_4 = nv.load_element %a[%e_2] : memref<4x8xf16>, f16
// CHECK-NEXT: %x_5 = nv.load_element %r[%r_2] : memref<4x1xf16>, f16
// CHECK-NEXT: %15 = arith.divf %x_4, %x_5 : f16
// CHECK-NEXT: nv.store_element %15, %b[%e_2] : f16, memref<4x8xf16>
// CHECK-NEXT: } {nv.comment = "rowexpanddiv"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: scf.for %e_3 = %5 to %4 step %3 {
// CHECK-NEXT: %c_1 = arith.remui %e_3, %2 : index
// CHECK-NEXT: %r_3 = arith.divui %e_3, %2 : index
// CHECK-NEXT: %x_6 = nv.load_element %b[%e_3] : memref<4x8xf16>, f16
// CHECK-NEXT: %16 = arith.muli %r_3, %2 : index
// CHECK-NEXT: %17 = arith.addi %16, %c_1 : index
// CHECK-NEXT: nv.store_element %x_6, %y[%17] : f16, memref<4x8xf16>
// CHECK-NEXT: } {nv.comment = "store"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: "gpu.return"() : () -> ()
// CHECK-NEXT: }) {sym_name = "rows", gpu.known_block_size = array<i32: 256, 1, 1>} : () -> ()
// CHECK-NEXT: }) : () -> ()
// CHECK-NEXT: func.func @rows(%x: memref<4x8xf16>, %y: memref<4x8xf16>) {
// CHECK-NEXT: nv.launch @kernels::@rows grid [1, 1, 1] block [256, 1, 1] shared 160(%x, %y : memref<4x8xf16>, memref<4x8xf16>)
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// -----

// An element of a product is computed by one thread, whatever the places of the tiles. The accumulators of the loop are at one address.

module attributes {pto.target = #pto.target<sm80>} {
func.func @product(%x: !pto.memref<4x32xi8>, %w: !pto.memref<32x4xi8>, %y: !pto.memref<4x4xi32>) {
  %c0 = pto.constant 0 : index
  %c8 = pto.constant 8 : index
  %c32 = pto.constant 32 : index
  %zero = pto.constant 0 : i32
  %start = pto.tile.expands %zero : i32 : tile<4x4xi32, #pto.tile_info<loc=Acc>>
  %sum = scf.for %k = %c0 to %c32 step %c8 iter_args(%acc = %start) -> (!pto.tile<4x4xi32, #pto.tile_info<loc=Acc>>) {
    %a = pto.tile.load %x[0, %k] : pto.memref<4x32xi8>, tile<4x8xi8, #pto.tile_info<loc=Mat>>
    %l = pto.tile.mov.m2l %a : tile<4x8xi8, #pto.tile_info<loc=Mat>> -> tile<4x8xi8, #pto.tile_info<loc=Left>>
    %b = pto.tile.load %w[%k, 0] : pto.memref<32x4xi8>, tile<8x4xi8, #pto.tile_info<loc=Right>>
    %new = pto.tile.matmul.acc %acc, %l, %b : tile<4x4xi32, #pto.tile_info<loc=Acc>>, tile<4x8xi8, #pto.tile_info<loc=Left>>, tile<8x4xi8, #pto.tile_info<loc=Right>> -> tile<4x4xi32, #pto.tile_info<loc=Acc>>
    scf.yield %new : !pto.tile<4x4xi32, #pto.tile_info<loc=Acc>>
  }
  pto.tile.store %sum, %y[0, 0] : pto.memref<4x4xi32>, tile<4x4xi32, #pto.tile_info<loc=Acc>>
  func.return
}
}

// CHECK: "gpu.func"() <{function_type = (memref<4x32xi8>, memref<32x4xi8>, memref<4x4xi32>) -> (), kernel}> ({
// CHECK-NEXT: ^bb0(%x: memref<4x32xi8>, %w: memref<32x4xi8>, %y: memref<4x4xi32>):
// CHECK-NEXT: %0 = arith.constant 1 : index
// CHECK-NEXT: %1 = arith.constant 8 : index
// CHECK-NEXT: %2 = arith.constant 32 : index
// CHECK-NEXT: %3 = arith.constant 0 : index
// CHECK-NEXT: %4 = arith.constant 4 : index
// CHECK-NEXT: %5 = arith.constant 256 : index
// CHECK-NEXT: %6 = arith.constant 16 : index
// CHECK-NEXT: %start = nv.shared_array at 0 : memref<4x4xi32>
// CHECK-NEXT: %a = nv.shared_array at 64 : memref<4x8xi8>
// CHECK-NEXT: %l = nv.shared_array at 96 : memref<4x8xi8>
// CHECK-NEXT: %b = nv.shared_array at 64 : memref<8x4xi8>
// CHECK-NEXT: %7 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c8 = arith.constant 8 : index
// CHECK-NEXT: %c32 = arith.constant 32 : index
// CHECK-NEXT: %zero = arith.constant 0 : i32
// CHECK-NEXT: scf.for %e = %7 to %6 step %5 {
// CHECK-NEXT: nv.store_element %zero, %start[%e] : i32, memref<4x4xi32>
// CHECK-NEXT: } {nv.comment = "expands"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: scf.for %k = %3 to %2 step %1 {
// CHECK-NEXT: scf.for %e_1 = %7 to %2 step %5 {
// CHECK-NEXT: %c = arith.remui %e_1, %1 : index
// CHECK-NEXT: %r = arith.divui %e_1, %1 : index
// CHECK-NEXT: %8 = arith.muli %r, %2 : index
// CHECK-NEXT: %9 = arith.addi %k, %8 : index
// CHECK-NEXT: %10 = arith.addi %9, %c : index
// CHECK-NEXT: %x_1 = nv.load_element %x[%10] : memref<4x32xi8>, i8
// CHECK-NEXT: nv.store_element %x_1, %a[%e_1] : i8, memref<4x8xi8>
// CHECK-NEXT: } {nv.comment = "load"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: scf.for %e_2 = %7 to %2 step %5 {
// CHECK-NEXT: %x_2 = nv.load_element %a[%e_2] : memref<4x8xi8>, i8
// CHECK-NEXT: nv.store_element %x_2, %l[%e_2] : i8, memref<4x8xi8>
// CHECK-NEXT: } {nv.comment = "mov.m2l"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: %11 = arith.muli %k, %4 : index
// CHECK-NEXT: scf.for %e_3 = %7 to %2 step %5 {
// CHECK-NEXT: %c_1 = arith.remui %e_3, %4 : index
// CHECK-NEXT: %r_1 = arith.divui %e_3, %4 : index
// CHECK-NEXT: %12 = arith.muli %r_1, %4 : index
// CHECK-NEXT: %13 = arith.addi %11, %12 : index
// CHECK-NEXT: %14 = arith.addi %13, %c_1 : index
// CHECK-NEXT: %x_3 = nv.load_element %w[%14] : memref<32x4xi8>, i8
// CHECK-NEXT: nv.store_element %x_3, %b[%e_3] : i8, memref<8x4xi8>
// CHECK-NEXT: } {nv.comment = "load"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: scf.for %e_4 = %7 to %6 step %5 {
// CHECK-NEXT: %c_2 = arith.remui %e_4, %4 : index
// CHECK-NEXT: %r_2 = arith.divui %e_4, %4 : index
// CHECK-NEXT: %15 = arith.muli %r_2, %4 : index
// CHECK-NEXT: %16 = arith.addi %15, %c_2 : index
// CHECK-NEXT: %x_4 = nv.load_element %start[%16] : memref<4x4xi32>, i32
// CHECK-NEXT: %acc = scf.for %k_1 = %3 to %1 step %0 iter_args(%acc_1 = %x_4) -> (i32) {
// CHECK-NEXT: %17 = arith.muli %r_2, %1 : index
// CHECK-NEXT: %18 = arith.addi %17, %k_1 : index
// CHECK-NEXT: %x_5 = nv.load_element %l[%18] : memref<4x8xi8>, i8
// CHECK-NEXT: %19 = arith.extsi %x_5 : i8 to i32
// CHECK-NEXT: %20 = arith.muli %k_1, %4 : index
// CHECK-NEXT: %21 = arith.addi %20, %c_2 : index
// CHECK-NEXT: %x_6 = nv.load_element %b[%21] : memref<8x4xi8>, i8
// CHECK-NEXT: %22 = arith.extsi %x_6 : i8 to i32
// CHECK-NEXT: %23 = arith.muli %19, %22 : i32
// CHECK-NEXT: %24 = arith.addi %acc_1, %23 : i32
// CHECK-NEXT: scf.yield %24 : i32
// CHECK-NEXT: }
// CHECK-NEXT: %25 = arith.muli %r_2, %4 : index
// CHECK-NEXT: %26 = arith.addi %25, %c_2 : index
// CHECK-NEXT: nv.store_element %acc, %start[%26] : i32, memref<4x4xi32>
// CHECK-NEXT: } {nv.comment = "matmul.acc"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %e_5 = %7 to %6 step %5 {
// CHECK-NEXT: %c_3 = arith.remui %e_5, %4 : index
// CHECK-NEXT: %r_3 = arith.divui %e_5, %4 : index
// CHECK-NEXT: %x_7 = nv.load_element %start[%e_5] : memref<4x4xi32>, i32
// CHECK-NEXT: %27 = arith.muli %r_3, %4 : index
// CHECK-NEXT: %28 = arith.addi %27, %c_3 : index
// CHECK-NEXT: nv.store_element %x_7, %y[%28] : i32, memref<4x4xi32>
// CHECK-NEXT: } {nv.comment = "store"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: "gpu.return"() : () -> ()
// CHECK-NEXT: }) {sym_name = "product", gpu.known_block_size = array<i32: 256, 1, 1>} : () -> ()
// CHECK-NEXT: }) : () -> ()
// CHECK-NEXT: func.func @product(%x: memref<4x32xi8>, %w: memref<32x4xi8>, %y: memref<4x4xi32>) {
// CHECK-NEXT: nv.launch @kernels::@product grid [1, 1, 1] block [256, 1, 1] shared 128(%x, %w, %y : memref<4x32xi8>, memref<32x4xi8>, memref<4x4xi32>)
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// -----

// The numbers of valid rows and columns of a tile are passed on with it. Indices are compared as unsigned words, as they may be negative.

module attributes {pto.target = #pto.target<sm80>} {
func.func @condition(%x: !pto.memref<8x8xf32>, %n: index, %y: !pto.memref<8x8xf32>) {
  %c4 = pto.constant 4 : index
  %p = arith.cmpi ult, %n, %c4 : index
  %t = scf.if %p -> (!pto.tile<8x8xf32>) {
    %a = pto.tile.load %x[0, 0] {valid = [%n, 8]} : pto.memref<8x8xf32>, tile<8x8xf32>
    scf.yield %a : !pto.tile<8x8xf32>
  } else {
    %b = pto.tile.load %x[0, 0] {valid = [4, 2]} : pto.memref<8x8xf32>, tile<8x8xf32>
    scf.yield %b : !pto.tile<8x8xf32>
  }
  pto.tile.store %t, %y[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  func.return
}
}

// CHECK: "gpu.func"() <{function_type = (memref<8x8xf32>, index, memref<8x8xf32>) -> (), kernel}> ({
// CHECK-NEXT: ^bb0(%x: memref<8x8xf32>, %n: index, %y: memref<8x8xf32>):
// CHECK-NEXT: %0 = arith.constant 4 : index
// CHECK-NEXT: %1 = arith.constant 2 : index
// CHECK-NEXT: %2 = arith.constant 256 : index
// CHECK-NEXT: %3 = arith.constant 8 : index
// CHECK-NEXT: %t = nv.shared_array at 0 : memref<8x8xf32>
// CHECK-NEXT: %4 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %word = arith.index_cast %n : index to i32
// CHECK-NEXT: %word_1 = arith.index_cast %c4 : index to i32
// CHECK-NEXT: %p = arith.cmpi ult, %word, %word_1 : i32
// CHECK-NEXT: %rows, %columns = scf.if %p -> (index, index) {
// CHECK-NEXT: %5 = arith.muli %n, %3 : index
// CHECK-NEXT: scf.for %e = %4 to %5 step %2 {
// CHECK-NEXT: %c = arith.remui %e, %3 : index
// CHECK-NEXT: %r = arith.divui %e, %3 : index
// CHECK-NEXT: %6 = arith.muli %r, %3 : index
// CHECK-NEXT: %7 = arith.addi %6, %c : index
// CHECK-NEXT: %x_1 = nv.load_element %x[%7] : memref<8x8xf32>, f32
// CHECK-NEXT: %8 = arith.muli %r, %3 : index
// CHECK-NEXT: %9 = arith.addi %8, %c : index
// CHECK-NEXT: nv.store_element %x_1, %t[%9] : f32, memref<8x8xf32>
// CHECK-NEXT: } {nv.comment = "load"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: scf.yield %n, %3 : index, index
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.for %e_1 = %4 to %3 step %2 {
// CHECK-NEXT: %c_1 = arith.remui %e_1, %1 : index
// CHECK-NEXT: %r_1 = arith.divui %e_1, %1 : index
// CHECK-NEXT: %10 = arith.muli %r_1, %3 : index
// CHECK-NEXT: %11 = arith.addi %10, %c_1 : index
// CHECK-NEXT: %x_2 = nv.load_element %x[%11] : memref<8x8xf32>, f32
// CHECK-NEXT: %12 = arith.muli %r_1, %3 : index
// CHECK-NEXT: %13 = arith.addi %12, %c_1 : index
// CHECK-NEXT: nv.store_element %x_2, %t[%13] : f32, memref<8x8xf32>
// CHECK-NEXT: } {nv.comment = "load"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: scf.yield %0, %1 : index, index
// CHECK-NEXT: }
// CHECK-NEXT: %14 = arith.muli %rows, %columns : index
// CHECK-NEXT: scf.for %e_2 = %4 to %14 step %2 {
// CHECK-NEXT: %c_2 = arith.remui %e_2, %columns : index
// CHECK-NEXT: %r_2 = arith.divui %e_2, %columns : index
// CHECK-NEXT: %15 = arith.muli %r_2, %3 : index
// CHECK-NEXT: %16 = arith.addi %15, %c_2 : index
// CHECK-NEXT: %x_3 = nv.load_element %t[%16] : memref<8x8xf32>, f32
// CHECK-NEXT: %17 = arith.muli %r_2, %3 : index
// CHECK-NEXT: %18 = arith.addi %17, %c_2 : index
// CHECK-NEXT: nv.store_element %x_3, %y[%18] : f32, memref<8x8xf32>
// CHECK-NEXT: } {nv.comment = "store"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: "gpu.return"() : () -> ()
// CHECK-NEXT: }) {sym_name = "condition", gpu.known_block_size = array<i32: 256, 1, 1>} : () -> ()
// CHECK-NEXT: }) : () -> ()
// CHECK-NEXT: func.func @condition(%x: memref<8x8xf32>, %n: index, %y: memref<8x8xf32>) {
// CHECK-NEXT: nv.launch @kernels::@condition grid [1, 1, 1] block [256, 1, 1] shared 256(%x, %n, %y : memref<8x8xf32>, index, memref<8x8xf32>)
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// -----

// Tiles that do not fit otherwise are computed in place: of %a, %b and their sum, two are in shared memory.

module attributes {pto.target = #pto.target<sm80>} {
func.func @in_place(%x: !pto.memref<128x256xi32>, %y: !pto.memref<128x256xf32>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<128x256xi32>, tile<128x128xi32>
  %b = pto.tile.load %x[0, 128] : pto.memref<128x256xi32>, tile<128x128xi32>
  %c = pto.tile.add %a, %b : tile<128x128xi32>
  %d = pto.tile.add %c, %b : tile<128x128xi32>
  %f = pto.tile.cvt %d : tile<128x128xi32> -> tile<128x128xf32>
  pto.tile.store %f, %y[0, 0] : pto.memref<128x256xf32>, tile<128x128xf32>
  func.return
}
}

// CHECK: "gpu.func"() <{function_type = (memref<128x256xi32>, memref<128x256xf32>) -> (), kernel}> ({
// CHECK-NEXT: ^bb0(%x: memref<128x256xi32>, %y: memref<128x256xf32>):
// CHECK-NEXT: %0 = arith.constant 128 : index
// CHECK-NEXT: %1 = arith.constant 256 : index
// CHECK-NEXT: %2 = arith.constant 16384 : index
// CHECK-NEXT: %a = nv.shared_array at 0 : memref<128x128xi32>
// CHECK-NEXT: %f = nv.shared_array at 0 : memref<128x128xf32>
// CHECK-NEXT: %b = nv.shared_array at 65536 : memref<128x128xi32>
// CHECK-NEXT: %3 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT: scf.for %e = %3 to %2 step %1 {
// CHECK-NEXT: %c = arith.remui %e, %0 : index
// CHECK-NEXT: %r = arith.divui %e, %0 : index
// CHECK-NEXT: %4 = arith.muli %r, %1 : index
// CHECK-NEXT: %5 = arith.addi %4, %c : index
// CHECK-NEXT: %x_1 = nv.load_element %x[%5] : memref<128x256xi32>, i32
// CHECK-NEXT: nv.store_element %x_1, %a[%e] : i32, memref<128x128xi32>
// CHECK-NEXT: } {nv.comment = "load"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: scf.for %e_1 = %3 to %2 step %1 {
// CHECK-NEXT: %c_1 = arith.remui %e_1, %0 : index
// CHECK-NEXT: %r_1 = arith.divui %e_1, %0 : index
// CHECK-NEXT: %6 = arith.muli %r_1, %1 : index
// CHECK-NEXT: %7 = arith.addi %0, %6 : index
// CHECK-NEXT: %8 = arith.addi %7, %c_1 : index
// CHECK-NEXT: %x_2 = nv.load_element %x[%8] : memref<128x256xi32>, i32
// CHECK-NEXT: nv.store_element %x_2, %b[%e_1] : i32, memref<128x128xi32>
// CHECK-NEXT: } {nv.comment = "load"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: scf.for %e_2 = %3 to %2 step %1 {
// CHECK-NEXT: %x_3 = nv.load_element %a[%e_2] : memref<128x128xi32>, i32
// CHECK-NEXT: %x_4 = nv.load_element %b[%e_2] : memref<128x128xi32>, i32
// CHECK-NEXT: %9 = arith.addi %x_3, %x_4 : i32
// CHECK-NEXT: nv.store_element %9, %a[%e_2] : i32, memref<128x128xi32>
// CHECK-NEXT: } {nv.comment = "add"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: scf.for %e_3 = %3 to %2 step %1 {
// CHECK-NEXT: %x_5 = nv.load_element %a[%e_3] : memref<128x128xi32>, i32
// CHECK-NEXT: %x_6 = nv.load_element %b[%e_3] : memref<128x128xi32>, i32
// CHECK-NEXT: %10 = arith.addi %x_5, %x_6 : i32
// CHECK-NEXT: nv.store_element %10, %a[%e_3] : i32, memref<128x128xi32>
// CHECK-NEXT: } {nv.comment = "add"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: scf.for %e_4 = %3 to %2 step %1 {
// CHECK-NEXT: %x_7 = nv.load_element %a[%e_4] : memref<128x128xi32>, i32
// CHECK-NEXT: %11 = arith.sitofp %x_7 : i32 to f32
// CHECK-NEXT: nv.store_element %11, %f[%e_4] : f32, memref<128x128xf32>
// CHECK-NEXT: } {nv.comment = "cvt"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: scf.for %e_5 = %3 to %2 step %1 {
// CHECK-NEXT: %c_2 = arith.remui %e_5, %0 : index
// CHECK-NEXT: %r_2 = arith.divui %e_5, %0 : index
// CHECK-NEXT: %x_8 = nv.load_element %f[%e_5] : memref<128x128xf32>, f32
// CHECK-NEXT: %12 = arith.muli %r_2, %1 : index
// CHECK-NEXT: %13 = arith.addi %12, %c_2 : index
// CHECK-NEXT: nv.store_element %x_8, %y[%13] : f32, memref<128x256xf32>
// CHECK-NEXT: } {nv.comment = "store"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: "gpu.return"() : () -> ()
// CHECK-NEXT: }) {sym_name = "in_place", gpu.known_block_size = array<i32: 256, 1, 1>} : () -> ()
// CHECK-NEXT: }) : () -> ()
// CHECK-NEXT: func.func @in_place(%x: memref<128x256xi32>, %y: memref<128x256xf32>) {
// CHECK-NEXT: nv.launch @kernels::@in_place grid [1, 1, 1] block [256, 1, 1] shared 131072(%x, %y : memref<128x256xi32>, memref<128x256xf32>)
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// -----

// Events and waits order nothing that barriers do not.

module attributes {pto.target = #pto.target<sm80>} {
func.func @events(%x: !pto.memref<1x64xf32>, %y: !pto.memref<1x64xf32>) {
  %e = pto.event.record : !pto.event<producer = #pto.op<TLOAD>>
  %a, %e1 = pto.tile.load %x[0, 0] wait(%e) : pto.memref<1x64xf32>, tile<1x64xf32>, !pto.event<producer = #pto.op<TLOAD>>
  pto.sync wait(%e1)
  pto.tile.prefetch %y : pto.memref<1x64xf32>
  pto.tile.store %a, %y[0, 0] wait(%e1) : pto.memref<1x64xf32>, tile<1x64xf32>
  func.return
}
}

// CHECK: "gpu.func"() <{function_type = (memref<1x64xf32>, memref<1x64xf32>) -> (), kernel}> ({
// CHECK-NEXT: ^bb0(%x: memref<1x64xf32>, %y: memref<1x64xf32>):
// CHECK-NEXT: %0 = arith.constant 256 : index
// CHECK-NEXT: %1 = arith.constant 64 : index
// CHECK-NEXT: %a = nv.shared_array at 0 : memref<1x64xf32>
// CHECK-NEXT: %2 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT: scf.for %e = %2 to %1 step %0 {
// CHECK-NEXT: %x_1 = nv.load_element %x[%e] : memref<1x64xf32>, f32
// CHECK-NEXT: nv.store_element %x_1, %a[%e] : f32, memref<1x64xf32>
// CHECK-NEXT: } {nv.comment = "load"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: scf.for %e_1 = %2 to %1 step %0 {
// CHECK-NEXT: %x_2 = nv.load_element %a[%e_1] : memref<1x64xf32>, f32
// CHECK-NEXT: nv.store_element %x_2, %y[%e_1] : f32, memref<1x64xf32>
// CHECK-NEXT: } {nv.comment = "store"}
// CHECK-NEXT: "gpu.barrier"() : () -> ()
// CHECK-NEXT: "gpu.return"() : () -> ()
// CHECK-NEXT: }) {sym_name = "events", gpu.known_block_size = array<i32: 256, 1, 1>} : () -> ()
// CHECK-NEXT: }) : () -> ()
// CHECK-NEXT: func.func @events(%x: memref<1x64xf32>, %y: memref<1x64xf32>) {
// CHECK-NEXT: nv.launch @kernels::@events grid [1, 1, 1] block [256, 1, 1] shared 256(%x, %y : memref<1x64xf32>, memref<1x64xf32>)
// CHECK-NEXT: func.return
// CHECK-NEXT: }
