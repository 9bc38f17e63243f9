// RUN: not ptir-opt %s --split-input-file -t pto-cpp 2>&1 | filecheck %s

// Every program that has no form as C++, with its place.

// CHECK: error[PTIR0410]: the tiles of @memory take 196,608 bytes in Vec, but a3 has 163,840
module attributes { pto.target = #pto.target<a3> } {
func.func @memory(%x: !pto.memref<64x128xf32>) {
  %0 = pto.tile.load %x[0, 0] : pto.memref<64x128xf32>, tile<64x128xf32>
  %1 = pto.tile.exp %0 : tile<64x128xf32>
  %2 = pto.tile.exp %1 : tile<64x128xf32>
  %3 = pto.tile.exp %2 : tile<64x128xf32>
  %4 = pto.tile.exp %3 : tile<64x128xf32>
  %5 = pto.tile.exp %4 : tile<64x128xf32>
  %6 = pto.tile.rowmax %5 : tile<64x128xf32> -> tile<64x1xf32, #pto.tile_info<layout=DN>>
  func.return
}
}

// -----

// CHECK: error[PTIR0411]: !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>> must be copied: the loop carries it, and Acc has no copies
module attributes { pto.target = #pto.target<a3> } {
func.func @copy(%x: !pto.memref<16x16xf16>, %n: index) {
  %a = pto.tile.load %x[0, 0] : pto.memref<16x16xf16>, tile<16x16xf16, #pto.tile_info<loc=Mat>>
  %l = pto.tile.mov.m2l %a : tile<16x16xf16, #pto.tile_info<loc=Mat>> -> tile<16x16xf16, #pto.tile_info<loc=Left>>
  %r = pto.tile.mov.m2r %a : tile<16x16xf16, #pto.tile_info<loc=Mat>> -> tile<16x16xf16, #pto.tile_info<loc=Right>>
  %p = pto.tile.matmul %l, %r : tile<16x16xf16, #pto.tile_info<loc=Left>>, tile<16x16xf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
  %c0 = pto.constant 0 : index
  %c1 = pto.constant 1 : index
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %p) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
    %q = pto.tile.matmul %l, %r : tile<16x16xf16, #pto.tile_info<loc=Left>>, tile<16x16xf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %v = pto.tile.mov.a2v %acc : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    scf.yield %q : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
  }
  func.return
}
}

// -----

// CHECK: error[PTIR0411]: !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>> must be copied: TMATMUL_ACC changes it in place, and it is used again
module attributes { pto.target = #pto.target<a3> } {
func.func @twice(%x: !pto.memref<16x16xf16>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<16x16xf16>, tile<16x16xf16, #pto.tile_info<loc=Mat>>
  %l = pto.tile.mov.m2l %a : tile<16x16xf16, #pto.tile_info<loc=Mat>> -> tile<16x16xf16, #pto.tile_info<loc=Left>>
  %r = pto.tile.mov.m2r %a : tile<16x16xf16, #pto.tile_info<loc=Mat>> -> tile<16x16xf16, #pto.tile_info<loc=Right>>
  %p = pto.tile.matmul %l, %r : tile<16x16xf16, #pto.tile_info<loc=Left>>, tile<16x16xf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
  %q = pto.tile.matmul.acc %p, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xf16, #pto.tile_info<loc=Left>>, tile<16x16xf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
  %v = pto.tile.mov.a2v %p : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
  func.return
}
}

// -----

// CHECK: error[PTIR0412]: !pto.memref<?x?xf32> has no form as a GlobalTensor: a stride is not known
// CHECK: help: give the array static sizes, and one axis of contiguous elements
module attributes { pto.target = #pto.target<a3> } {
func.func @view(%x: !pto.memref<?x?xf32>) {
  %0 = pto.tile.load %x[0, 0] : pto.memref<?x?xf32>, tile<16x16xf32>
  func.return
}
}

// -----

// CHECK: error[PTIR0413]: more than 8 events from pipe MTE2 to pipe V are pending at a time
module attributes { pto.target = #pto.target<a3> } {
func.func @events(%x: !pto.memref<16x16xf32>) {
  %0, %e0 = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %1, %e1 = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %2, %e2 = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %3, %e3 = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %4, %e4 = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %5, %e5 = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %6, %e6 = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %7, %e7 = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %8, %e8 = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %s = pto.tile.add %0, %1 wait(%e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7, %e8) : tile<16x16xf32>
  func.return
}
}

// -----

// CHECK: :[[# @LINE + 5]]:{{[0-9]+}}: error[PTIR0414]: this op sets flag 0 from pipe MTE2 to pipe V, which is set already and not waited for yet
// CHECK: help: give one of the two events another eid, or none, or run pto-insert-events
module attributes { pto.target = #pto.target<a3> } {
func.func @flags(%x: !pto.memref<16x16xf32>) {
  %0, %e0 = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TLOAD>, eid = 0>
  %1, %e1 = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TLOAD>, eid = 0>
  %s = pto.tile.add %0, %1 wait(%e0, %e1) : tile<16x16xf32>
  func.return
}
}

// -----

// CHECK: error[PTIR0211]: {{.*}}pto.kernel
// CHECK: help: lower to PTO first, with the pipeline ptir-to-pto{target=a3}, or with pto-legalize if kernels are tile programs
module attributes { pto.target = #pto.target<a3> } {
pto.kernel @k(%x: memref<8x32xf32> align 16) -> (%y: memref<8x32xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [8, 32] step [8, 32] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : memref<8x32xf32> -> tile<8x32xf32>
    pto.tile.store.map %0, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 32] dims [0, 1] : tile<8x32xf32>, memref<8x32xf32>
  }
}
}

// -----

// CHECK: error[PTIR0210]: an argument of type !pto.tile<16x16xf32> is not supported yet
module attributes { pto.target = #pto.target<a3> } {
func.func @tile(%x: !pto.tile<16x16xf32>) {
  %0 = pto.tile.exp %x : tile<16x16xf32>
  func.return
}
}

// -----

// CHECK: error[PTIR0210]: a TEXTRACT from Mat to Vec in the C++ of PTO is not supported yet
// CHECK: help: extract from Mat to Left or Right, or between vector tiles
module attributes { pto.target = #pto.target<a3> } {
func.func @part(%x: !pto.memref<16x32xf32>) {
  %0 = pto.tile.load %x[0, 0] : pto.memref<16x32xf32>, tile<16x32xf32, #pto.tile_info<loc=Mat>>
  %1 = pto.tile.extract %0[8, 0] : tile<16x32xf32, #pto.tile_info<loc=Mat>> -> tile<8x32xf32>
  func.return
}
}

// -----

// CHECK: error[PTIR0210]: blockLen = 5 in the C++ of PTO is not supported yet
// CHECK: help: choose blocks of which four have a multiple of 32 bytes
module attributes { pto.target = #pto.target<a3> } {
func.func @blocks_of_five(%x: !pto.memref<1x40xf32>) {
  %0 = pto.tile.load %x[0, 0] : pto.memref<1x40xf32>, tile<1x40xf32>
  %1 = pto.tile.mrgsort %0 {blockLen = 5} : tile<1x40xf32> -> tile<1x40xf32>
  func.return
}
}

// -----

// CHECK: error[PTIR0210]: 'pto.tile.sort32' of tiles whose valid columns are not known is not supported yet
// CHECK: help: write its `valid`, with the elements of whole blocks
module attributes { pto.target = #pto.target<a3> } {
func.func @sort(%x: !pto.memref<16x64xf32>, %n: index) {
  %0 = pto.tile.load %x[0, 0] {valid = [16, %n]} : pto.memref<16x64xf32>, tile<16x64xf32>
  %1, %2 = pto.tile.sort32 %0 : tile<16x64xf32> -> tile<16x64xf32>, tile<16x64xui32>
  func.return
}
}

// -----

// CHECK: error[PTIR0210]: 'pto.tile.sort32' without valid elements is not supported yet
module attributes { pto.target = #pto.target<a3> } {
func.func @nothing(%x: !pto.memref<16x64xf32>) {
  %0 = pto.tile.load %x[0, 0] {valid = [16, 31]} : pto.memref<16x64xf32>, tile<16x64xf32>
  %1, %2 = pto.tile.sort32 %0 : tile<16x64xf32> -> tile<16x64xf32>, tile<16x64xui32>
  func.return
}
}

// -----

// CHECK: error[PTIR0210]: 'pto.tile.extract' of a tile whose valid region is not known is not supported yet
module attributes { pto.target = #pto.target<a3> } {
func.func @extract(%x: !pto.memref<16x64xf32>, %n: index) {
  %0 = pto.tile.load %x[0, 0] {valid = [%n, 64]} : pto.memref<16x64xf32>, tile<16x64xf32>
  %1 = pto.tile.extract %0[8, 0] : tile<16x64xf32> -> tile<8x64xf32>
  func.return
}
}

// -----

// CHECK: error[PTIR0211]: 'ptir.neg' does not belong in the input of the printer of PTO C++
module attributes { pto.target = #pto.target<a3> } {
func.func @negated(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.neg %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
}

// -----

// CHECK: error[PTIR0240]: the order of pipes is not known here: the function has several blocks
module attributes { pto.target = #pto.target<a3> } {
func.func @blocks(%x: !pto.memref<64x64xf32>) {
  cf.br ^next
^next:
  %0 = pto.tile.load %x[0, 0] : pto.memref<64x64xf32>, tile<64x64xf32>
  func.return
}
}

// -----

// CHECK: error[PTIR0210]: a kernel that returns values is not supported yet
module attributes { pto.target = #pto.target<a3> } {
func.func @result(%x: !pto.memref<64x64xf32>) -> !pto.tile<64x64xf32> {
  %0 = pto.tile.load %x[0, 0] : pto.memref<64x64xf32>, tile<64x64xf32>
  func.return %0 : !pto.tile<64x64xf32>
}
}

// -----

// CHECK: error[PTIR0210]: a kernel of the name 'f() {} void g' is not supported yet
// CHECK: help: use a free identifier of C++
module attributes { pto.target = #pto.target<a3> } {
func.func @"f() {} void g"(%x: !pto.memref<64x64xf32>) {
  %0 = pto.tile.load %x[0, 0] : pto.memref<64x64xf32>, tile<64x64xf32>
  func.return
}
}

// -----

// CHECK: error[PTIR0210]: a loop with the step 0 is not supported yet
// CHECK: help: use a positive step
module attributes { pto.target = #pto.target<a3> } {
func.func @endless(%x: !pto.memref<64x64xf32>) {
  %a = pto.constant 0 : index
  %b = pto.constant 8 : index
  scf.for %i = %a to %b step %a {
    %0 = pto.tile.load %x[0, 0] : pto.memref<64x64xf32>, tile<64x64xf32>
  }
  func.return
}
}

// -----

// CHECK: error[PTIR0210]: a condition that yields tiles with different valid regions is not supported yet
// CHECK: help: write the same `valid` for both
module attributes { pto.target = #pto.target<a3> } {
func.func @regions(%x: !pto.memref<16x16xf32>, %p: i1) {
  %a = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  %b = scf.if %p -> (!pto.tile<16x16xf32>) {
    %c = pto.tile.exp %a {valid = [8, 16]} : tile<16x16xf32>
    scf.yield %c : !pto.tile<16x16xf32>
  } else {
    scf.yield %a : !pto.tile<16x16xf32>
  }
  pto.tile.store %b, %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  func.return
}
}

// -----

// CHECK: error[PTIR0210]: a condition that yields an array in the C++ of PTO is not supported yet
// CHECK: help: load from either array in its way, and yield the tile
module attributes { pto.target = #pto.target<a3> } {
func.func @arrays(%x: !pto.memref<16x16xf32>, %y: !pto.memref<16x16xf32>, %p: i1) {
  %b = scf.if %p -> (!pto.memref<16x16xf32>) {
    scf.yield %x : !pto.memref<16x16xf32>
  } else {
    scf.yield %y : !pto.memref<16x16xf32>
  }
  %a = pto.tile.load %b[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>
  func.return
}
}

// -----

// CHECK: error[PTIR0411]: !pto.tile<16x16xf32> must be copied: the condition yields it, and no event orders the copy
// CHECK: help: yield a tile that an instruction of this way computes, such as pto.tile.mov.v2v
module attributes { pto.target = #pto.target<a3> } {
func.func @events(%x: !pto.memref<16x16xf32>, %p: i1) {
  %a, %e = pto.tile.load %x[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %b = scf.if %p -> (!pto.tile<16x16xf32>) {
    %c = pto.tile.exp %a wait(%e) : tile<16x16xf32>
    scf.yield %c : !pto.tile<16x16xf32>
  } else {
    scf.yield %a : !pto.tile<16x16xf32>
  }
  func.return
}
}

// -----

// CHECK: error[PTIR0267]: !pto.tile<16x32xi1>: a3 has no 'pto.tile.sel' of i1
// CHECK: help: convert the elements first; legal types: bf16, f16, f32, i16, i32, ui16, ui32
module attributes { pto.target = #pto.target<a3> } {
func.func @chosen(%x: !pto.memref<16x32xf32>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<16x32xf32>, tile<16x32xf32>
  %m = pto.tile.cmp %a, %a {cmpMode = #pto.cmp<EQ>} : tile<16x32xf32> -> tile<16x32xi1>
  %n = pto.tile.sel %m, %m, %m : tile<16x32xi1>, tile<16x32xi1>
  func.return
}
}

// -----

// CHECK: error[PTIR0210]: 'pto.tile.trans' of predicates in the C++ of PTO
module attributes { pto.target = #pto.target<a3> } {
func.func @turned(%x: !pto.memref<32x32xf32>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
  %m = pto.tile.cmp %a, %a {cmpMode = #pto.cmp<EQ>} : tile<32x32xf32> -> tile<32x32xi1>
  %n = pto.tile.trans %m : tile<32x32xi1> -> tile<32x32xi1>
  func.return
}
}

// -----

// CHECK: error[PTIR0210]: a mask from a scalar in the C++ of PTO is not supported yet
// CHECK: help: compare a tile that has the scalar in each element
module attributes { pto.target = #pto.target<a3> } {
func.func @filled(%p: i1) {
  %m = pto.tile.expands %p : i1 : tile<16x32xi1>
  func.return
}
}

// -----

// CHECK: error[PTIR0210]: a pointwise instruction on tiles of different layouts is not supported yet
// CHECK: help: write the same layout for all of them
module attributes { pto.target = #pto.target<a3> } {
func.func @layouts(%x: !pto.memref<32x1xf32>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<32x1xf32>, tile<32x1xf32, #pto.tile_info<layout=DN>>
  %m = pto.tile.cmp %a, %a {cmpMode = #pto.cmp<EQ>} : tile<32x1xf32, #pto.tile_info<layout=DN>> -> tile<32x1xi1>
  func.return
}
}

// -----

// CHECK: error[PTIR0210]: a reshape of a tile in columns in the C++ of PTO is not supported yet
// CHECK: help: transpose it, or choose the layout ND
module attributes { pto.target = #pto.target<a3> } {
func.func @reshaped(%x: !pto.memref<1x64xf32>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<1x64xf32>, tile<1x64xf32>
  %b = pto.tile.reshape %a : tile<1x64xf32> -> tile<16x4xf32, #pto.tile_info<layout=DN>>
  func.return
}
}

// -----

// CHECK: error[PTIR0210]: 'pto.tile.mov.fp' with scales of f32 in the C++ of PTO, which has words is not supported yet
// CHECK: help: move the accumulators with pto.tile.mov.a2v, and scale them with pto.tile.colexpandmul
module attributes { pto.target = #pto.target<a3> } {
func.func @scaled(%acc: !pto.memref<16x16xf32>) {
  %m = pto.tile.load %acc[0, 0] : pto.memref<16x16xf32>, tile<16x16xf32, #pto.tile_info<loc=Mat>>
  %l = pto.tile.mov.m2l %m : tile<16x16xf32, #pto.tile_info<loc=Mat>> -> tile<16x16xf32, #pto.tile_info<loc=Left>>
  %r = pto.tile.mov.m2r %m : tile<16x16xf32, #pto.tile_info<loc=Mat>> -> tile<16x16xf32, #pto.tile_info<loc=Right>>
  %p = pto.tile.matmul %l, %r : tile<16x16xf32, #pto.tile_info<loc=Left>>, tile<16x16xf32, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
  %row = pto.tile.load %acc[0, 0] : pto.memref<16x16xf32>, tile<1x16xf32, #pto.tile_info<loc=Mat, layout=ND>>
  %s = pto.tile.mov.m2s %row : tile<1x16xf32, #pto.tile_info<loc=Mat, layout=ND>> -> tile<1x16xf32, #pto.tile_info<loc=Scale>>
  %v = pto.tile.mov.fp %p, %s : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<1x16xf32, #pto.tile_info<loc=Scale>> -> tile<16x16xf16>
  func.return
}
}

// -----

// CHECK: error[PTIR0272]: a3 does not load !pto.tile<16x16xf32> in layout ND, as adjacent columns of the array are 16 elements apart
module attributes { pto.target = #pto.target<a3> } {
func.func @order(%x: !pto.memref<16x16xf32, {layout = #pto.layout<DN>}>) {
  %a = pto.tile.load %x[0, 0] : pto.memref<16x16xf32, {layout = #pto.layout<DN>}>, tile<16x16xf32>
  func.return
}
}
